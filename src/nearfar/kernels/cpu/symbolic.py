"""The shortcuts that arise when vertices are eliminated in a given order, found without eliminating (Liu 1990).

The *row* of vertex k holds the vertices that have a shortcut to k when they are eliminated: a subtree of the
elimination tree with root k, whose leaves are neighbours of k. So all shortcuts are found by climbing the tree from the
neighbours that are eliminated earlier.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def elimination_tree(order, time, starts, heads, top, parents):
    """Write the parent of every vertex in the elimination tree, -1 for roots; by time, as all arrays here but rows.

    ``order[k]`` is the vertex eliminated at time k, ``time`` the reverse. ``top`` is work space: shortcuts in the
    climb, so that no part of the tree is climbed often.
    """
    for k in range(len(order)):
        parents[k] = -1
        top[k] = -1
        v = order[k]
        for e in range(starts[v], starts[v + 1]):
            i = np.int64(time[heads[e]])
            while i != -1 and i < k:
                following = np.int64(top[i])
                top[i] = k
                if following == -1:
                    parents[i] = k
                i = following


@kernel
def rank_tree(parents, size, ranks):
    """Write the rank of every time: each vertex right before the subtrees that hang from it."""
    n = len(parents)
    for k in range(n):
        size[k] = 1
    for k in range(n):
        if parents[k] >= 0:
            size[parents[k]] += size[k]
    fresh = np.int64(0)
    for k in range(n - 1, -1, -1):  # size[k] becomes the offset at which the next child's subtree ends
        parent, mine = parents[k], np.int64(size[k])
        if parent < 0:
            ranks[k] = fresh
            fresh += mine
        else:
            size[parent] -= mine
            ranks[k] = np.int64(ranks[parent]) + size[parent]


@kernel
def count_row_entries(order, time, starts, heads, parents, mark, counts, most):
    """Count the shortcuts of every vertex; ``counts`` is zero before. Return their number, as far as it was counted.

    Counting ends soon after there are more than ``most``.
    """
    total = np.int64(0)
    for k in range(len(order)):
        if total > most:
            break
        mark[k] = k
        v = order[k]
        for e in range(starts[v], starts[v + 1]):
            i = np.int64(time[heads[e]])
            while i < k and mark[i] != k:
                mark[i] = k
                counts[i] += 1
                total += 1
                i = np.int64(parents[i])
    return total


@kernel
def write_row_entries(order, time, starts, heads, parents, ranks, mark, ends, out):
    """Write the heads of all shortcuts, as ranks, ascending; ``ends[i]`` is where the next one of time i belongs."""
    for k in range(len(order)):
        mark[k] = -1
    for k in range(len(order) - 1, -1, -1):  # a higher vertex has a smaller rank and comes first
        mark[k] = k
        v = order[k]
        for e in range(starts[v], starts[v + 1]):
            i = np.int64(time[heads[e]])
            while i < k and mark[i] != k:
                mark[i] = k
                out[ends[i]] = ranks[k]
                ends[i] += 1
                i = np.int64(parents[i])

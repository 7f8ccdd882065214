"""Demand on the arcs of shortest-path trees: all of a pair's demand on the one path that its tree has.

In a tree every vertex but the root has one vertex before it. `peel` lists the vertices so that each comes before the
one it hangs from: leaves first, then what has become a leaf. That holds also where arcs of weight zero leave no order
of distances. Then demand is handed from each vertex to the next towards the root, in one pass.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight


@kernel
def peel(tree, hanging, order):
    """List the vertices that hang from another in ``order``, each before the one it hangs from; return how many.

    ``tree[v]`` is the vertex before v, -1 for the root and what is not reached. ``hanging`` is work space.
    """
    hanging[:] = 0
    for v in range(len(tree)):
        if tree[v] >= 0:
            hanging[tree[v]] += 1
    count = np.int64(0)
    for v in range(len(tree)):
        u = v
        while hanging[u] == 0 and tree[u] >= 0:
            order[count] = u
            count += 1
            hanging[u] = -1  # listed
            parent = tree[u]
            hanging[parent] -= 1
            if parent > v:
                break  # it is met later
            u = parent
    return count


@inlined
def lightest_arc(offsets, arcs, u, v):
    """Return the first of the lightest arcs from ``u`` to ``v``; there is one."""
    best = np.int64(-1)
    for e in range(np.int64(offsets[u]), np.int64(offsets[u + 1])):
        if arcs[e]["head"] == v and (best < 0 or weight(arcs, e) < weight(arcs, best)):
            best = e
    return best


@kernel
def load_tree(offsets, arcs, source, tree, hanging, order, flow, targets, amounts, loads):
    """Add the demand of one source, ``amounts`` at ``targets``, to the arcs of its tree; return what has no path.

    ``flow`` is work space, zeros before and after.
    """
    lost = 0.0
    for i in range(len(targets)):
        flow[targets[i]] += amounts[i]
        if tree[targets[i]] < 0 and targets[i] != source:
            lost += amounts[i]
    for j in range(peel(tree, hanging, order)):
        v = order[j]
        if flow[v] > 0:
            flow[tree[v]] += flow[v]
            loads[lightest_arc(offsets, arcs, tree[v], v)] += flow[v]
            flow[v] = 0.0
    flow[source] = 0.0
    for i in range(len(targets)):
        flow[targets[i]] = 0.0
    return lost


@kernel
def mark_users(offsets, arcs, tree, hanging, order, chosen, uses):
    """Set ``uses[v]`` where the path to v in a tree leads over an arc that is ``chosen``."""
    uses[:] = False
    count = peel(tree, hanging, order)
    for j in range(count - 1, -1, -1):
        v = order[j]
        uses[v] = uses[tree[v]] or chosen[lightest_arc(offsets, arcs, tree[v], v)]


@kernel
def arcs_along(offsets, arcs, path, found):
    """Write the lightest arc between every two neighbours of a path; return the first without an arc, or -1."""
    for i in range(len(path) - 1):
        found[i] = lightest_arc(offsets, arcs, path[i], path[i + 1])
        if found[i] < 0:
            return np.int64(i)
    return np.int64(-1)

"""The order in which a sweep takes vertices: ancestors first, near each other in memory, arcs alike in number.

Any order with parents before children is right. Preorder of the elimination tree keeps what a sweep reads in the fast
cache, but the number of arcs then changes from vertex to vertex, and a processor guesses the end of the inner loop
wrongly at nearly every one, which is most of the time. So subtrees of some thousand vertices (units) are taken one
after the other, and inside each the vertices by height (steps down to the farthest leaf, so that parents come before
their children and the many leaves last), those of a height by their number of arcs.
"""

from __future__ import annotations

import numpy as np

from ._jit import kernel


@kernel
def measure_trees(parents, size, height, depth):
    """Find how many vertices every subtree has and how many steps it is deep; parents come before their children.

    Returns the most vertices on a way from a root down.
    """
    deepest = np.int64(0)
    for v in range(len(parents)):
        size[v] = 1
        height[v] = 0
        depth[v] = depth[parents[v]] + 1 if parents[v] >= 0 else 1
        deepest = max(deepest, np.int64(depth[v]))
    for v in range(len(parents) - 1, -1, -1):
        p = parents[v]
        if p >= 0:
            size[p] += size[v]
            height[p] = max(height[p], height[v] + 1)
    return deepest


@kernel
def make_units(parents, size, core, most, unit):
    """Give every vertex the number of its unit: 1 for those with large subtrees, then neighbouring subtrees together.

    Vertices are in preorder. Returns how many units there are. The core is one of its own, before the others.
    """
    units, filled = 2, np.int64(most)
    v = np.int64(0)
    n = len(parents)
    while v < n:
        if v < core:
            unit[v] = 0
            v += 1
        elif size[v] > most:
            unit[v] = 1
            v += 1
        else:
            if filled + size[v] > most:
                units += 1
                filled = np.int64(0)
            filled += size[v]
            for u in range(v, v + size[v]):
                unit[u] = units - 1
            v += size[v]
    return units


@kernel
def sort_stably(keys, most, counts, order, out):
    """Sort ``order`` by ``keys[v]`` (0 to ``most``), equal ones as they stand; counts has most + 2 entries."""
    for c in range(most + 2):
        counts[c] = 0
    for v in range(len(keys)):
        counts[keys[v] + 1] += 1
    for c in range(most):
        counts[c + 1] += counts[c]
    for i in range(len(order)):
        v = order[i]
        out[counts[keys[v]]] = v
        counts[keys[v]] += 1

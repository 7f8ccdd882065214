"""Levels of the arcs down of a sweep layout: sets of vertices that can be settled at once, for GPUs.

The height of a vertex is the greatest number of arcs on a path down from it. Vertices of equal height have no arc
between them, so all of them can be settled at once, the greatest height first. This settles every vertex as late as
possible, so most vertices come in the last few levels (New York: 35 % in the last one, 97 % in the last 33 of 525),
after many short levels. If each vertex were settled as early as possible, New York would have 525 levels of a few
hundred vertices each.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .sweep import position_of


@kernel
def find_heights(starts, arcs, begins, core, tops, heights):
    """Find the greatest number of arcs on a path down from every vertex outside the core; return the maximum."""
    greatest = np.int64(0)
    for v in range(len(heights)):
        heights[v] = 0
    for v in range(len(heights) - 1, core - 1, -1):  # ancestors have smaller positions
        height = np.int64(heights[v])
        greatest = max(greatest, height)
        for e in range(starts[v], starts[v + 1]):
            u = position_of(np.int64(arcs[e]["head"]), tops, np.int64(begins[v]))
            if u >= core:
                heights[u] = max(np.int64(heights[u]), height + 1)
    return greatest


@kernel
def move_arcs(starts, arcs, begins, tops, order, positions, moved_starts, moved_arcs):
    """Write the arcs of all vertices in another order; heads become positions in that order."""
    at = np.int64(0)
    for i in range(len(order)):
        v = np.int64(order[i])
        moved_starts[i] = at
        for e in range(starts[v], starts[v + 1]):
            u = position_of(np.int64(arcs[e]["head"]), tops, np.int64(begins[v]))
            moved_arcs[at]["head"] = positions[u]
            moved_arcs[at]["weight"] = arcs[e]["weight"]
            at += 1
    moved_starts[len(order)] = at

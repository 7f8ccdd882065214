"""A graph as a square matrix of arcs, and rows read from the matrix: the steps before and after floyd.py.

An entry is the weight of the lightest arc, 0 on the diagonal unless a loop is negative, and ``infinity`` where there is
no arc. An arc whose weight is not below infinity is left out, so no entry is above it.
"""

from __future__ import annotations

from ..jit import kernel
from .arcs import weight

POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def fill_rows(offsets, arcs, wanted, first, last, infinity, matrix):
    """Write the arcs of vertices ``first`` to ``last`` into their rows; vertices that are not wanted get no arcs."""
    n = matrix.shape[1]
    for u in range(first, last):
        for v in range(n):
            matrix[u, v] = infinity
        matrix[u, u] = 0
        if wanted[u] == 0:
            continue
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if weight(arcs, e) < matrix[u, v]:
                matrix[u, v] = weight(arcs, e) + 0  # -0.0 becomes 0.0, whose bits compare as the least


@kernel
def give_rows(matrix, sources, first, last, far, ceiling, rows):
    """Copy the rows of the sources from the matrix; entries that are not below ``far`` become ``ceiling``."""
    for r in range(first, last):
        s = sources[r]
        for v in range(rows.shape[1]):
            rows[r, v] = matrix[s, v] if matrix[s, v] < far else ceiling


@kernel
def mark_reached(offsets, arcs, stop, queue, size, reached):
    """Mark every vertex that can be reached from the first ``size`` of the queue, which are marked already."""
    at = 0
    while at < size:
        if at & POLL == 0 and stop[0] != 0:
            return
        u = queue[at]
        at += 1
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if reached[v] == 0:
                reached[v] = 1
                queue[size] = v
                size += 1

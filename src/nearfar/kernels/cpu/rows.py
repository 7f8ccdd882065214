"""Small loops over one row of distances that all methods share, and the vertices that are leaves."""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def mark_unreached(row, ceiling, limit, unreached):
    """Mark as unreached what is still at ``ceiling``, and what is farther than ``limit``."""
    for v in range(len(row)):
        if row[v] == ceiling or row[v] > limit:
            row[v] = unreached


@kernel
def greatest(row, unreached, least):
    """Return the greatest distance of a row, ``least`` if it has none. One type for all, so that LLVM vectorises it."""
    most = least
    for v in range(len(row)):
        reached = row[v] if row[v] != unreached else least
        most = reached if reached > most else most
    return most


@kernel
def gather(values, positions, row):
    """Write ``values[positions[v]]`` to ``row[v]``: return a row from another order of the vertices."""
    for v in range(len(row)):
        row[v] = values[positions[v]]


@kernel
def mark_leaves(offsets, arcs, leaves):
    """Set the bit of every leaf: a vertex whose only arcs lead back to the one vertex that it can be reached from.

    If weights are not negative, its distance is final when it is reached, so no search has to continue from it.
    """
    n = len(offsets) - 1
    for v in range(n):
        if np.int64(offsets[v + 1]) - np.int64(offsets[v]) <= 1:
            leaves[v >> 3] |= np.uint8(1 << (v & 7))
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if leaves[v >> 3] >> (v & 7) & 1 == 1:
                at = offsets[v]
                if at < offsets[v + 1] and arcs[at]["head"] != u:
                    leaves[v >> 3] &= np.uint8(255 ^ (1 << (v & 7)))

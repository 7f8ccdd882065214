"""What every method needs around a row: its greatest and least distance, and which vertices are leaves."""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def mark_unreached(row, ceiling, limit, unreached):
    """Mark what still stands at ``ceiling``, and what lies farther than ``limit``."""
    for v in range(len(row)):
        if row[v] == ceiling or row[v] > limit:
            row[v] = unreached


@kernel
def greatest(row, unreached, least):
    """Return the greatest distance of a row, ``least`` if there is none; all of one type, for vector instructions."""
    most = least
    for v in range(len(row)):
        reached = row[v] if row[v] != unreached else least
        most = reached if reached > most else most
    return most


@kernel
def gather(values, places, row):
    """Write ``values[places[v]]`` to ``row[v]``: bring a row back from another numbering."""
    for v in range(len(row)):
        row[v] = values[places[v]]


@kernel
def mark_leaves(offsets, arcs, leaves):
    """Set the bit of every vertex that leads nowhere but back to the one vertex it is reached from.

    Its distance is final when it is reached, if weights are not negative: no search need go on from it.
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

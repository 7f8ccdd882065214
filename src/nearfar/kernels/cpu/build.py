"""Counting sort of arcs by tail into rows, and by head into the rows of the reversed graph; vertices reordered.

A record is an arc as stored: the head, then the weight, as one, two or three words of 32 bits. The kernels move words
and never interpret a weight, so one compiled version serves every weight type.

The idea: count the arcs of each row, sum the counts to get the starts of the rows (on the host), then move each record
to the next free position of its row. Arcs are visited in input order, so the order inside a row is the input order: the
sort is stable.

Invariant while arcs are moved: ``cursor[u]`` is the next free position of row u. When all arcs are moved, it is the
start of row u + 1. So the host shifts the array by one entry to get the offsets, and no second array of n is needed.
"""

from __future__ import annotations

from typing import Any

from ..jit import kernel

POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def count_arcs(tails: Any, heads: Any, both: bool, counts: Any) -> None:
    """Add to ``counts[u + 1]`` the arcs that leave u; with ``both``, each arc but a loop counts for its head too."""
    for i in range(len(tails)):
        u = tails[i]
        counts[u + 1] += 1
        if both:
            v = heads[i]
            if v != u:
                counts[v + 1] += 1


@kernel
def place_arcs(tails: Any, records: Any, both: bool, cursor: Any, out: Any) -> None:
    """Move each record to its tail's row; with ``both``, also write the opposite arc to its head's row."""
    words = records.shape[1]
    for i in range(len(tails)):
        u = tails[i]
        at = cursor[u]
        cursor[u] = at + 1
        for j in range(words):
            out[at, j] = records[i, j]
        if both:
            v = records[i, 0]
            if v != u:
                at = cursor[v]
                cursor[v] = at + 1
                out[at, 0] = u
                for j in range(1, words):
                    out[at, j] = records[i, j]


@kernel
def first_descent(tails: Any) -> int:
    """Return the position of the first tail that is smaller than the one before it; their number if there is none."""
    for i in range(1, len(tails)):
        if tails[i] < tails[i - 1]:
            return i
    return len(tails)


@kernel
def replay_rows(tails: Any, heads: Any, both: bool, first: int, cursor: Any, rows: Any) -> None:
    """Repeat the moves of `place_arcs` and write to ``rows`` where each arc came from; these start at row ``first``."""
    for i in range(len(tails)):
        u = tails[i]
        at = cursor[u]
        cursor[u] = at + 1
        rows[at] = first + i
        if both:
            v = heads[at]
            if v != u:
                at = cursor[v]
                cursor[v] = at + 1
                rows[at] = first + i


@kernel
def count_heads(records: Any, counts: Any) -> None:
    """Add to ``counts[v + 1]`` the arcs that enter v."""
    for e in range(len(records)):
        counts[records[e, 0] + 1] += 1


@kernel
def place_reversed(offsets: Any, records: Any, cursor: Any, out: Any) -> None:
    """Write each arc, reversed, to the next free position of its head's row."""
    words = records.shape[1]
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            v = records[e, 0]
            at = cursor[v]
            cursor[v] = at + 1
            out[at, 0] = u
            for j in range(1, words):
                out[at, j] = records[e, j]


@kernel
def order_breadth_first(offsets: Any, records: Any, order: Any, positions: Any, stop: Any) -> None:
    """List all vertices as a breadth-first search meets them; it starts again at the least vertex not met yet.

    ``order[i]`` is the vertex at position i, ``positions[v]`` the position of vertex v.
    """
    positions[:] = -1
    met = 0
    first = 0
    for root in range(len(positions)):
        if positions[root] < 0:
            positions[root] = met
            order[met] = root
            met += 1
        while first < met:
            if first & POLL == 0 and stop[0] != 0:
                return
            u = order[first]
            first += 1
            for e in range(offsets[u], offsets[u + 1]):
                v = records[e, 0]
                if positions[v] < 0:
                    positions[v] = met
                    order[met] = v
                    met += 1


@kernel
def permute_rows(offsets: Any, records: Any, order: Any, positions: Any, starts: Any, stop: Any, out: Any) -> None:
    """Copy row ``order[i]`` to row i, with each head v replaced by ``positions[v]``."""
    words = records.shape[1]
    for i in range(len(order)):
        if i & POLL == 0 and stop[0] != 0:
            return
        at = starts[i]
        for e in range(offsets[order[i]], offsets[order[i] + 1]):
            out[at, 0] = positions[records[e, 0]]
            for j in range(1, words):
                out[at, j] = records[e, j]
            at += 1

"""Counting sort of arcs by tail into rows, and of rows by head (the reverse graph).

A record is an arc as stored: the head, then the weight, as one, two or three words of 32 bits. Kernels here move words
and never look at a weight, so one compiled version serves every weight type.

The idea: count the arcs of each row, sum the counts into the rows' starts (on the host), then put each record at its
row's next free place. Arcs are met in input order, so the order inside a row is the input order: the sort is stable.

Invariant while placing: ``cursor[u]`` is the next free place of row u. When all arcs are placed it is the start of row
u + 1, so the host shifts the array by one and has the offsets: no second array of n is needed.
"""

from __future__ import annotations

from typing import Any

from ..jit import kernel

POLL = 1023  # look at the stop flag every so many vertices


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
    """Move each record to the next free place of its tail's row; with ``both``, its mirror image to its head's row."""
    words = records.shape[1]
    for i in range(len(tails)):
        u = tails[i]
        place = cursor[u]
        cursor[u] = place + 1
        for j in range(words):
            out[place, j] = records[i, j]
        if both:
            v = records[i, 0]
            if v != u:
                place = cursor[v]
                cursor[v] = place + 1
                out[place, 0] = u
                for j in range(1, words):
                    out[place, j] = records[i, j]


@kernel
def count_heads(records: Any, counts: Any) -> None:
    """Add to ``counts[v + 1]`` the arcs that enter v."""
    for e in range(len(records)):
        counts[records[e, 0] + 1] += 1


@kernel
def place_reversed(offsets: Any, records: Any, cursor: Any, out: Any) -> None:
    """Move each arc, turned round, to the next free place of its head's row."""
    words = records.shape[1]
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            v = records[e, 0]
            place = cursor[v]
            cursor[v] = place + 1
            out[place, 0] = u
            for j in range(1, words):
                out[place, j] = records[e, j]


@kernel
def number_breadth_first(offsets: Any, records: Any, order: Any, places: Any, stop: Any) -> None:
    """Give vertices numbers as a breadth-first search meets them, from the least vertex of each part not met yet.

    ``order[i]`` is the vertex with the new number i, ``places[v]`` the new number of v.
    """
    places[:] = -1
    met = 0
    first = 0
    for root in range(len(places)):
        if places[root] < 0:
            places[root] = met
            order[met] = root
            met += 1
        while first < met:
            if first & POLL == 0 and stop[0] != 0:
                return
            u = order[first]
            first += 1
            for e in range(offsets[u], offsets[u + 1]):
                v = records[e, 0]
                if places[v] < 0:
                    places[v] = met
                    order[met] = v
                    met += 1


@kernel
def permute_rows(offsets: Any, records: Any, order: Any, places: Any, starts: Any, stop: Any, out: Any) -> None:
    """Move row ``order[i]`` to row i, with its heads in the new numbers ``places``."""
    words = records.shape[1]
    for i in range(len(order)):
        if i & POLL == 0 and stop[0] != 0:
            return
        at = starts[i]
        for e in range(offsets[order[i]], offsets[order[i] + 1]):
            out[at, 0] = places[records[e, 0]]
            for j in range(1, words):
                out[at, j] = records[e, j]
            at += 1

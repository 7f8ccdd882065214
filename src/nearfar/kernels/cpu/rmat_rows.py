"""Edges of an R-MAT graph as keys: grouped, sorted, without repetitions, and as the rows of an undirected graph.

A key is tail and head of an edge in one number, so that keys in order are edges in order. The tail counts from the
first row of its bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel

DIGIT = 12  # bits of a key that are sorted at a time: 4096 cursors fit the fastest cache


@kernel
def group_keys(tails: Any, heads: Any, shift: Any, scale: Any, cursor: Any, out: Any) -> None:
    """Write the keys of edges to the groups of their tails."""
    mask = (np.uint64(1) << np.uint64(shift)) - np.uint64(1)
    for i in range(len(tails)):
        u = np.uint64(tails[i])
        at = cursor[u >> np.uint64(shift)]
        cursor[u >> np.uint64(shift)] = at + np.uint64(1)
        out[at] = (u & mask) << np.uint64(scale) | np.uint64(heads[i])


@kernel
def sort_keys(keys: Any, scratch: Any, bits: int, counts: Any) -> None:
    """Sort keys of some bits in place, by one digit after the other, from the lowest; ``scratch`` is work space."""
    mask = np.uint64((1 << DIGIT) - 1)
    passes = (bits + DIGIT - 1) // DIGIT
    for p in range(passes):
        shift = np.uint64(p * DIGIT)
        counts[:] = 0
        for i in range(len(keys)):
            counts[keys[i] >> shift & mask] += np.uint64(1)
        total = np.uint64(0)
        for d in range(len(counts)):
            count = counts[d]
            counts[d] = total
            total += count
        for i in range(len(keys)):
            at = counts[keys[i] >> shift & mask]
            counts[keys[i] >> shift & mask] = at + np.uint64(1)
            scratch[at] = keys[i]
        keys, scratch = scratch, keys
    if passes % 2:
        for i in range(len(keys)):
            scratch[i] = keys[i]


@kernel
def drop_repeated(keys: Any) -> int:
    """Move the different ones of sorted keys to the front; return how many these are."""
    found = 0
    for i in range(len(keys)):
        key = keys[i]
        if i == 0 or key != keys[found - 1]:
            keys[found] = key
            found += 1
    return found


@kernel
def count_ends(keys: Any, scale: Any, shift: Any, degrees: Any, counts: Any) -> None:
    """Count the edges of each tail, and those whose heads are in each bucket."""
    mask = (np.uint64(1) << np.uint64(scale)) - np.uint64(1)
    for i in range(len(keys)):
        degrees[keys[i] >> np.uint64(scale)] += 1
        counts[(keys[i] & mask) >> np.uint64(shift)] += np.uint64(1)


@kernel
def group_opposite(
    keys: Any, first: Any, scale: Any, shift: Any, weights: Any, row: int, row_words: int, cursor: Any, out: Any
) -> None:
    """Write the opposite arc of each edge to the group of its head: head, tail, weight, row of the input, as words."""
    mask = (np.uint64(1) << np.uint64(scale)) - np.uint64(1)
    words = weights.shape[1]
    for i in range(len(keys)):
        v = keys[i] & mask
        at = cursor[v >> np.uint64(shift)]
        cursor[v >> np.uint64(shift)] = at + np.uint64(1)
        out[at, 0] = v
        out[at, 1] = first + (keys[i] >> np.uint64(scale))
        for w in range(words):
            out[at, 2 + w] = weights[i, w]
        for w in range(row_words):
            out[at, 2 + words + w] = np.int32((row + i) >> (32 * w) & 0xFFFFFFFF)


@kernel
def place_edges(keys: Any, scale: Any, weights: Any, row: int, start: int, cursor: Any, arcs: Any, rows: Any) -> None:
    """Put edges into their rows; place ``start`` is the first of ``arcs``, numbers of rows go to ``rows``."""
    mask = (np.uint64(1) << np.uint64(scale)) - np.uint64(1)
    words, row_words = weights.shape[1], rows.shape[1]
    for i in range(len(keys)):
        u = keys[i] >> np.uint64(scale)
        at = cursor[u] - start
        cursor[u] += 1
        arcs[at, 0] = keys[i] & mask
        for w in range(words):
            arcs[at, 1 + w] = weights[i, w]
        for w in range(row_words):
            rows[at, w] = np.int32((row + i) >> (32 * w) & 0xFFFFFFFF)

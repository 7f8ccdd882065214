"""Arcs on their way through files: ids that are marked and ranked, records grouped by bucket, buckets put in order.

A record is a row of 32-bit words: tail, head, then the words of the weight and of the row of the input. So one version
of each kernel serves all types.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel


@kernel
def mark_ids(ids: Any, low: Any, bits: Any) -> None:
    """Set the bits of ids; bit 0 stands for the id ``low``."""
    for i in range(len(ids)):
        at = np.uint64(np.int64(ids[i]) - low)
        bits[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))


@kernel
def count_bits(word: Any) -> int:
    """Count the bits of a word that are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def count_before(bits: Any, before: Any) -> int:
    """Write how many bits are set before each word; return how many there are."""
    total = 0
    for i in range(len(bits)):
        before[i] = total
        total += count_bits(bits[i])
    return total


@kernel
def rank_ids(ids: Any, low: Any, bits: Any, before: Any, out: Any) -> None:
    """Write how many smaller ids are marked, for each id."""
    for i in range(len(ids)):
        at = np.uint64(np.int64(ids[i]) - low)
        word = bits[at >> np.uint64(6)] & ((np.uint64(1) << (at & np.uint64(63))) - np.uint64(1))
        out[i] = before[at >> np.uint64(6)] + count_bits(word)


@kernel
def group_records(records: Any, both: bool, shift: Any, cursor: Any, out: Any) -> None:
    """Move records to the groups of their tails, in their order; with ``both``, also the opposite arcs."""
    words = records.shape[1]
    for i in range(len(records)):
        u, v = records[i, 0], records[i, 1]
        at = cursor[np.uint32(u) >> shift]
        cursor[np.uint32(u) >> shift] = at + np.uint64(1)
        for w in range(words):
            out[at, w] = records[i, w]
        if both and u != v:
            at = cursor[np.uint32(v) >> shift]
            cursor[np.uint32(v) >> shift] = at + np.uint64(1)
            out[at, 0] = v
            out[at, 1] = u
            for w in range(2, words):
                out[at, w] = records[i, w]


@kernel
def count_tails(records: Any, first: Any, counts: Any) -> None:
    """Count the records of each tail; ``counts[0]`` belongs to the tail ``first``."""
    for i in range(len(records)):
        counts[records[i, 0] - first] += 1


@kernel
def place_records(records: Any, first: Any, cursor: Any, low: int, high: int, arcs: Any, rows: Any) -> None:
    """Put records into their places, of which those from ``low`` to ``high - 1`` are in ``arcs`` and ``rows``.

    ``cursor`` has the next place of each tail from ``first`` on. The words of a record behind its tail go to ``arcs``,
    as many as fit there, the others to ``rows``.
    """
    words, more = arcs.shape[1], rows.shape[1]
    for i in range(len(records)):
        at = cursor[records[i, 0] - first]
        cursor[records[i, 0] - first] = at + 1
        if low <= at < high:
            for w in range(words):
                arcs[at - low, w] = records[i, 1 + w]
            for w in range(more):
                rows[at - low, w] = records[i, 1 + words + w]

"""Give indices to words and large ids: each different one gets the next index, in order of appearance.

A hash table with open addressing holds the indices; the bytes of the words lie one after the other in an arena. The
host makes room before each call, because kernels do not allocate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from .atomics import prefetch
from .text import SPAN

# How many words ahead table entries are prefetched. 194 MB of words: 0 1.8 s, 2 1.4, 8 1.3, 32 1.2.
AHEAD = 32

EMPTY = -1
INDEX_BITS = 31  # bits of a word's index in a table entry; a part of its hash is above them
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: spreads consecutive numbers
_MASK = (1 << SPAN) - 1


@inlined
def hash_word(text: Any, start: int, length: int) -> int:
    """Return the FNV-1a hash of some bytes, with its high bits mixed into the low ones."""
    value = _FNV_START
    for i in range(start, start + length):
        value = (value ^ np.uint64(text[i])) * _FNV_PRIME
    return value ^ (value >> np.uint64(32))


@inlined
def same_word(text: Any, start: int, length: int, arena: Any, begin: int, end: int) -> bool:
    """Return whether a word of the text equals a word of the arena."""
    if end - begin != length:
        return False
    for i in range(length):  # noqa: SIM110 (Numba compiles no generator here)
        if text[start + i] != arena[begin + i]:
            return False
    return True


@kernel
def intern_words(text: Any, spans: Any, hashes: Any, table: Any, ends: Any, arena: Any, count: int, out: Any) -> int:
    """Store the indices of the words at ``spans`` in ``out``; return how many words there are now.

    Word w lies at ``ends[w]`` to ``ends[w + 1]`` of the arena. An entry of the table is (hash and index, begin in the
    arena), so that finding a word touches one cache line of the table and one of the arena; ``hashes`` is work space
    for the hashes, which are computed first, so that those lines can be prefetched.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(len(spans)):
        hashes[i] = hash_word(text, spans[i] >> SPAN, spans[i] & _MASK)
    for i in range(len(spans)):
        if i + 2 * AHEAD < len(spans):
            prefetch(table, np.int64(hashes[i + 2 * AHEAD] & mask))
            prefetch(arena, table[hashes[i + AHEAD] & mask]["begin"])
        start = spans[i] >> SPAN
        length = spans[i] & _MASK
        tag = np.int64(hashes[i] >> np.uint64(33)) << INDEX_BITS
        at = hashes[i] & mask
        while True:
            code = table[at]["code"]
            if code == EMPTY:
                begin = ends[count]
                for j in range(length):
                    arena[begin + j] = text[start + j]
                ends[count + 1] = begin + length
                table[at]["code"] = tag | count
                table[at]["begin"] = begin
                out[i] = count
                count += 1
                break
            w = code & (2**INDEX_BITS - 1)
            if code - w == tag and same_word(text, start, length, arena, table[at]["begin"], ends[w + 1]):
                out[i] = w
                break
            at = (at + np.uint64(1)) & mask
    return count


@kernel
def move_words(old: Any, arena: Any, ends: Any, table: Any) -> None:
    """Insert the words of a table into a larger, empty one."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(old)):
        code = old[i]["code"]
        if code != EMPTY:
            w = code & (2**INDEX_BITS - 1)
            at = hash_word(arena, ends[w], ends[w + 1] - ends[w]) & mask
            while table[at]["code"] != EMPTY:
                at = (at + np.uint64(1)) & mask
            table[at]["code"] = code
            table[at]["begin"] = old[i]["begin"]


@kernel
def intern_ids(ids: Any, table: Any, distinct: Any, count: int, out: Any) -> int:
    """Store the indices of ids, which are whole numbers; ``distinct`` lists them. Return how many there are now."""
    mask = np.uint64(len(table) - 1)
    shift = np.uint64(64)
    while (mask >> (np.uint64(64) - shift)) != 0:
        shift -= np.uint64(1)
    for i in range(len(ids)):
        wanted = ids[i]
        at = (np.uint64(wanted) * _GOLDEN) >> shift  # the high bits, which depend on all bits of the id
        while True:
            w = table[at]
            if w == EMPTY:
                distinct[count] = wanted
                table[at] = count
                out[i] = count
                count += 1
                break
            if distinct[w] == wanted:
                out[i] = w
                break
            at = (at + np.uint64(1)) & mask
    return count

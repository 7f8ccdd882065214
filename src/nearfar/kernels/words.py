"""Words and large ids to numbers: each different one gets the next number, in order of appearance.

A hash table with open addressing holds numbers; the words' bytes lie one after the other in an arena. The host makes
room before each call, since kernels allocate nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import kernel
from .text import SPAN

EMPTY_SLOT = -1
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: spreads numbers that lie in a row
_MASK = (1 << SPAN) - 1


@kernel
def hash_word(text: Any, start: int, length: int) -> int:
    """Return the FNV-1a hash of some bytes, with its high bits mixed into the low ones."""
    value = _FNV_START
    for i in range(start, start + length):
        value = (value ^ np.uint64(text[i])) * _FNV_PRIME
    return value ^ (value >> np.uint64(32))


@kernel
def same_word(text: Any, start: int, length: int, arena: Any, place: int, end: int) -> bool:
    """Tell whether a word of the text is the one in the arena."""
    if end - place != length:
        return False
    for i in range(length):  # noqa: SIM110 (Numba compiles no generator here)
        if text[start + i] != arena[place + i]:
            return False
    return True


@kernel
def intern_words(text: Any, spans: Any, table: Any, hashes: Any, ends: Any, arena: Any, count: int, out: Any) -> int:
    """Give numbers to the words at ``spans``; return how many words there are now. Word w ends at ``ends[w + 1]``."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(spans)):
        start = spans[i] >> SPAN
        length = spans[i] & _MASK
        code = hash_word(text, start, length)
        slot = code & mask
        while True:
            w = table[slot]
            if w == EMPTY_SLOT:
                place = ends[count]
                for j in range(length):
                    arena[place + j] = text[start + j]
                ends[count + 1] = place + length
                hashes[count] = code
                table[slot] = count
                out[i] = count
                count += 1
                break
            if hashes[w] == code and same_word(text, start, length, arena, ends[w], ends[w + 1]):
                out[i] = w
                break
            slot = (slot + np.uint64(1)) & mask
    return count


@kernel
def fill_table(hashes: Any, count: int, table: Any) -> None:
    """Put the first ``count`` words into an empty table."""
    mask = np.uint64(len(table) - 1)
    for w in range(count):
        slot = hashes[w] & mask
        while table[slot] != EMPTY_SLOT:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = w


@kernel
def intern_ids(ids: Any, table: Any, distinct: Any, count: int, out: Any) -> int:
    """Give numbers to whole numbers as to words; ``distinct`` lists them. Return how many there are now."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(ids)):
        wanted = ids[i]
        code = np.uint64(wanted) * _GOLDEN
        slot = (code ^ (code >> np.uint64(32))) & mask
        while True:
            w = table[slot]
            if w == EMPTY_SLOT:
                distinct[count] = wanted
                table[slot] = count
                out[i] = count
                count += 1
                break
            if distinct[w] == wanted:
                out[i] = w
                break
            slot = (slot + np.uint64(1)) & mask
    return count

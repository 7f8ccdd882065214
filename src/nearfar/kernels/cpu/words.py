"""Words and large ids to numbers: each different one gets the next number, in order of appearance.

A hash table with open addressing holds numbers; the words' bytes lie one after the other in an arena. The host makes
room before each call, since kernels allocate nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from .atomics import prefetch
from .text import SPAN

# Words whose place in the table is asked for before it is their turn. 194 MB of words: 0 1.8 s, 2 1.4, 8 1.3, 32 1.2.
AHEAD = 32

EMPTY_SLOT = -1
NUMBER = 31  # bits of a word's number in a slot; above them lies a part of its hash
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: spreads numbers that lie in a row
_MASK = (1 << SPAN) - 1


@inlined
def hash_word(text: Any, start: int, length: int) -> int:
    """Return the FNV-1a hash of some bytes, with its high bits mixed into the low ones."""
    value = _FNV_START
    for i in range(start, start + length):
        value = (value ^ np.uint64(text[i])) * _FNV_PRIME
    return value ^ (value >> np.uint64(32))


@inlined
def same_word(text: Any, start: int, length: int, arena: Any, place: int, end: int) -> bool:
    """Tell whether a word of the text is the one in the arena."""
    if end - place != length:
        return False
    for i in range(length):  # noqa: SIM110 (Numba compiles no generator here)
        if text[start + i] != arena[place + i]:
            return False
    return True


@kernel
def intern_words(text: Any, spans: Any, codes: Any, table: Any, ends: Any, arena: Any, count: int, out: Any) -> int:
    """Give numbers to the words at ``spans``; return how many words there are now.

    Word w lies at ``ends[w]`` to ``ends[w + 1]`` of the arena. A slot of the table is (hash and number, place in the
    arena), so that a word is found in one line of the table and one of the arena; ``codes`` is room for the hashes,
    which are known early enough to ask for those lines before they are needed.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(len(spans)):
        codes[i] = hash_word(text, spans[i] >> SPAN, spans[i] & _MASK)
    for i in range(len(spans)):
        if i + 2 * AHEAD < len(spans):
            prefetch(table, np.int64(codes[i + 2 * AHEAD] & mask))
            prefetch(arena, table[codes[i + AHEAD] & mask]["place"])
        start = spans[i] >> SPAN
        length = spans[i] & _MASK
        tag = np.int64(codes[i] >> np.uint64(33)) << NUMBER
        slot = codes[i] & mask
        while True:
            entry = table[slot]["entry"]
            if entry == EMPTY_SLOT:
                place = ends[count]
                for j in range(length):
                    arena[place + j] = text[start + j]
                ends[count + 1] = place + length
                table[slot]["entry"] = tag | count
                table[slot]["place"] = place
                out[i] = count
                count += 1
                break
            w = entry & (2**NUMBER - 1)
            if entry - w == tag and same_word(text, start, length, arena, table[slot]["place"], ends[w + 1]):
                out[i] = w
                break
            slot = (slot + np.uint64(1)) & mask
    return count


@kernel
def move_words(old: Any, arena: Any, ends: Any, table: Any) -> None:
    """Put the words of a table into a larger, empty one."""
    mask = np.uint64(len(table) - 1)
    for i in range(len(old)):
        entry = old[i]["entry"]
        if entry != EMPTY_SLOT:
            w = entry & (2**NUMBER - 1)
            slot = hash_word(arena, ends[w], ends[w + 1] - ends[w]) & mask
            while table[slot]["entry"] != EMPTY_SLOT:
                slot = (slot + np.uint64(1)) & mask
            table[slot]["entry"] = entry
            table[slot]["place"] = old[i]["place"]


@kernel
def intern_ids(ids: Any, table: Any, distinct: Any, count: int, out: Any) -> int:
    """Give numbers to whole numbers as to words; ``distinct`` lists them. Return how many there are now."""
    mask = np.uint64(len(table) - 1)
    shift = np.uint64(64)
    while (mask >> (np.uint64(64) - shift)) != 0:
        shift -= np.uint64(1)
    for i in range(len(ids)):
        wanted = ids[i]
        slot = (np.uint64(wanted) * _GOLDEN) >> shift  # the high bits: those to which all bits of the id contribute
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

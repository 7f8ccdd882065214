"""Which ids occur among the ends of arcs that are seen once, block by block, and the index of each.

The rule is that of graph/names.py: indices in ascending order of ids; ids are names unless they are 0 to n - 1. Ids
without large gaps are bits (of which each 64 need 4 bytes more to be ranked); others are kept in a hash table, which
takes some 30 bytes each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from ..errors import GraphError
from ..graph.arrays import MAX_VERTICES, Array
from ..graph.names import IdTable
from .room import Room

_WORD = 64  # ids per word of bits
_PER_WORD = 12  # bytes of a word and of the count before it
_PER_ID = 44  # bytes of an id in the table, while it grows
_STEP = 1 << 16  # words of bits, or ids, that are turned into names at a time
_INT32_MAX = 2**31 - 1


class Identity(NamedTuple):
    """Vertices that were found: how many, the index of each id, and the ids in ascending order as names.

    ``names`` is None for 0 to n - 1, a range, or a function that returns the ids in pieces.
    """

    n: int
    find: Callable[[Array], Array]
    names: range | Callable[[], Iterator[Array]] | None
    nbytes: int = 0


class Ids:
    """The ids seen so far."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._low = 0  # the id of bit 0
        self._bits = np.zeros(0, np.uint64)
        self._least, self._greatest = 0, -1
        self._table: IdTable | None = None

    def add(self, ids: Array) -> None:
        """Take some ids."""
        if not len(ids):
            return
        least, greatest = int(ids.min()), int(ids.max())
        if self._greatest >= self._least:
            least, greatest = min(least, self._least), max(greatest, self._greatest)
        self._least, self._greatest = least, greatest
        if self._table is None and not self._reach():
            self._table = _table_of(self._pieces())
            self._bits = np.zeros(0, np.uint64)
        if self._table is not None:
            self._table.indices(ids)
            self.room.take(_PER_ID * self._table.count, f"{self._table.count:,} vertices")
        else:
            from ..kernels.cpu.spool import mark_ids

            mark_ids(ids, np.int64(self._low), self._bits)

    def _reach(self) -> bool:
        """Let the bits reach from the least id to the greatest; return whether there is room."""
        low = self._least // _WORD * _WORD
        words = (self._greatest - low) // _WORD + 1
        if 2 * words * _PER_WORD > self.room.memory or self._greatest > 2**62 or low < -(2**62):
            return False
        if len(self._bits) and low == self._low and words <= len(self._bits):
            return True
        spare = min(words // 2, self.room.memory // (4 * _PER_WORD)) if len(self._bits) else 0
        bits = np.zeros(words + spare, np.uint64)
        start = (self._low - low) // _WORD if len(self._bits) else 0
        kept = self._bits[: len(bits) - start]
        bits[start : start + len(kept)] = kept
        self._bits, self._low = bits, low
        return True

    def _pieces(self) -> Iterator[Array]:
        """Yield the ids that are marked, in ascending order."""
        for at in range(0, len(self._bits), _STEP):
            words = self._bits[at : at + _STEP].astype("<u8").view(np.uint8)
            found = np.flatnonzero(np.unpackbits(words, bitorder="little"))
            if len(found):
                yield found + (self._low + at * _WORD)

    def identity(self) -> Identity:
        """Return the vertices; no more ids can be taken."""
        if self._table is not None:
            return self._listed(self._table)
        from ..kernels.cpu.spool import count_before, rank_ids

        bits, low = self._bits, np.int64(self._low)
        before = np.empty(len(bits), np.int32)
        n = _checked_count(int(count_before(bits, before)))
        span, least = self._greatest - self._least + 1, self._least

        def find(ids: Array) -> Array:
            out = np.empty(len(ids), np.int32)
            rank_ids(ids, low, bits, before, out)
            return out

        if n == span and self._is_narrow():
            names = None if least == 0 else range(least, least + n)
            return Identity(n, lambda ids: (ids - least if least else ids).astype(np.int32), names)
        return Identity(n, find, self._pieces, bits.nbytes + before.nbytes)

    def _is_narrow(self) -> bool:
        """Return whether all ids fit into int32: only then consecutive ones are kept as a range."""
        return self._least >= -_INT32_MAX and self._greatest <= _INT32_MAX

    def _listed(self, table: IdTable) -> Identity:
        """Return the vertices that are in the table."""
        n = _checked_count(table.count)
        rank, ids = table.ranks(keep=True)

        def pieces() -> Iterator[Array]:
            for low in range(0, n, _STEP):
                yield ids[low : low + _STEP]

        return Identity(n, lambda wanted: rank[table.indices(wanted)], pieces, 30 * n)


def _table_of(pieces: Iterator[Array]) -> IdTable:
    """Return a table of ids."""
    table = IdTable()
    for piece in pieces:
        table.indices(piece)
    return table


def _checked_count(n: int) -> int:
    """Refuse more vertices than a graph has."""
    if n > MAX_VERTICES:
        raise GraphError(f"there are {n} vertices, but a graph has at most 2**31 - 1. Split it.")
    return n

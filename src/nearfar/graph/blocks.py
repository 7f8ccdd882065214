"""Arcs in blocks that fit the fast cache, as the partition takes them: arcs of any types, and rows to be reversed.

A block is converted to the stored types just before its arcs are moved, whatever its strides and byte order, and stays
in the cache meanwhile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import Array, Weights

BLOCK = 1 << 15  # arcs: tails and records together fit an L2 cache of 512 kB

Piece = tuple[Array, Array, Weights | None]  # tails, heads and weights of some arcs
GONE: Piece = (np.empty(0, np.int32), np.empty(0, np.int32), None)


def record_type(weight: np.dtype[Any] | None) -> np.dtype[Any]:
    """Return the type of a stored arc: head and weight side by side, packed."""
    fields: list[tuple[str, Any]] = [("head", np.int32)]
    return np.dtype(fields if weight is None else [*fields, ("weight", weight)])


def offset_type(m: int) -> type[np.signedinteger[Any]]:
    """Return the integer type that counts m arcs."""
    return np.int32 if m < 2**31 else np.int64


def words_of(arcs: Array) -> Array:
    """Return the records as rows of 32-bit words, in the same memory."""
    return arcs.view(np.int32).reshape(len(arcs), arcs.dtype.itemsize // 4)


def moved(arcs: Array) -> Array:
    """Return arcs as kernels move them, in the same memory: weights as plain words, so that one version serves two."""
    words = {4: None, 8: np.dtype(np.int32), 12: np.dtype(np.int64)}
    return arcs.view(record_type(words[arcs.dtype.itemsize]))


def plain(values: Array) -> Array:
    """Return values as kernels take them: a writable int32 array without gaps; copied if it is not one already."""
    return values if values.dtype == np.int32 and values.flags.carray else values.astype(np.int32)


class PieceBlocks:
    """The arcs of pieces, in their order; the list of pieces is emptied, and each piece is freed when it was taken."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.dtype = record_type(pieces[0][2].dtype if pieces[0][2] else None)
        self._blocks = [block for piece in pieces for block in _cut(piece)]
        pieces.clear()
        self.sizes = [len(tails) for tails, _, _ in self._blocks]
        self._firsts = np.cumsum([0, *self.sizes])
        self.kept: Array | None = None  # the tails of all blocks that were taken, if an array is put here before

    def ends(self, i: int, both: bool) -> tuple[Array, Array]:
        """Return the tails of block i, and its heads if ``both`` are needed."""
        tails, heads, _ = self._blocks[i]
        return plain(tails), plain(heads if both else tails[:0])

    def take(self, i: int, out: Array) -> Array:
        """Write the records of block i to ``out``, return its tails, and forget the block."""
        (tails, heads, weights), self._blocks[i] = self._blocks[i], GONE
        out["head"] = heads
        if weights is not None:
            out["weight"] = weights.values
        if self.kept is None:
            return plain(tails)
        kept = self.kept[self._firsts[i] : self._firsts[i + 1]]
        kept[:] = tails
        return kept


def _cut(piece: Piece) -> list[Piece]:
    """Cut a piece into blocks: views of it."""
    tails, heads, weights = piece
    parts = [slice(low, low + BLOCK) for low in range(0, len(tails), BLOCK)]
    return [(tails[p], heads[p], weights and weights._replace(values=weights.values[p])) for p in parts]


class ReversedBlocks:
    """The arcs of a graph, reversed, in the order of its rows."""

    def __init__(self, offsets: Array, arcs: Array) -> None:
        self.dtype, self._offsets, self._records = arcs.dtype, offsets, moved(arcs)
        cuts = [*range(0, len(arcs), BLOCK), len(arcs)]
        self._cuts = np.array(cuts, offsets.dtype)  # their type: to search for another one copies all offsets
        self.sizes: list[int] = np.diff(self._cuts).tolist()

    def ends(self, i: int, both: bool) -> tuple[Array, Array]:
        """Return the tails of block i, which are the heads of its arcs in the graph; heads are not needed."""
        tails = self._records["head"][self._cuts[i] : self._cuts[i + 1]].copy()
        return tails, tails[:0]

    def take(self, i: int, out: Array) -> Array:
        """Write the reversed records of block i to ``out`` and return their tails."""
        from ..kernels.cpu.partition import reverse_block

        part = slice(self._cuts[i], self._cuts[i + 1])
        first = int(np.searchsorted(self._offsets, self._cuts[i], side="right")) - 1
        tails = np.empty(len(out), np.int32)
        reverse_block(self._offsets, first, part.start, self._records[part], tails, moved(out))
        return tails

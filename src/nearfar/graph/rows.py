"""Rows of arc records (CSR) from arcs in any order, with little memory beyond the finished array.

Arcs are read block by block: a block is converted to the stored types (whatever its strides and byte order), and its
records are moved to their rows by the counting sort of kernels/cpu/build.py. So the peak memory is the finished graph
plus one block, however wide the input is. Many arcs in many rows, whose cursors do not fit the caches, are sorted by
all threads instead (partition.py), with two more bytes per arc. A graph of few arcs is sorted by NumPy, to save the
time to load Numba; tests check that all give the same result.

Invariant: arcs inside a row are in input order; an undirected edge counts at its input position for both of its ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from . import partition
from .arrays import Array, Weights
from .blocks import Piece, PieceBlocks, ReversedBlocks, offset_type, record_type, words_of
from .input_rows import InputRows, are_ascending

BLOCK = 1 << 20  # arcs; below 2**18 the calls begin to show, above 2**21 nothing is gained
FEW = 1 << 17  # arcs; NumPy sorts this many in 20 ms, loading Numba and the kernels takes some 400 ms
MANY = 1 << 21  # arcs, and
MANY_ROWS = 1 << 17  # rows, from which the partition is as fast on one thread too: 1.0 to 2.7 times; below, cursors fit


def freeze(array: Array) -> Array:
    """Return a view that is read-only for good: a view of a frozen array cannot be made writable again."""
    array.flags.writeable = False
    return array.view()


class Rows(NamedTuple):
    """Arcs in rows, and which row of the input each of them came from. Arcs of weight inf are still among them."""

    offsets: Array
    arcs: Array
    input_rows: InputRows


def arcs_to_rows(
    n: int,
    tails: Array,
    heads: Array,
    weights: Weights | None,
    both: bool = False,
    few: int = FEW,
    keep: bool = True,
) -> Rows:
    """Put checked arcs into rows; with ``both``, each arc except a loop is stored in both directions.

    ``keep``: whether arcs remember where in the input they were.
    """
    if len(tails) <= few:
        offsets, arcs, origin = _sort(n, *_one_block(tails, heads, weights), both)
        return Rows(offsets, arcs, InputRows(len(tails), both, array=origin) if keep else forgotten(len(arcs)))
    pieces = [(tails[p], heads[p], _part(weights, p)) for p in _pieces(len(tails))]
    return pieces_to_rows(n, pieces or [(tails, heads, weights)], both, keep)


def forgotten(m: int) -> InputRows:
    """Return what a graph of m arcs has in place of the rows of its input if they were not kept."""
    return InputRows(m, known=False)


def pieces_to_rows(n: int, pieces: list[Piece], both: bool = False, keep: bool = True) -> Rows:
    """Put checked arcs in pieces, all of one weight type, into rows; the list is emptied meanwhile."""
    from ..kernels.cpu.build import count_arcs, place_arcs  # here, so that importing Graph does not load Numba

    m = sum(len(tails) for tails, _, _ in pieces)
    if m >= MANY and n >= MANY_ROWS:
        return _partition(n, PieceBlocks(pieces), both, keep)
    offsets = np.zeros(n + 1, offset_type(m * (2 if both else 1)))
    for tails, heads, _ in pieces:
        count_arcs(tails.astype(np.int32, copy=False), heads.astype(np.int32, copy=False), both, offsets)
    _accumulate(offsets)
    arcs = np.empty(int(offsets[-1]), record_type(pieces[0][2].dtype if pieces and pieces[0][2] else None))
    in_order = keep and not both and are_ascending(tails.astype(np.int32, copy=False) for tails, _, _ in pieces)
    kept: list[Array] = []
    pieces.reverse()
    while pieces:
        block_tails, records = _one_block(*pieces.pop())
        place_arcs(block_tails, words_of(records), both, offsets, words_of(arcs))
        if keep and not in_order:
            kept.append(block_tails)
    _shift(offsets)
    origin = InputRows(m, both, tails=None if in_order else kept) if keep else forgotten(len(arcs))
    return Rows(offsets.astype(offset_type(len(arcs)), copy=False), arcs, origin)


def _partition(n: int, blocks: PieceBlocks, both: bool, keep: bool) -> Rows:
    """Put many arcs into rows on all threads."""
    m = sum(blocks.sizes)
    counted = partition.count(n, blocks, both)
    if keep and not counted.ascending:
        blocks.kept = np.empty(m, np.int32)
    offsets, arcs = partition.sort(counted)
    tails = None if blocks.kept is None else [blocks.kept]
    return Rows(offsets, arcs, InputRows(m, both, tails=tails) if keep else forgotten(len(arcs)))


def _accumulate(counts: Array) -> None:
    """Turn counts at v + 1 into starts at v, in place."""
    np.cumsum(counts, out=counts)


def _shift(cursor: Array) -> None:
    """Turn the ends of rows, where the cursor is after all moves, into their starts, in place; the last entry is m."""
    last = cursor[-1]
    cursor[1:] = cursor[:-1].copy()
    cursor[0], cursor[-1] = 0, last


def _pieces(m: int) -> Iterator[slice]:
    """Yield the blocks of m arcs."""
    for low in range(0, m, BLOCK):
        yield slice(low, low + BLOCK)


def _part(weights: Weights | None, piece: slice) -> Weights | None:
    """Return the weights of one block."""
    return weights and weights._replace(values=weights.values[piece])


def _blocks(tails: Array, heads: Array, weights: Weights | None) -> Iterator[tuple[Array, Array]]:
    """Yield the arcs, block by block, as int32 tails and records."""
    for piece in _pieces(len(tails)):
        yield _one_block(tails[piece], heads[piece], _part(weights, piece))


def _one_block(tails: Array, heads: Array, weights: Weights | None) -> tuple[Array, Array]:
    """Convert arcs to int32 tails, copied, and records."""
    records = np.empty(len(tails), record_type(weights.dtype if weights else None))
    records["head"] = heads
    if weights is not None:
        records["weight"] = weights.values
    return tails.astype(np.int32), records


def _sort(n: int, tails: Array, records: Array, both: bool) -> tuple[Array, Array, Array | None]:
    """Do the same as the kernels, with NumPy's stable sort; also return the row of each arc, None if in order."""
    origin = np.arange(len(tails), dtype=np.int32)
    if both:
        tails, records, origin = _mirror(tails, records, origin)
    offsets = np.zeros(n + 1, offset_type(len(tails)))
    if len(tails):
        counts = np.bincount(tails)
        offsets[1 : len(counts) + 1] = counts
    np.cumsum(offsets, out=offsets)
    if not both and (tails[1:] >= tails[:-1]).all():
        return offsets, records, None
    order = np.argsort(tails, kind="stable")
    return offsets, records[order], origin[order]


def _mirror(tails: Array, records: Array, origin: Array) -> tuple[Array, Array, Array]:
    """Insert after each arc, except a loop, the opposite arc."""
    again = np.repeat(records, 2)
    again["head"][1::2] = tails
    starts = np.repeat(tails, 2)
    starts[1::2] = records["head"]
    keep = np.ones(len(starts), bool)
    keep[1::2] = tails != records["head"]
    return starts[keep], again[keep], np.repeat(origin, 2)[keep]


def rows_to_rows(offsets: Array, heads: Array, weights: Weights | None) -> tuple[Array, Array]:
    """Return (offsets, arcs) of arcs that are in rows already; arcs of weight inf are among them."""
    arcs = np.empty(len(heads), record_type(weights.dtype if weights else None))
    done = 0
    for _, records in _blocks(heads, heads, weights):  # tails are implied by the rows; the heads stand in for them
        arcs[done : done + len(records)] = records
        done += len(records)
    return offsets.astype(offset_type(len(arcs))), arcs


def row_of(offsets: Array, e: int) -> int:
    """Return the vertex that arc ``e`` leaves."""
    return int(np.searchsorted(offsets, e, side="right")) - 1


def reverse_rows(offsets: Array, arcs: Array, few: int = FEW) -> tuple[Array, Array]:
    """Return (offsets, arcs) of the reversed graph; rows are in order of the new heads."""
    n = len(offsets) - 1
    if len(arcs) <= few:
        records = arcs.copy()
        records["head"] = np.repeat(np.arange(n, dtype=np.int32), np.diff(offsets))
        return _sort(n, arcs["head"].astype(np.int32), records, both=False)[:2]
    if len(arcs) >= MANY and n >= MANY_ROWS:
        starts, out = partition.sort(partition.count(n, ReversedBlocks(offsets, arcs), both=False))
        return starts.astype(offsets.dtype, copy=False), out
    from ..kernels.cpu.build import count_heads, place_reversed

    starts = np.zeros_like(offsets)
    out = np.empty_like(arcs)
    words = words_of(arcs)
    count_heads(words, starts)
    _accumulate(starts)
    place_reversed(offsets, words, starts, words_of(out))
    _shift(starts)
    return starts, out


def find_leaves(offsets: Array, arcs: Array) -> Array:
    """Return one bit per vertex, set for leaves (kernels/cpu/rows.py); vertex 0 is the lowest bit of the first byte."""
    from ..kernels.cpu.rows import mark_leaves

    leaves = np.zeros(len(offsets) // 8 + 1, np.uint8)
    mark_leaves(offsets, arcs, leaves)
    return freeze(leaves)

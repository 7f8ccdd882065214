"""Many arcs into rows, on all threads: the host's side of the radix partition (kernels/cpu/partition.py).

Arcs come in blocks (blocks.py). Beside the finished array there are two bytes per arc, and per thread one block and the
largest bucket: 50 M arcs with int32 weights in 4 M rows take 620 MB with the tails that are kept for `Graph.rows`, and
720 MB at the peak. They take 0.45 s of CPU time (SciPy's COO to CSR 2.0 s, the counting sort of build.py 1.7 s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise, takewhile
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..devices import cpu
from .arrays import Array
from .blocks import moved, offset_type

MOST_BUCKETS = 256  # to move an arc took 5 ns with 200 buckets, 10 with 400, 17 with 800: lines leave the L1 cache
LOW_BITS = 16  # of a tail, kept beside its record while it is in a bucket
BUCKET = 1 << 15  # arcs: records and scratch fit an L2 cache of 512 kB, and every bucket costs a call
PARTS = 4  # of the input per thread, so that a thread that others hold up takes fewer


class Blocks(Protocol):
    """Arcs in blocks, none of them empty."""

    sizes: list[int]
    dtype: np.dtype[Any]

    def ends(self, i: int, both: bool) -> tuple[Array, Array]:
        """Return the tails of block i, and its heads if ``both`` are needed, as plain int32 arrays."""

    def take(self, i: int, out: Array) -> Array:
        """Write the records of block i to ``out`` and return its tails; no block is taken twice."""


class Counted(NamedTuple):
    """Blocks, and how many of their arcs belong to each bucket."""

    n: int
    blocks: Blocks
    both: bool
    shift: int
    parts: list[range]  # of the blocks
    counts: Array  # arcs by part and bucket
    ascending: bool  # whether the arcs are in order of tails
    lasts: Array  # the last tail of each block

    @property
    def firsts(self) -> Array:
        """The position of the first arc of each block in the input."""
        return np.cumsum([0, *self.blocks.sizes])


def choose_shift(n: int, m: int) -> int:
    """Return how many low bits of a vertex tell the rows of a bucket apart."""
    buckets = max(1, min(MOST_BUCKETS, m // BUCKET))
    return min(LOW_BITS, max(0, (max(n, 1) - 1) // buckets).bit_length())


def count(n: int, blocks: Blocks, both: bool) -> Counted:
    """Count the arcs of every bucket, and find out whether the arcs are in order already."""
    from ..kernels.cpu.partition import count_buckets

    shift, parts = choose_shift(n, sum(blocks.sizes)), _parts(len(blocks.sizes))
    counts = np.zeros((len(parts), (n - 1 >> shift) + 1), np.uint64)
    ascends, edges = np.zeros(len(blocks.sizes), bool), np.zeros((len(blocks.sizes), 2), np.int32)

    def do(p: int, part: Iterator[int]) -> None:
        for i in part:
            tails, heads = blocks.ends(i, both)
            edges[i] = tails[0], tails[-1]
            ascends[i] = count_buckets(tails, heads, both, np.uint32(shift), counts[p])

    _share_parts(lambda: do, parts)
    ascending = not both and bool(ascends.all() and (edges[1:, 0] >= edges[:-1, 1]).all())
    return Counted(n, blocks, both, shift, parts, counts, ascending, edges[:, 1])


def _parts(blocks: int) -> list[range]:
    """Cut the blocks into parts of about the same size."""
    count = max(1, min(blocks, PARTS * cpu.facts().cores))
    return [range(low, high) for low, high in pairwise(blocks * p // count for p in range(count + 1))]


def _share_parts(new_worker: Callable[[], Callable[[int, Iterator[int]], None]], parts: list[range]) -> None:
    """Do all parts on all threads, each with its number and blocks; the caller's waits, so that it receives Ctrl-C.

    Then parts end at the next block: a part of a large graph takes longer than anybody waits for threads to stop.
    """
    stop = np.zeros(1, np.int64)

    def new_part_worker() -> Callable[[int], None]:
        do = new_worker()
        return lambda p: do(p, takewhile(lambda i: not stop[0], parts[p]))

    cpu.share_out(new_part_worker, len(parts), cpu.facts().cores, stop)


def sort(counted: Counted) -> tuple[Array, Array]:
    """Return offsets and arcs of the arcs in rows, in input order within each row."""
    n, counts = counted.n, counted.counts
    m = int(counts.sum())
    arcs = np.empty(m, counted.blocks.dtype)
    offsets = np.empty(n + 1, offset_type(m))
    if counted.ascending:
        _copy(counted, offsets, arcs)
        return offsets, arcs
    offsets[n] = m
    starts = np.zeros(counts.size + 1, np.uint64)  # by bucket, then by part
    np.cumsum(counts.T.ravel(), out=starts[1:])
    lows = np.empty(m, np.uint16)
    _scatter(counted, starts[:-1].reshape(counts.T.shape).T.copy(), lows, moved(arcs))
    _sort_buckets(counted, starts[:: len(counts)].astype(np.int64), lows, moved(arcs), offsets)
    return offsets, arcs


def _copy(counted: Counted, offsets: Array, arcs: Array) -> None:
    """Fill the rows with arcs that are in order already."""
    from ..kernels.cpu.partition import mark_starts

    firsts, lasts = counted.firsts, counted.lasts

    def do(p: int, part: Iterator[int]) -> None:
        for i in part:
            tails = counted.blocks.take(i, arcs[firsts[i] : firsts[i + 1]])
            mark_starts(tails, lasts[i - 1] if i else np.int32(-1), firsts[i], offsets)

    _share_parts(lambda: do, counted.parts)
    offsets[lasts[-1] + 1 :] = len(arcs)


def _scatter(counted: Counted, cursor: Array, lows: Array, out: Array) -> None:
    """Move all arcs to their buckets."""
    from ..kernels.cpu.partition import scatter_arcs

    blocks = counted.blocks

    def new_worker() -> Any:
        records = np.empty(max(blocks.sizes), blocks.dtype)

        def do(p: int, part: Iterator[int]) -> None:
            for i in part:
                tails = blocks.take(i, records[: blocks.sizes[i]])
                scatter_arcs(tails, moved(records), counted.both, np.uint32(counted.shift), cursor[p], lows, out)

        return do

    _share_parts(new_worker, counted.parts)


def _sort_buckets(counted: Counted, starts: Array, lows: Array, arcs: Array, offsets: Array) -> None:
    """Sort every bucket by rows; bucket b has the arcs from ``starts[b]`` to ``starts[b + 1]``."""
    from ..kernels.cpu.partition import sort_bucket

    n, shift = counted.n, counted.shift
    largest = int(np.diff(starts).max())

    def new_worker() -> Any:
        cursor, scratch = np.empty((1 << shift) + 1, np.uint64), np.empty(largest, arcs.dtype)

        def do(b: int) -> None:
            part = slice(starts[b], starts[b + 1])
            rows = offsets[b << shift : min(b + 1 << shift, n)]
            sort_bucket(lows[part], arcs[part], starts[b], rows, cursor, scratch)

        return do

    cpu.share_out(new_worker, len(starts) - 1, cpu.facts().cores, np.zeros(1, np.int64))

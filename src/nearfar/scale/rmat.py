"""R-MAT graphs straight to disk: the graph of `nearfar.generate.rmat` to the bit, however many arcs it has.

Drawn edges go to a file per range of tails. Then range after range, in order: its edges are sorted and repetitions
dropped; weights are drawn; the opposite arcs go to files by their own tails. All arcs of the range are known then,
since an edge leads from the smaller vertex to the greater: opposite arcs come from ranges before it, or from itself. So
rows are neighbours in ascending order, as in memory: first those that are smaller, then those that are greater.

In memory are the labels of the vertices (12 bytes each while they are drawn), and a few ranges.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..devices import cpu
from ..graph.arrays import Array, storage_type
from ..graph.blocks import offset_type, record_type
from ..graph.input_rows import InputRows, row_type
from ..graph.rmat import Stream
from ..graph.rows import forgotten
from .columns import Column, write_all
from .room import MOST_BUCKETS, Room

CHUNK = 1 << 20  # edges that a thread draws before it writes them
BUCKET = 1 << 18  # edges of a range: sorted in the cache
MISSHAPEN = 4  # times as many edges as others have may be in one range: the first has twice as many, hubs add theirs
EDGE = 64  # bytes of an edge of a range in all arrays


class RMat(NamedTuple):
    """What is generated; ``most`` is the greatest weight."""

    scale: int
    edges: int
    undirected: bool
    most: int | None
    keep_rows: bool

    @property
    def n(self) -> int:
        """The number of vertices."""
        return 1 << self.scale

    @property
    def weight(self) -> np.dtype[Any] | None:
        """The type of the weights."""
        return None if self.most is None else np.dtype(np.int32 if self.most < 2**31 else np.int64)

    @property
    def rows(self) -> bool:
        """Whether arcs keep the number of their edge; those of a directed graph are in order."""
        return self.keep_rows and self.undirected

    @property
    def words(self) -> tuple[int, int]:
        """The 32-bit words of a stored arc, and of the number of its edge."""
        return record_type(self.weight).itemsize // 4, np.dtype(row_type(self.edges)).itemsize // 4 * self.rows


class Writer:
    """Writes the files of one graph into a folder.

    Parameters
    ----------
    asked : RMat
    rng : Generator
        Its next numbers are the labels.
    made : Path
    room : Room
    """

    def __init__(self, asked: RMat, rng: np.random.Generator, made: Path, room: Room) -> None:
        self.asked, self.rng, self.made = asked, rng, made
        wanted = max(1, min(MOST_BUCKETS, asked.edges // BUCKET))
        self.shift = max(0, (asked.n - 1) // wanted).bit_length()
        self.buckets = (asked.n - 1 >> self.shift) + 1
        self.chunk = CHUNK if room.memory > 16 * 24 * CHUNK else CHUNK >> 4
        largest = min(asked.edges, MISSHAPEN * max(BUCKET, asked.edges // self.buckets))
        room.take(12 * asked.n + EDGE * largest, f"the vertices and a range of {largest:,} edges")
        self.keys, self.opposite = self._files("keys"), self._files("opposite")

    def _files(self, what: str) -> list[Path]:
        """Return the files of all ranges."""
        return [self.made / f"{b:03}.{what}" for b in range(self.buckets)]

    def draw(self) -> None:
        """Draw all edges, on all threads."""
        label = self.rng.permutation(self.asked.n).astype(np.int32)
        stream = Stream(self.rng, self.asked.scale, self.asked.edges)
        files = [open(path, "wb", buffering=0) for path in self.keys]  # noqa: SIM115
        locks = [threading.Lock() for _ in files]
        chunks = stream.chunks(self.chunk)

        def do(j: int) -> None:
            self._scatter(*stream.draw(chunks[j], self.chunk, label, self.asked.undirected), files, locks)

        try:
            cpu.share_out(lambda: do, len(chunks), cpu.facts().cores, np.zeros(1, np.int64))
        finally:
            for file in files:
                file.close()
        stream.skip()

    def _scatter(self, tails: Array, heads: Array, files: list[Any], locks: list[threading.Lock]) -> None:
        """Append edges to the files of their ranges, in whatever order threads come."""
        from ..kernels.cpu.partition import count_buckets
        from ..kernels.cpu.rmat_rows import group_keys

        if not len(tails):
            return
        counts, keys = np.zeros(self.buckets, np.uint64), np.empty(len(tails), np.uint64)
        count_buckets(tails, heads, False, np.uint32(self.shift), counts)
        ends = np.cumsum(counts)
        group_keys(tails, heads, self.shift, self.asked.scale, ends - counts, keys)
        for b in np.flatnonzero(counts).tolist():
            with locks[b]:
                write_all(files[b], keys[int(ends[b] - counts[b]) : int(ends[b])])

    def write(self) -> InputRows:
        """Write arcs.npy, offsets.npy and, if they are kept, rows.npy; return what is known of the rows."""
        files: list[Any] = [open(path, "wb", buffering=0) for path in self.opposite if self.asked.undirected]  # noqa: SIM115
        self.offsets = Column(self.made / "offsets.npy", offset_type(2 * self.asked.edges), self.asked.n + 1)
        self.arcs = Column(self.made / "arcs.npy", record_type(self.asked.weight), 0)
        self.rows = Column(self.made / "rows.npy", row_type(self.asked.edges), 0) if self.asked.rows else None
        self.edges = self.done = self.greatest = 0
        try:
            with ThreadPoolExecutor(3) as pool:
                self._write_ranges(pool, files)
        finally:
            for file in [*files, self.offsets, self.arcs, *filter(None, [self.rows])]:
                file.close()
        return self._finish()

    def _write_ranges(self, pool: ThreadPoolExecutor, files: list[Any]) -> None:
        """Write range after range: one is sorted, one is weighed, and one is written, at the same time."""
        sorting: list[Future[Array]] = [pool.submit(self._sorted, b) for b in range(min(2, self.buckets))]
        written: Future[None] | None = None
        for b in range(self.buckets):
            keys = sorting.pop(0).result()
            if b + 2 < self.buckets:
                sorting.append(pool.submit(self._sorted, b + 2))
            weights, first = self._weights(len(keys)), self.edges
            self.edges += len(keys)
            degrees = self._spread(b, keys, weights, first, files)
            if written is not None:
                written.result()
            written = pool.submit(self._write_range, b, keys, weights, first, degrees)
        if written is not None:
            written.result()
        self.offsets.append(np.array([self.done]))

    def _sorted(self, b: int) -> Array:
        """Return the different edges of a range, in order."""
        from ..kernels.cpu.rmat_rows import DIGIT, drop_repeated, sort_keys

        keys = np.fromfile(self.keys[b], np.uint64)
        self.keys[b].unlink()
        sort_keys(keys, np.empty_like(keys), self.shift + self.asked.scale, np.empty(1 << DIGIT, np.uint64))
        return keys[: drop_repeated(keys)]

    def _weights(self, count: int) -> Array:
        """Draw the weights of the next edges, as words; they are drawn as int64, whatever they are kept as."""
        dtype = self.asked.weight
        if dtype is None:
            return np.empty((count, 0), np.int32)
        drawn = self.rng.integers(1, self.asked.most, count, endpoint=True).astype(dtype)
        self.greatest = max(self.greatest, int(drawn.max(initial=0)))
        return drawn.view(np.int32).reshape(count, dtype.itemsize // 4)

    def _spread(self, b: int, keys: Array, weights: Array, first: int, files: list[Any]) -> Array:
        """Count the edges of each tail of a range; write the opposite arcs to the ranges of their tails."""
        from ..kernels.cpu.rmat_rows import count_ends, group_opposite

        low, (arc, row) = b << self.shift, self.asked.words
        degrees, counts = np.zeros(1 << self.shift, np.int64), np.zeros(self.buckets, np.uint64)
        count_ends(keys, self.asked.scale, self.shift, degrees, counts)
        if self.asked.undirected:
            ends, out = np.cumsum(counts), np.empty((len(keys), 1 + arc + row), np.int32)
            group_opposite(keys, np.uint64(low), self.asked.scale, self.shift, weights, first, row, ends - counts, out)
            for c in np.flatnonzero(counts).tolist():
                write_all(files[c], out[int(ends[c] - counts[c]) : int(ends[c])])
        return degrees

    def _write_range(self, b: int, keys: Array, weights: Array, first: int, degrees: Array) -> None:
        """Write the rows of a range."""
        from ..kernels.cpu.rmat_rows import place_edges
        from ..kernels.cpu.spool import count_tails, place_records

        low, (arc, row) = b << self.shift, self.asked.words
        degrees = degrees[: min(self.asked.n - low, len(degrees))]
        before = np.empty((0, 1 + arc + row), np.int32)
        if self.asked.undirected:
            before = np.fromfile(self.opposite[b], np.int32).reshape(-1, 1 + arc + row)
            self.opposite[b].unlink()
            count_tails(before, low, degrees)
        cursor = self.done + np.cumsum(degrees) - degrees
        self.offsets.append(cursor)
        start, self.done = self.done, self.done + int(degrees.sum())
        arcs, rows = (np.empty((self.done - start, words), np.int32) for words in (arc, row))
        place_records(before, low, cursor, start, self.done, arcs, rows)
        place_edges(keys, self.asked.scale, weights, first, start, cursor, arcs, rows)
        self.arcs.append(arcs.reshape(-1).view(self.arcs.dtype))
        if self.rows is not None:
            self.rows.append(rows.reshape(-1).view(self.rows.dtype))

    def _finish(self) -> InputRows:
        """Give the files their headers, now that the number of arcs is known."""
        Column.recount(self.made / "arcs.npy", self.arcs.dtype, self.done)
        if self.rows is not None:
            Column.recount(self.made / "rows.npy", self.rows.dtype, self.done)
        self._narrow("offsets", offset_type(self.done))
        if self.asked.weight is not None:
            self._narrow("arcs", record_type(storage_type(self.asked.weight, 0, self.greatest)))
        if not self.asked.keep_rows:
            return forgotten(self.done)
        return InputRows(self.edges, self.asked.undirected)

    def _narrow(self, what: str, dtype: Any) -> None:
        """Write a file anew, if its entries fit a narrower type than was thought."""
        path, narrowed = self.made / f"{what}.npy", self.made / "narrow.npy"
        wide = np.load(path, mmap_mode="r")
        if wide.dtype == dtype:
            return
        with Column(narrowed, dtype, len(wide)) as column:
            for low in range(0, len(wide), CHUNK):
                column.append(wide[low : low + CHUNK].astype(dtype))
        narrowed.replace(path)

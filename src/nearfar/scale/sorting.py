"""Arcs in any order become rows in files, in bounded memory: a bucket for each range of tails, then bucket by bucket.

Arcs are appended to one file per bucket, in the order of the input, each undirected edge as two arcs, as
graph/blocks.py has them. A bucket is then sorted by counting, in memory: stable, so rows hold their arcs in the order
of the input, and the result is that of `Graph.from_arcs` to the bit. A bucket that does not fit is read several times,
each time for a window of the sorted arcs; so not even a vertex with most of all arcs needs more memory.

Invariant: what the journal says of a bucket (how many arcs, their checksum) is in its file, and the arcs before a
bucket that is noted as sorted are in the graph's files.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..graph.arrays import Array
from ..graph.blocks import offset_type, record_type
from ..graph.input_rows import row_type
from .columns import Column, write_all
from .journal import Journal
from .room import BUCKET, MOST_BUCKETS, Room
from .segments import damaged


class Shape(NamedTuple):
    """What is to be sorted.

    Attributes
    ----------
    n : int
    total : int
        How many rows the input has.
    weight : dtype or None
    both : bool
        Whether each arc except a loop is stored in both directions.
    rows : bool
        Whether arcs keep the row of the input that they came from.
    """

    n: int
    total: int
    weight: np.dtype[Any] | None
    both: bool
    rows: bool

    @property
    def words(self) -> tuple[int, int]:
        """The 32-bit words of a stored arc, and of the row of the input."""
        return record_type(self.weight).itemsize // 4, np.dtype(row_type(self.total)).itemsize // 4 * self.rows

    @property
    def record(self) -> int:
        """The bytes of a record on its way: tail, stored arc, row."""
        return 4 * (1 + sum(self.words))

    @property
    def most(self) -> int:
        """The greatest number of arcs that there can be."""
        return self.total * (2 if self.both else 1)


class Sorter:
    """Sorts arcs of one graph.

    Parameters
    ----------
    shape : Shape
    folder : Path
        Where the buckets are.
    journal : Journal
    key : str
        What the journal calls this sort.
    """

    def __init__(self, shape: Shape, folder: Path, journal: Journal, key: str) -> None:
        self.shape, self.folder, self.journal, self.key = shape, folder, journal, key
        wanted = max(1, min(MOST_BUCKETS, -(-shape.most * shape.record // BUCKET)))
        self.shift = max(0, (max(shape.n, 1) - 1) // wanted).bit_length()
        self.buckets = (max(shape.n, 1) - 1 >> self.shift) + 1
        self.counts, self.crcs = [0] * self.buckets, [0] * self.buckets
        if found := journal.last(key):
            self.shift, self.buckets = found["shift"], len(found["counts"])
            self.counts, self.crcs = found["counts"], found["crcs"]
        self._files: list[Any] = []

    @property
    def m(self) -> int:
        """How many arcs there are, when all are in buckets."""
        return sum(self.counts)

    @property
    def is_spooled(self) -> bool:
        """Whether all arcs are in buckets."""
        return self.journal.last(self.key) is not None

    def path(self, b: int) -> Path:
        """Return the file of a bucket."""
        return self.folder / f"{self.key}-{b:03}.bucket"

    def spool(self, blocks: Iterator[tuple[Array, Array, Array | None, Array | None]]) -> None:
        """Move all arcs to their buckets: blocks of tails, heads, weights and rows; the next one is made meanwhile."""
        self.counts, self.crcs = [0] * self.buckets, [0] * self.buckets
        self._files = [open(self.path(b), "wb", buffering=0) for b in range(self.buckets)]  # noqa: SIM115
        try:
            with ThreadPoolExecutor(1) as pool:
                before = None
                for block in blocks:
                    if before is not None:
                        before.result()
                    before = pool.submit(self._add, *block)
                if before is not None:
                    before.result()
        finally:
            for file in self._files:
                file.close()
        self.journal.note(**{self.key: {"shift": self.shift, "counts": self.counts, "crcs": self.crcs}})

    def _add(self, tails: Array, heads: Array, weights: Array | None, rows: Array | None) -> None:
        """Append some arcs to their buckets."""
        from ..kernels.cpu.partition import count_buckets
        from ..kernels.cpu.spool import group_records

        if not len(tails):
            return
        records, both, shift = self._records(tails, heads, weights, rows), self.shape.both, np.uint32(self.shift)
        counts = np.zeros(self.buckets, np.uint64)
        count_buckets(records[:, 0].copy(), records[:, 1].copy(), both, shift, counts)
        ends = np.cumsum(counts)
        grouped = np.empty((int(ends[-1]), records.shape[1]), np.int32)
        group_records(records, both, shift, ends - counts, grouped)
        self._write(grouped, counts)

    def _records(self, tails: Array, heads: Array, weights: Array | None, rows: Array | None) -> Array:
        """Return arcs as rows of 32-bit words."""
        arc, row = self.shape.words
        records = np.empty((len(tails), 1 + arc + row), np.int32)
        records[:, 0], records[:, 1] = tails, heads
        if self.shape.weight is not None:
            assert weights is not None
            values = np.ascontiguousarray(weights, self.shape.weight)
            records[:, 2 : 1 + arc] = values.view(np.int32).reshape(len(tails), arc - 1)
        if row:
            assert rows is not None
            values = np.ascontiguousarray(rows, row_type(self.shape.total))
            records[:, 1 + arc :] = values.view(np.int32).reshape(len(tails), row)
        return records

    def _write(self, grouped: Array, counts: Array) -> None:
        """Append grouped records to the files of their buckets."""
        at = 0
        for b in np.flatnonzero(counts).tolist():
            part = grouped[at : at + int(counts[b])]
            self.crcs[b] = zlib.crc32(write_all(self._files[b], part), self.crcs[b])
            self.counts[b] += len(part)
            at += len(part)

    def sort(self, target: Path, room: Room, tell: Callable[[int], None]) -> None:
        """Write the rows into the files arcs.npy, offsets.npy and, if they are kept, rows.npy of a folder.

        ``tell`` is told how many arcs are done. The next window is sorted while one is written.
        """
        starts = np.cumsum([0, *self.counts]).tolist()
        begun = self.journal.last(f"{self.key} sorted") or 0
        files = _Files(target, self, starts[begun], min(begun << self.shift, self.shape.n))
        with files, ThreadPoolExecutor(1) as pool:
            windows = self._windows(begun, starts, room)
            pending = pool.submit(next, windows, None)
            while (found := pending.result()) is not None:
                pending = pool.submit(next, windows, None)
                files.append(found)
                tell(found.last)
                if found.ends_bucket:
                    self.journal.note(**{f"{self.key} sorted": found.bucket + 1})
                    self.path(found.bucket).unlink(missing_ok=True)

    def _windows(self, begun: int, starts: list[int], room: Room) -> Iterator[_Window]:
        """Yield the sorted arcs, a window at a time."""
        from ..kernels.cpu.spool import count_tails

        size = max(1, room.window() // self.shape.record)
        for b in range(begun, self.buckets):
            first, end = b << self.shift, min(b + 1 << self.shift, self.shape.n)
            counts = np.zeros(end - first, np.int64)
            records = _Records(self, b, size)
            for part in records.checked():
                count_tails(part, first, counts)
            begins = starts[b] + np.cumsum(counts) - counts
            windows = range(starts[b], starts[b + 1], size) or [starts[b]]
            for low in windows:
                high = min(low + size, starts[b + 1])
                offsets = begins if low == windows[0] else begins[:0]
                arcs, rows = self._place(records, first, begins, low, high)
                yield _Window(b, high, offsets, arcs, rows, low == windows[-1])

    def _place(self, records: _Records, first: int, begins: Array, low: int, high: int) -> tuple[Array, Array]:
        """Return the arcs with positions from ``low`` to ``high - 1``, and their rows."""
        from ..kernels.cpu.spool import place_records

        arc, row = self.shape.words
        arcs, rows = np.empty((high - low, arc), np.int32), np.empty((high - low, row), np.int32)
        cursor = begins.copy()
        for part in records.again():
            place_records(part, first, cursor, low, high, arcs, rows)
        return arcs, rows


class _Window(NamedTuple):
    """Some sorted arcs: up to which position, where the rows of their bucket begin, and whether they are its last."""

    bucket: int
    last: int
    offsets: Array
    arcs: Array
    rows: Array
    ends_bucket: bool


class _Records:
    """The records of a bucket, read in parts of a size; kept in memory if there is one part only."""

    def __init__(self, sorter: Sorter, b: int, size: int) -> None:
        self.path, self.count, self.crc, self.size = sorter.path(b), sorter.counts[b], sorter.crcs[b], size
        self.words = sorter.shape.record // 4
        self._kept: Array | None = None

    def checked(self) -> Iterator[Array]:
        """Yield all records for the first time, and compare them with their checksum."""
        crc = 0
        for part in self._parts():
            crc = zlib.crc32(part.reshape(-1).view(np.uint8).data, crc)
            self._kept = part if len(part) == self.count else None
            yield part
        if crc != self.crc:
            raise damaged(self.path)

    def again(self) -> Iterator[Array]:
        """Yield all records once more."""
        return self._parts() if self._kept is None else iter([self._kept])

    def _parts(self) -> Iterator[Array]:
        """Read the records in parts."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                if os.fstat(file.fileno()).st_size != 4 * self.words * self.count:
                    raise damaged(self.path)
                for low in range(0, self.count, self.size):
                    count = min(self.size, self.count - low)
                    yield np.fromfile(file, np.int32, count * self.words).reshape(count, self.words)
        except FileNotFoundError as error:
            raise damaged(self.path) from error


class _Files:
    """The files of the graph that sorted arcs are written to."""

    def __init__(self, target: Path, sorter: Sorter, arcs: int, vertices: int) -> None:
        shape, m = sorter.shape, sorter.m
        self.arcs = Column(target / "arcs.npy", record_type(shape.weight), m, arcs)
        self.offsets = Column(target / "offsets.npy", offset_type(m), shape.n + 1, vertices)
        self.rows = Column(target / "rows.npy", row_type(shape.total), m, arcs) if shape.rows else None
        self._ends, self._m = shape.n, m

    def append(self, found: _Window) -> None:
        """Write sorted arcs, and where their rows begin."""
        self.offsets.append(found.offsets)
        self.arcs.append(found.arcs.reshape(-1).view(self.arcs.dtype))
        if self.rows is not None:
            self.rows.append(found.rows.reshape(-1).view(self.rows.dtype))

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, kind: Any, *failure: object) -> None:
        if kind is None:
            self.offsets.append(np.array([self._m]))
        for file in (self.arcs, self.offsets, self.rows):
            if file is not None:
                file.close()

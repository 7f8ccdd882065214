"""Road-like grids straight to disk: the graph of `nearfar.generate.road_grid` to the bit, however large.

Streets are sorted by their luck through files, a range of luck each, and chosen in that order: the spanning tree by
trees that grow together (Kruskal), in 4 bytes and 2 bits per crossing. Then the grid is gone through row by
row: places of crossings and lengths of streets come from the positions of the one random stream that they have in
memory, so that nothing of them need be kept. Of a crossing, arcs lead west, east, north, south, as in memory.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..devices import cpu
from ..errors import OptionError
from ..graph.arrays import Array
from ..graph.blocks import offset_type, record_type
from ..graph.input_rows import InputRows, row_type
from .columns import Column, write_all
from .room import MOST_BUCKETS, Room

CHUNK = 1 << 18  # streets that a thread draws before it writes them
RANGE = 1 << 18  # streets of a range of luck: sorted in the cache
CROSSINGS = 1 << 16  # that are laid out at a time
CROSSING = 600  # bytes of a crossing in all arrays of the blocks under way
STREET = 64  # bytes of a street of a range in the arrays of the ranges under way


class RoadGrid(NamedTuple):
    """What is generated."""

    rows: int
    cols: int
    keep: float
    spacing: float

    @property
    def n(self) -> int:
        """The number of crossings."""
        return self.rows * self.cols

    @property
    def across(self) -> int:
        """How many streets across there could be."""
        return self.rows * (self.cols - 1)

    @property
    def streets(self) -> int:
        """How many streets there could be."""
        return self.across + (self.rows - 1) * self.cols


class Block(NamedTuple):
    """Some rows of crossings: the first one, the lengths of streets (0: none), and the places of crossings."""

    first: int
    across: Array
    down: Array
    points: Array


class Writer:
    """Writes the files of one graph into a folder.

    Parameters
    ----------
    asked : RoadGrid
    rng : Generator
    made : Path
    room : Room
    """

    def __init__(self, asked: RoadGrid, rng: np.random.Generator, made: Path, room: Room) -> None:
        self.asked, self.rng, self.made = asked, rng, made
        self.ranges = max(1, min(MOST_BUCKETS, asked.streets // RANGE))
        self.step = max(1, min(asked.rows, CROSSINGS // asked.cols))
        largest = 2 * (asked.streets // self.ranges) + (1 << 12)
        needed = 4 * asked.n + asked.n // 4 + max(STREET * largest, CROSSING * self.step * asked.cols)
        room.take(needed, f"the crossings, a range of {largest:,} streets and a block of rows")
        self.files = [made / f"{g:03}.streets" for g in range(self.ranges)]

    def write(self) -> InputRows:
        """Write all files; return what is known of the rows of the input."""
        axes = self._axes()
        starts = self.rng.bit_generator.state
        n, streets = self.asked.n, self.asked.streets
        self._scatter(partial(_at, starts, 2 * n))
        chosen = self._choose()
        lengths = self._at_lengths(starts, 2 * n + streets, chosen)
        with ThreadPoolExecutor(1) as pool:
            return self._lay_out(chosen, _ahead(pool, self._blocks(axes, starts, lengths, chosen)))

    def _axes(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Draw where lines lie, and how far crossings may be from them, for columns and rows."""
        from ..graph.generate import draw_axis

        asked = self.asked
        return draw_axis(asked.cols, self.rng, asked.spacing), draw_axis(asked.rows, self.rng, asked.spacing)

    def _scatter(self, at: Any) -> None:
        """Draw the luck of all streets, on all threads, into the files of their ranges."""
        files = [open(path, "wb", buffering=0) for path in self.files]  # noqa: SIM115
        locks = [threading.Lock() for _ in files]
        chunks = range(0, self.asked.streets, CHUNK)

        def do(j: int) -> None:
            luck = 1.0 + at(chunks[j]).random(min(CHUNK, self.asked.streets - chunks[j]))
            self._write_streets(luck, chunks[j], files, locks)

        try:
            cpu.share_out(lambda: do, len(chunks), cpu.facts().cores, np.zeros(1, np.int64))
        finally:
            for file in files:
                file.close()

    def _write_streets(self, luck: Array, first: int, files: list[Any], locks: list[threading.Lock]) -> None:
        """Append streets to the files of their ranges, in whatever order threads come."""
        from ..kernels.cpu.grid_streets import count_groups, group_streets

        counts, out = np.zeros(self.ranges, np.int64), np.empty((len(luck), 2), np.int64)
        count_groups(luck, self.ranges, counts)
        ends = np.cumsum(counts)
        group_streets(luck, first, self.asked.across, self.asked.cols, self.ranges, ends - counts, out)
        for g in np.flatnonzero(counts).tolist():
            with locks[g]:
                write_all(files[g], out[int(ends[g] - counts[g]) : int(ends[g])])

    def _choose(self) -> Array:
        """Choose the streets, range after range; the next is sorted meanwhile. Return the bits of all crossings."""
        from ..kernels.cpu.grid_streets import choose_streets

        asked = self.asked
        more = max(0, round(asked.keep * asked.streets) - (asked.n - 1))
        chosen = np.zeros((2, asked.n // 8 + 1), np.uint8)  # for the streets that lead east, and those south
        parents = np.arange(asked.n, dtype=np.int32)
        with ThreadPoolExecutor(1) as pool:
            for records in _ahead(pool, (self._sorted(g) for g in range(self.ranges))):
                more, _ = choose_streets(records, asked.cols, parents, more, chosen)
        return chosen

    def _sorted(self, g: int) -> Array:
        """Return the streets of a range, in order."""
        from ..kernels.cpu.grid_streets import DIGIT, DIGITS, sort_streets

        records = np.fromfile(self.files[g], np.int64).reshape(-1, 2)
        self.files[g].unlink()
        if len(records):
            low, high = int(records[:, 0].min()), int(records[:, 0].max())
            shift = max(0, (high - low).bit_length() - DIGIT * DIGITS)
            sort_streets(records, np.empty_like(records), low, shift, np.empty(1 << DIGIT, np.int64))
        return records

    def _at_lengths(self, starts: Any, steps: int, chosen: Array) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the stream where the bends of streets across begin, and where those of streets down begin.

        How far numbers of this kind move the stream is known only when they are drawn.
        """
        across, down = _at(starts, steps), _at(starts, steps)
        count = _count(chosen[0])
        for low in range(0, count, CHUNK):
            down.normal(0.0, 0.25, min(CHUNK, count - low))
        return across, down

    def _blocks(self, axes: Any, starts: Any, lengths: Any, chosen: Array) -> Iterator[Block]:
        """Yield the rows of crossings in blocks, with the street lengths down from the row above the first one."""
        rows, cols = self.asked.rows, self.asked.cols
        (x, x_reach), (y, y_reach) = axes
        shifts = _at(starts, 0), _at(starts, rows * cols)
        last, above = np.empty((0, cols, 2)), np.zeros((1, cols), np.int32)
        for low in range(0, rows, self.step):
            high = min(low + self.step, rows)
            new = slice(low + len(last), min(high + 1, rows))
            drawn = [rng.uniform(-1.0, 1.0, (new.stop - new.start, cols)) for rng in shifts]
            places = x + drawn[0] * x_reach, y[new, None] + drawn[1] * y_reach[new, None]
            points = np.concatenate((last, np.stack(places, axis=-1)))
            here = points[: high - low]
            east = _bits(chosen[0], low * cols, high * cols).reshape(len(here), cols)[:, :-1]
            across = self._lengths(here[:, :-1], here[:, 1:], east, lengths[0])
            south = _bits(chosen[1], low * cols, (low + len(points) - 1) * cols).reshape(len(points) - 1, cols)
            down = self._lengths(points[:-1], points[1:], south, lengths[1])
            end = np.zeros((high - low - len(down), cols), np.int32)
            yield Block(low * cols, across, np.concatenate((above, down, end)), here)
            last, above = points[high - low :], down[high - low - 1 :]

    def _lengths(self, tails: Array, heads: Array, built: Array, rng: np.random.Generator) -> Array:
        """Return the lengths of streets between crossings, 0 where none is built."""
        x, y = (tails[built] - heads[built]).T
        bend = np.exp(np.abs(rng.normal(0.0, 0.25, len(x))))
        found = np.maximum(1, np.rint(np.hypot(x, y) * bend)).astype(np.int64)
        if found.max(initial=0) >= 2**31 - 1:
            raise OptionError(f"a street is {found.max():,} long, too long for int32. Choose a smaller spacing.")
        lengths = np.zeros(built.shape, np.int32)
        lengths[built] = found
        return lengths

    def _lay_out(self, chosen: Array, blocks: Iterator[Block]) -> InputRows:
        """Write arcs, offsets, rows and coordinates, block by block."""
        from ..kernels.cpu.grid_streets import lay_out

        asked, streets = self.asked, _count(chosen)
        m, words = 2 * streets, np.dtype(row_type(streets)).itemsize // 4
        numbers = np.array([0, _count(chosen[0])])
        above, done = np.zeros(asked.cols, np.int64), 0
        with (
            Column(self.made / "offsets.npy", offset_type(m), asked.n + 1) as offsets,
            Column(self.made / "arcs.npy", record_type(np.dtype(np.int32)), m) as arcs,
            Column(self.made / "rows.npy", row_type(streets), m) as rows,
            Column(self.made / "coordinates.npy", np.float64, asked.n, width=2) as coordinates,
        ):
            offsets.append(np.zeros(1))
            for block in blocks:
                count = 4 * len(block.points) * asked.cols
                out, number = np.empty((count, 2), np.int32), np.empty((count, words), np.int32)
                ends = np.empty(len(block.points) * asked.cols, np.int64)
                found = lay_out(block.across, block.down, block.first, numbers, above, out, number, ends)
                offsets.append(done + ends)
                arcs.append(out[:found].reshape(-1).view(arcs.dtype))
                rows.append(number[:found].reshape(-1).view(rows.dtype))
                coordinates.append(block.points)
                done += found
        return InputRows(streets, True)


def _at(start: Any, steps: int, more: int = 0) -> np.random.Generator:
    """Return a generator some numbers behind a state."""
    stream = np.random.PCG64(0)
    stream.state = start
    stream.advance(steps + more)
    return np.random.Generator(stream)


def _count(chosen: Array) -> int:
    """Return how many bits are set."""
    return int(np.bitwise_count(chosen).sum(dtype=np.int64))


def _bits(chosen: Array, low: int, high: int) -> Array:
    """Return the bits of the crossings from ``low`` up to ``high``, as bools."""
    some = np.unpackbits(chosen[low >> 3 : (high + 7) >> 3], bitorder="little")
    return some[low & 7 : (low & 7) + high - low].view(bool)


def _ahead(pool: ThreadPoolExecutor, items: Iterator[Any]) -> Iterator[Any]:
    """Yield what an iterator yields, the next one of which is made meanwhile."""
    pending: Future[Any] = pool.submit(next, items, None)
    while (found := pending.result()) is not None:
        pending = pool.submit(next, items, None)
        yield found

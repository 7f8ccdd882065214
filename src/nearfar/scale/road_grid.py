"""Road-like grids straight to disk: the graph of `nearfar.generate.road_grid` to the bit, however large.

Which streets are built is found first (grid_tree.py), in a byte per crossing. Then the grid is gone through row by row:
places of crossings and lengths of streets come from the positions of the one random stream that they have in memory,
so that nothing of them need be kept. Of a crossing, arcs lead west, east, north, south, as in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..devices import cpu
from ..errors import OptionError
from ..graph.arrays import Array
from ..graph.blocks import offset_type, record_type
from ..graph.input_rows import InputRows, row_type
from .columns import Column
from .grid_tree import Tree
from .room import Room

CHUNK = 1 << 18  # numbers that are drawn, and bytes that are looked at, at a time
CROSSINGS = 1 << 16  # that are laid out at a time
CROSSING = 600  # bytes of a crossing in all arrays of the blocks under way


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
    """Some rows of crossings: the first one, which streets are built, their lengths across and down, the places."""

    first: int
    built: Array
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
        self.step = max(1, min(asked.rows, CROSSINGS // asked.cols))
        whole, piece = Tree.room(asked)
        needed = max(whole + piece, asked.n + CROSSING * self.step * asked.cols)
        left = room.take(needed, "the crossings, and a piece of their streets or a block of rows")
        self.threads = min(cpu.facts().cores, 1 + left.memory // piece)

    def write(self) -> InputRows:
        """Write all files; return what is known of the rows of the input."""
        axes = self._axes()
        starts = self.rng.bit_generator.state
        n, streets = self.asked.n, self.asked.streets
        built = Tree(self.asked, lambda street: _at(starts, 2 * n + street)).choose(self.threads)
        across = self._count(built, 1)
        bends = self._at_bends(starts, 2 * n + streets, across)
        with ThreadPoolExecutor(2) as pool:
            blocks = _ahead(pool, self._places(axes, starts, built))
            return self._lay_out(across, self._count(built, 2), _ahead(pool, self._lengths(blocks, bends)))

    def _axes(self) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Draw where lines lie, and how far crossings may be from them, for columns and rows."""
        from ..graph.generate import draw_axis

        asked = self.asked
        return draw_axis(asked.cols, self.rng, asked.spacing), draw_axis(asked.rows, self.rng, asked.spacing)

    def _count(self, built: Array, bit: int) -> int:
        """Return how many streets are built in one direction."""
        return sum(int(np.count_nonzero(built[low : low + CHUNK] & bit)) for low in range(0, len(built), CHUNK))

    def _at_bends(self, starts: Any, steps: int, count: int) -> tuple[np.random.Generator, np.random.Generator]:
        """Return the stream where the bends of streets across begin, and where those of streets down begin.

        How far numbers of this kind move the stream is known only when they are drawn.
        """
        across, down = _at(starts, steps), _at(starts, steps)
        for low in range(0, count, CHUNK):
            down.normal(0.0, 0.25, min(CHUNK, count - low))
        return across, down

    def _places(self, axes: Any, starts: Any, built: Array) -> Iterator[tuple[int, Array, Array]]:
        """Yield the rows of crossings in blocks: the first, what is built, the places of these and of the next row."""
        rows, cols = self.asked.rows, self.asked.cols
        (x, x_reach), (y, y_reach) = axes
        shifts = _at(starts, 0), _at(starts, rows * cols)
        last = np.empty((0, cols, 2))
        for low in range(0, rows, self.step):
            high = min(low + self.step, rows)
            new = slice(low + len(last), min(high + 1, rows))
            points = np.empty((new.stop - low, cols, 2))
            points[: len(last)] = last
            drawn = [rng.uniform(-1.0, 1.0, (new.stop - new.start, cols)) for rng in shifts]
            np.add(x, drawn[0] * x_reach, out=points[len(last) :, :, 0])
            np.add(y[new, None], drawn[1] * y_reach[new, None], out=points[len(last) :, :, 1])
            last = points[high - low :]
            yield low, built[low * cols : high * cols].reshape(-1, cols), points

    def _lengths(self, blocks: Iterator[tuple[int, Array, Array]], bends: Any) -> Iterator[Block]:
        """Yield the blocks with the lengths of their streets."""
        for row, built, points in blocks:
            here = points[: len(built)]
            across, down = _lengths(here, built, 0, bends[0]), _lengths(points, built, 1, bends[1])
            yield Block(row * self.asked.cols, built, across, down, here)

    def _lay_out(self, across: int, down: int, blocks: Iterator[Block]) -> InputRows:
        """Write arcs, offsets, rows and coordinates, block by block."""
        from ..kernels.cpu.grid_streets import lay_out

        asked, streets = self.asked, across + down
        m, words = 2 * streets, np.dtype(row_type(streets)).itemsize // 4
        numbers, above, done = np.array([0, across]), np.zeros((asked.cols, 2), np.int64), 0
        with (
            Column(self.made / "offsets.npy", offset_type(m), asked.n + 1) as offsets,
            Column(self.made / "arcs.npy", record_type(np.dtype(np.int32)), m) as arcs,
            Column(self.made / "rows.npy", row_type(streets), m) as rows,
            Column(self.made / "coordinates.npy", np.float64, asked.n, width=2) as coordinates,
        ):
            offsets.append(np.zeros(1))
            for block in blocks:
                count = 4 * block.built.size
                out, number = np.empty((count, 2), np.int32), np.empty((count, words), np.int32)
                ends = np.empty(block.built.size, np.int64)
                given = block.built, block.across, block.down, block.first, numbers, above
                found = lay_out(*given, out, number, ends)
                offsets.append(done + ends)
                arcs.append(out[:found].reshape(-1).view(arcs.dtype))
                rows.append(number[:found].reshape(-1).view(rows.dtype))
                coordinates.append(block.points)
                done += found
        return InputRows(streets, True)


def _lengths(points: Array, built: Array, is_down: int, rng: np.random.Generator) -> Array:
    """Return the lengths of the streets that are built in one direction: streets wind, so more than straight lines."""
    from ..kernels.cpu.grid_streets import list_spans

    dx, dy = np.empty(built.size), np.empty(built.size)
    count = list_spans(points, built, is_down, dx, dy)
    bends = rng.normal(0.0, 0.25, count)
    np.abs(bends, out=bends)
    np.exp(bends, out=bends)
    bends *= np.hypot(dx[:count], dy[:count])
    np.rint(bends, out=bends)
    if bends.max(initial=0) >= 2**31 - 1:
        raise OptionError(f"a street is {int(bends.max()):,} long, too long for int32. Choose a smaller spacing.")
    return np.maximum(1, bends, out=bends).astype(np.int32)


def _at(start: Any, steps: int) -> np.random.Generator:
    """Return a generator some numbers behind a state."""
    stream = np.random.PCG64(0)
    stream.state = start
    stream.advance(steps)
    return np.random.Generator(stream)


def _ahead(pool: ThreadPoolExecutor, items: Iterator[Any]) -> Iterator[Any]:
    """Yield what an iterator yields, the next one of which is made meanwhile."""
    pending: Future[Any] = pool.submit(next, items, None)
    while (found := pending.result()) is not None:
        pending = pool.submit(next, items, None)
        yield found

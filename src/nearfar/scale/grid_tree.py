"""Which streets of a generated grid are built: a spanning tree of the luckiest, then the luckiest of the others.

The grid is gone through in pieces, on all threads: in each, streets are chosen tile by tile, and those that join tiles
are listed (kernels/cpu/grid_tiles.py has the idea). The listed ones are decided together. Then it is known how many
streets of each group of luck are not in the tree, and so up to which luck others are built: another pass over the
pieces, in which numbers are drawn again, takes them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..graph.arrays import Array

if TYPE_CHECKING:
    from .road_grid import RoadGrid

SIDE = 128  # crossings of a side of a tile. All took 0.8 s for 16 M crossings, with 64 1.2 (more listed), with 256 0.8
WIDE = 1 << 12  # crossings of a row of a piece, in whole tiles; to jump to a row takes as long as to draw 5,000 numbers
LISTED = 56  # bytes of a listed street: luck, itself, two slots, all of them twice, and its place in the order
PIECE = 24  # bytes of a crossing of a piece, with the tile in work


class Tree:
    """Chooses the streets of one grid.

    Parameters
    ----------
    asked : RoadGrid
    at : function
        Returns the generator of the numbers of streets, moved behind some of them.
    """

    def __init__(self, asked: RoadGrid, at: Callable[[int], np.random.Generator]) -> None:
        self.asked, self.at = asked, at
        self.places = [(row, col) for row in range(0, asked.rows, SIDE) for col in range(0, asked.cols, WIDE)]
        self.chosen = np.empty(asked.n, np.uint8)

    @staticmethod
    def room(asked: RoadGrid) -> tuple[int, int]:
        """Return the bytes that are needed beside the pieces under way, and those of a piece."""
        tiles = -(-asked.rows // SIDE) * -(-asked.cols // SIDE)
        side, wide = min(SIDE, asked.rows), min(WIDE, asked.cols)
        return asked.n + (16 + 6 * LISTED) * SIDE * tiles, PIECE * side * (wide + SIDE) + LISTED * 6 * wide

    def choose(self, threads: int) -> Array:
        """Return for each crossing the sum of 1 and 2: whether the streets east and south are built."""
        from ..kernels.cpu.grid_tiles import Listed

        counts, found = self._settle(threads)
        listed = Listed(*map(np.concatenate, zip(*found, strict=True)))
        del found
        self._join(listed, counts)
        more = max(0, round(self.asked.keep * self.asked.streets) - (self.asked.n - 1))
        if more:
            self._take(more, np.cumsum(counts), threads)
        return self.chosen

    def _settle(self, threads: int) -> tuple[Array, list[Any]]:
        """Choose streets in all tiles; return how many of each group are left, and the listed ones of each piece."""
        from ..kernels.cpu.grid_tiles import GROUPS, Listed, Piece, settle_tiles

        total, found, lock = np.zeros(GROUPS, np.int64), [Listed(*_listed(0))] * len(self.places), threading.Lock()

        def new_worker() -> Callable[[int], None]:
            work, counts = _work(), np.zeros(GROUPS, np.int64)

            def do(j: int) -> None:
                (row, col), (across, down) = self.places[j], self._draw(*self.places[j])
                high, wide = min(SIDE, self.asked.rows - row), min(WIDE, self.asked.cols - col)
                out = Listed(*_listed(6 * SIDE * -(-wide // SIDE)))
                piece = Piece(row, col, self.asked.rows, self.asked.cols, SIDE)
                counts[:] = 0
                count = settle_tiles(across, down, piece, high, wide, work, self.chosen, counts, out)
                found[j] = Listed(*(column[:count].copy() for column in out))
                with lock:
                    total[:] += counts

            return do

        cpu.share_out(new_worker, len(self.places), threads, np.zeros(1, np.int64))
        return total, found

    def _join(self, listed: Any, counts: Array) -> None:
        """Choose the listed streets that join the trees of tiles."""
        from ..kernels.cpu.grid_tiles import join_tiles

        order = np.argsort(listed.luck)
        lucks = listed.luck[order]
        if (lucks[1:] == lucks[:-1]).any():
            order = np.lexsort((listed.streets, listed.luck))
        tiles = -(-self.asked.rows // SIDE) * -(-self.asked.cols // SIDE)
        join_tiles(order, listed, np.arange(4 * SIDE * tiles, dtype=np.int32), self.chosen, counts)

    def _take(self, more: int, upto: Array, threads: int) -> None:
        """Choose the luckiest of the streets that are not in the tree; ``upto`` says how many each group ends."""
        from ..kernels.cpu.grid_streets import CROSSING, DOWN
        from ..kernels.cpu.grid_tiles import Listed, Piece, take_lucky

        group = int(np.searchsorted(upto, more, side="right"))
        left = int(np.diff(upto, prepend=0, append=upto[-1])[group])
        found: list[Any] = [None] * len(self.places)

        def do(j: int) -> None:
            out, count = Listed(*_listed(left)), 0
            piece = Piece(*self.places[j], self.asked.rows, self.asked.cols, SIDE)
            for is_down, drawn in enumerate(self._draw(*self.places[j])):
                count = take_lucky(drawn, is_down, piece, group, self.chosen, out, count)
            found[j] = out.luck[:count].copy(), out.streets[:count].copy()

        cpu.share_out(lambda: do, len(self.places), threads, np.zeros(1, np.int64))
        luck, streets = map(np.concatenate, zip(*found, strict=True))
        rest = more - int(upto[group - 1] if group else 0)
        streets = streets[np.lexsort((streets, luck))[:rest]]
        for is_down in range(2):
            some = streets[streets >> DOWN == is_down] & CROSSING
            self.chosen[some] |= 1 << is_down

    def _draw(self, row: int, col: int) -> tuple[Array, Array]:
        """Draw the numbers of the streets that lead east and south in a piece."""
        rows, cols = self.asked.rows, self.asked.cols
        high, wide = min(SIDE, rows - row), min(WIDE, cols - col)
        across = self._draw_rows(row * (cols - 1) + col, high, min(wide, cols - 1 - col), cols - 1)
        down = self._draw_rows(self.asked.across + row * cols + col, min(high, rows - 1 - row), wide, cols)
        return across, down

    def _draw_rows(self, first: int, high: int, wide: int, stride: int) -> Array:
        """Draw some numbers of each of some rows."""
        if wide == stride:
            return self.at(first).random((high, wide))
        out = np.empty((high, wide))
        for i in range(high if wide else 0):
            self.at(first + i * stride).random(out=out[i])
        return out


def _listed(count: int) -> tuple[Array, Array, Array]:
    """Return arrays for the luck of streets, themselves, and the slots of their ends."""
    return np.empty(count, np.int64), np.empty(count, np.int64), np.empty((count, 2), np.int32)


def _work() -> Any:
    """Return work space for one tile."""
    from ..kernels.cpu.grid_streets import DIGIT
    from ..kernels.cpu.grid_tiles import Work

    size = SIDE * SIDE
    trees = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.uint8)
    records = np.empty((2 * size, 2), np.int64), np.empty((2 * size, 2), np.int64)
    return Work(*trees, *records, np.empty(1 << DIGIT, np.int64))

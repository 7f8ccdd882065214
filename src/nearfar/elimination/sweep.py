"""Rows of distances from a sheet: what one thread needs, and how it settles LANES rows at once or one alone."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.constants import LANES
from .core import ClosedCore, Core
from .layout import Sheet, new_lanes
from .lines import shifts_of
from .tuning import ALONE, PAST_CACHES, PIECES


class Sweeper:
    """One thread's work space over a sheet; over a part of it for some targets, where one is given."""

    def __init__(
        self,
        sheet: Sheet,
        core: Core | ClosedCore | None,
        stop: np.ndarray,
        part: tuple[Sheet, np.ndarray] | None = None,
    ) -> None:
        self.sheet, self.stop = sheet, stop
        self.search = core.searcher() if core is not None else None
        self.index = np.full(sheet.n, -1, np.int32)
        self.view = sheet if part is None else part[0]
        self.inside = None if part is None else part[1]
        self.dist = new_lanes(self.view.slots, sheet.dtype)
        self.count = 0
        self.relaxed = 0  # arcs of the core that the last search looked at
        self._alone: list[np.ndarray] = []  # of each thread that works on a single row
        self.part_index = np.empty(0 if part is None else self.view.slots, np.int32)
        self._make_room(LANES)

    def _make_room(self, seeds: int) -> None:
        """Make room for the ancestors of so many vertices."""
        self.room = min(self.sheet.n, seeds * self.sheet.depth)
        self.touched, self.part_touched = np.empty(self.room + 1, np.int32), np.empty(self.room + 1, np.int32)
        self.offers = new_lanes(self.room, self.sheet.dtype)

    def climb(self, seeds: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Start a batch: climb from the seeds of every lane and settle the core.

        Lane i starts from ``seeds[ends[i]:ends[i + 1]]``, numbers of the sheet. Returns which row of offers belongs to
        which vertex, and the vertices that have one, as a sweep takes them.
        """
        from ..kernels.cpu.parts import enter_part
        from ..kernels.cpu.sweep import climb, enter

        sheet = self.sheet
        if min(sheet.n, len(seeds) * sheet.depth) > self.room:
            self.index[self.touched[: self.count]] = -1
            self.count = 0
            self._make_room(len(seeds))
        before, self.count = self.count, 0
        count = enter(
            sheet.parents, sheet.core, seeds, ends, before, self.index, self.touched, self.offers, self.dist,
            sheet.infinity,
        )  # fmt: skip
        self.count = int(count)
        self.touched[:count].sort()
        self.touched[count] = sheet.n
        climb(
            sheet.up_starts, sheet.up_arcs, sheet.begins, sheet.core, sheet.tops,
            self.index, self.touched, count, self.offers, self.dist,
        )  # fmt: skip
        if self.search is not None:
            self.relaxed = self.search(self.dist, self.stop)
        if self.inside is None:
            return self.index, self.touched
        enter_part(self.touched, count, self.index, self.inside, self.part_touched, self.part_index)
        return self.part_index, self.part_touched

    def rows(
        self, seeds: np.ndarray, ends: np.ndarray, out: np.ndarray, bases: np.ndarray, limit: Any, unreached: Any
    ) -> None:
        """Settle LANES rows: lane i goes to ``out`` from ``bases[i]`` on; what is not below limit is unreached."""
        from ..kernels.cpu.sweep import sweep_rows

        view = self.view
        shifts = shifts_of(out, bases)
        large = self.inside is None and out.nbytes >= PAST_CACHES
        past = bool(large and shifts[0] >= 0 and (shifts == shifts[0]).all())
        lines = view.lines(int(shifts[0]) if past else 0)
        if view.slots + len(lines.kept) > len(self.dist):
            self.dist = new_lanes(view.slots + len(lines.kept), view.dtype)
        sweep_rows(
            view.down_starts, view.down_arcs, view.run_starts, view.runs, self.dist, *self.climb(seeds, ends),
            self.offers, view.units, view.tops, view.slots, lines.first, lines.rest, lines.keep_starts, lines.kept,
            lines.line_starts, lines.lines, lines.columns, out, bases, view.infinity, limit, unreached, past, self.stop,
        )  # fmt: skip

    def sums(self, seeds: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Return the sum of all distances of LANES rows."""
        from ..kernels.cpu.sweep import sweep_sums

        view = self.view
        sums = new_lanes(1, np.dtype(np.float64 if view.dtype.kind == "f" else np.int64))
        sums[:] = 0
        sweep_sums(
            view.down_starts, view.down_arcs, view.run_starts, view.runs, self.dist, *self.climb(seeds, ends),
            self.offers, view.units, view.tops, sums, view.infinity, view.limit, self.stop,
        )  # fmt: skip
        return sums[0]

    def one(self, seeds: np.ndarray, row: np.ndarray, limit: Any, unreached: Any, threads: int = 1) -> None:
        """Settle one row alone; threads share the subtrees."""
        sheet = self.sheet
        index, touched = self.climb(seeds, np.array([0, len(seeds)]))
        touched = touched[: self.count + 1]
        while len(self._alone) < threads:
            self._alone.append(np.empty(sheet.slots, sheet.dtype))
        dist = self._alone[0]
        dist[: sheet.core] = self.dist[: sheet.core, 0]
        given = index, touched, row, limit, unreached
        last = len(sheet.units) - 1
        pieces = min(PIECES * threads, last - 2)
        if threads == 1 or pieces < 2 or sheet.n < ALONE:
            self._units(dist, 0, last, *given)
        else:
            self._units(dist, 0, 2, *given)
            self._share(threads, (2 + np.arange(pieces + 1) * (last - 2) // pieces).tolist(), given)

    def _share(self, threads: int, bounds: list[int], given: tuple[Any, ...]) -> None:
        """Settle units on several threads, in pieces, once the tops are settled."""
        pieces, tops = len(bounds) - 1, self._alone[0][: self.sheet.tops]
        pending, done = itertools.count(), itertools.count(1)  # next() on them is atomic

        def work(t: int) -> bool:
            """Take pieces; who ends the last one says that nothing is left, also for threads that come too late."""
            for i in pending:
                if i >= pieces:
                    return False
                self._alone[t][: len(tops)] = tops
                self._units(self._alone[t], bounds[i], bounds[i + 1], *given)
                if next(done) == pieces:
                    return True
            return False

        cpu.run(work, threads, self.stop, join=True)

    def _units(
        self, dist: np.ndarray, first: int, last: int, index: np.ndarray, touched: np.ndarray, row: np.ndarray,
        limit: Any, unreached: Any,
    ) -> None:  # fmt: skip
        """Settle some units for one source."""
        from ..kernels.cpu.sweep import sweep_one

        sheet = self.sheet
        infinity = sheet.infinity if sheet.dtype.kind == "f" else np.int64(sheet.infinity)
        sweep_one(
            sheet.down_starts, sheet.down_arcs, sheet.run_starts, sheet.runs, sheet.vertices, dist, index, touched,
            self.offers, sheet.units, first, last, sheet.tops, row, infinity, limit, unreached, self.stop,
        )  # fmt: skip

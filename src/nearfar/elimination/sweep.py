"""Rows of distances over a hierarchy: the work space of one thread, and the steps that settle LANES rows or one.

A query *climbs* from its sources to all their ancestors, searches the core if there is one, then *sweeps* over all
vertices, ancestors first (kernels/cpu/sweep.py). LANES sources go through these steps together, and several such
batches in one call (kernels/cpu/batches.py). A single row is swept with one lane, and threads share the units.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..kernels.cpu.arguments import Folds, Gates, Lines, Offers
from ..kernels.cpu.constants import LANES
from .core import ClosedCore, Core, search_core
from .layout import SweepLayout, new_lanes
from .lines import shifts_of
from .tuning import ALONE, CALL_STEPS, CALLS_PER_THREAD, PAST_CACHES, PIECES

EACH_ALONE = np.arange(LANES + 1)  # bounds of lanes with one seed per lane


def words_of_marks(n: int) -> int:
    """Return the words of the bits that sort positions: one bit per position, and one per word of these."""
    words = -(-n // 64)
    return words + -(-words // 64)


def in_lanes(entries: np.ndarray, size: int = LANES) -> np.ndarray:
    """Return entries in rows of LANES, ``size`` different ones in each; unused lanes repeat the one before them."""
    firsts = np.arange(0, len(entries), size)[:, None]
    return entries[np.minimum(firsts + np.minimum(np.arange(LANES), size - 1), len(entries) - 1)]


def batches_per_call(layout: SweepLayout, batches: int, threads: int) -> int:
    """Return how many of all batches a thread settles in one call; all of them if they are little work."""
    steps = layout.n + len(layout.down_arcs)
    if batches * steps < SMALL_WORK:
        return max(1, batches)
    return max(1, min(CALL_STEPS // steps, batches // (CALLS_PER_THREAD * threads)))


class Sweeper:
    """The work space of one thread for sweeps over a layout, or over the ``part`` of it that leads to some targets."""

    def __init__(
        self,
        layout: SweepLayout,
        core: Core | ClosedCore | None,
        stop: np.ndarray,
        part: tuple[SweepLayout, np.ndarray] | None = None,
    ) -> None:
        self.layout, self.stop = layout, stop
        self.core = core.with_space() if isinstance(core, Core) else None
        self.closed = core.with_space() if isinstance(core, ClosedCore) else None
        self.index, self.marks = np.full(layout.n, -1, np.int32), np.zeros(words_of_marks(layout.n), np.uint64)
        self.view = layout if part is None else part[0]
        self.inside = None if part is None else part[1]
        self.dist = new_lanes(self.view.cells, layout.dtype)
        self._at_zero = np.empty(0, layout.dtype)  # starting distances, if all of them are 0
        self.count = 0
        self.relaxed = 0  # arcs of the core that the last search relaxed
        self._alone: list[np.ndarray] = []  # distances of one lane, one array per thread that shares a single row
        self.part_index = np.empty(0 if part is None else self.view.cells, np.int32)
        self._make_room(LANES)

    def _make_room(self, seeds: int) -> None:
        """Make room for the ancestors of this number of seeds."""
        self.room = min(self.layout.n, seeds * self.layout.depth)
        self.touched = np.empty(self.room + 1, np.int32)
        self.part_touched = np.empty(0 if self.inside is None else self.room + 1, np.int32)
        self.offers = new_lanes(self.room, self.layout.dtype)
        self.space = Offers(self.index, self.touched, self.marks, self.offers)

    def climb(
        self, seeds: np.ndarray, ends: np.ndarray, starts: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Start a batch: climb from the seeds of every lane and settle the core.

        Lane i starts from ``seeds[ends[i]:ends[i + 1]]``, positions in the layout, at the distances ``starts`` if they
        are given, one per seed and in the type of the layout. Returns (index, touched), as a sweep takes them: the row
        of offers of each position, and the positions that have one.
        """
        from ..kernels.cpu.batches import ascend

        layout = self.layout
        if min(layout.n, len(seeds) * layout.depth) > self.room:
            self.index[self.touched[: self.count]] = -1
            self.count = 0
            self._make_room(len(seeds))
        before, self.count = self.count, 0
        starts = self._at_zero if starts is None else starts
        count = ascend(layout.up, self.space, seeds, starts, ends, before, self.dist, layout.infinity)
        self.count = int(count)
        core = self.core or self.closed
        if core is not None:
            self.relaxed = search_core(core, self.dist, self.stop)
        if self.inside is None:
            return self.index, self.touched
        from ..kernels.cpu.parts import enter_part

        enter_part(self.touched, count, self.index, self.inside, self.part_touched, self.part_index)
        return self.part_index, self.part_touched

    def rows(
        self,
        seeds: np.ndarray,
        ends: np.ndarray,
        out: np.ndarray,
        bases: np.ndarray,
        limit: Any,
        unreached: Any,
        starts: np.ndarray | None = None,
    ) -> None:
        """Settle LANES rows: lane i goes to ``out`` from ``bases[i]`` on; values not below ``limit`` are unreached."""
        from ..kernels.cpu.sweep import sweep_rows

        lines, past = self._lines(out, bases)
        index, touched = self.climb(seeds, ends, starts)
        sweep_rows(
            self.view.down, self.view.couples, lines, self.dist, index, touched, self.offers, out, bases, limit,
            unreached, past, self.stop,
        )  # fmt: skip

    def _lines(self, out: np.ndarray, bases: np.ndarray) -> tuple[Lines, bool]:
        """Return when lines are written, and whether past the caches: a large result whose rows begin alike."""
        view, past = self.view, False
        if self.inside is None and out.nbytes >= PAST_CACHES:
            shifts = shifts_of(out, bases)
            past = bool(shifts.flat[0] >= 0 and (shifts == shifts.flat[0]).all())
        lines = view.lines(int(shifts.flat[0]) if past else 0)
        if view.cells + len(lines.kept) > len(self.dist):
            self.dist = new_lanes(view.cells + len(lines.kept), view.dtype)
        return lines, past

    def batches(self, seeds: np.ndarray, out: np.ndarray, bases: np.ndarray, limit: Any, unreached: Any) -> None:
        """Settle several batches: lane i of batch b starts from ``seeds[b, i]`` and goes to ``bases[b, i]`` on."""
        from ..kernels.cpu.batches import settle_batches

        lines, past = self._lines(out, bases)
        given = self._given(seeds)
        self.count = int(settle_batches(*given[:3], lines, *given[3:], out, bases, limit, unreached, past, self.stop))

    def fold(self, seeds: np.ndarray, gates: Gates | None, folds: Folds, limit: Any) -> None:
        """Fold the distances below ``limit`` of several batches: lane i of batch b starts from ``seeds[b, i]``."""
        from ..kernels.cpu.folds import fold_batches

        self.count = int(fold_batches(*self._given(seeds), gates, folds, limit, self.stop))

    def _given(self, seeds: np.ndarray) -> tuple[Any, ...]:
        """Return what kernels take for several batches with one seed per lane; ``count`` must be set afterwards."""
        layout, before, self.count = self.layout, self.count, 0
        given = layout.up, layout.down, layout.couples, self.core, self.closed, self.space, before
        return *given, seeds, self._at_zero, EACH_ALONE, self.dist

    def one(
        self,
        seeds: np.ndarray,
        starts: np.ndarray | None,
        row: np.ndarray,
        limit: Any,
        unreached: Any,
        threads: int = 1,
    ) -> None:
        """Settle a single row from seeds at the distances ``starts``, None for 0; threads share the subtrees."""
        layout = self.layout
        index, touched = self.climb(seeds, np.array([0, len(seeds)]), starts)
        touched = touched[: self.count + 1]
        while len(self._alone) < threads:
            self._alone.append(np.empty(layout.cells, layout.dtype))
        dist = self._alone[0]
        dist[: layout.core] = self.dist[: layout.core, 0]
        offers = np.ascontiguousarray(self.offers[: self.count, 0])
        given = index, touched, offers, row, limit, unreached
        last = len(layout.units) - 1
        pieces = min(PIECES * threads, last - 2)
        if threads == 1 or pieces < 2 or layout.n < ALONE:
            self._units(dist, 0, last, *given)
        else:
            self._units(dist, 0, 2, *given)
            self._share(threads, (2 + np.arange(pieces + 1) * (last - 2) // pieces).tolist(), given)

    def _share(self, threads: int, bounds: list[int], given: tuple[Any, ...]) -> None:
        """Settle units on several threads, in pieces, after the tops are settled."""
        pieces, tops = len(bounds) - 1, self._alone[0][: self.layout.tops]
        pending, done = itertools.count(), itertools.count(1)  # next() on them is atomic

        def work(t: int) -> bool:
            """Take pieces until none is left; the thread that ends the last piece returns True, which ends the run."""
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
        self, dist: np.ndarray, first: int, last: int, index: np.ndarray, touched: np.ndarray, offers: np.ndarray,
        row: np.ndarray, limit: Any, unreached: Any,
    ) -> None:  # fmt: skip
        """Settle some units for one source."""
        from ..kernels.cpu.sweep import sweep_one

        layout = self.layout
        sweep_one(
            layout.down, layout.couples, first, last, layout.vertices, dist, index, touched, offers, row, limit,
            unreached, self.stop,
        )  # fmt: skip

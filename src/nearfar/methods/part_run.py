"""One run over the parts of a graph: the part with the least pending offer is settled next, until none is pending.

What boundary vertices are offered is the state that parts share. A part is settled from scratch each time, from what
its boundary vertices are offered and from the seeds inside it: so a visit depends on nothing that was done before, and
the last one leaves the right distances. A worker more than there are threads reads the next part meanwhile.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..graph.parts import Part, Parts
from . import dijkstra
from .overlay import settle_overlay
from .part_steps import NO_TARGETS, settle_part
from .problem import Controls, Problem

if TYPE_CHECKING:
    from ..graph import Graph

SPARE = 0.75  # of the room that is left, in which parts are kept; allocators keep some of what is freed
WAIT = 0.05  # seconds between two looks at the stop flag


def bytes_of_worker(parts: Parts, itemsize: int) -> int:
    """Return what one worker needs: the largest part, its row, and a queue."""
    n = int(parts.sizes.max(initial=0))
    return parts.most_bytes + 2 * 8 * n + dijkstra.scratch(n, itemsize)


@dataclass
class Tally:
    """What a run did: how often a part was settled in a row, and how often one was loaded."""

    settled: int = 0
    loads: int = 0


class PartRun:
    """The state of a run: what every boundary vertex is offered in every row, and which parts are pending."""

    def __init__(
        self,
        problem: Problem,
        rows: np.ndarray,
        controls: Controls,
        parts: Parts,
        overlay: Graph | None,
        tally: Tally,
    ) -> None:
        self.problem, self.rows, self.controls, self.parts, self.tally = problem, rows, controls, parts, tally
        self.overlay = overlay
        self.ceiling, self.relaxed = problem.ceiling, 0
        rows[:] = self.ceiling
        sums = problem.starts.dtype
        self.offers = np.full((len(rows), len(parts.boundary)), self.ceiling, sums)
        self.pending = np.full((len(rows), parts.count), self.ceiling, sums)
        self.limits = np.full(len(rows), self.ceiling, sums)  # nothing beyond is asked for: targets are nearer
        self.seeds: dict[tuple[int, int], tuple[np.ndarray, np.ndarray]] = {}  # positions and starts by row and part
        self.busy: set[int] = set()
        self.change = threading.Condition()
        self.target_parts = set(parts.labels[problem.targets].tolist())
        self._seed()
        room = controls.memory - self.offers.nbytes - self.pending.nbytes
        room -= 0 if overlay is None else overlay.arc_bytes
        each = bytes_of_worker(parts, problem.dtype.itemsize)
        self.workers = int(max(1, min(controls.threads + 1, parts.count, room // each)))
        self.working = threading.Semaphore(max(1, min(controls.threads, self.workers)))
        self.shelf = Shelf(parts, SPARE * (room - self.workers * each), tally)

    def _seed(self) -> None:
        """Note the seeds of each row by part."""
        problem, parts = self.problem, self.parts
        for r in range(len(self.rows)):
            seeds = problem.seeds_of(r)
            starts = np.broadcast_to(problem.starts, len(seeds))
            labels = parts.labels[seeds]
            for p in np.unique(labels).tolist():
                inside = labels == p
                self.seeds[r, p] = parts.positions[seeds[inside]], starts[inside]
                self.pending[r, p] = starts[inside].min()

    def settle(self) -> int:
        """Settle all rows, in three phases if there is an overlay, else in rounds; return the arcs relaxed."""
        if self.overlay is not None:
            self._settle_pending(offering=False)  # the parts of the seeds, for the distances to their own boundaries
            self._solve_overlay(self.overlay)
        self._settle_pending(offering=self.overlay is None)
        return self.relaxed

    def _solve_overlay(self, overlay: Graph) -> None:
        """Give every boundary vertex its final distance in every row; then every part that is reached is pending."""
        starts = self.parts.starts
        for r in range(len(self.rows)):
            if self.controls.stopped:
                return
            within = [np.arange(starts[p], starts[p + 1]) for s, p in self.seeds if s == r]
            seeds = np.concatenate(within).astype(np.int32)
            self._settle_overlay(overlay, r, seeds)
        firsts = np.flatnonzero(np.diff(starts))
        if len(firsts):
            self.pending[:, firsts] = np.minimum.reduceat(self.offers, starts[firsts], axis=1)

    def _settle_overlay(self, overlay: Graph, r: int, seeds: np.ndarray) -> None:
        """Settle the overlay in one row from some of its vertices, at what they are offered now."""
        sums, offers = self.offers.dtype, self.offers[r]
        offers[:] = settle_overlay(overlay, seeds, offers[seeds], sums, self.ceiling, self.controls.stop)

    def _settle_pending(self, offering: bool) -> None:
        """Settle parts until none is pending; with ``offering``, settled parts make others pending."""

        def work(t: int) -> None:
            found = np.empty(int(self.parts.sizes.max(initial=0)), self.problem.dtype)
            while (p := self._take()) is not None:
                try:
                    part = self.shelf.take(p)
                    with self.working:
                        self._settle(part, found[: part.n], offering)
                finally:
                    self._put_back(p)

        small = (
            self.parts.folder is None and len(self.rows) * (self.problem.graph.n + self.problem.graph.m) < SMALL_WORK
        )
        if small:
            work(0)
        else:
            cpu.run(work, self.workers, self.controls.stop, self.controls.watch)

    def _take(self) -> int | None:
        """Return the part with the least pending distance that nobody works on; None when nothing is left to do."""
        with self.change:
            while not self.controls.stopped:
                wanted = np.where(self.pending <= self.limits[:, None], self.pending, self.ceiling).min(axis=0)
                for p in np.argsort(wanted, kind="stable").tolist():
                    if wanted[p] >= self.ceiling:
                        break
                    if p not in self.busy:
                        self.busy.add(p)
                        return p
                if not self.busy:
                    return None
                self.change.wait(WAIT)
            return None

    def _put_back(self, p: int) -> None:
        """Let others work on a part."""
        with self.change:
            self.shelf.put_back(p)
            self.busy.discard(p)
            self.change.notify_all()

    def _settle(self, part: Part, found: np.ndarray, offering: bool) -> None:
        """Settle a part in all rows in which it is pending."""
        p = part.index
        for r in range(len(self.rows)):
            if self.controls.stopped:
                return
            with self.change:
                if self.pending[r, p] >= self.ceiling or self.pending[r, p] > self.limits[r]:
                    continue
                self.pending[r, p] = self.ceiling
                seeds, starts = self._starts(r, part)
            settle_part(part, seeds, starts, self.problem.dtype, self.ceiling, self.controls.stop, found)
            if self.controls.stopped:
                return
            self.rows[r, part.vertices] = found
            with self.change:
                self._after(r, part, found[part.boundary], offering)

    def _starts(self, r: int, part: Part) -> tuple[np.ndarray, np.ndarray]:
        """Return from where a part starts in a row: its boundary vertices, and seeds of the row."""
        offers = self.offers[r, part.first : part.first + len(part.boundary)]
        seeds, starts = self.seeds.get((r, part.index), (NO_TARGETS, self.offers[r, :0]))
        return np.concatenate([part.boundary, seeds]), np.concatenate([offers, starts])

    def _after(self, r: int, part: Part, dist: np.ndarray, offering: bool) -> None:
        """Note what the boundary vertices of a settled part have now, and offer it to others."""
        from ..kernels.cpu.cuts import offer_cuts

        self.tally.settled += 1
        self.relaxed += part.graph.m
        offers = self.offers[r, part.first : part.first + len(part.boundary)]
        np.minimum(offers, dist, out=offers)
        if offering:
            offer_cuts(
                part.cut_offsets, part.cuts, offers, self.problem.zero, self.ceiling, self.parts.owners,
                self.offers[r], self.pending[r],
            )  # fmt: skip
        if part.index in self.target_parts:
            self.limits[r] = min(self.limits[r], self.rows[r, self.problem.targets].max())


class Shelf:
    """Parts that were loaded and stay in memory as long as there is room; who is used least recently makes room."""

    def __init__(self, parts: Parts, room: float, tally: Tally) -> None:
        self.parts, self.room, self.tally = parts, room, tally
        self.kept: OrderedDict[int, Part] = OrderedDict()
        self.taken: dict[int, Part] = {}
        self.lock = threading.Lock()

    def take(self, p: int) -> Part:
        """Return a part, loaded or kept; it belongs to the caller until it is put back."""
        with self.lock:
            part = self.kept.pop(p, None)
        if part is None:
            part = self.parts.load(p)
            with self.lock:
                self.tally.loads += 1
        self.taken[p] = part
        return part

    def put_back(self, p: int) -> None:
        """Keep a part if there is room for it."""
        with self.lock:
            part = self.taken.pop(p, None)
            if part is None or part.nbytes > self.room:
                return
            self.kept[p] = part
            while sum(kept.nbytes for kept in self.kept.values()) > self.room:
                self.kept.popitem(last=False)

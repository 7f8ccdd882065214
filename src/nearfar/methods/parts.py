"""`parts`: a graph that was cut into parts, of which a few are in memory at a time. Weights >= 0.

Three phases, where boundaries are small and weights are whole numbers: every part is eliminated to its boundary, once
for all queries (overlay.py); the overlay is solved from the part of the source; every part is settled from its boundary
vertices, whose distances are final then. So a query reads each part once.

Rounds, where they are not: a part is settled from what its boundary vertices are offered, and offers to others what its
cut arcs lead to; the part with the least pending offer comes first, until none is pending. Sums are formed along the
path, so floats are the same to the bit as with other methods.

Both are one loop over the parts that are pending. With exact distances on the boundaries, none is pending again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..graph.parts import Part, Parts, range_labels, split_in_memory
from ..graph.stored import StoredGraph
from . import dijkstra
from .method import Method
from .overlay import known_overlay, overlay_of
from .part_steps import NO_TARGETS, settle_part
from .problem import Controls, Problem

if TYPE_CHECKING:
    from ..graph import Graph

UNCUT = 4  # parts that a graph in memory is cut into, by ranges of indices, if it was not cut before
SEARCHES = 2000  # searches of the whole graph that finding the overlay may cost: New York in 16 parts 62, a guess
SHARE = 0.5  # of the memory that the distances between boundary vertices may take
OFFER_BYTES = 1 << 28  # of what is offered to boundary vertices, for rows that are settled together
WAIT = 0.05  # seconds between two looks at the stop flag


def parts_for(graph: Graph) -> Parts:
    """Return the parts of a graph; one that was not cut is cut in memory, by ranges of indices, and keeps them."""
    found = graph.parts
    if found is None:
        count = max(1, min(UNCUT, graph.n))
        found = graph.memo["parts"] = split_in_memory(graph, range_labels(graph.n, count), count)
    return found


def phases(graph: Graph, parts: Parts, memory: int) -> tuple[bool, str]:
    """Return whether three phases solve a graph in parts, or rounds do, and why; ``memory``: bytes that may be used."""
    share = f"{len(parts.boundary):,} of {graph.n:,} vertices are on boundaries"
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        return False, f"in rounds, since weights are floats, which three phases would add in another order; {share}"
    if "overlay" in parts.memo:
        return True, f"in three phases, the first of which is done; {share}"
    sizes = parts.boundary_sizes.astype(np.float64)
    needed = int(8 * (sizes**2).sum())
    if needed > SHARE * memory:
        pairs = f"the distances between them may take {format_bytes(needed)}, and {format_bytes(SHARE * memory)} of"
        return False, f"in rounds, since {share}: {pairs} {format_bytes(memory)} may be used for them"
    searches = float((sizes * (parts.sizes + parts.arcs)).sum()) / max(graph.n + graph.m, 1)
    if searches > SEARCHES:
        return False, f"in rounds, since {share}: the distances between them take {searches:,.0f} searches of the graph"
    return True, f"in three phases, since only {share}, with {format_bytes(needed)} of distances between them at most"


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, on threads; return the arcs of the parts that were settled."""
    relaxed: list[int] = []
    cpu.run(lambda t: relaxed.append(_solve(problem, rows, controls)), 1, controls.stop, controls.watch)
    return sum(relaxed)


def _solve(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, as many together as there is room for what is offered to boundary vertices."""
    parts = parts_for(problem.graph)
    before, overlay = parts.read_bytes, None
    known_overlay(parts)
    in_phases, _ = phases(problem.graph, parts, controls.memory)
    if in_phases and (overlay := overlay_of(parts, controls)) is None:
        return 0
    step, relaxed = rows_at_once(parts, len(rows)), 0
    tally = _Tally()
    for first in range(0, len(rows), step):
        last = min(first + step, len(rows))
        some = problem if problem.seeds is not None else replace(problem, sources=problem.sources[first:last])
        relaxed += _Run(some, rows[first:last], controls, parts, tally).settle(overlay)
        if controls.stopped:
            return relaxed
        controls.finish(first, last)
    controls.notes |= {
        "phases": 3 if in_phases else "rounds",
        "parts": parts.count,
        "boundary_vertices": len(parts.boundary),
        **({} if overlay is None else {"overlay_arcs": overlay.m}),
        "parts_settled": tally.settled,
        "parts_read": tally.loads,
        "read_bytes": parts.read_bytes - before,
    }
    return relaxed


def rows_at_once(parts: Parts, k: int) -> int:
    """Return how many of k rows are settled together."""
    return max(1, min(k, OFFER_BYTES // (8 * (len(parts.boundary) + parts.count))))


@dataclass
class _Tally:
    """What a run did: how often a part was settled in a row, and how often one was loaded."""

    settled: int = 0
    loads: int = 0


class _Run:
    """The state of a run: what every boundary vertex is offered in every row, and which parts are pending."""

    def __init__(self, problem: Problem, rows: np.ndarray, controls: Controls, parts: Parts, tally: _Tally) -> None:
        self.problem, self.rows, self.controls, self.parts, self.tally = problem, rows, controls, parts, tally
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
        space = dijkstra.scratch(int(parts.sizes.max(initial=0)), problem.dtype.itemsize)
        room = controls.memory - self.offers.nbytes - self.pending.nbytes
        each = parts.most_bytes + space
        self.workers = int(max(1, min(controls.threads + 1, parts.count, room // max(each, 1))))
        self.working = threading.Semaphore(max(1, min(controls.threads, self.workers)))
        self.shelf = _Shelf(parts, room - self.workers * each, tally)

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

    def settle(self, overlay: Graph | None) -> int:
        """Settle all rows, in three phases if there is an overlay, else in rounds; return the arcs relaxed."""
        if overlay is not None:
            self._settle_pending(offering=False)  # the parts of the seeds, for the distances to their own boundaries
            self._solve_overlay(overlay)
        self._settle_pending(offering=overlay is None)
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
        as_part = Part(0, 0, np.arange(overlay.n), overlay.offsets, overlay.arcs, NO_TARGETS, NO_TARGETS, NO_TARGETS)
        as_part.__dict__["graph"] = overlay
        sums, offers = self.offers.dtype, self.offers[r]
        offers[:] = settle_part(as_part, seeds, offers[seeds], sums, self.ceiling, self.controls.stop)

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


class _Shelf:
    """Parts that were loaded and stay in memory as long as there is room; who is used least recently makes room."""

    def __init__(self, parts: Parts, room: int, tally: _Tally) -> None:
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


def choose_parts(graph: Graph, room: int, itemsize: int) -> tuple[str, str] | None:
    """Return `parts`, and the reason, for a graph in a folder that was cut, and whose arcs do not fit into ``room``."""
    if not isinstance(graph, StoredGraph) or "arcs" in vars(graph) or graph.min_weight < 0:
        return None
    needed = graph.arc_file.nbytes + dijkstra.scratch(graph.n, itemsize)
    if needed <= room or graph.parts is None:
        return None
    return "parts", f"the arcs need {format_bytes(needed)} with a queue, and {format_bytes(max(room, 0))} may be used"


def reason(graph: Graph, memory: int) -> str:
    """Return how a graph is solved in parts, and why, in words."""
    parts = graph.parts
    if parts is None:
        return f"the graph was not cut, so {UNCUT} ranges of indices are the parts"
    known_overlay(parts)
    return f"{parts.count} parts, {phases(graph, parts, memory)[1]}"


def needs(graph: Graph, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes that k rows of a graph in parts need beside the rows: a part and a queue per thread."""
    parts = graph.parts
    if parts is None:
        return memory(graph.n, graph.m, k, threads, itemsize)
    each = parts.most_bytes + dijkstra.scratch(int(parts.sizes.max(initial=0)), itemsize)
    return each + 8 * rows_at_once(parts, k) * (len(parts.boundary) + parts.count)


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes beside the rows for a graph in memory that was not cut: its arcs once more, offers, a queue."""
    return 16 * m + 20 * n + min(8 * k * n, max(8 * n, OFFER_BYTES)) + dijkstra.scratch(n, itemsize)


METHOD = Method(
    name="parts",
    summary="a graph that was cut into parts, a few of which are in memory at a time",
    many=many,
    memory=memory,
    needs=needs,
)

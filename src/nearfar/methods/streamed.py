"""Arcs are read from the disk a few blocks at a time; vertices stay in memory. Any weights.

Whatever the order in which blocks come, the row is exact when nothing is pending in any of them
(kernels/cpu/streamed.py). So the order is chosen to read few bytes (blocks.py): the blocks with the least pending
distances come first, where neighbours lie side by side those with many such vertices, and all work that blocks in
memory allow is done before the next are taken. Several rows share the blocks: a batch is used by every row in which
something is pending there.

On a graph in memory blocks are slices of its arcs, and nothing is read.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..graph import Graph
from ..kernels.cpu.arguments import Lists
from .blocks import LEAST_SLOTS, Blocks, count_blocks, slot_bytes
from .buckets import choose_delta
from .method import Method
from .problem import Controls, Problem
from .rounds import repeat

ROWS = 16  # rows that share the blocks at most: each has a byte per vertex beside its distances
# How far the limit rises within a call, in bucket widths of `delta` (buckets.py). CPU time of New York and R-MAT 18,
# with room for a quarter of the arcs, with 1: 56 and 102 ms, 4: 28 and 97, 16: 29 and 82, 64: 44 and 82, 256: 88 and
# 76.
WIDTH = 4.0
CROWD = 0.5  # the share of blocks with pending vertices up to which their numbers count, too (blocks.py)
PYTHON = 1 / 32  # the share of memory that is left to short-lived objects
ENDLESS = 2**62  # rounds


class Rows:
    """Rows that share blocks: what is pending in each of them."""

    def __init__(self, problem: Problem, controls: Controls, blocks: Blocks, dist: np.ndarray, first: int) -> None:
        from ..kernels.cpu.streamed import start

        self.problem, self.controls, self.blocks, self.dist = problem, controls, blocks, dist
        k, n = dist.shape
        kind = np.asarray(problem.zero).dtype
        self.top = kind.type(np.inf if kind.kind == "f" else np.iinfo(kind).max)
        self.pending = np.zeros((k, n + blocks.count), np.uint8)
        self.least = np.full((k, blocks.count), self.top, kind)
        self.width = self._width(kind)
        self.lists: list[Lists] = []  # one for each thread, used again by the next
        self.relaxed = 0
        for r in range(k):
            dist[r] = problem.ceiling
            seeds = np.array(problem.seeds_of(first + r), np.int32)
            start(problem.graph.offsets, blocks.shift, seeds, problem.starts, self.pending[r], self.least[r], dist[r])

    def _width(self, kind: np.dtype[Any]) -> Any:
        """Return how far the limit rises at a time; without end if weights are negative: rounds are then counted."""
        if self.problem.graph.min_weight < 0:
            return self.top
        width = WIDTH * choose_delta(self.problem.graph)
        if kind.kind == "f":
            return kind.type(min(width, float(np.finfo(kind).max)))  # weights near the greatest float32 would overflow
        return kind.type(min(max(width, 1), ENDLESS))

    def urgency(self) -> np.ndarray:
        """Return which blocks are to be read next: those with the least numbers; infinite where there is no need."""
        from ..kernels.cpu.streamed import count_pending

        beyond = self._beyond()
        pending = np.flatnonzero(beyond < np.inf)
        if not self.blocks.is_ordered or self.width == self.top or len(pending) > CROWD * self.blocks.count:
            return beyond
        counts = np.ones(len(pending))
        count_pending(self.blocks.first, pending, self.pending, counts)
        beyond[pending] = (beyond[pending] + float(self.width)) / np.maximum(counts, 1)
        return beyond

    def _beyond(self) -> np.ndarray:
        """Return how far the least pending distance of each block is beyond the least of all, least over all rows.

        It is infinite where nothing is pending, or too far to matter for the targets.
        """
        least = self.least.astype(np.float64)
        least[self.least == self.top] = np.inf
        if len(self.problem.targets):
            least[self.least > self.dist[:, self.problem.targets].max(axis=1, keepdims=True)] = np.inf
        lowest = least.min(axis=1, keepdims=True, initial=np.inf)
        with np.errstate(invalid="ignore"):  # inf - inf: nothing is pending in this row
            return np.nan_to_num((least - lowest), copy=False, nan=np.inf, posinf=np.inf).min(axis=0)

    def relax(self, batch: np.ndarray, rounds: int = ENDLESS) -> tuple[int, bool]:
        """Relax what is pending in a batch that is in memory, in all rows; return the most rounds, and whether done."""
        k = len(self.dist)
        rows = [r for r in range(k) if k == 1 or (self.least[r, batch] != self.top).any()]
        ends: list[tuple[int, int, bool]] = []
        threads = min(self.controls.threads, len(rows)) if len(rows) > 1 else 0
        do = lambda: lambda i: ends.append(self._relax_row(rows[i], batch, rounds))  # noqa: E731
        cpu.share_out(do, len(rows), threads, self.controls.stop)
        self.relaxed += sum(relaxed for relaxed, _, _ in ends)
        return max((used for _, used, _ in ends), default=0), all(done for _, _, done in ends)

    def _relax_row(self, r: int, batch: np.ndarray, rounds: int) -> tuple[int, int, bool]:
        """Relax one row; return the arcs relaxed, the rounds, and whether nothing is pending in memory any more."""
        from ..kernels.cpu.streamed import relax

        problem, blocks, lists = self.problem, self.blocks, self._take_lists()
        relaxed, used, done = relax(
            problem.graph.offsets, blocks.arcs, blocks.shift, blocks.slots, batch, self.top, self.width, problem.zero,
            problem.floor, rounds, lists, self.pending[r], self.least[r], blocks.used, blocks.step,
            self.controls.stop, self.dist[r],
        )  # fmt: skip
        self.lists.append(lists)
        return relaxed, used, done

    def _take_lists(self) -> Lists:
        """Return lists that no other thread uses."""
        with suppress(IndexError):
            return self.lists.pop()
        n = max(self.problem.graph.n, 1)
        return Lists(np.empty(n, np.int32), np.empty(n, np.int32), np.zeros(n, np.uint8))


class Search:
    """The search of rows that share blocks, batch by batch; it can be left between batches and gone on with."""

    def __init__(self, rows: Rows, blocks: Blocks, controls: Controls) -> None:
        self.rows, self.blocks, self.controls = rows, blocks, controls
        # The rows before these may have left blocks in memory that these start in.
        self.now, self.ahead = np.flatnonzero(blocks.slots >= 0), False

    def run(self, rounds: int = ENDLESS) -> bool:
        """Work for so many rounds; return whether nothing is pending any more."""
        rows, blocks, stop = self.rows, self.blocks, self.controls.stop
        while not stop[0]:
            if not len(self.now):
                if not self.ahead and blocks.order(rows.urgency(), self.now) is None:
                    return True
                self.now = blocks.wait_for(stop)
                self.ahead = blocks.order(rows.urgency(), self.now) is not None
                continue
            used, done = rows.relax(self.now, rounds)
            if done:
                self.now = self.now[:0]
            else:  # what is left to do may be pending in any block in memory
                self.now = np.flatnonzero(blocks.slots >= 0)
            rounds -= max(used, 1)
            if rounds <= 0:
                return False
        return False


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, some at a time; return the arcs relaxed."""
    graph = problem.graph
    together = rows_together(graph, len(rows))
    blocks = Blocks(graph, room_for_blocks(graph, controls.memory - work_bytes(graph, len(rows), controls.threads)))
    relaxed: list[int] = []

    def search() -> None:
        try:
            for first in range(0, len(rows), together):
                relaxed.append(_settle(problem, controls, blocks, rows, first, min(first + together, len(rows))))
        finally:
            blocks.orders.put(None)

    if not blocks.is_read and len(rows) * (graph.m + graph.n) < SMALL_WORK:
        search()
    else:
        work = (search, lambda: blocks.read_orders(controls.stop))
        cpu.run(lambda t: work[t](), 1 + blocks.is_read, controls.stop, controls.watch)
    controls.notes.update(blocks.facts())
    return sum(relaxed)


def _settle(problem: Problem, controls: Controls, blocks: Blocks, dist: np.ndarray, first: int, last: int) -> int:
    """Settle the rows from ``first`` up to ``last`` together; return the arcs relaxed."""
    rows = Rows(problem, controls, blocks, dist[first:last], first)
    search = Search(rows, blocks, controls)
    if problem.graph.min_weight < 0:
        repeat(problem, controls, search.run, dist[first])
    else:
        search.run()
    if not controls.stopped:
        controls.finish_each(list(range(first, last)))
    return rows.relaxed


def rows_together(graph: Graph, k: int) -> int:
    """Return how many rows share the blocks; with negative weights one, since a cycle is looked for in one row."""
    return 1 if graph.min_weight < 0 else min(k, ROWS)


def work_bytes(graph: Graph, k: int, threads: int) -> int:
    """Return the bytes beside rows and blocks: what is pending, the lists of each thread, and notes on blocks."""
    count, together = count_blocks(graph), rows_together(graph, k)
    return together * (graph.n + 40 * count) + min(max(threads, 1), together) * 9 * graph.n + 64 * count


def room_for_blocks(graph: Graph, spare: int) -> int:
    """Return how many of the bytes that are left blocks may take: all but a part for what Python makes meanwhile."""
    return max(int(spare * (1 - PYTHON)), least_bytes(graph))


def least_bytes(graph: Graph) -> int:
    """Return the bytes of the least blocks that are in memory at once."""
    return min(LEAST_SLOTS, count_blocks(graph)) * slot_bytes(graph)


METHOD = Method(
    name="streamed",
    summary="arcs read from the disk a few blocks at a time, vertices in memory",
    many=many,
    memory=lambda n, m, k, threads, itemsize: min(k, ROWS) * n + 9 * min(threads, k, ROWS) * n,
    negative_weights=True,
)

"""Delta-stepping (Meyer and Sanders 2003): buckets of width delta, processed by all threads or by one. Weights >= 0.

A single source is settled by all threads together, several sources by one thread per row. The threads of a single
source share only the distances and a small pile of work (kernels/cpu/delta.py). A thread without work returns here and
sleeps, so that it does not occupy a core that is needed elsewhere.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.arguments import Adjacency, Pile
from ..kernels.cpu.constants import CHUNK, LINE, PILE
from .buckets import Buckets, choose_delta, pool_bytes, pool_entries, scale_and_window
from .heap import new_heap
from .method import Method, Settle
from .problem import Controls, Problem
from .tuning import NAP, PATIENT_RELAXATIONS

NARROWER = 16  # factor by which buckets that were too wide are narrowed


class Team:
    """The threads of one source: what they share, and what each of them owns."""

    def __init__(self, problem: Problem, controls: Controls, threads: int) -> None:
        self.problem, self.controls, self.threads = problem, controls, threads
        self.loot = np.empty((threads, CHUNK), np.int32)
        self.control = np.empty(LINE * (6 + threads), np.int64)
        sizes, levels = np.empty(PILE, np.int64), np.empty(PILE, np.int64)
        self.pile = Pile(self.control, np.empty(PILE * CHUNK, np.int32), sizes, levels)
        self.tally = np.empty(LINE * threads, np.int64)
        self.heap: Settle | None = None
        self._set_width(problem.delta if problem.delta is not None else choose_delta(problem.graph))

    def _set_width(self, delta: float) -> None:
        """Make queues with buckets of width ``delta``; unless the user chose it, limit the work it may cause."""
        problem, graph = self.problem, self.problem.graph
        self.delta = delta
        self.scale, window = scale_and_window(graph, problem.dtype, delta, problem.starts)
        self.limit = np.int64(
            2**62 if problem.delta is not None else PATIENT_RELAXATIONS * graph.m / self.threads + 1024
        )
        # Threads drift apart: with twice the window, work that one takes over from another is still inside it.
        self.queues = [Buckets(pool_entries(graph.n, self.threads), 2 * window) for _ in range(self.threads)]

    def settle(self, seeds: np.ndarray, dist: np.ndarray) -> int:
        """Settle one row with all threads; start again with larger pools or narrower buckets if necessary."""
        from ..kernels.cpu.pile import STOP

        while self.heap is None:
            self._work_all(self._start(seeds, dist), dist)
            if self.controls.stop[0] or not self.control[STOP]:
                return int(self.tally.sum())
            self._adapt()
        return self._with_heap(seeds, dist)

    def _with_heap(self, seeds: np.ndarray, dist: np.ndarray) -> int:
        """Settle the row with the heap; with several threads not on the caller's, which must receive Ctrl-C."""
        assert self.heap is not None
        settle, relaxed = self.heap, [0]
        if self.threads == 1:
            return settle(seeds, dist)

        def work(t: int) -> None:
            relaxed[0] = settle(seeds, dist)

        cpu.run(work, 1, self.controls.stop)
        return relaxed[0]

    def _adapt(self) -> None:
        """Remove the cause why the threads gave up: larger pools, else narrower buckets, in the end a heap."""
        full = [queue for queue in self.queues if queue.is_full()]
        for queue in full:
            queue.grow()
        if not full and self.delta * NARROWER**2 > choose_delta(self.problem.graph):
            self._set_width(self.delta / NARROWER)
        elif not full:
            self.controls.notes["queue"] = "heap"
            self.heap = new_heap(self.problem, self.controls)

    def _start(self, seeds: np.ndarray, dist: np.ndarray) -> list[np.ndarray]:
        """Put the seeds at their starting distances; return each thread's share of them."""
        from ..kernels.cpu.pile import BUSY, LEVELS

        dist[:] = self.problem.ceiling
        dist[seeds] = self.problem.starts
        shares = [np.ascontiguousarray(seeds[t :: self.threads]) for t in range(self.threads)]
        self.tally[:] = 0
        self.control[:] = 0
        self.control[LEVELS:] = np.iinfo(np.int64).max
        self.control[BUSY] = sum(len(share) > 0 for share in shares)
        return shares

    def _work_all(self, shares: list[np.ndarray], dist: np.ndarray) -> None:
        """Let every thread work from its share of the seeds until no work is left."""
        if self.threads == 1:
            self._work(0, shares[0], dist)
        else:
            cpu.run(lambda t: self._work(t, shares[t], dist), self.threads, self.controls.stop)

    def _work(self, t: int, seeds: np.ndarray, dist: np.ndarray) -> bool:
        """Work as thread ``t``, and sleep while there is no work; return whether the row is finished."""
        from ..kernels.cpu.delta import DONE, HUNGER, work

        problem, controls, graph = self.problem, self.controls, self.problem.graph

        adjacency = Adjacency(graph.offsets, graph.arcs, graph.leaves)

        def call(share: np.ndarray) -> Any:
            return work(
                t, self.threads, adjacency, share, self.scale, problem.zero, self.limit, self.pile,
                self.queues[t].queue, self.loot[t], controls.stop, self.tally, dist,
            )  # fmt: skip

        outcome = call(seeds)
        while outcome == HUNGER:
            time.sleep(NAP)
            outcome = call(seeds[:0])
        return bool(outcome == DONE)


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles rows one after the other, each on the calling thread alone."""
    return Team(problem, controls, threads=1).settle


def together(problem: Problem, row: np.ndarray, controls: Controls) -> int:
    """Settle the only row with all threads; return the arcs relaxed."""
    return Team(problem, controls, controls.threads).settle(problem.seeds_of(0), row)


def scratch(n: int, itemsize: int) -> int:
    """Return the bytes of one worker."""
    return pool_bytes(n) + n // 8


METHOD = Method(
    name="delta",
    summary="delta-stepping: buckets of width delta, all threads on one source",
    new_worker=new_worker,
    scratch=scratch,
    together=together,
)

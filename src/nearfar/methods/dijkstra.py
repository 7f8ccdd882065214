"""Vertices in order of distance (Dijkstra 1959): a bucket queue if the weights suit it, otherwise a heap. Weights >= 0.

Whether buckets suit is found by trying: a row that relaxes arcs far more often than once each (as happens with weights
of very different sizes) is started again with the heap, and the rows after it use the heap too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .buckets import pool_bytes, queues_for
from .heap import heap_bytes, new_heap
from .method import Method, Settle
from .problem import Controls, Problem


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles a row from its seeds, or several rows of one seed each."""
    with_buckets = _new_buckets(problem, controls)
    with_heap: Settle | None = None

    def settle(seeds: np.ndarray, dist: np.ndarray) -> int:
        nonlocal with_heap
        rows, settled, relaxed = dist if dist.ndim == 2 else dist[None], 0, 0
        if with_heap is None:
            settled, relaxed = with_buckets(seeds, rows)
            if settled == len(rows) or controls.stop[0]:
                return relaxed
            controls.notes["queue"] = "heap"
            with_heap = new_heap(problem, controls)
        for r in range(settled, len(rows)):
            if not controls.stop[0]:
                relaxed += with_heap(seeds if len(rows) == 1 else seeds[r : r + 1], rows[r])
        return relaxed

    return settle


def _new_buckets(problem: Problem, controls: Controls) -> Callable[[np.ndarray, np.ndarray], tuple[int, int]]:
    """Return a function that settles rows with bucket queues, as far as these suit the weights.

    It returns how many rows it settled, and the arcs relaxed.
    """
    graph, queues = problem.graph, queues_for(problem)

    def settle(seeds: np.ndarray, rows: np.ndarray) -> tuple[int, int]:
        queue, settled, relaxed = queues.take(), 0, 0
        while True:
            more, arcs = queues.settle_rows(
                graph.offsets, graph.arcs, graph.leaves, seeds if settled == 0 else seeds[settled:], problem.starts,
                problem.targets, queues.scale, problem.ceiling, problem.zero, queues.limit, queue.pool, queue.ends,
                queue.state, controls.stop, rows if settled == 0 else rows[settled:],
            )  # fmt: skip
            settled, relaxed = settled + more, relaxed + arcs
            if settled == len(rows) or controls.stop[0] or not queue.is_full():
                queues.spare.append(queue)
                return settled, relaxed
            queue.grow()

    return settle


def scratch(n: int, itemsize: int) -> int:
    """Return the bytes of one worker."""
    return max(pool_bytes(n), heap_bytes(n)) + n // 8


METHOD = Method(
    name="dijkstra",
    summary="vertices in order of distance, from a bucket queue or a heap",
    new_worker=new_worker,
    scratch=scratch,
    in_order=True,
    shares=True,
    aliases=("dij",),
)

"""Vertices in order of distance (Dijkstra 1959): a bucket queue if the weights suit it, otherwise a heap. Weights >= 0.

Whether buckets suit is found by trying: a row that relaxes arcs far more often than once each (as happens with weights
of very different sizes) is started again with the heap, and the rows after it use the heap too.
"""

from __future__ import annotations

import numpy as np

from ..kernels.cpu.arguments import Adjacency
from .buckets import Buckets, choose_delta, pool_bytes, pool_entries, scale_and_window
from .heap import heap_bytes, new_heap
from .method import Method, Settle
from .problem import Controls, Problem
from .tuning import PATIENT_RELAXATIONS


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles rows one after the other, keeping its queue."""
    from ..kernels.cpu.dijkstra import settle

    graph = problem.graph
    adjacency = Adjacency(graph.offsets, graph.arcs, graph.leaves)
    delta = problem.delta if problem.delta is not None else choose_delta(graph)
    scale, window = scale_and_window(graph, problem.dtype, delta, problem.starts)
    limit = np.int64(PATIENT_RELAXATIONS * graph.m + 1024)
    buckets: Buckets | None = Buckets(pool_entries(graph.n), window)
    with_heap: Settle | None = None

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        nonlocal buckets, with_heap
        while buckets is not None:
            relaxed = settle(
                adjacency, seeds, problem.starts, problem.targets, scale, problem.ceiling, problem.zero, limit,
                buckets.queue, controls.stop, dist,
            )  # fmt: skip
            if relaxed >= 0 or controls.stop[0]:
                return int(abs(relaxed))
            if buckets.is_full():
                buckets.grow()
            else:
                buckets = None
        if with_heap is None:
            controls.notes["queue"] = "heap"
            with_heap = new_heap(problem, controls)
        return with_heap(seeds, dist)

    return row


def scratch(n: int, itemsize: int) -> int:
    """Return the bytes of one worker."""
    return max(pool_bytes(n), heap_bytes(n)) + n // 8


METHOD = Method(
    name="dijkstra",
    summary="vertices in order of distance, from a bucket queue or a heap",
    new_worker=new_worker,
    scratch=scratch,
    in_order=True,
    aliases=("dij",),
)

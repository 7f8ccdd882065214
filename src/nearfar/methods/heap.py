"""Rows settled with a heap (kernels/cpu/heap.py): for `dijkstra` if buckets do not suit, and for `johnson`."""

from __future__ import annotations

import numpy as np

from .method import Settle
from .problem import Controls, Problem
from .tuning import PATIENT_RELAXATIONS


def new_heap(problem: Problem, controls: Controls, potential: np.ndarray | None = None) -> Settle:
    """Return a function that settles rows with an indexed heap, ordered by the potential if there is one."""
    from ..kernels.cpu.heap import settle

    graph = problem.graph
    key_type = np.dtype(type(problem.zero))
    order = np.empty(0, key_type) if potential is None else potential.astype(key_type)
    targets = problem.targets if potential is None else np.empty(0, np.int32)
    heap, keys, positions = np.empty(graph.n, np.int32), np.empty(graph.n, key_type), np.empty(graph.n, np.int32)
    limit = np.int64(2**62 if potential is None else PATIENT_RELAXATIONS * graph.m + 1024)

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        """Return the arcs relaxed, less than 0 if it gave up."""
        relaxed = settle(
            graph.offsets, graph.arcs, seeds, problem.starts, targets, order, problem.ceiling, problem.zero, limit,
            heap, keys, positions, controls.stop, dist,
        )  # fmt: skip
        return int(relaxed)

    return row


def heap_bytes(n: int) -> int:
    """Return the bytes of one heap."""
    return (4 + 8 + 4) * n

"""Negative weights with many sources: one potential, then a heap for each source (Johnson 1977).

The potential h is the distance from all the sources at once, found by `frontier`: on every arc (u, v) that a source can
reach, ``w + h[u] - h[v] >= 0``. A negative cycle that no source reaches does no harm.
"""

from __future__ import annotations

import numpy as np

from . import frontier
from .heap import heap_bytes, new_heap
from .method import Method, Settle
from .problem import Controls, Problem


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles rows with a heap ordered by the potential, which the first worker computes."""
    in_order = new_heap(problem, controls, find_potential(problem, controls))

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        relaxed = in_order(seeds, dist)
        if relaxed < 0 and not controls.stop[0]:  # rounding changed the order of floats
            relaxed = frontier.new_worker(problem, controls)(seeds, dist)
        return relaxed

    return row


def find_potential(problem: Problem, controls: Controls) -> np.ndarray:
    """Return the distances from all sources at once; the first worker computes them for all."""

    def find() -> np.ndarray:
        row = np.empty(problem.graph.n, problem.dtype)
        frontier.new_worker(problem, controls)(problem.all_seeds, row)
        return row

    potential: np.ndarray = controls.once("potential", find)
    return potential


def scratch(n: int, itemsize: int) -> int:
    """Return the bytes of one worker."""
    return heap_bytes(n) + 2 * itemsize * n


METHOD = Method(
    name="johnson",
    summary="one potential for all sources, then a heap in order of distance",
    new_worker=new_worker,
    scratch=scratch,
    negative_weights=True,
)

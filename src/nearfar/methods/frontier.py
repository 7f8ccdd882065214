"""Only vertices whose distance changed relax their arcs, round after round (kernels/cpu/frontier.py). Any weights.

The work is proportional to what changes, so it suits graphs where little changes per round. Vertices come in no order,
so one vertex may relax its arcs many times.
"""

from __future__ import annotations

import numpy as np

from .method import Method, Settle
from .problem import Controls, Problem
from .rounds import repeat


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles rows one after the other, keeping its lists."""
    from ..kernels.cpu.frontier import relax_rounds

    graph = problem.graph
    frontier, following = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
    queued = np.empty(graph.n, np.uint8)

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        dist[:] = problem.ceiling
        dist[seeds] = problem.starts
        start = np.unique(seeds)
        size, total = len(start), 0
        frontier[:size] = start
        queued[:] = 0
        queued[start] = 1

        def rounds(budget: int) -> bool:
            nonlocal size, total
            size, relaxed = relax_rounds(
                graph.offsets,
                graph.arcs,
                problem.zero,
                problem.floor,
                budget,
                size,
                frontier,
                following,
                queued,
                controls.stop,
                dist,
            )
            total += relaxed
            return size == 0

        repeat(problem, controls, rounds, dist)
        return total

    return row


def scratch(n: int, itemsize: int) -> int:
    """Return the bytes of one worker."""
    return (4 + 4 + 1) * n


METHOD = Method(
    name="frontier",
    summary="only changed vertices relax their arcs, in rounds",
    new_worker=new_worker,
    scratch=scratch,
    negative_weights=True,
    aliases=("spfa",),
)

"""Bellman-Ford in rounds: relax every arc until a round changes nothing (kernels/cpu/edge.py). Any weights.

The most regular method: no queue, no order. Best on small or shallow graphs, worst on road networks.
"""

from __future__ import annotations

import numpy as np

from .method import Method, Settle
from .problem import Controls, Problem
from .rounds import repeat


def new_worker(problem: Problem, controls: Controls) -> Settle:
    """Return a function that settles one row after the other; it keeps nothing between them."""
    from ..kernels.cpu.edge import relax_rounds

    graph = problem.graph

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        dist[:] = problem.ceiling
        dist[seeds] = problem.starts
        total = 0

        def rounds(budget: int) -> bool:
            nonlocal total
            changed, used = relax_rounds(
                graph.offsets, graph.arcs, problem.zero, problem.ceiling, problem.floor, budget, controls.stop, dist
            )
            total += used * graph.m
            return not changed

        repeat(problem, controls, rounds, dist)
        return total

    return row


METHOD = Method(
    name="edge",
    summary="relax every arc, in rounds, until a round changes nothing",
    new_worker=new_worker,
    scratch=lambda n, itemsize: 0,
    negative_weights=True,
)

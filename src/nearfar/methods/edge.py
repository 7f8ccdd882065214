"""Bellman-Ford in rounds: relax every arc until a round changes nothing. Takes negative weights.

The most regular method: no queue, no order. Best on small or shallow graphs, worst on road networks.
"""

from __future__ import annotations

import numpy as np

from .gpu_edge import Edge
from .method import Job, Method, OnGpu, Settle
from .rounds import repeat


def new_worker(job: Job) -> Settle:
    """Return a function that settles one row after the other; it keeps nothing between them."""
    from ..kernels.edge import relax_rounds

    graph = job.graph

    def row(seeds: np.ndarray, dist: np.ndarray) -> int:
        dist[:] = job.ceiling
        dist[seeds] = job.zero
        total = 0

        def rounds(budget: int) -> bool:
            nonlocal total
            changed, used = relax_rounds(
                graph.offsets, graph.arcs, job.zero, job.ceiling, job.floor, budget, job.stop, dist
            )
            total += used * graph.m
            return not changed

        repeat(job, rounds, dist)
        return total

    return row


METHOD = Method(
    name="edge",
    summary="relax every arc, in rounds, until a round changes nothing",
    new_worker=new_worker,
    scratch=lambda n, itemsize: 0,
    negative_weights=True,
    on_gpu=OnGpu(Edge, scratch=0, arc_bytes=4, streams=True, keeps=("tails",)),
)

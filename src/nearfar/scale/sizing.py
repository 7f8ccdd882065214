"""How many rows make a task: enough that giving it out is little beside it, few enough for balance and for memory."""

from __future__ import annotations

import numpy as np

from ..engine.candidates import outlook_of
from ..engine.estimate import seconds_on_cpu
from ..engine.planner import Plan
from ..engine.query import Query
from ..engine.tuning import BLOCK_ROWS
from ..kernels.cpu.constants import LANES
from .cluster import Cluster

# Seconds that a task should take: what Dask and we do per task takes some 3 ms of CPU time. Expected times may be wrong
# by a factor of two or three (engine/estimate.py). Chosen for an overhead below 5 %; bench/cluster.py measures it.
USUAL, LEAST = 1.0, 0.2
PIECES = 6  # tasks per thread of a worker, so that all end together
ANSWER_BYTES = 1 << 26  # of one answer
COPIES = 3  # of a row that a worker has at once: as it is settled, as it waits, as it is sent
SAMPLE_ROWS = 1024  # by which the time of a row is estimated


def rows_per_task(
    query: Query, plan: Plan, cluster: Cluster, memory: int, returned: float = 0.0, held: int = 0, factor: float = 1.0
) -> int:
    """Return how many rows make a task.

    Parameters
    ----------
    query, plan
        All rows, and how they are found.
    memory : int
        The bytes that a task may use.
    returned : float
        Bytes per row that come back.
    held : int
        Bytes per row that a worker holds at once.
    factor : float
        How much longer a row takes than to settle it.
    """
    k, slots = len(query.sources), max(1, sum(worker.threads for worker in cluster.workers().values()))
    if plan.method == "floyd":
        return max(1, k)
    graph = query.graph
    sample = seconds_on_cpu(graph, SAMPLE_ROWS, plan.method, 1, plan.dtype.itemsize, True, outlook_of(graph))
    row = max(1e-9, factor * sample / SAMPLE_ROWS)
    size = min(-(-k // (PIECES * slots)), int(USUAL / row))
    size = max(size, int(LEAST / row), 1)
    unit = LANES if plan.method == "prepared" else BLOCK_ROWS if plan.method == "bfs" and size >= BLOCK_ROWS else 1
    size = -(-size // unit) * unit
    if returned:
        size = min(size, int(ANSWER_BYTES / returned))
    if held:
        size = min(size, memory // held)
    return max(1, min(size, k))


def pieces_of(sources: np.ndarray, size: int) -> list[np.ndarray]:
    """Return sources in pieces of so many."""
    return [sources[low : low + size] for low in range(0, len(sources), size)]

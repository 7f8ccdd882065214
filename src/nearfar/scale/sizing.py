"""How many rows make a task: enough that giving it out is little beside it, few enough for balance and for memory."""

from __future__ import annotations

import numpy as np

from ..devices import cpu
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
PIECES = 24  # tasks per thread of a worker: at the end, workers wait for each other for at most one of them
ANSWER_BYTES = 1 << 26  # of one answer
COPIES = 3  # of a row that a worker has at once: as it is settled, as it waits, as it is sent
WAITING = 4  # answers in the caller's memory at least, as they are received
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
    k, graph = len(query.sources), query.graph
    if plan.method == "floyd":
        return max(1, k)
    sample = seconds_on_cpu(graph, SAMPLE_ROWS, plan.method, 1, plan.dtype.itemsize, True, outlook_of(graph))
    size = rows_by_seconds(k, cluster, factor * sample / SAMPLE_ROWS)
    unit = LANES if plan.method == "prepared" else BLOCK_ROWS if plan.method == "bfs" and size >= BLOCK_ROWS else 1
    size = -(-size // unit) * unit
    if returned:
        size = min(size, int(ANSWER_BYTES / returned))
    if held:
        size = min(size, memory // held)
    return max(1, min(size, k))


def rows_by_seconds(k: int, cluster: Cluster, row: float) -> int:
    """Return how many of ``k`` rows make a task if one takes so many seconds."""
    row, slots = max(1e-9, row), max(1, slots_of(cluster))
    size = min(-(-k // (PIECES * slots)), int(USUAL / row))
    return max(1, min(max(size, int(LEAST / row)), k))


def slots_of(cluster: Cluster) -> int:
    """Return how many tasks the workers of a cluster do at a time."""
    return sum(worker.threads for worker in cluster.workers().values())


def answers_at_once(query: Query, cluster: Cluster, answer: int) -> int:
    """Return how many answers of so many bytes may be under way, or wait in the caller's memory for their turn."""
    available = cpu.facts().memory if query.memory is None else query.memory
    return max(WAITING, min(2 * slots_of(cluster) + 2, available // (4 * max(1, answer))))


def pieces_of(sources: np.ndarray, size: int) -> list[np.ndarray]:
    """Return sources in pieces of so many."""
    return [sources[low : low + size] for low in range(0, len(sources), size)]

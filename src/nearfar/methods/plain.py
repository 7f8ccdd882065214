"""Rows by `dijkstra`, for what needs some on its way to something else; queries take the one road (solve.py)."""

from __future__ import annotations

import numpy as np

from .. import limits
from ..graph import Graph
from . import dijkstra
from .batches import SettleBatch, run_batches
from .method import Job


def plain_rows(
    graph: Graph, sources: np.ndarray, threads: int, stop: np.ndarray, wanted: np.dtype | None = None
) -> np.ndarray:
    """Return the distances from each source, a row each, in the smallest type that holds them, or in ``wanted``.

    Weights are not negative. When ``stop`` is raised, what is returned is not complete.
    """
    for dtype in limits.choose_types(graph, wanted, negative=False):
        rows = np.empty((len(sources), graph.n), dtype)
        if _settled(new_job(graph, sources, rows, threads, stop)):
            return rows
    raise limits.overflow(graph, rows.dtype, given=False)


def new_job(graph: Graph, sources: np.ndarray, rows: np.ndarray, threads: int, stop: np.ndarray) -> Job:
    """Return the job of settling whole rows."""
    ceiling, zero = limits.ceiling_and_zero(graph, None, rows.dtype)
    floor = limits.floor_of(graph, rows.dtype)
    numbers = np.asarray(sources, np.int32)
    return Job(graph, rows, numbers, None, ceiling, zero, floor, numbers[:0], threads, None, stop=stop)


def _settled(job: Job) -> bool:
    """Settle all rows; return whether every distance fits."""
    misfits: list[int] = []

    def finish(r: int) -> None:
        if not limits.finish_row(job.graph, None, None, job.ceiling, job.rows[r]):
            misfits.append(r)

    job.finish = finish

    def new_worker() -> SettleBatch:
        settle = dijkstra.new_worker(job)
        return lambda batch: settle(job.sources[batch], job.rows[batch[0]])

    effort = len(job.rows) * (job.graph.n + job.graph.m)
    run_batches(job, list(np.arange(len(job.rows))[:, None]), new_worker, effort)
    return not misfits

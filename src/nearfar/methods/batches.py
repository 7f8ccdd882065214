"""Rows settled many at a time: batches of rows shared out over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..constants import SMALL_JOB
from ..devices import cpu
from .method import Job

SettleBatch = Callable[[np.ndarray], int]
"""Settle the rows of these numbers: ``settle(batch)`` returns the arcs relaxed."""


def run_batches(
    job: Job, batches: Sequence[np.ndarray], new_worker: Callable[[], SettleBatch], effort: int | None = None
) -> int:
    """Settle batches of rows on the job's threads, the next free thread the next batch; return the arcs relaxed.

    ``new_worker`` makes what one thread needs. ``effort`` counts steps: few of them run on the caller's thread.
    """
    relaxed: list[int] = []

    def worker() -> Callable[[int], None]:
        settle = new_worker()

        def do(b: int) -> None:
            relaxed.append(settle(batches[b]))
            for r in batches[b].tolist():
                if job.stop[0]:
                    return
                job.finish(r)

        return do

    few = effort is not None and effort < SMALL_JOB
    cpu.share_out(worker, len(batches), 0 if few else job.threads, job.stop, job.watch)
    return sum(relaxed)

"""Rows settled many at a time: batches of rows shared out over threads."""

from __future__ import annotations

import itertools
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
    pending = itertools.count()  # next() on it is atomic

    def work(t: int) -> None:
        settle = new_worker()
        for b in pending:
            if b >= len(batches) or job.stop[0]:
                return
            relaxed.append(settle(batches[b]))
            for r in batches[b].tolist():
                if job.stop[0]:
                    return
                job.finish(r)

    if effort is not None and effort < SMALL_JOB:
        work(0)
    else:
        cpu.run(work, max(1, min(job.threads, len(batches))), job.stop, job.watch)
    return sum(relaxed)

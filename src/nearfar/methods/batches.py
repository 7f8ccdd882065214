"""Rows settled many at a time: batches of rows shared out over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_JOB
from .problem import Controls

SettleBatch = Callable[[np.ndarray], int]
"""Settle the rows of these numbers: ``settle(batch)`` returns the arcs relaxed."""


def run_batches(
    controls: Controls,
    batches: Sequence[np.ndarray],
    new_worker: Callable[[], SettleBatch],
    effort: int | None = None,
) -> int:
    """Settle batches of rows, each thread the next one when it is free; return the arcs relaxed.

    ``new_worker`` makes what one thread needs. ``effort`` counts steps: few of them run on the caller's thread.
    """
    relaxed: list[int] = []

    def worker() -> Callable[[int], None]:
        settle = new_worker()

        def do(b: int) -> None:
            relaxed.append(settle(batches[b]))
            for r in batches[b].tolist():
                if controls.stop[0]:
                    return
                controls.finish(r)

        return do

    few = effort is not None and effort < SMALL_JOB
    cpu.share_out(worker, len(batches), 0 if few else controls.threads, controls.stop, controls.watch)
    return sum(relaxed)

"""Batches of rows, settled together, distributed over threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from .problem import Controls

SettleBatch = Callable[[np.ndarray], int]
"""Settle the rows with these indices: ``settle(batch)`` returns the arcs relaxed."""


def run_batches(
    controls: Controls,
    batches: Sequence[np.ndarray],
    new_worker: Callable[[], SettleBatch],
    effort: int | None = None,
) -> int:
    """Settle batches of rows; a free thread takes the next batch. Return the arcs relaxed.

    ``new_worker`` makes what one thread needs. ``effort`` estimates the steps; little work runs on the caller's thread.
    """
    relaxed: list[int] = []

    def worker() -> Callable[[int], None]:
        settle = new_worker()

        def do(b: int) -> None:
            relaxed.append(settle(batches[b]))
            controls.finish_each(batches[b].tolist())

        return do

    few = effort is not None and effort < SMALL_WORK
    cpu.share_out(worker, len(batches), 0 if few else controls.threads, controls.stop, controls.watch)
    return sum(relaxed)

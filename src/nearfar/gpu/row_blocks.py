"""The rows of a query on GPUs: handed out in blocks to the devices as they become free, and copied home when settled.

A block takes about LAUNCH_SECONDS, so that devices share rows by their speed, and a run can stop between two blocks.
With two buffers of rows, a block is copied while the next is settled; only one copy is under way at a time.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np

from ..devices.arrays import DeviceArray
from ..results.limits import Ending
from .method import Engine
from .tuning import LAUNCH_SECONDS
from .work import Work


class Rows:
    """The rows of a query, handed out in blocks to the devices as they become free."""

    def __init__(self, dist: np.ndarray | DeviceArray, ending: Ending | None = None) -> None:
        self.dist, self.ending = dist, ending  # the latter for rows that stay on the device
        self._next, self._lock = 0, threading.Lock()

    def take(self, count: int) -> range:
        """Return the next rows, at most ``count``."""
        with self._lock:
            first = self._next
            self._next = min(first + count, len(self.dist))
            return range(first, self._next)


class Downloads:
    """Copies settled rows to the host: where the layout has two buffers, while the next block is settled."""

    def __init__(self, work: Work, engine: Engine, rows: Rows) -> None:
        self.work, self.engine, self.rows = work, engine, rows
        self._other = work.empty(engine.dist.count, work.key) if work.layout.row_buffers == 2 else None

    def begin(self, block: range) -> None:
        """Copy settled rows, or begin to; then the next rows go to the other buffer."""
        work, engine = self.work, self.engine
        work.meanwhile()  # the rows before these are on the host before their buffer is written again
        if work.controls.stop[0]:
            return
        assert isinstance(self.rows.dist, np.ndarray)
        rows = self.rows.dist[block.start : block.stop]
        if self._other is None:
            work.fetch(engine.dist, rows)
            self._finish(block)
            return
        wait = work.begin_fetch(engine.dist, rows)
        work.later(lambda: self._collect(block, wait))
        engine.dist, self._other = self._other, engine.dist

    def _collect(self, block: range, wait: Callable[[], None]) -> None:
        """Wait for rows and finish them."""
        if not self.work.controls.stop[0]:
            wait()
            self._finish(block)

    def _finish(self, block: range) -> None:
        """Report rows as finished."""
        for r in block:
            self.work.controls.finish(r)


def blocks_of(work: Work, rows: Rows, least: int) -> Iterator[range]:
    """Yield blocks of rows that take about LAUNCH_SECONDS each, multiples of ``least``, until none is left."""
    layout = work.layout
    count = min(least, layout.rows)
    for launch in itertools.count(1):
        began = time.perf_counter()
        block = rows.take(count)
        if not block or work.controls.stop[0]:
            work.notes["launches_of_rows"] = launch - 1
            return
        yield block
        spent = max(time.perf_counter() - began, 1e-6)
        fitting = max(int(len(block) * LAUNCH_SECONDS / spent) // least, 1) * least
        count = min(fitting, 4 * count, layout.rows)

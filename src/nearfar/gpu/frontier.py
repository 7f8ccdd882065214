"""`frontier` on a GPU: only changed vertices relax their arcs (kernels/gpu/frontier.cl); can use arc batches.

The kernels read their progress from a record on the device. The launch loop launches many rounds ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.device import Buffer
from .arc_batches import ArcBatches, Window
from .launch_loop import LaunchLoop
from .method import Budget, StreamingMethod
from .tuning import FEW_VERTICES
from .work import AT_SOURCE, UNDER_WAY, Work

STEM = "frontier"
LEFT, FELL, ROUND, SIZES, CONTROL_SIZE = 0, 1, 2, 3, 8  # as in kernels/gpu/frontier.cl


class Frontier:
    """Lists and records of one run, for one row by all groups or for one row per group."""

    def __init__(self, work: Work) -> None:
        self.work, self.n = work, work.problem.graph.n
        layout, n = work.layout, self.n
        groups = 1 if work.layout.rows == 1 else layout.groups  # each with its own lists
        self.windowed = layout.batches > 1
        self.dist = work.distances()
        self.least_rows = layout.groups
        self.stamps = work.filled(groups * n, np.int32, -1)
        self.lists = work.empty(groups * 2 * (n + 2 * layout.parts), np.int32)
        self.control = work.zeros(groups * CONTROL_SIZE, np.int32)
        self.offsets = work.offsets()
        if self.windowed:
            self.changed = work.zeros(layout.rows * n, np.int32)
            self.waiting = work.zeros(layout.rows * layout.batches, np.int32)
            self.since = work.zeros(layout.batches, np.int32)
            self.found = work.zeros(2 + min(FEW_VERTICES, n // 8), np.int32)

    def reset(self, rows: int) -> None:
        """Fill the first ``rows`` rows as unreached."""
        self.work.device.fill(self.dist, self.work.ceiling, rows * self.n)
        if self.windowed:
            self.work.device.fill(self.changed, 0, rows * self.n)
            self.work.device.fill(self.waiting, 0, rows * self.work.layout.batches)

    def restart(self) -> None:
        """Make ready for another single row."""
        self.reset(1)
        self.work.device.fill(self.stamps, -1)
        self.work.device.fill(self.control, 0)

    def arguments(self, window: Window | None) -> tuple[Any, ...]:
        """Return the arguments that every kernel takes first."""
        work = self.work
        arcs = work.arcs() if window is None else window.arcs
        first = (
            self.offsets, arcs, np.int32(self.n), np.int32(work.layout.parts), work.floor, work.ceiling, self.dist,
            self.stamps, self.lists, self.control,
        )  # fmt: skip
        if window is None:
            return first
        span = (np.int64(window.base), np.int64(window.end), np.int64(work.layout.batch))
        return (*first, *span, np.int32(window.step), np.int32(window.is_sparse), self.changed, self.waiting)

    def kernel(self, name: str, alone: bool = False) -> Any:
        """Return a kernel of this method; ``alone``: one in which a group works by itself."""
        return self.work.kernel(STEM, f"frontier_{name}", WINDOWED=int(self.windowed), ALONE=int(alone))

    # One row, by all groups.

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds at their starting distances."""
        size, given = self.work.layout.group_size, self.work.device.upload(seeds)
        self.kernel("start")(1, size, *self.arguments(None), given, self.work.starts(), np.int32(len(seeds)))

    def settle(self, loop: LaunchLoop, window: Window | None = None) -> None:
        """Run rounds until no vertex is listed."""
        device, layout = self.work.device, self.work.layout
        shared, small = (*self.arguments(window), self.work.tally), self.work.small
        wide, narrow, share = self.kernel("wide"), self.kernel("narrow", alone=True), self.work.share

        def launch(count: int, budget: np.int32) -> None:
            for _ in range(count):
                wide(layout.groups, layout.group_size, *shared, small, share)
                narrow(1, layout.group_size, *shared, small, share, budget)

        def look() -> tuple[bool, bool]:
            control = device.get(self.control)
            self.work.notes["rounds"] = int(control[ROUND])
            is_over = not control[SIZES + 2 * (control[ROUND] & 1) :][:2].any()
            return is_over and not control[FELL], bool(control[FELL] or control[LEFT] <= 0)

        def allow(rounds: int) -> None:
            device.write(self.control, np.array([rounds, 0], np.int32))

        loop.go(launch, look, allow, self.dist)

    # Arcs in batches.

    def begin(self, seeds: np.ndarray, window: Window, apart: bool) -> None:
        """Put the seeds of one row where they start, or (``apart``) one source per row at 0; note their batches."""
        groups, size = self.work.items(len(seeds))
        given = self.work.device.upload(seeds)
        self.kernel("begin")(
            groups, size, *self.arguments(window), given, self.work.starts(), np.int32(len(seeds)), np.int32(apart),
            np.int32(self.work.layout.batches),
        )  # fmt: skip

    def settle_few(self, batches: ArcBatches) -> bool:
        """Relax the pending arcs of all batches at once, if they are few; return whether they were."""
        work, device = self.work, self.work.device
        if work.problem.graph.min_weight < 0:
            return False  # a small negative cycle would stay small for ever, and would never be checked for
        device.write(self.since, batches.since)
        device.fill(self.found, 0)
        least, most = np.int32(batches.since.min()), np.int32(self.found.count - 2)
        self.kernel("pending")(
            *work.items(self.n), *self.arguments(batches.start()), self.since, least, self.found, most
        )
        few = batches.few_arcs(device.get(self.found))
        if few is None:
            return False
        window, vertices, ends = few
        count = np.int32(len(vertices))
        given = device.upload(vertices), device.upload(ends), count
        groups, size = work.runs(int(ends[-1]))
        self.kernel("sparse")(min(groups, work.layout.groups), size, *self.arguments(window), work.tally, *given)
        return True

    def settle_window(self, loop: LaunchLoop, batches: ArcBatches, window: Window) -> None:
        """Run rounds on the arcs of a window until no vertex is listed."""
        layout = self.work.layout
        span = (np.int32(window.first), np.int32(window.last), np.int32(window.since))
        self.kernel("gather")(layout.groups, layout.group_size, *self.arguments(window), *span)
        self.settle(loop, window)

    # One row per group.

    def set_sources(self, sources: np.ndarray) -> None:
        """Do nothing: the group that settles a row starts it."""

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states in which rows begin."""
        return np.full(rows, UNDER_WAY if self.windowed else AT_SOURCE, np.int32)

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Settle one row per group."""
        layout, groups = self.work.layout, min(self.work.layout.groups, rows)
        span = (window.first, window.last, window.since) if window else (0, self.n, 0)
        units = max(budget.units // -(-rows // groups), 1) if window else budget.units  # in a window, of each row
        numbers = (rows, budget.rounds, units, layout.batches, window.index if window else 0, *span)
        self.kernel("rows", alone=True)(
            groups, layout.group_size, *self.arguments(window), self.work.tally, sources, states,
            *map(np.int32, numbers),
        )  # fmt: skip
        return budget.rounds


METHOD = StreamingMethod(Frontier, scratch=3 * 4, lists=2, wide="lists")

"""`edge` on a GPU: relax every arc in rounds until a round changes nothing (kernels/gpu/edge.cl); can use batches."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.device import Buffer
from ..kernels.gpu.constants import GPU_FLAGS
from .arc_batches import ArcBatches, Window
from .launch_loop import LaunchLoop
from .method import Budget, StreamingMethod
from .tuning import LAUNCH_ARCS, STEADY_SWEEPS
from .work import UNDER_WAY, Work

STEM = "edge"


class Edge:
    """Flags of one run, for one row by all groups or for one row per group."""

    def __init__(self, work: Work) -> None:
        self.work, self.n, self.m = work, work.problem.graph.n, work.problem.graph.m
        layout = work.layout
        self.windowed = layout.batches > 1
        self.dist = work.distances()
        self.flags = work.zeros(GPU_FLAGS, np.int32)
        self.rounds = 0
        self.least_rows = layout.groups
        self.offsets = work.offsets()
        if self.windowed:
            self._window_tails_of: dict[int, tuple[int, Buffer | None]] = {}  # by buffer: batch index and its tails
            self.rounds_at_once = 1
            self.tails = self.flags  # any buffer: edge_begin takes tails, but does not read them
            self.changed = work.zeros(layout.rows * self.n, np.int32)
            self.waiting = work.zeros(layout.rows * layout.batches, np.int32)
        else:
            self.tails = work.resident("tails", self._make_tails)

    def reset(self, rows: int) -> None:
        """Fill the first ``rows`` rows as unreached."""
        self.rounds = 0
        self.work.device.fill(self.dist, self.work.ceiling, rows * self.n)
        if self.windowed:
            self.work.device.fill(self.changed, 0, rows * self.n)
            self.work.device.fill(self.waiting, 0, rows * self.work.layout.batches)

    def restart(self) -> None:
        """Make ready for another single row."""
        self.reset(1)
        self.rounds = 0

    def _make_tails(self) -> Buffer:
        """Return the tail of every arc, computed on the device."""
        tails = self.work.device.empty(max(self.m, 1), np.int32)
        self._expand(tails, 0, self.n, 0, self.m)
        return tails

    def _expand(self, tails: Buffer, first: int, last: int, base: int, end: int) -> None:
        """Write the tails of the arcs of some vertices, as far as the arcs are in a window."""
        span = (np.int32(first), np.int32(last), np.int64(base), np.int64(end))
        for begin in range(base, end, LAUNCH_ARCS):
            count = min(end - begin, LAUNCH_ARCS)
            self.kernel("tails")(*self.work.runs(count), self.offsets, *span, np.int64(begin), tails)

    def arguments(self, window: Window | None) -> tuple[Any, ...]:
        """Return the arguments that every kernel takes first."""
        work = self.work
        arcs, m = (work.arcs(), self.m) if window is None else (window.arcs, window.end - window.base)
        first = (self.tails, arcs, np.int64(m), np.int32(self.n), work.floor, work.ceiling, self.dist)
        if window is None:
            return first
        steps = map(np.int32, (window.index, window.step, window.since))
        return (*first, self.offsets, np.int64(work.layout.batch), *steps, self.changed, self.waiting)

    def kernel(self, name: str) -> Any:
        """Return a kernel of this method."""
        return self.work.kernel(STEM, f"edge_{name}", WINDOWED=int(self.windowed))

    # One row, by all groups.

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds at their starting distances."""
        self._put(seeds, None, apart=False)

    def _put(self, seeds: np.ndarray, window: Window | None, apart: bool) -> None:
        """Put the seeds of one row at their starting distances, or (``apart``) one source per row at 0."""
        numbers = (len(seeds), apart, self.work.layout.batches)
        self.kernel("begin")(
            *self.work.items(len(seeds)), *self.arguments(window), self.work.device.upload(seeds),
            self.work.starts(), *map(np.int32, numbers),
        )  # fmt: skip

    def settle(self, loop: LaunchLoop) -> None:
        """Run rounds until one changes nothing."""
        self._run_rounds(loop, None)

    def _run_rounds(self, loop: LaunchLoop, window: Window | None) -> bool:
        """Run rounds until one changes nothing, in a window only a few; return whether the last changed nothing."""
        device = self.work.device
        shared = (*self.arguments(window), self.flags)
        m, most = int(shared[2]), GPU_FLAGS - 2 if window is None else self.rounds_at_once
        one_round, launched, left, stable = self.kernel("round"), 0, 0, False

        def launch(count: int, budget: np.int32) -> None:
            nonlocal launched, left
            launched = min(count, left, most)
            device.write(self.flags, np.eye(1, GPU_FLAGS, dtype=np.int32)[0])  # so that the first round runs
            for r in range(launched):
                for begin in range(0, max(m, 1), LAUNCH_ARCS):  # at least one launch, which builds the kernel
                    arcs = self.work.items(min(m - begin, LAUNCH_ARCS))
                    one_round(*arcs, *shared, np.int32(r + 1), np.int64(begin))
            left -= launched

        def look() -> tuple[bool, bool]:
            nonlocal stable
            flags = device.get(self.flags)
            changed = flags[1 : launched + 1] != 0
            ran = launched if changed.all() else int(changed.argmin()) + 1
            self.rounds += ran
            self.work.notes["rounds"] = self.rounds
            loop.relaxed += ran * m
            fell = bool(flags[-1])
            stable = not changed.all() and not fell
            return stable or (window is not None and not fell), fell or left <= 0

        def allow(rounds: int) -> None:
            nonlocal left
            left = rounds

        loop.go(launch, look, allow, self.dist, ahead=2 if window is None else most)
        return stable

    # Arcs in batches.

    def begin(self, seeds: np.ndarray, window: Window, apart: bool) -> None:
        """Put the seeds of one row where they start, or (``apart``) one source per row at 0; note their batches."""
        self._put(seeds, window, apart)

    def settle_few(self, batches: ArcBatches) -> bool:
        """Return False: `edge` relaxes every arc, also when few are pending."""
        return False

    def settle_window(self, loop: LaunchLoop, batches: ArcBatches, window: Window) -> None:
        """Run a few rounds on the arcs of a window; more in later passes, since deep graphs take many rounds."""
        self.rounds_at_once = min(1 << (batches.runs_of_rows // (STEADY_SWEEPS * batches.count)), GPU_FLAGS - 2)
        self.tails = self._window_tails(window)
        if not self._run_rounds(loop, window):
            batches.reopen(window)

    def _window_tails(self, window: Window) -> Buffer:
        """Return the tails of a window's arcs: written when its batch is copied, and kept as long as it is there."""
        index, tails = self._window_tails_of.get(window.buffer, (-1, None))
        if tails is None:
            batch = self.work.layout.batch
            tails = self.work.resident(f"tails {window.buffer}", lambda: self.work.device.empty(batch, np.int32), batch)
        if index != window.index:
            self._expand(tails, window.first, window.last, window.base, window.end)
        self._window_tails_of[window.buffer] = (window.index, tails)
        return tails

    # One row per group.

    def set_sources(self, sources: np.ndarray) -> None:
        """Put the source of every row at distance 0."""
        self._put(sources, None, apart=True)

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states in which rows begin."""
        return np.full(rows, UNDER_WAY, np.int32)

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Settle one row per group; a round relaxes all arcs, which are so and so many units."""
        layout, groups = self.work.layout, min(self.work.layout.groups, rows)
        units = -(-rows // groups) * -(-layout.batch // layout.group_size)
        left = budget.rounds if window else budget.rounds - self.rounds
        rounds = max(min(left, budget.units // units), 1)
        self.rounds += rounds
        if window:
            self.tails = self._window_tails(window)
        numbers = (rows, rounds, layout.batches)
        self.kernel("rows")(
            groups, layout.group_size, *self.arguments(window), self.work.tally, states, *map(np.int32, numbers)
        )
        return self.rounds


METHOD = StreamingMethod(Edge, arc_bytes=4, wide="arcs", keeps=("tails",))

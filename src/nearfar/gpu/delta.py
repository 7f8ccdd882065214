"""`delta` on a GPU: delta-stepping with a near and a far pile (kernels/gpu/delta.cl).

Weights are >= 0, and all arcs are on the device. The light arcs of a vertex come before its heavy ones: kernels sort
them so (kernels/gpu/split.cl), once per graph and width.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.device import Buffer
from ..graph import Graph
from ..kernels.gpu.constants import GPU_HUB, GPU_MOST
from ..methods.buckets import choose_delta
from .arc_batches import Window
from .launch_loop import LaunchLoop
from .method import Budget, GpuMethod
from .tuning import NEAR_NARROW, NEAR_WIDE
from .work import AT_SOURCE, Work, arc_spans, never_ends, with_room

STEM = "delta"
STAGE_NOW, ROUND, STAGES_RUN, STAGES_ALONE, CONTROL_SIZE, LEVELS_SIZE = 0, 1, 4, 14, 16, 4  # as in delta.cl
DONE, STUCK = 3, 4


def choose_width(graph: Graph) -> float:
    """Return the bucket width: vertices up to the least distance in the far pile plus this width become near."""
    return choose_delta(graph, NEAR_WIDE, NEAR_NARROW)


def fit_width(graph: Graph, width: float, dtype: np.dtype, start: float = 0) -> Any:
    """Return a width in the type of sums, large enough that adding it to any distance makes the distance greater.

    ``start`` is the greatest starting distance.
    """
    if dtype.kind == "i":
        return np.int64(max(1, min(width, 2**62)))
    facts = np.finfo(dtype)
    longest = float(graph.max_weight) * graph.n + start
    with np.errstate(over="ignore"):
        return dtype.type(max(width, 4 * longest * float(facts.eps), float(facts.tiny)))  # some devices flush less to 0


def most_stages(n: int) -> int:
    """Return a bound on the stages of a row, which only a device that computes wrongly exceeds.

    A bucket with k vertices takes k + 1 rounds at most, one stage of heavy arcs, and one search; of the searches, every
    other one may find that the least distance in the far pile was lowered meanwhile.
    """
    return min(8 * n + 64, GPU_MOST - 1)


class Delta:
    """Piles and records of one run, for one row by all groups or for one row per group."""

    def __init__(self, work: Work) -> None:
        self.work, self.n = work, work.problem.graph.n
        layout, n, graph = work.layout, self.n, work.problem.graph
        groups = 1 if work.layout.rows == 1 else layout.groups
        width = work.problem.delta if work.problem.delta is not None else choose_width(graph)
        with np.errstate(over="ignore"):  # infinity is as good as any width beyond all distances
            self.width = fit_width(graph, width, work.problem.dtype, float(work.problem.starts.max()))
        self.dist = work.distances()
        self.least_rows = layout.groups
        self.stamps = work.filled(groups * n, np.int32, -1)
        self.lists = work.empty(groups * (5 * n + 6 * layout.parts), np.int32)
        self.control = work.zeros(groups * CONTROL_SIZE, np.int32)
        self.levels = work.zeros(groups * LEVELS_SIZE, work.key)
        targets = np.unique(work.problem.targets)
        self.targets = work.empty(len(targets), np.int32)
        work.device.write(self.targets, targets.astype(np.int32))
        self.light_ends = self._split()

    def reset(self, rows: int) -> None:
        """Fill the first ``rows`` rows as unreached."""
        self.work.device.fill(self.dist, self.work.ceiling, rows * self.n)

    def restart(self) -> None:
        """Make ready for another single row; the last one may have stopped at its targets, with lists left."""
        self.reset(1)
        self.work.device.fill(self.stamps, -1)
        self.work.device.fill(self.control, 0)

    def _split(self) -> Buffer:
        """Return where the heavy arcs of each vertex begin; move them there first, unless that was done before."""
        work, width = self.work, self.width
        kept = work.resident("split", dict)
        key = (width, work.sum)
        if kept.get("key") != key:
            kept.clear()
            offset = work.problem.graph.offsets.dtype
            kept["ends"] = with_room(lambda: work.device.empty(self.n, offset), work.device, work.problem.graph)
            self._split_arcs(kept["ends"])
            kept["key"] = key
        ends: Buffer = kept["ends"]
        return ends

    def _split_arcs(self, ends: Buffer) -> None:
        """Move the light arcs of every vertex before its heavy ones."""
        work, offsets = self.work, self.work.problem.graph.offsets
        there = (work.offsets(), work.arcs())
        for first, last in arc_spans(offsets):
            split = work.kernel("split", "split_arcs")
            split(*work.items(last - first), *there, np.int32(first), np.int32(last), self.width, ends)
        hubs = np.flatnonzero(np.diff(offsets) > GPU_HUB).astype(np.int32)
        if len(hubs):
            split, listed = work.kernel("split", "split_hubs"), work.device.upload(hubs)
            groups = min(work.layout.groups, len(hubs))
            split(groups, work.layout.group_size, *there, listed, np.int32(len(hubs)), self.width, ends)

    def arguments(self) -> tuple[Any, ...]:
        """Return the arguments that every kernel takes first."""
        work, n = self.work, np.int32(self.n)
        return (
            work.offsets(), self.light_ends, work.arcs(), self.targets, np.int32(self.targets.count), n, self.width,
            work.ceiling, np.int32(work.layout.parts), np.int32(most_stages(self.n)), self.dist, self.stamps,
            self.lists, self.control, self.levels, work.tally,
        )  # fmt: skip

    def kernel(self, name: str, alone: bool) -> Any:
        """Return a kernel of this method; ``alone``: one in which a group works by itself."""
        return self.work.kernel(STEM, f"delta_{name}", ALONE=int(alone))

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds at their starting distances."""
        given = self.work.device.upload(seeds)
        start = self.kernel("start", alone=False)
        start(1, self.work.layout.group_size, *self.arguments(), given, self.work.starts(), np.int32(len(seeds)))

    def settle(self, loop: LaunchLoop) -> None:
        """Run stages until the far pile is empty, or every target is settled."""
        layout, shared, small = self.work.layout, self.arguments(), self.work.small
        wide, narrow, share = self.kernel("wide", alone=False), self.kernel("narrow", alone=True), self.work.share

        def launch(count: int, budget: np.int32) -> None:
            for _ in range(count):
                wide(layout.groups, layout.group_size, *shared, small, share)
                narrow(1, layout.group_size, *shared, small, share, budget)

        def look() -> tuple[bool, bool]:
            control = self.work.device.get(self.control, count=CONTROL_SIZE)
            figures = {"rounds": ROUND, "stages": STAGES_RUN, "stages_alone": STAGES_ALONE}
            self.work.notes |= {name: int(control[i]) for name, i in figures.items()}
            if control[STAGE_NOW] == STUCK:
                raise never_ends(self.work, f"{most_stages(self.n):,} stages")
            return bool(control[STAGE_NOW] == DONE), False

        loop.go(launch, look, lambda rounds: None, self.dist)

    def set_sources(self, sources: np.ndarray) -> None:
        """Do nothing: the group that settles a row starts it."""

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states in which rows begin."""
        return np.full(rows, AT_SOURCE, np.int32)

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Settle one row per group."""
        layout = self.work.layout
        kernel = self.kernel("rows", alone=True)
        numbers = (np.int32(rows), self.work.small, np.int32(budget.units))
        kernel(min(layout.groups, rows), layout.group_size, *self.arguments(), sources, states, *numbers)
        return 0


METHOD = GpuMethod(Delta, scratch=6 * 4, lists=3, vertex_offsets=1, wide="lists", keeps=("split",))

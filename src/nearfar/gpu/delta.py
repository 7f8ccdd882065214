"""`delta` on a GPU: delta-stepping with a near and a far pile (kernels/gpu/delta.cl).

Weights are >= 0, and all arcs are on the device. The light arcs of a vertex come before its heavy ones: a kernel sorts
them so, once per graph and width.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..devices.device import Buffer
from ..graph import Graph
from ..kernels.gpu.constants import GPU_MOST
from ..methods.buckets import choose_delta
from .arc_batches import Window
from .launch_loop import LaunchLoop
from .method import GpuMethod
from .tuning import NEAR_NARROW, NEAR_WIDE
from .work import UNDER_WAY, Work, with_room

STEM = "delta"
STAGE_NOW, ROUND, STAGES_RUN, CONTROL_SIZE, LEVELS_SIZE = 0, 1, 4, 16, 4  # as in kernels/gpu/delta.cl
DONE = 3


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
        return dtype.type(max(width, 4 * longest * float(facts.eps), float(facts.smallest_subnormal)))


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

    def _split(self) -> Buffer:
        """Return where the heavy arcs of each vertex begin; move them there first, unless that was done before."""
        work, width = self.work, self.width
        kept = work.resident("split", dict)
        key = (width, work.sum)
        if kept.get("key") != key:
            kept.clear()
            offset = work.problem.graph.offsets.dtype
            kept["ends"] = with_room(lambda: work.device.empty(self.n, offset), work.device, work.problem.graph)
            split = work.kernel(STEM, "split_arcs")
            split(*work.items(self.n), work.offsets(), work.arcs(), np.int32(self.n), width, kept["ends"])
            kept["key"] = key
        ends: Buffer = kept["ends"]
        return ends

    def arguments(self) -> tuple[Any, ...]:
        """Return the arguments that every kernel takes first."""
        work = self.work
        return (
            work.offsets(), self.light_ends, work.arcs(), self.targets, np.int32(self.targets.count), np.int32(self.n),
            self.width, work.ceiling, np.int32(work.layout.parts), self.dist, self.stamps, self.lists, self.control,
            self.levels, work.tally,
        )  # fmt: skip

    def start(self, seeds: np.ndarray) -> None:
        """Put the seeds at their starting distances."""
        given = self.work.device.upload(seeds)
        start = self.work.kernel(STEM, "delta_start")
        start(1, self.work.layout.group_size, *self.arguments(), given, self.work.starts(), np.int32(len(seeds)))

    def settle(self, loop: LaunchLoop) -> None:
        """Run stages until the far pile is empty, or every target is settled."""
        device, layout, shared, small = self.work.device, self.work.layout, self.arguments(), self.work.small
        wide, narrow = self.work.kernel(STEM, "delta_wide"), self.work.kernel(STEM, "delta_narrow")

        def launch(count: int, budget: np.int32) -> None:
            for _ in range(count):
                wide(layout.groups, layout.group_size, *shared, small)
                narrow(1, layout.group_size, *shared, small, budget)

        def look() -> tuple[bool, bool]:
            control = device.get(self.control, count=CONTROL_SIZE)
            self.work.notes |= {"rounds": int(control[ROUND]), "stages": int(control[STAGES_RUN])}
            return bool(control[STAGE_NOW] == DONE), False

        loop.go(launch, look, lambda rounds: None, self.dist)

    def set_sources(self, sources: np.ndarray) -> None:
        """Do nothing: the group that settles a row starts it."""

    @property
    def row_rounds(self) -> int:
        """Rounds per row in one launch: all of them, since each arc is relaxed about once."""
        return GPU_MOST

    def first_states(self, rows: int) -> np.ndarray:
        """Return the states in which rows begin; one launch settles them."""
        return np.full(rows, UNDER_WAY, np.int32)

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: int, window: Window | None) -> None:
        """Settle one row per group."""
        layout = self.work.layout
        kernel = self.work.kernel(STEM, "delta_rows")
        kernel(min(layout.groups, rows), layout.group_size, *self.arguments(), sources, np.int32(rows))
        self.work.device.fill(states, 0)
        assert budget <= GPU_MOST


METHOD = GpuMethod(Delta, scratch=6 * 4, lists=3, vertex_offsets=1, keeps=("split",))

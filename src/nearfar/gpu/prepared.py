"""`prepared` on a GPU: sources climb on the host, LANES at a time, and the device sweeps down, 32 lanes per block.

Climbing touches a few hundred ancestors per source, and a core may have to be searched; both are done by
elimination/sweep.py, and the offers it finds are sent to the device. The sweep over all vertices, nearly all of the
work, is kernels/gpu/sweep.cl: level by level (elimination/levels.py), all vertices of a level at once. The arcs of a
`Prepared` graph stay on the device, for the next query.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..devices.device import Buffer
from ..elimination.build import Failure, Hierarchy, build
from ..errors import DeviceMemoryError, option
from ..kernels.cpu.constants import LANES
from ..methods.prepared import SOLVERS, given, holds_starts, many, starts_in
from ..methods.problem import Controls, Problem
from ..methods.tuning import LEAST_BUDGET
from ..results.limits import unreached
from .launch_budget import Step, Sweep, parts_of
from .layout import Sizes
from .levels import KEPT, on_device
from .method import Budget, GpuMethod
from .tuning import AHEAD_SECONDS, DEVICE_GROUPS, HOST_GROUPS
from .work import CODES, WholeRows, Work, flip_negatives, size_of

if TYPE_CHECKING:
    from ..devices.facts import Facts
    from ..graph import Graph
    from .arc_batches import Window

STEM = "sweep"
WIDTH, SHARED = 32, 1024  # lanes of a block, and at most of all work-items of a group; as in the kernels
# Work-items per vertex, and number of vertices up to which a level is swept by one group.
DEVICE_TEAM, HOST_TEAM = 32, 2
DEVICE_NARROW, HOST_NARROW = 64, 256


@dataclass(frozen=True)
class PreparedOnGpu(GpuMethod):
    """The table entry of `prepared`, whose arcs on the device are not those of the graph."""

    def sizes(self, graph: Graph, rows: int, dtype: np.dtype) -> Sizes:
        """Return an estimate of the bytes on the device; what a hierarchy really needs is known once it is built.

        Road networks have up to two arcs down per vertex beside their own. A row has its distances twice, in lanes and
        in the result, and at most once more as offers; its share of the index of offers is 4 / LANES bytes per vertex.
        One more block and one more climb are for lanes without a row.
        """
        size = dtype.itemsize
        return Sizes(
            n=graph.n,
            m=2 * graph.n + graph.m,
            rows=rows,
            arc=4 + size,
            offset=4,
            key=3 * size + 1,
            vertex_extra=4 + (WIDTH + LANES) * size + WIDTH // LANES * 4,
            arc_extra=0,
            scratch=0,
            list_copies=0,
            streams=False,
            result=size,
        )


class OnHost(WholeRows):
    """Settles whole rows on the host, as methods/prepared.py does, where there is no hierarchy to sweep."""

    least_rows = WIDTH  # rows that are handed out at once

    def __init__(self, work: Work, made: Hierarchy | Failure | None) -> None:
        self.work, self.made, self.relaxed = work, made, 0
        self.dist = self.new_rows()

    def new_rows(self) -> Buffer:
        """Return a buffer for the rows that are settled at once."""
        return self.work.distances()

    def start(self, seeds: np.ndarray) -> None:
        """Settle the only row, from the nearest of some seeds."""
        self.settle_rows([seeds])

    def run_rows(self, sources: Buffer, states: Buffer, rows: int, budget: Budget, window: Window | None) -> int:
        """Settle the rows of some sources."""
        self.settle_rows(list(self.sources[:, None]))
        return 1

    def settle_rows(self, seeds: list[np.ndarray]) -> None:
        """Settle one row for every array of seeds on the host, and write the rows to the device as keys."""
        work, problem, single = self.work, self.work.problem, len(seeds) == 1
        rows = np.empty((len(seeds), problem.graph.n), problem.dtype)
        problem = replace(
            problem, sources=np.array([several[0] for several in seeds]), seeds=seeds[0] if single else None,
            hierarchy=self.made,
        )  # fmt: skip
        controls = Controls(threads=cpu.facts().cores, stop=work.controls.stop, notes=work.notes)
        self.count(many(problem, rows, controls))
        flip_negatives(rows)
        work.device.write(self.dist, rows.view(work.key))

    def count(self, arcs: int) -> None:
        """Add to the number of arcs relaxed, in the tally on the device."""
        self.relaxed += arcs
        self.work.device.write(self.work.tally, np.array([self.relaxed], np.int64))


@dataclass(frozen=True)
class Climbed:
    """What climbs found: distances of LANES rows each (``offers``), at which positions, and of which climb."""

    positions: np.ndarray
    climbs: np.ndarray
    offers: np.ndarray


class Sweeps(OnHost):
    """Settles rows by sweeps on the device; holds the arcs of a hierarchy there, and the lanes."""

    def __init__(self, work: Work, hierarchy: Hierarchy) -> None:
        super().__init__(work, hierarchy)
        sweep_layout, facts, size = hierarchy.layout, work.device.facts, work.layout.group_size
        self.hierarchy, self.sweep_layout, self.n = hierarchy, sweep_layout, np.int32(sweep_layout.n)
        self.there = self.levels()
        self.narrow = DEVICE_NARROW if facts.gpu else HOST_NARROW
        self.team = DEVICE_TEAM if facts.gpu and size >= DEVICE_TEAM else HOST_TEAM
        self.size = max(min(size, SHARED // WIDTH * self.team) // self.team, 1) * self.team
        self.groups = facts.cores * (DEVICE_GROUPS if facts.gpu else HOST_GROUPS)
        self.blocks = self._fitting_blocks(facts)
        self.steps = self._steps(facts)
        self.lanes = work.empty(self.blocks * sweep_layout.n * WIDTH, sweep_layout.dtype)
        self.targets = work.empty(self.blocks * WIDTH, np.int32)
        self.where = work.filled(self.blocks * (WIDTH // LANES) * sweep_layout.n, np.int32, -1)

    def _fitting_blocks(self, facts: Facts) -> int:
        """Return how many blocks of lanes are swept at once; the plan had only an estimate of the hierarchy's size."""
        work, sweep_layout, size = self.work, self.sweep_layout, self.sweep_layout.dtype.itemsize
        arcs, rows = size_of(self.there), work.layout.rows
        allowed = work.layout.bytes + work.spare
        results = work.layout.row_buffers * self.dist.nbytes + self.bytes_beside()
        lanes = sweep_layout.n * WIDTH * size
        above = sweep_layout.n
        if work.problem.seeds is None:
            above = min(above, LANES * sweep_layout.depth + sweep_layout.core)
        offers = min(-(-rows // LANES), WIDTH // LANES) * above * LANES * size
        block = lanes + offers + WIDTH // LANES * 4 * sweep_layout.n + self.block_bytes()
        fitting = min((allowed - results - arcs) // block, facts.largest // lanes)
        if fitting < 1:
            raise DeviceMemoryError(
                f"the prepared graph needs {format_bytes(arcs)} on {facts.title} and its rows "
                f"{format_bytes(results + block)} at least; {format_bytes(allowed)} may be used. "
                f"Allow more memory, ask for fewer sources at once, or use {option('device', 'cpu')}."
            )
        return int(min(fitting, -(-rows // WIDTH)))

    def bytes_beside(self) -> int:
        """Return the bytes on the device beside arcs, rows and lanes."""
        return 0

    def levels(self) -> dict[str, Any]:
        """Return the arcs by levels on the device."""
        return on_device(self.work, self.sweep_layout)

    def block_bytes(self) -> int:
        """Return the bytes that a block of lanes takes beside these and their offers."""
        return 0

    def _steps(self, facts: Facts) -> list[Step]:
        """Return the launches of a sweep of all blocks, none of which takes long (gpu/launch_budget.py)."""
        lanes = WIDTH * self.sweep_layout.dtype.itemsize
        return Sweep(
            begins=self.there["bounds"],
            starts=self.there["offsets"],
            longest=self.there["longest"],
            narrow=self.narrow,
            teams=self.size // self.team,
            waves=-(-self.blocks // facts.cores),
            arc_bytes=self.blocks * (lanes + self.sweep_layout.down_arcs.dtype.itemsize),
            vertex_bytes=self.blocks * 2 * lanes,
        ).steps()

    def settle_rows(self, seeds: list[np.ndarray]) -> None:
        """Settle one row for every array of seeds; seeds that are close in the tree share a climb."""
        positions = [self.sweep_layout.positions[several] for several in seeds]
        order = np.argsort([several[0] for several in positions], kind="stable")
        at_once = self.blocks * WIDTH
        for i in range(0, len(order), at_once):
            rows = order[i : i + at_once]
            self.launch(self.climb([positions[r] for r in rows]), rows)
            if self.work.controls.stop[0]:
                return
        self.count(len(order) * self.there["arc_count"])

    def climb(self, seeds: list[np.ndarray]) -> Climbed:
        """Climb from the seeds of some rows on the host, LANES rows at a time."""
        sweeper, core = self.hierarchy.sweeper(self.work.controls.stop), self.sweep_layout.core
        positions, offers = [], []
        for i in range(0, len(seeds), LANES):
            some = seeds[i : i + LANES]
            ends = np.concatenate(([0], np.cumsum([len(several) for several in some])))
            index, touched = sweeper.climb(np.concatenate(some), ends, starts_in(self.work.problem, self.sweep_layout))
            above = touched[: sweeper.count]
            positions.append(np.concatenate((np.arange(core, dtype=np.int32), self.there["positions"][above])))
            offers += [sweeper.dist[:core].copy(), sweeper.offers[index[above]]]
        self.hierarchy.spare.append(sweeper)
        climbs = np.repeat(np.arange(len(positions), dtype=np.int32), [len(some) for some in positions])
        return Climbed(np.concatenate(positions), climbs, np.concatenate(offers))

    def launch(self, climbed: Climbed, rows: np.ndarray) -> None:
        """Settle some rows, one lane per row; the device may still be at work afterwards, while the next rows climb.

        An upload may wait for the device: all of them come before the launches, which nothing waits for.
        """
        device, blocks = self.work.device, -(-len(rows) // WIDTH)
        if self.work.controls.stop[0]:
            return
        count = len(climbed.positions)
        where = (*self.work.items(count), device.upload(climbed.positions), device.upload(climbed.climbs))
        noted, offers = (*where, np.int32(count)), device.upload(climbed.offers)
        self._kernel("note")(*noted, np.int32(0), self.n, self.where)
        if self._run_steps(offers, blocks):
            self.write(rows, blocks)
            self._kernel("note")(*noted, np.int32(1), self.n, self.where)

    def _run_steps(self, offers: Buffer, blocks: int) -> bool:
        """Sweep all levels; return whether it was not stopped. The host is at most about AHEAD_SECONDS ahead."""
        there, size, ahead = self.there, self.size, 0.0
        wide, narrow = self._kernel("wide"), self._kernel("narrow")
        arcs, infinity = (there["starts"], there["arcs"]), self.sweep_layout.infinity
        shared = (*arcs, self.where, offers, infinity, self.n, np.int32(blocks), self.lanes)
        for step in self.steps:
            span = np.int32(step.first), np.int32(step.last)
            if step.is_wide:
                units = blocks * -(-(step.last - step.first) // (size // self.team))
                wide(min(self.groups, units), size, *shared, *span)
            else:
                narrow(blocks, size, *shared, there["begins"], *span)
            ahead += step.seconds
            if ahead > AHEAD_SECONDS:
                self.work.device.finish()
                ahead = 0.0
            if self.work.controls.stop[0]:
                return False
        return True

    def write(self, rows: np.ndarray, blocks: int) -> None:
        """Write settled lanes to their rows."""
        work, layout, dtype = self.work, self.sweep_layout, self.sweep_layout.dtype
        targets = np.full(blocks * WIDTH, -1, np.int32)
        targets[: len(rows)] = rows
        limit = min(layout.limit, dtype.type(min(work.problem.ceiling, unreached(dtype))))
        work.device.write(self.targets, targets)  # small enough to be copied aside, so that nothing waits
        given = (self.lanes, self.there["columns"], self.targets, self.n)
        tile_bytes = WIDTH * WIDTH * (dtype.itemsize + work.key.itemsize)
        for first, last in parts_of(blocks * -(-layout.n // WIDTH), tile_bytes):
            self._kernel("rows")(
                min(self.groups, last - first), self.size, *given, np.int64(first), np.int64(last), limit,
                work.ceiling, self.dist,
            )  # fmt: skip

    def _kernel(self, name: str) -> Any:
        """Return a kernel for the types of the hierarchy."""
        sweep_layout = self.sweep_layout
        weight, offset = (CODES[dtype.str[1:]] for dtype in (sweep_layout.dtype, sweep_layout.down_starts.dtype))
        return self.work.kernel(STEM, f"sweep_{name}", WEIGHT=weight, OFFSET=offset, TEAM=self.team)


def new_engine(work: Work) -> OnHost:
    """Return the engine that settles rows: over the hierarchy of the problem, or over one that is built first."""
    made = find_hierarchy(work.problem, work.controls)
    if not isinstance(made, Hierarchy) or made.by_rows or not holds_starts(work.problem, made):
        return OnHost(work, made)
    work.controls.longest = made.high
    return Sweeps(work, made)


def find_hierarchy(problem: Problem, controls: Controls) -> Hierarchy | Failure | None:
    """Return the hierarchy of a graph or why there is none; the first device that needs it builds it for all."""

    def build_it() -> Hierarchy | Failure | None:
        graph, machine = problem.graph, cpu.facts()
        effort = len(problem.sources) * (graph.n + graph.m)
        budget = max(effort // machine.cores // 2, LEAST_BUDGET)  # as on the CPU
        return build(graph, machine.cores, controls.stop, SOLVERS, budget, machine.memory, problem.dtype)

    return given(problem) or controls.once("hierarchy", build_it)


METHOD = PreparedOnGpu(new_engine, keeps=(KEPT,))

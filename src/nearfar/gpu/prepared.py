"""`prepared` on a GPU: the sources climb on the host, 16 at a time, and the device sweeps down, 32 lanes to a block.

Climbing touches a few hundred ancestors a source, and a core is searched; both stay with elimination/sweep.py, and what
that found is sent. The sweep over all vertices, nearly all of the work, is kernels/gpu/sweep.cl. The arcs of a prepared
graph that the user keeps stay on the device with it, for the next query.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..devices.device import Buffer
from ..elimination.build import Failure, Hierarchy, build
from ..errors import DeviceMemoryError, option
from ..kernels.cpu.constants import LANES
from ..methods.prepared import SOLVERS, given, many
from ..methods.problem import Controls, Problem
from ..methods.tuning import LEAST_BUDGET
from ..results.limits import unreached
from .layout import Sizes
from .method import GpuMethod
from .tuning import DEVICE_GROUPS, HOST_GROUPS
from .work import CODES, WholeRows, Work, flip_negatives, forget, size_of, with_room

if TYPE_CHECKING:
    from ..devices.facts import Facts
    from ..elimination.layout import Sheet
    from ..graph import Graph

STEM = "sweep"
WIDTH, SHARED = 32, 1024  # lanes of a block, and of all work-items of a group at most; as in the kernels
# Work-items for a vertex, and vertices up to which a level is one group's job.
DEVICE_TEAM, HOST_TEAM = 32, 2
DEVICE_NARROW, HOST_NARROW = 64, 256
KEPT = "levels"  # what the arcs on the device are called


@dataclass(frozen=True)
class PreparedOnGpu(GpuMethod):
    """The record of a method whose arcs on the device are not those of the graph."""

    def sizes(self, graph: Graph, rows: int, dtype: np.dtype) -> Sizes:
        """Return about what lies on the device; what a hierarchy needs shows when it is built.

        Road networks have up to two arcs down a vertex beside their own. A row has its distances twice, in lanes and
        as the answer, and once more at most as offers; its share of where they are is 4 / LANES bytes a vertex. A block
        and a climb more are for lanes without a row.
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
        )


class OnHost(WholeRows):
    """What settles rows as wholes: where sweeps are of no use, on the host as the CPU's half would, which tells why."""

    least_rows = WIDTH  # that are handed out at once

    def __init__(self, work: Work, made: Hierarchy | Failure | None) -> None:
        self.work, self.made, self.relaxed = work, made, 0
        self.dist = work.distances()

    def start(self, seeds: np.ndarray) -> None:
        """Settle the only row, from the nearest of some seeds."""
        self.settle_rows([seeds])

    def run_rows(self, sources: Any, states: Any, rows: int, budget: int, window: None) -> None:
        """Settle the rows of some sources."""
        self.settle_rows(list(self.sources[:, None]))

    def settle_rows(self, seeds: list[np.ndarray]) -> None:
        """Settle a row for every array of seeds on the host, and put them on the device as keys."""
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
        """Count arcs relaxed, where they are looked for."""
        self.relaxed += arcs
        self.work.device.write(self.work.tally, np.array([self.relaxed], np.int64))


class Sweeps(OnHost):
    """Lanes on the device, and the arcs of a hierarchy."""

    def __init__(self, work: Work, hierarchy: Hierarchy) -> None:
        from ..elimination.levels import steps_of

        super().__init__(work, hierarchy)
        sheet, facts, size = hierarchy.sheet, work.device.facts, work.layout.group_size
        self.hierarchy, self.sheet, self.n = hierarchy, sheet, np.int32(sheet.n)
        self.there = on_device(work, sheet)
        self.narrow = DEVICE_NARROW if facts.gpu else HOST_NARROW
        self.steps = steps_of(self.there["bounds"], self.narrow)
        self.team = DEVICE_TEAM if facts.gpu and size >= DEVICE_TEAM else HOST_TEAM
        self.size = max(min(size, SHARED // WIDTH * self.team) // self.team, 1) * self.team
        self.groups = facts.cores * (DEVICE_GROUPS if facts.gpu else HOST_GROUPS)
        self.blocks = self._fitting_blocks(facts)
        self.lanes = work.empty(self.blocks * sheet.n * WIDTH, sheet.dtype)
        self.where = work.filled(self.blocks * (WIDTH // LANES) * sheet.n, np.int32, -1)

    def _fitting_blocks(self, facts: Facts) -> int:
        """Return how many blocks of lanes are swept at once; the plan knew the hierarchy's size only roughly."""
        work, sheet, size = self.work, self.sheet, self.sheet.dtype.itemsize
        arcs, rows = size_of(self.there), work.layout.rows
        allowed = work.layout.bytes + work.spare
        lanes = sheet.n * WIDTH * size
        above = sheet.n if work.problem.seeds is not None else min(sheet.n, LANES * sheet.depth + sheet.core)
        offers = min(-(-rows // LANES), WIDTH // LANES) * above * LANES * size
        block = lanes + offers + WIDTH // LANES * 4 * sheet.n
        fitting = min((allowed - self.dist.nbytes - arcs) // block, facts.largest // lanes)
        if fitting < 1:
            raise DeviceMemoryError(
                f"the prepared graph needs {format_bytes(arcs)} on {facts.title} and its rows "
                f"{format_bytes(self.dist.nbytes + block)} at least; {format_bytes(allowed)} may be used. "
                f"Allow more memory, ask for fewer sources at once, or use {option('device', 'cpu')}."
            )
        return int(min(fitting, -(-rows // WIDTH)))

    def settle_rows(self, seeds: list[np.ndarray]) -> None:
        """Settle a row for every array of seeds; those that are close in the tree share a climb."""
        numbers = [self.sheet.places[several] for several in seeds]
        order = np.argsort([several[0] for several in numbers], kind="stable")
        at_once = self.blocks * WIDTH
        for i in range(0, len(order), at_once):
            self._sweep(order[i : i + at_once], numbers)
            if self.work.controls.stop[0]:
                return
        self.count(len(order) * self.there["arc_count"])

    def _sweep(self, rows: np.ndarray, seeds: list[np.ndarray]) -> None:
        """Settle some rows, a lane each."""
        device, blocks = self.work.device, -(-len(rows) // WIDTH)
        places, offers = self._climb(rows, seeds)
        if self.work.controls.stop[0]:
            return
        count = places.shape[1]
        noted = (*self.work.items(count), *map(device.upload, places), np.int32(count))
        self._kernel("note")(*noted, np.int32(0), self.n, self.where)
        self._run_steps(device.upload(offers), blocks)
        self._write(rows, blocks)
        self._kernel("note")(*noted, np.int32(1), self.n, self.where)

    def _climb(self, rows: np.ndarray, seeds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Let the sources climb, LANES at a time; return (positions, climbs), and the offers made there."""
        sweeper, core = self.hierarchy.sweeper(self.work.controls.stop), self.sheet.core
        positions, offers = [], []
        for i in range(0, len(rows), LANES):
            starts = [seeds[r] for r in rows[i : i + LANES]]
            ends = np.concatenate(([0], np.cumsum([len(several) for several in starts])))
            index, touched = sweeper.climb(np.concatenate(starts), ends)
            above = touched[: sweeper.count]
            positions.append(np.concatenate((np.arange(core, dtype=np.int32), self.there["positions"][above])))
            offers += [sweeper.dist[:core].copy(), sweeper.offers[index[above]]]
        self.hierarchy.spare.append(sweeper)
        climbs = np.repeat(np.arange(len(positions), dtype=np.int32), [len(some) for some in positions])
        return np.stack((np.concatenate(positions), climbs)), np.concatenate(offers)

    def _run_steps(self, offers: Buffer, blocks: int) -> None:
        """Sweep all levels: wide ones with all groups, runs of narrow ones with a group a block."""
        there, bounds, size = self.there, self.there["bounds"], self.size
        wide, narrow = self._kernel("wide"), self._kernel("narrow")
        arcs, infinity = (there["starts"], there["arcs"]), self.sheet.infinity
        shared = (*arcs, self.where, offers, infinity, self.n, np.int32(blocks), self.lanes)
        for first, last in self.steps:
            count = int(bounds[last] - bounds[first])
            if last == first + 1 and count > self.narrow:
                units = blocks * -(-count // (size // self.team))
                wide(min(self.groups, units), size, *shared, bounds[first], bounds[last])
            else:
                narrow(blocks, size, *shared, there["begins"], np.int32(first), np.int32(last))

    def _write(self, rows: np.ndarray, blocks: int) -> None:
        """Write settled lanes to the rows they belong to."""
        work, dtype = self.work, self.sheet.dtype
        targets = np.full(blocks * WIDTH, -1, np.int32)
        targets[: len(rows)] = rows
        limit = min(self.sheet.limit, dtype.type(min(work.problem.ceiling, unreached(dtype))))
        self._kernel("rows")(
            min(self.groups, blocks * -(-self.sheet.n // WIDTH)), self.size, self.lanes, self.there["columns"],
            work.device.upload(targets), self.n, np.int32(blocks), limit, work.ceiling, self.dist,
        )  # fmt: skip

    def _kernel(self, name: str) -> Any:
        """Return a kernel for the types of the hierarchy."""
        weight, offset = (CODES[dtype.str[1:]] for dtype in (self.sheet.dtype, self.sheet.down_starts.dtype))
        return self.work.kernel(STEM, f"sweep_{name}", WEIGHT=weight, OFFSET=offset, TEAM=self.team)


def new_engine(work: Work) -> OnHost:
    """Return what settles rows: with the hierarchy that came along, or with one that is built first."""
    made = find_hierarchy(work.problem, work.controls)
    if not isinstance(made, Hierarchy) or made.by_rows:
        return OnHost(work, made)
    work.controls.longest = made.high
    return Sweeps(work, made)


def find_hierarchy(problem: Problem, controls: Controls) -> Hierarchy | Failure | None:
    """Return the hierarchy of a graph or why there is none; the first device that asks builds it for all."""

    def build_it() -> Hierarchy | Failure | None:
        graph, machine = problem.graph, cpu.facts()
        effort = len(problem.sources) * (graph.n + graph.m)
        budget = max(effort // machine.cores // 2, LEAST_BUDGET)  # as on the CPU
        return build(graph, machine.cores, controls.stop, SOLVERS, budget, machine.memory, problem.dtype)

    return given(problem) or controls.once("hierarchy", build_it)


def on_device(work: Work, sheet: Sheet) -> dict[str, Any]:
    """Return the arcs down by levels on the device: those of a graph that is kept prepared stay there with it."""
    came = work.problem.hierarchy
    if not isinstance(came, Hierarchy) or came.sheet is not sheet:
        return upload_levels(work.upload, sheet)
    kept = work.resident(KEPT, dict)
    if not kept or kept["sheet"]() is not sheet:  # or of another preparation of the same graph, which may be gone
        kept.clear()
        kept |= with_room(lambda: upload_levels(work.device.upload, sheet), work.device, work.problem.graph)
        weakref.finalize(sheet, _forget, weakref.ref(work.problem.graph), work.device.name).atexit = False
    return kept


def _forget(graph: weakref.ref[Graph], device: str) -> None:
    """Give back the arcs of a prepared graph that is no more; another preparation's stay."""
    owner = graph()
    if owner is not None:
        forget(owner, device, KEPT, lambda kept: "sheet" not in kept or kept["sheet"]() is None)


def upload_levels(upload: Callable[[np.ndarray], Buffer], sheet: Sheet) -> dict[str, Any]:
    """Lay the arcs of a sheet out by levels and bring them to a device; what the host needs of them comes along."""
    from ..elimination.levels import make_levels

    levels = make_levels(sheet)
    return {
        "sheet": weakref.ref(sheet),
        "bounds": levels.begins,
        "positions": levels.positions,
        "arc_count": len(levels.arcs),
        "begins": upload(levels.begins),
        "columns": upload(levels.columns),
        "starts": upload(levels.starts),
        "arcs": upload(levels.arcs.view(np.int32)),
    }


METHOD = PreparedOnGpu(new_engine, keeps=(KEPT,))

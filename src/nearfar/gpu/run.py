"""Run a planned query on GPUs: a whole device on one row after the other, or one row per group; devices share the rows.

Each device has a host thread, which holds its lock. The caller's thread only waits, so that Ctrl-C works. A run stops
between launches, which are kept short.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ..devices import cpu, open_named
from ..devices.arrays import DeviceArray
from ..devices.device import Buffer, Device
from ..devices.facts import Traffic
from ..errors import DeviceError
from ..graph import Graph
from ..graph.vertices import Vertices
from ..kernels.gpu.constants import GPU_MOST
from ..methods.problem import Controls, Problem
from ..methods.tuning import FIRST_ROUNDS
from ..results.limits import Ending, at_zero
from . import GPU_METHODS
from .arc_batches import ArcBatches
from .launch_loop import LaunchLoop, Pace, enough_rounds, launch_units, raise_cycle
from .layout import DeviceLayout
from .method import BatchedEngine, Budget, Engine, GpuMethod, StreamingMethod
from .planning import GpuPlan
from .row_blocks import Downloads, Rows, blocks_of
from .staying import Stays, finishing_kernel
from .work import FAILED, FALLEN, SPENT, UNDER_WAY, GroupSizeError, Work, make_room, never_ends, require_types

FIGURES_OF_ROWS = ("rounds", "stages", "stages_alone")  # that engines note for one row, and that add up


def run_on_gpus(
    plan: GpuPlan, problem: Problem, dist: np.ndarray | DeviceArray, controls: Controls, ending: Ending
) -> tuple[int, float]:
    """Settle all rows; return the arcs relaxed and the seconds of compiling. Other figures go to ``controls.notes``.

    ``ending`` says how rows are finished that stay on the device, in an array of the user.
    """
    devices = [dist.device] if isinstance(dist, DeviceArray) else [open_named(name) for name in plan.devices]
    rows, relaxed = Rows(dist, ending), [0] * len(devices)
    notes: list[dict[str, Any]] = [{} for _ in devices]
    building = [0.0] * len(devices)

    def drive(t: int) -> None:
        device = devices[t]
        require_types(device, problem.dtype)
        with device.lock:
            layout, building[t] = _build_kernels(plan, t, problem, controls, device)
            building[t] += _build_finishing(device, rows)
            before = device.traffic.copy()
            try:
                relaxed[t], notes[t] = _drive(plan, layout, problem, controls, device, rows)
            finally:
                _leave(rows)
            notes[t] |= _moved(device.traffic - before)

    cpu.run(drive, len(devices), controls.stop, controls.watch)
    controls.notes |= _together(notes)
    return sum(relaxed), max(building)


def _drive(
    plan: GpuPlan, layout: DeviceLayout, problem: Problem, controls: Controls, device: Device, rows: Rows
) -> tuple[int, dict[str, Any]]:
    """Settle one device's share of the rows; return the arcs relaxed and the figures of the run."""
    method = GPU_METHODS[plan.method]
    spare = plan.available - layout.bytes
    make_room(problem.graph, device, layout, ("arcs", *method.keeps), spare)
    work = Work(problem, controls, device, layout, spare)
    try:
        counted = _settle_all(_new_settler(method, work), rows)
        return counted + work.relaxed(), work.notes
    finally:
        work.close()


def _settle_all(settler: Resident | Streamed, rows: Rows) -> int:
    """Settle rows as long as there are any; return the arcs relaxed that only the host counted."""
    work, relaxed = settler.work, 0
    downloads = (Stays if isinstance(rows.dist, DeviceArray) else Downloads)(work, settler.engine, rows)
    if work.layout.together:
        relaxed = _settle_in_turn(settler, rows, downloads)
    else:
        for block in blocks_of(work, rows, settler.engine.least_rows):
            settler.settle_block(work.problem.sources[block.start : block.stop])
            downloads.begin(block)
        work.meanwhile()
    work.notes |= settler.notes()
    return relaxed


def _settle_in_turn(settler: Resident | Streamed, rows: Rows, downloads: Downloads | Stays) -> int:
    """Settle one row after the other with all groups; return the arcs relaxed that only the host counted."""
    work, relaxed, settled, figures = settler.work, 0, 0, Counter(looks=0)
    while not work.controls.stop[0] and (row := rows.take(1)):
        loop = LaunchLoop(work)
        if settled:
            settler.restart()
        settler.settle_one(loop, work.problem.seeds_of(row.start).astype(np.int32))
        downloads.begin(row)
        relaxed, settled = relaxed + loop.relaxed, settled + 1
        figures["looks"] += loop.looks
        figures.update({name: work.notes.pop(name) for name in FIGURES_OF_ROWS if name in work.notes})
    work.notes |= figures
    if len(rows.dist) > 1:
        work.notes["rows_in_turn"] = settled
    return relaxed


def _build_finishing(device: Device, rows: Rows) -> float:
    """Build the kernel that finishes rows which stay on the device; return the seconds."""
    began = time.perf_counter()
    if isinstance(rows.dist, DeviceArray):
        finishing_kernel(device, rows.dist.dtype)
    return time.perf_counter() - began


def _leave(rows: Rows) -> None:
    """Wait until nothing writes to the user's array any more: after a run that failed, kernels may be under way."""
    if isinstance(rows.dist, DeviceArray):
        with suppress(DeviceError):  # if the device failed, that error is under way
            rows.dist.device.finish()


# By device, which a user's context may bring and take: the largest group that all kernels of a kind of run allow.
_built: weakref.WeakKeyDictionary[Device, dict[tuple[Any, ...], int]] = weakref.WeakKeyDictionary()


def _build_kernels(
    plan: GpuPlan, t: int, problem: Problem, controls: Controls, device: Device
) -> tuple[DeviceLayout, float]:
    """Settle rows of a graph of three vertices, so that kernels are built before time is taken; return the seconds.

    Also returns the layout, with smaller groups if a kernel needs more registers than the device has for large ones.
    """
    graph, layout, one = problem.graph, plan.layouts[t], plan.layouts[t].together
    types = (graph.offsets.dtype, graph.arcs.dtype, problem.dtype)
    kind, built = (plan.method, *types, one, layout.batches > 1, layout.group_size), _built.setdefault(device, {})
    if kind in built:
        return replace(layout, group_size=built[kind]), 0.0
    began = time.perf_counter()
    arcs = np.zeros(2, graph.arcs.dtype)
    arcs["head"] = 1, 2
    tiny = Graph(np.array([0, 1, 2, 2], graph.offsets.dtype), arcs, Vertices(3))
    sources = np.zeros(1 if one else 2, np.int32)
    once = replace(
        problem, graph=tiny, sources=sources, seeds=None, starts=at_zero(problem.dtype), targets=problem.targets[:0],
        delta=None, hierarchy=None,
    )  # fmt: skip
    batches = 2 if layout.batches > 1 else 1
    small = replace(layout, rows=len(sources), groups=1, batch=2 // batches, batches=batches, parts=4)
    unseen = Controls(threads=controls.threads, stop=controls.stop)  # these rows are not reported
    rows = np.empty((len(sources), 3), problem.dtype)
    while True:
        try:
            _drive(plan, small, once, unseen, device, Rows(rows))
            break
        except GroupSizeError as error:
            small = replace(small, group_size=error.most)
    if not controls.stopped:
        built[kind] = small.group_size
    return replace(layout, group_size=small.group_size), time.perf_counter() - began


def _new_settler(method: GpuMethod, work: Work) -> Resident | Streamed:
    """Return what settles rows: with arc batches where the plan has several, which only streaming methods have."""
    if isinstance(method, StreamingMethod) and work.layout.batches > 1:
        batches = ArcBatches(work)
        return Streamed(work, method.engine(work), batches)
    return Resident(work, method.engine(work))


class Resident:
    """Settles rows with all arcs on the device."""

    def __init__(self, work: Work, engine: Engine) -> None:
        self.work, self.engine, self.pace = work, engine, Pace(launch_units(work))

    def notes(self) -> dict[str, int]:
        """Return the figures of the batches for the result."""
        return {"batches": 1}

    def restart(self) -> None:
        """Make ready for another single row."""
        self.engine.restart()

    def settle_one(self, loop: LaunchLoop, seeds: np.ndarray) -> None:
        """Settle a single row with all groups."""
        self.engine.start(seeds)
        self.engine.settle(loop)

    def settle_block(self, sources: np.ndarray) -> None:
        """Settle one row per group, launch after launch: a launch is short, and a negative cycle would never end."""
        work, engine, count = self.work, self.engine, len(sources)
        given, states = _begin_block(work, engine, sources)
        engine.set_sources(sources)
        limit, pace = enough_rounds(work), self.pace
        while not work.controls.stop[0]:
            began = time.perf_counter()
            ran = engine.run_rows(given, states, count, Budget(limit, pace.units), None)
            work.meanwhile()
            left = work.device.get(states)
            if not left.any():
                return
            pace.took(time.perf_counter() - began)
            if (left == FAILED).any():
                raise never_ends(work, "the stages that a row may have")
            suspects = np.flatnonzero((left == FALLEN) | ((left == UNDER_WAY) & (ran >= limit)))
            if len(suspects) and not (left == SPENT).any():  # while a row is, others may not have run
                _check_cycles(work, engine, suspects, count, ran)
                _lift_fallen(work, states, left)
                limit = min(2 * limit, GPU_MOST // 2)


class Streamed:
    """Settles rows with one arc batch on the device after the other, until no batch has work to do."""

    def __init__(self, work: Work, engine: BatchedEngine, batches: ArcBatches) -> None:
        self.work, self.engine, self.batches, self.pace = work, engine, batches, Pace(launch_units(work))

    def notes(self) -> dict[str, int]:
        """Return the figures of the batches for the result."""
        return self.batches.notes()

    def restart(self) -> None:
        """Make ready for another single row; the batches on the device stay."""
        self.engine.restart()
        self.batches.restart()

    def settle_one(self, loop: LaunchLoop, seeds: np.ndarray) -> None:
        """Settle a single row with all groups."""
        work, engine, batches = self.work, self.engine, self.batches
        engine.begin(seeds, batches.start(), apart=False)
        looks = FIRST_ROUNDS if work.problem.graph.min_weight < 0 else GPU_MOST
        while not work.controls.stop[0]:
            if batches.step >= looks:  # a negative cycle may span several batches, and show in none of them
                loop.find_cycle(engine.dist)
                looks *= 2
            if batches.may_be_few() and engine.settle_few(batches):
                continue
            window = batches.next_window(work.device.get(engine.waiting))
            if window is None:
                return
            engine.settle_window(loop, batches, window)

    def settle_block(self, sources: np.ndarray) -> None:
        """Settle one row per group: each batch in turn, for the rows that have work to do there."""
        work, engine, batches, count = self.work, self.engine, self.batches, len(sources)
        given, states = _begin_block(work, engine, sources)
        rounds, looks, pace = enough_rounds(work), FIRST_ROUNDS, self.pace
        batches.restart()
        engine.begin(sources, batches.start(), apart=True)
        while not work.controls.stop[0]:
            waiting = work.device.get(engine.waiting, count=count * batches.count).reshape(count, batches.count)
            window = batches.next_window(waiting.max(axis=0))
            if window is None:
                return
            began = time.perf_counter()
            engine.run_rows(given, states, count, Budget(rounds, pace.units), window)
            work.meanwhile()
            left = work.device.get(states)
            pace.took(time.perf_counter() - began)
            if (left == SPENT).any():
                batches.reopen(window)
            if work.problem.graph.min_weight < 0 and (batches.step >= looks or (left == FALLEN).any()):
                _check_cycles(work, engine, np.arange(count), count, rounds)
                _lift_fallen(work, states, left)
                looks, rounds = 2 * looks, min(2 * rounds, GPU_MOST // 2)


def _begin_block(work: Work, engine: Engine, sources: np.ndarray) -> tuple[Buffer, Buffer]:
    """Fill the rows of a block as unreached; return their sources and states on the device."""
    engine.reset(len(sources))
    return work.device.upload(sources), work.device.upload(engine.first_states(len(sources)))


def _lift_fallen(work: Work, states: Buffer, left: np.ndarray) -> None:
    """Let rows continue whose distances fell below the floor, although they show no negative cycle."""
    work.device.write(states, np.where(left == FALLEN, UNDER_WAY, left).astype(np.int32))


def _check_cycles(work: Work, engine: Engine, suspects: np.ndarray, count: int, rounds: int) -> None:
    """Raise if a row that is not settled after ``rounds`` rounds shows a negative cycle, or cannot take so many."""
    if work.problem.graph.min_weight >= 0:
        raise never_ends(work, f"{rounds:,} rounds")
    rows = np.empty((count, work.problem.graph.n), work.problem.dtype)
    work.fetch(engine.dist, rows)
    for r in suspects:
        raise_cycle(work, rows[r], rounds)


def _moved(traffic: Traffic) -> dict[str, int]:
    """Return launches and bytes copied, for the figures of a run."""
    return {"launches": traffic.launches, "uploaded": traffic.uploaded, "downloaded": traffic.downloaded}


def _together(notes: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up the figures of all devices; those that describe the plan are the same for all."""
    if len(notes) == 1:
        return notes[0]
    names = dict.fromkeys(name for note in notes for name in note)
    same = ("batches", "batch_arcs", "instead")
    values = {name: [note[name] for note in notes if name in note] for name in names}
    return {name: max(found) if name in same else sum(found) for name, found in values.items()}

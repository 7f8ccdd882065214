"""Run a planned query on GPUs: all of a device on one row, or a group a row and the rows shared out over devices.

Each device has a thread that drives it and holds its lock. The caller's thread only waits, so it hears Ctrl-C; a device
is told to stop between launches, which are kept short.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..devices import cpu, open_named
from ..devices.device import Device
from ..devices.facts import Traffic
from ..graph import Graph
from ..graph.vertices import Vertices
from ..kernels.gpu.constants import GPU_MOST
from ..methods.problem import Controls, Problem
from ..methods.tuning import FIRST_ROUNDS
from . import GPU_METHODS
from .arc_batches import ArcBatches
from .launch_loop import LaunchLoop, raise_cycle
from .planning import GpuPlan
from .tuning import LAUNCH_SECONDS
from .work import FALLEN, SPENT, UNDER_WAY, Work, make_room, require_types


class Rows:
    """The rows of a query, handed out in blocks to whichever device asks."""

    def __init__(self, dist: np.ndarray) -> None:
        self.dist = dist
        self._next, self._lock = 0, threading.Lock()

    def take(self, count: int) -> range:
        """Return the next rows, at most ``count``."""
        with self._lock:
            first = self._next
            self._next = min(first + count, len(self.dist))
            return range(first, self._next)


def run_on_gpus(plan: GpuPlan, problem: Problem, dist: np.ndarray, controls: Controls) -> tuple[int, float]:
    """Settle all rows; return arcs relaxed and seconds of compiling. Figures of the run are left in the notes."""
    devices = [open_named(name) for name in plan.devices]
    rows, relaxed = Rows(dist), [0] * len(devices)
    notes: list[dict[str, Any]] = [{} for _ in devices]
    building = [0.0] * len(devices)

    def drive(t: int) -> None:
        device = devices[t]
        require_types(device, problem.dtype)
        with device.lock:
            building[t] = _build_kernels(plan, t, problem, controls, device)
            before = device.traffic.copy()
            relaxed[t], notes[t] = _drive(plan, t, problem, controls, device, rows)
            notes[t] |= _moved(device.traffic - before)

    cpu.run(drive, len(devices), controls.stop, controls.watch)
    controls.notes |= _together(notes)
    return sum(relaxed), max(building)


def _drive(
    plan: GpuPlan, t: int, problem: Problem, controls: Controls, device: Device, rows: Rows
) -> tuple[int, dict[str, Any]]:
    """Settle one device's share of the rows; return the arcs relaxed and what to tell."""
    method, layout = GPU_METHODS[plan.method], plan.layouts[t]
    spare = plan.available - layout.bytes
    make_room(problem.graph, device, layout, ("arcs", *method.keeps), spare)
    work = Work(problem, controls, device, layout, spare)
    try:
        batches = ArcBatches(work) if layout.batches > 1 else None
        counted = _settle_all(work, method.engine(work), batches, rows)
        return counted + work.relaxed(), work.notes
    finally:
        work.close()


def _settle_all(work: Work, engine: Any, batches: ArcBatches | None, rows: Rows) -> int:
    """Settle rows as long as there are any; return the arcs relaxed that only the host counted."""
    loop, count = LaunchLoop(work), len(rows.dist)
    if count == 1 and rows.take(1):
        _settle_one(work, engine, batches, loop, work.problem.seeds_of(0))
        _bring_home(work, engine, rows, range(1))
        work.notes["looks"] = loop.looks
    elif count > 1:
        for block in _blocks(work, rows, engine.least_rows):
            _settle_block(work, engine, batches, work.problem.sources[block.start : block.stop])
            _bring_home(work, engine, rows, block)
    work.notes |= batches.notes() if batches else {"batches": 1}
    return loop.relaxed


_built: set[tuple[Any, ...]] = set()


def _build_kernels(plan: GpuPlan, t: int, problem: Problem, controls: Controls, device: Device) -> float:
    """Settle rows of a graph of three vertices, so that kernels are built before the clock runs; return the seconds."""
    graph, layout, one = problem.graph, plan.layouts[t], len(problem.sources) == 1
    kind = (device, plan.method, graph.offsets.dtype, graph.arcs.dtype, problem.dtype, one, layout.batches > 1)
    if kind in _built:
        return 0.0
    began = time.perf_counter()
    arcs = np.zeros(2, graph.arcs.dtype)
    arcs["head"] = 1, 2
    tiny = Graph(np.array([0, 1, 2, 2], graph.offsets.dtype), arcs, Vertices(3))
    sources = np.zeros(1 if one else 2, np.int32)
    once = replace(
        problem, graph=tiny, sources=sources, seeds=None, targets=problem.targets[:0], delta=None, hierarchy=None
    )
    batches = 2 if layout.batches > 1 else 1
    small = replace(layout, rows=len(sources), groups=1, batch=2 // batches, batches=batches, parts=4)
    unseen = Controls(threads=controls.threads, stop=controls.stop)  # nobody looks at these rows
    _drive(replace(plan, layouts=(small,)), 0, once, unseen, device, Rows(np.empty((len(sources), 3), problem.dtype)))
    if not controls.stopped:
        _built.add(kind)
    return time.perf_counter() - began


def _bring_home(work: Work, engine: Any, rows: Rows, block: range) -> None:
    """Copy settled rows to the host and finish them."""
    if not work.controls.stop[0]:
        work.fetch(engine.dist, rows.dist[block.start : block.stop])
        for r in block:
            work.controls.finish(r)


def _settle_one(work: Work, engine: Any, batches: ArcBatches | None, loop: LaunchLoop, seeds: np.ndarray) -> None:
    """Settle the only row with all groups."""
    seeds = np.unique(seeds).astype(np.int32)
    if batches is None:
        engine.start(seeds)
        engine.settle(loop)
        return
    engine.begin(seeds, batches.start(), apart=False)
    looks = _first_budget(work)
    while not work.controls.stop[0]:
        if batches.step >= looks:  # a negative cycle may lie across batches, none of which sees it turn
            loop.find_cycle(engine.dist)
            looks *= 2
        if batches.may_be_few() and engine.settle_few(batches):
            continue
        window = batches.next_window(work.device.get(engine.waiting))
        if window is None:
            return
        engine.settle_window(loop, batches, window)


def _blocks(work: Work, rows: Rows, least: int) -> Iterator[range]:
    """Hand out blocks of rows that take about LAUNCH_SECONDS each, multiples of ``least``, until none is left."""
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


def _settle_block(work: Work, engine: Any, batches: ArcBatches | None, sources: np.ndarray) -> None:
    """Settle some rows, a group a row."""
    engine.reset(len(sources))
    given, states = work.device.upload(sources), work.device.upload(engine.first_states(len(sources)))
    if batches is None:
        engine.place(sources)
        _settle_resident(work, engine, given, states, len(sources))
    else:
        _settle_streamed(work, engine, batches, given, states, sources)


def _settle_resident(work: Work, engine: Any, given: Any, states: Any, count: int) -> None:
    """Launch until every row is settled: a launch is short, and a negative cycle would go on for ever."""
    budget, is_negative = _row_budget(work, engine), work.problem.graph.min_weight < 0
    while not work.controls.stop[0]:
        engine.run_rows(given, states, count, budget, None)
        left = work.device.get(states)
        if not left.any():
            return
        if is_negative:
            _look_for_cycles(work, engine, np.flatnonzero(left), count, budget)
            work.device.write(states, np.where(left == FALLEN, UNDER_WAY, left).astype(np.int32))
            budget = min(2 * budget, GPU_MOST // 2)


def _settle_streamed(
    work: Work, engine: Any, batches: ArcBatches, given: Any, states: Any, sources: np.ndarray
) -> None:
    """Bring batch after batch to the device and let the rows that wait for it go on, until none waits."""
    count, budget, looks = len(sources), _row_budget(work, engine), FIRST_ROUNDS
    batches.restart()
    engine.begin(sources, batches.start(), apart=True)
    while not work.controls.stop[0]:
        waiting = work.device.get(engine.waiting, count=count * batches.count).reshape(count, batches.count)
        window = batches.next_window(waiting.max(axis=0))
        if window is None:
            return
        engine.run_rows(given, states, count, budget, window)
        left = work.device.get(states)
        if (left == SPENT).any():
            batches.reopen(window)
        if work.problem.graph.min_weight < 0 and (batches.step >= looks or (left == FALLEN).any()):
            _look_for_cycles(work, engine, np.arange(count), count, budget)
            work.device.write(states, np.where(left == FALLEN, UNDER_WAY, left).astype(np.int32))
            looks, budget = 2 * looks, min(2 * budget, GPU_MOST // 2)


def _row_budget(work: Work, engine: Any) -> int:
    """Return how many rounds of a row are run before the host looks at it."""
    rounds: int = engine.row_rounds
    return min(rounds, FIRST_ROUNDS) if work.problem.graph.min_weight < 0 else rounds


def _first_budget(work: Work) -> int:
    """Return how many rounds a row may run before it is looked at: a negative cycle would go on for ever."""
    return FIRST_ROUNDS if work.problem.graph.min_weight < 0 else GPU_MOST


def _look_for_cycles(work: Work, engine: Any, suspects: np.ndarray, count: int, rounds: int) -> None:
    """Raise if a row that is not settled after so many rounds betrays a negative cycle."""
    rows = np.empty((count, work.problem.graph.n), work.problem.dtype)
    work.fetch(engine.dist, rows)
    for r in suspects:
        raise_cycle(work, rows[r], rounds)


def _moved(traffic: Traffic) -> dict[str, int]:
    """Return what a run moved, for its figures."""
    return {"launches": traffic.launches, "uploaded": traffic.uploaded, "downloaded": traffic.downloaded}


def _together(notes: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up what the devices report; what describes the layout is the same for all."""
    if len(notes) == 1:
        return notes[0]
    names = dict.fromkeys(name for note in notes for name in note)
    same = ("batches", "batch_arcs", "instead")
    values = {name: [note[name] for note in notes if name in note] for name in names}
    return {name: max(found) if name in same else sum(found) for name, found in values.items()}

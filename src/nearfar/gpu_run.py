"""Run a planned query on GPUs: all of a device on one row, or a group a row and the rows shared out over devices.

Each device has a thread that drives it and holds its lock. The caller's thread only waits, so it hears Ctrl-C; a device
is told to stop between launches, which are kept short.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import limits
from .constants import FIRST_ROUNDS, GPU_MOST, LAUNCH_SECONDS
from .devices import DEVICES, cpu
from .devices.device import Device
from .devices.facts import Traffic
from .graph import Graph
from .methods import METHODS
from .methods.gpu_flight import Flight, raise_cycle
from .methods.gpu_stream import Stream
from .methods.gpu_work import FALLEN, SPENT, UNDER_WAY, Work, make_room, require_types
from .methods.method import Job
from .planner import Plan
from .progress import watcher
from .vertices import Vertices


class Rows:
    """The rows of a query, handed out in blocks to whoever asks, and what came of them."""

    def __init__(self, query: Any, job: Job) -> None:
        self.query, self.job = query, job
        self._next, self._lock = 0, threading.Lock()
        self.fits = True

    def take(self, count: int) -> range:
        """Return the next rows, at most ``count``."""
        with self._lock:
            first = self._next
            self._next = min(first + count, len(self.job.rows))
            return range(first, self._next)

    def finish(self, rows: range) -> None:
        """Mark what was not reached or lies beyond the limits; stop if a distance does not fit its type."""
        query = self.query
        for r in rows:
            job, row = self.job, self.job.rows[r]
            fits = limits.finish_row(query.graph, query.cutoff, query.targets, job.ceiling, row, job.most)
            self.fits &= fits
            self.job.done.append(r)
        if not self.fits:
            self.job.stop[0] = 1


def run_on_gpus(query: Any, plan: Plan, job: Job) -> tuple[int, bool, float, dict[str, Any]]:
    """Settle all rows; return arcs relaxed, whether every distance fits, seconds of compiling, and what to tell."""
    devices = [open_named(name) for name in plan.devices]
    rows, relaxed = Rows(query, job), [0] * len(devices)
    notes: list[dict[str, Any]] = [{} for _ in devices]

    building = [0.0] * len(devices)

    def drive(t: int) -> None:
        device = devices[t]
        require_types(device, job.rows.dtype)
        with device.lock:
            building[t] = _build_kernels(plan, t, job, device)
            before = device.traffic.copy()
            relaxed[t], notes[t] = _drive(plan, t, job, device, rows)
            notes[t] |= _moved(device.traffic - before)

    with watcher(query.progress, plan.rows, job.done) as watch:
        cpu.run(drive, len(devices), job.stop, watch)
    return sum(relaxed), rows.fits, max(building), _together(notes)


def open_named(name: str) -> Device:
    """Open the device of a name such as "opencl:1"."""
    kind, _, index = name.partition(":")
    device: Device = DEVICES[kind].open_device(int(index))
    return device


def _drive(plan: Plan, t: int, job: Job, device: Device, rows: Rows) -> tuple[int, dict[str, Any]]:
    """Settle one device's share of the rows; return the arcs relaxed and what to tell."""
    on_gpu = METHODS[plan.method].on_gpu
    assert on_gpu is not None
    layout = plan.layouts[t]
    make_room(job.graph, device, layout, ("arcs", *on_gpu.keeps), plan.available - layout.bytes)
    work = Work(job, device, layout, plan.available - layout.bytes)
    try:
        counted = _settle_all(plan, work, on_gpu.engine(work), Stream(work) if layout.batches > 1 else None, rows)
        return counted + work.relaxed(), work.notes
    finally:
        work.close()


def _settle_all(plan: Plan, work: Work, engine: Any, stream: Stream | None, rows: Rows) -> int:
    """Settle rows as long as there are any; return the arcs relaxed that only the host counted."""
    flight = Flight(work)
    if plan.rows == 1 and rows.take(1):
        _settle_one(work, engine, stream, flight, work.job.seeds_of(0))
        _bring_home(work, engine, rows, range(1))
        work.notes["looks"] = flight.looks
    elif plan.rows > 1:
        for block in _blocks(work, rows, getattr(engine, "least_rows", work.layout.groups)):
            _settle_block(work, engine, stream, work.job.sources[block.start : block.stop])
            _bring_home(work, engine, rows, block)
    work.notes |= stream.notes() if stream else {"batches": 1}
    return flight.relaxed


_built: set[tuple[Any, ...]] = set()


def _build_kernels(plan: Plan, t: int, job: Job, device: Device) -> float:
    """Settle rows of a graph of three vertices, so that kernels are built before the clock runs; return the seconds."""
    graph, layout, one = job.graph, plan.layouts[t], plan.rows == 1
    kind = (device, plan.method, graph.offsets.dtype, graph.arcs.dtype, job.rows.dtype, one, layout.batches > 1)
    if kind in _built:
        return 0.0
    began = time.perf_counter()
    arcs = np.zeros(2, graph.arcs.dtype)
    arcs["head"] = 1, 2
    tiny = Graph(np.array([0, 1, 2, 2], graph.offsets.dtype), arcs, Vertices(3))
    sources = np.zeros(1 if one else 2, np.int32)
    rows = np.empty((len(sources), 3), job.rows.dtype)
    once = replace(
        job, graph=tiny, rows=rows, sources=sources, seeds=None, targets=job.targets[:0], done=[], delta=None, shared={}
    )
    batches = 2 if layout.batches > 1 else 1
    small = replace(layout, rows=len(sources), groups=1, batch=2 // batches, batches=batches, parts=4)
    only = replace(plan, rows=len(sources), layouts=(small,))
    _drive(only, 0, once, device, Rows(_Unlimited(tiny), once))
    if not job.stop[0]:
        _built.add(kind)
    return time.perf_counter() - began


@dataclass(frozen=True)
class _Unlimited:
    """A query without limits, for rows whose answer nobody looks at."""

    graph: Graph
    cutoff: None = None
    targets: None = None


def _bring_home(work: Work, engine: Any, rows: Rows, block: range) -> None:
    """Copy settled rows to the host and finish them."""
    if not work.job.stop[0]:
        work.fetch(engine.dist, work.job.rows[block.start : block.stop])
        rows.finish(block)


def _settle_one(work: Work, engine: Any, stream: Stream | None, flight: Flight, seeds: np.ndarray) -> None:
    """Settle the only row with all groups."""
    seeds = np.unique(seeds).astype(np.int32)
    if stream is None:
        engine.start(seeds)
        engine.settle(flight)
        return
    engine.begin(seeds, stream.start(), apart=False)
    looks = _first_budget(work)
    while not work.job.stop[0]:
        if stream.step >= looks:  # a negative cycle may lie across batches, none of which sees it turn
            flight.find_cycle(engine.dist)
            looks *= 2
        if stream.may_be_few() and engine.settle_few(stream):
            continue
        window = stream.next_window(work.device.get(engine.waiting))
        if window is None:
            return
        engine.settle_window(flight, stream, window)


def _blocks(work: Work, rows: Rows, least: int) -> Iterator[range]:
    """Hand out blocks of rows that take about LAUNCH_SECONDS each, multiples of ``least``, until none is left."""
    layout = work.layout
    count = min(least, layout.rows)
    for launch in itertools.count(1):
        began = time.perf_counter()
        block = rows.take(count)
        if not block or work.job.stop[0]:
            work.notes["launches_of_rows"] = launch - 1
            return
        yield block
        spent = max(time.perf_counter() - began, 1e-6)
        fitting = max(int(len(block) * LAUNCH_SECONDS / spent) // least, 1) * least
        count = min(fitting, 4 * count, layout.rows)


def _settle_block(work: Work, engine: Any, stream: Stream | None, sources: np.ndarray) -> None:
    """Settle some rows, a group a row."""
    engine.reset(len(sources))
    given, states = work.device.upload(sources), work.device.upload(engine.first_states(len(sources)))
    if stream is None:
        engine.place(sources)
        _settle_resident(work, engine, given, states, len(sources))
    else:
        _settle_streamed(work, engine, stream, given, states, sources)


def _settle_resident(work: Work, engine: Any, given: Any, states: Any, count: int) -> None:
    """Launch until every row is settled: a launch is short, and a negative cycle would go on for ever."""
    budget, is_negative = _row_budget(work, engine), work.job.graph.min_weight < 0
    while not work.job.stop[0]:
        engine.run_rows(given, states, count, budget, None)
        left = work.device.get(states)
        if not left.any():
            return
        if is_negative:
            _look_for_cycles(work, engine, np.flatnonzero(left), count, budget)
            work.device.write(states, np.where(left == FALLEN, UNDER_WAY, left).astype(np.int32))
            budget = min(2 * budget, GPU_MOST // 2)


def _settle_streamed(work: Work, engine: Any, stream: Stream, given: Any, states: Any, sources: np.ndarray) -> None:
    """Bring batch after batch to the device and let the rows that wait for it go on, until none waits."""
    count, budget, looks = len(sources), _row_budget(work, engine), FIRST_ROUNDS
    stream.restart()
    engine.begin(sources, stream.start(), apart=True)
    while not work.job.stop[0]:
        waiting = work.device.get(engine.waiting, count=count * stream.count).reshape(count, stream.count)
        window = stream.next_window(waiting.max(axis=0))
        if window is None:
            return
        engine.run_rows(given, states, count, budget, window)
        left = work.device.get(states)
        if (left == SPENT).any():
            stream.reopen(window)
        if work.job.graph.min_weight < 0 and (stream.step >= looks or (left == FALLEN).any()):
            _look_for_cycles(work, engine, np.arange(count), count, budget)
            work.device.write(states, np.where(left == FALLEN, UNDER_WAY, left).astype(np.int32))
            looks, budget = 2 * looks, min(2 * budget, GPU_MOST // 2)


def _row_budget(work: Work, engine: Any) -> int:
    """Return how many rounds of a row are run before the host looks at it."""
    rounds: int = engine.row_rounds
    return min(rounds, FIRST_ROUNDS) if work.job.graph.min_weight < 0 else rounds


def _first_budget(work: Work) -> int:
    """Return how many rounds a row may run before it is looked at: a negative cycle would go on for ever."""
    return FIRST_ROUNDS if work.job.graph.min_weight < 0 else GPU_MOST


def _look_for_cycles(work: Work, engine: Any, suspects: np.ndarray, count: int, rounds: int) -> None:
    """Raise if a row that is not settled after so many rounds betrays a negative cycle."""
    rows = np.empty((count, work.job.graph.n), work.job.rows.dtype)
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

"""One query of the self-test, in this process: asked on a device, and its answer compared with the CPU's.

An answer passes if it is bit-identical to the CPU's, which `nearfar.verify` has proved exact; so it is proved as well.
Floats of a method that adds in another order than along the path pass if they are proved exact up to rounding.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import nearfar

from ..description import format_bytes
from ..devices import DEVICES, open_named
from ..errors import DeviceError, KernelBuildError, NearfarError, NegativeCycleError
from ..graph import Graph
from ..results.limits import unreached
from .cases import Case
from .graphs import SUBNORMAL, Sample, samples
from .launches import Launch, Watch
from .report import ERROR, PASSED, SKIPPED, WRONG, Figures, Outcome

SOME = 5  # sources
BATCHES = 3  # batches of arcs to aim for
SHRINK = 0.93  # factor by which the memory limit shrinks until arcs come in batches
SHOWN = 5  # wrong distances that a message shows
FREE, WAITING = False, True  # whether a run waits for the device after every launch
ROUNDED = 1e-4  # relative error of a sum of float32 distances that `prepared` has rounded
FLUSHED = "distances below 1.2e-38 differ, and the device treats such float32 numbers as zero, as OpenCL allows"


@dataclass
class Answer:
    """What came of a query: nothing if it cannot run, since there are too few arcs for batches."""

    outcome: Outcome | None
    figures: Figures | None = None
    launches: dict[str, int] = field(default_factory=dict)  # by kernel
    slowest: list[Launch] = field(default_factory=list)


class Here:
    """Asks queries in this process: what a worker does, and tests without one."""

    def __init__(self, names: tuple[str, ...], level: str, watch: Watch | None = None) -> None:
        self.names, self.watch = names, watch
        self._samples = {(sample.name, sample.dtype): sample for sample in samples(level)}
        self._wanted: dict[tuple[str, str, str], Any] = {}
        self._last: Sample | None = None

    def facts(self) -> dict[str, str]:
        """Open the devices and return what is known about them."""
        found: dict[str, str] = {}
        for name in self.names:
            known = _facts(name)
            found |= known if len(self.names) == 1 else {f"{name} {what}": value for what, value in known.items()}
            if self.watch is not None and name != "cpu":
                self.watch.attach(open_named(name))
        return found

    def ask(self, case: Case, modes: Sequence[bool] = (FREE,), ready: Callable[[], None] = lambda: None) -> Answer:
        """Run one query, once per mode; ``ready`` is called when only the device's part is left."""
        began = time.perf_counter()
        figures = None
        try:
            status, message, stats = self._run(case, modes, ready)
            if case.big and status == PASSED:
                figures = _figures(case, self._sample(case), stats)
        except _Impossible:
            return Answer(None)
        except Exception as error:
            status, message = ERROR, describe(error)
        outcome = Outcome(*case.words, status, message, time.perf_counter() - began)
        watch = self.watch
        return Answer(outcome, figures, *((dict(watch.counts), watch.slowest) if watch is not None else ()))

    def _run(self, case: Case, modes: Sequence[bool], ready: Callable[[], None]) -> tuple[str, str, dict[str, Any]]:
        """Prepare a query and run it in each mode; return the status, what is wrong, and the statistics."""
        sample = self._sample(case)
        lacking = _lacking(self.names, sample)
        if lacking:
            return SKIPPED, lacking, {}
        options: dict[str, Any] = {"method": case.method, "device": list(self.names)}
        if case.layout == "batched":
            options["memory"] = _memory_for_batches(sample.graph, case.query, options)
        wanted = self._reference(sample, case.query)
        ready()
        problem, stats = "", dict[str, Any]()
        for i, mode in enumerate(modes):
            if self.watch is not None:
                self.watch.begin(mode, forget=i == 0)
            if case.query == "sums":
                problem = _compare_sums(sample.graph, self.names, wanted)
            else:
                problem, stats = _compare(sample, case.query, options, wanted, case.layout)
            if problem:
                break
        if problem and SUBNORMAL in sample.name and _flushes(self.names):
            return SKIPPED, FLUSHED, stats
        return WRONG if problem else PASSED, problem, stats

    def _sample(self, case: Case) -> Sample:
        """Return the graph of a query; the one before is forgotten, since it may be large."""
        sample = self._samples[case.graph, case.dtype]
        if self._last is not None and self._last is not sample:
            self._last.__dict__.pop("graph", None)
            self._wanted.clear()
        self._last = sample
        return sample

    def _reference(self, sample: Sample, query: str) -> np.ndarray | None:
        """Return the CPU's answer, computed once."""
        key = (sample.name, sample.dtype, query)
        if key not in self._wanted:
            self._wanted[key] = _reference(sample, query)
        found: np.ndarray | None = self._wanted[key]
        return found

    def close(self) -> None:
        """Nothing is left behind."""


class _Impossible(Exception):  # noqa: N818 - not an error
    """A query that cannot run in its layout: there are too few arcs."""


def _facts(name: str) -> dict[str, str]:
    """Return what is known about a device."""
    device = None if name == "cpu" else open_named(name)
    facts = DEVICES["cpu"].found()[0] if device is None else device.facts
    known = {
        "device": facts.label or facts.name,
        "kind": "GPU" if facts.gpu else "CPU",
        "compute units": str(facts.cores),
        "memory free": format_bytes(facts.memory),
    }
    if device is None:
        return known
    return known | {
        "largest buffer": format_bytes(facts.largest),
        "group size": str(facts.group_size),
        "64-bit atomics": "yes" if facts.wide_atomics else "no",
        "float64": "yes" if facts.doubles else "no",
        **device.details(),
    }


def _lacking(names: tuple[str, ...], sample: Sample) -> str:
    """Return what a device lacks for the distances of a graph, or nothing."""
    for name in names if names != ("cpu",) else ():
        facts = open_named(name).facts
        if sample.dtype == "float64" and not facts.doubles:
            return f"{name} has no float64"
        if sample.dtype in ("int64", "float64") and not facts.wide_atomics:
            return f"{name} has no atomic minimum of 64 bits"
    return ""


def _flushes(names: tuple[str, ...]) -> bool:
    """Return whether one of the devices says that it treats subnormal float32 numbers as zero."""
    gpus = [open_named(name) for name in names if name != "cpu"]
    return any(device.details().get("float32 subnormals") == "no" for device in gpus)


def _sources(graph: Graph, query: str) -> Any:
    """Return the sources of a query: one, some, or None for all; vertices with arcs, if there are any."""
    if query == "all":
        return None
    able = np.flatnonzero(np.diff(graph.offsets))
    able = able if len(able) else np.arange(graph.n)
    some = [int(able[len(able) * i // SOME]) for i in range(SOME)]
    return some[SOME // 2] if query == "one" else sorted(set(some))


def _ask(graph: Graph, query: str, options: dict[str, Any]) -> nearfar.Distances:
    """Run a query."""
    sources = _sources(graph, query)
    if query == "one":
        return nearfar.sssp(graph, sources, **options)
    return nearfar.apsp(graph, **options) if query == "all" else nearfar.mssp(graph, sources, **options)


def _memory_for_batches(graph: Graph, query: str, options: dict[str, Any]) -> int:
    """Return a memory limit with which arcs come in a few batches."""
    sources = _sources(graph, query)
    memory = nearfar.plan(graph, sources, **options).bytes
    fitting = None
    while memory > 1:
        plan = nearfar.plan(graph, sources, memory=memory, **options)
        if plan.bytes > plan.available:
            break
        if plan.arc_batches > 1:
            fitting = memory
        if plan.arc_batches >= BATCHES:
            break
        memory = int(SHRINK * memory)
    if fitting is None:
        raise _Impossible
    return fitting


def _compare_sums(graph: Graph, names: tuple[str, ...], rows: np.ndarray | None) -> str:
    """Sum rows on a device; return what is wrong: they must be the CPU's to the bit, and agree with proved rows."""
    prepared, sources = nearfar.prepare(graph), _sources(graph, "sums")
    found, wanted = (prepared.row_sums(sources, device=device) for device in (list(names), "cpu"))
    if found.tobytes() != wanted.tobytes():
        return f"sums of rows differ from the CPU's: {found.tolist()} instead of {wanted.tolist()}"
    assert rows is not None
    plain = np.where(rows < unreached(rows.dtype), rows, 0).sum(axis=1, dtype=found.dtype)
    return "" if np.allclose(found, plain, rtol=ROUNDED) else f"rows add up to {plain.tolist()}, not {found.tolist()}"


def _reference(sample: Sample, query: str) -> np.ndarray | None:
    """Return the CPU's distances, proved, or None if the graph has a negative cycle, as it should."""
    try:
        exact = "johnson" if sample.graph.min_weight < 0 else "dijkstra"  # these add along the path
        result = _ask(sample.graph, query, {"device": "cpu", "method": exact})
    except NegativeCycleError:
        if sample.cyclic:
            return None
        raise
    certificate = nearfar.verify(sample.graph, result)
    if sample.cyclic or not certificate:
        raise AssertionError(f"the CPU's own answer is wrong. {certificate}")
    return result.rows


def _compare(
    sample: Sample, query: str, options: dict[str, Any], wanted: np.ndarray | None, layout: str
) -> tuple[str, dict[str, Any]]:
    """Run a query; return what is wrong with its answer, or nothing, and its statistics."""
    try:
        result = _ask(sample.graph, query, options)
    except NegativeCycleError as error:
        return _cycle_problem(sample.graph, error, wanted), {}
    stats = result.stats or {}
    if wanted is None:
        return "the negative cycle was not found", stats
    proved = result.rounded and nearfar.verify(sample.graph, result)
    if result.rows.dtype != wanted.dtype or not (proved or result.rows.tobytes() == wanted.tobytes()):
        return _difference(sample.graph, result, wanted), stats
    if layout == "batched" and stats["batches"] < 2:
        return "all arcs were on the device at once, although memory was short", stats
    return "", stats


def _difference(graph: Graph, result: nearfar.Distances, wanted: np.ndarray) -> str:
    """Describe where an answer differs from the CPU's."""
    rows = result.rows
    if rows.dtype != wanted.dtype:
        return f"distances are {rows.dtype} instead of {wanted.dtype}"
    positions = np.argwhere(rows.view(f"i{rows.itemsize}") != wanted.view(f"i{rows.itemsize}"))
    shown = "\n".join(f"row {r}, vertex {v}: {rows[r, v]} instead of {wanted[r, v]}" for r, v in positions[:SHOWN])
    counted = f"{len(positions):,} of {rows.size:,} distances differ from the CPU's, the first:\n{shown}"
    return f"{counted}\nstatistics: {result.stats}\n{nearfar.verify(graph, result)}"


def _cycle_problem(graph: Graph, error: NegativeCycleError, wanted: np.ndarray | None) -> str:
    """Describe what is wrong with a reported negative cycle, if anything is."""
    if wanted is not None:
        return f"a negative cycle was reported where there is none: {error.cycle}"
    length, cycle = 0.0, [int(v) for v in error.cycle]  # type: ignore[call-overload]
    assert graph.weights is not None
    for u, v in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        arcs = slice(graph.offsets[u], graph.offsets[u + 1])
        between = graph.weights[arcs][graph.heads[arcs] == v]
        if u != v and not len(between):
            return f"the cycle {cycle} has no arc {u} -> {v}"
        length += float(between.min()) if len(between) else 0.0
    return "" if length < 0 else f"the cycle {cycle} has length {length}, which is not negative"


def _figures(case: Case, sample: Sample, stats: dict[str, Any]) -> Figures:
    """Return the measurements of a method."""
    rows = 1 if case.query == "one" else SOME
    return Figures(
        *case.words,
        seconds=stats["seconds"],
        relaxations=stats["relaxations"] / (rows * sample.graph.m),
        launches=stats.get("launches", 0),
        moved=stats.get("uploaded", 0) + stats.get("downloaded", 0),
    )


class WorkerError(DeviceError):
    """An error of a worker process, which described it already."""


def describe(error: Exception) -> str:
    """Return the description of an error, with the whole output of a compiler."""
    if isinstance(error, WorkerError):
        return str(error)
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, NearfarError) and (frames := traceback.extract_tb(error.__traceback__)):
        text += f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    if error.__cause__ is not None:
        text += f"\ncaused by {type(error.__cause__).__name__}: {error.__cause__}"
    return f"{text}\n{error.log}" if isinstance(error, KernelBuildError) else text

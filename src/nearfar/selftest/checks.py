"""The self-test: every method, type, query and memory layout on a device, each answer compared with the CPU's.

It is meant for devices that we could not test ourselves: ``nearfar selftest --device cuda``. An answer passes if it is
bit-identical to the CPU's, which `nearfar.verify` has proved exact; so it is proved as well. Floats of a method that
adds in another order than along the path pass if they are proved exact up to rounding.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import nearfar

from ..description import format_bytes
from ..devices import DEVICES
from ..engine.options import take_device, take_method
from ..errors import DeviceError, KernelBuildError, MethodError, NearfarError, NegativeCycleError, OptionError, option
from ..gpu import GPU_METHODS
from ..graph import Graph
from ..methods import METHODS
from .graphs import SIZES, Sample, samples
from .report import FAILED, PASSED, SKIPPED, Figures, Findings, Outcome, Report, versions

LEVELS = tuple(SIZES)
SOME = 5  # sources
BATCHES = 3  # batches of arcs to aim for
SHRINK = 0.93  # factor by which the memory limit shrinks until arcs come in batches
HOPELESS = 25  # queries that end with an error before the test of a device stops
ERROR = "it ended with an error: "
SHOWN = 5  # wrong distances that a message shows

Progress = Callable[[int, int], None]
Asked = tuple[str, str, str, str, str]  # method, type, query, layout, graph


def run(devices: Sequence[str] | str | None = None, level: str = "usual", progress: Progress | None = None) -> Report:
    """Test devices and return the findings; errors of a device are reported, not raised.

    Parameters
    ----------
    devices : str, list of str or None
        Names such as "cuda" or "opencl:1"; several are tested one by one, then together. None: all but the CPU.
    level : {"quick", "usual", "full"}
        How large the graphs are and how many types there are; "full" adds large graphs and measurements.
    progress : callable, optional
        A function of the queries done and all queries, called now and then.

    Returns
    -------
    Report

    Examples
    --------
    >>> from nearfar import selftest
    >>> report = selftest.run("opencl:99", "quick")
    >>> report.ok, report.devices[0].error[:11]
    (False, 'DeviceError')
    """
    if level not in LEVELS:
        raise OptionError(f"level {level!r} does not exist. Use one of {', '.join(map(repr, LEVELS))}.")
    names = _named(devices)
    began = time.perf_counter()
    groups = [(name,) for name in names] + ([names] if len(names) > 1 else [])
    report = Report(level, versions(), [])
    found = list(samples(level))
    answers: dict[tuple[str, str, str], Any] = {}
    for i, group in enumerate(groups):
        watch = _part(progress, i, len(groups))
        report.devices.append(_test(group, found, answers, watch))
    report.seconds = time.perf_counter() - began
    return report


def _named(devices: Sequence[str] | str | None) -> tuple[str, ...]:
    """Return the full names of the devices to test."""
    if devices is not None:
        names = take_device(devices if isinstance(devices, str) else list(devices))
        if names != ("auto",):
            return names
    kinds = [kind for kind in DEVICES if kind != "cpu"]
    found = tuple(facts.name for kind in kinds for facts in DEVICES[kind].found())
    if not found:
        missing = "; ".join(f"{kind}: {DEVICES[kind].missing()}" for kind in kinds)
        raise DeviceError(
            f"there is no device to test but the CPU ({missing}). Use {option('device', 'cpu')} to test the CPU."
        )
    return found


def _part(progress: Progress | None, i: int, parts: int) -> Progress:
    """Return a function for the progress of part ``i`` of several equal parts."""

    def watch(done: int, total: int) -> None:
        if progress is not None:
            progress(i * total + done, parts * total)

    return watch


def _test(names: tuple[str, ...], found: list[Sample], answers: dict[Any, Any], watch: Progress) -> Findings:
    """Test a device, or several together."""
    tested = Findings(", ".join(names))
    try:
        tested.facts = _facts(names)
    except Exception as error:
        tested.error = _describe(error)
        return tested
    queries = [query for sample in found for query in _queries(names, sample)]
    errors = 0
    for done, (sample, method, query, layout) in enumerate(queries):
        watch(done, len(queries))
        outcome, figures = _try(names, sample, method, query, layout, answers)
        if outcome is not None:
            tested.outcomes.append(outcome)
            errors += outcome.message.startswith(ERROR)
        if figures is not None:
            tested.figures.append(figures)
        if errors >= HOPELESS:
            left = len(queries) - done - 1
            tested.error = f"stopped after {errors} queries that ended with an error; {left} were left out"
            break
    watch(len(queries), len(queries))
    return tested


def _facts(names: tuple[str, ...]) -> dict[str, str]:
    """Return the known facts about devices."""
    facts_of_all: dict[str, str] = {}
    for name in names:
        kind, _, index = name.partition(":")
        device = None if kind == "cpu" else DEVICES[kind].open_device(int(index))
        facts = DEVICES[kind].found()[0] if device is None else device.facts
        known = {
            "device": facts.label or facts.name,
            "kind": "GPU" if facts.gpu else "CPU",
            "compute units": str(facts.cores),
            "memory free": format_bytes(facts.memory),
        }
        if device is not None:
            known |= {
                "largest buffer": format_bytes(facts.largest),
                "group size": str(facts.group_size),
                "64-bit atomics": "yes" if facts.wide_atomics else "no",
                "float64": "yes" if facts.doubles else "no",
                **device.details(),
            }
        facts_of_all |= known if len(names) == 1 else {f"{name} {what}": value for what, value in known.items()}
    return facts_of_all


def _queries(names: tuple[str, ...], sample: Sample) -> Iterator[tuple[Sample, str, str, str]]:
    """Yield the queries on a graph: graph, method, query and layout."""
    on_cpu = names == ("cpu",)
    for method in METHODS if on_cpu else GPU_METHODS:
        if not _takes(method, sample.graph):
            continue
        if sample.big and method == "floyd":  # its matrix would not fit into memory
            continue
        streams = not on_cpu and GPU_METHODS[method].streams
        for query in ("one", "some", "all"):
            if sample.big and (query == "all" or (query == "some" and method == "edge")):
                continue
            for layout in ("resident", "batched") if streams else ("resident",):
                yield sample, method, query, layout


def _takes(method: str, graph: Graph) -> bool:
    """Return whether a method accepts the weights of a graph."""
    try:
        take_method(method, graph.min_weight < 0, graph)
    except MethodError:
        return False
    return True


def _try(
    names: tuple[str, ...], sample: Sample, method: str, query: str, layout: str, answers: dict[Any, Any]
) -> tuple[Outcome | None, Figures | None]:
    """Run one query and return its outcome, or None if it cannot run: too few arcs for batches."""
    asked = (method, sample.dtype, query, layout, sample.name)
    options: dict[str, Any] = {"method": method, "device": list(names)}
    began = time.perf_counter()
    figures = None
    try:
        lacking = _lacking(names, sample)
        if lacking:
            return Outcome(*asked, SKIPPED, lacking), None
        if layout == "batched":
            memory = _memory_for_batches(sample.graph, query, options)
            if memory is None:
                return None, None
            options["memory"] = memory
        key = (sample.name, sample.dtype, query)
        if key not in answers:
            answers[key] = _reference(sample, query)
        problem, stats = _compare(sample, query, options, answers[key], layout)
        if sample.big and not problem:
            figures = _figures(asked, sample, query, stats)
    except Exception as error:
        problem = ERROR + _describe(error)
    status = FAILED if problem else PASSED
    return Outcome(*asked, status, problem, time.perf_counter() - began), figures


def _lacking(names: tuple[str, ...], sample: Sample) -> str:
    """Return what a device lacks for the distances of a graph, or nothing."""
    for name in names if names != ("cpu",) else ():
        kind, _, index = name.partition(":")
        facts = DEVICES[kind].open_device(int(index)).facts
        if sample.dtype == "float64" and not facts.doubles:
            return f"{name} has no float64"
        if sample.dtype in ("int64", "float64") and not facts.wide_atomics:
            return f"{name} has no atomic minimum of 64 bits"
    return ""


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


def _memory_for_batches(graph: Graph, query: str, options: dict[str, Any]) -> int | None:
    """Return a memory limit with which arcs come in a few batches, or None if there is none."""
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
    return fitting


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
    """Run a query, twice if it is timed; return what is wrong with its answer, or nothing, and its statistics."""
    try:
        result = _ask(sample.graph, query, options)
        if sample.big:
            result = _ask(sample.graph, query, options)  # now kernels are built and the graph is on the device
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


def _figures(asked: Asked, sample: Sample, query: str, stats: dict[str, Any]) -> Figures:
    """Return the measurements of a method."""
    rows = 1 if query == "one" else SOME
    return Figures(
        *asked,
        seconds=stats["seconds"],
        relaxations=stats["relaxations"] / (rows * sample.graph.m),
        launches=stats.get("launches", 0),
        moved=stats.get("uploaded", 0) + stats.get("downloaded", 0),
    )


def _describe(error: Exception) -> str:
    """Return the description of an error, with the whole output of a compiler."""
    text = f"{type(error).__name__}: {error}"
    if not isinstance(error, NearfarError) and (frames := traceback.extract_tb(error.__traceback__)):
        text += f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    if error.__cause__ is not None:
        text += f"\ncaused by {type(error.__cause__).__name__}: {error.__cause__}"
    return f"{text}\n{error.log}" if isinstance(error, KernelBuildError) else text

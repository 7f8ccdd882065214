"""``nearfar bench``: the tables of docs/gpu.md for the device of this machine, ready to paste.

One source, several rows and prepared rows on a generated road network and an R-MAT graph. All methods take turns, and
the CPU with them; the best time counts, arrays are filled once before, and every answer is compared with the CPU's to
the bit. bench/gpu.py makes its tables here, too, from real graphs.
"""

from __future__ import annotations

import math
import os
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import nearfar

from . import machine
from .devices import DEVICES, open_named
from .engine.options import take_device
from .errors import NearfarError, OptionError, option
from .gpu import GPU_METHODS
from .graph import Graph, generate

METHODS = ("delta", "frontier", "edge")
STREAMING = tuple(name for name in METHODS if GPU_METHODS[name].streams)
BATCHES = 4  # of arcs, for the table of batches
TURNS, BUDGET = 12, 8.0  # turns per query, and seconds after which it takes no more
ROWS, PREPARED_ROWS, MOST = 64, 256, 1 << 29  # sources, and bytes that their distances may take
SIZES = {"small": (64, 10), "usual": (512, 18), "large": (1500, 20)}  # crossings along a side; scale of R-MAT
NONE = "–"

Progress = Callable[[int, int], None]
Show = Callable[[str], None]
Rows = list[tuple[str, ...]]


@dataclass(frozen=True)
class Named:
    """A graph to measure, built when it is its turn."""

    label: str
    build: Callable[[], Graph]


@dataclass(frozen=True)
class Table:
    """A table: its title, the heads of its columns, its rows."""

    title: str
    head: tuple[str, ...]
    rows: Rows

    def __str__(self) -> str:
        lines = [self.head, ("---", *("---:",) * (len(self.head) - 1)), *self.rows]
        return f"{self.title}:\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)


@dataclass
class Bench:
    """Measurements of a device; prints as Markdown."""

    device: str
    about: dict[str, str]
    tables: list[Table] = field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C: the tables that would follow were not completed

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a dict for JSON."""
        return asdict(self)

    @property
    def heading(self) -> str:
        """What was measured, and on which machine."""
        return f"On {'; '.join(self.about.values())}."

    def __str__(self) -> str:
        return "\n\n".join((self.heading, *map(str, self.tables)))


@dataclass
class Run:
    """One way to answer a query, and its best time."""

    name: str
    ask: Callable[[], Any]
    best: float = math.inf
    spent: float = 0.0
    turns: int = 0
    stats: dict[str, Any] = field(default_factory=dict)

    def turn(self, truth: np.ndarray, out: np.ndarray) -> None:
        """Run once, check, and keep the time."""
        out.fill(-1)
        start = time.perf_counter()
        result = self.ask()
        took = time.perf_counter() - start
        if out.tobytes() != truth.tobytes():
            raise NearfarError(f"{self.name} on the device does not give the CPU's answer. Run `nearfar selftest`.")
        self.best, self.spent, self.turns = min(self.best, took), self.spent + took, self.turns + 1
        self.stats = result.stats

    @property
    def moved(self) -> str:
        """Megabytes copied to the device and back."""
        return f"{(self.stats['uploaded'] + self.stats['downloaded']) / 1e6:.2f}" if "uploaded" in self.stats else NONE

    def count(self, what: str) -> str:
        """One of the counts of a run, if it has it."""
        return f"{self.stats[what]:,}" if what in self.stats else NONE

    def per_arc(self, arcs: int) -> str:
        """Relaxations per arc."""
        return f"{self.stats['relaxations'] / max(arcs, 1):.2f}" if "relaxations" in self.stats else NONE


def run(device: str = "auto", size: str = "usual", progress: Progress | None = None, show: Show | None = None) -> Bench:
    """Measure a device on generated graphs, against the CPU of this machine.

    After Ctrl-C, the tables are those that were complete, and ``interrupted`` is true.

    Parameters
    ----------
    device : str
        A name such as "cuda" or "opencl:1"; "auto" means the first device that is not the CPU, if there is one.
    size : {"small", "usual", "large"}
        How large the graphs are: about 4,000, 260,000 or 2 million vertices of a road network.
    progress : callable, optional
        A function of the queries done and all queries: three per graph.
    show : callable, optional
        A function of a text: called with the heading, and with each table as soon as it is complete.

    Returns
    -------
    Bench

    Examples
    --------
    >>> from nearfar import bench
    >>> bench.run("cpu", "huge")
    Traceback (most recent call last):
    nearfar.errors.OptionError: size 'huge' does not exist. Use one of 'small', 'usual', 'large'.
    """
    if size not in SIZES:
        raise OptionError(f"size {size!r} does not exist. Use one of {', '.join(map(repr, SIZES))}.")
    side, scale = SIZES[size]
    graphs = [
        Named(f"road grid {side} x {side}", lambda: generate.road_grid(side, side, seed=1)),
        Named(f"R-MAT {scale}", lambda: generate.rmat(scale, seed=1)),
    ]
    measured = start(_one_device(device))
    try:
        measure(measured, graphs, progress, show)
    except KeyboardInterrupt:
        measured.interrupted = True
    return measured


def _one_device(device: str) -> str:
    """Return the full name of the device to measure."""
    names = take_device(device)
    if names == ("auto",):
        return next((f.name for kind in DEVICES if kind != "cpu" for f in DEVICES[kind].found()), "cpu")
    if len(names) > 1:
        raise OptionError(f"{option('device', ','.join(names))} are several devices. Measure one at a time.")
    return names[0]


def start(device: str) -> Bench:
    """Return the measurements of a device before there are any."""
    return Bench(device, facts(device))


def measure(
    measured: Bench, graphs: Sequence[Named], progress: Progress | None = None, show: Show | None = None
) -> None:
    """Measure a device on graphs, one table after the other, so that each can be shown when it is complete."""
    device, steps = measured.device, iter(range(3 * len(graphs) + 1))

    def step() -> None:
        if progress is not None:
            progress(next(steps), 3 * len(graphs))

    def each(measure_one: Callable[[Named], Any]) -> Iterator[Any]:
        for named in graphs:
            yield measure_one(named)
            step()

    def add(title: str, head: tuple[str, ...], parts: Iterable[Rows]) -> None:
        measured.tables.append(Table(title, head, [row for rows in parts for row in rows]))
        if show is not None:
            show(str(measured.tables[-1]))

    step()
    if show is not None:
        show(measured.heading)
    one = list(each(lambda named: one_source(named, device)))
    batched = [in_batches for _, in_batches in one]
    add("One source", ONE_HEAD, [resident for resident, _ in one])
    if any(batched):
        add(f"One source, arcs in {BATCHES} batches", BATCHED_HEAD, batched)
    add(f"{ROWS} sources", MANY_HEAD, each(lambda named: several(named.label, named.build(), device)))
    title = f"Prepared, {PREPARED_ROWS} rows"
    add(title, PREPARED_HEAD, each(lambda named: prepared_rows(named.label, named.build(), device)))


def facts(device: str) -> dict[str, str]:
    """Return what the tables were measured on, and when."""
    kind = device.partition(":")[0]
    opened = None if kind == "cpu" else open_named(device)
    title = "cpu" if opened is None else opened.facts.title
    driver = "" if opened is None else f", driver {opened.details()['driver']}"
    packages = [f"{name} {v}" for name in machine.PACKAGES if (v := machine.package_version(name)) is not None]
    load = ", ".join(f"{load:.2f}" for load in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    return {
        "device": f"{title}{driver}",
        "machine": f"{machine.processor()}, {os.cpu_count()} cores, {machine.memory()}",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join((f"nearfar {nearfar.__version__}", *packages)),
        "date": time.strftime("%Y-%m-%d"),
        "load": f"load {load}",
    }


def take_turns(runs: Iterable[Run], truth: np.ndarray, out: np.ndarray) -> None:
    """Take turns; the first turn of each run, which builds kernels and copies the graph, does not count."""
    runs = list(runs)
    for run in runs:
        run.turn(truth, out)
        run.best, run.spent, run.turns = math.inf, 0.0, 0
    for _ in range(TURNS):
        for run in runs:
            if run.turns < 2 or run.spent < BUDGET:
                run.turn(truth, out)


def one_source(named: Named, device: str) -> tuple[Rows, Rows]:
    """Return the rows of two tables for one graph: every method with all arcs there, and streaming ones in batches."""
    graph, other = named.build(), named.build()  # a graph keeps its arrays on the device: one resident, one in batches
    source = int(np.diff(graph.offsets).argmax())
    truth = nearfar.sssp(graph, source, device="cpu").dist
    out = np.zeros_like(truth)

    def asking(method: str, on: Graph = graph, where: str = device, **limits: Any) -> Callable[[], Any]:
        return lambda: nearfar.sssp(on, source, method=method, device=where, out=out, **limits)

    cpu = Run("auto", asking("auto", where="cpu"))
    resident = [Run(method, asking(method)) for method in METHODS]
    batched = []
    for method in STREAMING if device != "cpu" else ():
        memory = memory_for(other, source, method, device)
        if memory is not None:
            batched.append(Run(method, asking(method, other, memory=memory)))
    take_turns([cpu, *resident, *batched], truth, out)
    by_name = {run.name: run for run in resident}
    label = named.label
    return (
        [_one_row(label, graph, run, cpu) for run in resident],
        [_batched_row(label, graph, run, by_name[run.name]) for run in batched],
    )


def memory_for(graph: Graph, source: int, method: str, device: str) -> int | None:
    """Return the memory with which a plan takes its arcs in BATCHES batches, if there is one."""
    low, high = 1, 2 * graph.nbytes + 200 * graph.n
    while low < high:
        middle = (low + high) // 2
        plan = nearfar.plan(graph, source, method=method, device=device, memory=middle)
        if plan.bytes > plan.available or plan.arc_batches > BATCHES:
            low = middle + 1
        else:
            high = middle
    return low if nearfar.plan(graph, source, method=method, device=device, memory=low).arc_batches > 1 else None


def several(label: str, graph: Graph, device: str) -> Rows:
    """Return the rows of the table of several sources."""
    sources = spread(graph, ROWS)
    truth = nearfar.mssp(graph, sources, device="cpu").rows
    out = np.zeros_like(truth)
    cpu = Run("auto", lambda: nearfar.mssp(graph, sources, device="cpu", out=out))
    methods = [name for name in METHODS if name != "edge"]  # which takes minutes for rows of a road network
    runs = [
        Run(m, lambda m=m: nearfar.mssp(graph, sources, method=m, device=device, out=out))  # type: ignore[misc]
        for m in methods
    ]
    take_turns([cpu, *runs], truth, out)
    return [_many_row(label, graph, run, cpu, len(sources)) for run in runs]


def all_pairs(label: str, graph: Graph, device: str) -> Table:
    """Return the table of all pairs of a small graph."""
    truth = nearfar.apsp(graph, device="cpu").rows
    out = np.zeros_like(truth)
    cpu = Run("auto", lambda: nearfar.apsp(graph, device="cpu", out=out))
    runs = [
        Run(m, lambda m=m: nearfar.apsp(graph, method=m, device=device, out=out))  # type: ignore[misc]
        for m in METHODS
    ]
    take_turns([cpu, *runs], truth, out)
    title = f"All pairs of {label} ({graph.n:,} vertices, {graph.m:,} arcs)"
    return Table(title, MANY_HEAD, [_many_row(label, graph, run, cpu, graph.n) for run in runs])


def prepared_rows(label: str, graph: Graph, device: str) -> Rows:
    """Return the row of the table of prepared graphs, or none if preparing does not help with this graph."""
    sources = spread(graph, min(PREPARED_ROWS, max(1, MOST // (8 * graph.n))))
    prepared = nearfar.prepare(graph)
    result = prepared.mssp(sources, device="cpu")
    if "instead" in (result.stats or {}):
        return []
    truth = result.rows.copy()
    out = np.zeros_like(truth)
    cpu = Run("cpu", lambda: prepared.mssp(sources, device="cpu", out=out))
    run = Run("prepared", lambda: prepared.mssp(sources, device=device, out=out))
    take_turns([cpu, run], truth, out)
    return [
        (
            label,
            f"{len(sources):,}",
            run.count("launches"),
            run.moved,
            *_times(run, cpu),
            f"{run.best * 1e9 / truth.size:.2f}",
        )
    ]


def spread(graph: Graph, k: int) -> np.ndarray:
    """Return ``k`` sources with arcs, spread evenly over the vertices."""
    able = np.flatnonzero(np.diff(graph.offsets))
    return np.unique(able[(np.arange(k) * len(able)) // k])


ONE_HEAD = (
    "graph", "method", "relaxations per arc", "rounds", "launches", "looks", "MB moved", "ms", "CPU, ms",
    "times as fast",
)  # fmt: skip
BATCHED_HEAD = (
    "graph", "method", "relaxations per arc", "runs of a batch", "skipped", "copied", "sparse steps", "MB moved", "ms",
    "resident, ms", "times as fast",
)  # fmt: skip
MANY_HEAD = ("graph", "method", "relaxations per arc", "launches", "MB moved", "ms", "CPU, ms", "times as fast")
PREPARED_HEAD = ("graph", "rows", "launches", "MB moved", "ms", "CPU, ms", "times as fast", "ns per distance")


def _times(run: Run, other: Run) -> tuple[str, str, str]:
    """Return the times of two runs in milliseconds, and how many times as fast the first one is."""
    return f"{run.best * 1e3:.1f}", f"{other.best * 1e3:.1f}", f"{other.best / run.best:.2f}"


def _one_row(label: str, graph: Graph, run: Run, cpu: Run) -> tuple[str, ...]:
    """Return a row of the table of one source."""
    counts = (run.count(what) for what in ("rounds", "launches", "looks"))
    return (label, f"`{run.name}`", run.per_arc(graph.m), *counts, run.moved, *_times(run, cpu))


def _batched_row(label: str, graph: Graph, run: Run, resident: Run) -> tuple[str, ...]:
    """Return a row of the table of batches."""
    counts = (run.count(what) for what in ("batch_runs", "batches_skipped", "batches_copied", "sparse_steps"))
    return (label, f"`{run.name}`", run.per_arc(graph.m), *counts, run.moved, *_times(run, resident))


def _many_row(label: str, graph: Graph, run: Run, cpu: Run, rows: int) -> tuple[str, ...]:
    """Return a row of the tables of several sources and of all pairs."""
    return (label, f"`{run.name}`", run.per_arc(graph.m * rows), run.count("launches"), run.moved, *_times(run, cpu))

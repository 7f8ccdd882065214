"""Verify, then time, then write docs/benchmarks.md and its chart.

    python bench/run.py                  everything (ten minutes or so)
    python bench/run.py --quick          small graphs, few rounds, nothing written
    python bench/run.py --only rmat --only single    one graph, one kind of measurement; nothing written

Nothing is timed before our distances pass nearfar.verify and equal SciPy's. Contestants take turns within one run, a
few tries each, round after round, so that a slow minute of the machine slows all of them; ratios are only ever formed
between figures of the same run. The best time and the median are both reported. Our arrays are filled once before the
clock starts (``out=``), because first touch of fresh memory is not ours to measure.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

import nearfar

sys.path.insert(0, str(Path(__file__).parent))  # the siblings below, also when run as a module
import graphs
import peers
import report

HERE = Path(__file__).parent
METHODS = ("dijkstra", "delta")
MANY = 64


@dataclass
class Contestant:
    """Somebody who can run a few tries and say how long each took."""

    name: str
    tries: Callable[[], list[float]]
    threads: int = 1
    note: str = ""
    times: list[float] = field(default_factory=list)
    spent: float = 0.0  # seconds of the run, what lies outside the contestant's own clock included

    def row(self, graph: str, measurement: str) -> dict[str, object]:
        """Return the figures for the report."""
        return {
            "measurement": measurement,
            "graph": graph,
            "name": self.name,
            "threads": self.threads,
            "note": self.note,
            "best": min(self.times),
            "median": statistics.median(self.times),
            "runs": len(self.times),
        }


def take_turns(contestants: list[Contestant], rounds: int, budget: float) -> None:
    """Let everybody try once a round; who has used ``budget`` seconds after three rounds sits out the rest."""
    for turn in range(rounds):
        for contestant in contestants:
            if turn < 3 or contestant.spent < budget:
                start = time.perf_counter()
                contestant.times += contestant.tries()
                contestant.spent += time.perf_counter() - start


def repeat(action: Callable[[], object]) -> Callable[[], list[float]]:
    """Turn an action into tries: three in a row when it is short, else one."""

    def tries() -> list[float]:
        times = []
        while len(times) < 3 and sum(times) < 0.2:
            start = time.perf_counter()
            action()
            times.append(time.perf_counter() - start)
        return times

    return tries


def as_float(dist: np.ndarray) -> np.ndarray:
    """Return distances as float64 with inf where unreached, to compare with libraries that answer so."""
    if dist.dtype.kind == "f":
        return dist.astype(np.float64)
    return np.where(dist == np.iinfo(dist.dtype).max, np.inf, dist.astype(np.float64))


class Bench:
    """One run over the chosen graphs and measurements; ``rows`` collects the figures."""

    def __init__(self, quick: bool, only: list[str]) -> None:
        self.quick, self.only = quick, only
        self.rounds, self.budget = (3, 1.0) if quick else (12, 6.0)
        self.rows: list[dict[str, object]] = []
        self.scratch = peers.Scratch()

    def say(self, text: str) -> None:
        """Tell whoever waits what is going on."""
        print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)

    def wanted(self, *names: str) -> bool:
        """Whether the measurement is among those asked for; graphs named by --only do not count against it."""
        asked = [name for name in self.only if name in MEASUREMENTS]
        return not asked or any(name in asked for name in names)

    def entries(self) -> list[graphs.Entry]:
        """Return the graphs to measure."""
        entries = graphs.entries(quick=self.quick)
        asked = [name for name in self.only if name not in MEASUREMENTS]
        return [entry for entry in entries if not asked or entry.name in asked]

    def due(self, entry: graphs.Entry, name: str) -> bool:
        """Every graph gets one source; the rest is for those that carry the claims, or tried out in a quick run."""
        small = self.quick and name != "memory"  # a few pages more or less would decide
        return name == "single" or entry.headline or small

    def run(self) -> list[dict[str, object]]:
        """Measure everything asked for."""
        if self.wanted("import"):
            self.import_time()
        for entry in self.entries() if self.wanted("single", "many", "memory", "busy") else []:
            self.say(f"{entry.name}: building")
            graph = entry.build()
            source = graphs.source_of(graph)
            self.say(f"{entry.name}: {graph!r}, source {source}; verifying")
            scipy = self.verify(graph, source)
            for name in ("single", "many", "memory", "busy"):
                if self.wanted(name) and self.due(entry, name):
                    self.say(f"{entry.name}: {MEASUREMENTS[name]}")
                    getattr(self, name)(entry.name, graph, source, scipy)
        self.scratch.close()
        return self.rows

    def verify(self, graph: nearfar.Graph, source: int) -> peers.SciPy:
        """Stop everything unless each of our answers has its certificate and equals SciPy's."""
        scipy = peers.SciPy()
        scipy.prepare(graph)
        truth = scipy.distances(source)
        for method in ("auto", *METHODS):
            for threads in (1, 2):
                result = nearfar.sssp(graph, source, method=method, threads=threads)
                certificate = nearfar.verify(graph, result)
                if not certificate or not np.array_equal(as_float(result.dist), truth):
                    raise SystemExit(f"{method} with {threads} threads is wrong: {certificate}")
        return scipy

    def ours(self, graph: nearfar.Graph, source: int, threads: int, method: str = "auto") -> Contestant:
        """Return ourselves as a contestant, with an array already touched."""
        out = nearfar.sssp(graph, source, method=method, threads=threads).dist.copy()
        action = repeat(lambda: nearfar.sssp(graph, source, method=method, threads=threads, out=out))
        if method != "auto":
            return Contestant(f"nearfar {method}", action, threads)
        chosen = nearfar.plan(graph, source, threads=threads)
        return Contestant("nearfar", action, threads, f"auto: {chosen.method}")

    def programs(
        self, name: str, graph: nearfar.Graph, source: int, threads: int, reached: int
    ) -> Iterator[Contestant]:
        """Yield GAP and Wasp where they are named and can take the graph, each at its best delta."""
        for program in peers.EXECUTABLES:
            if not program.takes(graph):
                continue
            path = self.scratch.wsg(name, graph)
            delta = program.best_delta(path, source, threads, graph)
            if program.trials(path, source, delta, threads, 1)[1] not in (None, reached):
                raise SystemExit(f"{program.name} does not reach the {reached} vertices that SciPy does")
            trials = partial(program.trials, path, source, delta, threads, 3)
            yield Contestant(program.name, lambda run=trials: run()[0], threads, f"delta {delta}")

    def libraries(self, graph: nearfar.Graph, source: int, scipy: peers.SciPy) -> Iterator[Contestant]:
        """Yield the installed Python libraries, each with its distances compared first."""
        truth = scipy.distances(source)
        for kind in peers.PEERS:
            if not kind.available() or not kind.takes(graph):
                continue
            peer = scipy if kind is peers.SciPy else kind()
            if peer is not scipy:
                peer.prepare(graph)
            if not np.allclose(peer.array(peer.distances(source)), truth, rtol=1e-9, atol=0):
                raise SystemExit(f"{kind.name} disagrees with SciPy")
            yield Contestant(kind.name, repeat(lambda p=peer: p.distances(source)))

    def single(self, name: str, graph: nearfar.Graph, source: int, scipy: peers.SciPy) -> None:
        """Time one source with one thread and with two."""
        contestants = [self.ours(graph, source, threads) for threads in (1, 2)]
        contestants += [self.ours(graph, source, threads, method) for method in METHODS for threads in (1, 2)]
        reached = int(np.isfinite(scipy.distances(source)).sum())
        for threads in (1, 2):
            contestants += self.programs(name, graph, source, threads, reached)
        contestants += self.libraries(graph, source, scipy)
        take_turns(contestants, self.rounds, self.budget)
        self.rows += [contestant.row(name, "single") for contestant in contestants]

    def many(self, name: str, graph: nearfar.Graph, source: int, scipy: peers.SciPy) -> None:
        """Time 64 sources: two threads, one thread, SciPy."""
        sources = graphs.sources_of(graph, MANY)
        out = nearfar.mssp(graph, sources, threads=2).dist.copy()
        if not np.array_equal(as_float(out), scipy.distances(sources)):
            raise SystemExit("many sources: we disagree with SciPy")
        contestants = [
            Contestant("nearfar", repeat(lambda t=t: nearfar.mssp(graph, sources, threads=t, out=out)), t)
            for t in (1, 2)
        ]
        contestants.append(Contestant("SciPy", repeat(lambda: scipy.distances(sources))))
        take_turns(contestants, max(3, self.rounds // 2), 4 * self.budget)
        self.rows += [contestant.row(name, "many") for contestant in contestants]

    def memory(self, name: str, graph: nearfar.Graph, source: int, scipy: peers.SciPy) -> None:
        """Measure the peak memory of one source in a child process."""
        path = self.scratch.folder / f"{name}.npz"
        arrays = {"offsets": graph.offsets, "heads": graph.heads}
        if graph.weights is not None:
            arrays["weights"] = graph.weights
        np.savez(path, **arrays)
        # glibc would keep what was freed while the graph was built and serve the query from it, unseen
        environment = dict(os.environ, MALLOC_MMAP_THRESHOLD_="65536", MALLOC_TRIM_THRESHOLD_="65536")
        for threads in (1, 2):
            command = [sys.executable, str(HERE / "memory.py"), str(path), str(source), str(threads)]
            run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            figures = json.loads(run.stdout)
            note = f"{figures.pop('method')}, {threads} thread{'s' if threads > 1 else ''}"
            self.rows.append({"measurement": "memory", "graph": name, "name": "nearfar", "note": note, **figures})

    def busy(self, name: str, graph: nearfar.Graph, source: int, scipy: peers.SciPy) -> None:
        """Time delta-stepping with one thread and two while two busy loops run beside it."""
        contestants = [self.ours(graph, source, threads, "delta") for threads in (1, 2)]
        with busy_loops(2):
            take_turns(contestants, 2 * self.rounds, 2 * self.budget)
        self.rows += [contestant.row(name, "busy") for contestant in contestants]

    def import_time(self) -> None:
        """Time ``import nearfar`` in fresh processes."""
        self.say(MEASUREMENTS["import"])
        code = "import time; t = time.perf_counter(); import nearfar; print(time.perf_counter() - t)"
        contestant = Contestant("nearfar", lambda: [float(subprocess.check_output([sys.executable, "-c", code]))])
        take_turns([contestant], max(5, self.rounds), self.budget)
        self.rows.append(contestant.row("", "import"))


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep ``count`` processes spinning while the block runs."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.3)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


MEASUREMENTS = {
    "single": "one source, one thread and two",
    "many": f"{MANY} sources",
    "memory": "peak memory of one source",
    "busy": "one source beside two busy loops",
    "import": "import time",
}


def main() -> None:
    """Read the command line, measure, print the report, write it when the run was complete."""
    parser = argparse.ArgumentParser(description="Measure nearfar and its peers.")
    parser.add_argument("--quick", action="store_true", help="small graphs and few rounds; writes nothing")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="a graph or a measurement")
    parser.add_argument("--output", type=Path, help="write the report into this folder, whatever was measured")
    options = parser.parse_args()
    known = {*MEASUREMENTS, *(entry.name for entry in graphs.entries(quick=options.quick))}
    if unknown := set(options.only) - known:
        parser.error(f"--only {', '.join(sorted(unknown))}: choose from {', '.join(sorted(known))}")
    facts = report.facts()
    rows = Bench(options.quick, options.only).run()
    print(report.text(rows, facts))
    if options.output or not (options.quick or options.only):
        report.write(rows, facts, options.output or HERE.parent / "docs")


if __name__ == "__main__":
    main()

"""Time the table of README.md: ``python bench/front.py [--write] [--quick]``.

One question per line, everybody who can answer it in a column, all in one run and in turns. What would take a library
hours is measured on a few sources and multiplied, which the table marks. Two threads for those that use threads: ours,
GAP, Wasp, NetworKit, pandana; SciPy and igraph have one. Distances of Python libraries are compared with ours first.
GAP and Wasp take part if GAP_SSSP and WASP_SSSP name their executables. --quick asks for fewer sources; nothing is
written.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import graphs
import nearfar
import peers
import report
from lines import THREADS, duration, race, require, same
from metrics import as_networkit, optional
from nearfar import metrics
from run import Bench, take_turns

README = Path(__file__).parent.parent / "README.md"
COLUMNS = ("nearfar", "GAP", "Wasp", "SciPy", "NetworKit", "igraph", "pandana")
NAMED = ("rmat", "ny")
PAIRS, MANY, SAMPLE, CUTOFF = 1_000_000, 1024, 16, 30_000
Times = dict[str, str]


def clock(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of an action, and what it returned."""
    began = time.perf_counter()
    found = action()
    return time.perf_counter() - began, found


def estimate(seconds: float) -> str:
    """Write a time that was measured on a few sources and multiplied."""
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"~{seconds / size:.{0 if seconds >= 10 * size else 1}f} {unit}"
    return f"~{duration(seconds)}"


def one_source(name: str, quick: bool) -> tuple[str, Times]:
    """Time one source of a graph, everybody at best."""
    bench = Bench(quick, [])
    entry = graphs.BY_NAME[name]
    graph = entry.build()
    source = graphs.source_of(graph)
    scipy = bench.verify(graph, source)
    reached = int(np.isfinite(scipy.distances(source)).sum())
    contestants = [bench.ours(graph, source, THREADS), *bench.programs(name, graph, source, THREADS, reached)]
    contestants += [c for c in bench.libraries(graph, source, scipy) if c.name in COLUMNS]
    take_turns(contestants, bench.rounds, bench.budget)
    bench.scratch.close()
    return f"{entry.label}, one source", {c.name: duration(min(c.times)) for c in contestants}


class NewYork:
    """The questions about New York; each returns a line of the table."""

    def __init__(self, quick: bool) -> None:
        self.graph = graphs.BY_NAME["ny"].build()
        self.n = self.graph.n
        self.some = np.linspace(0, self.n - 1, 2000 if quick else self.n).astype(int)
        self.share = self.n / len(self.some)
        self.sample = np.linspace(0, self.n - 1, SAMPLE).astype(int)
        self.pairs = np.random.default_rng(3).integers(0, self.n, (PAIRS, 2))
        self.scipy, self.igraph = peers.SciPy(), peers.IGraph()
        self.scipy.prepare(self.graph)
        if self.igraph.available():
            self.igraph.prepare(self.graph)
        self.networkit = as_networkit(self.graph)
        self.pandana = self._pandana()
        self.prepared = nearfar.prepare(self.graph, labels=True)

    def _pandana(self) -> Any:
        """Return the graph as pandana has it, with its hierarchy, or None."""
        if (pandana := optional("pandana")) is None:
            return None
        import pandas as pd

        once = self.graph.tails < self.graph.heads
        place = pd.Series(np.arange(self.n, dtype=float))
        frame = pd.DataFrame({"w": self.graph.weights[once].astype(float)})
        return pandana.Network(
            place, place * 0, pd.Series(self.graph.tails[once]), pd.Series(self.graph.heads[once]), frame
        )

    def rows_of_others(self) -> dict[str, float]:
        """Return the seconds that others take per row, as the best of some turns; NetworKit has a thread for each."""
        actions: dict[str, Callable[[], object]] = {"SciPy": lambda: self.scipy.distances(self.sample)}
        if self.networkit is not None:
            import networkit

            search = networkit.distance.Dijkstra
            actions["NetworKit"] = lambda: [search(self.networkit, int(s), False).run() for s in self.sample]
        if self.igraph.available():
            actions["igraph"] = lambda: [self.igraph.distances(int(s)) for s in self.sample[:4]]
        best = race(actions, rounds=3)
        counts = {"SciPy": SAMPLE, "NetworKit": SAMPLE * THREADS, "igraph": 4}
        return {name: seconds / counts[name] for name, seconds in best.items()}

    def many(self) -> tuple[str, Times]:
        """Time a matrix of many sources from the bare graph, and what others take for as many rows."""
        sources = np.random.default_rng(6).integers(0, self.n, MANY)
        out = nearfar.mssp(self.graph, sources).dist.copy()
        require(same(out[:8], self.scipy.distances(sources[:8])), "rows of New York")
        ours = race({"ours": lambda: nearfar.mssp(self.fresh(), sources, out=out)}, rounds=3)["ours"]
        rows = {name: estimate(seconds * MANY) for name, seconds in self.rows_of_others().items()}
        return f"{MANY:,} sources, everything counted", {"nearfar": duration(ours), **rows}

    def fresh(self) -> nearfar.Graph:
        """Return the graph as a new one, of which nothing is known."""
        return nearfar.Graph.from_csr(self.graph.offsets, self.graph.heads, self.graph.weights)

    def pair(self) -> tuple[str, Times]:
        """Time a pair of many random ones, with hierarchies."""
        times = {}
        seconds, found = min((clock(lambda: self.prepared.distances(self.pairs)) for _ in range(3)), key=lambda t: t[0])
        times["nearfar"] = duration(seconds / PAIRS)
        if self.pandana is not None:
            few = self.pairs[:100_000]
            spent, theirs = clock(lambda: self.pandana.shortest_path_lengths(few[:, 0], few[:, 1]))
            require(bool(np.array_equal(np.asarray(theirs), found[: len(few)])), "pandana's pairs")
            times["pandana"] = duration(spent / len(few))
        return "one of a million pairs, prepared", times

    def closeness(self) -> tuple[str, Times]:
        """Time closeness of all vertices."""
        metrics.closeness(self.prepared, self.some[:64])  # kernels are compiled or loaded here
        ours, _ = clock(lambda: metrics.closeness(self.fresh() if self.share == 1 else self.prepared, self.some))
        rows = {name: estimate(seconds * self.n) for name, seconds in self.rows_of_others().items()}
        if self.igraph.available():
            few = self.sample[:4].tolist()
            spent, _ = clock(lambda: self.igraph.graph.closeness(few, mode="in", weights="weight"))
            rows["igraph"] = estimate(spent / len(few) * self.n)
        return "closeness of all vertices", {"nearfar": duration(ours * self.share), **rows}

    def betweenness(self) -> tuple[str, Times]:
        """Time exact betweenness, ties shared."""
        metrics.betweenness(self.prepared, sources=self.some[:64])
        ours, _ = clock(lambda: metrics.betweenness(self.prepared, sources=self.some))
        times = {"nearfar": duration(ours * self.share)}
        if self.networkit is not None:
            import networkit

            spent, _ = clock(lambda: networkit.centrality.EstimateBetweenness(self.networkit, 8, parallel=True).run())
            times["NetworKit"] = estimate(spent / 8 * self.n)
        if self.igraph.available():
            few = self.sample[:4].tolist()
            spent, _ = clock(lambda: self.igraph.graph.betweenness(weights="weight", sources=few))
            times["igraph"] = estimate(spent / len(few) * self.n)
        return "exact betweenness of all vertices", times

    def accessibility(self) -> tuple[str, Times]:
        """Time jobs within a small cutoff of every vertex, all that must be prepared included."""
        jobs = np.random.default_rng(1).integers(0, 100, self.n)
        ours = race({"": lambda: metrics.accessibility(self.fresh(), jobs, cutoffs=CUTOFF)}, rounds=2)[""]
        times = {"nearfar": duration(ours)}
        if self.pandana is not None:
            import pandas as pd

            def theirs() -> Any:
                self.pandana.precompute(CUTOFF)
                self.pandana.set(pd.Series(np.arange(self.n)), pd.Series(jobs.astype(float)), "jobs")
                return self.pandana.aggregate(CUTOFF, type="sum", decay="flat", name="jobs")

            spent, sums = clock(theirs)
            found = metrics.accessibility(self.graph, jobs, cutoffs=CUTOFF).values[:, 0]
            require(bool(np.allclose(sums.to_numpy(), found)), "pandana's sums")
            times["pandana"] = duration(spent)
        return f"jobs within {CUTOFF:,} of every vertex", times


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    parser.add_argument("--quick", action="store_true", help="fewer sources; nothing is written")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
    facts = report.facts("scipy", "networkit", "igraph", "pandana")
    lines = [one_source(name, options.quick) for name in NAMED]
    city = NewYork(options.quick)
    for ask in (city.many, city.pair, city.accessibility, city.closeness, city.betweenness):
        lines.append(ask())
        print(lines[-1], flush=True)
    columns = [c for c in COLUMNS if any(c in times for _, times in lines)]
    body = [[what, *(times.get(c, "–") for c in columns)] for what, times in lines]
    text = "\n\n".join(
        (report.table(["", *columns], body), "; ".join(facts[name] for name in ("Machine", "Versions", "Date")) + ".")
    )
    print(text)
    if options.write and not options.quick:
        report.write_between(README, "bench", text)


if __name__ == "__main__":
    main()

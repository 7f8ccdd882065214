"""Verify, then time, what docs/prepared.md claims: ``python bench/prepared.py [--write] [--quick] [--only NAME]``.

First, rows are compared with those of `dijkstra` and SciPy, sums and pairs with rows, and rows after new weights with
`dijkstra`. Then our code, SciPy and the other contestants of a line take turns within one run; the best time counts,
and ratios are only formed between times of the same turns. Arrays are filled once before the clock starts (``out=``).
Two threads unless a line says otherwise; SciPy uses one. --write puts the table into docs/prepared.md; --quick takes
fewer sources and smaller generated graphs, --only measures one line, and neither of them writes anything.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

import nearfar
from nearfar import Graph, generate
from nearfar.methods import METHODS

sys.path.insert(0, str(Path(__file__).parent))
import graphs
import peers
import report
from lines import CHECKED, SCIPY_ROWS, THREADS, Case, Line, against, duration, over, race, require, same, skipped

PAGE = Path(__file__).parent.parent / "docs" / "prepared.md"
NOISE = 1.1  # ratio up to which two times count as equal


class Bench:
    """The measurements, by the names that --only takes; each yields one or more lines."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.many = 256 if quick else 1024

    def case(self, name: str, sources: int) -> Case:
        """Return the case of a graph of graphs.py."""
        entry = graphs.BY_NAME[name]
        if not entry.present:
            raise FileNotFoundError(f"{entry.file} is not here")
        return Case(entry.label, entry.build(), sources)

    @cached_property
    def ny(self) -> Case:
        """New York's roads."""
        return self.case("ny", self.many)

    def prepare(self) -> Iterator[Line]:
        """Time the preparation of New York."""
        case = self.ny
        require(len(case.rows) == self.many, "rows")
        best = race({"ours": lambda: nearfar.prepare(case.graph, threads=THREADS), "scipy": case.scipy_rows})
        row = best["scipy"] / SCIPY_ROWS
        yield against(f"{case.label}, prepare", best["ours"], row, "per row", most=25, unit="SciPy rows")

    def rows(self) -> Iterator[Line]:
        """Time many rows of New York, prepared; filling the same matrix; and the same with the preparation included."""
        case, matrix = self.ny, self.ny.rows
        best = race(
            {"fill": lambda: matrix.fill(7), "ours": case.sweep, "scipy": case.scipy_rows}, rounds=15, budget=20
        )
        case.verify(matrix, CHECKED)
        row = best["scipy"] / SCIPY_ROWS
        what = f"{case.label}, {self.many:,} sources"
        yield over(f"{what}, prepared", best["ours"], self.many, row, 250)
        ratio = best["ours"] / best["fill"]
        yield Line(
            f"{what}, filling the matrix", duration(best["ours"]), f"{duration(best['fill'])} to fill",
            f"{ratio:.2f} x as long", "at most 2", ratio <= 2,
        )  # fmt: skip

    def included(self) -> Iterator[Line]:
        """Time many rows of New York from the bare graph."""
        case, out = self.ny, self.ny.rows
        method = nearfar.plan(case.graph, case.sources, threads=THREADS).method
        best = race(
            {"ours": lambda: nearfar.mssp(case.graph, case.sources, threads=THREADS, out=out), "scipy": case.scipy_rows}
        )
        case.verify(out)
        what = f"{case.label}, {self.many:,} sources, preparation included (`auto`: `{method}`)"
        yield over(what, best["ours"], self.many, best["scipy"] / SCIPY_ROWS, 50)

    def sums(self) -> Iterator[Line]:
        """Time a sum over each row of New York, for all sources; for some of them with --quick."""
        case = self.ny
        truth = case.rows.sum(axis=1, dtype=np.int64)
        require(np.array_equal(case.prepared.row_sums(case.sources, threads=THREADS), truth), "sums against rows")
        sources = np.arange(16_384 if self.quick else case.graph.n)
        best = race(
            {"ours": lambda: case.prepared.row_sums(sources, threads=THREADS), "scipy": case.scipy_rows},
            rounds=2, budget=0,
        )  # fmt: skip
        each = best["ours"] / len(sources) / case.graph.n * 1e9
        row = best["scipy"] / SCIPY_ROWS
        what = f"{case.label}, a sum over each row, {len(sources):,} sources"
        yield Line(what, duration(best["ours"]), "–", f"{each:.2f} ns per distance", "under 0.6", each < 0.6)
        yield over(what, best["ours"], len(sources), row, 300)

    def one(self) -> Iterator[Line]:
        """Time single rows of New York, prepared, against our own Dijkstra, which takes one thread for a row."""
        case, out = self.ny, self.ny.rows[0].copy()
        some = case.sources[:16].tolist()
        for s in some[:4]:
            truth = nearfar.sssp(case.graph, s, method="dijkstra", threads=1).dist
            require(same(case.prepared.sssp(s, threads=THREADS).dist, truth), f"one row from {s}")
        best = race(
            {
                "two": lambda: [case.prepared.sssp(s, threads=THREADS, out=out) for s in some],
                "one": lambda: [case.prepared.sssp(s, threads=1, out=out) for s in some],
                "dijkstra": lambda: [nearfar.sssp(case.graph, s, method="dijkstra", threads=1, out=out) for s in some],
            },
            rounds=15,
        )
        other = best["dijkstra"] / len(some)
        for name, what, bar in (("two", "one source, prepared", "5"), ("one", "the same, 1 thread", "–")):
            ours = best[name] / len(some)
            yield Line(
                f"{case.label}, {what}", duration(ours), f"{duration(other)} with `dijkstra`",
                f"{other / ours:.1f} x", bar, other / ours >= 5 if bar == "5" else None,
            )  # fmt: skip

    def pairs(self) -> Iterator[Line]:
        """Time random pairs of New York, one thread: by climbs, and with labels."""
        case, rng = self.ny, np.random.default_rng(7)
        rows, targets = rng.integers(0, self.many, 10_000), rng.integers(0, case.graph.n, 10_000)
        some = np.column_stack((case.sources[rows], targets))
        ways = {labels: nearfar.prepare(case.graph, labels=labels) for labels in (False, True)}
        for prepared in ways.values():
            found = prepared.distances(some, threads=1, dtype=case.rows.dtype)
            require(np.array_equal(found, case.rows[rows, targets]), "pairs against rows")
        counts = {False: 10_000 if self.quick else 100_000, True: 1_000_000}
        pairs = {labels: rng.integers(0, case.graph.n, (count, 2)) for labels, count in counts.items()}
        best = race(
            {way: lambda way=way: ways[way].distances(pairs[way], threads=1) for way in (False, True)},
            rounds=4,
        )
        for labels, what, bar in ((False, "by climbs", 60), (True, "with labels", 0.6)):
            each = best[labels] / counts[labels] * 1e6
            yield Line(
                f"{case.label}, {counts[labels]:,} random pairs, {what}, 1 thread", duration(best[labels]), "–",
                f"{each:.2g} µs per pair", f"at most {bar}", each <= bar,
            )  # fmt: skip
        facts = ways[True].describe()
        yield Line(
            f"{case.label}, labels", duration(facts["seconds_labels"]), facts["labels"], "in new memory", "–", None
        )

    def reweight(self) -> Iterator[Line]:
        """Time new weights for New York: all of them, and ten."""
        case, rng = self.ny, np.random.default_rng(8)
        weights = case.graph.row_weights
        others = {"all arcs": (weights * rng.uniform(0.5, 1.5, len(weights))).astype(np.int32) + 1, "10 arcs": weights}
        others["10 arcs"] = weights.copy()
        others["10 arcs"][rng.choice(len(weights), 10, replace=False)] += 1000
        for given in others.values():
            again = case.prepared.reweight(given)
            truth = nearfar.mssp(again.graph, case.some, method="dijkstra").dist
            require(same(again.mssp(case.some).dist, truth), "new weights against dijkstra")
        best = race(
            {"prepare": lambda: nearfar.prepare(case.graph, threads=THREADS)}
            | {name: lambda given=given: case.prepared.reweight(given) for name, given in others.items()}
        )
        for name in others:
            yield Line(
                f"{case.label}, new weights: {name}", duration(best[name]), f"{duration(best['prepare'])} to prepare",
                f"{best['prepare'] / best[name]:.1f} x as fast",
            )  # fmt: skip

    def memory(self) -> Iterator[Line]:
        """Report the memory of New York, prepared."""
        yield from bytes_of(self.ny)

    def rmat(self) -> Iterator[Line]:
        """Time R-MAT 18: rows and preparation."""
        self.__dict__.pop("ny", None)  # one gigabyte of rows that no later line needs
        case = self.case("rmat14" if self.quick else "rmat", self.many)
        require(len(case.rows) == self.many, "rows")
        best = race(
            {
                "prepare": lambda: nearfar.prepare(case.graph, threads=THREADS),
                "ours": case.sweep,
                "scipy": case.scipy_rows,
            },
            rounds=5,
        )
        case.verify(case.rows, CHECKED)
        row = best["scipy"] / SCIPY_ROWS
        yield over(f"{case.label}, {self.many:,} sources, prepared", best["ours"], self.many, row, 300)
        yield against(f"{case.label}, prepare", best["prepare"], row, "per row", most=30, unit="SciPy rows")
        yield from bytes_of(case, bar=False)

    def saopaulo(self) -> Iterator[Line]:
        """Time the streets of São Paulo."""
        yield from self.large("saopaulo")

    def highways(self) -> Iterator[Line]:
        """Time the world's highways."""
        yield from self.large("highways")

    def large(self, name: str) -> Iterator[Line]:
        """Time 256 rows of a large road network."""
        count = 32 if self.quick else 256
        case = self.case(name, count)
        require(len(case.rows) == count, "rows")
        best = race({"ours": case.sweep, "scipy": case.scipy_rows}, rounds=12, budget=20)
        case.verify(case.rows, CHECKED)
        yield over(f"{case.label}, {count} sources, prepared", best["ours"], count, best["scipy"] / SCIPY_ROWS, 100)
        prepare = sum(case.prepared.hierarchy.seconds.values())
        row = best["scipy"] / SCIPY_ROWS
        yield against(f"{case.label}, prepare", prepare, row, "per row", unit="SciPy rows")
        yield from bytes_of(case)

    def twitter(self) -> Iterator[Line]:
        """Time many breadth-first searches of Twitter at once, against SciPy's and NetworKit's."""
        case, what = self.case("twitter", self.many), f"Twitter, unit weights, {self.many:,} sources, `bfs`"
        out = nearfar.mssp(case.graph, case.sources, method="bfs", threads=THREADS).dist.copy()
        case.verify(out)
        actions: dict[str, Callable[[], object]] = {
            "ours": lambda: nearfar.mssp(case.graph, case.sources, method="bfs", threads=THREADS, out=out),
            "scipy": lambda: unweighted_rows(case),
        }
        if peers.NetworKit.available():
            kit = peers.NetworKit()
            kit.prepare(case.graph)
            require(same(kit.array(kit.distances(case.some[0])), unweighted_rows(case)[0]), "NetworKit's distances")
            actions["networkit"] = lambda: [kit.distances(s) for s in case.some]
        best = race(actions)
        case.verify(out, CHECKED)
        yield over(what, best["ours"], self.many, best["scipy"] / SCIPY_ROWS, 150)
        if "networkit" in best:
            yield over(what, best["ours"], self.many, best["networkit"] / SCIPY_ROWS, 20, "NetworKit")
        else:
            yield skipped(f"{what}, against NetworKit", "networkit is not installed")

    def complete(self) -> Iterator[Line]:
        """Time all pairs of a complete graph against SciPy's Floyd-Warshall."""
        n = 500 if self.quick else 2000
        what = f"complete graph, n = {n:,}, `floyd`"
        if "floyd" not in METHODS:
            yield skipped(what, "there is no method of that name")
            return
        from scipy.sparse import csgraph

        graph = generate.complete(n, seed=1)
        dense = graph.to_scipy().toarray().astype(np.float64)
        out = nearfar.apsp(graph, method="floyd", threads=THREADS).dist.copy()
        require(same(out, csgraph.floyd_warshall(dense)), "floyd against SciPy's floyd_warshall")
        best = race(
            {
                "ours": lambda: nearfar.apsp(graph, method="floyd", threads=THREADS, out=out),
                "scipy": lambda: csgraph.floyd_warshall(dense),
            },
            budget=10,
        )
        yield over(what, best["ours"], n, best["scipy"] / n, 30, "SciPy's `floyd_warshall`")

    def families(self) -> Iterator[Line]:
        """Time two sources of every family of graphs: `auto` against the method that it should choose."""
        from nearfar.selftest.graphs import samples

        ratios: dict[str, float] = {}
        for sample in samples("usual" if self.quick else "full"):
            if sample.cyclic:
                continue
            graph, sources = sample.graph, [0, sample.graph.n - 1]
            named = "johnson" if graph.min_weight < 0 else "dijkstra"
            ratios[f"{sample.name}, {sample.dtype}"] = ratio_of_calls(graph, sources, named)
        worst = max(ratios, key=ratios.__getitem__)
        yield Line(
            f"{len(ratios)} graphs of the families, 2 sources: `auto` against `dijkstra` or `johnson` by name",
            f"median {statistics.median(ratios.values()):.2f} x", "–",
            f"{ratios[worst]:.2f} x at most ({worst})", f"at most {NOISE}", ratios[worst] <= NOISE,
        )  # fmt: skip


def ratio_of_calls(graph: Graph, sources: list[int], named: str) -> float:
    """Return the time of `auto` for two rows, divided by the time of a method given by name.

    Medians of many turns: half a millisecond on two threads depends on which cores they run on, and the best is luck.
    """
    out = nearfar.mssp(graph, sources, method=named).dist.copy()
    require(same(nearfar.mssp(graph, sources).dist, out), "two sources by auto")
    times: dict[str, list[float]] = {"auto": [], named: []}
    for _ in range(40 if graph.m > 50_000 else 300):
        for method, spent in times.items():
            start = time.perf_counter()
            nearfar.mssp(graph, sources, method=method, out=out)
            spent.append(time.perf_counter() - start)
    auto, other = (statistics.median(spent) for spent in times.values())
    return auto / other


def unweighted_rows(case: Case) -> np.ndarray:
    """Return some rows of SciPy with ``unweighted=True``."""
    from scipy.sparse import csgraph

    return csgraph.dijkstra(case.peer.matrix, indices=case.some, unweighted=True)


def bytes_of(case: Case, bar: bool = True) -> Iterator[Line]:
    """Yield the line about the memory of a prepared graph."""
    used, graph = case.prepared.hierarchy.nbytes, case.graph.nbytes
    line = Line(
        f"{case.label}, memory", f"{used / 1e6:.1f} MB", f"{graph / 1e6:.1f} MB for the graph", f"{used / graph:.1f} x"
    )
    yield Line(*line.cells[:4], "at most 12", used <= 12 * graph) if bar else line


NAMES = (
    "prepare", "rows", "included", "sums", "one", "pairs", "reweight", "memory", "rmat", "saopaulo", "highways",
    "twitter", "complete", "families",
)  # fmt: skip


def measure(quick: bool, only: list[str]) -> list[Line]:
    """Measure the named lines, or all, and print each as soon as it is known."""
    bench, lines = Bench(quick), []
    for name in only or NAMES:
        try:
            found = list(getattr(bench, name)())
        except FileNotFoundError as error:
            found = [skipped(name, str(error))]
        for line in found:
            print(f"[{time.strftime('%H:%M:%S')}] " + " | ".join(line.cells), file=sys.stderr, flush=True)
        lines += found
    return lines


def section(lines: list[Line], about: dict[str, str]) -> str:
    """Return the part of the page that is measured."""
    head = ["what", "ours", "others", "measured", "bar", "reached"]
    table = report.table(head, [line.cells for line in lines])
    return (
        f"{about['Machine']}; {about['System']}; {about['Versions']}; {about['Date']}; load average "
        f"{about['Load average at the start']} before the run.\n\n{table}"
    )


def main() -> None:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="put the table into docs/prepared.md")
    parser.add_argument("--quick", action="store_true", help="fewer sources, smaller generated graphs")
    parser.add_argument("--only", action="append", default=[], choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    options = parser.parse_args()
    if options.write and (options.quick or options.only):
        parser.error("--write needs a whole run: leave out --quick and --only")
    about = report.facts("numpy", "scipy", "numba", "networkit")
    text = section(measure(options.quick, options.only), about)
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf8")
        marks = r"(?s)(<!-- prepared:begin -->\n).*(<!-- prepared:end -->)"
        PAGE.write_text(re.sub(marks, lambda found: f"{found[1]}{text}\n{found[2]}", page), encoding="utf8")


if __name__ == "__main__":
    main()

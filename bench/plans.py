"""How good `auto` is: every candidate timed on many families of graphs, and `auto` beside them.

    python bench/plans.py                    the sweep (an hour), its table, and the data in plans.json
    python bench/plans.py --quick            three sizes, fewer queries (ten minutes)
    python bench/plans.py --only road --only facebook    some families or graphs
    python bench/plans.py --table plans.json the table of a run again
    python bench/fit.py plans.json --write   fit the constants of the planner to a run

For each graph, number of sources and number of threads, every method that can answer is timed, and `auto` with them, in
turns; best times count. All answers are compared with each other to the bit (floats that are added in another order up
to rounding), and one row of each is verified. Every try gets a graph that was never asked before, so that what `auto`
learns by looking at the graph is in its time. Candidates that would take more than TOO_LONG times the best so far are
left out, by what the planner expects of them, and those that do take CLOSE times the best have
fewer turns.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import families
import nearfar
from nearfar import Graph
from nearfar.elimination.outlook import has_hubs, look
from nearfar.engine.candidates import outlook_of
from nearfar.engine.estimate import seconds_on_cpu

SIZES = (30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK_SIZES = (300, 3000, 30_000)
SOURCES = (1, 2, 8, 32, 128, 512, 0)  # 0: all vertices
MOST_ENTRIES = 1 << 28  # distances in an answer
ALL_PAIRS = 20_000  # vertices up to which all pairs are asked for
TOO_LONG, LONGEST = 8.0, 2.5  # times the best candidate, and seconds, that a candidate may be expected to take
CLOSE = 1.6  # times the best, from which a candidate has no more turns
TRIES, LEAST = 5, 0.015  # turns; seconds that a turn of a candidate takes at least
FEW_TRIES, LEAST_OFTEN = 2, 0.1  # turns of all candidates that take less than this many seconds: the fit needs them
FROM = 1e-3  # seconds of the best candidate from which a case counts for the bars
LOOKED_AT = 4096  # vertices of the ball in a look that is taken for the fit, where `auto` took none


def candidates(graph: Graph, k: int, threads: int) -> list[str]:
    """Return the methods that can answer."""
    names = ["dijkstra"] if graph.min_weight >= 0 else ["johnson"] if k > 1 else ["frontier"]
    if k == 1 and threads > 1 and graph.min_weight >= 0:
        names.append("delta")
    if graph.min_weight == graph.max_weight:
        names.append("bfs")
    return [*names, "floyd", "prepared"] if k > 1 else names


class Case:
    """One graph, number of sources and number of threads: its candidates, timed."""

    def __init__(self, graph: Graph, k: int, threads: int) -> None:
        self.graph, self.k, self.threads = graph, k, threads
        self.sources = np.arange(graph.n) if k == graph.n else np.linspace(0, graph.n - 1, k).astype(np.int64)
        self.itemsize = nearfar.plan(families.fresh(graph), self.sources, method=self._plain()).dtype.itemsize
        self.out: np.ndarray | None = None
        self.times: dict[str, float] = {}
        self.answers: dict[str, np.ndarray] = {}

    def _plain(self) -> str:
        return "dijkstra" if self.graph.min_weight >= 0 else "johnson"

    def measure(self) -> dict[str, Any]:
        """Time every candidate and `auto`, in turns; return the best times and what `auto` took."""
        for method in [*candidates(self.graph, self.k, self.threads), "auto"]:
            if method == "auto" or self._expected(method) < min(TOO_LONG * self._best(), LONGEST):
                self._answer(method)
                self.times[method] = self._run(method)
        for turn in range(TRIES if self._best() >= FROM / 2 else 1):
            for method, seconds in self.times.items():
                if method == "auto" or seconds < CLOSE * self._best() or (turn < FEW_TRIES and seconds < LEAST_OFTEN):
                    self._turn(method)
        self._compare()
        return {"times": self.times} | self._plan()

    def _expected(self, method: str) -> float:
        return seconds_on_cpu(self.graph, self.k, method, self.threads, self.itemsize)

    def _best(self) -> float:
        return min(self.times.values(), default=np.inf)

    def _run(self, method: str) -> float:
        """Return the seconds of one try, on a graph that was never asked before."""
        asked = families.fresh(self.graph)
        began = time.perf_counter()
        result = nearfar.mssp(asked, self.sources, method=method, threads=self.threads, out=self.out)
        seconds = time.perf_counter() - began - result.stats["compile_seconds"]
        if self.out is None:
            self.out = result.dist
        return float(seconds)

    def _answer(self, method: str) -> None:
        """Run once, so that kernels are loaded and memory is touched; keep some rows, and verify one."""
        self._run(method)
        assert self.out is not None
        self.answers[method] = self.out[:: max(1, self.k // 8)].copy()
        asked = families.fresh(self.graph)
        if not nearfar.verify(asked, nearfar.mssp(asked, self.sources[:1], method=method, threads=self.threads)):
            raise SystemExit(f"{method} is wrong")

    def _turn(self, method: str) -> None:
        spent = 0.0
        while spent < LEAST:
            seconds = self._run(method)
            spent += seconds
            self.times[method] = min(self.times[method], seconds)

    def _compare(self) -> None:
        first = next(iter(self.answers.values()))
        exact = first.dtype.kind == "i"
        rounding = 1e-4 if first.dtype == np.float32 else 1e-9
        for method, rows in self.answers.items():
            if not (np.array_equal(rows, first) if exact else np.allclose(rows, first, rtol=rounding)):
                raise SystemExit(f"{method} differs")

    def _plan(self) -> dict[str, Any]:
        """Return what `auto` took and why, how long it planned, and what it saw of the graph."""
        seconds = []
        for _ in range(TRIES):
            asked = families.fresh(self.graph)
            began = time.perf_counter()
            plan = nearfar.plan(asked, self.sources, threads=self.threads)
            seconds.append(time.perf_counter() - began)
        seen = outlook_of(asked)
        return {
            "took": plan.method,
            "why": plan.why,
            "planning": min(seconds),
            "itemsize": self.itemsize,
            "seen": asdict(seen) if seen else None,
        }


def counts(graph: Graph) -> dict[str, Any]:
    """Return what the planner's cost model knows of a graph."""
    seen = None if has_hubs(graph) and graph.n > LOOKED_AT else asdict(look(graph, LOOKED_AT, 10**8))
    return {
        "n": graph.n,
        "m": graph.m,
        "min_weight": float(graph.min_weight),
        "max_weight": float(graph.max_weight),
        "type": graph.weight_dtype.name if graph.weight_dtype else None,
        "undirected": graph.undirected,
        "leaf_count": graph.leaf_count,
        "usual_levels": graph.usual_levels,
        "max_degree": graph.max_degree,
        "irregularity": graph.irregularity,
        "closedness": graph.closedness,
        "outlook": seen,
    }


def sweep(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Run all cases."""
    sizes = args.size or (QUICK_SIZES if args.quick else SIZES)
    wanted = [(name, build) for n in sizes for name, build in families.generated(n)]
    wanted += [] if args.size else list(families.real())
    wanted = [case for case in wanted if not args.only or any(part in case[0] for part in args.only)]
    found = []
    for name, build in wanted:
        graph = build()
        about = {"graph": name} | counts(graph)
        for k in sorted({min(k, graph.n) if k else graph.n for k in (SOURCES[::2] if args.quick else SOURCES)}):
            if k * graph.n > MOST_ENTRIES or (k == graph.n > ALL_PAIRS):
                continue
            for threads in args.threads:
                plain = seconds_on_cpu(graph, k, "dijkstra", threads, 4)
                if args.least <= plain < LONGEST:
                    found.append(about | {"k": k, "threads": threads} | Case(graph, k, threads).measure())
                    print(line(found[-1]), flush=True)
        args.out.write_text(json.dumps(found))
    return found


def ratio(case: dict[str, Any]) -> float:
    """Return the time of `auto` over that of the best candidate."""
    return case["times"]["auto"] / best_of(case)


def best_of(case: dict[str, Any]) -> float:
    """Return the time of the best candidate, `auto` among them: it may be the quicker of two runs of one method."""
    return min(case["times"].values())


def line(case: dict[str, Any]) -> str:
    """Return a case in a line."""
    times = ", ".join(f"{name} {1e3 * seconds:.3g}" for name, seconds in case["times"].items())
    size = f"n {case['n']:,} k {case['k']:,} t {case['threads']}"
    planned = f"plan {1e3 * case['planning']:.3g}"
    return f"{ratio(case):6.2f}  {case['graph']:24s} {size:28s} {case['took']:9s} ms: {times}; {planned}"


def table(found: list[dict[str, Any]]) -> str:
    """Return the table of the docs: families, and all together."""
    counted = [case for case in found if best_of(case) >= FROM]
    lines = ["| family | cases | median | worst | where |", "|---|---:|---:|---:|---|"]
    for name in [*dict.fromkeys(case["graph"] for case in counted), "all"]:
        cases = [case for case in counted if name in ("all", case["graph"])]
        worst = max(cases, key=ratio)
        best = min(worst["times"], key=worst["times"].__getitem__)
        choice = worst["took"] if best in (worst["took"], "auto") else f"{worst['took']}, not {best}"
        threads = "1 thread" if worst["threads"] == 1 else f"{worst['threads']} threads"
        where = f"n {worst['n']:,}, {worst['k']:,} rows, {threads}: {choice}"
        figures = f"{statistics.median(map(ratio, cases)):.2f} | {ratio(worst):.2f}"
        lines.append(f"| {name} | {len(cases)} | {figures} | {where} |")
    return "\n".join(lines)


def main() -> None:
    """Run the sweep, or show the table of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--size", type=int, action="append")
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--least", type=float, default=0.0, help="seconds that single rows are expected to take")
    parser.add_argument("--out", type=Path, default=Path("plans.json"))
    parser.add_argument("--table", type=Path)
    args = parser.parse_args()
    args.threads = args.threads or [1, 2]
    print(table(json.loads(args.table.read_text()) if args.table else sweep(args)))


if __name__ == "__main__":
    main()

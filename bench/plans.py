"""How good `auto` is: every candidate timed on many families of graphs, and `auto` beside them.

    python bench/plans.py                    the sweep (an hour or more), its table, and the data in plans.json
    python bench/plans.py --quick            three sizes, fewer queries (some minutes)
    python bench/plans.py --only road --only facebook    some families or graphs
    python bench/plans.py --table plans.json the table of a run again

For each graph, number of sources and number of threads, every method that can answer is timed, and `auto` with them, in
turns; best times count. All answers are compared with each other to the bit (floats that are added in another order up
to rounding), and one row of each is verified. Every try gets a graph that was never asked before, so that what `auto`
learns by looking at the graph is in its time. Candidates that would take more than TOO_LONG times the best so far are
left out, by what the planner expects of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import nearfar
from nearfar import Graph, generate
from nearfar.engine.estimate import seconds_on_cpu
from nearfar.graph.vertices import Vertices

sys.path.insert(0, str(Path(__file__).parent))
import graphs

SIZES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
QUICK_SIZES = (300, 3000, 30_000)
SOURCES = (1, 2, 8, 32, 128, 512, 0)  # 0: all vertices
MOST_ENTRIES = 1 << 28  # distances in an answer
TOO_LONG, LONGEST = 12.0, 6.0  # times the best candidate, and seconds, that a candidate may be expected to take
TRIES, LEAST, MOST = 5, 0.02, 1.5  # turns; seconds that a candidate takes at least, and from which it has no more turns
FROM = 1e-3  # seconds of the best candidate from which a case counts for the bars


def random_regular(n: int, rng: np.random.Generator, degree: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of a random graph in which every vertex has about this degree."""
    return np.tile(np.arange(n), degree // 2), np.concatenate([rng.permutation(n) for _ in range(degree // 2)])


def small_world(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of a ring with neighbours up to three places on, a tenth of them led elsewhere."""
    tails = np.tile(np.arange(n), 3)
    heads = (tails + np.repeat([1, 2, 3], n)) % n
    elsewhere = rng.random(len(heads)) < 0.1
    return tails, np.where(elsewhere, rng.integers(0, n, len(heads)), heads)


def tree(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of a tree in which each vertex hangs from a random earlier one."""
    return np.arange(1, n), (rng.random(n - 1) * np.arange(1, n)).astype(np.int64)


def grid(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of a square grid with four neighbours per cell."""
    side = max(round(n**0.5), 2)
    cells = np.arange(side * side).reshape(side, side)
    ends = ((cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:]))
    return tuple(np.concatenate([pair[i].ravel() for pair in ends]) for i in (0, 1))  # type: ignore[return-value]


EDGES: dict[str, Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "grid": grid,
    "small world": small_world,
    "random regular": random_regular,
    "tree": tree,
    "path": lambda n, rng: (np.arange(n - 1), np.arange(1, n)),
    "star": lambda n, rng: (np.zeros(n - 1, np.int64), np.arange(1, n)),
}
WEIGHTS = ("none", "int32", "float64")
DENSE = 2000  # vertices up to which complete graphs are made
SCALES = {n: max(round(np.log2(n)), 2) for n in SIZES}


def generated(n: int) -> Iterator[tuple[str, Callable[[], Graph]]]:
    """Yield the families of about n vertices, as (family, builder)."""
    side = max(round(n**0.5), 2)
    rng = np.random.default_rng(n)
    for name, edges in EDGES.items():
        for kind in WEIGHTS:
            yield f"{name}, {kind}", lambda edges=edges, kind=kind: _weighted(*edges(n, rng), kind, rng)
    yield "road, int32", lambda: generate.road_grid(side, side, seed=1)
    yield "road, int32, directed", lambda: _directed(generate.road_grid(side, side, seed=1))
    yield "raster, float64", lambda: Graph.from_raster(rng.integers(1, 9, (side, side)).astype(float)).without_names()
    yield "geometric, float64", lambda: generate.geometric(n, seed=1)
    if n <= 300_000:
        yield "R-MAT, int32", lambda: generate.rmat(SCALES[n], seed=1)
        yield "R-MAT, none", lambda: generate.rmat(SCALES[n], seed=1).with_weights(None)
        yield "R-MAT, int32, directed", lambda: generate.rmat(SCALES[n], seed=1, undirected=False)
    if n <= DENSE:
        yield "complete, int32", lambda: generate.complete(n, seed=1)
        yield "complete, none", lambda: generate.complete(n, seed=1, max_weight=None)


REAL = {  # social, roads, games, flights, power: weighted where the file is
    "facebook": ("snap-facebook-combined.npz", False),
    "power grid": ("gt-power.npz", False),
    "astro-ph": ("gt-astro-ph.npz", True),
    "twitter": ("snap-ego-twitter-undirected.npz", False),
    "citations": ("snap-arxiv-cit-hep-ph.npz", False),
    "internet": ("snap-as-caida20071105.npz", False),
    "rome": ("rome99.gr", True),
    "openflights": ("openflights.npz", True),
    "freeway": ("sc-us_freeway.npz", True),
    "andorra": ("osm-andorra.npz", True),
    "New York": ("USA-road-d.NY.gr.gz", True),
    "city 256": ("Berlin_0_256.map", True),
    "city 1024": ("Berlin_0_1024.map.gz", True),
}


def real() -> Iterator[tuple[str, Callable[[], Graph]]]:
    """Yield the real graphs that are there."""
    for name, (file, weighted) in REAL.items():
        if (graphs.DATA / file).exists():
            if file.endswith((".map", ".map.gz")):
                yield name, lambda file=file: nearfar.read(graphs.DATA / file).without_names()
            else:
                yield name, graphs.real(file, weighted)


def _weighted(tails: np.ndarray, heads: np.ndarray, kind: str, rng: np.random.Generator) -> Graph:
    """Return the undirected graph of some edges, with random weights of a type."""
    weights = None if kind == "none" else rng.integers(1, 1000, len(tails)).astype(kind)
    if kind == "float64":
        weights = weights / 7.0
    return Graph.from_arcs(tails, heads, weights, n=int(max(tails.max(), heads.max())) + 1, undirected=True)


def _directed(graph: Graph) -> Graph:
    """Return the arcs of a graph as those of a directed one."""
    return Graph(graph.offsets, graph.arcs, Vertices(graph.n))


def fresh(graph: Graph) -> Graph:
    """Return a graph with the same arrays, of which nothing is known yet."""
    new = Graph(graph.offsets, graph.arcs, Vertices(graph.n), undirected=graph.undirected)
    new.min_weight, new.max_weight, new.weight_dtype  # noqa: B018 - any query needs these
    return new


def candidates(graph: Graph, k: int, threads: int) -> list[str]:
    """Return the methods that can answer."""
    names = ["dijkstra"] if graph.min_weight >= 0 else ["johnson"] if k > 1 else ["frontier"]
    if k == 1 and threads > 1 and graph.min_weight >= 0:
        names.append("delta")
    if graph.min_weight == graph.max_weight:
        names.append("bfs")
    return [*names, "floyd", "prepared"] if k > 1 else names


def measure(graph: Graph, k: int, threads: int) -> dict[str, Any]:
    """Time every candidate and `auto`, in turns; return the best times and what `auto` took."""
    sources = np.arange(graph.n) if k == graph.n else np.linspace(0, graph.n - 1, k).astype(np.int64)
    plan = nearfar.plan(fresh(graph), sources, threads=threads)
    out = np.zeros((k, graph.n), plan.dtype)
    times: dict[str, float] = {}
    answers: dict[str, np.ndarray] = {}

    def run(method: str) -> float:
        asked = fresh(graph)
        began = time.perf_counter()
        result = nearfar.mssp(asked, sources, method=method, threads=threads, out=out)
        seconds = time.perf_counter() - began - result.stats["compile_seconds"]
        if method not in answers:
            answers[method] = out[:: max(1, k // 8)].copy()
            if not nearfar.verify(asked, nearfar.mssp(asked, sources[:1], method=method, threads=threads)):
                raise SystemExit(f"{method} is wrong")
        return seconds

    names = candidates(graph, k, threads)
    for method in [*names, "auto"]:
        best = min(times.values(), default=np.inf)
        if method == "auto" or seconds_on_cpu(graph, k, method, threads, plan.dtype.itemsize) < min(
            TOO_LONG * best, LONGEST
        ):
            run(method)  # kernels are loaded, memory is touched
            times[method] = np.inf
            for method_again in times:
                times[method_again] = min(times[method_again], run(method_again))
    for _ in range(TRIES):
        for method, best in list(times.items()):
            spent = 0.0
            while spent < LEAST:
                seconds = run(method)
                spent += seconds
                times[method] = best = min(best, seconds)
                if best > MOST:
                    break
    first = next(iter(answers.values()))
    for method, rows in answers.items():
        if not (np.array_equal(rows, first) if rows.dtype.kind == "i" else np.allclose(rows, first, rtol=1e-9)):
            raise SystemExit(f"{method} differs")
    taken = nearfar.plan(fresh(graph), sources, threads=threads)
    return {"times": times, "took": taken.method, "why": taken.why}


def sweep(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Run all cases."""
    sizes = QUICK_SIZES if args.quick else SIZES
    wanted = [(name, n, build) for n in sizes for name, build in generated(n)] + [(name, 0, b) for name, b in real()]
    wanted = [case for case in wanted if not args.only or any(part in case[0] for part in args.only)]
    found = []
    for name, size, build in wanted:
        graph = build()
        rows = sorted({min(k, graph.n) if k else graph.n for k in (SOURCES[::2] if args.quick else SOURCES)})
        for k in rows:
            if k * graph.n > MOST_ENTRIES or (k == graph.n > 20_000):
                continue
            for threads in args.threads:
                if seconds_on_cpu(graph, k, "dijkstra", threads, 4) > LONGEST:
                    continue
                case = {"graph": name, "size": size, "n": graph.n, "m": graph.m, "k": k, "threads": threads}
                found.append(case | measure(graph, k, threads))
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
    return f"{ratio(case):6.2f}  {case['graph']:24s} {size:28s} {case['took']:9s} ms: {times}"


def table(found: list[dict[str, Any]]) -> str:
    """Return the table of the docs: families, and all together."""
    counted = [case for case in found if best_of(case) >= FROM]
    lines = ["| family | cases | median | worst | where |", "|---|---:|---:|---:|---|"]
    for name in [*dict.fromkeys(case["graph"] for case in counted), "all"]:
        cases = [case for case in counted if name in ("all", case["graph"])]
        worst = max(cases, key=ratio)
        best = min(worst["times"], key=worst["times"].__getitem__)
        where = f"n {worst['n']:,}, {worst['k']:,} rows, {worst['threads']} threads: {worst['took']}, not {best}"
        figures = f"{statistics.median(map(ratio, cases)):.2f} | {ratio(worst):.2f}"
        lines.append(f"| {name} | {len(cases)} | {figures} | {where} |")
    return "\n".join(lines)


def main() -> None:
    """Run the sweep, or show the table of one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--out", type=Path, default=Path("plans.json"))
    parser.add_argument("--table", type=Path)
    args = parser.parse_args()
    args.threads = args.threads or [1, 2]
    print(table(json.loads(args.table.read_text()) if args.table else sweep(args)))


if __name__ == "__main__":
    main()

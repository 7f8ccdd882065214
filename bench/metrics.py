"""Verify, then time, what docs/metrics.md claims: ``python bench/metrics.py [--write] [--quick]``.

Peers that take hours are measured on a sample of sources in the same run, and their time is multiplied. Two threads for
all of them unless a line says otherwise; SciPy uses one. Peers that are not installed are skipped, visibly: NetworKit,
igraph and pandana are not among the packages that tests install. --write puts the table into docs/metrics.md.
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
import report
from lines import Line, duration, skipped
from nearfar import metrics

PAGE = Path(__file__).parent.parent / "docs" / "metrics.md"
THREADS = 2


def best(action: Callable[[], Any], tries: int = 2) -> tuple[float, Any]:
    """Return the best time of an action, and what it returned."""
    times, found = [], None
    for _ in range(tries):
        began = time.perf_counter()
        found = action()
        times.append(time.perf_counter() - began)
    return min(times), found


def optional(name: str) -> Any:
    """Import a peer, or return None."""
    try:
        return __import__(name)
    except ImportError:
        return None


def as_networkit(graph: nearfar.Graph) -> Any:
    """Return the graph as NetworKit has it: undirected, each edge once."""
    networkit = optional("networkit")
    if networkit is None:
        return None
    networkit.setNumberOfThreads(THREADS)
    there = networkit.Graph(graph.n, weighted=graph.weights is not None)
    once = graph.tails < graph.heads
    keys = graph.tails[once].astype(np.int64) * graph.n + graph.heads[once]
    _, first = np.unique(keys, return_index=True)
    arcs = np.flatnonzero(once)[first]
    weights = np.ones(len(arcs)) if graph.weights is None else graph.weights[arcs].astype(float)
    for tail, head, weight in zip(
        graph.tails[arcs].tolist(), graph.heads[arcs].tolist(), weights.tolist(), strict=True
    ):
        there.addEdge(tail, head, weight)
    return there


def scipy_row(graph: nearfar.Graph, rows: int = 8) -> float:
    """Return the seconds of one of SciPy's rows."""
    from scipy.sparse.csgraph import dijkstra

    matrix, sources = graph.to_scipy(), np.linspace(0, graph.n - 1, rows).astype(int)
    return best(lambda: dijkstra(matrix, indices=sources), 2)[0] / rows


def new_york(quick: bool) -> list[Line]:
    """Measure closeness, accessibility, betweenness, diameter and routes of New York."""
    graph = graphs.real("USA-road-d.NY.gr.gz")()
    prepared = nearfar.prepare(graph)
    some = np.linspace(0, graph.n - 1, 2000 if quick else graph.n).astype(int)
    share = graph.n / len(some)
    lines = []
    sums, _ = best(lambda: prepared.row_sums(some), 1)
    close, found = best(lambda: metrics.closeness(prepared, some), 1)
    rows = nearfar.mssp(graph, some[:16], direction="to").dist
    assert np.allclose(found.values[:16], (graph.n - 1) / rows.sum(axis=1))
    row = scipy_row(graph)
    lines.append(against("New York, closeness of all vertices", close * share, row * graph.n, "SciPy's rows", 250))
    lines.append(Line("the same, against sums of rows", duration(close * share), duration(sums * share),
                      f"{close / sums:.2f} x as long", "at most 1.5", close <= 1.5 * sums))  # fmt: skip
    lines += networkit_lines(graph, prepared, some, close * share)
    jobs, ends = np.random.default_rng(1).integers(0, 100, graph.n), [100_000, 200_000, 400_000, 600_000, 800_000]
    spent, found = best(lambda: metrics.accessibility(prepared, jobs, cutoffs=ends, vertices=some), 1)
    far = nearfar.mssp(graph, some[:16]).dist
    assert np.array_equal(found.values[:16], np.stack([(far <= end) @ jobs for end in ends], axis=1))
    lines.append(Line("New York, accessibility, 5 cutoffs", duration(spent * share), duration(sums * share),
                      f"{spent / sums:.2f} x as long as sums", "at most 2", spent <= 2 * sums))  # fmt: skip
    lines.append(pandana_line(graph, jobs))
    spent, extent = best(lambda: metrics.extent(graph, ["diameter", "radius"]))
    lines.append(Line("New York, diameter and radius", duration(spent), "–", f"{extent.rows} rows", "at most 60",
                      extent.rows <= 60))  # fmt: skip
    pairs = np.random.default_rng(2).integers(0, graph.n, (5000, 2)).tolist()
    spent, _ = best(lambda: [prepared.path_rows(*pair) for pair in pairs], 2)
    lines.append(Line("New York, 5,000 routes as rows of the table, prepared", duration(spent), "–",
                      f"{duration(spent / 5000)} per route", "under 1 s", spent < 1))  # fmt: skip
    return lines


def against(what: str, ours: float, others: float, who: str, bar: float) -> Line:
    """Return a line with a ratio and its bar."""
    ratio = others / ours
    return Line(what, duration(ours), f"{duration(others)} with {who}", f"{ratio:,.0f} x", f"{bar:g} x", ratio >= bar)


def networkit_lines(graph: nearfar.Graph, prepared: Any, some: np.ndarray, close: float) -> list[Line]:
    """Measure closeness and betweenness against NetworKit, whose times are those of a sample of sources."""
    there = as_networkit(graph)
    if there is None:
        return [skipped("New York, closeness and betweenness", "networkit is not installed")]
    import networkit

    sources = np.linspace(0, graph.n - 1, 16).astype(int).tolist()
    row, _ = best(lambda: [networkit.distance.Dijkstra(there, s, False).run() for s in sources])
    theirs = row / 16 / THREADS * graph.n
    lines = [against("New York, closeness, against NetworKit's rows on two threads", close, theirs, "NetworKit", 60)]
    passed, _ = best(lambda: networkit.centrality.EstimateBetweenness(there, 16, parallel=True).run())
    spent, _ = best(lambda: metrics.betweenness(prepared, sources=some), 1)
    ours = spent * graph.n / len(some)
    lines.append(against("New York, betweenness, all sources", ours, passed / 16 * graph.n, "NetworKit", 60))
    return lines


def pandana_line(graph: nearfar.Graph, jobs: np.ndarray) -> Line:
    """Measure accessibility within a small cutoff against pandana's precompute and aggregate."""
    what, cutoff = "New York, accessibility within 30,000, preparation included", 30_000
    spent, found = best(lambda: metrics.accessibility(nearfar.Graph.from_csr(
        graph.offsets, graph.heads, graph.weights), jobs, cutoffs=cutoff))  # fmt: skip
    if (pandana := optional("pandana")) is None:
        return Line(what, duration(spent), "–", "skipped: pandana is not installed", "3 x")
    import pandas as pd

    once = graph.tails < graph.heads
    frame = pd.DataFrame({"w": graph.weights[once].astype(float)})
    place = pd.Series(np.arange(graph.n, dtype=float))
    net = pandana.Network(place, place * 0, pd.Series(graph.tails[once]), pd.Series(graph.heads[once]), frame)

    def theirs() -> Any:
        net.precompute(cutoff)
        net.set(pd.Series(np.arange(graph.n)), pd.Series(jobs.astype(float)), "jobs")
        return net.aggregate(cutoff, type="sum", decay="flat", name="jobs")

    other, sums = best(theirs, 1)
    assert np.allclose(sums.to_numpy(), found.values[:, 0])
    return against(what, spent, other, "pandana", 3)


def others(quick: bool) -> list[Line]:
    """Measure flows on Chicago's roads, and closeness of Twitter."""
    from scipy.sparse import coo_array

    lines = []
    chicago = nearfar.read(graphs.DATA / "ChicagoRegional_net.tntp.gz").without_names()
    zones = 1790
    demand = np.random.default_rng(1).random((zones, zones))
    table = coo_array(demand)
    table = coo_array((table.data, table.coords), shape=(chicago.n, chicago.n))
    spent, _ = best(lambda: metrics.flows(chicago, table), 3)
    lines.append(against("Chicago, flows of 1,790 x 1,790 pairs", spent, walked(chicago, demand, zones),
                         "SciPy's rows and a walk in Python", 100))  # fmt: skip
    twitter = graphs.real("snap-ego-twitter-undirected.npz", weighted=False)()
    spent, _ = best(lambda: metrics.closeness(twitter, hops=True))
    there = as_networkit(twitter)
    what = "Twitter, closeness in hops"
    if there is None:
        lines.append(skipped(what, "networkit is not installed"))
    else:
        import networkit

        sources = np.linspace(0, twitter.n - 1, 32).astype(int).tolist()
        row, _ = best(lambda: [networkit.distance.BFS(there, s, False).run() for s in sources])
        lines.append(against(what, spent, row / 32 / THREADS * twitter.n, "NetworKit on two threads", 60))
    return lines


def walked(graph: nearfar.Graph, demand: np.ndarray, zones: int, sample: int = 8) -> float:
    """Return the seconds that SciPy's predecessors and a walk along every path would take, from a few origins."""
    from scipy.sparse.csgraph import dijkstra

    matrix = graph.with_weights(np.maximum(graph.row_weights, 1e-9)).to_scipy()
    began = time.perf_counter()
    _, before = dijkstra(matrix, indices=range(sample), return_predecessors=True)
    flow: dict[tuple[int, int], float] = {}
    for s in range(sample):
        for t in range(zones):
            v = t
            while v != s and (u := int(before[s, v])) >= 0:
                flow[u, v] = flow.get((u, v), 0.0) + demand[s, t]
                v = u
    return (time.perf_counter() - began) / sample * zones


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", str(THREADS))
    facts = report.facts("numpy", "scipy", "numba", "networkit", "pandana")
    lines = [*new_york(args.quick), *others(args.quick)]
    text = report.measured(facts, lines)
    print(text)
    if args.write and not args.quick:
        report.write_between(PAGE, "metrics", text)


if __name__ == "__main__":
    main()

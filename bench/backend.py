"""Verify, then time, the NetworkX backend: ``python bench/backend.py [--write]``; the table of docs/from-networkx.md.

NetworkX and nearfar answer the same calls in the same run. igraph and NetworKit are skipped, visibly, where they are
not installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import networkx as nx

import graphs
import nearfar
import report
from lines import Line, duration, skipped
from metrics import against, best, optional

PAGE = Path(__file__).parent.parent / "docs" / "from-networkx.md"
THREADS = 2


def same(one: dict[Any, float], other: dict[Any, float]) -> bool:
    """Tell whether two answers are equal up to rounding."""
    return one.keys() == other.keys() and all(abs(one[v] - other[v]) <= 1e-9 * abs(one[v]) + 1e-15 for v in one)


def row_lines() -> list[Line]:
    """Measure one source of a road network of 100,000 nodes, with a graph that was converted and one that was not."""
    roads = nearfar.generate.road_grid(316, 316, seed=1).to_networkx()
    ask = nx.single_source_dijkstra_path_length
    assert dict(ask(roads, 0, backend="nearfar")) == ask(roads, 0, backend="networkx")
    theirs, _ = best(lambda: ask(roads, 0, backend="networkx"), 3)
    ours, _ = best(lambda: ask(roads, 0, backend="nearfar"), 7)

    def convert() -> Any:
        roads.__networkx_cache__.clear()
        return ask(roads, 0, backend="nearfar")

    fresh, _ = best(convert, 3)
    read, _ = best(lambda: dict(ask(roads, 0, backend="nearfar")), 3)
    what = "single_source_dijkstra_path_length, 99,856 nodes of a road network"
    return [
        against(what, ours, theirs, "NetworkX", 20),
        against(f"{what}, with conversion", fresh, theirs, "NetworkX", 1.5),
        against(f"{what}, filled into a dict", read, theirs, "NetworkX", 1),
    ]


def closeness_line() -> Line:
    """Measure closeness of the power grid."""
    grid = graphs.real("gt-power.npz", weighted=False)().to_networkx()
    theirs, wanted = best(lambda: nx.closeness_centrality(grid, backend="networkx"), 1)
    ours, found = best(lambda: nx.closeness_centrality(grid, backend="nearfar"), 5)
    assert same(wanted, found)
    return against("closeness_centrality, power grid of 4,941 nodes", ours, theirs, "NetworkX", 300)


def betweenness_lines() -> list[Line]:
    """Measure betweenness of Rome's roads, against NetworkX, igraph and NetworKit."""
    graph = nearfar.read(graphs.DATA / "rome99.gr")
    there = graph.to_networkx()
    theirs, wanted = best(lambda: nx.betweenness_centrality(there, weight="weight", backend="networkx"), 1)
    ours, found = best(lambda: nx.betweenness_centrality(there, weight="weight", backend="nearfar"), 5)
    assert same(wanted, found)
    what = "betweenness_centrality, weighted, 3,353 nodes of Rome"
    lines = [against(what, ours, theirs, "NetworkX", 100)]
    assert graph.weights is not None
    weights = graph.weights.tolist()
    if (igraph := optional("igraph")) is None:
        lines.append(skipped(what, "igraph is not installed"))
    else:
        net = igraph.Graph(graph.n, list(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)), directed=True)
        lines.append(against(what, ours, best(lambda: net.betweenness(weights=weights), 3)[0], "igraph", 10))
    if (networkit := optional("networkit")) is None:
        lines.append(skipped(what, "networkit is not installed"))
    else:
        networkit.setNumberOfThreads(THREADS)
        net = networkit.Graph(graph.n, weighted=True, directed=True)
        for u, v, w in zip(graph.tails.tolist(), graph.heads.tolist(), weights, strict=True):
            net.addEdge(u, v, w)
        spent, _ = best(lambda: networkit.centrality.Betweenness(net).run(), 3)
        lines.append(against(what, ours, spent, "NetworKit, two threads", 10))
    return lines


IMPORTED = """
import sys, time
import networkx
for name in [name for name in sys.modules if name.split(".")[0] == "nearfar"]:
    del sys.modules[name]
from importlib.metadata import entry_points
entries = entry_points(group="networkx.backend_info", name="nearfar")  # NetworkX looks there in any case
began = time.perf_counter()
for entry in entries:
    entry.load()()
print(time.perf_counter() - began)
"""


def import_line() -> Line:
    """Measure what the backend adds to ``import networkx``."""
    times = [
        float(subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    spent = min(times)
    return Line("what the backend adds to `import networkx`", duration(spent), "–", "–", "2 ms", spent < 2e-3)


def small_lines() -> list[Line]:
    """Measure calls on a graph of 10 nodes with nearfar in the list of priorities, which leaves them to NetworkX."""
    graph = nx.gnm_random_graph(10, 20, seed=1)
    calls = {
        "single_source_dijkstra_path_length": lambda: nx.single_source_dijkstra_path_length(graph, 0),
        "shortest_path": lambda: nx.shortest_path(graph, 0, 5, "weight"),
        "has_path": lambda: nx.has_path(graph, 0, 5),
        "closeness_centrality": lambda: nx.closeness_centrality(graph),
        "diameter": lambda: nx.diameter(graph),
    }
    lines = []
    for name, call in calls.items():
        times = []
        for priority in ([], ["nearfar"]):
            nx.config.backend_priority.algos = priority
            times.append(best(lambda call=call: [call() for _ in range(300)], 7)[0] / 300)
        nx.config.backend_priority.algos = []
        ratio = times[1] / times[0]
        lines.append(
            Line(f"{name}, 10 nodes", duration(times[1]), f"{duration(times[0])} with NetworkX alone",
                 f"{ratio:.2f} of its time", "2", ratio <= 2)
        )  # fmt: skip
    return lines


def main() -> None:
    """Measure, print, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="Note: conversions to backend graphs")
    nx.config.warnings_to_ignore.add("cache")
    facts = report.facts("networkx", "igraph", "networkit", "numpy", "numba")
    lines = [*row_lines(), closeness_line(), *betweenness_lines(), import_line(), *small_lines()]
    text = report.measured(facts, lines)
    print(text)
    if args.write:
        report.write_between(PAGE, "backend", text)


if __name__ == "__main__":
    main()

"""Verify, then time, the doors to other libraries: ``python bench/doors.py [igraph osmnx sparry] [--write]``.

Each writes the table of its own page: docs/from-igraph.md (with rustworkx), docs/from-osmnx.md, docs/from-sparry.md.
Every round converts the graph anew, so that no call finds what an earlier one has kept.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import graphs
import nearfar
import report
from csgraph import once
from lines import Line, duration
from metrics import against
from nearfar.adapters import sparry

DOCS = Path(__file__).parent.parent / "docs"
NEW_YORK = "USA-road-d.NY.gr.gz"
SOURCES, ROUNDS = 64, 3
PAIRS, FEW_PAIRS, SIDE = 200, 20, 300


def in_steps(*steps: Callable[[Any], Any]) -> list[float]:
    """Return the best seconds up to the end of each step; each gets what the step before returned."""
    best = np.full(len(steps), np.inf)
    for _ in range(ROUNDS):
        made, times, began = None, [], time.perf_counter()
        for step in steps:
            made = step(made)
            times.append(time.perf_counter() - began)
        best = np.minimum(best, times)
    return best.tolist()


def as_rows(lengths: list[Any], sources: list[int], n: int) -> np.ndarray:
    """Return distances that rustworkx has as mappings, without the sources themselves."""
    rows = np.full((len(sources), n), np.inf)
    for row, source, found in zip(rows, sources, lengths, strict=True):
        row[list(found.keys())] = list(found.values())
        row[source] = 0
    return rows


def igraph_lines() -> list[Line]:
    """Measure rows of New York against igraph and rustworkx, with and without the conversion of their graphs."""
    road = graphs.real(NEW_YORK)()
    sources = np.random.default_rng(1).choice(road.n, SOURCES, replace=False).tolist()
    there, net = road.to_igraph(), road.to_rustworkx()
    import rustworkx

    def igraphs() -> Any:
        return there.distances(sources, weights="weight")

    def rustworkxs() -> Any:
        return [rustworkx.dijkstra_shortest_path_lengths(net, source, float) for source in sources]

    def rows(graph: Any) -> Any:
        return nearfar.mssp(graph, sources).as_float()

    ours = rows(nearfar.Graph.from_igraph(there))
    assert np.array_equal(np.array(igraphs()), ours)
    assert np.array_equal(as_rows(rustworkxs(), sources, road.n), ours)
    assert np.array_equal(rows(nearfar.Graph.from_rustworkx(net)), ours)
    lines = []
    for name, theirs, door in (
        ("igraph", igraphs, lambda _: nearfar.Graph.from_igraph(there)),
        ("rustworkx", rustworkxs, lambda _: nearfar.Graph.from_rustworkx(net)),
    ):
        converted, whole = in_steps(door, rows)
        before = min(once(theirs) for _ in range(ROUNDS))
        what = f"{SOURCES} sources, {name}"
        lines += [
            against(f"{what}, everything counted", whole, before, name, 1),
            against(f"{what}, the graph converted before", whole - converted, before, name, 2),
            Line(f"the conversion alone, from {name}", duration(converted), "–", "–"),
        ]
    return lines


def as_streets(n: int, tails: Any, heads: Any, lengths: Any, points: np.ndarray) -> Any:
    """Return a MultiDiGraph as OSMnx makes them."""
    made = nx.MultiDiGraph(crs="epsg:4326")
    made.add_nodes_from((v, {"x": x, "y": y}) for v, (x, y) in zip(range(1000, 1000 + n), points.tolist(), strict=True))
    ends = ((tails + 1000).tolist(), (heads + 1000).tolist(), lengths.tolist())
    made.add_edges_from((u, v, {"length": length}) for u, v, length in zip(*ends, strict=True))
    return made


def route_lines(what: str, town: Any, count: int) -> list[Line]:
    """Measure routes between random nodes of a street network, all of which lead to each other."""
    with warnings.catch_warnings():  # of the libraries that OSMnx imports
        warnings.simplefilter("ignore")
        import osmnx
    rng, nodes = np.random.default_rng(1), sorted(max(nx.strongly_connected_components(town), key=len))
    starts, ends = ([nodes[i] for i in rng.integers(0, len(nodes), count)] for _ in range(2))

    def theirs() -> Any:
        return osmnx.routing.shortest_path(town, starts, ends, weight="length", cpus=1)

    def ours(prepared: Any) -> Any:
        return [nearfar.path(prepared, u, v) for u, v in zip(starts, ends, strict=True)]

    door = (lambda _: nearfar.Graph.from_networkx(town, weight="length"), nearfar.prepare)
    found = ours(door[1](door[0](None)))
    for old, new in zip(theirs(), found, strict=True):
        assert np.isclose(length_of(town, old), length_of(town, new), rtol=1e-9, atol=0)
    _, prepared, whole = in_steps(*door, ours)
    before = min(once(theirs) for _ in range(ROUNDS))
    return [
        against(f"{count} routes, {what}, everything counted", whole, before, "OSMnx", 2),
        against(f"{count} routes, {what}, prepared before", whole - prepared, before, "OSMnx", 10),
    ]


def length_of(town: Any, path: list[Any]) -> float:
    """Return the length of a path, which takes the shortest of parallel streets."""
    return sum(min(data["length"] for data in town[u][v].values()) for u, v in pairwise(path))


def osmnx_lines() -> list[Line]:
    """Measure routes in Andorra and in a generated town."""
    parts = graphs.reader().load("osm-andorra.npz")
    n, points = int(parts["n"]), np.column_stack((parts["lon"], parts["lat"]))
    andorra = as_streets(n, parts["src"], parts["dst"], parts["w2"], points)
    grid = nearfar.generate.road_grid(SIDE, SIDE, seed=1)
    town = as_streets(grid.n, grid.tails, grid.heads, grid.weights, grid.coordinates)
    return [
        *route_lines(f"Andorra, {n:,} nodes", andorra, PAIRS),
        *route_lines(f"a generated town, {grid.n:,} nodes", town, FEW_PAIRS),
    ]


def beside(what: str, ours: Callable[[], Any], plain: Callable[[], Any], calls: int = 1) -> Line:
    """Return what a call of the adapter takes, and the plain call that does the same; they take turns."""
    best = [np.inf, np.inf]
    for action in (ours, plain):
        action()  # compiles
    for _ in range(7):
        for i, action in enumerate((ours, plain)):
            best[i] = min(best[i], once(lambda action=action: [action() for _ in range(calls)]) / calls)
    return Line(
        what, duration(best[0]), f"{duration(best[1])} with nearfar's call", f"{best[0] / best[1]:.2f} of its time"
    )


def sparry_lines() -> list[Line]:
    """Measure SParry's calls beside those of nearfar that they lead to."""
    road, small = graphs.real(NEW_YORK)(), nearfar.generate.road_grid(3, 3)
    sources = np.random.default_rng(1).choice(road.n, SOURCES, replace=False).tolist()
    rows = [tuple(map(np.array, (graph.offsets, graph.heads, graph.weights))) for graph in (road, small)]
    graph, tiny = (sparry.read(CSR=each) for each in rows)
    assert np.array_equal(sparry.calc(graph, srclist=0).dist, nearfar.sssp(graph.to_nearfar(), 0).dist)

    def trees(result: Any) -> Any:
        return result.predecessors

    plain = {"method": "dijkstra"}
    return [
        beside("read(CSR=...), New York", lambda: sparry.read(CSR=rows[0]), lambda: nearfar.Graph.from_csr(*rows[0])),
        beside("calc, one source, New York", lambda: sparry.calc(graph, srclist=0),
               lambda: nearfar.sssp(graph.to_nearfar(), 0, **plain)),
        beside("calc, one source with paths, New York", lambda: sparry.calc(graph, srclist=0, pathRecordBool=True),
               lambda: trees(nearfar.sssp(graph.to_nearfar(), 0, **plain))),
        beside(f"calc, {SOURCES} sources, New York", lambda: sparry.calc(graph, srclist=sources),
               lambda: nearfar.mssp(graph.to_nearfar(), sources, **plain)),
        beside("calc, one source of 9 vertices", lambda: sparry.calc(tiny, srclist=0),
               lambda: nearfar.sssp(tiny.to_nearfar(), 0, **plain), 200),
    ]  # fmt: skip


DOORS: dict[str, tuple[Callable[[], list[Line]], tuple[str, ...]]] = {
    "igraph": (igraph_lines, ("igraph", "rustworkx")),
    "osmnx": (osmnx_lines, ("osmnx", "networkx")),
    "sparry": (sparry_lines, ()),
}


def main() -> None:
    """Measure, print, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("doors", nargs="*", metavar="door", help=f"{', '.join(DOORS)}; all by default")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    for name in args.doors or DOORS:
        measure, libraries = DOORS[name]
        text = report.measured(report.facts(*libraries, "numpy", "numba"), measure())
        print(f"{name}\n\n{text}\n")
        if args.write:
            report.write_between(DOCS / f"from-{name}.md", f"doors-{name}", text)


if __name__ == "__main__":
    main()

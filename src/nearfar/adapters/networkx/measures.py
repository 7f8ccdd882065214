"""Numbers of the whole graph and of every node: eccentricity, diameter, centre, mean length, nearest centres."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np

from ... import metrics
from ...engine.folds import Wanted, fold
from ...engine.query import check
from .converted import BackendGraph
from .lazy import Lengths
from .native import native, not_negative
from .single import nearest_row


def _infinite(graph: BackendGraph, usebounds: Any = False) -> nx.NetworkXError:
    """Return the error for a graph in which some node does not reach another; bounds have their own in NetworkX."""
    if usebounds is True and not graph.directed:
        return nx.NetworkXError("Cannot compute metric because graph is not connected.")
    kind = "digraph is not strongly connected" if graph.directed else "graph is not connected"
    return nx.NetworkXError(f"Found infinite path length because the {kind}")


@native
def eccentricity(G: BackendGraph, v: Any = None, sp: Any = None, weight: Any = None) -> Any:
    """Return the distance to the farthest node, of all nodes, some, or one."""
    wanted = [G.index[node] for node in G.origin.nbunch_iter(v)]
    values = metrics.eccentricity(not_negative(G.graph(weight)), wanted).values if wanted else np.zeros(0)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise _infinite(G)
    found = dict(zip(map(G.nodes.__getitem__, wanted), values.tolist(), strict=True))
    return found[v] if v in G else found


def _extent(graph: BackendGraph, wanted: str, weight: Any, usebounds: Any) -> Any:
    """Return the diameter, the radius, the centre or the periphery, from few rows."""
    found = metrics.extent(not_negative(graph.graph(weight)), (wanted, "diameter" if graph.directed else wanted))
    value = getattr(found, wanted)
    if math.inf in (found.diameter, found.radius):
        raise _infinite(graph, usebounds)
    return value


def _nodes(graph: BackendGraph, wanted: str, weight: Any, usebounds: Any) -> list[Any]:
    """Return the nodes of the centre or of the periphery, in the order of the graph."""
    plain = not_negative(graph.graph(weight))
    number = "radius" if wanted == "center" else "diameter"
    found = metrics.extent(plain, (wanted, number, "diameter"))
    if math.inf in (found.diameter, found.radius):
        raise _infinite(graph, usebounds)
    return [graph.nodes[i] for i in sorted(getattr(found, wanted))]


@native
def diameter(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the greatest distance of two nodes."""
    return _extent(G, "diameter", weight, usebounds)


@native
def radius(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> Any:
    """Return the least eccentricity."""
    return _extent(G, "radius", weight, usebounds)


@native
def center(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """Return the nodes with the least eccentricity."""
    return _nodes(G, "center", weight, usebounds)


@native
def periphery(G: BackendGraph, e: Any = None, usebounds: bool = False, weight: Any = None) -> list[Any]:
    """Return the nodes with the greatest eccentricity."""
    return _nodes(G, "periphery", weight, usebounds)


def _sums(graph: BackendGraph, weight: Any) -> tuple[np.ndarray, bool]:
    """Return the sum of the distances from every node, and whether all nodes reach each other."""
    plain = not_negative(graph.graph(weight))
    query = check(plain, np.arange(plain.n, dtype=np.int32))
    folded, _ = fold(query, Wanted(sums=True, counts=True))
    assert folded.sums is not None and folded.counts is not None
    connected = bool((folded.counts == plain.n).all())
    if not connected and plain.m < len(graph.heads):
        raise NotImplementedError("weights of None hide edges over which NetworkX calls the graph connected.")
    return folded.sums, connected


@native
def barycenter(G: BackendGraph, weight: Any = None, attr: Any = None, sp: Any = None) -> list[Any]:
    """Return the nodes with the least sum of distances."""
    sums, connected = _sums(G, weight)
    if not connected:
        raise nx.NetworkXNoPath(
            f"Input graph {G.origin} is disconnected, so every induced subgraph has infinite barycentricity."
        )
    return [G.nodes[i] for i in np.flatnonzero(sums == sums.min()).tolist()]


@native
def average_shortest_path_length(G: BackendGraph, weight: Any = None, method: Any = None) -> Any:
    """Return the mean distance of two nodes."""
    known = ("unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "floyd-warshall-numpy")
    if method is not None and method not in known:
        raise ValueError(f"method not supported: {method}")
    n = len(G)
    if n == 1:
        return 0
    sums, connected = _sums(G, None if method == "unweighted" else weight)
    if not connected:
        raise nx.NetworkXError("Graph is not strongly connected." if G.directed else "Graph is not connected.")
    return _total(sums) / (n * (n - 1))


def _total(sums: np.ndarray) -> Any:
    """Return the sum of sums as a Python number; whole numbers may exceed 64 bits, floats are rounded once."""
    return sum(sums.tolist()) if sums.dtype.kind == "i" else math.fsum(sums.tolist())


@native
def wiener_index(G: BackendGraph, weight: Any = None) -> Any:
    """Return the sum of the distances of all pairs, inf if some node does not reach another."""
    sums, connected = _sums(G, weight)
    if not connected:
        return math.inf
    return _total(sums) if G.directed else _total(sums) / 2


@native
def harmonic_diameter(G: BackendGraph, sp: Any = None, *, weight: Any = None) -> float:
    """Return the harmonic mean of the distances of all pairs."""
    n = len(G)
    total = math.fsum(metrics.harmonic(not_negative(G.graph(weight))).values.tolist())
    if total:
        return n * (n - 1) / total
    return math.inf if n > 1 else math.nan


@native
def voronoi_cells(G: BackendGraph, center_nodes: Any, weight: Any = "weight") -> dict[Any, set[Any]]:
    """Return the nodes that are nearest to each of some centres, and those that none reaches."""
    result = nearest_row(G, center_nodes, weight)
    order = Lengths(result.rows[0]).order()
    nodes, origins = G.nodes, result.origins().tolist()
    cells: dict[Any, set[Any]] = {}
    for i in order:
        cells.setdefault(nodes[origins[i]], set()).add(nodes[i])
    if len(order) < len(nodes):
        cells["unreachable"] = set(nodes) - set().union(*cells.values())
    return cells

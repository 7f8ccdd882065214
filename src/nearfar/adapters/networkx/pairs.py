"""From one node to another: a path, its length, whether there is one, and all paths by length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from ...engine.routes import routes
from ...results import Distances
from . import all_pairs, single
from .converted import BackendGraph
from .native import all_there, backward, fitting, native, not_negative, reached, row_of
from .single import bellman_ford, path_to


def _between(
    graph: BackendGraph, source: Any, target: Any, weight: Any, *, cutoff: Any = None
) -> tuple[Distances, int] | None:
    """Return the row from one node as far as another, and the index of that; None if there is no path."""
    end = graph.index[target]
    plain = not_negative(graph.graph(weight))
    result = row_of(plain, [graph.index[source]], target=end, cutoff=cutoff)
    return (result, end) if reached(result, end) else None


def _require(graph: BackendGraph, source: Any, target: Any) -> None:
    """Raise what NetworkX raises for a foreign node."""
    for role, node in (("Source", source), ("Target", target)):
        if node not in graph:
            raise nx.NodeNotFound(f"{role} {node} is not in G")


def _shortest(graph: BackendGraph, source: Any, target: Any, weight: Any) -> tuple[Any, list[Any]]:
    """Return the length of the shortest path between two nodes, and the path."""
    _require(graph, source, target)
    found = _between(graph, source, target, weight)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    result, end = found
    return result.rows[0, end].item(), path_to(graph, result, end)


@native
def bidirectional_shortest_path(G: BackendGraph, source: Any, target: Any) -> list[Any]:
    """Return a path with the fewest edges."""
    return _shortest(G, source, target, None)[1]


@native
def bidirectional_dijkstra(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of the shortest path, and the path."""
    return _shortest(G, source, target, weight)


@native
def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    """Tell whether there is a path."""
    _require(G, source, target)
    return _between(G, source, target, None) is not None


@native
def dijkstra_path(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """Return the shortest path."""
    path: list[Any] = single.single_source_dijkstra(G, source, target, None, weight)[1]
    return path


@native
def dijkstra_path_length(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of the shortest path."""
    return _length(G, source, target, weight)


def _length(graph: BackendGraph, source: Any, target: Any, weight: Any) -> Any:
    """Return the length of the shortest path."""
    if source not in graph:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    if source == target:
        return 0
    hash(target)  # a TypeError, as in NetworkX
    found = _between(graph, source, target, weight) if target in graph else None
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0].rows[0, found[1]].item()


@native
def bellman_ford_path(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> list[Any]:
    """Return the shortest path; weights may be negative."""
    path: list[Any] = bellman_ford(G, source, target, weight)[1]
    return path


@native
def bellman_ford_path_length(G: BackendGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Return the length of the shortest path; weights may be negative."""
    return _signed_length(G, source, target, weight)


def _signed_length(graph: BackendGraph, source: Any, target: Any, weight: Any) -> Any:
    """Return the length of the shortest path; weights may be negative."""
    if source == target and source not in graph:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    try:
        return bellman_ford(graph, source, target, weight)[0]
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}") from None


@native
def astar_path(
    G: BackendGraph, source: Any, target: Any, heuristic: Any = None, weight: Any = "weight", *, cutoff: Any = None
) -> list[Any]:  # fmt: skip
    """Return the shortest path; a search without a heuristic finds it, too."""
    _require(G, source, target)
    return _astar(G, source, target, heuristic, weight, cutoff)[1]


@native
def astar_path_length(
    G: BackendGraph, source: Any, target: Any, heuristic: Any = None, weight: Any = "weight", *, cutoff: Any = None
) -> Any:  # fmt: skip
    """Return the length of the shortest path."""
    if source not in G or target not in G:
        raise nx.NodeNotFound(f"Either source {source} or target {target} is not in G")
    return _astar(G, source, target, heuristic, weight, cutoff)[0]


def _astar(
    graph: BackendGraph, source: Any, target: Any, heuristic: Any, weight: Any, cutoff: Any
) -> tuple[Any, list[Any]]:
    """Return the length of the shortest path, and the path; a cutoff of 0 is none, as in NetworkX."""
    found = _between(graph, source, target, weight, cutoff=cutoff or None)
    if found is None:
        if heuristic is not None and heuristic(target, target) < 0:
            raise NotImplementedError("the heuristic is negative at the target, so that NetworkX goes beyond a cutoff.")
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    result, end = found
    path = result.path(end)
    length = result.rows[0, end].item()
    if heuristic is not None:
        for i in path[1:]:
            _check_estimate(graph.nodes[i], target, heuristic, length - result.rows[0, i].item(), length)
    return length, [graph.nodes[i] for i in path]


def _check_estimate(node: Any, target: Any, heuristic: Any, rest: Any, length: Any) -> None:
    """Refuse a heuristic that overestimates on the shortest path, so that NetworkX's search may miss that path.

    If it does not, some node of the path waits, with an estimate that is not longer than the path, until all of the
    path is found: NetworkX then finds a path of the same length, and no cutoff beyond that leaves it out.
    """
    estimate = heuristic(node, target)
    if estimate > rest + 1e-12 * length:
        raise NotImplementedError(
            f"the heuristic estimates {estimate} from {node} to {target}, but {rest} is the distance: it must not be "
            f"longer for the path to be the shortest."
        )


# The functions that choose among all these.


def _method(weight: Any, method: str) -> str:
    """Return the method that NetworkX takes."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


def _to_target(graph: BackendGraph, target: Any, weight: Any, method: str, verb: str) -> Distances:
    """Return the row of all paths to a node; ``verb``: how NetworkX says that it is not in the graph."""
    if target not in graph:
        missing = {"unweighted": f"Source {target} {verb} in G", "dijkstra": f"Node {target} not found in graph"}
        raise nx.NodeNotFound(missing.get(method, f"Source {target} not in G"))
    weight = backward(weight)
    plain = all_there(graph, weight) if method == "bellman-ford" else not_negative(graph.graph(weight))
    return row_of(plain, [graph.index[target]], direction="to")


@native
def shortest_path(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:  # fmt: skip
    """Return the paths between all nodes, from one, to one, or between two."""
    how = _method(weight, method)
    if source is None and target is None:
        return all_pairs.paths(G, weight, negative=how == "bellman-ford")
    if source is None:
        return single.paths_of(G, _to_target(G, target, weight, how, "not"))
    if target is not None:
        return (
            bellman_ford(G, source, target, weight)[1]
            if how == "bellman-ford"
            else _shortest(G, source, target, weight)[1]
        )
    if how == "unweighted":
        return single.single_source_shortest_path(G, source)
    if how == "dijkstra":
        return single.single_source_dijkstra_path(G, source, None, weight)
    return single.single_source_bellman_ford_path(G, source, weight)


@native
def shortest_path_length(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:  # fmt: skip
    """Return the lengths between all nodes, from one, to one, or between two."""
    how = _method(weight, method)
    if source is None and target is None:
        return all_pairs.lengths(G, weight, negative=how == "bellman-ford")
    if source is None:
        return single.lengths_of(G, _to_target(G, target, weight, how, "is not"))
    if target is not None:
        if how == "unweighted":
            return _shortest(G, source, target, None)[0]
        return (_signed_length if how == "bellman-ford" else _length)(G, source, target, weight)
    if how == "unweighted":
        return single.single_source_shortest_path_length(G, source)
    if how == "dijkstra":
        return single.single_source_dijkstra_path_length(G, source, None, weight)
    return single.single_source_bellman_ford_path_length(G, source, weight)


@native
def shortest_simple_paths(G: BackendGraph, source: Any, target: Any, weight: Any = None) -> Iterator[list[Any]]:
    """Yield the paths without a repeated node, the shortest first."""
    for role, node in (("source", source), ("target", target)):
        if node not in G:
            raise nx.NodeNotFound(f"{role} node {node} not in graph")
    return _simple(G, source, target, fitting(not_negative(G.graph(weight))))


def _simple(graph: BackendGraph, source: Any, target: Any, plain: Any) -> Iterator[list[Any]]:
    """Yield the paths by node; the error for none comes with the first, as in NetworkX."""
    found = False
    for _, path in routes(plain, graph.index[source], graph.index[target], None):
        found = True
        yield [graph.nodes[v] for v in path]
    if not found:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")

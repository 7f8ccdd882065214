"""From one source, or the nearest of several, to all nodes: lengths and paths."""

from __future__ import annotations

from typing import Any

import networkx as nx

from ...results import Distances
from .converted import BackendGraph
from .lazy import Lengths, Paths, mapping_of
from .native import all_there, native, not_negative, reached, row_of, steps


def lengths_of(graph: BackendGraph, result: Distances) -> Any:
    """Return the lengths of the only row by node."""
    return mapping_of(graph, Lengths(result.rows[0]))


def paths_of(graph: BackendGraph, result: Distances) -> Any:
    """Return the paths of the only row by node."""
    return mapping_of(graph, Paths(graph.nodes, result))


def path_to(graph: BackendGraph, result: Distances, target: int) -> list[Any]:
    """Return the path to one node."""
    return [graph.nodes[v] for v in result.path(target)]


# Without weights.


def _hops(graph: BackendGraph, node: Any, cutoff: Any, role: str, direction: str = "from") -> Distances:
    """Return the row of hops from a node, or to it; ``role``: how NetworkX begins the error for a foreign node."""
    if node not in graph:
        raise nx.NodeNotFound(f"{role} in G")
    return row_of(graph.graph(None), [graph.index[node]], cutoff=steps(cutoff), direction=direction)


@native
def single_source_shortest_path_length(G: BackendGraph, source: Any, cutoff: Any = None) -> Any:
    """Return the number of edges to every node."""
    return lengths_of(G, _hops(G, source, cutoff, f"Source {source} is not"))


@native
def single_target_shortest_path_length(G: BackendGraph, target: Any, cutoff: Any = None) -> Any:
    """Return the number of edges from every node."""
    return lengths_of(G, _hops(G, target, cutoff, f"Target {target} is not", "to"))


@native
def single_source_shortest_path(G: BackendGraph, source: Any, cutoff: Any = None) -> Any:
    """Return a path with the fewest edges to every node."""
    return paths_of(G, _hops(G, source, cutoff, f"Source {source} not"))


@native
def single_target_shortest_path(G: BackendGraph, target: Any, cutoff: Any = None) -> Any:
    """Return a path with the fewest edges from every node."""
    return paths_of(G, _hops(G, target, cutoff, f"Target {target} not", "to"))


# Dijkstra's.


def nearest_row(
    graph: BackendGraph, sources: Any, weight: Any, cutoff: Any = None, target: int | None = None
) -> Distances:
    """Return the row from the nearest of some sources, over weights that are not negative."""
    if not sources:
        raise ValueError("sources must not be empty")
    for node in sources:
        if node not in graph:
            raise nx.NodeNotFound(f"Node {node} not found in graph")
    starts = dict.fromkeys(graph.index[node] for node in sources)
    return row_of(not_negative(graph.graph(weight)), starts, cutoff=cutoff, target=target)


@native
def multi_source_dijkstra_path_length(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return the length from the nearest source to every node."""
    return lengths_of(G, nearest_row(G, sources, weight, cutoff))


@native
def multi_source_dijkstra_path(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return the path from the nearest source to every node."""
    return paths_of(G, nearest_row(G, sources, weight, cutoff))


@native
def multi_source_dijkstra(
    G: BackendGraph, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return lengths and paths from the nearest source to every node, or to one."""
    return _dijkstra(G, sources, target, cutoff, weight)


def _dijkstra(graph: BackendGraph, sources: Any, target: Any, cutoff: Any, weight: Any) -> Any:
    """Return lengths and paths from the nearest source to every node, or to one."""
    if target is None:
        result = nearest_row(graph, sources, weight, cutoff)
        return lengths_of(graph, result), paths_of(graph, result)
    end = graph.index.get(target)
    result = nearest_row(graph, sources, weight, cutoff, end)
    if target in sources:
        return 0, [target]
    if end is None or not reached(result, end):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return result.rows[0, end].item(), path_to(graph, result, end)


@native
def single_source_dijkstra(
    G: BackendGraph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return lengths and paths to every node, or to one."""
    return _dijkstra(G, {source}, target, cutoff, weight)


@native
def single_source_dijkstra_path(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return the path to every node."""
    return paths_of(G, nearest_row(G, {source}, weight, cutoff))


@native
def single_source_dijkstra_path_length(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return the length to every node."""
    return lengths_of(G, nearest_row(G, {source}, weight, cutoff))


# With negative weights.


def signed_row(graph: BackendGraph, source: Any, weight: Any, missing: str) -> Distances:
    """Return the row over weights of any sign; ``missing``: the error for a foreign node."""
    hash(source)  # a TypeError, as in NetworkX
    if source not in graph:
        raise nx.NodeNotFound(missing)
    return row_of(all_there(graph, weight), [graph.index[source]])


def refuse_negative_loops(graph: BackendGraph, weight: Any) -> None:
    """Raise what NetworkX raises for a negative loop, wherever it is."""
    plain = all_there(graph, weight)
    if plain.min_weight < 0 and plain.weights is not None and (plain.weights[plain.tails == plain.heads] < 0).any():
        raise nx.NetworkXUnbounded("Negative cycle detected.")


@native
def single_source_bellman_ford(
    G: BackendGraph, source: Any, target: Any = None, weight: Any = "weight"
) -> Any:  # fmt: skip
    """Return lengths and paths to every node, or to one."""
    return bellman_ford(G, source, target, weight)


def bellman_ford(graph: BackendGraph, source: Any, target: Any, weight: Any) -> Any:
    """Return lengths and paths to every node, or to one."""
    if source == target:
        if source not in graph:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    result = signed_row(graph, source, weight, f"Source {source} not in G")
    if target is None:
        return lengths_of(graph, result), paths_of(graph, result)
    end = graph.index.get(target)
    if end is None or not reached(result, end):
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return result.rows[0, end].item(), path_to(graph, result, end)


@native
def single_source_bellman_ford_path(G: BackendGraph, source: Any, weight: Any = "weight") -> Any:
    """Return the path to every node."""
    return paths_of(G, signed_row(G, source, weight, f"Source {source} not in G"))


@native
def single_source_bellman_ford_path_length(G: BackendGraph, source: Any, weight: Any = "weight") -> Any:
    """Return the length to every node."""
    return lengths_of(G, signed_row(G, source, weight, f"Source {source} not in G"))


@native
def goldberg_radzik(G: BackendGraph, source: Any, weight: Any = "weight") -> Any:
    """Return the node before each node on its path, and the lengths."""
    missing = f"Node {source} is not found in the graph"
    if source not in G:
        raise nx.NodeNotFound(missing)
    refuse_negative_loops(G, weight)
    result = signed_row(G, source, weight, missing)
    before, row = result.predecessors.tolist(), Lengths(result.rows[0])
    nodes = G.nodes
    found = {nodes[v]: None if before[v] < 0 else nodes[before[v]] for v in row.order()}
    return found, lengths_of(G, result)

"""All shortest paths: every node before each node, and the paths over them.

The arc u -> v is on a shortest path if d(u) + w = d(v), to the bit, as in NetworkX: sums are formed along the path.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ...graph import Graph
from ...results import Distances
from .converted import BackendGraph
from .lazy import Lengths, Reached, mapping_of
from .native import all_there, fitting, native, not_negative, row_of, steps
from .single import lengths_of, refuse_negative_loops, signed_row


class Tight(Reached):
    """The nodes before each node of a row on any shortest path to it, as lists; that of the tree is the first."""

    def __init__(self, nodes: list[Any], graph: Graph, result: Distances) -> None:
        super().__init__(result.rows[0])
        self.nodes = nodes
        self.offsets, self.before = _tight(graph, result)

    def indices(self, i: int) -> list[int]:
        """Return the nodes before a node, by index."""
        found: list[int] = self.before[self.offsets[i] : self.offsets[i + 1]].tolist()
        return found

    def value(self, i: int) -> Any:
        """Return the nodes before a node."""
        return [self.nodes[u] for u in self.indices(i)]

    def values(self, order: list[int]) -> list[Any]:
        """Return the nodes before each of some nodes."""
        return [self.value(i) for i in order]


def _tight(graph: Graph, result: Distances) -> tuple[np.ndarray, np.ndarray]:
    """Return the tails of the arcs on shortest paths by head: offsets and tails."""
    row = result.rows[0]
    there = Lengths(row)
    dist = row if row.dtype.kind == "f" else row.astype(np.int64)
    tails, heads = graph.tails, graph.heads
    weights = 1 if graph.weights is None else graph.weights
    on_path = (dist[tails] + weights == dist[heads]) & (row[tails] != there.mark) & (row[heads] != there.mark)
    tails, heads = tails[on_path], heads[on_path]
    rank = np.empty(graph.n, np.int64)
    rank[np.argsort(row, kind="stable")] = np.arange(graph.n)
    ranks = rank[tails]
    if graph.min_weight <= 0:  # else no arc of a cycle is tight, and any of them leads to the source
        ranks[result.predecessors[heads] == tails] = -1
    order = np.lexsort((ranks, heads))
    return np.searchsorted(heads[order], np.arange(graph.n + 1)), tails[order]


def _tight_of(graph: BackendGraph, source: Any, weight: Any, method: str) -> Tight:
    """Return all nodes before each node on shortest paths from one."""
    if method == "unweighted":
        _require(graph, source, f"Source {source} not in G")
        plain = graph.graph(None)
        return Tight(graph.nodes, plain, row_of(plain, [graph.index[source]]))
    missing = f"Node {source} is not found in the graph"
    if method == "dijkstra":
        _require(graph, source, missing)
        plain = not_negative(graph.graph(weight))
        return Tight(graph.nodes, plain, row_of(plain, [graph.index[source]]))
    if method != "bellman-ford":
        raise ValueError(f"method not supported: {method}")
    _require(graph, source, missing)
    refuse_negative_loops(graph, weight)
    return Tight(graph.nodes, graph.graph(weight), signed_row(graph, source, weight, missing))


def _require(graph: BackendGraph, source: Any, missing: str) -> None:
    """Raise the error for a foreign node."""
    if source not in graph:
        raise nx.NodeNotFound(missing)


@native
def predecessor(
    G: BackendGraph, source: Any, target: Any = None, cutoff: Any = None, return_seen: Any = None
) -> Any:  # fmt: skip
    """Return all nodes before each node on paths of fewest edges, or those before one; and the levels if asked for."""
    _require(G, source, f"Source {source} not in G")
    plain = G.graph(None)
    most = steps(cutoff) if cutoff else None
    limit = None if most is None else max(most, 1)  # NetworkX looks at the cutoff after the first step
    result = row_of(plain, [G.index[source]], cutoff=limit)
    before = Tight(G.nodes, plain, result)
    if target is None:
        found = mapping_of(G, before)
        return (found, lengths_of(G, result)) if return_seen else found
    i = G.index.get(target)
    if i is None or not before.has(i):
        return ([], -1) if return_seen else []
    return (before.value(i), before.dist[i].item()) if return_seen else before.value(i)


@native
def dijkstra_predecessor_and_distance(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> tuple[Any, Any]:  # fmt: skip
    """Return all nodes before each node on shortest paths, and the lengths."""
    _require(G, source, f"Node {source} is not found in the graph")
    plain = not_negative(G.graph(weight))
    result = row_of(plain, [G.index[source]], cutoff=cutoff)
    return mapping_of(G, Tight(G.nodes, plain, result)), lengths_of(G, result)


@native
def bellman_ford_predecessor_and_distance(
    G: BackendGraph, source: Any, target: Any = None, weight: Any = "weight", heuristic: bool = False
) -> tuple[Any, Any]:  # fmt: skip
    """Return all nodes before each node on shortest paths, and the lengths; weights may be negative."""
    before = _tight_of(G, source, weight, "bellman-ford")
    if len(G) == 1:  # NetworkX does not look at loops of weight 0 then
        return {source: []}, {source: 0}
    return mapping_of(G, before), mapping_of(G, Lengths(before.dist))


def _paths(before: Tight, source: int, target: int) -> Iterator[list[Any]]:
    """Yield all shortest paths to a node, by walking back over all nodes before each; no path repeats a node."""
    path, seen = [target], {target}
    waiting = [iter(before.indices(target))]
    if target == source:
        yield [before.nodes[target]]
    while waiting:
        u = next(waiting[-1], None)
        if u is None:
            waiting.pop()
            seen.discard(path.pop())
        elif u not in seen:
            path.append(u)
            seen.add(u)
            waiting.append(iter(before.indices(u)))
            if u == source:
                yield [before.nodes[v] for v in reversed(path)]


def _paths_to(before: Tight, graph: BackendGraph, source: Any, target: Any) -> Iterator[list[Any]]:
    """Yield all shortest paths between two nodes; the error for none comes with the first, as in NetworkX."""
    end = graph.index.get(target)
    if end is None or not before.has(end):
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    yield from _paths(before, graph.index[source], end)


@native
def all_shortest_paths(
    G: BackendGraph, source: Any, target: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[list[Any]]:  # fmt: skip
    """Return all shortest paths between two nodes, one after the other."""
    before = _tight_of(G, source, weight, "unweighted" if weight is None else method)
    return _paths_to(before, G, source, target)


def _all_paths(before: Tight, graph: BackendGraph, source: Any) -> Iterator[tuple[Any, list[list[Any]]]]:
    """Yield every node that is reached, with all shortest paths to it."""
    for i in before.order():
        yield graph.nodes[i], list(_paths(before, graph.index[source], i))


@native
def single_source_all_shortest_paths(
    G: BackendGraph, source: Any, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, list[list[Any]]]]:  # fmt: skip
    """Yield every node that is reached, with all shortest paths to it."""
    how = "unweighted" if weight is None else method
    _refuse_at_once(G, weight, how)
    return (pair for node in [source] for pair in _all_paths(_tight_of(G, node, weight, how), G, node))


@native
def all_pairs_all_shortest_paths(
    G: BackendGraph, weight: Any = None, method: str = "dijkstra"
) -> Iterator[tuple[Any, dict[Any, list[list[Any]]]]]:  # fmt: skip
    """Yield every node with all shortest paths to every other."""
    how = "unweighted" if weight is None else method
    _refuse_at_once(G, weight, how)
    return ((node, dict(_all_paths(_tight_of(G, node, weight, how), G, node))) for node in G.nodes)


def _refuse_at_once(graph: BackendGraph, weight: Any, how: str) -> None:
    """Raise for weights that nearfar does not take before NetworkX gets an iterator, and can no longer take over."""
    if how == "dijkstra":
        fitting(not_negative(graph.graph(weight)))
    elif how == "bellman-ford":
        fitting(all_there(graph, weight))

"""Between all nodes: rows come in blocks, so that a caller who stops early has paid for little more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from ... import api
from ...errors import NegativeCycleError
from ...graph import Graph
from ...results import Distances
from ...results.limits import in_type, unreached
from .converted import BackendGraph
from .lazy import AllLengths, Lengths, Paths, Reached, mapping_of
from .native import all_there, fitting, limit_of, native, not_negative, steps

FEW, FIRST = 64, (1, 15)  # nodes up to which all rows are found at once; rows of the first blocks of larger graphs
SMALL = 1 << 20  # distances that are found at once: the threads of a stream take 1.5 ms to begin


def _plain(graph: BackendGraph, weight: Any, negative: bool) -> Graph:
    """Return the graph of a weight that all rows are found in."""
    return all_there(graph, weight) if negative else not_negative(graph.graph(weight))


def _rows(graph: BackendGraph, plain: Graph, limit: float | None) -> Iterator[tuple[Any, Distances, int]]:
    """Yield every node with a result and the row that it has in it."""
    first = 0
    for block in _blocks(plain, limit):
        for r in range(len(block.rows)):
            yield graph.nodes[first + r], block, r
        first += len(block.rows)


def _blocks(plain: Graph, limit: float | None) -> Iterator[Distances]:
    """Yield all rows in blocks: one row, some, and then as many as are worth it, since a caller may stop early."""
    low = 0
    for size in FIRST if plain.n > FEW else ():
        yield api.mssp(plain, range(low, low + size), cutoff=limit)
        low += size
    if low < plain.n and plain.n**2 <= SMALL:
        yield api.mssp(plain, range(low, plain.n), cutoff=limit)
    elif low < plain.n:
        yield from api.stream(plain, range(low, plain.n), cutoff=limit)


Made = Callable[[Distances, int], Any]


def _each(graph: BackendGraph, plain: Graph, make: Made, cutoff: Any = None) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over every node with what is made of its row.

    What nearfar cannot do is said at once: NetworkX can take over before the first row, not after it.
    """
    return _yield_each(graph, fitting(plain), make, limit_of(cutoff, plain))


def _yield_each(graph: BackendGraph, plain: Graph, make: Made, limit: float | None) -> Iterator[tuple[Any, Any]]:
    """Yield every node with what is made of its row."""
    try:
        for node, block, r in _rows(graph, plain, limit):
            yield node, make(block, r)
    except NegativeCycleError as error:
        raise nx.NetworkXUnbounded("Negative cycle detected.") from error


def _lengths_in(graph: BackendGraph) -> Made:
    return lambda block, r: mapping_of(graph, Lengths(block.rows[r]))


def _paths_in(graph: BackendGraph) -> Made:
    return lambda block, r: mapping_of(graph, Paths(graph.nodes, block, r))


def lengths(graph: BackendGraph, weight: Any, *, negative: bool = False, cutoff: Any = None) -> Iterator[Any]:
    """Yield every node with the lengths from it."""
    return _each(graph, _plain(graph, weight, negative), _lengths_in(graph), cutoff)


def paths(graph: BackendGraph, weight: Any, *, negative: bool = False, cutoff: Any = None) -> Iterator[Any]:
    """Yield every node with the paths from it."""
    return _each(graph, _plain(graph, weight, negative), _paths_in(graph), cutoff)


@native
def all_pairs_shortest_path_length(G: BackendGraph, cutoff: Any = None) -> Iterator[Any]:
    """Yield every node with the numbers of edges from it."""
    return lengths(G, None, cutoff=steps(cutoff))


@native
def all_pairs_shortest_path(G: BackendGraph, cutoff: Any = None) -> Iterator[Any]:
    """Yield every node with the paths of fewest edges from it."""
    return paths(G, None, cutoff=steps(cutoff))


@native
def all_pairs_dijkstra_path_length(
    G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[Any]:  # fmt: skip
    """Yield every node with the lengths from it."""
    return lengths(G, weight, cutoff=cutoff)


@native
def all_pairs_dijkstra_path(
    G: BackendGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[Any]:  # fmt: skip
    """Yield every node with the paths from it."""
    return paths(G, weight, cutoff=cutoff)


@native
def all_pairs_dijkstra(G: BackendGraph, cutoff: Any = None, weight: Any = "weight") -> Iterator[Any]:
    """Yield every node with the lengths and the paths from it."""
    one, other = _lengths_in(G), _paths_in(G)
    return _each(G, _plain(G, weight, False), lambda block, r: (one(block, r), other(block, r)), cutoff)


@native
def all_pairs_bellman_ford_path_length(G: BackendGraph, weight: Any = "weight") -> Iterator[Any]:
    """Yield every node with the lengths from it; weights may be negative."""
    return lengths(G, weight, negative=True)


@native
def all_pairs_bellman_ford_path(G: BackendGraph, weight: Any = "weight") -> Iterator[Any]:
    """Yield every node with the paths from it; weights may be negative."""
    return paths(G, weight, negative=True)


@native
def johnson(G: BackendGraph, weight: Any = "weight") -> dict[Any, Any]:
    """Return the paths between all nodes; weights may be negative."""
    return dict(paths(G, weight, negative=True))


# As a matrix.


def _whole(graph: BackendGraph, weight: Any) -> Distances:
    """Return all rows; NetworkX looks for no negative cycle here, and gives what its loops leave."""
    plain = all_there(graph, weight)
    try:
        return api.apsp(plain)
    except NegativeCycleError as error:
        raise NotImplementedError(f"Floyd and Warshall's method has no answer: {error}") from error


@native
def floyd_warshall(G: BackendGraph, weight: Any = "weight") -> dict[Any, Any]:
    """Return the lengths between all nodes, inf where there is no path."""
    rows = _whole(G, weight).rows
    return {node: mapping_of(G, AllLengths(row)) for node, row in zip(G.nodes, rows, strict=True)}


@native
def floyd_warshall_numpy(G: BackendGraph, nodelist: Any = None, weight: Any = "weight") -> np.ndarray:
    """Return the lengths between all nodes as a matrix, inf where there is no path."""
    if nodelist is not None and not len(nodelist) == len(G) == len(set(nodelist)):
        raise nx.NetworkXError(
            "nodelist must contain every node in G with no repeats."
            "If you wanted a subgraph of G use G.subgraph(nodelist)"
        )
    found = in_type(_whole(G, weight).rows, np.dtype(np.float64))
    if nodelist is None:
        return found
    order = [G.index[node] for node in nodelist]
    return found[np.ix_(order, order)]


class Before(Reached):
    """The node before each node on the path to it."""

    def __init__(self, nodes: list[Any], dist: np.ndarray, tree: np.ndarray) -> None:
        super().__init__(np.where(tree < 0, unreached(dist.dtype), dist))  # a source has none before it
        self.nodes, self.tree = nodes, tree

    def value(self, i: int) -> Any:
        """Return the node before a node."""
        return self.nodes[self.tree[i]]

    def values(self, order: list[int]) -> list[Any]:
        """Return the nodes before some nodes."""
        return [self.nodes[v] for v in self.tree[order].tolist()]


@native
def floyd_warshall_predecessor_and_distance(G: BackendGraph, weight: Any = "weight") -> tuple[Any, Any]:
    """Return the node before each node on its path, and the lengths, between all nodes."""
    result = _whole(G, weight)
    trees, plain = result.predecessors.copy(), G.graph(weight)
    loops = plain.heads[plain.heads == plain.tails]
    trees[loops, loops] = loops  # a node with a loop comes before itself in NetworkX
    found = zip(G.nodes, result.rows, trees, strict=True)
    before = {node: mapping_of(G, Before(G.nodes, row, tree)) for node, row, tree in found}
    lengths = {node: mapping_of(G, AllLengths(row)) for node, row in zip(G.nodes, result.rows, strict=True)}
    return {node: some for node, some in before.items() if some}, lengths

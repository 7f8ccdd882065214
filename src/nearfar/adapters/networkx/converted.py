"""`BackendGraph`: a NetworkX graph as arcs in rows, by node and by weight; made once and cached by NetworkX.

Nodes have the order of the NetworkX graph. The arcs of a node are its neighbours in their order; of parallel edges
there is one arc, with the least weight, as the functions of NetworkX see them. An attribute that is None, or for which
a weight function returns None, is no arc, as in NetworkX.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from ...graph import Graph
from ...graph.blocks import offset_type, record_type
from ...graph.rows import forgotten
from ...graph.vertices import Vertices
from .views import hides_directions, is_view, mark_view

WHOLE = 1 << 53  # whole numbers below it are the same as floats
COPY = "Use a copy of the view, G.to_undirected(), which has one weight per edge."
LONGEST = np.finfo(np.float64).max / 2**31  # sums of as many floats as a path has edges are finite


class BackendGraph:
    """A NetworkX graph in nearfar's form. Made by `convert_from_nx`; NetworkX's functions take it as a graph.

    Attributes
    ----------
    origin : networkx.Graph
    nodes : list
        By index.
    index : dict
        The index of every node.

    Examples
    --------
    >>> import networkx as nx
    >>> from nearfar.adapters.networkx.converted import BackendGraph
    >>> made = BackendGraph(nx.path_graph(["Ulm", "Bonn", "Kiel"]))
    >>> made.graph(None), made.index["Kiel"]
    (Graph(n=3, m=4, unweighted), 2)
    """

    __networkx_backend__ = "nearfar"

    def __init__(self, origin: Any) -> None:
        self.origin = origin
        self.directed, self.many = bool(origin.is_directed()), bool(origin.is_multigraph())
        adjacency = origin._adj
        self.nodes = list(adjacency)
        self.index: dict[Hashable, int] = dict(zip(self.nodes, range(len(self.nodes)), strict=True))
        # A view may hide edges that its length counts, so its neighbours are listed; a dict's length is their number.
        near = list(map(list, adjacency.values())) if is_view(origin) else list(adjacency.values())
        degrees = np.fromiter(map(len, near), np.int64, len(self.nodes))
        self.offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees)])
        ends = chain.from_iterable(near)
        count = int(self.offsets[-1])
        self.heads = np.fromiter(map(self.index.__getitem__, ends), np.int32, count)
        self._graphs: dict[Hashable, Graph | str] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:  # not hashable, so no node
            return False

    def is_directed(self) -> bool:
        """Tell whether edges have a direction."""
        return self.directed

    def is_multigraph(self) -> bool:
        """Tell whether edges have keys."""
        return self.many

    def graph(self, weight: Any) -> Graph:
        """Return the graph whose weights are an attribute, None for hops, or what a function of each edge returns."""
        if callable(weight):
            if hides_directions(self.origin):
                raise NotImplementedError(
                    f"the weight is a function, which may see either direction of an edge. {COPY}"
                )
            return self._build(self._results(weight), undirected=False)  # a function may tell directions apart
        if weight not in self._graphs:
            self._graphs[weight] = self._of_attribute(weight)
        made = self._graphs[weight]
        if isinstance(made, str):
            raise NotImplementedError(made)
        return made

    def _of_attribute(self, weight: Any) -> Graph | str:
        """Return the graph of an attribute, or why there is none, so that it is read only once."""
        try:
            values = None if weight is None else self._attributes(weight)
            if self.directed or not is_view(self.origin):
                return self._build(values, undirected=not self.directed)
            made = self._build(values, undirected=False)
            return self._build(values, undirected=True) if has_both_directions(made) else made
        except NotImplementedError as error:
            return str(error)
        except TypeError as error:  # parallel edges are compared; NetworkX looks only at those that it comes to
            return f"weights of parallel edges cannot be compared: {error}."

    def _results(self, weight: Callable[[Any, Any, Any], Any]) -> list[Any]:
        """Return what a weight function returns for every arc."""
        try:
            return [weight(u, v, data) for u, near in self.origin._adj.items() for v, data in near.items()]
        except TypeError as error:  # on an edge that NetworkX may not come to
            raise NotImplementedError(f"the weight function fails on an edge: {error}.") from error

    def _attributes(self, name: Hashable) -> list[Any]:
        """Return an attribute of every arc; 1 where it is missing."""
        near = self.origin._adj.values()
        if not self.many:
            return [data.get(name, 1) for some in near for data in some.values()]
        return [least_of(keyed, name) for some in near for keyed in some.values()]

    def _build(self, values: list[Any] | None, undirected: bool) -> Graph:
        """Return the graph of all arcs with these weights."""
        offsets, heads = self.offsets, self.heads
        weights = None if values is None else take_numbers(values)
        if weights is not None and values is not None and len(weights) < len(values):
            kept = np.array([value is not None for value in values])
            offsets, heads = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])[offsets], heads[kept]
        arcs = np.empty(len(heads), record_type(None if weights is None else weights.dtype))
        arcs["head"] = heads
        if weights is not None:
            arcs["weight"] = weights
        rows = offsets.astype(offset_type(len(arcs)))
        return Graph(rows, arcs, Vertices(len(self.nodes)), undirected=undirected, input_rows=forgotten(len(arcs)))


def has_both_directions(graph: Graph) -> bool:
    """Tell whether every arc leads back, as a filter of the user may prevent; refuse one that weighs otherwise then.

    An undirected view of a directed graph has arcs whose directions weigh differently. NetworkX's functions disagree
    about these: some take both weights, others one.
    """
    there, back = (
        graph.tails.astype(np.int64) * graph.n + graph.heads,
        graph.heads.astype(np.int64) * graph.n + graph.tails,
    )
    forth, home = np.argsort(there), np.argsort(back)
    if not np.array_equal(there[forth], back[home]):
        return False
    if graph.weights is None or np.array_equal(graph.weights[forth], graph.weights[home]):
        return True
    raise NotImplementedError(
        f"an edge weighs differently in its two directions in this view of a directed graph. {COPY}"
    )


def least_of(keyed: Any, name: Hashable) -> Any:
    """Return the least attribute of parallel edges, 1 where it is missing."""
    return min(data.get(name, 1) for data in keyed.values())


def take_numbers(values: list[Any]) -> np.ndarray:
    """Return weights as int32, int64 or float64 without those that are None; refuse what has no exact number."""
    array = _as_array(values)
    if array.dtype.kind == "f" and all(isinstance(value, int) for value in values[:8]):
        array = array if any(not isinstance(value, int) for value in values) else np.array(values, object)
    if array.dtype.kind == "O" and None in values:
        return take_numbers([value for value in values if value is not None])
    if array.dtype.kind not in "bif" and all(isinstance(value, int) for value in values):
        raise NotImplementedError(f"a weight is {max(values, key=abs)}, but nearfar's whole numbers end at 2**63 - 1.")
    if array.dtype.kind not in "bif" or array.ndim != 1:
        odd = next((value for value in values if not isinstance(value, int | float | np.number)), values[0])
        raise NotImplementedError(
            f"a weight is {odd!r:.60}, a {type(odd).__name__}, but nearfar adds int64 and float64. Use NetworkX for it."
        )
    if array.dtype.kind == "f":
        _check_floats(array, values)
        return array.astype(np.float64)
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    return array.astype(np.int32 if low >= -(1 << 31) and high < (1 << 31) - 1 else np.int64)


def _as_array(values: list[Any]) -> np.ndarray:
    """Return weights as NumPy takes them; unsigned numbers as int64 if they fit, lists as objects."""
    try:
        array = np.array(values) if values else np.zeros(0, np.int32)
    except ValueError:  # lists of different lengths
        return np.array([None, *values], object)[1:]
    if array.dtype.kind == "u" and array.max() < 1 << 63:
        return array.astype(np.int64)
    return array


def _check_floats(array: np.ndarray, values: list[Any]) -> None:
    """Refuse weights that are not finite, and whole numbers that are not the same as a float."""
    if not np.isfinite(array).all():
        odd = array[~np.isfinite(array)][0]
        raise NotImplementedError(
            f"a weight is {odd}. nearfar's are finite: inf would mean no edge there, and an edge in NetworkX."
        )
    if (np.abs(array) > LONGEST).any():
        raise NotImplementedError(f"a weight is {np.abs(array).max()}: the length of a path may exceed a float.")
    if (np.abs(array) >= WHOLE).any() and any(isinstance(value, int) and abs(value) >= WHOLE for value in values):
        raise NotImplementedError("whole numbers from 2**53 on and floats are mixed, so that a float would round them.")


def convert_from_nx(graph: Any, edge_attrs: dict[Hashable, Any] | None = None, **kept: Any) -> BackendGraph:
    """Return a NetworkX graph in nearfar's form, with some attributes as weights; NetworkX calls this.

    Examples
    --------
    >>> import networkx as nx
    >>> from nearfar.adapters.networkx.converted import convert_from_nx
    >>> len(convert_from_nx(nx.path_graph(4), edge_attrs={"weight": 1}))
    4
    """
    if isinstance(graph, BackendGraph):
        return graph
    if is_view(graph):
        mark_view(graph)
    made = BackendGraph(graph)
    for name in edge_attrs or ():
        with suppress(NotImplementedError):  # which the function raises that asks for it
            made.graph(name)
    return made


def convert_to_nx(result: Any, **kept: Any) -> Any:
    """Return a result as NetworkX has it: a converted graph becomes a NetworkX graph again, all else stays.

    Examples
    --------
    >>> import networkx as nx
    >>> from nearfar.adapters.networkx.converted import BackendGraph, convert_to_nx
    >>> sorted(convert_to_nx(BackendGraph(nx.path_graph(3))).edges)
    [(0, 1), (1, 2)]
    """
    return result.origin.copy() if isinstance(result, BackendGraph) else result

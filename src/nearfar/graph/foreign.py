"""Graphs of igraph, rustworkx and graph-tool, in and out.

A library is imported only to make one of its graphs. Reading uses the methods of its objects: the ends of all edges at
once, then their weights, in the order of the library's edge ids, so that rows of the graph are these ids. The checking
of vertices and weights is left to `Graph.from_arcs`.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from itertools import chain, pairwise
from typing import Any

import numpy as np

from ..errors import InputTypeError, OptionError, option
from .arrays import Array, points_of, shorten, take_size
from .convert import one_per_row
from .graph import Graph
from .input_rows import lightest_along
from .libraries import USUAL_NAME, USUAL_WEIGHT
from .tables import load


def _require(graph: Any, methods: tuple[str, ...], door: str, library: str) -> None:
    """Refuse anything that is not a graph of the library."""
    if isinstance(graph, type) or not all(hasattr(graph, method) for method in methods):
        raise InputTypeError(
            f"graph is a {type(graph).__name__}, but {door} takes graphs of {library}. "
            f"Use another of Graph's from_ methods."
        )


def _attribute(elements: Any, wanted: Any, usual: Any, role: str, what: str) -> list[Any] | None:
    """Return the values of an attribute of igraph; None if nobody named it and it is not there."""
    known = elements.attributes()
    if wanted in known:
        return elements[wanted]
    if wanted is usual:
        return None
    there = f"their attributes are {shorten(known, 200)}. Name one of them" if known else "they have no attributes"
    raise OptionError(
        f"{option(role, wanted)} is no attribute of the {what}; {there}, or use {option(role, None)} for none."
    )


def from_igraph(graph: Any, weight: Any, names: Any, coordinates: Any, keep_rows: bool) -> Graph:
    """Implement `Graph.from_igraph`."""
    _require(graph, ("get_edgelist", "vcount", "vs", "es", "is_directed"), "from_igraph", "igraph")
    n, edges = take_size(graph.vcount()), graph.get_edgelist()
    ends = np.fromiter(chain.from_iterable(edges), np.int32, 2 * len(edges)).reshape(-1, 2)
    weights = _attribute(graph.es, weight, USUAL_WEIGHT, "weight", "edges") if isinstance(weight, str) else weight
    called = _attribute(graph.vs, names, USUAL_NAME, "names", "vertices") if isinstance(names, str) else names
    if coordinates is None and {"x", "y"} <= set(graph.vs.attributes()):
        coordinates = points_of(graph.vs["x"], graph.vs["y"])
    called = _compact(called) if isinstance(called, list) else called
    return _built(ends, weights, n, graph.is_directed(), called, coordinates, keep_rows)


def _built(ends: Array, weights: Any, n: int, directed: bool, names: Any, coordinates: Any, keep_rows: bool) -> Graph:
    """Return the graph of edges, given as pairs of indices."""
    return Graph.from_arcs(
        ends[:, 0], ends[:, 1], weights, n, not directed, names=names, coordinates=coordinates, keep_rows=keep_rows
    )


def _compact(names: list[Any]) -> Any:
    """Return names as an array if all are whole numbers, as None if they are 0 to n - 1 in order, else as they are."""
    if set(map(type, names)) != {int} or not -(2**63) <= min(names) <= max(names) < 2**63:
        return names
    return _unless_plain(np.array(names, np.int64))


def _unless_plain(indices: Array) -> Array | None:
    """Return indices as names, or None if they are 0 to n - 1 in order."""
    return None if (indices == np.arange(len(indices))).all() else indices


def to_igraph(graph: Graph) -> Any:
    """Implement `Graph.to_igraph`."""
    igraph = load("igraph", "to_igraph()")
    arcs, rows = one_per_row(graph)
    ends = np.column_stack((graph.tails[arcs], graph.heads[arcs])).astype(np.int64)
    made = igraph.Graph(n=graph.n, edges=ends.tolist(), directed=not graph.undirected)
    if graph.names is not None:
        made.vs["name"] = list(graph.names)
    if graph.coordinates is not None:
        made.vs["x"], made.vs["y"] = graph.coordinates.T.tolist()
    if graph.weights is not None:
        made.es["weight"] = graph.weights[arcs].tolist()
    if graph.keys is not None and rows is not None:
        made.es["key"] = [graph.keys[row] for row in rows.tolist()]
    return made


def from_rustworkx(graph: Any, weight: Any, names: Any, coordinates: Any, keep_rows: bool) -> Graph:
    """Implement `Graph.from_rustworkx`."""
    methods = ("node_indices", "nodes", "edge_indices", "edge_list", "edges", "multigraph")
    _require(graph, methods, "from_rustworkx", "rustworkx")
    if not callable(names) and names not in ("index", "payload"):
        raise OptionError(
            f"{option('names', names)} is not known. Use {option('names', 'index')}, 'payload', or a function of the "
            f"payload."
        )
    nodes = np.asarray(graph.node_indices()).astype(np.int64)
    ends = np.asarray(graph.edge_list()).astype(np.int64).reshape(-1, 2)
    called: Any = _unless_plain(nodes)
    if called is not None:
        ends = np.searchsorted(nodes, ends)  # indices of rustworkx ascend
    if names != "index":
        called = _compact(list(map(names, graph.nodes()) if callable(names) else graph.nodes()))
    weights = _payload_weights(list(graph.edges()), weight)
    return _built(ends, weights, len(nodes), hasattr(graph, "successors"), called, coordinates, keep_rows)


def _payload_weights(payloads: list[Any], weight: Any) -> list[Any] | None:
    """Return one weight per edge of rustworkx, or None for an unweighted graph."""
    if weight is None:
        return None
    if callable(weight):
        return [weight(payload) for payload in payloads]
    if weight is USUAL_WEIGHT:
        kinds = set(map(type, payloads))
        if kinds <= {type(None)}:
            return None
        if not all(issubclass(kind, Mapping) for kind in kinds):
            return _numbers(payloads)
        if not any("weight" in payload for payload in payloads):
            return None
    return [_part(payload, weight, i) for i, payload in enumerate(payloads)]


def _numbers(payloads: list[Any]) -> list[Any]:
    """Return payloads that are numbers; refuse others."""
    for i, payload in enumerate(payloads):
        if isinstance(payload, bool) or not isinstance(payload, numbers.Real):
            raise InputTypeError(
                f"the payload of edge {i} is {shorten(payload)}, a {type(payload).__name__}, but weights are numbers. "
                f"Give {option('weight')} as a function of the payload, the name of its part, or None for an "
                f"unweighted graph."
            )
    return payloads


def _part(payload: Any, weight: Any, i: int) -> Any:
    """Return the part of a payload that weighs: an entry of a dict, else an attribute."""
    if isinstance(payload, Mapping) and weight in payload:
        return payload[weight]
    if not isinstance(payload, Mapping) and isinstance(weight, str) and hasattr(payload, weight):
        return getattr(payload, weight)
    keys = f" with the keys {shorten(list(payload), 200)}" if isinstance(payload, Mapping) else ""
    raise OptionError(
        f"{option('weight', str(weight))} is no part of the payload of edge {i}, a {type(payload).__name__}{keys}. "
        f"Name a part that all have, or give a function of the payload."
    )


def to_rustworkx(graph: Graph) -> Any:
    """Implement `Graph.to_rustworkx`."""
    rustworkx = load("rustworkx", "to_rustworkx()")
    arcs, _ = one_per_row(graph)
    made = rustworkx.PyGraph() if graph.undirected else rustworkx.PyDiGraph()
    made.add_nodes_from(list(range(graph.n) if graph.names is None else graph.names))
    ends = graph.tails[arcs].tolist(), graph.heads[arcs].tolist()
    if graph.weights is None:
        made.add_edges_from_no_data(list(zip(*ends, strict=True)))
    else:
        made.add_edges_from(list(zip(*ends, graph.weights[arcs].tolist(), strict=True)))
    return made


def from_graph_tool(graph: Any, weight: Any, names: Any, coordinates: Any, keep_rows: bool) -> Graph:
    """Implement `Graph.from_graph_tool`."""
    methods = ("get_vertices", "get_edges", "edge_index", "edge_properties", "is_directed")
    _require(graph, methods, "from_graph_tool", "graph-tool")
    vertices = np.asarray(graph.get_vertices()).astype(np.int64)
    edges = np.asarray(graph.get_edges([graph.edge_index])).astype(np.int64).reshape(-1, 3)
    edges = edges[np.argsort(edges[:, 2], kind="stable")]  # graph-tool lists them vertex by vertex
    called: Any = _unless_plain(vertices)
    ends = edges[:, :2] if called is None else np.searchsorted(vertices, edges[:, :2])
    weights = None if weight is None else _map_values(graph, weight)[edges[:, 2]]
    if names is not None:
        called = _compact(list(names))
    return _built(ends, weights, len(vertices), bool(graph.is_directed()), called, coordinates, keep_rows)


def _map_values(graph: Any, weight: Any) -> Array:
    """Return the values of an edge property map of numbers, by edge index."""
    if isinstance(weight, str):
        if weight not in graph.edge_properties:
            known = shorten(list(graph.edge_properties), 200)
            raise OptionError(
                f"{option('weight', weight)} is no property of the edges, which have {known}. Name one of them, give a "
                f"property map, or use {option('weight', None)} for an unweighted graph."
            )
        weight = graph.edge_properties[weight]
    values = getattr(weight, "a", None)
    if values is None:
        raise InputTypeError(
            f"weight is {shorten(weight)}, a {type(weight).__name__} without an array of numbers. Give an edge "
            f"property map of type int or double, or its name."
        )
    return np.asarray(values)


def edges_along(graph: Graph, path: Any) -> list[tuple[Any, ...]]:
    """Implement `Graph.edges_along`."""
    vertices = list(path)
    arcs = lightest_along(graph, graph.indices(vertices))
    pairs = pairwise(vertices)
    if graph.keys is None:
        return list(pairs)
    keys = (graph.keys[row] for row in graph.rows[arcs].tolist())
    return [(u, v, key) for (u, v), key in zip(pairs, keys, strict=True)]

"""Which calls nearfar takes: `can_run` says what it can do, `should_run` what it does faster than NetworkX.

NetworkX asks both when nearfar is in its list of priorities; ``backend="nearfar"`` asks only the first.
"""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import Any

from .info import FUNCTIONS, NEWER

# What a call takes in NetworkX, in steps of about 0.5 us, from which on nearfar is faster with the conversion, which
# takes about half a step per edge, and with some 100 us for the query itself.
ROW, ROWS = 2000, 20_000
PAIRS = 3  # calls for single pairs after which the conversion pays; NetworkX's search in both directions sees few edges

ALL_ROWS = {
    *NEWER.values(),
    *FUNCTIONS["all_pairs"],
    *FUNCTIONS["centrality"],
    *FUNCTIONS["measures"],
    "all_pairs_all_shortest_paths",
} - {"voronoi_cells"}
PAIR = {*FUNCTIONS["pairs"]}


# The functions some of whose arguments nearfar does not take.
CHECKED = {
    "shortest_path", "shortest_path_length", "floyd_warshall", "floyd_warshall_numpy", "eccentricity", "diameter",
    "floyd_warshall_predecessor_and_distance", "radius", "center", "periphery", "barycenter", "harmonic_diameter",
    "closeness_centrality", "centroid", "floyd_warshall_tree",
}  # fmt: skip
TINY = 20  # nodes, of which NetworkX has settled all before anything else could begin


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or the reason why NetworkX should run a function with these arguments."""
    graph = args[0] if args else kwargs["G"]
    if not len(graph):
        return "the graph has no nodes"
    return _can_take(name, graph, _given(name, args, kwargs)) if name in CHECKED else True


def _can_take(name: str, graph: Any, given: dict[str, Any]) -> bool | str:
    """Return True, or why some arguments cannot be taken."""
    if given.get("sp") is not None or given.get("e") is not None:
        return "the distances are given, so nothing is to be found"
    if given.get("attr") is not None:
        return "attr writes to the NetworkX graph"
    if not callable(given.get("weight")):
        return True
    if name.startswith("floyd"):
        return "weight is a function, but this function of NetworkX takes the name of an attribute"
    to_one = given.get("source") is None and given.get("target") is not None
    if name.startswith("shortest_path") and to_one and graph.is_directed():
        return "NetworkX calls the weight function with the ends of an edge exchanged"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or the reason why NetworkX would be faster."""
    graph = args[0] if args else kwargs["G"]
    n = len(graph)
    if n < TINY:
        return "the graph has few nodes"
    if name == "edge_betweenness_centrality_subset":
        return "NetworkX shares ties in its own way here; backend='nearfar' gives the exact shares"
    size = n + _edges(graph)
    if name in ALL_ROWS:
        return True if n * size >= ROWS else "the graph has few nodes"
    if size < ROW:
        return "the graph has few nodes"
    if name in PAIR and _given(name, args, kwargs).get("target") is not None and _is_new(graph):
        return "few single pairs were asked for; the graph would have to be converted first"
    return True


@cache
def _parameters(name: str) -> tuple[str, ...]:
    """Return the names of the arguments of a function."""
    from . import backend

    return tuple(signature(getattr(backend, name)).parameters)


def _given(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name."""
    return dict(zip(_parameters(name), args, strict=False)) | kwargs


def _edges(graph: Any) -> int:
    """Return the number of edges, roughly: that of some nodes times their share, since counting all takes a while."""
    adjacency = graph._adj if hasattr(graph, "_adj") else None
    if adjacency is None:
        return len(graph.heads)
    seen = edges = 0
    for near in adjacency.values():
        edges += len(near)
        seen += 1
        if seen == 64:
            break
    return edges * len(adjacency) // max(seen, 1)


def _is_new(graph: Any) -> bool:
    """Tell whether a graph was not converted yet, and few single pairs were asked for; this call is counted."""
    kept = getattr(graph, "__networkx_cache__", None)
    if kept is None:
        return True
    if kept.get("backends", {}).get("nearfar"):
        return False
    kept["nearfar_pairs"] = kept.get("nearfar_pairs", 0) + 1
    return bool(kept["nearfar_pairs"] <= PAIRS)

"""Which calls nearfar takes: `can_run` says what it can do, `should_run` what it does faster than NetworkX.

NetworkX asks both when nearfar is in its list of priorities; ``backend="nearfar"`` asks only the first.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import cache
from inspect import signature
from itertools import islice
from typing import Any

from .info import FUNCTIONS, NEWER
from .lazy import FEW_PATHS
from .near import is_near
from .views import forget_changed, is_view

# Microseconds, measured on paths, grids, stars, random and complete graphs of 20 to 4,000 nodes. What NetworkX takes:
# for a row of Dijkstra's method per node or edge end, and of breadth-first search, which ends when all nodes are seen.
WEIGHTED, HOPS_NODE, HOPS_END = 0.3, 0.25, 0.03
PAIR_SHARE, PAIR_ENDS = 0.3, 8  # of a row that a search from both ends takes; of many neighbours it sees some
# What nearfar takes: to convert a graph, and for a query.
CONVERT, CONVERT_NODE, CONVERT_END = 300.0, 0.15, 0.13
QUERY, QUERY_END = 100.0, 0.03
# For one of many rows that become dicts, per row and per node that it reaches; paths come on top.
DICT, DICT_NODE, PATHS, PATHS_NODE = 12.0, 0.2, 16.0, 0.6
ASKING, ASKING_HOPS = 27.0, 6.0  # what NetworkX takes to ask for every row whether nearfar runs

ALL_ROWS = {
    *NEWER.values(),
    *FUNCTIONS["all_pairs"],
    *FUNCTIONS["centrality"],
    *FUNCTIONS["measures"],
    "all_pairs_all_shortest_paths",
} - {"voronoi_cells"}
HOPS = {
    "single_source_shortest_path", "single_source_shortest_path_length", "single_target_shortest_path",
    "single_target_shortest_path_length", "bidirectional_shortest_path", "has_path", "predecessor",
    "all_pairs_shortest_path", "all_pairs_shortest_path_length",
}  # fmt: skip
# Those that in NetworkX only call another one, for which NetworkX asks again.
OUTER = {
    "single_source_dijkstra", "single_source_dijkstra_path", "single_source_dijkstra_path_length", "dijkstra_path",
    "multi_source_dijkstra_path", "shortest_path", "shortest_path_length", "has_path", "bellman_ford_path",
    "single_source_bellman_ford_path", "all_shortest_paths", "single_source_all_shortest_paths", "astar_path_length",
    "voronoi_cells",
}  # fmt: skip
SPENT = "nearfar_spent"  # in NetworkX's cache of a graph: microseconds of answers since it last changed


# The functions some of whose arguments nearfar does not take.
CHECKED = {
    "floyd_warshall", "floyd_warshall_numpy", "eccentricity", "diameter",
    "floyd_warshall_predecessor_and_distance", "radius", "center", "periphery", "barycenter", "harmonic_diameter",
    "closeness_centrality", "centroid", "floyd_warshall_tree", "average_shortest_path_length",
}  # fmt: skip
TINY = 20  # nodes, of which NetworkX has settled all before anything else could begin


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or the reason why NetworkX should run a function with these arguments."""
    graph = args[0] if args else kwargs["G"]
    if is_view(graph):
        forget_changed(graph)
    if not len(graph):
        return "the graph has no nodes"
    return _can_take(name, _given(name, args, kwargs)) if name in CHECKED else True


def _can_take(name: str, given: dict[str, Any]) -> bool | str:
    """Return True, or why some arguments cannot be taken."""
    if given.get("sp") is not None or given.get("e") is not None:
        return "the distances are given, so nothing is to be found"
    if given.get("attr") is not None:
        return "attr writes to the NetworkX graph"
    is_floyd = name.startswith("floyd") or str(given.get("method")).startswith("floyd")
    if is_floyd and callable(given.get("weight")):
        return "weight is a function, but this function of NetworkX takes the name of an attribute"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return True, or the reason why NetworkX would be faster."""
    graph = args[0] if args else kwargs["G"]
    n = len(graph)
    if n < TINY:
        return "the graph has few nodes"
    if name == "edge_betweenness_centrality_subset":
        return "NetworkX shares ties in its own way here; backend='nearfar' gives the exact shares"
    ends, given = _ends(graph), _given(name, args, kwargs)
    share, rows = _share_within(name, graph, given), _rows(name, graph, given)
    each = share * _row(name, n, ends, kwargs)
    if rows > 1:
        saved = each - _dict_of(name, n, share) if name.startswith("all_pairs") else each
        return True if rows * saved > 3 * (CONVERT + QUERY) else "NetworkX has little to do"
    return _single_pays(name, graph, each, ends, given)


def _single_pays(name: str, graph: Any, each: float, ends: int, given: dict[str, Any]) -> bool | str:
    """Return True, or the reason why NetworkX would find a single row faster."""
    n = len(graph)
    if name in ("closeness_centrality", "eccentricity") and given.get("weight", given.get("distance")) is None:
        each = HOPS_NODE * n + HOPS_END * ends
    if callable(given.get("weight", given.get("distance"))):
        return "the weight function would be called for all edges"
    theirs, ours = each, QUERY_END * (n + ends)
    if given.get("target") is not None:
        theirs *= PAIR_SHARE * (n + min(ends, PAIR_ENDS * n)) / (n + ends)
        ours /= 2  # a search from one end, which stops at the other
    if theirs < QUERY + ours:
        return "the graph has few nodes"
    if is_near(name, graph, given, _weight(name, given)):
        return "the target is near"
    converting = CONVERT + CONVERT_NODE * n + CONVERT_END * ends
    return (
        True if _pays(name, graph, theirs, converting) else "the graph would have to be converted for a single answer"
    )


def _dict_of(name: str, n: int, share: float) -> float:
    """Return what nearfar takes to make the dict of a row, less what NetworkX takes to ask for the row again."""
    spent = DICT + DICT_NODE * share * n
    if name == "all_pairs_dijkstra" or not name.endswith("length"):
        later = share == 1 and n > FEW_PATHS  # paths are made when they are read
        spent += PATHS if later else PATHS + PATHS_NODE * share * n
    return spent - (ASKING_HOPS if name in HOPS else ASKING)


def _rows(name: str, graph: Any, given: dict[str, Any]) -> int:
    """Return how many rows of distances NetworkX finds."""
    if name not in ALL_ROWS:
        return 1
    if given.get("u") is not None:
        return 1
    if given.get("k") is not None:
        return int(given["k"])
    for chosen in ("v", "nbunch", "sources"):
        some = given.get(chosen)
        if some is not None:
            return 1 if _is_node(graph, some) else len(some) if hasattr(some, "__len__") else len(graph)
    return len(graph)


def _is_node(graph: Any, some: Any) -> bool:
    """Tell whether an argument that takes a node or several is one node."""
    return isinstance(some, Hashable) and some in graph


def _share_within(name: str, graph: Any, given: dict[str, Any]) -> float:
    """Return about how much of the graph is within a cutoff, rather too little: as many nodes as in a grid."""
    cutoff, weight = given.get("cutoff"), _weight(name, given)
    if not isinstance(cutoff, int | float) or cutoff == math.inf or callable(weight):
        return 1.0
    steps = cutoff / (_mean(graph, weight) or 1.0)
    return min(1.0, (1 + 2 * max(steps, 0.0) ** 2) / len(graph))


def _mean(graph: Any, weight: Any) -> float:
    """Return the mean weight of some edges, 1 if they are not numbers."""
    if weight is None or graph.is_multigraph():
        return 1.0
    near = islice(getattr(graph, "_adj", {}).values(), 8)
    some = [data.get(weight, 1) for ends in near for data in islice(ends.values(), 4)]
    return sum(some) / len(some) if some and all(isinstance(value, int | float) for value in some) else 1.0


def _row(name: str, n: int, ends: int, kwargs: dict[str, Any]) -> float:
    """Return what NetworkX takes for a row, in microseconds."""
    if name in HOPS or (name.startswith("shortest_path") and kwargs.get("weight") is None):
        return HOPS_NODE * n + HOPS_END * ends
    return WEIGHTED * (n + ends)


def _pays(name: str, graph: Any, theirs: float, converting: float) -> bool:
    """Tell whether a graph is converted, or what NetworkX would take would do so, with what it took before.

    So a single answer never takes much longer than in NetworkX, and many take at most twice the best choice.
    """
    kept = getattr(graph, "__networkx_cache__", None)
    if kept is None:
        return theirs > 2 * converting
    if kept.get("backends", {}).get("nearfar"):
        return True
    spent = kept.get(SPENT, 0.0) + theirs
    if spent > converting:
        return True
    if name not in OUTER:
        kept[SPENT] = spent
    return False


@cache
def _parameters(name: str) -> tuple[str, ...]:
    """Return the names of the arguments of a function."""
    from . import backend

    return tuple(signature(getattr(backend, name)).parameters)


def _given(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name."""
    return dict(zip(_parameters(name), args, strict=False)) | kwargs


def _weight(name: str, given: dict[str, Any]) -> Any:
    """Return the weight that was given, or the one that a function takes then."""
    return given["weight"] if "weight" in given else _usual_weight(name)


@cache
def _usual_weight(name: str) -> Any:
    """Return the weight that a function takes by itself."""
    from . import backend

    parameter = signature(getattr(backend, name)).parameters.get("weight")
    return None if parameter is None else parameter.default


def _ends(graph: Any) -> int:
    """Return how many neighbours all nodes have: what a converted graph has, else judged by the first and last nodes.

    Counting all takes a while. Graphs that grew have their hubs first, or last.
    """
    if not hasattr(graph, "_adj"):
        return len(graph.heads)
    for made in getattr(graph, "__networkx_cache__", {}).get("backends", {}).get("nearfar", {}).values():
        return len(made.heads)
    near = graph._adj.values()
    sides = [near, reversed(near)] if isinstance(graph._adj, dict) else [near]
    return min(_mean_length(list(islice(side, 32))) for side in sides) * len(graph) // 32


def _mean_length(some: list[Any]) -> int:
    """Return 32 times the mean length of some rows."""
    return sum(map(len, some)) * 32 // max(len(some), 1)

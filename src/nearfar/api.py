"""The questions: sssp, mssp, apsp, nearest, distance, path, and plan. Thin faces over the one road (solve.py).

Options are the same everywhere:

method : str
    "auto", "dijkstra" ("dij"), "delta", "frontier" ("spfa"), "edge", "johnson", "bfs",
    "prepared" or "floyd" ("fw").
device : str or list
    "auto", "cpu", a GPU such as "opencl", "opencl:1" or "cuda:0", or a list of GPUs, which share the rows.
cutoff : number
    Vertices farther than this are unreached; one at exactly this distance is not.
targets : vertices
    Stop when these are settled. Vertices up to the farthest of them are exact, all others unreached; if one of them
    cannot be reached, every vertex is exact.
threads : int
    All cores unless given.
progress : bool or function
    True shows rows done, rate and time left on standard error; a function is told rows done and all rows.
dtype : type
    Of the distances: int32, int64 or float64 for integer weights, float32 or float64 for floats.
memory : int or str
    Bytes that may be used, such as "2 GB"; more is refused before anything is allocated. On a GPU, of its memory; arcs
    that do not fit come in batches.
out : array
    To be filled: C order, of the shape and a fitting type of ``dist``.
delta : number
    Bucket width of `delta` and `dijkstra`.
"""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .engine.planner import Plan
from .engine.query import check, take_source, take_vertices
from .engine.solve import plan_query, solve
from .errors import InputTypeError
from .graph import Graph
from .results import Distances, Nearest
from .results.limits import unreached

OPTIONS = {
    name: parameter
    for name, parameter in inspect.signature(check).parameters.items()
    if parameter.kind is parameter.KEYWORD_ONLY and name not in ("seeds", "single", "hierarchy")
}

Query = TypeVar("Query", bound=Callable[..., Any])


def takes_options(query: Query) -> Query:
    """Show the options in a query's signature and docstring, as help() and editors read them."""
    text = textwrap.indent((__doc__ or "").partition("everywhere:\n\n")[2].rstrip(), 8 * " ").lstrip()
    query.__doc__ = (query.__doc__ or "").replace("{options}", text)
    own = [p for p in inspect.signature(query).parameters.values() if p.kind is not p.VAR_KEYWORD]
    taken = "targets" if any(p.name == "target" for p in own) else ""  # such a query has its target already
    options = [option for name, option in OPTIONS.items() if name != taken]
    signature = inspect.signature(query).replace(parameters=[*own, *options])
    query.__signature__ = signature  # type: ignore[attr-defined]
    return query


@takes_options
def sssp(graph: Graph, source: Any, **options: Any) -> Distances:
    """Return the distances from one source to every vertex.

    Parameters
    ----------
    graph : Graph
    source : vertex
        A number, or a name in a graph that has names.
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> result = nearfar.sssp(g, 0)
    >>> result.dist
    array([0, 4, 7], dtype=int32)
    >>> result.path(2)
    [0, 1, 2]
    """
    return solve(check(graph, take_source(_graph(graph), source), single=True, **_known(options)))


@takes_options
def mssp(graph: Graph, sources: Any, **options: Any) -> Distances:
    """Return the distances from several sources, a row each, in their order.

    Parameters
    ----------
    graph : Graph
    sources : vertices
        A list, tuple, set, range or array. A vertex may occur more than once.
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], undirected=True)
    >>> nearfar.mssp(g, [2, 0]).dist
    array([[7, 3, 0],
           [0, 4, 7]], dtype=int32)
    """
    return solve(check(graph, take_vertices(_graph(graph), sources, "source"), **_known(options)))


@takes_options
def apsp(graph: Graph, **options: Any) -> Distances:
    """Return the distances between all pairs of vertices, a row for every source.

    Parameters
    ----------
    graph : Graph
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> nearfar.apsp(nearfar.Graph.from_arcs([0, 1], [1, 2])).dist
    array([[         0,          1,          2],
           [2147483647,          0,          1],
           [2147483647, 2147483647,          0]], dtype=int32)
    """
    return solve(check(graph, np.arange(_graph(graph).n, dtype=np.int32), **_known(options)))


@takes_options
def nearest(graph: Graph, sources: Any, **options: Any) -> Nearest:
    """Return for every vertex the distance from the nearest of several sources, and which one that is.

    Parameters
    ----------
    graph : Graph
    sources : vertices
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> near = nearfar.nearest(g, [0, 3])
    >>> near.dist, near.source
    (array([0, 5, 1, 0], dtype=int32), array([0, 0, 3, 3], dtype=int32))
    """
    numbers = np.unique(take_vertices(_graph(graph), sources, "source"))
    return Nearest(solve(check(graph, numbers[:1], seeds=numbers, single=True, **_known(options))))


@takes_options
def distance(graph: Graph, source: Any, target: Any, **options: Any) -> int | float:
    """Return the distance from ``source`` to ``target``, math.inf if there is no path.

    Parameters
    ----------
    graph : Graph
    source, target : vertex
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> nearfar.distance(g, 0, 2), nearfar.distance(g, 2, 0)
    (7, inf)
    """
    result, t = _pair(graph, source, target, options)
    found = result.dist[t].item()
    return found if found < unreached(result.dist.dtype) else math.inf


@takes_options
def path(graph: Graph, source: Any, target: Any, **options: Any) -> list[Any]:
    """Return the vertices of a shortest path from ``source`` to ``target``, both ends included.

    Parameters
    ----------
    graph : Graph
    source, target : vertex
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
    >>> nearfar.path(g, "Ulm", "Kiel")
    ['Ulm', 'Bonn', 'Kiel']
    """
    result, _ = _pair(graph, source, target, options)
    return result.path(target)


@takes_options
def plan(graph: Graph, sources: Any = None, **options: Any) -> Plan:
    """Return what a query would do, why, and how many bytes it takes, without running it.

    Parameters
    ----------
    graph : Graph
    sources : vertex, vertices or None
        One source, several, or None for all pairs.
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.generate.road_grid(300, 300)
    >>> plan = nearfar.plan(g)
    >>> plan.method, plan.rows, plan.bytes > 4 * g.n**2
    ('prepared', 90000, True)
    """
    _graph(graph)
    numbers = np.arange(graph.n, dtype=np.int32) if sources is None else take_vertices(graph, sources, "source")
    return plan_query(check(graph, numbers, **_known(options)))


def _pair(graph: Graph, source: Any, target: Any, options: dict[str, Any]) -> tuple[Distances, int]:
    """Solve from one source as far as one target; return the result and the target's number."""
    if "targets" in options:
        raise InputTypeError("targets was given to a query that has one target already; leave it out, or use sssp.")
    t = _graph(graph).index(target, "target")
    if graph.min_weight >= 0:  # else the path may lead over vertices that are farther than the target
        options["targets"] = np.array([t], np.int32) if graph.names is None else [target]
    return sssp(graph, source, **options), t


def _graph(graph: Any) -> Graph:
    """Refuse what is not a Graph, and say how to make one."""
    if isinstance(graph, Graph):
        return graph
    maker = {"scipy": "from_scipy", "networkx": "from_networkx", "numpy": "from_matrix", "pandas": "from_frame"}.get(
        type(graph).__module__.partition(".")[0], "from_arcs"
    )
    raise InputTypeError(f"graph is a {type(graph).__name__}, not a nearfar.Graph; make one with Graph.{maker}(...).")


def _known(options: dict[str, Any]) -> dict[str, Any]:
    """Refuse options that do not exist, which Python would only find deeper down."""
    for name in options:
        if name not in OPTIONS:
            raise InputTypeError(f"there is no option {name!r}; there are {', '.join(OPTIONS)}.")
    return options

"""The queries: sssp, mssp, apsp, table, nearest, distance, path, paths, count_paths, stream, and plan.

Each function here only reads its arguments and calls engine/solve.py, where all queries are planned and run. They all
take the same options, listed below once; `takes_options` copies the list into every docstring and signature. The types
of the options, for editors and type checkers, are in `engine.options.Options`. Every function takes a `nearfar.Graph`
or a `nearfar.Prepared`, whose hierarchy it then uses, unless another method is named. Most take a `nearfar.TurnGraph`,
too: `over_turns` answers these.

The options are the same everywhere:

method : str
    "auto", "dijkstra" ("dij"), "delta", "frontier" ("spfa"), "edge", "johnson", "bfs",
    "prepared", "floyd" ("fw"), "parts" or "streamed".
device : str or list
    "auto", "cpu", a GPU such as "opencl", "opencl:1" or "cuda:0", or a list of GPUs, which share the rows.
cutoff : number
    Vertices farther than this count as unreached. A vertex at exactly this distance is reached.
threads : int
    The number of threads; all cores by default.
progress : bool or function
    True shows rows done, rate and time left on standard error. A function is called with the number of rows done and
    the number of all rows.
dtype : type
    The type of the distances: int32, int64 or float64 for integer weights, float32 or float64 for floats.
memory : int or str
    The bytes that may be used, such as "2 GB"; a query that needs more is refused before anything is allocated. On a
    GPU this limits its memory; arcs that do not fit come in batches.
out : array or path
    An array to fill: in C order, with the shape of ``dist`` and a type that can hold the distances. `sssp`, `mssp` and
    `apsp` also fill an array of CuPy or PyOpenCL in the memory of the GPU that it is on, where the rows stay. For
    `mssp`, `apsp` and `table` also the name of a store to write, such as "d.zarr": the result is then a `Matrix`, and
    the same call goes on where it was stopped. Or the name of a table, "t.parquet", "t.csv" or "t.csv.gz": one line per
    reached pair, written while rows are found; the result is then a `Written`.
delta : number
    The bucket width of `delta` and `dijkstra`.
"""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, TypeVar, Unpack, overload

import numpy as np

from .engine.blocks import RowBlocks
from .engine.estimate import with_seconds
from .engine.options import Options, RunOptions, known_options
from .engine.out import require_host
from .engine.planner import Plan
from .engine.query import (
    Located,
    PreparedGraph,
    as_starts,
    as_vertex,
    check,
    check_options,
    each_once,
    from_nearest,
    from_source,
    take_graph,
    take_source,
    take_vertices,
)
from .engine.routes import count_from_row, shortest_routes
from .engine.several import solve_several
from .engine.solve import plan_query, solve, solve_by_weights
from .engine.stream import stream_rows
from .engine.tables import plan_table, solve_table
from .engine.turns import AnyGraph, over_turns
from .errors import InputTypeError, OptionError
from .graph import Graph
from .results import Distances, KNearest, Nearest, Table
from .results.lookup import list_names, number_of, take_count
from .results.ties import require_no_zero_cycle
from .store.door import plan_on_disk, solve_to_disk
from .store.matrix.door import is_place, no_place
from .store.matrix.reader import Matrix
from .store.written import Written

OPTIONS = {name: inspect.signature(check_options).parameters[name] for name in Options.__annotations__}

Query = TypeVar("Query", bound=Callable[..., Any])


def takes_options(query: Query) -> Query:
    """Show the options in a query's signature and docstring at run time, as help() and notebooks read them."""
    text = textwrap.indent((__doc__ or "").partition("everywhere:\n\n")[2].rstrip(), 8 * " ").lstrip()
    query.__doc__ = (query.__doc__ or "").replace("{options}", text)
    own = [p for p in inspect.signature(query).parameters.values() if p.kind is not p.VAR_KEYWORD]
    signature = inspect.signature(query).replace(parameters=[*own, *OPTIONS.values()])
    query.__signature__ = signature  # type: ignore[attr-defined]
    return query


@overload
def sssp(
    graph: AnyGraph,
    source: Any,
    *,
    targets: None = None,
    direction: str = "from",
    **options: Unpack[Options],
) -> Distances: ...
@overload
def sssp(
    graph: AnyGraph, source: Any, *, targets: Any, direction: str = "from", **options: Unpack[Options]
) -> Table: ...
@takes_options
@over_turns
def sssp(
    graph: Any,
    source: Any,
    *,
    targets: Any = None,
    direction: str = "from",
    **options: Unpack[Options],
) -> Distances | Table:
    """Return the distances from one source to every vertex, or to some targets.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    source : vertex, dict or point
        A name if the graph has names, an index otherwise. A point is one that `nearfar.geo.snap` found. A dict of
        vertices and their starting distances asks for one row from several starts: the distance of v is the least of
        start[s] + d(s, v). Starting distances are finite and not negative. They are rounded to the type of the
        distances, which is float64 if weights are whole numbers and starting distances are not.
    targets : vertices, optional
        Only these are wanted: the result is a `Table` with one column per target, in the order given.
    direction : str
        "from": distances from the source. "to": distances to it; paths then lead to it, in the direction of travel.
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
    >>> nearfar.sssp(g, 2, direction="to").dist
    array([7, 3, 0], dtype=int32)
    >>> nearfar.sssp(g, 0, targets=[2, 1]).dist
    array([7, 4], dtype=int32)
    >>> late = nearfar.sssp(g, {0: 0, 1: 2.5})
    >>> late.dist, late.path(2)
    (array([0. , 2.5, 5.5]), [1, 2])
    """
    plain = take_graph(graph)
    row = from_source(plain, as_starts(plain, source, direction))
    if targets is not None:
        columns = take_vertices(plain, targets, "target")
        return solve_table(graph, targets=columns, single=True, direction=direction, **row, **known_options(options))
    return solve(check(graph, **row, single=True, direction=direction, **known_options(options)))


@overload
def mssp(
    graph: Graph | PreparedGraph,
    sources: Any,
    *,
    targets: Any = None,
    direction: str = "from",
    out: str | os.PathLike[str],
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[RunOptions],
) -> Matrix | Written: ...
@overload
def mssp(
    graph: AnyGraph,
    sources: Any,
    *,
    targets: None = None,
    direction: str = "from",
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[Options],
) -> Distances: ...
@overload
def mssp(
    graph: AnyGraph,
    sources: Any,
    *,
    targets: Any,
    direction: str = "from",
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[Options],
) -> Table: ...
@overload
def mssp(
    graph: Graph | PreparedGraph,
    sources: Any,
    *,
    targets: Any = None,
    direction: str = "from",
    client: Any = None,
    lazy: Literal[True],
    **options: Unpack[RunOptions],
) -> Any: ...
@takes_options
@over_turns
def mssp(
    graph: Any,
    sources: Any,
    *,
    targets: Any = None,
    direction: str = "from",
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: bool = False,
    **options: Any,
) -> Any:
    """Return the distances from several sources, one row per source, in the given order.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    sources : vertices
        A list, tuple, set, range or array. A vertex may occur more than once.
    targets : vertices, optional
        Only these are wanted: the result is a `Table` with one column per target, as `table` returns it.
    direction : str
        "from": distances from the sources. "to": distances to them.
    existing, join
        As for `apsp`, if ``out`` names a store.
    client : Client, str or Cluster, optional
        As for `apsp`.
    lazy : bool
        As for `apsp`.
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
    return _rows_or_table(graph, sources, targets, direction, existing, join, client, lazy, options)


def _rows_or_table(
    graph: Graph | PreparedGraph, sources: Any, targets: Any, direction: str, existing: str, join: bool, client: Any,
    lazy: bool, options: Any,
) -> Any:  # fmt: skip
    """Return rows, or columns of them, in memory, in a store, or when they are asked for."""
    plain = take_graph(graph)
    rows = take_vertices(plain, sources, "source")
    columns = None if targets is None else take_vertices(plain, targets, "target")
    if is_place(options.get("out")):
        _refuse_lazy(lazy)
        return _write(graph, rows, columns, direction, existing, join, known_options(options), client)
    no_place(existing, join)
    if lazy:
        return _lazy(graph, rows, columns, direction, client, known_options(options))
    if columns is not None and client is not None:
        from .scale.tables import solve_table as solve_on_cluster

        return solve_on_cluster(graph, rows, columns, client, direction=direction, **known_options(options))
    if columns is not None:
        return solve_table(graph, rows, columns, direction=direction, **known_options(options))
    return _solve_rows(check(graph, rows, direction=direction, **known_options(options)), client)


def _refuse_lazy(lazy: bool) -> None:
    """Refuse to write what is found later."""
    if lazy:
        raise OptionError(
            "lazy is True, but a store is written at once. Leave one out: open_matrix reads a store block by block."
        )


def _lazy(
    graph: Graph | PreparedGraph, rows: np.ndarray, columns: np.ndarray | None, direction: str, client: Any,
    options: Any,
) -> Any:  # fmt: skip
    """Return rows, or columns of them, that are found when they are asked for."""
    from .scale.lazy import lazy_rows

    return lazy_rows(graph, rows, columns, direction, client, options)


def _write(
    graph: Graph | PreparedGraph, rows: np.ndarray, columns: np.ndarray | None, direction: str, existing: str,
    join: bool, options: Any, client: Any,
) -> Matrix | Written:  # fmt: skip
    """Write rows, or columns of them, to a store or a table; here or by the workers of a cluster."""
    if client is None:
        return solve_to_disk(graph, rows, columns, direction, existing, join, options)
    from .scale.stores import hands_of

    with hands_of(client) as hands:
        return solve_to_disk(graph, rows, columns, direction, existing, join, options, hands)


def _solve_rows(query: Any, client: Any) -> Distances:
    """Return the rows of a query, found here or by the workers of a cluster."""
    if client is None:
        return solve(query)
    from .scale.rows import solve_rows

    return solve_rows(query, client)


@overload
def apsp(
    graph: Graph | PreparedGraph,
    *,
    out: str | os.PathLike[str],
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[RunOptions],
) -> Matrix | Written: ...
@overload
def apsp(
    graph: AnyGraph, *, client: Any = None, lazy: Literal[False] = False, **options: Unpack[Options]
) -> Distances: ...
@overload
def apsp(
    graph: Graph | PreparedGraph, *, client: Any = None, lazy: Literal[True], **options: Unpack[RunOptions]
) -> Any: ...
@takes_options
@over_turns
def apsp(
    graph: Any,
    *,
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: bool = False,
    **options: Any,
) -> Any:
    """Return the distances between all pairs of vertices, one row per source.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    existing : str
        If ``out`` names a store that is there: "resume" goes on where the same call was stopped, "repair" also writes
        damaged blocks again, "restart" begins anew.
    join : bool
        Share the work on a store with other processes that pass this, too.
    client : Client, str or Cluster, optional
        A cluster whose workers do the work: a client of ``dask.distributed``, the address of a scheduler, "local:4",
        or what `nearfar.connect` returns. The answer is the same to the bit.
    lazy : bool
        Return a ``dask.array`` whose blocks of rows are found when they are asked for. The type of the distances is
        that of the result without it; pairs without a path hold its maximum, or inf.
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
    rows = np.arange(take_graph(graph).n, dtype=np.int32)
    if is_place(options.get("out")):
        _refuse_lazy(lazy)
        return _write(graph, rows, None, "from", existing, join, known_options(options), client)
    no_place(existing, join)
    if lazy:
        return _lazy(graph, rows, None, "from", client, known_options(options))
    return _solve_rows(check(graph, rows, **known_options(options)), client)


@overload
def table(
    graph: Graph | PreparedGraph,
    sources: Any,
    targets: Any,
    *,
    out: str | os.PathLike[str],
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[RunOptions],
) -> Matrix | Written: ...
@overload
def table(
    graph: AnyGraph,
    sources: Any,
    targets: Any,
    *,
    client: Any = None,
    lazy: Literal[False] = False,
    **options: Unpack[Options],
) -> Table: ...
@overload
def table(
    graph: Graph | PreparedGraph,
    sources: Any,
    targets: Any,
    *,
    client: Any = None,
    lazy: Literal[True],
    **options: Unpack[RunOptions],
) -> Any: ...
@takes_options
@over_turns
def table(
    graph: Any,
    sources: Any,
    targets: Any,
    *,
    existing: str = "resume",
    join: bool = False,
    client: Any = None,
    lazy: bool = False,
    **options: Any,
) -> Any:
    """Return the distances from some vertices to others: one row per source, one column per target.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    sources, targets : vertices
        In any order; a vertex may occur more than once.
    existing, join
        As for `apsp`, if ``out`` names a store.
    client : Client, str or Cluster, optional
        As for `apsp`.
    lazy : bool
        As for `apsp`.
    **options
        {options}

    Notes
    -----
    Whole rows are never kept, so memory holds little more than the table. If there are fewer targets than sources, it
    is searched from the targets; floats are then added in another order than along the path, unless a method is named.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
    >>> table = nearfar.table(g, ["Ulm", "Bonn"], ["Kiel"])
    >>> table.dist
    array([[7],
           [3]], dtype=int32)
    >>> table["Ulm", "Kiel"]
    7
    """
    return _rows_or_table(graph, sources, _given(targets), "from", existing, join, client, lazy, options)


def _given(targets: Any) -> Any:
    """Return the targets; None is an error here."""
    if targets is None:
        raise InputTypeError("targets is None; give the vertices of the columns, or use mssp for all vertices.")
    return targets


@overload
def nearest(
    graph: AnyGraph,
    sources: Any,
    k: Literal[1] = 1,
    *,
    direction: str = "from",
    **options: Unpack[Options],
) -> Nearest: ...


@overload
def nearest(
    graph: AnyGraph, sources: Any, k: int, *, direction: str = "from", **options: Unpack[Options]
) -> Nearest | KNearest: ...


@takes_options
@over_turns
def nearest(
    graph: Any, sources: Any, k: int = 1, *, direction: str = "from", **options: Unpack[Options]
) -> Nearest | KNearest:
    """Return for every vertex the distance from the nearest of several sources, and which one that is.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    sources : vertices, dict or points
        A dict gives sources their starting distances, as for `sssp`; so do points on arcs that `nearfar.geo.snap`
        found.
    k : int
        How many sources to find for every vertex: with more than one, the result is a `KNearest`, whose arrays are
        n x k. ``out`` and starting distances are not possible then.
    direction : str
        "from": travel leads from the sources to the vertices, as that of ambulances. "to": from the vertices to the
        sources, as that of patients to hospitals.
    **options
        {options}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> near = nearfar.nearest(g, [0, 3])
    >>> near.dist, near.source
    (array([0, 5, 1, 0], dtype=int32), array([0, 0, 3, 3], dtype=int32))
    >>> nearfar.nearest(g, [0, 3], k=2)[1]
    [(0, 5), (3, 8)]
    """
    sources = as_starts(take_graph(graph), sources, direction, several=True)
    seeds = from_nearest(take_graph(graph), sources)
    if take_count(k) == 1:
        options = require_host(known_options(options), "nearest")
        row = check(graph, **seeds, single=True, direction=direction, **options)
        return Nearest(solve(row), each_once(row.asked, sources))
    if seeds.get("starts") is not None:
        raise OptionError(f"sources have starting distances and k is {k}; leave the distances out, or use k=1.")
    return solve_several(graph, seeds["seeds"], int(k), direction, known_options(options))


@takes_options
@over_turns
def distance(graph: AnyGraph, source: Any, target: Any, **options: Unpack[Options]) -> int | float:
    """Return the distance from ``source`` to ``target``, math.inf if there is no path.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
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
    source, target = _as_pair(graph, source, target)
    if isinstance(graph, PreparedGraph) and not options and not isinstance(source, Mapping):
        return graph.distance(source, target)
    result, t = _pair(graph, source, target, options)
    return number_of(result.dist[t])


@takes_options
@over_turns
def path(graph: AnyGraph, source: Any, target: Any, **options: Unpack[Options]) -> list[Any]:
    """Return the vertices of a shortest path from ``source`` to ``target``, both ends included.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
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
    source, target = _as_pair(graph, source, target)
    if isinstance(graph, PreparedGraph) and not options and not isinstance(source, Mapping):
        return graph.path(source, target)
    result, _ = _pair(graph, source, target, options)
    return result.path(target)


def paths(
    graph: Graph | PreparedGraph, source: Any, target: Any, k: int, *, threads: int | None = None
) -> list[tuple[int | float, list[Any]]]:
    """Return the k shortest paths without a repeated vertex, as (length, vertices), the shortest first.

    Parameters
    ----------
    graph : Graph or Prepared
        Weights are not negative.
    source, target : vertex
    k : int
        How many paths; fewer are returned if there are no more.
    threads : int, optional

    Notes
    -----
    Yen's algorithm with the exact distances to the target as bounds. Paths are told apart by their vertices; of
    parallel arcs the lightest is taken.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> nearfar.paths(g, 0, 2, 5)
    [(7, [0, 1, 2]), (9, [0, 2])]
    """
    plain = take_graph(graph)
    source, target = as_vertex(plain, source, "source"), as_vertex(plain, target, "target")
    s, t = plain.index(source, "source"), plain.index(target, "target")
    found = shortest_routes(plain, s, t, take_count(k), threads)
    return [(length, list_names(plain, np.array(route, np.int32))) for length, route in found]


def count_paths(graph: Graph | PreparedGraph, source: Any, target: Any = None) -> float | np.ndarray:
    """Return how many shortest paths lead from a source to a target, or to every vertex.

    Parameters
    ----------
    graph : Graph or Prepared
        Weights are not negative, and no cycle has weight 0.
    source : vertex
    target : vertex, optional
        Without it, the result is a float64 array with one number per vertex.

    Notes
    -----
    Numbers are floats, since there may be more paths than whole numbers hold; they are exact below 2**53, and
    inf beyond 1.8e308. Lengths of floats that differ by rounding only are the same. Parallel arcs are one path.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1, 2], [1, 2, 3, 3], [1, 1, 1, 1])
    >>> nearfar.count_paths(g, 0, 3), nearfar.count_paths(g, 0)
    (2.0, array([1., 1., 1., 2.]))
    """
    plain = take_graph(graph)
    t = None if target is None else plain.index(target, "target")
    seed = take_source(plain, source)
    require_no_zero_cycle(plain)
    query = check(plain, seed, single=True, **known_options({"method": "dijkstra"}))
    counts = count_from_row(solve_by_weights(query))
    return counts if t is None else float(counts[t])


@takes_options
@over_turns
def plan(graph: AnyGraph, sources: Any = None, *, targets: Any = None, **options: Unpack[Options]) -> Plan:
    """Return what a query would do, why, and how many bytes it would take, without running it.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
    sources : vertex, vertices or None
        One source, several, a dict as for `sssp`, or None for all pairs.
    targets : vertices, optional
        The columns of a table.
    **options
        {options}

    Notes
    -----
    With the name of a store as ``out``, some of its blocks are computed and compressed, but not written: the bytes on
    the disk and the seconds are estimated by them.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.generate.road_grid(300, 300)
    >>> plan = nearfar.plan(g)
    >>> plan.method, plan.rows, plan.bytes > 4 * g.n**2
    ('prepared', 90000, True)
    """
    asked: Any = graph  # TurnGraphs do not come here
    plain = take_graph(graph)
    if is_place(options.get("out")):
        return _plan_store(graph, sources, targets, dict(options))
    sources = as_starts(plain, sources, "from") if isinstance(sources, Located) and len(sources) == 1 else sources
    if isinstance(sources, Mapping):
        rows = from_source(plain, sources)
    elif sources is None:
        rows = {"sources": np.arange(plain.n, dtype=np.int32)}
    else:
        rows = {"sources": take_vertices(plain, sources, "source")}
    if targets is None:
        query = check(asked, **rows, **known_options(options))
        return with_seconds(plan_query(query), query.graph, query.hierarchy is not None)
    columns = take_vertices(plain, targets, "target")
    known_options(options).pop("out", None)  # its shape is that of the table
    return plan_table(check(asked, **rows, **options), columns).plan


def _plan_store(graph: Any, sources: Any, targets: Any, options: dict[str, Any]) -> Plan:
    """Return what writing a store or a table would do."""
    plain = take_graph(graph)
    rows = np.arange(plain.n, dtype=np.int32) if sources is None else take_vertices(plain, sources, "source")
    columns = None if targets is None else take_vertices(plain, targets, "target")
    return plan_on_disk(graph, rows, columns, dict(known_options(options)))


@takes_options
def stream(
    graph: Graph | PreparedGraph,
    sources: Any = None,
    *,
    block: int | None = None,
    direction: str = "from",
    client: Any = None,
    **options: Unpack[Options],
) -> Iterator[Distances]:
    """Yield the rows of many sources in blocks, in the order given, in bounded memory.

    While the caller uses a block, the next one is found on other threads. That ends when the caller leaves the loop.

    Parameters
    ----------
    graph : Graph or Prepared
    sources : vertices, optional
        By default all vertices.
    block : int, optional
        Rows in a block; by default about 64 MB.
    direction : str
        "from": distances from the sources. "to": distances to them.
    client : Client, str or Cluster, optional
        As for `apsp`; blocks that are found ahead wait at the workers.
    **options
        {options}

    Yields
    ------
    Distances
        Its rows may be kept; memory that the caller no longer refers to is used again. The method is the best one for
        all sources together. If a distance does not fit the type, this block and the following ones have a wider type.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.generate.road_grid(30, 30, seed=1)
    >>> max(int(block.dist.max()) for block in nearfar.stream(g, block=100))
    77304
    """
    plain = take_graph(graph)
    if options.get("out") is not None:
        raise OptionError("a stream has no out=: every block is an array of its own. Use mssp to fill an array.")
    if block is not None:
        block = take_count(block, "block")
    rows = np.arange(plain.n, dtype=np.int32) if sources is None else take_vertices(plain, sources, "source")
    query = check(graph, rows, direction=direction, **known_options(options))
    if client is not None:
        from .scale.rows import stream_rows as stream_on_cluster

        return stream_on_cluster(query, block, client)
    return stream_rows(RowBlocks(query, block, buffers=3))


def _as_pair(graph: AnyGraph, source: Any, target: Any) -> tuple[Any, Any]:
    """Return both ends of a path as vertices, or as a dict of starts, if they are points on the graph."""
    plain = take_graph(graph)
    return as_starts(plain, source, "from"), as_vertex(plain, target, "target")


def _pair(graph: Any, source: Any, target: Any, options: Options) -> tuple[Distances, int]:
    """Solve from one source as far as one target; return the result and the target's index."""
    plain = take_graph(graph)
    t, row = plain.index(target, "target"), from_source(plain, source)
    query = check(graph, **row, single=True, **require_host(known_options(options), "a query for one target"))
    if plain.min_weight >= 0:  # otherwise the path may lead over vertices that are farther than the target
        query = query.but(targets=np.array([t], np.int32))
    return solve(query), t

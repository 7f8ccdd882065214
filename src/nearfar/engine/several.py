"""The k nearest sources of every vertex: in one search for all of them, or from one row per source.

The search (kernels/cpu/several.py) takes about as long as k rows of Dijkstra with a heap, however many sources there
are. Few sources are faster one by one: each row goes down the road of all queries, with all methods and devices, and
the k best of every vertex are kept. Both give the same distances. With negative weights there are only rows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..devices import cpu
from ..errors import DistanceOverflowError, MethodError, OptionError, option
from ..graph import Graph
from ..graph.vertices import Vertices
from ..kernels.cpu.constants import NO_VERTEX
from ..methods import METHODS
from ..results import KNearest, limits
from .options import Options, able_methods
from .planner import Plan, make_plan, too_large
from .query import PreparedGraph, Query, check, take_graph
from .solve import solve
from .tuning import ROWS_AT_ONCE, ROWS_PER_RANK, ROWS_PER_RANK_PREPARED

LABEL = 4 + 1  # bytes of a label beside its distance: the source, and whether it is fresh


def solve_several(
    graph: Graph | PreparedGraph, seeds: np.ndarray, k: int, direction: str, options: Options
) -> KNearest:
    """Return the k nearest of the seeds, which differ and ascend, for every vertex."""
    if options.get("out") is not None:
        raise OptionError(f"out was given, but k is {k}: then all vertices get k sources. Leave it out.")
    if isinstance(graph, PreparedGraph):
        options.setdefault("threads", graph.threads)
    query = check(take_graph(graph), seeds, direction=direction, **options)  # a hierarchy may not be needed
    _refuse(query, k, options)
    if query.devices[0] in ("auto", "cpu"):  # otherwise the limit is for the memory of a GPU
        _require_memory(_plan(query, k, query.types), k)
    began = time.perf_counter()
    if _by_search(query, k, options, isinstance(graph, PreparedGraph)):
        dist, source, plan, notes = _search(query, k)
    else:
        dist, source, plan, notes = _merge(graph, query, k, options)
    stats = {
        "method": plan.method,
        "device": plan.device,
        "seconds": time.perf_counter() - began - notes["compile_seconds"],
        **notes,
        "bytes": plan.bytes,
    }
    return KNearest(
        query.asked,
        seeds,
        dist,
        source,
        direction=query.direction,
        cutoff=query.cutoff,
        plan=plan,
        stats=stats,
        search=find_path,
    )


def _refuse(query: Query, k: int, options: Options) -> None:
    """Refuse what makes no sense for several sources per vertex."""
    if query.cutoff is not None and query.graph.min_weight < 0:
        raise OptionError(
            f"cutoff is {query.cutoff}, but with k = {k} and negative weights paths may leave the limit and return. "
            "Leave it out, and compare the distances of the result."
        )
    named = options.get("method", "auto") != "auto" and METHODS.get(query.method)
    if named and named.rounds and query.types[0].kind == "f":
        able = [name for name in able_methods(query.devices, query.graph.min_weight < 0) if not METHODS[name].rounds]
        raise MethodError(
            f"method {named.name!r} adds floats in another order than along the path, so which sources are nearest "
            f"could depend on rounding. Leave it out, or use {option('method', able[0])}."
        )


def _by_search(query: Query, k: int, options: Options, prepared: bool) -> bool:
    """Tell whether one search for all sources is faster than one row per source; a named method is always obeyed."""
    if query.graph.min_weight < 0 or options.get("method", "auto") != "auto" or query.delta is not None:
        return False
    if query.devices[0] not in ("auto", "cpu"):
        return False
    swept = prepared and query.types[0].kind != "f"
    return len(query.sources) > k * (ROWS_PER_RANK_PREPARED if swept else ROWS_PER_RANK)


def _search(query: Query, k: int) -> tuple[np.ndarray, np.ndarray, Plan, dict[str, Any]]:
    """Find the k nearest sources in one search; if a distance does not fit its type, again with the next type."""
    compiling = 0.0
    for i in range(len(query.types)):
        plan = _plan(query, k, query.types[i:])
        _require_memory(plan, k)
        compiling += _compile(query, k, query.types[i])
        dist, source, relaxed = _search_as(query, query.graph, query.sources, k, query.types[i])
        if _fits(query, dist):
            return dist, source, plan, {"compile_seconds": compiling, "relaxations": relaxed}
    raise limits.overflow(query.graph, dist.dtype, given=False)


def _plan(query: Query, k: int, types: Sequence[np.dtype]) -> Plan:
    """Return the plan of a search: on one thread, with room for the labels."""
    rows = make_plan(
        query.graph,
        k,
        method="dijkstra",
        types=types,
        threads=1,
        available=cpu.facts().memory if query.memory is None else query.memory,
        early=False,
        filled=False,
        bounded=query.cutoff is not None,
    )
    why = f"one search for {len(query.sources):,} sources, in which every vertex keeps the {k} nearest"
    return replace(rows, bytes=rows.bytes + LABEL * k * query.graph.n, renumber=False, together=False, why=why)


def _compile(query: Query, k: int, dtype: np.dtype) -> float:
    """Compile or load the kernel by a search of one vertex without arcs; return the seconds that took."""
    began = time.perf_counter()
    tiny = Graph(np.zeros(2, query.graph.offsets.dtype), query.graph.arcs[:0], Vertices(1))
    _search_as(query, tiny, np.zeros(1, np.int32), k, dtype)
    return time.perf_counter() - began


def _require_memory(plan: Plan, k: int) -> None:
    """Refuse a search whose labels do not fit into memory."""
    if plan.bytes > plan.available:
        what = f"the {k:,} nearest sources of {plan.n:,} vertices need"
        raise too_large(what, plan.bytes, plan.available, "Use a smaller k, or allow more memory")


def _search_as(
    query: Query, graph: Graph, sources: np.ndarray, k: int, dtype: np.dtype
) -> tuple[np.ndarray, np.ndarray, int]:
    """Search with one type of distances; return these, the sources, and the arcs relaxed."""
    from ..kernels.cpu.several import settle_several

    n, stop, relaxed = graph.n, np.zeros(1, np.int64), [0]
    ceiling, zero = limits.ceiling_and_zero(query.graph, query.cutoff, dtype)
    heap, keys, positions = np.empty(n, np.int32), np.empty(n, type(zero)), np.empty(n, np.int32)
    dist, source, fresh = np.empty((n, k), dtype), np.empty((n, k), np.int32), np.empty((n, k), np.uint8)

    def work(t: int) -> None:
        relaxed[0] = settle_several(
            graph.offsets, graph.arcs, sources, ceiling, zero, heap, keys, positions, stop, dist, source, fresh
        )

    cpu.run(work, 1, stop)  # on another thread, so that the caller receives Ctrl-C
    dist[source == NO_VERTEX] = limits.unreached(dtype)
    return dist, source, int(relaxed[0])


def _fits(query: Query, dist: np.ndarray) -> bool:
    """Tell whether no label was refused because the type is too small (results/limits.py)."""
    graph, end = query.graph, limits.end_of(query.graph, dist.dtype)
    ceiling, _ = limits.ceiling_and_zero(graph, query.cutoff, dist.dtype)
    if ceiling < end or limits.surely_fits(graph, dist.dtype, None):
        return True
    most = dist[dist != limits.unreached(dist.dtype)].max(initial=0).item()
    return bool(graph.max_weight + most < end)


def _merge(
    graph: Graph | PreparedGraph, query: Query, k: int, options: Options
) -> tuple[np.ndarray, np.ndarray, Plan, dict[str, Any]]:
    """Keep the k best of one row per source; if a distance does not fit its type, again with the next type."""
    for dtype in query.types:
        settings: Options = {**options, "dtype": dtype}
        if options.get("method", "auto") == "auto" and dtype.kind == "f":  # sums along the path
            settings["method"] = "dijkstra" if query.graph.min_weight >= 0 else "johnson"
        try:
            return _merge_as(graph, query, k, dtype, settings)
        except DistanceOverflowError:
            if dtype == query.types[-1]:
                raise
    raise AssertionError  # there is at least one type


def _merge_as(
    graph: Graph | PreparedGraph, query: Query, k: int, dtype: np.dtype, settings: Options
) -> tuple[np.ndarray, np.ndarray, Plan, dict[str, Any]]:
    """Solve one row per source, some at a time, and keep the k best of every vertex."""
    from ..kernels.cpu.several import merge_rows

    n, mark, stop = query.graph.n, limits.unreached(dtype), np.zeros(1, np.int64)
    dist, source = np.full((n, k), mark, dtype), np.full((n, k), NO_VERTEX, np.int32)
    fresh, notes = np.empty((n, k), np.uint8), {"compile_seconds": 0.0, "relaxations": 0}
    step = max(16 * query.threads, ROWS_AT_ONCE // max(n, 1))
    for low in range(0, len(query.sources), step):
        some = query.sources[low : low + step]
        found = solve(check(graph, some, direction=query.direction, **settings))
        cpu.run(partial(_merge_some, merge_rows, found.rows, some, mark, dist, source, fresh), 1, stop)
        for fact in notes:
            notes[fact] += (found.stats or {}).get(fact, 0)
    why = f"one row for each of {len(query.sources):,} sources, of which every vertex keeps the {k} nearest"
    return dist, source, replace(found.plan, why=why), notes


def _merge_some(merge_rows: Any, *arrays: Any) -> None:
    """Call the kernel, without the index of the thread, which is last."""
    merge_rows(*arrays[:-1])


def find_path(result: KNearest, s: int, v: int) -> list[Any]:
    """Return the names of the vertices of a shortest path between a source and a vertex, given as indices."""
    start, target = np.array([s], np.int32), result.graph.name(v)
    row = check(result.graph, start, single=True, direction=result.direction, dtype=result.dist.dtype)
    if result.graph.min_weight >= 0:  # otherwise the path may lead over vertices that are farther
        row = replace(row, targets=np.array([v], np.int32))
    return solve(row).path(target)

"""`distances`: travel times between points, which may lie along arcs, exact to the point.

Who leaves a point along an arc comes to one of at most two vertices, and who arrives comes from one of two. So a table
between these vertices, with the starts added, has the answer, but for two points on one arc: there, travel may also go
straight. In a graph with turns these are not vertices, but states.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ..engine.options import RunOptions, known_options
from ..engine.query import take_graph
from ..engine.tables import solve_table
from ..engine.turns import AnyGraph, starts_of_each
from ..errors import InputTypeError, MethodError
from ..graph import Graph, TurnGraph
from ..graph.arrays import Array
from .snapped import Snapped, lightest


def distances(graph: AnyGraph, origins: Snapped, destinations: Snapped, **options: Unpack[RunOptions]) -> Array:
    """Return the travel times from points to points, float64 of shape (origins, destinations); inf without a path.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
        With weights that are not negative.
    origins, destinations : Snapped
        Points on the graph, at vertices or along arcs, as `snap` returns them.
    **options
        As for `nearfar.table`, without ``out``.

    Notes
    -----
    `nearfar.table` does the same for vertices, and finds paths. A ``cutoff`` counts from vertex to vertex.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> points = nearfar.geo.snap(city, [-20.002, -20.0025, -19.99], [44.999, 44.9989, 45.01], on="arcs")
    >>> nearfar.geo.distances(city, points[:2], points).round(1)
    array([[  0. ,  ...]])
    """
    turns = graph if isinstance(graph, TurnGraph) else None
    plain = take_graph(graph) if turns is None else turns.graph
    searched: Any = graph if turns is None else turns.searched
    for points in (origins, destinations):
        if not isinstance(points, Snapped):
            raise InputTypeError(f"got a {type(points).__name__}, but points are needed. Make them with geo.snap.")
    if plain.min_weight < 0:
        raise MethodError(f"travel times along arcs need weights >= 0; the least is {plain.min_weight}.")
    if not len(origins) or not len(destinations):
        return np.empty((len(origins), len(destinations)))
    if turns is None:
        starts, ends = origins.starts_of_each(plain, "from"), destinations.starts_of_each(plain, "to")
    else:
        starts, ends = _starts_of_each(turns, origins, "from"), _starts_of_each(turns, destinations, "to")
    rows, columns = (np.unique(vertices[np.isfinite(times)]) for vertices, times in (starts, ends))
    query: Any = known_options(options)
    between = solve_table(searched, rows.astype(np.int32), columns.astype(np.int32), **query).as_float()
    found = np.full((len(origins), len(destinations)), np.inf)
    for a in range(starts[0].shape[1]):
        first = np.minimum(np.searchsorted(rows, starts[0][:, a]), len(rows) - 1)
        for b in range(ends[0].shape[1]):
            last = np.minimum(np.searchsorted(columns, ends[0][:, b]), len(columns) - 1)
            added = starts[1][:, a, None] + ends[1][None, :, b]
            np.minimum(found, between[np.ix_(first, last)] + added, out=found)
    _go_straight(plain, origins, destinations, found)
    return found


def _starts_of_each(turns: TurnGraph, points: Snapped, direction: str) -> tuple[Array, Array]:
    """Return the states where a search from each point begins, and the times, shape (k, most); inf without one."""
    found = starts_of_each(turns, points, direction)
    shape = len(found), max(map(len, found))
    states, times = np.zeros(shape, np.int64), np.full(shape, np.inf)
    for i, some in enumerate(found):
        for j, (state, time) in enumerate(some):
            states[i, j], times[i, j] = state, time
    return states, times


def _go_straight(graph: Graph, origins: Snapped, destinations: Snapped, found: Array) -> None:
    """Lower the times between two points along one arc to that of going straight, where an arc leads there."""
    there: dict[tuple[int, int], list[int]] = {}
    for j, (tail, head) in enumerate(zip(destinations.tails.tolist(), destinations.heads.tolist(), strict=True)):
        there.setdefault((min(tail, head), max(tail, head)), []).append(j)
    for i, (tail, head) in enumerate(zip(origins.tails.tolist(), origins.heads.tolist(), strict=True)):
        at = there.get((min(tail, head), max(tail, head)), [])
        if tail == head or not at:
            continue
        share = destinations.fraction[at]
        ahead = np.where(destinations.tails[at] == tail, share, 1 - share) - origins.fraction[i]
        for steps, weight in ((ahead, lightest(graph, tail, head)), (-ahead, lightest(graph, head, tail))):
            if weight is not None:
                found[i, at] = np.minimum(found[i, at], np.where(steps >= 0, steps * weight, np.inf))

"""`features`: graphs, results, metrics, paths and points as shapes: whatever names a vertex or the two ends of an arc.

Tables know which of their columns are vertices (`Named`), so one rule serves all: a column called vertex is a point,
tail and head are a line, and so are both ends of a table of distances. Arcs are straight: the readers of maps make
every bend of a road a vertex.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.input_rows import lightest_along
from ..graph.tables import Columns, Framed, Named
from ..results import Distances
from ..results.lookup import list_names
from .isochrone import Isochrones
from .shapes import Features
from .snapped import Snapped
from .space import Space, space_of


def features(what: Any, path: Any = None, *, units: str | None = None) -> Features:
    """Return a graph, a result, a metric, flows, points or paths as shapes with properties.

    Parameters
    ----------
    what : Graph or result
        A graph gives its arcs, with weights; `nearfar.sssp`, `nearest` and metrics of vertices give points; flows and
        metrics of arcs give lines; a table and what is within a cutoff give straight lines from sources to targets;
        isochrones give areas, snapped points the places.
    path : list of vertices, or list of such lists; optional
        Paths in the graph ``what``, as queries return them: lines with source, target and distance.
    units : str, optional
        What coordinates are, if the graph does not say it: as for `snap`.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> near = nearfar.nearest(city, ["Main Street / 3rd Avenue", "Abbey Street / 9th Avenue"])
    >>> nearfar.geo.features(near)
    Features(2,400 x Point, vertex, source, distance)
    >>> nearfar.geo.features(near).to_geojson()["features"][5]["properties"]
    {'vertex': 'Main Street / 6th Avenue', 'source': 'Main Street / 3rd Avenue', 'distance': 39}
    """
    if path is not None:
        return _paths(what, path, units)
    if isinstance(what, Isochrones):
        return what.polygons()
    if isinstance(what, Graph):
        return _arcs(what, units)
    graph = getattr(what, "graph", None)
    if not isinstance(what, Framed) or not isinstance(graph, Graph):
        raise InputTypeError(
            f"features() got a {type(what).__name__}, but takes a graph, a result, a metric or points. For a path, "
            f"write features(graph, path)."
        )
    space, columns = space_of(graph, units), what._lines(0, what._line_count())
    unit = graph.units.weights if "distance" in columns and not isinstance(what, Snapped) else None
    kind, shapes = _shapes(what, columns, graph, space)
    properties = {name: _listed(column) for name, column in columns.items()}
    return Features(kind, shapes, properties, space, unit)


def to_geojson(what: Any, path: str | os.PathLike[str] | None = None, *, units: str | None = None) -> dict[str, Any]:
    """Return a graph or a result as GeoJSON, a dict; with ``path``, the name of a file, it is also written there.

    ``features(...)`` has more: paths, well-known text, GeoPandas.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city(3, 3)
    >>> nearfar.sssp(city, "Main Street / 1st Avenue").to_geojson()["features"][2]["properties"]
    {'source': 'Main Street / 1st Avenue', 'target': 'Main Street / 3rd Avenue', 'distance': 23}
    """
    return features(what, units=units).to_geojson(path)


def _shapes(what: Any, columns: Columns, graph: Graph, space: Space) -> tuple[str, list[Any]]:
    """Return the kind and the coordinates of the lines of a table."""
    points: Any = graph.coordinates
    if isinstance(what, Snapped):
        return "Point", what.points[what.found].tolist()
    if isinstance(what, Distances):
        ends = [columns["target" if what.direction == "from" else "source"]]
    elif "vertex" in columns:
        ends = [columns["vertex"]]
    else:
        ends = [columns[name] for name in (("tail", "head") if "tail" in columns else ("source", "target"))]
    at: list[Array] = [points[end.at] for end in ends if isinstance(end, Named)]
    if len(at) == 1:
        return "Point", at[0].tolist()
    return "LineString", np.stack((at[0], space.unwrapped(at[1], at[0])), axis=1).tolist()


def _listed(column: Any) -> list[Any]:
    """Return a column as a list of Python values."""
    found: list[Any] = (column.listed() if isinstance(column, Named) else np.asarray(column)).tolist()
    return found


def _arcs(graph: Graph, units: str | None) -> Features:
    """Return the arcs of a graph as lines; both directions of an edge are one."""
    space, points = space_of(graph, units), graph.coordinates
    assert points is not None
    at = np.flatnonzero(graph.tails <= graph.heads) if graph.undirected else np.arange(graph.m)
    tails, heads = graph.tails[at], graph.heads[at]
    shapes = np.stack((points[tails], space.unwrapped(points[heads], points[tails])), axis=1).tolist()
    properties = {"tail": list_names(graph, tails), "head": list_names(graph, heads)}
    if graph.weights is not None:
        properties["weight"] = graph.weights[at].tolist()
    return Features("LineString", shapes, properties, space, graph.units.weights)


def _paths(graph: Any, given: Any, units: str | None) -> Features:
    """Return one path, or several, as lines."""
    if not isinstance(graph, Graph):
        raise InputTypeError(f"a path needs its graph: features(graph, path). The first is a {type(graph).__name__}.")
    space, points = space_of(graph, units), graph.coordinates
    assert points is not None
    several = len(given) > 0 and isinstance(given[0], list)
    paths = [graph.indices(path) for path in (given if several else [given])]
    rows: list[tuple[Any, ...]] = []
    for path in paths:
        if not len(path):
            raise InputTypeError("a path is empty; give the vertices of a path, as queries return them.")
        arcs = lightest_along(graph, path)
        length = len(arcs) if graph.weights is None else graph.weights[arcs].sum().item()
        rows.append((graph.name(int(path[0])), graph.name(int(path[-1])), length, len(arcs)))
    columns = dict(zip(("source", "target", "distance", "arcs"), map(list, zip(*rows, strict=True)), strict=False))
    return Features("LineString", [_line(points[path], space) for path in paths], columns, space, graph.units.weights)


def _line(points: Array, space: Space) -> list[Any]:
    """Return a line without jumps at the date line; a single point twice, since a line has two."""
    if len(points) == 1:
        points = np.repeat(points, 2, axis=0)
    if not space.degrees:
        return points.tolist()
    turns = -np.cumsum(np.round(np.diff(points[:, 0], prepend=points[0, 0]) / 360))
    return np.column_stack((points[:, 0] + 360 * turns, points[:, 1])).tolist()

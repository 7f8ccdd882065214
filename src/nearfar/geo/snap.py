"""`snap`: the vertices, or the points on arcs, that are nearest to coordinates.

A KD-tree of the vertices, or of marks along the arcs, is made on first use and kept with the graph.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..devices import cpu
from ..engine.query import PreparedGraph, take_graph
from ..errors import GraphError, OptionError, VertexError
from ..graph import Graph
from ..graph.arrays import Array
from .segments import Found, Segments, nearest_on, on_ground, segments_of
from .snapped import Snapped
from .space import Space, space_of, take_points
from .within import vertices_within

BATCH = 1 << 16  # points between two chances for Ctrl-C


def snap(
    graph: Graph | PreparedGraph,
    lon: Any,
    lat: Any,
    *,
    on: str = "vertices",
    within: str = "largest",
    max_distance: float | None = None,
    beyond: str = "error",
    units: str | None = None,
) -> Snapped:
    """Return the places on a graph that are nearest to coordinates.

    Parameters
    ----------
    graph : Graph or Prepared
        With coordinates.
    lon, lat : number, or array of numbers
        Longitude and latitude in degrees; x and y if the graph's coordinates lie in a plane.
    on : {"vertices", "arcs"}
        The nearest vertex; or the nearest point of an arc, which is straight between its ends. As a source, such a
        point starts at both ends of its arc, at the travel times to them, wherever arcs lead there.
    within : {"largest", "all"}
        Only vertices of the largest part in which each reaches each other, or all of them.
    max_distance : number, optional
        Points farther than this have no place: metres, or the unit of the coordinates in a plane.
    beyond : {"error", "mask"}
        What becomes of points without a place, and of coordinates that are not finite: an error, or ``found`` is False.
    units : str, optional
        What the coordinates are, if the graph does not say it (`Graph.with_units`): "degrees", or another unit for x
        and y in a plane.

    Returns
    -------
    Snapped

    Notes
    -----
    The earth is a sphere here, so metres are off by up to half a percent; which place is nearest hardly ever is. The
    date line and the poles are no edges.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> here = nearfar.geo.snap(city, -20.002, 44.999, on="arcs")
    >>> here
    Snapped('Forest Street / 29th Avenue' -> 'Forest Street / 28th Avenue' at 0.196, 23.9 m away)
    >>> nearfar.sssp(city, here)["Main Street / 1st Avenue"]
    624.27...
    """
    plain = take_graph(graph)
    _check_words(on, beyond)
    space, most = space_of(plain, units), _take_most(max_distance)
    points = take_points(lon, lat, space, beyond)
    vertices = vertices_within(plain, within)
    known = np.flatnonzero(np.isfinite(points).all(axis=1))
    known = known[side_by_side(points[known])]
    find = _find_vertices if on == "vertices" else _find_arcs
    found = find(plain, points[known], space, vertices, within, most)
    result = _spread(plain, on, known, len(points), found, space.unit)
    if not result.found.all() and beyond == "error":
        _refuse_far(points, result, most)
    if max_distance is None:
        _refuse_swapped(plain, points[known], result, space)
    return result


def side_by_side(points: Array) -> Array:
    """Return an order in which points follow their neighbours: from one side to the other, in bands.

    Searches of neighbours touch the same memory: of a million points in Sao Paulo, they take half of the time.
    """
    count = len(points)
    if count < 2:
        return np.arange(count)
    low, high = points[:, 1].min(), points[:, 1].max()
    bands = np.sqrt(count) / 4
    return np.lexsort((points[:, 0], ((points[:, 1] - low) * (bands / max(high - low, 1e-300))).astype(np.int64)))


def _check_words(on: Any, beyond: Any) -> None:
    """Refuse options with other values than their words."""
    for name, value, words in (("on", on, ("vertices", "arcs")), ("beyond", beyond, ("error", "mask"))):
        if value not in words:
            raise OptionError(f"{name}={value!r:.60} does not exist. Use {words[0]!r} or {words[1]!r}.")


def _take_most(value: Any) -> float:
    """Return the greatest distance of a point from its place; inf if there is none."""
    try:
        most = math.inf if value is None else float(value)
    except (TypeError, ValueError):
        most = math.nan
    if not most >= 0:
        raise OptionError(f"max_distance is {value!r:.60}; give a number of metres from 0 on, or leave it out.")
    return most


_Places = tuple[Array, Array, Array, Array, Array]  # tails, heads, fractions, distances, coordinates


def _find_vertices(graph: Graph, points: Array, space: Space, vertices: Array, within: str, most: float) -> _Places:
    """Return the nearest vertex of each point."""
    from scipy.spatial import cKDTree

    key = ("tree", within, space.degrees)
    assert graph.coordinates is not None
    if key not in graph.memo:
        graph.memo[key] = cKDTree(space.vectors(graph.coordinates[vertices]), balanced_tree=False, compact_nodes=False)
    tree, threads = graph.memo[key], cpu.facts().cores
    gaps, at = np.full(len(points), np.inf), np.full(len(points), len(vertices))
    bound = space.straight(most) * (1 + 1e-9)
    for low in range(0, len(points), BATCH):
        part = slice(low, low + BATCH)
        gaps[part], at[part] = tree.query(space.vectors(points[part]), distance_upper_bound=bound, workers=threads)
    lengths = space.lengths(gaps)
    near = (at < len(vertices)) & (lengths <= most)
    found = np.where(near, vertices[np.where(near, at, 0)], -1).astype(np.int32)
    where = np.where(near[:, None], graph.coordinates[found], np.nan)
    return found, found, np.zeros(len(points)), np.where(near, lengths, np.inf), where


def _find_arcs(graph: Graph, points: Array, space: Space, vertices: Array, within: str, most: float) -> _Places:
    """Return the nearest point of an arc for each point."""
    key = ("segments", within, space.degrees)
    if key not in graph.memo:
        graph.memo[key] = segments_of(graph, vertices, space)
    segments: Segments = graph.memo[key]
    if not len(segments.tails):
        raise GraphError("there are no arcs between different vertices to snap to. Use on='vertices'.")
    bound, parts = space.straight(most) * (1 + 1e-9), []
    for low in range(0, len(points), BATCH):
        vectors = space.vectors(points[low : low + BATCH])
        parts.append(nearest_on(segments, vectors, space, bound, cpu.facts().cores))
    found = _joined(parts)
    lengths = space.lengths(found.distances)
    near = (found.segments >= 0) & (lengths <= most)
    at = np.where(near, found.segments, 0).astype(np.int64)
    feet = on_ground(segments.first[at] + found.shares[:, None] * segments.along[at], space)
    tails, heads = (np.where(near, ends[at], -1).astype(np.int32) for ends in (segments.tails, segments.heads))
    where = np.where(near[:, None], space.points(feet), np.nan)
    return tails, heads, _fractions(segments, at, feet, found.shares, space), np.where(near, lengths, np.inf), where


def _joined(parts: list[Found]) -> Found:
    """Return what was found for all points, part by part."""
    nothing = Found(np.empty(0, np.int64), np.empty(0), np.empty(0))
    return Found(*(np.concatenate(column) for column in zip(nothing, *parts, strict=True)))


def _fractions(segments: Segments, at: Array, feet: Array, shares: Array, space: Space) -> Array:
    """Return where on their arcs points are, by length along the ground."""
    if not space.degrees:
        return shares
    whole = space.lengths(np.linalg.norm(segments.along[at], axis=1))
    part = space.lengths(np.linalg.norm(feet - segments.first[at], axis=1))
    inner = np.divide(part, whole, out=np.zeros(len(at)), where=whole > 0)
    return np.where((shares == 0) | (shares == 1), shares, np.clip(inner, 0, 1))


def _spread(graph: Graph, on: str, known: Array, count: int, places: _Places, unit: str | None) -> Snapped:
    """Return the places of all points, of which only the ``known`` ones have coordinates."""
    tails, heads = np.full((2, count), -1, np.int32)
    fractions, distances, where = np.zeros(count), np.full(count, np.inf), np.full((count, 2), np.nan)
    tails[known], heads[known], fractions[known], distances[known], where[known] = places
    return Snapped(graph, on, tails, heads, fractions, distances, where, unit)


def _refuse_far(points: Array, result: Snapped, most: float) -> None:
    """Refuse points that are too far from the graph."""
    lost = np.flatnonzero(~result.found)
    x, y = points[lost[0]].tolist()
    far = f"{most:g} {result.unit or ''}".strip()
    raise VertexError(
        f"point {lost[0]} at ({x:g}, {y:g}) is more than {far} from the graph ({len(lost)} of {len(points)} are). "
        f"Allow more with max_distance=, or give beyond='mask' to mark such points."
    )


def _refuse_swapped(graph: Graph, points: Array, result: Snapped, space: Space) -> None:
    """Refuse points that are all farther from the graph than it is wide, if exchanged they all lie inside."""
    assert graph.coordinates is not None
    low, high = graph.coordinates.min(axis=0), graph.coordinates.max(axis=0)
    turned = points[:, ::-1]
    if not len(points) or not ((turned >= low) & (turned <= high)).all():
        return
    nearest = result.distance[result.found].min()
    across = space.lengths(np.linalg.norm(np.diff(space.vectors(np.stack((low, high))), axis=0), axis=1))
    if nearest > across[0]:
        far = f"{nearest:,.0f} {space.unit}"
        raise OptionError(
            f"every point lies outside the graph, the nearest {far} away, but with exchanged coordinates all lie "
            f"inside. Give the longitude first, then the latitude (x, then y)."
        )

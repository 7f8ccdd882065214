"""Where points lie: on the earth, as unit vectors, or in a plane; and the coordinates that users give, checked.

On the earth, the chord between two unit vectors orders pairs as their distance along the ground does. So one KD-tree
serves both, and neither the date line nor a pole is an edge.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from ..errors import GraphError, InputTypeError, OptionError, in_python, option
from ..graph import Graph, sphere
from ..graph.arrays import Array, on_host, shorten
from ..graph.units import DEGREES, take_units


class Space(NamedTuple):
    """The earth if coordinates are degrees, else a plane; the unit of distances on the ground."""

    degrees: bool
    unit: str

    def vectors(self, points: Array) -> Array:
        """Return points as vectors whose straight distances order them as those on the ground do."""
        return sphere.to_space(points) if self.degrees else np.asarray(points, np.float64)

    def points(self, vectors: Array) -> Array:
        """Return vectors as coordinates."""
        return sphere.from_space(vectors) if self.degrees else vectors

    def lengths(self, straight: Array) -> Array:
        """Return straight distances between vectors as distances on the ground."""
        return sphere.along_sphere(straight) if self.degrees else straight

    def between(self, first: Array, last: Array, shares: Array) -> Array:
        """Return the points at shares of the lines between points, as coordinates; the ends are exact."""
        share = shares[:, None]
        if not self.degrees:
            inner = first + share * (last - first)
        else:
            one, other = self.vectors(first), self.vectors(last)
            angle = 2 * np.arcsin(np.minimum(np.linalg.norm(other - one, axis=1, keepdims=True) / 2, 1))
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = np.sin((1 - share) * angle) / np.sin(angle), np.sin(share * angle) / np.sin(angle)
            vectors = np.where(angle > 0, parts[0] * one + parts[1] * other, one)
            inner = self.unwrapped(self.points(vectors), first)
        return np.where(share == 0, first, np.where(share == 1, last, inner))

    def unwrapped(self, points: Array, beside: Array) -> Array:
        """Return points whose longitudes are at most 180 degrees from those beside them, beyond 180 if need be."""
        if not self.degrees or not len(points):
            return points
        turns = np.round((beside[..., 0] - points[..., 0]) / 360)
        return points if not turns.any() else np.stack((points[..., 0] + 360 * turns, points[..., 1]), axis=-1)

    def straight(self, length: float) -> float:
        """Return a distance on the ground as one between vectors."""
        return sphere.as_chord(length) if self.degrees and length < math.inf else length


def space_of(graph: Graph, units: str | None) -> Space:
    """Return where the coordinates of a graph lie: ``units`` says it, else the graph; else it is asked for."""
    if graph.coordinates is None:
        raise GraphError(
            f"the graph has no coordinates, so it has no places. Give them when it is read{in_python(' or built')}, by "
            f"{option('coordinates')}."
        )
    unit = take_units(None, units).coordinates or graph.units.coordinates
    if unit is None:
        raise OptionError(
            f"the graph does not say what its coordinates are. Give {option('units', DEGREES)} for longitude and "
            f"latitude, or {option('units', 'm')}{in_python(' (or another unit)')} for x and y in a plane"
            f"{in_python('; graph.with_units(coordinates=...) says it once for all')}."
        )
    if unit == DEGREES and graph.n and "degrees" not in graph.memo:
        _check_degrees(graph)
        graph.memo["degrees"] = True
    return Space(unit == DEGREES, "m" if unit == DEGREES else unit)


def _check_degrees(graph: Graph) -> None:
    """Refuse coordinates of vertices that cannot be longitude and latitude."""
    assert graph.coordinates is not None
    wrong = np.flatnonzero((np.abs(graph.coordinates) > (360, 90)).any(axis=1))
    if len(wrong):
        x, y = graph.coordinates[wrong[0]].tolist()
        raise GraphError(
            f"vertex {shorten(graph.name(int(wrong[0])))} lies at ({x:g}, {y:g}), which is no longitude and latitude "
            f"in degrees. Give {option('units', 'm')} if these are x and y in a plane, or divide the coordinates."
        )


def take_points(x: Any, y: Any, space: Space, beyond: str) -> Array:
    """Return coordinates as an array of shape (k, 2).

    Numbers that are not finite are an error, unless points that are not found are to be masked.
    """
    names = ("lon", "lat")
    columns = [np.atleast_1d(_take_column(values, name)) for values, name in zip((x, y), names, strict=True)]
    if len(columns[0]) != len(columns[1]):
        sizes = " and ".join(f"{len(column):,}" for column in columns)
        raise InputTypeError(f"lon and lat have {sizes} numbers. Give one of each per point.")
    points = np.column_stack(columns)
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad) and beyond == "error":
        where = tuple(points[bad[0]].tolist())
        raise OptionError(
            f"point {bad[0]} is {where}, but coordinates must be finite. Leave it out, or give "
            f"beyond='mask' to mark such points as not found."
        )
    if space.degrees:
        _check_range(points)
    return points


def _take_column(values: Any, name: str) -> Array:
    """Return longitudes or latitudes as floats, with one axis or none."""
    if isinstance(values, numbers.Real) and not isinstance(values, bool):
        return np.array(float(values))
    try:
        array = np.asarray(on_host(values))
        numeric = array.dtype.kind in "iuf" or (array.dtype.kind == "O" and array.ndim == 1) or not array.size
        array = array.astype(np.float64) if numeric else np.empty((0, 0))
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim > 1:
        raise InputTypeError(
            f"{name} is {shorten(values)}, a {type(values).__name__}, but numbers are needed. Give one number, or a "
            f"flat list or array of them."
        )
    return array


def _check_range(points: Array) -> None:
    """Refuse what cannot be longitude and latitude."""
    wrong = np.flatnonzero((np.abs(points) > (360, 90)).any(axis=1))
    if len(wrong):
        x, y = points[wrong[0]].tolist()
        swapped = " They are swapped:" if abs(x) <= 90 and abs(y) <= 360 else ""
        raise OptionError(
            f"point {wrong[0]} has longitude {x:g} and latitude {y:g}, but these are at most 360 and 90 degrees."
            f"{swapped} Give the longitude first, then the latitude, in degrees."
        )

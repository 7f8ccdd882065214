"""SRTM height maps (.hgt): walking times over a square degree of land, by Tobler's hiking function.

The file is a square of big-endian 16-bit heights in metres, north to south, west to east; cells of height -32768 are
unknown, and no vertices. Arcs lead to the eight neighbours; the weight is the time in milliseconds at a speed of
6 exp(-3.5 |slope + 0.05|) km/h, so uphill and downhill differ. The name gives the location: N42E001.hgt begins at 42
degrees north, 1 degree east. A degree of longitude is shorter by the cosine of the latitude. Cells are named (x, y):
column and row, counted from 0 in the north-west.

W. Tobler, Three presentations on geographical analysis and modeling, 1993.
"""

from __future__ import annotations

import math
import numbers
import re
from pathlib import PurePath
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.grid import Step, grid_graph, shifted
from .format import Format
from .io.files import Source

UNKNOWN = -32768
DEGREE = 111194.93  # metres of a degree of latitude
_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
_LONGEST = 2.0**53  # milliseconds, 285,000 years; larger floats are not exact integers
_INT32_MAX = 2**31 - 1


def read(source: Source, *, latitude: float | None = None, longitude: float | None = None) -> Graph:
    """Read a height map; ``latitude`` and ``longitude`` are its south-west corner, by default from its name."""
    south, west = _corner(source, latitude, longitude)
    heights = _heights(source)
    side = len(heights)
    up = DEGREE / (side - 1)
    across = up * np.cos(np.radians(south + 0.5))
    runs = {step: float(_run(step, across, up)) for step in _STEPS}

    def slope(step: Step, rows: slice) -> Array:
        here, there = heights[rows].astype(float), shifted(heights, step, rows, UNKNOWN).astype(float)
        return np.abs((there - here) / runs[step] + 0.05)

    def is_open(step: Step, rows: slice) -> Array:
        known = (heights[rows] > UNKNOWN) & (shifted(heights, step, rows, UNKNOWN) > UNKNOWN)
        return known & (slope(step, rows) < _steepest(runs[step]))

    def weigh(step: Step, rows: slice) -> Array:
        steep = np.minimum(slope(step, rows), _steepest(runs[step]))
        return np.round(1000 * runs[step] / (6 / 3.6 * np.exp(-3.5 * steep))).astype(np.int64)

    points = _coordinates(heights > UNKNOWN, south, west)
    return _narrowed(grid_graph(heights > UNKNOWN, _STEPS, is_open, weigh, np.int64, False, points, xy=True))


def _run(step: Step, across: float, up: float) -> float:
    """Return the level distance of a step in metres."""
    return np.hypot(across, up) if step[0] and step[1] else up if step[0] else across


def _steepest(run: float) -> float:
    """Return the slope at which a step takes the longest time allowed; steeper steps are no arcs."""
    return math.log(_LONGEST * 6 / 3.6 / (1000 * run)) / 3.5


def _corner(source: Source, latitude: Any, longitude: Any) -> tuple[float, float | None]:
    """Return latitude and longitude of the south-west corner, as given, else from the name."""
    found = re.search(r"([ns])(\d{1,2})(?:([ew])(\d{1,3}))?", PurePath(source.plain_name).name)
    south = _degrees("latitude", latitude, 90)
    if south is None and found:
        south = int(found[2]) * (1 if found[1] == "n" else -1)
    west = _degrees("longitude", longitude, 180)
    if west is None and found and found[3]:
        west = int(found[4]) * (1 if found[3] == "e" else -1)
    if south is None or not -90 <= south < 90:
        raise source.error(
            "the name does not contain the location, as N42E001.hgt does, and the width of a cell depends on it. "
            f"Rename the file, or give {option('latitude')} and {option('longitude')} of its south-west corner."
        )
    return south, west


def _degrees(what: str, value: Any, limit: int) -> float | None:
    """Check an angle that the user gave."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not -limit <= float(value) < limit:
        raise OptionError(f"{option(what, value)} is not an angle. Give degrees from -{limit} to {limit - 1}.")
    return float(value)


def _heights(source: Source) -> Array:
    """Return the table of heights."""
    data = source.read_all()
    side = math.isqrt(len(data) // 2)
    if side < 2 or 2 * side * side != len(data):
        raise source.error(
            f"it has {len(data)} bytes, but a square of 16-bit heights has 2 * side * side: 2,884,802 for 1201 x 1201, "
            f"25,934,402 for 3601 x 3601. The file may be cut off, or no height map; fetch it again."
        )
    return np.frombuffer(data, ">i2").reshape(side, side)


def _coordinates(known: Array, south: float, west: float | None) -> Array | None:
    """Return longitude and latitude of the cells, if the longitude is known."""
    if west is None:
        return None
    row, column = np.nonzero(known)
    points = np.empty((len(row), 2))
    points[:, 0] = west + column / (len(known) - 1)
    points[:, 1] = south + 1 - row / (len(known) - 1)
    return points


def _narrowed(graph: Graph) -> Graph:
    """Return the graph with 32-bit weights where all fit."""
    return graph if graph.max_weight > _INT32_MAX else graph.with_weights(graph.weights)


FORMAT = Format(
    name="hgt",
    summary="SRTM height maps: walking times in milliseconds between the 8 neighbours of each cell (x, y)",
    endings=(".hgt",),
    matches=lambda head: False,  # bare numbers: only the name shows it
    read=read,
)

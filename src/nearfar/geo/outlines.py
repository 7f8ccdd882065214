"""Areas around pieces of arcs: the distance to them on a raster, and its contour at the buffer.

The raster lies in a plane that touches the earth in the middle. Marks along the pieces, closer than a cell, are in
a KD-tree; the contour at a distance is smooth, since the distance is known between the cells' corners, too.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from ..devices import cpu
from ..errors import MissingDependencyError, OptionError
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.sphere import RADIUS
from .pieces import Pieces
from .space import Space

FINE = 60  # buffers in the extent, by default: at 100, the blocks of a city stay empty
CELLS = 3  # in a buffer, by default
MOST = 1 << 22  # corners of the raster: 32 MB per limit

Ring = list[list[float]]


def outline(
    pieces: Pieces, graph: Graph, space: Space, count: int, buffer: float | None, cell: float | None, apart: bool
) -> list[list[list[Ring]]]:
    """Return the polygons around the pieces of the first bands, for each of ``count`` bands."""
    if not len(pieces.tails):
        return [[] for _ in range(count)]
    lines, back = _to_plane(pieces, graph, space)
    low, high = lines.reshape(-1, 2).min(axis=0), lines.reshape(-1, 2).max(axis=0)
    extent = float(np.max(high - low))
    buffer = _size(buffer, "buffer", extent / FINE or 1.0)
    cell = _size(cell, "cell", buffer / CELLS)
    xs, ys = (np.arange(a - 2 * buffer - cell, b + 2 * buffer + 2 * cell, cell) for a, b in zip(low, high, strict=True))
    if len(xs) * len(ys) > MOST:
        raise OptionError(
            f"the raster would have {len(xs):,} x {len(ys):,} cells, but {MOST:,} is the limit. Give a greater "
            f"buffer= or cell=."
        )
    shapes, inner = [], None
    for band in range(count):
        gaps = _gaps(lines[pieces.bands <= band], xs, ys, cell, buffer)
        field = gaps if inner is None or not apart else np.maximum(gaps, 2 * buffer - inner)
        shapes.append(_contours(xs, ys, field, buffer, back))
        inner = gaps
    return shapes


def _size(value: Any, name: str, usual: float) -> float:
    """Return a size as a positive number."""
    try:
        size = usual if value is None else float(value)
    except (TypeError, ValueError):
        size = math.nan
    if not 0 < size < math.inf:
        raise OptionError(f"{name} is {value!r:.60}; give a number above 0, in metres or the unit of the coordinates.")
    return size


def _to_plane(pieces: Pieces, graph: Graph, space: Space) -> tuple[Array, Any]:
    """Return pieces as lines in a plane, shape (k, 2, 2), and the function that leads back to coordinates."""
    points: Any = graph.coordinates
    ends = [space.between(points[pieces.tails], points[pieces.heads], shares) for shares in (pieces.first, pieces.last)]
    lines = np.stack(ends, axis=1)
    if not space.degrees:
        return lines, lambda ring: ring
    lines = space.unwrapped(lines, np.broadcast_to(lines[0, 0], lines.shape))
    middle = (lines.reshape(-1, 2).min(axis=0) + lines.reshape(-1, 2).max(axis=0)) / 2
    scale = np.radians(RADIUS) * np.array([max(math.cos(math.radians(middle[1])), 1e-6), 1.0])
    return (lines - middle) * scale, lambda ring: ring / scale + middle


def _gaps(lines: Array, xs: Array, ys: Array, cell: float, buffer: float) -> Array:
    """Return the distance of each corner of the raster to the lines, up to two buffers."""
    if not len(lines):
        return np.full((len(ys), len(xs)), 2 * buffer)
    from scipy.spatial import cKDTree

    lengths = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    counts = np.ceil(lengths / (cell / 2)).astype(np.int64) + 1
    owner = np.repeat(np.arange(len(lines)), counts)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (number / np.maximum(counts - 1, 1)[owner])[:, None]
    marks = lines[owner, 0] + share * (lines[owner, 1] - lines[owner, 0])
    corners = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    gaps, _ = cKDTree(marks).query(corners, distance_upper_bound=2 * buffer, workers=cpu.facts().cores)
    return np.minimum(gaps, 2 * buffer).reshape(len(ys), len(xs))


def _contours(xs: Array, ys: Array, field: Array, buffer: float, back: Any) -> list[list[Ring]]:
    """Return the polygons where a field is at most the buffer: each an outer ring, then its holes, as GeoJSON winds."""
    try:
        import contourpy
    except ImportError as error:
        raise MissingDependencyError("areas need contourpy: pip install contourpy, or nearfar[geo].") from error
    maker = contourpy.contour_generator(xs, ys, field, fill_type=contourpy.FillType.OuterOffset)
    polygons = []
    for points, starts in zip(*maker.filled(-1.0, buffer), strict=True):
        rings = [back(points[a:b]) for a, b in pairwise(starts.tolist())]
        polygons.append([_wound(ring, outer=i == 0) for i, ring in enumerate(rings)])
    return polygons


def _wound(ring: Array, outer: bool) -> Ring:
    """Return a ring counterclockwise if it is an outer one, else clockwise, as RFC 7946 wants it."""
    x, y = (ring - ring[0]).T
    area = float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum())
    return (ring if (area > 0) == outer else ring[::-1]).tolist()

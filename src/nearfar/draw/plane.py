"""Where vertices lie on the paper: coordinates in a plane of equal scale, y upwards, so that north is up.

Longitude and latitude become metres: a degree of longitude is cos(latitude) as long as one of latitude, taken at the
middle of the map. Numbers are centred as float64 before they become float32, so that a street far from the origin of
its coordinates keeps its shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import GraphError, option
from ..graph import Graph
from ..graph.units import DEGREES

DEGREE = 111_195.0  # metres per degree of latitude, on a sphere of radius 6,371 km
METRES = {"m": 1.0, "km": 1000.0, "dm": 0.1, "cm": 0.01, "ft": 0.3048, "mi": 1609.344}  # per unit of the coordinates
PLANE = "plane"  # any unit
SMALL = 2.0  # coordinates that stay below are taken for a unit square, not for the sea south of Ghana


@dataclass(frozen=True)
class Plane:
    """Points of equal scale: shape (n, 2), x to the right, y upwards; what one unit is in metres, if that is known."""

    points: np.ndarray
    metres: float | None = None
    note: str = ""
    around: float | None = None  # 360 degrees in these units, if an edge may be shorter the other way round

    def box(self) -> tuple[float, float, float, float]:
        """Return the least x and y, and the width and height of all points."""
        if not len(self.points):
            return 0.0, 0.0, 1.0, 1.0
        low, high = _ends(self.points)
        size = high - low
        least = float(size.max()) * 0.05 or 1.0  # a line or a single point still has an area
        wide = np.maximum(size, least)
        low = low - (wide - size) / 2
        return float(low[0]), float(low[1]), float(wide[0]), float(wide[1])


def is_degrees(points: np.ndarray) -> bool:
    """Guess whether coordinates are longitude and latitude: no point lies off the globe, and one beyond (2, 2).

    Examples
    --------
    >>> import numpy as np
    >>> is_degrees(np.array([[1.4, 42.5], [1.6, 42.6]])), is_degrees(np.array([[0.1, 0.9], [0.5, 0.2]]))
    (True, False)
    """
    if not len(points):
        return False
    low, high = _ends(points)
    far = np.maximum(-low, high)
    return bool(far[0] <= 180 and far[1] <= 90 and far.max() > SMALL)


def unit_of(graph: Graph, scale: str) -> str:
    """Return what coordinates are measured in: as asked, as the graph says, or as they look; "plane" if unknown."""
    if scale != "auto":
        return {"metres": "m"}.get(scale, scale)
    if graph.units.coordinates is not None or graph.coordinates is None:
        return graph.units.coordinates or PLANE
    return DEGREES if is_degrees(graph.coordinates) else PLANE


def plane_of(graph: Graph, scale: str) -> Plane:
    """Return where the graph's coordinates lie."""
    points = np.asarray(graph.coordinates, np.float64)
    unit = unit_of(graph, scale)
    if unit != DEGREES:
        return Plane(points, METRES.get(unit), "equal scale")
    low, high = _ends(points) if len(points) else (np.zeros(2), np.zeros(2))
    far = np.maximum(-low, high)
    if far[0] > 360 or far[1] > 90:
        raise GraphError(
            f"{option('scale', 'degrees')} does not fit: the coordinates reach {far.max():g}, but "
            f"longitudes end at 180 and latitudes at 90. Use {option('scale', 'plane')}."
        )
    centre = (low + high) / 2
    narrow = max(float(np.cos(np.radians(centre[1]))), 0.05)
    around = 360 * DEGREE * narrow if high[0] - low[0] > 180 else None
    return Plane((points - centre) * (DEGREE * narrow, DEGREE), 1.0, "north up, equal scale", around)


def _ends(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest x and y; column by column, which NumPy does ten times as fast."""
    columns = points[:, 0], points[:, 1]
    return np.array([column.min() for column in columns]), np.array([column.max() for column in columns])

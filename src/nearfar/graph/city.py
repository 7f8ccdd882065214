"""A small city that never was: streets and avenues with names, a river with few bridges, one-ways, travel times.

Streets run from west to east, avenues from north to south, all a little crooked and turned. Each crossing is a vertex,
called after its street and its avenue. Traffic is faster on main roads, stops at crossings, and one-ways alternate in
direction. The river runs between two streets; every fifth avenue crosses it. Where a one-way would be a trap, it is
opened in both directions, so that every crossing can be reached from every other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputTypeError, OptionError
from .arrays import Array, shorten
from .asked import random_of, whole
from .graph import Graph
from .sphere import RADIUS, distance
from .units import DEGREES

BLOCK = 110.0  # metres between two streets
TURNED = math.radians(14)  # of the city, against the points of the compass
MAIN = 5  # each fifth street and avenue is a main road
SPEEDS = (30 / 3.6, 50 / 3.6)  # metres per second on minor and on main roads
STOP = 5.0  # seconds at a crossing
WORDS = (
    "Main", "Oak", "Church", "Mill", "Station", "Park", "School", "Market", "Bridge", "River", "Castle", "Garden",
    "Harbour", "King", "Queen", "Maple", "Elm", "Hill", "Lake", "Forest", "Spring", "Union", "Victoria", "Walnut",
    "Chapel", "Cedar", "Tower", "Meadow", "Orchard", "Quarry", "College", "Abbey",
)  # fmt: skip


class _Pieces(NamedTuple):
    """Pieces of road between neighbouring crossings: their ends, and whether they are main roads and one-ways."""

    tails: Array
    heads: Array
    main: Array
    one_way: Array


def city(rows: int = 40, cols: int = 60, seed: int = 0, *, centre: tuple[float, float] = (-20.0, 45.0)) -> Graph:
    """Return a city for examples: named crossings with longitude and latitude, and travel times in seconds.

    Parameters
    ----------
    rows, cols : int
        The number of streets, which run from west to east, and of avenues. Neighbouring crossings are about 110 m
        apart, so the city measures about 4 km by 7 km by default.
    seed : int
    centre : pair of numbers
        Longitude and latitude, in degrees. By default the city lies in the Atlantic, where no other is.

    Returns
    -------
    Graph
        Directed, and each crossing can be reached from each other. Weights are whole seconds (int32); ``units`` and
        coordinates are set. A vertex is called like "Main Street / 3rd Avenue".

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.city()
    >>> graph
    Graph(n=2400, m=7545, int32 weights 10..23 s, names 'Main Street / 1st Av.....'Market Street North ...)
    >>> nearfar.path(graph, "Main Street / 3rd Avenue", "Church Street / 4th Avenue")
    ['Main Street / 3rd Avenue', 'Oak Street / 3rd Avenue', 'Church Street / 3rd Avenue', 'Church Street / 4th Avenue']
    """
    rows, cols = whole(rows, "rows", 1, 1 << 14), whole(cols, "cols", 1, 1 << 14)
    rng, middle = random_of(seed), _take_centre(centre)
    points = _crossings(rows, cols, rng, middle)
    pieces = _free_traps(_roads(rows, cols), rows * cols)
    metres = distance(points[pieces.tails], points[pieces.heads])
    seconds = np.rint(metres / np.where(pieces.main, *SPEEDS[::-1]) + STOP).astype(np.int64)
    both = ~pieces.one_way
    return Graph.from_arcs(
        np.concatenate((pieces.tails, pieces.heads[both])),
        np.concatenate((pieces.heads, pieces.tails[both])),
        np.concatenate((seconds, seconds[both])),
        rows * cols,
        names=_names(rows, cols),
        coordinates=points,
    ).with_units("s", DEGREES)


def _take_centre(centre: Any) -> tuple[float, float]:
    """Return the longitude and the latitude of the centre, away from the poles."""
    try:
        lon, lat = (float(value) for value in centre)
    except (TypeError, ValueError):
        raise InputTypeError(f"centre is {shorten(centre)}; give a pair of numbers, (longitude, latitude).") from None
    if not (-180 <= lon <= 180 and -80 <= lat <= 80):
        raise OptionError(f"centre is ({lon:g}, {lat:g}); give a longitude of -180 to 180 and a latitude of -80 to 80.")
    return lon, lat


def _crossings(rows: int, cols: int, rng: np.random.Generator, middle: tuple[float, float]) -> Array:
    """Return longitude and latitude of all crossings, row after row from the south, rounded as on OpenStreetMap."""
    gaps = [np.cumsum(rng.uniform(0.75, 1.25, count)) for count in (cols, rows)]
    x, y = np.meshgrid(*(BLOCK * (gap - gap.mean()) for gap in gaps))
    x, y = x + rng.uniform(-9, 9, x.shape), y + rng.uniform(-9, 9, x.shape)
    bend = 3.0 * BLOCK  # the whole city bends a little, like the river
    y = y + bend * np.sin(x / (25 * BLOCK))
    east = x * math.cos(TURNED) - y * math.sin(TURNED)
    north = x * math.sin(TURNED) + y * math.cos(TURNED)
    lat = middle[1] + np.degrees(north / RADIUS)
    lon = middle[0] + np.degrees(east / (RADIUS * math.cos(math.radians(middle[1]))))
    lon = (lon + 180) % 360 - 180
    return np.round(np.column_stack((lon.ravel(), lat.ravel())), 7)


def _roads(rows: int, cols: int) -> _Pieces:
    """Return the pieces of all streets, then those of all avenues, each in the direction of its one-way."""
    ids = np.arange(rows * cols).reshape(rows, cols)
    street, avenue = np.arange(rows)[:, None], np.arange(cols)[None, :]
    north = np.arange(rows - 1)[:, None]
    dry = (north != rows // 2 - 1) | (avenue % MAIN == 0)  # the avenue has a bridge, or there is no river
    parts = [
        _line(ids[:, :-1], ids[:, 1:], np.broadcast_to(street, (rows, max(cols - 1, 0))), rows),
        _line(ids[:-1], ids[1:], np.broadcast_to(avenue, (max(rows - 1, 0), cols)), cols),
    ]
    keep = np.concatenate((np.ones(rows * (cols - 1), bool), dry.ravel()))
    tails, heads, main, one_way = (np.concatenate(columns)[keep] for columns in zip(*parts, strict=True))
    return _Pieces(tails, heads, main, one_way)


def _line(first: Array, last: Array, number: Array, count: int) -> _Pieces:
    """Return the pieces of parallel lines: main roads and those on the edge have both directions, others alternate."""
    number = number.ravel()
    main = number % MAIN == 0
    one_way = ~main & (number % 2 == 1) & (number < count - 1)
    turned = one_way & (number % 4 == 3)
    one, other = first.ravel(), last.ravel()
    return _Pieces(np.where(turned, other, one), np.where(turned, one, other), main, one_way)


def _free_traps(pieces: _Pieces, n: int) -> _Pieces:
    """Open one-ways in both directions where no way leads back."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    both = ~pieces.one_way
    tails = np.concatenate((pieces.tails, pieces.heads[both]))
    heads = np.concatenate((pieces.heads, pieces.tails[both]))
    arcs = coo_array((np.ones(len(tails)), (tails, heads)), shape=(n, n)).tocsr()
    _, labels = connected_components(arcs, directed=True, connection="strong")
    return pieces._replace(one_way=pieces.one_way & (labels[pieces.tails] == labels[pieces.heads]))


def _names(rows: int, cols: int) -> list[str]:
    """Return what the crossings are called."""
    streets, avenues = [_street(r) for r in range(rows)], [f"{_ordinal(c + 1)} Avenue" for c in range(cols)]
    return [f"{street} / {avenue}" for street in streets for avenue in avenues]


def _street(r: int) -> str:
    """Return the name of a street, counted from the south; when the words end, they begin again, further north."""
    again, word = divmod(r, len(WORDS))
    return f"{WORDS[word]} Street" + ("" if not again else " North" if again == 1 else f" North {again}")


def _ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, ..."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"

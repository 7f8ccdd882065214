"""`isochrone`: what is reached within some travel times: pieces of arcs in bands, cut exactly, and areas around."""

from __future__ import annotations

import os
from typing import Any, Unpack

import numpy as np

from ..description import Description
from ..engine.options import RunOptions, known_options
from ..engine.query import as_starts, check, from_nearest, take_graph
from ..engine.solve import solve
from ..engine.turns import AnyGraph, search_up_to
from ..errors import MethodError, OptionError, option
from ..graph import TurnGraph
from ..graph.above import Drawn
from ..graph.tables import Columns, Framed, Named
from ..metrics.near import take_cutoffs
from ..results import Distances
from .outlines import outline
from .pieces import Pieces, cut_pieces
from .shapes import Features
from .snapped import Snapped
from .space import Space, space_of


class Isochrones(Framed, Drawn):
    """What is reached within some limits. Made by `nearfar.geo.isochrone`.

    Attributes
    ----------
    distances : Distances
        The search, up to the greatest limit.
    limits : list of numbers
        Ascending. Band i is what is farther than limit i - 1, and no farther than limit i.
    pieces : Pieces
        The covered pieces of arcs: ``tails`` and ``heads`` by index, where a piece begins and ends as shares of the arc
        (``first``, ``last``), the travel times there (``near``, ``far``), and its band (``bands``). Every position of a
        two-way street is in one piece, that of its least travel time.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> reached = nearfar.geo.isochrone(city, "Victoria Street / 30th Avenue", limits=[60, 120])
    >>> reached
    Isochrones(within 60, 120 s: 256 pieces of arcs)
    >>> print(reached.to_frame().drop(columns=["tail", "head"]).tail(1).round(2))
         limit  first  last   near    far
    255    120    0.0  0.36  115.0  120.0
    """

    def __init__(self, distances: Distances, limits: list[float], pieces: Pieces, space: Space) -> None:
        self.distances, self.limits, self.pieces, self.space = distances, limits, pieces, space
        self.graph = distances.graph

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with one line per piece: the limit of its band, the arc, where on it, travel times.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of pieces."""
        return len(self.pieces.tails)

    def _lines(self, low: int, high: int) -> Columns:
        """Return some pieces."""
        some = Pieces(*(column[low:high] for column in self.pieces))
        return {
            "limit": np.array(self.limits)[some.bands],
            "tail": Named(self.graph.names, some.tails),
            "head": Named(self.graph.names, some.heads),
            "first": some.first,
            "last": some.last,
            "near": some.near,
            "far": some.far,
        }

    def lines(self) -> Features:
        """Return the covered pieces of arcs as lines, one feature per band."""
        points, pieces = self.graph.coordinates, self.pieces
        assert points is not None
        begin, end = (
            self.space.between(points[pieces.tails], points[pieces.heads], shares)
            for shares in (pieces.first, pieces.last)
        )
        lines = np.stack((begin, self.space.unwrapped(end, begin)), axis=1)
        shapes = [lines[pieces.bands == band].tolist() for band in range(len(self.limits))]
        return Features("MultiLineString", shapes, self._facts(), self.space, self.graph.units.weights)

    def polygons(self, buffer: float | None = None, cell: float | None = None, *, apart: bool = False) -> Features:
        """Return the areas around what is covered, one feature per limit.

        Parameters
        ----------
        buffer : number, optional
            How far an area reaches beyond the arcs: metres, or the unit of the coordinates in a plane. By default a
            sixtieth of the extent.
        cell : number, optional
            The size of the cells of the raster whose contours are the outlines; by default a third of the buffer.
        apart : bool
            Whether the area of a limit leaves out that of the limit before; by default it holds it.

        Notes
        -----
        A position belongs to the area if an arc that is covered passes within the buffer of it. This needs contourpy,
        which matplotlib brings along. Areas are measured in a plane that touches the earth in their middle: good for a
        region, not for a continent.
        """
        shapes = outline(self.pieces, self.graph, self.space, len(self.limits), buffer, cell, apart)
        return Features("MultiPolygon", shapes, self._facts(), self.space, self.graph.units.weights)

    def _facts(self) -> dict[str, Any]:
        """Return the properties of the features: both ends of each band."""
        return {"limit": list(self.limits), "beyond": [None, *self.limits[:-1]]}

    def to_geojson(self, path: str | os.PathLike[str] | None = None, **options: Any) -> dict[str, Any]:
        """Return the areas as GeoJSON, a dict, or write them to a file, too; options are those of `polygons`."""
        return self.polygons(**options).to_geojson(path)

    def to_geopandas(self, **options: Any) -> Any:
        """Return the areas as a GeoDataFrame; options are those of `polygons`."""
        return self.polygons(**options).to_geopandas()

    def to_wkt(self, **options: Any) -> list[str]:
        """Return the areas as well-known text, one per limit; options are those of `polygons`."""
        return self.polygons(**options).to_wkt()

    def describe(self) -> Description:
        """Return how many vertices and pieces of arcs lie within each limit: a dict that prints as a table."""
        reached = self.distances.as_float()
        within = {str(limit): int((reached <= limit).sum()) for limit in self.limits}
        counts = np.bincount(self.pieces.bands, minlength=len(self.limits)).tolist()
        return Description(
            direction=self.distances.direction,
            vertices_within=Description(within),
            pieces_in_band=Description(zip(map(str, self.limits), counts, strict=True)),
        )

    def __repr__(self) -> str:
        limits = self.graph.units.behind(", ".join(f"{limit:g}" for limit in self.limits))
        return f"Isochrones(within {limits}: {len(self.pieces.tails):,} pieces of arcs)"


def isochrone(
    graph: AnyGraph,
    source: Any,
    limits: Any,
    *,
    direction: str = "from",
    units: str | None = None,
    **options: Unpack[RunOptions],
) -> Isochrones:
    """Return what is reached within some travel times: arcs, cut where a limit is reached, in bands; and areas.

    Parameters
    ----------
    graph : Graph, Prepared or TurnGraph
        With coordinates, and weights that are not negative.
    source : vertex, vertices, dict or points
        Where travel begins: the nearest of several counts. A dict gives starting distances, as for `nearfar.sssp`.
    limits : number or list of numbers
        In the unit of the weights; a position at exactly a limit belongs to its band.
    direction : {"from", "to"}
        Travel from the source, or to it.
    units : str, optional
        As for `snap`.
    **options
        As for `nearfar.sssp`, without ``cutoff`` and ``out``.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> home = nearfar.geo.snap(city, -20.002, 44.999, on="arcs")
    >>> nearfar.geo.isochrone(city, home, [60, 120, 180]).polygons().to_geojson()["features"][0]["properties"]
    {'limit': 60, 'beyond': None}
    """
    plain = graph.graph if isinstance(graph, TurnGraph) else take_graph(graph)
    space, listed = space_of(plain, units), sorted(take_cutoffs(limits))
    if not np.isfinite(listed).all():
        raise OptionError(f"a limit is {listed[-1]}; give finite travel times.")
    if plain.min_weight < 0:
        raise MethodError(f"travel times along arcs need weights >= 0; the least is {plain.min_weight}.")
    if "cutoff" in options:
        raise OptionError(f"the greatest limit is the cutoff here. Leave {option('cutoff')} out.")
    places = source if isinstance(source, Snapped) else None
    given = known_options({**options, "cutoff": listed[-1]})
    found: Distances
    if isinstance(graph, TurnGraph):
        found, times = search_up_to(graph, source, direction, given)
    else:
        seeds = from_nearest(plain, as_starts(plain, source, direction, several=True))
        found = solve(check(graph, **seeds, single=True, direction=direction, **given))
        times = found.as_float()[found.searched.tails]
    pieces = cut_pieces(found.searched, times, listed, places)
    return Isochrones(found, listed, as_travelled(pieces) if direction == "to" else pieces, space)


def as_travelled(pieces: Pieces) -> Pieces:
    """Return pieces of reversed arcs as pieces of the arcs themselves; the far end of a piece then comes first."""
    return pieces._replace(tails=pieces.heads, heads=pieces.tails, first=1 - pieces.last, last=1 - pieces.first)

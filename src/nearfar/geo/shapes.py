"""`Features`: shapes with properties, as GeoJSON (RFC 7946), well-known text, or a GeoDataFrame of GeoPandas."""

from __future__ import annotations

import json
import math
import os
from typing import Any

import numpy as np

from ..errors import OptionError
from ..formats.io.whole import whole_file
from ..graph.tables import load
from .space import Space

DIGITS = 7  # of degrees: a centimetre, as OpenStreetMap has them
DEPTHS = {"Point": 0, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}


class Features:
    """Shapes of one kind with properties, ready to be written. Made by `nearfar.geo.features` and by isochrones.

    Attributes
    ----------
    kind : str
        "Point", "LineString", "MultiLineString" or "MultiPolygon".
    shapes : list
        The coordinates of each shape, nested as in GeoJSON.
    properties : dict
        Names of properties, and a list with a value for each shape.
    unit : str or None
        That of distances and limits.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city(3, 3)
    >>> found = nearfar.geo.features(city, ["Main Street / 1st Avenue", "Main Street / 2nd Avenue"])
    >>> found.to_wkt()
    ['LINESTRING (-20.000677 44.9985289, -19.9995234 44.9989577)']
    >>> found.to_geojson()["features"][0]["properties"]
    {'source': 'Main Street / 1st Avenue', 'target': 'Main Street / 2nd Avenue', 'distance': 12, 'arcs': 1}
    """

    def __init__(
        self, kind: str, shapes: list[Any], properties: dict[str, list[Any]], space: Space, unit: str | None = None
    ) -> None:
        self.kind, self.shapes, self.properties, self.space, self.unit = kind, shapes, properties, space, unit

    def __len__(self) -> int:
        return len(self.shapes)

    def to_geojson(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Return a FeatureCollection as a dict; with ``path``, it is also written there, as a whole or not at all.

        Positions are longitude, latitude, rounded to 7 digits. Lines and areas that cross the date line have longitudes
        beyond 180. The collection has the member ``unit`` if that of distances is known.
        """
        if not self.space.degrees:
            raise OptionError(
                f"GeoJSON holds longitude and latitude, but these coordinates lie in a plane ({self.space.unit}). Use "
                f"to_wkt() or to_geopandas(crs=...), or make a graph with longitude and latitude."
            )
        names, columns = list(self.properties), list(self.properties.values())
        features = [
            {
                "type": "Feature",
                "geometry": {"type": self.kind, "coordinates": _rounded(shape, DEPTHS[self.kind])},
                "properties": dict(zip(names, map(_plain, values), strict=True)),
            }
            for shape, *values in zip(self.shapes, *columns, strict=True)
        ]
        document = {"type": "FeatureCollection", **({"unit": self.unit} if self.unit else {}), "features": features}
        if path is not None:
            with whole_file(os.fspath(path)) as file:
                file.write(json.dumps(document, allow_nan=False, ensure_ascii=False).encode())
        return document

    def to_wkt(self) -> list[str]:
        """Return every shape as well-known text."""
        return [f"{self.kind.upper()} {_text(shape, DEPTHS[self.kind])}" for shape in self.shapes]

    def to_geopandas(self, crs: Any = None) -> Any:
        """Return a GeoDataFrame, in WGS 84 if coordinates are degrees, else in ``crs``."""
        geopandas, shapely = load("geopandas", "to_geopandas()"), load("shapely", "to_geopandas()")
        geometry = shapely.from_wkt(self.to_wkt()) if self.shapes else []
        where = "EPSG:4326" if crs is None and self.space.degrees else crs
        return geopandas.GeoDataFrame(dict(self.properties), geometry=list(geometry), crs=where)

    def __repr__(self) -> str:
        return f"Features({len(self):,} x {self.kind}, {', '.join(self.properties)})"


def _rounded(shape: Any, depth: int) -> Any:
    """Return the coordinates of a shape with as many digits as a map needs."""
    if depth == 0:
        return [round(float(shape[0]), DIGITS), round(float(shape[1]), DIGITS)]
    return [_rounded(part, depth - 1) for part in shape]


def _plain(value: Any) -> Any:
    """Return a property as JSON has it: None where a number is not finite, lists for tuples, else text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    return [_plain(part) for part in value] if isinstance(value, tuple) else str(value)


def _text(shape: Any, depth: int) -> str:
    """Return the coordinates of a shape as well-known text."""
    if depth == 0:
        return f"({shape[0]:.10g} {shape[1]:.10g})"
    if not len(shape):
        return "EMPTY"
    if depth == 1:
        return f"({', '.join(f'{x:.10g} {y:.10g}' for x, y in shape)})"
    return f"({', '.join(_text(part, depth - 1) for part in shape)})"

"""What graphs and results offer although it belongs to higher rooms, by the table in the package's front page."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def above(name: str) -> Any:
    """Return the function that a method such as "Graph.open" stands for."""
    home, function = import_module("nearfar")._ABOVE[name]
    return getattr(import_module(f"nearfar.{home}"), function)


class Drawn:
    """What has a picture, and a map."""

    def plot(self, kind: str | None = None, **options: Any) -> Any:
        """Return a picture: a `nearfar.draw.Picture`, which a notebook shows and ``save`` writes to a file.

        Parameters
        ----------
        kind : str, optional
            One of ``nearfar.draw.PICTURES`` that suits this; by default the first one.
        **options
            Those of the function ``nearfar.draw.<kind>``, and those of all pictures: see `nearfar.draw`.

        Examples
        --------
        >>> import nearfar
        >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
        >>> nearfar.sssp(graph, 210).plot(to=399, units="m", dark=True)
        Picture(... x ... pixels)
        """
        return above("plot")(self, kind, **options)

    def to_geojson(self, path: Any = None, *, units: str | None = None) -> dict[str, Any]:
        """Return this as GeoJSON, a dict; with ``path``, the name of a file, it is also written there.

        Vertices are points, arcs are lines: see `nearfar.geo.features`, which also makes well-known text and frames of
        GeoPandas. ``units`` is "degrees" if the graph does not say that its coordinates are.

        Examples
        --------
        >>> import nearfar
        >>> city = nearfar.generate.city(3, 3)
        >>> nearfar.sssp(city, "Main Street / 1st Avenue").to_geojson()["features"][0]["geometry"]
        {'type': 'Point', 'coordinates': [-20.00..., 44.99...]}
        """
        found: dict[str, Any] = above("to_geojson")(self, path, units=units)
        return found

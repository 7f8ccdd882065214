"""Places: the vertices or arcs next to coordinates, what lies within some minutes, answers as maps.

>>> import nearfar
>>> city = nearfar.generate.city()
>>> nearfar.geo.snap(city, -20.002, 44.999).vertex
'Forest Street / 29th Avenue'
"""

from __future__ import annotations

from .between import distances
from .features import features, to_geojson
from .isochrone import Isochrones, isochrone
from .shapes import Features
from .snap import snap
from .snapped import Snapped

__all__ = ["Features", "Isochrones", "Snapped", "distances", "features", "isochrone", "snap", "to_geojson"]

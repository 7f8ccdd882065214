"""Places: the vertices or arcs next to coordinates, what lies within some minutes, answers as maps.

>>> import nearfar
>>> city = nearfar.generate.city()
>>> nearfar.geo.snap(city, -20.002, 44.999).vertex
'Forest Street / 29th Avenue'
"""

from __future__ import annotations

from .snap import snap
from .snapped import Snapped

__all__ = ["Snapped", "snap"]

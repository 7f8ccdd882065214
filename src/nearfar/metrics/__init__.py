"""What follows from distances: closeness, accessibility, reach, eccentricity, diameter; no matrix is ever kept.

>>> import nearfar
>>> g = nearfar.generate.road_grid(30, 30, seed=1)
>>> nearfar.metrics.closeness(g).top(1)
[(462, 5.059...e-05)]
"""

from __future__ import annotations

from .access import accessibility
from .bounds import Extent, center, diameter, extent, periphery, radius
from .centrality import closeness, eccentricity, harmonic, mean_distance, wiener_index
from .demand import Flows, flows, select_link
from .loads import ArcMeasure, betweenness, edge_betweenness
from .measure import Measure
from .near import Histogram, histogram, reach
from .planning import plan
from .reduction import reduce
from .sparse import Within, within

__all__ = [
    "ArcMeasure",
    "Extent",
    "Flows",
    "Histogram",
    "Measure",
    "Within",
    "accessibility",
    "betweenness",
    "center",
    "closeness",
    "diameter",
    "eccentricity",
    "edge_betweenness",
    "extent",
    "flows",
    "harmonic",
    "histogram",
    "mean_distance",
    "periphery",
    "plan",
    "radius",
    "reach",
    "reduce",
    "select_link",
    "wiener_index",
    "within",
]

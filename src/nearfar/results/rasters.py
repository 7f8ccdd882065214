"""Distances in the shape of the raster that the graph was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .limits import unreached

if TYPE_CHECKING:
    from ..graph import Graph


def distances_to_raster(graph: Graph, dist: np.ndarray) -> np.ndarray:
    """Return distances, one row or several, as floats in rows and columns; inf for unreached cells and walls."""
    floats = dist if dist.dtype.kind == "f" else np.where(dist == unreached(dist.dtype), np.inf, dist)
    return graph.to_raster(floats, fill=np.inf)

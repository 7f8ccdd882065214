"""Which vertices a place may be: those of the largest strongly connected part, or all.

Maps are full of corners that nothing leads out of: a car park behind a gate, a road cut by the edge of the map. Who is
put there by accident has no path to anywhere. So points are looked for in the largest part in which every vertex
reaches every other, unless told otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GraphError, OptionError
from ..graph import Graph
from ..graph.arrays import Array

WITHIN = ("largest", "all")


def vertices_within(graph: Graph, within: Any) -> Array:
    """Return the vertices where a point may be, by index."""
    if within not in WITHIN:
        raise OptionError(f"within={within!r:.60} does not exist. Use 'largest' or 'all'.")
    if not graph.n:
        raise GraphError("the graph has no vertices, so no point is near one. Build it with vertices.")
    if within == "all":
        return np.arange(graph.n, dtype=np.int32)
    if "largest" not in graph.memo:
        graph.memo["largest"] = _largest(graph)
    found: Array = graph.memo["largest"]
    return found


def _largest(graph: Graph) -> Array:
    """Return the vertices of the largest strongly connected part; the first of several of the same size."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    pattern = csr_array(
        (np.ones(graph.m, np.int8), np.ascontiguousarray(graph.heads), graph.offsets), shape=(graph.n, graph.n)
    )
    kind = "weak" if graph.undirected else "strong"
    _, labels = connected_components(pattern, directed=True, connection=kind)
    return np.flatnonzero(labels == np.bincount(labels).argmax()).astype(np.int32)

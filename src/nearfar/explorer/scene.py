"""What the page draws: where vertices lie, and every edge once.

Points are centred as float64 before they become float32, so that a street far from the origin of its coordinates keeps
its shape. A raster lies as it is read: columns to the right, rows downwards. A small graph without coordinates is laid
out; a large one has no map, and the page shows its table only.
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..draw.edges import Edges, edges_of
from ..draw.layout import LAYERED, MOST, layered, spectral
from ..draw.plane import Plane, plane_of
from ..geo.within import vertices_within
from ..graph import Graph
from ..graph.cells import CellNames

DRAWN = 5_000_000  # edges; more would take a browser gigabytes


class Placed(NamedTuple):
    """Where vertices lie: centred positions as float64, what one unit is in metres, and how they came there."""

    points: np.ndarray
    metres: float | None
    note: str


class Scene:
    """The map of a graph; parts of it are made on first use.

    Parameters
    ----------
    graph : Graph
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._lock = threading.Lock()  # a tree, and a layout, are made once even if ten tabs ask at once

    @cached_property
    def placed(self) -> Placed | None:
        """Where the vertices lie, or None if there is no map."""
        graph = self.graph
        if not graph.n or graph.m > 2 * DRAWN:
            return None
        if isinstance(graph.names, CellNames):
            at = graph.names.free if graph.names.free is not None else np.arange(graph.n)
            row, column = np.divmod(at, max(graph.names.columns, 1))
            return _centred(Plane(np.stack((column, -row), axis=1).astype(np.float64), None, "the raster"))
        if graph.coordinates is not None:
            return _centred(plane_of(graph, "auto"))
        if graph.n <= LAYERED:
            return _centred(Plane(layered(graph, np.zeros(0, np.int32)), None, "laid out by hops"))
        if graph.n <= MOST:
            return _centred(Plane(spectral(graph), None, "laid out by distances"))
        return None

    @property
    def why_not(self) -> str:
        """Why there is no map."""
        if not self.graph.n:
            return "The graph has no vertices."
        if self.graph.m > 2 * DRAWN:
            return f"{self.graph.m:,} arcs are too many to draw in a browser."
        return f"The graph has no coordinates, and {self.graph.n:,} vertices are too many to lay out."

    @cached_property
    def edges(self) -> Edges:
        """Every edge once."""
        return edges_of(self.graph)

    def pick(self, x: float, y: float) -> int:
        """Return the vertex nearest to a point of the page: one from which much can be reached, if there are such."""
        with self._lock:
            tree, vertices = self._tree
        _, at = tree.query((x, y))
        return int(vertices[at])

    @cached_property
    def _tree(self) -> tuple[Any, np.ndarray]:
        """A KD-tree, and the vertices in it: those of the largest part, if it holds half of all vertices."""
        from scipy.spatial import cKDTree

        assert self.placed is not None
        vertices = vertices_within(self.graph, "largest")
        if 2 * len(vertices) < self.graph.n:
            vertices = vertices_within(self.graph, "all")
        points = self.placed.points[vertices]
        return cKDTree(points, balanced_tree=False, compact_nodes=False), vertices


def _centred(plane: Plane) -> Placed:
    """Return positions around the middle of the map."""
    points = np.asarray(plane.points, np.float64)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    return Placed(points - middle, plane.metres, plane.note)

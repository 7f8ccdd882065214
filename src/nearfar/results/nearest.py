"""`Nearest`, the result of `nearfar.nearest`: the distance from the nearest of several sources, and which one it is.

It is one row of distances that starts from all sources at once. The source of a vertex is the root of its tree in that
row. The vertices of one source form a connected region, as in a Voronoi diagram.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.tables import called, frame_of
from ..kernels.cpu.constants import NO_VERTEX
from .limits import unreached
from .rasters import distances_to_raster

if TYPE_CHECKING:
    from ..description import Description
    from ..graph import Graph
    from .distances import Distances


class Nearest:
    """For every vertex the distance from the nearest of several sources, and that source. Made by `nearfar.nearest`.

    Attributes
    ----------
    distances : Distances
        The result with the one row, whose ``seeds`` are the sources.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> near = nearfar.nearest(g, [0, 3])
    >>> near.dist, near.source
    (array([0, 5, 1, 0], dtype=int32), array([0, 0, 3, 3], dtype=int32))
    >>> near.path(2)
    [3, 2]
    """

    def __init__(self, distances: Distances) -> None:
        self.distances = distances
        self._source: np.ndarray | None = None

    @property
    def graph(self) -> Graph:
        """The graph of the query."""
        return self.distances.graph

    @property
    def sources(self) -> np.ndarray:
        """The sources of the query, as vertex indices."""
        return self.distances.seeds_of(0)

    @property
    def dist(self) -> np.ndarray:
        """The n distances."""
        return self.distances.rows[0]

    @property
    def reached(self) -> np.ndarray:
        """Which vertices have a distance: n booleans."""
        return self.distances.reached

    @property
    def source(self) -> np.ndarray:
        """The nearest source of each vertex, as a vertex index (int32), -1 if no source reaches it.

        Between sources at the same distance the tree decides: fewest arcs, then the least predecessor.
        """
        if self._source is None:
            from .trees import origins

            self._source = origins(self.distances._whole_tree(0), self.sources)
            self._source[self.dist == unreached(self.dist.dtype)] = NO_VERTEX  # a limit below 0 excludes even sources
        return self._source

    @property
    def predecessors(self) -> np.ndarray:
        """The vertex before each vertex on the path from its nearest source; -1 for sources and unreached."""
        return self.distances._tree(0)

    def path(self, target: Hashable) -> list[Any]:
        """Return the vertices of a shortest path from the nearest source to ``target``, both ends included."""
        return self.distances.path(target)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with columns vertex, source and distance, one line per reached vertex."""
        v = np.flatnonzero(self.dist != unreached(self.dist.dtype))
        columns = {
            "vertex": called(self.graph, v),
            "source": called(self.graph, self.source[v]),
            "distance": self.dist[v],
        }
        return frame_of(columns)

    def to_raster(self) -> np.ndarray:
        """Return the distances in the shape of the raster, as `Distances.to_raster` does."""
        return distances_to_raster(self.graph, self.dist)

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table."""
        facts = self.distances.describe()
        facts["sources"] = len(self.sources)
        return facts

    def __repr__(self) -> str:
        return f"Nearest(sources={len(self.sources)}, n={self.graph.n}, {self.dist.dtype}{self.distances._by()})"

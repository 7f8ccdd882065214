"""`Nearest`, the result of `nearfar.nearest`: the distance from the nearest of several sources, and which one it is.

It is one row of distances that starts from all sources at once. The source of a vertex is the root of its tree in that
row. The vertices of one source form a connected region, as in a Voronoi diagram.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.above import Drawn
from ..graph.tables import Columns, Framed, Named
from ..kernels.cpu.constants import NO_VERTEX
from . import lookup, report
from .limits import unreached
from .rasters import distances_to_raster

if TYPE_CHECKING:
    from ..description import Description
    from ..graph import Graph
    from .distances import Distances


class Nearest(Framed, Drawn):
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

    __iter__ = None  # vertices are called by name, so this is no sequence
    __contains__ = None

    def __init__(self, distances: Distances, given: np.ndarray | None = None) -> None:
        self.distances = distances
        self._given = given  # the sources in the order in which the user named them
        self._source: np.ndarray | None = None

    @property
    def graph(self) -> Graph:
        """The graph of the query."""
        return self.distances.graph

    @property
    def source_indices(self) -> np.ndarray:
        """The sources of the query as vertex indices, in ascending order."""
        return self.distances.seeds_of(0)

    @property
    def sources(self) -> Any:
        """The sources of the query by name, each once, in the order given; a query takes them again.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0], [1], [5], names=["Ulm", "Bonn"])
        >>> nearfar.nearest(g, ["Bonn"]).sources
        ['Bonn']
        """
        return lookup.names_of(self.graph, self.source_indices if self._given is None else self._given)

    @property
    def dist(self) -> np.ndarray:
        """The n distances."""
        return self.distances.rows[0]

    @property
    def reached(self) -> np.ndarray:
        """Which vertices have a distance: n booleans."""
        return self.distances.reached

    def as_float(self) -> np.ndarray:
        """Return the n distances as float64, inf where unreached: numbers that add up.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [1]).as_float()
        array([inf,  0.,  7.])
        """
        return lookup.as_float(self.dist)

    def __getitem__(self, vertex: Hashable) -> tuple[Any, int | float]:
        """Return the nearest source of a vertex and its distance, by name; (None, inf) if no source reaches it.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], n=4, names=["Ulm", "Bonn", "Kiel", "Rügen"])
        >>> near = nearfar.nearest(g, ["Ulm", "Bonn"])
        >>> near["Kiel"], near["Rügen"]
        (('Bonn', 7), (None, inf))
        """
        v = self.graph.index(vertex)
        s = int(self.source[v])
        return None if s == NO_VERTEX else self.graph.name(s), lookup.number_of(self.dist[v])

    def farthest(self, k: int = 1) -> list[tuple[Any, int | float]]:
        """Return the ``k`` vertices that are farthest from their nearest source, as (name, distance), greatest first.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 2]).farthest()
        [(1, 5)]
        """
        return self.distances.farthest(k)

    def closest(self, k: int) -> list[tuple[Any, int | float]]:
        """Return the ``k`` vertices that are nearest to a source, beside the sources, as (name, distance).

        Examples
        --------
        >>> import nearfar
        >>> nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0]).closest(1)
        [(1, 5)]
        """
        return self.distances.closest(k)

    @property
    def source(self) -> np.ndarray:
        """The nearest source of each vertex: n vertex indices (int32), not names; -1 if no source reaches it.

        Between sources at the same distance the tree decides: see `Distances.predecessors`.
        """
        if self._source is None:
            self._source = self.distances.origins()
        return self._source

    @property
    def direction(self) -> str:
        """Whether distances lead "from" the sources or "to" them."""
        return self.distances.direction

    @property
    def predecessors(self) -> np.ndarray:
        """The vertex before each vertex on the path from its nearest source; -1 for sources and unreached."""
        return self.distances.predecessors

    @property
    def successors(self) -> np.ndarray:
        """The vertex after each vertex on the path to its nearest source, if the direction is "to"; -1 for others."""
        return self.distances.successors

    @property
    def towards_sources(self) -> np.ndarray:
        """The next vertex on the path towards the source: ``predecessors``, or ``successors`` if there are these."""
        return self.distances.towards_sources

    def path(self, target: Hashable) -> list[Any]:
        """Return the vertices of a shortest path from the nearest source to ``target``, both ends included.

        With direction "to", the path leads from ``target`` to its nearest source.
        """
        return self.distances.path(target)

    def path_rows(self, target: Hashable) -> np.ndarray:
        """Return the rows of the input along the path to ``target``, in the direction of travel: see `Graph.rows`.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([1, 0, 2], [2, 1, 3], [7, 5, 1], undirected=True)
        >>> nearfar.nearest(g, [0, 3]).path_rows(1)
        array([1], dtype=int32)
        """
        return self.distances.path_rows(target)

    def path_edges(self, target: Hashable) -> list[tuple[Any, ...]]:
        """Return the edges of the path to ``target``, in the direction of travel: (u, v), with keys (u, v, key).

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([1, 0, 2], [2, 1, 3], [7, 5, 1], undirected=True)
        >>> nearfar.nearest(g, [0, 3]).path_edges(2)
        [(3, 2)]
        """
        return self.distances.path_edges(target)

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns vertex, source and distance, one line per reached vertex.

        With direction "to", the columns are vertex, target and distance: travel ends at the nearest of the sources.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
        >>> nearfar.nearest(g, [0, 3]).to_frame(kind="polars").row(2)
        (2, 3, 1)
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of vertices."""
        return self.graph.n

    def _lines(self, low: int, high: int) -> Columns:
        """Return some vertices that are reached, their sources and distances."""
        v = low + np.flatnonzero(self.dist[low:high] != unreached(self.dist.dtype))
        return {
            "vertex": Named(self.graph.names, v),
            "source" if self.direction == "from" else "target": Named(self.graph.names, self.source[v]),
            "distance": self.dist[v],
        }

    def to_xarray(self) -> Any:
        """Return an xarray.DataArray of the distances with the dimension vertex, and the coordinate source beside it.

        As for `Distances.to_xarray`: inf where no source is, so integers become float64; the source is missing there
        (``isnull()``). With direction "to" the coordinate is called target.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True, names=["Ulm", "Bonn", "Kiel"])
        >>> found = nearfar.nearest(g, ["Ulm", "Kiel"]).to_xarray().sel(vertex="Bonn")
        >>> found.item(), found.source.item()
        (5.0, 'Ulm')
        """
        from .labelled import nearest_to_xarray

        return nearest_to_xarray(self, self.distances.cutoff)

    def to_raster(self) -> np.ndarray:
        """Return the distances in the shape of the raster, as `Distances.to_raster` does."""
        return distances_to_raster(self.graph, self.dist)

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table."""
        facts = self.distances.describe()
        facts["sources"] = len(self.source_indices)
        return facts

    def __repr__(self) -> str:
        by = report.by(self.distances)
        return f"Nearest(sources={len(self.source_indices)}, n={self.graph.n}, {self.dist.dtype}{by})"

"""`KNearest`, the result of `nearfar.nearest` with k > 1: the k nearest of several sources for every vertex."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError, NoPathError, OptionError
from ..graph.tables import Columns, Framed, Named, entries, places
from ..kernels.cpu.constants import NO_VERTEX
from . import lookup, report
from .limits import unreached

if TYPE_CHECKING:
    from ..description import Description
    from ..graph import Graph


class KNearest(Framed):
    """For every vertex the k nearest of several sources, the nearest first. Made by ``nearfar.nearest(..., k=3)``.

    Between sources at the same distance the least index is first. A vertex that fewer than k sources reach has fewer.

    Attributes
    ----------
    graph : Graph
        The graph of the query.
    source_indices : int32 array
        The sources of the query as vertex indices, in ascending order; ``sources`` are their names.
    dist : array of shape (n, k)
        The distances. Unreached: the type's maximum for integers, inf for floats.
    source : int32 array of shape (n, k)
        The sources that have these distances, as vertex indices, not names; -1 where there is none.
    direction : str
        Whether distances lead "from" the sources or "to" them.
    cutoff : number or None
    plan, stats
        What was decided before the run, and what was measured during it, or None.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> near = nearfar.nearest(g, [0, 2, 3], k=2)
    >>> near.source
    array([[0, 2],
           [0, 2],
           [2, 3],
           [3, 2]], dtype=int32)
    >>> near[1], near.path(1, rank=2)
    ([(0, 5), (2, 7)], [2, 1])
    """

    __iter__ = None  # vertices are called by name, so this is no sequence
    __contains__ = None

    def __init__(
        self,
        graph: Graph,
        sources: np.ndarray,
        dist: np.ndarray,
        source: np.ndarray,
        *,
        direction: str = "from",
        cutoff: float | None = None,
        plan: Any = None,
        stats: dict[str, Any] | None = None,
        search: Callable[[KNearest, int, int], list[Any]] | None = None,
    ) -> None:
        self.graph, self.source_indices, self.dist, self.source = graph, sources, dist, source
        self.direction, self.cutoff, self.plan, self.stats = direction, cutoff, plan, stats
        self._search = search  # finds the path between a source and a vertex

    @property
    def k(self) -> int:
        """The number of columns of ``dist``: how many sources a vertex has at most."""
        return self.dist.shape[1]

    @property
    def sources(self) -> Any:
        """The sources of the query by name, in the order of their indices; a query takes them again.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.nearest(g, ["Bonn", "Ulm"], k=2).sources
        ['Ulm', 'Bonn']
        """
        return lookup.names_of(self.graph, self.source_indices)

    @property
    def reached(self) -> np.ndarray:
        """Where there is a distance: booleans of shape (n, k)."""
        return self.dist != unreached(self.dist.dtype)

    def as_float(self) -> np.ndarray:
        """Return the distances as float64, inf where unreached: numbers that add up.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1], k=2).as_float()
        array([[ 0., inf],
               [ 0.,  5.],
               [ 7., 12.]])
        """
        return lookup.as_float(self.dist)

    def __getitem__(self, vertex: Hashable) -> list[tuple[Any, int | float]]:
        """Return the nearest sources of a vertex, by name, each with its distance; an empty list if there is none.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.nearest(g, ["Ulm", "Bonn"], k=2)["Kiel"]
        [('Bonn', 7), ('Ulm', 12)]
        """
        v = self.graph.index(vertex)
        found = zip(self.source[v].tolist(), self.dist[v].tolist(), strict=True)
        return [(self.graph.name(s), distance) for s, distance in found if s != NO_VERTEX]

    def path_rows(self, vertex: Hashable, *, rank: int = 1, source: Hashable | None = None) -> np.ndarray:
        """Return the rows of the input along the path of `path`, in the direction of travel: see `Graph.rows`."""
        return self.graph.rows_along(self.path(vertex, rank=rank, source=source))

    def path_edges(self, vertex: Hashable, *, rank: int = 1, source: Hashable | None = None) -> list[tuple[Any, ...]]:
        """Return the edges of the path of `path`, in the direction of travel: (u, v), with keys (u, v, key).

        Examples
        --------
        >>> import nearfar
        >>> near = nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1], k=2)
        >>> near.path_edges(2, rank=2)
        [(0, 1), (1, 2)]
        """
        return self.graph.edges_along(self.path(vertex, rank=rank, source=source))

    def path(self, vertex: Hashable, *, rank: int = 1, source: Hashable | None = None) -> list[Any]:
        """Return the vertices of a shortest path from one of the nearest sources to a vertex, both ends included.

        Parameters
        ----------
        vertex : vertex
            Where the path ends; with direction "to", where it starts.
        rank : int
            1 for the nearest source, 2 for the second, and so on.
        source : vertex, optional
            One of the nearest sources of the vertex, instead of its rank.

        Notes
        -----
        Each call runs a search from the source as far as the vertex.

        Examples
        --------
        >>> import nearfar
        >>> near = nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1], k=2)
        >>> near.path(2), near.path(2, rank=2), near.path(2, source=0)
        ([1, 2], [0, 1, 2], [0, 1, 2])
        """
        v = self.graph.index(vertex)
        s = self._by_rank(v, rank) if source is None else self.graph.index(source, "source")
        if s == NO_VERTEX or s not in self.source[v]:
            which = f"of rank {rank}" if source is None else f"called {source!r}"
            count = int(np.count_nonzero(self.source[v] != NO_VERTEX))
            raise NoPathError(
                f"{vertex!r} has no nearest source {which}: it has {count} of at most {self.k}. "
                f"result[{vertex!r}] lists them."
            )
        assert self._search is not None
        return self._search(self, s, v)

    def _by_rank(self, v: int, rank: int) -> int:
        """Return the source of a rank, counted from 1."""
        if isinstance(rank, bool) or not isinstance(rank, int | np.integer):
            raise InputTypeError(f"rank is {rank!r}, a {type(rank).__name__}; give a whole number.")
        if not 1 <= rank <= self.k:
            raise OptionError(f"rank is {rank}; this result has ranks 1, the nearest, to {self.k}.")
        return int(self.source[v, rank - 1])

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns vertex, rank, source and distance; rank 1 is the nearest source.

        With direction "to", the third column is called target: travel ends there.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> import nearfar
        >>> near = nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1], k=2)
        >>> print(near.to_frame().tail(2))
           vertex  rank  source  distance
        3       2     1       1         7
        4       2     2       0        12
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of distances."""
        return self.dist.size

    def _lines(self, low: int, high: int) -> Columns:
        """Return vertex, rank, source and distance of what is reached among some entries of ``dist``."""
        found = entries(self.dist, low, high)
        reached = found != unreached(self.dist.dtype)
        v, i = places(self.dist, reached, low)
        return {
            "vertex": Named(self.graph.names, v),
            "rank": i + 1,
            "source" if self.direction == "from" else "target": Named(self.graph.names, self.source[v, i]),
            "distance": found[reached],
        }

    def to_xarray(self) -> Any:
        """Return an xarray.DataArray of the distances with the dimensions vertex and rank, and the sources beside it.

        As for `Nearest.to_xarray`.

        Examples
        --------
        >>> import nearfar
        >>> near = nearfar.nearest(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), [0, 1], k=2).to_xarray()
        >>> near.sel(vertex=2, rank=2).item(), near.sel(vertex=2).source.values.tolist()
        (12.0, [1, 0])
        """
        from .labelled import nearest_to_xarray

        return nearest_to_xarray(self, self.cutoff)

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table."""
        return report.describe(self, self.dist, sources=len(self.source_indices), k=self.k)

    def __repr__(self) -> str:
        sources = len(self.source_indices)
        return f"KNearest(sources={sources}, k={self.k}, n={self.graph.n}, {self.dist.dtype}{report.by(self)})"

"""`Distances`, the result of a query: distances, and on demand the paths that have them.

A result holds k rows of n distances and the graph they belong to. Everything else is derived on first use (forest.py):
all trees with ``predecessors``, which are kept; single paths without a tree where that is less work.

Invariant: ``rows`` always has k rows; only ``dist`` and ``predecessors`` drop the axis for one source.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError, MethodError, NoPathError, OptionError
from ..graph.above import Drawn
from ..graph.tables import Columns, Framed, Named, entries, places
from . import lookup, report
from .forest import Forest
from .limits import unreached
from .nearest import Nearest
from .rasters import distances_to_raster
from .trees import reverse_if_worth

if TYPE_CHECKING:
    from ..description import Description
    from ..devices.arrays import DeviceArray
    from ..graph import Graph

__all__ = ["Distances", "Nearest"]


class Distances(Framed, Drawn):
    """Exact distances from one or several sources. Made by `nearfar.sssp`, `nearfar.mssp` and `nearfar.apsp`.

    Attributes
    ----------
    graph : Graph
        The graph of the query.
    source_indices : int32 array of length k
        The source of each row, as a vertex index; ``sources`` are their names.
    rows : array of shape (k, n)
        The distances, one row per source. Unreached: the type's maximum for integers, inf for floats.
    seeds, starts : arrays or None
        If the only row starts from several vertices: these, and their starting distances, None if they are 0.
    cutoff, targets
        What limited the query, or None. ``targets`` are vertex indices.
    direction : str
        "from": distances from the sources. "to": distances to them, and paths that end there.
    plan, stats
        What was decided before the run, and what was measured during it, or None.
    rounded : bool
        Whether these are floats that were added in another order than along the path: exact up to rounding. Paths and
        predecessors then come from rows that are solved again, with sums along the path.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
    >>> result = nearfar.sssp(g, 0)
    >>> result.dist
    array([ 0,  5, 12], dtype=int32)
    >>> result[2], result.path(2)
    (12, [0, 1, 2])
    """

    __iter__ = None  # a result that can be indexed is no sequence: names need not be 0, 1, 2, ...
    __contains__ = None

    def __init__(
        self,
        graph: Graph,
        sources: np.ndarray,
        dist: np.ndarray | DeviceArray,
        *,
        seeds: np.ndarray | None = None,
        starts: np.ndarray | None = None,
        single: bool = False,
        direction: str = "from",
        cutoff: float | None = None,
        targets: np.ndarray | None = None,
        plan: Any = None,
        stats: dict[str, Any] | None = None,
        rounded: bool = False,
        solve_again: Callable[[Distances, Sequence[int]], np.ndarray] | None = None,
    ) -> None:
        self.graph = graph
        self.source_indices = sources
        self._on_device = None if isinstance(dist, np.ndarray) else dist
        if isinstance(dist, np.ndarray):
            self.rows = dist
        self.seeds = seeds
        self.starts = starts
        self.single = single
        self.direction = direction
        self.cutoff = cutoff
        self.targets = targets
        self.plan = plan
        self.stats = stats
        self.rounded = rounded
        self._solve_again = solve_again  # returns some rows with sums along the path; used if rounded
        self._forest = Forest()

    @cached_property
    def rows(self) -> np.ndarray:
        """The distances, always with one row per source.

        If the query filled an array on a GPU, this is a copy of it, made on first use: paths, `nearfar.verify` and all
        else but ``dist`` read it.
        """
        assert self._on_device is not None
        return self._on_device.load()

    @property
    def sources(self) -> Any:
        """The sources by name, in the order of the rows; a query takes them again.

        Without names these are the indices, int32; names that are whole numbers are an int64 array, others a list.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
        >>> result = nearfar.mssp(g, ["Bonn", "Ulm"])
        >>> result.sources, result.source_indices
        (['Bonn', 'Ulm'], array([1, 0], dtype=int32))
        """
        return lookup.names_of(self.graph, self.source_indices if self.seeds is None else self.seeds)

    @property
    def dist(self) -> np.ndarray:
        """The distances: an array of length n for one source, of shape (k, n) for several.

        This is the array that was given as ``out``, if one was. One on a GPU stays there; ``host_dist`` is its copy.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> nearfar.mssp(g, [1, 0]).dist
        array([[2147483647,          0,          7],
               [         0,          5,         12]], dtype=int32)
        """
        return self.host_dist if self._on_device is None else self._on_device.shaped(self.single)

    @property
    def host_dist(self) -> np.ndarray:
        """The distances in the memory of the host, shaped like ``dist``.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 0).host_dist
        array([ 0,  5, 12], dtype=int32)
        """
        return self.rows[0] if self.single else self.rows

    @property
    def reached(self) -> np.ndarray:
        """Where there is a distance: booleans shaped like ``dist``. Use it before computing with integer distances.

        Examples
        --------
        >>> import nearfar
        >>> result = nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 1)
        >>> result.reached
        array([False,  True,  True])
        >>> result.dist[result.reached].mean()
        np.float64(3.5)
        """
        return self.host_dist != unreached(self.rows.dtype)

    def as_float(self) -> np.ndarray:
        """Return the distances as float64, shaped like ``dist``, inf where unreached: numbers that add up.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 1).as_float()
        array([inf,  0.,  7.])
        """
        return lookup.as_float(self.host_dist)

    def __getitem__(self, ends: Any) -> int | float:
        """Return a distance by name: ``result[v]`` of `nearfar.sssp`, ``result[source, v]`` of all other queries.

        It is a Python number, math.inf if the vertex is not reached.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.sssp(g, "Ulm")["Kiel"], nearfar.mssp(g, ["Kiel", "Bonn"])["Bonn", "Kiel"]
        (12, 7)
        """
        if self.single:
            if isinstance(ends, tuple) and not lookup.is_name(self.graph, ends):
                raise InputTypeError(
                    f"result[...] got the {len(ends)} ends {ends!r:.60}, but this result has one row, which starts at "
                    f"{self.sources[0]!r}. Write result[vertex]."
                )
            return lookup.number_of(self.rows[0, self.graph.index(ends)])
        pair = isinstance(ends, tuple) and len(ends) == 2
        if not pair or (lookup.is_name(self.graph, ends) and not lookup.is_name(self.graph, ends[0])):
            raise InputTypeError(
                f"result[...] got {ends!r:.60}, but this result has one row per source. Write result[source, vertex]."
            )
        return lookup.number_of(self.rows[self._row_of(ends[0]), self.graph.index(ends[1])])

    def farthest(self, k: int = 1, *, source: Hashable | None = None) -> list[tuple[Any, int | float]]:
        """Return the ``k`` farthest vertices that are reached, as (name, distance), the greatest distance first.

        Ties are in the order of vertex indices. If the result has several rows, ``source`` says which.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 0).farthest(2)
        [(2, 12), (1, 5)]
        """
        r = self._row_of(source, "farthest")
        return [(self.graph.name(v), d) for v, d in lookup.farthest(self.rows[r], lookup.take_count(k))]

    def closest(self, k: int, *, source: Hashable | None = None) -> list[tuple[Any, int | float]]:
        """Return the ``k`` nearest vertices beside the source itself, as (name, distance), the nearest first.

        Ties are in the order of vertex indices. If the result has several rows, ``source`` says which.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 0).closest(1)
        [(1, 5)]
        """
        r = self._row_of(source, "closest")
        found = lookup.closest(self.rows[r], self.seeds_of(r), lookup.take_count(k))
        return [(self.graph.name(v), d) for v, d in found]

    @property
    def predecessors(self) -> np.ndarray:
        """The vertex before each vertex on a shortest path to it, int32, shaped like ``dist``.

        It is -1 for sources and unreached vertices. The first use computes all rows and keeps them. If the result is
        ``rounded``, its rows are solved again first, with sums along the path, so that trees do not depend on the
        method.

        Notes
        -----
        Of several shortest paths to a vertex, the one over the neighbour with the least index is taken, among the
        neighbours that are nearer to the source. If there are none, because all arcs to it have weight zero (or weights
        that vanish in the sum of floats), the path has the fewest such arcs, then the least index. If the graph has
        negative weights, paths with the fewest arcs are taken, as by `fewest_arcs`.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> nearfar.sssp(g, 0).predecessors
        array([-1,  0,  1], dtype=int32)
        """
        if self.direction == "to":
            raise MethodError(
                "these are distances to the sources, so there is no vertex before each on its path, but one after it. "
                "Use result.successors."
            )
        return self.towards_sources

    @property
    def successors(self) -> np.ndarray:
        """The vertex after each vertex on a shortest path to the source, int32, shaped like ``dist``.

        Only results with direction "to" have successors. It is -1 for sources and unreached vertices; ties are broken
        as for ``predecessors``.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> nearfar.sssp(g, 2, direction="to").successors
        array([ 1,  2, -1], dtype=int32)
        """
        if self.direction == "from":
            raise MethodError(
                "these are distances from the sources, so there is no vertex after each on its path, but one before "
                "it. Use result.predecessors."
            )
        return self.towards_sources

    @property
    def towards_sources(self) -> np.ndarray:
        """The next vertex on the path towards the source: ``predecessors``, or ``successors`` if there are these."""
        trees = self._forest.all(self)
        return trees[0] if self.single else trees

    def fewest_arcs(self) -> np.ndarray:
        """Return other ``predecessors``, or ``successors``: on shortest paths with as few arcs as possible.

        Of several such paths to a vertex, the one over the neighbour with the least index is taken. This takes a search
        per row, about as long as the query itself; the result is kept.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1, 2, 0], [1, 2, 3, 3], [1, 1, 1, 3])
        >>> result = nearfar.sssp(g, 3, direction="to")
        >>> result.successors, result.fewest_arcs()
        (array([ 1,  2,  3, -1], dtype=int32), array([ 3,  2,  3, -1], dtype=int32))
        """
        trees = self._fewest_forest.all(self)
        return trees[0] if self.single else trees

    @cached_property
    def _fewest_forest(self) -> Forest:
        """The trees of paths with the fewest arcs."""
        return Forest(fewest_arcs=True)

    def all_predecessors(self, *, source: Hashable | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return every vertex before each vertex on any shortest path to it, as (offsets, vertices).

        The vertices before v are ``vertices[offsets[v]:offsets[v + 1]]``, ascending, by index. Weights may be zero,
        but not around a cycle. Lengths of floats that differ by rounding only are the same. With direction "to" these
        are the vertices after each on its path to the source. If the result has several rows, ``source`` says which.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1, 2], [1, 2, 3, 3], [1, 1, 1, 1])
        >>> nearfar.sssp(g, 0).all_predecessors()
        (array([0, 0, 1, 2, 4]), array([0, 0, 1, 2], dtype=int32))
        """
        from .ties import require_no_zero_cycle, tight_predecessors

        cure = " Or use result.predecessors, which has one for every vertex."
        require_no_zero_cycle(self.graph, "all predecessors are listed", cure)
        r = self._row_of(source, "all_predecessors")
        return tight_predecessors(self.searched, self.solved_again([r])[0] if self.is_solved_again else self.rows[r])

    def path(self, *ends: Hashable, source: Hashable | None = None, fewest_arcs: bool = False) -> list[Any]:
        """Return the vertices of a shortest path, both ends included: ``path(target)`` or ``path(source, target)``.

        Parameters
        ----------
        *ends : vertices
            The target; before it the source, which is needed only when the result has several rows.
        source : vertex, optional
            The source, if it is not given before the target.
        fewest_arcs : bool
            Whether to return a path with as few arcs as a shortest path can have, as `fewest_arcs` does. By default, it
            is that of ``predecessors``.

        Notes
        -----
        A path reads in the direction of travel. In a result with direction "to", ``path(v)`` and ``path(source, v)``
        lead from v to the source.

        The first paths are found without computing the predecessors of other vertices.

        Returns
        -------
        list
            Vertex names if the graph has names, indices otherwise.

        Raises
        ------
        NoPathError
            When the target is not reached.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> nearfar.sssp(g, 0).path(2), nearfar.mssp(g, [0, 1]).path(1, 2)
        ([0, 1, 2], [1, 2])
        """
        start, target = self._both_ends(ends, source)
        v = self.graph.index(target, role="target" if self.direction == "from" else "vertex")
        r = self._row_of(start, "path")
        if self.rows[r, v] == unreached(self.rows.dtype):
            raise NoPathError(self._no_path(r, v))
        path = (self._fewest_forest if fewest_arcs else self._forest).path(self, r, v)
        if not len(path):
            raise MethodError(
                f"the path between {target!r} and its source leaves the limit of the query and returns over negative "
                "weights, so this result does not contain it. Run the query again without cutoff and targets."
            )
        return lookup.list_names(self.graph, path if self.direction == "to" else path[::-1])

    def path_rows(self, *ends: Hashable, source: Hashable | None = None) -> np.ndarray:
        """Return the rows of the input along a shortest path, in the direction of travel: see `Graph.rows`.

        Parameters
        ----------
        *ends : vertices
            As for `path`.
        source : vertex, optional

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([1, 0, 0], [2, 1, 2], [3, 4, 9])
        >>> nearfar.sssp(g, 0).path_rows(2)
        array([1, 0], dtype=int32)
        """
        return self.graph.rows_along(self.path(*ends, source=source))

    def path_edges(self, *ends: Hashable, source: Hashable | None = None) -> list[tuple[Any, ...]]:
        """Return the edges of a shortest path, in the direction of travel: (u, v), or (u, v, key) in a multigraph.

        Of parallel edges the lightest is taken, then the first. Keys are those of `Graph.from_networkx`.

        Parameters
        ----------
        *ends : vertices
            As for `path`.
        source : vertex, optional

        Examples
        --------
        >>> import nearfar, networkx
        >>> roads = networkx.MultiDiGraph()
        >>> roads.add_edge("Ulm", "Bonn", "ring", weight=6), roads.add_edge("Ulm", "Bonn", "main", weight=4)
        ('ring', 'main')
        >>> nearfar.sssp(nearfar.Graph.from_networkx(roads), "Ulm").path_edges("Bonn")
        [('Ulm', 'Bonn', 'main')]
        """
        return self.graph.edges_along(self.path(*ends, source=source))

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns source, target and distance, one line per reached pair.

        With direction "to", the columns are target, source and distance: travel ends at the vertex of the row.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Notes
        -----
        ``polars.DataFrame(result)``, ``pyarrow.table(result)`` and DuckDB take the result itself, too, some rows at a
        time.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> print(nearfar.sssp(g, 1).to_frame())
           source  target  distance
        0       1       1         0
        1       1       2         7
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of distances."""
        return self.rows.size

    def _lines(self, low: int, high: int) -> Columns:
        """Return source, target and distance of the pairs that are reached among some entries of ``rows``."""
        found = entries(self.rows, low, high)
        reached = found != unreached(self.rows.dtype)
        r, v = places(self.rows, reached, low)
        first, second = ("source", "target") if self.direction == "from" else ("target", "source")
        starts = self.source_indices[r] if self.seeds is None else self.origins()[v]
        return {
            first: Named(self.graph.names, starts),
            second: Named(self.graph.names, v),
            "distance": found[reached],
        }

    def to_xarray(self) -> Any:
        """Return an xarray.DataArray with the dimensions source and target, labelled with the names of the vertices.

        One source, as of `nearfar.sssp`, gives the dimension target only. With direction "to", the row is the target.

        Notes
        -----
        Unreached is inf. So integers become float64, whether all are reached or not; floats keep their type. Cells of a
        raster, and other names that are tuples, become a MultiIndex, which ``.unstack()`` spreads over dimensions.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
        >>> table = nearfar.mssp(g, ["Ulm", "Bonn"]).to_xarray()
        >>> table.dims, table.sel(source="Ulm", target="Kiel").item(), table.sel(source="Bonn").values
        (('source', 'target'), 12.0, array([inf,  0.,  7.]))
        """
        from .labelled import distances_to_xarray

        return distances_to_xarray(self, np.arange(self.graph.n))

    def to_raster(self) -> np.ndarray:
        """Return the distances in the shape of the raster: rows x columns for one source, k x rows x columns for k.

        They are floats, inf for walls and for cells that are not reached. The graph was made by `Graph.from_raster`, or
        read from a grid map or a height map.

        Examples
        --------
        >>> import nearfar
        >>> graph = nearfar.Graph.from_raster([[1, 1], [float("inf"), 3]], neighbours=4)
        >>> nearfar.sssp(graph, (1, 1)).to_raster()
        array([[ 3.,  2.],
               [inf,  0.]])
        """
        return distances_to_raster(self.graph, self.host_dist)

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> nearfar.sssp(g, 1).describe()["reached"]
        2
        """
        limits = {"targets": len(self.targets)} if self.targets is not None else {}
        return report.describe(self, self.rows, sources=len(self.rows), **limits)

    def __repr__(self) -> str:
        rows = self.rows if self._on_device is None else self._on_device
        return f"Distances(k={len(rows)}, n={self.graph.n}, {rows.dtype}{report.by(self)})"

    def seeds_of(self, r: int) -> np.ndarray:
        """Return the vertices that row ``r`` starts from: its source, or the sources of a nearest query."""
        return self.source_indices[r : r + 1] if self.seeds is None else self.seeds

    @property
    def searched(self) -> Graph:
        """The graph that was searched from the sources: with direction "to" the reversed one."""
        return self.graph if self.direction == "from" else self.graph.reversed

    def searched_back(self, rows: int) -> Graph | None:
        """Return the graph that was searched, reversed, if it is at hand or worth making for trees of ``rows`` rows."""
        return self.graph if self.direction == "to" else reverse_if_worth(self.graph, rows)

    def starts_of(self, r: int) -> np.ndarray:
        """Return the distances at which the seeds of row ``r`` start."""
        return np.zeros(len(self.seeds_of(r)), self.rows.dtype) if self.starts is None else self.starts

    def known_trees(self) -> dict[int, np.ndarray]:
        """Return the predecessors that were computed so far, by row, without computing any."""
        return self._forest.known()

    @property
    def is_solved_again(self) -> bool:
        """Whether trees come from rows that are solved again, with sums along the path."""
        return self.rounded and self._solve_again is not None

    def solved_again(self, rows: Sequence[int]) -> np.ndarray:
        """Return some rows with sums along the path."""
        assert self._solve_again is not None
        return self._solve_again(self, rows)

    def origins(self) -> np.ndarray:
        """Return the seed where the path to each vertex starts in the only row, -1 if there is no path."""
        return self._origins

    @cached_property
    def _origins(self) -> np.ndarray:
        """The seeds of `origins`, found once: a table asks for them in every batch."""
        return self._forest.origins(self)

    def _both_ends(self, ends: tuple[Hashable, ...], source: Hashable | None) -> tuple[Hashable | None, Hashable]:
        """Return the source, None if it was not given, and the target of a path."""
        if len(ends) == 2 and source is None:
            return ends[0], ends[1]
        if len(ends) == 1:
            return source, ends[0]
        form = "path(target)" if len(self.rows) == 1 else "path(source, target)"
        given = f"{len(ends)} ends" + ("" if source is None else " and source=")
        raise InputTypeError(f"path() got {given}. Write {form}.")

    def _row_of(self, source: Hashable | None, method: str = "path") -> int:
        """Return the row of a source; without a source there must be only one row."""
        if source is None:
            if len(self.rows) != 1:
                raise OptionError(
                    f"this result has {len(self.rows)} rows, and {method}() needs to know which. Give source=."
                )
            return 0
        if self.seeds is not None:
            raise InputTypeError(
                f"the only row of this result starts from {len(self.seeds)} vertices; leave the source out."
            )
        r = self._row_by_index.get(self.graph.index(source, role="source"))
        if r is None:
            raise OptionError(
                f"{source!r} is not a source of this result. Give one of result.sources, or run a query from it."
            )
        return r

    @cached_property
    def _row_by_index(self) -> dict[int, int]:
        """The first row of each source."""
        last_first = self.source_indices[::-1].tolist()
        return dict(zip(last_first, range(len(last_first) - 1, -1, -1), strict=True))

    def _no_path(self, r: int, v: int) -> str:
        """Return the message why there is no path to ``v``, and what may help."""
        seeds, name = self.seeds_of(r), self.graph.name
        start = repr(name(int(seeds[0]))) if len(seeds) == 1 else f"any of {len(seeds)} sources"
        ends = (start, repr(name(v))) if self.direction == "from" else (repr(name(v)), start)
        message = f"there is no path from {ends[0]} to {ends[1]}"
        if self.cutoff is not None:
            return f"{message} within the cutoff {self.cutoff}. A larger cutoff may find one."
        if self.targets is not None and v not in self.targets:
            return f"{message} that is no longer than those to the targets. Add it to targets=."
        return f"{message}: it cannot be reached. result.reached shows which vertices can."

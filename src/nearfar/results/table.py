"""`Table`, the distances between two lists of vertices: one row per source, one column per target, in the order given.

Whole rows are not kept. A path is searched for when it is asked for; `verify` has rows searched again and proves them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError, NoPathError, OptionError
from ..graph.tables import Columns, Framed, Named, check_kind, entries, frame_of, places
from . import lookup, report
from .limits import in_type, unreached

if TYPE_CHECKING:
    from ..description import Description
    from ..graph import Graph
    from .distances import Distances


class Table(Framed):
    """Exact distances between two lists of vertices. Made by `nearfar.table`, and by queries with ``targets``.

    Attributes
    ----------
    graph : Graph
        The graph of the query.
    source_indices, target_indices : int32 arrays
        The vertices of the rows and of the columns, by index. ``sources`` and ``targets`` are their names.
    rows : array of shape (k, t)
        The distances. Unreached: the type's maximum for integers, inf for floats.
    seeds, starts : arrays or None
        If the only row starts from several vertices: these, and their starting distances, None if they are 0.
    direction : str
        "from": distances from the sources to the targets; "to": from the targets to the sources.
    cutoff : number or None
        What limited the query.
    plan, stats
        What was decided before the run, and what was measured during it, or None.
    rounded : bool
        Whether these are floats that were added in another order than along the path: exact up to rounding.
    distances : Distances or None
        The only row, as far as it was searched, if there is only one.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
    >>> table = nearfar.table(g, ["Ulm", "Bonn"], ["Kiel", "Ulm"])
    >>> table["Ulm", "Kiel"], table.path("Ulm", "Kiel"), table["Bonn", "Ulm"]
    (7, ['Ulm', 'Bonn', 'Kiel'], inf)
    """

    __iter__ = None  # a table that can be indexed is no sequence: names need not be 0, 1, 2, ...
    __contains__ = None

    def __init__(
        self,
        graph: Graph,
        sources: np.ndarray,
        targets: np.ndarray,
        rows: np.ndarray,
        *,
        seeds: np.ndarray | None = None,
        starts: np.ndarray | None = None,
        single: bool = False,
        direction: str = "from",
        cutoff: float | None = None,
        plan: Any = None,
        stats: dict[str, Any] | None = None,
        rounded: bool = False,
        search: Callable[[Table, Sequence[int], np.ndarray | None], Distances] | None = None,
        distances: Distances | None = None,
    ) -> None:
        self.graph, self.source_indices, self.target_indices = graph, sources, targets
        self.rows, self.single, self.direction, self.cutoff = rows, single, direction, cutoff
        self.seeds, self.starts = seeds, starts
        self.plan, self.stats, self.rounded = plan, stats, rounded
        self._search = search  # returns whole rows of some sources, complete up to some targets
        self.distances = distances  # the only row, as far as it was searched: its tree has the paths
        self._places: tuple[dict[int, int], dict[int, int]] | None = None

    @property
    def sources(self) -> Any:
        """The vertices of the rows by name; a query takes them again.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Bonn"], ["Kiel"]).sources
        ['Ulm', 'Bonn']
        """
        return lookup.names_of(self.graph, self.source_indices if self.seeds is None else self.seeds)

    @property
    def targets(self) -> Any:
        """The vertices of the columns by name; a query takes them again.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Bonn"], ["Kiel"]).targets
        ['Kiel']
        """
        return lookup.names_of(self.graph, self.target_indices)

    @property
    def dist(self) -> np.ndarray:
        """The distances: an array of length t for the one source of `nearfar.sssp`, else of shape (k, t).

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
        >>> nearfar.mssp(g, [1, 0], targets=[2]).dist
        array([[3],
               [7]], dtype=int32)
        >>> nearfar.sssp(g, 0, targets=[2, 1]).dist
        array([7, 4], dtype=int32)
        """
        return self.rows[0] if self.single else self.rows

    @property
    def reached(self) -> np.ndarray:
        """Where there is a distance: booleans shaped like ``dist``.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Kiel"], ["Bonn"]).reached
        array([[ True],
               [False]])
        """
        return self.dist != unreached(self.rows.dtype)

    def as_float(self) -> np.ndarray:
        """Return the distances as float64, shaped like ``dist``, inf where unreached: numbers that add up.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Kiel"], ["Bonn"]).as_float()
        array([[ 4.],
               [inf]])
        """
        return lookup.as_float(self.dist)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Let NumPy take the table for its distances."""
        return np.array(self.dist, dtype=dtype, copy=copy)

    def __getitem__(self, ends: Any) -> int | float:
        """Return a distance by name: ``table[source, target]``; ``table[target]`` for the one source of `sssp`.

        It is a Python number, math.inf if there is no path.
        """
        if self.single and not (isinstance(ends, tuple) and not lookup.is_name(self.graph, ends)):
            return lookup.number_of(self.rows[0, self._column_of(ends)])
        self._refuse_source()
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise InputTypeError(f"table[...] got {ends!r:.60}; write table[source, target].")
        return lookup.number_of(self.rows[self._row_of(ends[0]), self._column_of(ends[1])])

    def path(self, *ends: Hashable) -> list[Any]:
        """Return the vertices of a shortest path, both ends included: ``path(source, target)``.

        ``path(target)`` is enough for the one source of `nearfar.sssp`. A path reads in the direction of travel: with
        direction "to" it leads from the target to the source.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
        >>> nearfar.table(g, [0, 1], [2]).path(0, 2)
        [0, 1, 2]
        """
        r, c = self._both(ends)
        s, t = int(self.source_indices[r]), int(self.target_indices[c])
        if self.rows[r, c] == unreached(self.rows.dtype):
            raise NoPathError(self._no_path(s, t))
        name = self.graph.name
        if self.distances is not None:
            return self.distances.path(name(t))
        if self._search is None:
            raise OptionError("this table was not made by a query, so it has no paths. Use nearfar.path.")
        return self._search(self, [r], self.target_indices[c : c + 1]).path(name(s), name(t))

    def path_rows(self, *ends: Hashable) -> np.ndarray:
        """Return the rows of the input along a shortest path, in the direction of travel: see `Graph.rows`.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([1, 0, 0], [2, 1, 2], [3, 4, 9])
        >>> nearfar.table(g, [0, 1], [2]).path_rows(0, 2)
        array([1, 0], dtype=int32)
        """
        return self.graph.rows_along(self.path(*ends))

    def path_edges(self, *ends: Hashable) -> list[tuple[Any, ...]]:
        """Return the edges of a shortest path, in the direction of travel: (u, v), or (u, v, key) in a multigraph.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
        >>> nearfar.table(g, [0, 1], [2]).path_edges(0, 2)
        [(0, 1), (1, 2)]
        """
        return self.graph.edges_along(self.path(*ends))

    def to_frame(self, kind: str = "pandas", *, wide: bool = False) -> Any:
        """Return a DataFrame: columns source, target and distance, one line per pair that has a path.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.
        wide : bool
            One line per row and one column per target instead. Where there is no path, it holds inf; then all
            distances are floats. The sources are the index of pandas, and the first column elsewhere.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> table = nearfar.table(g, ["Ulm", "Bonn"], ["Kiel", "Bonn"])
        >>> print(table.to_frame())
          source target  distance
        0    Ulm   Kiel         7
        1    Ulm   Bonn         4
        2   Bonn   Kiel         3
        3   Bonn   Bonn         0
        >>> print(table.to_frame(wide=True))
        target  Kiel  Bonn
        source
        Ulm        7     4
        Bonn       3     0
        """
        if not wide:
            return self._framed(kind)
        rows = self.rows if (self.rows != unreached(self.rows.dtype)).all() else lookup.as_float(self.rows)
        first, second = self._headings
        if check_kind(kind) != "pandas":
            return self._wide(kind, first, rows)
        frame = frame_of({str(c): column for c, column in enumerate(rows.T)})
        for axis, vertices, label in ((0, self.source_indices, first), (1, self.target_indices, second)):
            frame = frame.set_axis(list(self._names(vertices)), axis=axis).rename_axis(label, axis=axis)
        return frame

    @property
    def _headings(self) -> tuple[str, str]:
        """What rows and columns are called: by travel."""
        return ("source", "target") if self.direction == "from" else ("target", "source")

    def _wide(self, kind: str, first: str, rows: np.ndarray) -> Any:
        """Return a frame without an index, with one column per target."""
        from ..graph.arrow import as_kind

        headings = [first, *map(str, self._names(self.target_indices))]
        if len(set(headings)) < len(headings):
            twice = next(name for name in headings if headings.count(name) > 1)
            raise OptionError(f"two columns would be called {twice!r}, but need different names. Use kind='pandas'.")

        def lines(low: int, high: int) -> Columns:
            columns = zip(headings[1:], rows[low:high].T, strict=True)
            return {first: Named(self.graph.names, self.source_indices[low:high]), **dict(columns)}

        return as_kind(kind, lines, len(rows))

    def _line_count(self) -> int:
        """Return the number of distances."""
        return self.rows.size

    def _lines(self, low: int, high: int) -> Columns:
        """Return source, target and distance of the pairs that have a path among some entries of ``rows``."""
        found = entries(self.rows, low, high)
        reached = found != unreached(self.rows.dtype)
        r, c = places(self.rows, reached, low)
        first, second = self._headings
        return {
            first: Named(self.graph.names, self._starts_of(r, c)),
            second: Named(self.graph.names, self.target_indices[c]),
            "distance": found[reached],
        }

    def to_xarray(self) -> Any:
        """Return an xarray.DataArray with the dimensions source and target, labelled with the names of the vertices.

        As for `Distances.to_xarray`: inf where there is no path, so integers become float64.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Bonn"], ["Kiel", "Ulm"]).to_xarray().sel(target="Kiel").values
        array([7., 3.])
        """
        from .labelled import distances_to_xarray

        return distances_to_xarray(self, self.target_indices)

    def _starts_of(self, r: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Return the source of each entry: that of its row, or the start of its path if the row has several."""
        if self.seeds is None:
            return self.source_indices[r]
        assert self.distances is not None
        return self.distances.origins()[self.target_indices[c]]

    def _names(self, vertices: np.ndarray) -> Sequence[Any]:
        """Return the names of vertices as Python objects."""
        return [self.graph.name(v) for v in vertices.tolist()]

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
        >>> nearfar.table(g, ["Ulm", "Kiel"], ["Bonn"]).describe()["reached"]
        1
        """
        k, t = self.rows.shape
        return report.describe(self, self.rows, sources=k, targets=t)

    def __repr__(self) -> str:
        k, t = self.rows.shape
        return f"Table({k} x {t}, {self.rows.dtype}{report.by(self)})"

    def whole_rows(self, rows: Sequence[int]) -> Distances:
        """Return whole rows of some sources, searched again, with this table's distances in the columns of targets."""
        if self._search is None:
            raise OptionError("this table was not made by a query, so its rows cannot be searched again.")
        found = self._search(self, rows, None)
        found.rows[:, self.target_indices] = in_type(self.rows[list(rows)], found.rows.dtype)
        found.rounded = self.rounded
        return found

    def _both(self, ends: tuple[Hashable, ...]) -> tuple[int, int]:
        """Return the row and the column of (source, target), or of a target alone if there is one row."""
        if len(ends) == 1 and self.single:
            return 0, self._column_of(ends[0])
        if len(ends) != 2:
            raise InputTypeError(f"path got {len(ends)} vertices; write path(source, target).")
        self._refuse_source()
        return self._row_of(ends[0]), self._column_of(ends[1])

    def _refuse_source(self) -> None:
        """Refuse a source where the only row starts from several vertices."""
        if self.seeds is not None:
            raise InputTypeError(
                f"this table has one row, which starts from {len(self.seeds)} vertices; leave the source out: "
                "table[target], table.path(target)."
            )

    def _row_of(self, source: Any) -> int:
        """Return the row of a source."""
        return self._place(source, 0, "source")

    def _column_of(self, target: Any) -> int:
        """Return the column of a target."""
        return self._place(target, 1, "target")

    def _place(self, vertex: Any, axis: int, role: str) -> int:
        """Return the first row or column of a vertex."""
        if self._places is None:
            listed = (self.source_indices, self.target_indices)
            first, second = ({v: i for i, v in reversed(list(enumerate(ends.tolist())))} for ends in listed)
            self._places = (first, second)
        found = self._places[axis].get(self.graph.index(vertex, role))
        if found is None:
            raise OptionError(
                f"{vertex!r} is not a {role} of this table. Give one of table.{role}s, or run a query with it."
            )
        return found

    def _no_path(self, s: int, t: int) -> str:
        """Return the message why there is no path."""
        first, last = (s, t) if self.direction == "from" else (t, s)
        message = f"there is no path from {self.graph.name(first)!r} to {self.graph.name(last)!r}"
        if self.cutoff is not None:
            return f"{message} within the cutoff {self.cutoff}. A larger cutoff may find one."
        return f"{message}: it cannot be reached."

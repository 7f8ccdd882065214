"""`Measure`, the result of a metric: one number per vertex, or several, called by the names of the vertices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import Description
from ..errors import OptionError
from ..graph.above import Drawn
from ..graph.tables import Columns, Framed, Named
from ..results import lookup

if TYPE_CHECKING:
    from ..graph import Graph


class Measure(Framed, Drawn):
    """One number for each of some vertices, or one per column. Made by the functions of `nearfar.metrics`.

    Attributes
    ----------
    graph : Graph
    name : str
        What was measured.
    vertex_indices : int32 array
        The vertices, in the order of ``values``, by index; ``vertices`` are their names.
    values : array of length k, or of shape (k, c)
    columns : list or None
        What the columns are called, if there are several.
    plan, stats
        What was decided before the run, and what was measured during it.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
    >>> found = nearfar.metrics.eccentricity(g)
    >>> found.values, found["Kiel"], found.top(1)
    (array([ 9, 13, 13], dtype=int32), 13, [('Bonn', 13)])
    """

    __iter__ = None  # vertices are called by name, so this is no sequence
    __contains__ = None

    def __init__(
        self,
        graph: Graph,
        name: str,
        vertices: np.ndarray,
        values: np.ndarray,
        *,
        columns: Sequence[Hashable] | None = None,
        plan: Any = None,
        stats: dict[str, Any] | None = None,
    ) -> None:
        self.graph, self.name, self.vertex_indices, self.values = graph, name, vertices, values
        self.columns = None if columns is None else list(columns)
        self.plan, self.stats = plan, stats

    @property
    def vertices(self) -> Any:
        """The vertices by name, in the order of ``values``; a query takes them again."""
        return lookup.names_of(self.graph, self.vertex_indices)

    def __getitem__(self, vertex: Hashable) -> Any:
        """Return the number of a vertex, as a Python number; with several columns, a dict of them.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
        >>> nearfar.metrics.reach(g, [5, 7])[0]
        {5: 2, 7: 2}
        """
        row = self.values[self._row_of(vertex)]
        return row.item() if self.columns is None else dict(zip(self.columns, row.tolist(), strict=True))

    def to_dict(self) -> dict[Any, Any]:
        """Return the numbers by the names of the vertices.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.metrics.eccentricity(nearfar.Graph.from_arcs([0, 1], [1, 2], undirected=True)).to_dict()
        {0: 2, 1: 1, 2: 2}
        """
        names = lookup.list_names(self.graph, self.vertex_indices)
        rows = self.values.tolist()
        if self.columns is not None:
            rows = [dict(zip(self.columns, row, strict=True)) for row in rows]
        return dict(zip(names, rows, strict=True))

    def top(self, k: int = 10, *, column: Hashable | None = None) -> list[tuple[Any, Any]]:
        """Return the ``k`` vertices with the greatest numbers, as (name, number), the greatest first.

        Ties are in the order of the vertices. If there are several columns, ``column`` says which.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.metrics.closeness(nearfar.Graph.from_arcs([0, 1], [1, 2], undirected=True)).top(1)
        [(1, 1.0)]
        """
        values = self._column(column)
        first = np.argsort(-values.astype(np.float64), kind="stable")[: lookup.take_count(k)]  # nan is last
        return list(zip(lookup.list_names(self.graph, self.vertex_indices[first]), values[first].tolist(), strict=True))

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with a column of vertices, and one for each column of numbers.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> import nearfar
        >>> print(nearfar.metrics.eccentricity(nearfar.Graph.from_arcs([0, 1], [1, 2], undirected=True)).to_frame())
           vertex  eccentricity
        0       0             2
        1       1             1
        2       2             2
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of vertices."""
        return len(self.vertex_indices)

    def _lines(self, low: int, high: int) -> Columns:
        """Return some vertices and their numbers."""
        columns: Columns = {"vertex": Named(self.graph.names, self.vertex_indices[low:high])}
        if self.columns is None:
            return columns | {self.name: self.values[low:high]}
        return columns | {_heading(column): self.values[low:high, i] for i, column in enumerate(self.columns)}

    def to_xarray(self) -> Any:
        """Return an xarray.DataArray with the dimension vertex, and the dimension column if there are several.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
        >>> nearfar.metrics.reach(g, [5, 7]).to_xarray().sel(vertex=1, column=7).item()
        3
        """
        from ..results.labelled import label

        columns = {} if self.columns is None else {"column": self.columns}
        vertices = lookup.list_names(self.graph, self.vertex_indices)
        return label(self.values, {"vertex": vertices} | columns, self.name, self.graph.names)

    def describe(self) -> Description:
        """Return what ran, what it cost and what it found: a dict that prints as a table.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], undirected=True)
        >>> nearfar.metrics.eccentricity(g).describe()["greatest"]
        2
        """
        facts: dict[str, Any] = {"metric": self.name, "vertices": len(self.vertex_indices), "arcs": self.graph.m}
        facts |= {name: value for name in ("method", "device", "why") if (value := getattr(self.plan, name, None))}
        facts |= self.stats or {}
        for i, column in enumerate([""] if self.columns is None else self.columns):
            values = self.values if self.columns is None else self.values[:, i]
            tail = "" if self.columns is None else f"_{column}"
            values = values[~np.isnan(values)] if values.dtype.kind == "f" else values
            if len(values):
                facts |= {f"least{tail}": values.min().item(), f"mean{tail}": float(values.mean()),
                          f"greatest{tail}": values.max().item()}  # fmt: skip
        return Description(facts)

    def __repr__(self) -> str:
        columns = "" if self.columns is None else f", {len(self.columns)} columns"
        return f"Measure({self.name} of {len(self.vertex_indices):,} vertices{columns})"

    def _column(self, column: Hashable | None) -> np.ndarray:
        """Return one column; it must be named if there are several."""
        if self.columns is None and column is not None:
            raise OptionError(f"there is no column {column!r}: this result has one number per vertex. Leave it out.")
        if self.columns is None or (column is None and len(self.columns) == 1):
            return self.values.reshape(-1)
        if column not in self.columns:
            given = "no column was named" if column is None else f"there is no column {column!r}"
            raise OptionError(f"{given}; there are {', '.join(map(repr, self.columns))}. Give column=.")
        return self.values[:, self.columns.index(column)]

    def _row_of(self, vertex: Hashable) -> int:
        """Return the row of a vertex."""
        r = self._row_by_index.get(self.graph.index(vertex))
        if r is None:
            raise OptionError(f"{vertex!r} was not measured; this result has {len(self.vertex_indices):,} vertices.")
        return r

    @cached_property
    def _row_by_index(self) -> dict[int, int]:
        """The first row of each vertex."""
        listed = self.vertex_indices[::-1].tolist()
        return dict(zip(listed, range(len(listed) - 1, -1, -1), strict=True))


def _heading(column: Hashable) -> str:
    """Return the heading of a column in a frame: a kind and a cutoff are joined."""
    return "_".join(map(str, column)) if isinstance(column, tuple) else str(column)

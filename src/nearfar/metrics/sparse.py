"""`within`: all pairs whose distance is at most a cutoff, as a sparse matrix; never n x n numbers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ..description import Description
from ..devices import cpu
from ..engine.balls import Lists
from ..engine.query import PreparedGraph
from ..errors import MethodError
from ..graph import Graph
from ..graph.tables import Columns, Framed, Named
from ..results import lookup
from ..results.limits import choose_types
from ..store.columns import check_table, save_lines
from ..store.lines import Lines, facts_of
from .ask import MetricOptions, ask
from .near import take_cutoffs

LINES = 1 << 18  # pairs that become lines of a file at a time


class Within(Framed):
    """All pairs (source, target) within a cutoff. Made by `nearfar.metrics.within`.

    Attributes
    ----------
    graph : Graph
    source_indices : int32 array of length k
        The sources, by index; ``sources`` are their names.
    offsets : int64 array of length k + 1
        The targets of source i are ``targets[offsets[i]:offsets[i + 1]]``, the nearest first.
    targets : int32 array
        The vertices within the cutoff, by index; a source is within it itself, at distance 0.
    dist : array
        Their distances.
    cutoff : number
    direction : str

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
    >>> near = nearfar.metrics.within(g, 5)
    >>> len(near), near["Ulm"]
    (5, [('Ulm', 0), ('Bonn', 4)])
    """

    __iter__ = None  # vertices are called by name, so this is no sequence
    __contains__ = None

    def __init__(
        self, graph: Graph, sources: np.ndarray, lists: Lists, dtype: np.dtype, cutoff: float, direction: str
    ) -> None:
        self.graph, self.source_indices = graph, sources
        self.offsets, self.targets, self.dist = lists.offsets, lists.targets, lists.lengths.astype(dtype, copy=False)
        self.cutoff, self.direction = cutoff, direction

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.targets)

    @property
    def sources(self) -> Any:
        """The sources by name; a query takes them again."""
        return lookup.names_of(self.graph, self.source_indices)

    def __getitem__(self, source: Any) -> list[tuple[Any, int | float]]:
        """Return the vertices within the cutoff of a source, by name, with their distances, the nearest first."""
        i = self._row_by_index.get(self.graph.index(source, "source"))
        if i is None:
            raise MethodError(f"{source!r} is not one of the {len(self.source_indices):,} sources of this result.")
        some = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return list(zip(lookup.list_names(self.graph, self.targets[some]), self.dist[some].tolist(), strict=True))

    @cached_property
    def _row_by_index(self) -> dict[int, int]:
        """The first row of each source."""
        listed = self.source_indices[::-1].tolist()
        return dict(zip(listed, range(len(listed) - 1, -1, -1), strict=True))

    def to_scipy(self) -> Any:
        """Return a scipy.sparse.csr_array of shape (sources, vertices), with float64 distances.

        A distance of 0 is stored too: that of a source to itself.

        Examples
        --------
        >>> import nearfar
        >>> nearfar.metrics.within(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 6).to_scipy().nnz
        4
        """
        from scipy.sparse import csr_array

        shape = (len(self.source_indices), self.graph.n)
        made = csr_array((self.dist.astype(np.float64), self.targets, self.offsets), shape=shape)
        made.sort_indices()
        return made

    def _line_count(self) -> int:
        """Return the number of pairs."""
        return len(self)

    def _lines(self, low: int, high: int) -> Columns:
        """Return source, target and distance of some pairs."""
        first, second = ("source", "target") if self.direction == "from" else ("target", "source")
        some = slice(int(np.searchsorted(self.offsets, low, "right")) - 1, int(np.searchsorted(self.offsets, high)))
        ends = np.clip(self.offsets[some.start : some.stop + 1], low, high)
        sources, names = np.repeat(self.source_indices[some], np.diff(ends)), self.graph.names
        targets = self.targets[low:high]
        return {first: Named(names, sources), second: Named(names, targets), "distance": self.dist[low:high]}

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns source, target and distance, one line per pair.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> import nearfar
        >>> print(nearfar.metrics.within(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 6).to_frame())
           source  target  distance
        0       0       0         0
        1       0       1         5
        2       1       1         0
        3       2       2         0
        """
        return self._framed(kind)

    def to_arrow(self) -> Any:
        """Return a pyarrow.Table with columns source, target and distance, as `to_frame` has them."""
        return self._framed("arrow")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with one line per pair to a .csv, .csv.gz or .parquet file, which appears whole or not at all.

        Names are numbers or text there: cells and other tuples are text. In .parquet, names that are words are
        dictionary columns, and a row group holds whole sources.

        Examples
        --------
        >>> import nearfar, pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "near.csv"
        >>> nearfar.metrics.within(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 6).save(file)
        >>> file.read_text().split()
        ['source,target,distance', '0,0,0', '0,1,5', '1,1,0', '2,2,0']
        """
        check_table(os.fspath(path))
        save_lines(self._pieces(), os.fspath(path), facts_of(self.direction, self.cutoff, self.dist.dtype, False))

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write a .parquet file, whatever it is called, as `save` does.

        Examples
        --------
        >>> import nearfar, tempfile
        >>> near = nearfar.metrics.within(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 6)
        >>> near.to_parquet(tempfile.mkdtemp() + "/near.parquet")
        """
        facts = facts_of(self.direction, self.cutoff, self.dist.dtype, False)
        save_lines(self._pieces(), os.fspath(path), facts, ".parquet")

    def _pieces(self) -> Iterator[Lines]:
        """Yield some lines at a time, and where sources end among them."""
        for low in range(0, max(1, len(self)), LINES):
            high = min(low + LINES, len(self))
            ends = self.offsets[
                np.searchsorted(self.offsets, low, "right") : np.searchsorted(self.offsets, high, "right")
            ]
            yield self._lines(low, high), ends - low

    def describe(self) -> Description:
        """Return how many pairs there are, and what they take: a dict that prints as a table."""
        counts = np.diff(self.offsets)
        size = self.offsets.nbytes + self.targets.nbytes + self.dist.nbytes
        return Description(
            sources=len(counts), vertices=self.graph.n, arcs=self.graph.m, cutoff=self.cutoff, pairs=len(self),
            mean=float(counts.mean()) if len(counts) else 0.0, most=int(counts.max(initial=0)), bytes=size,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Within(sources={len(self.source_indices)}, pairs={len(self)}, cutoff={self.cutoff})"


def within(
    graph: Graph | PreparedGraph,
    cutoff: float,
    sources: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    threads: int | None = None,
    progress: bool | Callable[[int, int], object] = False,
    memory: float | str | None = None,
    client: Any = None,
) -> Within:
    """Return all pairs of vertices whose distance is at most a cutoff.

    Parameters
    ----------
    graph : Graph or Prepared
    cutoff : number
        A vertex at exactly this distance counts.
    sources : vertices, optional
        By default all vertices.
    hops : bool
        Whether every arc counts 1, whatever it weighs.
    direction : {"from", "to"}
    threads, progress, memory, client
        As in `nearfar.mssp`.

    Examples
    --------
    >>> import nearfar
    >>> near = nearfar.metrics.within(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7]), 6)
    >>> near.to_scipy().toarray()
    array([[0., 5., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    (end,) = take_cutoffs([cutoff])
    options: MetricOptions = {"threads": threads, "progress": progress, "memory": memory, "client": client}
    asked = ask(graph, sources, hops, direction, options)
    query = asked.query
    if query.graph.min_weight < 0:
        raise MethodError(
            "within(...) needs weights >= 0: a path may leave the cutoff and return over negative weights. Use mssp "
            "with a cutoff, some sources at a time."
        )
    available = cpu.facts().memory if query.memory is None else query.memory
    lists = asked.list_near(end, available)
    types = choose_types(query.graph, None, False)
    dtype = types[0] if types[0].kind == "f" or end < np.iinfo(types[0]).max else types[-1]
    return Within(asked.graph, asked.vertices, lists, dtype, end, direction)

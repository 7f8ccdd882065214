"""Betweenness of vertices and of arcs: how many shortest paths lead through each, exactly, all ties counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from ..description import Description
from ..engine.query import PreparedGraph, Query, take_vertices
from ..errors import InputTypeError, OptionError
from ..graph import Graph
from ..graph.above import Drawn
from ..graph.tables import Columns, Framed, Named
from ..results.lookup import take_count
from .ask import Asked, MetricOptions, ask, take_flag
from .measure import Measure

TIES = ("near", "exact")


class ArcMeasure(Framed, Drawn):
    """One number per arc. Made by `nearfar.metrics.edge_betweenness`.

    Attributes
    ----------
    graph : Graph
    name : str
    values : float64 array of length m
        One number per arc, in the order of ``graph.arcs``; ``by_row`` has them in the order of your table.
    stats : dict
        What was measured during the run.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([1, 0], [2, 1], [5, 7], undirected=True)
    >>> found = nearfar.metrics.edge_betweenness(g, normalized=False)
    >>> found.by_row(), found[0, 1]
    (array([2., 2.]), 2.0)
    """

    __iter__ = None
    __contains__ = None

    def __init__(self, graph: Graph, name: str, values: np.ndarray, stats: dict[str, Any] | None = None) -> None:
        self.graph, self.name, self.values, self.stats = graph, name, values, stats

    def by_row(self) -> np.ndarray:
        """Return one number per row of the input, as `Graph.rows` counts them.

        In an undirected graph, both arcs of an edge count together.
        """
        totals = np.zeros(self.graph.input_rows.count)
        np.add.at(totals, self.graph.rows, self.values)
        return totals

    def __getitem__(self, ends: tuple[Any, Any]) -> float:
        """Return the number of the arcs between two vertices; both directions together if the graph is undirected."""
        if not isinstance(ends, tuple) or len(ends) != 2:
            raise InputTypeError(f"result[...] got {ends!r:.60}; write result[tail, head].")
        pairs = [ends, ends[::-1]] if self.graph.undirected and ends[0] != ends[1] else [ends]
        arcs = np.concatenate([self.graph.find_arcs(*pair) for pair in pairs])
        if not len(arcs):
            raise OptionError(f"no arc leads from {ends[0]!r} to {ends[1]!r}.")
        return float(self.values[arcs].sum())

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns tail, head and the numbers, one line per arc.

        In an undirected graph there is one line per edge, with both directions together.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.

        Examples
        --------
        >>> import nearfar
        >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
        >>> print(nearfar.metrics.edge_betweenness(g, normalized=False).to_frame())
           tail  head  edge_betweenness
        0     0     1               2.0
        1     1     2               2.0
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of arcs, or of edges."""
        return len(self._edges[0]) if self.graph.undirected else self.graph.m

    def _lines(self, low: int, high: int) -> Columns:
        """Return some arcs, or edges, and their numbers."""
        graph = self.graph
        some: Any = self._edges[0][low:high] if graph.undirected else slice(low, high)
        values = self._edges[1] if graph.undirected else self.values
        tails, heads = Named(graph.names, graph.tails[some]), Named(graph.names, graph.heads[some])
        return {"tail": tails, "head": heads, self.name: values[low:high]}

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The first arc of every row of an undirected graph that is open, and the numbers of these rows."""
        rows = self.by_row()
        first = np.full(len(rows), -1, np.int64)
        order = np.arange(self.graph.m)[::-1]
        first[self.graph.rows[order]] = order
        return first[first >= 0], rows[first >= 0]

    def describe(self) -> Description:
        """Return what ran and what it found: a dict that prints as a table."""
        found = {"mean": float(self.values.mean()), "greatest": self.values.max().item()} if len(self.values) else {}
        return Description({"metric": self.name, "arcs": self.graph.m} | (self.stats or {}) | found)

    def __repr__(self) -> str:
        return f"ArcMeasure({self.name} of {self.graph.m:,} arcs)"


def betweenness(
    graph: Graph | PreparedGraph,
    *,
    sources: Any = None,
    targets: Any = None,
    samples: int | None = None,
    seed: int | None = None,
    hops: bool = False,
    normalized: bool = True,
    endpoints: bool = False,
    ties: str = "near",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return the betweenness of all vertices: the share of shortest paths that lead through each.

    Parameters
    ----------
    graph : Graph or Prepared
        Weights are not negative, and no cycle has weight 0.
    sources, targets : vertices, optional
        Only paths from these, and to these, count; by default from all and to all.
    samples : int, optional
        Take this many random sources, and scale the result up: an estimate.
    seed : int, optional
        For ``samples``.
    hops : bool
        Whether every arc counts 1, whatever it weighs.
    normalized : bool
        Whether to divide by the number of pairs, as NetworkX does.
    endpoints : bool
        Whether paths count at their ends, too.
    ties : {"near", "exact"}
        Which float lengths are the same: those that differ by rounding only (a relative error of 1e-12), or those that
        are equal to the bit when they are added along the path, as NetworkX has it.
    **options
        ``threads``, ``progress``, ``memory`` and ``cutoff``: pairs farther apart than that do not count. ``method`` is
        "dijkstra", a search per source, or "prepared", which has neither ``endpoints`` nor exact ties; the CPU does it.

    Notes
    -----
    Numbers are sums of shares. Threads, and tasks of a cluster (``client=``), add up their own and are added then, so
    the last digits depend on how many there are; on a cluster not on which worker is faster.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> nearfar.metrics.betweenness(g, normalized=False).values
    array([0., 2., 2., 0.])
    """
    normalized, endpoints = take_flag("normalized", normalized), take_flag("endpoints", endpoints)
    asked, wanted, sampled = _take(graph, sources, targets, samples, seed, hops, ties, options)
    (through, ends, _), facts = asked.find_loads(wanted, ends=endpoints, arcs=False, exact=ties == "exact")
    values = through if ends is None else through + ends
    n = asked.graph.n if endpoints else asked.graph.n - 1
    values = values * _scales(asked, n, normalized, sampled, endpoints)
    everyone = np.arange(asked.graph.n, dtype=np.int32)
    return Measure(asked.graph, "betweenness", everyone, values, **facts)


def edge_betweenness(
    graph: Graph | PreparedGraph,
    *,
    sources: Any = None,
    targets: Any = None,
    samples: int | None = None,
    seed: int | None = None,
    hops: bool = False,
    normalized: bool = True,
    ties: str = "near",
    **options: Unpack[MetricOptions],
) -> ArcMeasure:
    """Return the betweenness of all arcs: the share of shortest paths that lead over each.

    Parameters
    ----------
    graph, sources, targets, samples, seed, hops, normalized, ties, **options
        As for `betweenness`.

    Notes
    -----
    In an undirected graph the two arcs of an edge have their own numbers; their sum is what NetworkX calls the
    betweenness of the edge, and what ``result[u, v]``, ``by_row()`` and ``to_frame()`` give.

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    >>> nearfar.metrics.edge_betweenness(g, normalized=False).by_row()
    array([3., 4., 3.])
    """
    normalized = take_flag("normalized", normalized)
    asked, wanted, sampled = _take(graph, sources, targets, samples, seed, hops, ties, options)
    (_, _, loads), facts = asked.find_loads(wanted, ends=False, arcs=True, exact=ties == "exact")
    assert loads is not None
    scale = _scales(asked, asked.graph.n, normalized, sampled, True)
    return ArcMeasure(asked.graph, "edge_betweenness", loads * scale, facts["stats"])


def _take(
    graph: Graph | PreparedGraph, sources: Any, targets: Any, samples: Any, seed: Any, hops: bool, ties: str,
    options: MetricOptions,
) -> tuple[Asked, np.ndarray, np.ndarray | None]:  # fmt: skip
    """Return the checked question, which vertices are targets, and the sources that were drawn, None if all count."""
    if ties not in TIES:
        raise OptionError(f"ties is {ties!r}, but must be one of {', '.join(map(repr, TIES))}.")
    if samples is not None and sources is not None:
        raise OptionError("both sources and samples are given; leave one of them out.")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
        raise InputTypeError(f"seed is {seed!r:.60}; give a whole number, 0 or more.")
    asked = ask(graph, sources, hops, "from", options)
    if sources is not None:  # each counts once, as targets do
        once = np.unique(asked.vertices)
        asked = Asked(asked.graph, once, _from(asked.query, once), asked.client)
    wanted = np.ones(asked.graph.n)
    if targets is not None:
        wanted[:] = 0.0
        wanted[take_vertices(asked.graph, targets, "target")] = 1.0
    if samples is None or take_count(samples, "samples") >= asked.graph.n:
        return asked, wanted, None
    drawn = np.random.default_rng(seed).choice(asked.graph.n, samples, replace=False).astype(np.int32)
    return Asked(asked.graph, drawn, _from(asked.query, drawn), asked.client), wanted, drawn


def _from(query: Query, sources: Sequence[int] | np.ndarray) -> Query:
    """Return the query from other sources."""
    return query.but(sources=np.asarray(sources, np.int32))


def _scales(asked: Asked, n: int, normalized: bool, sampled: np.ndarray | None, endpoints: bool) -> Any:
    """Return what NetworkX multiplies by: one number, or one per vertex if sources were drawn and ends do not count.

    ``n``: how many vertices can be the other end of a pair, seen from a vertex.
    """
    if n < 2:
        return 1.0
    both = 1 if asked.graph.undirected is False else 2
    count = n if sampled is None else len(sampled)

    def scale(k: float) -> float:
        if k == 0:
            return float("nan")
        return 1 / (k * (n - 1)) if normalized else n / (k * both)

    if sampled is None or endpoints:
        return scale(count)
    scales = np.full(asked.graph.n, scale(count))
    scales[sampled] = scale(count - 1)
    return scales

"""How many vertices are near: `reach` within cutoffs, and the `histogram` of the distances of all pairs."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any, Unpack

import numpy as np

from ..description import Description
from ..engine.folds import Wanted
from ..engine.query import PreparedGraph
from ..errors import InputTypeError, MethodError, OptionError
from ..graph import Graph
from ..graph.above import Drawn
from ..graph.tables import Columns, Framed
from .ask import Asked, MetricOptions, ask
from .measure import Measure

MOST_BINS = 10_000


class Histogram(Framed, Drawn):
    """How many distances lie in each of several bins. Made by `histogram`; unpacks to (counts, edges), as NumPy has it.

    Attributes
    ----------
    counts : int64 array
    edges : float64 array, one longer

    Examples
    --------
    >>> import nearfar
    >>> found = nearfar.metrics.histogram(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True), [0, 6, 12])
    >>> found.counts
    array([2, 4])
    >>> print(found.to_frame())
        low  high  pairs
    0   0.0   6.0      2
    1   6.0  12.0      4
    """

    def __init__(self, counts: np.ndarray, edges: np.ndarray) -> None:
        self.counts, self.edges = counts, edges

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter((self.counts, self.edges))

    def __getitem__(self, which: int) -> np.ndarray:
        """Return the counts, 0, or the edges, 1."""
        return (self.counts, self.edges)[which]

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame with columns low, high and pairs, one line per bin.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table.
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of bins."""
        return len(self.counts)

    def _lines(self, low: int, high: int) -> Columns:
        """Return some bins and their counts."""
        return {
            "low": self.edges[low:high],
            "high": self.edges[low + 1 : high + 1],
            "pairs": self.counts[low:high],
        }

    def describe(self) -> Description:
        """Return how many pairs there are, and where: a dict that prints as a table."""
        least, greatest = self.edges[[0, -1]].tolist()
        return Description(bins=len(self.counts), pairs=int(self.counts.sum()), least=least, greatest=greatest)

    def __repr__(self) -> str:
        return f"Histogram({self.counts.sum():,} pairs in {len(self.counts)} bins)"


def take_cutoffs(cutoffs: Any) -> list[float]:
    """Return a list of cutoffs, in the order given."""
    listed = list(cutoffs) if isinstance(cutoffs, list | tuple | range | np.ndarray) else [cutoffs]
    if not listed:
        raise OptionError("cutoffs is empty; give at least one distance, such as cutoffs=[600, 1200].")
    for i, cutoff in enumerate(listed):
        if isinstance(cutoff, bool) or not isinstance(cutoff, numbers.Real):
            raise InputTypeError(f"a cutoff is {cutoff!r:.60}, a {type(cutoff).__name__}; give numbers, in a list.")
        if not float(cutoff) >= 0:
            raise OptionError(f"a cutoff is {cutoff}; it must be 0 or more.")
        if cutoff in listed[:i]:
            raise OptionError(f"the cutoff {cutoff} is given twice; give each once.")
    return [cutoff.item() if isinstance(cutoff, np.generic) else cutoff for cutoff in listed]


def reach(
    graph: Graph | PreparedGraph,
    cutoffs: Any,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return how many vertices lie within each of several cutoffs of a vertex, itself included.

    Parameters
    ----------
    graph : Graph or Prepared
    cutoffs : number or list of numbers
        A vertex at exactly this distance counts. There is one column per cutoff.
    vertices, hops, **options
        As for `closeness`.
    direction : {"from", "to"}

    Examples
    --------
    >>> import nearfar
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
    >>> nearfar.metrics.reach(g, [5, 7]).values
    array([[2, 2],
           [2, 3],
           [1, 2]])
    """
    listed = take_cutoffs(cutoffs)
    asked = ask(graph, vertices, hops, direction, options)
    ascending = tuple(sorted(set(listed)))
    ones = np.ones((1, asked.graph.n), np.int32)
    folded, facts = asked.fold(Wanted(cutoffs=ascending, amounts=ones))
    assert folded.totals is not None
    values = folded.totals[:, 0, [ascending.index(cutoff) for cutoff in listed]].astype(np.int64)
    return asked.measure("reach", values, facts, listed)


def histogram(
    graph: Graph | PreparedGraph,
    bins: Any = 20,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Histogram:
    """Return how many pairs of different vertices have a distance in each of several bins.

    Parameters
    ----------
    graph : Graph or Prepared
    bins : int or list of numbers
        The number of bins, of equal width, up to the greatest distance; or their edges. As in `numpy.histogram`, a bin
        contains its left edge, and the last one both. A pair counts in both directions.
    vertices, hops, **options
        As for `closeness`: pairs start at these vertices.
    direction : {"from", "to"}

    Returns
    -------
    Histogram
        With ``counts`` and ``edges``, which it unpacks to, ``to_frame()`` and ``describe()``.

    Examples
    --------
    >>> import nearfar
    >>> counts, edges = nearfar.metrics.histogram(nearfar.generate.road_grid(30, 30, seed=1), [0, 5000, 20000, 80000])
    >>> counts
    array([ 17376, 219726, 571998])
    """
    with ask(graph, vertices, hops, direction, options).staying() as asked:
        return _histogram(bins, asked)


def _histogram(bins: Any, asked: Asked) -> Histogram:
    """Count the pairs in every bin, after a run that finds the greatest distance if that is where the bins end."""
    edges, is_whole = _take_edges(bins, asked)
    last = np.inf if is_whole and asked.query.cutoff is None else edges[-1]  # a sum may be rounded up there
    ends = (*edges[:-1].tolist(), float(last))
    ones = np.ones((1, asked.graph.n), np.int32)
    folded, _ = asked.fold(Wanted(cutoffs=ends, amounts=ones, open_ends=len(ends) - 1))
    assert folded.totals is not None
    within = folded.totals[:, 0, :].sum(axis=0, dtype=np.int64)
    own = np.append(edges[:-1] > 0, last >= 0)  # every vertex is at distance 0 from itself
    within -= len(asked.vertices) * own
    return Histogram(np.diff(within), edges)


def _take_edges(bins: Any, asked: Asked) -> tuple[np.ndarray, bool]:
    """Return the edges of the bins, ascending, and whether they reach up to the greatest distance."""
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if not 1 <= bins <= MOST_BINS:
            raise OptionError(f"bins is {bins}; give 1 to {MOST_BINS:,}, or a list of edges.")
        if asked.query.graph.min_weight < 0:
            raise MethodError("distances may be negative, and bins begin at 0. Give a list of edges.")
        most = asked.query.cutoff
        if most is None or most == np.inf:
            folded, _ = asked.fold(Wanted(greatest=True))
            assert folded.greatest is not None
            most = folded.greatest.max(initial=0).item()
        return np.linspace(0.0, float(most) or 1.0, int(bins) + 1), True
    try:
        edges = np.asarray(bins, np.float64)
    except (TypeError, ValueError):
        edges = np.empty(0)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all() or not np.isfinite(edges).all():
        raise OptionError(f"bins is {bins!r:.60}; give the number of bins, or at least two finite edges that ascend.")
    return edges, False

"""Diameter, radius, centre and periphery from a few rows, by bounds on eccentricities (Takes and Kosters 2011).

Let e(v) be the distance from v to the farthest vertex. The row of a pivot p tells e(p), and bounds for all others: a
path from v may lead over p, so e(v) <= d(v, p) + e(p); one from p may lead over v, so e(v) >= e(p) - d(p, v); and
e(v) >= d(v, p). The next pivot is a vertex whose bounds leave most open: in turns the one that may be the farthest
apart, and the one that may be the most central. A vertex is settled when its bounds rule it out, or meet. Roads need
some 15 rows. Directed graphs take a row from the pivot and one to it.

That needs d(v, p) and d(p, v) for all v, so it holds in strongly connected graphs, or within the components of an
undirected graph. In all others, the row of every vertex is folded.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Unpack

import numpy as np

from ..description import Description
from ..engine.estimate import seconds_on_cpu, with_seconds
from ..engine.folds import Wanted
from ..engine.query import PreparedGraph, check
from ..engine.solve import plan_query
from ..errors import GraphError, InputTypeError, OptionError
from ..graph import Graph
from ..progress import watcher
from ..results import lookup
from ..results.limits import unreached
from .ask import Asked, MetricOptions, ask, take_flag
from .centrality import eccentricities

# Relative: sums of floats depend on their order, and a bound may be off by their rounding.
SLACK, NARROW_SLACK = 1e-9, 1e-4
PIVOT_SECONDS = 1e-4  # of a query and of narrowing the bounds, beside the search: 0.13 ms per row of 160 vertices


@dataclass(frozen=True)
class Extent:
    """How far apart the vertices of a graph are. Made by `nearfar.metrics.extent`.

    Attributes
    ----------
    diameter, radius : number or None
        The greatest and the least eccentricity; None if it was not asked for.
    center, periphery : list or None
        The vertices that have them, by name.
    rows : int
        The rows of distances that it took.
    """

    diameter: int | float | None = None
    radius: int | float | None = None
    center: list[Any] | None = None
    periphery: list[Any] | None = None
    rows: int = 0

    def describe(self) -> Description:
        """Return what was found, and the rows that it took: a dict that prints as a table.

        Examples
        --------
        >>> import nearfar
        >>> print(nearfar.metrics.extent(nearfar.generate.road_grid(30, 30, seed=1), ["diameter", "radius"]).describe())
        diameter  77,304
        radius    39,584
        rows      11
        """
        return Description({name: value for name, value in asdict(self).items() if value is not None})


def extent(
    graph: Graph | PreparedGraph,
    wanted: Any = ("diameter", "radius", "center", "periphery"),
    *,
    hops: bool = False,
    reached_only: bool = False,
    **options: Unpack[MetricOptions],
) -> Extent:
    """Return diameter, radius, centre and periphery, exactly, from as few rows as possible.

    Parameters
    ----------
    graph : Graph or Prepared
    wanted : str or list of str
        What to find: "diameter", "radius", "center", "periphery".
    hops : bool
        Whether every arc counts 1, whatever it weighs.
    reached_only : bool
        Whether vertices that are not reached do not count. Otherwise they are at distance inf.
    **options
        As for `closeness`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.extent(nearfar.generate.road_grid(30, 30, seed=1), ["diameter", "radius"])
    Extent(diameter=77304, radius=39584, center=None, periphery=None, rows=11)
    """
    goals, reached_only = _take_goals(wanted), take_flag("reached_only", reached_only)
    if options.get("cutoff") is not None:
        raise OptionError(
            "the extent of a graph has no cutoff: it is what is farthest away that matters. Leave it out."
        )
    asked = ask(graph, None, hops, "from", options)
    if not asked.graph.n:
        raise GraphError("the graph has no vertices, so it has no diameter. Give a graph with at least one.")
    is_own = asked.query.asked is asked.graph
    with asked.staying() as connected:
        return _Search(graph if is_own else asked.query.asked, connected, options).run(goals, reached_only)


GOALS = ("diameter", "radius", "center", "periphery")


def _take_goals(wanted: Any) -> list[str]:
    """Return what is wanted, as a list of known words."""
    if not isinstance(wanted, str | list | tuple | set):
        raise InputTypeError(f"wanted is {wanted!r:.60}; give one or several of {', '.join(map(repr, GOALS))}.")
    goals = [wanted] if isinstance(wanted, str) else list(wanted)
    if not goals:
        raise OptionError(f"wanted is empty; give one or several of {', '.join(map(repr, GOALS))}.")
    for goal in goals:
        if goal not in GOALS:
            raise OptionError(f"wanted is {goal!r}, but must be one of {', '.join(map(repr, GOALS))}.")
    return goals


def diameter(
    graph: Graph | PreparedGraph, *, hops: bool = False, reached_only: bool = False, **options: Unpack[MetricOptions]
) -> int | float:
    """Return the greatest distance of any two vertices; the arguments are those of `extent`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.diameter(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True))
    12
    """
    found = extent(graph, "diameter", hops=hops, reached_only=reached_only, **options).diameter
    assert found is not None
    return found


def radius(
    graph: Graph | PreparedGraph, *, hops: bool = False, reached_only: bool = False, **options: Unpack[MetricOptions]
) -> int | float:
    """Return the least eccentricity of any vertex; the arguments are those of `extent`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.radius(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True))
    7
    """
    found = extent(graph, "radius", hops=hops, reached_only=reached_only, **options).radius
    assert found is not None
    return found


def center(
    graph: Graph | PreparedGraph, *, hops: bool = False, reached_only: bool = False, **options: Unpack[MetricOptions]
) -> list[Any]:
    """Return the vertices whose eccentricity is the radius, by name; the arguments are those of `extent`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.center(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True))
    [1]
    """
    found = extent(graph, "center", hops=hops, reached_only=reached_only, **options).center
    assert found is not None
    return found


def periphery(
    graph: Graph | PreparedGraph, *, hops: bool = False, reached_only: bool = False, **options: Unpack[MetricOptions]
) -> list[Any]:
    """Return the vertices whose eccentricity is the diameter, by name; the arguments are those of `extent`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.metrics.periphery(nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True))
    [0, 2]
    """
    found = extent(graph, "periphery", hops=hops, reached_only=reached_only, **options).periphery
    assert found is not None
    return found


class _Search:
    """The bounds of all eccentricities, made narrower row by row."""

    def __init__(self, graph: Graph | PreparedGraph, asked: Asked, options: MetricOptions) -> None:
        self.graph, self.asked, self.options = graph, asked, options
        self.searched = asked.query.asked
        self.rows = 0
        self.lower = self.upper = np.empty(0)
        self.known = np.zeros(asked.graph.n, bool)  # whose eccentricity is known exactly
        self.costs: tuple[float, float] | None = None  # seconds of a pivot's row, and of all rows at once
        self.most: Any = 0  # the greatest and the least eccentricity that is known
        self.least: Any = 0

    def run(self, goals: list[str], reached_only: bool) -> Extent:
        """Take pivots while they help, then the rows of all vertices if some are still open."""
        is_whole = self._pivot(self.searched.busiest)
        if not is_whole and not (reached_only and self.searched.undirected):
            return self._apart(goals, reached_only)
        if self._narrow(goals):
            return self._found(goals, self.lower)
        return self._folded(goals, reached_only)

    def _narrow(self, goals: list[str]) -> bool:
        """Take pivots until no vertex is open for any goal; return False if the rows of all would be quicker."""
        pivots, farthest_next = [self.searched.busiest], True
        with watcher(self.asked.query.progress, self.searched.n, pivots) as watch:
            while len(still_open := self._open(goals)):
                if self._is_folding_quicker(len(still_open)):
                    return False
                bound = self.upper if farthest_next else -self.lower
                pivots.append(int(still_open[np.argmax(bound[still_open])]))
                self._pivot(pivots[-1])
                farthest_next = not farthest_next
                if watch is not None:
                    watch()
        return True

    def _is_folding_quicker(self, still_open: int) -> bool:
        """Tell whether the rows so far took as long as those of all vertices at once would, and many are still open.

        In a complete graph every vertex is as far as any other, so no row rules out another vertex. Turning to all rows
        then costs at most twice the better choice.
        """
        if still_open <= self.rows:
            return False
        query = self.asked.query
        if self.costs is None:
            everything = with_seconds(plan_query(query), query.graph, query.hierarchy is not None)
            single = seconds_on_cpu(query.graph, 1, "dijkstra", query.threads, 4)
            self.costs = PIVOT_SECONDS + single, everything.seconds if everything.seconds is not None else math.inf
        row, all_rows = self.costs
        return self.rows * row > all_rows

    def _pivot(self, p: int) -> bool:
        """Narrow the bounds by the row from a vertex and the row to it; return whether these reach all vertices."""
        out = self._row(p, "from")
        back = out if self.searched.undirected else self._row(p, "to")
        mark = unreached(out.dtype)
        both = (out != mark) & (back != mark)
        whole = bool(both.all())
        kind = np.float64 if out.dtype.kind == "f" else np.int64
        if not len(self.lower):
            self.lower = np.zeros(self.searched.n, kind)
            self.upper = np.full(self.searched.n, np.inf if kind is np.float64 else np.iinfo(np.int64).max, kind)
        most = kind(out[out != mark].max())
        both &= ~self.known  # a bound that is rounded must not touch what is known
        there, here = back[both].astype(kind), out[both].astype(kind)
        self.lower[both] = np.maximum(self.lower[both], np.maximum(there, most - here))
        self.upper[both] = np.minimum(self.upper[both], there + most)
        self.lower[p] = self.upper[p] = most
        if kind is np.int64:  # bounds that are sums of floats are rounded
            self.known = self.lower == self.upper
        self.known[p] = True
        self.most, self.least = self.lower[self.known].max(), self.lower[self.known].min()
        return whole

    def _row(self, p: int, direction: str) -> np.ndarray:
        """Return the row of distances from a vertex, or to it."""
        self.rows += 1
        options: Any = {name: value for name, value in self.options.items() if name != "client"}
        options["progress"] = False  # that of all pivots together is shown
        query = check(self.graph, np.array([p], np.int32), single=True, direction=direction, **options)
        return self.asked.solve(query).rows[0]

    def _open(self, goals: list[str]) -> np.ndarray:
        """Return the vertices whose eccentricity must still be known better for one of the goals."""
        slack = 0.0
        if self.lower.dtype.kind == "f":
            slack = NARROW_SLACK if self.searched.weight_dtype == np.float32 else SLACK
        unsure = ~self.known
        above, below = self.upper > self.most * (1 + slack), self.lower < self.least * (1 - slack)
        is_open = np.zeros(len(unsure), bool)
        if "diameter" in goals or "periphery" in goals:
            is_open |= above
        if "radius" in goals or "center" in goals:
            is_open |= below
        if "periphery" in goals:
            is_open |= unsure & (self.upper >= self.most * (1 - slack))
        if "center" in goals:
            is_open |= unsure & (self.lower <= self.least * (1 + slack))
        return np.flatnonzero(is_open & unsure)

    def _found(self, goals: list[str], values: np.ndarray) -> Extent:
        """Return what was asked for, given the eccentricities that are known."""
        most, least = values.dtype.type(self.most), values.dtype.type(self.least)
        return Extent(
            most.item() if "diameter" in goals else None,
            least.item() if "radius" in goals else None,
            self._names(values == least) if "center" in goals else None,
            self._names(values == most) if "periphery" in goals else None,
            self.rows,
        )

    def _names(self, has_it: np.ndarray) -> list[Any]:
        """Return the names of the vertices that are known to have an eccentricity."""
        return lookup.list_names(self.asked.graph, np.flatnonzero(has_it & self.known))

    def _apart(self, goals: list[str], reached_only: bool) -> Extent:
        """Return what was asked for of a graph in which some vertex does not reach another."""
        if reached_only or not (self.searched.undirected or goals == ["diameter"]):
            return self._folded(goals, reached_only)
        return self._all_known(goals, np.full(self.searched.n, np.inf))

    def _folded(self, goals: list[str], reached_only: bool) -> Extent:
        """Return what was asked for from the rows of all vertices."""
        folded, _ = self.asked.fold(Wanted(greatest=True, counts=not reached_only))
        values = eccentricities(self.asked, folded)
        self.rows += len(values)
        return self._all_known(goals, values)

    def _all_known(self, goals: list[str], values: np.ndarray) -> Extent:
        """Return what was asked for, given all eccentricities."""
        self.most, self.least = values.max(), values.min()
        self.known[:] = True
        return self._found(goals, values)

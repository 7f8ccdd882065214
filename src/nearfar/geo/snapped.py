"""`Snapped`: where points lie on a graph, at vertices or along arcs; queries take it for their sources.

A point along an arc is between two vertices: a search from it begins at both, at the travel times to them, wherever
arcs lead there. So a one-way street is left at its end only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..description import Description
from ..engine.query import Located
from ..errors import MethodError, OptionError, VertexError
from ..graph import Graph
from ..graph.arrays import shorten
from ..graph.tables import Columns, Framed, Named
from ..results.lookup import list_names, names_of


class Snapped(Located, Framed):
    """Points on a graph. Made by `nearfar.geo.snap`.

    Queries take it as a source or sources. `vertices` are the names of the vertices, if points were snapped to these.

    Attributes
    ----------
    graph : Graph
    on : str
        "vertices" or "arcs".
    distance : float64 array
        How far each point is from its place on the graph, in ``unit``. inf where there is none.
    unit : str or None
        "m" if coordinates are degrees, else their unit.
    found : array of bools
        Which points have a place.
    tails, heads : int32 arrays
        The ends of the arc, by index; on a two-way street one of its two arcs. At a vertex both are the vertex. -1
        where there is none.
    fraction : float64 array
        Where on the arc, from 0 at its tail to 1 at its head.
    points : float64 array of shape (k, 2)
        The coordinates of the places; NaN where there is none.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> places = nearfar.geo.snap(city, [-20.002, -19.99], [44.999, 45.01])
    >>> places.vertices
    ['Forest Street / 29th Avenue', 'Tower Street / 39th Avenue']
    >>> places.distance.round(1)
    array([33. , 40.7])
    >>> nearfar.sssp(city, places[0])[places.vertices[1]]
    277
    """

    def __init__(
        self,
        graph: Graph,
        on: str,
        tails: np.ndarray,
        heads: np.ndarray,
        fraction: np.ndarray,
        distance: np.ndarray,
        points: np.ndarray,
        unit: str | None = None,
    ) -> None:
        self.graph, self.on, self.unit = graph, on, unit
        self.tails, self.heads, self.fraction = tails, heads, fraction
        self.distance, self.points = distance, points

    def __len__(self) -> int:
        return len(self.tails)

    def __getitem__(self, which: Any) -> Snapped:
        """Return one point, or some: a position, a slice, positions or a mask."""
        pick: Any = [which] if isinstance(which, int | np.integer) else which
        ends = self.tails[pick], self.heads[pick], self.fraction[pick]
        return Snapped(self.graph, self.on, *ends, self.distance[pick], self.points[pick], self.unit)

    @property
    def found(self) -> np.ndarray:
        """Which points have a place on the graph."""
        return self.tails >= 0

    @property
    def indices(self) -> np.ndarray:
        """The index of each point's vertex, int32; -1 where there is none."""
        if self.on == "arcs":
            raise MethodError(
                "these points lie along arcs, between two vertices. As one source, or as sources of nearest, they are "
                "taken as they are, and geo.distances makes a table; or snap to vertices (on='vertices')."
            )
        return self.tails

    @property
    def vertices(self) -> Any:
        """The names of the vertices; every point must have been found."""
        return names_of(self.graph, self.vertices_on(self.graph))

    @property
    def vertex(self) -> Any:
        """The name of the only vertex."""
        if len(self) != 1:
            raise MethodError(f"there are {len(self)} points, so there is no one vertex. Use .vertices.")
        return list_names(self.graph, self.vertices_on(self.graph))[0]

    def vertices_on(self, graph: Graph) -> np.ndarray:
        """Return the index of each point's vertex; points without one raise an error."""
        self._check(graph)
        return self.indices

    def starts_on(self, graph: Graph, direction: str = "from") -> dict[Any, float]:
        """Return where a search from the points begins: vertices by name, and the travel times to them.

        With direction "to", it is the travel times from them, to the points.
        """
        starts: dict[int, float] = {}
        for found in self._starts(graph, direction):
            for v, start in found:
                starts[v] = min(start, starts.get(v, start))
        return {graph.name(v): start for v, start in starts.items()}

    def starts_of_each(self, graph: Graph, direction: str) -> tuple[np.ndarray, np.ndarray]:
        """Return where a search from each point begins: vertices by index and times, shape (k, 2), inf without one."""
        vertices, times = np.zeros((len(self), 2), np.int64), np.full((len(self), 2), np.inf)
        for i, found in enumerate(self._starts(graph, direction)):
            for j, (v, start) in enumerate(found):
                vertices[i, j], times[i, j] = v, start
        return vertices, times

    def _starts(self, graph: Graph, direction: str) -> Iterator[list[tuple[int, float]]]:
        """Yield where a search from each point begins."""
        for place in self.places_on(graph):
            yield starts_of_point(graph, *place, direction)

    def places_on(self, graph: Graph) -> Iterator[tuple[int, int, float]]:
        """Return the arc of each point, as tail and head, and where on it the point is, from 0 to 1."""
        self._check(graph)
        return zip(self.tails.tolist(), self.heads.tolist(), self.fraction.tolist(), strict=True)

    def _check(self, graph: Graph) -> None:
        """Refuse another graph, and points without a place."""
        mine = self.graph.coordinates
        if graph.coordinates is not mine and not np.array_equal(graph.coordinates, mine):  # type: ignore[arg-type]
            raise OptionError("these points were snapped to another graph. Snap them to this one.")
        if not self.found.all():
            i = int(np.flatnonzero(~self.found)[0])
            raise VertexError(
                f"point {i} was not found on the graph ({int((~self.found).sum())} of {len(self)} were not). Leave "
                f"them out: snapped[snapped.found]."
            )

    def to_frame(self, kind: str = "pandas") -> Any:
        """Return a DataFrame: the vertex of each point, or the ends of its arc and where on it; and the distance.

        Parameters
        ----------
        kind : {"pandas", "polars", "arrow"}
            A DataFrame of pandas or polars, or a pyarrow.Table. Points that were not found are left out.

        Examples
        --------
        >>> import nearfar
        >>> city = nearfar.generate.city(3, 3)
        >>> print(nearfar.geo.snap(city, [-20, -19.999], [45, 45.001]).to_frame().round(1))
           point                      vertex  distance
        0      0     Oak Street / 2nd Avenue      10.1
        1      1  Church Street / 3rd Avenue      56.7
        """
        return self._framed(kind)

    def _line_count(self) -> int:
        """Return the number of points."""
        return len(self)

    def _lines(self, low: int, high: int) -> Columns:
        """Return the columns of some points, without those that were not found."""
        at = low + np.flatnonzero(self.found[low:high])
        names = self.graph.names
        if self.on == "vertices":
            ends: Columns = {"vertex": Named(names, self.tails[at])}
        else:
            ends = {"tail": Named(names, self.tails[at]), "head": Named(names, self.heads[at])}
            ends["fraction"] = self.fraction[at]
        return {"point": at, **ends, "distance": self.distance[at]}

    def describe(self) -> Description:
        """Return how many points were found, and how far they are: a dict that prints as a table."""
        far = self.distance[self.found]
        return Description(
            points=len(self),
            on=self.on,
            found=int(self.found.sum()),
            mean_distance=float(far.mean()) if len(far) else None,
            max_distance=float(far.max()) if len(far) else None,
        )

    def __repr__(self) -> str:
        if len(self) != 1 or not self.found[0]:
            return f"Snapped({len(self):,} points on {self.on}, {int(self.found.sum()):,} found)"
        where = " -> ".join(shorten(self.graph.name(int(v))) for v in dict.fromkeys((self.tails[0], self.heads[0])))
        share = "" if self.on == "vertices" else f" at {self.fraction[0]:.3g}"
        far = f"{self.distance[0]:.3g}" + (f" {self.unit}" if self.unit else "")
        return f"Snapped({where}{share}, {far} away)"


def starts_of_point(graph: Graph, tail: int, head: int, share: float, direction: str) -> list[tuple[int, float]]:
    """Return the ends that travel from a point reaches (to it, for "to"), by index, and the travel times.

    ``share`` is where the point is, on the way from tail to head; arcs may lead in one or both directions.
    """
    if tail == head or share == 0:
        return [(tail, 0)]
    if share == 1:
        return [(head, 0)]
    ahead, back = lightest(graph, tail, head), lightest(graph, head, tail)
    if ahead is None and back is None:
        raise VertexError(
            f"the arcs between {shorten(graph.name(tail))} and {shorten(graph.name(head))} are closed in this graph, "
            f"and a point lies on them. Snap the points to this graph."
        )
    # to the head along the arc ahead, to the tail along the one back; and the same arcs in reverse for "to"
    ways = [(head, ahead, 1 - share), (tail, back, share)] if direction == "from" else [
        (tail, ahead, share), (head, back, 1 - share)
    ]  # fmt: skip
    return [(v, weight * part) for v, weight, part in ways if weight is not None]


def lightest(graph: Graph, tail: int, head: int) -> float | None:
    """Return the weight of the lightest arc between two vertices, None if there is none."""
    arcs = graph.some_arcs(int(graph.offsets[tail]), int(graph.offsets[tail + 1]))
    arcs = arcs[arcs["head"] == head]
    if not len(arcs):
        return None
    return arcs["weight"].min().item() if graph.weight_dtype is not None else 1

"""Results of queries of a `TurnGraph`: rows of distances per vertex, as of a plain graph, and paths that obey.

The query searched states. ``inner`` is what it found, with the ends of vertices as columns; so its rows are those of
the result. What depends on the way there is read off ``inner``. Predecessors of vertices do not exist: a shortest path
over a vertex need not begin with the shortest path to it.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..errors import MethodError, NoPathError
from ..kernels.cpu.constants import NO_VERTEX
from . import lookup
from .distances import Distances
from .forest import Forest
from .knearest import KNearest
from .limits import unreached
from .table import Table

if TYPE_CHECKING:
    from ..graph import Graph
    from ..graph.turns import TurnGraph


class TurnForest(Forest):
    """The paths of the rows of one result, over states; there are no trees of vertices."""

    def __init__(self, turns: TurnGraph, inner: Table, fewest_arcs: bool = False) -> None:
        super().__init__(fewest_arcs)
        self.turns, self.inner = turns, inner
        self.searched: tuple[int, Distances] | None = None  # the last row that was searched again

    def states(self, r: int, v: int) -> np.ndarray:
        """Return the states of the path between the source of row ``r`` and a vertex, in the direction of travel."""
        inner = self.inner
        row = inner.distances
        if row is None:
            if self.searched is None or self.searched[0] != r:
                self.searched = r, inner.whole_rows([r])
            row = self.searched[1]
        return np.array(row.path(int(inner.target_indices[v]), fewest_arcs=self.fewest_arcs), np.int32)

    def path(self, of: Distances, r: int, v: int) -> np.ndarray:
        """Return the path from ``v``, which is reached, back to its source in row ``r``, as vertex indices."""
        found = self.turns.passed(self.states(r, v))
        return found if of.direction == "to" else found[::-1]

    def origins(self, of: Distances) -> np.ndarray:
        """Return the seed where the path to each vertex starts in the only row, -1 if there is no path."""
        return origins(self.turns, self.inner)

    def all(self, of: Distances) -> np.ndarray:
        """Refuse trees."""
        refuse_trees()

    def tree(self, of: Distances, r: int) -> np.ndarray:
        """Refuse trees."""
        refuse_trees()


def refuse_trees() -> NoReturn:
    """Refuse predecessors of vertices."""
    raise MethodError(
        "with turns, a vertex has no predecessor: how a shortest path comes to it depends on where it leads then. Use "
        "result.path(...), or look at the larger graph: turns.searched."
    )


def origins(turns: TurnGraph, inner: Table) -> np.ndarray:
    """Return the seed of each column of the only row, -1 if there is no path."""
    row = inner.whole_rows([0]) if inner.distances is None else inner.distances
    found = row.origins()[inner.target_indices]
    return np.where(found == NO_VERTEX, NO_VERTEX, turns.vertices[found])


def facts_of(turns: TurnGraph, inner: Table) -> dict[str, Any]:
    """Return what results of states and of vertices have in common."""
    seeds, starts = inner.seeds, inner.starts
    if seeds is not None:  # who ends within an arc may come from several states of a vertex; its departure is first
        seeds, first = np.unique(turns.vertices[seeds], return_index=True)
        starts = None if starts is None else starts[first]
    names = ("single", "direction", "cutoff", "plan", "stats", "rounded")
    return {"seeds": seeds, "starts": starts} | {name: getattr(inner, name) for name in names}


class Turning:
    """What results with turns do in their own way: rows and edges along paths."""

    graph: Graph
    turns: TurnGraph

    def _edges(self, states: np.ndarray) -> list[tuple[Any, ...]]:
        """Return the edges along a path of states, with their keys if they have some."""
        arcs = self.turns.arcs_along(states)
        ends = [lookup.list_names(self.graph, side[arcs]) for side in (self.graph.tails, self.graph.heads)]
        if self.graph.keys is None:
            return list(zip(*ends, strict=True))
        return list(zip(*ends, [self.graph.keys[row] for row in self.graph.rows[arcs].tolist()], strict=True))

    def _rows(self, states: np.ndarray) -> np.ndarray:
        """Return the rows of the input along a path of states."""
        return self.graph.rows[self.turns.arcs_along(states)]


class TurnDistances(Turning, Distances):
    """Exact distances in a graph with turns, one row per source, one column per vertex."""

    def __init__(self, turns: TurnGraph, inner: Table) -> None:
        facts = facts_of(turns, inner)
        super().__init__(turns.graph, turns.vertices[inner.source_indices], inner.rows, **facts)
        self.turns, self.inner = turns, inner
        self._forest = TurnForest(turns, inner)
        self.__dict__["_fewest_forest"] = TurnForest(turns, inner, fewest_arcs=True)

    def path_rows(self, *ends: Hashable, source: Hashable | None = None) -> np.ndarray:
        """Return the rows of the input along a shortest path, in the direction of travel: see `Graph.rows`."""
        return self._rows(self._states(ends, source))

    def path_edges(self, *ends: Hashable, source: Hashable | None = None) -> list[tuple[Any, ...]]:
        """Return the edges of a shortest path, in the direction of travel: (u, v), or (u, v, key) in a multigraph."""
        return self._edges(self._states(ends, source))

    def all_predecessors(self, *, source: Hashable | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Refuse predecessors of vertices."""
        refuse_trees()

    def _states(self, ends: tuple[Hashable, ...], source: Hashable | None) -> np.ndarray:
        """Return the states of a path, which there must be."""
        self.path(*ends, source=source)
        start, target = self._both_ends(ends, source)
        assert isinstance(self._forest, TurnForest)
        return self._forest.states(self._row_of(start), self.graph.index(target))


class TurnTable(Turning, Table):
    """Exact distances in a graph with turns between two lists of vertices."""

    def __init__(self, turns: TurnGraph, inner: Table) -> None:
        sources, targets = (turns.vertices[ends] for ends in (inner.source_indices, inner.target_indices))
        super().__init__(turns.graph, sources, targets, inner.rows, **facts_of(turns, inner))
        self.turns, self.inner = turns, inner
        self._forest = TurnForest(turns, inner)

    def path(self, *ends: Hashable) -> list[Any]:
        """Return the vertices of a shortest path, both ends included: ``path(source, target)``, as `Table.path`."""
        return lookup.list_names(self.graph, self.turns.passed(self._states(ends)))

    def path_rows(self, *ends: Hashable) -> np.ndarray:
        """Return the rows of the input along a shortest path, in the direction of travel: see `Graph.rows`."""
        return self._rows(self._states(ends))

    def path_edges(self, *ends: Hashable) -> list[tuple[Any, ...]]:
        """Return the edges of a shortest path, in the direction of travel: (u, v), or (u, v, key) in a multigraph."""
        return self._edges(self._states(ends))

    def _states(self, ends: tuple[Hashable, ...]) -> np.ndarray:
        """Return the states of a path, which there must be."""
        r, c = self._both(ends)
        if self.rows[r, c] == unreached(self.rows.dtype):
            raise NoPathError(self._no_path(int(self.source_indices[r]), int(self.target_indices[c])))
        return self._forest.states(r, c)

    def _starts_of(self, r: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Return the source of each entry: that of its row, or the start of its path if the row has several."""
        return self.source_indices[r] if self.seeds is None else origins(self.turns, self.inner)[c]


class TurnKNearest(Turning, KNearest):
    """The k nearest sources of every vertex of a graph with turns."""

    def __init__(self, turns: TurnGraph, inner: KNearest, columns: np.ndarray) -> None:
        source = inner.source[columns]
        super().__init__(
            turns.graph,
            turns.vertices[inner.source_indices],
            inner.dist[columns],
            np.where(source == NO_VERTEX, NO_VERTEX, turns.vertices[source]),
            direction=inner.direction,
            cutoff=inner.cutoff,
            plan=inner.plan,
            stats=inner.stats,
            search=_path_between,
        )
        self.turns, self.inner, self.columns = turns, inner, columns

    def states(self, s: int, v: int) -> np.ndarray:
        """Return the states of the path between a source and a vertex, in the direction of travel."""
        starts, ends = self.turns.departures, self.turns.ends
        starts, ends = (starts, ends) if self.direction == "from" else (ends, starts)
        return np.array(self.inner.path(int(ends[v]), source=int(starts[s])), np.int32)

    def path_rows(self, vertex: Hashable, *, rank: int = 1, source: Hashable | None = None) -> np.ndarray:
        """Return the rows of the input along the path of `path`, in the direction of travel: see `Graph.rows`."""
        return self._rows(self._states(vertex, rank, source))

    def path_edges(self, vertex: Hashable, *, rank: int = 1, source: Hashable | None = None) -> list[tuple[Any, ...]]:
        """Return the edges of the path of `path`, in the direction of travel: (u, v), with keys (u, v, key)."""
        return self._edges(self._states(vertex, rank, source))

    def _states(self, vertex: Hashable, rank: int, source: Hashable | None) -> np.ndarray:
        """Return the states of a path, which there must be."""
        path = self.path(vertex, rank=rank, source=source)
        s = path[0] if self.direction == "from" else path[-1]
        return self.states(self.graph.index(s), self.graph.index(vertex))


def _path_between(result: Any, s: int, v: int) -> list[Any]:
    """Return the names of the vertices of a shortest path between a source and a vertex, given as indices."""
    return lookup.list_names(result.graph, result.turns.passed(result.states(s, v)))

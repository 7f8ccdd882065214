"""The argument for the k nearest sources of every vertex; only NumPy and SciPy, no code of the solvers.

A label of a vertex is a source and a distance. The labels are right exactly when three things hold:

1. Every label is at the end of a chain of tight arcs of the same source, which starts at that source with 0. So there
   is a path of that length, and no distance is too small.
2. Every source has its own label, or k others at distance 0.
3. Every label that an arc offers its head (distance plus weight, same source) is there with no greater distance, or the
   head has k labels that are no farther.

By 2 and 3, along a shortest path from a source every vertex has the label of that source with no more than its
distance, or k labels that are no farther: if k labels are passed on over an arc, each is there again, or k others are.
So no source is left out that is nearer than one that was named. Between sources at the same distance, those with the
least indices are named; where sums of floats are rounded to the same number, any of them may be, in this order. A
cutoff removes labels beyond it, and these offer nothing within it, since weights are not negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results import Distances
from .proof import Arcs, Row, limit_of, reach, wide_type

if TYPE_CHECKING:
    from ..graph import Graph
    from ..results import KNearest


def several_problems(graph: Graph, result: KNearest) -> Iterator[str]:
    """Yield what is wrong with the k nearest sources of the vertices; nothing if they are right."""
    wrong = False
    for check in (_form_problems, _label_problems):
        for problem in check(graph, result):
            wrong = True
            yield problem
        if wrong:
            return
    labels = Labels(graph, result)
    yield from labels.missing_sources()
    yield from labels.unsupported()
    yield from labels.improving()


def _form_problems(graph: Graph, result: KNearest) -> Iterator[str]:
    """Yield what is wrong with shapes, types and vertices."""
    dist, source = result.dist, result.source
    if dist.ndim != 2 or dist.shape[0] != graph.n or source.shape != dist.shape:
        yield f"distances and sources have shapes {dist.shape} and {source.shape}; both must be ({graph.n}, k)"
    if dist.dtype not in (np.int32, np.int64, np.float32, np.float64) or source.dtype != np.int32:
        yield f"distances and sources have types {dist.dtype} and {source.dtype}"
    elif dist.dtype.kind == "i" and graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        yield f"the distances have type {dist.dtype}, which cannot hold sums of {graph.weight_dtype} weights"
    for s in result.source_indices:
        if not 0 <= s < graph.n:
            yield f"source {s} is not a vertex: the graph has {graph.n} vertices, counted from 0"


def _label_problems(graph: Graph, result: KNearest) -> Iterator[str]:
    """Yield labels that cannot be right whatever the arcs are: no source, twice a source, not in order."""
    dist, source, name = result.dist, result.source, graph.name
    reached = _reached(dist)
    allowed = np.isin(source, result.source_indices)
    for v, i in _where(reached & (~allowed | np.isnan(dist)) if dist.dtype.kind == "f" else reached & ~allowed):
        yield f"vertex {name(v)!r} has {dist[v, i]} from {source[v, i]}, which is not a distance from a source"
    for v, i in _where(~reached & (source != -1)):
        yield f"vertex {name(v)!r} has no distance of rank {i + 1}, but source {source[v, i]}: it should be -1"
    limit = limit_of(result.cutoff, dist.dtype)
    if limit is not None:
        for v, i in _where(reached & (dist > limit)):
            yield f"vertex {name(v)!r} has {dist[v, i]}, beyond the limit {limit}: it should be unreached"
    before, after = dist[:, :-1], dist[:, 1:]
    ordered = (before < after) | ((before == after) & (~reached[:, 1:] | (source[:, :-1] < source[:, 1:])))
    for v, i in _where(~ordered):
        yield f"the sources of vertex {name(v)!r} are not in order of distance and index from rank {i + 1} on"
    alike = np.sort(source, axis=1)
    for v, _ in _where((alike[:, 1:] == alike[:, :-1]) & (alike[:, 1:] >= 0)):
        yield f"vertex {name(v)!r} has a source twice"


class Labels:
    """The labels of all vertices, and what the arcs say about them."""

    def __init__(self, graph: Graph, result: KNearest) -> None:
        self.graph, self.dist, self.source, self.k = graph, result.dist, result.source, result.k
        self.sources, self.backward = result.source_indices, result.direction == "to"
        self.reached, self.limit = _reached(self.dist), limit_of(result.cutoff, self.dist.dtype)
        self.arcs, self.wide = Arcs(graph, backward=self.backward), wide_type(graph, self.dist, self.reached)

    def has(self, v: np.ndarray, s: np.ndarray, distance: Any) -> np.ndarray:
        """Tell which vertices have a source with no more than a distance, or k sources that are no farther."""
        last = self.dist[v, -1]
        nearer = (last < distance) | ((last == distance) & (self.source[v, -1] <= s))  # ties in order of indices
        found = self.reached[v, -1] & (nearer if self.dist.dtype.kind == "i" else last <= distance)
        for j in range(self.k):
            found |= (self.source[v, j] == s) & (self.dist[v, j] <= distance)
        return found

    def missing_sources(self) -> Iterator[str]:
        """Yield sources that are not their own nearest, although there are no k others at distance 0."""
        if self.limit is None or self.limit >= 0:
            for s in self.sources[~self.has(self.sources, self.sources, 0)]:
                yield f"source {self.graph.name(int(s))!r} is at distance 0 of itself, but is not among its nearest"

    def offers(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]]:
        """Yield what arcs offer their heads: (arc indices, tails, heads, sources, sums, column of the labels)."""
        for first, tails, heads, weights in self.arcs:
            for i in range(self.k):
                live = np.flatnonzero(self.reached[tails, i])
                u, v = tails[live], heads[live]
                with np.errstate(over="ignore"):
                    sums = self.dist[u, i].astype(self.wide) + weights[live].astype(self.wide)
                yield first + live, u, v, self.source[u, i], sums, i

    def improving(self) -> Iterator[str]:
        """Yield labels that an arc offers and that are missing."""
        for arcs, tails, heads, sources, sums, _ in self.offers():
            bad = ~self.has(heads, sources, sums)
            if self.dist.dtype.kind == "f":
                bad &= sums < np.inf  # a sum that overflows is not a path
            if self.limit is not None:
                bad &= sums <= self.limit
            for a in np.flatnonzero(bad):
                u, v, s = (self.graph.name(int(index)) for index in (tails[a], heads[a], sources[a]))
                arc = f"arc {arcs[a]} ({v!r} -> {u!r})" if self.backward else f"arc {arcs[a]} ({u!r} -> {v!r})"
                yield f"vertex {v!r} should have source {s!r} with {sums[a]} or less, or {self.k} nearer: see {arc}"

    def unsupported(self) -> Iterator[str]:
        """Yield labels that no chain of tight arcs leads to."""
        starts = (self.source == np.arange(self.graph.n)[:, None]) & (self.dist == 0)
        chains = [np.empty((2, 0), np.int64)]
        for _, tails, heads, sources, sums, i in self.offers():
            for j in range(self.k):
                tight = (self.source[heads, j] == sources) & (self.dist[heads, j] == sums)
                chains.append(np.stack((tails[tight] * np.int64(self.k) + i, heads[tight] * np.int64(self.k) + j)))
        held = reach(starts.reshape(-1), *np.concatenate(chains, axis=1)).reshape(self.dist.shape)
        rows: dict[int, np.ndarray] = {}
        for v, i in _where(self.reached & ~held):
            s, distance = int(self.source[v, i]), self.dist[v, i]
            if self.dist.dtype.kind == "f" and self._again(s, rows)[v] == distance:
                continue
            name = self.graph.name
            yield f"vertex {name(v)!r} has {distance} from {name(s)!r}, but no path from there adds up to it"

    def _again(self, s: int, rows: dict[int, np.ndarray]) -> np.ndarray:
        """Return the row of a source, computed again and kept in ``rows``.

        Rounding can make distances equal that differ on the way. Then a source may be named at a vertex and not at the
        one before it, where k others are nearer by less than what is rounded later; so its chain is broken.
        """
        if s not in rows:
            empty = np.zeros((1, self.graph.n), self.dist.dtype)
            settled = Row(self.arcs, Distances(self.graph, np.array([s], np.int32), empty), 0).settle()
            rows[s] = np.full(self.graph.n, np.nan) if settled is None else settled[0]
        return rows[s]


def _reached(dist: np.ndarray) -> np.ndarray:
    """Mark the labels that are there."""
    return dist != (np.inf if dist.dtype.kind == "f" else np.iinfo(dist.dtype).max)


def _where(marks: np.ndarray) -> Iterator[tuple[int, int]]:
    """Yield the row and the column of every mark."""
    for v, i in np.argwhere(marks):
        yield int(v), int(i)

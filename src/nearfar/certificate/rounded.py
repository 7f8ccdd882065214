"""The argument for rows that are exact up to rounding; only NumPy and SciPy, no code of the solvers.

Some methods add floats in another order than along the path. The arcs of shortest paths are then only nearly tight, and
a proof that tolerated a small error on every arc would tolerate a thousand times as much on a path of a thousand arcs.
So the row is not judged by its own sums. It is used as a hint to find shortest paths again, which are then measured
more accurately:

1. A tree: the parent of every vertex is a tail that offers it the least, by the distances of the row. The tree is grown
   from the sources, so vertices in a cycle of weight zero cannot support each other.
2. The paths of the tree are measured in float64 by pointer doubling: every vertex repeatedly adds the length of the
   path piece above its own piece, so that a path of h arcs is rounded log2 h times. Here the order of adding does not
   matter, since these are lengths of real paths.
3. While an arc offers a vertex less than the length of its path by more than *slack*, a bound on those roundings, the
   arc becomes the vertex's new arc in the tree. This is policy iteration: never more rounds than Bellman-Ford, and few
   after a good hint. Only a negative cycle can arise: around any other, slack outweighs the roundings.

Then every length e is that of a real path, up to the roundings of measuring, so none is too small. Nor is one too great
by more than its *doubt*: along a shortest path, lengths grow by no more than the weights plus what the arcs would still
improve, and each vertex occurs once, so the doubt is the sum of these improvements over all vertices no farther away.
Finally, every distance must be within 2 eps (H + 1) of its e, where eps is that of the row's type and H the number of
arcs of the longest path found: twice what is lost by H + 1 sums that are rounded to nearest, of weights that were
rounded to the type before. This proves a bound on the error of every distance, `rounding`: its difference from e, plus
the doubt, plus the roundings of e.

All of these are relative to the distance itself. With negative weights, where sums cancel, they are relative to twice
the greatest distance, which bounds the sums along paths of the row and along parts of them.

At a limit (``cutoff``, ``targets``), rounding may include or exclude vertices that are within the tolerance of it.
Those just outside take part in the search, since paths may lead over them. With negative weights and a limit, all
vertices take part.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from .proof import Row

EPS = float(np.finfo(np.float64).eps)
SURE = 1e-6  # a relative error greater than any doubt: what 2^31 vertices could add is about as much
NEAR = 2048  # roundings that are tolerated when the first tree is grown; more only make the search longer

Block = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class CycleError(Exception):
    """The parents form a cycle instead of a tree."""


class Paths:
    """Shortest paths of one row, found again; with labels, only paths whose vertices all have the label of their start.

    Attributes
    ----------
    length : float64 array of length n
        The length of the path to each vertex, inf if none was found.
    hops : int
        The number of arcs of the longest of these paths.
    best : float64 array of length n
        The least sum of length and weight that any arc offers each vertex.
    """

    def __init__(self, row: Row, label: np.ndarray | None = None) -> None:
        self.row, self.label, self.n = row, label, row.graph.n
        self.unguided = row.negative and row.radius is not None  # paths may leave the limit: the row is no hint
        self.starts = np.zeros(self.n, dtype=bool)
        self.starts[row.seeds if label is None else row.seeds[label[row.seeds] == row.seeds]] = True
        self.live = np.ones(self.n, dtype=bool) if self.unguided else row.reached | self.starts
        self.begin = np.zeros(self.n)  # the distances at which seeds start
        self.begin[row.seeds] = row.begins
        self.length = np.where(row.reached & ~self.starts & (not self.unguided), row.dist, np.inf).astype(np.float64)
        self.length[self.starts] = self.begin[self.starts]
        if row.radius is not None and not self.unguided:
            self._step_over_the_limit()
        parent = self._grow_tree()
        self._improve(parent, self.weights_of(parent))

    @cached_property
    def tolerance(self) -> np.ndarray:
        """How far each distance of the row may be from ``length``; inf if there is no path."""
        return 2 * float(np.finfo(self.row.dist.dtype).eps) * (self.hops + 1) * self.scale(self.length)

    @cached_property
    def rounding(self) -> float:
        """A bound on the error of all distances, relative to the distance (or to twice the greatest)."""
        compared = self.row.reached & (self.scale(self.length) > 0)
        off = np.abs(self.row.dist[compared] - self.length[compared]) / self.scale(self.length)[compared]
        return float(off.max(initial=0.0)) + self.doubt() + self.slack

    def doubt(self) -> float:
        """Return by how much a length may exceed the shortest, relative to it."""
        known = self.live & (self.scale(self.length) > 0)
        length, size = self.length[known], self.scale(self.length)[known]
        above = np.maximum(length - self.best[known], 0) + EPS * size
        if self.row.negative:
            return float((above / size).sum())
        order = np.argsort(length)
        near, total = length[order], np.cumsum(above[order])
        # Vertices along the path are no farther, except for the doubt itself.
        last = np.searchsorted(near, near * (1 + SURE), side="right") - 1
        return float((total[last] / near).max(initial=0.0))

    @property
    def slack(self) -> float:
        """The relative improvement of a length that may be due to rounding alone: 2 log2 n + 3 roundings, and some."""
        return 2 * EPS * (self.n.bit_length() + 2)

    def scale(self, lengths: np.ndarray) -> np.ndarray:
        """Return what errors of lengths are relative to."""
        if not self.row.negative:
            return lengths
        finite = np.abs(lengths[lengths < np.inf])
        return np.where(lengths < np.inf, 2 * finite.max(initial=0.0), np.inf)

    def too_great(self) -> np.ndarray:
        """Return the vertices with a distance greater than the length of a path."""
        return np.flatnonzero(self.row.reached & (self.row.dist > self.length + self.tolerance))

    def too_small(self) -> np.ndarray:
        """Return the vertices with a distance smaller than any path; without a path, every distance is too small."""
        return np.flatnonzero(self.row.reached & (self.row.dist < less(self.length, self.tolerance)))

    def left_out(self) -> np.ndarray:
        """Return the vertices without a distance although a path reaches them, certainly within the limit."""
        missing = self.live & ~self.row.reached & (self.length < np.inf)
        if self.row.radius is not None:
            missing[missing] = (self.length + self.tolerance)[missing] <= self.row.radius
        return np.flatnonzero(missing)

    def leaving(self) -> Iterator[Block]:
        """Yield arcs to vertices that took no part, certainly within the limit: (arc indices, tails, heads, sums)."""
        end = float(np.finfo(self.row.dist.dtype).max) if self.row.radius is None else float(self.row.radius)
        for first, tails, heads, weights in self.row.arcs:
            found = np.flatnonzero((self.length[tails] < np.inf) & ~self.live[heads])
            sums = self.length[tails[found]] + weights[found].astype(np.float64)
            within = sums + self.tolerance[tails[found]] <= end
            yield first + found[within], tails[found][within], heads[found][within], sums[within]

    def at_the_limit(self) -> np.ndarray:
        """Mark vertices that rounding may include in the limit or exclude, or whose paths lead over such vertices."""
        if self.row.radius is None:
            return np.zeros(self.n, dtype=bool)
        return self.row.reached & (self.length + 2 * self.tolerance >= self.row.radius)

    def weights_of(self, parent: np.ndarray) -> np.ndarray:
        """Return the weight of the lightest arc from each vertex's parent: 0 without a parent, inf without an arc."""
        weight = np.where(parent == np.arange(self.n), 0.0, np.inf)
        for tails, heads, weights in self._arcs():
            chosen = np.flatnonzero((parent[heads] == tails) & (heads != tails))
            np.minimum.at(weight, heads[chosen], weights[chosen])
        return weight

    def _arcs(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield the arcs between vertices that take part, block by block, with weights as float64."""
        everyone = bool(self.live.all())
        for _, tails, heads, weights in self.row.arcs:
            if not everyone or self.label is not None:
                kept = self.live[tails] & self.live[heads]
                if self.label is not None:
                    kept &= self.label[tails] == self.label[heads]
                tails, heads, weights = tails[kept], heads[kept], weights[kept]
            yield tails, heads, weights.astype(np.float64)

    def _step_over_the_limit(self) -> None:
        """Let vertices take part that are beyond the limit by no more than rounding."""
        limit = float(self.row.radius) * (1 + self._near())
        while True:
            best = np.full(self.n, np.inf)
            for _, tails, heads, weights in self.row.arcs:
                over = np.flatnonzero(self.live[tails] & ~self.live[heads])
                np.minimum.at(best, heads[over], self.length[tails[over]] + weights[over].astype(np.float64))
            within = best <= limit
            if not within.any():
                return
            self.length[within], self.live[within] = best[within], True

    def _near(self) -> float:
        """Return how far from tight an arc of the first tree may be, as a relative error."""
        return 2 * float(np.finfo(self.row.dist.dtype).eps) * min(self.n, NEAR)

    def _best(self) -> np.ndarray:
        """Return the least sum that any arc offers each vertex."""
        best = np.full(self.n, np.inf)
        for tails, heads, weights in self._arcs():
            np.minimum.at(best, heads, self.length[tails] + weights)
        return best

    def _grow_tree(self) -> np.ndarray:
        """Return a tree, as the parent of every vertex: itself if it is a start or in no tree.

        Arcs that offer the least are tried first, then those that offer nearly as little, then all: any tree will do,
        but a better one needs fewer improvements.
        """
        parent, in_tree, best = np.arange(self.n, dtype=np.int32), self.starts.copy(), self._best()
        near = best + self._near() * self.scale(best)
        for bound in (best, near, None):
            if not (self.live & ~in_tree).any():
                break
            needed = [np.empty((2, 0), dtype=np.int32)]
            for tails, heads, weights in self._arcs():
                chosen = ~in_tree[heads]
                if bound is not None:
                    chosen &= self.length[tails] + weights <= bound[heads]
                needed.append(np.stack((tails[chosen], heads[chosen])))
            grow(in_tree, parent, *np.concatenate(needed, axis=1))
        self.live &= in_tree
        return parent

    def _improve(self, parent: np.ndarray, weight: np.ndarray) -> None:
        """Measure the paths of a tree, and move vertices to better arcs while there are any."""
        while True:
            self.length, self.hops = measure(parent, weight, self.begin)
            self.length[~self.live] = np.inf
            best, enough = self._best(), less(self.length, self.slack * self.scale(self.length))
            better = self.live & (best < enough)
            if not better.any():
                self.best = best
                return
            for tails, heads, weights in self._arcs():
                chosen = np.flatnonzero(better[heads] & (self.length[tails] + weights == best[heads]))
                if (tails[chosen] == heads[chosen]).any():
                    raise CycleError
                parent[heads[chosen]], weight[heads[chosen]] = tails[chosen], weights[chosen]


def less(lengths: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Return lengths minus something; infinite lengths stay infinite."""
    return np.where(lengths < np.inf, lengths - np.where(lengths < np.inf, by, 0), np.inf)


def grow(in_tree: np.ndarray, parent: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> None:
    """Add to the trees, breadth-first, every vertex that the given arcs lead to; changes ``in_tree`` and ``parent``."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    n, roots = len(in_tree), np.flatnonzero(in_tree)  # SciPy takes one start: vertex n, with an arc to every root
    rows, columns = np.append(np.full(len(roots), n), tails), np.append(roots, heads)
    links = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1))
    order, before = breadth_first_order(links, n)
    new = order[before[order] != n][1:]
    new = new[~in_tree[new]]
    parent[new], in_tree[new] = before[new], True


def measure(parent: np.ndarray, weight: np.ndarray, begin: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the lengths of the paths in a tree and the most arcs of one; raise `CycleError` if it is no tree.

    In every step each vertex looks twice as far up (pointer doubling), so pairs are added, then pairs of pairs.
    ``begin`` holds the length at which the paths of each root begin.
    """
    root = parent == np.arange(len(parent))
    length, hops, up = weight.copy(), (~root).astype(np.int64), parent
    for _ in range(len(parent).bit_length() + 1):
        if root[up].all():
            return length + begin[up], int(hops.max(initial=0))
        length, hops, up = length + length[up], hops + hops[up], up[up]
    raise CycleError

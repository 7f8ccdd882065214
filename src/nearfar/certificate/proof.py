"""The argument that verify.py uses, for one row of distances; only NumPy and SciPy, no code of the solvers.

Distances are the lengths of shortest paths exactly when two things hold. No arc can improve a distance, so none is too
great. And every reached vertex is at the end of a chain of tight arcs from a source (at 0, or at its starting
distance), so none is too small: a real path has that length. An arc is tight when ``dist[tail] + weight ==
dist[head]``. One tight arc alone proves nothing, since arcs of weight zero in a cycle support each other. So supported
vertices are searched from the sources.

Sums are formed in the distances' own type, left to right as the solvers form them; rounding is monotone, so the
argument holds for floats to the bit. For methods that add in another order there is rounded.py. Arcs are read in
blocks, so temporary memory is a few arrays of n and of a block. Only arcs between equal distances, and tight arcs if
weights are negative, are held all at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph
    from ..results import Distances

BLOCK = 1 << 20  # arcs per block: temporary arrays of some tens of megabytes

Block = tuple[int, np.ndarray, np.ndarray, np.ndarray]


class Arcs:
    """The arcs of a graph in blocks of (index of the first arc, tails, heads, weights).

    ``backward``: with tails and heads exchanged, as in the reversed graph; the indices stay those of the graph.
    """

    def __init__(self, graph: Graph, block: int | None = None, backward: bool = False) -> None:
        self.graph, self.block, self.backward = graph, block or BLOCK, backward

    def __iter__(self) -> Iterator[Block]:
        return iter(self._kept) if self.graph.m <= self.block else self._blocks()

    @cached_property
    def _kept(self) -> list[Block]:
        """The arcs of a graph of one block, which is cut once for all rows."""
        return list(self._blocks())

    def _blocks(self) -> Iterator[Block]:
        """Yield the blocks; a vertex with many arcs may span several."""
        offsets, weighted = self.graph.offsets, self.graph.weight_dtype is not None
        for first in range(0, self.graph.m, self.block):
            last = min(first + self.block, self.graph.m)
            low, high = np.searchsorted(offsets, (first, last - 1), side="right") - 1
            bounds = np.clip(offsets[low : high + 2], first, last)
            tails = np.repeat(np.arange(low, high + 1, dtype=np.int32), np.diff(bounds))
            arcs = self.graph.some_arcs(first, last)
            part = arcs["weight"] if weighted else np.ones(last - first, dtype=np.int32)
            heads = arcs["head"]
            yield (first, heads, tails, part) if self.backward else (first, tails, heads, part)


class Row:
    """One row of distances and what it claims: which vertices it starts from, and up to which distance it is complete.

    ``radius`` is that distance, None if there is no limit.
    """

    def __init__(self, arcs: Arcs, distances: Distances, r: int) -> None:
        self.arcs, self.graph = arcs, arcs.graph
        self.dist = distances.rows[r]
        self.seeds = np.asarray(distances.seeds_of(r))
        self.begins = np.asarray(distances.starts_of(r))  # the distances at which the seeds start
        self.cutoff, self.targets = limit_of(distances.cutoff, self.dist.dtype), distances.targets
        self.reached = self.dist < np.inf if self.floats else self.dist != np.iinfo(self.dist.dtype).max
        self.rounded = distances.rounded and self.floats  # rounded.py has the argument for such rows
        self.radius = self.radius_of(self.dist, self.reached)

    @property
    def link(self) -> str:
        """What the next vertex towards the source is called."""
        return "successor" if self.arcs.backward else "predecessor"

    @property
    def floats(self) -> bool:
        """Whether the distances are floats."""
        return self.dist.dtype.kind == "f"

    @property
    def negative(self) -> bool:
        """Whether some weight is negative."""
        return self.graph.m > 0 and self.graph.min_weight < 0

    @cached_property
    def starts(self) -> np.ndarray:
        """Mark the seeds at their starting distances: every chain starts at one."""
        starts = np.zeros(self.graph.n, dtype=bool)
        starts[self.seeds] = self.dist[self.seeds] == self.begins
        return starts

    @cached_property
    def wide(self) -> np.dtype:
        """The type of sums: for integers int64, or Python's own integers if int64 might not hold them."""
        return self.dist.dtype if self.floats else _integers(self.greatest() + self.heaviest())

    def radius_of(self, dist: np.ndarray, reached: np.ndarray) -> Any:
        """Return the distance up to which a row is complete, None for all: the farthest target, or the cutoff."""
        if self.targets is not None and len(self.targets) and reached[self.targets].all():
            farthest = dist[self.targets].max()
            return farthest if self.cutoff is None else min(farthest, self.cutoff)
        return self.cutoff

    def tight(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the tails and heads of tight arcs between reached vertices, block by block."""
        for _, tails, heads, weights in self.arcs:
            tight = self.reached[tails] & self.reached[heads] & (self.offers(tails, weights) == self.dist[heads])
            yield tails[tight], heads[tight]

    def improving(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Yield arcs that improve their head: (arc indices, tails, heads, sums), block by block."""
        for first, tails, heads, weights in self.arcs:
            sums = self.offers(tails, weights)
            better = self.reached[tails] & (~self.reached[heads] | (sums < self.dist[heads]))
            if self.floats:
                better &= sums < np.inf  # a sum that overflows is not a path
            if self.radius is not None:
                better &= sums <= self.radius
            found = np.flatnonzero(better)
            yield first + found, tails[found], heads[found], sums[found]

    def offers(self, tails: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Return distance plus weight for each arc; meaningless where the tail is unreached."""
        with np.errstate(over="ignore"):
            return self.dist[tails].astype(self.wide) + weights.astype(self.wide)

    def supported(self, label: np.ndarray | None = None) -> np.ndarray:
        """Mark the vertices at the end of a chain of tight arcs from a start; with labels, from the start they name.

        Without negative weights, a tight arc from a smaller distance is enough support, by induction over distances: if
        no vertex lacks support, all chains go down to a start. What remains are arcs between equal distances, usually
        few, and these are searched. With negative weights, all tight arcs are searched.
        """
        firm = self.starts.copy() if label is None else self.starts & (label == np.arange(self.graph.n))
        if not self.negative:
            for tails, heads in _alike(self.tight(), label):
                firm[heads[self.dist[tails] < self.dist[heads]]] = True
        missing = self.reached & ~firm
        if not missing.any():
            return firm
        needed = [np.stack(arcs)[:, missing[arcs[1]]] for arcs in _alike(self.tight(), label)]
        tails, heads = np.concatenate([np.empty((2, 0), dtype=np.int32), *needed], axis=1)
        return reach(firm, tails, heads)

    def settle(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Compute the row again by rounds over all arcs: (distances, reached), or None if there is a negative cycle."""
        n = self.graph.n
        wide = self.dist.dtype if self.floats else _integers((n + 1) * self.heaviest() + int(self.begins.max()))
        mark = np.iinfo(np.int64).max if wide == np.int64 else np.inf
        dist = np.full(n, mark, dtype=wide)
        dist[self.seeds] = self.begins
        for _ in range(max(n, 1)):
            before = dist.copy()
            for _, tails, heads, weights in self.arcs:
                live = dist[tails] != mark
                with np.errstate(over="ignore"):
                    sums = dist[tails[live]] + weights[live].astype(wide)
                np.minimum.at(dist, heads[live], sums)
            if (dist == before).all():
                return dist, dist != mark
        return None

    def greatest(self) -> int:
        """Return the greatest absolute value of a finite distance."""
        finite = np.where(self.reached, self.dist, 0)  # ten times as fast as to pick them out
        return max(-int(finite.min(initial=0)), int(finite.max(initial=0)))

    def heaviest(self) -> int:
        """Return the greatest absolute weight."""
        return max(abs(int(self.graph.min_weight)), abs(int(self.graph.max_weight)))


def reach(starts: np.ndarray, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """Mark the vertices that can be reached from the starts over the given arcs, including the starts."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    n, roots = len(starts), np.flatnonzero(starts)  # SciPy takes one start: vertex n, with an arc to every start
    rows, columns = np.append(tails, np.full(len(roots), n)), np.append(heads, roots)
    links = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(n + 1, n + 1))
    found = np.zeros(n + 1, dtype=bool)
    found[breadth_first_order(links, n, return_predecessors=False)] = True
    return found[:n]


def _alike(
    arcs: Iterator[tuple[np.ndarray, np.ndarray]], label: np.ndarray | None
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Keep the arcs whose ends have the same label."""
    for tails, heads in arcs:
        same = slice(None) if label is None else label[tails] == label[heads]
        yield tails[same], heads[same]


def limit_of(cutoff: float | None, dtype: np.dtype) -> Any:
    """Return the cutoff as a value of the distances' type, None if it limits nothing."""
    if cutoff is None or cutoff == math.inf:
        return None
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return dtype.type(cutoff)
    return max(min(math.floor(cutoff), 2**63 - 1), -(2**63))


def wide_type(graph: Graph, dist: np.ndarray, reached: np.ndarray) -> np.dtype:
    """Return the type of sums of distances and weights: wide enough for integers, the same for floats."""
    if dist.dtype.kind == "f":
        return dist.dtype
    greatest = int(np.abs(dist[reached].astype(np.int64)).max(initial=0))
    return _integers(greatest + max(abs(int(graph.min_weight)), abs(int(graph.max_weight))))


def _integers(greatest: int) -> np.dtype:
    """Return the type for integers up to this absolute value."""
    return np.dtype(np.int64 if greatest < 2**63 - 1 else object)

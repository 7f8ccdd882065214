"""The quick proof of a right row: one pass over all arcs, in blocks that stay in the cache, on several threads.

The argument is that of proof.py: no arc improves a distance, and a chain of tight arcs leads to every reached vertex.
Call a vertex *held* if there is such a chain. Without negative weights, a tight arc from a smaller distance holds its
head, by induction over distances: if in the end no vertex lacks support, all chains go down to a start. Other tight
arcs are kept and searched after the pass (chains.py): arcs between equal distances, usually few or none, and with
negative weights all tight arcs. A row that passes is right. One that does not pass is not judged here: verify.py looks
at it again with proof.py and says what is wrong.

Unreached vertices get a distance that makes every comparison right by itself. An unreached tail must offer nothing, and
an unreached head must count as improved only by a sum within the limit of the row: the least number beyond the limit
does both, and without a limit the greatest number of the type. With negative weights, tails get that number, and heads
one that is still greater than every sum, but less than what such a tail offers. Floats are compared as
``dist[tail] + weight`` with ``dist[head]``, rounded as along the path. Integers are compared as ``dist[tail]`` with
``dist[head] - weight``: without negative weights neither term is negative, so the difference never overflows, and int32
stays int32. A predecessor or a nearest source is one more condition on the arcs that count as support.

NumPy works on large arrays without the GIL. Each thread allocates its buffers once: fresh memory would take as long as
the arithmetic. Threads that mark the same vertex store the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .chains import Chains, Links
from .crew import Crew
from .proof import Arcs, Row

# Arcs per block. One thread, best of 40 side by side, 2^14 to 2^18: New York 5.7 4.6 4.3 4.7 7.0 ms, a grid of a
# million 20.3 18.3 17.3 16.5 16.4, R-MAT 18 37 53 36 33 32 (busy machine). Larger blocks would be
# too few for many threads.
BLOCK = 1 << 16

Keys = tuple[np.ndarray, np.ndarray]
"""One entry per tail and one per head: only arcs between equal entries count as support."""


Ends = tuple[np.ndarray, np.ndarray]
"""A distance of every vertex as a tail, and one as a head: they differ where a vertex is unreached."""


class Buffers:
    """The work space of one thread: one entry per arc of a block."""

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.heads = np.empty(size, np.int64)  # the type of NumPy's indices: any other is converted at each use
        self.dist, self.edge, self.weights = (np.empty(size, dtype) for _ in range(3))
        self.key = np.empty(size, np.int32)
        self.tight, self.other = np.empty(size, bool), np.empty(size, bool)
        self.before = np.zeros(size + 1, np.int32)  # how many arcs before each one are kept; 0 before the first


class Block(NamedTuple):
    """Some arcs: those with indices from ``first`` on, of the vertices from ``low`` on with ``counts`` arcs each.

    ``bounds`` says where the arcs of each of these vertices begin, counted from ``first``, and where the last ones end.
    """

    first: int
    low: int
    bounds: np.ndarray
    counts: np.ndarray
    heads: np.ndarray
    weights: np.ndarray | None

    def at_tails(self, values: np.ndarray) -> np.ndarray:
        """Return the value of the vertex that each arc leaves."""
        return np.repeat(values[self.low : self.low + len(self.counts)], self.counts)

    def at_heads(self, values: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Return the value of the vertex that each arc enters."""
        return np.take(values, self.heads, out=out[: len(self.heads)], mode="clip")  # without "clip" it is copied twice


class Scanner:
    """Proves the rows of one result, on the threads of a crew."""

    def __init__(self, arcs: Arcs, dtype: np.dtype, crew: Crew) -> None:
        self.graph, self.backward, self.crew = arcs.graph, arcs.backward, crew
        firsts = np.arange(0, self.graph.m, BLOCK)
        self.blocks, self.weighted = len(firsts), self.graph.weight_dtype is not None
        ends = np.stack((firsts, np.minimum(firsts + BLOCK, self.graph.m) - 1)).astype(self.graph.offsets.dtype)
        self.lows, self.highs = np.searchsorted(self.graph.offsets, ends, side="right") - 1  # tails
        threads = min(crew.threads, self.blocks)
        self.buffers = [Buffers(min(BLOCK, self.graph.m), dtype) for _ in range(threads)]
        self.ids = np.arange(self.graph.n, dtype=np.int32)

    def proves(self, row: Row, tree: np.ndarray | None, source: np.ndarray | None) -> bool:
        """Return whether a row, its tree and its nearest sources are surely right; the row's values were checked."""
        if tree is None and source is None and is_flat(row):
            return self._proves_flat(row)
        ends = comparable(row)
        if ends is None or not (self._may_be_tree(row, tree) and self._may_be_sources(row, source, tree)):
            return False
        by_source = None if source is None else (source, source)
        scan = Scan(self, ends, row.negative, by_source if tree is None else (self.ids, tree))
        # Unreached vertices count as held: nothing is to be proved of them, and no tight arc leads to a reached one.
        held = ~row.reached | (row.starts if source is None else row.starts & (source == self.ids))
        if not self._share(lambda block, buffers: scan.mark(block, buffers, held)):
            return False
        return scan.chains.hold_all(held)

    def _proves_flat(self, row: Row) -> bool:
        """Return the same if all weights are zero and all distances equal: right if what can be reached is reached."""
        chains = Chains(self.graph.n, by_head=self.backward)
        chains.parts[0] = Links(0, np.diff(self.graph.offsets), self.graph.heads)
        found = row.starts.copy()
        chains.hold_all(found)
        return np.array_equal(found, row.reached)

    def block(self, b: int, heads: np.ndarray) -> Block:
        """Return a block, with its heads copied to ``heads``."""
        first = b * BLOCK
        last = min(first + BLOCK, self.graph.m)
        arcs = self.graph.some_arcs(first, last)
        np.copyto(heads[: last - first], arcs["head"])
        bounds = self.graph.offsets[self.lows[b] : self.highs[b] + 2].astype(np.int64)
        bounds[0], bounds[-1] = first, last  # the first vertex and the last one may have arcs outside the block
        bounds -= first
        weights = arcs["weight"] if self.weighted else None
        return Block(first, int(self.lows[b]), bounds, np.diff(bounds), heads[: last - first], weights)

    def _share(self, work: Callable[[Block, Buffers], bool]) -> bool:
        """Do some work with every block, on all threads; return whether all of it returned True."""

        def part(b: int, t: int) -> bool:
            buffers = self.buffers[t]
            with np.errstate(over="ignore"):  # a sum of floats that overflows is not a path
                return work(self.block(b, buffers.heads), buffers)

        return self.crew.share(self.blocks, part)

    def _may_be_tree(self, row: Row, tree: np.ndarray | None) -> bool:
        """Return whether predecessors are vertices, and missing exactly where they should be."""
        if tree is None:
            return True
        if tree.shape != row.dist.shape or tree.dtype != np.int32:
            return False
        inside = tree.min(initial=0) >= -1 and tree.max(initial=0) < self.graph.n
        return bool(inside) and np.array_equal(tree >= 0, row.reached & ~row.starts)

    def _may_be_sources(self, row: Row, source: np.ndarray | None, tree: np.ndarray | None) -> bool:
        """Return whether unreached vertices have no source, and if there is a tree, others that of the predecessor."""
        if source is None:
            return True
        if source.shape != row.dist.shape or source.dtype != np.int32 or (source[~row.reached] != -1).any():
            return False
        return tree is None or bool((source[tree] == source)[tree >= 0].all())


class Scan:
    """One row: distances that can be compared, and the keys that the ends of an arc must share to count as support."""

    def __init__(self, scanner: Scanner, ends: Ends, negative: bool, keys: Keys | None) -> None:
        self.scanner, self.graph, self.backward = scanner, scanner.graph, scanner.backward
        self.ends, self.dtype, self.negative, self.keys = ends, ends[0].dtype, negative, keys
        self.floats = self.dtype.kind == "f"
        self.grows = not self.floats and self.graph.min_weight > 0  # every tight arc leads to a greater distance
        self.chains = Chains(self.graph.n, by_head=self.backward)

    def mark(self, block: Block, buffers: Buffers, held: np.ndarray) -> bool:
        """Mark the heads that tight arcs hold, keep other tight arcs; return False if an arc improves a distance."""
        near, far = self._ends(block, buffers)
        improving, tight = self._compare(block, buffers, near, far)
        if improving:
            return False
        if self.negative:
            self._keep(block, buffers, tight)
            return True
        if self.grows:
            steep = tight
        else:
            other = buffers.other[: len(tight)]
            steep = np.logical_and(tight, np.less(near, far, out=other), out=other)
            self._keep(block, buffers, np.greater(tight, steep, out=tight))
        held[self._heads(block, np.flatnonzero(steep))] = True
        return True

    def _keep(self, block: Block, buffers: Buffers, chosen: np.ndarray) -> None:
        """Keep some arcs for the search."""
        arcs = np.flatnonzero(chosen)
        if len(arcs):
            before = buffers.before[: len(chosen) + 1]
            np.cumsum(chosen, out=before[1:])
            links = Links(block.low, np.diff(before[block.bounds]), block.heads[arcs].astype(np.int32))
            self.chains.parts[block.first] = links

    def _ends(self, block: Block, buffers: Buffers) -> Ends:
        """Return the distances of the tails and of the heads of a block."""
        near, far = self.ends
        if self.backward:
            return block.at_heads(near, buffers.dist), block.at_tails(far)
        return block.at_tails(near), block.at_heads(far, buffers.dist)

    def _compare(self, block: Block, buffers: Buffers, near: np.ndarray, far: np.ndarray) -> tuple[bool, np.ndarray]:
        """Return whether an arc improves a distance, and mark tight arcs."""
        count = len(block.heads)
        edge, tight, other = buffers.edge[:count], buffers.tight[:count], buffers.other[:count]
        weights = self._weights(block, buffers)
        if self.floats:
            np.add(near, weights, out=edge)
            np.less(edge, far, out=other)
            np.equal(edge, far, out=tight)
        else:
            np.subtract(far, weights, out=edge)
            np.less(near, edge, out=other)
            np.equal(near, edge, out=tight)
        improving = bool(other.any())
        if self.keys is not None:
            of_tails, of_heads = self.keys[::-1] if self.backward else self.keys
            tight &= np.equal(block.at_tails(of_tails), block.at_heads(of_heads, buffers.key), out=other)
        return improving, tight

    def _weights(self, block: Block, buffers: Buffers) -> Any:
        """Return the weights of the arcs in the type of the distances."""
        weights = block.weights
        if weights is None:
            return self.dtype.type(1)
        if weights.dtype == self.dtype:
            return weights
        np.copyto(buffers.weights[: len(weights)], weights, casting="unsafe")
        return buffers.weights[: len(weights)]

    def _heads(self, block: Block, arcs: np.ndarray) -> np.ndarray:
        """Return the heads of some arcs of a block, in the direction of the search."""
        return block.at_tails(self.scanner.ids)[arcs] if self.backward else block.heads[arcs]


def is_flat(row: Row) -> bool:
    """Return whether all weights are zero, and all distances of reached vertices equal; there is a start, then."""
    graph = row.graph
    if not graph.m or graph.min_weight != 0 or graph.max_weight != 0 or not row.starts.any():
        return False
    return bool((~row.reached | (row.dist == row.dist[row.starts][0])).all())


def comparable(row: Row) -> Ends | None:
    """Return distances as the head of this file says, with unreached ones replaced; None if no number serves."""
    dist, limit = np.ascontiguousarray(row.dist), row.radius
    if row.negative:
        return None if limit is not None else _comparable_with_negative(row, dist)
    heaviest = max(0, row.graph.max_weight)
    if row.floats:
        if limit is not None:
            dist = np.where(row.reached, dist, np.nextafter(dist.dtype.type(limit), dist.dtype.type(np.inf)))
        return dist, dist
    end = int(np.iinfo(dist.dtype).max)
    if heaviest > end or (limit is not None and limit < 0):
        return None
    if row.reached.all():
        return dist, dist
    if limit is not None and limit < end - 1:
        dist = np.where(row.reached, dist, dist.dtype.type(limit + 1))
        return dist, dist
    # Without a limit every sum must stay below the mark, or an arc to an unreached vertex might seem to offer nothing.
    return (dist, dist) if row.greatest() + int(heaviest) < end else None


def _comparable_with_negative(row: Row, dist: np.ndarray) -> Ends | None:
    """Return the same for a row without limit in a graph with negative weights."""
    if row.floats:
        return dist, dist
    end, heaviest = int(np.iinfo(dist.dtype).max), row.heaviest()
    mark = end - heaviest - 1  # no arc offers it from an unreached vertex, and no arc from another offers as much
    if row.greatest() + heaviest >= mark:
        return None
    return dist, dist if row.reached.all() else np.where(row.reached, dist, dist.dtype.type(mark))

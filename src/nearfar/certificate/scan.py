"""The quick proof of a right row: one pass over all arcs, in blocks that stay in the cache, on several threads.

The argument is that of proof.py for weights that are not negative: no arc improves a distance, and every reached vertex
that is no start is the head of a tight arc from a smaller distance. Vertices that only tight arcs between equal
distances lead to are searched afterwards; usually there are none. A row that passes is right. One that does not pass is
not judged here: verify.py looks at it again with proof.py and says what is wrong.

Unreached vertices get a distance that makes every comparison right by itself. An unreached tail must offer nothing, and
an unreached head must count as improved only by a sum within the limit of the row: the least number beyond the limit
does both, and without a limit the greatest number of the type. Floats are compared as ``dist[tail] + weight`` with
``dist[head]``, rounded as along the path. Integers are compared as ``dist[tail]`` with ``dist[head] - weight``: neither
term is negative, so the difference never overflows, and int32 stays int32. A predecessor or a nearest source is one
more condition on the arcs that count as support.

NumPy works on large arrays without the GIL. Each thread allocates its buffers once: fresh memory would take as long as
the arithmetic. Threads that mark the same vertex store the same value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .crew import Crew
from .proof import Arcs, Row, reach

# Arcs per block. One thread, best of 40 side by side, 2^14 to 2^18: New York 5.7 4.6 4.3 4.7 7.0 ms, a grid of a
# million 20.3 18.3 17.3 16.5 16.4, R-MAT 18 37 53 36 33 32 (busy machine). Larger blocks would be
# too few for many threads.
BLOCK = 1 << 16

Keys = tuple[np.ndarray, np.ndarray]
"""One entry per tail and one per head: only arcs between equal entries count as support."""


class Buffers:
    """The work space of one thread: one entry per arc of a block."""

    def __init__(self, size: int, dtype: np.dtype) -> None:
        self.heads = np.empty(size, np.int64)  # the type of NumPy's indices: any other is converted at each use
        self.dist, self.edge, self.weights = (np.empty(size, dtype) for _ in range(3))
        self.key = np.empty(size, np.int32)
        self.tight, self.other = np.empty(size, bool), np.empty(size, bool)


class Block(NamedTuple):
    """Some arcs: those with indices from ``first`` on, of the vertices from ``low`` on with ``counts`` arcs each."""

    first: int
    low: int
    counts: np.ndarray
    heads: np.ndarray

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
        self.blocks = len(firsts)
        ends = np.stack((firsts, np.minimum(firsts + BLOCK, self.graph.m) - 1)).astype(self.graph.offsets.dtype)
        self.lows, self.highs = np.searchsorted(self.graph.offsets, ends, side="right") - 1  # tails
        threads = min(crew.threads, self.blocks)
        self.buffers = [Buffers(min(BLOCK, self.graph.m), dtype) for _ in range(threads)]
        self.ids = np.arange(self.graph.n, dtype=np.int32)

    def proves(self, row: Row, tree: np.ndarray | None, source: np.ndarray | None) -> bool:
        """Return whether a row, its tree and its nearest sources are surely right; the row's values were checked."""
        dist = None if row.negative else comparable(row)
        if dist is None or not (self._may_be_tree(row, tree) and self._may_be_sources(row, source, tree)):
            return False
        by_source = None if source is None else (source, source)
        scan = Scan(self, dist, by_source if tree is None else (self.ids, tree))
        firm = row.starts.copy() if source is None else row.starts & (source == self.ids)
        if not self._share(lambda block, buffers: scan.mark(block, buffers, firm)):
            return False
        missing = row.reached & ~firm
        return not missing.any() or self._can_reach(scan, missing)

    def block(self, b: int, heads: np.ndarray) -> Block:
        """Return a block, with its heads copied to ``heads``."""
        first = b * BLOCK
        last = min(first + BLOCK, self.graph.m)
        np.copyto(heads[: last - first], self.graph.heads[first:last])
        bounds = self.graph.offsets[self.lows[b] : self.highs[b] + 2].astype(np.int64)
        bounds[0], bounds[-1] = first, last  # the first vertex and the last one may have arcs outside the block
        return Block(first, int(self.lows[b]), np.diff(bounds), heads[: last - first])

    def _share(self, work: Callable[[Block, Buffers], bool]) -> bool:
        """Do some work with every block, on all threads; return whether all of it returned True."""

        def part(b: int, t: int) -> bool:
            buffers = self.buffers[t]
            with np.errstate(over="ignore"):  # a sum of floats that overflows is not a path
                return work(self.block(b, buffers.heads), buffers)

        return self.crew.share(self.blocks, part)

    def _can_reach(self, scan: Scan, missing: np.ndarray) -> bool:
        """Return whether chains of tight arcs lead to all missing vertices from the others."""
        found = [np.empty((2, 0), np.int64)]
        self._share(lambda block, buffers: scan.collect(block, buffers, missing, found))
        tails, heads = np.concatenate(found, axis=1)
        place = np.cumsum(missing) - 1  # of each missing vertex among them
        inner = missing[tails]
        starts = np.zeros(np.count_nonzero(missing), dtype=bool)
        starts[place[heads[~inner]]] = True
        return bool(reach(starts, place[tails[inner]], place[heads[inner]]).all())

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

    def __init__(self, scanner: Scanner, dist: np.ndarray, keys: Keys | None) -> None:
        self.scanner, self.graph, self.backward = scanner, scanner.graph, scanner.backward
        self.dist, self.keys = dist, keys
        self.floats = dist.dtype.kind == "f"
        self.grows = not self.floats and self.graph.min_weight > 0  # every tight arc leads to a greater distance

    def mark(self, block: Block, buffers: Buffers, firm: np.ndarray) -> bool:
        """Mark the heads of tight arcs from a smaller distance; return False if an arc improves a distance."""
        improving, tight = self._compare(block, buffers, smaller=not self.grows)
        if improving:
            return False
        firm[self._heads(block, np.flatnonzero(tight))] = True
        return True

    def collect(self, block: Block, buffers: Buffers, missing: np.ndarray, found: list[np.ndarray]) -> bool:
        """Append the tails and heads of the tight arcs that lead to missing vertices to ``found``."""
        _, tight = self._compare(block, buffers, smaller=False)
        arcs = np.flatnonzero(tight)
        arcs = arcs[missing[self._heads(block, arcs)]]
        ends = block.at_tails(self.scanner.ids)[arcs], block.heads[arcs]
        found.append(np.stack(ends[::-1] if self.backward else ends))
        return True

    def _compare(self, block: Block, buffers: Buffers, smaller: bool) -> tuple[bool, np.ndarray]:
        """Return whether an arc improves a distance, and mark tight arcs; ``smaller``: from a smaller distance only."""
        count = len(block.heads)
        edge, tight, other = buffers.edge[:count], buffers.tight[:count], buffers.other[:count]
        near, far = block.at_tails(self.dist), block.at_heads(self.dist, buffers.dist)
        near, far = (far, near) if self.backward else (near, far)
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
        if smaller:
            tight &= np.less(near, far, out=other)
        if self.keys is not None:
            of_tails, of_heads = self.keys[::-1] if self.backward else self.keys
            tight &= np.equal(block.at_tails(of_tails), block.at_heads(of_heads, buffers.key), out=other)
        return improving, tight

    def _weights(self, block: Block, buffers: Buffers) -> Any:
        """Return the weights of the arcs in the type of the distances."""
        if self.graph.weights is None:
            return self.dist.dtype.type(1)
        weights = self.graph.weights[block.first : block.first + len(block.heads)]
        if weights.dtype == self.dist.dtype:
            return weights
        np.copyto(buffers.weights[: len(weights)], weights, casting="unsafe")
        return buffers.weights[: len(weights)]

    def _heads(self, block: Block, arcs: np.ndarray) -> np.ndarray:
        """Return the heads of some arcs of a block, in the direction of the search."""
        return block.at_tails(self.scanner.ids)[arcs] if self.backward else block.heads[arcs]


def comparable(row: Row) -> np.ndarray | None:
    """Return the distances with unreached ones replaced as the head of this file says; None if no number serves."""
    dist, limit = np.ascontiguousarray(row.dist), row.radius
    heaviest = max(0, row.graph.max_weight)
    if row.floats:
        if limit is None:
            return dist
        return np.where(row.reached, dist, np.nextafter(dist.dtype.type(limit), dist.dtype.type(np.inf)))
    end = int(np.iinfo(dist.dtype).max)
    if heaviest > end or (limit is not None and limit < 0):
        return None
    if row.reached.all():
        return dist
    if limit is not None and limit < end - 1:
        return np.where(row.reached, dist, dist.dtype.type(limit + 1))
    # Without a limit every sum must stay below the mark, or an arc to an unreached vertex might seem to offer nothing.
    return dist if int(dist.max(where=row.reached, initial=0)) + int(heaviest) < end else None

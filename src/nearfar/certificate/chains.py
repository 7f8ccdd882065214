"""Chains of tight arcs: the search that the pass of scan.py leaves over.

Some vertices are held. Whatever a chain of the given arcs leads to from a held vertex is held, too. There are few arcs
where few weights are zero, nearly all of the graph where most are, and at least one per vertex where weights are
negative; chains may be as long as the longest path. SciPy searches them breadth-first. Its matrix is put together from
rows of arcs that are in order: SciPy would sort arcs and look for duplicates, which takes longer than the search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Links(NamedTuple):
    """Some arcs in the order of the graph: ``counts`` of each vertex from ``low`` on, and the other end of each."""

    low: int
    counts: np.ndarray
    ends: np.ndarray


class Chains:
    """Arcs that hold their heads if their tails are held; given block by block, in any order, by any thread.

    The graph's arcs are in the order of their tails; ``by_head``: of their heads, since the search goes backward.
    """

    def __init__(self, n: int, by_head: bool) -> None:
        self.n, self.by_head = n, by_head
        self.parts: dict[int, Links] = {}  # by the index of a block's first arc

    def hold_all(self, held: np.ndarray) -> bool:
        """Return whether all vertices are held; marks those that are found in ``held``."""
        from scipy.sparse.csgraph import breadth_first_order

        if not held.all() and self.parts:
            _, before = breadth_first_order(self._matrix(held), self.n)
            held |= before[:-1] >= 0
        return bool(held.all())

    def _matrix(self, held: np.ndarray) -> Any:
        """Return all arcs as SciPy's matrix, and arcs from vertex n, where its search starts, to those that are held.

        The search takes one start only, and does not read the values of the matrix.
        """
        from scipy.sparse import csr_matrix

        bounds, parts = self._rows()
        starts = np.flatnonzero(held & (bounds[1:] > bounds[:-1]))  # from the others no arc leads on
        heads = np.concatenate([*parts, starts], dtype=np.int32)
        bounds = np.append(bounds, len(heads))
        if len(heads) < 2**31:
            bounds = bounds.astype(np.int32)  # else SciPy would have to look whether they fit
        return csr_matrix((np.zeros(len(heads)), heads, bounds), shape=(self.n + 1, self.n + 1))

    def _rows(self) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return where the arcs that leave each vertex begin, and their heads, in parts."""
        from scipy.sparse import csc_matrix

        bounds = np.zeros(self.n + 1, np.int64)
        for low, counts, _ in self.parts.values():  # a vertex may have arcs in several blocks
            bounds[low + 1 : low + 1 + len(counts)] += counts
        np.cumsum(bounds, out=bounds)
        parts = [self.parts[first].ends for first in sorted(self.parts)]
        if not self.by_head:
            return bounds, parts
        tails = np.concatenate(parts)
        turned = csc_matrix((np.zeros(len(tails), bool), tails, bounds), shape=(self.n, self.n)).tocsr()
        return turned.indptr, [turned.indices]

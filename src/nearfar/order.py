"""Number vertices so that neighbours lie close together in memory, where the given order scatters them.

A search touches the distances of neighbours; when their numbers are close, so are their cache lines. Files often come
in such an order already. Where they do not, and many rows are to be solved, the graph is copied in reverse
Cuthill-McKee order (a breadth-first order; SciPy's) and every row brought back to the given numbers.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array
from .constants import FAR_APART, RENUMBER_DEGREE, RENUMBER_VERTICES, SCATTERED

SAMPLE = 65_536  # arcs looked at to judge an order


def is_scattered(offsets: Array, heads: Array) -> bool:
    """Tell whether most arcs join vertices far apart, in a graph large and sparse enough for another order to help."""
    n, m = len(offsets) - 1, len(heads)
    if n < RENUMBER_VERTICES or m > RENUMBER_DEGREE * n or not m or offsets.dtype != np.int32:
        return False
    arcs = np.arange(0, m, max(1, m // SAMPLE))
    tails = np.searchsorted(offsets, arcs, side="right") - 1
    return bool((np.abs(tails - heads[arcs]) > FAR_APART).mean() > SCATTERED)


def renumber(offsets: Array, arcs: Array, undirected: bool) -> tuple[Array, Array, Array]:
    """Return offsets and arcs in the new numbers, and the new number of every vertex."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    from .kernels.build import permute_rows
    from .layout import words_of

    n = len(offsets) - 1
    matrix = csr_array((np.ones(len(arcs), np.int8), arcs["head"].copy(), offsets.copy()), shape=(n, n))
    order = reverse_cuthill_mckee(matrix, symmetric_mode=undirected)
    places = np.empty(n, np.int32)
    places[order] = np.arange(n, dtype=np.int32)
    starts = np.zeros_like(offsets)
    np.cumsum(np.diff(offsets)[order], out=starts[1:])
    moved = np.empty_like(arcs)
    permute_rows(offsets, words_of(arcs), order, places, starts, words_of(moved))
    return starts, moved, places

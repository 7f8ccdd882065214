"""Shortest-path trees from exact distances, once, for every method and device.

Relax loops carry distances only. A source whose distance is its starting distance is a root. An arc (u, v) is *tight*
when ``dist[u] + weight == dist[v]``; a path of tight arcs from a source is a shortest path. A breadth-first search over
tight arcs adds every reached vertex to the tree. Of several shortest paths it takes one with the fewest hops, then the
one over the least vertex index, so the tree does not depend on the method or device that computed the distances. One
row takes O(n + m).

Invariant: sums are formed in the distances' own type, as the solvers form them, so equality needs no tolerance.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from .limits import unreached

if TYPE_CHECKING:
    from ..graph import Graph


def predecessors(
    graph: Graph,
    rows: np.ndarray,
    seeds_per_row: Sequence[Any],
    threads: int = 1,
    starts_per_row: Sequence[Any] | None = None,
) -> np.ndarray:
    """Return the vertex before each vertex on its shortest path, one row per row of distances.

    Parameters
    ----------
    graph : Graph
        The graph the distances belong to.
    rows : array of shape (k, n)
        Exact distances.
    seeds_per_row : sequence of k arrays
        The vertices each row starts from: one source, or several for ``nearest``.
    threads : int
        How many rows to work on at a time.
    starts_per_row : sequence of k arrays, optional
        The distances at which the seeds of each row start; by default 0.

    Returns
    -------
    int32 array of shape (k, n)
        -1 for the sources and for vertices that are not reached.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.results.trees import predecessors
    >>> g = Graph.from_arcs([0, 0, 1], [1, 2, 2], [5, 9, 4])
    >>> predecessors(g, np.array([[0, 5, 9]], dtype=np.int32), [[0]])
    array([[-1,  0,  0]], dtype=int32)
    """
    pred = np.empty((len(rows), graph.n), dtype=np.int32)
    stop = np.zeros(1, np.int64)
    pending = itertools.count()  # next() on it is atomic

    def work(t: int) -> None:
        for r in pending:
            if r >= len(rows) or stop[0]:
                return
            starts = 0 if starts_per_row is None else starts_per_row[r]
            _hang_row(graph, rows[r], seeds_per_row[r], starts, pred[r], stop)

    if len(rows) * (graph.n + graph.m) < SMALL_WORK:
        work(0)
    else:
        cpu.run(work, max(1, min(threads, len(rows))), stop)  # on other threads, so that the caller receives Ctrl-C
    return pred


def _hang_row(graph: Graph, row: np.ndarray, seeds: Any, starts: Any, pred: np.ndarray, stop: np.ndarray) -> None:
    """Fill ``pred`` with the predecessors of one row of n distances."""
    from ..kernels.cpu.trees import hang

    if graph.m < 2:  # NumPy calls a strided view of one item contiguous: for Numba another type, not worth compiling
        hang = getattr(hang, "py_func", hang)
    weights = graph.weights if graph.weights is not None else np.broadcast_to(np.int32(1), graph.m)
    wide = np.empty(0, dtype=row.dtype if row.dtype.kind == "f" else np.int64)
    mark = unreached(row.dtype)
    hops, queue = np.empty(graph.n, dtype=np.int32), np.empty(graph.n, dtype=np.int32)
    with np.errstate(over="ignore"):  # with the JIT off NumPy warns where compiled code is silent
        row = np.ascontiguousarray(row)
        roots = _as_seeds(seeds)
        begin = np.full(len(roots), starts, row.dtype)
        hang(graph.offsets, graph.heads, weights, row, mark, roots, begin, wide, pred, hops, queue, stop)


def origins(pred: np.ndarray, roots: Any) -> np.ndarray:
    """Return the root of each vertex in one row of predecessors, -1 if there is none.

    Parameters
    ----------
    pred : int32 array of length n
        A forest, as `predecessors` makes it.
    roots : array of vertices
        Its roots: the seeds at their starting distances. A vertex without predecessor need not be one, even if it is a
        seed: with negative weights and a limit, the path to it may lead over vertices beyond the limit.

    Returns
    -------
    int32 array of length n

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.results.trees import origins
    >>> origins(np.array([-1, 0, 1, -1, 3, -1], dtype=np.int32), [0, 3])
    array([ 0,  0,  0,  3,  3, -1], dtype=int32)
    """
    from ..kernels.cpu.trees import find_origins

    origin = np.empty(len(pred), dtype=np.int32)
    find_origins(np.ascontiguousarray(pred, dtype=np.int32), _as_seeds(roots), origin)
    return origin


def _as_seeds(seeds: Any) -> np.ndarray:
    """Copy seeds to a new int32 array: a read-only array would be another type for Numba."""
    return np.array(seeds, dtype=np.int32).reshape(-1)

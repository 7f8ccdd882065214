"""Shortest-path trees from exact distances, once, for every method and device.

Relax loops carry distances only. A source whose distance is its starting distance is a root. An arc (u, v) is *tight*
when ``dist[u] + weight == dist[v]``; a path of tight arcs from a source is a shortest path. Of several, the tree has
the one whose last arc comes from the vertex with the least index, and so on backwards. So it does not depend on the
method or device that computed the distances, and one pass over the arcs finds it (kernels/cpu/trees.py).

- Only arcs that lengthen the path count, ``dist[u] < dist[v]``: no cycle can arise. A vertex that only flat arcs lead
  to (weight zero, or so little that a float absorbs it) gets a place afterwards: below a vertex that has one, over the
  fewest flat arcs, then the least index.
- With negative weights, and on request, paths with the fewest arcs are taken instead, then the least index: that is the
  same search from the roots alone.

One pass takes a fifth of the time in which a row is settled if the arcs that lead to each vertex are at hand: in an
undirected graph, or in the reversed one. It can make the trees of many rows at once, each in a quarter of that time
(tree_blocks.py). Otherwise each vertex is offered to the heads of its arcs, which takes twice as long.

Invariant: sums are formed in the distances' own type, as the solvers form them, so equality needs no tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..kernels.cpu.constants import NO_VERTEX
from .limits import unreached
from .tree_blocks import hang_blocks, rows_in_blocks

if TYPE_CHECKING:
    from ..graph import Graph

# Parts of the work per thread: a thread that the system puts aside delays the others less. New York: 1 and 4 2.0 ms.
PIECES = 4

# Rows without the reversed graph that take as long as to make it: New York 1 (4.7 ms), directed R-MAT 18 4 (65 ms).
REVERSE_FROM = 4
REVERSE_SHARE = 8  # the reversed graph may take this part of the free memory

_offered: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()  # rows that were made without the reversed graph


def predecessors(
    graph: Graph,
    rows: np.ndarray,
    seeds_per_row: Sequence[Any],
    threads: int = 1,
    starts_per_row: Sequence[Any] | None = None,
    *,
    back: Graph | None = None,
    fewest_arcs: bool = False,
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
        How many threads work: on one row each, or together on few rows.
    starts_per_row : sequence of k arrays, optional
        The distances at which the seeds of each row start; by default 0.
    back : Graph, optional
        The reversed graph, if it is at hand: then this is faster. An undirected graph has it.
    fewest_arcs : bool
        Whether to take paths with the fewest arcs; with negative weights they are taken anyway.

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
    starts = [0] * len(rows) if starts_per_row is None else starts_per_row
    roots = [roots_of(*row) for row in zip(rows, seeds_per_row, starts, strict=True)]
    pred = np.empty((len(rows), graph.n), dtype=np.int32)
    threads = 0 if len(rows) * (graph.n + graph.m) < SMALL_WORK else threads
    stop = np.zeros(1, np.int64)
    if fewest_arcs or graph.min_weight < 0:
        back = None
        pred[:] = NO_VERTEX
        left = list(range(len(rows)))
    else:
        back = back or graph.known_reverse
        left = _hang(graph, back, rows, roots, pred, threads, stop)

    def new_worker() -> Callable[[int], None]:
        scratch = np.empty((2, graph.n), np.int32)
        return lambda i: _search(graph, back, rows[left[i]], roots[left[i]], pred[left[i]], scratch, stop)

    if left:
        cpu.share_out(new_worker, len(left), threads, stop)
    return pred


def _hang(
    graph: Graph,
    back: Graph | None,
    rows: np.ndarray,
    roots: list[np.ndarray],
    pred: np.ndarray,
    threads: int,
    stop: np.ndarray,
) -> list[int]:
    """Fill ``pred`` in one pass over the arcs; return the rows in which vertices are left over."""
    from ..kernels.cpu.trees import clear

    missing: list[int] = []
    if back is None:
        _offered[graph] = _offered.get(graph, 0) + len(rows)
        pred[:] = NO_VERTEX
    elif threads and (count := rows_in_blocks(back, rows)):
        bounds = _bounds(back, PIECES * threads)
        missing = hang_blocks(back, rows[:count], pred[:count], bounds, threads, stop)
    if (done := len(missing)) < len(rows):
        missing += _hang_rows(graph, back, rows[done:], pred[done:], threads, stop)
    return [r for r in range(len(rows)) if missing[r] > clear(pred[r], roots[r])]


def _hang_rows(
    graph: Graph, back: Graph | None, rows: np.ndarray, pred: np.ndarray, threads: int, stop: np.ndarray
) -> list[int]:
    """Fill ``pred`` row by row, or part by part of few rows; return how many vertices of each row are left over."""
    pieces = max(1, PIECES * threads // max(len(rows), 1)) if threads > 1 else 1
    bounds = _bounds(graph if back is None else back, pieces)
    missing = np.zeros((len(rows), pieces), np.int64)

    def hang(i: int) -> None:
        r, piece = divmod(i, pieces)
        low, high = bounds[piece], bounds[piece + 1]
        missing[r, piece] = _hang_part(graph, back, rows[r], low, high, pieces > 1, pred[r], stop)

    cpu.share_out(lambda: hang, missing.size, threads, stop)
    return missing.sum(axis=1).tolist()


def _bounds(graph: Graph, pieces: int) -> list[int]:
    """Return the vertices at which parts with about as many arcs begin, and n."""
    if pieces == 1:
        return [0, graph.n]
    cuts = [graph.m * piece // pieces for piece in range(1, pieces)]
    ends = np.searchsorted(graph.offsets, np.array(cuts, graph.offsets.dtype))  # another type would copy all offsets
    return [0, *ends.tolist(), graph.n]


def _hang_part(
    graph: Graph,
    back: Graph | None,
    row: np.ndarray,
    low: int,
    high: int,
    shared: bool,
    pred: np.ndarray,
    stop: np.ndarray,
) -> int:
    """Do one part of one row; return its share in the number of reached vertices without predecessor."""
    from ..kernels.cpu.trees import pull, push

    arguments = (np.ascontiguousarray(row), unreached(row.dtype), wide_of(row), low, high)
    if back is not None:
        return int(run_quietly(pull, back.offsets, back.arcs, *arguments, pred.view(np.uint32), stop))
    return int(run_quietly(push, graph.offsets, graph.arcs, *arguments, shared, pred.view(np.uint32), stop))


def _search(
    graph: Graph,
    back: Graph | None,
    row: np.ndarray,
    roots: np.ndarray,
    pred: np.ndarray,
    scratch: np.ndarray,
    stop: np.ndarray,
) -> None:
    """Add to the tree of one row, breadth-first, the vertices that have no place in it yet."""
    from ..kernels.cpu.trees import line_up, line_up_tails, search

    row, mark, wide = np.ascontiguousarray(row), unreached(row.dtype), wide_of(row)
    tree = (pred.view(np.uint32), *scratch)  # with hops and queue
    if back is None:
        last = line_up(row, mark, roots, *tree)
    else:
        last = run_quietly(line_up_tails, back.offsets, back.arcs, row, mark, wide, roots, *tree)
    run_quietly(search, graph.offsets, graph.arcs, row, mark, wide, last, *tree, stop)


def run_quietly(kernel: Any, *arguments: Any) -> Any:
    """Call a kernel whose sums may overflow: with the JIT off, NumPy warns where compiled code is silent."""
    if hasattr(kernel, "py_func"):
        return kernel(*arguments)
    with np.errstate(over="ignore"):
        return kernel(*arguments)


def roots_of(row: np.ndarray, seeds: Any, starts: Any) -> np.ndarray:
    """Return the seeds that are at their starting distances, as int32, ascending; others hang below another seed."""
    seeds = np.array(seeds, dtype=np.int32).reshape(-1)  # a copy: a read-only array would be another type for Numba
    found = seeds[row[seeds] == starts]
    return found if len(found) < 2 else np.unique(found)


def wide_of(row: np.ndarray) -> np.ndarray:
    """Return an empty array of the type in which the sum of a distance and a weight is formed."""
    return np.empty(0, dtype=row.dtype if row.dtype.kind == "f" else np.int64)


def reverse_if_worth(graph: Graph, rows: int) -> Graph | None:
    """Return the reversed graph if it is there, or if memory has room and enough rows wanted it; then it is kept.

    ``rows``: how many want it now, in addition to those that were made without it.
    """
    if graph.known_reverse is not None:
        return graph.known_reverse
    if _offered.get(graph, 0) + rows < REVERSE_FROM or graph.arc_bytes > cpu.facts().memory // REVERSE_SHARE:
        return None
    if graph.m >= SMALL_WORK:  # on another thread, so that the caller receives Ctrl-C
        cpu.run(lambda t: graph.reversed is None, 1, np.zeros(1, np.int64))
    return graph.reversed


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
    find_origins(np.ascontiguousarray(pred, dtype=np.int32), np.array(roots, dtype=np.int32).reshape(-1), origin)
    return origin

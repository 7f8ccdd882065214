"""shortest_path, dijkstra, bellman_ford, johnson, floyd_warshall and yen, with SciPy's signatures and meanings.

All of them are one query: the planner chooses the method, and the answer does not depend on it. Where a matrix is so
small that SciPy has finished before a query could begin, SciPy's own function runs.
"""

from __future__ import annotations

import math
import warnings
from itertools import islice
from typing import Any

import numpy as np
import scipy.sparse.csgraph as scipys

from .matrices import Entry, entry_of
from .rows import NONE, all_rows, nearest_row, refuse_cycles

# Rows times vertices and entries up to which SciPy's own functions are faster than a conversion and a query of ours: it
# takes 10 to 80 ns for each, ours some 0.5 ms in all. Measured on paths, grids, stars, random and dense matrices of 10
# to 100,000 vertices; trees of predecessors, and both directions of arcs, take us longer.
SMALL, TREES, BOTH = 50_000, 4, 4
FEW_ROWS, THIN = 64, 1.5  # rows, and entries per vertex: SciPy's heap is nearly empty in a path or a star
NEAR = 0.1  # share of the vertices within a limit up to which SciPy's searches, which end there, are faster
METHODS = ("auto", "FW", "D", "BF", "J")
NEGATIVE = (
    "Graph has negative weights: dijkstra will give inaccurate results if the graph contains negative cycles. Consider "
    "johnson or bellman_ford."
)


def _is_small(csgraph: Any, rows: int | None, directed: bool = True, trees: bool = False) -> bool:
    """Tell whether SciPy has finished before we could; ``rows`` is None for all."""
    shape = getattr(csgraph, "shape", None) or np.shape(csgraph)
    if len(shape) != 2 or not shape[0]:
        return True  # SciPy says what is wrong with it
    stored = csgraph.nnz if hasattr(csgraph, "nnz") else shape[0] * shape[1]
    count = shape[0] if rows is None else rows
    if stored < THIN * shape[0] and (trees or count < FEW_ROWS) and SMALL >= 0:
        return True
    return bool(count * (shape[0] + stored) <= SMALL * (TREES if trees else 1) * (1 if directed else BOTH))


def _has_few_rounds(csgraph: Any, rows: int | None, directed: bool) -> bool:
    """Tell whether SciPy has finished before we could where it relaxes all entries once per vertex and row."""
    shape = getattr(csgraph, "shape", None) or np.shape(csgraph)
    n = shape[0] if shape else 0
    return _is_small(csgraph, max(n, FEW_ROWS) * (n if rows is None else rows), directed)


def _count(indices: Any) -> int | None:
    """Return how many rows are asked for; None stands for all."""
    return None if indices is None else int(np.size(indices))


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
) -> Any:
    """Return the distances between all vertices, or from some; the arguments are those of SciPy.

    The method is checked, and nearfar chooses its own: the answer does not depend on it.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.shortest_path([[0, 1, 2], [0, 0, 1], [0, 0, 0]], indices=0)
    array([0., 1., 2.])
    """
    if method not in METHODS:
        raise ValueError(f"unrecognized method '{method}'")
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW'.")
    rounds = {"BF": _count(indices), "J": 1}
    few = method not in rounds or _has_few_rounds(csgraph, rounds[method], directed)
    if few and _is_small(csgraph, _count(indices), directed, return_predecessors):
        csgraph = csgraph if hasattr(csgraph, "shape") else np.asarray(csgraph)
        return scipys.shortest_path(csgraph, method, directed, return_predecessors, unweighted, overwrite, indices)
    if method == "FW":
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    entry = entry_of(csgraph, directed, unweighted)
    if method == "D":
        _warn(entry)
    if method in ("auto", "J"):  # with negative weights, both are Johnson's in SciPy
        refuse_cycles(entry)
    return all_rows(entry, indices, math.inf, return_predecessors)


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """Return the distances from some vertices, or from the nearest of them; the arguments are those of SciPy.

    Negative weights give the warning that SciPy gives, and the exact answer; a negative cycle is an error.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.dijkstra([[0, 1, 2], [0, 0, 1], [0, 0, 0]], indices=0, return_predecessors=True)
    (array([0., 1., 2.]), array([-9999,     0,     0], dtype=int32))
    """
    rows = 1 if min_only else _count(indices)
    if _is_small(csgraph, rows, directed, return_predecessors) or _is_near(
        csgraph, directed, indices, unweighted, limit
    ):
        return scipys.dijkstra(csgraph, directed, indices, return_predecessors, unweighted, limit, min_only)
    entry = entry_of(csgraph, directed, unweighted)
    _warn(entry)
    found = nearest_row if min_only else all_rows
    return found(entry, indices, limit, return_predecessors)


def _is_near(csgraph: Any, directed: bool, indices: Any, unweighted: bool, limit: float) -> bool:
    """Tell whether little lies within a limit, judged by the first row: SciPy's search, which also checks the limit."""
    if limit == math.inf or SMALL < 0:
        return False
    first = 0 if indices is None else np.atleast_1d(indices).ravel()[:1]
    row = scipys.dijkstra(csgraph, directed, first, False, unweighted, limit)
    return bool(np.count_nonzero(np.isfinite(row)) <= NEAR * row.size)


def _warn(entry: Entry) -> None:
    """Warn of negative weights, as SciPy does."""
    if entry.is_negative:
        warnings.warn(NEGATIVE, UserWarning, stacklevel=3)


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Return the distances from some vertices; weights may be negative. The arguments are those of SciPy.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.bellman_ford([[0, 3, 2], [0, 0, -2], [0, 0, 0]], indices=0)
    array([0., 3., 1.])
    """
    if _has_few_rounds(csgraph, _count(indices), directed):
        return scipys.bellman_ford(csgraph, directed, indices, return_predecessors, unweighted)
    return all_rows(entry_of(csgraph, directed, unweighted), indices, math.inf, return_predecessors)


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Return the distances from some vertices; weights may be negative. The arguments are those of SciPy.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.johnson([[0, 3, 2], [0, 0, -2], [0, 0, 0]], indices=0)
    array([0., 3., 1.])
    """
    few = _has_few_rounds(csgraph, 1, directed)  # it begins with Bellman and Ford's method, for one row
    if few and _is_small(csgraph, _count(indices), directed, return_predecessors):
        return scipys.johnson(csgraph, directed, indices, return_predecessors, unweighted)
    entry = entry_of(csgraph, directed, unweighted)
    refuse_cycles(entry)
    return all_rows(entry, indices, math.inf, return_predecessors)


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """Return the distances between all vertices; the arguments are those of SciPy.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.floyd_warshall([[0, 1, 5], [0, 0, 1], [0, 0, 0]])
    array([[ 0.,  1.,  2.],
           [inf,  0.,  1.],
           [inf, inf,  0.]])
    """
    if _is_small(csgraph, None, directed, return_predecessors):
        return scipys.floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    try:
        found = all_rows(entry_of(csgraph, directed, unweighted), None, math.inf, return_predecessors)
    except scipys.NegativeCycleError:  # SciPy leaves out what is on the diagonal here, and may find no cycle
        return scipys.floyd_warshall(csgraph, directed, return_predecessors, unweighted, overwrite)
    if overwrite and _can_hold(csgraph):
        csgraph[...] = found[0] if return_predecessors else found
        return (csgraph, found[1]) if return_predecessors else csgraph
    return found


def _can_hold(csgraph: Any) -> bool:
    """Tell whether a matrix can hold the distances, as SciPy asks of one that it overwrites."""
    return type(csgraph) is np.ndarray and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous


def yen(
    csgraph: Any,
    source: int,
    sink: int,
    K: int,  # noqa: N803 - SciPy's name
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Return the lengths of the K shortest paths without a repeated vertex; the arguments are those of SciPy.

    Matrices with negative weights are left to SciPy.

    Examples
    --------
    >>> from nearfar import csgraph
    >>> csgraph.yen([[0, 1, 5], [0, 0, 1], [0, 0, 0]], source=0, sink=2, K=3)
    array([2., 5.])
    """
    n = np.shape(csgraph)[0] if len(np.shape(csgraph)) == 2 else 0
    known = isinstance(K, int | np.integer) and K > 0 and 0 <= source < n and 0 <= sink < n and source != sink
    entry = None if _is_small(csgraph, 1, directed) or not known else entry_of(csgraph, directed, unweighted)
    if entry is None or entry.is_negative:
        return scipys.yen(
            csgraph, source, sink, K, directed=directed, return_predecessors=return_predecessors, unweighted=unweighted
        )
    from ...engine.routes import routes

    found = list(islice(routes(entry.graph, int(source), int(sink), None), int(K)))
    lengths = np.array([length for length, _ in found], np.float64)
    if not return_predecessors:
        return lengths
    before = np.full((len(found), n), NONE, np.int32)
    for row, (_, path) in zip(before, found, strict=True):
        row[path[1:]] = path[:-1]
    return lengths, before

"""Rows of distances as SciPy returns them: float64, inf where nothing is reached, predecessors of -9999."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import NegativeCycleError as ScipyNegativeCycleError

from ...errors import DistanceOverflowError, NegativeCycleError
from .matrices import Entry

if TYPE_CHECKING:
    from ...graph import Graph

NONE = -9999  # SciPy's mark for no predecessor


def take_indices(indices: Any, n: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """Return the sources as a flat array, and the shape they were given in; all vertices if they are None."""
    if indices is None:
        return np.arange(n, dtype=np.int32), (n,)
    array = np.asarray(indices)
    if array.size and array.dtype.kind not in "iu":
        array = np.array(indices, dtype=np.int32)  # nan is refused, as in SciPy
    flat = np.atleast_1d(array).ravel().astype(np.int64)
    flat[flat < 0] += n
    if len(flat) and not (flat.min() >= 0 and flat.max() < n):
        raise ValueError("indices out of range 0...N")
    return flat.astype(np.int32), array.shape


def all_rows(entry: Entry, indices: Any, limit: float, predecessors: bool) -> Any:
    """Return the rows of some sources, and their predecessors if asked for."""
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    sources, shape = take_indices(indices, entry.graph.n)
    if not len(sources):
        nothing = np.empty((*shape, entry.graph.n))
        return (nothing, nothing.astype(np.int32)) if predecessors else nothing
    result = _solve(entry, sources, limit)
    dist = result.rows.reshape(*shape, entry.graph.n)
    if not predecessors:
        return dist
    return dist, _trees(entry.graph, result, sources).reshape(*shape, entry.graph.n)


def _trees(graph: Graph, result: Any, sources: np.ndarray) -> np.ndarray:
    """Return predecessors with SciPy's mark; sources come before vertices to which a single arc is a shortest path.

    That arc is what SciPy sees first. The result is not used again.
    """
    from ...kernels.cpu.foreign import mark_trees

    found = result.predecessors
    trees = found if found.flags.writeable else found.copy()
    lengths = np.empty(0) if graph.weights is None else graph.weights.astype(np.float64)
    mark_trees(graph.offsets, graph.arcs, lengths, result.rows, sources, trees, np.int32(NONE))
    return trees


def refuse_cycles(entry: Entry) -> None:
    """Raise SciPy's error for a negative cycle anywhere, as its Johnson's method does whatever rows are asked for."""
    from ... import api

    if entry.is_negative and not entry.no_cycle:
        with _as_scipy():
            api.nearest(entry.graph, np.arange(entry.graph.n))
        entry.no_cycle = True


def nearest_row(entry: Entry, indices: Any, limit: float, predecessors: bool) -> Any:
    """Return the row from the nearest of some sources; and predecessors and these sources if asked for."""
    from ... import api

    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    sources, _ = take_indices(indices, entry.graph.n)
    if not len(sources):
        nothing = np.full(entry.graph.n, math.inf)
        return (nothing, *np.full((2, entry.graph.n), NONE, np.int32)) if predecessors else nothing
    starts = dict.fromkeys(sources.tolist(), 0)
    with _as_scipy():
        result = api.sssp(entry.graph, starts, dtype="float64", cutoff=_cutoff(limit))
    if not predecessors:
        return result.dist
    origins = _marked(result.origins())  # first, as it reads the tree that is marked next
    return result.dist, _marked(result.predecessors), origins


def _solve(entry: Entry, sources: np.ndarray, limit: float) -> Any:
    """Return the result of a query for some rows."""
    from ... import api

    with _as_scipy():
        return api.mssp(entry.for_rows(sources), sources, dtype="float64", cutoff=_cutoff(limit))


def _cutoff(limit: float) -> float | None:
    """Return SciPy's limit as a cutoff."""
    return None if limit == math.inf else float(limit)


def _marked(tree: np.ndarray) -> np.ndarray:
    """Return a tree with SciPy's mark where there is no vertex; the result that it belongs to is not used again."""
    found = np.array(tree, np.int32, copy=True) if not tree.flags.writeable else tree.astype(np.int32, copy=False)
    np.copyto(found, NONE, where=found < 0)
    return found


class _as_scipy:  # noqa: N801 - used like a function
    """Turn our error for a negative cycle into SciPy's."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        """Translate the error."""
        if isinstance(error, NegativeCycleError):
            raise ScipyNegativeCycleError(f"Negative cycle in nodes {error.cycle}") from error
        if isinstance(error, DistanceOverflowError):
            raise ValueError(str(error)) from error

"""Matrices as graphs, as SciPy reads them, and a small memory of those that were converted and prepared.

A matrix that was seen before is known by its arrays, and by a digest of all their bytes: changing a single entry makes
it another matrix. Only a few are kept, and none longer than its arrays live.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ...graph import Graph

KEPT = 4  # matrices
WHOLE = float(1 << 53)  # sums of whole numbers up to here are the same as floats


@dataclass
class Entry:
    """A matrix as a graph; prepared once enough rows were asked for."""

    graph: Graph
    is_negative: bool
    asked: int = 0  # rows
    no_cycle: bool = False  # whether it is known that no cycle is negative
    prepared: Any = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def for_rows(self, sources: np.ndarray) -> Any:
        """Return the graph, or the prepared graph if that pays for these rows and those asked for before."""
        with self.lock:
            self.asked += len(sources)
            if self.prepared is None and len(sources) > 1:
                self.prepared = self._prepare(min(self.asked, self.graph.n))
            return self.graph if self.prepared is None else self.prepared

    def _prepare(self, rows: int) -> Any:
        """Return the prepared graph if the plan for so many rows prepares it."""
        from ... import api, prepared

        plan = api.plan(self.graph, np.arange(rows), dtype="float64")
        return prepared.prepare(self.graph) if plan.method == "prepared" and plan.device == "cpu" else None


_kept: OrderedDict[tuple[Any, ...], Entry] = OrderedDict()
_lock = threading.Lock()


def entry_of(matrix: Any, directed: bool, unweighted: bool) -> Entry:
    """Return a matrix as a graph, from memory if it was seen before and has not changed."""
    arrays = _arrays_of(matrix)
    if arrays is None:
        return _convert(matrix, directed, unweighted)
    shape = (type(matrix).__name__, getattr(matrix, "format", ""), matrix.shape, bool(directed), bool(unweighted))
    key = (*map(id, arrays), *shape, _digest(arrays))
    with _lock:
        entry = _kept.get(key)
        if entry is not None:
            _kept.move_to_end(key)
            return entry
    entry = _convert(matrix, directed, unweighted)
    with _lock:
        _kept[key] = entry
        for array in arrays:
            weakref.finalize(array, _kept.pop, key, None)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return entry


def forget() -> None:
    """Forget all matrices.

    Examples
    --------
    >>> from nearfar.adapters.csgraph.matrices import forget
    >>> forget()
    """
    with _lock:
        _kept.clear()


def _arrays_of(matrix: Any) -> list[np.ndarray] | None:
    """Return the arrays that make up a matrix; None if it is not known what they are."""
    if type(matrix) is np.ndarray:
        return [matrix]
    kind = getattr(matrix, "format", None)
    if kind in ("csr", "csc", "bsr"):
        return [matrix.data, matrix.indices, matrix.indptr]
    if kind == "coo":
        return [matrix.data, matrix.row, matrix.col]
    return None


def _digest(arrays: list[np.ndarray]) -> tuple[Any, ...]:
    """Return a digest of all bytes, at the speed of memory, with their types and their shapes."""
    from ...kernels.cpu.foreign import digest

    state = np.arange(1, 5, dtype=np.uint64)
    kinds = tuple((array.dtype.str, array.shape) for array in arrays)
    for array in arrays:
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        whole = len(data) // 8 * 8
        digest(data[:whole].view(np.uint64), state)
        digest(data[whole:].astype(np.uint64), state)
    return (*kinds, state.tobytes())


def _convert(matrix: Any, directed: bool, unweighted: bool) -> Entry:
    """Return a matrix as a graph: SciPy reads it, with its rules for what is an arc."""
    from ...graph import Graph

    found = _validate(matrix, directed)
    data = np.asarray(found.data)
    if len(data) and np.isnan(data).any():
        raise ValueError("a weight of the matrix is nan, but weights are numbers. Leave such entries out.")
    weights = None if unweighted else in_whole_numbers(data)
    is_negative = not unweighted and bool(len(data)) and bool(data.min() < 0)
    if directed:
        return Entry(Graph.from_csr(found.indptr, found.indices, weights), is_negative)
    return Entry(_both_ways(found, weights), is_negative)


def _both_ways(found: Any, weights: np.ndarray | None) -> Graph:
    """Return the graph of all arcs in both directions, sorted by the compiled kernel however few they are."""
    from ...graph.arrays import take_weights
    from ...graph.reweigh import without_infinite
    from ...graph.rows import arcs_to_rows
    from ...graph.vertices import Vertices

    n = int(found.shape[0])
    tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(found.indptr))
    heads = found.indices.astype(np.int32, copy=False)
    taken = take_weights(weights, len(tails), lambda i: f"entry {i}")
    rows = arcs_to_rows(n, tails, heads, taken, both=True, few=0, keep=False)
    return without_infinite(rows, taken, Vertices(n), coordinates=None, undirected=True)


def _validate(matrix: Any, directed: bool) -> Any:
    """Return a matrix as SciPy's functions see it: rows of float64."""
    from scipy.sparse.csgraph._validation import validate_graph

    if isinstance(matrix, np.ma.MaskedArray):  # SciPy fails on one whose mask is a single False
        matrix = np.ma.array(matrix.data, mask=np.ma.getmaskarray(matrix))
    check: Callable[..., Any] = validate_graph
    return check(matrix, directed, np.float64, dense_output=False)


def in_whole_numbers(data: np.ndarray) -> np.ndarray:
    """Return weights as int32 or int64 if all are whole numbers, with which the engine is faster; else as they are.

    Sums of whole numbers are the same in floats as long as they stay below 2**53.
    """
    if not len(data):
        return data
    low, high = float(data.min()), float(data.max())
    if not -WHOLE < low <= high < WHOLE:
        return data
    whole = data.astype(np.int32 if low > -(2**31) and high < 2**31 - 1 else np.int64)
    return whole if bool((whole == data).all()) else data

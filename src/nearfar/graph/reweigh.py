"""The same arcs with other weights: weights in the order of the user's rows, arcs closed and opened again.

A graph stores only arcs that can be used, so an arc of weight inf is taken out. What it was taken out of is kept beside
it: ``opened``, the graph with all arcs, and ``kept``, the positions there of the arcs that are open. Weights are always
given for the rows of the whole input, so a later call opens what an earlier one closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import GraphError, InputTypeError, VertexError
from .arrays import Array, Weights, on_host, shorten, take_array, take_weights
from .blocks import offset_type, record_type
from .graph import Graph
from .rows import Rows
from .vertices import Vertices


def without_infinite(rows: Rows, weights: Weights | None, vertices: Vertices, **facts: Any) -> Graph:
    """Return the graph of arcs in rows; those of weight inf are closed."""
    if weights is None or not weights.drops:
        return Graph(rows.offsets, rows.arcs, vertices, input_rows=rows.input_rows, **facts)
    bare = np.empty(len(rows.arcs), record_type(None))
    bare["head"] = rows.arcs["head"]
    opened = Graph(rows.offsets, bare, vertices, input_rows=rows.input_rows, **facts)
    kept = np.flatnonzero(rows.arcs["weight"] != np.inf)
    return _closed(opened, rows.arcs[kept], kept)


def with_weights(graph: Graph, weights: Any) -> Graph:
    """Implement `Graph.with_weights`."""
    opened = graph.opened
    rows = opened.input_rows
    _refuse_labels(weights)
    taken = take_weights(weights, rows.count, lambda i: row_name(opened, i), _unit(opened))
    facts: dict[str, Any] = {"undirected": opened.undirected and (rows.paired or taken is None)}
    facts |= {"units": opened.units.of_other_weights, "input_rows": rows}
    if taken is not None and not rows.complete:
        _refuse_lost(opened, taken.values)
    if taken is None:
        return opened.like(opened.offsets, _records(opened.heads, None), **facts)
    values = taken.values if rows.in_order else taken.values[opened.rows]
    if not taken.drops:
        arcs = _records(opened.heads, values, taken.dtype)
        return opened.like(opened.offsets, arcs, **facts)
    kept = np.flatnonzero(values != np.inf)
    return _closed(opened, _records(opened.heads[kept], values[kept], taken.dtype), kept, **facts)


def unweighted(graph: Graph) -> Graph:
    """Return the open arcs of a graph without their weights, made on first use and kept: distances are then hops."""
    if graph.weight_dtype is None:
        return graph
    if "hops" not in graph.memo:
        units = graph.units.of_other_weights
        graph.memo["hops"] = graph.like(graph.offsets, _records(graph.heads, None), keys=None, units=units)
    kept: Graph = graph.memo["hops"]
    return kept


def _refuse_lost(opened: Graph, weights: Array) -> None:
    """Refuse a weight for a row whose arc is lost."""
    lost = np.ones(len(weights), bool)
    lost[opened.rows] = False
    if len(found := np.flatnonzero(lost & (weights != np.inf))):
        raise GraphError(
            f"row {found[0]} has weight {weights[found[0]]}, but its arc was closed when this graph was written to a "
            f"file, and cannot be opened. Give inf for it, or write the graph before it is closed."
        )


def _refuse_labels(weights: Any) -> None:
    """Refuse a pandas Series in another order than that of its labels 0, 1, 2, ...: rows are positions, not labels."""
    labels = getattr(weights, "index", None)
    if not hasattr(weights, "iloc") or labels is None:
        return
    if not np.array_equal(np.asarray(labels), np.arange(len(labels))):
        raise InputTypeError(
            f"weights is a {type(weights).__name__} whose index is not 0 to {len(labels) - 1} in order, and labels are "
            f"ignored here: weight i is for row i. Give .to_numpy() if they are in the order of your rows."
        )


def row_weights(graph: Graph) -> Array:
    """Implement `Graph.row_weights`."""
    weights = np.ones(graph.m, np.int32) if graph.weights is None else graph.weights
    rows = graph.rows if graph.input_rows.known else np.arange(graph.m) if graph.kept is None else graph.kept
    if graph.kept is None and graph.input_rows.complete:
        found = np.empty(graph.input_rows.count, np.int64 if weights.dtype.kind == "i" else weights.dtype)
    else:
        if weights.dtype.kind == "i" and max(abs(graph.min_weight), abs(graph.max_weight)) > 2**53:
            raise GraphError(
                f"weights reach {graph.max_weight}, and closed rows have inf: floats hold whole numbers only up to "
                f"2**53. Use graph.opened.row_weights, or coarser units."
            )
        found = np.full(graph.input_rows.count, np.inf, np.result_type(weights.dtype, np.float32))
    found[rows] = weights
    return found


def _records(heads: Array, weights: Array | None, dtype: np.dtype[Any] | None = None) -> Array:
    """Return arcs with these heads and weights."""
    arcs = np.empty(len(heads), record_type(dtype))
    arcs["head"] = heads
    if weights is not None:
        arcs["weight"] = weights
    return arcs


def close(graph: Graph, rows: Any) -> Graph:
    """Implement `Graph.close`."""
    opened, count = graph.opened, graph.input_rows.count
    given = _take_rows(rows, count, opened)
    if not len(given):
        return graph  # and arcs on the disk stay there
    shut = np.zeros(count, bool)
    shut[given] = True
    by_arc = shut if opened.input_rows.in_order else shut[opened.rows]
    still = ~by_arc if graph.kept is None else ~by_arc[graph.kept]
    if still.all():
        return graph
    kept = np.flatnonzero(still) if graph.kept is None else graph.kept[still]
    undirected = graph.undirected and opened.input_rows.paired
    return _closed(opened, graph.arcs[still], kept, undirected=undirected, units=graph.units)


def _closed(opened: Graph, arcs: Array, kept: Array, **facts: Any) -> Graph:
    """Return the graph of some arcs of ``opened``, those at the positions ``kept``."""
    offsets = np.searchsorted(kept, opened.offsets).astype(offset_type(len(kept)))
    return opened.like(offsets, arcs, **{"input_rows": opened.input_rows, "opened": opened, "kept": kept} | facts)


def _take_rows(rows: Any, count: int, graph: Graph) -> Array:
    """Return rows of the input as an array of integers in range."""
    unit = _unit(graph)
    rows = sorted(rows) if isinstance(rows, set | frozenset) else rows
    array = np.asarray(on_host(rows))
    array = array.reshape(1) if array.ndim == 0 else take_array(rows, f"{unit}s")
    if array.dtype.kind == "b":
        raise InputTypeError(f"{unit}s are bools, but must be whole numbers. For a mask, give np.flatnonzero(mask).")
    if array.size and array.dtype.kind not in "iu":
        raise InputTypeError(
            f"{unit}s are {array.dtype} (the first is {shorten(array[0])}), but must be whole numbers from 0 to "
            f"{count - 1}. graph.find_rows(u, v) finds rows by the ends of their arcs."
        )
    if array.size and not (array.min() >= 0 and array.max() < count):
        bad = int(array[(array < 0) | (array >= count)][0])
        raise VertexError(f"{unit} {bad} does not exist: the graph has {count} {unit}s, 0 to {count - 1}.")
    return array.astype(np.int64) if array.size else np.empty(0, np.int64)


def _unit(graph: Graph) -> str:
    """Return what weights are given for: rows of the input, or arcs if rows were not kept."""
    return "row" if graph.input_rows.known else "arc"


def row_name(graph: Graph, i: int) -> str:
    """Return what to call row ``i`` of the input in a message."""
    e = i if graph.input_rows.in_order else int(np.flatnonzero(graph.rows == i)[0])
    return graph.arc_name(e).replace(f"arc {e}", f"{_unit(graph)} {i}", 1)


def require_rows(graph: Graph) -> None:
    """Refuse a graph that was built with ``keep_rows=False``."""
    if not graph.input_rows.known:
        raise GraphError(
            "this graph was built with keep_rows=False, so its arcs do not know the rows of the input. Build it again "
            "without keep_rows."
        )

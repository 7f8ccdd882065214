"""`Graph.from_frame`: a graph from a table with one arc per row.

Tables of pandas, polars and Arrow are read by their own methods, and none of these libraries is imported. Any other
table that exports Arrow data goes through pyarrow. Which column is what, roles.py decides, and what ids become, ids.py:
the same as for tables in files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import GraphError, InputTypeError, MissingDependencyError, option
from .arrays import Array, shorten
from .graph import Graph
from .ids import index_ends
from .roles import Header

_ROWS = 200  # as many as are looked at in an edge list; converting a long column of words would take seconds


class _Table(NamedTuple):
    """The names of a table's columns, and a function from the index of a column to the column."""

    names: list[Any]
    column: Callable[[int], Any]


def from_frame(frame: Any, tail: Any, head: Any, weight: Any, undirected: bool, keep_rows: bool = True) -> Graph:
    """Implement `Graph.from_frame`."""
    table = _take_table(frame)
    header = Header("the table", table.names, len(table.names), lambda field: _is_numeric(table.column(field)))
    chosen = header.roles(tail, head, weight)
    tails, heads = _values(table, chosen.tail), _values(table, chosen.head)
    called = (f"column {table.names[chosen.tail]!r}", f"column {table.names[chosen.head]!r}")
    first, second, names, n = index_ends(tails, heads, called)
    weights = None if chosen.weight is None else _weights(table, chosen.weight)
    return Graph.from_arcs(first, second, weights, n, undirected, names=names, keep_rows=keep_rows)


def _take_table(frame: Any) -> _Table:
    """Return how to read a table of pandas, polars, Arrow, or of a library that exports Arrow data."""
    if hasattr(frame, "collect") and not hasattr(frame, "to_numpy"):
        raise InputTypeError(f"frame is a {type(frame).__name__}, but its rows are needed. Call .collect() first.")
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):  # pandas
        return _Table(list(frame.columns), lambda field: frame.iloc[:, field])
    if hasattr(frame, "columns") and hasattr(frame, "to_series"):  # polars
        return _Table(list(frame.columns), frame.to_series)
    if hasattr(frame, "column_names") and hasattr(frame, "column"):  # Arrow
        return _Table(list(frame.column_names), frame.column)
    if hasattr(frame, "__arrow_c_stream__"):
        exported = _through_arrow(frame)
        return _Table(list(exported.column_names), exported.column)
    raise InputTypeError(
        f"frame is a {type(frame).__name__}, but from_frame takes a pandas or polars DataFrame, an Arrow Table, or an "
        f"object that exports Arrow data. Use from_arcs for plain arrays, with names=True if they hold ids."
    )


def _through_arrow(frame: Any) -> Any:
    """Return the table of an object with ``__arrow_c_stream__``."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingDependencyError(
            f"a {type(frame).__name__} is read with the package pyarrow, which is not installed. "
            f"Use: pip install 'nearfar[formats]'"
        ) from error
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputTypeError(
            f"frame is a {type(frame).__name__}, which exports no table ({shorten(str(error))}). Give a table."
        ) from error


def _values(table: _Table, field: int) -> Array:
    """Return one column as a NumPy array without missing values."""
    column = table.column(field)
    missing = _missing(column)
    if missing.any():
        raise GraphError(
            f"Column {table.names[field]!r} has no value in row {int(np.flatnonzero(missing)[0])}, but every arc needs "
            f"one. Drop or fill such rows."
        )
    return np.asarray(column.to_numpy())


def _missing(column: Any) -> Array:
    """Return a mask of the rows without a value."""
    return np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), bool)


def _is_numeric(column: Any) -> bool:
    """Return whether a column holds numbers, judged by its first rows; some may be missing."""
    few = column.slice(0, _ROWS) if hasattr(column, "slice") else column.head(_ROWS)
    array = np.asarray(few.to_numpy())
    if array.dtype.kind != "O":
        return array.dtype.kind in "iuf"
    kinds = set(map(type, array[~_missing(few)]))
    return bool(kinds) and kinds <= {int, float}


def _weights(table: _Table, field: int) -> Array:
    """Return the weights; refuse a column of anything but numbers, which was found by its name or given."""
    array = _values(table, field)
    if array.size and not _is_numeric(table.column(field)):
        kind = type(array[0]).__name__ if array.dtype.kind == "O" else array.dtype
        raise InputTypeError(
            f"Column {table.names[field]!r} is {kind}, but weights are integers or floats. Convert it, name another "
            f"column with {option('weight')}, or use {option('weight', False)}."
        )
    return array

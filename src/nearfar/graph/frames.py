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


class FrameColumns(NamedTuple):
    """The names of a table's columns, and a function from the index of a column to the column."""

    names: list[Any]
    column: Callable[[int], Any]

    def values(self, field: int, needs: str = "every arc needs one") -> Array:
        """Return one column as a NumPy array without missing values."""
        column = self.column(field)
        missing = _missing(column)
        if missing.any():
            raise GraphError(
                f"Column {self.names[field]!r} has no value in row {int(np.flatnonzero(missing)[0])}, but {needs}. "
                f"Drop or fill such rows."
            )
        array = _as_array(column, self.names[field])
        if (
            array.dtype == object and len(array) and isinstance(array[0], dict)
        ):  # cells of a raster, as arrow.py has them
            return np.fromiter((tuple(cell.values()) for cell in array), object, len(array))
        return array


def from_frame(frame: Any, tail: Any, head: Any, weight: Any, undirected: bool, keep_rows: bool = True) -> Graph:
    """Implement `Graph.from_frame`."""
    table = take_columns(frame)
    header = Header("the table", table.names, len(table.names), lambda field: _is_numeric(table.column(field)))
    chosen = header.roles(tail, head, weight)
    tails, heads = table.values(chosen.tail), table.values(chosen.head)
    called = (f"column {table.names[chosen.tail]!r}", f"column {table.names[chosen.head]!r}")
    first, second, names, n = index_ends(tails, heads, called)
    weights = None if chosen.weight is None else _weights(table, chosen.weight)
    return Graph.from_arcs(first, second, weights, n, undirected, names=names, keep_rows=keep_rows)


def is_frame(value: Any) -> bool:
    """Tell whether a value is a table that `take_columns` reads, or a lazy one that it refuses; not a single column."""
    if hasattr(value, "collect") or (hasattr(value, "__arrow_c_stream__") and not hasattr(value, "to_numpy")):
        return True
    return hasattr(value, "columns") and (hasattr(value, "to_numpy") or hasattr(value, "__arrow_c_stream__"))


def take_columns(frame: Any) -> FrameColumns:
    """Return how to read a table of pandas, polars, Arrow, or of a library that exports Arrow data.

    Examples
    --------
    >>> import polars
    >>> from nearfar.graph.frames import take_columns
    >>> table = take_columns(polars.DataFrame({"a": [1, 2], "b": [3, 4]}))
    >>> table.names, table.values(1)
    (['a', 'b'], array([3, 4]))
    """
    if hasattr(frame, "collect") and not hasattr(frame, "to_numpy"):
        raise InputTypeError(f"frame is a {type(frame).__name__}, but its rows are needed. Call .collect() first.")
    if hasattr(frame, "columns") and hasattr(frame, "iloc"):  # pandas
        return FrameColumns(list(frame.columns), lambda field: frame.iloc[:, field])
    if hasattr(frame, "columns") and hasattr(frame, "to_series"):  # polars
        return FrameColumns(list(frame.columns), frame.to_series)
    if hasattr(frame, "column_names") and hasattr(frame, "column"):  # Arrow
        return FrameColumns(list(frame.column_names), frame.column)
    if hasattr(frame, "__arrow_c_stream__"):
        exported = _through_arrow(frame)
        return FrameColumns(list(exported.column_names), exported.column)
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
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputTypeError(
            f"frame is a {type(frame).__name__}, which exports no table ({shorten(str(error))}). Give a table."
        ) from error
    if not table.num_rows and hasattr(frame, "read_next_batch"):
        raise GraphError(
            f"the {type(frame).__name__} has no rows. A reader gives its rows only once: make it anew, or keep them "
            f"with .read_all(), whose table may be empty."
        )
    return table


def _as_array(column: Any, name: Any) -> Array:
    """Return a column as an array of NumPy; refuse types that NumPy does not have, such as integers of 128 bits."""
    try:
        return np.asarray(column.to_numpy())
    except Exception as error:  # each library has its own
        raise InputTypeError(
            f"Column {name!r} cannot become an array of NumPy ({shorten(str(error), 200)}). Cast it to integers of 64 "
            f"bits, floats or words."
        ) from error


def _missing(column: Any) -> Array:
    """Return a mask of the rows without a value."""
    return np.asarray(column.isna() if hasattr(column, "isna") else column.is_null(), bool)


def _is_numeric(column: Any) -> bool:
    """Return whether a column holds numbers, judged by its first rows; some may be missing."""
    few = column.slice(0, _ROWS) if hasattr(column, "slice") else column.head(_ROWS)
    array = _as_array(few, getattr(column, "name", "of the table"))
    if array.dtype.kind != "O":
        return array.dtype.kind in "iuf"
    kinds = set(map(type, array[~_missing(few)]))
    return bool(kinds) and kinds <= {int, float}


def _weights(table: FrameColumns, field: int) -> Array:
    """Return the weights; refuse a column of anything but numbers, which was found by its name or given."""
    array = table.values(field)
    if array.size and not _is_numeric(table.column(field)):
        kind = type(array[0]).__name__ if array.dtype.kind == "O" else array.dtype
        cure = "Convert it (in SQL: CAST(... AS DOUBLE))" if kind == "Decimal" else "Convert it"
        raise InputTypeError(
            f"Column {table.names[field]!r} is {kind}, but weights are integers or floats. {cure}, name another "
            f"column with {option('weight')}, or use {option('weight', False)}."
        )
    return array

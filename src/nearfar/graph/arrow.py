"""Tables in Arrow's format, in batches of bounded size, for polars, DuckDB and whoever takes an Arrow stream.

pyarrow is loaded when it is needed. Names that are words become a dictionary column: the words once, and one int32 per
line. Whole numbers stay whole numbers. The cells of a raster are structs of their two numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import InputTypeError
from .arrays import shorten
from .cells import CellNames
from .names import NumberNames
from .tables import Columns, Named, load

BATCH = 1 << 20  # entries that become lines at a time: some 30 MB while they do


def reader_of(lines: Callable[[int, int], Columns], count: int) -> Any:
    """Return a pyarrow.RecordBatchReader; ``lines`` returns the columns of the entries between two positions."""
    arrow = load("pyarrow", "an Arrow table")
    values_of = _Values(arrow)

    def batch(low: int, high: int) -> Any:
        made = {name: values_of(column, name) for name, column in lines(low, high).items()}
        return arrow.record_batch(list(made.values()), names=list(made))

    def batches() -> Iterator[Any]:
        for low in range(0, count, BATCH):
            yield batch(low, min(low + BATCH, count))

    return arrow.RecordBatchReader.from_batches(batch(0, 0).schema, batches())


def as_kind(kind: str, lines: Callable[[int, int], Columns], count: int) -> Any:
    """Return a pyarrow.Table or a polars.DataFrame of all lines."""
    if kind == "arrow":
        return reader_of(lines, count).read_all()
    return load("polars", "to_frame(kind='polars')").DataFrame(reader_of(lines, count))


class _Values:
    """Makes Arrow arrays of columns; all names are converted once, for the first batch."""

    def __init__(self, arrow: Any) -> None:
        self.arrow = arrow
        self._converted: dict[int, Any] = {}  # by the id of a sequence of names, which lives as long as the result

    def __call__(self, column: Named | np.ndarray, title: str) -> Any:
        """Return a column as an Arrow array; ``title`` is what it is called."""
        if not isinstance(column, Named):
            return self.arrow.array(np.ascontiguousarray(column))
        names = column.names
        if isinstance(names, CellNames):
            pairs = names.take(column.at).astype(np.int32, copy=False)
            fields = ("x", "y") if names.xy else ("row", "column")
            return self.arrow.StructArray.from_arrays([self(np.copy(part), title) for part in pairs.T], list(fields))
        if names is None or isinstance(names, NumberNames):
            return self.arrow.array(column.listed())
        words, at = self._convert(names, title), self.arrow.array(column.at.astype(np.int32))
        if self.arrow.types.is_string(words.type):
            return self.arrow.DictionaryArray.from_arrays(at, words)
        return words.take(at)

    def _convert(self, names: Any, title: str) -> Any:
        """Return all names as an Arrow array of one type."""
        if id(names) not in self._converted:
            try:
                self._converted[id(names)] = self.arrow.array(names)
            except (self.arrow.ArrowException, TypeError, ValueError, OverflowError) as error:
                kinds = sorted({type(name).__name__ for name in names})
                what, cure = "names", ", or graph.without_names() for the query"
                if title == "key":
                    what, cure = "keys of edges", ""
                raise InputTypeError(
                    f"{what} are of type {', '.join(kinds)} ({shorten(str(error))}), but an Arrow column has one type "
                    f"that Arrow knows. Use to_frame() of pandas{cure}."
                ) from error
        return self._converted[id(names)]

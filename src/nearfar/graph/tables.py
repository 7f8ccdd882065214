"""Results and graphs as tables: names of vertices, and frames of pandas, polars and Arrow.

What can be a table says how many lines it may have and what the columns of some of them are (`Framed`). pandas gets all
of them at once; Arrow, polars and whoever asks for an Arrow stream get them in batches (arrow.py).
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import MissingDependencyError, OptionError
from .cells import CellNames
from .names import NumberNames

KINDS = ("pandas", "polars", "arrow")


class Named(NamedTuple):
    """A column of names: those at some positions of all ``names``; without names the positions themselves."""

    names: Sequence[Any] | None
    at: np.ndarray

    def listed(self) -> np.ndarray:
        """Return the column as an array of integers or of objects."""
        if self.names is None:
            return self.at.astype(np.int32, copy=False)
        if isinstance(self.names, NumberNames):
            return self.names.take(self.at)
        if isinstance(self.names, CellNames):
            return np.fromiter(map(tuple, self.names.take(self.at).tolist()), dtype=object, count=len(self.at))
        return np.fromiter(self.names, dtype=object, count=len(self.names))[self.at]


Columns = dict[str, "Named | np.ndarray"]


class Framed:
    """What can be a table: `to_frame` of its subclasses, and a stream of Arrow batches for other libraries."""

    __slots__ = ()

    def _line_count(self) -> int:
        """Return how many lines there may be: entries of an array, of which some may be left out."""
        raise NotImplementedError

    def _lines(self, low: int, high: int) -> Columns:
        """Return the columns of the entries from ``low`` to ``high``; they have the same types for all entries."""
        raise NotImplementedError

    def _framed(self, kind: str, index: Any = None) -> Any:
        """Return all lines as a frame; ``index`` labels them in pandas."""
        if check_kind(kind) == "pandas":
            return frame_of(self._lines(0, self._line_count()), index)
        from .arrow import as_kind

        return as_kind(kind, self._lines, self._line_count())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Give the lines to a library that takes Arrow data, in batches that are made when it asks for them."""
        from .arrow import reader_of

        return reader_of(self._lines, self._line_count()).__arrow_c_stream__(requested_schema)


def check_kind(kind: Any) -> str:
    """Return which kind of frame is wanted; refuse others."""
    if kind not in KINDS:
        raise OptionError(f"kind is {kind!r}, which is no kind of frame. Use one of {', '.join(map(repr, KINDS))}.")
    return str(kind)


def load(library: str, what: str) -> Any:
    """Import a library that is not required; ``what`` needs it."""
    try:
        return importlib.import_module(library)
    except ImportError as missing:
        raise MissingDependencyError(
            f"{what} needs {library}, which is not installed: pip install {library}."
        ) from missing


def frame_of(columns: Columns, index: Any = None) -> Any:
    """Return a pandas DataFrame, whose columns of names take the narrowest type that holds them.

    ``index`` labels the lines; by default they are counted from 0.
    """
    pandas = load("pandas", "to_frame()")
    listed = {name: column.listed() if isinstance(column, Named) else column for name, column in columns.items()}
    return pandas.DataFrame(listed, index=index).infer_objects()


def entries(array: np.ndarray, low: int, high: int) -> np.ndarray:
    """Return the entries from ``low`` to ``high`` of an array in reading order; others are not touched."""
    return array.reshape(-1)[low:high] if array.flags.c_contiguous else array.flat[low:high]


def places(array: np.ndarray, wanted: np.ndarray, low: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and columns of the entries that are wanted, where the first of ``wanted`` is entry ``low``."""
    rows, columns = np.divmod(np.flatnonzero(wanted) + low, max(array.shape[1], 1))
    return rows, columns

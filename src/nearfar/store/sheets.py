"""Sheets: tables of any columns that are written to a file a block of lines at a time, as .csv, .csv.gz or .parquet.

All tables that nearfar writes come through here. A column is an array, or `Named`: vertices by index, -1 where there is
none, which are called as labels.py says. All blocks have the columns of the first, with the same types.
"""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import IO, Any, Protocol

import numpy as np

from ..errors import MissingDependencyError
from ..graph.tables import Columns, Named
from .labels import Labels, quoted
from .lines import Pending, lines_of, part_of

LINES = 1 << 16  # lines of text that are formatted at a time
FEW = 1 << 12  # lines that Python formats sooner than the kernel is loaded
GROUP = 1 << 20  # lines of .parquet that are compressed at a time, a row group: DuckDB and Spark read these best
GZIP_LEVEL = 6


class Sheet(Protocol):
    """Takes blocks of lines."""

    def write(self, columns: Columns, ends: np.ndarray | None = None) -> None:
        """Add some lines; the first block, which may be empty, says what the columns are.

        ``ends``: the numbers of lines after which a source ends, which .parquet keeps together; None: every line.
        """

    def close(self) -> None:
        """Write what is left."""

    def abandon(self) -> None:
        """Write nothing more."""


@contextmanager
def open_sheet(
    file: IO[bytes], ending: str, about: Mapping[str, str] | None = None, group: int | None = None
) -> Iterator[Sheet]:
    """Give a sheet that writes to a file.

    ``about``: what a .parquet file says of itself, in its metadata; ``group``: how many lines it compresses at a time.
    """
    sheet = (
        Parquet(file, about or {}, GROUP if group is None else group) if ending == ".parquet" else TEXTS[ending](file)
    )
    try:
        yield sheet
        sheet.close()
    except BaseException:  # the file is thrown away, and there may be no room to end it
        sheet.abandon()
        raise


class Text:
    """Lines of csv."""

    def __init__(self, file: Any) -> None:
        self.file, self.labels, self.begun = file, Labels(quoted), False

    def write(self, columns: Columns, ends: np.ndarray | None = None) -> None:
        """Write a header at first, and one line per entry."""
        if not self.begun:
            self.begun = True
            self.file.write((",".join(map(quoted, columns)) + "\n").encode())
        size = lines_of(columns)
        for low in range(0, size, LINES):
            block = [self._values(part_of(column, low, low + LINES)) for column in columns.values()]
            self.file.write(_digits(block) if _are_digits(block) else _text(block))

    def _values(self, column: Named | np.ndarray) -> np.ndarray:
        """Return a column as numbers, or as text."""
        if not isinstance(column, Named):
            return column if column.dtype.kind not in "OU" else np.array([_word(entry) for entry in column], object)
        some = column.at >= 0
        if some.all():
            return self.labels.take(column)
        values = np.full(len(some), "", object)
        values[some] = self.labels.take(Named(column.names, column.at[some]))
        return values

    def close(self) -> None:
        """Do nothing: all lines are written."""

    def abandon(self) -> None:
        """Do nothing."""


class PackedText(Text):
    """Lines of csv, compressed; without a time stamp, so that equal lines give equal bytes."""

    def __init__(self, file: Any) -> None:
        super().__init__(gzip.GzipFile("", "wb", GZIP_LEVEL, file, mtime=0))

    def close(self) -> None:
        """End the compressed data."""
        self.file.close()

    def abandon(self) -> None:
        """Let nothing be written when the compressor is forgotten."""
        self.file.fileobj = None


def _are_digits(block: list[np.ndarray]) -> bool:
    """Tell whether a kernel can write these columns, and whether that is worth it."""
    return bool(block) and len(block[0]) >= FEW and all(column.dtype.kind == "i" for column in block)


def _digits(block: list[np.ndarray]) -> memoryview:
    """Return lines of whole numbers."""
    from ..kernels.cpu.digits import WIDEST, write_integers

    table = np.array(block, np.int64)
    out = np.empty(table.shape[1] * (WIDEST + 1) * len(block), np.uint8)
    with np.errstate(over="ignore"):  # the sign of negative numbers, when kernels run as plain Python
        used = write_integers(table, np.empty(0, np.uint8), ord(","), out)
    return out[:used].data


def _text(block: list[np.ndarray]) -> bytes:
    """Return lines of anything. Many are formatted at once, which is faster."""
    line = ",".join(["%s"] * len(block)) + "\n"
    fields = chain.from_iterable(zip(*map(_fields, block), strict=True))
    return (line * len(block[0]) % tuple(fields)).encode()


def _fields(column: np.ndarray) -> list[Any]:
    """Return what is written for the entries of a column: floats in the shortest form that reads back equal."""
    texts: list[Any] = (column.astype(np.str_) if column.dtype == np.float32 else column).tolist()
    return texts


def _word(entry: Any) -> str:
    """Return an entry of a column of anything; what is missing is an empty field."""
    return "" if entry is None else quoted(entry)


class Parquet:
    """Typed columns, in row groups. Words are dictionary columns, with the words of the group.

    Whole numbers are written as differences, which suits vertices in order and distances to neighbouring vertices.
    """

    def __init__(self, file: Any, about: Mapping[str, str], group: int) -> None:
        require_arrow("writing")
        import pyarrow

        self.arrow, self.file, self.labels, self.pending = pyarrow, file, Labels(str), Pending(group)
        self.about = {f"nearfar_{key}": value for key, value in about.items()}
        self.writer: Any = None

    def write(self, columns: Columns, ends: np.ndarray | None = None) -> None:
        """Keep lines until they make a row group."""
        if self.writer is None:
            self._write({name: part_of(column, 0, 0) for name, column in columns.items()})
        for group in self.pending.add(columns, ends):
            self._write(group)

    def _write(self, columns: Columns) -> None:
        """Write a row group."""
        table = self.arrow.table({name: self._array(column) for name, column in columns.items()})
        if self.writer is None:
            self.writer = self._begin(table.schema)
        if table.num_rows:
            self.writer.write_table(table, row_group_size=table.num_rows)

    def _begin(self, schema: Any) -> Any:
        """Begin the file: say how each column is encoded."""
        from pyarrow.parquet import ParquetWriter

        types = {field.name: field.type for field in schema}
        whole = [name for name in types if self.arrow.types.is_integer(types[name])]
        named = [name for name in types if name not in whole and not self.arrow.types.is_floating(types[name])]
        return ParquetWriter(
            self.file,
            schema.with_metadata(self.about or None),
            compression="zstd",
            use_dictionary=named,  # type: ignore[arg-type] # False would be for all columns
            column_encoding=dict.fromkeys(whole, "DELTA_BINARY_PACKED") or None,
        )

    def _array(self, column: Named | np.ndarray) -> Any:
        """Return a column as an Arrow array."""
        if not isinstance(column, Named):
            words = self.arrow.string() if column.dtype.kind == "O" else None  # no line of the first group says so
            return self.arrow.array(np.ascontiguousarray(column), words)
        missing = column.at < 0 if column.at.min(initial=0) < 0 else None
        at = column.at if missing is None else np.maximum(column.at, 0)
        if not self.labels.are_words(column.names):
            return self.arrow.array(self.labels.take(Named(column.names, at)), mask=missing)
        used, codes = ranked(at)
        words = self.arrow.array(self.labels.take(Named(column.names, used)), self.arrow.string())
        return self.arrow.DictionaryArray.from_arrays(self.arrow.array(codes, mask=missing), words)

    def close(self) -> None:
        """Write the end of the file, without which it cannot be read."""
        for group in self.pending.rest():
            self._write(group)
        if self.writer is not None:
            self.writer.close()

    def abandon(self) -> None:
        """Let nothing be written when the writer is forgotten."""
        if self.writer is not None:
            self.writer.is_open = False


def ranked(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the different values of an array of small numbers, ascending, and the rank of each entry among them.

    Examples
    --------
    >>> import numpy as np
    >>> ranked(np.array([7, 2, 7]))
    (array([2, 7]), array([1, 0, 1], dtype=int32))
    """
    if not len(values):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    low = int(values.min())
    if int(values.max()) - low > 8 * len(values):
        used, codes = np.unique(values, return_inverse=True)
        return used, codes.astype(np.int32)
    seen = np.zeros(int(values.max()) - low + 1, bool)
    seen[values - low] = True
    return np.flatnonzero(seen) + low, (np.cumsum(seen, dtype=np.int32) - 1)[values - low]


def require_arrow(doing: str) -> None:
    """Refuse .parquet files if pyarrow is not installed."""
    if importlib.util.find_spec("pyarrow") is None:
        raise MissingDependencyError(
            f"{doing} .parquet needs the package pyarrow, which is not installed. Use: pip install 'nearfar[formats]'"
        )


TEXTS = {".csv": Text, ".csv.gz": PackedText}
SHEETS = (*TEXTS, ".parquet")  # the endings of tables


def sheet_ending(path: str) -> str | None:
    """Return the ending of the name of a table, None for other files."""
    return next((ending for ending in SHEETS if path.lower().endswith(ending)), None)

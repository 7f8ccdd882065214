"""Tables of any columns in files: .csv, .csv.gz and .parquet, written as a whole or not at all, and read back."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..errors import FileError, FormatError, MissingFileError, OptionError
from ..formats.io.targets import check_writable
from ..formats.io.whole import whole_file
from .writing import labels_of, require_arrow

ENDINGS = (".csv", ".csv.gz", ".parquet")
LINES = 1 << 16  # lines that are formatted at a time

Columns = dict[str, Any]
"""Arrays or lists of equal length, by the heading of the column."""


def check_table(path: str) -> None:
    """Refuse a file that no table can be written to, before anything is computed."""
    if path == "-":
        return
    if not path.lower().endswith(ENDINGS):
        raise OptionError(f"the name of '{path}' should end in one of {', '.join(ENDINGS)}; '-' writes csv.")
    check_writable(path)
    if path.lower().endswith(".parquet"):
        require_arrow("writing")


def vertex_column(graph: Any, vertices: np.ndarray) -> np.ndarray:
    """Return what tables call vertices: numbers, or strings."""
    labels = labels_of(graph)
    return np.asarray(vertices) if labels is None else labels[vertices]


def save_columns(columns: Columns, path: str) -> None:
    """Write a table to a file of the kind that its ending names; '-' is csv on standard output."""
    if path == "-":
        _write_csv(columns, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole_file(path) as file:
        if path.lower().endswith(".parquet"):
            import pyarrow as pa
            import pyarrow.parquet as pq

            pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), file)
        elif path.lower().endswith(".gz"):
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
                _write_csv(columns, packed)  # type: ignore[arg-type]
        else:
            _write_csv(columns, file)


def _write_csv(columns: Columns, file: IO[bytes]) -> None:
    """Write a header and one line per row."""
    lists = [np.asarray(values).tolist() for values in columns.values()]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for low in range(0, len(lists[0]) if lists else 0, LINES):
        writer.writerows(zip(*(values[low : low + LINES] for values in lists), strict=True))
        file.write(text.getvalue().encode())
        text.seek(0)
        text.truncate()
    file.write(text.getvalue().encode())


def read_columns(path: str) -> dict[str, list[Any]]:
    """Read a table: its columns by heading; words of csv files that are numbers are numbers."""
    if not path.lower().endswith(ENDINGS):
        raise OptionError(f"the name of '{path}' should end in one of {', '.join(ENDINGS)}.")
    try:
        if path.lower().endswith(".parquet"):
            require_arrow("reading")
            from pyarrow.parquet import read_table

            return dict(read_table(path).to_pydict())
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"there is no file '{path}'. Check its name.") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}. Check the file.") from error
    text = (gzip.decompress(data) if path.lower().endswith(".gz") else data).decode("utf-8-sig")
    lines = [line for line in csv.reader(io.StringIO(text, newline="")) if line]
    if not lines:
        raise FormatError(f"{path} is empty; a first line with the names of the columns is needed.", path)
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise FormatError(f"{path}, line {number} has {len(line)} fields, but the first has {len(lines[0])}.", path)
    return {name.strip(): [_value(line[i]) for line in lines[1:]] for i, name in enumerate(lines[0])}


def _value(word: str) -> Any:
    """Return a field as a number if it is one."""
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word.strip()

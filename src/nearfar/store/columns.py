"""Tables of any columns in files: .csv, .csv.gz and .parquet, written as a whole or not at all, and read back."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FileError, FormatError, MissingFileError, OptionError
from ..formats.io.targets import check_writable
from ..formats.io.whole import whole_file
from ..graph.tables import Columns
from .labels import labels_of
from .lines import Lines
from .sheets import SHEETS, open_sheet, require_arrow, sheet_ending


def check_table(path: str) -> None:
    """Refuse a file that no table can be written to, before anything is computed."""
    if path == "-":
        return
    if sheet_ending(path) is None:
        raise OptionError(f"the name of '{path}' should end in one of {', '.join(SHEETS)}; '-' writes csv.")
    check_writable(path)
    if path.lower().endswith(".parquet"):
        require_arrow("writing")


def vertex_column(graph: Any, vertices: np.ndarray) -> np.ndarray:
    """Return what tables call vertices: numbers, or strings."""
    labels = labels_of(graph)
    return np.asarray(vertices) if labels is None else labels[vertices]


def save_columns(columns: Mapping[str, Any], path: str) -> None:
    """Write a table to a file of the kind that its ending names; '-' is csv on standard output.

    ``columns``: arrays or lists of equal length, by the heading of the column.
    """
    arrays: Columns = {name: np.asarray(values) for name, values in columns.items()}
    if path == "-":
        with open_sheet(sys.stdout.buffer, ".csv") as sheet:
            sheet.write(arrays)
        sys.stdout.buffer.flush()
    else:
        save_lines([(arrays, None)], path)


def save_lines(
    lines: Iterable[Lines], path: str, about: Mapping[str, str] | None = None, ending: str | None = None
) -> None:
    """Write blocks of lines to a file; ``about``: what a .parquet file says of itself."""
    ending = sheet_ending(path) if ending is None else ending
    assert ending is not None  # checked when the options were read
    with whole_file(path) as file, open_sheet(file, ending, about) as sheet:
        for columns, ends in lines:
            sheet.write(columns, ends)


def read_columns(path: str) -> dict[str, list[Any]]:
    """Read a table: its columns by heading; words of csv files that are numbers are numbers."""
    if sheet_ending(path) is None:
        raise OptionError(f"the name of '{path}' should end in one of {', '.join(SHEETS)}.")
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

"""What workers do with distances in files: fold those of a part, write them as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import MissingFileError
from ...formats.folder.parts import PartFolder
from ...formats.io.whole import whole_file
from ...graph.arrays import Array
from ...results import limits
from ...store.lines import Pairs, pair_lines
from ...store.sheets import open_sheet
from ..spool import Place, graph_at
from .shelf import SHELF, PartPlace, who
from .tasks import Answer


class Files(NamedTuple):
    """Where the rows of a part are: the names of their files without endings, "" for a row that does not reach it."""

    names: tuple[str, ...]
    dtype: str
    single: bool


def vertices_of(place: PartPlace) -> Array:
    """Return the vertices of a part; nothing else of it is read."""
    place.check()
    folder = PartFolder(place.path)
    return folder.read_array("vertices", folder.read_document()["files"])


def read_row(files: Files, r: int, n: int) -> Array:
    """Return the distances of a part with n vertices in a row."""
    dtype = np.dtype(files.dtype)
    if not files.names[r]:
        return np.full(n, limits.unreached(dtype), dtype)
    name = f"{files.names[r]}.npy"
    try:
        found = np.load(name)
    except (OSError, ValueError, EOFError):
        found = None
    if found is None or len(found) != n:
        raise MissingFileError(f"{name}, which a worker wrote, is gone or damaged. Repeat the query.")
    return limits.in_type(found, dtype)


def _rows(files: Files, n: int) -> Array:
    """Return the distances of a part in all rows."""
    return np.stack([read_row(files, r, n) for r in range(len(files.names))])


def fold_part(place: PartPlace, files: Files, function: Callable[[Array, Array], Any]) -> Answer:
    """Return what a function of the caller makes of the vertices of a part and their distances."""
    vertices = vertices_of(place)
    rows = _rows(files, len(vertices))
    return Answer(function(vertices, rows[0] if files.single else rows), who(), SHELF.nbytes + rows.nbytes)


def write_sheet(
    place: PartPlace, files: Files, path: str, sources: Array, named: Place | None, about: Mapping[str, str]
) -> Answer:
    """Write the distances of a part as a table."""
    vertices = vertices_of(place)
    rows = _rows(files, len(vertices))
    names = None if named is None else graph_at(named).names
    with whole_file(path) as file, open_sheet(file, ".parquet", about) as sheet:
        for lines in pair_lines(Pairs(names, "from", sources, vertices, rows)):
            sheet.write(*lines)
    return Answer(None, who(), SHELF.nbytes + rows.nbytes)

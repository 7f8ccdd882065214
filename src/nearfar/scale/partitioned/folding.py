"""What workers do with distances in files: fold those of a part, write them as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import MissingFileError
from ...formats.folder.parts import PartFolder
from ...formats.io.whole import whole_file
from ...graph.arrays import Array
from ...graph.tables import Columns, Named
from ...results import limits
from ...store.lines import PIECE, Pairs, pair_lines
from ...store.sheets import open_sheet
from ..spool import Place, graph_at
from .shelf import SHELF, PartPlace, who
from .tasks import OWNERS, Answer


class Files(NamedTuple):
    """Where the rows of a part are: the names of their files without endings, "" for a row that does not reach it.

    ``owned``: whether a file with the nearest sources is beside each.
    """

    names: tuple[str, ...]
    dtype: str
    single: bool
    owned: bool


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
    return limits.in_type(open_file(files.names[r], n, mapped=False), dtype)


def read_owners(files: Files, n: int) -> Array:
    """Return the nearest source of each vertex of a part with n vertices, by index; -1 where there is none."""
    return np.full(n, -1, np.int32) if not files.names[0] else open_file(f"{files.names[0]}{OWNERS}", n)


def open_file(name: str, n: int, mapped: bool = True) -> Array:
    """Return an array of n entries that a worker wrote, or map it."""
    try:
        found = np.load(f"{name}.npy", mmap_mode="r" if mapped else None)
    except (OSError, ValueError, EOFError):
        found = None
    if found is None or found.shape != (n,):
        raise MissingFileError(f"{name}.npy, which a worker wrote, is gone or damaged. Repeat the query.")
    return np.asarray(found)


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
        if files.owned:
            for low in range(0, max(1, len(vertices)), PIECE):
                sheet.write(_nearest_lines(names, vertices, read_owners(files, len(vertices)), rows[0], low))
        else:
            for lines in pair_lines(Pairs(names, "from", sources, vertices, rows)):
                sheet.write(*lines)
    return Answer(None, who(), SHELF.nbytes + rows.nbytes)


def _nearest_lines(names: Any, vertices: Array, owners: Array, row: Array, low: int) -> Columns:
    """Return some lines of nearest sources, with the columns that `Nearest` has."""
    some = low + np.flatnonzero(owners[low : low + PIECE] >= 0)
    return {"vertex": Named(names, vertices[some]), "source": Named(names, owners[some]), "distance": row[some]}

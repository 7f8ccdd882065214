"""Coordinates from a separate file: DIMACS .co, TNTP nodes, or any list of ``vertex x y``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import option
from ..graph.arrays import Array, shorten
from ..graph.names import NumberNames
from .io.files import Source
from .text.headers import read_triples
from .text.reader import LineLayout, Text

_VERTEX = ("id", "node", "vertex", "node_id", "vertex_id", "osmid")  # usual names of the column of vertices
_AXES = (("x", "y"), ("lon", "lat"), ("longitude", "latitude"), ("lng", "lat"))


def coordinates_only(arcs: str, file: str) -> Callable[[Source], NoReturn]:
    """Return the reader of a format that has coordinates only: it says which file to read, and what this one is for."""

    def refuse(source: Source) -> NoReturn:
        way_out = f"Read {file}, and give this one with {option('coordinates')}."
        raise source.error(f"this file holds coordinates, no {arcs}. {way_out}")

    return refuse


def read_coordinates(path: Any, names: Sequence[Any]) -> Array:
    """Return the coordinates of the vertices ``names`` (whole numbers), in their order, shape (n, 2)."""
    with Source(path) as source:
        ids, points = read_coordinate_list(source)
        _check(source, ids, points)
        wanted = names if isinstance(names, NumberNames) else NumberNames(names)  # type: ignore[arg-type]
        indices, known = wanted.find(ids)
        out = np.full((len(wanted), 2), np.nan)
        out[indices[known]] = points[known]
        lost = np.flatnonzero(np.isnan(out).any(axis=1))
        if len(lost):
            raise source.error(
                f"vertex {wanted[int(lost[0])]} has no coordinates here ({len(lost)} of {len(wanted)} have none). "
                f"Check that the file belongs to the graph, or leave it out."
            )
        return out


def _check(source: Source, ids: Array, points: Array) -> None:
    """Refuse infinite coordinates, and two different coordinates for one vertex."""
    if (bad := np.flatnonzero(np.isinf(points).any(axis=1))).size:
        where = tuple(points[bad[0]].tolist())
        raise source.error(f"vertex {ids[bad[0]]} lies at {where}, but coordinates must be finite. Correct it.")
    if (ids[1:] > ids[:-1]).all():  # ascending, as in most files, so no vertex twice
        return
    order = np.argsort(ids, kind="stable")
    before, after = order[:-1], order[1:]
    twice = np.flatnonzero((ids[before] == ids[after]) & (points[before] != points[after]).any(axis=1))
    if twice.size:
        i, j = before[twice[0]], after[twice[0]]
        one, other = tuple(points[i].tolist()), tuple(points[j].tolist())
        raise source.error(f"vertex {ids[i]} lies at {one} and at {other}. Remove one of these lines.")


def read_coordinate_list(source: Source) -> tuple[Array, Array]:
    """Return the vertices that a file lists, and their coordinates."""
    from . import dimacs, tntp

    for kind in (dimacs.COORDINATES, tntp.NODES):
        if kind.matches(source.head()):
            return (dimacs if kind is dimacs.COORDINATES else tntp).read_coordinate_list(source)
    return read_table(source)


def read_table(source: Source) -> tuple[Array, Array]:
    """Read lines ``vertex x y``, separated by blanks, commas or semicolons, or the columns that a header names."""
    from .text.guess import COMMENTS, first_lines, split

    lines = first_lines(source.head())
    if not lines:
        raise source.error("there are no coordinates in the file. Each line should be: vertex x y.")
    delimiter = next((mark for mark in (b",", b";") if mark in lines[-1]), b"")
    first = [field.decode("utf8", "replace").strip() for field in split(lines[0], delimiter)]
    text = Text(source)
    fields = None if any(map(_is_number, first)) else _fields(source, first)
    like = (delimiter.decode() or " ").join(("vertex", "x", "y") if fields is None else first)
    if fields is None:
        layout = LineLayout((0, 1, 2), "inn", like, comments=COMMENTS, delimiter=delimiter, exact=True)
    else:
        while (line := text.line()) is not None and (not line.strip() or line.strip()[:1] in (b"#", b"%")):
            pass
        wanted = [fields.index(f) if f in fields else -1 for f in range(max(fields) + 1)]
        layout = LineLayout(wanted, "inn", shorten(like, 120), comments=COMMENTS, delimiter=delimiter)
    return read_triples(text, layout)


def _is_number(field: str) -> bool:
    """Return whether a field is a number, so that its line is no header."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _fields(source: Source, header: list[str]) -> tuple[int, int, int]:
    """Return which columns hold the vertex and its coordinates."""
    names = [name.lower() for name in header]
    vertex = [name for name in _VERTEX if name in names]
    axes = [pair for pair in _AXES if set(pair) <= set(names)]
    if not vertex or not axes:
        raise source.error(
            f"the columns are {shorten(', '.join(header), 120)}, but vertices and coordinates are needed. Name "
            f"them id, x and y (or lon and lat), or write three columns without a header."
        )
    x, y = axes[0]
    return names.index(vertex[0]), names.index(x), names.index(y)

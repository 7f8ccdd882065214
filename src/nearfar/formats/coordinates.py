"""Coordinates from a file of their own: DIMACS .co, TNTP nodes, or any list of ``vertex x y``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..names import NumberNames
from .files import Source
from .text import Layout, Text


def read_coordinates(path: Any, names: Sequence[Any]) -> Array:
    """Return the coordinates of vertices called ``names`` (whole numbers), in their order, shape (n, 2)."""
    with Source(path) as source:
        ids, places = read_places(source)
        wanted = names if isinstance(names, NumberNames) else NumberNames(names)  # type: ignore[arg-type]
        numbers, known = wanted.find(ids)
        out = np.full((len(wanted), 2), np.nan)
        out[numbers[known]] = places[known]
        lost = np.flatnonzero(np.isnan(out).any(axis=1))
        if len(lost):
            raise source.error(
                f"vertex {wanted[int(lost[0])]} has no coordinates here ({len(lost)} of {len(wanted)} have none). "
                f"Check that the file belongs to the graph, or leave it out."
            )
        return out


def read_places(source: Source) -> tuple[Array, Array]:
    """Return the vertices of a file of coordinates, and where they are."""
    from . import dimacs, tntp

    for kind in (dimacs.COORDINATES, tntp.NODES):
        if kind.matches(source.head()):
            return (dimacs if kind is dimacs.COORDINATES else tntp).read_places(source)
    return read_table(source)


def read_table(source: Source) -> tuple[Array, Array]:
    """Read lines of ``vertex x y``, between blanks or commas, after a header if there is one."""
    from .guess import COMMENTS, first_lines, split

    lines = first_lines(source.head())
    delimiter = b"," if lines and b"," in lines[-1] else b""
    text = Text(source)
    if lines and not split(lines[0], delimiter)[0].lstrip(b"+-").isdigit():
        while (line := text.line()) is not None and (not line.strip() or line.strip()[:1] in (b"#", b"%")):
            pass
    like = (delimiter.decode() or " ").join(("vertex", "x", "y"))
    layout = Layout((0, 1, 2), "inn", like, comments=COMMENTS, delimiter=delimiter)
    parts = [[column.copy() for column in rows.columns] for rows in text.rows(layout)]
    if not parts:
        raise source.error("there are no coordinates in the file. Each line should be: vertex x y.")
    ids, x, y = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return ids.astype(np.int64), np.column_stack((x, y)).astype(np.float64)

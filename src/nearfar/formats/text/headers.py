"""What text formats share: a header line with sizes, whole columns, coordinates in the order of the vertices."""

from __future__ import annotations

import re

import numpy as np

from ...errors import GraphError, option
from ...graph.arrays import Array, shorten, take_size
from ..io.files import Source
from .reader import LineLayout, Text

PACE = (b"tw", b"td", b"tdp", b"tww", b"ds", b"hs", b"vc", b"edge", b"edges", b"col")  # p tw n m, and similar headers
_MOST_DIGITS = 18  # no real count has more, and Python refuses to convert thousands of them


def read_header(text: Text, pattern: bytes, like: str, comments: bytes) -> re.Match[bytes]:
    """Read up to the first line that is neither blank nor a comment, which must match a pattern."""
    while (line := text.line()) is not None:
        words = line.strip()
        if not words or words[0] in comments:
            continue
        if found := re.fullmatch(pattern, words, re.IGNORECASE):
            return found
        shown = shorten(words[:300].decode("utf8", "replace"), 60)
        raise text.error(
            f"{shown} was found, but a line '{like}' should come first. Correct it, or use {option('format')}."
        )
    raise text.source.error(
        f"the file has no line '{like}'. It may be empty, or in another format; then use {option('format')}."
    )


def size_of(text: Text, digits: bytes) -> int:
    """Return the number of vertices that a header gives."""
    try:
        return take_size(count_of(text, digits, "vertices"))
    except GraphError as error:
        raise text.error(error.marked) from None


def count_of(text: Text, digits: bytes, what: str) -> int:
    """Return a count that a header gives."""
    if len(digits.lstrip(b"0")) > _MOST_DIGITS:
        shown = shorten(digits[:300].decode("utf8", "replace"), 40)
        raise text.error(f"{shown} {what} are promised, more than any file holds. Correct the header.")
    return int(digits)


def check_count(text: Text, found: int, promised: int, what: str, strict: bool) -> None:
    """Refuse a file that has fewer or more rows than its header promises."""
    if strict and found != promised:
        raise text.source.error(
            f"the header promises {promised} {what}, but there are {found}. The file may be cut off; "
            f"{option('strict', False)} reads it anyway."
        )


def read_columns(text: Text, layout: LineLayout, limit: int | None = None) -> list[Array]:
    """Read all rows and return their columns."""
    parts = [[column.copy() for column in rows.columns] for rows in text.rows(layout, limit)]
    return [np.concatenate([part[c] for part in parts] or [np.empty(0, np.int64)]) for c in range(len(layout.kinds))]


def read_triples(text: Text, layout: LineLayout) -> tuple[Array, Array]:
    """Read rows of a vertex and its coordinates; return the vertices, and the coordinates."""
    ids, x, y = read_columns(text, layout)
    return ids, np.column_stack((x, y)).astype(np.float64)


def in_order(source: Source, ids: Array, points: Array, n: int) -> Array:
    """Return the coordinates in the order of vertices 0 to n - 1, each of which must be there once."""
    if not np.isfinite(points).all():
        bad = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        where = tuple(points[bad].tolist())
        raise source.error(f"vertex {ids[bad]} lies at {where}, but coordinates must be finite. Correct it.")
    if len(ids) == n and np.array_equal(ids, np.arange(n)):
        return points
    if len(ids) != n:
        raise source.error(
            f"{len(ids)} vertices have coordinates, but there are {n} vertices. Give coordinates to all, 0 to {n - 1}."
        )
    if (strange := ids[(ids < 0) | (ids >= n)]).size:
        raise source.error(f"vertex {strange[0]} does not exist: vertices are 0 to {n - 1}. Correct the file.")
    if (twice := np.flatnonzero(np.bincount(ids, minlength=n) > 1)).size:
        raise source.error(f"vertex {twice[0]} has coordinates more than once. Keep one line of them.")
    ordered = np.empty_like(points)
    ordered[ids] = points
    return ordered

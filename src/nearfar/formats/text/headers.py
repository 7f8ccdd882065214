"""What the text formats share: a header line with sizes, whole columns, and places in the order of vertices."""

from __future__ import annotations

import re

import numpy as np

from ...errors import GraphError, option
from ...graph.arrays import Array, shorten, take_size
from ..io.files import Source
from .reader import Layout, Text

PACE = (b"tw", b"td", b"tdp", b"tww", b"ds", b"hs", b"vc", b"edge", b"edges", b"col")  # p tw n m, and its kin
_MOST_DIGITS = 18  # counts of more digits are absurd, and Python refuses to convert thousands of them


def read_header(text: Text, pattern: bytes, like: str, comments: bytes) -> re.Match[bytes]:
    """Read up to the first line that is neither blank nor a comment, which must fit a pattern."""
    while (line := text.line()) is not None:
        words = line.strip()
        if not words or words[0] in comments:
            continue
        if found := re.fullmatch(pattern, words, re.IGNORECASE):
            return found
        shown = shorten(words[:300].decode("utf8", "replace"), 60)
        raise text.error(
            f"{shown} was found, but a line '{like}' should come first. Correct it, or say {option('format')}."
        )
    raise text.source.error(
        f"the file has no line '{like}'. It may be empty, or of another format: say {option('format')}."
    )


def size_of(text: Text, digits: bytes) -> int:
    """Return the number of vertices that a header gives."""
    try:
        return take_size(count_of(text, digits, "vertices"))
    except GraphError as error:
        raise text.error(str(error)) from None


def count_of(text: Text, digits: bytes, what: str) -> int:
    """Return another number that a header gives."""
    if len(digits.lstrip(b"0")) > _MOST_DIGITS:
        shown = shorten(digits[:300].decode("utf8", "replace"), 40)
        raise text.error(f"{shown} {what} are promised, which no file holds. Correct the header.")
    return int(digits)


def check_count(text: Text, found: int, promised: int, what: str, strict: bool) -> None:
    """Refuse a file that has fewer or more rows than its header promised."""
    if strict and found != promised:
        raise text.source.error(
            f"the header promises {promised} {what}, but there are {found}. The file may be cut off; "
            f"{option('strict', False)} takes what is there."
        )


def read_columns(text: Text, layout: Layout, limit: int | None = None) -> list[Array]:
    """Read rows and return their columns whole."""
    parts = [[column.copy() for column in rows.columns] for rows in text.rows(layout, limit)]
    return [np.concatenate([part[c] for part in parts] or [np.empty(0, np.int64)]) for c in range(len(layout.kinds))]


def read_triples(text: Text, layout: Layout) -> tuple[Array, Array]:
    """Read rows of a vertex and its place; return the vertices, and their places."""
    ids, x, y = read_columns(text, layout)
    return ids, np.column_stack((x, y)).astype(np.float64)


def in_order(source: Source, ids: Array, places: Array, n: int) -> Array:
    """Return the places of vertices 0 to n - 1, each of which must be there once."""
    if not np.isfinite(places).all():
        bad = int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0])
        raise source.error(f"vertex {ids[bad]} lies at {tuple(places[bad].tolist())}, which is no place. Correct it.")
    if len(ids) == n and np.array_equal(ids, np.arange(n)):
        return places
    if len(ids) != n:
        raise source.error(f"{len(ids)} vertices have places, but there are {n}. Give each of 0 to {n - 1} one.")
    if (strange := ids[(ids < 0) | (ids >= n)]).size:
        raise source.error(f"vertex {strange[0]} does not exist: vertices are 0 to {n - 1}. Correct the file.")
    if (twice := np.flatnonzero(np.bincount(ids, minlength=n) > 1)).size:
        raise source.error(f"vertex {twice[0]} has two places or more, but one is needed. Correct the file.")
    ordered = np.empty_like(places)
    ordered[ids] = places
    return ordered

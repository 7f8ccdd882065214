"""Princeton's road maps (Sedgewick's usa.txt): ``n m``, n lines ``vertex x y``, m lines ``u v``; vertices from 0.

Undirected; the weight of an edge is its Euclidean length.
"""

from __future__ import annotations

import re

import numpy as np

from ..graph import Graph
from .format import Format
from .io.files import HEAD, Source
from .pieces import Pieces
from .text.headers import check_count, count_of, in_order, read_columns, read_header, size_of
from .text.reader import BOM, LineLayout, Text

_FIRST = re.compile(rb"(\d{1,10}) (\d{1,18})")
_POINT = re.compile(rb"\d+ [+-]?[\d.eE+-]+ [+-]?[\d.eE+-]+")
_EDGE = re.compile(rb"\d+ \d+")


def read(source: Source, *, undirected: bool = True, strict: bool = True) -> Graph:
    """Read coordinates and edges; ``strict=False`` accepts any number of edges."""
    text = Text(source)
    found = read_header(text, rb"(\d+)\s+(\d+)", "vertices edges", b"")
    n, m = size_of(text, found[1]), count_of(text, found[2], "edges")
    ids, x, y = read_columns(text, LineLayout((0, 1, 2), "inn", "vertex x y", bounds=(0, n - 1), exact=True), n)
    if len(ids) != n:
        raise source.error(
            f"the header promises {n} vertices, but {len(ids)} have coordinates. It may be cut off; fetch it again."
        )
    points = in_order(source, ids, np.column_stack((x, y)).astype(np.float64), n)
    pieces = Pieces()
    for rows in text.rows(LineLayout((0, 1), "ii", "vertex vertex", bounds=(0, n - 1), exact=True)):
        tails, heads = rows.columns
        with np.errstate(over="ignore"):
            lengths = np.hypot(*(points[tails] - points[heads]).T)
        if (far := np.flatnonzero(np.isinf(lengths))).size:
            u, v = tails[far[0]], heads[far[0]]
            raise source.error(f"the edge from {u} to {v} is longer than 1.8e308. Scale the coordinates down.")
        pieces.add(tails, heads, lengths)
    check_count(text, pieces.count, m, "edges", strict)
    return pieces.graph(n, undirected=undirected, coordinates=points)


def matches(head: bytes) -> bool:
    """Return whether a line ``n m`` is followed by coordinates of vertices 0, 1, 2 and so on, and these by edges.

    If the edges are beyond the first 64 kB, m = n - 1 and m = n are refused: lines ``u v w`` of a path or a ring look
    like coordinates.
    """
    lines = [b" ".join(line.split()) for line in head.removeprefix(BOM).split(b"\n")]
    found = _FIRST.fullmatch(lines[0])
    whole = len(head) < HEAD
    rows = [line for line in (lines[1:] if whole else lines[1:-1]) if line]
    if not found or not rows:
        return False
    n, m = int(found[1]), int(found[2])
    if n == 0 or (len(rows) != n + m if whole else m in (n - 1, n)):
        return False
    points, edges = rows[:n], rows[n:]
    if not all(row.startswith(b"%d " % v) and _POINT.fullmatch(row) for v, row in enumerate(points)):
        return False
    return all(_EDGE.fullmatch(row) for row in edges)


FORMAT = Format(
    name="princeton",
    summary="Princeton road maps: n m, then vertex x y, then u v; Euclidean lengths",
    endings=(),
    matches=matches,
    read=read,
)

"""SParry's text format: ``n m``, then one line ``u v w`` per edge; vertices from 0, undirected by default."""

from __future__ import annotations

import re

import numpy as np

from ..graph import Graph
from . import princeton
from .format import Format
from .io.files import HEAD, Sink, Source
from .pieces import Pieces
from .streams import ArcStream, TextArcs
from .text.headers import check_count, count_of, read_header, size_of
from .text.reader import BOM, LineLayout, Text
from .text.writing import edges_of, tails_of, write_rows

_FIRST = re.compile(rb"\s*(\d{1,10})[ \t]+(\d{1,18})\s*")
_ROW = re.compile(rb"\s*(\d{1,10})[ \t]+(\d{1,10})[ \t]+[+-]?[\d.eE+-]+\s*")


def read(source: Source, *, undirected: bool = True, strict: bool = True) -> Graph:
    """Read edges, or arcs with ``undirected=False``; ``strict=False`` accepts any number of them."""
    text = Text(source)
    n, m, layout = _begin(text)
    pieces = Pieces(text.rows(layout))
    check_count(text, pieces.count, m, "edges", strict)
    return pieces.graph(n, undirected=undirected)


def stream(source: Source, *, undirected: bool = True, strict: bool = True) -> ArcStream:
    """Hand over edges in blocks; the options are those of `read`."""
    text = Text(source)
    n, m, layout = _begin(text)
    return TextArcs(text, layout, (m, "edges") if strict else None).stream(undirected, n=n)


def _begin(text: Text) -> tuple[int, int, LineLayout]:
    """Read the header; return the numbers of vertices and edges, and what the other lines look like."""
    found = read_header(text, rb"(\d+)\s+(\d+)", "vertices edges", b"")
    n, m = size_of(text, found[1]), count_of(text, found[2], "edges")
    return n, m, LineLayout((0, 1, 2), "iin", "tail head weight", bounds=(0, n - 1), exact=True)


def matches(head: bytes) -> bool:
    """Return whether a line ``n m`` is followed by m lines of three numbers, with vertices below n."""
    lines = head.removeprefix(BOM).split(b"\n")
    found = _FIRST.fullmatch(lines[0])
    whole = len(head) < HEAD
    rows = [line for line in (lines[1:] if whole else lines[1:-1]) if line.strip()]
    if not found or not rows or princeton.matches(head):
        return False
    n, m = int(found[1]), int(found[2])
    if len(rows) != m if whole else len(rows) > m:
        return False
    fields = [_ROW.fullmatch(row) for row in rows]
    return all(row is not None and int(row[1]) < n and int(row[2]) < n for row in fields)


def write(graph: Graph, sink: Sink) -> None:
    """Write each edge once, with weight 1 if there are no weights; all arcs of a directed graph."""
    keep = edges_of(graph)
    weights = np.ones(graph.m, np.int32) if graph.weights is None else graph.weights
    sink.write(b"%d %d\n" % (graph.n, np.count_nonzero(keep)))
    write_rows(sink, b"", (tails_of(graph)[keep], graph.heads[keep], weights[keep]))


FORMAT = Format(
    name="sparry",
    summary="SParry text: n m, then u v w; vertices from 0, undirected by default",
    endings=(".sparry", ".sp"),
    matches=matches,
    read=read,
    stream=stream,
    write=write,
    keeps=("weights", "floats", "negative", "parallel", "isolated"),
    first=0,
)

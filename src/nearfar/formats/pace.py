"""PACE graphs: ``p tw n m``, then one line ``u v`` per edge; undirected, without weights, vertices from 1.

The challenges since 2016 differ in the second word (tw, td, tww, ds). The older DIMACS files for colouring and cliques
are similar: ``p edge n m`` or ``p col n m``, then ``e u v``.
"""

from __future__ import annotations

import re

import numpy as np

from ..graph import Graph
from .format import Format
from .io.files import Sink, Source
from .pieces import Pieces
from .streams import ArcStream, TextArcs
from .text.headers import PACE, check_count, count_of, read_header, size_of
from .text.reader import BOM, LineLayout, Text
from .text.writing import edges_of, tails_of, write_rows

_LINE = rb"p[ \t]+(" + b"|".join(PACE) + rb")[ \t]+(\d+)[ \t]+(\d+)"
_HEADER = re.compile(rb"^[ \t]*" + _LINE + rb"[ \t]*\r?$", re.MULTILINE)
_LETTERED = (b"edge", b"edges", b"col")  # lines of edges begin with e


def read(source: Source, *, undirected: bool = True, strict: bool = True) -> Graph:
    """Read edges; ``strict=False`` accepts any number of them."""
    text = Text(source)
    n, m, layout = _begin(text)
    pieces = Pieces(text.rows(layout))
    check_count(text, pieces.count, m, "edges", strict)
    return pieces.graph(n, 1, undirected)


def stream(source: Source, *, undirected: bool = True, strict: bool = True) -> ArcStream:
    """Hand over edges in blocks; the options are those of `read`."""
    text = Text(source)
    n, m, layout = _begin(text)
    return TextArcs(text, layout, (m, "edges") if strict else None).stream(undirected, n=n, first=1)


def _begin(text: Text) -> tuple[int, int, LineLayout]:
    """Read the header; return the numbers of vertices and edges, and what the other lines look like."""
    found = read_header(text, _LINE, "p tw vertices edges", b"c")
    n, m = size_of(text, found[2]), count_of(text, found[3], "edges")
    lettered = found[1].lower() in _LETTERED
    like = "e vertex vertex" if lettered else "vertex vertex"
    return n, m, LineLayout((0, 1), "ii", like, b"c", b"e" if lettered else b"", bounds=(1, n), exact=True)


def write(graph: Graph, sink: Sink) -> None:
    """Write each edge once."""
    keep = edges_of(graph)
    sink.write(b"p tw %d %d\n" % (graph.n, np.count_nonzero(keep)))
    write_rows(sink, b"", (tails_of(graph, 1)[keep], graph.heads[keep]), shifts=(0, 1))


FORMAT = Format(
    name="pace",
    summary="PACE graphs: p tw n m, then u v; vertices from 1, undirected, no weights",
    endings=(".gr", ".pace"),
    matches=lambda head: _HEADER.search(head.removeprefix(BOM)) is not None,
    read=read,
    stream=stream,
    write=write,
    keeps=("parallel", "isolated"),
    first=1,
)

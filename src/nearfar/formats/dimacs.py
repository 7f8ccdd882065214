"""DIMACS shortest-path files of the ninth challenge: ``p sp n m``, then ``a tail head weight``; vertices from 1.

Coordinates are in a separate file, .co: ``p aux sp co n``, then ``v vertex x y``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..errors import option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from .coordinates import coordinates_only, read_coordinates
from .format import Format
from .io.files import Sink, Source
from .pieces import Pieces
from .streams import ArcStream, TextArcs
from .text.headers import PACE, check_count, count_of, read_header, read_triples, size_of
from .text.reader import BOM, LineLayout, Text
from .text.writing import tails_of, write_rows

_HEADER = re.compile(rb"^[ \t]*p[ \t]+sp[ \t]", re.MULTILINE)
_COORDINATES = re.compile(rb"^[ \t]*p[ \t]+aux[ \t]", re.MULTILINE)
_LIKE = "p sp vertices arcs"


def read(source: Source, *, undirected: bool = False, coordinates: Any = None, strict: bool = True) -> Graph:
    """Read arcs; ``coordinates`` names a .co file, ``strict=False`` accepts any number of arcs."""
    text = Text(source)
    n, m = _sizes(text)
    pieces = Pieces(text.rows(_layout(n)))
    check_count(text, pieces.count, m, "arcs", strict)
    return pieces.graph(n, 1, undirected, coordinates=_points(coordinates, n))


def stream(source: Source, *, undirected: bool = False, coordinates: Any = None, strict: bool = True) -> ArcStream:
    """Hand over arcs in blocks; the options are those of `read`."""
    text = Text(source)
    n, m = _sizes(text)
    arcs = TextArcs(text, _layout(n), (m, "arcs") if strict else None)
    return arcs.stream(undirected, n=n, first=1, coordinates=_points(coordinates, n))


def _layout(n: int) -> LineLayout:
    """Return the layout of the arcs."""
    return LineLayout((0, 1, 2), "iin", "a tail head weight", comments=b"c", prefix=b"a", bounds=(1, n), exact=True)


def _points(coordinates: Any, n: int) -> Array | None:
    """Read the coordinates, if there are any."""
    return None if coordinates is None else read_coordinates(coordinates, range(1, n + 1))


def _sizes(text: Text) -> tuple[int, int]:
    """Read up to the line with the sizes; other formats have a similar line."""
    found = read_header(text, rb"p\s+(\S+)\s+(\d+)\s+(\d+)", _LIKE, b"c")
    kind = found[1].lower()
    if kind != b"sp":
        line = shorten(found[0][:300].decode("utf8", "replace"), 60)
        advice = f"Use {option('format', 'pace')}." if kind in PACE else f"Correct it, or use {option('format')}."
        raise text.error(f"{line} was found, but a line '{_LIKE}' should come first. {advice}")
    return size_of(text, found[2]), count_of(text, found[3], "arcs")


def read_coordinate_list(source: Source) -> tuple[Array, Array]:
    """Read a .co file: the vertices and their coordinates."""
    text = Text(source)
    found = read_header(text, rb"p\s+aux\s+sp\s+co\s+(\d+)", "p aux sp co vertices", b"c")
    n = size_of(text, found[1])
    layout = LineLayout((0, 1, 2), "inn", "v vertex x y", comments=b"c", prefix=b"v", bounds=(1, n), exact=True)
    ids, points = read_triples(text, layout)
    check_count(text, len(ids), n, "vertices", True)
    return ids, points


def write(graph: Graph, sink: Sink) -> None:
    """Write arcs; an undirected edge is two of them."""
    sink.write(b"p sp %d %d\n" % (graph.n, graph.m))
    weights = np.ones(graph.m, np.int32) if graph.weights is None else graph.weights
    write_rows(sink, b"a", (tails_of(graph, 1), graph.heads, weights), shifts=(0, 1, 0))


def write_coordinates(graph: Graph, sink: Sink) -> None:
    """Write coordinates, which must be whole numbers."""
    points = graph.coordinates
    if points is None:
        raise sink.error("the graph has no coordinates, but a .co file holds nothing else. Write a .gr file.")
    if not (points == np.rint(points)).all() or np.abs(points).max(initial=0) >= 2**53:
        raise sink.error("a .co file holds whole numbers, but these coordinates are not. Scale them, or write .npz.")
    sink.write(b"p aux sp co %d\n" % graph.n)
    x, y = points.astype(np.int64).T
    write_rows(sink, b"v", (np.arange(1, graph.n + 1), x, y))


FORMAT = Format(
    name="dimacs",
    summary="DIMACS shortest paths: p sp n m, then a tail head weight; vertices from 1",
    endings=(".gr", ".dimacs"),
    matches=lambda head: _HEADER.search(head.removeprefix(BOM)) is not None,
    read=read,
    stream=stream,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "parallel", "isolated"),
    first=1,
)

COORDINATES = Format(
    name="dimacs-co",
    summary="DIMACS coordinates only: p aux sp co n, then v vertex x y; goes with a .gr file",
    endings=(".co",),
    matches=lambda head: _COORDINATES.search(head.removeprefix(BOM)) is not None,
    read=coordinates_only("arcs", "the file of arcs"),
    write=write_coordinates,
    keeps=("directed", "weights", "floats", "negative", "parallel", "coordinates", "isolated"),
)

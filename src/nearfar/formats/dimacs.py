"""DIMACS shortest-path files of the ninth challenge: ``p sp n m``, then ``a tail head weight``; vertices from 1.

Coordinates come in a file of their own, .co: ``p aux sp co n``, then ``v vertex x y``.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..arrays import Array
from ..graph import Graph
from .files import Sink, Source
from .format import Format
from .headers import count_of, size_of
from .pieces import Pieces
from .text import Layout, Text
from .writing import tails_of, write_rows

_HEADER = re.compile(rb"^p\s+sp\s", re.MULTILINE)
_COORDINATES = re.compile(rb"^p\s+aux\s", re.MULTILINE)


def read(source: Source, *, undirected: bool = False, coordinates: Any = None, strict: bool = True) -> Graph:
    """Read arcs; ``coordinates`` names a .co file, ``strict=False`` takes any number of arcs."""
    from .coordinates import read_coordinates

    text = Text(source)
    n, m = _header(text, rb"p\s+sp\s+(\d+)\s+(\d+)", "p sp vertices arcs")
    layout = Layout((0, 1, 2), "iin", "a tail head weight", comments=b"c", prefix=b"a", bounds=(1, n), exact=True)
    pieces = Pieces(text.rows(layout))
    check_count(text, pieces.count, m, "arcs", strict)
    places = None if coordinates is None else read_coordinates(coordinates, range(1, n + 1))
    return pieces.graph(n, 1, undirected, coordinates=places)


def read_places(source: Source) -> tuple[Array, Array]:
    """Read a .co file: the vertices and their coordinates."""
    text = Text(source)
    n, _ = _header(text, rb"p\s+aux\s+sp\s+co\s+(\d+)()", "p aux sp co vertices")
    layout = Layout((0, 1, 2), "inn", "v vertex x y", comments=b"c", prefix=b"v", bounds=(1, n), exact=True)
    parts = [[column.copy() for column in rows.columns] for rows in text.rows(layout)]
    ids, x, y = (np.concatenate([part[i] for part in parts] or [np.empty(0)]) for i in range(3))
    check_count(text, len(ids), n, "vertices", True)
    return ids.astype(np.int64), np.column_stack((x, y)).astype(np.float64)


def _header(text: Text, pattern: bytes, like: str) -> tuple[int, int]:
    """Read up to the line with the sizes."""
    while (line := text.line()) is not None:
        words = line.strip()
        if not words or re.match(rb"c(\s|$)", words):
            continue
        if found := re.fullmatch(pattern, words):
            return size_of(text, found[1]), count_of(text, found[2] or b"0", "arcs")
        raise text.error(f"{words[:60].decode('utf8', 'replace')!r} was found, but the first line should be: {like}.")
    raise text.source.error(f"the file has no line '{like}'. It may be empty, or of another format: say format=.")


def check_count(text: Text, found: int, promised: int, what: str, strict: bool) -> None:
    """Refuse a file that has fewer or more rows than its header promised."""
    if strict and found != promised:
        raise text.source.error(
            f"the header promises {promised} {what}, but there are {found}. The file may be cut off; "
            f"strict=False (--lenient) takes what is there."
        )


def write(graph: Graph, sink: Sink) -> None:
    """Write arcs; an undirected edge is two of them."""
    sink.write(b"p sp %d %d\n" % (graph.n, graph.m))
    weights = np.ones(graph.m, np.int32) if graph.weights is None else graph.weights
    write_rows(sink, b"a", (tails_of(graph, 1), graph.heads, weights), shifts=(0, 1, 0))


def write_places(graph: Graph, sink: Sink) -> None:
    """Write coordinates, which must be whole numbers."""
    places = graph.coordinates
    if places is None:
        raise sink.error("the graph has no coordinates, which are all that a .co file holds. Write a .gr file.")
    if not (places == np.rint(places)).all() or np.abs(places).max(initial=0) >= 2**53:
        raise sink.error("a .co file holds whole numbers, but these coordinates are not. Scale them, or write .npz.")
    sink.write(b"p aux sp co %d\n" % graph.n)
    x, y = places.astype(np.int64).T
    write_rows(sink, b"v", (np.arange(1, graph.n + 1), x, y))


FORMAT = Format(
    name="dimacs",
    summary="DIMACS shortest paths: p sp n m, then a tail head weight; vertices from 1",
    endings=(".gr", ".dimacs"),
    matches=lambda head: _HEADER.search(head) is not None,
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "parallel", "isolated"),
    first=1,
)


def _refuse(source: Source) -> Graph:
    """Say what a .co file is for."""
    raise source.error(
        "this file holds coordinates, no arcs. Read the arcs, and give this file with coordinates= (--coordinates)."
    )


COORDINATES = Format(
    name="dimacs-co",
    summary="DIMACS coordinates: p aux sp co n, then v vertex x y; goes with a .gr file",
    endings=(".co",),
    matches=lambda head: _COORDINATES.search(head) is not None,
    read=_refuse,
    write=write_places,
    keeps=("directed", "weights", "floats", "negative", "parallel", "coordinates", "isolated"),
)

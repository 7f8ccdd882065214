"""Matrix Market coordinate files: ``%%MatrixMarket matrix coordinate ...``, the sizes, then ``row column value``.

Entry [u, v] is the arc from u to v, a repeated entry is two parallel arcs; vertices from 1. A symmetric matrix is an
undirected graph, and the file holds each edge once. In a skew-symmetric matrix the reverse arc has the negative weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.arrays import Array, shorten
from .format import Format
from .io.files import Sink, Source
from .pieces import Pieces
from .text.headers import check_count, count_of, read_header, size_of
from .text.reader import BOM, LineLayout, Text
from .text.writing import tails_of, write_rows

_BANNER = "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric|skew-symmetric"
_WORDS = re.compile(rb"%%MatrixMarket\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*", re.IGNORECASE)
_CHOICES = (
    ("matrix",), ("coordinate",), ("real", "double", "integer", "pattern"), ("general", "symmetric", "skew-symmetric"),
)  # fmt: skip
_ADVICE = {
    "array": "the matrix is dense. Use Graph.from_matrix(scipy.io.mmread(path), no_edge=0).",
    "complex": "the entries are complex, so they have no order. Use Graph.from_scipy(abs(scipy.io.mmread(path))).",
    "hermitian": "a hermitian matrix is complex, which has no order. Use Graph.from_scipy(abs(scipy.io.mmread(path))).",
}


def read(source: Source, *, undirected: bool | None = None, strict: bool = True) -> Graph:
    """Read entries as arcs; ``undirected`` overrides the symmetry.

    ``strict=False`` accepts any number of entries, and both triangles of a symmetric or skew-symmetric matrix.
    """
    text = Text(source)
    field, symmetry = _banner(text)
    sizes = read_header(text, rb"(\d+)\s+(\d+)\s+(\d+)", "rows columns entries", b"%")
    n, width, m = (count_of(text, sizes[i], what) for i, what in ((1, "rows"), (2, "columns"), (3, "entries")))
    if n != width:
        raise text.error(
            f"the matrix is {n} x {width}, but a graph needs a square matrix. Write the larger number twice, which "
            f"adds empty rows or columns."
        )
    n = size_of(text, sizes[1])
    if strict and undirected and symmetry == "skew-symmetric":
        raise OptionError(
            f"{source.name}: {option('undirected', True)} needs equal weights in both directions, but in a "
            f"skew-symmetric matrix signs are opposite. Leave it out; {option('strict', False)} takes both as edges."
        )
    pieces, half = Pieces(), _Half(source, symmetry)
    checked = strict and (symmetry == "skew-symmetric" or (symmetry == "symmetric" and undirected is not False))
    found = 0
    for tails, heads, weights in _entries(text, field, n):
        found += len(tails)
        if checked:
            half.check(tails, heads, weights)
        pieces.add(tails, heads, weights)
        if symmetry == "skew-symmetric":
            _add_opposite(pieces, tails, heads, weights)
    check_count(text, found, m, "entries", strict)
    return pieces.graph(n, 1, symmetry == "symmetric" if undirected is None else undirected)


@dataclass
class _Half:
    """Entries so far of a matrix with one triangle only: one below the diagonal and one above, if any."""

    source: Source
    symmetry: str
    below: tuple[int, int] | None = None
    above: tuple[int, int] | None = None

    def check(self, tails: Array, heads: Array, weights: Array | None) -> None:
        """Refuse entries in both triangles, which would count twice, and nonzero diagonals if skew-symmetric."""
        self.below = self.below or _first(tails, heads, tails > heads)
        self.above = self.above or _first(tails, heads, tails < heads)
        if self.below and self.above:
            arcs = f", {option('undirected', False)} takes them as arcs" if self.symmetry == "symmetric" else ""
            raise self.source.error(
                f"a {self.symmetry} matrix is given by one of its triangles, but there are entries below the diagonal, "
                f"such as {self.below}, and above, such as {self.above}. Write general in the first line; "
                f"{option('strict', False)} adds both{arcs}."
            )
        if self.symmetry == "skew-symmetric" and weights is not None:
            entry = _first(tails, heads, (tails == heads) & (weights != 0))
            if entry:
                raise self.source.error(
                    f"entry {entry} is not 0, but the diagonal of a skew-symmetric matrix is 0. Remove it; "
                    f"{option('strict', False)} keeps it as a loop."
                )


def _first(tails: Array, heads: Array, where: Array) -> tuple[int, int] | None:
    """Return the first marked entry."""
    i = int(where.argmax()) if len(where) else 0
    return (int(tails[i]), int(heads[i])) if len(where) and where[i] else None


def _banner(text: Text) -> tuple[str, str]:
    """Read the first line; return the type of the numbers and the symmetry."""
    line = text.line()
    if line is None:
        raise text.source.error(f"the file is empty, but the first line should be: {_BANNER}. Check how it was made.")
    found = _WORDS.fullmatch(line.strip())
    if not found:
        shown = shorten(line[:300].decode("utf8", "replace"))
        raise text.error(
            f"{shown} was found, but the first line should be: {_BANNER}. Correct it, or use {option('format')}."
        )
    words = [word.decode("utf8", "replace").lower() for word in found.groups()]
    for word, choices in zip(words, _CHOICES, strict=True):
        if word in _ADVICE:
            raise text.error(_ADVICE[word])
        if word not in choices:
            raise text.error(f"{shorten(word)} was found, but the first line should be: {_BANNER}. Correct it.")
    if words[2:] == ["pattern", "skew-symmetric"]:
        raise text.error("a skew-symmetric matrix needs entries with a sign, but this is a pattern. Write symmetric.")
    return words[2], words[3]


def _entries(text: Text, field: str, n: int) -> Iterator[tuple[Array, Array, Array | None]]:
    """Yield the entries in blocks."""
    if field == "pattern":
        layout = LineLayout((0, 1), "ii", "row column", comments=b"%", bounds=(1, n), exact=True)
    else:
        layout = LineLayout((0, 1, 2), "iin", "row column value", comments=b"%", bounds=(1, n), exact=True)
    for rows in text.rows(layout):
        tails, heads, *values = rows.columns
        weights = values[0] if values else None
        yield tails, heads, weights if weights is None or field == "integer" else weights.astype(np.float64)


def _add_opposite(pieces: Pieces, tails: Array, heads: Array, weights: Array | None) -> None:
    """Add the other triangle of a skew-symmetric matrix; inf, which means no arc, has no opposite."""
    assert weights is not None
    other = (tails != heads) & (weights != np.inf)
    pieces.add(heads[other], tails[other], -weights[other])


def write(graph: Graph, sink: Sink) -> None:
    """Write entries; for an undirected graph the lower triangle, as a symmetric matrix."""
    weights, tails = graph.weights, tails_of(graph, 1)
    field = "pattern" if weights is None else "integer" if weights.dtype.kind == "i" else "real"
    columns: list[Any] = [tails, graph.heads, *([] if weights is None else [weights])]
    if graph.undirected:
        keep = tails > graph.heads  # tails count from 1, so this keeps the diagonal
        columns = [column[keep] for column in columns]
    symmetry = "symmetric" if graph.undirected else "general"
    sink.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n".encode())
    sink.write(b"%d %d %d\n" % (graph.n, graph.n, len(columns[0])))
    write_rows(sink, b"", columns, shifts=(0, 1, 0)[: len(columns)])


FORMAT = Format(
    name="matrix-market",
    summary="Matrix Market coordinates: row column [value]; vertices from 1, symmetric is undirected",
    endings=(".mtx", ".mm"),
    matches=lambda head: head.removeprefix(BOM)[:14].lower() == b"%%matrixmarket",
    read=read,
    write=write,
    keeps=("directed", "weights", "floats", "negative", "parallel", "isolated"),
    first=1,
)

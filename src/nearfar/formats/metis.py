"""METIS graphs: ``n m [fmt [ncon]]``, then one line per vertex with its neighbours; vertices from 1.

The digits of fmt say whether a line begins with a size, whether ncon vertex weights follow, and whether each neighbour
is followed by the weight of the edge. A blank line is a vertex without neighbours. Each edge is in the lines of both
of its ends, with the same weight, and counts once in m. This is checked, because files made by hand often get it wrong.
The arcs keep the order of the file.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np

from ..errors import option
from ..graph import Graph
from ..graph.arrays import Array, Weights, storage_type
from ..graph.blocks import offset_type
from ..graph.rows import reverse_rows, rows_to_rows
from ..graph.vertices import Vertices
from .format import Format
from .io.files import HEAD, Sink, Source
from .text.headers import check_count, count_of, read_header, size_of
from .text.reader import BOM, Text
from .text.writing import tails_of, write_rows

_LINE = rb"(\d+)\s+(\d+)(?:\s+([01]{1,3})(?:\s+(\d+))?)?"
_LIKE = "vertices edges [fmt [ncon]], where fmt is up to three digits 0 or 1"
_ARCS = 1 << 16  # arcs that are formatted at a time


def read(source: Source, *, strict: bool = True) -> Graph:
    """Read an undirected graph; ``strict=False`` accepts any number of edges, loops, and a directed graph."""
    text = Text(source)
    found = read_header(text, _LINE, _LIKE, b"%")
    n, m = size_of(text, found[1]), count_of(text, found[2], "edges")
    flags = (found[3] or b"").rjust(3, b"0")
    weights = count_of(text, found[4] or b"1", "vertex weights") if flags[1:2] == b"1" else 0
    lists = _Lists(text, n, int(flags[0:1]) + weights, flags[2:3] == b"1")
    lists.read()
    check_count(text, lists.count, n, "vertices", strict)
    offsets, arcs = lists.rows()
    graph = Graph(offsets, arcs, Vertices(n, range(1, n + 1)), None, _check_ends(lists, offsets, arcs, strict))
    loops = int(np.count_nonzero(tails_of(graph) == graph.heads))
    check_count(text, (graph.m + loops + 1) // 2, m, "edges", strict)
    return graph


def _check_ends(lists: _Lists, offsets: Array, arcs: Array, strict: bool) -> bool:
    """Return whether every edge is listed at both ends; if ``strict``, refuse edges that are not, and loops."""
    lonely = lonely_arc(offsets, arcs)
    if strict and lonely:
        u, v, weight = lonely
        same = "" if weight is None else f" with weight {weight}"
        raise lists.error(
            f"vertex {u + 1} lists {v + 1}{same}, but {v + 1} does not list {u + 1}{same}; an edge is listed at both "
            f"ends. Add it; {option('strict', False)} reads a directed graph.",
            u,
        )
    heads = arcs["head"]
    loops = np.flatnonzero(heads == np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets)))
    if strict and loops.size:
        u = int(heads[loops[0]])
        raise lists.error(
            f"vertex {u + 1} lists itself, but METIS has no loops. Remove it; {option('strict', False)} keeps it.", u
        )
    return lonely is None


def lonely_arc(offsets: Array, arcs: Array) -> tuple[int, int, int | None] | None:
    """Return (tail, head, weight) of an arc without a reverse arc of the same weight, or None."""
    once = reverse_rows(offsets, arcs)
    twice = reverse_rows(*once)  # the graph itself again, with sorted rows
    if np.array_equal(once[0], twice[0]) and np.array_equal(once[1], twice[1]):
        return None
    weighted = "weight" in (arcs.dtype.names or ())
    heads, tails = arcs["head"], np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    weights = arcs["weight"] if weighted else np.zeros(len(arcs), np.int8)
    there, back = np.lexsort((weights, heads, tails)), np.lexsort((weights, tails, heads))
    columns = ((tails[there], heads[back]), (heads[there], tails[back]), (weights[there], weights[back]))
    different = np.flatnonzero(np.logical_or.reduce([one != other for one, other in columns]))
    if not different.size:  # only the order of parallel edges differs
        return None
    i = different[0]
    mine, other = (tuple(pair[side][i].item() for pair in columns) for side in (0, 1))
    u, v, weight = mine if mine < other else (other[1], other[0], other[2])
    return u, v, weight if weighted else None


@dataclass
class _Lists:
    """The lines of all vertices: the number of arcs, the heads and the weights of each."""

    text: Text
    n: int
    skip: int  # numbers before the first neighbour
    weighted: bool
    count: int = 0  # vertices so far
    _counts: list[Array] = field(default_factory=list)
    _heads: list[Array] = field(default_factory=list)
    _weights: list[Array] = field(default_factory=list)
    _begins: list[tuple[int, int | None]] = field(default_factory=list)  # first vertex of a block, its line if known

    def read(self) -> None:
        """Read all lines."""
        line = self.text.number
        for values, ends in self.text.lists(b"%"):
            sure = self.text.number - line == len(ends)  # no comments in between, so lines can be counted
            self._begins.append((self.count, line + 1 if sure else None))
            counts = np.diff(ends, prepend=0)
            self._add(values, self._cut(counts))
            line = self.text.number

    def error(self, what: str, vertex: int) -> Exception:
        """Return an error about the line of a vertex."""
        first, line = self._begins[bisect_right(self._begins, vertex, key=lambda begin: begin[0]) - 1]
        return self.text.source.error(what, None if line is None else line + vertex - first)

    def _cut(self, counts: Array) -> Array:
        """Ignore blank lines after the last vertex; refuse other lines there."""
        left = self.n - self.count
        more = np.flatnonzero(counts[left:])
        if more.size:
            raise self.error(
                f"there is a line for vertex {self.n + 1 + more[0]}, but the header promises {self.n} vertices. "
                f"Correct the header.",
                self.n + int(more[0]),
            )
        return counts[:left]

    def _add(self, values: Array, counts: Array) -> None:
        """Add the lists of some vertices."""
        odd = (counts < self.skip) | (self.weighted & ((counts - self.skip) % 2 == 1))
        if (wrong := np.flatnonzero(odd)).size:
            u = self.count + int(wrong[0])
            before = f"{self.skip} number(s) of its own, then " if self.skip else ""
            pairs = "pairs of neighbour and weight" if self.weighted else "neighbours"
            raise self.error(
                f"the line of vertex {u + 1} has {counts[wrong[0]]} numbers, but the header says: {before}{pairs}. "
                f"Correct the line, or fmt in the header.",
                u,
            )
        if self.skip:
            values = values[np.arange(len(values)) - np.repeat(np.cumsum(counts) - counts, counts) >= self.skip]
        heads, weights = (values[::2], values[1::2]) if self.weighted else (values, values[:0])
        counts = (counts - self.skip) // (2 if self.weighted else 1)
        self._check(heads, weights, counts)
        self._counts.append(counts.astype(np.int32))
        self._heads.append((heads - 1).astype(np.int32))
        self._weights.append(weights.copy())
        self.count += len(counts)

    def _check(self, heads: Array, weights: Array, counts: Array) -> None:
        """Refuse vertices that do not exist and negative weights."""
        if (wrong := np.flatnonzero((heads < 1) | (heads > self.n))).size:
            u = self._owner(wrong[0], counts)
            raise self.error(
                f"vertex {u + 1} lists {heads[wrong[0]]}, which does not exist: vertices are 1 to {self.n}. "
                f"Correct the line, or fmt in the header.",
                u,
            )
        if (wrong := np.flatnonzero(weights < 0)).size:
            u = self._owner(wrong[0], counts)
            raise self.error(
                f"vertex {u + 1} has an edge of weight {weights[wrong[0]]}, but METIS allows none below 0. Correct it.",
                u,
            )

    def _owner(self, arc: int, counts: Array) -> int:
        """Return the vertex in whose line an arc of this block is."""
        return self.count + int(np.searchsorted(np.cumsum(counts), arc, side="right"))

    def rows(self) -> tuple[Array, Array]:
        """Return (offsets, arcs) of the graph; vertices without a line have no arcs."""
        empty = np.empty(0, np.int32)
        counts, heads = np.concatenate([empty, *self._counts]), np.concatenate([empty, *self._heads])
        offsets = np.zeros(self.n + 1, offset_type(len(heads)))
        np.cumsum(counts, out=offsets[1 : len(counts) + 1], dtype=offsets.dtype)
        offsets[len(counts) + 1 :] = len(heads)
        if not self.weighted:
            return rows_to_rows(offsets, heads, None)
        weights = np.concatenate([np.empty(0, np.int64), *self._weights])
        kind = storage_type(weights.dtype, weights.min(initial=0), weights.max(initial=0))
        return rows_to_rows(offsets, heads, Weights(weights, kind, False))


def write(graph: Graph, sink: Sink) -> None:
    """Write one line per vertex with its neighbours."""
    weights = _check(graph, sink)
    sink.write(b"%d %d%s\n" % (graph.n, graph.m // 2, b"" if weights is None else b" 001"))
    cuts = np.searchsorted(graph.offsets, np.arange(_ARCS, graph.m + _ARCS, _ARCS), side="left")
    low = 0
    for high in np.minimum(np.append(cuts, graph.n), graph.n).tolist():
        if high > low:
            sink.write(_lines(graph, weights, low, high))
            low = high


def _check(graph: Graph, sink: Sink) -> Array | None:
    """Refuse what METIS cannot hold; return the weights as whole numbers."""
    other = "Write another format, such as Matrix Market (.mtx) or .npz."
    if (lonely := None if graph.undirected else lonely_arc(graph.offsets, graph.arcs)) is not None:
        u, v = (graph.name(end) for end in lonely[:2])
        raise sink.error(f"METIS holds undirected graphs, but the arc from {u} to {v} has no reverse arc. {other}")
    loops = graph.heads[tails_of(graph) == graph.heads]
    if loops.size:
        raise sink.error(f"METIS has no loops, but vertex {graph.name(int(loops[0]))} has one. {other}")
    weights = graph.weights
    if weights is None or graph.m == 0:
        return None
    if not (weights > 0).all() or not (weights == np.rint(weights)).all() or weights.max() >= 2**63:
        raise sink.error(f"METIS holds whole weights from 1 on, but these are {_range(weights)}. Scale them. {other}")
    return weights.astype(np.int64)


def _range(weights: Array) -> str:
    """Return the type and the range of the weights, in words."""
    return f"{weights.dtype} from {weights.min()} to {weights.max()}"


def _lines(graph: Graph, weights: Array | None, low: int, high: int) -> bytes:
    """Return the lines of some vertices: first one line per arc, then the lines of each vertex are joined."""
    begin, end = int(graph.offsets[low]), int(graph.offsets[high])
    columns = [graph.heads[begin:end], *([] if weights is None else [weights[begin:end]])]
    page = io.BytesIO()
    write_rows(Sink("", page), b"", columns, shifts=(1, 0)[: len(columns)])
    text = np.frombuffer(page.getvalue(), np.uint8).copy()
    stops = np.flatnonzero(text == ord("\n"))
    ends = graph.offsets[low + 1 : high + 1] - begin
    empty = np.diff(ends, prepend=0) == 0
    text[np.delete(stops, ends[~empty] - 1)] = ord(" ")
    positions = np.concatenate(([0], stops + 1))[ends[empty]]
    return np.insert(text, positions, ord("\n")).tobytes()


def _matches(head: bytes) -> bool:
    """Return whether the lists of the first vertices contain each other, as in an undirected graph.

    If all lines have two numbers, the answer is no: that is an edge list.
    """
    lines = [line.strip() for line in head.removeprefix(BOM).split(b"\n")]
    lines = [line for line in lines if not line.startswith(b"%")]
    whole = len(head) < HEAD
    while lines and not lines[0]:
        del lines[0]
    found = re.fullmatch(_LINE, lines[0]) if lines else None
    if not found or len(found[1]) > 10 or len(found[4] or b"1") > 2:
        return False
    n, flags = int(found[1]), (found[3] or b"").rjust(3, b"0")
    rows = [line.split() for line in (lines[1:] if whole else lines[1:-1])]
    if all(len(row) == 2 for row in rows if row) or not all(re.fullmatch(rb"\d{1,18}", x) for row in rows for x in row):
        return False
    skip = int(flags[0:1]) + (int(found[4] or 1) if flags[1:2] == b"1" else 0)
    arcs = [(u, int(v)) for u, row in enumerate(rows, 1) for v in row[skip :: 1 + (flags[2:3] == b"1")]]
    if whole and (len(rows) < n or any(rows[n:]) or len(arcs) != 2 * int(found[2][:19])):
        return False
    near = {(u, v) for u, v in arcs if v <= len(rows)}
    return bool(near) and all(u != v and (v, u) in near for u, v in near)


FORMAT = Format(
    name="metis",
    summary="METIS graphs: n m [fmt], then each vertex's neighbours; vertices from 1, undirected",
    endings=(".graph", ".metis"),
    matches=_matches,
    read=read,
    write=write,
    keeps=("weights", "isolated"),
    first=1,
)

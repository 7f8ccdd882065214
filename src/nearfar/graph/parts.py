"""A graph cut into parts: each part has its vertices, the arcs inside it, and those that leave it.

A *boundary vertex* is an end of an arc between two parts. The boundary vertices of all parts have numbers: first those
of part 0, in order of their indices, then those of part 1. A cut arc leads to such a number, so that whoever holds one
part needs nothing of the others but where their numbers begin.

    vertices       the indices of the vertices of the part, ascending; a position in this list names a vertex inside
    offsets, arcs  its inner arcs in rows, as a graph has them; heads are positions
    boundary       the positions of its boundary vertices, ascending; boundary[b] has the number first + b
    cut_offsets    where the cut arcs of each boundary vertex begin
    cuts           the cut arcs in rows, records like arcs; heads are numbers of boundary vertices of other parts
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import Array
from .blocks import moved, offset_type, record_type
from .graph import Graph
from .passes import arc_blocks
from .rows import freeze
from .vertices import Vertices

ARRAYS = ("vertices", "offsets", "arcs", "boundary", "cut_offsets", "cuts")


@dataclass(frozen=True, eq=False)
class Part:
    """One part of a graph: the module says what its arrays are."""

    index: int
    first: int  # the number of its first boundary vertex
    vertices: Array
    offsets: Array
    arcs: Array
    boundary: Array
    cut_offsets: Array
    cuts: Array

    @property
    def n(self) -> int:
        """The number of its vertices."""
        return len(self.vertices)

    @cached_property
    def graph(self) -> Graph:
        """The part as a graph of its own, whose vertices are positions."""
        return Graph(self.offsets, self.arcs, Vertices(self.n))

    @property
    def nbytes(self) -> int:
        """The bytes of its arrays."""
        return sum(getattr(self, name).nbytes for name in ARRAYS)


@dataclass(eq=False)
class Parts:
    """All parts of a graph: what is known of them, and how one of them is loaded.

    Attributes
    ----------
    labels, positions : array
        The part of each vertex, and its position there.
    starts : array of int64
        The number of the first boundary vertex of each part; one more entry for the number of all.
    boundary : array of int32
        The index of each boundary vertex, by number.
    sizes, arcs, cuts : array of int64
        How many vertices, inner arcs and cut arcs each part has.
    folder, digest : str or None
        Where they lie on the disk, and what tells them from other parts that lay there.
    read_bytes : int
        What was read from the disk so far.
    memo : dict
        What methods keep with the parts.
    """

    labels: Array
    positions: Array
    starts: Array
    boundary: Array
    sizes: Array
    arcs: Array
    cuts: Array
    arc_type: np.dtype[Any]
    load: Callable[[int], Part]
    folder: str | None = None
    digest: str | None = None
    read_bytes: int = 0
    memo: dict[Any, Any] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.Lock)

    @property
    def count(self) -> int:
        """The number of parts."""
        return len(self.sizes)

    @property
    def boundary_sizes(self) -> Array:
        """How many boundary vertices each part has."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Array:
        """The part of each boundary vertex, by number."""
        return np.repeat(np.arange(self.count, dtype=np.int32), self.boundary_sizes)

    @property
    def part_bytes(self) -> Array:
        """The bytes of the arrays of each part."""
        return (self.arcs + self.cuts) * self.arc_type.itemsize + 8 * (self.sizes + self.boundary_sizes + 1)

    @property
    def most_bytes(self) -> int:
        """The bytes of the largest part."""
        return int(self.part_bytes.max(initial=0))


class Split:
    """The first pass over the arcs: what is known of all parts before arcs are moved.

    Parameters
    ----------
    graph : Graph
    labels : array of small ints
        The part of each vertex.
    parts : int
    """

    def __init__(self, graph: Graph, labels: Array, parts: int) -> None:
        from ..kernels.cpu.cuts import number_vertices

        self.graph, self.labels, self.parts = graph, labels, parts
        self.cut, self.on_boundary, self.cut_arcs = count_cut_arcs(graph, labels)
        self.sizes = np.bincount(labels, minlength=parts).astype(np.int64)
        self.firsts = np.concatenate(([0], np.cumsum(self.sizes)))  # of each part in the list of vertices
        self.positions, self.vertices = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32)
        number_vertices(labels, self.firsts.copy(), self.firsts, self.positions, self.vertices)
        self.boundary = self.vertices[self.on_boundary[self.vertices] != 0]
        counts = np.bincount(labels[self.boundary], minlength=parts)
        self.starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        self.numbers = np.full(graph.n, -1, np.int32)
        self.numbers[self.boundary] = np.arange(len(self.boundary), dtype=np.int32)
        degrees = np.diff(graph.offsets)
        self._inner = degrees - self.cut
        self.arcs = _sums(self._inner, labels, parts)
        self.cuts = _sums(self.cut, labels, parts)

    def vertices_of(self, p: int) -> Array:
        """Return the vertices of part p."""
        return self.vertices[self.firsts[p] : self.firsts[p + 1]]

    def boundary_of(self, p: int) -> Array:
        """Return the indices of the boundary vertices of part p."""
        return self.boundary[self.starts[p] : self.starts[p + 1]]

    def frame_of(self, p: int) -> dict[str, Array]:
        """Return the arrays of part p but its arcs."""
        vertices, boundary = self.vertices_of(p), self.boundary_of(p)
        return {
            "vertices": vertices,
            "offsets": _offsets(self._inner[vertices]),
            "boundary": self.positions[boundary],
            "cut_offsets": _offsets(self.cut[boundary]),
        }

    def pieces(self) -> Iterator[tuple[int, bool, Array]]:
        """Yield all arcs, moved: the part, whether they are cut, and some records, in their order; the second pass.

        The records are overwritten afterwards.
        """
        from ..kernels.cpu.cuts import count_targets, move_arcs

        offsets, labels = self.graph.offsets, self.labels
        out: Array = np.empty(0, np.uint8)
        for u, first, records in arc_blocks(self.graph):
            plain, counts = moved(records), np.zeros(2 * self.parts, np.int64)
            count_targets(offsets, u, first, plain, labels, counts)
            ends = np.cumsum(counts)
            out = np.empty(len(records), records.dtype) if len(out) < len(records) else out
            move_arcs(offsets, u, first, plain, labels, self.positions, self.numbers, ends - counts, moved(out))
            for i in np.flatnonzero(counts):
                yield int(i) // 2, bool(i & 1), out[ends[i] - counts[i] : ends[i]]


def count_cut_arcs(graph: Graph, labels: Array) -> tuple[Array, Array, int]:
    """Return the cut arcs of each vertex, which vertices lie on the boundary, and the number of cut arcs."""
    from ..kernels.cpu.cuts import count_cuts

    cut, on_boundary, total = np.zeros(graph.n, np.int32), np.zeros(graph.n, np.uint8), 0
    for u, first, records in arc_blocks(graph):
        total += int(count_cuts(graph.offsets, u, first, moved(records), labels, cut, on_boundary))
    return cut, on_boundary, total


def split_in_memory(graph: Graph, labels: Array, parts: int) -> Parts:
    """Return the parts of a graph, all of them in memory."""
    split = Split(graph, labels, parts)
    arc_type = record_type(graph.weight_dtype)
    arcs = [[np.empty(int(count), arc_type) for count in counts] for counts in (split.arcs, split.cuts)]
    done = np.zeros((2, parts), np.int64)
    for p, is_cut, records in split.pieces():
        at = done[int(is_cut), p]
        arcs[int(is_cut)][p][at : at + len(records)] = records
        done[int(is_cut), p] += len(records)
    made = [
        Part(p, int(split.starts[p]), arcs=freeze(arcs[0][p]), cuts=freeze(arcs[1][p]), **_frozen(split.frame_of(p)))
        for p in range(parts)
    ]
    return parts_of(split, made.__getitem__)


def parts_of(split: Split, load: Callable[[int], Part], **facts: Any) -> Parts:
    """Return what is known of all parts after a split."""
    tables = split.labels, split.positions, split.starts, split.boundary, split.sizes, split.arcs, split.cuts
    return Parts(*tables, record_type(split.graph.weight_dtype), load, **facts)


def label_type(parts: int) -> type[np.unsignedinteger[Any]]:
    """Return the integer type that names so many parts."""
    return np.uint8 if parts <= 256 else np.uint16


def range_labels(n: int, parts: int) -> Array:
    """Return labels that cut the indices into ranges of about the same size."""
    return (np.arange(n, dtype=np.int64) * parts // max(n, 1)).astype(label_type(parts))


def _frozen(arrays: dict[str, Array]) -> dict[str, Array]:
    """Return arrays that are read-only for good, as those of graphs are: kernels are compiled for them."""
    return {name: freeze(array) for name, array in arrays.items()}


def _offsets(degrees: Array) -> Array:
    """Return where rows of these lengths begin."""
    total = int(degrees.sum())
    offsets = np.zeros(len(degrees) + 1, offset_type(total))
    np.cumsum(degrees, out=offsets[1:])
    return offsets


def _sums(counts: Array, labels: Array, parts: int) -> Array:
    """Return the sums of counts by label."""
    return np.bincount(labels, counts, minlength=parts).astype(np.int64)

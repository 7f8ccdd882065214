"""Passes over all arcs of a graph, in blocks: of a graph on disk they are read block by block, and never kept.

Whoever goes through all arcs once, in order, needs no more of them in memory than a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .arrays import Array
from .graph import Graph
from .rows import freeze
from .stored import BLOCK, StoredGraph

AT_ONCE = 1 << 22  # bytes of arcs: large enough for a disk, small enough for any budget


class Piece(NamedTuple):
    """Consecutive arcs, from ``low`` on, and the vertices that they leave, from ``first`` on.

    ``offsets`` are those of a graph that has these arcs only: entry i belongs to vertex ``first + i``.
    """

    low: int
    first: int
    offsets: Array
    arcs: Array

    @property
    def tails(self) -> Array:
        """The vertex that each arc leaves."""
        count = len(self.offsets) - 1
        return np.repeat(np.arange(self.first, self.first + count, dtype=np.int32), np.diff(self.offsets))


def is_on_disk(graph: Graph) -> bool:
    """Tell whether the arcs lie on the disk, and were not all asked for yet."""
    return isinstance(graph, StoredGraph) and "arcs" not in vars(graph)


def pieces_of(graph: Graph, at_once: int = AT_ONCE) -> Iterator[Piece]:
    """Yield all arcs in order, as rows. The arrays are overwritten by the next piece."""
    for first, low, arcs in arc_blocks(graph, at_once):
        last = tail_of(graph.offsets, low + len(arcs) - 1)
        offsets = np.clip(graph.offsets[first : last + 2].astype(np.int64) - low, 0, len(arcs))
        yield Piece(low, first, offsets, arcs)


def arcs_of(graph: Graph, u: int) -> Array:
    """Return the arcs of one vertex; from disk, the blocks that hold them are read."""
    return graph.some_arcs(int(graph.offsets[u]), int(graph.offsets[u + 1]))


def arc_blocks(graph: Graph, at_once: int = AT_ONCE) -> Iterator[tuple[int, int, Array]]:
    """Yield all arcs in order: the tail of the first arc of a block, its position, and the records.

    The records are overwritten by the next block.
    """
    size = graph.arc_file.dtype.itemsize if isinstance(graph, StoredGraph) else graph.arcs.dtype.itemsize
    if isinstance(graph, StoredGraph) and is_on_disk(graph):
        yield from _from_disk(graph, at_once)
        return
    step = max(1, at_once // size)
    for first in range(0, graph.m, step):
        yield tail_of(graph.offsets, first), first, graph.arcs[first : first + step]


def _from_disk(graph: StoredGraph, at_once: int) -> Iterator[tuple[int, int, Array]]:
    """Yield the arcs of a file in whole blocks that hold whole records."""
    file = graph.arc_file
    size = file.dtype.itemsize
    whole = size // np.gcd(size, BLOCK)  # blocks after which records begin at a block again
    step = max(1, at_once // (BLOCK * whole)) * whole
    buffer = np.empty(min(step, max(file.blocks, 1)) * BLOCK, np.uint8)
    for block in range(0, file.blocks, step):
        got = file.read(block, min(block + step, file.blocks), buffer)
        first = block * BLOCK // size
        yield tail_of(graph.offsets, first), first, freeze(buffer[:got].view(file.dtype))


def tail_of(offsets: Array, e: int) -> int:
    """Return the vertex that arc ``e`` leaves."""
    return int(np.searchsorted(offsets, offsets.dtype.type(e), side="right")) - 1

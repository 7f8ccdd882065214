"""Passes over all arcs of a graph, in blocks: of a graph on disk they are read block by block, and never kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .arrays import Array
from .graph import Graph
from .rows import freeze
from .stored import BLOCK, StoredGraph

AT_ONCE = 1 << 22  # bytes of arcs: large enough for a disk, small enough for any budget


def arc_blocks(graph: Graph, at_once: int = AT_ONCE) -> Iterator[tuple[int, int, Array]]:
    """Yield all arcs in order: the tail of the first arc of a block, its position, and the records.

    The records are overwritten by the next block.
    """
    size = graph.arc_file.dtype.itemsize if isinstance(graph, StoredGraph) else graph.arcs.dtype.itemsize
    if isinstance(graph, StoredGraph) and "arcs" not in vars(graph):
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

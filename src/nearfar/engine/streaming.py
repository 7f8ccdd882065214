"""When the arcs of a graph on disk are read in batches, and what that takes: pure functions of counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ..description import format_bytes
from ..errors import MemoryLimitError
from ..graph.stored import StoredGraph
from ..methods import METHODS
from ..methods.blocks import batch_of, count_blocks, held_blocks, slot_bytes
from ..methods.streamed import least_bytes, room_for_blocks, work_bytes

if TYPE_CHECKING:
    from ..graph import Graph

# How often the arcs are read, by the share of them that memory holds: 1 if it holds all; the most of four sources of
# New York, Florida and R-MAT 18 each. Straight lines between them.
PASSES = ((1.0, 1.0), (0.5, 1.7), (0.25, 3.0), (0.125, 4.0), (0.0, 8.0))


@dataclass(frozen=True)
class Streaming:
    """How arcs are streamed: made by the planner.

    Attributes
    ----------
    blocks, held : int
        Into how many blocks the arcs are cut, and how many of these memory holds at once.
    batches : int
        How many batches all arcs make: blocks that are read together.
    expected_bytes : int
        About how many bytes a group of rows reads from the disk, by a model: right within a factor of two.
    """

    blocks: int
    held: int
    batches: int
    expected_bytes: int


def arc_memory(graph: Graph) -> int:
    """Return the bytes of arcs that a query adds to memory if it uses all of them: none if the graph is in memory."""
    return graph.arc_file.nbytes if isinstance(graph, StoredGraph) else 0


def must_stream(graph: Graph, itemsize: int, available: int) -> bool:
    """Tell whether the arcs, one row and the work space of one thread do not fit together."""
    arcs = arc_memory(graph)
    return arcs > 0 and arcs + graph.n * itemsize + METHODS["dijkstra"].scratch(graph.n, itemsize) > available


def may_reverse(graph: Graph, available: int) -> bool:
    """Tell whether the reversed graph is at hand, or fits into memory when it is made."""
    if isinstance(graph, StoredGraph):
        try:
            graph.require_reverse(available)
        except MemoryLimitError:
            return False
    return True


def streamed_bytes(graph: Graph, rows: int, answer: int, threads: int, available: int) -> tuple[int, Streaming]:
    """Return the bytes of a streamed query, and how it streams: blocks get what the answer and the work leave."""
    work = work_bytes(graph, rows, threads)
    room = room_for_blocks(graph, available - answer - work)
    held, blocks = held_blocks(graph, room), count_blocks(graph)
    passes = _passes(held / max(blocks, 1))
    expected = round(passes * arc_memory(graph))
    streaming = Streaming(blocks, held, -(-blocks // batch_of(held)), expected)
    return answer + work + max(held * slot_bytes(graph), least_bytes(graph)), streaming


def reason(graph: Graph, streaming: Streaming, available: int) -> str:
    """Return why arcs are streamed, in words."""
    size = format_bytes(arc_memory(graph))
    return (
        f"the arcs take {size} and {format_bytes(available)} may be used in all: they are read from the disk in "
        f"batches, {streaming.held:,} of {streaming.blocks:,} blocks in memory at once"
    )


def _passes(share: float) -> float:
    """Return how often the arcs are read, if memory holds this share of them: on straight lines between PASSES."""
    for (high, few), (low, many) in pairwise(PASSES):
        if share >= low:
            return many + (few - many) * (share - low) / (high - low)
    return PASSES[-1][1]

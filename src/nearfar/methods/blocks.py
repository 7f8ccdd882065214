"""Blocks of arcs, where not all fit into memory: which are there, which are next, and how they are read.

Offsets and distances stay in memory. A block is a fixed number of consecutive arcs; it may begin and end in the middle
of a vertex. The blocks with the least pending distances come first, a few at a time: a *batch*. Blocks without pending
vertices are never read. Those that were used last stay in memory as long as there is room; before a block is given up,
nothing is pending in it. (gpu/arc_batches.py is the same idea for arcs that are copied to a device.)

A thread of its own reads the next batch while the vertices of one are relaxed. The arcs of a graph that is in memory
are not copied: its blocks are slices of ``graph.arcs``.

What chose "least distance first, until nothing is pending in memory": bytes read in multiples of the arcs, with room
for a quarter of them, mean over 12 sources (New York, R-MAT 18), 5 (Florida) or 1 (R-MAT 22):

================================================  ========  =======  ========  ========
policy                                            New York  Florida  R-MAT 18  R-MAT 22
================================================  ========  =======  ========  ========
least pending distance first                      1.81      1.41     2.93      2.53
the same, only up to a mean weight beyond it      > 12               3.6
the same, up to 10 and 100 mean weights           9.2, 3.0           3.0, 3.0
round and round, what is pending                  2.12      2.75     4.14      3.41
most pending vertices first                       1.71               11.6
least distance and most vertices, sum of ranks    1.43      1.41     8.6
fewest reads so far first, then least distance    2.42               2.81
longest pending first                             4.23               3.94
whole batches of 1/8 of the arcs, least first     2.9
================================================  ========  =======  ========  ========

For several sources, whose waves pass a block one after the other, "least first" reads more than need be. Where
neighbours lie side by side in the file, as in New York, the distance beyond the least, plus a step of the limit, is
divided by the number of vertices that are pending in the block, as long as no more than half of the blocks have some:

===================================  ========  ========  =======  ========
bytes read                           New York  Florida   grid     R-MAT 18
===================================  ========  ========  =======  ========
nearest of 16, least first           3.24      2.26      2.93     3.0
nearest of 16, divided, up to half   1.44      1.38      1.80     3.0
nearest of 16, divided, always       1.44      1.38      1.86     5.3
16 sources, least first              5.04      6.04      5.04
16 sources, divided, up to half      3.77      4.36      2.91
16 sources, divided, always          4.32      3.93      2.76
four sources, least first            1.37-1.7  1.29-1.5  1.0      3.0
four sources, divided, up to half    1.13-1.2  1.34-1.5  1.0      3.0
===================================  ========  ========  =======  ========

Of the arcs of New York, Florida and a grid, 97 to 100 % lead to a vertex whose arcs are in the same block or one of the
next two on either side; of Sao Paulo, whose vertices are in no order, 74 %, of R-MAT 18 0.5 %. So the blocks that are
read first tell which is which. (For two sources, Sao Paulo reads 8.8 and 10.6 times the arcs, 11.6 and 13 if divided.)
"""

from __future__ import annotations

import math
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..devices.cpu import TICK
from ..graph import stored
from ..graph.stored import StoredGraph

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graph import Graph

SHIFT = 13  # a graph in memory has blocks of 2**SHIFT arcs
SHARE = 1.0  # the share of these that may be used at once: tests set less
# The share of the room that a batch takes. Larger batches are read ahead with less knowledge: of R-MAT 22, with 1/16
# 2.53 times the arcs were read, with 1/4 2.63; of New York 1.81 with 1/22 and 1.91 with 4/22.
BATCH = 1 / 16
NEAR = 2  # blocks before and behind one that count as near
ORDERED = 0.9  # share of arcs to near blocks from which neighbours lie side by side
LOOK, EACH = 64, 1 << 4  # blocks of a run in which every EACH-th arc is looked at
LEAST_SLOTS = 4  # a batch that is relaxed, one that is read, and as many blocks beside them


def shift_of(graph: Graph) -> int:
    """Return the logarithm of the arcs of a block: those that whole blocks of the file hold, if the graph has one."""
    if not isinstance(graph, StoredGraph):
        return SHIFT
    size = graph.arc_file.dtype.itemsize
    return (math.lcm(stored.BLOCK, size) // size).bit_length() - 1


def slot_bytes(graph: Graph) -> int:
    """Return the bytes of a block in memory."""
    return graph.arc_file.dtype.itemsize << shift_of(graph) if isinstance(graph, StoredGraph) else 0


def count_blocks(graph: Graph) -> int:
    """Return into how many blocks the arcs are cut."""
    return -(-graph.m >> shift_of(graph)) if graph.m else 0


def held_blocks(graph: Graph, room: int) -> int:
    """Return how many blocks are in memory at once, if they may take ``room`` bytes."""
    count = count_blocks(graph)
    held = room // slot_bytes(graph) if isinstance(graph, StoredGraph) else math.ceil(SHARE * count)
    return max(min(held, count), min(LEAST_SLOTS, count))


def batch_of(held: int) -> int:
    """Return how many blocks a batch has at most, if so many are in memory at once."""
    return max(1, min(int(held * BATCH), held // 2))


class Order(NamedTuple):
    """A batch that is to be read: blocks, ascending, and where they are put."""

    blocks: np.ndarray
    slots: np.ndarray


class Blocks:
    """The blocks of one graph, of which as many are in memory as ``room`` bytes hold."""

    def __init__(self, graph: Graph, room: int) -> None:
        self.graph, self.shift, self.count = graph, shift_of(graph), count_blocks(graph)
        self.is_read = isinstance(graph, StoredGraph)
        size = slot_bytes(graph)
        self.held = held_blocks(graph, room)
        self.batch = batch_of(self.held)
        self.slots = np.full(self.count, -1, np.int32)  # where each block is; -1: not in memory
        self.used = np.zeros(self.count, np.int64)  # the step in which each was last used
        self._free = list(range(self.held))
        self.step = self.loaded = self.batches = self.bytes_read = 0
        self._seen = self._near = 0  # arcs that were looked at, and those to near blocks
        self._buffer = np.empty(self.held * size if self.is_read else 0, np.uint8)
        self.arcs = self._view() if self.is_read else graph.arcs
        self.orders: SimpleQueue[Order | None] = SimpleQueue()
        self.arrived: SimpleQueue[Order] = SimpleQueue()

    def _view(self) -> np.ndarray:
        """Return the buffer as arcs, read-only as those of a graph are, so that the same kernels take them."""
        assert isinstance(self.graph, StoredGraph)
        arcs = self._buffer.view(self.graph.arc_file.dtype)
        arcs.flags.writeable = False
        return arcs

    @cached_property
    def first(self) -> np.ndarray:
        """Where the pending marks of each block begin (kernels/cpu/streamed.py), and where those of the last end."""
        arcs = np.arange(self.count, dtype=np.int64) << self.shift
        holders = np.searchsorted(self.graph.offsets, arcs, side="right") - 1
        return np.append(holders + np.arange(self.count), self.graph.n + self.count)

    @property
    def is_ordered(self) -> bool:
        """Whether neighbours lie side by side in the file, as far as blocks that were read tell."""
        return self._near > ORDERED * self._seen

    def _look(self, order: Order) -> None:
        """Look whether arcs of blocks that came lead to near blocks."""
        for block, slot in zip(order.blocks.tolist(), order.slots.tolist(), strict=True):
            if self._seen >= LOOK * (1 << self.shift) // EACH:
                return
            count = min(1 << self.shift, self.graph.m - (block << self.shift))
            heads = self.arcs[slot << self.shift :][:count:EACH]["head"]
            far = np.abs((self.graph.offsets[heads] >> self.shift).astype(np.int64) - block)
            self._seen += len(heads)
            self._near += int(np.count_nonzero(far <= NEAR))

    def order(self, urgency: np.ndarray, busy: np.ndarray) -> Order | None:
        """Have the blocks of least urgency read, except those of infinite urgency; None if there are none.

        Blocks make room for them that are neither among these nor ``busy``, the longest unused first.
        """
        wanted = np.flatnonzero((self.slots < 0) & (urgency < np.inf))
        if len(busy):
            wanted = np.setdiff1d(wanted, busy, assume_unique=True)
        if len(wanted) > self.batch:
            wanted = wanted[np.argpartition(urgency[wanted], self.batch - 1)[: self.batch]]
        if not len(wanted):
            return None
        wanted.sort()
        self._make_room(len(wanted), busy)
        slots = np.array(sorted(self._free[: len(wanted)]), np.int32)
        del self._free[: len(wanted)]
        found = Order(wanted, slots if self.is_read else wanted.astype(np.int32))
        self.batches += 1
        self.loaded += len(wanted)
        (self.orders if self.is_read else self.arrived).put(found)
        return found

    def _make_room(self, needed: int, busy: np.ndarray) -> None:
        """Give up blocks until as many slots are free."""
        if (short := needed - len(self._free)) <= 0:
            return
        here = np.flatnonzero(self.slots >= 0)
        oldest = here[np.argsort(self.used[here], kind="stable")]
        given_up = oldest[~np.isin(oldest, busy)][:short]
        self._free += self.slots[given_up].tolist()
        self.slots[given_up] = -1

    def wait_for(self, stop: np.ndarray) -> np.ndarray:
        """Wait for a batch that was ordered, and take it into use; return its blocks, none if the run is stopped."""
        while not stop[0]:
            try:
                order = self.arrived.get(timeout=TICK)
            except Empty:
                continue
            self.step += 1
            self.slots[order.blocks] = order.slots
            self.used[order.blocks] = self.step
            self._look(order)
            return order.blocks
        return np.empty(0, np.int64)

    def read_orders(self, stop: np.ndarray) -> None:
        """Read batch after batch, until None is ordered: the work of the thread that reads."""
        while (order := self.orders.get()) is not None:
            for first, last, slot in _runs(order):
                if stop[0]:
                    return
                self._read(first, last, slot)
            self.arrived.put(order)

    def _read(self, first: int, last: int, slot: int) -> None:
        """Read consecutive blocks into consecutive slots."""
        assert isinstance(self.graph, StoredGraph)
        file, size = self.graph.arc_file, slot_bytes(self.graph)
        each = size // stored.BLOCK
        out = self._buffer[slot * size : (slot + last - first) * size]
        self.bytes_read += file.read(first * each, min(last * each, file.blocks), out)

    def facts(self) -> dict[str, Any]:
        """Return what is to be known of the run: for the result's ``stats``."""
        return {
            "blocks": self.count, "blocks_held": self.held, "blocks_read": self.loaded, "batches": self.batches,
            "bytes_read": self.bytes_read, "passes": round(self.loaded / max(self.count, 1), 3),
        }  # fmt: skip


def _runs(order: Order) -> Iterable[tuple[int, int, int]]:
    """Yield first, end and slot of blocks that follow each other and lie in slots that do."""
    breaks = np.flatnonzero((np.diff(order.blocks) != 1) | (np.diff(order.slots) != 1)) + 1
    for part in np.split(np.arange(len(order.blocks)), breaks):
        yield int(order.blocks[part[0]]), int(order.blocks[part[-1]]) + 1, int(order.slots[part[0]])

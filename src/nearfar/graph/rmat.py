"""The edges of a large R-MAT graph on all threads: the same edges that generate.py draws with NumPy.

Chunks of edges are drawn at their positions of the one random stream, sorted by head and then by tail (two partitions
into rows), and repetitions are left out.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..devices import cpu
from .arrays import Array
from .blocks import Piece
from .rows import pieces_to_rows, reverse_rows

CHUNK = 1 << 18  # edges drawn by a thread before it takes the next chunk; to jump ahead takes as long as 2,000 edges
PARTS = 64  # into which the rows are cut to leave repetitions out


BATCH = 1 << 22  # edges drawn at once: the numbers of one level of a batch follow each other in the stream

Chunk = tuple[int, int, int]  # the first edge of a batch, the first edge of the chunk in it, the edges of the batch


class Stream:
    """The edges of a graph from one stream of random numbers, chunk by chunk in any order.

    Parameters
    ----------
    rng : Generator
        Its next numbers are those of the edges.
    scale, m : int
        The graph has 2**scale vertices, and m edges are drawn.
    batch : int
    """

    def __init__(self, rng: np.random.Generator, scale: int, m: int, batch: int = BATCH) -> None:
        self.rng, self.scale, self.m, self.batch = rng, scale, m, batch
        self.start = rng.bit_generator.state

    def chunks(self, size: int) -> list[Chunk]:
        """Return chunks of at most ``size`` edges."""
        batches = ((low, min(self.batch, self.m - low)) for low in range(0, self.m, self.batch))
        return [(low, i, count) for low, count in batches for i in range(0, count, size)]

    def draw(self, chunk: Chunk, size: int, label: Array, undirected: bool) -> tuple[Array, Array]:
        """Return the tails and heads of a chunk of ``size`` edges, without loops."""
        from ..kernels.cpu.rmat import draw_edges

        low, first, count = chunk
        states = [_state_at(self.start, low * self.scale + level * count + first) for level in range(self.scale)]
        tails, heads = (np.empty(min(size, count - first), np.int32) for _ in range(2))
        given = _halves(states), _halves([self.start["state"]["inc"]])
        written = draw_edges(*given, label, undirected, tails, heads)
        return tails[:written], heads[:written]

    def skip(self) -> None:
        """Move the generator behind the numbers of all edges."""
        _skip(self.rng, self.start, self.m * self.scale)


def draw_pairs(
    rng: np.random.Generator, scale: int, m: int, batch: int, label: Array, undirected: bool
) -> tuple[Array, Array]:
    """Draw m edges; return the tails and heads of the distinct ones that are no loops, in order.

    The generator continues behind them.
    """
    stream, label = Stream(rng, scale, m, batch), label.astype(np.int32)
    chunks = stream.chunks(CHUNK)
    pieces: list[Piece] = [(label[:0], label[:0], None)] * len(chunks)

    def do(j: int) -> None:
        tails, heads = stream.draw(chunks[j], CHUNK, label, undirected)
        pieces[j] = heads, tails, None  # sorted by heads first

    cpu.share_out(lambda: do, len(chunks), cpu.facts().cores, np.zeros(1, np.int64))
    stream.skip()
    return _distinct(len(label), pieces)


def _state_at(start: Any, steps: int) -> int:
    """Return the state of the stream after some steps from ``start``."""
    stream = np.random.PCG64(0)
    stream.state = start
    stream.advance(steps)
    return int(stream.state["state"]["state"])


def _halves(numbers: list[int]) -> Array:
    """Return numbers of 128 bits as pairs of 64 bits, the low half first."""
    return np.array([half for number in numbers for half in (number & 2**64 - 1, number >> 64)], np.uint64)


def _skip(rng: np.random.Generator, start: Any, steps: int) -> None:
    """Move the generator behind numbers that were drawn elsewhere; half a number that it still had stays."""
    state = start["state"] | {"state": _state_at(start, steps)}
    rng.bit_generator.state = start | {"state": state}


def _distinct(n: int, pieces: list[Piece]) -> tuple[Array, Array]:
    """Return tails and heads in order and without repetitions, of pieces with their roles exchanged."""
    from ..kernels.cpu.rmat import count_distinct, list_distinct

    rows = pieces_to_rows(n, pieces, keep=False)
    offsets, arcs = reverse_rows(rows.offsets, rows.arcs, few=0)
    del rows
    given = offsets, np.ascontiguousarray(arcs["head"])
    cuts = list(pairwise(n * p // PARTS for p in range(PARTS + 1)))
    counts = np.zeros(PARTS + 1, np.int64)
    share_out = partial(cpu.share_out, count=PARTS, threads=cpu.facts().cores, stop=np.zeros(1, np.int64))

    def count(p: int) -> None:
        counts[p + 1] = count_distinct(*given, *cuts[p])

    share_out(lambda: count)
    starts = np.cumsum(counts)
    tails, heads = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)

    def write(p: int) -> None:
        part = slice(starts[p], starts[p + 1])
        list_distinct(*given, *cuts[p], tails[part], heads[part])

    share_out(lambda: write)
    return tails, heads

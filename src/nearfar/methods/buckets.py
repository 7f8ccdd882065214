"""The memory of a bucket queue (kernels/cpu/buckets.py), and the width of its buckets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cpu.arguments import Queue
from ..kernels.cpu.constants import CHUNK, LINE
from .tuning import PATIENT_RELAXATIONS

if TYPE_CHECKING:
    from ..graph import Graph
    from .problem import Problem

MIN_WINDOW, MAX_WINDOW = 16, 1024  # buckets open at once; the rest waits on the far pile; at most 64: 1.08x and 1.01x
QUEUE_ENTRIES = 2.5  # queue entries to make room for, in multiples of n; NY needs 0.1, R-MAT 18 1.6
# Bucket width, as the median weight divided by the mean degree, times a factor: WIDE up to mean degree SPARSE_DEGREE,
# NARROW from DENSE_DEGREE on, between them on a straight line of logarithms. Measured in mean weights (1.4 medians in
# NY, 1.8 in Sao Paulo, 9.8 on the mountain): time of one source with widths 1/8, 1/2, 1, 3 and 8 relative to the best,
# on one thread:
# NY (degree 2.8) 1.13 1.06 1.16 1.00 1.18, Sao Paulo (2.2) 1.13 1.17 1.07 1.00 1.11, the mountain (8) 1.02 1.17 1.11
# 1.35 4.27, geometric (8) 1.12 1.13 1.00 1.16 1.02, R-MAT 18 (29) 1.00 1.20 1.24 6.74 6.83. On two threads: NY 2.71
# 1.24 1.14 1.03 1.00, Sao Paulo 2.49 1.23 1.11 1.00 1.02, the mountain 1.08 1.00 1.09 1.30 1.67, geometric 2.02 1.15
# 1.07 1.06 1.33, R-MAT 18 1.00 1.08 1.08 6.75 18. Medians, because a few heavy arcs move the mean: grids with lognormal
# weights (sigma 5) took 27 ms by the mean, with the heap, and 12 by the median.
SPARSE_DEGREE, DENSE_DEGREE = 4, 16
WIDE, NARROW = 4.0, 0.25
# Vertices up to which a graph keeps its queues, each of at most 0.7 MB, for the next query. Time of one source with new
# queues and with kept ones: 32 and 24 us on a grid of 25 vertices, 134 and 119 on one of 10,000, 370 and 357 on 16,384.
KEPT_VERTICES = 16_384


FULL, STATE_SIZE = 2, 6  # as in kernels/cpu/buckets.py, which loads Numba


class Buckets:
    """A bucket queue's memory: a pool of chunks, the ends of the buckets, and the state."""

    def __init__(self, entries: int, window: int) -> None:
        # Cache lines of their own: every push writes here, and the queues of two threads may lie side by side.
        self.ends = np.empty(window + 1 + 2 * LINE, np.int64)[LINE:-LINE]  # one more, for the far pile
        self.state = np.zeros(STATE_SIZE + 2 * LINE, np.int64)[LINE:-LINE]
        self._entries = entries
        self._allocate()

    def _allocate(self) -> None:
        """Make the pool."""
        self.pool = np.empty(pool_size(self._entries, len(self.ends)), np.int32)

    @property
    def queue(self) -> Queue:
        """The argument that the kernels take."""
        return Queue(self.pool, self.ends, self.state)

    def is_full(self) -> bool:
        """Return whether the last run gave up because the pool was used up."""
        return bool(self.state[FULL])

    def grow(self) -> None:
        """Replace the pool by one of twice the size."""
        self._entries *= 2
        self._allocate()
        self.state[FULL] = 0


class BucketQueues:
    """The bucket queues of one kind of search: how they are made, and those that no thread uses now.

    Any thread may take one and put it back: both are atomic. A search opens its queue anew, in whatever state it is.
    """

    def __init__(self, graph: Graph, dtype: np.dtype, delta: float | None, starts: np.ndarray) -> None:
        from ..kernels.cpu.dijkstra import settle_rows

        self.settle_rows = settle_rows  # an import statement takes half a microsecond, each time
        self.limit = np.int64(PATIENT_RELAXATIONS * graph.m + 1024)
        delta = choose_delta(graph) if delta is None else delta
        self.scale, self.window = scale_and_window(graph, dtype, delta, starts)
        self.entries = pool_entries(graph.n)
        self.spare: list[Buckets] = []

    def take(self) -> Buckets:
        """Return a queue, which belongs to the caller until it is appended to ``spare``."""
        try:
            return self.spare.pop()
        except IndexError:
            return Buckets(self.entries, self.window)


def queues_for(problem: Problem) -> BucketQueues:
    """Return the bucket queues of a search; a small graph keeps those of ordinary searches for the next query."""
    graph, dtype = problem.graph, problem.dtype
    late = problem.seeds is not None and problem.starts.any()
    if graph.n > KEPT_VERTICES or problem.delta is not None or late:
        return BucketQueues(graph, dtype, problem.delta, problem.starts)
    found: BucketQueues | None = graph.memo.get(("queues", dtype))
    if found is None:
        found = graph.memo["queues", dtype] = BucketQueues(graph, dtype, None, problem.starts)
    return found


def choose_delta(graph: Graph, wide: float = WIDE, narrow: float = NARROW) -> float:
    """Return a bucket width that keeps buckets full without repeating much work.

    Sparse graphs (roads, grids) have long thin wavefronts and need wide buckets. In dense graphs a narrow bucket is
    full enough, and a wide one makes vertices relax again and again.
    """
    degree = max(graph.m / max(graph.n, 1), 1)
    share = math.log(degree / SPARSE_DEGREE) / math.log(DENSE_DEGREE / SPARSE_DEGREE)
    share = min(max(share, 0.0), 1.0)
    width: float = wide ** (1 - share) * narrow**share * graph.typical_weight / degree
    return width


def scale_and_window(graph: Graph, dist_type: np.dtype, delta: float, starts: np.ndarray) -> tuple[Any, int]:
    """Return how a distance becomes a bucket (kernels/cpu/arcs.py), and how many buckets are open at once.

    Integers are shifted, so delta becomes the nearest power of two. Floats are multiplied; delta is kept large enough
    for every level to be an exact integer; ``starts`` are the distances at which a row starts.
    """
    if dist_type.kind == "f":
        longest = graph.max_weight * max(graph.n, 1) + float(starts.max())
        delta = max(delta, longest / 2**52)
        inverse = 1 / delta if delta > 0 else math.inf
        scale: Any = dist_type.type(min(inverse, float(np.finfo(dist_type).max)))
    else:
        shift = min(round(math.log2(max(delta, 1))), 62)
        scale, delta = np.int64(shift), 1 << shift
    return scale, window_for(graph.n, graph.max_weight / delta if delta else 0)


def window_for(n: int, levels: float) -> int:
    """Return how many buckets to keep open, a power of two: enough for the heaviest arc, within bounds."""
    reach = max(MIN_WINDOW, min(levels + 2, MAX_WINDOW, n))
    return 1 << math.ceil(math.log2(reach))


def pool_size(entries: int, buckets: int) -> int:
    """Return the size of a pool: room for the entries, for an open chunk in every bucket, and for scrap."""
    return (entries // (CHUNK - 1) + 2 * buckets + 2) * CHUNK


def pool_entries(n: int, threads: int = 1) -> int:
    """Return how many queue entries to make room for on each thread."""
    return int(QUEUE_ENTRIES * n / threads) + 1024


def pool_bytes(n: int, threads: int = 1) -> int:
    """Return an upper bound on the bytes of all threads' queues together."""
    return threads * (4 * pool_entries(n, threads) + (2 * 4 * CHUNK + 8) * 2 * window_for(n, math.inf))

"""The memory behind a bucket queue (kernels/buckets.py), and how wide its buckets are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..constants import (
    CHUNK,
    DENSE_DEGREE,
    MAX_WINDOW,
    MIN_WINDOW,
    NARROW,
    QUEUE_ENTRIES,
    SPARSE_DEGREE,
    WIDE,
)

if TYPE_CHECKING:
    from ..graph import Graph


FULL, STATE_SIZE = 2, 6  # as in kernels/buckets.py, which loads Numba


class Buckets:
    """A pool of chunks for the entries, the ends of the buckets, and the queue's state."""

    def __init__(self, entries: int, window: int) -> None:
        self.ends = np.empty(window + 1, np.int64)  # one more: the far pile
        self.state = np.zeros(STATE_SIZE, np.int64)
        self._entries = entries
        self._allocate()

    def _allocate(self) -> None:
        """Make the pool."""
        self.queue = np.empty(pool_size(self._entries, len(self.ends)), np.int32)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the kernels take."""
        return self.queue, self.ends, self.state

    def is_full(self) -> bool:
        """Tell whether the last run gave up because the pool was used up."""
        return bool(self.state[FULL])

    def grow(self) -> None:
        """Replace the pool by one of twice the size."""
        self._entries *= 2
        self._allocate()
        self.state[FULL] = 0


def choose_delta(graph: Graph, wide: float = WIDE, narrow: float = NARROW) -> float:
    """Return a bucket width that keeps buckets full without much work done twice.

    Sparse graphs (roads, grids) have long thin wavefronts and need wide buckets; in dense ones a narrow bucket is full
    enough already, and a wide one makes vertices relax again and again.
    """
    degree = max(graph.m / max(graph.n, 1), 1)
    share = math.log(degree / SPARSE_DEGREE) / math.log(DENSE_DEGREE / SPARSE_DEGREE)
    share = min(max(share, 0.0), 1.0)
    width: float = wide ** (1 - share) * narrow**share * graph.typical_weight / degree
    return width


def scale_and_window(graph: Graph, dist_type: np.dtype, delta: float) -> tuple[Any, int]:
    """Return how a distance becomes a bucket (kernels/arcs.py), and how many buckets are open at once.

    Integers are shifted, so delta becomes the nearest power of two. Floats are multiplied; delta is kept large enough
    for every bucket number to be an exact integer.
    """
    longest = graph.max_weight * max(graph.n, 1)
    if dist_type.kind == "f":
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
    """Return the slots of a pool: for the entries, for an open chunk in every bucket, and for scrap."""
    return (entries // (CHUNK - 1) + 2 * buckets + 2) * CHUNK


def pool_entries(n: int, threads: int = 1) -> int:
    """Return how many queue entries to make room for on each of some threads."""
    return int(QUEUE_ENTRIES * n / threads) + 1024


def pool_bytes(n: int, threads: int = 1) -> int:
    """Return the bytes of all threads' queues together, at most."""
    return threads * (4 * pool_entries(n, threads) + (2 * 4 * CHUNK + 8) * 2 * window_for(n, math.inf))

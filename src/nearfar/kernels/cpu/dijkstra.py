"""One row of distances on one thread, with a bucket queue (Dial 1969; delta-stepping on one thread). Weights >= 0.

Buckets are processed in order. Inside a bucket, vertices come in any order and may come again when they improve.

Invariant: when the window starts at ``current``, every vertex whose distance lies in an earlier bucket has its final
distance, and its arcs were relaxed with it. So an entry whose vertex now lies in an earlier bucket is stale.

Distances start at ``ceiling``, the least value that does not count as reached. An offer at or above it fails the same
comparison as an offer that is no improvement, so a cutoff and the end of the type's range cost nothing.

A leaf (a vertex whose only arcs lead back to where it was reached from) gets its distance but is never queued.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level
from .arguments import Adjacency, Queue
from .buckets import FAR_LOOKS, FULL, NEAR, NOWHERE, next_level, open_queue, push_level, release, take
from .constants import CHUNK
from .relax import relax_chunk


@kernel
def settle_rows(
    offsets, arcs, leaves, seeds, starts, targets, scale, ceiling, zero, limit, pool, ends, state, stop, rows
):  # fmt: skip
    """Settle ``rows`` one after the other; return how many were settled, and the arcs relaxed for them.

    ``seeds`` has as many vertices for each row as there are ``starts``. If fewer rows than given are settled, `settle`
    gave up, for the reasons it has. The arrays come singly: Numba takes 1 us longer to unpack them from two tuples.
    """
    graph, queue, each = Adjacency(offsets, arcs, leaves), Queue(pool, ends, state), len(starts)
    relaxed = 0
    for r in range(len(rows)):
        begin = seeds[r * each : (r + 1) * each]
        count = settle(graph, begin, starts, targets, scale, ceiling, zero, limit, queue, stop, rows[r])
        if count < 0:
            return r, relaxed
        relaxed += count
    return len(rows), relaxed


@kernel
def settle(graph, seeds, starts, targets, scale, ceiling, zero, limit, queue, stop, dist):
    """Settle the row ``dist`` from ``seeds`` at the distances ``starts``; return the arcs relaxed.

    It gives up, and returns less than 0, when ``stop`` is set, when the pool of the queue is used up (``state[FULL]``),
    or when more than ``limit`` arcs and entries of the far pile together were processed: then buckets do not suit these
    weights. ``zero`` is 0 in the type to add in. With ``targets``, the row is only final up to the farthest of them.
    """
    wrap = len(queue.ends) - 2  # the window is a power of two; the far pile comes after it
    open_queue(queue)
    dist[:] = ceiling
    for i in range(len(seeds)):
        dist[seeds[i]] = starts[i]
        push_level(queue, np.int64(0), level(starts[i], scale), np.uint32(seeds[i]))
    current, relaxed, target = np.int64(0), 0, 0
    current = next_level(queue, current, scale, dist)
    while current != NOWHERE:
        while target < len(targets) and is_settled(dist[targets[target]], ceiling, scale, current):
            target += 1
        if 0 < len(targets) == target:
            break
        chunk, size = take(queue, current & wrap)
        while size > 0:
            queue.state[NEAR] -= size
            relaxed += relax_chunk(False, graph, current, scale, zero, queue.pool, chunk * CHUNK, size, queue, dist)
            release(queue, chunk)
            if stop[0] != 0 or queue.state[FULL] != 0 or relaxed + queue.state[FAR_LOOKS] > limit:
                return -1 - relaxed
            chunk, size = take(queue, current & wrap)
        current = next_level(queue, current, scale, dist)
    return relaxed if queue.state[FULL] == 0 else -1 - relaxed


@kernel
def is_settled(distance, ceiling, scale, current):
    """Tell whether a distance is final when the window starts at ``current``."""
    return distance < ceiling and level(distance, scale) < current

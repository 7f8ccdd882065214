"""One source row on one thread, with a bucket queue (Dial 1969; delta-stepping of one thread). Weights >= 0.

Buckets are taken in order; inside one, vertices come in any order and may come again when they improve. Invariant:
when the window stands at ``current``, every vertex whose distance lies in an earlier bucket has its final distance
and its arcs were relaxed with it. So an entry whose vertex now lies in an earlier bucket is stale.

Distances start at ``ceiling``, the least value that does not count as reached: an offer at or above it is refused by
the same comparison that refuses an offer that is no better. A cutoff and the end of the type's range cost nothing.

A leaf (a vertex with no way on but back to where it was reached from) gets its distance and is never queued.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level, weight
from .atomics import prefetch
from .buckets import FAR_LOOKS, FULL, NEAR, NOWHERE, next_level, open_queue, push_level, release, take
from .constants import CHUNK, PREFETCH_ARCS, PREFETCH_OFFSETS


@kernel
def settle(offsets, arcs, leaves, seeds, targets, scale, ceiling, zero, limit, queue, ends, state, stop, dist):
    """Settle the row ``dist`` from ``seeds``; return the arcs relaxed, or less than 0 if it gave up.

    It gives up when ``stop`` is raised, when the pool of the queue is used up (``state[FULL]``), or when more than
    ``limit`` arcs were relaxed or entries of the far pile looked at: buckets do not suit these weights. ``zero`` is 0
    of the type to add in. With ``targets``, the row is only final up to the farthest of them.
    """
    wrap = len(ends) - 2  # the window is a power of two; the far pile lies behind it
    open_queue(queue, ends, state)
    dist[:] = ceiling
    for s in seeds:
        dist[s] = zero
        push_level(queue, ends, state, np.int64(0), np.int64(0), np.uint32(s))
    current, relaxed, target = np.int64(0), 0, 0
    current = next_level(queue, ends, state, current, scale, dist)
    while current != NOWHERE:
        while target < len(targets) and is_settled(dist[targets[target]], ceiling, scale, current):
            target += 1
        if 0 < len(targets) == target:
            break
        chunk, size = take(queue, ends, state, current & wrap)
        while size > 0:
            state[NEAR] -= size
            relaxed += relax_chunk(
                offsets, arcs, leaves, current, scale, zero, queue, ends, state, chunk * CHUNK, size, dist
            )
            release(queue, state, chunk)
            if stop[0] != 0 or state[FULL] != 0 or relaxed + state[FAR_LOOKS] > limit:
                return -1 - relaxed
            chunk, size = take(queue, ends, state, current & wrap)
        current = next_level(queue, ends, state, current, scale, dist)
    return relaxed if state[FULL] == 0 else -1 - relaxed


@kernel
def is_settled(distance, ceiling, scale, current):
    """Tell whether a distance is final when the window stands at ``current``."""
    return distance < ceiling and level(distance, scale) < current


@kernel
def relax_chunk(offsets, arcs, leaves, current, scale, zero, queue, ends, state, start, size, dist):
    """Relax the arcs of the entries in slots ``start + size`` down to ``start + 1``; return how many arcs."""
    work = 0
    for slot in range(start + size, max(start + size - PREFETCH_OFFSETS, start), -1):
        prefetch(offsets, queue[slot])
    for slot in range(start + size, start, -1):
        if slot - start > PREFETCH_OFFSETS:
            prefetch(offsets, queue[slot - PREFETCH_OFFSETS])
        if slot - start > PREFETCH_ARCS:
            prefetch(arcs, offsets[queue[slot - PREFETCH_ARCS]])
        u = np.uint32(queue[slot])  # unsigned: Numba then leaves out the test for an index below 0
        reached = dist[u] + zero
        if level(reached, scale) < current:
            continue  # stale: it was relaxed in an earlier bucket
        begin, end = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        work += np.int64(end - begin)
        for e in range(begin, end):
            offer = reached + weight(arcs, e)
            v = np.uint32(arcs[e]["head"])
            if offer < dist[v]:
                dist[v] = offer
                if leaves[v >> np.uint32(3)] >> (v & np.uint32(7)) & 1 == 0:
                    push_level(queue, ends, state, current, level(offer, scale), v)
    return work

"""Relax the arcs of a chunk of queue entries: the inner loop of `dijkstra` and of each thread of `delta`."""

from __future__ import annotations

import numpy as np

from ..jit import inlined
from .arcs import level, weight
from .atomics import load, prefetch, swap_if
from .buckets import push_level
from .constants import PREFETCH_ARCS, PREFETCH_OFFSETS


@inlined
def relax_chunk(shared, graph, current, scale, zero, entries, start, size, queue, dist):
    """Relax the arcs of ``entries[start + size]`` down to ``entries[start + 1]``; return how many arcs.

    ``shared``, a constant: whether other threads lower the same distances. Compiled into its callers, it costs nothing.
    """
    offsets, arcs, leaves = graph
    relaxed = 0
    for i in range(start + size, max(start + size - PREFETCH_OFFSETS, start), -1):
        prefetch(offsets, entries[i])
    for i in range(start + size, start, -1):
        if i - start > PREFETCH_OFFSETS:
            prefetch(offsets, entries[i - PREFETCH_OFFSETS])
        if i - start > PREFETCH_ARCS:
            prefetch(arcs, offsets[entries[i - PREFETCH_ARCS]])
        u = np.uint32(entries[i])  # unsigned: Numba then leaves out the test for an index below 0
        reached = (load(dist, u) if shared else dist[u]) + zero
        if level(reached, scale) < current:
            continue  # stale: it was relaxed in an earlier bucket, or the thread that lowered it has queued it again
        begin, end = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        relaxed += np.int64(end - begin)
        for e in range(begin, end):
            offer = reached + weight(arcs, e)
            v = np.uint32(arcs[e]["head"])
            if lower(shared, dist, v, offer) and leaves[v >> np.uint32(3)] >> (v & np.uint32(7)) & 1 == 0:
                push_level(queue, current, level(offer, scale), v)
    return relaxed


@inlined
def lower(shared, dist, v, offer):
    """Lower ``dist[v]`` to ``offer`` if that is less, atomically where it is shared; return whether it was."""
    if not shared:
        if offer < dist[v]:
            dist[v] = offer
            return True
        return False
    seen = load(dist, v)
    while offer < seen:
        if swap_if(dist, v, seen, offer):
            return True
        seen = load(dist, v)
    return False

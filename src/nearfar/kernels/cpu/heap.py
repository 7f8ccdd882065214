"""One row of distances on one thread with a heap: for weights that do not suit buckets, and for potentials.

An indexed heap with four children per node: ``heap`` holds vertices, ``keys`` their priorities, in the same positions,
and ``positions[v]`` is the position of vertex v in the heap (-1: not queued). The priority of a vertex is its distance,
minus its potential if there is one.

With a potential h such that ``w + h[u] - h[v] >= 0`` on every arc (Johnson 1977), vertices leave the heap in order of
their final priority although weights are negative. The potential only orders the heap: distances are sums of weights
along paths, so they are the same to the bit as with any other method. If rounding changes the order of floats, a vertex
that improves after it left the heap is queued again.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import weight

POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def settle(offsets, arcs, seeds, starts, targets, potential, ceiling, zero, limit, heap, keys, positions, stop, dist):
    """Settle the row ``dist`` from ``seeds`` at the distances ``starts``; return the arcs relaxed.

    It gives up, and returns less than 0, when ``stop`` is set, or when more than ``limit`` arcs were relaxed: around a
    cycle of length 0 up to rounding, a vertex may leave the heap again and again.

    With ``targets``, the row is only final up to the farthest of them.
    """
    if stop[0] != 0:
        return -1  # it may have been set while this was compiled: then the row must not be written any more
    dist[:] = ceiling
    positions[:] = -1
    size, taken, relaxed, target = 0, 0, 0, 0
    for i in range(len(seeds)):
        s = seeds[i]
        if starts[i] < dist[s]:
            dist[s] = starts[i]
            size = raise_up(heap, keys, positions, size, s, priority(starts[i], potential, s))
    while size > 0:
        u = heap[0]
        reached = dist[u] + zero
        while target < len(targets) and dist[targets[target]] < reached:
            target += 1
        if 0 < len(targets) == target:
            break
        size = take_first(heap, keys, positions, size)
        taken += 1
        if taken & POLL == 0 and (stop[0] != 0 or relaxed > limit):
            return -1 - relaxed
        for e in range(offsets[u], offsets[u + 1]):
            offer = reached + weight(arcs, e)
            v = arcs[e]["head"]
            if offer < dist[v]:
                dist[v] = offer
                size = raise_up(heap, keys, positions, size, v, priority(offer, potential, v))
        relaxed += np.int64(offsets[u + 1]) - np.int64(offsets[u])
    return relaxed


@kernel
def priority(distance, potential, v):
    """Return the key in the heap: the distance, minus the potential if there is one."""
    if len(potential) > 0:
        return distance - potential[v]
    return distance


@kernel
def raise_up(heap, keys, positions, size, v, key):
    """Queue ``v`` with ``key``, or lower its key; return the new size."""
    at = positions[v]
    if at < 0:
        at = size
        size += 1
    while at > 0:
        parent = (at - 1) // 4
        if keys[parent] <= key:
            break
        heap[at], keys[at] = heap[parent], keys[parent]
        positions[heap[at]] = at
        at = parent
    heap[at], keys[at], positions[v] = v, key, at
    return size


@kernel
def take_first(heap, keys, positions, size):
    """Remove the vertex of least key; return the new size."""
    positions[heap[0]] = -1
    size -= 1
    if size == 0:
        return size
    v, key = heap[size], keys[size]
    at = 0
    while True:
        least, least_key = at, key
        for child in range(4 * at + 1, min(4 * at + 5, size)):
            if keys[child] < least_key:
                least, least_key = child, keys[child]
        if least == at:
            break
        heap[at], keys[at] = heap[least], least_key
        positions[heap[at]] = at
        at = least
    heap[at], keys[at], positions[v] = v, key, at
    return size

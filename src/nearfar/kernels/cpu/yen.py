"""The shortest path from a vertex to a target that avoids some vertices and some first arcs: a spur of Yen's algorithm.

The search is A*: the distance to the target without anything avoided is a lower bound, exact wherever nothing stands in
the way. So hardly more than the path itself is looked at. Weights are not negative.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import weight
from .heap import raise_up, take_first


@kernel
def walk_spur(offsets, arcs, start, target, bound, unreached, avoided, closed, found):
    """Write the path that is found as in `find_spur` by following ``bound``; return 0 if that meets what is avoided.

    The first arc is the one with the least way from there, and each further one leads on along a shortest path: the
    one to the least index. That takes no search. Weights are positive, so that no vertex comes twice.
    """
    found[0] = start
    count, u, best = np.int64(1), start, unreached
    for e in range(offsets[u], offsets[u + 1]):
        v = arcs[e]["head"]
        if avoided[v] or closed[v] or v == start or bound[v] == unreached:
            continue
        length = bound[v] + weight(arcs, e)
        if length < best or (length == best and v < u):
            best, u = length, v
    if u == start:
        return np.int64(0)
    while True:
        found[count] = u
        count += 1
        if u == target:
            break
        following = u
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if avoided[v] or v == start or bound[v] == unreached or bound[v] + weight(arcs, e) != bound[u]:
                continue
            if following == u or v < following:
                following = v
        if following == u:
            return np.int64(0)
        u = following
    for i in range(count // 2):
        found[i], found[count - 1 - i] = found[count - 1 - i], found[i]
    return count


@kernel
def find_spur(
    offsets, arcs, start, target, bound, unreached, avoided, closed, space, zero, heap, keys, positions, dist, before,
    found,
):  # fmt: skip
    """Write a shortest path into ``found``, from its end back to ``start``; return its vertices, 0 if there is none.

    ``bound`` has the distance to the target from every vertex. ``avoided`` marks vertices that may not be used, and
    ``closed`` the heads that no first arc may lead to. ``dist`` is ``space`` everywhere before and after.
    """
    met = np.int64(0)
    dist[start] = zero
    found[met] = start
    met += 1
    size = raise_up(heap, keys, positions, 0, start, zero + bound[start])
    while size > 0:
        u = heap[0]
        size = take_first(heap, keys, positions, size)
        if u == target:
            break
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if avoided[v] or bound[v] == unreached or (u == start and closed[v]):
                continue
            offer = dist[u] + weight(arcs, e)
            if offer < dist[v]:
                if dist[v] == space:
                    found[met] = v
                    met += 1
                dist[v] = offer
                before[v] = u
                size = raise_up(heap, keys, positions, size, v, offer + bound[v])
    for i in range(size):
        positions[heap[i]] = -1
    reached = dist[target] < space
    for i in range(met):
        dist[found[i]] = space
    if not reached or target == start:
        return np.int64(0)
    count, v = np.int64(0), target
    while v != start:
        found[count] = v
        count += 1
        v = before[v]
    found[count] = start
    return count + 1

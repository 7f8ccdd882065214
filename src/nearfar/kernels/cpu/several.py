"""The k nearest of many sources for every vertex, in one search instead of one per source.

A *label* of a vertex is a source and the length of a path from it. Each vertex keeps its k best labels of different
sources, in order of (length, source index). A label that is not among the k best of a vertex cannot be among the k best
of any vertex behind it: the same k sources are no worse there. So only kept labels are passed on along the arcs, each
vertex passes on at most k labels if weights are not negative, and the work is that of k rows of Dijkstra, however many
sources there are.

``dist`` and ``source`` are n x k; a label is *fresh* until it has been passed on. The heap (heap.py) holds the vertices
with fresh labels, by the length of the first of these. Over arcs of weight zero, a label of the same length and a lower
source may come after another one was passed on. It takes its place and is passed on as well, so the answer does not
depend on the order.
"""

from __future__ import annotations

from ..jit import kernel
from .arcs import weight
from .heap import POLL, raise_up, take_first


@kernel
def settle_several(offsets, arcs, seeds, ceiling, zero, heap, keys, positions, stop, dist, source, fresh):
    """Fill ``dist`` and ``source`` with the nearest of ``seeds``, which differ; return the labels passed on.

    Return -1 when ``stop`` is set. What has no label stays at ``ceiling``, with source -1.
    """
    if stop[0] != 0:
        return -1
    dist[:] = ceiling
    source[:] = -1
    fresh[:] = 0
    positions[:] = -1
    size, taken, relaxed = 0, 0, 0
    for s in seeds:
        if keep(dist, source, fresh, s, zero, s):
            size = raise_up(heap, keys, positions, size, s, zero)
    while size > 0:
        u = heap[0]
        size = take_first(heap, keys, positions, size)
        taken += 1
        if taken & POLL == 0 and stop[0] != 0:
            return -1
        i = next_fresh(fresh, u, 0)
        fresh[u, i] = 0
        more = next_fresh(fresh, u, i + 1)
        if more >= 0:
            size = raise_up(heap, keys, positions, size, u, dist[u, more] + zero)
        reached, s = dist[u, i] + zero, source[u, i]
        for e in range(offsets[u], offsets[u + 1]):
            offer = reached + weight(arcs, e)
            v = arcs[e]["head"]
            if offer < ceiling and keep(dist, source, fresh, v, offer, s):
                at = positions[v]
                if at < 0 or offer < keys[at]:
                    size = raise_up(heap, keys, positions, size, v, offer)
        relaxed += offsets[u + 1] - offsets[u]
    return relaxed


@kernel
def merge_rows(rows, sources, unreached, dist, source, fresh):
    """Add whole rows of distances, one per source, to the k best labels of every vertex."""
    for r in range(len(sources)):
        for v in range(rows.shape[1]):
            if rows[r, v] != unreached:
                keep(dist, source, fresh, v, rows[r, v], sources[r])


@kernel
def keep(dist, source, fresh, v, offer, s):
    """Add a label to vertex ``v`` if it is one of its k best; return whether it is."""
    last = dist.shape[1] - 1
    if offer > dist[v, last] or (offer == dist[v, last] and 0 <= source[v, last] <= s):
        return False
    at = last
    for i in range(last + 1):
        if source[v, i] == s:
            if dist[v, i] <= offer:
                return False
            at = i
            break
    while at > 0 and (offer < dist[v, at - 1] or (offer == dist[v, at - 1] and s < source[v, at - 1])):
        dist[v, at], source[v, at], fresh[v, at] = dist[v, at - 1], source[v, at - 1], fresh[v, at - 1]
        at -= 1
    dist[v, at], source[v, at], fresh[v, at] = offer, s, 1
    return True


@kernel
def next_fresh(fresh, v, first):
    """Return the position of the first fresh label of ``v`` from ``first`` on, -1 if there is none."""
    for i in range(first, fresh.shape[1]):
        if fresh[v, i] != 0:
            return i
    return -1

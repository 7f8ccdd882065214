"""The slow answer that everything is compared with: shortest paths on plain Python lists of arcs (tail, head, weight).

Distances are Python numbers, None where a vertex is not reached. Sources are vertices, or a dict of vertices and the
distances at which they start. ``add`` is how two lengths are added; give
`add_float32` where sums must round as float32 does.
"""

from __future__ import annotations

import heapq
import operator

import numpy as np


def as_floats(rows):
    """Return rows of distances as float64, with inf for unreached, as the oracle's can be compared with them."""
    whole = rows.dtype.kind == "i"
    return np.where(rows == np.iinfo(rows.dtype).max, np.inf, rows) if whole else rows.astype(np.float64)


def dijkstra(n, arcs, sources, add=operator.add):
    """Return the distances from the nearest of ``sources``; no weight may be negative."""
    starts = starts_of(sources)
    out = [[] for _ in range(n)]
    for tail, head, weight in arcs:
        out[tail].append((head, weight))
    dist, heap = [None] * n, [(start, s) for s, start in starts.items()]
    heapq.heapify(heap)
    while heap:
        length, u = heapq.heappop(heap)
        if dist[u] is None:
            dist[u] = length
            for v, weight in out[u]:
                if dist[v] is None:
                    heapq.heappush(heap, (add(length, weight), v))
    return dist


def bellman_ford(n, arcs, sources, add=operator.add):
    """Return the distances from the nearest of ``sources``, or None for all when a negative cycle is reached."""
    starts = starts_of(sources)
    dist = [starts.get(v) for v in range(n)]
    for _ in range(n + 1):
        changed = False
        for tail, head, weight in arcs:
            if dist[tail] is not None and (dist[head] is None or add(dist[tail], weight) < dist[head]):
                dist[head], changed = add(dist[tail], weight), True
        if not changed:
            return dist
    return None


def predecessors(n, arcs, dist, sources, add=operator.add):
    """Return the predecessors that exact distances have by rule if no weight is negative, -1 where there is none.

    First the least tail of the tight arcs that lengthen the path; then, over flat arcs, the least tail with a place.
    """
    into = tight_tails(n, arcs, dist, add)
    placed = {s: -1 for s, start in starts_of(sources).items() if dist[s] == start}
    for v in range(n):
        if v not in placed and (shorter := [u for u in into[v] if dist[u] < dist[v]]):
            placed[v] = min(shorter)
    placed = _search(into, placed)
    return [placed.get(v, -1) for v in range(n)]


def fewest_arcs(n, arcs, dist, sources, add=operator.add):
    """Return the predecessors on shortest paths with the fewest arcs, then the least tail; weights may be negative."""
    roots = {s: -1 for s, start in starts_of(sources).items() if dist[s] == start}
    placed = _search(tight_tails(n, arcs, dist, add), roots)
    return [placed.get(v, -1) for v in range(n)]


def tight_tails(n, arcs, dist, add=operator.add):
    """Return for each vertex the tails of the tight arcs that lead to it."""
    into = [set() for _ in range(n)]
    for u, v, weight in arcs:
        if None not in (dist[u], dist[v]) and add(dist[u], weight) == dist[v]:
            into[v].add(u)
    return into


def _search(into, placed):
    """Return the tree with all vertices that tight arcs join to those with a place in it: rounds, least tail first."""
    while True:
        usable = {v: tails & placed.keys() for v, tails in enumerate(into) if v not in placed}
        found = {v: min(tails) for v, tails in usable.items() if tails}
        if not found:
            return placed
        placed = placed | found


def starts_of(sources):
    """Return the distance at which each source starts."""
    return sources if isinstance(sources, dict) else dict.fromkeys(sources, 0)


def add_float32(a, b):
    """Add as float32 does: the sum of two float32 rounded once more from float64 is the float32 sum."""
    return float(np.float32(a + b))

"""The vertices near a source: searches that end at a cutoff, and never look at the rest of the graph.

A row of n distances takes longer to clear than a search of a few hundred vertices. So here ``dist`` stands at the
ceiling before each search, and only the vertices that were found are put back afterwards. They are listed in the order
in which they were settled, which is that of their distances. Weights are not negative.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight
from .heap import raise_up, take_first


@inlined
def search_ball(offsets, arcs, s, ceiling, zero, heap, keys, positions, dist, found):
    """Settle every vertex at a distance below ``ceiling`` from ``s``; list them in ``found`` and return how many."""
    count = np.int64(0)
    if not zero < ceiling:
        return count
    dist[s] = zero
    size = raise_up(heap, keys, positions, 0, s, zero)
    while size > 0:
        u = heap[0]
        size = take_first(heap, keys, positions, size)
        found[count] = u
        count += 1
        reached = dist[u]
        for e in range(offsets[u], offsets[u + 1]):
            offer = reached + weight(arcs, e)
            v = arcs[e]["head"]
            if offer < dist[v]:
                dist[v] = offer
                size = raise_up(heap, keys, positions, size, v, offer)
    return count


@kernel
def fold_balls(
    offsets, arcs, sources, ceiling, zero, heap, keys, positions, dist, found, first, sums, counts, greatest, inverses,
    thresholds, amounts, totals, limit, stop,
):  # fmt: skip
    """Fold the vertices near each source into the folds, from entry ``first`` on; return how many were settled.

    The folds are those of `fold_rows` (folds.py). Distances count that are below ``limit``, or below a threshold.
    """
    settled = np.int64(0)
    for i in range(len(sources)):
        if stop[0] != 0:
            return settled
        count = search_ball(offsets, arcs, sources[i], ceiling, zero, heap, keys, positions, dist, found)
        settled += count
        near, at = np.int64(0), first + i
        while near < count and dist[found[near]] < limit:
            near += 1
        if counts is not None:
            counts[at] = near
        if greatest is not None:
            greatest[at] = dist[found[near - 1]] if near > 0 else zero
        if sums is not None:
            sums[at] = 0
            for j in range(near):
                sums[at] += dist[found[j]]
        if inverses is not None:
            inverses[at] = 0
            for j in range(near):
                inverses[at] += 1.0 / dist[found[j]] if dist[found[j]] > 0 else 0.0
        if totals is not None:
            add_amounts(dist, found, count, thresholds, amounts, totals[at])
        for j in range(count):
            dist[found[j]] = ceiling
    return settled


@inlined
def add_amounts(dist, found, count, thresholds, amounts, totals):
    """Write the amounts within each threshold, which ascend, to one row of totals."""
    steps = len(thresholds)
    for c in range(len(amounts)):
        within, j = totals.dtype.type(0), np.int64(0)
        for step in range(steps):
            while j < count and dist[found[j]] < thresholds[step]:
                within += amounts[c, found[j]]
                j += 1
            totals[c * steps + step] = within


@kernel
def list_balls(offsets, arcs, sources, ceiling, zero, heap, keys, positions, dist, found, ends, targets, lengths, stop):
    """List the vertices near each source with their distances, as long as there is room; return how many sources fit.

    ``ends[i]`` is where the list of source i ends.
    """
    at = np.int64(0)
    for i in range(len(sources)):
        if stop[0] != 0:
            return np.int64(i)
        count = search_ball(offsets, arcs, sources[i], ceiling, zero, heap, keys, positions, dist, found)
        fits = at + count <= len(targets)
        for j in range(count):
            v = found[j]
            if fits:
                targets[at] = v
                lengths[at] = dist[v]
                at += 1
            dist[v] = ceiling
        if not fits:
            return np.int64(i)
        ends[i] = at
    return np.int64(len(sources))

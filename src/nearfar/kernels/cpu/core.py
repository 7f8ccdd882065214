"""Distances from LANES sources at once in the core, which is not eliminated: rounds that push or pull. Any weights.

``dist`` has one row of LANES distances per vertex, some of which are given: lengths of walks that exist, ``infinity``
elsewhere. One vector addition and one vector minimum relax an arc in all lanes, whichever of them changed. So an order
by distance, which differs from lane to lane, gains little: a bucket queue relaxed 0.4 to 1.1 times the arcs of these
rounds, and took three to four times as long. What matters is the time per relaxation. Pulling (a vertex takes the
minimum over the arcs that enter it, and is stored once) has no branch per arc and takes 1 to 2.5 ns while the rows fit
the cache. Pushing (a vertex whose row changed offers it along the arcs that leave it) takes 4 to 9 ns, but looks only
at arcs that can change something. So a round pulls over all vertices if many of them changed, and pushes from the
changed ones if they are few, as in the first rounds and in the last.

Invariant: an entry of ``dist`` is ``infinity`` or the length of a walk that exists, and every vertex whose row was
lowered since it was last offered along all its arcs is in the list. (A pull offers all rows, but vertices that it
lowers may have been read before.) So if the list is empty, ``dist`` is exact. Without negative cycles a round settles
at least one more arc of every shortest path, so more rounds than vertices mean a negative cycle, or floats that get
smaller by rounding for ever.

Indexing vertices by falling degree helps where there are hubs (R-MAT 18, pruned: 19 to 24 ms instead of 38 to 59), and
makes no measurable difference in a uniform random graph.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .lanes import add, any_less, load, minimum, replace_from, splat, store

# A round pulls when more than one in PULL_SHARE arcs leaves a changed vertex. 16 sources with 1 (nearly never), 2, 4,
# 8, 16 and with pulls only: uniform random (200,000 arcs) 16.0 5.2 4.8 5.0 5.1 6.4 ms, astro-ph 8.3 3.9 3.9 4.1 4.3
# 5.1, a core of Twitter with random weights 6.8 2.0 1.8 1.8 2.2 3.8, again 6.8 2.9 2.7 2.7 2.2 3.9: 2 to 16 are alike.
PULL_SHARE = 4

POLL = 1023  # a mask: the stop flag is read at every 1,024th vertex


@kernel
def settle_core(
    offsets, heads, weights, in_offsets, tails, in_weights, infinity, lightest, dist, pending, following, listed, stop
):
    """Lower the rows of ``dist`` to shortest distances; return the number of relaxations, each for LANES sources.

    ``in_offsets``, ``tails`` and ``in_weights`` are the same arcs sorted by head; the same arrays may be given where
    every arc has a reverse arc of equal weight. ``lightest`` is the least weight, or 0 if none is negative.
    ``infinity`` plus the heaviest weight, and for integers minus the lightest, must fit the type. ``pending`` and
    ``following`` (int32) and ``listed`` (uint8) have one entry per vertex. The result is negative if ``stop`` was
    raised or there were more rounds than vertices.
    """
    n = len(offsets) - 1
    size, leaving = list_reached(offsets, infinity, dist, pending, listed)
    relaxed, rounds = np.int64(0), 0
    while size > 0:
        if stop[0] != 0 or rounds > n:
            return -1 - relaxed
        rounds += 1
        if PULL_SHARE * leaving < len(heads):
            relaxed += leaving
            size, leaving = push_round(
                offsets, heads, weights, infinity, lightest, dist, pending, size, following, listed, stop
            )
            pending, following = following, pending
        elif lightest < 0:
            relaxed += len(heads)
            size, leaving = pull_round(
                offsets, in_offsets, tails, in_weights, infinity, lightest, True, dist, pending, size, listed, stop
            )
        else:
            relaxed += len(heads)
            size, leaving = pull_round(
                offsets, in_offsets, tails, in_weights, infinity, lightest, False, dist, pending, size, listed, stop
            )
    return relaxed


@kernel
def list_reached(offsets, infinity, dist, pending, listed):
    """List every vertex with a distance in any lane; return how many there are, and how many arcs leave them."""
    size, leaving = 0, np.int64(0)
    nowhere = splat(dist, infinity)
    for v in range(len(offsets) - 1):
        listed[v] = 0
        if any_less(load(dist, v), nowhere):
            pending[size] = v
            listed[v] = 1
            size += 1
            leaving += np.int64(offsets[v + 1]) - np.int64(offsets[v])
    return size, leaving


@kernel
def push_round(offsets, heads, weights, infinity, lightest, dist, pending, size, following, listed, stop):
    """Offer the rows of the vertices in ``pending`` along their arcs; return the size of ``following``, and its arcs.

    A lane without a distance offers so much that even the lightest weight does not make it less than infinity.
    """
    found, leaving = 0, np.int64(0)
    for i in range(size):
        if i & POLL == 0 and stop[0] != 0:
            return 1, leaving  # not 0, so that the caller goes on and sees the flag
        u = np.uint32(pending[i])
        listed[u] = 0
        reached = replace_from(load(dist, u), infinity, infinity - lightest)
        for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])):
            v = np.uint32(heads[e])
            offer, before = add(reached, weights[e]), load(dist, v)
            if any_less(offer, before):
                store(dist, v, minimum(offer, before))
                if listed[v] == 0:
                    listed[v] = 1
                    following[found] = v
                    found += 1
                    leaving += np.int64(offsets[v + np.uint32(1)]) - np.int64(offsets[v])
    return found, leaving


@inlined
def pull_round(offsets, in_offsets, tails, in_weights, infinity, lightest, negative, dist, pending, size, listed, stop):
    """Take the minimum over the arcs that enter each vertex; list the lowered vertices, return their number and arcs.

    ``negative`` is a constant of the caller, so that lanes without a distance are tested only where weights are
    negative.
    """
    for i in range(size):
        listed[pending[i]] = 0
    found, leaving = 0, np.int64(0)
    for i in range(len(offsets) - 1):
        if i & POLL == 0 and stop[0] != 0:
            return 1, leaving
        v = np.uint32(i)
        before = load(dist, v)
        best = before
        for e in range(np.uint64(in_offsets[v]), np.uint64(in_offsets[v + np.uint32(1)])):
            reached = load(dist, np.uint32(tails[e]))
            if negative:
                reached = replace_from(reached, infinity, infinity - lightest)
            best = minimum(best, add(reached, in_weights[e]))
        if any_less(best, before):
            store(dist, v, best)
            pending[found] = v
            listed[v] = 1
            found += 1
            leaving += np.int64(offsets[v + np.uint32(1)]) - np.int64(offsets[v])
    return found, leaving


@kernel
def settle_closed(matrix, infinity, dist, offers, givers, stop):
    """Lower the rows of ``dist`` to shortest distances, where ``matrix`` has the distances between all vertices.

    Returns the number of entries of the matrix that were used, each for LANES sources. The given rows are copied to
    ``offers`` first, and their vertices to ``givers``.
    """
    n = len(matrix)
    count = np.int64(0)
    nowhere = splat(dist, infinity)
    for v in range(n):
        here = load(dist, v)
        if any_less(here, nowhere):
            store(offers, count, here)
            givers[count] = v
            count += 1
    for i in range(count):
        if i & 63 == 0 and stop[0] != 0:
            return np.int64(-1)
        here, v = load(offers, i), givers[i]
        for u in range(n):
            store(dist, u, minimum(load(dist, u), add(here, matrix[v, u])))
    return count * n

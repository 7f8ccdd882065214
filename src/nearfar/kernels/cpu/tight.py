"""Arcs on shortest paths: which are, and in which order counts of paths are passed on over them.

An arc u -> v is *tight* for a source if the distance of u plus its weight is the distance of v: it is part of a
shortest path. Over positive weights v is farther than u, so counts are passed on in order of distance.

Over an arc of weight zero both are equally far, and the order among them matters: u must have its count before v. With
floats that differ by rounding, u may even be a little farther than v. So vertices are sorted by the tight arcs
themselves (Kahn 1962): a vertex follows when all vertices before it on shortest paths are there. Only cycles of weight
zero stand in the way; they are found beforehand, once. What is left are floats whose sums lose a weight: a vertex over
such an arc is as far as the vertex before it, and arcs of weight zero may lead back. Those are told to the caller.

Functions take ``zeros``: None if all weights are positive, which leaves nothing of this in the compiled code.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight

DONE, NOT_MET = -2, -1


@inlined
def is_tight(here, length, there, slack, zeros):
    """Tell whether ``here`` plus ``length`` is ``there``, up to a relative error of ``slack``.

    A positive length leads farther: otherwise floats that tie up to rounding would precede each other.
    """
    if zeros is None:
        return here < there and here + length <= there + slack * there
    return (here < there or length == 0) and here + length <= there + slack * there


@inlined
def counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel, zeros):
    """Tell whether arc ``e`` of ``u`` is tight, and the first such arc to its head."""
    v = arcs[e]["head"]
    if not (dist[v] < ceiling and is_tight(dist[u], weight(arcs, e), dist[v], slack, zeros)):
        return False
    if parallel:
        for f in range(offsets[u], e):
            if arcs[f]["head"] == v and is_tight(dist[u], weight(arcs, f), dist[v], slack, zeros):
                return False
    return True


@kernel
def count_sorted(offsets, arcs, found, count, dist, ceiling, slack, parallel, missing, order, sigma):
    """Add to ``sigma`` how many shortest paths lead from ``found[0]`` to each of ``found[:count]``, and sort these.

    Afterwards no tight arc leads back. Returns how many could be sorted; if these are fewer, nothing is right.
    ``missing`` and ``order`` are work space, ``missing`` zeros before and after, ``sigma`` zeros before.
    """
    for j in range(count):
        u = found[j]
        for e in range(offsets[u], offsets[u + 1]):
            if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel, True):
                missing[arcs[e]["head"]] += 1
    order[0] = found[0]
    sigma[order[0]] = 1.0
    first, size = np.int64(0), np.int64(1)
    while first < size:
        u = order[first]
        first += 1
        for e in range(offsets[u], offsets[u + 1]):
            if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel, True):
                v = arcs[e]["head"]
                sigma[v] += sigma[u]
                missing[v] -= 1
                if missing[v] == 0:
                    order[size] = v
                    size += 1
    if size == count:
        for j in range(count):
            found[j] = order[j]
    for j in range(count):
        missing[found[j]] = 0
    return size


@kernel
def find_zero_cycle(offsets, arcs, following, path):
    """Return an arc of a cycle of arcs of weight zero, a loop or longer; -1 if there is none.

    A search in depth: an arc back to a vertex of the path closes a cycle. ``following`` has the next arc to look at of
    every vertex on the path, ``path`` the path; both have one entry per vertex.
    """
    following[:] = NOT_MET
    for root in range(len(offsets) - 1):
        if following[root] != NOT_MET:
            continue
        path[0], following[root] = root, offsets[root]
        size = np.int64(1)
        while size > 0:
            u = path[size - 1]
            e = following[u]
            if e == np.int64(offsets[u + 1]):
                following[u] = DONE
                size -= 1
                continue
            following[u] = e + 1
            if weight(arcs, e) != 0:
                continue
            v = arcs[e]["head"]
            if following[v] >= 0:
                return e
            if following[v] == NOT_MET:
                path[size], following[v] = v, offsets[v]
                size += 1
    return np.int64(-1)

"""Betweenness by Brandes' algorithm (2001): a search from each source, then dependencies back over its tight arcs.

An arc u -> v is *tight* for a source if the distance of u plus its weight is the distance of v: it is part of a
shortest path. The vertices come in order of distance from the search (balls.py), so sigma(v), the number of shortest
paths to v, is complete before v passes it on. Backwards, what arrives at v is 1 if v is a target, and the shares of
everything that lies behind it; what passes through v is that without its own 1.

Arcs are compared as they are read, so nothing is kept but what has one entry per vertex. Weights are positive, so a
loop is never tight. Parallel arcs that are tight are one path, of which the first has the load.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight
from .balls import search_ball

MOST_PATHS = np.finfo(np.float64).max


@inlined
def is_tight(here, length, there, slack):
    """Tell whether ``here`` plus ``length`` is ``there``, up to a relative error of ``slack``; ``here`` is less."""
    return here < there and here + length <= there + slack * there


@kernel
def has_parallel(offsets, arcs, seen):
    """Tell whether some vertex has two arcs to the same head; ``seen`` has one entry per vertex."""
    seen[:] = -1
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            if seen[arcs[e]["head"]] == u:
                return True
            seen[arcs[e]["head"]] = u
    return False


@inlined
def counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel):
    """Tell whether arc ``e`` of ``u`` is tight, and the first such arc to its head."""
    v = arcs[e]["head"]
    if not (dist[v] < ceiling and is_tight(dist[u], weight(arcs, e), dist[v], slack)):
        return False
    if parallel:
        for f in range(offsets[u], e):
            if arcs[f]["head"] == v and is_tight(dist[u], weight(arcs, f), dist[v], slack):
                return False
    return True


@kernel
def brandes(
    offsets, arcs, sources, ceiling, zero, heap, keys, positions, dist, found, wanted, slack, parallel, sigma, behind,
    through, ends, loads, stop,
):  # fmt: skip
    """Add what passes through every vertex, and over every arc, from some sources to the wanted targets.

    ``wanted`` has 1.0 for every target, 0.0 for others. ``sigma`` and ``behind`` are work space, zeros before and
    after. ``ends`` gets the pairs that start or end at a vertex, ``loads`` what passes over arcs; either may be None.
    """
    for i in range(len(sources)):
        if stop[0] != 0:
            return
        s = sources[i]
        count = search_ball(offsets, arcs, s, ceiling, zero, heap, keys, positions, dist, found)
        sigma[s] = 1.0
        for j in range(count):
            u = found[j]
            for e in range(offsets[u], offsets[u + 1]):
                if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel):
                    sigma[arcs[e]["head"]] += sigma[u]
        for j in range(count - 1, -1, -1):
            u = found[j]
            for e in range(offsets[u], offsets[u + 1]):
                if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel):
                    v = arcs[e]["head"]
                    share = sigma[u] / sigma[v] * (wanted[v] + behind[v])
                    behind[u] += share
                    if loads is not None:
                        loads[e] += share
            if sigma[u] > MOST_PATHS:  # shares of it would be 0, without a word
                through[u] = np.nan
            if u != s:
                through[u] += behind[u]
                if ends is not None:
                    ends[u] += wanted[u]
                    ends[s] += wanted[u]
        for j in range(count):
            u = found[j]
            dist[u], sigma[u], behind[u] = ceiling, 0.0, 0.0


@kernel
def count_from(offsets, arcs, order, dist, unreached, slack, parallel, sigma):
    """Write how many shortest paths lead from the first vertex of ``order`` to every vertex, in order of distance."""
    sigma[:] = 0.0
    if len(order) > 0:
        sigma[order[0]] = 1.0
    for j in range(len(order)):
        u = order[j]
        for e in range(offsets[u], offsets[u + 1]):
            if counts_as_path(offsets, arcs, u, e, dist, unreached, slack, parallel):
                sigma[arcs[e]["head"]] += sigma[u]


@kernel
def list_tight(offsets, arcs, dist, unreached, slack, starts, before, write):
    """Count in ``starts[v + 1]`` the vertices before v on shortest paths; or, if ``write``, list them from there on.

    Of arcs without weight none is tight: the vertex before must be nearer.
    """
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            if dist[u] < unreached and counts_as_path(offsets, arcs, u, e, dist, unreached, slack, True):
                v = arcs[e]["head"]
                if write:
                    before[starts[v]] = u
                    starts[v] += 1
                else:
                    starts[v + 1] += 1

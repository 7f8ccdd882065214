"""Betweenness by Brandes' algorithm (2001): a search from each source, then dependencies back over its tight arcs.

Tight arcs are those on shortest paths (tight.py). The vertices come in order of distance from the search (balls.py),
or are sorted again if there are weights of zero, so sigma(v), the number of shortest paths to v, is complete before v
passes it on. Backwards, what arrives at v is 1 if v is a target, and the shares of everything that lies behind it; what
passes through v is that without its own 1.

Arcs are compared as they are read, so nothing is kept but what has one entry per vertex. Loops of weight zero are
refused before, so a loop is never tight. Parallel arcs that are tight are one path, of which the first has the load.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arguments import Zeros
from .balls import search_ball
from .tight import count_sorted, counts_as_path

MOST_PATHS = np.finfo(np.float64).max


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
def counts_as_end(wanted, v, dist, zeros):
    """Return 1.0 if a vertex is a target, 0.0 if it is none, or beyond the limit."""
    if zeros is None:
        return wanted[v]
    return wanted[v] if dist[v] < zeros.limit else 0.0


@kernel
def brandes(
    offsets, arcs, sources, ceiling, zero, heap, keys, positions, dist, found, wanted, slack, parallel,
    zeros: Zeros | None, sigma, behind, through, ends, loads, stop,
):  # fmt: skip
    """Add what passes through every vertex, and over every arc, from some sources to the wanted targets.

    ``wanted`` has 1.0 for every target, 0.0 for others. ``sigma`` and ``behind`` are work space, zeros before and
    after. ``ends`` gets the pairs that start or end at a vertex, ``loads`` what passes over arcs; either may be None.
    ``zeros`` is None if all weights are positive. Returns -1, or a source whose paths cannot be told from rounding.
    """
    for i in range(len(sources)):
        if stop[0] != 0:
            return np.int64(-1)
        s = sources[i]
        count = search_ball(offsets, arcs, s, ceiling, zero, heap, keys, positions, dist, found)
        if zeros is None:  # Numba leaves one of both out
            sigma[s] = 1.0
            for j in range(count):
                u = found[j]
                for e in range(offsets[u], offsets[u + 1]):
                    if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel, zeros):
                        sigma[arcs[e]["head"]] += sigma[u]
        elif count > 0:
            work = zeros.missing, zeros.order, sigma
            if count_sorted(offsets, arcs, found, count, dist, ceiling, slack, parallel, *work) < count:
                return np.int64(s)
        for j in range(count - 1, -1, -1):
            u = found[j]
            for e in range(offsets[u], offsets[u + 1]):
                if counts_as_path(offsets, arcs, u, e, dist, ceiling, slack, parallel, zeros):
                    v = arcs[e]["head"]
                    share = sigma[u] / sigma[v] * (counts_as_end(wanted, v, dist, zeros) + behind[v])
                    behind[u] += share
                    if loads is not None:
                        loads[e] += share
            if sigma[u] > MOST_PATHS:  # shares of it would be 0, without a word
                through[u] = np.nan
            if u != s:
                through[u] += behind[u]
                if ends is not None:
                    ends[u] += counts_as_end(wanted, u, dist, zeros)
                    ends[s] += counts_as_end(wanted, u, dist, zeros)
        for j in range(count):
            u = found[j]
            dist[u], sigma[u], behind[u] = ceiling, 0.0, 0.0
    return np.int64(-1)


@kernel
def count_from(offsets, arcs, order, dist, unreached, slack, parallel, sigma):
    """Write how many shortest paths lead from the first vertex of ``order`` to every vertex, in order of distance.

    Weights are positive; `count_sorted` counts where they are not.
    """
    sigma[:] = 0.0
    if len(order) > 0:
        sigma[order[0]] = 1.0
    for j in range(len(order)):
        u = order[j]
        for e in range(offsets[u], offsets[u + 1]):
            if counts_as_path(offsets, arcs, u, e, dist, unreached, slack, parallel, None):
                sigma[arcs[e]["head"]] += sigma[u]


@kernel
def list_tight(offsets, arcs, dist, unreached, slack, zeros, starts, before, write):
    """Count in ``starts[v + 1]`` the vertices before v on shortest paths; or, if ``write``, list them from there on."""
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            if dist[u] < unreached and counts_as_path(offsets, arcs, u, e, dist, unreached, slack, True, zeros):
                v = arcs[e]["head"]
                if write:
                    before[starts[v]] = u
                    starts[v] += 1
                else:
                    starts[v + 1] += 1

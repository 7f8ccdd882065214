"""Distances between single pairs over an eliminated graph; walks.py has the paths, labels.py needs no climbs.

A shortest path climbs from the source to a highest vertex, its top, and descends to the target. So two climbs, one of
them backwards from the target, meet at its top: the least sum at a common ancestor is the distance. `climb_pairs` does
both at once, one pair after the other. Where there is a core, LANES sources climb and search it together (sweep.py),
and `meet` climbs backwards from their targets.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arguments import UpArcs
from .sweep import position_of

ONE = np.uint64(1)  # unsigned indices spare a test for negative ones


@inlined
def relax_up(v, starts, arcs, begin, tops, far):
    """Relax the arcs from a vertex to its ancestors: one load, addition and minimum for each, and no branch."""
    d = far[v]
    for e in range(np.uint64(starts[v]), np.uint64(starts[v + ONE])):
        u = np.uint64(position_of(np.int64(arcs[e]["head"]), tops, begin))
        far[u] = min(far[u], d + arcs[e]["weight"])


@inlined
def climb_pair(up: UpArcs, down_starts, down_arcs, source, target, far, back, negative, infinity):
    """Return the distance from one position to another, or at least the limit, over a graph without a core.

    Parents come before their children, so the climb at the later position goes on, and the two meet at every common
    ancestor. Without negative weights, vertices that are no nearer than the best path is long are not relaxed. ``far``
    and ``back`` are infinite everywhere, before and after.
    """
    parents, begins, tops = up.parents, up.begins, up.tops
    far[source], back[target] = 0, 0
    a, b = np.int64(source), np.int64(target)
    best, most = infinity, infinity
    while max(a, b) >= 0:
        v = np.uint64(max(a, b))
        parent, begin, in_a, in_b = np.int64(parents[v]), np.int64(begins[v]), a >= b, b >= a
        if in_a and in_b and far[v] + back[v] < best:
            best = far[v] + back[v]
            most = infinity if negative else best
        if in_a:
            a = parent
            if far[v] < most:
                relax_up(v, up.starts, up.arcs, begin, tops, far)
            far[v] = infinity
        if in_b:
            b = parent
            if back[v] < most:
                relax_up(v, down_starts, down_arcs, begin, tops, back)
            back[v] = infinity
    return best


@kernel
def climb_pairs(
    up: UpArcs, down_starts, down_arcs, sources, targets, far, back, negative, infinity, limit, unreached, found, stop
):
    """Write the distance of every pair of positions, over a graph without a core.

    Where arcs up are arcs down, a common ancestor could relax them for both ends at once, in two columns of one array:
    that took as long in a city map (0.84 ms a pair), and longer in New York (17 us instead of 15).
    """
    for i in range(len(sources)):
        if stop[0] != 0:
            return
        d = climb_pair(up, down_starts, down_arcs, sources[i], targets[i], far, back, negative, infinity)
        found[i] = d if d < limit else unreached


@inlined
def climb_back(starts, arcs, parents, begins, core, tops, target, back, gates, infinity):
    """Relax the arcs down to a target backwards; ``back``, infinite before, gets the distances to the target.

    Returns the number of vertices of the core that were reached; ``gates`` lists them.
    """
    count = np.int64(0)
    v = np.int64(target)
    back[v] = 0
    if v < core:
        gates[0] = v
        return np.int64(1)
    while v >= core:
        d = back[v]
        if d < infinity:
            begin = np.int64(begins[v])
            for e in range(starts[v], starts[v + 1]):
                u = position_of(np.int64(arcs[e]["head"]), tops, begin)
                if u < core and back[u] >= infinity:
                    gates[count] = u
                    count += 1
                back[u] = min(back[u], d + arcs[e]["weight"])
        v = np.int64(parents[v])
    return count


@kernel
def meet(
    starts, arcs, parents, begins, core, tops, targets, lane, index, offers, dist, back, gates, infinity, limit,
    unreached, found,
):  # fmt: skip
    """Write the distance to each target from the source of one lane.

    ``back`` is infinite everywhere, before and after.
    """
    for i in range(len(targets)):
        count = climb_back(starts, arcs, parents, begins, core, tops, targets[i], back, gates, infinity)
        best = infinity
        v = np.int64(targets[i])
        while v >= core:
            if back[v] < infinity and index[v] >= 0 and offers[index[v], lane] + back[v] < best:
                best = offers[index[v], lane] + back[v]
            back[v] = infinity
            v = np.int64(parents[v])
        for g in range(count):
            u = gates[g]
            if dist[u, lane] + back[u] < best:
                best = dist[u, lane] + back[u]
            back[u] = infinity
        found[i] = best if best < limit else unreached

"""Distances between single pairs over an eliminated graph; paths.py has the paths.

A shortest path climbs from the source to a highest vertex, its top, and descends to the target. The offers that a climb
from the source left (sweep.py) are met by a climb backwards from the target: the least sum at a common ancestor is the
distance.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .sweep import position_of


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
    unreached, found, tops_found,
):  # fmt: skip
    """Write the distance to each target from the source of one lane, and the position of the top of a path.

    ``back`` is infinite everywhere, before and after.
    """
    for i in range(len(targets)):
        count = climb_back(starts, arcs, parents, begins, core, tops, targets[i], back, gates, infinity)
        best, top = infinity, np.int64(-1)
        v = np.int64(targets[i])
        while v >= core:
            if back[v] < infinity and index[v] >= 0 and offers[index[v], lane] + back[v] < best:
                best, top = offers[index[v], lane] + back[v], v
            back[v] = infinity
            v = np.int64(parents[v])
        for g in range(count):
            u = gates[g]
            if dist[u, lane] + back[u] < best:
                best, top = dist[u, lane] + back[u], np.int64(u)
            back[u] = infinity
        found[i] = best if best < limit else unreached
        tops_found[i] = top

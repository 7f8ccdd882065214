"""One row of distances by relaxing every arc, in rounds, until nothing changes (Bellman 1958, Ford 1956). Any weights.

Invariant: ``dist[v]`` is ``ceiling`` or the length of a real walk from a seed. A round that changes nothing proves the
row exact. An improvement is used at once, within the same round, so one round may do the work of many.
"""

from __future__ import annotations

from ..jit import kernel
from .arcs import weight

POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def relax_rounds(offsets, arcs, zero, ceiling, floor, rounds, stop, dist):
    """Relax all arcs up to ``rounds`` times; return whether the last round changed something, and the rounds used.

    A distance below ``floor`` ends the search at once: no path is that short, so there is a negative cycle.
    """
    n = len(dist)
    used = 0
    changed = True
    while changed and used < rounds:
        changed = False
        used += 1
        for u in range(n):
            if u & POLL == 0 and stop[0] != 0:
                return True, used
            if dist[u] == ceiling:
                continue  # not reached: infinity plus a negative weight is no path
            reached = dist[u] + zero
            for e in range(offsets[u], offsets[u + 1]):
                offer = reached + weight(arcs, e)
                if offer < dist[arcs[e]["head"]]:
                    dist[arcs[e]["head"]] = offer
                    changed = True
                    if offer < floor:
                        return True, used
    return changed, used

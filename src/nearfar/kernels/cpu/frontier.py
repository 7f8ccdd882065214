"""One row of distances: in each round, only vertices whose distance changed relax their arcs (Moore 1957). Any weights.

The method is also known as SPFA. Invariant: ``dist[v]`` is ``ceiling`` or the length of a real walk from a seed, and
every vertex lowered since its arcs were last relaxed is in the frontier. An empty frontier proves the row exact. A
negative cycle keeps the frontier from becoming empty, so a call ends after a given number of rounds; then the caller
looks for a cycle and calls again (methods/rounds.py).
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import weight

POLL = 255  # the stop flag is read once every POLL + 1 vertices of the frontier


@kernel
def relax_rounds(offsets, arcs, zero, floor, rounds, size, frontier, following, queued, stop, dist):
    """Run up to ``rounds`` rounds, from the ``size`` vertices in ``frontier``; return its new size, and arcs relaxed.

    ``queued[v]`` is 1 while v is in one of the two lists. A distance below ``floor`` ends the search at once: no path
    is that short, so there is a negative cycle.
    """
    relaxed = 0
    while rounds > 0 and size > 0:
        rounds -= 1
        found = 0
        for i in range(size):
            if i & POLL == 0 and stop[0] != 0:
                return size, relaxed
            u = frontier[i]
            queued[u] = 0
            reached = dist[u] + zero
            for e in range(offsets[u], offsets[u + 1]):
                offer = reached + weight(arcs, e)
                v = arcs[e]["head"]
                if offer < dist[v]:
                    dist[v] = offer
                    if offer < floor:
                        return size, relaxed
                    if queued[v] == 0:
                        queued[v] = 1
                        following[found] = v
                        found += 1
            relaxed += np.int64(offsets[u + 1]) - np.int64(offsets[u])
        for i in range(found):
            frontier[i] = following[i]
        size = found
    return size, relaxed

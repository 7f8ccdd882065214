"""Mark superfluous arcs: those longer than a path over a landmark, loops, and parallel arcs. Weights >= 0.

``to`` and ``fro`` hold the distances to and from the landmarks, LANES of them in a row: n rows for the first LANES
landmarks, n for the next, and so on. One vector addition and one comparison test an arc against LANES detours.

elimination/landmarks.py makes the rows so that ``to + fro < weight``, strictly, always means that the arc can be
removed: unreached vertices, ties and rounding are handled there, once per vertex, and not here, once per arc.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight
from .atomics import prefetch
from .constants import LANES
from .lanes import add, any_less, load, splat

AHEAD = 16  # arcs ahead at which a row is prefetched; R-MAT 18, one thread: 0 252 ms, 4 161, 8 89, 32 76

POLL = 255  # a mask: the stop flag is read at every 256th vertex


@inlined
def is_detour_shorter(to, fro, n, most, u, v, length):
    """Return whether a path from ``u`` to ``v`` over a landmark makes an arc of this ``length`` superfluous.

    ``most`` is the greatest length that may be compared with an unreached landmark; longer ones are taken as ``most``.
    """
    limit = splat(to, min(length, most))
    group = 0
    while group < len(to) and not any_less(add(load(to, group + u), load(fro, group + v)), limit):
        group += n
    return group < len(to)


@kernel
def mark_superfluous(offsets, arcs, to, fro, most, begin, end, latest, stop, marks):
    """Mark the arcs of vertices ``begin`` to ``end`` - 1 whose removal changes no distance; return how many.

    These are loops, arcs longer than a detour over a landmark, and all but the lightest of parallel arcs (the first of
    equals stays). ``latest`` (int64, one entry per vertex, -1 at first, one array per thread) is the last arc of the
    current row that leads to a vertex; rows are taken in ascending order, so older entries lie before the row.
    """
    n, last, count = len(offsets) - 1, len(arcs) - 1, 0
    for u in range(begin, end):
        if u & POLL == 0 and stop[0] != 0:
            return count
        first = np.int64(offsets[u])
        for e in range(first, np.int64(offsets[u + 1])):
            prefetch(fro, LANES * np.int64(arcs[min(e + AHEAD, last)]["head"]))
            v, length = arcs[e]["head"], weight(arcs, e)
            gone = e
            if u != v and not is_detour_shorter(to, fro, n, most, u, v, length):
                twin = latest[v]
                if twin >= first and weight(arcs, twin) <= length:
                    gone = e
                else:
                    gone = twin if twin >= first else np.int64(-1)
                    latest[v] = e
            if gone >= 0:
                marks[gone] = True
                count += 1
    return count

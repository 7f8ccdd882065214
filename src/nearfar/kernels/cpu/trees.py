"""The shortest-path tree of one row, and which seed each vertex hangs from. Called by trees.py.

The tree is found breadth-first over tight arcs: arcs (u, v) with ``row[u] + weight == row[v]``. A vertex is hung once,
on a vertex that is already hung, so no cycle can arise, not even where arcs of weight zero form one. Among the tight
arcs that give the fewest hops the least tail is taken; that choice does not depend on the order of arcs or seeds.
"""

from __future__ import annotations

from typing import Any

from ..jit import kernel
from .constants import NO_VERTEX

UNKNOWN = -2  # an origin not found yet; NO_VERTEX is an answer
POLL = 1023  # look at the stop flag every so many vertices


@kernel
def hang(
    offsets: Any,
    heads: Any,
    weights: Any,
    row: Any,
    unreached: Any,
    seeds: Any,
    wide: Any,
    pred: Any,
    hops: Any,
    queue: Any,
    stop: Any,
) -> int:
    """Fill ``pred`` with the tree of ``row``; return how many vertices hang in it, fewer if ``stop`` was raised.

    ``wide`` is an array whose type can hold the sum of a distance and a weight: int64 for integers, the type of ``row``
    for floats, so that a sum rounds as it did in the solver. ``hops`` and ``queue`` are int32 scratch of length n.
    """
    number = wide.dtype.type
    pred[:] = NO_VERTEX
    hops[:] = -1
    last = 0
    for s in seeds:
        # A seed below zero was reached from another seed over negative arcs: it hangs from that one.
        if row[s] == 0 and hops[s] < 0:
            hops[s] = 0
            queue[last] = s
            last += 1
    first = 0
    while first < last:
        if first & POLL == 0 and stop[0] != 0:
            return first
        u = queue[first]
        first += 1
        reached = number(row[u])
        hop = hops[u] + 1
        for e in range(offsets[u], offsets[u + 1]):
            v = heads[e]
            # A sum that overflows may equal the mark of the unreached; it is no path.
            if reached + number(weights[e]) != row[v] or row[v] == unreached:
                continue
            if hops[v] < 0:
                hops[v] = hop
                pred[v] = u
                queue[last] = v
                last += 1
            elif hops[v] == hop and u < pred[v]:
                pred[v] = u
    return last


@kernel
def find_origins(pred: Any, seeds: Any, origin: Any) -> None:
    """Fill ``origin`` with the seed at the root of each vertex, NO_VERTEX for vertices that hang from none.

    Each walk goes up to the first vertex whose root is known, then once more to write the root down on the way, so no
    vertex is passed by two walks: O(n) without a stack.
    """
    for v in range(len(pred)):
        origin[v] = UNKNOWN if pred[v] != NO_VERTEX else NO_VERTEX
    for s in seeds:
        if pred[s] == NO_VERTEX:
            origin[s] = s
    for v in range(len(pred)):
        u = v
        while origin[u] == UNKNOWN:
            u = pred[u]
        root = origin[u]
        u = v
        while origin[u] == UNKNOWN:
            origin[u] = root
            u = pred[u]

"""The shortest-path tree of one row, and the seed at the root of each vertex. Called by results/trees.py.

The tree is found breadth-first over tight arcs: arcs (u, v) with ``row[u] + weight == row[v]``. A vertex is added once,
below a vertex that is already in the tree, so no cycle can arise, not even where arcs of weight zero form one. Among
the tight arcs that give the fewest hops, the one with the least tail is taken; this choice does not depend on the order
of arcs or seeds.
"""

from __future__ import annotations

from typing import Any

from ..jit import kernel
from .constants import NO_VERTEX

UNKNOWN = -2  # a root not found yet; NO_VERTEX means that there is none
POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def hang(
    offsets: Any,
    heads: Any,
    weights: Any,
    row: Any,
    unreached: Any,
    seeds: Any,
    starts: Any,
    wide: Any,
    pred: Any,
    hops: Any,
    queue: Any,
    stop: Any,
) -> int:
    """Fill ``pred`` with the tree of ``row``; return how many vertices it has, fewer if ``stop`` was set.

    The row starts from ``seeds`` at the distances ``starts``, which have the type of the row.

    ``wide`` is an array whose type can hold the sum of a distance and a weight: int64 for integers, the type of ``row``
    for floats, so that a sum rounds as it did in the solver. ``hops`` and ``queue`` are int32 scratch of length n.
    """
    number = wide.dtype.type
    pred[:] = NO_VERTEX
    hops[:] = -1
    last = 0
    for i in range(len(seeds)):
        s = seeds[i]
        # A seed below its starting distance was reached from another seed: it is in that seed's tree.
        if row[s] == starts[i] and hops[s] < 0:
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
            # A sum that overflows may equal the value of unreached vertices; it is no path.
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
def find_origins(pred: Any, roots: Any, origin: Any) -> None:
    """Fill ``origin`` with the root of the tree of each vertex, NO_VERTEX for vertices in no tree.

    Each walk goes up to the first vertex whose root is known, then goes up again and writes the root to every vertex
    it passes. So no vertex is passed by two walks: O(n) without a stack.
    """
    for v in range(len(pred)):
        origin[v] = UNKNOWN if pred[v] != NO_VERTEX else NO_VERTEX
    for s in roots:
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

"""The shortest-path tree of one row, and the seed at the root of each vertex. Called by results/trees.py.

An arc (u, v) is tight when ``row[u] + weight == row[v]``. Below the least-numbered tail of its tight arcs that come
from a shorter distance, a vertex needs no search: no cycle can arise where every step lowers the distance. So one pass
over the arcs makes the tree, in any order, on any number of threads: `pull` if the arcs that lead to each vertex are at
hand (sequential writes, nothing is shared), otherwise `push`.

Vertices whose tight arcs are all flat (from an equal distance, over weight zero, or a weight that a float absorbs) are
counted and left over. `search` adds them breadth-first from the vertices that have a place. Where only the roots have a
place, the same search makes the tree with the fewest arcs, also if weights are negative.

Predecessors are unsigned here, so that NO_VERTEX is greater than every vertex: a minimum chooses the least tail.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight
from .atomics import load, swap_if
from .constants import NO_VERTEX

NONE = np.uint32(NO_VERTEX % 2**32)  # NO_VERTEX, unsigned
UNKNOWN, PASSED = -2, -3  # a root not found yet, and one that is looked for; NO_VERTEX means that there is none
PLACED = 2**30  # hops of a vertex that has a place in the tree and is not searched from
POLL = 1023  # the stop flag is read once every POLL + 1 vertices
# Arcs of a vertex that are compared without branches. Of one row on one thread, New York all arcs 1.9 ms, 16 2.1, none
# 3.1; R-MAT 18 15.5, 10.8 and 11.0. With FEWEST 4 instead of 0: New York 1.6 instead of 2.1, a grid of a million
# crossings 5.9 instead of 12.4, a raster with 8 neighbours the same; 3: 1.6 and 6.4.
FEWEST = 4
FEW = 16


@inlined
def least_tail(offsets, arcs, row, wide, v):
    """Return the least tail of the tight arcs that lead to ``v`` from a shorter distance, NONE if there is none.

    ``arcs`` are those of the reversed graph, whose heads are the tails of the arcs that lead to a vertex. ``wide`` is
    an array whose type can hold the sum of a distance and a weight: int64 for integers, the type of ``row`` for floats,
    so that a sum rounds as it did in the solver. ``v`` is reached.

    Branches that cannot be foreseen would take most of the time. So very few arcs are always compared as FEWEST, the
    first of them more than once; the first of many without branches; and of the others, those that cannot lower the
    minimum are passed over, which soon are nearly all.
    """
    best = NONE
    begin, end = np.uint64(offsets[v]), np.uint64(offsets[v + np.uint64(1)])
    if begin == end:
        return best
    if end - begin <= np.uint64(FEWEST):
        for i in range(FEWEST):
            e = begin + np.uint64(i)
            best = better(arcs, row, wide, row[v], e if e < end else begin, best)
        return best
    many = min(begin + np.uint64(FEW), end)
    for e in range(begin, many):
        best = better(arcs, row, wide, row[v], e, best)
    for e in range(many, end):
        if np.uint32(arcs[e]["head"]) < best:
            best = better(arcs, row, wide, row[v], e, best)
    return best


@inlined
def better(arcs, row, wide, reached, e, best):
    """Return the tail of arc ``e`` if it is less than ``best`` and the arc is tight and lengthens the path."""
    number = wide.dtype.type
    u = np.uint32(arcs[e]["head"])
    is_tight = number(row[u]) + number(weight(arcs, e)) == reached
    return u if is_tight & (row[u] < reached) & (u < best) else best


@kernel
def pull(
    offsets: Any, arcs: Any, row: Any, unreached: Any, wide: Any, low: Any, high: Any, pred: Any, stop: Any
) -> Any:
    """Find the predecessors of the vertices ``low`` to ``high - 1``; return how many reached ones have none.

    ``arcs`` and ``wide`` are as for `least_tail`.
    """
    missing = 0
    for v in range(np.uint64(low), np.uint64(high)):
        if v & np.uint64(POLL) == 0 and stop[0] != 0:
            return missing
        best = NONE
        if row[v] != unreached:
            best = least_tail(offsets, arcs, row, wide, v)
            missing += best == NONE
        pred[v] = best
    return missing


@kernel
def push(
    offsets: Any,
    arcs: Any,
    row: Any,
    unreached: Any,
    wide: Any,
    low: Any,
    high: Any,
    shared: Any,
    pred: Any,
    stop: Any,
) -> Any:
    """Offer the vertices ``low`` to ``high - 1`` as predecessors, which are NONE before; ``shared``: so do others.

    Return how many of these vertices are reached, less how many vertices got a first predecessor: added up over all
    ranges, that is how many reached ones have none.
    """
    number = wide.dtype.type
    missing = 0
    for u in range(np.uint32(low), np.uint32(high)):
        if u & np.uint32(POLL) == 0 and stop[0] != 0:
            return missing
        reached = row[u]
        if reached == unreached:
            continue
        missing += 1
        for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])):
            v = np.uint32(arcs[e]["head"])
            is_tight = number(reached) + number(weight(arcs, e)) == row[v]
            # A sum that overflows may equal the value of unreached vertices; it is no path.
            if is_tight & (reached < row[v]) & (row[v] != unreached):
                missing -= offer(shared, pred, v, u)
    return missing


@inlined
def offer(shared, pred, v, u):
    """Lower ``pred[v]`` to ``u``, atomically where it is shared; return whether it was NONE."""
    if not shared:
        was_none = pred[v] == NONE
        if u < pred[v]:
            pred[v] = u
        return was_none
    seen = load(pred, v)
    while u < seen:
        if swap_if(pred, v, seen, u):
            return seen == NONE
        seen = load(pred, v)
    return False


@kernel
def clear(pred: Any, roots: Any) -> int:
    """Take the predecessors of roots away; return how many of the roots, which are distinct, had none."""
    without = 0
    for s in roots:
        without += pred[s] == NO_VERTEX
        pred[s] = NO_VERTEX
    return without


@inlined
def mark_places(roots, pred, hops):
    """Set ``hops`` to PLACED for roots and vertices with a predecessor, to -1 for others."""
    for v in range(len(pred)):
        hops[v] = PLACED if pred[v] != NONE else -1
    for s in roots:
        hops[s] = PLACED


@kernel
def line_up(row: Any, unreached: Any, roots: Any, pred: Any, hops: Any, queue: Any) -> int:
    """Prepare a search from all vertices that have a place in the tree; return how many they are."""
    mark_places(roots, pred, hops)
    last = 0
    for v in range(len(row)):
        if hops[v] == PLACED and row[v] != unreached:
            hops[v] = 0
            queue[last] = v
            last += 1
    return last


@kernel
def line_up_tails(
    offsets: Any, arcs: Any, row: Any, unreached: Any, wide: Any, roots: Any, pred: Any, hops: Any, queue: Any
) -> int:
    """Do the same with those vertices alone from which tight arcs lead to one without a place: mostly very few.

    ``arcs`` and ``wide`` are as for `least_tail`.
    """
    number = wide.dtype.type
    mark_places(roots, pred, hops)
    last = 0
    for v in range(np.uint64(0), np.uint64(len(row))):
        if hops[v] == PLACED or hops[v] == 0 or row[v] == unreached:
            continue
        for e in range(np.uint64(offsets[v]), np.uint64(offsets[v + np.uint64(1)])):
            u = np.uint32(arcs[e]["head"])
            if hops[u] == PLACED and number(row[u]) + number(weight(arcs, e)) == row[v]:
                hops[u] = 0
                queue[last] = u
                last += 1
    return last


@kernel
def search(
    offsets: Any,
    arcs: Any,
    row: Any,
    unreached: Any,
    wide: Any,
    last: Any,
    pred: Any,
    hops: Any,
    queue: Any,
    stop: Any,
) -> int:
    """Add to a tree, breadth-first over tight arcs, what can be reached from the first ``last`` vertices of the queue.

    Each vertex gets the fewest arcs from one of these, then the least tail. ``hops`` and ``queue`` are int32 scratch of
    length n, prepared by `line_up` or `line_up_tails`. Return how many vertices were taken from the queue, fewer if
    ``stop`` was set.
    """
    number = wide.dtype.type
    first = 0
    while first < last:
        if first & POLL == 0 and stop[0] != 0:
            return first
        u = np.uint32(queue[first])
        first += 1
        reached = number(row[u])
        hop = hops[u] + 1
        for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])):
            v = np.uint32(arcs[e]["head"])
            if hops[v] >= 0 and (hops[v] != hop or u >= pred[v]):
                continue
            # A sum that overflows may equal the value of unreached vertices; it is no path.
            if reached + number(weight(arcs, e)) != row[v] or row[v] == unreached:
                continue
            pred[v] = u
            if hops[v] < 0:
                hops[v] = hop
                queue[last] = v
                last += 1
    return first


@kernel
def find_origins(pred: Any, roots: Any, origin: Any) -> None:
    """Fill ``origin`` with the root of the tree of each vertex, NO_VERTEX for vertices in no tree.

    Each walk goes up to the first vertex whose root is known, then goes up again and writes the root to every vertex
    it passes. So no vertex is passed by two walks: O(n) without a stack. A walk that meets itself is in a cycle, which
    only a damaged tree has: its vertices have no root.
    """
    for v in range(len(pred)):
        origin[v] = UNKNOWN if pred[v] != NO_VERTEX else NO_VERTEX
    for s in roots:
        if pred[s] == NO_VERTEX:
            origin[s] = s
    for v in range(len(pred)):
        u = v
        while origin[u] == UNKNOWN:
            origin[u] = PASSED
            u = pred[u]
        root = origin[u] if origin[u] != PASSED else NO_VERTEX
        u = v
        while origin[u] == PASSED:
            origin[u] = root
            u = pred[u]

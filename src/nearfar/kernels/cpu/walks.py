"""The shortest walk of a single pair over an eliminated graph: two climbs, and a path through the core.

`climb_both` climbs from the source and, backwards, from the target, and notes at every ancestor the vertex before it.
Where both climbs meet with the least sum is the top of a shortest walk. If there is a core, the walk may lead through
it instead: once the distances from the source to the core are known, `trace_core` goes back along tight arcs of the
core. `list_walk` lists the vertices of all three. They are joined by shortcuts, which unfold.py replaces by arcs.

Work space is zero where nothing was noted, so that a first path touches little of it: memory that is new is slow.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .sweep import position_of
from .unfold import ONE, seek

ORIGIN = -1  # instead of the vertex before, which is noted as its position plus 1


@inlined
def relax_noting(v, starts, arcs, begins, tops, far, before, reached, count):
    """Relax the arcs from a vertex to its ancestors; return how many vertices are reached now.

    ``before`` notes where a vertex was reached from, and is zero where none was. ``reached`` lists those that were.
    """
    d, begin = far[v], np.int64(begins[v])
    for e in range(np.uint64(starts[v]), np.uint64(starts[v + ONE])):
        u = np.uint64(position_of(np.int64(arcs[e]["head"]), tops, begin))
        if before[u] == 0:
            reached[count] = u
            count += ONE
            far[u], before[u] = d + arcs[e]["weight"], v + ONE
        elif d + arcs[e]["weight"] < far[u]:
            far[u], before[u] = d + arcs[e]["weight"], v + ONE
    return count


@kernel
def climb_both(
    up_starts, up_arcs, down_starts, down_arcs, parents, begins, core, tops, source, target, far, back, before, after,
    reached, reached_back, negative, infinity,
):  # fmt: skip
    """Climb from both ends; return the least length over a common ancestor, its position or -1, and two counts.

    ``far``, ``before`` and ``reached`` are those of the source, ``back``, ``after`` and ``reached_back`` those of the
    target; the counts say how many vertices were reached. Parents come before their children, so the climb at the later
    position goes on, and the two meet at every common ancestor. Without negative weights, vertices that are no nearer
    than the best path is long are not relaxed. Both end when one of them has relaxed all that it reached.
    """
    far[source], before[source], reached[0] = 0, ORIGIN, source
    back[target], after[target], reached_back[0] = 0, ORIGIN, target
    a, b = np.int64(source if source >= core else -1), np.int64(target if target >= core else -1)
    count, left = ONE, ONE  # vertices reached
    done, back_done = np.uint64(0), np.uint64(0)  # vertices relaxed, or too far away; never those in the core
    best, most, top = infinity, infinity, np.int64(-1)
    while max(a, b) >= 0 and count > done and left > back_done:
        v = np.uint64(max(a, b))
        parent, in_a, in_b = np.int64(parents[v]), a >= b, b >= a
        if in_a and in_b and before[v] != 0 and after[v] != 0 and far[v] + back[v] < best:
            best, top = far[v] + back[v], np.int64(v)
            most = infinity if negative else best
        if in_a:
            a = parent
            if before[v] != 0:
                done += ONE
                if far[v] < most:
                    count = relax_noting(v, up_starts, up_arcs, begins, tops, far, before, reached, count)
        if in_b:
            b = parent
            if after[v] != 0:
                back_done += ONE
                if back[v] < most:
                    left = relax_noting(v, down_starts, down_arcs, begins, tops, back, after, reached_back, left)
    return best, top, np.int64(count), np.int64(left)


@kernel
def enter_closed(matrix, gates, far, dist, infinity):
    """Write the distances to all vertices of a closed core, from those of some of its vertices."""
    for u in range(len(matrix)):
        dist[u] = infinity
    for i in range(len(gates)):
        g = np.int64(gates[i])
        for u in range(len(matrix)):
            dist[u] = min(dist[u], far[g] + matrix[g, u])


@kernel
def find_exit(exits, back, dist, best, infinity):
    """Return the vertex of the core over which a path is shorter than ``best``, and shortest, or -1."""
    top = np.int64(-1)
    for i in range(len(exits)):
        u = np.int64(exits[i])
        if dist[u] < infinity and dist[u] + back[u] < best:
            best, top = dist[u] + back[u], u
    return top


@kernel
def trace_core(offsets, tails, weights, dist, far, before, exit_, following, seen, pending):
    """Search back from ``exit_`` along tight arcs of the core, to a vertex that the climb reached as directly.

    Returns that vertex, and writes to ``following`` which vertex comes after each one that was found. Every vertex is
    searched once, so cycles of length zero do no harm. The distances must be sums along the path; the arcs are sorted
    by head.
    """
    for v in range(len(dist)):
        seen[v] = 0
    seen[exit_] = 1
    pending[0], size = exit_, np.int64(1)
    while size > 0:
        size -= 1
        v = np.int64(pending[size])
        if before[v] != 0 and far[v] == dist[v]:
            return v
        for e in range(offsets[v], offsets[v + 1]):
            u = np.int64(tails[e])
            if seen[u] == 0 and dist[u] + weights[e] == dist[v]:
                seen[u], following[u], pending[size] = 1, v, u
                size += 1
    return np.int64(-1)


@kernel
def trace_closed(up, heads, outs, ins, dist, far, before, exit_, following, seen, pending, infinity):
    """Do as `trace_core` does in a closed core, whose arcs are only known as shortcuts, listed at their lower ends.

    No weight is negative here, so vertices that are farther from the source need no look.
    """
    for v in range(len(dist)):
        seen[v] = 0
    seen[exit_] = 1
    pending[0], size = exit_, np.int64(1)
    while size > 0:
        size -= 1
        v = np.int64(pending[size])
        if before[v] != 0 and far[v] == dist[v]:
            return v
        for s in range(up[v], up[v + 1]):
            u = np.int64(heads[s])
            if seen[u] == 0 and ins[s] < infinity and dist[u] + ins[s] == dist[v]:
                seen[u], following[u], pending[size] = 1, v, u
                size += 1
        for u in range(v + 1, len(dist)):
            if seen[u] == 0 and dist[u] <= dist[v]:
                end = np.uint64(up[u + 1])
                s = seek(heads, np.uint64(up[u]), end, v)
                if s < end and outs[s] < infinity and dist[u] + outs[s] == dist[v]:
                    seen[u], following[u], pending[size] = 1, v, u
                    size += 1
    return np.int64(-1)


@kernel
def list_walk(entry, exit_, before, after, following, reached, count, reached_back, left, vertices, ranks, walk):
    """List the ranks of a walk: back from ``entry`` to the source, from ``entry`` to ``exit_`` and on to the target.

    ``entry`` and ``exit_`` are the top, or where the walk enters and leaves the core, or -1 if there is no path.
    Returns how many ranks there are; ``before`` and ``after`` are zero again.
    """
    length = np.int64(0)
    if entry >= 0:
        v = np.int64(entry)
        walk[0], length = v, np.int64(1)
        while before[v] != ORIGIN:
            v = np.int64(before[v]) - 1
            walk[length] = v
            length += 1
        for i in range(length >> 1):
            walk[i], walk[length - 1 - i] = walk[length - 1 - i], walk[i]
        v = np.int64(entry)
        while v != exit_:
            v = np.int64(following[v])
            walk[length] = v
            length += 1
        while after[v] != ORIGIN:
            v = np.int64(after[v]) - 1
            walk[length] = v
            length += 1
    for i in range(length):
        walk[i] = ranks[vertices[walk[i]]]
    for i in range(count):
        before[reached[i]] = 0
    for i in range(left):
        after[reached_back[i]] = 0
    return length

"""The path of a single pair over an eliminated graph: two climbs, a path through the core, and shortcuts unfolded.

`climb_both` climbs from the source and, backwards, from the target, and notes at every ancestor the vertex before it.
Where both climbs meet with the least sum is the top of a shortest path. If there is a core, the path may lead through
it instead: once the distances from the source to the core are known, `trace_core` goes back along tight arcs of the
core. `list_walk` lists the vertices of all three. They are joined by shortcuts, which `unfold` replaces by the arcs of
the graph that they stand for.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .customize import find_shortcut
from .sweep import position_of

PLAIN, UNKNOWN = -1, -2  # instead of the middle of a shortcut: it is an arc of the graph; nobody has looked yet


@inlined
def climb_noting(starts, arcs, parents, begins, core, tops, source, far, before, gates, infinity):
    """Relax the arcs from a vertex to its ancestors; ``far``, infinite before, gets distances, ``before`` vertices.

    Returns the number of vertices of the core that were reached; ``gates`` lists them.
    """
    count = np.int64(0)
    v = np.int64(source)
    far[v] = 0
    before[v] = -1
    if v < core:
        gates[0] = v
        return np.int64(1)
    while v >= core:
        d = far[v]
        if d < infinity:
            begin = np.int64(begins[v])
            for e in range(starts[v], starts[v + 1]):
                u = position_of(np.int64(arcs[e]["head"]), tops, begin)
                if u < core and far[u] >= infinity:
                    gates[count] = u
                    count += 1
                if d + arcs[e]["weight"] < far[u]:
                    far[u] = d + arcs[e]["weight"]
                    before[u] = v
        v = np.int64(parents[v])
    return count


@kernel
def climb_both(
    up_starts, up_arcs, down_starts, down_arcs, parents, begins, core, tops, source, target, far, back, before, after,
    gates, exits, infinity,
):  # fmt: skip
    """Climb from both ends; return the least length over a common ancestor, its position or -1, and two counts.

    ``far`` and ``before`` are those of the source, ``back`` and ``after`` those of the target. ``gates`` and ``exits``
    list what each climb reached in the core; the counts say how many there are.
    """
    entered = climb_noting(up_starts, up_arcs, parents, begins, core, tops, source, far, before, gates, infinity)
    left = climb_noting(down_starts, down_arcs, parents, begins, core, tops, target, back, after, exits, infinity)
    best, top = infinity, np.int64(-1)
    v = np.int64(target)
    while v >= core:
        if back[v] < infinity and far[v] < infinity and far[v] + back[v] < best:
            best, top = far[v] + back[v], v
        v = np.int64(parents[v])
    return best, top, entered, left


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
def find_exit(exits, left, back, dist, best, infinity):
    """Return the vertex of the core over which a path is shorter than ``best``, and shortest, or -1."""
    top = np.int64(-1)
    for i in range(left):
        u = np.int64(exits[i])
        if dist[u] < infinity and dist[u] + back[u] < best:
            best, top = dist[u] + back[u], u
    return top


@kernel
def trace_core(up, heads, outs, ins, below_starts, below, links, dist, far, top, after, seen, pending, infinity):
    """Search back from ``top`` along tight arcs of the core, to a vertex that the climb reached as directly.

    Returns that vertex, and writes to ``after`` which vertex comes after each one that was found. Every vertex is
    searched once, so cycles of length zero do no harm. The distances must be sums along the path.
    """
    core = len(dist)
    for v in range(core):
        seen[v] = 0
    seen[top] = 1
    pending[0], size = top, np.int64(1)
    while size > 0:
        size -= 1
        v = np.int64(pending[size])
        if far[v] == dist[v]:
            return v
        for s in range(up[v], up[v + 1]):
            u = np.int64(heads[s])
            if seen[u] == 0 and ins[s] < infinity and dist[u] + ins[s] == dist[v]:
                seen[u], after[u], pending[size] = 1, v, u
                size += 1
        i = np.int64(below_starts[v])
        while i < below_starts[v + 1] and below[i] < core:
            u, weight = np.int64(below[i]), outs[links[i]]
            if seen[u] == 0 and weight < infinity and dist[u] + weight == dist[v]:
                seen[u], after[u], pending[size] = 1, v, u
                size += 1
            i += 1
    return np.int64(-1)


@inlined
def forget_climb(parents, core, source, gates, count, far, infinity):
    """Make the distances of a climb infinite again."""
    v = np.int64(source)
    while v >= core:
        far[v] = infinity
        v = np.int64(parents[v])
    for i in range(count):
        far[gates[i]] = infinity


@kernel
def list_walk(
    parents, core, source, target, entry, before, after, far, back, gates, entered, exits, left, infinity, ranks, walk
):
    """List the ranks from source to target; return how many: back from ``entry`` to the source, and on to the target.

    ``entry`` is the top, or the vertex at which the walk enters the core, or -1 for none. ``ranks`` are by position.
    ``far`` and ``back`` become infinite again.
    """
    count = np.int64(0)
    v = np.int64(entry)
    while v >= 0:
        walk[count] = ranks[v]
        count += 1
        v = np.int64(before[v])
    for i in range(count >> 1):
        walk[i], walk[count - 1 - i] = walk[count - 1 - i], walk[i]
    v = np.int64(after[entry]) if entry >= 0 else np.int64(-1)
    while v >= 0:
        walk[count] = ranks[v]
        count += 1
        v = np.int64(after[v])
    forget_climb(parents, core, source, gates, entered, far, infinity)
    forget_climb(parents, core, target, exits, left, back, infinity)
    return count


@kernel
def link_lists(starts, heads, cursors, links):
    """List the shortcuts to every rank; ``cursors`` are where the lists begin, and are moved to their ends."""
    for s in range(starts[0], starts[len(starts) - 1]):
        v = heads[s]
        links[cursors[v]] = s
        cursors[v] += 1


@kernel
def mark_arcs(offsets, heads_of_arcs, weights, ranks, up, heads, outs, ins, over, back_over):
    """Write PLAIN where a shortcut is an arc of the graph: to ``over`` if it leads to its head, else ``back_over``."""
    for u in range(len(offsets) - 1):
        i = np.int64(ranks[u])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(ranks[heads_of_arcs[e]])
            if i > j:
                s = find_shortcut(up, heads, i, j)
                if outs[s] == weights[e]:
                    over[s] = PLAIN
            elif i < j:
                s = find_shortcut(up, heads, j, i)
                if ins[s] == weights[e]:
                    back_over[s] = PLAIN


@inlined
def seek_shortcut(up, heads, v, head):
    """Return the shortcut of rank ``v`` with this head, or -1."""
    low, high = np.int64(up[v]), np.int64(up[v + 1])
    while low < high:
        middle = (low + high) >> 1
        if heads[middle] < head:
            low = middle + 1
        else:
            high = middle
    return low if low < up[v + 1] and heads[low] == head else np.int64(-1)


@inlined
def seek_middle(s, lower, upper, firsts, seconds, up, heads, below_starts, below, links, core, negative, infinity):
    """Return the rank that a shortcut with the weight ``seconds[s]`` leads over, or PLAIN if there is none.

    Most vertices below are farther away than the shortcut is long: without negative weights that rules them out.
    """
    for i in range(below_starts[lower], below_starts[lower + 1]):
        first = firsts[links[i]]
        if first < infinity and (negative or first <= seconds[s]) and below[i] >= core:
            t = seek_shortcut(up, heads, below[i], upper)
            if t >= 0 and seconds[t] < infinity and first + seconds[t] == seconds[s]:
                return np.int64(below[i])
    return np.int64(PLAIN)


@inlined
def middle_of(u, v, up, heads, outs, ins, over, back_over, below_starts, below, links, core, negative, infinity):
    """Return the rank of the vertex that the shortcut from u to v leads over, or PLAIN; note it for the next path."""
    if u > v:
        s = seek_shortcut(up, heads, u, v)
        if over[s] == UNKNOWN:
            over[s] = seek_middle(s, u, v, ins, outs, up, heads, below_starts, below, links, core, negative, infinity)
        return np.int64(over[s])
    s = seek_shortcut(up, heads, v, u)
    if back_over[s] == UNKNOWN:
        back_over[s] = seek_middle(s, v, u, outs, ins, up, heads, below_starts, below, links, core, negative, infinity)
    return np.int64(back_over[s])


@kernel
def unfold(
    walk, length, up, heads, outs, ins, over, back_over, below_starts, below, links, core, negative, infinity, vertices,
    stack, path,
):  # fmt: skip
    """Replace every shortcut of a walk by the arcs of the graph it stands for; return the length of ``path``.

    The walk has ranks, the path vertices. A shortcut that arose when x was eliminated has exactly the weight of the two
    arcs over x. Threads may note different middles of a shortcut, and each is right. Returns -1 where ``path`` or
    ``stack`` (two entries per arc) has too little room.
    """
    path[0] = vertices[walk[0]]
    count = np.int64(1)
    for i in range(length - 1):
        stack[0], stack[1] = walk[i], walk[i + 1]
        depth = np.int64(2)
        while depth > 0:
            depth -= 2
            u, v = np.int64(stack[depth]), np.int64(stack[depth + 1])
            x = middle_of(
                u, v, up, heads, outs, ins, over, back_over, below_starts, below, links, core, negative, infinity
            )
            if x < 0:
                if count == len(path):
                    return np.int64(-1)
                path[count] = vertices[v]
                count += 1
            elif depth + 4 > len(stack):
                return np.int64(-1)
            else:
                stack[depth], stack[depth + 1] = x, v
                stack[depth + 2], stack[depth + 3] = u, x
                depth += 4
    return count

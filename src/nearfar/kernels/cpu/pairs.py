"""Distances and paths between single pairs over an eliminated graph.

A shortest path climbs from the source to a highest vertex, its top, and descends to the target. The offers that a climb
from the source left (sweep.py) are met by a climb backwards from the target: the least sum at a common ancestor is the
distance. A path is the two climbs, in which `unfold` replaces every shortcut by the arcs of the graph that it stands
for.
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


@kernel
def list_climb(starts, arcs, parents, begins, tops, source, top, far, climb, infinity):
    """List the positions of a shortest climb from ``source`` to its ancestor ``top``, from the top; return how many.

    ``far`` is infinite everywhere, before and after. There is no core.
    """
    v = np.int64(source)
    far[v] = 0
    while v >= 0:  # distances from the source, at all ancestors up to the top
        if far[v] < infinity and v != top:
            begin = np.int64(begins[v])
            for e in range(starts[v], starts[v + 1]):
                u = position_of(np.int64(arcs[e]["head"]), tops, begin)
                far[u] = min(far[u], far[v] + arcs[e]["weight"])
        v = np.int64(parents[v]) if v != top else np.int64(-1)
    count = np.int64(1)
    climb[0] = top
    at = np.int64(top)
    while at != source:  # the vertex before it is one of the deeper ancestors
        v = np.int64(source)
        before = np.int64(-1)
        while v != at and before < 0:
            if far[v] < infinity:
                begin = np.int64(begins[v])
                for e in range(starts[v], starts[v + 1]):
                    u = position_of(np.int64(arcs[e]["head"]), tops, begin)
                    if u == at and far[v] + arcs[e]["weight"] == far[at]:
                        before = v
            v = np.int64(parents[v])
        at = before
        climb[count] = at
        count += 1
    v = np.int64(source)
    while v >= 0:
        far[v] = infinity
        v = np.int64(parents[v])
    return count


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
def middle_of(u, v, up, heads, outs, ins, below_starts, below, infinity):
    """Return the rank of the vertex that the shortcut from u to v leads over, or -1 if it is an arc of the graph."""
    lower, upper = max(u, v), min(u, v)
    s = seek_shortcut(up, heads, lower, upper)
    weight = outs[s] if u == lower else ins[s]
    for i in range(below_starts[lower], below_starts[lower + 1]):
        x = np.int64(below[i])
        t = seek_shortcut(up, heads, x, upper)
        if t >= 0:
            r = seek_shortcut(up, heads, x, lower)
            first, second = (ins[r], outs[t]) if u == lower else (ins[t], outs[r])
            if first < infinity and second < infinity and first + second == weight:
                return x
    return np.int64(-1)


@kernel
def unfold(walk, up, heads, outs, ins, below_starts, below, infinity, stack, path):
    """Replace every shortcut of a walk by the arcs of the graph it stands for; return the length of ``path``.

    The walk and the path are ranks. A shortcut that arose when x was eliminated has exactly the weight of the two arcs
    over x. ``below`` lists for every rank the deeper ranks with a shortcut to it. Returns -1 where ``path`` or
    ``stack`` (two entries per arc) has too little room.
    """
    path[0] = walk[0]
    count = np.int64(1)
    for i in range(len(walk) - 1):
        stack[0], stack[1] = walk[i], walk[i + 1]
        depth = np.int64(2)
        while depth > 0:
            depth -= 2
            u, v = np.int64(stack[depth]), np.int64(stack[depth + 1])
            x = middle_of(u, v, up, heads, outs, ins, below_starts, below, infinity)
            if x < 0:
                if count == len(path):
                    return np.int64(-1)
                path[count] = v
                count += 1
            elif depth + 4 > len(stack):
                return np.int64(-1)
            else:
                stack[depth], stack[depth + 1] = x, v
                stack[depth + 2], stack[depth + 3] = u, x
                depth += 4
    return count

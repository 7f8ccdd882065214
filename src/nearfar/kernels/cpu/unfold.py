"""The shortcuts of a walk unfolded: each is replaced by the arcs of the graph that it stands for (walks.py).

A shortcut that is no arc leads over a deeper vertex, its *middle*, which has shortcuts to both of its ends. So has the
parent of the middle, unless that is one of the ends: when the middle was eliminated, its neighbours were joined. So
these vertices are searched from the lower end down, and a subtree is left out if its root has no shortcut to one of the
ends. Ranks are a preorder: the next rank is the first child, and the size of a subtree says where the next one begins.
What was found is noted for the next path; the notes are zero at first, so that memory is taken only where there are
some.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight

UNKNOWN, PLAIN = 0, 1  # instead of a middle, which is at least 2: nobody has looked yet; it is an arc of the graph
ONE = np.uint64(1)  # unsigned indices spare a test for negative ones: a quarter of the time of a climb


@kernel
def list_roots(members, up, heads, starts, roots):
    """List for every vertex of the core the ``members``, roots of trees, that have a shortcut to it.

    ``starts`` has core + 1 zeros at first and holds the starts of the lists at the end.
    """
    for i in range(len(members)):
        for s in range(up[members[i]], up[members[i] + 1]):
            starts[heads[s] + 1] += 1
    for v in range(1, len(starts)):
        starts[v] += starts[v - 1]
    for i in range(len(members)):
        for s in range(up[members[i]], up[members[i] + 1]):
            roots[starts[heads[s]]] = members[i]
            starts[heads[s]] += 1
    for v in range(len(starts) - 1, 0, -1):
        starts[v] = starts[v - 1]
    starts[0] = 0


@inlined
def seek(heads, low, high, head):
    """Return where ``head`` is in ``heads[low:high]``, which ascend, or ``high`` if it is not there."""
    end = high
    while low < high:
        middle = (low + high) >> ONE
        if heads[middle] < head:
            low = middle + ONE
        else:
            high = middle
    return low if low < end and heads[low] == head else end


@inlined
def is_arc(u, v, length, offsets, arcs):
    """Return whether the graph has an arc from vertex u to vertex v of this length."""
    for e in range(np.uint64(offsets[u]), np.uint64(offsets[u + ONE])):
        if arcs[e]["head"] == v and weight(arcs, e) == length:
            return True
    return False


@inlined
def seek_below(x, end, length, lower, upper, firsts, seconds, up, heads, sizes, infinity):
    """Return the first rank from ``x`` on, and before ``end``, over which a shortcut is that long, or ``end``.

    ``firsts`` are the weights between the middle and the lower end, ``seconds`` those between it and the upper end.
    """
    while x < end:
        last = np.uint64(up[x + ONE])
        q = seek(heads, np.uint64(up[x]), last, upper)
        p = seek(heads, q, last, lower)
        if p == last:
            x += np.uint64(sizes[x])
        elif firsts[p] < infinity and seconds[q] < infinity and firsts[p] + seconds[q] == length:
            return x
        else:
            x += ONE
    return end


@inlined
def seek_middle(length, lower, upper, firsts, seconds, up, heads, sizes, root_starts, roots, infinity):
    """Return the rank that a shortcut of this length leads over, or PLAIN if there is none.

    Where both ends are in the core, the trees are searched whose roots have a shortcut to the lower one.
    """
    in_core = lower + ONE < np.uint64(len(root_starts))
    first, last = (root_starts[lower], root_starts[lower + ONE]) if in_core else (0, 1)
    for i in range(first, last):
        root = np.uint64(roots[i]) if in_core else lower
        end = root + np.uint64(sizes[root])
        x = root if in_core else lower + ONE
        x = seek_below(x, end, length, lower, upper, firsts, seconds, up, heads, sizes, infinity)
        if x < end:
            return np.int64(x)
    return np.int64(PLAIN)


@inlined
def look_up(
    u, v, lower, upper, firsts, seconds, known, up, heads, sizes, root_starts, roots, offsets, arcs, vertices, infinity
):
    """Return the middle of the shortcut from u to v, or PLAIN, and note it in ``known`` for the next path.

    An arc of the graph is preferred to a middle: where many weights are zero, middles would lead far around.
    """
    end = np.uint64(up[lower + ONE])
    s = seek(heads, np.uint64(up[lower]), end, upper)
    if s == end:  # a file may claim arcs of the core that are no shortcuts
        return np.int64(PLAIN)
    if known[s] == UNKNOWN:
        if is_arc(np.uint64(vertices[u]), vertices[v], seconds[s], offsets, arcs):
            known[s] = PLAIN
        else:
            known[s] = seek_middle(
                seconds[s], lower, upper, firsts, seconds, up, heads, sizes, root_starts, roots, infinity
            )
    return np.int64(known[s])


@inlined
def middle_of(
    u, v, up, heads, outs, ins, over, back_over, sizes, root_starts, roots, offsets, arcs, vertices, infinity
):
    """Return the rank of the vertex that the shortcut from u to v leads over, or PLAIN: nothing is below a leaf."""
    lower = max(u, v)
    if sizes[lower] == 1 and lower + ONE >= np.uint64(len(root_starts)):
        return np.int64(PLAIN)
    if u == lower:
        return look_up(
            u, v, u, v, ins, outs, over, up, heads, sizes, root_starts, roots, offsets, arcs, vertices, infinity
        )
    return look_up(
        u, v, v, u, outs, ins, back_over, up, heads, sizes, root_starts, roots, offsets, arcs, vertices, infinity
    )


@inlined
def append(path, count, v, index):
    """Append a vertex to a path, or go back to where it is already; return the new length of the path.

    ``index`` has the position of every vertex in the path, plus 1, and zero for others.
    """
    if index[v] == 0:
        path[count] = v
        count += ONE
        index[v] = count
        return count
    while path[count - ONE] != v:
        count -= ONE
        index[path[count]] = 0
    return count


@kernel
def unfold(
    walk, length, up, heads, outs, ins, over, back_over, sizes, root_starts, roots, offsets, arcs, vertices, infinity,
    cyclic, stack, index, path,
):  # fmt: skip
    """Replace every shortcut of a walk by the arcs of the graph it stands for; return the length of ``path``.

    The walk has ranks, the path vertices. A shortcut that arose when x was eliminated has exactly the weight of the two
    arcs over x. Threads may note different middles of a shortcut, and each is right. ``cyclic``: there may be cycles of
    length zero, which are cut out; ``index`` is zero before and after. Returns -1 where the walk has more vertices than
    the graph, or ``stack`` (two entries per arc) has too little room.
    """
    room = np.uint64(len(path))
    path[0], count, steps = vertices[walk[0]], ONE, ONE
    index[path[0]] = 1
    for i in range(length - 1):
        stack[0], stack[1], depth = walk[i], walk[i + 1], np.uint64(2)
        while depth > 0 and steps < room:
            depth -= np.uint64(2)
            u, v = np.uint64(stack[depth]), np.uint64(stack[depth + ONE])
            x = middle_of(
                u, v, up, heads, outs, ins, over, back_over, sizes, root_starts, roots, offsets, arcs, vertices,
                infinity,
            )  # fmt: skip
            if x != PLAIN:
                if depth + np.uint64(4) > np.uint64(len(stack)):
                    steps = room
                    break
                stack[depth], stack[depth + ONE] = x, v
                stack[depth + np.uint64(2)], stack[depth + np.uint64(3)] = u, x
                depth += np.uint64(4)
            elif cyclic:
                count, steps = append(path, count, np.uint64(vertices[v]), index), steps + ONE
            else:
                path[count] = vertices[v]
                count, steps = count + ONE, steps + ONE
    for i in range(count if cyclic else ONE):
        index[path[i]] = 0
    return np.int64(count) if steps < room else np.int64(-1)

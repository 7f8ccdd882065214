"""The weights of shortcuts in an eliminated graph, and which of them queries need.

Vertices go by rank: the core, if there is one, first, then every vertex before its descendants in the elimination tree.
So ancestors have smaller ranks; "higher" means an ancestor. ``heads[up[v]:up[v + 1]]``, ascending, are the neighbours
of v of smaller rank. Entry s of ``heads`` is a *shortcut* of v and has two weights: ``outs[s]`` of the arc from v to
the head, ``ins[s]`` of the arc from the head to v, infinity where there is none.

`assign_arcs` gives every arc of the graph to its shortcut. `customize` then goes from the leaves up: each vertex v
offers the paths over it to the shortcuts between its neighbours a and b. Then every distance is the length of a path
that climbs and then descends. `sharpen` goes from the root down and drops an arc v -> a where the path over a third
vertex b is shorter, or as short with b higher than a.

Why dropping is safe: going down from the highest vertices, assume that every pair of neighbours higher than v has a
shortest walk of kept arcs that climbs and then descends. If v -> a was dropped for v -> b -> a with b higher than a,
then v -> b has such a walk by induction over the height of b, and b -> a by induction over v. Where the two meet in a
valley, the neighbours of the valley on the walk are joined themselves and lie higher, and the walk over them is no
longer.

The algorithm is the customization of customizable contraction hierarchies (Dibbelt, Strasser, Wagner 2016): `customize`
is the basic one, `sharpen` the perfect one.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel

POLL = 1023


@kernel
def rank_vertices(order, up, up_heads, gone, time, size, ranks, parents):
    """Give ranks to vertices: the core first, then every vertex right before the subtrees that hang from it.

    ``order[:gone]`` are the eliminated vertices, ``order[gone:]`` the core; the index of a vertex in ``order`` is its
    elimination time. ``parents`` is by time: when the first of its neighbours is eliminated after it, -1 if all of them
    stay in the core. ``time`` and ``size`` are work space.
    """
    n = len(order)
    for k in range(n):
        time[order[k]] = k
        size[k] = 1
    for k in range(gone):  # children are eliminated before their parents
        parent = n
        for e in range(up[k], up[k + 1]):
            parent = min(parent, time[up_heads[e]])
        parents[k] = parent if parent < gone else -1
        if parent < gone:
            size[parent] += size[k]
    fresh = np.int64(n - gone)
    for i in range(n - gone):
        ranks[order[gone + i]] = i
    for k in range(gone - 1, -1, -1):  # size[k] becomes the offset at which the next child's subtree ends
        parent = parents[k]
        mine = size[k]
        if parent < 0:
            rank = fresh
            fresh += mine
        else:
            size[parent] -= mine
            rank = np.int64(ranks[order[parent]]) + size[parent]
        ranks[order[k]] = rank


@kernel
def parents_by_rank(order, gone, ranks, parents, out):
    """Write the rank of the parent of every rank, from parents by elimination time."""
    for k in range(len(order)):
        v = ranks[order[k]]
        out[v] = ranks[order[parents[k]]] if k < gone and parents[k] >= 0 else -1


@inlined
def find_shortcut(up, heads, v, head):
    """Return the shortcut of ``v`` with this head; it must exist."""
    low, high = np.int64(up[v]), np.int64(up[v + 1])
    while high - low > 8:
        middle = (low + high) >> 1
        if heads[middle] <= head:
            low = middle
        else:
            high = middle
    while heads[low] != head:
        low += 1
    return low


@kernel
def assign_arcs(offsets, arcs, weights, ranks, up, heads, outs, ins, undirected, low, high):
    """Give every arc that leaves the vertices ``low`` to ``high`` - 1 to its shortcut, which keeps the lightest.

    Weights are infinite before. Returns a vertex with a negative loop, or -1. No two threads with vertices of their own
    write to the same entry: in an undirected graph, where ``ins`` is ``outs``, an arc is only taken from its deeper
    end.
    """
    for u in range(low, high):
        i = np.int64(ranks[u])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(ranks[arcs[e]["head"]])
            w = weights[e]
            if i > j:
                s = find_shortcut(up, heads, i, j)
                outs[s] = min(outs[s], w)
            elif i < j and not undirected:
                s = find_shortcut(up, heads, j, i)
                ins[s] = min(ins[s], w)
            elif i == j and w < 0:
                return np.int64(u)
    return np.int64(-1)


@kernel
def customize(up, heads, outs, ins, core, infinity, low, high, stop):
    """Offer every path over a vertex to the shortcut between its ends, for ranks from ``high`` - 1 down to ``low``.

    Returns the rank of a vertex on a negative cycle, or -1.
    """
    for v in range(high - 1, max(low, core) - 1, -1):
        if v & POLL == 0 and stop[0] != 0:
            return np.int64(-1)
        s, end = np.int64(up[v]), np.int64(up[v + 1])
        for p in range(s, end):
            b = heads[p]
            out_p, in_p = outs[p], ins[p]
            if out_p < infinity and in_p < infinity and out_p + in_p < 0:
                return np.int64(v)
            r = np.int64(up[b])
            for q in range(s, p):
                a = heads[q]
                while heads[r] != a:
                    r += 1
                if in_p < infinity and outs[q] < infinity:
                    outs[r] = min(outs[r], in_p + outs[q])
                if out_p < infinity and ins[q] < infinity:
                    ins[r] = min(ins[r], ins[q] + out_p)
    return np.int64(-1)


@inlined
def sharpen_shortcuts(v, up, heads, outs, ins, best_outs, best_ins, keep, core, infinity):
    """Find the shortest path of every shortcut of a vertex, and which arcs are needed, from those of its ancestors."""
    s, end = np.int64(up[v]), np.int64(up[v + 1])
    for p in range(s, end):
        best_outs[p], best_ins[p] = outs[p], ins[p]
        keep[p] = (1 if outs[p] < infinity else 0) | (2 if ins[p] < infinity else 0)
    if v < core:
        return
    for p in range(s, end):
        b = heads[p]
        out_p, in_p = outs[p], ins[p]
        r = np.int64(up[b])
        for q in range(s, p):
            a = heads[q]
            while heads[r] != a:
                r += 1
            down, rise = best_ins[r], best_outs[r]  # from a to b, and from b to a
            if out_p < infinity and rise < infinity and out_p + rise < best_outs[q]:
                best_outs[q] = out_p + rise
                keep[q] &= 2
            if in_p < infinity and down < infinity and down + in_p < best_ins[q]:
                best_ins[q] = down + in_p
                keep[q] &= 1
            if outs[q] < infinity and down < infinity and outs[q] + down <= best_outs[p]:
                best_outs[p] = outs[q] + down
                keep[p] &= 2
            if ins[q] < infinity and rise < infinity and rise + ins[q] <= best_ins[p]:
                best_ins[p] = rise + ins[q]
                keep[p] &= 1


@kernel
def sharpen(members, up, heads, outs, ins, best_outs, best_ins, keep, core, infinity, stop):
    """Find the shortest path of every shortcut of some vertices, ancestors first, and which arcs are needed.

    ``keep`` has bit 0 where the arc to the head is needed, bit 1 where the arc from it is.
    """
    for i in range(len(members)):
        if i & POLL == 0 and stop[0] != 0:
            return
        sharpen_shortcuts(np.int64(members[i]), up, heads, outs, ins, best_outs, best_ins, keep, core, infinity)


@kernel
def count_kept(up, keep, bit, counts):
    """Count the kept arcs of every vertex."""
    for v in range(len(up) - 1):
        count = 0
        for s in range(up[v], up[v + 1]):
            count += (keep[s] & bit) != 0
        counts[v] = count


@kernel
def count_shortcuts(order, gone, up, up_heads, start, degree, pool, ranks, starts):
    """Count in ``starts[v + 1]`` the shortcuts of rank v: its neighbours of smaller rank."""
    for k in range(gone):
        starts[ranks[order[k]] + 1] = up[k + 1] - up[k]
    for k in range(gone, len(order)):
        u = order[k]
        for i in range(degree[u]):
            if ranks[pool[start[u] + i]] < ranks[u]:
                starts[ranks[u] + 1] += 1


@kernel
def write_shortcuts(order, gone, up, up_heads, start, degree, pool, ranks, starts, heads):
    """Write the heads of the shortcuts of every rank, in any order."""
    for k in range(gone):
        at = starts[ranks[order[k]]]
        for e in range(up[k], up[k + 1]):
            heads[at] = ranks[up_heads[e]]
            at += 1
    for k in range(gone, len(order)):
        u = order[k]
        at = starts[ranks[u]]
        for i in range(degree[u]):
            v = ranks[pool[start[u] + i]]
            if v < ranks[u]:
                heads[at] = v
                at += 1


@kernel
def reverse_lists(starts, heads, out_starts, out):
    """Reverse lists: v in the list of u becomes u in the list of v, in ascending order.

    ``out_starts`` has n + 1 zeros at first and holds the starts of the new lists at the end.
    """
    n = len(starts) - 1
    for e in range(len(heads)):
        out_starts[heads[e] + 1] += 1
    for v in range(n):
        out_starts[v + 1] += out_starts[v]
    for u in range(n):
        for e in range(starts[u], starts[u + 1]):
            v = heads[e]
            out[out_starts[v]] = u
            out_starts[v] += 1
    for v in range(n, 0, -1):
        out_starts[v] = out_starts[v - 1]
    out_starts[0] = 0


@kernel
def reach_of_roots(up, heads, weights, keep, bit, parents, core, infinity, far):
    """Write the distance between every vertex and its root or the core, along kept arcs of one direction."""
    for v in range(len(up) - 1):
        if v < core or (parents[v] < 0 and up[v + 1] == up[v]):
            far[v] = 0
        else:
            best = infinity
            for s in range(up[v], up[v + 1]):
                if keep[s] & bit != 0 and far[heads[s]] < infinity:
                    best = min(best, far[heads[s]] + weights[s])
            far[v] = best


@kernel
def longest_chains(up, heads, weights, keep, bit, most, least):
    """Write the greatest and the least sum of weights along any chain of kept arcs up from every vertex."""
    for v in range(len(up) - 1):
        high, low = 0.0, 0.0
        for s in range(up[v], up[v + 1]):
            if keep[s] & bit != 0:
                high = max(high, most[heads[s]] + weights[s])
                low = min(low, least[heads[s]] + weights[s])
        most[v], least[v] = high, low


@inlined
def relabel_shortcuts(v, up, heads, weights, keep, bit, positions, begin, tops, arcs, at):
    """Write the kept arcs of rank v from ``at`` on, with cells for heads (sweep.py); return where they end.

    ``positions`` has the position in the sweep of every rank; ``begin`` is where the unit of v begins.
    """
    for s in range(up[v], up[v + 1]):
        if keep[s] & bit != 0:
            u = np.int64(positions[heads[s]])
            arcs[at]["head"] = u if u < tops else u - begin + tops
            arcs[at]["weight"] = weights[s]
            at += 1
    return at


@kernel
def relabel_kept(up, heads, weights, keep, bit, order, positions, begins, tops, starts, arcs):
    """Write the kept arcs of all vertices in the order of the sweep: ``order[i]`` is the rank at position i."""
    at = np.int64(0)
    for i in range(len(order)):
        starts[i] = at
        at = relabel_shortcuts(order[i], up, heads, weights, keep, bit, positions, begins[i], tops, arcs, at)
    starts[len(order)] = at

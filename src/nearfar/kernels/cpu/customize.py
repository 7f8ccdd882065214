"""The weights of an eliminated graph: of every arc to an ancestor, and which of them a search needs.

Vertices are numbered from the last eliminated to the first, so that ancestors in the elimination tree have smaller
numbers; the core, if any is left, comes first. ``heads[up[v]:up[v + 1]]``, in ascending order, are the neighbours of v
with smaller numbers. Such a *slot* has two weights: ``outs`` of the arc from v to the head, ``ins`` of the arc back.

`customize` fills them, descendants first: whenever v joins its neighbours a and b, the way over v is offered to the
slot of b and a. `sharpen` then finds, ancestors first, where the way over a third vertex is shorter (then an arc of the
slot is on no shortest path) or as short over a higher one (then it is not needed): such arcs are dropped.

Why dropping is safe: going down from the highest vertices, assume that for every pair of neighbours higher than v a
shortest walk of arcs that were kept exists that climbs and then descends. If v -> a was dropped for v -> b -> a with b
higher than a, then v -> b has such a walk by induction over the height of b, b -> a by induction over v; where the two
join in a valley, the valley's neighbours are joined themselves and lie higher, and the walk over them is no longer.

The names are those of customizable contraction hierarchies (Dibbelt, Strasser, Wagner 2016).
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel

POLL = 1023


@kernel
def number_vertices(order, up, up_heads, gone, rank, size, places, parents):
    """Give vertices numbers: the core first, then every vertex right before the subtrees hanging from it.

    ``order[:gone]`` are the eliminated vertices, ``order[gone:]`` the core. ``parents`` is in new numbers: the next
    neighbour to leave after a vertex, -1 if all of them stay in the core. ``size`` is work space, as is ``rank``.
    """
    n = len(order)
    for k in range(n):
        rank[order[k]] = k
        size[k] = 1
    for k in range(gone):  # parents by rank first: children leave before their parents
        parent = n
        for e in range(up[k], up[k + 1]):
            parent = min(parent, rank[up_heads[e]])
        parents[k] = parent if parent < gone else -1
        if parent < gone:
            size[parent] += size[k]
    fresh = np.int64(n - gone)
    for i in range(n - gone):
        places[order[gone + i]] = i
    for k in range(gone - 1, -1, -1):  # size[k] becomes the number that the next child's subtree ends before
        parent = parents[k]
        mine = size[k]
        if parent < 0:
            number = fresh
            fresh += mine
        else:
            size[parent] -= mine
            number = np.int64(places[order[parent]]) + size[parent]
        places[order[k]] = number


@kernel
def parents_by_number(order, gone, places, parents, out):
    """Bring the parents from ranks to new numbers."""
    for k in range(len(order)):
        v = places[order[k]]
        out[v] = places[order[parents[k]]] if k < gone and parents[k] >= 0 else -1


@inlined
def find_slot(up, heads, v, head):
    """Return the slot of ``v`` with this head; it must exist."""
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
def seat(offsets, arcs, weights, places, up, heads, outs, ins):
    """Put every arc into its slot, the lightest of parallel ones; slots are infinite before.

    Returns a vertex with a negative loop, or -1.
    """
    for u in range(len(offsets) - 1):
        i = np.int64(places[u])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(places[arcs[e]["head"]])
            w = weights[e]
            if i > j:
                s = find_slot(up, heads, i, j)
                outs[s] = min(outs[s], w)
            elif i < j:
                s = find_slot(up, heads, j, i)
                ins[s] = min(ins[s], w)
            elif w < 0:
                return np.int64(u)
    return np.int64(-1)


@kernel
def customize(up, heads, outs, ins, core, infinity, low, high, stop):
    """Offer every way over a vertex to the slots above, for vertices from ``high`` - 1 down to ``low``.

    Returns a vertex on a negative cycle, or -1.
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
def sharpen_slots(v, up, heads, outs, ins, best_outs, best_ins, keep, core, infinity):
    """Find the shortest way of every slot of a vertex and whether its arcs are needed, from those of its ancestors."""
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
def sharpen(numbers, up, heads, outs, ins, best_outs, best_ins, keep, core, infinity, stop):
    """Find the shortest way of every slot of some vertices, ancestors first, and whether its arcs are needed.

    ``keep`` has bit 0 where the arc to the head is needed, bit 1 where the arc from it is.
    """
    for i in range(len(numbers)):
        if i & POLL == 0 and stop[0] != 0:
            return
        sharpen_slots(np.int64(numbers[i]), up, heads, outs, ins, best_outs, best_ins, keep, core, infinity)


@kernel
def count_kept(up, keep, bit, counts):
    """Count the kept arcs of every vertex."""
    for v in range(len(up) - 1):
        count = 0
        for s in range(up[v], up[v + 1]):
            count += (keep[s] & bit) != 0
        counts[v] = count


@kernel
def count_slots(order, gone, up, up_heads, start, degree, pool, places, starts):
    """Count in ``starts[v + 1]`` the neighbours of every vertex with smaller numbers."""
    for k in range(gone):
        starts[places[order[k]] + 1] = up[k + 1] - up[k]
    for k in range(gone, len(order)):
        u = order[k]
        for i in range(degree[u]):
            if places[pool[start[u] + i]] < places[u]:
                starts[places[u] + 1] += 1


@kernel
def place_slots(order, gone, up, up_heads, start, degree, pool, places, starts, heads):
    """Write the neighbours of every vertex with smaller numbers, in any order."""
    for k in range(gone):
        at = starts[places[order[k]]]
        for e in range(up[k], up[k + 1]):
            heads[at] = places[up_heads[e]]
            at += 1
    for k in range(gone, len(order)):
        u = order[k]
        at = starts[places[u]]
        for i in range(degree[u]):
            v = places[pool[start[u] + i]]
            if v < places[u]:
                heads[at] = v
                at += 1


@kernel
def turn_lists(starts, heads, turned, out):
    """Turn lists round: v in the list of u becomes u in the list of v, in ascending order.

    ``turned`` has n + 1 zeros at first and holds the starts of the new lists at the end.
    """
    n = len(starts) - 1
    for e in range(len(heads)):
        turned[heads[e] + 1] += 1
    for v in range(n):
        turned[v + 1] += turned[v]
    for u in range(n):
        for e in range(starts[u], starts[u + 1]):
            v = heads[e]
            out[turned[v]] = u
            turned[v] += 1
    for v in range(n, 0, -1):
        turned[v] = turned[v - 1]
    turned[0] = 0


@kernel
def reach_of_roots(up, heads, weights, keep, bit, parents, core, infinity, far):
    """Write how far every vertex is from its root or the core, along kept arcs of one direction."""
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
    """Write the greatest and least sum of weights of any chain of kept arcs up from every vertex."""
    for v in range(len(up) - 1):
        high, low = 0.0, 0.0
        for s in range(up[v], up[v + 1]):
            if keep[s] & bit != 0:
                high = max(high, most[heads[s]] + weights[s])
                low = min(low, least[heads[s]] + weights[s])
        most[v], least[v] = high, low


@inlined
def relabel_slots(v, up, heads, weights, keep, bit, place, begin, tops, arcs, at):
    """Write the kept arcs of a vertex at ``at``, with slots for heads (kernels/cpu/sweep.py); return where they end."""
    for s in range(up[v], up[v + 1]):
        if keep[s] & bit != 0:
            u = np.int64(place[heads[s]])
            arcs[at]["head"] = u if u < tops else u - begin + tops
            arcs[at]["weight"] = weights[s]
            at += 1
    return at


@kernel
def relabel_kept(up, heads, weights, keep, bit, order, place, begins, tops, starts, arcs):
    """Write the kept arcs of all vertices in the order of the sweep."""
    at = np.int64(0)
    for i in range(len(order)):
        starts[i] = at
        at = relabel_slots(order[i], up, heads, weights, keep, bit, place, begins[i], tops, arcs, at)
    starts[len(order)] = at

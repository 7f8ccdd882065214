"""New weights for a few shortcuts: what customize.py does for all, only where a change leads.

`weigh_again` goes from the deepest vertices up. A slot that changed is offered to the slots above: a shorter way lowers
them at once; where the way that counted so far got longer, the slot is *suspect* and weighed anew when its turn comes.
`sharpen_again` goes down. A vertex is done again if its slots changed, or a way between two of its heads that decides
something for it, or did.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .customize import POLL, find_slot, relabel_slots, sharpen_slots


@kernel
def mark_up(numbers, parents, stale):
    """Mark some vertices and all their ancestors."""
    for i in range(len(numbers)):
        v = np.int64(numbers[i])
        while v >= 0 and not stale[v]:
            stale[v] = True
            v = np.int64(parents[v])


@kernel
def seat_again(members, ranks, vertices, offsets, arcs, weights, places, up, heads, own_starts, own_outs, own_ins):
    """Put the arcs of the slots of ``members`` into ``own_outs`` and ``own_ins``, which are infinite before.

    ``ranks`` has for every number its place among the members, -1 for none; ``own_starts`` where the slots of each
    member begin. Both ends of such an arc are members: all that is above one is. Returns a vertex with a negative loop,
    or -1.
    """
    for k in range(len(members)):
        i = np.int64(members[k])
        u = np.int64(vertices[i])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(places[arcs[e]["head"]])
            w = weights[e]
            if i > j:
                s = own_starts[k] + find_slot(up, heads, i, j) - up[i]
                own_outs[s] = min(own_outs[s], w)
            elif i < j:
                if ranks[j] >= 0:
                    s = own_starts[ranks[j]] + find_slot(up, heads, j, i) - up[j]
                    own_ins[s] = min(own_ins[s], w)
            elif w < 0:
                return u
    return np.int64(-1)


@kernel
def suspect_arcs(deeper, higher, up, heads, suspect):
    """Mark the slots of some arcs, given by the numbers of their ends; loops have none."""
    for i in range(len(deeper)):
        if deeper[i] != higher[i]:
            suspect[find_slot(up, heads, deeper[i], higher[i])] = True


@inlined
def way_over(first, second, infinity):
    """Return the length of two arcs together, infinity where one is missing."""
    return first + second if first < infinity and second < infinity else infinity


@inlined
def weigh_suspects(b, up, heads, below_starts, below, own, own_outs, own_ins, suspect, outs, ins, infinity):
    """Weigh the suspect slots of ``b`` from their own arcs and the ways over all deeper vertices, which are done.

    The weights of its own arcs begin at ``own``.
    """
    count = 0
    for r in range(up[b], up[b + 1]):
        if suspect[r]:
            at = own + r - up[b]
            outs[r], ins[r] = own_outs[at], own_ins[at]
            count += 1
    if count == 0:
        return
    for k in range(below_starts[b], below_starts[b + 1]):
        v = np.int64(below[k])
        p = find_slot(up, heads, v, b)
        out_p, in_p = outs[p], ins[p]
        r = np.int64(up[b])
        for q in range(up[v], p):
            a = heads[q]
            while heads[r] != a:
                r += 1
            if suspect[r]:
                outs[r] = min(outs[r], way_over(in_p, outs[q], infinity))
                ins[r] = min(ins[r], way_over(ins[q], out_p, infinity))


@inlined
def offer_up(p, low, high, up, heads, old_outs, old_ins, suspect, outs, ins, infinity):
    """Offer the ways over a vertex that use its slot ``p``, which changed; its slots are ``low`` to ``high`` - 1."""
    for other in range(low, high):
        if other == p:
            continue
        q, c = min(p, other), max(p, other)  # the slot of the higher head, and of the deeper one
        r = find_slot(up, heads, heads[c], heads[q])
        was, now = way_over(old_ins[c], old_outs[q], infinity), way_over(ins[c], outs[q], infinity)
        if now < outs[r]:
            outs[r] = now
        elif was < now and was == old_outs[r]:
            suspect[r] = True
        was, now = way_over(old_ins[q], old_outs[c], infinity), way_over(ins[q], outs[c], infinity)
        if now < ins[r]:
            ins[r] = now
        elif was < now and was == old_ins[r]:
            suspect[r] = True


@kernel
def weigh_again(
    members, up, heads, below_starts, below, own_starts, own_outs, own_ins, old_outs, old_ins, suspect, outs, ins,
    infinity, stop,
):  # fmt: skip
    """Weigh the slots of ``members`` anew, which ascend; the slots of the arcs that changed are suspect.

    ``own_outs`` and ``own_ins`` are from `seat_again`; ``outs`` and ``ins`` are copies of the old ones. Returns a
    vertex on a negative cycle, or -1.
    """
    for i in range(len(members) - 1, -1, -1):
        if i & POLL == 0 and stop[0] != 0:
            return np.int64(-1)
        b = np.int64(members[i])
        own = own_starts[i]
        weigh_suspects(b, up, heads, below_starts, below, own, own_outs, own_ins, suspect, outs, ins, infinity)
        low, high = np.int64(up[b]), np.int64(up[b + 1])
        for p in range(low, high):
            if outs[p] != old_outs[p] or ins[p] != old_ins[p]:
                if way_over(outs[p], ins[p], infinity) < 0:
                    return b
                offer_up(p, low, high, up, heads, old_outs, old_ins, suspect, outs, ins, infinity)
    return np.int64(-1)


@inlined
def differ(first, second, low, high):
    """Tell whether two arrays differ anywhere from ``low`` to ``high`` - 1."""
    s = low
    while s < high and first[s] == second[s]:
        s += 1
    return s < high


@kernel
def mark_changed(members, up, old_outs, old_ins, outs, ins, changed):
    """Mark those of ``members`` whose slots have other weights than before."""
    for i in range(len(members)):
        v = members[i]
        changed[v] = differ(old_outs, outs, up[v], up[v + 1]) or differ(old_ins, ins, up[v], up[v + 1])


@inlined
def counts_for(old, new, first, first_best, second, second_best, infinity):
    """Tell whether a way that changed from ``old`` to ``new``, behind one of two arcs, is or was as short as the best.

    A way that was longer and is longer still than the best decides nothing.
    """
    if old == new:
        return False
    shorter = min(old, new)
    if shorter >= infinity:
        return False
    return (first < infinity and first + shorter <= first_best) or (
        second < infinity and second + shorter <= second_best
    )


@inlined
def mark_below(
    b, up, heads, below_starts, below, outs, ins, old_best_outs, old_best_ins, best_outs, best_ins, touched, infinity
):
    """Mark the vertices below for which a changed way between ``b`` and a higher vertex counts."""
    for k in range(below_starts[b], below_starts[b + 1]):
        v = np.int64(below[k])
        if touched[v]:
            continue
        p = find_slot(up, heads, v, b)
        r = np.int64(up[b])
        for q in range(up[v], p):
            a = heads[q]
            while heads[r] != a:
                r += 1
            if counts_for(
                old_best_outs[r], best_outs[r], outs[p], best_outs[q], ins[q], best_ins[p], infinity
            ) or counts_for(old_best_ins[r], best_ins[r], ins[p], best_ins[q], outs[q], best_outs[p], infinity):
                touched[v] = True
                break


@kernel
def sharpen_again(
    up, heads, below_starts, below, outs, ins, old_best_outs, old_best_ins, best_outs, best_ins, keep, touched,
    infinity, stop,
):  # fmt: skip
    """Sharpen the vertices that are marked in ``touched``, and mark and sharpen those below for which that counts.

    ``best_outs``, ``best_ins`` and ``keep`` are copies of the old ones.
    """
    for v in range(len(up) - 1):
        if v & POLL == 0 and stop[0] != 0:
            return
        if touched[v]:
            sharpen_slots(v, up, heads, outs, ins, best_outs, best_ins, keep, np.int64(0), infinity)
            if differ(old_best_outs, best_outs, up[v], up[v + 1]) or differ(old_best_ins, best_ins, up[v], up[v + 1]):
                mark_below(
                    v, up, heads, below_starts, below, outs, ins, old_best_outs, old_best_ins, best_outs, best_ins,
                    touched, infinity,
                )  # fmt: skip


@kernel
def relabel_touched(
    up, heads, weights, keep, bit, order, place, begins, tops, touched, old_starts, old_arcs, starts, arcs
):
    """Write the kept arcs in the order of the sweep, as `relabel_kept` does; those of most vertices are copied."""
    at = np.int64(0)
    for i in range(len(order)):
        v = order[i]
        starts[i] = at
        if touched[v]:
            at = relabel_slots(v, up, heads, weights, keep, bit, place, begins[i], tops, arcs, at)
        else:
            for e in range(old_starts[i], old_starts[i + 1]):
                arcs[at]["head"] = old_arcs[e]["head"]
                arcs[at]["weight"] = old_arcs[e]["weight"]
                at += 1
    starts[len(order)] = at

"""New weights for a few shortcuts: what customize.py does for all, only where a change has an effect.

`weigh_again` goes from the leaves up. A shortcut that changed is offered to the shortcuts above: a shorter path lowers
them at once; where the path that gave a shortcut its weight became longer, the shortcut is *suspect* and is weighed
from scratch when its turn comes. `sharpen_again` goes from the root down. It handles a vertex again if its shortcuts
changed, or if a path between two of its heads changed that decides, or decided, whether one of its arcs is needed.

Invariant: after both, weights, shortest paths and marks are exactly those that customize.py would find.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .customize import POLL, find_shortcut, relabel_shortcuts, sharpen_shortcuts


@kernel
def mark_up(ranks, parents, stale):
    """Mark some ranks and all their ancestors."""
    for i in range(len(ranks)):
        v = np.int64(ranks[i])
        while v >= 0 and not stale[v]:
            stale[v] = True
            v = np.int64(parents[v])


@kernel
def assign_arcs_again(
    members, member_index, vertices, offsets, arcs, weights, ranks, up, heads, own_starts, own_outs, own_ins
):
    """Give the arcs of the graph to the shortcuts of ``members``; ``own_outs`` and ``own_ins`` are infinite before.

    ``member_index`` has the index in ``members`` of every rank, -1 for none; ``own_starts`` where the shortcuts of each
    member begin. Both ends of such an arc are members, since all ancestors of a member are. Returns a vertex with a
    negative loop, or -1.
    """
    for k in range(len(members)):
        i = np.int64(members[k])
        u = np.int64(vertices[i])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(ranks[arcs[e]["head"]])
            w = weights[e]
            if i > j:
                s = own_starts[k] + find_shortcut(up, heads, i, j) - up[i]
                own_outs[s] = min(own_outs[s], w)
            elif i < j:
                if member_index[j] >= 0:
                    s = own_starts[member_index[j]] + find_shortcut(up, heads, j, i) - up[j]
                    own_ins[s] = min(own_ins[s], w)
            elif w < 0:
                return u
    return np.int64(-1)


@kernel
def suspect_arcs(deeper, higher, up, heads, suspect):
    """Mark the shortcuts of some arcs, given by the ranks of their ends; loops have none."""
    for i in range(len(deeper)):
        if deeper[i] != higher[i]:
            suspect[find_shortcut(up, heads, deeper[i], higher[i])] = True


@inlined
def length_of_both(first, second, infinity):
    """Return the length of two arcs together, infinity where one is missing."""
    return first + second if first < infinity and second < infinity else infinity


@inlined
def weigh_suspects(b, up, heads, below_starts, below, own, own_outs, own_ins, suspect, outs, ins, infinity):
    """Weigh the suspect shortcuts of ``b`` from their own arcs and the paths over all deeper vertices, which are done.

    The weights of the arcs of the graph begin at ``own``.
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
        p = find_shortcut(up, heads, v, b)
        out_p, in_p = outs[p], ins[p]
        r = np.int64(up[b])
        for q in range(up[v], p):
            a = heads[q]
            while heads[r] != a:
                r += 1
            if suspect[r]:
                outs[r] = min(outs[r], length_of_both(in_p, outs[q], infinity))
                ins[r] = min(ins[r], length_of_both(ins[q], out_p, infinity))


@inlined
def offer_up(p, low, high, up, heads, old_outs, old_ins, suspect, outs, ins, infinity):
    """Offer the paths over a vertex that use its changed shortcut ``p``; its shortcuts are ``low`` to ``high`` - 1."""
    for other in range(low, high):
        if other == p:
            continue
        q, c = min(p, other), max(p, other)  # the shortcut of the higher head, and of the deeper one
        r = find_shortcut(up, heads, heads[c], heads[q])
        was, now = length_of_both(old_ins[c], old_outs[q], infinity), length_of_both(ins[c], outs[q], infinity)
        if now < outs[r]:
            outs[r] = now
        elif was < now and was == old_outs[r]:
            suspect[r] = True
        was, now = length_of_both(old_ins[q], old_outs[c], infinity), length_of_both(ins[q], outs[c], infinity)
        if now < ins[r]:
            ins[r] = now
        elif was < now and was == old_ins[r]:
            suspect[r] = True


@kernel
def weigh_again(
    members, up, heads, below_starts, below, own_starts, own_outs, own_ins, old_outs, old_ins, suspect, outs, ins,
    infinity, stop,
):  # fmt: skip
    """Weigh the shortcuts of ``members``, which ascend, again; the shortcuts of changed arcs are suspect.

    ``own_outs`` and ``own_ins`` are from `assign_arcs_again`; ``outs`` and ``ins`` are copies of the old ones. Returns
    the rank of a vertex on a negative cycle, or -1.
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
                if length_of_both(outs[p], ins[p], infinity) < 0:
                    return b
                offer_up(p, low, high, up, heads, old_outs, old_ins, suspect, outs, ins, infinity)
    return np.int64(-1)


@inlined
def differ(first, second, low, high):
    """Return whether two arrays differ anywhere from ``low`` to ``high`` - 1."""
    s = low
    while s < high and first[s] == second[s]:
        s += 1
    return s < high


@kernel
def mark_changed(members, up, old_outs, old_ins, outs, ins, changed):
    """Mark the members whose shortcuts have other weights than before."""
    for i in range(len(members)):
        v = members[i]
        changed[v] = differ(old_outs, outs, up[v], up[v + 1]) or differ(old_ins, ins, up[v], up[v + 1])


@inlined
def counts_for(old, new, first, first_best, second, second_best, infinity):
    """Return whether a path changed from ``old`` to ``new`` is or was, behind one of two arcs, as short as the best.

    A path that was longer than the best and still is decides nothing.
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
    """Mark the deeper vertices for which a changed path between ``b`` and a higher vertex decides something."""
    for k in range(below_starts[b], below_starts[b + 1]):
        v = np.int64(below[k])
        if touched[v]:
            continue
        p = find_shortcut(up, heads, v, b)
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
    """Sharpen the vertices marked in ``touched``; mark and sharpen the deeper ones for which that decides something.

    ``best_outs``, ``best_ins`` and ``keep`` are copies of the old ones.
    """
    for v in range(len(up) - 1):
        if v & POLL == 0 and stop[0] != 0:
            return
        if touched[v]:
            sharpen_shortcuts(v, up, heads, outs, ins, best_outs, best_ins, keep, np.int64(0), infinity)
            if differ(old_best_outs, best_outs, up[v], up[v + 1]) or differ(old_best_ins, best_ins, up[v], up[v + 1]):
                mark_below(
                    v, up, heads, below_starts, below, outs, ins, old_best_outs, old_best_ins, best_outs, best_ins,
                    touched, infinity,
                )  # fmt: skip


@kernel
def relabel_touched(
    up, heads, weights, keep, bit, order, positions, begins, tops, touched, old_starts, old_arcs, starts, arcs
):
    """Write the kept arcs in the order of the sweep, as `relabel_kept` does; where nothing was touched, copy them."""
    at = np.int64(0)
    for i in range(len(order)):
        v = order[i]
        starts[i] = at
        if touched[v]:
            at = relabel_shortcuts(v, up, heads, weights, keep, bit, positions, begins[i], tops, arcs, at)
        else:
            for e in range(old_starts[i], old_starts[i + 1]):
                arcs[at]["head"] = old_arcs[e]["head"]
                arcs[at]["weight"] = old_arcs[e]["weight"]
                at += 1
    starts[len(order)] = at

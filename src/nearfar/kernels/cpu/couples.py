"""A sweep that settles two vertices at a time: what it reads of an ancestor serves both.

In a mesh, vertices have dozens of ancestors with an arc to them, and neighbours in the elimination tree have nearly the
same ones. So the arcs of two vertices that follow each other, a *couple*, are stored together: an entry has one
ancestor and two weights, infinite where there is no arc. A row of lanes is then loaded once instead of twice, which is
what limits a sweep over int32: a city map of 794,748 cells takes 13.9 ms per batch instead of 17.7, a geometric graph
of 200,000 1.9 instead of 2.8. (Four at a time take 13.0 and 1.5, but as long as one at a time over float64.) One entry
of ten has a weight that is infinite. The arc within a couple is kept apart.

The order is that of ranks within each unit: ancestors come first, and neighbours in the tree are neighbours here.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arguments import Couples, DownArcs

ONE = np.uint64(1)


@inlined
def merge(starts, arcs, v, begin, tops, couple, infinity, heads, weights, at, write):
    """List the arcs of the vertices ``v`` and ``v`` + 1, which have ascending heads, from ``at`` on; return the end.

    The arc between the two, if there is one, is left out and returned second: it is the last of the second vertex.
    """
    e, last = np.int64(starts[v]), np.int64(starts[v + 1])
    f, end = last, np.int64(starts[v + 2]) if couple else last
    inner = infinity
    if f < end:
        mine = v if v < tops else v - begin + tops  # the cell of the first
        if arcs[end - 1]["head"] == mine:
            end -= 1
            inner = arcs[end]["weight"]
    while e < last or f < end:
        left = np.int64(arcs[e]["head"]) if e < last else np.int64(2**31)
        right = np.int64(arcs[f]["head"]) if f < end else np.int64(2**31)
        if write:
            heads[at] = min(left, right)
            weights[2 * at] = arcs[e]["weight"] if left <= right else infinity
            weights[2 * at + 1] = arcs[f]["weight"] if right <= left else infinity
        e += 1 if left <= right else 0
        f += 1 if right <= left else 0
        at += 1
    return at, inner


@kernel
def count_couples(starts, arcs, units, tops, u, infinity, counts, heads, weights):
    """Count the entries of every couple of a unit, the last of which may have one vertex only; none is written."""
    begin, end = np.int64(units[u]), np.int64(units[u + 1])
    for i in range(len(counts)):
        v = begin + 2 * i
        counts[i], _ = merge(starts, arcs, v, begin, tops, v + 1 < end, infinity, heads, weights, np.int64(0), False)


@kernel
def write_couples(starts, arcs, units, tops, u, infinity, entry_starts, between, heads, weights):
    """Write the entries of every couple of a unit, and the weight of the arc from its first vertex to its second."""
    begin, end = np.int64(units[u]), np.int64(units[u + 1])
    for i in range(len(between)):
        v = begin + 2 * i
        at = np.int64(entry_starts[i])
        _, between[i] = merge(starts, arcs, v, begin, tops, v + 1 < end, infinity, heads, weights, at, True)


@inlined
def sweep_couples(couples: Couples, down: DownArcs, u, dist, index, touched, t, offers, far, cell):
    """Settle the vertices of unit ``u`` as `sweep_unit` does, two at a time."""
    heads, weights, starts = couples.heads, couples.weights, couples.starts
    v, end = np.int64(down.units[u]), np.int64(down.units[u + 1])
    i = np.uint64(couples.firsts[u])
    while v < end:
        first, second = far, far
        for e in range(np.uint64(starts[i]), np.uint64(starts[i + ONE])):
            above = lanes.load(dist, np.uint64(np.uint32(heads[e])))
            first = lanes.least_length(first, lanes.add(above, weights[e << ONE]))
            second = lanes.least_length(second, lanes.add(above, weights[(e << ONE) + ONE]))
        if touched[t] == v:  # the climb left offers here
            first = lanes.least_length(first, lanes.load(offers, index[v]))
            t += 1
        lanes.store(dist, cell, first)
        if v + 1 < end:
            second = lanes.least_length(second, lanes.add(first, couples.between[i]))
            if touched[t] == v + 1:
                second = lanes.least_length(second, lanes.load(offers, index[v + 1]))
                t += 1
            lanes.store(dist, cell + ONE, second)
        v += 2
        cell += np.uint64(2)
        i += ONE
    return t

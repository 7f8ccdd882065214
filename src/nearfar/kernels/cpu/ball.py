"""A ball of a graph: the vertices that a breadth-first search meets first, their levels, and the arcs among them.

Called by elimination/outlook.py and graph/order.py, which look at a part of a graph to learn about all of it.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def find_busiest(offsets):
    """Return the first vertex with the most arcs."""
    best, most = np.int64(0), np.int64(-1)
    for v in range(len(offsets) - 1):
        degree = np.int64(offsets[v + 1]) - np.int64(offsets[v])
        if degree > most:
            best, most = np.int64(v), degree
    return best


@kernel
def take_ball(offsets, arcs, start, order, positions):
    """List the vertices nearest to ``start`` in ``order``, as many as fit; return how many there are.

    ``positions`` is 0 everywhere before: fresh memory that nobody has touched. It gets the position of every vertex
    that is listed, counted from 1.
    """
    order[0], positions[start] = start, 1
    met = np.int64(1)
    i = np.int64(0)
    while i < met < len(order):
        e, last = offsets[order[i]], offsets[order[i] + 1]
        i += 1
        while e < last and met < len(order):
            v = arcs[e]["head"]
            e += 1
            if positions[v] == 0:
                order[met] = v
                met += 1
                positions[v] = met
    return met


@kernel
def arcs_of_ball(offsets, arcs, order, positions, starts, heads):
    """Write the arcs among the listed vertices, by their positions; return how many there are.

    Vertices with positions beyond the length of ``order`` do not count. If ``heads`` is empty, arcs are only counted.
    """
    count = np.int64(0)
    for i in range(len(order)):
        starts[i] = count
        for e in range(offsets[order[i]], offsets[order[i] + 1]):
            position = positions[arcs[e]["head"]]
            if 0 < position <= len(order):
                if len(heads) > 0:
                    heads[count]["head"] = position - 1
                count += 1
    starts[len(order)] = count
    return count


@kernel
def forget_ball(order, positions):
    """Set the positions of the listed vertices to 0 again."""
    for i in range(len(order)):
        positions[order[i]] = 0


@kernel
def count_levels(offsets, arcs, start, sizes, order, positions, levels):
    """Count the levels after which a search from ``start`` has met each of ``sizes`` vertices, which ascend.

    Where it cannot reach so many, all its levels count. ``positions`` is 0 everywhere, before and after.
    """
    order[0], positions[start] = start, 1
    begin, met, level, reached = np.int64(0), np.int64(1), 0, 0
    while reached < len(sizes):
        while reached < len(sizes) and (met >= sizes[reached] or begin == met):
            levels[reached] = level
            reached += 1
        end = met
        level += 1
        for i in range(begin, end):
            e, last = offsets[order[i]], offsets[order[i] + 1]
            while e < last and met < len(order):
                v = arcs[e]["head"]
                e += 1
                if positions[v] == 0:
                    order[met] = v
                    met += 1
                    positions[v] = met
        begin = end
    forget_ball(order[:met], positions)

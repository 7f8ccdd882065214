"""A ball of a graph: the vertices that a breadth-first search meets first, and the arcs among them.

Called by elimination/outlook.py, which looks at a part of a graph to learn about all of it.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel


@kernel
def take_ball(offsets, arcs, start, order, positions):
    """List the vertices nearest to ``start`` in ``order``, as many as fit; return how many there are.

    ``positions`` is -1 everywhere before; it gets the position of every vertex that is listed.
    """
    order[0], positions[start] = start, 0
    met = np.int64(1)
    i = np.int64(0)
    while i < met:
        u = order[i]
        i += 1
        for e in range(offsets[u], offsets[u + 1]):
            v = arcs[e]["head"]
            if positions[v] < 0 and met < len(order):
                positions[v] = met
                order[met] = v
                met += 1
    return met


@kernel
def arcs_of_ball(offsets, arcs, order, positions, starts, heads):
    """Write the arcs among the listed vertices, by their positions; return how many there are.

    Vertices with positions from the length of ``order`` on do not count. If ``heads`` is empty, arcs are only counted.
    """
    count = np.int64(0)
    for i in range(len(order)):
        starts[i] = count
        for e in range(offsets[order[i]], offsets[order[i] + 1]):
            head = positions[arcs[e]["head"]]
            if 0 <= head < len(order):
                if len(heads) > 0:
                    heads[count]["head"] = head
                count += 1
    starts[len(order)] = count
    return count


@kernel
def forget_ball(order, positions):
    """Set the positions of the listed vertices to -1 again."""
    for i in range(len(order)):
        positions[order[i]] = -1

"""The order in which a sweep takes vertices: ancestors first, near each other in memory, arcs alike in number.

Any order with parents before children is right. Preorder of the elimination tree keeps what a sweep reads in the fast
cache, but the number of arcs then changes from vertex to vertex, and a processor guesses the end of the inner loop
wrongly at nearly every one, which is most of the time. So subtrees of some thousand vertices (units) are taken one
after the other, and inside each the vertices by height (steps down to the farthest leaf, so that parents come before
their children and the many leaves last), those of a height by their number of arcs.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel


@kernel
def measure_trees(parents, size, height, depth):
    """Find how many vertices every subtree has and how many steps it is deep; parents come before their children.

    Returns the most vertices on a way from a root down.
    """
    deepest = np.int64(0)
    for v in range(len(parents)):
        size[v] = 1
        height[v] = 0
        depth[v] = depth[parents[v]] + 1 if parents[v] >= 0 else 1
        deepest = max(deepest, np.int64(depth[v]))
    for v in range(len(parents) - 1, -1, -1):
        p = parents[v]
        if p >= 0:
            size[p] += size[v]
            height[p] = max(height[p], height[v] + 1)
    return deepest


@kernel
def make_units(parents, size, core, most, unit):
    """Give every vertex the number of its unit: 1 for those with large subtrees, then neighbouring subtrees together.

    Vertices are in preorder. Returns how many units there are. The core is one of its own, before the others.
    """
    units, filled = 2, np.int64(most)
    v = np.int64(0)
    n = len(parents)
    while v < n:
        if v < core:
            unit[v] = 0
            v += 1
        elif size[v] > most:
            unit[v] = 1
            v += 1
        else:
            if filled + size[v] > most:
                units += 1
                filled = np.int64(0)
            filled += size[v]
            for u in range(v, v + size[v]):
                unit[u] = units - 1
            v += size[v]
    return units


@kernel
def sort_stably(keys, most, counts, order, out):
    """Sort ``order`` by ``keys[v]`` (0 to ``most``), equal ones as they stand; counts has most + 2 entries."""
    for c in range(most + 2):
        counts[c] = 0
    for v in range(len(keys)):
        counts[keys[v] + 1] += 1
    for c in range(most):
        counts[c + 1] += counts[c]
    for i in range(len(order)):
        v = order[i]
        out[counts[keys[v]]] = v
        counts[keys[v]] += 1


@inlined
def must_wait(c, v, first, width, tops, unit, last):
    """Tell whether vertex ``v`` in column ``c`` is settled before its line is complete; tops have rows of their own."""
    k = (c - first) // width
    return v >= tops and (c < first or k >= len(last) or unit[v] < last[k])


@kernel
def schedule_lines(
    places, unit, units, tops, spare, first, width, last, line_starts, lines, keep_starts, kept, columns
):
    """Find after which unit each line of a row is complete, and who is set aside until then; return how many are.

    Lines have ``width`` columns, from column ``first`` on. Columns of no whole line are written at the end. ``unit`` is
    by number; slots of those set aside begin at ``spare``. ``line_starts`` and ``keep_starts`` are zero before.
    """
    n, count = len(places), len(lines)
    for k in range(count):
        latest = np.int32(0)
        for c in range(first + k * width, first + (k + 1) * width):
            latest = max(latest, unit[places[c]])
        last[k] = latest
        line_starts[latest + 1] += 1
    for u in range(len(units) - 1):
        line_starts[u + 1] += line_starts[u]
    for k in range(count):
        lines[line_starts[last[k]]] = first + k * width
        line_starts[last[k]] += 1
    for c in range(n):
        if must_wait(c, places[c], first, width, tops, unit, last):
            keep_starts[unit[places[c]] + 1] += 1
    for u in range(len(units) - 1):
        keep_starts[u + 1] += keep_starts[u]
    waiting = keep_starts[len(units) - 1]
    for c in range(n):
        v = places[c]
        slot = v if v < tops else v - units[unit[v]] + tops
        columns[c] = slot
        if must_wait(c, v, first, width, tops, unit, last):
            at = keep_starts[unit[v]]
            kept[at] = slot
            columns[c] = spare + at
            keep_starts[unit[v]] += 1
    for u in range(len(units) - 1, 0, -1):
        line_starts[u] = line_starts[u - 1]
        keep_starts[u] = keep_starts[u - 1]
    line_starts[0] = 0
    keep_starts[0] = 0
    return waiting

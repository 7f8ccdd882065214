"""The order in which a sweep takes vertices: ancestors first, near each other in memory, runs of equally many arcs.

Any order with parents before children is correct. Preorder of the elimination tree keeps what a sweep reads in the fast
cache, but then the number of arcs changes from vertex to vertex, and the processor mispredicts the end of the inner
loop at nearly every one, which takes most of the time. So subtrees of a few thousand vertices (units) are taken one
after the other. Inside a unit, vertices are ordered by height (steps down to the farthest leaf, so that parents come
before their children and the many leaves come last), and those of equal height by their number of arcs.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel


@kernel
def measure_trees(parents, size, height, depth):
    """Find the size and the height of every subtree, and the depth of every vertex; parents come before children.

    Returns the greatest number of vertices on a path from a root down.
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
def measure_sizes(parents, sizes):
    """Find the size of every subtree; parents come before children."""
    for v in range(len(parents)):
        sizes[v] = 1
    for v in range(len(parents) - 1, -1, -1):
        if parents[v] >= 0:
            sizes[parents[v]] += sizes[v]


@kernel
def invert(ranks, vertices):
    """Write the vertex of every rank."""
    for v in range(len(ranks)):
        vertices[ranks[v]] = v


@kernel
def make_units(parents, size, core, most, unit):
    """Write the unit of every vertex: 0 for the core, 1 for vertices with large subtrees, then subtrees together.

    Vertices are in preorder. Neighbouring subtrees share a unit of up to ``most`` vertices. Returns the number of
    units.
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
    """Sort ``order`` stably by ``keys[v]`` (0 to ``most``) into ``out``; ``counts`` has most + 2 entries."""
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
    """Return whether position ``v``, of column ``c``, must be set aside: its unit ends before its line is complete."""
    k = (c - first) // width
    return v >= tops and (c < first or k >= len(last) or unit[v] < last[k])


@kernel
def schedule_lines(
    positions, unit, units, tops, spare, first, width, last, line_starts, lines, keep_starts, kept, columns
):
    """Find after which unit each line of a row is complete, and which cells are set aside until then; return how many.

    Lines have ``width`` columns, from column ``first`` on. Columns of no whole line are written at the end. ``unit`` is
    by position; cells set aside are copied to cells from ``spare`` on. ``line_starts`` and ``keep_starts`` are zero
    before. `elimination.lines.Lines` describes the results.
    """
    n, count = len(positions), len(lines)
    for k in range(count):
        latest = np.int32(0)
        for c in range(first + k * width, first + (k + 1) * width):
            latest = max(latest, unit[positions[c]])
        last[k] = latest
        line_starts[latest + 1] += 1
    for u in range(len(units) - 1):
        line_starts[u + 1] += line_starts[u]
    for k in range(count):
        lines[line_starts[last[k]]] = first + k * width
        line_starts[last[k]] += 1
    for c in range(n):
        if must_wait(c, positions[c], first, width, tops, unit, last):
            keep_starts[unit[positions[c]] + 1] += 1
    for u in range(len(units) - 1):
        keep_starts[u + 1] += keep_starts[u]
    waiting = keep_starts[len(units) - 1]
    for c in range(n):
        v = positions[c]
        cell = v if v < tops else v - units[unit[v]] + tops
        columns[c] = cell
        if must_wait(c, v, first, width, tops, unit, last):
            at = keep_starts[unit[v]]
            kept[at] = cell
            columns[c] = spare + at
            keep_starts[unit[v]] += 1
    for u in range(len(units) - 1, 0, -1):
        line_starts[u] = line_starts[u - 1]
        keep_starts[u] = keep_starts[u - 1]
    line_starts[0] = 0
    keep_starts[0] = 0
    return waiting

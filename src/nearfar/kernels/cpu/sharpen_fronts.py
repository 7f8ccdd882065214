"""Which shortcuts are needed, found in dense blocks from the root down: what `sharpen` in customize.py does by vertex.

The front of a block (fronts.py) takes the distances between its ancestors from its parent's front. The distance from an
own rank v to a member a of the front is its arc or the best way over another member b. The arc is needed if no way is
shorter, and no way over a higher b is as short. Ways over b higher than a (b < a) are read along row a, ways over lower
ones along row b: so all reads are along rows of lower triangles, and what lies above the diagonal is infinite and needs
no mask.

``below`` holds the distances from row to column, ``beyond`` those from column to row; these are ``out`` and ``back`` of
fronts.py for arcs to ancestors, and the other way round for arcs from ancestors.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .constants import LANES
from .fronts import PANEL, above_of, load_rows, padded, relate

OUT, IN = np.uint8(1), np.uint8(2)


@kernel
def take_distances(source, start, step, count, relative, target, begin, pitch, infinity):
    """Write the distances between ``count`` members of a front, chosen by ``relative``, to another front."""
    for i in range(count):
        row, at = start + np.int64(relative[i]) * step, begin + i * pitch
        for j in range(i):
            target[at + j] = source[row + relative[j]]
        for j in range(i, padded(i + 1)):
            target[at + j] = infinity


@kernel
def ways_over_higher(rows, width, count, beyond, begin, pitch, size, over, infinity):
    """Write the best ways over higher members, for the first ``count`` of ``rows`` and the first ``size`` members.

    Two rows and four members at a time; both are read along their rows.
    """
    far = lanes.all_lanes(over, infinity)
    for v in range(0, count, 2):
        w = min(v + 1, count - 1)
        for a in range(0, size, 4):
            x0, x1, x2, x3, y0, y1, y2, y3 = far, far, far, far, far, far, far, far
            end = min(a + 4, size)
            r0, r1 = begin + a * pitch, begin + min(a + 1, end - 1) * pitch
            r2, r3 = begin + min(a + 2, end - 1) * pitch, begin + (end - 1) * pitch
            for t in range(0, padded(end - 1), LANES):
                x, y = lanes.load_at(rows, v * width + t), lanes.load_at(rows, w * width + t)
                z = lanes.load_at(beyond, r0 + t)
                x0, y0 = lanes.minimum(lanes.add(x, z), x0), lanes.minimum(lanes.add(y, z), y0)
                z = lanes.load_at(beyond, r1 + t)
                x1, y1 = lanes.minimum(lanes.add(x, z), x1), lanes.minimum(lanes.add(y, z), y1)
                z = lanes.load_at(beyond, r2 + t)
                x2, y2 = lanes.minimum(lanes.add(x, z), x2), lanes.minimum(lanes.add(y, z), y2)
                z = lanes.load_at(beyond, r3 + t)
                x3, y3 = lanes.minimum(lanes.add(x, z), x3), lanes.minimum(lanes.add(y, z), y3)
            to, other = v * width + a, w * width + a
            over[to], over[other] = lanes.least(x0), lanes.least(y0)
            if a + 1 < end:
                over[to + 1], over[other + 1] = lanes.least(x1), lanes.least(y1)
            if a + 2 < end:
                over[to + 2], over[other + 2] = lanes.least(x2), lanes.least(y2)
            if a + 3 < end:
                over[to + 3], over[other + 3] = lanes.least(x3), lanes.least(y3)


@kernel
def ways_over_lower(rows, width, count, below, begin, pitch, size, under, infinity):
    """Write the best ways over lower members, all of them among the first ``size``; four rows at a time."""
    far = lanes.all_lanes(under, infinity)
    for v in range(0, count, 4):
        w, x, y = min(v + 1, count - 1), min(v + 2, count - 1), min(v + 3, count - 1)
        for t in range(0, padded(size), LANES):
            a, b, c, d = far, far, far, far
            for k in range(t + 1, size):
                z = lanes.load_at(below, begin + k * pitch + t)
                a = lanes.minimum(lanes.add(z, rows[v * width + k]), a)
                b = lanes.minimum(lanes.add(z, rows[w * width + k]), b)
                c = lanes.minimum(lanes.add(z, rows[x * width + k]), c)
                d = lanes.minimum(lanes.add(z, rows[y * width + k]), d)
            lanes.store_at(under, v * width + t, a)
            lanes.store_at(under, w * width + t, b)
            lanes.store_at(under, x * width + t, c)
            lanes.store_at(under, y * width + t, d)


@inlined
def ways_inside(rows, width, v, low, below, beyond, begin, pitch, over, under, infinity):
    """Add the ways of row v over or to members ``low`` to ``low`` + v - 1: those of its own panel, settled before."""
    for b in range(low, low + v):
        through = rows[v * width + b]
        if through < infinity:
            for t in range(0, padded(b), LANES):
                to = v * width + t
                offered = lanes.add(lanes.load_at(below, begin + b * pitch + t), through)
                lanes.store_at(under, to, lanes.minimum(offered, lanes.load_at(under, to)))
    for a in range(low, low + v):
        best = lanes.all_lanes(over, infinity)
        for t in range(0, padded(a), LANES):
            offered = lanes.add(lanes.load_at(rows, v * width + t), lanes.load_at(beyond, begin + a * pitch + t))
            best = lanes.minimum(offered, best)
        over[v * width + a] = lanes.least(best)


@inlined
def decide(rows, width, v, count, over, under, below, row, keep, s, bits, infinity):
    """Write the distances of row v to the front, and which of its arcs are needed."""
    for a in range(count):
        arc, high, low = rows[v * width + a], over[v * width + a], under[v * width + a]
        below[row + a] = min(arc, min(high, low))
        keep[s + a] |= bits if arc < infinity and arc < high and arc <= low else np.uint8(0)
    for a in range(count, padded(count + 1)):
        below[row + a] = infinity


@kernel
def find_ways(rows, over, under, width, count, below, beyond, begin, pitch, size, infinity):
    """Write the best ways of ``count`` rows over the first ``size`` members, and to them."""
    if count > 0 and size > 0:
        ways_over_higher(rows, width, count, beyond, begin, pitch, size, over, infinity)
        ways_over_lower(rows, width, count, below, begin, pitch, size, under, infinity)


@kernel
def load_panel(low, count, up, weights, rows, width, over, under, infinity):
    """Load the shortcuts of ``count`` ranks from ``low`` on, and set all ways to none."""
    load_rows(rows, 0, width, up, low, low + count, weights, infinity)
    for i in range(count * width):
        over[i] = infinity
        under[i] = infinity


@kernel
def sharpen_panel(
    low, count, size, up, both, rows, over, under, back_rows, back_over, back_under, width, out, back, begin, pitch,
    keep, infinity,
):  # fmt: skip
    """Decide which arcs ``count`` ranks from ``low`` on need, once the ways between settled members are found.

    ``size`` members of their front are settled before; these ranks are its next members.
    """
    for v in range(count):
        row, s = begin + (size + v) * pitch, np.int64(up[low + v])
        for a in range(size + v):
            keep[s + a] = 0
        ways_inside(rows, width, v, size, out, back, begin, pitch, over, under, infinity)
        if both:
            ways_inside(back_rows, width, v, size, back, out, begin, pitch, back_over, back_under, infinity)
            decide(back_rows, width, v, size + v, back_over, back_under, back, row, keep, s, IN, infinity)
        decide(rows, width, v, size + v, over, under, out, row, keep, s, OUT if both else OUT | IN, infinity)


@kernel
def measure_fronts(begin, last, first, above, up, fronts):
    """Return how many entries the fronts on any way down a range of blocks take at most."""
    most, depth = np.int64(0), 0
    for b in range(begin, last):
        while depth > 0 and fronts[2 * (depth - 1)] != above[b]:
            depth -= 1
        start = fronts[2 * (depth - 1) + 1] if depth > 0 else np.int64(0)
        size = above_of(b, first, up) + first[b + 1] - first[b]
        fronts[2 * depth], fronts[2 * depth + 1] = b, start + size * padded(size)
        most = max(most, start + size * padded(size))
        depth += 1
    return most


@kernel
def sharpen_blocks(
    begin, last, first, above, up, heads, outs, ins, both, rows, over, under, back_rows, back_over, back_under, out,
    back, fronts, relative, keep, infinity, stop,
):  # fmt: skip
    """Decide which arcs the blocks ``begin`` to ``last`` - 1, a subtree, need.

    The distances between the ancestors of its root are at the start of ``out`` and ``back``. Fronts lie on a stack,
    each on its parent's.
    """
    depth = 0
    for b in range(begin, last):
        if stop[0] != 0:
            return
        while depth > 0 and fronts[2 * (depth - 1)] != above[b]:
            depth -= 1
        start = fronts[2 * (depth - 1) + 1] if depth > 0 else np.int64(0)
        count, own = above_of(b, first, up), np.int64(first[b + 1] - first[b])
        pitch = padded(count + own)
        if depth > 0:
            parent = fronts[2 * (depth - 1)]
            size = above_of(parent, first, up) + first[parent + 1] - first[parent]
            step = padded(size)
            relate(up, heads, first, b, parent, relative)
            take_distances(out, start - size * step, step, count, relative, out, start, pitch, infinity)
            if both:
                take_distances(back, start - size * step, step, count, relative, back, start, pitch, infinity)
        for i in range(0, own, PANEL):
            low, some, settled = np.int64(first[b]) + i, min(np.int64(PANEL), own - i), count + i
            load_panel(low, some, up, outs, rows, pitch, over, under, infinity)
            find_ways(rows, over, under, pitch, some, out, back, start, pitch, settled, infinity)
            if both:
                load_panel(low, some, up, ins, back_rows, pitch, back_over, back_under, infinity)
                find_ways(back_rows, back_over, back_under, pitch, some, back, out, start, pitch, settled, infinity)
            sharpen_panel(
                low, some, settled, up, both, rows, over, under, back_rows, back_over, back_under, pitch, out, back,
                start, pitch, keep, infinity,
            )  # fmt: skip
        fronts[2 * depth], fronts[2 * depth + 1] = b, start + (count + own) * pitch
        depth += 1

"""Straight strokes, one pixel wide and anti-aliased, for pictures of more edges than a plotting library can take.

A stroke is walked along its longer axis, one column (or row) of pixels at a time. The part of it inside that column
lays down ink: its length there, shared between the two pixels that its middle lies between. So a road made of a hundred
edges, each shorter than a pixel, is as dark as one made of a single edge. The colour of a pixel is that of the stroke
that put most ink there at once; the first one of equals.
"""

from __future__ import annotations

import math
from typing import Any

from ..jit import inlined, kernel


@inlined
def _lay(row: Any, column: Any, amount: Any, band: Any, ink: Any, most: Any, bands: Any) -> None:
    """Add ink to a pixel, if it lies inside the picture."""
    if 0 <= row < ink.shape[0] and 0 <= column < ink.shape[1]:
        ink[row, column] += amount
        if amount > most[row, column]:
            most[row, column] = amount
            bands[row, column] = band


@inlined
def _cut(x: Any, dx: Any, size: Any, low: Any, high: Any) -> Any:
    """Return which part, from 0 to 1, of a stroke lies between -1 and ``size + 1`` on one axis."""
    if dx == 0:
        if x < -1 or x > size + 1:
            return 1.0, 0.0
        return low, high
    first, last = (-1 - x) / dx, (size + 1 - x) / dx
    if first > last:
        first, last = last, first
    return max(low, first), min(high, last)


@inlined
def _walk(x: Any, y: Any, dx: Any, dy: Any, band: Any, ink: Any, most: Any, bands: Any) -> None:
    """Lay down the ink of a stroke one pixel wide."""
    steep = abs(dy) > abs(dx)
    if steep:
        x, y, dx, dy = y, x, dy, dx
    if dx < 0:
        x, y, dx, dy = x + dx, y + dy, -dx, -dy
    slope = dy / dx
    density = math.sqrt(1 + slope * slope)
    for column in range(math.floor(x), math.floor(x + dx) + 1):
        left, right = max(x, column), min(x + dx, column + 1.0)
        amount = (right - left) * density
        if amount <= 0:
            continue
        middle = y + slope * ((left + right) / 2 - x) - 0.5
        row = math.floor(middle)
        share = middle - row
        if steep:
            _lay(column, row, amount * (1 - share), band, ink, most, bands)
            _lay(column, row + 1, amount * share, band, ink, most, bands)
        else:
            _lay(row, column, amount * (1 - share), band, ink, most, bands)
            _lay(row + 1, column, amount * share, band, ink, most, bands)


@kernel
def stroke(
    xs: Any, ys: Any, tails: Any, heads: Any, colours: Any, widths: Any, ink: Any, most: Any, bands: Any
) -> None:
    """Draw a stroke for each edge; one of several pixels is as many strokes side by side.

    ``xs`` and ``ys`` are the positions of the vertices in pixels, y downwards; ``colours`` the band of each edge,
    ``widths`` the width of each band. What lies outside the picture is cut off.
    """
    height, width = ink.shape
    for e in range(len(tails)):
        u, v = tails[e], heads[e]
        x, y = float(xs[u]), float(ys[u])
        dx, dy = xs[v] - x, ys[v] - y
        low, high = _cut(x, dx, width, 0.0, 1.0)
        low, high = _cut(y, dy, height, low, high)
        if not low <= high or not abs(dx) + abs(dy) > 0:
            continue
        x, y, dx, dy = x + low * dx, y + low * dy, dx * (high - low), dy * (high - low)
        length = math.sqrt(dx * dx + dy * dy)
        if length == 0:
            continue
        count = max(1, round(widths[colours[e]]))
        for i in range(count):
            aside = (i - (count - 1) / 2) / length
            _walk(x - dy * aside, y + dx * aside, dx, dy, colours[e], ink, most, bands)


@kernel
def merge_arcs(
    offsets: Any, heads: Any, values: Any, starts: Any, others: Any, arcs: Any, last: Any, tails: Any, sums: Any
) -> int:
    """Add up the values of all arcs between each two vertices; return how many pairs of vertices have arcs.

    ``starts`` is 0 everywhere before, for every vertex and two more. ``others`` and ``arcs`` have room for every arc,
    ``last`` holds -1 for every vertex. Pair i ends up as ``tails[i]``, ``others[i]``, its first arc ``arcs[i]`` and
    ``sums[i]``. Loops are left out.
    """
    n = len(offsets) - 1
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            if heads[e] != u:
                starts[min(u, heads[e]) + 2] += 1
    for u in range(n):
        starts[u + 2] += starts[u + 1]
    for u in range(n):  # arcs by their smaller end
        for e in range(offsets[u], offsets[u + 1]):
            if heads[e] != u:
                at = starts[min(u, heads[e]) + 1]
                starts[min(u, heads[e]) + 1] = at + 1
                others[at], arcs[at] = max(u, heads[e]), e
    found = 0
    for u in range(n):
        first = found
        for i in range(starts[u], starts[u + 1]):
            v, e = others[i], arcs[i]
            if last[v] < first:  # of this pair, nothing was found yet
                last[v] = found
                tails[found], others[found], arcs[found], sums[found] = u, v, e, 0.0
                found += 1
            sums[last[v]] += values[e]
    return found


@kernel
def list_edges(offsets: Any, heads: Any, one_way: Any, few: Any, out_tails: Any, out_heads: Any, out_arcs: Any) -> int:
    """List every edge once, without loops: its ends and one of its arcs; return how many there are.

    An arc to a smaller vertex is left out if the arc back is there, too. In an undirected graph it is; else it is
    looked for in rows of at most ``few`` arcs. An edge that is listed twice is drawn twice, which shows no difference.
    """
    found = 0
    for u in range(len(offsets) - 1):
        for e in range(offsets[u], offsets[u + 1]):
            v = heads[e]
            wanted = v > u
            if v < u and one_way:
                wanted = True
                if offsets[v + 1] - offsets[v] <= few:
                    for f in range(offsets[v], offsets[v + 1]):
                        if heads[f] == u:
                            wanted = False
                            break
            if wanted:
                out_tails[found], out_heads[found], out_arcs[found] = u, v, e
                found += 1
    return found

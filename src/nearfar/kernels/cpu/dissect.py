"""Nested dissection: a graph is cut in two by a small separator, each half again, and so on (George 1973).

A *region* is a range of the array ``lines[0]``: the vertices that are cut next. Vertices eliminated in the order of the
final array, the separator of a region last, leave small cliques wherever the graph has small separators.

Every region has its vertices on two *lines*: by x and by y, or, where there are no coordinates, by how much nearer they
are to one end of the region than to the other, in arcs (`draw_lines`). A cut at place p of a line makes a separator of
those vertices before p that have neighbours behind it, or of those behind with neighbours before it. One pass over the
arcs counts both for every p (`best_cut`); the least separator, with a price on unequal halves, is taken.

All arrays are shared by all threads: a region uses its own range of places and its own vertices of each.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .least_cut import least_cut, separate_by

BEFORE, BEHIND, BETWEEN = 0, 1, 2  # sides of a cut
NO_REGION = -1
BAND, LEAST_REFINED = 4, 4  # vertices of the band on either side of a cut, per vertex of the separator; least separator
BY_FAR = 1.25  # a city map of 794,748 cells: 1.05 s of CPU time, with 1.5 1.32, with 100 1.54; as many shortcuts


@inlined
def count_cuts(line, lo, hi, starts, heads, region, place, before, behind):
    """Count, at every place of a line, by how much the two separators grow from the place before."""
    for i in range(lo, hi):
        place[line[i]] = i
        before[i] = 0
        behind[i] = 0
    for i in range(lo, hi):
        v = line[i]
        far, near = np.int64(i), np.int64(i)
        for e in range(starts[v], starts[v + 1]):
            u = heads[e]
            if region[u] == lo:
                j = np.int64(place[u])
                far = max(far, j)
                near = min(near, j)
        if far > i:  # before the cuts at places i + 1 to far, with a neighbour behind them
            before[i + 1] += 1
            if far + 1 < hi:
                before[far + 1] -= 1
        if near < i:
            behind[near + 1] += 1
            if i + 1 < hi:
                behind[i + 1] -= 1


@inlined
def best_cut(line, lo, hi, starts, heads, region, place, before, behind, least_share, price):
    """Return (cost, place, side, size) of the best cut of a line; the separator is on that side of the cut."""
    count_cuts(line, lo, hi, starts, heads, region, place, before, behind)
    size = hi - lo
    margin = max(np.int64(size * least_share), 1)
    best, at, side, least = np.inf, np.int64(lo + size // 2), BEFORE, np.int64(size)
    front, back = np.int64(0), np.int64(0)
    for p in range(lo + 1, hi):
        front += before[p]
        back += behind[p]
        if p - lo >= margin and hi - p >= margin:
            uneven = 2 * (p - lo) / size - 1
            cost = (min(front, back) + 0.5) * (1 + price * uneven * uneven)
            if cost < best:
                best, at, side = cost, np.int64(p), BEFORE if front <= back else BEHIND
                least = min(front, back)
    return best, at, side, least


@inlined
def separate(line, lo, hi, cut, side, starts, heads, region, place, sides):
    """Write the side of every vertex of a region; return how many are before and how many behind the separator."""
    first, second = np.int64(0), np.int64(0)
    for i in range(lo, hi):
        v = line[i]
        own = BEFORE if i < cut else BEHIND
        where = own
        if own == side:
            for e in range(starts[v], starts[v + 1]):
                u = heads[e]
                if region[u] == lo and (place[u] < cut) != (i < cut):
                    where = BETWEEN
                    break
        sides[v] = where
        first += where == BEFORE
        second += where == BEHIND
    return first, second


@inlined
def divide(line, lo, hi, first, second, sides, spare):
    """Put the vertices of a line that are before a separator first, then those behind it, then the separator."""
    for i in range(lo, hi):
        spare[i] = line[i]
    at = (lo, lo + first, lo + first + second)
    a, b, c = at
    for i in range(lo, hi):
        v = spare[i]
        where = sides[v]
        if where == BEFORE:
            line[a] = v
            a += 1
        elif where == BEHIND:
            line[b] = v
            b += 1
        else:
            line[c] = v
            c += 1


@inlined
def search(source, begin, lo, starts, heads, region, dist, queue):
    """Search a region breadth-first from a vertex; its distances are -1 before. Return where the queue ends."""
    queue[begin] = source
    dist[source] = 0
    end = begin + 1
    i = begin
    while i < end:
        v = queue[i]
        for e in range(starts[v], starts[v + 1]):
            u = heads[e]
            if region[u] == lo and dist[u] < 0:
                dist[u] = dist[v] + 1
                queue[end] = u
                end += 1
        i += 1
    return end


@inlined
def forget(line, lo, hi, dist):
    """Set the distances of a region to -1."""
    for i in range(lo, hi):
        dist[line[i]] = -1


@inlined
def sort_by(line, lo, hi, near, far, shift, counts, spare):
    """Sort the vertices of a line by how much nearer they are to one end than to the other, stably.

    Differences are from -``shift`` to ``shift``, and ``counts`` has room for twice the size of the region.
    """
    base = 2 * np.int64(lo)
    for k in range(2 * shift + 1):
        counts[base + k] = 0
    for i in range(lo, hi):
        v = line[i]
        counts[base + near[v] - far[v] + shift] += 1
        spare[i] = v
    total = np.int64(lo)
    for k in range(2 * shift + 1):
        count = counts[base + k]
        counts[base + k] = total
        total += count
    for i in range(lo, hi):
        v = spare[i]
        k = base + near[v] - far[v] + shift
        line[counts[k]] = v
        counts[k] += 1


@inlined
def part_components(line, lo, hi, starts, heads, region, dist, queue, sides):
    """Put components that make up about half of a region before, all others behind; return the number of the former.

    Returns 0 if the region is connected; ``queue[hi - 1]`` is then far from the first vertex of the line.
    """
    forget(line, lo, hi, dist)
    size, begin, end = hi - lo, lo, lo
    for i in range(lo, hi):
        if dist[line[i]] < 0:
            begin = end
            end = search(line[i], begin, lo, starts, heads, region, dist, queue)
            if end - begin == size:
                return np.int64(0)
            if 2 * (end - begin) > size:
                break
            begin = lo
            if 2 * (end - lo) >= size:
                break
    for i in range(lo, hi):
        sides[line[i]] = BEHIND
    for i in range(begin, end):
        sides[queue[i]] = BEFORE
    return end - begin


@inlined
def draw_lines(lines, lo, hi, starts, heads, region, dists, counts, queue):
    """Write both lines of a connected region by searches from its ends; ``queue[hi - 1]`` is one of them.

    The ends of the first line are far from each other; those of the second line are far from these two and from each
    other.
    """
    line, one = lines[0], queue[hi - 1]
    for k in range(4):
        forget(line, lo, hi, dists[k])
    search(one, lo, lo, starts, heads, region, dists[0], queue)
    other = queue[hi - 1]
    search(other, lo, lo, starts, heads, region, dists[1], queue)
    aside, most = one, np.int64(-1)
    for i in range(lo, hi):
        v = line[i]
        nearer = min(dists[0][v], dists[1][v])
        if nearer > most:
            aside, most = v, np.int64(nearer)
    search(aside, lo, lo, starts, heads, region, dists[2], queue)
    across = queue[hi - 1]
    search(across, lo, lo, starts, heads, region, dists[3], queue)
    sort_by(line, lo, hi, dists[2], dists[3], np.int64(dists[2][across]), counts, queue)
    for i in range(lo, hi):
        lines[1][i] = line[i]
    sort_by(line, lo, hi, dists[0], dists[1], np.int64(dists[0][other]), counts, queue)


@inlined
def longer_line(lines, lo, hi, places):
    """Return the line along which a region is longer by far, 0 or 1, or 2 if neither is or places are not known."""
    if len(places[0]) == 0:
        return 2
    x = places[0][lines[0][hi - 1]] - places[0][lines[0][lo]]
    y = places[1][lines[1][hi - 1]] - places[1][lines[1][lo]]
    if x > BY_FAR * y:
        return 0
    return 1 if y > BY_FAR * x else 2


@inlined
def choose_cut(lines, lo, hi, starts, heads, region, place, before, behind, places, share, price):
    """Return (line, place, side, size) of the best cut of a region; ``place`` is that of each vertex on the line.

    Where the region is longer by far along one line, only that one is tried: half of the time.
    """
    k = longer_line(lines, lo, hi, places)
    if k < 2:
        _, cut, side, size = best_cut(lines[k], lo, hi, starts, heads, region, place, before, behind, share, price)
        return k, cut, side, size
    other_cost, other, other_side, other_size = best_cut(
        lines[1], lo, hi, starts, heads, region, place, before, behind, share, price
    )
    cost, cut, side, size = best_cut(lines[0], lo, hi, starts, heads, region, place, before, behind, share, price)
    if cost <= other_cost:
        return 0, cut, side, size
    for i in range(lo, hi):
        place[lines[1][i]] = i
    return 1, other, other_side, other_size


@inlined
def cut_region(lines, lo, hi, starts, heads, region, place, before, behind, sides, places, flow, share, price):
    """Cut a region by the better of its lines; return how many vertices are before and behind the separator.

    If ``flow`` is not empty, the least separator within a band around the cut is taken.
    """
    k, cut, side, size = choose_cut(lines, lo, hi, starts, heads, region, place, before, behind, places, share, price)
    line = lines[k]
    if len(flow.arc) > 0 and size >= LEAST_REFINED:
        margin = max(np.int64((hi - lo) * share), 1)
        low, high = max(cut - BAND * size, lo + margin), min(cut + BAND * size, hi - margin)
        if low < high:
            _, phase = least_cut(
                line, low, high, lo, starts, heads, region, place, flow.ends, flow.before, flow.after, flow.entered,
                flow.left, flow.arc, flow.path, size,
            )  # fmt: skip
            if phase > 0:
                return separate_by(
                    line, lo, hi, low, high, flow.entered, flow.left, phase, sides, BEFORE, BEHIND, BETWEEN
                )
    return separate(line, lo, hi, cut, side, starts, heads, region, place, sides)


@kernel
def dissect(
    begin, end, most, lines, places, starts, heads, region, place, before, behind, sides, spare, dists, counts, flow,
    pending, small, share, price, stop,
):  # fmt: skip
    """Cut the region ``begin`` to ``end`` until all regions have at most ``most`` vertices; return their number.

    ``small[2 * i]`` and ``small[2 * i + 1]`` become the ends of region i, if there is room. ``dists`` and ``counts``
    are used if lines must be drawn: if ``places``, x and y of every vertex, are empty. ``pending`` is work space for
    the regions to come.
    """
    drawn = len(places[0]) == 0
    pending[0], pending[1] = begin, end
    waiting, found = 1, 0
    while waiting > 0 and stop[0] == 0:
        waiting -= 1
        lo, hi = np.int64(pending[2 * waiting]), np.int64(pending[2 * waiting + 1])
        if hi - lo <= most:
            if 2 * found + 1 < len(small):
                small[2 * found], small[2 * found + 1] = lo, hi
            found += 1
            continue
        first = np.int64(0)
        if drawn:
            first = part_components(lines[0], lo, hi, starts, heads, region, dists[0], spare, sides)
        if first > 0:
            second = hi - lo - first
        else:
            if drawn:
                draw_lines(lines, lo, hi, starts, heads, region, dists, counts, spare)
            first, second = cut_region(
                lines, lo, hi, starts, heads, region, place, before, behind, sides, places, flow, share, price
            )
        divide(lines[0], lo, hi, first, second, sides, spare)
        if not drawn:
            divide(lines[1], lo, hi, first, second, sides, spare)
        middle = lo + first
        for i in range(middle, hi):
            region[lines[0][i]] = middle if i < middle + second else NO_REGION
        # The larger region waits: so few wait at any time.
        larger, smaller = (lo, middle), (middle, middle + second)
        if first < second:
            larger, smaller = smaller, larger
        pending[2 * waiting], pending[2 * waiting + 1] = larger
        pending[2 * waiting + 2], pending[2 * waiting + 3] = smaller
        waiting += 2
    return found

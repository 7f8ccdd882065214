"""The least separator within a band of a region: as many vertices as there are disjoint paths across (Menger 1927).

A region's vertices lie on a line (dissect.py). The *band* is a range of places around a cut. Paths lead from the
vertices before the band, through vertices of the band, to those behind it; no two share a vertex. ``before[v]`` and
``after[v]`` are the neighbours of a vertex on its path: NOBODY off all paths, OUTSIDE at an end of the band.

Paths are found by augmenting, depth first, phase by phase: what a search has visited is not visited again in a phase
(as Pothen and Fan 1990 find matchings). A search may *enter* a vertex, and *leave* one. Whoever enters a vertex on a
path must follow it back, and leaves the vertex before; whoever has come back to a vertex leaves it to any neighbour, or
follows the path further back. When a phase finds no path, the vertices that can be entered and not left separate.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined

NOBODY, OUTSIDE = -1, -2


@inlined
def mark_ends(line, low, high, lo, starts, heads, region, place, ends):
    """Mark which vertices of the band have neighbours before it (bit 0) and behind it (bit 1)."""
    for i in range(low, high):
        v = line[i]
        ends[v] = 0
        for e in range(starts[v], starts[v + 1]):
            u = heads[e]
            if region[u] == lo and place[u] < low:
                ends[v] |= 1
            if region[u] == lo and place[u] >= high:
                ends[v] |= 2


@inlined
def follow(path, base, length, before, after):
    """Lead one more path along a search: ``path`` has the vertices entered, v, and those left, -v - 1."""
    came = np.int64(OUTSIDE)  # from where the vertex entered next is reached
    for i in range(base, base + length):
        step = np.int64(path[i])
        if step >= 0:
            old = np.int64(before[step])
            before[step] = came
            if came >= 0:
                after[came] = step
            came = step if old == NOBODY else old
        else:
            if came != -step - 1:  # the search went back along a path, over `came`: nobody passes it any more
                before[came], after[came] = NOBODY, NOBODY
            came = -step - 1
    after[came] = OUTSIDE


@inlined
def next_to_enter(v, low, high, lo, starts, heads, region, place, after, entered, phase, arc):
    """Return the next neighbour that can be entered from a vertex, or NOBODY; ``arc`` is where to look on."""
    while arc[v] < starts[v + 1]:
        u = heads[arc[v]]
        arc[v] += 1
        if region[u] == lo and low <= place[u] < high and entered[u] != phase and u != after[v]:
            return np.int64(u)
    return np.int64(NOBODY)


@inlined
def search_from(
    source, low, high, lo, starts, heads, region, place, ends, before, after, entered, left, phase, arc, path, base,
):  # fmt: skip
    """Search for one more path from a vertex at the beginning of the band; lead it and return whether there is one."""
    path[base], length = source, 1
    entered[source] = phase
    while length > 0:
        step = np.int64(path[base + length - 1])
        v = step if step >= 0 else -step - 1
        following = np.int64(OUTSIDE)  # whom the search leaves next, if anybody
        if step >= 0:
            following = v if before[v] == NOBODY else np.int64(before[v])
        else:
            if ends[v] & 2:
                follow(path, base, length, before, after)
                return True
            u = next_to_enter(v, low, high, lo, starts, heads, region, place, after, entered, phase, arc)
            if u != NOBODY:
                entered[u] = phase
                path[base + length] = u
                length += 1
                continue
            if before[v] >= 0 and after[v] != NOBODY:
                following = np.int64(before[v])
        if following >= 0 and left[following] != phase:
            left[following] = phase
            arc[following] = starts[following]
            path[base + length] = -following - 1
            length += 1
        else:
            length -= 1
    return False


@inlined
def least_cut(line, low, high, lo, starts, heads, region, place, ends, before, after, entered, left, arc, path, most):
    """Find the least separator within the band ``low`` to ``high`` - 1; return (its size, phase), or (most, -1).

    Vertices of the band with ``entered == phase`` and ``left != phase`` separate those with ``left == phase`` from the
    others. The search ends if ``most`` paths are found. ``path`` has two entries for every place of the line.
    """
    mark_ends(line, low, high, lo, starts, heads, region, place, ends)
    for i in range(low, high):
        v = line[i]
        before[v], after[v], entered[v], left[v] = NOBODY, NOBODY, 0, 0
    total, phase = np.int64(0), np.int32(0)
    while total < most:
        phase += np.int32(1)
        found = np.int64(0)
        for i in range(low, high):
            v = line[i]
            if ends[v] & 1 and entered[v] != phase and total + found < most:
                found += search_from(
                    v, low, high, lo, starts, heads, region, place, ends, before, after, entered, left, phase, arc,
                    path, 2 * lo,
                )  # fmt: skip
        if found == 0:
            return total, phase
        total += found
    return most, np.int32(-1)


@inlined
def separate_by(line, lo, hi, low, high, entered, left, phase, sides, before_side, behind_side, between):
    """Write the side of every vertex of a region after `least_cut`; return how many are before and behind."""
    first, second = np.int64(0), np.int64(0)
    for i in range(lo, hi):
        v = line[i]
        side = before_side if i < low else behind_side
        if low <= i < high:
            if left[v] == phase:
                side = before_side
            elif entered[v] == phase:
                side = between
        sides[v] = side
        first += side == before_side
        second += side == behind_side
    return first, second

"""Distances from LANES sources at once over an eliminated graph: climb from the sources, then sweep over all vertices.

A shortest path in an eliminated graph climbs to ancestors, then descends (customize.py). `climb` goes from a source
along its ancestors to the root and relaxes the arcs up; the distances it leaves at ancestors are called *offers*. A
*sweep* is one pass over all vertices, ancestors first: the distance of a vertex is the least of its offer and of the
paths over the ancestors that it has an arc from. There is no queue and no branch on distances: one vector load,
addition and minimum per arc serve LANES sources. This is PHAST (Delling, Goldberg, Nowatzyk, Werneck 2011) over an
elimination order.

What a sweep writes must not leave the cache before it is read for the last time, or memory would be the limit. Vertices
come in units (schedule.py): first the core and the tops of the tree, then subtrees of a few thousand vertices, whose
arcs come from tops or from the same unit. So ``dist`` has one row for every top, and behind these *one* set of rows,
the ring, that all units use in turn. The index of a row of ``dist`` is called a *cell*: for a top its position, for
others ``tops`` plus the position within the unit. As soon as all vertices of a cache line of the result are settled,
the line is written. Rows of vertices that belong to an earlier unit than their line were set aside (``kept``), in cells
behind the ring.

Invariant: values never pass ``infinity`` by more than one weight, since every minimum starts from it. So integers
cannot wrap if infinity plus the heaviest arc fits the type.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arguments import Couples, DownArcs, Lines
from .atomics import prefetch, prefetch_to_write, publish
from .constants import LANES, LINE_BYTES
from .couples import sweep_couples

# Lines ahead at which the rows of lanes of a line are prefetched, where more than one of this number of vertices is set
# aside: geometric graph of 200,000, int32, without 210 us per row on two threads, with 2, 4 and 8 lines 156, 145 and
# 191; New York with its vertices shuffled 249, 178, 181 and 190. In order, New York would take 79 instead of 71.
LINES_AHEAD, SCATTERED = 2, 4
AHEAD = 2  # lines ahead at which a line of the result is prefetched: NY 1.4 ms per batch, with 0 1.7, with 4 1.5


@inlined
def position_of(cell, tops, begin):
    """Return the position of the vertex in a cell, as seen from a unit that begins at position ``begin``."""
    return cell if cell < tops else cell - tops + begin


@kernel
def enter(parents, core, seeds, starts, ends, before, index, touched, offers, dist, infinity):
    """Give every ancestor of a seed a row of offers, and every seed its starting distance; return the number of rows.

    Lane i starts from ``seeds[ends[i]:ends[i + 1]]``, at 0, or at the distances ``starts`` if there are any.
    ``offers[index[v]]`` are the offers to vertex v, of all lanes; ``index`` is -1 where there are none; the ``before``
    entries of the last batch are reset first. The offers to the core are the rows of ``dist`` themselves.
    """
    far = lanes.splat(offers, infinity)
    for i in range(before):
        index[touched[i]] = -1
    for v in range(core):
        lanes.store(dist, v, far)
    count = np.int64(0)
    for lane in range(len(ends) - 1):
        for i in range(ends[lane], ends[lane + 1]):
            v = np.int64(seeds[i])
            while v >= core and index[v] < 0:
                index[v] = count
                touched[count] = v
                lanes.store(offers, count, far)
                count += 1
                v = np.int64(parents[v])
            v = np.int64(seeds[i])
            start = starts[i] if len(starts) > 0 else offers.dtype.type(0)
            if v < core:
                dist[v, lane] = start
            else:
                offers[index[v], lane] = start
    return count


@kernel
def climb(starts, arcs, begins, core, tops, index, touched, count, offers, dist):
    """Relax the arcs up from all vertices that have offers, the deepest first, in all lanes.

    ``touched[:count]`` are the positions of these vertices, ascending; ``begins[v]`` is where the unit of v begins.
    """
    for i in range(count - 1, -1, -1):
        v = np.uint64(np.uint32(touched[i]))
        here = lanes.load(offers, index[v])
        begin = np.int64(begins[v])
        for e in range(np.uint64(starts[v]), np.uint64(starts[v + np.uint64(1)])):
            u = position_of(np.int64(arcs[e]["head"]), tops, begin)
            offer = lanes.add(here, arcs[e]["weight"])
            if u < core:
                lanes.store(dist, u, lanes.minimum(lanes.load(dist, u), offer))
            else:
                at = index[np.uint64(u)]
                lanes.store(offers, at, lanes.minimum(lanes.load(offers, at), offer))


@inlined
def length_over(dist, arcs, e):
    """Return the length of the path over arc ``e``, in all lanes."""
    u = np.uint64(np.uint32(arcs[e]["head"]))
    return lanes.add(lanes.load(dist, u), arcs[e]["weight"])


@inlined
def sweep_alike(arcs, dist, far, e, cell, count, degree):
    """Settle ``count`` vertices with ``degree`` arcs each, from arc ``e`` and ``cell`` on.

    Up to three arcs have code without an inner loop, which would take as long as the arcs do.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    if degree == 1:
        for _ in range(count):
            lanes.store(dist, cell, lanes.minimum(far, length_over(dist, arcs, e)))
            e += one
            cell += one
    elif degree == 2:
        for _ in range(count):
            best = lanes.minimum(far, length_over(dist, arcs, e))
            lanes.store(dist, cell, lanes.minimum(best, length_over(dist, arcs, e + one)))
            e += two
            cell += one
    elif degree == 3:
        for _ in range(count):
            best = lanes.minimum(lanes.minimum(far, length_over(dist, arcs, e)), length_over(dist, arcs, e + one))
            lanes.store(dist, cell, lanes.minimum(best, length_over(dist, arcs, e + two)))
            e += three
            cell += one
    else:
        for _ in range(count):
            best = far
            last = e + np.uint64(degree)
            while e < last:
                best = lanes.minimum(best, length_over(dist, arcs, e))
                e += one
            lanes.store(dist, cell, best)
            cell += one


@inlined
def sweep_unit(down: DownArcs, u, dist, index, touched, t, offers, far, cell):
    """Settle the vertices of unit ``u`` into cells from ``cell`` on; return where in ``touched`` to go on."""
    starts, arcs, runs = down.starts, down.arcs, down.runs
    v, end, run = down.units[u], down.units[u + 1], down.run_starts[u]
    while v < end:
        degree = np.int64(starts[v + 1]) - np.int64(starts[v])
        e = np.uint64(starts[v])
        following = np.int64(touched[t])
        if v == following:  # the climb left offers here
            best = lanes.load(offers, index[v])
            for i in range(degree):
                best = lanes.minimum(best, length_over(dist, arcs, e + np.uint64(i)))
            lanes.store(dist, cell, best)
            t += 1
            count = np.int64(1)
        else:
            count = min(np.int64(runs[run + 1]), following, end) - v
            sweep_alike(arcs, dist, far, e, cell, count, degree)
        v += count
        cell += np.uint64(count)
        while runs[run + 1] <= v and v < end:
            run += 1
    return t


@inlined
def prefetch_rows(dist, columns, left):
    """Prefetch the rows of lanes that a line is made of: those that were set aside lie anywhere."""
    width = LINE_BYTES // dist.itemsize
    for j in range(width):
        at = np.uint64(np.uint32(columns[left + np.uint64(j)])) * np.uint64(LANES)
        for k in range(0, LANES, width):
            prefetch(dist, at + np.uint64(k))


@inlined
def write_single(dist, columns, low, high, out, bases, limit, unreached):
    """Write columns ``low`` to ``high`` - 1 of all lanes one by one."""
    for v in range(low, high):
        for lane in range(LANES):
            d = dist[columns[v], lane]
            out[bases[lane] + v] = d if d < limit else unreached


@kernel
def sweep_rows(
    down: DownArcs, couples: Couples | None, lines: Lines, dist, index, touched, offers, out, bases, limit, unreached,
    past, stop,
):  # fmt: skip
    """Settle all vertices but the core, unit by unit, and write every line of the result as soon as it is complete.

    Lane i goes to ``out[bases[i]:bases[i] + n]``; ``lines`` says when which part of it is complete. Values not below
    ``limit`` become ``unreached``. ``past``: lines are whole cache lines and are written past the caches, which then
    keep what the sweep reads. With ``couples``, two vertices are settled at a time.
    """
    far = lanes.splat(dist, down.infinity)
    lefts, line_starts, columns = lines.lines, lines.line_starts, lines.columns
    scattered = len(lines.kept) * SCATTERED > len(columns)
    t = np.int64(0)
    for u in range(len(down.units) - 1):
        if stop[0] != 0:
            return
        if u > 0:  # unit 0 is the core, settled before
            cell = np.uint64(min(down.units[u], down.tops))
            if couples is None:
                t = sweep_unit(down, u, dist, index, touched, t, offers, far, cell)
            else:
                t = sweep_couples(couples, down, u, dist, index, touched, t, offers, far, cell)
        if past:
            for i in range(line_starts[u], line_starts[u + 1]):
                if scattered and i + LINES_AHEAD < line_starts[u + 1]:
                    prefetch_rows(dist, columns, np.uint64(np.uint32(lefts[i + LINES_AHEAD])))
                lanes.transpose_past(dist, columns, out, bases, np.uint64(np.uint32(lefts[i])), limit, unreached)
        else:
            for i in range(line_starts[u], line_starts[u + 1]):
                if i + AHEAD < len(lefts):
                    for lane in range(LANES):
                        prefetch_to_write(out, np.uint64(bases[lane]) + np.uint64(np.uint32(lefts[i + AHEAD])))
                lanes.transpose(dist, columns, out, bases, np.uint64(np.uint32(lefts[i])), limit, unreached)
        to = np.uint64(down.cells + lines.keep_starts[u])
        for i in range(lines.keep_starts[u], lines.keep_starts[u + 1]):
            lanes.store(dist, to, lanes.load(dist, np.uint64(np.uint32(lines.kept[i]))))
            to += np.uint64(1)
    write_single(dist, columns, 0, lines.first, out, bases, limit, unreached)
    write_single(dist, columns, lines.rest, len(columns), out, bases, limit, unreached)
    if past:
        publish()


@kernel
def sweep_one(
    down: DownArcs, couples: Couples | None, first, last, vertices, dist, index, touched, offers, row, limit,
    unreached, stop,
):  # fmt: skip
    """Settle the vertices of units ``first`` to ``last`` - 1 for one source, from flat offers, into its row.

    ``dist`` and ``offers`` are flat: one lane wide. Units of subtrees depend only on the core and the tops, so threads
    can share them, each with its own ring.
    """
    far = lanes.splat(dist, down.infinity)
    t = np.searchsorted(touched, down.units[first])
    for u in range(first, last):
        if stop[0] != 0:
            return
        begin, end = down.units[u], down.units[u + 1]
        cell = np.uint64(min(begin, down.tops))
        if u > 0:  # unit 0 is the core, settled before
            if couples is None:
                t = sweep_unit(down, u, dist, index, touched, t, offers, far, cell)
            else:
                t = sweep_couples(couples, down, u, dist, index, touched, t, offers, far, cell)
        for i in range(end - begin):
            d = dist[cell + np.uint64(i)]
            row[vertices[begin + i]] = d if d < limit else unreached

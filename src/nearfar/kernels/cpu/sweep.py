"""Distances from LANES sources at once, over an eliminated graph: up from the sources, down over all vertices.

A shortest path in an eliminated graph climbs to ancestors, then descends (kernels/cpu/customize.py). `climb` walks from
a source along its ancestors to the root and relaxes the arcs up. A sweep is one pass over all vertices, ancestors
first: a vertex takes the least of what climbing left there and of the way over every ancestor it has an arc from. There
is no queue and no branch on distances: a vector load, add and minimum an arc serve LANES sources.

What a sweep writes must not leave the cache before it is read for the last time: memory would be the limit. Vertices
come in units (kernels/cpu/schedule.py): first the core and the tops of the tree, then subtrees of some thousand
vertices, whose arcs lead to tops or stay inside. So ``dist`` has a row for every top, and behind them *one* set of
rows, the ring, that all units use in turn. Where a row of ``dist`` lies is called a slot: the number of a top, or
``tops`` plus the place in the unit. As soon as all vertices of a cache line of the answer are settled, the line is
written. Those of them that belong to an earlier unit were set aside (``kept``) in slots behind the ring.

Values never pass ``infinity`` by more than one weight, since every minimum starts from it: integers cannot wrap if
infinity plus the heaviest arc fits.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .atomics import prefetch_to_write, publish
from .constants import LANES

AHEAD = 2  # lines before its turn that a line of the answer is asked for: NY 1.4 ms a batch, none 1.7, 4 1.5


@inlined
def number_of(slot, tops, begin):
    """Return the number of the vertex in a slot, seen from a unit that begins at number ``begin``."""
    return slot if slot < tops else slot - tops + begin


@kernel
def enter(parents, core, seeds, ends, before, index, touched, offers, dist, infinity):
    """Give every ancestor of a seed a row of offers, and the seeds their zeros; return how many rows there are.

    Lane i starts from ``seeds[ends[i]:ends[i + 1]]``. ``offers[index[v]]`` are the offers to vertex v, of all lanes;
    index is -1 where there is none, once the ``before`` touched ones of another batch are forgotten. The core's offers
    are the rows of ``dist`` itself.
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
            if v < core:
                dist[v, lane] = 0
            else:
                offers[index[v], lane] = 0
    return count


@kernel
def climb(starts, arcs, begins, core, tops, index, touched, count, offers, dist):
    """Relax the arcs up from all vertices that have offers, the deepest first, in all lanes.

    ``touched[:count]`` are these vertices in ascending order; ``begins[v]`` is the first number of the unit of v.
    """
    for i in range(count - 1, -1, -1):
        v = np.int64(touched[i])
        here = lanes.load(offers, index[v])
        begin = np.int64(begins[v])
        for e in range(starts[v], starts[v + 1]):
            u = number_of(np.int64(arcs[e]["head"]), tops, begin)
            offer = lanes.add(here, arcs[e]["weight"])
            if u < core:
                lanes.store(dist, u, lanes.minimum(lanes.load(dist, u), offer))
            else:
                at = index[u]
                lanes.store(offers, at, lanes.minimum(lanes.load(offers, at), offer))


@inlined
def over(dist, arcs, e):
    """Return the way over arc ``e``, in all lanes."""
    u = np.uint64(np.uint32(arcs[e]["head"]))
    return lanes.add(lanes.load(dist, u), arcs[e]["weight"])


@inlined
def sweep_alike(arcs, dist, far, e, slot, count, degree):
    """Settle ``count`` vertices with ``degree`` arcs each, from arc ``e`` and ``slot`` on.

    Few arcs are written out: a loop around them would take as long as they do.
    """
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    if degree == 1:
        for _ in range(count):
            lanes.store(dist, slot, lanes.minimum(far, over(dist, arcs, e)))
            e += one
            slot += one
    elif degree == 2:
        for _ in range(count):
            lanes.store(dist, slot, lanes.minimum(lanes.minimum(far, over(dist, arcs, e)), over(dist, arcs, e + one)))
            e += two
            slot += one
    elif degree == 3:
        for _ in range(count):
            best = lanes.minimum(lanes.minimum(far, over(dist, arcs, e)), over(dist, arcs, e + one))
            lanes.store(dist, slot, lanes.minimum(best, over(dist, arcs, e + two)))
            e += three
            slot += one
    else:
        for _ in range(count):
            best = far
            last = e + np.uint64(degree)
            while e < last:
                best = lanes.minimum(best, over(dist, arcs, e))
                e += one
            lanes.store(dist, slot, best)
            slot += one


@inlined
def sweep_unit(starts, arcs, run, runs, dist, index, touched, t, offers, far, begin, end, slot):
    """Settle vertices ``begin`` to ``end`` - 1 into slots from ``slot`` on; return where in ``touched`` to go on.

    ``runs`` are the numbers at which vertices with another number of arcs begin, from ``run`` on those of this unit.
    """
    v = begin
    while v < end:
        degree = np.int64(starts[v + 1]) - np.int64(starts[v])
        e = np.uint64(starts[v])
        following = np.int64(touched[t])
        if v == following:  # climbing left something here
            best = lanes.load(offers, index[v])
            for i in range(degree):
                best = lanes.minimum(best, over(dist, arcs, e + np.uint64(i)))
            lanes.store(dist, slot, best)
            t += 1
            count = np.int64(1)
        else:
            count = min(np.int64(runs[run + 1]), following, end) - v
            sweep_alike(arcs, dist, far, e, slot, count, degree)
        v += count
        slot += np.uint64(count)
        while runs[run + 1] <= v and v < end:
            run += 1
    return t


@inlined
def write_single(dist, columns, low, high, out, bases, limit, unreached):
    """Write some columns of all lanes, one by one."""
    for v in range(low, high):
        for lane in range(LANES):
            d = dist[columns[v], lane]
            out[bases[lane] + v] = d if d < limit else unreached


@kernel
def sweep_rows(
    starts, arcs, run_starts, runs, dist, index, touched, offers, units, tops, slots, first, rest, keep_starts, kept,
    line_starts, lines, columns, out, bases, infinity, limit, unreached, past, stop,
):  # fmt: skip
    """Settle all vertices but the core, unit by unit, and write every line of the answer as soon as it is complete.

    Lane i goes to ``out[bases[i]:bases[i] + n]``; ``columns`` tells the slot of every vertex when its line, one of
    ``lines[line_starts[u]:line_starts[u + 1]]``, is complete with unit u. What is not below ``limit`` is ``unreached``.
    ``past``: lines are whole cache lines and go past the caches, which then keep what the sweep reads.
    """
    far = lanes.splat(dist, infinity)
    t = np.int64(0)
    for u in range(len(units) - 1):
        if stop[0] != 0:
            return
        begin = units[u]
        slot = np.uint64(min(begin, tops))
        if u > 0:  # unit 0 is the core, settled before
            t = sweep_unit(
                starts, arcs, run_starts[u], runs, dist, index, touched, t, offers, far, begin, units[u + 1], slot
            )
        if past:
            for i in range(line_starts[u], line_starts[u + 1]):
                lanes.transpose_past(dist, columns, out, bases, np.uint64(np.uint32(lines[i])), limit, unreached)
        else:
            for i in range(line_starts[u], line_starts[u + 1]):
                if i + AHEAD < len(lines):
                    for lane in range(LANES):
                        prefetch_to_write(out, np.uint64(bases[lane]) + np.uint64(np.uint32(lines[i + AHEAD])))
                lanes.transpose(dist, columns, out, bases, np.uint64(np.uint32(lines[i])), limit, unreached)
        to = np.uint64(slots + keep_starts[u])
        for i in range(keep_starts[u], keep_starts[u + 1]):
            lanes.store(dist, to, lanes.load(dist, np.uint64(np.uint32(kept[i]))))
            to += np.uint64(1)
    write_single(dist, columns, 0, first, out, bases, limit, unreached)
    write_single(dist, columns, rest, len(columns), out, bases, limit, unreached)
    if past:
        publish()


@kernel
def sweep_sums(starts, arcs, run_starts, runs, dist, index, touched, offers, units, tops, sums, infinity, limit, stop):
    """Settle all vertices, as `sweep_rows` does, and add up the distances of every lane instead of writing them.

    ``sums`` is one row of lanes: the sum of the distances below ``limit``.
    """
    far = lanes.splat(dist, infinity)
    total = lanes.load(sums, 0)
    t = np.int64(0)
    for u in range(len(units) - 1):
        if stop[0] != 0:
            return
        begin, end = units[u], units[u + 1]
        slot = np.uint64(min(begin, tops))
        if u > 0:
            t = sweep_unit(starts, arcs, run_starts[u], runs, dist, index, touched, t, offers, far, begin, end, slot)
        for i in range(end - begin):
            total = lanes.add_below(total, lanes.load(dist, slot + np.uint64(i)), limit)
    lanes.store(sums, 0, total)


@inlined
def way_over(dist, arcs, e):
    """Return the way over arc ``e``, for one source."""
    return dist[np.uint64(np.uint32(arcs[e]["head"]))] + arcs[e]["weight"]


@inlined
def settle_alike(arcs, dist, infinity, e, slot, count, degree):
    """Settle ``count`` vertices with ``degree`` arcs each for one source, as `sweep_alike` does for LANES."""
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    if degree == 1:
        for _ in range(count):
            dist[slot] = min(infinity, way_over(dist, arcs, e))
            e += one
            slot += one
    elif degree == 2:
        for _ in range(count):
            dist[slot] = min(infinity, min(way_over(dist, arcs, e), way_over(dist, arcs, e + one)))
            e += two
            slot += one
    elif degree == 3:
        for _ in range(count):
            best = min(infinity, min(way_over(dist, arcs, e), way_over(dist, arcs, e + one)))
            dist[slot] = min(best, way_over(dist, arcs, e + two))
            e += three
            slot += one
    else:
        for _ in range(count):
            best = infinity
            last = e + np.uint64(degree)
            while e < last:
                best = min(best, way_over(dist, arcs, e))
                e += one
            dist[slot] = best
            slot += one


@kernel
def sweep_one(
    starts, arcs, run_starts, runs, vertices, dist, index, touched, offers, units, first, last, tops, row,
    infinity, limit, unreached, stop,
):  # fmt: skip
    """Settle the vertices of units ``first`` to ``last`` - 1 for one source, from the offers in lane 0, into its row.

    Units of subtrees need those of the core and the tops alone, so that threads can share them, each with a ring of its
    own. ``infinity`` is of the type of sums.
    """
    t = np.searchsorted(touched, units[first])
    for u in range(first, last):
        if stop[0] != 0:
            return
        begin, end = units[u], units[u + 1]
        base = np.uint64(min(begin, tops))
        slot, v, run = base, begin, run_starts[u]
        while v < end and u > 0:  # unit 0 is the core, settled before
            degree = np.int64(starts[v + 1]) - np.int64(starts[v])
            e = np.uint64(starts[v])
            following = np.int64(touched[t])
            if v == following:
                best = infinity
                best = min(best, offers[index[v], 0])
                for i in range(degree):
                    best = min(best, way_over(dist, arcs, e + np.uint64(i)))
                dist[slot] = best
                t += 1
                count = np.int64(1)
            else:
                count = min(np.int64(runs[run + 1]), following, end) - v
                settle_alike(arcs, dist, infinity, e, slot, count, degree)
            v += count
            slot += np.uint64(count)
            while runs[run + 1] <= v and v < end:
                run += 1
        for i in range(end - begin):
            d = dist[base + np.uint64(i)]
            row[vertices[begin + i]] = d if d < limit else unreached

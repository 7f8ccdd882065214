"""Betweenness over an eliminated graph: path counts in the sweep, dependencies pushed back up, for LANES sources.

Every shortcut knows its length and how many shortest paths of that length it stands for. A path between two vertices
has exactly one decomposition into shortcuts that climb and shortcuts that descend: cut it at its highest vertex, and
again at the highest of each part. So counts multiply along arcs, and add up where arcs tie.

*Forward*: `climb_counted` and `count_unit` do what climb and sweep do (sweep.py), with sigma, the number of shortest
paths, beside each distance. *Backward*, lowest vertices first: what arrives at a vertex, 1 if it is a target and what
was pushed to it, is pushed along its tight arcs, in proportion to the paths over each, and added to the load of these
arcs. What arrived by climbing is pushed down again along the tight climbing arcs, to the source.

A unit of the sweep depends on the tops alone, so it is swept forward and at once backward, in the same cells: no
distance leaves the cache. After all sources, `unpack_loads` hands the loads of shortcuts to what they stand for, once:
from the highest vertices down, to the lower triangles that are tight, in proportion to their counts.

Weights are positive. ``slack`` is the relative error up to which two lengths tie; 0 for integers.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arguments import DownArcs, Offers, UpArcs
from .batches import sort_marked
from .customize import POLL, find_shortcut
from .folds import is_far
from .sweep import enter, position_of

ONE = np.uint64(1)


@inlined
def ties(length, best, slack):
    """Tell whether a length is the best one, up to a relative error."""
    return length <= best + slack * best


@kernel
def count_direct(offsets, arcs, weights, ranks, up, heads, outs, ins, slack, out_counts, in_counts):
    """Count the arcs of the graph that are as short as their shortcuts: 1 each, however many are parallel."""
    for u in range(len(offsets) - 1):
        i = np.int64(ranks[u])
        for e in range(offsets[u], offsets[u + 1]):
            j = np.int64(ranks[arcs[e]["head"]])
            if i > j:
                s = find_shortcut(up, heads, i, j)
                if ties(weights[e], outs[s], slack):
                    out_counts[s] = 1.0
            elif i < j:
                s = find_shortcut(up, heads, j, i)
                if ties(weights[e], ins[s], slack):
                    in_counts[s] = 1.0


@kernel
def count_shortcuts(up, heads, outs, ins, infinity, slack, out_counts, in_counts, stop):
    """Count the shortest paths that every shortcut stands for: its arc, and the paths over lower vertices."""
    for v in range(len(up) - 2, -1, -1):
        if v & POLL == 0 and stop[0] != 0:
            return
        first, end = np.int64(up[v]), np.int64(up[v + 1])
        for p in range(first, end):
            r = np.int64(up[heads[p]])
            for q in range(first, p):
                while heads[r] != heads[q]:
                    r += 1
                if ins[p] < infinity and outs[q] < infinity and ties(ins[p] + outs[q], outs[r], slack):
                    out_counts[r] += in_counts[p] * out_counts[q]
                if ins[q] < infinity and outs[p] < infinity and ties(ins[q] + outs[p], ins[r], slack):
                    in_counts[r] += in_counts[q] * out_counts[p]


@inlined
def climb_counted(up: UpArcs, counts, offers: Offers, ups, count, slack):
    """Relax the arcs up from all vertices that have offers, the deepest first, and count the paths."""
    index, values = offers.index, offers.values
    for i in range(count - 1, -1, -1):
        v = np.uint64(np.uint32(offers.touched[i]))
        here, mine = lanes.load(values, index[v]), lanes.load(ups, index[v])
        begin = np.int64(up.begins[v])
        for e in range(np.uint64(up.starts[v]), np.uint64(up.starts[v + ONE])):
            at = index[np.uint64(position_of(np.int64(up.arcs[e]["head"]), up.tops, begin))]
            offer, more = lanes.add(here, up.arcs[e]["weight"]), lanes.multiply(mine, counts[e])
            best = lanes.load(values, at)
            lanes.store(ups, at, lanes.join_counts(best, lanes.load(ups, at), offer, more, slack))
            lanes.store(values, at, lanes.minimum(best, offer))


@inlined
def count_unit(down: DownArcs, counts, u, dist, sigma, offers: Offers, ups, t, far, nothing, slack):
    """Settle the vertices of unit ``u`` and count the paths to them; return where in ``touched`` to go on."""
    cell = np.uint64(min(down.units[u], down.tops))
    for v in range(down.units[u], down.units[u + 1]):
        best, paths = far, nothing
        if offers.touched[t] == v:  # the climb left offers here
            best, paths = lanes.load(offers.values, offers.index[v]), lanes.load(ups, offers.index[v])
            t += 1
        for e in range(np.uint64(down.starts[v]), np.uint64(down.starts[v + 1])):
            above = np.uint64(np.uint32(down.arcs[e]["head"]))
            length = lanes.add(lanes.load(dist, above), down.arcs[e]["weight"])
            more = lanes.multiply(lanes.load(sigma, above), counts[e])
            paths = lanes.join_counts(best, paths, length, more, slack)
            best = lanes.minimum(best, length)
        lanes.store(dist, cell, best)
        lanes.store(sigma, cell, paths)
        cell += ONE
    return t


@inlined
def push_unit(
    down: DownArcs, counts, u, dist, sigma, flow, offers: Offers, ups, backs, t, wanted, limit, nothing, slack,
    through, loads,
):  # fmt: skip
    """Push what arrives at the vertices of unit ``u`` to the tops and to its own vertices, the lowest first.

    ``touched[:t]`` are the vertices with offers up to the end of the unit. What arrived by climbing goes to ``backs``.
    """
    begin, end = np.int64(down.units[u]), np.int64(down.units[u + 1])
    cell = np.uint64(min(begin, np.int64(down.tops)) + end - begin)
    zero = lanes.splat(dist, 0)
    for v in range(end - 1, begin - 1, -1):
        cell -= ONE
        here, paths = lanes.load(dist, cell), lanes.load(sigma, cell)
        passing = lanes.where_less(zero, here, lanes.load(flow, cell), nothing)
        own = lanes.where_less(here, limit, lanes.where_less(zero, here, wanted[v], nothing), nothing)
        through[v] += lanes.total(passing)
        share = lanes.divide(lanes.add(passing, own), lanes.where_equal(paths, 0.0, 1.0, paths))
        if t > 0 and offers.touched[t - 1] == v:
            t -= 1
            at = offers.index[v]
            climbed = lanes.multiply(share, lanes.load(ups, at))
            lanes.store(backs, at, lanes.keep_ties(lanes.load(offers.values, at), here, slack, climbed))
        for e in range(np.uint64(down.starts[v]), np.uint64(down.starts[v + 1])):
            above = np.uint64(np.uint32(down.arcs[e]["head"]))
            length = lanes.add(lanes.load(dist, above), down.arcs[e]["weight"])
            part = lanes.multiply(lanes.multiply(share, lanes.load(sigma, above)), counts[e])
            part = lanes.keep_ties(length, here, slack, part)
            lanes.store(flow, above, lanes.add(lanes.load(flow, above), part))
            loads[e] += lanes.total(part)


@inlined
def push_down(up: UpArcs, counts, offers: Offers, ups, backs, count, zero, nothing, slack, through, loads):
    """Push what arrived by climbing back along the tight climbing arcs, the highest vertices first."""
    index, values = offers.index, offers.values
    for i in range(count):
        v = np.uint64(np.uint32(offers.touched[i]))
        here, mine, own = lanes.load(values, index[v]), lanes.load(ups, index[v]), lanes.load(backs, index[v])
        arrived, begin = own, np.int64(up.begins[v])
        for e in range(np.uint64(up.starts[v]), np.uint64(up.starts[v + ONE])):
            at = index[np.uint64(position_of(np.int64(up.arcs[e]["head"]), up.tops, begin))]
            part = lanes.multiply(lanes.multiply(lanes.load(backs, at), mine), counts[e])
            part = lanes.keep_ties(lanes.add(here, up.arcs[e]["weight"]), lanes.load(values, at), slack, part)
            arrived = lanes.add(arrived, part)
            loads[e] += lanes.total(part)
        passing = lanes.add(arrived, lanes.multiply(own, -1.0))
        through[v] += lanes.total(lanes.where_less(zero, here, passing, nothing))
        # From here on it is the share of each path that climbs to v.
        lanes.store(backs, index[v], lanes.divide(arrived, lanes.where_equal(mine, 0.0, 1.0, mine)))


@inlined
def clear(cells, first, last, nothing):
    """Set rows of lanes to 0."""
    for i in range(first, last):
        lanes.store(cells, np.uint64(i), nothing)


@kernel
def tally_batches(
    up: UpArcs, up_counts, down: DownArcs, down_counts, gates, offers: Offers, ups, backs, before, seeds, starts, ends,
    used, dist, sigma, flow, wanted, limit, slack, through, up_loads, down_loads, stop,
):  # fmt: skip
    """Add what passes through vertices and over shortcuts from LANES sources per batch, for every row of ``seeds``.

    Only the first ``used[b]`` lanes of batch b count. Returns how many vertices have offers at last.
    """
    count = np.int64(before)
    nothing, zero, far = lanes.splat(sigma, 0), lanes.splat(dist, 0), lanes.splat(dist, down.infinity)
    index, touched = offers.index, offers.touched
    for b in range(len(seeds)):
        if stop[0] != 0:
            return count
        count = enter(up.parents, up.core, seeds[b], starts, ends, count, index, touched, offers.values, dist,
                      down.infinity)  # fmt: skip
        sort_marked(touched, count, offers.marks, (len(index) + 63) >> 6)
        touched[count] = len(index)
        clear(ups, 0, count, nothing)
        clear(backs, 0, count, nothing)
        for lane in range(used[b]):
            ups[index[seeds[b, lane]], lane] = 1.0
        climb_counted(up, up_counts, offers, ups, count, slack)
        clear(flow, 0, down.tops, nothing)
        tops = count_unit(down, down_counts, 1, dist, sigma, offers, ups, np.int64(0), far, nothing, slack)
        t = tops
        for u in range(2, len(down.units) - 1):
            if gates is not None:  # noqa: SIM102 - Numba leaves the whole out if it is None
                if touched[t] >= down.units[u + 1] and is_far(gates, u, dist, far):
                    continue
            clear(flow, down.tops, down.tops + down.units[u + 1] - down.units[u], nothing)
            t = count_unit(down, down_counts, u, dist, sigma, offers, ups, t, far, nothing, slack)
            push_unit(down, down_counts, u, dist, sigma, flow, offers, ups, backs, t, wanted, limit, nothing, slack,
                      through, down_loads)  # fmt: skip
        push_unit(down, down_counts, 1, dist, sigma, flow, offers, ups, backs, tops, wanted, limit, nothing, slack,
                  through, down_loads)  # fmt: skip
        push_down(up, up_counts, offers, ups, backs, count, zero, nothing, slack, through, up_loads)
    return count


@kernel
def unpack_loads(up, heads, outs, ins, infinity, slack, out_counts, in_counts, out_loads, in_loads, through, stop):
    """Hand the load of every shortcut to the lower triangles that it stands for, from the highest vertices down."""
    for v in range(len(up) - 1):
        if v & POLL == 0 and stop[0] != 0:
            return
        first, end = np.int64(up[v]), np.int64(up[v + 1])
        for p in range(first, end):
            r = np.int64(up[heads[p]])
            for q in range(first, p):
                while heads[r] != heads[q]:
                    r += 1
                if out_loads[r] > 0 and in_counts[p] * out_counts[q] > 0 and ties(ins[p] + outs[q], outs[r], slack):
                    part = out_loads[r] * in_counts[p] * out_counts[q] / out_counts[r]
                    through[v] += part
                    in_loads[p] += part
                    out_loads[q] += part
                if in_loads[r] > 0 and in_counts[q] * out_counts[p] > 0 and ties(ins[q] + outs[p], ins[r], slack):
                    part = in_loads[r] * in_counts[q] * out_counts[p] / in_counts[r]
                    through[v] += part
                    in_loads[q] += part
                    out_loads[p] += part


@kernel
def load_arcs(
    offsets, arcs, weights, ranks, up, heads, outs, ins, slack, out_counts, in_counts, out_loads, in_loads, loads
):
    """Write the load of every arc of the graph; of parallel arcs that are as short, the first has it."""
    for u in range(len(offsets) - 1):
        i = np.int64(ranks[u])
        for e in range(offsets[u], offsets[u + 1]):
            loads[e] = 0.0
            j = np.int64(ranks[arcs[e]["head"]])
            if i > j:
                s = find_shortcut(up, heads, i, j)
                if ties(weights[e], outs[s], slack) and out_loads[s] > 0:
                    loads[e] = out_loads[s] / out_counts[s]
                    out_loads[s] = 0.0
            elif i < j:
                s = find_shortcut(up, heads, j, i)
                if ties(weights[e], ins[s], slack) and in_loads[s] > 0:
                    loads[e] = in_loads[s] / in_counts[s]
                    in_loads[s] = 0.0

"""Distances of pairs from labels: no climb, no search, the least sum over two short runs of memory.

The *label* of a vertex holds the lengths of its climbs to all its ancestors, by depth: first that to the root, last the
0 to itself. A shortest path leads over a common ancestor of its ends (pairs.py), and the common ancestors of two
vertices are those from the root down to the lowest one: a *prefix* of both labels. So a distance is the least sum of
two prefixes, entry by entry. These are hierarchical 2-hop labels (Ouyang, Qin, Chang, Lin, Zhang, Zhu 2018) over the
elimination tree. The vertices of a core count as ancestors of all others: the first entries of every label are the
distances to them.

How long the prefix is follows from ranks, which are a preorder. Let ``common[r]`` be the number of ancestors of rank r
without itself. Between two ranks u < v, the least of common[u + 1] ... common[v] is the length of the common prefix:
the child of the lowest common ancestor that leads to v is among these, and all others are below that ancestor. Minima
of ranges come from blocks: the least up to each end of its block for every vertex, and a table for runs of blocks.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arguments import LabelArrays
from .atomics import prefetch
from .constants import LANES

BLOCK = 64  # ranks of a block
FIRST, RANK, TAIL, LEAD = range(4)  # fields of an entry
FAR = 2**31 - 1  # the least of no numbers
AHEAD, LINES_AHEAD = 8, 4  # pairs ahead, and cache lines of a label, that are prefetched


@kernel
def count_common(parents, core, common):
    """Find for every rank how many ancestors it has beside itself; those of the core are ancestors of all."""
    for r in range(len(parents)):
        common[r] = core if parents[r] < 0 else common[parents[r]] + 1


@inlined
def length_of(r, core, common):
    """Return the number of entries of a label: one per ancestor, and one for itself if it is not in the core."""
    return np.int64(core if r < core else common[r] + 1)


@inlined
def rows_of(length):
    """Return the rows of lanes that hold this number of entries."""
    return (length + LANES - 1) // LANES


@kernel
def count_rows(core, common):
    """Return how many rows of lanes all labels have together."""
    rows = np.int64(0)
    for r in range(len(common)):
        rows += rows_of(length_of(r, core, common))
    return rows


@kernel
def count_climbs(parents, starts, arcs):
    """Return how many arcs the climbs from all positions relax; ``arcs`` is room for one number per position."""
    total = np.int64(0)
    for v in range(len(parents)):
        above = arcs[parents[v]] if parents[v] >= 0 else np.int64(0)
        arcs[v] = above + np.int64(starts[v + 1]) - np.int64(starts[v])
        total += arcs[v]
    return total


@kernel
def make_entries(vertices, core, common, entries):
    """Write the entry of every vertex: where its label begins, its rank, and minima within its block.

    Labels come in the order of ranks. TAIL is the least after the rank, LEAD the least up to it.
    """
    rows, n = np.int64(0), len(vertices)
    lead, tail = np.int32(FAR), np.int32(FAR)
    for r in range(n):
        v = vertices[r]
        lead = common[r] if r % BLOCK == 0 else min(lead, common[r])
        entries[v, FIRST], entries[v, RANK], entries[v, LEAD] = rows, r, lead
        rows += rows_of(length_of(r, core, common))
    for r in range(n - 1, -1, -1):
        tail = np.int32(FAR) if r % BLOCK == BLOCK - 1 else tail
        entries[vertices[r], TAIL] = tail
        tail = min(tail, common[r])


@kernel
def make_table(common, least, levels):
    """Write the least of 2 ** k blocks from each one on to ``least[k]``, and the rounded logarithm of each number."""
    blocks = least.shape[1]
    for b in range(blocks):
        found = np.int32(FAR)
        for r in range(b * BLOCK, min((b + 1) * BLOCK, len(common))):
            found = min(found, common[r])
        least[0, b] = found
    for k in range(1, len(least)):
        half = 1 << (k - 1)
        for b in range(blocks):
            least[k, b] = min(least[k - 1, b], least[k - 1, min(b + half, blocks - 1)])
    for i in range(2, len(levels)):
        levels[i] = levels[i >> 1] + 1


@kernel
def fill_labels(group, vertices, up, heads, weights, keep, bit, core, common, entries, labels, infinity, stop):
    """Write the labels of some ranks, ascending, whose ancestors have theirs already; those of the core are given.

    The climb from a vertex begins with one of its needed arcs (``keep`` has ``bit``) and goes on as from its head.
    """
    far = lanes.splat(labels, infinity)
    for i in range(len(group)):
        r = np.int64(group[i])
        if r < core:
            continue
        if stop[0] != 0:
            return
        first, length = np.uint64(entries[vertices[r], FIRST]), length_of(r, core, common)
        for row in range(np.uint64(rows_of(length))):
            lanes.store(labels, first + row, far)
        for s in range(up[r], up[r + 1]):
            if keep[s] & bit:
                head = np.int64(heads[s])
                other = np.uint64(entries[vertices[head], FIRST])
                weight = labels.dtype.type(weights[s])
                for row in range(np.uint64(rows_of(length_of(head, core, common)))):
                    over = lanes.add(lanes.load(labels, other + row), weight)
                    lanes.store(labels, first + row, lanes.minimum(lanes.load(labels, first + row), over))
        labels[first + np.uint64((length - 1) // LANES), (length - 1) % LANES] = 0


@inlined
def common_prefix(of: LabelArrays, s, t):
    """Return how many entries the labels of two different vertices have in common."""
    entries, least = of.entries, of.least
    if entries[s, RANK] > entries[t, RANK]:
        s, t = t, s
    u, v = np.int64(entries[s, RANK]), np.int64(entries[t, RANK])
    low, high = u // BLOCK, v // BLOCK
    if low == high:
        found = of.common[v]
        for r in range(u + 1, v):
            found = min(found, of.common[r])
        return np.int64(found)
    found = min(entries[s, TAIL], entries[t, LEAD])
    count = high - low - 1  # whole blocks between them
    if count > 0:
        k = np.int64(of.levels[count])
        found = min(found, least[k, low + 1], least[k, high - (1 << k)])
    return np.int64(found)


@inlined
def least_sum(of: LabelArrays, s, t, ramp, infinity):
    """Return the length of a shortest path from vertex s to vertex t, or at least the limit."""
    if s == t:
        return of.outs.dtype.type(0)
    length = common_prefix(of, s, t)
    first, other = np.uint64(of.entries[s, FIRST]), np.uint64(of.entries[t, FIRST])
    far = lanes.splat(of.outs, infinity)
    best, whole = far, np.uint64(length // LANES)
    for row in range(whole):
        best = lanes.minimum(best, lanes.add(lanes.load(of.outs, first + row), lanes.load(of.ins, other + row)))
    rest = np.int32(length % LANES)
    if rest > 0:
        over = lanes.add(lanes.load(of.outs, first + whole), lanes.load(of.ins, other + whole))
        best = lanes.minimum(best, lanes.where_less(ramp, rest, over, far))
    return lanes.least(best)


@inlined
def prefetch_label(labels, entries, v):
    """Prefetch the beginning of the label of a vertex."""
    at = np.uint64(entries[v, FIRST]) * np.uint64(LANES)
    for line in range(LINES_AHEAD):
        prefetch(labels, at + np.uint64(line * LANES))


@kernel
def ask_labels(of: LabelArrays, sources, targets, ramp, infinity, limit, unreached, found, stop):
    """Write the distance of every pair of vertices. ``ramp`` is one row of lanes: 0, 1, 2 and so on."""
    count = len(sources)
    steps = lanes.load(ramp, 0)
    for i in range(count):
        if i & 1023 == 0 and stop[0] != 0:
            return
        if i + 2 * AHEAD < count:
            prefetch(of.entries, np.int64(sources[i + 2 * AHEAD]) * 4)
            prefetch(of.entries, np.int64(targets[i + 2 * AHEAD]) * 4)
        if i + AHEAD < count:
            prefetch_label(of.outs, of.entries, np.uint64(sources[i + AHEAD]))
            prefetch_label(of.ins, of.entries, np.uint64(targets[i + AHEAD]))
        d = least_sum(of, np.uint64(sources[i]), np.uint64(targets[i]), steps, infinity)
        found[i] = d if d < limit else unreached


@kernel
def ask_label(of: LabelArrays, source, target, ramp, infinity):
    """Return the distance of one pair of vertices, or at least the limit."""
    return least_sum(of, np.uint64(source), np.uint64(target), lanes.load(ramp, 0), infinity)


@inlined
def entry_of(labels, entries, v, depth):
    """Return the entry of a label."""
    return labels[np.int64(entries[v, FIRST]) + depth // LANES, depth % LANES]


@kernel
def find_top(of: LabelArrays, source, target, infinity):
    """Return the depth of the top of a shortest path between two vertices, or -1 if there is none."""
    best, top = infinity, np.int64(-1)
    for depth in range(common_prefix(of, source, target)):
        d = entry_of(of.outs, of.entries, source, depth) + entry_of(of.ins, of.entries, target, depth)
        if d < best:
            best, top = d, np.int64(depth)
    return top


@kernel
def climb_by_label(of: LabelArrays, labels, up, heads, weights, keep, bit, vertices, core, rank, top, walk):
    """List the ranks of a shortest climb from a rank to its ancestor at the depth ``top``; return how many.

    Every arc of it is tight: the label of the head is shorter by its weight. The ancestor is not in the core.
    """
    r, count = np.int64(rank), np.int64(0)
    while True:
        walk[count] = r
        count += 1
        here = entry_of(labels, of.entries, vertices[r], top)
        if np.int64(of.common[r]) == top:
            return count
        following = np.int64(-1)
        for s in range(up[r], up[r + 1]):
            head = np.int64(heads[s])
            if keep[s] & bit and head >= core and np.int64(of.common[head]) >= top:
                over = entry_of(labels, of.entries, vertices[head], top)
                if over + labels.dtype.type(weights[s]) == here:
                    following = head
                    break
        if following < 0:
            return np.int64(-1)
        r = following

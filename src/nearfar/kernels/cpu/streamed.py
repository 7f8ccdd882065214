"""One row of distances on the blocks of arcs that are in memory; the others wait on the disk (methods/streamed.py).

A block holds ``1 << shift`` consecutive arcs. ``slots[b]`` says where block b lies in ``arcs``, -1 if it is not in
memory. A vertex is *pending* in a block while its distance is lower than when its arcs there were last relaxed. That is
noted for each vertex and each block that has arcs of it: ``pending[v + b]``, an index that no other pair has, since v
and b grow together along the arcs.

A call relaxes from the pending vertices until none is pending in a block that is in memory. What it lowers elsewhere
stays pending, and ``least[b]`` is lowered to the least distance pending in block b. Invariant: ``dist[v]`` is
``ceiling`` or the length of a real walk from a seed. When nothing is pending in any block, every arc was relaxed since
its tail last changed, so the row is exact, in whatever order blocks came.

Within a call, vertices up to a limit are taken first in, first out; when there are none, the limit rises by ``width``
(near-far: Davidson, Baxter, Garland, Owens 2014).
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .arcs import weight

POLL = 255  # the stop flag is read once every POLL + 1 vertices
NEAR, FAR = 1, 2  # the list that a vertex is in


@kernel
def start(offsets, shift, seeds, starts, pending, least, dist):
    """Put the seeds at their starting distances, pending in all their blocks."""
    for i in range(len(seeds)):
        s = seeds[i]
        if starts[i] < dist[s]:
            dist[s] = starts[i]
            if offsets[s] < offsets[s + 1]:
                for b in range(offsets[s] >> shift, ((offsets[s + 1] - 1) >> shift) + 1):
                    pending[s + b] = 1
                    least[b] = min(least[b], starts[i])


@inlined
def holder(offsets, e):
    """Return the vertex that arc ``e`` leaves."""
    low, high = 0, len(offsets) - 1  # offsets[low] <= e < offsets[high]
    while high - low > 1:
        middle = (low + high) // 2
        if offsets[middle] <= e:
            low = middle
        else:
            high = middle
    return low


@kernel
def gather(offsets, shift, blocks, pending, lists):
    """List the vertices that are pending in these blocks as far ones; return how many."""
    count = 0
    for i in range(len(blocks)):
        b = blocks[i]
        end = min((b + 1) << shift, offsets[-1])
        v = holder(offsets, b << shift)
        while offsets[v] < end:
            if pending[v + b] and lists.queued[v] == 0:
                lists.queued[v] = FAR
                lists.far[count] = v
                count += 1
            v += 1
    return count


@kernel
def count_pending(first, blocks, pending, counts):
    """Count the vertices that are pending in some blocks, in all rows; those of block b begin at ``first[b]``."""
    for i in range(len(blocks)):
        low, high = first[blocks[i]], first[blocks[i] + 1]
        total = 0
        for r in range(pending.shape[0]):
            for at in range(low, high):
                total += pending[r, at]
        counts[i] = total


@inlined
def raise_limit(dist, lists, distant, width, top):
    """Move the vertices up to ``width`` beyond the least far one to the near ones; return the limit, and how many."""
    lowest = top
    for i in range(distant):
        lowest = min(lowest, dist[lists.far[i]])
    limit = lowest + width if lowest < top - width else top
    kept = 0
    for i in range(distant):
        v = lists.far[i]
        if dist[v] <= limit:
            lists.queued[v] = NEAR
            lists.near[i - kept] = v
        else:
            lists.far[kept] = v
            kept += 1
    return limit, distant - kept


@inlined
def leave(lists, begin, size, distant):
    """Empty the lists; what is in them stays pending."""
    for i in range(size):
        at = begin + i
        lists.queued[lists.near[at if at < len(lists.near) else at - len(lists.near)]] = 0
    for i in range(distant):
        lists.queued[lists.far[i]] = 0


@kernel
def relax(offsets, arcs, shift, slots, blocks, top, width, zero, floor, rounds, lists, pending, least, used, step, stop,
          dist):  # fmt: skip
    """Relax from what is pending in ``blocks``, on all blocks in memory; return arcs relaxed, rounds, and whether done.

    It ends early, and what was to be done stays pending, when ``stop`` is set, after ``rounds`` rounds of the near
    ones, or when a distance is below ``floor``: no path is that short, so there is a negative cycle, and the caller
    looks for it at once, as after all rounds. ``least`` is
    ``top`` in blocks without pending vertices. ``used[b]`` is set to ``step`` in blocks with arcs that were relaxed.
    """
    near, far, queued = lists.near, lists.far, lists.queued
    begin, size, left, relaxed, used_rounds, taken = 0, 0, 0, 0, 0, 0
    limit = top
    distant = gather(offsets, shift, blocks, pending, lists)
    while size + distant > 0:
        if size == 0:
            begin = 0
            limit, size = raise_limit(dist, lists, distant, width, top)
            distant -= size
            left = 0
        if left == 0:
            if used_rounds >= rounds:
                leave(lists, begin, size, distant)
                return relaxed, used_rounds, False
            used_rounds += 1
            left = size
        taken += 1
        if taken & POLL == 0 and stop[0] != 0:
            leave(lists, begin, size, distant)
            return relaxed, used_rounds, False
        u = near[begin]
        begin = begin + 1 if begin + 1 < len(near) else 0
        size -= 1
        left -= 1
        queued[u] = 0
        reached = dist[u] + zero
        for b in range(offsets[u] >> shift, ((offsets[u + 1] - 1) >> shift) + 1):
            if slots[b] < 0 or pending[u + b] == 0:
                continue
            pending[u + b] = 0
            used[b] = step
            low, high = max(offsets[u], b << shift), min(offsets[u + 1], (b + 1) << shift)
            relaxed += high - low
            moved = (slots[b] - b) << shift
            for e in range(low + moved, high + moved):
                offer = reached + weight(arcs, e)
                v = arcs[e]["head"]
                if offer >= dist[v]:
                    continue
                dist[v] = offer
                is_here = wait(offsets, shift, slots, pending, least, v, offer)
                if offer < floor:
                    pending[u + b] = 1
                    leave(lists, begin, size, distant)
                    return relaxed, rounds, False  # all rounds are used up: sums would wrap soon
                if not is_here or queued[v] != 0:
                    continue
                if offer <= limit:
                    queued[v] = NEAR
                    at = begin + size
                    near[at if at < len(near) else at - len(near)] = v
                    size += 1
                else:
                    queued[v] = FAR
                    far[distant] = v
                    distant += 1
    for i in range(len(blocks)):
        least[blocks[i]] = top
    return relaxed, used_rounds, True


@kernel
def offer_tails(offsets, arcs, first, row, unreached, wide, pred):
    """Offer the tails of a piece of the arcs as predecessors, as `push` of trees.py does for whole rows.

    Entry i of ``offsets`` belongs to vertex ``first + i``. ``wide`` is an array of the type that sums are formed in.
    """
    number = wide.dtype.type
    for i in range(len(offsets) - 1):
        u = first + i
        reached = row[u]
        if reached == unreached:
            continue
        for e in range(offsets[i], offsets[i + 1]):
            v = arcs[e]["head"]
            is_tight = number(reached) + number(weight(arcs, e)) == row[v]
            # A sum that overflows may equal the value of unreached vertices; it is no path.
            if is_tight and reached < row[v] and row[v] != unreached and np.uint32(u) < pred[v]:
                pred[v] = u


@inlined
def wait(offsets, shift, slots, pending, least, v, offer):
    """Note that ``v``, lowered to ``offer``, is pending in all its blocks; return whether one of them is in memory."""
    is_here = False
    if offsets[v] < offsets[v + 1]:
        for b in range(offsets[v] >> shift, ((offsets[v + 1] - 1) >> shift) + 1):
            pending[v + b] = 1
            if slots[b] >= 0:
                is_here = True
            elif offer < least[b]:
                least[b] = offer
    return is_here

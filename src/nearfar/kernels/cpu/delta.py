"""Delta-stepping with all threads on one source, without barriers (after Wasp, SC 2025). Weights >= 0.

Every thread keeps its own bucket queue (kernels/cpu/buckets.py), works through it in order and lowers distances with an
atomic minimum; a vertex belongs to the thread that lowered it last. Threads drift apart, so a vertex may be relaxed
again after another thread has improved it: work is wasted then, never correctness. Invariant: every vertex that was
lowered since its arcs were last relaxed stands in somebody's queue or on the pile, at the level of its distance.

A thread whose next work lies far above another's level asks for some of that one's (kernels/cpu/pile.py), waits a
moment, and otherwise goes on with its own. Nobody waits for a thread that the system has put aside; a thread without
any work returns to its caller, which lets it sleep.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level, weight
from .atomics import add, load, prefetch, store, swap_if
from .buckets import FAR_LOOKS, FULL, NEAR, NOWHERE, next_level, open_queue, push_level, release, take
from .constants import CHUNK, LINE, PREFETCH_ARCS, PREFETCH_OFFSETS
from .pile import BUSY, CHUNKS, HUNGRY, LEVELS, STOP, beg, give, grab, is_over

LEVEL_SLACK = 3  # levels a thread may run ahead before it asks for another's work; 1: 1.04x and 1.09x, 8: 0.97x, 1.06x
PATIENCE = 10_000  # looks at the pile before a thread goes on, or to sleep (tens of microseconds); 1,000: 0.97x, 1.30x

DONE, HUNGER, GAVE_UP = 0, 1, 2


@kernel
def work(
    me, threads, offsets, arcs, leaves, seeds, scale, zero, limit,
    control, pile, sizes, levels, queue, ends, state, loot, stop, tally, dist,
):  # fmt: skip
    """Work on the row ``dist``, set up by the caller, as thread ``me``; return DONE (for all), HUNGER or GAVE_UP.

    ``seeds`` are the vertices this thread starts from; after HUNGER it is called again with none. ``tally`` counts
    the arcs each thread relaxed, on cache lines of their own. It gives up as kernels/cpu/dijkstra.py does.
    """
    wrap = len(ends) - 2
    open_queue(queue, ends, state)
    current, size, start = np.int64(0), np.int64(0), np.int64(0)
    for s in seeds:
        push_level(queue, ends, state, current, current, np.uint32(s))
    idle = len(seeds) == 0
    while True:
        ahead = next_level(queue, ends, state, current, scale, dist)
        store(control, LEVELS + LINE * me, ahead)
        if threads > 1:
            if load(control, CHUNKS) == 0:
                beg(control, threads, me, ahead, LEVEL_SLACK, PATIENCE)
            size, current = grab(control, pile, sizes, levels, me, idle, ahead, loot)
            if size > 0:
                idle = False
                tally[LINE * me] += relax_chunk(
                    offsets, arcs, leaves, current, scale, zero, loot, start, size, queue, ends, state, dist
                )
        else:
            current = ahead
        if stop[0] != 0 or state[FULL] != 0:  # before anything else: a full pool has lost entries
            store(control, STOP, 1)
            return GAVE_UP
        if ahead == NOWHERE and size == 0:
            if not idle:
                idle = True
                add(control, BUSY, -1)
            if is_over(control):
                return DONE
            return GAVE_UP if load(control, STOP) != 0 else HUNGER
        chunk, size = take(queue, ends, state, current & wrap)
        while size > 0:
            state[NEAR] -= size
            tally[LINE * me] += relax_chunk(
                offsets, arcs, leaves, current, scale, zero, queue, chunk * CHUNK, size, queue, ends, state, dist
            )
            release(queue, state, chunk)
            if stop[0] != 0 or state[FULL] != 0 or tally[LINE * me] + state[FAR_LOOKS] > limit:
                store(control, STOP, 1)
            if load(control, STOP) != 0:
                return GAVE_UP
            if threads > 1 and load(control, HUNGRY) > load(control, CHUNKS):
                state[NEAR] -= give(control, pile, sizes, levels, queue, ends, state, current)
            chunk, size = take(queue, ends, state, current & wrap)


@kernel
def relax_chunk(offsets, arcs, leaves, current, scale, zero, entries, start, size, queue, ends, state, dist):
    """Relax the arcs of ``entries[start + size]`` down to ``entries[start + 1]``; return how many arcs."""
    relaxed = 0
    for slot in range(start + size, max(start + size - PREFETCH_OFFSETS, start), -1):
        prefetch(offsets, entries[slot])
    for slot in range(start + size, start, -1):
        if slot - start > PREFETCH_OFFSETS:
            prefetch(offsets, entries[slot - PREFETCH_OFFSETS])
        if slot - start > PREFETCH_ARCS:
            prefetch(arcs, offsets[entries[slot - PREFETCH_ARCS]])
        u = np.uint32(entries[slot])  # unsigned: Numba then leaves out the test for an index below 0
        reached = load(dist, u) + zero
        if level(reached, scale) < current:
            continue  # stale: whoever lowered it has queued it
        begin, end = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        relaxed += np.int64(end - begin)
        for e in range(begin, end):
            offer = reached + weight(arcs, e)
            v = np.uint32(arcs[e]["head"])
            if lower(dist, v, offer) and leaves[v >> np.uint32(3)] >> (v & np.uint32(7)) & 1 == 0:
                push_level(queue, ends, state, current, level(offer, scale), v)
    return relaxed


@kernel
def lower(dist, v, offer):
    """Lower ``dist[v]`` to ``offer`` if that is less, whatever other threads do; return whether it was."""
    seen = load(dist, v)
    while offer < seen:
        if swap_if(dist, v, seen, offer):
            return True
        seen = load(dist, v)
    return False

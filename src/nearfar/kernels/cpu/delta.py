"""Delta-stepping with all threads on one source, without barriers (after Wasp, SC 2025). Weights >= 0.

Every thread has its own bucket queue (buckets.py), works through it in order and lowers distances with an atomic
minimum; a vertex belongs to the thread that lowered it last. Threads drift apart, so a vertex may be relaxed again
after another thread has improved it: that wastes work, but the result stays correct.

Invariant: every vertex that was lowered since its arcs were last relaxed is in some thread's queue or on the shared
pile, at the level of its distance.

A thread whose next work is far above another thread's level asks for some of that thread's work (pile.py), waits a
moment, and otherwise continues with its own. No thread waits for one that the system has suspended. A thread without
any work returns to its caller, which lets it sleep.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level
from .atomics import add, load, store
from .buckets import FAR_LOOKS, FULL, NEAR, NOWHERE, next_level, open_queue, push_level, release, take
from .constants import CHUNK, LINE
from .pile import BUSY, CHUNKS, HUNGRY, LEVELS, STOP, beg, give, grab, is_over
from .relax import relax_chunk

LEVEL_SLACK = 3  # levels a thread may be ahead before it asks for others' work; 1: 1.04x and 1.09x, 8: 0.97x, 1.06x
PATIENCE = 10_000  # reads of the pile before a thread goes on or to sleep (tens of microseconds); 1,000: 0.97x, 1.30x

DONE, HUNGER, GAVE_UP = 0, 1, 2


@kernel
def work(me, threads, graph, seeds, scale, zero, limit, pile, queue, loot, stop, tally, dist):
    """Work on the row ``dist``, set up by the caller, as thread ``me``; return DONE (for all), HUNGER or GAVE_UP.

    ``seeds`` are the vertices this thread starts from; after HUNGER it is called again with none. ``tally`` counts
    the arcs that each thread relaxed, each on its own cache lines. It gives up for the same reasons as dijkstra.py.
    """
    control, state = pile.control, queue.state
    wrap = len(queue.ends) - 2
    open_queue(queue)
    current, size, start = np.int64(0), np.int64(0), np.int64(0)
    for s in seeds:
        push_level(queue, current, level(load(dist, s), scale), np.uint32(s))
    idle = len(seeds) == 0
    while True:
        ahead = next_level(queue, current, scale, dist)
        store(control, LEVELS + LINE * me, ahead)
        if threads > 1:
            if load(control, CHUNKS) == 0:
                beg(pile, threads, me, ahead, LEVEL_SLACK, PATIENCE)
            size, current = grab(pile, me, idle, ahead, loot)
            if size > 0:
                idle = False
                tally[LINE * me] += relax_chunk(True, graph, current, scale, zero, loot, start, size, queue, dist)
        else:
            current = ahead
        if stop[0] != 0 or state[FULL] != 0:  # before anything else: a full pool has lost entries
            store(control, STOP, 1)
            return GAVE_UP
        if ahead == NOWHERE and size == 0:
            if not idle:
                idle = True
                add(control, BUSY, -1)
            if is_over(pile):
                return DONE
            return GAVE_UP if load(control, STOP) != 0 else HUNGER
        chunk, size = take(queue, current & wrap)
        while size > 0:
            state[NEAR] -= size
            tally[LINE * me] += relax_chunk(
                True, graph, current, scale, zero, queue.pool, chunk * CHUNK, size, queue, dist
            )
            release(queue, chunk)
            if stop[0] != 0 or state[FULL] != 0 or tally[LINE * me] + state[FAR_LOOKS] > limit:
                store(control, STOP, 1)
            if load(control, STOP) != 0:
                return GAVE_UP
            if threads > 1 and load(control, HUNGRY) > load(control, CHUNKS):
                state[NEAR] -= give(pile, queue, current)
            chunk, size = take(queue, current & wrap)

"""The shared pile of `delta`: chunks that busy threads put there for hungry ones. A short lock, never waited for.

``control`` holds the counters, each on cache lines of its own: LOCK, CHUNKS on the pile, HUNGRY threads, BUSY threads,
the STOP flag, MOVES to and from the pile, and from LEVELS on the level each thread works at. Counters are read and
written atomically, the pile itself only by who holds the lock. Who does not get the lock goes on without: a thread that
the system has put aside while holding it costs the others a missed exchange, not a wait.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .atomics import add, load, store, swap_if
from .buckets import release
from .constants import CHUNK, LINE, PILE

SPLIT = 16  # an open chunk is halved for a hungry thread from so many entries on; 8: 1.00x, 1.01x, 32: 1.00x, 1.15x
GIVE = 8  # full chunks given away at once, at most half of what is there
GIVE_LEVELS = 4  # levels from the current one on that a gift may come from

LOCK, CHUNKS, HUNGRY, BUSY, STOP, MOVES, LEVELS = 0, LINE, 2 * LINE, 3 * LINE, 4 * LINE, 5 * LINE, 6 * LINE


@kernel
def give(control, pile, sizes, levels, queue, ends, state, current):
    """Put up to half of a bucket at or soon after level ``current`` on the pile; return how many entries that were."""
    wrap = len(ends) - 2
    for at in range(current, current + GIVE_LEVELS):
        first = ends[at & wrap] // CHUNK
        if queue[first * CHUNK] != -1 or ends[at & wrap] - first * CHUNK > SPLIT:
            if not swap_if(control, LOCK, 0, 1):
                return 0
            if queue[first * CHUNK] != -1:
                given = give_chunks(control, pile, sizes, levels, queue, state, first, at)
            else:
                given = give_entries(control, pile, sizes, levels, queue, ends, at & wrap, at)
            add(control, MOVES, 1)
            store(control, LOCK, 0)
            return given
    return 0


@kernel
def give_chunks(control, pile, sizes, levels, queue, state, first, at):
    """Move half of the full chunks behind chunk ``first`` to the pile; return how many entries that were."""
    top = load(control, CHUNKS)
    wanted = min((count_chunks(queue, first) + 1) // 2, PILE - top)
    for slot in range(top, top + wanted):
        behind = np.int64(queue[first * CHUNK])
        copy_entries(queue, behind * CHUNK, CHUNK - 1, pile, slot * CHUNK)
        sizes[slot], levels[slot] = CHUNK - 1, at
        queue[first * CHUNK] = queue[behind * CHUNK]
        release(queue, state, behind)
    store(control, CHUNKS, top + wanted)
    return wanted * (CHUNK - 1)


@kernel
def give_entries(control, pile, sizes, levels, queue, ends, b, at):
    """Move half of the open chunk of bucket ``b`` to the pile; return how many entries that were."""
    top = load(control, CHUNKS)
    if top == PILE:
        return 0
    given = (ends[b] & (CHUNK - 1)) // 2
    ends[b] -= given
    copy_entries(queue, ends[b] - 1, given, pile, top * CHUNK)
    sizes[top], levels[top] = given, at
    store(control, CHUNKS, top + 1)
    return given


@kernel
def copy_entries(source, start, size, target, at):
    """Copy the ``size`` entries behind slot ``start`` of ``source`` behind slot ``at`` of ``target``."""
    for slot in range(1, size + 1):
        target[at + slot] = source[start + slot]


@kernel
def count_chunks(queue, first):
    """Count the full chunks behind chunk ``first``, as far as it matters."""
    count, chunk = 0, queue[first * CHUNK]
    while chunk != -1 and count < 2 * GIVE:
        count += 1
        chunk = queue[chunk * CHUNK]
    return count


@kernel
def grab(control, pile, sizes, levels, me, idle, limit, loot):
    """Move the top chunk of the pile to ``loot`` if its level is at most ``limit``; return size (or 0) and level."""
    if load(control, CHUNKS) == 0 or not swap_if(control, LOCK, 0, 1):
        return 0, limit
    size, at = 0, limit
    top = load(control, CHUNKS) - 1
    if top >= 0 and levels[top] <= limit:
        if idle:
            add(control, BUSY, 1)  # before the chunk leaves the pile: work is always seen in one place or the other
        size, at = sizes[top], levels[top]
        copy_entries(pile, top * CHUNK, size, loot, 0)
        store(control, LEVELS + LINE * me, at)
        add(control, MOVES, 1)  # before the pile shrinks: who sees it empty must see that something moved
        store(control, CHUNKS, top)
    store(control, LOCK, 0)
    return size, at


@kernel
def is_over(control):
    """Tell whether nobody has work and the pile is empty, both at one moment: nothing moved between the two looks."""
    moves = load(control, MOVES)
    return load(control, BUSY) == 0 and load(control, CHUNKS) == 0 and load(control, MOVES) == moves


@kernel
def beg(control, threads, me, level, slack, patience):
    """Ask for work if another thread is more than ``slack`` levels behind ``level``; wait a moment for an answer."""
    least = level
    for other in range(threads):
        least = min(least, load(control, LEVELS + LINE * other))
    if level - slack > least:
        add(control, HUNGRY, 1)
        for _ in range(patience):
            if load(control, CHUNKS) != 0 or load(control, STOP) != 0:
                break
        add(control, HUNGRY, -1)

"""Work sharing for `delta`: a pile of chunks that busy threads fill for hungry ones. No thread ever waits for its lock.

``control`` holds the counters, each on its own cache lines: LOCK, CHUNKS on the pile, HUNGRY threads, BUSY threads, the
STOP flag, MOVES to and from the pile, and, starting at LEVELS, the level at which each thread works. Counters are read
and written atomically; the pile itself is only touched by the thread that holds the lock. A thread that does not get
the lock goes on without it: if the system suspends a thread that holds the lock, the others miss an exchange but do not
wait.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .atomics import add, load, store, swap_if
from .buckets import release
from .constants import CHUNK, LINE, PILE

SPLIT = 16  # entries from which an open chunk is halved for a hungry thread; 8: 1.00x, 1.01x, 32: 1.00x, 1.15x
GIVE = 8  # full chunks given away at once, at most half of those in the bucket
GIVE_LEVELS = 4  # levels, starting at the current one, whose entries may be given away

LOCK, CHUNKS, HUNGRY, BUSY, STOP, MOVES, LEVELS = 0, LINE, 2 * LINE, 3 * LINE, 4 * LINE, 5 * LINE, 6 * LINE


@kernel
def give(pile, queue, current):
    """Put up to half of a bucket at or soon after level ``current`` on the pile; return how many entries."""
    wrap = len(queue.ends) - 2
    for at in range(current, current + GIVE_LEVELS):
        first = queue.ends[at & wrap] // CHUNK
        if queue.pool[first * CHUNK] != -1 or queue.ends[at & wrap] - first * CHUNK > SPLIT:
            if not swap_if(pile.control, LOCK, 0, 1):
                return 0
            if queue.pool[first * CHUNK] != -1:
                given = give_chunks(pile, queue, first, at)
            else:
                given = give_entries(pile, queue, at & wrap, at)
            add(pile.control, MOVES, 1)
            store(pile.control, LOCK, 0)
            return given
    return 0


@kernel
def give_chunks(pile, queue, first, at):
    """Move half of the full chunks after chunk ``first`` to the pile; return how many entries."""
    top = load(pile.control, CHUNKS)
    wanted = min((count_chunks(queue, first) + 1) // 2, PILE - top)
    for i in range(top, top + wanted):
        behind = np.int64(queue.pool[first * CHUNK])
        copy_entries(queue.pool, behind * CHUNK, CHUNK - 1, pile.chunks, i * CHUNK)
        pile.sizes[i], pile.levels[i] = CHUNK - 1, at
        queue.pool[first * CHUNK] = queue.pool[behind * CHUNK]
        release(queue, behind)
    store(pile.control, CHUNKS, top + wanted)
    return wanted * (CHUNK - 1)


@kernel
def give_entries(pile, queue, b, at):
    """Move half of the open chunk of bucket ``b`` to the pile; return how many entries."""
    top = load(pile.control, CHUNKS)
    if top == PILE:
        return 0
    given = (queue.ends[b] & (CHUNK - 1)) // 2
    queue.ends[b] -= given
    copy_entries(queue.pool, queue.ends[b] - 1, given, pile.chunks, top * CHUNK)
    pile.sizes[top], pile.levels[top] = given, at
    store(pile.control, CHUNKS, top + 1)
    return given


@kernel
def copy_entries(source, start, size, target, at):
    """Copy the ``size`` entries after position ``start`` of ``source`` to those after position ``at`` of ``target``."""
    for i in range(1, size + 1):
        target[at + i] = source[start + i]


@kernel
def count_chunks(queue, first):
    """Count the full chunks after chunk ``first``, up to twice GIVE."""
    count, chunk = 0, queue.pool[first * CHUNK]
    while chunk != -1 and count < 2 * GIVE:
        count += 1
        chunk = queue.pool[chunk * CHUNK]
    return count


@kernel
def grab(pile, me, idle, limit, loot):
    """Move the top chunk of the pile to ``loot`` if its level is at most ``limit``; return size (or 0) and level."""
    if load(pile.control, CHUNKS) == 0 or not swap_if(pile.control, LOCK, 0, 1):
        return 0, limit
    size, at = 0, limit
    top = load(pile.control, CHUNKS) - 1
    if top >= 0 and pile.levels[top] <= limit:
        if idle:
            add(pile.control, BUSY, 1)  # before the chunk leaves the pile: work always counts as busy or as on the pile
        size, at = pile.sizes[top], pile.levels[top]
        copy_entries(pile.chunks, top * CHUNK, size, loot, 0)
        store(pile.control, LEVELS + LINE * me, at)
        add(pile.control, MOVES, 1)  # before the pile shrinks: a thread that sees it empty must see the move
        store(pile.control, CHUNKS, top)
    store(pile.control, LOCK, 0)
    return size, at


@kernel
def is_over(pile):
    """Tell whether no thread has work and the pile is empty at the same moment: nothing moved between the two reads."""
    moves = load(pile.control, MOVES)
    return load(pile.control, BUSY) == 0 and load(pile.control, CHUNKS) == 0 and load(pile.control, MOVES) == moves


@kernel
def beg(pile, threads, me, level, slack, patience):
    """Ask for work if another thread is more than ``slack`` levels behind ``level``; wait a moment for an answer."""
    least = level
    for other in range(threads):
        least = min(least, load(pile.control, LEVELS + LINE * other))
    if level - slack > least:
        add(pile.control, HUNGRY, 1)
        for _ in range(patience):
            if load(pile.control, CHUNKS) != 0 or load(pile.control, STOP) != 0:
                break
        add(pile.control, HUNGRY, -1)

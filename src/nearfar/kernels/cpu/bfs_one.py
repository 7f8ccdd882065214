"""Breadth-first search of one row, level by level, by one thread or more (Beamer et al., SC 2012). Equal weights >= 0.

A level is either pushed or pulled. To push, the vertices of the frontier, a range of the queue, are taken one by one,
and their heads that are not reached yet are appended to the queue. To pull, every vertex that is not reached looks at
its tails until one of them is reached; most find one at once. The row itself tells what is reached: all else is at
``ceiling``. For pulling there are also two sets of bits, one bit per vertex: *seen* before this level, and after it. A
tail that is seen must be in the frontier, because the heads of all vertices before the frontier are seen, too.

Threads share a *step* (a level, or filling the row) as chunks. ``control[TICKET]`` holds the number of the step in its
upper half and the next chunk in the lower: adding 1 takes a chunk. ``control[OPEN]`` holds the same number and how many
chunks there are; none means that the search is over. Who finishes the last chunk *leads*: it searches levels alone as
long as they are narrow, while no other thread works, and then opens the next step. So a step waits for chunks that were
begun, but never for a thread that the system has put aside, and thousands of narrow levels cost no barriers.

Invariants between levels: ``queue[BEGIN:END]`` is the frontier if it was pushed; otherwise it is the difference of the
two sets of bits. A vertex is in the queue at most once. The current bits lack exactly ``queue[MARKED:END]``.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .atomics import add, load, prefetch, store, swap_if
from .bits import WORD, lowest
from .constants import LINE

PATIENCE = 10_000  # looks for a chunk before a thread goes to sleep: tens of microseconds, as in delta.py
# Sizes that were not tuned, but chosen so that a chunk takes about a microsecond or more.
FILL_CHUNK = 1 << 15  # distances of a chunk when the row is filled
PUSH_CHUNK = 64  # vertices of a chunk when a level is pushed
PULL_CHUNK = 16  # words, of 64 vertices each, of a chunk when a level is pulled
POLL_PUSH, POLL_PULL = 64 * PUSH_CHUNK, 64 * PULL_CHUNK  # the same for a thread alone: the stop flag is read that often
COUNTED = 512  # a frontier of more than one vertex in this many has its arcs counted; else they are estimated
# Entries of the queue ahead at which a vertex's offsets, and its arcs, are prefetched. Florida's roads, one thread:
# none 21.7 ms, 8 and 4 14.2, 16 and 8 12.8, 32 and 16 10.4, 64 and 32 10.8.
OFFSETS_AHEAD, ARCS_AHEAD = 32, 16
# Vertices ahead at which arcs are prefetched when a level is pulled. R-MAT 18: none 5.0 ms, 8 4.2, 16 3.6, 32 3.7.
PULL_AHEAD = 16
# Mean degree above which heads are tested by branches. With them, Florida (2.5) takes 1.3 times as long, and a directed
# Twitter (33) 0.8 times.
DENSE_DEGREE = 8
BUFFER, PIECE = 512, 128  # heads that a thread lists before it claims them, and arcs between two looks at the room left

DONE, HUNGER = 0, 1
FILL, PUSH, PULL = 0, 1, 2
TICKET, OPEN, FINISHED, TAIL = 0, LINE, 2 * LINE, 3 * LINE
FOUND, LEAVING, LOOKED = 4 * LINE, 4 * LINE + 1, 4 * LINE + 2
KIND, BEGIN, END, MARKED, SIDE, REACHED, STEPS, EXAMINED, LEVELS, TARGET = range(5 * LINE, 5 * LINE + 10)
SHARED_STEPS, PULLED_FOR_PUSHED, CONTROL_SIZE = range(5 * LINE + 10, 5 * LINE + 13)
"""Words of ``control``. All threads change, beside those named above, TAIL, the end of the queue, and, for this step,
vertices FOUND by pulling, arcs LEAVING them, arcs LOOKED at. Only the thread that leads changes the others: what the
step does; the frontier in the queue; how much of the queue is in the bits (-1: there are no bits yet), and which set of
bits is current; vertices reached; the expected size of the step; arcs examined, levels, and targets reached. The last
two are settings of the caller (methods/bfs_one.py)."""

LOW = 2**32 - 1


@kernel
def work(me, threads, graph, back, targets, step, ceiling, team, row, stop):
    """Search as thread ``me`` of a team set up by the caller; return DONE (for all), or HUNGER: nap and call again.

    ``back`` is the reversed graph; without arcs, levels are only pushed. ``step`` is the weight of every arc.
    ``ceiling``, in the type of the row, is the least distance that does not count as reached.
    """
    control, idle = team.control, 0
    while idle < PATIENCE:
        idle += 1
        opened = load(control, OPEN)
        if opened & LOW == 0:
            return DONE
        if load(control, TICKET) >= opened:
            continue  # all chunks are taken
        ticket = add(control, TICKET, 1)
        opened = load(control, OPEN)
        if ticket >> 32 != opened >> 32 or ticket >= opened:
            continue  # the step ended meanwhile
        if stop[0] == 0:  # otherwise the step is only counted to its end
            take_chunk(me, graph, back, ceiling, team, row, ticket & LOW)
        if add(control, FINISHED, 1) + 1 == opened & LOW:
            lead(threads, graph, back, targets, step, ceiling, team, row, stop)
        idle = 0
    return HUNGER


@kernel
def take_chunk(me, graph, back, ceiling, team, row, chunk):
    """Do one chunk of the step, while other threads do others."""
    control = team.control
    if control[KIND] == PUSH:
        begin = control[BEGIN] + chunk * PUSH_CHUNK
        push_shared(me, graph, begin, min(begin + PUSH_CHUNK, control[END]), ceiling, team, row)
    elif control[KIND] == PULL:
        pull(graph, back, chunk * PULL_CHUNK, (chunk + 1) * PULL_CHUNK, team, row)
    else:
        for v in range(np.uint64(chunk * FILL_CHUNK), np.uint64(min((chunk + 1) * FILL_CHUNK, len(row)))):
            row[v] = ceiling


@kernel
def lead(threads, graph, back, targets, step, ceiling, team, row, stop):
    """After the last chunk of a step: search narrow levels alone, then open the next step for all threads, or end."""
    control = team.control
    if control[KIND] == FILL and stop[0] == 0:
        for i in range(control[TAIL]):
            row[team.queue[i]] = team.value[0]
    while stop[0] == 0 and next_level(graph, back, targets, step, ceiling, team, row):
        if control[KIND] == PUSH:
            chunks = (control[END] - control[BEGIN] + PUSH_CHUNK - 1) // PUSH_CHUNK
        else:
            chunks = (len(team.seen) // 2 + PULL_CHUNK - 1) // PULL_CHUNK
        if threads > 1 and control[STEPS] >= control[SHARED_STEPS]:
            open_step(control, chunks)
            return
        search_alone(graph, back, ceiling, team, row, stop)
    open_step(control, 0)


@kernel
def open_step(control, chunks):
    """Let threads take the chunks of a new step; with none, the search is over."""
    number = (load(control, OPEN) >> 32) + 1
    store(control, FINISHED, 0)
    store(control, OPEN, number << 32 | chunks)  # first: tickets of the last step are void from here on
    store(control, TICKET, number << 32)


@kernel
def search_alone(graph, back, ceiling, team, row, stop):
    """Search one level, while no other thread works."""
    control = team.control
    if control[KIND] == PUSH:
        for begin in range(control[BEGIN], control[END], POLL_PUSH):
            if stop[0] != 0:
                return
            push(graph, begin, min(begin + POLL_PUSH, control[END]), ceiling, team, row)
    else:
        for word in range(0, len(team.seen) // 2, POLL_PULL):
            if stop[0] != 0:
                return
            pull(graph, back, word, word + POLL_PULL, team, row)


@kernel
def next_level(graph, back, targets, step, ceiling, team, row):
    """Close the level that was found, and prepare the step that finds the next; return whether there is one."""
    control, value = team.control, team.value
    control[EXAMINED] += control[LOOKED]
    if control[KIND] == PULL:
        control[SIDE] = 1 - control[SIDE]
        size = control[FOUND]
    else:
        control[BEGIN], control[END] = control[END], control[TAIL]
        size = control[END] - control[BEGIN]
    if size == 0:
        return False
    control[REACHED] += size
    control[LEVELS] += control[KIND] != FILL
    while control[TARGET] < len(targets) and row[targets[control[TARGET]]] != ceiling:
        control[TARGET] += 1
    further = value[0] + step
    if (
        control[REACHED] == len(row)
        or further >= ceiling
        or (0 < len(targets) == control[TARGET] and further > value[0])
    ):
        return False
    value[0] = further
    choose_direction(graph, back, size, team)
    control[LOOKED] = control[FOUND] = control[LEAVING] = 0
    return True


@kernel
def choose_direction(graph, back, size, team):
    """Decide whether the next level is pushed or pulled, and bring the frontier, of this size, into the form for it."""
    control, words = team.control, len(team.seen) // 2
    n, m = len(graph.offsets) - 1, len(graph.arcs)
    leaving = control[LEAVING]
    if control[KIND] != PULL:
        leaving = size * (m // n + 1)
        if size * COUNTED > n and len(back.arcs) > 0:
            leaving = count_leaving(graph, control[BEGIN], control[END], team.queue)
    unseen = n - control[REACHED]
    # An arc leads back to the frontier with a chance of leaving / m: one in m / leaving of them is enough.
    pulled = min(np.float64(m) / max(leaving, 1), np.float64(m) / n) * unseen
    if control[KIND] == PULL:
        pulled = min(pulled, np.float64(control[LOOKED]))
    pulled += unseen + words
    if len(back.arcs) > 0 and control[PULLED_FOR_PUSHED] * leaving > pulled:
        if control[KIND] != PULL:
            mark_seen(n, team)
        control[KIND], control[STEPS] = PULL, np.int64(pulled)
        return
    if control[KIND] == PULL:
        list_frontier(team)
    control[KIND], control[STEPS] = PUSH, leaving + size


@kernel
def count_leaving(graph, begin, end, queue):
    """Count the arcs that leave the frontier."""
    offsets, leaving = graph.offsets, np.int64(0)
    for i in range(np.uint64(begin), np.uint64(end)):
        u = np.uint32(queue[i])
        leaving += np.int64(offsets[u + np.uint32(1)]) - np.int64(offsets[u])
    return leaving


@kernel
def mark_seen(n, team):
    """Bring the bits up to date: set those of all vertices that were pushed since; at first, clear all others."""
    control, seen, words = team.control, team.seen, len(team.seen) // 2
    if control[MARKED] < 0:
        control[MARKED] = 0
        for word in range(words):
            seen[word] = np.uint64(0)
        for v in range(n, words * WORD):  # what is beyond the last vertex is never missing
            seen[words - 1] |= np.uint64(1) << np.uint64(v % WORD)
    here = np.uint64(words * control[SIDE])
    for i in range(np.uint64(control[MARKED]), np.uint64(control[END])):
        v = np.uint64(team.queue[i])
        seen[here + v // np.uint64(WORD)] |= np.uint64(1) << v % np.uint64(WORD)
    control[MARKED] = control[END]


@kernel
def list_frontier(team):
    """Append the vertices that the last pull found to the queue."""
    control, seen, words = team.control, team.seen, np.uint64(len(team.seen) // 2)
    now = words * np.uint64(control[SIDE])
    before, tail = words - now, np.uint64(control[TAIL])
    control[BEGIN] = control[TAIL]
    for word in range(words):
        fresh = seen[now + word] & ~seen[before + word]
        while fresh:
            team.queue[tail] = word * np.uint64(WORD) + lowest(fresh)
            tail += np.uint64(1)
            fresh &= fresh - np.uint64(1)
    control[TAIL] = control[END] = control[MARKED] = np.int64(tail)


@kernel
def push(graph, begin, end, ceiling, team, row):
    """Reach the heads of ``queue[begin:end]``, while no other thread works.

    In a sparse graph without branches: whether a head is reached already cannot be foreseen. In a dense one it nearly
    always is, and needs no stores. The queue has room for one entry too many.
    """
    offsets, arcs, queue, value = graph.offsets, graph.arcs, team.queue, row.dtype.type(team.value[0])
    tail, looked = np.uint64(team.control[TAIL]), np.int64(0)
    dense = len(arcs) > DENSE_DEGREE * len(row)
    for i in range(np.uint64(begin), np.uint64(end)):
        prefetch(offsets, queue[i + np.uint64(OFFSETS_AHEAD)])  # of the next level, too; behind it are vertices 0
        prefetch(arcs, offsets[np.uint32(queue[i + np.uint64(ARCS_AHEAD)])])
        u = np.uint32(queue[i])
        first, last = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        looked += np.int64(last - first)
        if dense:
            for e in range(first, last):
                v = np.uint32(arcs[e]["head"])
                if row[v] == ceiling:
                    row[v] = value
                    queue[tail] = v
                    tail += np.uint64(1)
            continue
        for e in range(first, last):
            v = np.uint32(arcs[e]["head"])
            known = row[v]
            queue[tail] = v
            tail += np.uint64(known == ceiling)
            row[v] = value if known == ceiling else known
    team.control[TAIL] = np.int64(tail)
    team.control[LOOKED] += looked


@kernel
def push_shared(me, graph, begin, end, ceiling, team, row):
    """Reach the heads of ``queue[begin:end]``, while other threads reach others.

    As above, without branches: heads that do not seem to be reached are listed first, and claimed later.
    """
    offsets, arcs, queue, listed = graph.offsets, graph.arcs, team.queue, team.buffers
    start, looked = np.uint64(me * BUFFER), np.int64(0)
    size, room = start, start + np.uint64(BUFFER - PIECE)
    for i in range(np.uint64(begin), np.uint64(end)):
        prefetch(offsets, queue[i + np.uint64(OFFSETS_AHEAD)])
        prefetch(arcs, offsets[np.uint32(queue[i + np.uint64(ARCS_AHEAD)])])
        u = np.uint32(queue[i])
        first, last = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        looked += np.int64(last - first)
        while first < last:
            if size > room:
                claim(start, size, ceiling, team, row)
                size = start
            piece = min(first + np.uint64(PIECE), last)
            for e in range(first, piece):
                v = np.uint32(arcs[e]["head"])
                listed[size] = v
                size += np.uint64(load(row, v) == ceiling)
            first = piece
    claim(start, size, ceiling, team, row)
    add(team.control, LOOKED, looked)


@kernel
def claim(start, end, ceiling, team, row):
    """Reach the heads ``buffers[start:end]``; append those to the queue that this thread is the first to reach."""
    listed, value, kept = team.buffers, team.value[0], start
    for i in range(start, end):
        v = np.uint32(listed[i])
        if swap_if(row, v, ceiling, value):
            listed[kept] = v
            kept += np.uint64(1)
    tail = np.uint64(add(team.control, TAIL, np.int64(kept - start)))
    for i in range(kept - start):
        team.queue[tail + i] = listed[start + i]


@kernel
def pull(graph, back, first, last, team, row):
    """Let the unseen vertices of words ``first`` to ``last - 1`` look for a tail that is seen."""
    offsets, tails, seen, value = back.offsets, back.arcs, team.seen, team.value[0]
    n, words = np.uint64(len(offsets) - 1), np.uint64(len(seen) // 2)
    here = words * np.uint64(team.control[SIDE])
    there = words - here
    found, leaving, looked = np.int64(0), np.int64(0), np.int64(0)
    for word in range(np.uint64(first), min(np.uint64(last), words)):
        known = seen[here + word]
        missing, fresh = ~known, np.uint64(0)
        while missing:
            bit = lowest(missing)
            missing &= missing - np.uint64(1)
            v = word * np.uint64(WORD) + bit
            prefetch(tails, offsets[min(v + np.uint64(PULL_AHEAD), n)])
            begin, end = np.uint64(offsets[v]), np.uint64(offsets[v + np.uint64(1)])
            for e in range(begin, end):
                looked += 1
                u = np.uint64(tails[e]["head"])
                if seen[here + u // np.uint64(WORD)] >> u % np.uint64(WORD) & np.uint64(1):
                    fresh |= np.uint64(1) << bit
                    row[v] = value
                    found += 1
                    leaving += np.int64(graph.offsets[v + np.uint64(1)]) - np.int64(graph.offsets[v])
                    break
        seen[there + word] = known | fresh
    add(team.control, FOUND, found)
    add(team.control, LEAVING, leaving)
    add(team.control, LOOKED, looked)

"""A bucket queue in chunks: the priority queue of `dijkstra` and of each thread of `delta`.

Bucket b of a window of B buckets (a power of two) is a chain of chunks of 64 slots in one pool, ``queue``. Slot 0 of
a chunk holds the number of the chunk behind it (-1: none); ``ends[b]`` is the next free slot of the first chunk, the
only one that is not full. So a push is one store and one increment, and a chunk freed by one bucket serves the next.
Bucket B, behind the window, is the far pile: entries too far ahead wait there until the window has moved.

Levels count buckets from distance 0; level L lives in bucket L modulo B while ``current <= L < current + B``.
Arguments have one type each (int64, and uint32 for a vertex), so that every helper is compiled once.

Entries are never removed when a vertex improves; who takes them out skips the stale ones.

If the pool is used up, pushes go to a scrap chunk and ``state[FULL]`` is raised: the caller starts again with a larger
pool. (A vertex is queued once for every improvement, so the bound is m, but two entries a vertex nearly always do.)
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level
from .constants import CHUNK

# state: first freed chunk, first unused chunk, pool used up, entries in the window, least level on the far pile, and
# how many of its entries were looked at
SPARE, FRESH, FULL, NEAR, FAR_LEVEL, FAR_LOOKS = 0, 1, 2, 3, 4, 5
STATE_SIZE = 6
NOWHERE = np.iinfo(np.int64).max  # the least level of an empty far pile
SCRAP = 0  # the chunk that takes what does not fit


@kernel
def open_queue(queue, ends, state):
    """Make every bucket, and the far pile behind them, an empty chunk; chunk 0 is scrap."""
    for b in range(len(ends)):
        queue[(b + 1) * CHUNK] = -1
        ends[b] = (b + 1) * CHUNK + 1
    state[SPARE], state[FRESH], state[FULL] = -1, len(ends) + 1, 0
    state[NEAR], state[FAR_LEVEL], state[FAR_LOOKS] = 0, NOWHERE, 0


@kernel
def fresh_chunk(queue, state, behind):
    """Return the first free slot of an empty chunk with chunk ``behind`` behind it."""
    chunk = state[SPARE]
    if chunk != -1:
        state[SPARE] = queue[chunk * CHUNK]
    elif (state[FRESH] + 1) * CHUNK <= len(queue):
        chunk = state[FRESH]
        state[FRESH] += 1
    else:
        state[FULL] = 1
        chunk, behind = SCRAP, -1
    queue[chunk * CHUNK] = behind
    return chunk * CHUNK + 1


@kernel
def push(queue, ends, state, b, v):
    """Put ``v`` into bucket ``b``."""
    end = ends[b]
    queue[end] = v
    end += 1
    if end & (CHUNK - 1) == 0:
        end = fresh_chunk(queue, state, end // CHUNK - 1)
    ends[b] = end


@kernel
def is_empty(queue, ends, b):
    """Tell whether nothing is in bucket ``b``."""
    end = ends[b]
    return end & (CHUNK - 1) == 1 and queue[end - 1] == -1


@kernel
def take(queue, ends, state, b):
    """Detach a chunk of bucket ``b``; return its number and how many entries it holds, 0 when the bucket is empty.

    A full chunk goes first, the open one last. The chunk is the caller's until it is given to ``release``.
    """
    end = ends[b]
    first = end // CHUNK
    behind = queue[first * CHUNK]
    if behind != -1:
        queue[first * CHUNK] = queue[behind * CHUNK]
        return np.int64(behind), np.int64(CHUNK - 1)
    size = end - first * CHUNK - 1
    if size > 0:
        ends[b] = fresh_chunk(queue, state, np.int64(-1))
    return first, size


@kernel
def release(queue, state, chunk):
    """Hand a chunk back to the pool."""
    if chunk != SCRAP:
        queue[chunk * CHUNK] = state[SPARE]
        state[SPARE] = chunk


@kernel
def push_level(queue, ends, state, current, at, v):
    """Put ``v`` into the bucket of level ``at``, or on the far pile if that lies beyond the window."""
    window = len(ends) - 1
    if at - current < window:
        push(queue, ends, state, at & (window - 1), v)
        state[NEAR] += 1
    else:
        push(queue, ends, state, window, v)
        state[FAR_LEVEL] = min(state[FAR_LEVEL], at)


@kernel
def next_level(queue, ends, state, current, scale, dist):
    """Return the first level from ``current`` on that has entries, NOWHERE if there are none at all.

    The far pile is shared out as the window reaches it.
    """
    while state[FULL] == 0:  # a pool that is used up has lost entries that are still counted
        if state[NEAR] == 0:
            if state[FAR_LEVEL] == NOWHERE:
                return NOWHERE
            current = state[FAR_LEVEL]
        if current >= state[FAR_LEVEL]:
            draw_near(queue, ends, state, current, scale, dist)
        elif is_empty(queue, ends, current & (len(ends) - 2)):
            current += 1
        else:
            return current
    return NOWHERE


@kernel
def draw_near(queue, ends, state, current, scale, dist):
    """Share the far pile out anew, now that the window stands at ``current``."""
    far = len(ends) - 1
    chunk = ends[far] // CHUNK
    size = ends[far] - chunk * CHUNK - 1
    ends[far] = fresh_chunk(queue, state, np.int64(-1))  # a new pile, for what is still too far
    state[FAR_LEVEL] = NOWHERE
    while chunk != -1 and state[FULL] == 0:
        state[FAR_LOOKS] += size
        for slot in range(chunk * CHUNK + 1, chunk * CHUNK + 1 + size):
            v = np.uint32(queue[slot])
            at = level(dist[v], scale)
            if at >= current:  # else it improved meanwhile, and that improvement was queued
                push_level(queue, ends, state, current, at, v)
        behind = queue[chunk * CHUNK]
        release(queue, state, chunk)
        chunk, size = np.int64(behind), np.int64(CHUNK - 1)

"""A bucket queue in chunks: the priority queue of `dijkstra` and of each thread of `delta`.

Bucket b of a window of B buckets (a power of two) is a linked list of chunks in one pool, ``queue``. A chunk has 64
entries. Entry 0 holds the index of the next chunk (-1: none), the others hold vertices. ``ends[b]`` is the position of
the next free entry in the first chunk, the only one that is not full. So a push is one store and one increment, and a
chunk freed by one bucket can be used by another. Bucket B, behind the window, is the far pile: vertices too far ahead
wait there until the window has moved.

Levels count buckets from distance 0; level L is in bucket L modulo B while ``current <= L < current + B``. Every
argument has one fixed type (int64, and uint32 for a vertex), so that every helper is compiled once.

Entries are never removed when a vertex improves; the caller skips stale ones when it takes them out.

If the pool is used up, pushes go to a scrap chunk and ``state[FULL]`` is set: the caller starts again with a larger
pool. (A vertex is queued once for every improvement, so the bound is m, but two entries per vertex nearly always
suffice.)
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from .arcs import level
from .constants import CHUNK

# state: first freed chunk, first unused chunk, whether the pool is used up, entries in the window, least level on the
# far pile, and how many entries of the far pile were examined
SPARE, FRESH, FULL, NEAR, FAR_LEVEL, FAR_LOOKS = 0, 1, 2, 3, 4, 5
STATE_SIZE = 6
NOWHERE = np.iinfo(np.int64).max  # the least level of an empty far pile
SCRAP = 0  # the chunk that takes the entries for which there is no room


@kernel
def open_queue(queue):
    """Give every bucket, and the far pile behind them, one empty chunk; chunk 0 is scrap."""
    for b in range(len(queue.ends)):
        queue.pool[(b + 1) * CHUNK] = -1
        queue.ends[b] = (b + 1) * CHUNK + 1
    queue.state[SPARE], queue.state[FRESH], queue.state[FULL] = -1, len(queue.ends) + 1, 0
    queue.state[NEAR], queue.state[FAR_LEVEL], queue.state[FAR_LOOKS] = 0, NOWHERE, 0


@kernel
def fresh_chunk(queue, behind):
    """Return the position of the first free entry in an empty chunk whose next chunk is ``behind``."""
    chunk = queue.state[SPARE]
    if chunk != -1:
        queue.state[SPARE] = queue.pool[chunk * CHUNK]
    elif (queue.state[FRESH] + 1) * CHUNK <= len(queue.pool):
        chunk = queue.state[FRESH]
        queue.state[FRESH] += 1
    else:
        queue.state[FULL] = 1
        chunk, behind = SCRAP, -1
    queue.pool[chunk * CHUNK] = behind
    return chunk * CHUNK + 1


@kernel
def push(queue, b, v):
    """Put ``v`` into bucket ``b``."""
    end = queue.ends[b]
    queue.pool[end] = v
    end += 1
    if end & (CHUNK - 1) == 0:
        end = fresh_chunk(queue, end // CHUNK - 1)
    queue.ends[b] = end


@kernel
def is_empty(queue, b):
    """Tell whether bucket ``b`` is empty."""
    end = queue.ends[b]
    return end & (CHUNK - 1) == 1 and queue.pool[end - 1] == -1


@kernel
def take(queue, b):
    """Detach a chunk of bucket ``b``; return its index and how many vertices it holds, 0 when the bucket is empty.

    Full chunks come first, the open one last. The chunk belongs to the caller until it is passed to ``release``.
    """
    end = queue.ends[b]
    first = end // CHUNK
    behind = queue.pool[first * CHUNK]
    if behind != -1:
        queue.pool[first * CHUNK] = queue.pool[behind * CHUNK]
        return np.int64(behind), np.int64(CHUNK - 1)
    size = end - first * CHUNK - 1
    if size > 0:
        queue.ends[b] = fresh_chunk(queue, np.int64(-1))
    return first, size


@kernel
def release(queue, chunk):
    """Return a chunk to the pool."""
    if chunk != SCRAP:
        queue.pool[chunk * CHUNK] = queue.state[SPARE]
        queue.state[SPARE] = chunk


@kernel
def push_level(queue, current, at, v):
    """Put ``v`` into the bucket of level ``at``, or on the far pile if that lies beyond the window."""
    window = len(queue.ends) - 1
    if at - current < window:
        push(queue, at & (window - 1), v)
        queue.state[NEAR] += 1
    else:
        push(queue, window, v)
        queue.state[FAR_LEVEL] = min(queue.state[FAR_LEVEL], at)


@kernel
def next_level(queue, current, scale, dist):
    """Return the first level, starting at ``current``, that has entries; NOWHERE if there are none at all.

    The entries of the far pile are distributed to the buckets when the window reaches them.
    """
    while queue.state[FULL] == 0:  # a pool that is used up has lost entries, which are still counted
        if queue.state[NEAR] == 0:
            if queue.state[FAR_LEVEL] == NOWHERE:
                return NOWHERE
            current = queue.state[FAR_LEVEL]
        if current >= queue.state[FAR_LEVEL]:
            draw_near(queue, current, scale, dist)
        elif is_empty(queue, current & (len(queue.ends) - 2)):
            current += 1
        else:
            return current
    return NOWHERE


@kernel
def draw_near(queue, current, scale, dist):
    """Distribute the far pile again, now that the window starts at ``current``."""
    far = len(queue.ends) - 1
    chunk = queue.ends[far] // CHUNK
    size = queue.ends[far] - chunk * CHUNK - 1
    queue.ends[far] = fresh_chunk(queue, np.int64(-1))  # a new pile, for entries that are still too far
    queue.state[FAR_LEVEL] = NOWHERE
    while chunk != -1 and queue.state[FULL] == 0:
        queue.state[FAR_LOOKS] += size
        for entry in range(chunk * CHUNK + 1, chunk * CHUNK + 1 + size):
            v = np.uint32(queue.pool[entry])
            at = level(dist[v], scale)
            if at >= current:  # otherwise it has improved meanwhile, and was queued again then
                push_level(queue, current, at, v)
        behind = queue.pool[chunk * CHUNK]
        release(queue, chunk)
        chunk, size = np.int64(behind), np.int64(CHUNK - 1)

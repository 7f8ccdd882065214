"""Breadth-first search from up to 512 sources at once, one bit per source (Then et al., VLDB 2015).

Every vertex has two sets of sources: those that have *seen* it, and those that reached it in the last level, which form
the *frontier*. A level is either pushed or pulled. To push, the vertices of the frontier pass their sets on to their
heads. To pull, every vertex that some source has not seen yet unites the sets of its tails, until no source is missing.
Pulling reads where pushing writes and can stop early, but it looks at every vertex; the number of arcs that leave the
frontier decides between the two. The frontier is also kept as a list, so that the cost of a level depends on what it
changes, not on n: deep graphs have thousands of small levels.

The level that first reached a vertex is kept as a code in bit planes (bits.py): codes 1 to 255 mean levels 0 to 254,
code 0 means none of them. When the codes are used up or the search ends, the rows are written, block by block of
vertices. Deeper levels are written bit by bit (`scatter`): Florida's roads, 64 sources, 4.8 s; with planes again 6.9.

Invariants between levels: the list holds exactly the vertices whose set in the frontier's half of ``sides`` is not
empty; the other half is empty everywhere; every source in the frontier's set of a vertex has seen that vertex.
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel
from .bits import (
    COLUMNS,
    GROUP,
    WORD,
    add_plane,
    common,
    empty,
    has_any,
    load,
    lowest,
    no_codes,
    prefetch,
    spread,
    store,
    store_codes,
    union,
    without,
    write_values,
)
from .constants import BFS_BLOCK as BLOCK

# Arcs ahead at which a set is prefetched. Twitter, the search of 512 sources: 8 29.1 ms, 16 27.9, 64 25.1, 128 25.1;
# with all levels pushed: 4 140 ms, 16 132, 64 134.
PULL_AHEAD = 64
PUSH_AHEAD = 16
# Arcs that can be pulled in the time of one that is pushed. Twitter, the search of 512 sources: 1 127 ms, 2 34.9, 4
# 29.1, 8 29.6; the power grid, the internet, Facebook and citations differ by less between 2 and 8.
PULLED_FOR_PUSHED = 4

PLANES = 8
LAST_CODE = 2**PLANES - 1
SIZE, CODE, SIDE, ARCS, LOOKED, PULLED, LEVELS, TARGET, STATE_SIZE = range(9)
"""Vertices in the frontier, code of their level, half of ``sides`` that holds them, arcs that leave them; arcs examined
so far, and by the last pull; levels that reached something; targets that all sources have seen."""

POLL = 1023  # the stop flag is read once every POLL + 1 vertices


@kernel
def search(offsets, heads, back_offsets, tails, targets, everyone, seen, sides, planes, live, lists, state, last, stop):
    """Search level after level until the frontier is empty, every target is seen, or code ``last`` is used.

    If ``last`` is 0, search one level and do not record it. ``back_offsets`` and ``tails`` are the reversed graph;
    without arcs, levels are only pushed. ``everyone`` and ``live`` are one line each: all sources, and the sources that
    still have a frontier.
    """
    n = len(offsets) - 1
    while state[SIZE] > 0 and (last == 0 or state[CODE] < last) and stop[0] == 0:
        while state[TARGET] < len(targets) and has_all(seen, targets[state[TARGET]], everyone):
            state[TARGET] += 1
        if 0 < len(targets) == state[TARGET]:
            state[SIZE] = 0
            return
        code = np.int64(0)
        if last > 0:
            state[CODE] += 1
            code = state[CODE]
            if code & (code - 1) == 0:
                clear_plane(planes, len(planes) // PLANES, code)
        size, side = state[SIZE], state[SIDE]
        state[SIDE] = 1 - side
        if len(tails) > 0 and PULLED_FOR_PUSHED * state[ARCS] > state[PULLED] + n:
            pull(offsets, back_offsets, tails, seen, sides, planes, np.uint64(code), live, lists, state, stop)
        else:
            push(offsets, heads, seen, sides, lists, size, state, stop)
            settle(offsets, seen, sides, planes, np.uint64(code), live, lists, state)
        leave(sides, lists, np.uint64(n * side), size)
        state[LEVELS] += state[SIZE] > 0
        if last == 0:
            return


@kernel
def has_all(lines, v, everyone):
    """Tell whether line ``v`` contains all sources."""
    return not has_any(without(load(everyone, 0), load(lines, v)))


@kernel
def clear_plane(planes, padded, code):
    """Clear the plane that this code, a power of two, is the first to use."""
    plane = 0
    while code >> (plane + 1):
        plane += 1
    nothing = empty(planes)
    for line in range(np.uint64(plane * padded), np.uint64((plane + 1) * padded)):
        store(planes, line, nothing)


@kernel
def leave(sides, lists, first, size):
    """Empty the sets of the previous frontier."""
    nothing = empty(sides)
    for i in range(first, first + np.uint64(size)):
        store(sides, first + np.uint32(lists[i]), nothing)


@kernel
def note_level(planes, padded, code, v, found):
    """Record in the planes that the sources ``found`` reach v at this level."""
    line = np.uint64(v)
    while code:
        if code & np.uint64(1):
            store(planes, line, union(load(planes, line), found))
        code >>= np.uint64(1)
        line += padded


@kernel
def pull(offsets, back_offsets, tails, seen, sides, planes, code, live, lists, state, stop):
    """Unite the sets of the tails of every vertex that some source has not seen; set ``state`` for the next level."""
    n, last = np.uint64(len(offsets) - 1), np.uint64(max(len(tails), 1) - 1)
    there = n * np.uint64(state[SIDE])
    here, padded = n - there, np.uint64(len(planes) // PLANES)
    alive, reached = load(live, 0), empty(live)
    size, looked, arcs = there, 0, np.int64(0)
    for v in range(n):
        if v & np.uint64(POLL) == 0 and stop[0] != 0:
            return
        known = load(seen, v)
        wanted = without(alive, known)
        if not has_any(wanted):
            continue
        found = empty(live)
        begin, end = np.uint64(back_offsets[v]), np.uint64(back_offsets[v + np.uint64(1)])
        for e in range(begin, end):
            prefetch(sides, here + np.uint32(tails[min(e + np.uint64(PULL_AHEAD), last)]))
            found = union(found, load(sides, here + np.uint32(tails[e])))
            looked += 1
            if not has_any(without(wanted, found)):
                break
        found = common(found, wanted)
        if has_any(found):
            store(sides, there + v, found)
            store(seen, v, union(known, found))
            note_level(planes, padded, code, v, found)
            reached = union(reached, found)
            lists[size] = v
            size += np.uint64(1)
            arcs += np.int64(offsets[v + np.uint64(1)]) - np.int64(offsets[v])
    store(live, 0, reached)
    state[SIZE], state[ARCS], state[PULLED] = np.int64(size - there), arcs, looked
    state[LOOKED] += looked


@kernel
def push(offsets, heads, seen, sides, lists, size, state, stop):
    """Pass the sets of the frontier's ``size`` vertices on to heads not seen yet; list the heads that are reached."""
    n, last = np.uint64(len(offsets) - 1), np.uint64(max(len(heads), 1) - 1)
    there = n * np.uint64(state[SIDE])
    here = n - there
    reached, looked = there, 0
    for i in range(here, here + np.uint64(size)):
        if i & np.uint64(POLL) == 0 and stop[0] != 0:
            return
        u = np.uint32(lists[i])
        given = load(sides, here + u)
        begin, end = np.uint64(offsets[u]), np.uint64(offsets[u + np.uint32(1)])
        looked += np.int64(end - begin)
        for e in range(begin, end):
            ahead = np.uint32(heads[min(e + np.uint64(PUSH_AHEAD), last)])
            prefetch(seen, ahead)
            prefetch(sides, there + ahead)
            v = np.uint32(heads[e])
            found = without(given, load(seen, v))
            if has_any(found):
                before = load(sides, there + v)
                if not has_any(before):
                    lists[reached] = v
                    reached += np.uint64(1)
                store(sides, there + v, union(before, found))
    state[SIZE] = np.int64(reached - there)
    state[LOOKED] += looked


@kernel
def settle(offsets, seen, sides, planes, code, live, lists, state):
    """Make the heads that were reached the new frontier: mark them seen, record their level, count their arcs."""
    n = np.uint64(len(offsets) - 1)
    there, padded = n * np.uint64(state[SIDE]), np.uint64(len(planes) // PLANES)
    reached, arcs = empty(live), np.int64(0)
    for i in range(there, there + np.uint64(state[SIZE])):
        v = np.uint32(lists[i])
        found = load(sides, there + v)
        store(seen, v, union(load(seen, v), found))
        note_level(planes, padded, code, v, found)
        reached = union(reached, found)
        arcs += np.int64(offsets[v + np.uint32(1)]) - np.int64(offsets[v])
    store(live, 0, reached)
    state[ARCS] = arcs


@kernel
def scatter(words, lists, state, batch, value, n, rows, stop):
    """Write ``value`` for every vertex of the frontier into the rows of its sources; ``words`` is ``sides``, flat.

    ``batch[i]`` is the row of source i. ``rows`` is flat.
    """
    n, width = np.uint64(n), np.uint64(len(words) // (2 * n))
    there = n * np.uint64(state[SIDE])
    for i in range(there, there + np.uint64(state[SIZE])):
        if i & np.uint64(POLL) == 0 and stop[0] != 0:
            return
        v = np.uint64(lists[i])
        for w in range(width):
            word = words[(there + v) * width + w]
            while word:
                source = w * np.uint64(WORD) + lowest(word)
                rows[np.uint64(batch[source]) * n + v] = value
                word &= word - np.uint64(1)


@kernel
def write_rows(planes, count, columns, codes, values, first, step, straight, batch, n, rows, stop):
    """Write the distances that the first ``count`` planes encode into the rows ``batch``.

    ``values[code]`` is the distance of a code, ``values[0]`` that of an unreached vertex. If ``straight``, a code above
    0 means ``first + code * step``, to the bit. ``rows`` is flat.
    """
    n, count, padded = np.uint64(n), np.uint64(count), np.uint64(len(planes) // PLANES)
    stride = np.uint64(len(columns) // PLANES)  # between the columns of two planes
    rest = values[0]
    for low in range(np.uint64(0), n, np.uint64(BLOCK)):
        if stop[0] != 0:
            return
        size = min(np.uint64(BLOCK), n - low)
        for plane in range(count):
            for v in range(np.uint64(0), size, np.uint64(GROUP)):
                spread(planes, plane * padded + low + v, columns, plane * stride + v, BLOCK)
        whole = size - size % np.uint64(COLUMNS) if straight else np.uint64(0)
        for i in range(np.uint64(len(batch))):
            at = np.uint64(batch[i]) * n + low
            column, mask = i // np.uint64(GROUP) * np.uint64(BLOCK), np.uint64(1) << (i % np.uint64(GROUP))
            for v in range(np.uint64(0), whole, np.uint64(COLUMNS)):
                found = gather(columns, column + v, mask, count, stride)
                write_values(rows, at + v, found, first, step, rest)
            for v in range(whole, size, np.uint64(COLUMNS)):
                store_codes(codes, 0, gather(columns, column + v, mask, count, stride))
                for j in range(min(np.uint64(COLUMNS), size - v)):
                    rows[at + v + j] = values[codes[j]]


@inlined
def gather(columns, start, mask, count, stride):
    """Return the codes of one source for COLUMNS vertices."""
    found = no_codes()
    for plane in range(count):
        found = add_plane(found, columns, start + plane * stride, mask, np.uint64(1) << plane)
    return found


@kernel
def tally_lines(lines, first, last, counters):
    """Count for every source in how many of the lines ``first`` to ``last`` - 1 it is.

    ``counters`` are lines, too, empty before: bit i of all counts is in line i, so that one addition with carry counts
    a line for all sources at once. Half of the lines change one counter, a quarter two, and so on.
    """
    for v in range(np.uint64(first), np.uint64(last)):
        carry = load(lines, v)
        i = np.uint64(0)
        while has_any(carry):
            before = load(counters, i)
            both = common(before, carry)
            store(counters, i, without(union(before, carry), both))
            carry = both
            i += np.uint64(1)

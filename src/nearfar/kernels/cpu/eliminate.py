"""Eliminate vertices in order of least degree: find the elimination order, and the neighbours of each vertex in turn.

Taking a vertex out of a graph keeps all distances among the others if every two of its neighbours are joined. Which
pairs these are depends on the topology alone; weights come later (customize.py). Neighbours in either direction are
kept as sorted lists in one pool; a list that outgrows its room moves to the end of the pool. The vertices of each
degree form a linked list, so that one of least degree is found at once.

Elimination is worth while as long as it leaves less to search: sweeping an arc of an eliminated vertex is cheap,
searching an arc of what is left (the core) is expensive. It stops when the estimate of both costs is HOPELESS times the
least it has been; the host then goes back to where it was least. It also stops where more than LARGE_CLIQUE vertices
are left and most pairs of them are joined: a matrix is better for these.

Invariant: lists hold vertices that are not eliminated, each once, ascending. ``up_heads[up[k]:up[k + 1]]`` are the
neighbours of the k-th vertex when it was eliminated; all of them are eliminated later or stay in the core. A call that
runs out of room has completed the last vertex and not begun the next, so it can be called again with more room.

Elimination by least degree is due to Tinney and Walker (1967), its use for shortest paths to Carré (1971).
"""

from __future__ import annotations

import numpy as np

from ..jit import inlined, kernel

# Elimination gives up when the estimate is this many times the least so far. Eliminations that end well reach 1.02 in
# NY, 1.24 on a grid of roads, 1.83 on a map with eight neighbours per cell (2.7 on one of 800,000 cells, which takes
# half a minute); uniform random graphs pass any limit.
HOPELESS = 2
# Number of vertices left above which elimination stops if most of their pairs are joined. Eliminating 2,000 takes
# seconds, closing their matrix a fifth of a second; with fewer, having no core is worth more.
LARGE_CLIQUE = 1024
# A neighbour with more than this many times the neighbours of the eliminated vertex is a hub: if it has nothing new to
# learn, its list is not merged, it only loses an entry. Without that, a star of 30,000 vertices took 491 ms.
HUB = 8

DONE, NEEDS_POOL, NEEDS_UP, STOPPED, DENSE, CLIQUE = 0, 1, 2, 3, 4, 5
# Indices into the array of counters: vertices eliminated, ends of pool and up-lists, where to look for the least
# degree, arcs among the vertices left, steps taken and allowed, least estimate so far, degree up to which elimination
# always goes on, cost of searching an arc (0: no core is wanted), when the estimate was least, after how many vertices
# to stop.
GONE, TOP, UP_TOP, LEAST, LEFT, STEPS, BUDGET, BEST, ALWAYS, SEARCH, BEST_AT, LIMIT, COUNTERS = range(13)
POLL = 255


@kernel
def count_neighbours(offsets, arcs, back_offsets, back_arcs, starts, heads, write):
    """Merge the sorted lists of heads and of tails of every vertex, without loops and repetitions.

    Called twice: with ``write`` 0 it counts into ``starts[v + 1]``, with 1 it writes to ``heads`` from ``starts[v]``.
    """
    for v in range(len(offsets) - 1):
        e, end = np.int64(offsets[v]), np.int64(offsets[v + 1])
        b, back_end = np.int64(back_offsets[v]), np.int64(back_offsets[v + 1])
        at, last = starts[v], np.int64(-1)
        begin = at
        while e < end or b < back_end:
            if b >= back_end or (e < end and arcs[e]["head"] <= back_arcs[b]["head"]):
                u = np.int64(arcs[e]["head"])
                e += 1
            else:
                u = np.int64(back_arcs[b]["head"])
                b += 1
            if u != v and u != last:
                if write == 1:
                    heads[at] = u
                at += 1
                last = u
        if write == 0:
            starts[v + 1] = at - begin


@kernel
def chain_by_degree(degree, first, after, before):
    """Link the vertices of each degree: ``first`` by degree, ``after`` and ``before`` by vertex, -1 at the ends."""
    first[:] = -1
    for v in range(len(degree) - 1, -1, -1):
        d = degree[v]
        after[v], before[v] = first[d], -1
        if first[d] >= 0:
            before[first[d]] = v
        first[d] = v


@kernel
def compact(start, degree, pool, fresh):
    """Copy the lists in use to a fresh pool, one after the other; return where they end."""
    top = np.int64(0)
    for v in range(len(start)):
        if degree[v] > 0:
            s = start[v]
            start[v] = top
            for i in range(degree[v]):
                fresh[top] = pool[s + i]
                top += 1
    return top


@inlined
def merge(pool, q, end, r, r_end, v, x, merged):
    """Merge two sorted lists of the pool, the first without v, the second without x; return the length."""
    c = np.int64(0)
    while q < end and r < r_end:
        a, b = pool[q], pool[r]
        if a == v:
            q += 1
        elif b == x:
            r += 1
        else:
            merged[c] = min(a, b)
            c += 1
            q += a <= b
            r += b <= a
    while q < end:
        a = pool[q]
        q += 1
        if a != v:
            merged[c] = a
            c += 1
    while r < r_end:
        b = pool[r]
        r += 1
        if b != x:
            merged[c] = b
            c += 1
    return c


@inlined
def find(pool, start, size, v):
    """Return the position in the pool of v, or of the first greater one, in a sorted list."""
    low, high = start, start + size
    while low < high:
        middle = (low + high) >> 1
        if pool[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def knows_all(pool, start, size, s, d, x):
    """Tell whether the list of x, from ``start`` on, has all d entries of the list at ``s`` but x itself."""
    for p in range(s, s + d):
        u = pool[p]
        if u != x:
            at = find(pool, start, size, u)
            if at == start + size or pool[at] != u:
                return False
    return True


@inlined
def drop(pool, start, size, v):
    """Remove v from a sorted list, by moving the shorter part of it; return where the list starts then."""
    at = find(pool, start, size, v)
    if at - start < size // 2:
        for i in range(at, start, -1):
            pool[i] = pool[i - 1]
        return start + 1
    for i in range(at, start + size - 1):
        pool[i] = pool[i + 1]
    return start


@inlined
def move(x, old, new, first, after, before):
    """Move a vertex from the linked list of one degree to that of another."""
    if before[x] < 0:
        first[old] = after[x]
    else:
        after[before[x]] = after[x]
    if after[x] >= 0:
        before[after[x]] = before[x]
    after[x], before[x] = first[new], -1
    if first[new] >= 0:
        before[first[new]] = x
    first[new] = x


@kernel
def eliminate(start, degree, pool, first, after, before, order, up, up_heads, merged, counters, stop):
    """Eliminate vertices until none is left or it is no longer worth while; return why it ended."""
    n = len(order)
    k, top, up_top, least = counters[GONE], counters[TOP], counters[UP_TOP], counters[LEAST]
    left, steps, best = counters[LEFT], counters[STEPS], counters[BEST]
    outcome = DONE
    while k < n:
        if k & POLL == 0 and stop[0] != 0:
            outcome = STOPPED
            break
        while first[least] < 0:
            least += 1
        v = first[least]
        d = np.int64(least)
        s = start[v]
        estimate = up_top + counters[SEARCH] * left
        if d <= counters[ALWAYS] or estimate < best:
            counters[BEST_AT] = k
        best = min(best, estimate)
        if counters[SEARCH] > 0 and n - k > LARGE_CLIQUE and 2 * d >= n - k:
            outcome = CLIQUE
            break
        poor = counters[SEARCH] > 0 and estimate > HOPELESS * best
        if k >= counters[LIMIT] or (d > counters[ALWAYS] and (poor or steps > counters[BUDGET])):
            outcome = DENSE
            break
        room = np.int64(0)
        for p in range(s, s + d):
            room += degree[pool[p]] + d
        if top + room > len(pool):
            outcome = NEEDS_POOL
            break
        if up_top + d > len(up_heads):
            outcome = NEEDS_UP
            break
        first[least] = after[v]
        if after[v] >= 0:
            before[after[v]] = -1
        order[k], up[k] = v, up_top
        for p in range(s, s + d):
            up_heads[up_top] = pool[p]
            up_top += 1
        degree[v] = 0
        left -= 2 * d
        for p in range(s, s + d):  # neighbour x: its list becomes its own without v, merged with that of v without x
            x = pool[p]
            old = np.int64(degree[x])
            if old > HUB * d and knows_all(pool, start[x], old, s, d, x):
                start[x] = drop(pool, start[x], old, v)
                steps += HUB * d
                move(x, old, old - 1, first, after, before)
                degree[x] = old - 1
                least = min(least, old - 1)
                continue
            steps += old + d
            c = merge(pool, start[x], start[x] + old, s, s + d, v, x, merged)
            if c > old:
                start[x] = top
                top += c
            at = start[x]
            for i in range(c):
                pool[at + i] = merged[i]
            left += c - (old - 1)
            if c != old:
                move(x, old, c, first, after, before)
                degree[x] = c
                least = min(least, c)
        k += 1
    counters[GONE], counters[TOP], counters[UP_TOP], counters[LEAST] = k, top, up_top, least
    counters[LEFT], counters[STEPS], counters[BEST] = left, steps, best
    return outcome

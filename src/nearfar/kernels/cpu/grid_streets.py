"""Streets of a generated grid: sorted by their luck, chosen for a spanning tree and beyond, and laid out as rows.

A record is the luck of a street, as a whole number, and the crossing from which it leads east or south; a street
down has bit `DOWN` set, too. So records in order are streets in order of luck and, if it is the same, of the input,
which has the streets across first, row after row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel

DIGIT = 12  # bits of a key that are sorted at a time: 4096 cursors fit the fastest cache
DOWN = 62  # the bit of streets down
CROSSING = (1 << DOWN) - 1
AHEAD = 12  # streets between fetching and using. Of 4 M crossings a street took 57 ns, with 1: 64; with divisions 82
DIGITS = 2  # of the highest bits that differ: what they leave unsorted is next to its place


@inlined
def group_of(luck, groups):
    """Return the group of a luck; 1 plus a number below 1 may be rounded to 2."""
    return min(int((luck - 1.0) * groups), groups - 1)


@kernel
def group_streets(luck: Any, first: Any, across: Any, cols: Any, groups: Any, cursor: Any, out: Any) -> None:
    """Write the records of streets, numbered from ``first`` in the input, to the groups of their luck, from 1 to 2.

    ``across`` is the number of streets across.
    """
    row, col = (first // (cols - 1), first % (cols - 1)) if first < across else (0, 0)
    for i in range(len(luck)):
        g = group_of(luck[i], groups)
        at = cursor[g]
        cursor[g] = at + 1
        out[at, 0] = np.int64(luck[i] * 4503599627370496.0)  # 2**52: all bits of it are whole then
        if first + i < across:
            out[at, 1] = row * cols + col
            col += 1
            if col == cols - 1:
                row, col = row + 1, 0
        else:
            out[at, 1] = (first + i - across) | np.int64(1) << DOWN


@kernel
def count_groups(luck: Any, groups: Any, counts: Any) -> None:
    """Count the streets of each group."""
    for i in range(len(luck)):
        counts[group_of(luck[i], groups)] += 1


@kernel
def sort_streets(records: Any, scratch: Any, low: Any, shift: Any, counts: Any) -> None:
    """Sort records by luck and number: by the digits from bit ``shift`` on, of luck less ``low``, then by insertion."""
    for p in range(DIGITS):
        at_bit = shift + p * DIGIT
        counts[:] = 0
        for i in range(len(records)):
            counts[(records[i, 0] - low) >> at_bit & (1 << DIGIT) - 1] += 1
        total = 0
        for d in range(len(counts)):
            count = counts[d]
            counts[d] = total
            total += count
        for i in range(len(records)):
            d = (records[i, 0] - low) >> at_bit & (1 << DIGIT) - 1
            scratch[counts[d], 0] = records[i, 0]
            scratch[counts[d], 1] = records[i, 1]
            counts[d] += 1
        records, scratch = scratch, records
    for i in range(1, len(records)):
        luck, street = records[i, 0], records[i, 1]
        j = i
        while j > 0 and (records[j - 1, 0] > luck or (records[j - 1, 0] == luck and records[j - 1, 1] > street)):
            records[j, 0] = records[j - 1, 0]
            records[j, 1] = records[j - 1, 1]
            j -= 1
        records[j, 0] = luck
        records[j, 1] = street


@inlined
def find(v, parents):
    """Return the root of a vertex; vertices on the way get their grandparents as parents (path halving)."""
    while parents[v] != v:
        parents[v] = parents[parents[v]]
        v = parents[v]
    return v


@kernel
def choose_streets(records: Any, cols: Any, parents: Any, more: Any, chosen: Any) -> tuple[int, int]:
    """Choose, in order, each street that joins two trees, and ``more`` others.

    ``chosen`` has a bit for each crossing, for the street across and for that down. Return how many of the others are
    left; the other number means nothing.
    """
    seen = 0
    for i in range(len(records)):
        if i + AHEAD < len(records):  # what is needed soon is fetched while this one waits
            seen ^= parents[records[i + AHEAD, 1] & CROSSING]
        street = records[i, 1]
        is_down = street >> DOWN
        u = street & CROSSING
        a, b = find(u, parents), find(u + cols if is_down else u + 1, parents)
        if a != b:
            parents[max(a, b)] = min(a, b)
        elif more > 0:
            more -= 1
        else:
            continue
        chosen[is_down, u >> 3] |= np.uint8(1 << (u & 7))
    return more, seen


@kernel
def lay_out(across: Any, down: Any, first: Any, numbers: Any, above: Any, arcs: Any, rows: Any, ends: Any) -> int:
    """Write the arcs of some rows of crossings, the first of which is ``first``; return how many these are.

    ``across`` and ``down`` have the lengths of streets, 0 where there is none: down from the row above the first one,
    then from each row. ``numbers``: of the next streets across and down in the input. ``above``: the numbers of the
    streets that come down to the row. ``ends``: where the arcs of each crossing end.
    """
    cols, done, words = down.shape[1], 0, rows.shape[1]
    for i in range(down.shape[0] - 1):
        for c in range(cols):
            v = first + i * cols + c
            if c > 0 and across[i, c - 1] > 0:  # back over the street that was numbered last
                done = put(arcs, rows, words, done, v - 1, across[i, c - 1], numbers[0] - 1)
            if c + 1 < cols and across[i, c] > 0:
                done = put(arcs, rows, words, done, v + 1, across[i, c], numbers[0])
                numbers[0] += 1
            if down[i, c] > 0:
                done = put(arcs, rows, words, done, v - cols, down[i, c], above[c])
            if down[i + 1, c] > 0:
                done = put(arcs, rows, words, done, v + cols, down[i + 1, c], numbers[1])
                above[c] = numbers[1]
                numbers[1] += 1
            ends[i * cols + c] = done
    return done


@inlined
def put(arcs, rows, words, at, head, length, row):
    """Write one arc; return the place of the next."""
    arcs[at, 0] = head
    arcs[at, 1] = length
    for w in range(words):
        rows[at, w] = np.int32(row >> (32 * w) & 0xFFFFFFFF)
    return at + 1

"""Streets of a generated grid: sorted by their luck, and laid out as rows.

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
DIGITS = 2  # of the highest bits that differ: what they leave unsorted is next to its place


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


@kernel
def list_spans(points: Any, built: Any, is_down: int, dx: Any, dy: Any) -> int:
    """List how far the ends of streets that are built lie apart, row after row; return how many these are.

    ``built`` has a bit for the street across, and one for that down, of each crossing; ``points`` has a row more than
    streets down have.
    """
    count, bit = 0, np.uint8(1) << np.uint8(is_down)
    for i in range(points.shape[0] - is_down):
        for c in range(points.shape[1] - 1 + is_down):
            if built[i, c] & bit:
                dx[count] = points[i, c, 0] - points[i + is_down, c + 1 - is_down, 0]
                dy[count] = points[i, c, 1] - points[i + is_down, c + 1 - is_down, 1]
                count += 1
    return count


@kernel
def lay_out(
    built: Any, across: Any, down: Any, first: Any, numbers: Any, above: Any, arcs: Any, rows: Any, ends: Any
) -> int:
    """Write the arcs of some rows of crossings, the first of which is ``first``; return how many these are.

    ``built`` has the bits of `list_spans`, ``across`` and ``down`` the lengths of these streets. ``numbers``: of the
    next streets across and down in the input. ``above``: number and length of the streets that come down to the row,
    length 0 where there is none. ``ends``: where the arcs of each crossing end.
    """
    cols, words = built.shape[1], rows.shape[1]
    done = a = d = 0
    for i in range(built.shape[0]):
        for c in range(cols):
            v = first + i * cols + c
            if c > 0 and built[i, c - 1] & 1:  # back over the street that was numbered last
                done = put(arcs, rows, words, done, v - 1, across[a - 1], numbers[0] - 1)
            if built[i, c] & 1:
                done = put(arcs, rows, words, done, v + 1, across[a], numbers[0])
                numbers[0] += 1
                a += 1
            if above[c, 1] > 0:
                done = put(arcs, rows, words, done, v - cols, above[c, 1], above[c, 0])
            above[c, 1] = 0
            if built[i, c] & 2:
                done = put(arcs, rows, words, done, v + cols, down[d], numbers[1])
                above[c, 0] = numbers[1]
                above[c, 1] = down[d]
                numbers[1] += 1
                d += 1
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

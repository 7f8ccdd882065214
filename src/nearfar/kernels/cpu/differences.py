"""Blocks of rows as they are stored: side by side, each number as the difference to the one before it.

The rows of sources that lie near each other differ by little: by at most the distance between the sources. So the rows
of a block are written side by side, all distances to one target next to each other, and of these only differences are
kept, most of which are small. Integers wrap, so differences of any numbers can be added up again. Floats would be
rounded: they are written side by side as they are.
"""

from __future__ import annotations

from ..jit import kernel

TILE = 16  # columns that are turned at a time: one cache line of a row


@kernel
def difference(rows, columns, low, high, lanes, tile, out):
    """Write the columns ``low`` to ``high`` - 1 of some rows side by side, as differences.

    There are ``lanes`` numbers per column; rows that are missing repeat the last one. ``columns`` says which entry of a
    row each column is; if it is empty, they are the entries themselves. What is left of ``out`` becomes 0. ``tile`` has
    room for TILE columns: rows are subtracted there side by side, and then turned.
    """
    count, cast = len(rows), out.dtype.type
    last, at = cast(0), 0
    for left in range(low, high, TILE):
        width = min(TILE, high - left)
        if len(columns) > 0:
            for j in range(width):
                tile[j] = rows[0, columns[left + j]]
            for i in range(1, count):
                for j in range(width):
                    v = columns[left + j]
                    tile[i * TILE + j] = cast(rows[i, v] - rows[i - 1, v])
        else:
            for j in range(width):
                tile[j] = rows[0, left + j]
            for i in range(1, count):
                for j in range(width):
                    tile[i * TILE + j] = cast(rows[i, left + j] - rows[i - 1, left + j])
        for j in range(width):
            first = tile[j]
            ends = first
            for i in range(count):
                value = tile[i * TILE + j]
                out[at + i] = value
                ends = cast(ends + value)
            out[at] = cast(first - last)
            last = cast(ends - first)
            for i in range(count, lanes):
                out[at + i] = 0
            at += lanes
    for i in range(at, len(out)):
        out[i] = 0


@kernel
def side_by_side(rows, columns, low, high, lanes, out):
    """Write columns as `difference` does, but the numbers themselves."""
    at, count = 0, len(rows)
    for j in range(low, high):
        v = columns[j] if len(columns) > 0 else j
        for i in range(lanes):
            out[at + i] = rows[min(i, count - 1), v]
        at += lanes
    for i in range(at, len(out)):
        out[i] = 0


@kernel
def add_up(values, lanes, which, out):
    """Write the rows ``which``, in ascending order, of differences that `difference` wrote; one per row of ``out``."""
    cast = values.dtype.type
    total = cast(0)
    for j in range(out.shape[1]):
        at, done = j * lanes, 0
        for r in range(len(which)):
            some = cast(0)
            for i in range(at + done, at + which[r] + 1):
                some = cast(some + values[i])
            total = cast(total + some)
            out[r, j] = total
            done = which[r] + 1
        some = cast(0)
        for i in range(at + done, at + lanes):
            some = cast(some + values[i])
        total = cast(total + some)


@kernel
def take_apart(values, lanes, which, out):
    """Write the rows ``which`` of numbers that `side_by_side` wrote."""
    for j in range(out.shape[1]):
        for r in range(len(which)):
            out[r, j] = values[j * lanes + which[r]]

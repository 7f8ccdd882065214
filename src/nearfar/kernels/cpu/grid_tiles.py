"""The streets of a generated grid: a spanning tree of those with the least luck, found tile by tile.

Streets are numbers drawn from 0 to 1, their luck; the tree is that of Kruskal, who takes streets in order of luck (1
plus the number, 52 bits) and, if it is the same, of the input, which has the streets across first, row after row.

Inside a tile, trees grow together in this order. A tree without a way out of the tile, that is, without a crossing on
a side that other tiles touch, has no street that is luckier than the one that joins it to another tree now: so this one
is in the tree of the whole grid (the cut property). Between two trees that have ways out it may be that a luckier path
leads around through other tiles; such a street goes to the list of those that `join_tiles` decides, with the streets
from tile to tile. Then every tree has just one way out, and stands for it. Of s x s crossings about 6 s streets are on
the list, and what is done for all the others stays in the caches of one core.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..jit import inlined, kernel
from .grid_streets import CROSSING, DIGIT, DIGITS, DOWN, sort_streets

GROUPS = 1 << 12  # of luck, in which streets are counted
LUCK = 52  # bits
WHOLE = 1 << LUCK


@inlined
def luck_of(number):
    """Return the luck of a street as a whole number: 1 plus the number that was drawn, without the 1."""
    return np.int64((1.0 + number) * WHOLE) - WHOLE


@inlined
def group_of(luck):
    """Return the group of a luck; 1 plus a number below 1 may be rounded to 2."""
    return min(luck >> (LUCK - 12), GROUPS - 1)


@inlined
def find(v, parents):
    """Return the root of a vertex; vertices on the way get their grandparents as parents (path halving)."""
    while parents[v] != v:
        parents[v] = parents[parents[v]]
        v = parents[v]
    return v


class Work(NamedTuple):
    """Work space for one tile."""

    parents: np.ndarray
    outer: np.ndarray
    flags: np.ndarray
    records: np.ndarray
    scratch: np.ndarray
    digits: np.ndarray


class Listed(NamedTuple):
    """Listed streets: luck, crossing and direction, and the slots of two ways out."""

    luck: np.ndarray
    streets: np.ndarray
    ends: np.ndarray


class Piece(NamedTuple):
    """Where a piece begins in its grid, the sides of the grid, and the side of a tile."""

    row: int
    col: int
    rows: int
    cols: int
    side: int


@kernel
def settle_tiles(
    across: Any, down: Any, piece: Any, high: int, wide: int, work: Any, chosen: Any, counts: Any, out: Any
) -> int:
    """Choose streets inside the tiles of a piece of ``high`` x ``wide`` crossings; return how many were listed.

    ``across`` and ``down`` are the numbers that were drawn for streets that lead east and south. ``chosen`` has a bit
    for each of them per crossing of the grid, ``counts`` the streets of each group that are not in the tree.
    """
    listed = 0
    for r in range(0, high, piece.side):
        for c in range(0, wide, piece.side):
            tile = r, c, min(piece.side, high - r), min(piece.side, wide - c)
            count = list_streets(across, down, tile, work.records)
            sort_streets(work.records[:count], work.scratch[:count], 0, LUCK - DIGIT * DIGITS, work.digits)
            mark_ways_out(piece, tile, work)
            listed = settle_tile(piece, tile, count, work, counts, out, listed)
            listed = list_leaving(across, down, piece, tile, out, listed)
            first = (piece.row + r) * piece.cols + piece.col + c
            for i in range(tile[2]):
                for j in range(tile[3]):
                    chosen[first + i * piece.cols + j] = work.flags[i * tile[3] + j]
    return listed


@kernel
def list_streets(across: Any, down: Any, tile: Any, records: Any) -> int:
    """List luck and position of the streets inside a tile: those across, then those down; return how many these are."""
    r, c, high, wide = tile
    count = 0
    for i in range(high):
        for j in range(wide - 1):
            records[count, 0] = luck_of(across[r + i, c + j])
            records[count, 1] = i * wide + j
            count += 1
    for i in range(high - 1):
        for j in range(wide):
            records[count, 0] = luck_of(down[r + i, c + j])
            records[count, 1] = i * wide + j | np.int64(1) << DOWN
            count += 1
    return count


@kernel
def mark_ways_out(piece: Any, tile: Any, work: Any) -> None:
    """Make each crossing of a tile a tree of its own; ``outer`` is the crossing itself where it is a way out, or -1."""
    row, col, high, wide = piece.row + tile[0], piece.col + tile[1], tile[2], tile[3]
    for i in range(high):
        ends = (i == 0 and row > 0) or (i == high - 1 and row + high < piece.rows)
        for j in range(wide):
            v = i * wide + j
            leaves = ends or (j == 0 and col > 0) or (j == wide - 1 and col + wide < piece.cols)
            work.parents[v] = v
            work.outer[v] = v if leaves else -1
            work.flags[v] = 0


@kernel
def settle_tile(piece: Any, tile: Any, count: int, work: Any, counts: Any, out: Any, listed: int) -> int:
    """Let the trees of a tile grow together; list the streets between two trees that have ways out.

    The root of a tree that has a way out is this way out; ``outer`` joins them as listed streets do.
    """
    parents, outer, row, col, wide = work.parents, work.outer, piece.row + tile[0], piece.col + tile[1], tile[3]
    for i in range(count):
        street = work.records[i, 1]
        is_down = street >> DOWN
        u = street & CROSSING
        a, b = find(u, parents), find(u + wide if is_down else u + 1, parents)
        is_new = a != b
        if is_new and outer[a] >= 0 and outer[b] >= 0:
            x, y = find(a, outer), find(b, outer)
            is_new = x != y
            if is_new:
                outer[x] = y
                out.luck[listed] = work.records[i, 0]
                out.streets[listed] = (row + u // wide) * piece.cols + col + u % wide | is_down << DOWN
                out.ends[listed, 0] = slot_of(row + a // wide, col + a % wide, piece)
                out.ends[listed, 1] = slot_of(row + b // wide, col + b % wide, piece)
                listed += 1
        elif is_new:
            if outer[a] >= 0:
                parents[b] = a
            else:
                parents[a] = b
            work.flags[u] |= np.uint8(1 << is_down)
        if not is_new:
            counts[group_of(work.records[i, 0])] += 1
    return listed


@kernel
def list_leaving(across: Any, down: Any, piece: Any, tile: Any, out: Any, listed: int) -> int:
    """List the streets that lead east and south out of a tile."""
    r, c, high, wide = tile
    row, col = piece.row + r + high - 1, piece.col + c + wide - 1  # its last ones
    if col + 1 < piece.cols:
        for i in range(high):
            u = row - high + 1 + i
            out.luck[listed] = luck_of(across[r + i, c + wide - 1])
            out.streets[listed] = u * piece.cols + col
            out.ends[listed, 0] = slot_of(u, col, piece)
            out.ends[listed, 1] = slot_of(u, col + 1, piece)
            listed += 1
    if row + 1 < piece.rows:
        for j in range(wide):
            u = col - wide + 1 + j
            out.luck[listed] = luck_of(down[r + high - 1, c + j])
            out.streets[listed] = row * piece.cols + u | np.int64(1) << DOWN
            out.ends[listed, 0] = slot_of(row, u, piece)
            out.ends[listed, 1] = slot_of(row + 1, u, piece)
            listed += 1
    return listed


@kernel
def slot_of(r: int, c: int, piece: Any) -> int:
    """Return the number of a way out: each tile has as many as its four sides have crossings."""
    side = piece.side
    tile = r // side * ((piece.cols - 1) // side + 1) + c // side
    i, j = r % side, c % side
    if i == 0:
        around = j
    elif i == side - 1 or r == piece.rows - 1:
        around = side + j
    else:
        around = (2 if j == 0 else 3) * side + i
    return 4 * side * tile + around


@kernel
def join_tiles(order: Any, listed: Any, parents: Any, chosen: Any, counts: Any) -> None:
    """Choose, in order, each listed street that joins two trees."""
    for i in order:
        a, b = find(listed.ends[i, 0], parents), find(listed.ends[i, 1], parents)
        if a != b:
            parents[max(a, b)] = min(a, b)
            chosen[listed.streets[i] & CROSSING] |= np.uint8(1 << (listed.streets[i] >> DOWN))
        else:
            counts[group_of(listed.luck[i])] += 1


@kernel
def take_lucky(drawn: Any, is_down: int, piece: Any, group: int, chosen: Any, out: Any, listed: int) -> int:
    """Choose the streets of a piece in one direction whose group of luck is before ``group``; list those in it.

    Return how many are listed.
    """
    bit = np.uint8(1 << is_down)
    for i in range(drawn.shape[0]):
        first = (piece.row + i) * piece.cols + piece.col
        for j in range(drawn.shape[1]):
            luck = luck_of(drawn[i, j])
            if group_of(luck) < group:
                chosen[first + j] |= bit
            elif group_of(luck) == group and not chosen[first + j] & bit:
                out.luck[listed] = luck
                out.streets[listed] = first + j | np.int64(is_down) << DOWN
                listed += 1
    return listed

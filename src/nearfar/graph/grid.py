"""Rasters and maps of cells: each cell that is not a wall is a vertex, with arcs to its neighbours.

Vertices are indexed in reading order. So the arcs can be written in that order, a block of map rows at a time, directly
into the final array: no sorting, and little more memory than the graph and one block. Two passes do it: the first
counts the arcs of each cell, the second writes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .arrays import Array, take_size
from .blocks import offset_type, record_type
from .cells import CellNames
from .graph import Graph
from .vertices import Vertices

Step = tuple[int, int]  # down, right
_CELLS = 1 << 16  # cells in a block: about 7 MB of arrays


def grid_graph(
    free: Array,
    steps: tuple[Step, ...],
    is_open: Callable[[Step, slice], Array],
    weigh: Callable[[Step, slice], Any],
    dtype: Any,
    undirected: bool,
    coordinates: Array | None = None,
    xy: bool = False,
) -> Graph:
    """Build the graph of a map; arcs leave each cell in the order of ``steps``.

    ``is_open(step, rows)`` returns for each cell of some rows whether the step from it is allowed, and
    ``weigh(step, rows)`` the weight of the step; its values for closed steps are ignored. ``xy`` says how cells are
    named.
    """
    n = take_size(int(np.count_nonzero(free)))
    names = CellNames(free.shape, None if n == free.size else np.flatnonzero(free), xy)
    offsets = _count(free, n, steps, is_open)
    arcs = np.empty(int(offsets[-1]), record_type(np.dtype(dtype)))
    indices = np.cumsum(free, dtype=np.int32).reshape(free.shape)
    indices -= 1
    done = 0
    for rows in _blocks(free):
        records, keep = _fill(indices, rows, steps, is_open, weigh, arcs.dtype)
        found = records[keep]
        arcs[done : done + len(found)] = found
        done += len(found)
    return Graph(offsets, arcs, Vertices(n, names), coordinates, undirected=undirected)


def _count(free: Array, n: int, steps: tuple[Step, ...], is_open: Callable[[Step, slice], Array]) -> Array:
    """Return where the arcs of each cell start."""
    offsets = np.zeros(n + 1, np.int32 if n * len(steps) < 2**31 else np.int64)
    done = 1
    for rows in _blocks(free):
        degrees = np.zeros((rows.stop - rows.start, free.shape[1]), np.int8)
        for step in steps:
            degrees += is_open(step, rows)
        found = degrees[free[rows]]
        offsets[done : done + len(found)] = found
        done += len(found)
    np.cumsum(offsets, out=offsets)
    return offsets.astype(offset_type(int(offsets[-1])), copy=False)


def passable(free: Array, step: Step, rows: slice, corners: bool) -> Array:
    """Return for each cell of some rows whether neither the step's ends nor the cells between them are walls."""
    open_ = free[rows] & shifted(free, step, rows, False)
    diagonal = abs(step[0]) == abs(step[1])
    for between in () if diagonal and corners else cells_between(step):
        open_ &= shifted(free, between, rows, False)
    return open_


def cells_between(step: Step) -> tuple[Step, ...]:
    """Return the two cells that a diagonal step or a knight's move passes between its ends; none for a straight step.

    A diagonal step touches their corners. A knight's move passes through both: a quarter of it lies in each.
    """
    down, right = step
    if not down or not right:
        return ()
    if abs(down) == abs(right):
        return (down, 0), (0, right)
    if abs(down) > abs(right):
        return (down // 2, 0), (down // 2, right)
    return (0, right // 2), (down, right // 2)


def _blocks(free: Array) -> Iterator[slice]:
    """Yield the rows of the map in blocks."""
    height, width = free.shape
    rows = max(1, _CELLS // max(1, width))
    for low in range(0, height, rows):
        yield slice(low, min(low + rows, height))


def _fill(
    indices: Array,
    rows: slice,
    steps: tuple[Step, ...],
    is_open: Callable[[Step, slice], Array],
    weigh: Callable[[Step, slice], Any],
    dtype: np.dtype[Any],
) -> tuple[Array, Array]:
    """Return an arc for each step of each cell of some rows, and which of these arcs exist."""
    shape = (rows.stop - rows.start, indices.shape[1], len(steps))
    records, keep = np.zeros(shape, dtype), np.zeros(shape, bool)
    for k, step in enumerate(steps):
        keep[:, :, k] = is_open(step, rows)
        records["head"][:, :, k] = shifted(indices, step, rows, -1)
        with np.errstate(over="ignore", invalid="ignore"):  # walls may hold anything
            records["weight"][:, :, k] = weigh(step, rows)
    return records, keep


def shifted(table: Array, step: Step, rows: slice, outside: Any) -> Array:
    """Return for each cell of some rows the table's value one step further; ``outside`` beyond the edge."""
    down, right = step
    height, width = table.shape
    out = np.full((rows.stop - rows.start, width), outside, table.dtype)
    low, high = max(rows.start + down, 0), min(rows.stop + down, height)
    left, end = max(right, 0), min(width + right, width)
    if low < high:
        to = slice(low - down - rows.start, high - down - rows.start)
        out[to, left - right : end - right] = table[low:high, left:end]
    return out

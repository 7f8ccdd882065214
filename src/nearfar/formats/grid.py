"""Maps of cells: each free cell is a vertex with up to eight arcs to its neighbours.

Vertices are indexed in reading order. So the arcs can be written in that order, a block of map rows at a time, directly
into the final array: no sorting, and no more memory than the graph and one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..graph import Graph
from ..graph.arrays import Array
from ..graph.rows import offset_type, record_type
from ..graph.vertices import Vertices

Step = tuple[int, int]  # down, right
_CELLS = 1 << 16  # cells in a block: about 7 MB of arrays


def grid_graph(
    free: Array,
    steps: tuple[Step, ...],
    is_open: Callable[[Step, slice], Array],
    weigh: Callable[[Step, slice], Any],
    dtype: Any,
    coordinates: Array | None,
    undirected: bool,
) -> Graph:
    """Build the graph of a map; arcs leave each cell in the order of ``steps``.

    ``is_open(step, rows)`` returns for each cell of some rows whether the step from it is allowed, and
    ``weigh(step, rows)`` the weight of the step; its values for closed steps are ignored.
    """
    degrees = np.zeros(free.shape, np.int8)
    for rows in _blocks(free):
        for step in steps:
            degrees[rows] += is_open(step, rows)
    offsets = np.zeros(np.count_nonzero(free) + 1, np.int64)
    np.cumsum(degrees[free], out=offsets[1:])
    arcs = np.empty(int(offsets[-1]), record_type(np.dtype(dtype)))
    indices = np.cumsum(free, dtype=np.int32).reshape(free.shape) - np.int32(1)
    done = 0
    for rows in _blocks(free):
        records, keep = _fill(indices, rows, steps, is_open, weigh, arcs.dtype)
        found = records[keep]
        arcs[done : done + len(found)] = found
        done += len(found)
    return Graph(
        offsets.astype(offset_type(len(arcs))), arcs, Vertices(len(offsets) - 1), coordinates, undirected=undirected
    )


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

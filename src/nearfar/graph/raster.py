"""Graphs from rasters of costs, and values back in the shape of the raster.

Each cell that is not a wall is a vertex, and each step to a neighbour an arc. What a step costs follows the programs
that people compare with: the mean of the cells it passes times its length, as scikit-image's MCP_Geometric and GRASS
r.cost have it. A knight's move passes four cells, a quarter of it in each, so r.cost takes the mean of all four, and a
wall among them stops it; so it is here.

A raster of 4,000 x 4,000 float32 costs with 8 neighbours takes 4 s on one core, and 1.2 GB at
the peak, of which the graph is 1.1 GB.
"""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import GraphError, InputTypeError, OptionError
from .arrays import Array, on_host, shorten
from .cells import CellNames
from .grid import Step, cells_between, grid_graph, passable, shifted

if TYPE_CHECKING:
    from .graph import Graph

COSTS = ("mean", "sum", "enter")
# Each step before its opposite, the one from the left or from above first, as undirected edges are stored.
_STRAIGHT = ((0, -1), (0, 1), (-1, 0), (1, 0))
_DIAGONAL = ((-1, -1), (1, 1), (-1, 1), (1, -1))
_KNIGHT = ((-2, -1), (2, 1), (-2, 1), (2, -1), (-1, -2), (1, 2), (-1, 2), (1, -2))
_KINDS: dict[int, tuple[tuple[Step, ...], ...]] = {
    4: (_STRAIGHT,),
    8: (_STRAIGHT, _DIAGONAL),
    16: (_STRAIGHT, _DIAGONAL, _KNIGHT),
}
_INT32_MAX, _INT64_MAX = 2**31 - 1, 2**63 - 1


def from_raster(costs: Any, neighbours: Any, cost: Any, cell: Any, lengths: Any, corners: Any) -> Graph:
    """Implement `Graph.from_raster`."""
    if not isinstance(neighbours, int | np.integer) or neighbours not in _KINDS:
        raise OptionError(f"neighbours={shorten(neighbours)} is not possible. Give 4, 8 or 16.")
    if not isinstance(cost, str) or cost not in COSTS:
        raise OptionError(f"cost={shorten(cost)} is not possible. Give one of {', '.join(map(repr, COSTS))}.")
    if not isinstance(corners, bool | np.bool_):
        raise OptionError(f"corners={shorten(corners)} is not possible. Give True or False.")
    step_lengths = _take_lengths(int(neighbours), cell, lengths)
    table, free = _take_costs(costs)
    dtype = _weight_type(table, free, cost, list(step_lengths.values()))
    wide = np.dtype(np.int64 if dtype.kind == "i" else np.float64)

    def is_open(step: Step, rows: slice) -> Array:
        return passable(free, step, rows, bool(corners))

    def weigh(step: Step, rows: slice) -> Array:
        length, there = step_lengths[step], shifted(table, step, rows, 0).astype(wide)
        if cost == "enter":
            return there * length
        total = table[rows].astype(wide) + there
        if cost == "sum":
            return total * length
        if step not in _KNIGHT:
            return total * (length / 2)
        first, second = (shifted(table, between, rows, 0).astype(wide) for between in cells_between(step))
        return (total + (first + second)) * (length / 4)  # in this order it is the same in both directions, to the bit

    return grid_graph(free, tuple(step_lengths), is_open, weigh, dtype, cost != "enter")


def _take_lengths(neighbours: int, cell: Any, lengths: Any) -> dict[Step, Any]:
    """Return the length of each step, times the size of a cell; ints stay ints."""
    kinds = _KINDS[neighbours]
    if lengths is None:
        height, width = _numbers("cell", cell, 2)
        return {(d, r): _distance(abs(d) * height, abs(r) * width) for steps in kinds for d, r in steps}
    if not isinstance(cell, numbers.Real):
        raise OptionError(
            f"cell={shorten(cell)} gives two sizes, but lengths={shorten(lengths)} says how long each step is. "
            f"Give one of them, or a single number for cell."
        )
    size = _numbers("cell", cell, 1)[0]
    given = _numbers("lengths", lengths, len(kinds))
    return {step: length * size for length, steps in zip(given, kinds, strict=True) for step in steps}


def _distance(height: Any, width: Any) -> Any:
    """Return the length of a step; a straight one has the type of the cell size."""
    return math.hypot(height, width) if height and width else height or width


def _numbers(name: str, value: Any, count: int) -> list[Any]:
    """Return ``count`` positive numbers, given as such a tuple or as one number for all."""
    single = isinstance(value, numbers.Real)
    found = [value] * count if single else list(value) if isinstance(value, tuple | list | np.ndarray) else []
    for number in found if len(found) == count else [None]:
        real = isinstance(number, numbers.Real) and not isinstance(number, bool)
        if not real or not 0 < float(number) < math.inf:  # type: ignore[arg-type]
            several = "" if count == 1 else f", or {count} of them"
            raise OptionError(f"{name}={shorten(value)} is not possible. Give a positive number{several}.")
    return [int(number) if isinstance(number, numbers.Integral) else float(number) for number in found]


def _take_costs(costs: Any) -> tuple[Array, Array]:
    """Return the costs as an array, and which cells are not walls."""
    try:
        table = np.ma.getdata(costs) if isinstance(costs, np.ma.MaskedArray) else np.asarray(on_host(costs))
    except ValueError as error:
        raise GraphError(f"costs are ragged ({error}), but each row needs as many cells. Fill up the rows.") from None
    if table.ndim != 2:
        cure = "costs[0] is its first band" if table.ndim == 3 else "Use .reshape(rows, columns)"
        raise GraphError(f"costs have shape {table.shape}, but a raster has rows and columns. {cure}.")
    _check_type(table.dtype)
    free = np.ones(table.shape, bool) if table.dtype.kind != "f" else table != np.inf
    if isinstance(costs, np.ma.MaskedArray):
        free &= ~np.ma.getmaskarray(costs)
    for low in range(0, len(table), 256):  # in blocks, which saves two arrays of the size of the raster
        bad = np.argwhere(free[low : low + 256] & ~(table[low : low + 256] >= 0))
        if len(bad):
            raise _bad_cost(int(bad[0, 0]) + low, int(bad[0, 1]), table)
    return table, free


def _check_type(dtype: np.dtype[Any]) -> None:
    """Refuse costs that are not numbers of at most 64 bits."""
    if dtype.kind in "iu" or (dtype.kind == "f" and dtype.itemsize <= 8):
        return
    cure = "Convert them with .astype(float)"
    if dtype.kind == "b":
        cure = "If True is where one may go, give np.where(costs, 1.0, np.inf)"
    raise InputTypeError(f"costs are {dtype}, but they must be integers or floats of at most 64 bits. {cure}.")


def _bad_cost(row: int, column: int, table: Array) -> GraphError:
    """Return the error for a cost that is negative or NaN."""
    value = table[row, column].item()
    mask = "np.ma.masked_invalid(costs)" if value != value else f"np.ma.masked_equal(costs, {value})"
    return GraphError(
        f"costs[{row}, {column}] is {value}, but costs are numbers from 0 on. If this marks a wall, mask it, as "
        f"{mask} does{', or write inf there' if table.dtype.kind == 'f' else ''}."
    )


def _weight_type(table: Array, free: Array, cost: str, lengths: list[Any]) -> np.dtype[Any]:
    """Return the type of the weights; refuse costs so large that a step may cost more than it holds."""
    whole = table.dtype.kind in "iu" and cost != "mean" and all(isinstance(length, int) for length in lengths)
    highest = table.max(where=free, initial=0).item()
    factor = max(lengths) * (1 if cost == "enter" else 2)
    if whole:
        most, dtype = highest * factor, np.dtype(np.int32 if highest * factor <= _INT32_MAX else np.int64)
        fits = most <= _INT64_MAX
    else:
        narrow = table.dtype.kind == "f" and table.dtype.itemsize <= 4
        dtype = np.dtype(np.float32 if narrow else np.float64)
        # A knight's move adds four cells before it divides; a factor of 2 more covers that, and rounding.
        fits = float(highest) <= float(np.finfo(np.float32 if narrow else np.float64).max) / max(2.0 * factor, 4.0)
    if not fits:
        raise GraphError(
            f"costs reach {shorten(highest)}, so that a step may cost more than {dtype} holds. Use a coarser unit"
            f"{', or floats' if whole else ''}."
        )
    return dtype


def to_raster(graph: Graph, values: Any, fill: Any) -> Array:
    """Implement `Graph.to_raster`."""
    names = cells_of(graph)
    array = np.asarray(on_host(values))
    if array.ndim not in (1, 2) or array.shape[-1] != graph.n:
        raise GraphError(
            f"values have shape {array.shape}, but the graph has {graph.n} cells that are not walls. Give one value "
            f"per vertex, in the order of the vertices; several rows of them give several rasters."
        )
    kind = np.result_type(array.dtype, np.min_scalar_type(fill) if isinstance(fill, int) else fill)
    out = np.full((*array.shape[:-1], names.rows * names.columns), fill, kind)
    out[..., slice(None) if names.free is None else names.free] = array
    return out.reshape((*array.shape[:-1], *names.shape))


def cells_of(graph: Graph) -> CellNames:
    """Return the cells that the vertices are; refuse a graph that was made from something else."""
    if isinstance(graph.names, CellNames):
        return graph.names
    raise GraphError(
        "the vertices of this graph are not the cells of a raster, so there is no shape to put values in. Make the "
        "graph with Graph.from_raster, or read a grid map or a height map with its names."
    )

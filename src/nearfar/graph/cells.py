"""The cells of a raster as the names of vertices: pairs of whole numbers, found by arithmetic.

A raster of 4,000 x 4,000 has 16 million vertices. One tuple per name would need ten times the memory of the raster, and
a dictionary more. The shape says it all: cell (r, c) is number r * columns + c in reading order. If some cells are
walls, the positions of the others are kept too, and the index of a cell is found by binary search.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..errors import InputTypeError, NearfarError, VertexError
from .arrays import Array, shorten

Cell = tuple[int, int]
_AT_ONCE = 1 << 16  # names that are made at a time when all are listed


class CellNames(Sequence[Cell]):
    """The cells of a raster that are not walls, in reading order, as names: pairs (row, column), or (x, y).

    Parameters
    ----------
    shape : (int, int)
        The numbers of rows and columns.
    free : array of ints, optional
        The positions of the cells that are not walls, in reading order, ascending; None if there are no walls.
    xy : bool
        Whether a name is (x, y), which is (column, row), as files of maps write it.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph.cells import CellNames
    >>> names = CellNames((2, 3), np.array([0, 2, 5]))
    >>> list(names), names.get((1, 2)), names.get((0, 1))
    ([(0, 0), (0, 2), (1, 2)], 2, None)
    """

    def __init__(self, shape: tuple[int, int], free: Array | None = None, xy: bool = False) -> None:
        self.rows, self.columns = map(int, shape)
        self.xy = bool(xy)
        self.free: Array | None = None
        if free is not None and len(free) < self.rows * self.columns:
            self.free = free.astype(np.int32 if self.rows * self.columns < 2**31 else np.int64)
            self.free.flags.writeable = False

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns of the raster."""
        return self.rows, self.columns

    @property
    def parts(self) -> str:
        """What the two numbers of a name are, for messages."""
        return "(x, y)" if self.xy else "(row, column)"

    def get(self, name: Any) -> int | None:
        """Return the index of a cell, or None if it is a wall, lies outside or is no pair of whole numbers."""
        found = self._position(name)
        if found is None or self.free is None:
            return found
        at = int(np.searchsorted(self.free, self.free.dtype.type(found)))  # another type would copy the whole array
        return at if at < len(self.free) and self.free[at] == found else None

    def find(self, wanted: Array) -> tuple[Array, Array]:
        """Return the indices of many cells, an array of shape (k, 2), and whether each cell is a vertex."""
        row, column = (wanted[:, 1], wanted[:, 0]) if self.xy else (wanted[:, 0], wanted[:, 1])
        known = (row >= 0) & (row < self.rows) & (column >= 0) & (column < self.columns)
        at = np.where(known, row, 0).astype(np.int64) * self.columns + np.where(known, column, 0).astype(np.int64)
        if self.free is None:
            return at, known
        if not len(self.free):
            return at, np.zeros(len(at), bool)
        indices = np.minimum(np.searchsorted(self.free, at.astype(self.free.dtype)), len(self.free) - 1)
        return indices, known & (self.free[indices] == at)

    def take(self, vertices: Any) -> Array:
        """Return the names of vertices, given by index, as an array of shape (k, 2)."""
        at = np.asarray(vertices) if self.free is None else self.free[vertices]
        row, column = np.divmod(at, max(self.columns, 1))
        return np.stack((column, row) if self.xy else (row, column), axis=-1)

    def is_one(self, vertices: Any) -> bool:
        """Tell whether a value is meant as one cell, known or not, rather than as several: a tuple of numbers."""
        return isinstance(vertices, tuple) and len(vertices) > 0 and not any(hasattr(v, "__iter__") for v in vertices)

    def as_array(self, cells: list[Any] | tuple[Any, ...]) -> Array | None:
        """Return a list of pairs of whole numbers as an array of shape (k, 2); None if it is anything else."""
        if not all(type(cell) is tuple and len(cell) == 2 for cell in cells):
            return None
        kinds = set(map(type, chain.from_iterable(cells)))
        if not all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds):
            return None
        array = np.array(cells).reshape(-1, 2)
        return array if array.dtype.kind in "iu" or not len(array) else None

    def error(self, name: Any, role: str) -> NearfarError:
        """Return the error for something that is not the name of a vertex."""
        if not isinstance(name, tuple) or len(name) != 2 or any(_whole(part) is None for part in name):
            pair = _pair_of(name) or f"such as {self[0] if len(self) else (0, 0)}"
            return InputTypeError(
                f"{role} is {shorten(name)}, a {type(name).__name__}, but vertices here are cells {self.parts}: "
                f"{self.span()}. Give a pair of whole numbers, {pair}."
            )
        cell = (_whole(name[0]), _whole(name[1]))
        if self._position(name) is None:
            return VertexError(f"{role} {cell} lies outside: {self._size()}. Cells are {self.parts}, counted from 0.")
        return VertexError(f"{role} {cell} is a wall, so it is no vertex. Choose another cell: {self.span()}.")

    def span(self) -> str:
        """Return which cells there are, for a message."""
        return self._size() + ("" if self.free is None else f", {len(self):,} cells that are not walls")

    def _size(self) -> str:
        """Return the size of the raster, for a message."""
        rows, columns = "row" if self.rows == 1 else "rows", "column" if self.columns == 1 else "columns"
        return f"the raster has {self.rows} {rows} and {self.columns} {columns}"

    def _position(self, name: Any) -> int | None:
        """Return the position of a cell in reading order, walls included; None if there is no such cell."""
        if not isinstance(name, tuple) or len(name) != 2:
            return None
        row, column = map(_whole, reversed(name) if self.xy else name)
        if row is None or column is None or not (0 <= row < self.rows and 0 <= column < self.columns):
            return None
        return row * self.columns + column

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def __len__(self) -> int:
        return self.rows * self.columns if self.free is None else len(self.free)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return tuple(map(tuple, self.take(np.arange(len(self))[v]).tolist()))
        at = operator.index(v)
        if not -len(self) <= at < len(self):
            raise IndexError(f"vertex {at} of {len(self)} does not exist")
        at %= len(self)
        row, column = divmod(at if self.free is None else int(self.free[at]), self.columns)
        return (column, row) if self.xy else (row, column)

    def __iter__(self) -> Iterator[Cell]:
        for low in range(0, len(self), _AT_ONCE):
            yield from map(tuple, self.take(np.arange(low, min(low + _AT_ONCE, len(self)))).tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CellNames):
            if (self.shape, self.xy, len(self)) != (other.shape, other.xy, len(other)):
                return False
            return self.free is None or other.free is None or bool((self.free == other.free).all())
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return CellNames, (self.shape, self.free, self.xy)

    def __repr__(self) -> str:
        walls = "" if self.free is None else f", {len(self)} cells that are not walls"
        return f"CellNames({self.rows} rows, {self.columns} columns{walls}; {self.parts})"


def _whole(part: Any) -> int | None:
    """Return one number of a cell as an int; None for bools, floats and other things."""
    if isinstance(part, bool | np.bool_):
        return None
    try:
        return operator.index(part)
    except TypeError:
        return None


def _pair_of(name: Any) -> str:
    """Return the cell that was probably meant by a list, an array or whole floats, else nothing."""
    listed = name.tolist() if isinstance(name, np.ndarray) else name
    if not isinstance(listed, list | tuple) or len(listed) != 2:
        return ""
    numbers = all(isinstance(p, int | float | np.integer | np.floating) and not isinstance(p, bool) for p in listed)
    if not numbers or not all(p == p // 1 for p in listed):
        return ""
    return f"({int(listed[0])}, {int(listed[1])})"

"""Which cache lines of a row are complete after which unit of a sweep, and what must wait for them.

The answer is written by whole lines of memory. Which vertices share a line depends on where the row begins: rows of a
matrix whose length is no multiple of a line begin anywhere in one, so there is a list for every *shift*, the column of
the first whole line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..kernels.cpu.constants import LINE_BYTES

if TYPE_CHECKING:
    from .layout import Sheet


@dataclass(frozen=True)
class Lines:
    """When the lines of a row are written, for one shift.

    Attributes
    ----------
    first, rest : int
        The first column of the first whole line, and the column after the last one; others are written one by one.
    keep_starts, kept : arrays
        Which slots are set aside after each unit, from ``keep_starts[unit]`` on.
    line_starts, lines : arrays
        Which lines, by their first columns, are complete after each unit.
    columns : int32 array of n
        The slot of each vertex when it is written.
    """

    first: int
    rest: int
    keep_starts: np.ndarray
    kept: np.ndarray
    line_starts: np.ndarray
    lines: np.ndarray
    columns: np.ndarray

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))


def make_lines(sheet: Sheet, shift: int) -> Lines:
    """Return the lines of rows that begin ``shift`` columns before a cache line does."""
    from ..kernels.cpu.schedule import schedule_lines

    n, width = sheet.n, LINE_BYTES // sheet.dtype.itemsize
    first = min(shift, n)
    count = (n - first) // width
    units = len(sheet.units) - 1
    unit = np.repeat(np.arange(units, dtype=np.int32), np.diff(sheet.units))
    line_starts, keep_starts = np.zeros(units + 1, np.int64), np.zeros(units + 1, np.int64)
    lines, kept, columns = np.empty(count, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    waiting = schedule_lines(
        sheet.places, unit, sheet.units, sheet.tops, sheet.slots, first, width, np.empty(count, np.int32),
        line_starts, lines, keep_starts, kept, columns,
    )  # fmt: skip
    return Lines(first, first + count * width, keep_starts, kept[:waiting].copy(), line_starts, lines, columns)


def shifts_of(rows: np.ndarray, bases: np.ndarray) -> np.ndarray:
    """Return the shift of the rows that begin at some entries of an array; -1 where none is at a whole entry."""
    size = rows.itemsize
    before = -(rows.ctypes.data + bases * size) % LINE_BYTES
    return np.where(before % size == 0, before // size, -1)

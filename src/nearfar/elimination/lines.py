"""When a sweep writes which cache lines of a row, and which distances must wait for others of their line.

A sweep writes the result by whole cache lines: as soon as all vertices of a line are settled. Units use the same cells
in turn, so the distances of vertices whose line is not complete after their unit are set aside in cells of their own.

Which vertices share a line depends on where the row begins in memory. Rows of a matrix whose length is no multiple of a
line begin anywhere in one, so there is one schedule for every *shift*: the column of the first whole line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kernels.cpu.arguments import Lines
from ..kernels.cpu.constants import LINE_BYTES

if TYPE_CHECKING:
    from .layout import SweepLayout


def make_lines(layout: SweepLayout, shift: int) -> Lines:
    """Return the lines of rows that begin ``shift`` columns before a cache line does."""
    from ..kernels.cpu.schedule import schedule_lines

    n, width = layout.n, LINE_BYTES // layout.dtype.itemsize
    first = min(shift, n)
    count = (n - first) // width
    units = len(layout.units) - 1
    unit = np.repeat(np.arange(units, dtype=np.int32), np.diff(layout.units))
    line_starts, keep_starts = np.zeros(units + 1, np.int64), np.zeros(units + 1, np.int64)
    lines, kept, columns = np.empty(count, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    waiting = schedule_lines(
        layout.positions, unit, layout.units, layout.tops, layout.cells, first, width, np.empty(count, np.int32),
        line_starts, lines, keep_starts, kept, columns,
    )  # fmt: skip
    return Lines(first, first + count * width, keep_starts, kept[:waiting].copy(), line_starts, lines, columns)


def shifts_of(rows: np.ndarray, bases: np.ndarray) -> np.ndarray:
    """Return the shifts of rows that begin at entries ``bases`` of an array; -1 where its entries are not aligned."""
    size = rows.itemsize
    before = -(rows.ctypes.data + bases * size) % LINE_BYTES
    return np.where(before % size == 0, before // size, -1)

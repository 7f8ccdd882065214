"""The part of a sheet that leads to some targets: their ancestors, and the arcs among them.

A sweep over it costs as much as the targets have ancestors together, however large the graph is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.cpu.constants import LINE_BYTES
from .layout import Sheet, runs_of
from .lines import Lines


def restrict(sheet: Sheet, targets: np.ndarray) -> tuple[Sheet, np.ndarray]:
    """Return the part of a sheet for targets (vertices), and the number in it of each number of the sheet, -1 for none.

    Its rows have a column a target. All of its vertices have a slot of their own, and lie in one unit beside the core.
    """
    from ..kernels.cpu.parts import copy_arcs, count_arcs, mark_ancestors

    inside = np.full(sheet.n, -1, np.int32)
    inside[: sheet.core] = np.arange(sheet.core)
    goals = sheet.places[targets]
    mark_ancestors(goals, sheet.parents, sheet.core, inside)
    numbers = np.flatnonzero(inside >= 0).astype(np.int32)
    inside[numbers] = np.arange(len(numbers), dtype=np.int32)
    starts = np.zeros(len(numbers) + 1, sheet.down_starts.dtype)
    count_arcs(numbers, sheet.down_starts, starts)
    np.cumsum(starts, out=starts)
    arcs = np.empty(starts[-1], sheet.down_arcs.dtype)
    copy_arcs(numbers, sheet.down_starts, sheet.down_arcs, sheet.begins, sheet.tops, inside, starts, arcs)
    units = np.array([0, sheet.core, len(numbers)], np.int64)
    run_starts, runs = runs_of(starts, units)
    lines = _lines_of(inside[goals], LINE_BYTES // sheet.dtype.itemsize)
    part = replace(
        sheet, tops=len(numbers), slots=len(numbers), down_starts=starts, down_arcs=arcs, units=units,
        run_starts=run_starts, runs=runs, _lines={0: lines},
    )  # fmt: skip
    return part, inside


def _lines_of(columns: np.ndarray, width: int) -> Lines:
    """Return when columns with these slots are written: all of them after the only unit, none waits."""
    lines = len(columns) // width
    return Lines(
        first=0,
        rest=lines * width,
        keep_starts=np.zeros(3, np.int64),
        kept=np.empty(0, np.int32),
        line_starts=np.array([0, 0, lines], np.int64),
        lines=np.arange(0, lines * width, width, dtype=np.int32),
        columns=columns,
    )

"""The part of a sweep layout that leads to some targets: their ancestors and the arcs among them.

A sweep over the part finds the distances of all its vertices, since arcs down come from ancestors only. Its cost is the
number of ancestors of all targets together, however large the graph is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels.cpu.arguments import Lines
from ..kernels.cpu.constants import LINE_BYTES
from .layout import SweepLayout, runs_of


def restrict(layout: SweepLayout, targets: np.ndarray) -> tuple[SweepLayout, np.ndarray]:
    """Return the part of a layout for some target vertices, and the part's position for each position, -1 for none.

    Rows of the part have one column per target. Each of its vertices has its own cell, and all of them but the core
    lie in one unit.
    """
    from ..kernels.cpu.parts import copy_arcs, count_arcs, mark_ancestors

    inside = np.full(layout.n, -1, np.int32)
    inside[: layout.core] = np.arange(layout.core)
    goals = layout.positions[targets]
    mark_ancestors(goals, layout.parents, layout.core, inside)
    members = np.flatnonzero(inside >= 0).astype(np.int32)
    inside[members] = np.arange(len(members), dtype=np.int32)
    starts = np.zeros(len(members) + 1, layout.down_starts.dtype)
    count_arcs(members, layout.down_starts, starts)
    np.cumsum(starts, out=starts)
    arcs = np.empty(starts[-1], layout.down_arcs.dtype)
    copy_arcs(members, layout.down_starts, layout.down_arcs, layout.begins, layout.tops, inside, starts, arcs)
    units = np.array([0, layout.core, len(members)], np.int64)
    run_starts, runs = runs_of(starts, units)
    lines = _lines_of(inside[goals], LINE_BYTES // layout.dtype.itemsize)
    part = replace(
        layout, tops=len(members), cells=len(members), down_starts=starts, down_arcs=arcs, units=units,
        run_starts=run_starts, runs=runs, couples=None, _lines={0: lines},
    )  # fmt: skip
    return part, inside


def _lines_of(columns: np.ndarray, width: int) -> Lines:
    """Return the schedule for columns in these cells: all are written after the only unit, none is set aside."""
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

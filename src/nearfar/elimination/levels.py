"""A sheet laid out in levels, whose vertices can be settled side by side (kernels/cpu/levels.py); for GPUs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .layout import Sheet


@dataclass(frozen=True)
class Levels:
    """The arcs down of a sheet, by levels.

    Attributes
    ----------
    begins : int32 array
        Where each level begins, and n. The core comes first, as a level of its own, if there is one.
    positions, columns : int32 arrays of n
        Where each number of the sheet stands, and where each vertex of the graph does.
    starts, arcs : arrays
        The arcs from ancestors, by position; heads are positions.
    """

    begins: np.ndarray
    positions: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    arcs: np.ndarray


def make_levels(sheet: Sheet) -> Levels:
    """Return a sheet's arcs down by levels; inside a level the order of the sheet is kept, so that kin stay near."""
    from ..kernels.cpu.levels import find_heights, move_arcs
    from ..kernels.cpu.schedule import sort_stably

    n, core = sheet.n, sheet.core
    heights, order, numbers = np.empty(n, np.int32), np.empty(n, np.int32), np.arange(n, dtype=np.int32)
    most = int(find_heights(sheet.down_starts, sheet.down_arcs, sheet.begins, core, sheet.tops, heights))
    levels = (most + 1 - heights).astype(np.int32)
    levels[:core] = 0
    sort_stably(levels, most + 1, np.empty(most + 3, np.int64), numbers, order)
    positions = np.empty(n, np.int32)
    positions[order] = numbers
    sizes = np.bincount(levels, minlength=most + 2)
    begins = np.concatenate(([0], np.cumsum(sizes[sizes > 0]))).astype(np.int32)
    starts, arcs = np.empty_like(sheet.down_starts), np.empty_like(sheet.down_arcs)
    move_arcs(sheet.down_starts, sheet.down_arcs, sheet.begins, sheet.tops, order, positions, starts, arcs)
    return Levels(begins, positions, positions[sheet.places], starts, arcs)


def steps_of(begins: np.ndarray, narrow: int) -> list[tuple[int, int]]:
    """Return runs of levels (first, last): each wide one by itself, those of at most ``narrow`` vertices together."""
    is_wide = np.diff(begins) > narrow
    cuts = np.flatnonzero(is_wide[1:] | is_wide[:-1]) + 1
    return list(pairwise([0, *cuts.tolist(), len(is_wide)]))

"""The arcs of a sweep layout by levels, for GPUs: all vertices of a level can be settled at once.

A level is a set of vertices with no arc between them whose ancestors all lie in earlier levels (kernels/cpu/levels.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .layout import SweepLayout


@dataclass(frozen=True)
class Levels:
    """The arcs down of a sweep layout, by levels.

    Attributes
    ----------
    begins : int32 array
        Where each level begins, and n. The core, if there is one, comes first as its own level.
    positions, columns : int32 arrays of n
        The position in this order of each position of the sweep layout, and of each vertex of the graph.
    starts, arcs : arrays
        The arcs from ancestors, by position in this order; heads are such positions too.
    """

    begins: np.ndarray
    positions: np.ndarray
    columns: np.ndarray
    starts: np.ndarray
    arcs: np.ndarray


def make_levels(layout: SweepLayout) -> Levels:
    """Return the arcs down by levels; within a level the order of the sweep stays, so that subtrees stay together."""
    from ..kernels.cpu.levels import find_heights, move_arcs
    from ..kernels.cpu.schedule import sort_stably

    n, core = layout.n, layout.core
    heights, order, indices = np.empty(n, np.int32), np.empty(n, np.int32), np.arange(n, dtype=np.int32)
    most = int(find_heights(layout.down_starts, layout.down_arcs, layout.begins, core, layout.tops, heights))
    levels = (most + 1 - heights).astype(np.int32)
    levels[:core] = 0
    sort_stably(levels, most + 1, np.empty(most + 3, np.int64), indices, order)
    positions = np.empty(n, np.int32)
    positions[order] = indices
    sizes = np.bincount(levels, minlength=most + 2)
    begins = np.concatenate(([0], np.cumsum(sizes[sizes > 0]))).astype(np.int32)
    starts, arcs = np.empty_like(layout.down_starts), np.empty_like(layout.down_arcs)
    move_arcs(layout.down_starts, layout.down_arcs, layout.begins, layout.tops, order, positions, starts, arcs)
    return Levels(begins, positions, positions[layout.positions], starts, arcs)

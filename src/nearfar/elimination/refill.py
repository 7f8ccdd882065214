"""A sweep layout with other arcs, for a few changed weights: the order of the sweep stays as it is.

Any order with parents before children is correct. That vertices with equally many arcs lie together only makes sweeps
faster, and a few that no longer do cost nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .couples import make_couples
from .eliminate import Structure
from .layout import SweepLayout, ends_of, is_negative, lay_out, runs_of, same_in_both_directions
from .shortcuts import IN, OUT, Shortcuts

Arcs = tuple[np.ndarray, np.ndarray]


def refill(
    layout: SweepLayout,
    structure: Structure,
    shortcuts: Shortcuts,
    bounds: tuple[float, float],
    dtype: np.dtype,
    touched: np.ndarray,
) -> SweepLayout:
    """Return the layout for new shortcuts of a structure without a core; they differ only at the ranks ``touched``.

    ``bounds`` and ``dtype`` are from `lane_type`.
    """
    if dtype != layout.dtype:  # units then have another size
        return lay_out(structure, shortcuts, bounds, dtype)
    order, by_rank = structure.ranks[layout.vertices], layout.positions[structure.vertices]
    shared = (order, by_rank, layout.begins, layout.tops, touched)
    ups = _refilled((layout.up_starts, layout.up_arcs), structure, shortcuts.outs, shortcuts.keep, OUT, shared)
    downs = ups
    if not same_in_both_directions(shortcuts):
        downs = _refilled((layout.down_starts, layout.down_arcs), structure, shortcuts.ins, shortcuts.keep, IN, shared)
    run_starts, runs = layout.run_starts, layout.runs
    if not np.array_equal(downs[0], layout.down_starts):
        run_starts, runs = runs_of(downs[0], layout.units)
    infinity, limit = ends_of(dtype, bounds)
    couples = None
    if layout.couples is not None and not is_negative(shortcuts):
        couples = make_couples(*downs, layout.units, layout.tops, infinity)
    return replace(
        layout, infinity=infinity, limit=limit, up_starts=ups[0], up_arcs=ups[1], down_starts=downs[0],
        down_arcs=downs[1], run_starts=run_starts, runs=runs, couples=couples,
    )  # fmt: skip


def _refilled(
    old: Arcs, structure: Structure, weights: np.ndarray, keep: np.ndarray, bit: Any, shared: tuple[Any, ...]
) -> Arcs:
    """Return the starts and arcs of one direction."""
    from ..kernels.cpu.reweight import relabel_touched

    total = int(np.count_nonzero(keep & bit))
    starts = np.empty(structure.n + 1, np.int32 if total < 2**31 else np.int64)
    arcs = np.empty(total, old[1].dtype)
    relabel_touched(structure.up, structure.heads, weights, keep, bit, *shared, *old, starts, arcs)
    return starts, arcs

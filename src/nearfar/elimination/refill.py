"""A sheet with other arcs in it: where few weights changed, the order of the sweep stays as it is.

Any order with parents before children is right. That vertices with equally many arcs lie together is a matter of speed,
and a few that no longer do cost nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .eliminate import Skeleton
from .layout import Sheet, ends_of, lay_out, runs_of, same_both_ways
from .shortcuts import IN, OUT, Slots

Arcs = tuple[np.ndarray, np.ndarray]


def refill(
    sheet: Sheet,
    skeleton: Skeleton,
    slots: Slots,
    bounds: tuple[float, float],
    dtype: np.dtype,
    touched: np.ndarray,
) -> Sheet:
    """Return the sheet of a skeleton without a core for slots that differ from its own where ``touched``, by number.

    ``bounds`` and ``dtype`` are from `lane_type`.
    """
    if dtype != sheet.dtype:  # units have another size then
        return lay_out(skeleton, slots, bounds, dtype)
    order, place = skeleton.places[sheet.vertices], sheet.places[skeleton.vertices]
    shared = (order, place, sheet.begins, sheet.tops, touched)
    ups = _refilled((sheet.up_starts, sheet.up_arcs), skeleton, slots.outs, slots.keep, OUT, shared)
    downs = ups
    if not same_both_ways(slots):
        downs = _refilled((sheet.down_starts, sheet.down_arcs), skeleton, slots.ins, slots.keep, IN, shared)
    run_starts, runs = sheet.run_starts, sheet.runs
    if not np.array_equal(downs[0], sheet.down_starts):
        run_starts, runs = runs_of(downs[0], sheet.units)
    infinity, limit = ends_of(dtype, bounds)
    return replace(
        sheet, infinity=infinity, limit=limit, up_starts=ups[0], up_arcs=ups[1], down_starts=downs[0],
        down_arcs=downs[1], run_starts=run_starts, runs=runs,
    )  # fmt: skip


def _refilled(
    old: Arcs, skeleton: Skeleton, weights: np.ndarray, keep: np.ndarray, bit: Any, shared: tuple[Any, ...]
) -> Arcs:
    """Return starts and arcs of one direction."""
    from ..kernels.cpu.reweight import relabel_touched

    total = int(np.count_nonzero(keep & bit))
    starts = np.empty(skeleton.n + 1, np.int32 if total < 2**31 else np.int64)
    arcs = np.empty(total, old[1].dtype)
    relabel_touched(skeleton.up, skeleton.heads, weights, keep, bit, *shared, *old, starts, arcs)
    return starts, arcs

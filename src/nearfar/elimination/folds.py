"""Rows folded over a hierarchy, on all threads: a few numbers per row, and no distance in memory.

The sweeps and the folds are in kernels/cpu/folds.py. Sources are sorted by position first, as for tables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..kernels.cpu.arguments import Folds, Gates
from ..kernels.cpu.constants import LANES
from ..progress import watcher
from ..results.limits import as_type
from .build import Hierarchy
from .layout import SweepLayout, new_lanes
from .sweep import batches_per_call, in_lanes

_compiled: set[tuple[Any, ...]] = set()  # kinds of folds that were made before


@dataclass(frozen=True)
class Wanted:
    """What is wanted of the distances of every row: sums, counts, and so on, over the vertices within ``cutoff``.

    With ``cutoffs``, ascending, and ``amounts``, one row of n numbers per kind: for every kind and cutoff, the amount
    that lies within it. The first ``open_ends`` cutoffs are not within themselves. With a ``decay``, its number
    (kernels/cpu/constants.py) and scale, amounts are multiplied by a function of the distance, and there is one cutoff.
    """

    sums: bool = False
    counts: bool = False
    greatest: bool = False
    inverses: bool = False
    cutoff: float | None = None
    cutoffs: tuple[float, ...] = ()
    amounts: np.ndarray | None = None
    open_ends: int = 0
    decay: tuple[int, float] | None = None

    @property
    def kind(self) -> tuple[Any, ...]:
        """What kernels are compiled for."""
        amounts = None if self.amounts is None else self.amounts.dtype
        return self.sums, self.counts, self.greatest, self.inverses, amounts, self.decay is None

    @property
    def is_plain(self) -> bool:
        """Whether only sums, counts and greatest distances of whole rows are wanted."""
        return self.cutoff is None and self.amounts is None and not self.inverses

    @property
    def farthest(self) -> float | None:
        """The distance beyond which nothing counts; None if everything counts."""
        own = math.inf if self.cutoff is None else self.cutoff
        ends = [own] if self.sums or self.counts or self.greatest or self.inverses else []
        ends += [min(own, max(self.cutoffs))] if self.amounts is not None else []
        farthest = max(ends, default=own)
        return farthest if farthest < math.inf else None

    def limit_in(self, dtype: np.dtype, end: Any) -> Any:
        """Return the least distance that does not count, in a type in which ``end`` means unreached."""
        return end if self.cutoff is None else least_beyond(self.cutoff, dtype, end)

    def thresholds_in(self, dtype: np.dtype, end: Any) -> np.ndarray | None:
        """Return the least distance beyond each of the cutoffs."""
        if self.amounts is None:
            return None
        limit = self.limit_in(dtype, end)
        ends = [
            least_from(cutoff, dtype, end) if i < self.open_ends else least_beyond(cutoff, dtype, end)
            for i, cutoff in enumerate(self.cutoffs)
        ]
        return np.minimum(np.array(ends, dtype), limit).astype(dtype)

    def new(self, k: int, dtype: np.dtype) -> Folded:
        """Return room for the answer of k rows."""
        totals = None
        if self.amounts is not None:
            totals = np.empty((k, len(self.amounts), len(self.cutoffs)), self.amounts.dtype)
        return Folded(
            np.empty(k, total_type(dtype)) if self.sums else None,
            np.empty(k, np.int32) if self.counts else None,
            np.empty(k, dtype) if self.greatest else None,
            np.empty(k, np.float64) if self.inverses else None,
            totals,
        )

    def widened(self, found: Folded | None, k: int, dtype: np.dtype) -> Folded:
        """Return what was found so far with room for distances of another type; new room at first."""
        if found is None:
            return self.new(k, dtype)
        if found.greatest is None or found.greatest.dtype == dtype:
            return found
        return replace(found, greatest=found.greatest.astype(dtype))


def least_beyond(cutoff: float, dtype: np.dtype, end: Any) -> Any:
    """Return the least number of a type that is greater than a cutoff; at most ``end``."""
    if dtype.kind == "f":
        return min(end, np.nextafter(as_type(cutoff, dtype), dtype.type(np.inf)))
    if cutoff >= int(end):
        return end
    lowest = int(np.iinfo(dtype).min)
    return dtype.type(lowest if cutoff < lowest else math.floor(cutoff) + 1)


@dataclass(frozen=True)
class Folded:
    """What was found: one number per row, or None where it was not wanted. ``totals`` are k x amounts x thresholds."""

    sums: np.ndarray | None
    counts: np.ndarray | None
    greatest: np.ndarray | None
    inverses: np.ndarray | None
    totals: np.ndarray | None


def least_from(cutoff: float, dtype: np.dtype, end: Any) -> Any:
    """Return the least number of a type that is not less than a cutoff; at most ``end``."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            near = dtype.type(cutoff)
        return min(end, near if near >= cutoff else np.nextafter(near, dtype.type(np.inf)))
    if cutoff >= int(end):
        return end
    return dtype.type(max(math.ceil(cutoff), int(np.iinfo(dtype).min))) if cutoff > -math.inf else np.iinfo(dtype).min


def total_type(dtype: np.dtype) -> np.dtype:
    """Return the type of sums of distances."""
    return np.dtype(np.float64 if dtype.kind == "f" else np.int64)


def fold_hierarchy(
    hierarchy: Hierarchy, sources: np.ndarray, wanted: Wanted, threads: int, progress: Any, stop: np.ndarray
) -> Folded:
    """Return the folds of the rows of all sources."""
    layout = hierarchy.layout
    positions = layout.positions[sources]
    order = np.argsort(positions, kind="stable")
    found = wanted.new(len(sources), layout.dtype)
    share = LANES * batches_per_call(layout, -(-len(sources) // LANES), threads)
    limit, thresholds = wanted.limit_in(layout.dtype, layout.limit), wanted.thresholds_in(layout.dtype, layout.limit)
    near = _near(hierarchy, wanted)
    gates = None if near is None else Gates(*layout.gates(), near)
    amounts = None if wanted.amounts is None else np.ascontiguousarray(wanted.amounts[:, layout.vertices])
    done: list[int] = []  # rows
    steps = -(-len(sources) // LANES) * (layout.n + len(layout.down_arcs))
    kind = layout.dtype, layout.couples is None, type(hierarchy.core), gates is None, wanted.kind
    # Little work runs on the caller's thread, but not the first time: an interrupt would break a thread that compiles.
    few = steps < SMALL_WORK and kind in _compiled

    def new_worker() -> Any:
        def fold(i: int) -> None:
            some = order[i * share : (i + 1) * share]
            lanes = in_lanes(some)
            sweeper = hierarchy.sweeper(stop)
            folds = new_folds(wanted, thresholds, amounts, len(lanes), layout)
            sweeper.fold(positions[lanes], gates, folds, limit)
            hierarchy.spare.append(sweeper)
            if not stop[0]:
                _take(found, folds, lanes)
                done.extend(some.tolist())

        return fold

    with watcher(progress, len(sources), done) as watch:
        cpu.share_out(new_worker, -(-len(sources) // share), 0 if few else threads, stop, watch)
    if not stop[0]:
        _compiled.add(kind)
    return found


def _near(hierarchy: Hierarchy, wanted: Wanted) -> Any:
    """Return the least distance beyond which nothing counts; None if everything counts, or weights are negative."""
    layout, farthest = hierarchy.layout, wanted.farthest
    if farthest is None or hierarchy.graph.min_weight < 0:
        return None
    return least_beyond(farthest, layout.dtype, layout.limit)


def new_folds(
    wanted: Wanted, thresholds: np.ndarray | None, amounts: np.ndarray | None, batches: int, layout: SweepLayout
) -> Folds:
    """Return what a sweep folds several batches into; ``amounts`` are in the order of positions."""
    totals = None
    if amounts is not None and thresholds is not None:
        totals = new_lanes(batches * len(amounts) * len(thresholds), amounts.dtype)
    return Folds(
        new_lanes(batches, total_type(layout.dtype)) if wanted.sums else None,
        new_lanes(batches, np.dtype(np.int32)) if wanted.counts else None,
        new_lanes(batches, layout.dtype) if wanted.greatest else None,
        new_lanes(batches, np.dtype(np.float64)) if wanted.inverses else None,
        thresholds,
        amounts,
        totals,
        wanted.decay,
    )


def _take(found: Folded, folds: Folds, lanes: np.ndarray) -> None:
    """Copy the folds of batches to their rows; lanes that repeat a row have the same numbers."""
    for name in ("sums", "counts", "greatest", "inverses"):
        values = getattr(found, name)
        if values is not None:
            values[lanes] = getattr(folds, name)
    if found.totals is not None and folds.totals is not None:
        shape = len(lanes), *found.totals.shape[1:], LANES
        found.totals[lanes] = np.moveaxis(folds.totals.reshape(shape), -1, 1)

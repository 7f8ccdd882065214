"""The needed arcs of an eliminated graph, laid out for sweeps (kernels/cpu/sweep.py says how they go).

Vertices get their last numbers here: the core, the tops of the tree, then units of some thousand vertices, inside which
they are ordered by height and number of arcs (kernels/cpu/schedule.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..kernels.cpu.constants import LANES, LINE_BYTES
from .eliminate import Skeleton
from .lines import Lines, make_lines
from .shortcuts import IN, OUT, Slots
from .tuning import UNIT


@dataclass(frozen=True)
class Sheet:
    """What a sweep reads.

    Attributes
    ----------
    core, tops : int
        Vertices of the core, and vertices with a slot of their own, the core included.
    slots : int
        Slots of the tops, and those that units share; rows that wait for others come after them (`Lines`).
    infinity, limit : number
        What unreached distances start from, and what they may not fall below; of the type of the lanes.
    depth : int
        The most ancestors a vertex has, itself included.
    places, vertices : int32 arrays of n
        The number of each vertex, and the vertex of each number.
    parents, begins : int32 arrays of n
        By number: the parent in the elimination tree or -1, and where the unit begins.
    up_starts, up_arcs, down_starts, down_arcs : arrays
        The arcs to ancestors and from ancestors, of every number; heads are slots.
    units : int64 array
        Where each unit begins, and n. Unit 0 is the core.
    run_starts, runs : arrays
        Where in ``runs`` those of each unit begin; where vertices with another number of arcs down begin, and n.
    """

    core: int
    tops: int
    slots: int
    infinity: Any
    limit: Any
    depth: int
    places: np.ndarray
    vertices: np.ndarray
    parents: np.ndarray
    begins: np.ndarray
    up_starts: np.ndarray
    up_arcs: np.ndarray
    down_starts: np.ndarray
    down_arcs: np.ndarray
    units: np.ndarray
    run_starts: np.ndarray
    runs: np.ndarray
    _lines: dict[int, Lines] = field(default_factory=dict, compare=False, repr=False)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.places)

    @property
    def dtype(self) -> np.dtype:
        """The type of the lanes."""
        return self.down_arcs.dtype["weight"]

    def lines(self, shift: int = 0) -> Lines:
        """Return when the lines of a row are written that begins ``shift`` columns before one; found once."""
        if shift not in self._lines:
            self._lines[shift] = make_lines(self, shift)
        return self._lines[shift]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; those that are the same count once."""
        once = sum({id(part): part.nbytes for part in vars(self).values() if isinstance(part, np.ndarray)}.values())
        return once + sum(lines.nbytes for lines in self._lines.values())


def lay_out(skeleton: Skeleton, slots: Slots, bounds: tuple[float, float], dtype: np.dtype) -> Sheet:
    """Return the sheet of a weighted skeleton, with lanes of ``dtype``; ``bounds``: of sums, from `lane_type`."""
    from ..kernels.cpu.customize import count_kept

    n, core = skeleton.n, skeleton.core
    counts = np.empty(n, np.int32)
    keep = slots.keep.copy()
    keep[: skeleton.up[core]] = 0  # arcs inside the core are searched, not swept
    count_kept(skeleton.up, keep, IN, counts)
    order, unit, depth = _order(skeleton, counts, max(1, UNIT * 4 // np.dtype(dtype).itemsize))
    units = np.searchsorted(unit[order], np.arange(int(unit.max(initial=0)) + 2)).astype(np.int64)
    place = np.empty(n, np.int32)
    place[order] = np.arange(n, dtype=np.int32)
    tops = int(units[2]) if len(units) > 2 else n
    begins = np.repeat(units[:-1], np.diff(units)).astype(np.int32)
    places = place[skeleton.places]
    shared = (order, place, begins, tops)
    up_starts, up_arcs = _arcs(skeleton, slots.outs, keep, OUT, dtype, shared)
    same = same_both_ways(slots)
    down_starts, down_arcs = (up_starts, up_arcs) if same else _arcs(skeleton, slots.ins, keep, IN, dtype, shared)
    run_starts, runs = runs_of(down_starts, units)
    above = skeleton.parents[order]
    infinity, limit = ends_of(np.dtype(dtype), bounds)
    vertices = np.empty(n, np.int32)
    vertices[places] = np.arange(n, dtype=np.int32)
    widest = int(np.diff(units)[2:].max(initial=0))
    return Sheet(
        core=core, tops=tops, slots=tops + widest, infinity=infinity, limit=limit, depth=depth,
        places=places, vertices=vertices, parents=np.where(above >= 0, place[above], -1).astype(np.int32),
        begins=begins, up_starts=up_starts, up_arcs=up_arcs, down_starts=down_starts, down_arcs=down_arcs,
        units=units, run_starts=run_starts, runs=runs,
    )  # fmt: skip


def same_both_ways(slots: Slots) -> bool:
    """Tell whether the needed arcs up are those down, with the same weights."""
    return slots.symmetric and np.array_equal(slots.keep & OUT != 0, slots.keep & IN != 0)


def _order(skeleton: Skeleton, counts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the order of the sweep, the unit of each number, of ``most`` vertices, and the depth of the tree."""
    from ..kernels.cpu.schedule import make_units, measure_trees, sort_stably

    n = skeleton.n
    size, height, depth, unit, order, other = (np.empty(n, np.int32) for _ in range(6))
    deepest = int(measure_trees(skeleton.parents, size, height, depth))
    make_units(skeleton.parents, size, skeleton.core, most, unit)
    order[:] = np.arange(n)
    below = (height.max(initial=0) - height).astype(np.int32)
    for keys in (np.minimum(counts, 255), below, unit):  # the last sorts first
        top = int(keys.max(initial=0))
        sort_stably(keys, top, np.empty(top + 2, np.int64), order, other)
        order, other = other, order
    return order, unit, deepest


def _arcs(
    skeleton: Skeleton, weights: np.ndarray, keep: np.ndarray, bit: Any, dtype: np.dtype, shared: tuple[Any, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return starts and arcs of one direction in the order of the sweep."""
    from ..kernels.cpu.customize import relabel_kept

    total = int(np.count_nonzero(keep & bit))
    starts = np.empty(skeleton.n + 1, np.int32 if total < 2**31 else np.int64)
    arcs = np.empty(total, np.dtype([("head", np.int32), ("weight", dtype)]))
    relabel_kept(skeleton.up, skeleton.heads, weights, keep, bit, *shared, starts, arcs)
    return starts, arcs


def runs_of(starts: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where runs of vertices with equally many arcs begin, and where in that list each unit does."""
    counts = np.diff(starts)
    begins = np.union1d(np.flatnonzero(np.diff(counts)) + 1, units)
    return np.searchsorted(begins, units).astype(np.int64), begins.astype(np.int32)


def ends_of(dtype: np.dtype, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Return the infinity of the lanes, and the least that an unreached vertex can come to over negative arcs."""
    if dtype.kind == "f":
        return dtype.type(np.inf), dtype.type(np.inf)
    infinity = infinity_of_lanes(dtype)
    return infinity, dtype.type(int(infinity) + int(bounds[0]))


def infinity_of_lanes(dtype: np.dtype) -> Any:
    """Return what unreached distances start from: twice of it still fits the type."""
    return dtype.type({"int32": 2**30 - 1, "int64": 2**62 - 1}.get(dtype.name, np.inf))


def lane_type(skeleton: Skeleton, slots: Slots) -> tuple[np.dtype, tuple[float, float]]:
    """Return the type of lanes that holds all sums, and bounds of them: how far down and up they may go.

    int32 where everything stays below 2**30, so that infinity plus a weight does not wrap.
    """
    dtype = slots.outs.dtype
    if dtype.kind == "f":
        return dtype, (0.0, np.inf)
    low, high = _bounds(skeleton, slots)
    end = 2**30 - 1
    return np.dtype(np.int32 if high - low < end else np.int64), (low, high)


def _bounds(skeleton: Skeleton, slots: Slots) -> tuple[float, float]:
    """Bound all sums that a climb, a search of the core and a sweep may form.

    Where every vertex can go to its root and back, no distance is longer than that. Else the longest chain of arcs is.
    """
    from ..kernels.cpu.customize import longest_chains, reach_of_roots

    n, infinity = skeleton.n, slots.infinity
    heaviest = max((int(w.max(where=w < infinity, initial=0)) for w in (slots.outs, slots.ins)), default=0)
    inside = heaviest * max(skeleton.core - 1, 0)
    negative = min(int(w.min(initial=0)) for w in (slots.outs, slots.ins)) < 0
    ways = ((slots.outs, OUT), (slots.ins, IN))
    if not negative:
        far = np.empty(n, np.int64)
        most = []
        for weights, bit in ways[:1] if same_both_ways(slots) else ways:
            reach_of_roots(
                skeleton.up, skeleton.heads, weights, slots.keep, bit, skeleton.parents, skeleton.core, infinity, far
            )
            most.append(int(far.max(initial=0)))
        if max(most) < infinity:
            return 0.0, float(most[0] + most[-1] + inside + heaviest)
    high = low = 0.0
    up, down = np.empty(n), np.empty(n)
    for weights, bit in ways:
        longest_chains(skeleton.up, skeleton.heads, weights, slots.keep, bit, up, down)
        high, low = high + up.max(initial=0), low + down.min(initial=0)
    return 2 * low, high + inside + heaviest - low


def new_lanes(rows: int, dtype: np.dtype) -> np.ndarray:
    """Return rows of lanes, not filled, that start at cache lines."""
    size = rows * LANES * dtype.itemsize
    raw = np.empty(size + LINE_BYTES, np.uint8)
    skip = -raw.ctypes.data % LINE_BYTES
    return raw[skip : skip + size].view(dtype).reshape(rows, LANES)

"""The needed arcs of an eliminated graph in the order of a sweep: a `SweepLayout` (kernels/cpu/sweep.py reads it).

Vertices get *positions* here: first the core, then the tops of the elimination tree, then units of a few thousand
vertices each, inside which they are ordered by height and number of arcs (kernels/cpu/schedule.py says why). A unit
uses the work space of the unit before it again: the row of work space in which the distances of a vertex lie during a
sweep is its *cell*. A top has a cell of its own; a vertex of a unit has cell ``tops`` plus its position within the
unit.

Invariant: the other end of an arc is a top, the core included, or lies in the same unit. So it is stored as a cell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cpu.aligned import new_lanes as new_lanes
from ..kernels.cpu.arguments import Couples, DownArcs, Lines, UpArcs
from .couples import make_couples
from .eliminate import Structure
from .lines import make_lines
from .shortcuts import IN, OUT, Shortcuts
from .tuning import COUPLED, UNIT


@dataclass(frozen=True)
class SweepLayout:
    """The arrays that a sweep reads.

    Attributes
    ----------
    core, tops : int
        Number of vertices in the core, and number of vertices with a cell of their own, the core included.
    cells : int
        Number of cells: those of the tops, and those that units share. Rows set aside come after them (`Lines`).
    infinity, limit : number
        What unreached distances start from, and what they cannot fall below; in the type of the lanes.
    depth : int
        The most ancestors a vertex has, itself included.
    positions, vertices : int32 arrays of n
        The position of each vertex, and the vertex at each position.
    parents, begins : int32 arrays of n
        By position: the position of the parent in the elimination tree or -1, and where the unit begins.
    up_starts, up_arcs, down_starts, down_arcs : arrays
        The arcs to ancestors and from ancestors, by position; the head of an arc is the cell of the ancestor.
    units : int64 array
        The position at which each unit begins, and n. Unit 0 is the core, unit 1 the other tops.
    run_starts, runs : arrays
        ``runs``: the positions at which vertices with another number of arcs down begin, and n. ``run_starts``: where
        in ``runs`` each unit begins.
    couples : Couples, optional
        The arcs down for sweeps that settle two vertices at a time, where that is faster.
    """

    core: int
    tops: int
    cells: int
    infinity: Any
    limit: Any
    depth: int
    positions: np.ndarray
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
    couples: Couples | None = None
    _lines: dict[int, Lines] = field(default_factory=dict, compare=False, repr=False)
    _gates: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list, compare=False, repr=False)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.positions)

    @property
    def dtype(self) -> np.dtype:
        """The type of the lanes."""
        return self.down_arcs.dtype["weight"]

    @cached_property
    def down(self) -> DownArcs:
        """The arrays that a sweep reads, as its kernels take them."""
        return DownArcs(
            self.down_starts, self.down_arcs, self.run_starts, self.runs, self.units, self.tops, self.cells,
            self.infinity,
        )  # fmt: skip

    @cached_property
    def up(self) -> UpArcs:
        """The arrays that a climb reads, as its kernels take them."""
        return UpArcs(self.parents, self.up_starts, self.up_arcs, self.begins, self.core, self.tops)

    def lines(self, shift: int = 0) -> Lines:
        """Return when the lines of a row are written that begins ``shift`` columns before a cache line."""
        if shift not in self._lines:
            self._lines[shift] = make_lines(self, shift)
        return self._lines[shift]

    def gates(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the gates of every unit, which are found on first use: (starts, cells), cells by unit."""
        if not self._gates:
            self._gates.append(find_gates(self))
        return self._gates[0]

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; an array used twice counts once."""
        parts = [*vars(self).values(), *(self.couples or ())]
        once = sum({id(part): part.nbytes for part in parts if isinstance(part, np.ndarray)}.values())
        return once + sum(lines.nbytes for lines in self._lines.values())


def lay_out(
    structure: Structure,
    shortcuts: Shortcuts,
    bounds: tuple[float, float],
    dtype: np.dtype,
    threads: int = 0,
    couples: bool = True,
) -> SweepLayout:
    """Return the layout of weighted shortcuts, with lanes of ``dtype``; ``bounds`` of sums are from `lane_type`.

    With 0 threads, only the caller's works. ``couples``: whether vertices may be settled two at a time.
    """
    from ..kernels.cpu.customize import count_kept

    n, core = structure.n, structure.core
    counts = np.empty(n, np.int32)
    keep = shortcuts.keep.copy()
    keep[: structure.up[core]] = 0  # arcs inside the core are searched, not swept
    count_kept(structure.up, keep, IN, counts)
    coupled = couples and counts.sum(dtype=np.int64) >= COUPLED * n > 0 and not is_negative(shortcuts)
    order, unit, depth = _order(structure, counts, max(1, UNIT * 4 // np.dtype(dtype).itemsize), coupled)
    units = np.searchsorted(unit[order], np.arange(int(unit.max(initial=0)) + 2)).astype(np.int64)
    by_rank = np.empty(n, np.int32)
    by_rank[order] = np.arange(n, dtype=np.int32)
    tops = int(units[2]) if len(units) > 2 else n
    begins = np.repeat(units[:-1], np.diff(units)).astype(np.int32)
    positions = by_rank[structure.ranks]
    shared = (order, by_rank, begins, tops)
    up_starts, up_arcs = _arcs(structure, shortcuts.outs, keep, OUT, dtype, shared)
    same = same_in_both_directions(shortcuts)
    down_starts, down_arcs = (up_starts, up_arcs) if same else _arcs(structure, shortcuts.ins, keep, IN, dtype, shared)
    run_starts, runs = runs_of(down_starts, units)
    above = structure.parents[order]
    infinity, limit = ends_of(np.dtype(dtype), bounds)
    vertices = np.empty(n, np.int32)
    vertices[positions] = np.arange(n, dtype=np.int32)
    widest = int(np.diff(units)[2:].max(initial=0))
    pairs = make_couples(down_starts, down_arcs, units, tops, infinity, threads) if coupled else None
    return SweepLayout(
        core=core, tops=tops, cells=tops + widest, infinity=infinity, limit=limit, depth=depth,
        positions=positions, vertices=vertices, parents=np.where(above >= 0, by_rank[above], -1).astype(np.int32),
        begins=begins, up_starts=up_starts, up_arcs=up_arcs, down_starts=down_starts, down_arcs=down_arcs,
        units=units, run_starts=run_starts, runs=runs, couples=pairs,
    )  # fmt: skip


def find_gates(layout: SweepLayout) -> tuple[np.ndarray, np.ndarray]:
    """Return the gates of every unit, the tops that have an arc into it: where they begin, and their cells."""
    from ..kernels.cpu.folds import count_gates, list_gates

    given = layout.down_starts, layout.down_arcs, layout.units, layout.tops
    starts, seen = np.zeros(len(layout.units), np.int64), np.empty(layout.tops, np.int32)
    count_gates(*given, seen, starts[1:])
    np.cumsum(starts, out=starts)
    cells = np.empty(int(starts[-1]), np.int32)
    list_gates(*given, seen, starts, cells)
    return starts, cells


def is_negative(shortcuts: Shortcuts) -> bool:
    """Return whether any weight is negative."""
    return min(weights.min(initial=0) for weights in (shortcuts.outs, shortcuts.ins)) < 0


def same_in_both_directions(shortcuts: Shortcuts) -> bool:
    """Return whether the needed arcs up are the needed arcs down, with the same weights."""
    return shortcuts.symmetric and np.array_equal(shortcuts.keep & OUT != 0, shortcuts.keep & IN != 0)


def _order(structure: Structure, counts: np.ndarray, most: int, by_rank: bool) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the order of the sweep (ranks), the unit of each rank, of ``most`` vertices, and the depth of the tree.

    ``by_rank``: within a unit, ranks ascend; otherwise vertices are ordered by height and number of arcs.
    """
    from ..kernels.cpu.schedule import make_units, measure_trees, sort_stably

    n = structure.n
    size, height, depth, unit, order, other = (np.empty(n, np.int32) for _ in range(6))
    deepest = int(measure_trees(structure.parents, size, height, depth))
    make_units(structure.parents, size, structure.core, most, unit)
    order[:] = np.arange(n)
    below = (height.max(initial=0) - height).astype(np.int32)
    for keys in (unit,) if by_rank else (np.minimum(counts, 255), below, unit):  # the last is the most significant
        top = int(keys.max(initial=0))
        sort_stably(keys, top, np.empty(top + 2, np.int64), order, other)
        order, other = other, order
    return order, unit, deepest


def _arcs(
    structure: Structure, weights: np.ndarray, keep: np.ndarray, bit: Any, dtype: np.dtype, shared: tuple[Any, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts and arcs of one direction in the order of the sweep."""
    from ..kernels.cpu.customize import relabel_kept

    total = int(np.count_nonzero(keep & bit))
    starts = np.empty(structure.n + 1, np.int32 if total < 2**31 else np.int64)
    arcs = np.empty(total, np.dtype([("head", np.int32), ("weight", dtype)]))
    relabel_kept(structure.up, structure.heads, weights, keep, bit, *shared, starts, arcs)
    return starts, arcs


def runs_of(starts: np.ndarray, units: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (run_starts, runs): where in ``runs`` each unit begins, and where the number of arcs changes."""
    counts, is_begin = np.diff(starts), np.zeros(len(starts), bool)
    is_begin[1:-1] = counts[1:] != counts[:-1]
    is_begin[units] = True
    begins = np.flatnonzero(is_begin)
    return np.searchsorted(begins, units).astype(np.int64), begins.astype(np.int32)


def ends_of(dtype: np.dtype, bounds: tuple[float, float]) -> tuple[Any, Any]:
    """Return the infinity of the lanes, and the least value that negative arcs can make of it."""
    if dtype.kind == "f":
        return dtype.type(np.inf), dtype.type(np.inf)
    infinity = infinity_of_lanes(dtype)
    return infinity, dtype.type(int(infinity) + int(bounds[0]))


def infinity_of_lanes(dtype: np.dtype) -> Any:
    """Return what unreached distances start from: twice that still fits the type."""
    return dtype.type({"int32": 2**30 - 1, "int64": 2**62 - 1}.get(dtype.name, np.inf))


def lane_type(structure: Structure, shortcuts: Shortcuts) -> tuple[np.dtype, tuple[float, float]]:
    """Return the type of lanes that holds all sums, and the bounds (low, high) of these sums.

    It is int32 where all sums stay below 2**30, so that infinity plus a weight does not wrap.
    """
    dtype = shortcuts.outs.dtype
    if dtype.kind == "f":
        return dtype, (0.0, np.inf)
    low, high = _bounds(structure, shortcuts)
    end = 2**30 - 1
    return np.dtype(np.int32 if high - low < end else np.int64), (low, high)


def _bounds(structure: Structure, shortcuts: Shortcuts) -> tuple[float, float]:
    """Return bounds (low, high) of all sums that a climb, a search of the core and a sweep may form.

    Where every vertex reaches its root and is reached from it, no distance is longer than the two together. Otherwise
    the bound is the longest chain of arcs.
    """
    from ..kernels.cpu.customize import longest_chains, reach_of_roots

    n, infinity = structure.n, shortcuts.infinity
    heaviest = max((int(w.max(where=w < infinity, initial=0)) for w in (shortcuts.outs, shortcuts.ins)), default=0)
    inside = heaviest * max(structure.core - 1, 0)
    negative = is_negative(shortcuts)
    directions = ((shortcuts.outs, OUT), (shortcuts.ins, IN))
    if not negative:
        far = np.empty(n, np.int64)
        most = []
        for weights, bit in directions[:1] if same_in_both_directions(shortcuts) else directions:
            reach_of_roots(
                structure.up,
                structure.heads,
                weights,
                shortcuts.keep,
                bit,
                structure.parents,
                structure.core,
                infinity,
                far,
            )
            most.append(int(far.max(initial=0)))
        if max(most) < infinity:
            return 0.0, float(most[0] + most[-1] + inside + heaviest)
    high = low = 0.0
    up, down = np.empty(n), np.empty(n)
    for weights, bit in directions:
        longest_chains(structure.up, structure.heads, weights, shortcuts.keep, bit, up, down)
        high, low = high + up.max(initial=0), low + down.min(initial=0)
    return 2 * low, high + inside + heaviest - low

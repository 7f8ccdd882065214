"""Labels: the lengths of the climbs from every vertex to all its ancestors, so that a pair needs no climb.

kernels/cpu/labels.py explains them. They take one number per vertex and ancestor: New York, 264,346 vertices with 385
ancestors on average, 415 MB. They follow from the hierarchy, and to make them again is faster than to read them from a
disk, so files only note that there were some.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.aligned import new_lanes
from ..kernels.cpu.arguments import LabelArrays
from ..kernels.cpu.constants import LANES
from ..results.limits import unreached
from .core import ClosedCore, search_core
from .layout import same_in_both_directions
from .shortcuts import IN, OUT
from .tuning import LABEL_PIECES, LABEL_UNIT, PAIRS_AT_ONCE

if TYPE_CHECKING:
    from .build import Hierarchy


@dataclass(frozen=True)
class LabelSize:
    """How large the labels of a hierarchy are: counted before they are made.

    Attributes
    ----------
    common : int32 array of n
        By rank, the number of ancestors.
    rows : int
        Rows of lanes of all labels in one direction.
    nbytes : int
        Memory of all labels.
    climb : float
        Arcs that two climbs from a pair relax, on average and at most, and those of a core that they share with others.
    """

    common: np.ndarray
    rows: int
    nbytes: int
    climb: float

    @property
    def mean(self) -> float:
        """The number of ancestors, on average."""
        return float(self.common.mean()) if len(self.common) else 0.0


def measure_labels(hierarchy: Hierarchy) -> LabelSize:
    """Return how large labels would be."""
    from ..kernels.cpu.labels import count_climbs, count_common, count_rows

    structure, layout = hierarchy.structure, hierarchy.layout
    common = np.empty(structure.n, np.int32)
    count_common(structure.parents, structure.core, common)
    rows = int(count_rows(structure.core, common))
    ways = 1 if same_in_both_directions(hierarchy.shortcuts) else 2
    n, room = max(structure.n, 1), np.empty(structure.n, np.int64)
    climbs = sum(count_climbs(layout.parents, starts, room) for starts in (layout.up_starts, layout.down_starts))
    searched = len(hierarchy.core.heads) / LANES if hierarchy.core else 0
    return LabelSize(common, rows, ways * rows * LANES * layout.dtype.itemsize, climbs / n + searched)


@dataclass(frozen=True)
class Labels:
    """The labels of a hierarchy, and the seconds that making them took."""

    arrays: LabelArrays
    infinity: Any
    limit: Any
    seconds: float

    @property
    def nbytes(self) -> int:
        """Memory of the arrays; an array used twice counts once."""
        return sum({id(array): array.nbytes for array in self.arrays}.values())

    @cached_property
    def ramp(self) -> np.ndarray:
        """One row of lanes: 0, 1, 2 and so on."""
        ramp = new_lanes(1, np.dtype(np.int32))
        ramp[0] = np.arange(LANES)
        return ramp

    def distance(self, source: int, target: int) -> int | float | None:
        """Return the distance from one vertex to another, None if there is no path."""
        from ..kernels.cpu.labels import ask_label

        found = ask_label(self.arrays, source, target, self.ramp, self.infinity)
        return found if found < self.limit else None

    def distances(self, sources: np.ndarray, targets: np.ndarray, dtype: np.dtype, threads: int) -> np.ndarray:
        """Return the distance of every pair of vertices."""
        from ..kernels.cpu.labels import ask_labels

        stop, found = np.zeros(1, np.int64), np.empty(len(sources), dtype)

        def ask(i: int) -> None:
            some = slice(i * PAIRS_AT_ONCE, (i + 1) * PAIRS_AT_ONCE)
            ask_labels(
                self.arrays, sources[some], targets[some], self.ramp, self.infinity, self.limit, unreached(dtype),
                found[some], stop,
            )  # fmt: skip

        cpu.share_out(lambda: ask, -(-len(sources) // PAIRS_AT_ONCE), threads, stop)
        return found


def make_labels(hierarchy: Hierarchy, threads: int, size: LabelSize | None = None) -> Labels:
    """Return the labels of a hierarchy. Subtrees share the threads; what is above them comes first."""
    begin = time.perf_counter()
    size = size or measure_labels(hierarchy)
    structure, layout = hierarchy.structure, hierarchy.layout
    entries = np.empty((structure.n, 4), np.int32)
    arrays = LabelArrays(entries, *_room(hierarchy, size.rows), size.common, *_table(hierarchy, size.common, entries))
    if hierarchy.core is not None:
        _enter_core(hierarchy, arrays)
    above, *groups = structure.families(max(LABEL_UNIT, structure.n // (LABEL_PIECES * threads)))
    stop = np.zeros(1, np.int64)
    _fill(hierarchy, arrays, [above], 1, stop)
    _fill(hierarchy, arrays, groups, threads, stop)
    return Labels(arrays, layout.infinity, layout.limit, time.perf_counter() - begin)


def _room(hierarchy: Hierarchy, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return arrays for the labels of both directions: one array if they are alike."""
    outs = new_lanes(rows, hierarchy.layout.dtype)
    same = same_in_both_directions(hierarchy.shortcuts)
    return outs, outs if same else new_lanes(rows, hierarchy.layout.dtype)


def _table(hierarchy: Hierarchy, common: np.ndarray, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Write the entries of all vertices; return the least numbers of runs of blocks, and logarithms."""
    from ..kernels.cpu.labels import BLOCK, make_entries, make_table

    structure = hierarchy.structure
    make_entries(structure.vertices, structure.core, common, entries)
    blocks = max(1, -(-structure.n // BLOCK))
    least, levels = np.empty((blocks.bit_length(), blocks), np.int32), np.zeros(blocks + 1, np.int8)
    make_table(common, least, levels)
    return least, levels


def _fill(hierarchy: Hierarchy, arrays: LabelArrays, groups: list[np.ndarray], threads: int, stop: np.ndarray) -> None:
    """Write the labels of groups of ranks, which threads share."""
    from ..kernels.cpu.labels import fill_labels

    structure, shortcuts = hierarchy.structure, hierarchy.shortcuts
    ways = [(shortcuts.outs, OUT, arrays.outs)]
    if arrays.ins is not arrays.outs:
        ways.append((shortcuts.ins, IN, arrays.ins))

    def fill(i: int) -> None:
        for weights, bit, labels in ways:
            fill_labels(
                groups[i], structure.vertices, structure.up, structure.heads, weights, shortcuts.keep, bit,
                structure.core, arrays.common, arrays.entries, labels, hierarchy.layout.infinity, stop,
            )  # fmt: skip

    cpu.share_out(lambda: fill, len(groups), threads, stop)


def _enter_core(hierarchy: Hierarchy, arrays: LabelArrays) -> None:
    """Write the labels of the core: the distances between its vertices."""
    matrix = _distances_in_core(hierarchy)
    width = -(-len(matrix) // LANES) * LANES
    ways = [(arrays.outs, matrix), (arrays.ins, matrix.T)]
    for labels, rows in ways if arrays.ins is not arrays.outs else ways[:1]:
        flat = labels.reshape(-1)[: len(matrix) * width].reshape(len(matrix), width)
        flat[:] = hierarchy.layout.infinity
        flat[:, : len(matrix)] = rows


def _distances_in_core(hierarchy: Hierarchy) -> np.ndarray:
    """Return the matrix of all distances between vertices of the core."""
    core, layout = hierarchy.core, hierarchy.layout
    assert core is not None
    if isinstance(core, ClosedCore):
        return core.matrix
    c, searched, stop = layout.core, core.with_space(), np.zeros(1, np.int64)
    matrix, dist = np.empty((c, c), layout.dtype), new_lanes(c, layout.dtype)
    for low in range(0, c, LANES):
        count = min(LANES, c - low)
        dist[:] = layout.infinity
        dist[np.arange(low, low + count), np.arange(count)] = 0
        search_core(searched, dist, stop)
        matrix[low : low + count] = dist[:, :count].T
    return matrix

"""Paths of single pairs over a hierarchy: two climbs meet, and their shortcuts are unfolded.

The kernels are in kernels/cpu/walks.py and kernels/cpu/unfold.py. What unfolding looks up, `Unfolding`, follows from
the hierarchy, takes two numbers per vertex, and is not stored in files. Which shortcuts are arcs of the graph, and over
which rank others lead, is found when paths ask, and kept: the shortcuts that are hard to unfold are those that many
paths share. To find out beforehand took 35 ms in New York, as long as eight searches of the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .core import ClosedCore, Core, search_core
from .layout import new_lanes
from .shortcuts import IN, OUT
from .tuning import SEARCHED_CORE, SMALL_CORE

if TYPE_CHECKING:
    from .build import Hierarchy
    from .eliminate import Structure
    from .labels import Labels


class Unfolding(NamedTuple):
    """What paths need beside the hierarchy.

    ``over`` and ``back_over`` hold the rank that a shortcut leads over, to its head and from it, once a path has asked
    for it; they are one array if both directions are alike. ``sizes`` are those of the subtrees, ``vertices`` the
    vertex of each rank. ``roots[root_starts[v]:root_starts[v + 1]]`` are the roots of trees with a shortcut to vertex v
    of the core.
    """

    over: np.ndarray
    back_over: np.ndarray
    sizes: np.ndarray
    root_starts: np.ndarray
    roots: np.ndarray
    vertices: np.ndarray


def make_unfolding(hierarchy: Hierarchy) -> Unfolding:
    """Return what paths over a hierarchy need; of what is zero, memory is only taken where a path looks."""
    structure = hierarchy.structure
    over = np.zeros(len(structure.heads), np.int32)
    alike = hierarchy.shortcuts.symmetric and hierarchy.graph.undirected
    back_over = over if alike else np.zeros(len(structure.heads), np.int32)
    return Unfolding(over, back_over, structure.sizes, *_roots(structure), structure.vertices)


def _roots(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, roots): for every vertex of the core the roots of trees with a shortcut to it."""
    from ..kernels.cpu.unfold import list_roots

    starts = np.zeros(structure.core + 1, np.int64)
    if not structure.core:
        return starts, np.empty(0, np.int32)
    members = structure.core + np.flatnonzero(structure.parents[structure.core :] < 0)
    roots = np.empty(int((structure.up[members + 1] - structure.up[members]).sum()), np.int32)
    list_roots(members, structure.up, structure.heads, starts, roots)
    return starts, roots


def can_unfold(hierarchy: Hierarchy) -> bool:
    """Return whether paths are found over the hierarchy, rather than by a search of the graph.

    Paths through a core follow tight arcs in it. A closed core has none if its sums are rounded, and to search a large
    core for one pair takes longer than to search the graph.
    """
    core = hierarchy.core
    if core is None:
        return True
    if isinstance(core, ClosedCore):
        return core.matrix.dtype.kind == "i"
    arcs, size = len(core.heads), hierarchy.graph.n + hierarchy.graph.m
    return not hierarchy.by_rows and (arcs <= SMALL_CORE or arcs * SEARCHED_CORE <= size)


class Paths:
    """The work space of one thread for paths; new memory is slow, so the first path is to touch little of it."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        layout, core, least = hierarchy.layout, hierarchy.core, hierarchy.graph.min_weight
        self.hierarchy, self.unfolding = hierarchy, hierarchy.unfolding
        self.negative = bool(least < 0)
        self.cyclic = bool(least <= 0) or layout.dtype.kind == "f"  # a cycle may be so short that it is lost in a sum
        self.far, self.back = (np.empty(layout.n, layout.dtype) for _ in range(2))
        self.before, self.after, self.index = (np.zeros(layout.n, np.int32) for _ in range(3))
        self.reached, self.reached_back = (np.empty(layout.depth + layout.core, np.int32) for _ in range(2))
        self.dist, self.seen = np.empty(layout.core, layout.dtype), np.empty(layout.core, np.uint8)
        self.pending, self.following = (np.empty(layout.core, np.int32) for _ in range(2))
        self.lanes = new_lanes(layout.core if isinstance(core, Core) else 0, layout.dtype)
        self.core = core.with_space() if isinstance(core, Core) else None
        self.walk = np.empty(2 * layout.depth + layout.core + 2, np.int32)
        self.stack = np.empty(4 * layout.depth + 64, np.int32)
        self.path = np.empty(layout.n + 1, np.int32)

    def find(self, source: int, target: int) -> np.ndarray | None:
        """Return the vertices of a shortest path, none if there is none; None where the walk is too long to unfold."""
        from ..kernels.cpu.walks import climb_both, list_walk

        layout = self.hierarchy.layout
        best, top, count, left = climb_both(
            layout.up_starts, layout.up_arcs, layout.down_starts, layout.down_arcs, layout.parents, layout.begins,
            layout.core, layout.tops, int(layout.positions[source]), int(layout.positions[target]), self.far,
            self.back, self.before, self.after, self.reached, self.reached_back, self.negative, layout.infinity,
        )  # fmt: skip
        entry, exit_ = self._through_core(best, top, count, left) if layout.core else (top, top)
        length = list_walk(
            entry, exit_, self.before, self.after, self.following, self.reached, count, self.reached_back, left,
            layout.vertices, self.hierarchy.structure.ranks, self.walk,
        )  # fmt: skip
        return self.unfold(length) if length else self.path[:0]

    def find_by_labels(self, labels: Labels, source: int, target: int) -> np.ndarray | None:
        """Return what `find` returns, from climbs along the labels of both ends: only arcs of the path are followed."""
        from ..kernels.cpu.labels import find_top

        if source == target:
            return np.array([source], np.int32)
        structure, shortcuts, arrays = self.hierarchy.structure, self.hierarchy.shortcuts, labels.arrays
        top = find_top(arrays, source, target, labels.limit)
        if top < structure.core:  # the walk leads through the core, or there is none
            return self.path[:0] if top < 0 else self.find(source, target)
        up = self._climb_by_label(labels, arrays.outs, shortcuts.outs, OUT, source, top, self.walk)
        down = self._climb_by_label(labels, arrays.ins, shortcuts.ins, IN, target, top, self.reached)
        self.walk[up : up + down - 1] = self.reached[: down - 1][::-1]
        return self.unfold(up + down - 1)

    def _climb_by_label(
        self, labels: Labels, lengths: np.ndarray, weights: np.ndarray, bit: Any, end: int, top: int, walk: np.ndarray
    ) -> int:
        """List the ranks of a climb from one end to the top; return how many there are."""
        from ..kernels.cpu.labels import climb_by_label

        structure = self.hierarchy.structure
        return climb_by_label(
            labels.arrays, lengths, structure.up, structure.heads, weights, self.hierarchy.shortcuts.keep, bit,
            structure.vertices, structure.core, int(structure.ranks[end]), top, walk,
        )  # fmt: skip

    def unfold(self, length: int) -> np.ndarray | None:
        """Return the vertices of the path that the first ``length`` ranks of the walk stand for, or None as above."""
        from ..kernels.cpu.unfold import unfold

        structure, shortcuts, graph = self.hierarchy.structure, self.hierarchy.shortcuts, self.hierarchy.graph
        known = self.unfolding
        count = unfold(
            self.walk, length, structure.up, structure.heads, shortcuts.outs, shortcuts.ins, known.over,
            known.back_over, known.sizes, known.root_starts, known.roots, graph.offsets, graph.arcs, known.vertices,
            shortcuts.infinity, self.cyclic, self.stack, self.index, self.path,
        )  # fmt: skip
        return None if count < 0 else self.path[:count].copy()

    def _through_core(self, best: int, top: int, count: int, left: int) -> tuple[int, int]:
        """Return where a shortest path enters and leaves the core if it leads through it, else ``top`` twice."""
        from ..kernels.cpu.walks import find_exit, trace_closed, trace_core

        layout, core = self.hierarchy.layout, self.hierarchy.core
        gates, exits = self.reached[:count], self.reached_back[:left]
        gates, exits = gates[gates < layout.core], exits[exits < layout.core]
        if not len(gates) or not len(exits):
            return top, top
        self._settle_core(gates)
        exit_ = find_exit(exits, self.back, self.dist, layout.dtype.type(best), layout.infinity)
        if exit_ < 0:
            return top, top
        noted = (self.dist, self.far, self.before, exit_, self.following, self.seen, self.pending)
        if isinstance(core, Core):
            return trace_core(core.in_offsets, core.tails, core.in_weights, *noted), exit_
        structure, shortcuts = self.hierarchy.structure, self.hierarchy.shortcuts
        arcs = (structure.up, structure.heads, shortcuts.outs, shortcuts.ins)
        return trace_closed(*arcs, *noted, shortcuts.infinity), exit_

    def _settle_core(self, gates: np.ndarray) -> None:
        """Write the distances from the source to the core, from those of some of its vertices."""
        from ..kernels.cpu.walks import enter_closed

        core, infinity = self.hierarchy.core, self.hierarchy.layout.infinity
        if self.core is None:
            assert isinstance(core, ClosedCore)
            enter_closed(core.matrix, gates, self.far, self.dist, infinity)
        else:
            self.lanes[:] = infinity
            self.lanes[gates, 0] = self.far[gates]
            search_core(self.core, self.lanes, np.zeros(1, np.int64))
            self.dist[:] = self.lanes[:, 0]

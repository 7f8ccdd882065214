"""Paths of single pairs over a hierarchy: two climbs meet, and their shortcuts are unfolded (kernels/cpu/unfold.py).

What unfolding looks up, `Unfolding`, follows from the hierarchy. It is made for the first path and kept, not stored in
files: for each rank the deeper ranks with a shortcut to it, which shortcuts are arcs of the graph, and over which rank
others lead, as far as paths have asked: the shortcuts that are hard to unfold are those that many paths share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .core import ClosedCore, Core
from .layout import new_lanes
from .shortcuts import weights_of
from .tuning import SEARCHED_CORE

if TYPE_CHECKING:
    from .build import Hierarchy


class Unfolding(NamedTuple):
    """What paths need beside the hierarchy.

    ``over`` and ``back_over`` hold the rank that a shortcut leads over, to its head and from it, once a path has asked
    for it; they are one array if both directions are alike. ``links[starts[v]:starts[v + 1]]`` are the shortcuts to
    rank v, and ``below`` the ranks they belong to. ``ranks`` are by position in the layout, ``vertices`` by rank.
    """

    over: np.ndarray
    back_over: np.ndarray
    starts: np.ndarray
    below: np.ndarray
    links: np.ndarray
    ranks: np.ndarray
    vertices: np.ndarray


def make_unfolding(hierarchy: Hierarchy) -> Unfolding:
    """Return what paths over a hierarchy need."""
    from ..kernels.cpu.unfold import UNKNOWN, link_lists, mark_arcs

    graph, structure, shortcuts = hierarchy.graph, hierarchy.structure, hierarchy.shortcuts
    up, heads = structure.up, structure.heads
    starts, below = structure.below
    links = np.empty(len(heads), np.int32 if len(heads) < 2**31 else np.int64)
    link_lists(up, heads, starts[:-1].copy(), links)
    over = np.full(len(heads), UNKNOWN, np.int32)
    back_over = over.copy()
    mark_arcs(
        graph.offsets, graph.heads, weights_of(graph), structure.ranks, up, heads, shortcuts.outs, shortcuts.ins, over,
        back_over,
    )  # fmt: skip
    if shortcuts.symmetric and np.array_equal(over, back_over):
        back_over = over
    ranks = structure.ranks[hierarchy.layout.vertices]
    return Unfolding(over, back_over, starts, below, links, ranks, structure.vertices)


def can_unfold(hierarchy: Hierarchy) -> bool:
    """Return whether paths are found over the hierarchy, rather than by a search of the graph.

    Paths through a core follow tight arcs in it. A closed core has none if its sums are rounded, and to search a large
    core for one pair takes longer than to search the graph.
    """
    graph, core = hierarchy.graph, hierarchy.core
    if isinstance(core, ClosedCore):
        return core.matrix.dtype.kind == "i"
    return core is None or (not hierarchy.by_rows and len(core.heads) * SEARCHED_CORE <= graph.n + graph.m)


class Paths:
    """The work space of one thread for paths."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        layout = hierarchy.layout
        self.hierarchy, self.unfolding = hierarchy, hierarchy.unfolding
        self.far, self.back = (np.full(layout.n, layout.infinity, layout.dtype) for _ in range(2))
        self.before, self.after, self.path = (np.empty(layout.n + 1, np.int32) for _ in range(3))
        self.gates, self.exits, self.pending = (np.empty(max(layout.core, 1), np.int32) for _ in range(3))
        self.dist, self.seen = np.empty(layout.core, layout.dtype), np.empty(layout.core, np.uint8)
        core = hierarchy.core
        self.lanes = new_lanes(layout.core if isinstance(core, Core) else 0, layout.dtype)
        self.search = core.searcher() if isinstance(core, Core) else None
        self.walk = np.empty(2 * layout.depth + layout.core + 2, np.int32)
        self.stack = np.empty(4 * layout.depth + 64, np.int32)
        self.negative = bool(hierarchy.graph.min_weight < 0)

    def find(self, source: int, target: int) -> np.ndarray | None:
        """Return the vertices of a shortest path, none if there is none; None where the walk is too long to unfold."""
        from ..kernels.cpu.unfold import climb_both, list_walk, unfold

        layout, known, infinity = self.hierarchy.layout, self.unfolding, self.hierarchy.layout.infinity
        s, t = int(layout.positions[source]), int(layout.positions[target])
        best, top, entered, left = climb_both(
            layout.up_starts, layout.up_arcs, layout.down_starts, layout.down_arcs, layout.parents, layout.begins,
            layout.core, layout.tops, s, t, self.far, self.back, self.before, self.after, self.gates, self.exits,
            infinity,
        )  # fmt: skip
        if entered and left:
            top = self._through_core(best, top, entered, left)
        length = list_walk(
            layout.parents, layout.core, s, t, top, self.before, self.after, self.far, self.back, self.gates, entered,
            self.exits, left, infinity, known.ranks, self.walk,
        )  # fmt: skip
        if not length:
            return self.path[:0]
        structure, shortcuts = self.hierarchy.structure, self.hierarchy.shortcuts
        count = unfold(
            self.walk, length, structure.up, structure.heads, shortcuts.outs, shortcuts.ins, known.over,
            known.back_over, known.starts, known.below, known.links, layout.core, self.negative, shortcuts.infinity,
            known.vertices, self.stack, self.path,
        )  # fmt: skip
        return None if count < 0 else without_loops(self.path[:count])

    def _through_core(self, best: int, top: int, entered: int, left: int) -> int:
        """Return where a shortest path enters the core if it leads through it, else ``top``."""
        from ..kernels.cpu.unfold import find_exit, trace_core

        known, layout, infinity = self.unfolding, self.hierarchy.layout, self.hierarchy.layout.infinity
        self._settle_core(entered)
        exit_ = find_exit(self.exits, left, self.back, self.dist, layout.dtype.type(best), infinity)
        if exit_ < 0:
            return top
        structure, shortcuts = self.hierarchy.structure, self.hierarchy.shortcuts
        return trace_core(
            structure.up, structure.heads, shortcuts.outs, shortcuts.ins, known.starts, known.below, known.links,
            self.dist, self.far, exit_, self.after, self.seen, self.pending, shortcuts.infinity,
        )  # fmt: skip

    def _settle_core(self, entered: int) -> None:
        """Write the distances from the source to the core, from those of the ``entered`` gates."""
        from ..kernels.cpu.unfold import enter_closed

        core, gates, infinity = self.hierarchy.core, self.gates[:entered], self.hierarchy.layout.infinity
        if self.search is None:
            assert isinstance(core, ClosedCore)
            enter_closed(core.matrix, gates, self.far, self.dist, infinity)
        else:
            self.lanes[:] = infinity
            self.lanes[gates, 0] = self.far[gates]
            self.search(self.lanes, np.zeros(1, np.int64))
            self.dist[:] = self.lanes[:, 0]


def without_loops(walk: np.ndarray) -> np.ndarray:
    """Return a walk without its cycles, which have length zero, in an array of its own."""
    listed = walk.tolist()
    if len(set(listed)) == len(listed):
        return walk.copy()
    path: list[int] = []
    seen: dict[int, int] = {}
    for v in listed:
        if v in seen:
            for u in path[seen[v] + 1 :]:
                del seen[u]
            del path[seen[v] + 1 :]
        else:
            seen[v] = len(path)
            path.append(v)
    return np.array(path, walk.dtype)

"""Distances of single pairs over a hierarchy, from two climbs; paths.py has the paths, labels.py needs no climbs.

A shortest path climbs from the source to a top and descends to the target. Two climbs, one of them backwards from the
target, meet there (kernels/cpu/pairs.py).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..kernels.cpu.constants import LANES
from .build import Hierarchy
from .sweep import Sweeper


class Pairs:
    """The work space of one thread for pairs."""

    def __init__(self, hierarchy: Hierarchy, stop: np.ndarray) -> None:
        layout = hierarchy.layout
        self.hierarchy, self.stop = hierarchy, stop
        self.negative = bool(hierarchy.graph.min_weight < 0)
        self.far, self.back = (np.full(layout.n, layout.infinity, layout.dtype) for _ in range(2))
        self.gates = np.empty(max(layout.core, 1), np.int32)

    @cached_property
    def sweeper(self) -> Sweeper:
        """Work space for climbs of LANES sources, which only a core needs."""
        return Sweeper(self.hierarchy.layout, self.hierarchy.core, self.stop)

    def distances(self, sources: np.ndarray, targets: np.ndarray, unreached: Any, found: np.ndarray) -> None:
        """Write the distance of every pair of vertices to ``found``, ``unreached`` where there is no path."""
        layout = self.hierarchy.layout
        starts, goals = layout.positions[sources], layout.positions[targets]
        if layout.core:
            self._over_core(starts, goals, unreached, found)
            return
        from ..kernels.cpu.pairs import climb_pairs

        climb_pairs(
            layout.up, layout.down_starts, layout.down_arcs, starts, goals, self.far, self.back, self.negative,
            layout.infinity, layout.limit, unreached, found, self.stop,
        )  # fmt: skip

    def _over_core(self, starts_of_pairs: np.ndarray, goals: np.ndarray, unreached: Any, found: np.ndarray) -> None:
        """Write the distances of pairs of positions where there is a core.

        Pairs with the same source share a climb, and LANES sources climb and search the core at once.
        """
        order = np.argsort(starts_of_pairs, kind="stable")
        starts, firsts = np.unique(starts_of_pairs[order], return_index=True)
        bounds = np.append(firsts, len(order))
        for low in range(0, len(starts), LANES):
            batch = starts[low : low + LANES].astype(np.int32)
            if self.stop[0]:
                break
            self.sweeper.stop = self.stop
            self.sweeper.climb(batch, np.arange(len(batch) + 1))
            for lane in range(len(batch)):
                which = order[bounds[low + lane] : bounds[low + lane + 1]]
                values = np.empty(len(which), found.dtype)
                self._meet(goals[which], lane, unreached, values)
                found[which] = values

    def _meet(self, targets: np.ndarray, lane: int, unreached: Any, found: np.ndarray) -> None:
        """Climb backwards from the targets of one lane."""
        from ..kernels.cpu.pairs import meet

        layout, sweeper = self.hierarchy.layout, self.sweeper
        meet(
            layout.down_starts, layout.down_arcs, layout.parents, layout.begins, layout.core, layout.tops,
            targets, lane, sweeper.index, sweeper.offers, sweeper.dist, self.back, self.gates, layout.infinity,
            layout.limit, unreached, found,
        )  # fmt: skip


def lend_pairs(hierarchy: Hierarchy, stop: np.ndarray) -> Pairs:
    """Return work space for pairs, used before if possible. Append it to ``spare_pairs`` unless it was interrupted."""
    try:
        pairs = hierarchy.spare_pairs.pop()
    except IndexError:
        return Pairs(hierarchy, stop)
    pairs.stop = stop
    return pairs

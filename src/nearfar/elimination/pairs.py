"""Distances of single pairs over a hierarchy, from two climbs; paths.py has the paths.

A shortest path climbs from the source to a top and descends to the target. The distances that a climb from the source
left are met by a climb backwards from the target; the least sum at a common ancestor is the distance
(kernels/cpu/pairs.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.cpu.constants import LANES
from .build import Hierarchy


class Pairs:
    """The work space of one thread for pairs."""

    def __init__(self, hierarchy: Hierarchy, stop: np.ndarray) -> None:
        layout = hierarchy.layout
        self.hierarchy = hierarchy
        self.sweeper = hierarchy.sweeper(stop)
        self.back = np.full(layout.n, layout.infinity, layout.dtype)
        self.gates = np.empty(max(layout.core, 1), np.int32)

    def distances(self, sources: np.ndarray, targets: np.ndarray, unreached: Any, found: np.ndarray) -> np.ndarray:
        """Write the distance of every pair of vertices to ``found``; return the positions of the tops of their paths.

        Pairs with the same source share a climb, and LANES sources climb at once. Where there is no path, the distance
        is ``unreached`` and the top is -1.
        """
        layout = self.hierarchy.layout
        starts_of_pairs, goals = layout.positions[sources], layout.positions[targets]
        order = np.argsort(starts_of_pairs, kind="stable")
        starts, firsts = np.unique(starts_of_pairs[order], return_index=True)
        bounds = np.append(firsts, len(order))
        tops = np.empty(len(order), np.int32)
        for low in range(0, len(starts), LANES):
            batch = starts[low : low + LANES].astype(np.int32)
            if self.sweeper.stop[0]:
                break
            self.sweeper.climb(batch, np.arange(len(batch) + 1))
            for lane in range(len(batch)):
                which = order[bounds[low + lane] : bounds[low + lane + 1]]
                values, over = np.empty(len(which), found.dtype), np.empty(len(which), np.int32)
                self._meet(goals[which], lane, unreached, values, over)
                over[values == unreached] = -1  # negative arcs may have lowered infinity, so that a top was found
                found[which], tops[which] = values, over
        return tops

    def _meet(self, targets: np.ndarray, lane: int, unreached: Any, found: np.ndarray, tops: np.ndarray) -> None:
        """Climb backwards from the targets of one lane."""
        from ..kernels.cpu.pairs import meet

        layout, sweeper = self.hierarchy.layout, self.sweeper
        meet(
            layout.down_starts, layout.down_arcs, layout.parents, layout.begins, layout.core, layout.tops,
            targets, lane, sweeper.index, sweeper.offers, sweeper.dist, self.back, self.gates, layout.infinity,
            layout.limit, unreached, found, tops,
        )  # fmt: skip

"""Single pairs over a hierarchy: distances from two climbs, and paths unfolded from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.cpu.constants import LANES
from .build import Hierarchy


class Pairs:
    """One thread's work space for pairs."""

    def __init__(self, hierarchy: Hierarchy, stop: np.ndarray) -> None:
        sheet = hierarchy.sheet
        self.hierarchy = hierarchy
        self.sweeper = hierarchy.sweeper(stop)
        self.back = np.full(sheet.n, sheet.infinity, sheet.dtype)
        self.gates = np.empty(max(sheet.core, 1), np.int32)

    def distances(self, sources: np.ndarray, targets: np.ndarray, unreached: Any, found: np.ndarray) -> np.ndarray:
        """Write the distance of every pair, given as vertices, to ``found``; return the vertices their paths lead over.

        Pairs from the same source climb once, LANES sources side by side. Where there is no path, the distance is
        ``unreached``, and -1 stands for the vertex.
        """
        sheet = self.hierarchy.sheet
        numbers, goals = sheet.places[sources], sheet.places[targets]
        order = np.argsort(numbers, kind="stable")
        starts, firsts = np.unique(numbers[order], return_index=True)
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
                over[values == unreached] = -1  # negative arcs may have led from nowhere to a top
                found[which], tops[which] = values, over
        return tops

    def _meet(self, targets: np.ndarray, lane: int, unreached: Any, found: np.ndarray, tops: np.ndarray) -> None:
        """Climb back from the targets of one lane."""
        from ..kernels.cpu.pairs import meet

        sheet, sweeper = self.hierarchy.sheet, self.sweeper
        meet(
            sheet.down_starts, sheet.down_arcs, sheet.parents, sheet.begins, sheet.core, sheet.tops,
            targets, lane, sweeper.index, sweeper.offers, sweeper.dist, self.back, self.gates, sheet.infinity,
            sheet.limit, unreached, found, tops,
        )  # fmt: skip

    def path(self, source: int, target: int, top: int, below: tuple[np.ndarray, np.ndarray]) -> list[int] | None:
        """Return the vertices of a shortest path whose highest is ``top``; None where the walk is too long.

        ``below`` lists for every number of the skeleton those with a slot for it.
        """
        from ..kernels.cpu.pairs import unfold

        hierarchy = self.hierarchy
        sheet, skeleton, slots = hierarchy.sheet, hierarchy.skeleton, hierarchy.slots
        ups = self._way(sheet.up_starts, sheet.up_arcs, int(sheet.places[source]), top)[::-1]
        downs = self._way(sheet.down_starts, sheet.down_arcs, int(sheet.places[target]), top)
        walk = skeleton.places[sheet.vertices[np.concatenate((ups, downs[1:]))]]
        room, stack = np.empty(sheet.n + 1, np.int32), np.empty(4 * sheet.depth + 64, np.int32)
        count = unfold(walk, skeleton.up, skeleton.heads, slots.outs, slots.ins, *below, slots.infinity, stack, room)
        if count < 0:
            return None
        return _without_loops(skeleton.vertices[room[:count]].tolist())

    def _way(self, starts: np.ndarray, arcs: np.ndarray, source: int, top: int) -> np.ndarray:
        """Return the numbers of a shortest climb from ``top`` back to ``source``."""
        from ..kernels.cpu.pairs import list_way

        sheet = self.hierarchy.sheet
        way = np.empty(sheet.depth + 1, np.int32)
        count = list_way(
            starts, arcs, sheet.parents, sheet.begins, sheet.tops, source, top, self.back, way,
            sheet.infinity,
        )  # fmt: skip
        return way[:count]


def _without_loops(walk: list[int]) -> list[int]:
    """Return a walk without its round trips, which have length zero."""
    path: list[int] = []
    seen: dict[int, int] = {}
    for v in walk:
        if v in seen:
            for u in path[seen[v] + 1 :]:
                del seen[u]
            del path[seen[v] + 1 :]
        else:
            seen[v] = len(path)
            path.append(v)
    return path

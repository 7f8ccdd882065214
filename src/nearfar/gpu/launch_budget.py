"""How much one launch may do, counted beforehand: no launch may take longer than LAUNCH_SECONDS on a slow device.

Display drivers end launches that take two seconds or less, and nothing interrupts a launch when Ctrl-C is pressed. The
model: a launch of all groups takes the bytes that it moves over SLOW_BYTES; one group that works alone takes
LINK_SECONDS for every arc that must wait for the one before, and LEVEL_SECONDS for every barrier.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .tuning import LAUNCH_SECONDS, LEVEL_SECONDS, LINK_SECONDS, SLOW_BYTES


@dataclass(frozen=True)
class Step:
    """One launch of a sweep: levels by one group per block, or (``is_wide``) positions of one level by all groups."""

    is_wide: bool
    first: int
    last: int
    seconds: float  # on a slow device


@dataclass(frozen=True)
class Sweep:
    """What the steps of a sweep depend on."""

    begins: np.ndarray  # where each level begins, and n
    starts: np.ndarray  # where the arcs of each position begin, and their number
    longest: np.ndarray  # the most arcs that a vertex of each level has
    narrow: int  # vertices up to which a level is one group's job
    teams: int  # vertices that a group works on at once
    waves: int  # groups that a core has to run one after the other if there is one per block
    arc_bytes: int  # moved per arc, in all blocks
    vertex_bytes: int  # the same per vertex

    def steps(self) -> list[Step]:
        """Return the launches of a sweep in order: short levels together, wide ones alone or in parts."""
        alone = self.seconds_alone()
        is_wide = (np.diff(self.begins) > self.narrow) | (alone > LAUNCH_SECONDS)
        steps: list[Step] = []
        for level, wide in enumerate(is_wide.tolist()):
            if wide:
                steps += self._parts(level)
                continue
            last, seconds = steps[-1] if steps else None, float(alone[level])
            if last and not last.is_wide and last.seconds + seconds <= LAUNCH_SECONDS:
                steps[-1] = Step(False, last.first, level + 1, last.seconds + seconds)
            else:
                steps.append(Step(False, level, level + 1, seconds))
        return steps

    def seconds_alone(self) -> np.ndarray:
        """Return the time of every level if one group per block settles it; teams share vertices if these are few."""
        sizes = np.diff(self.begins)
        sharing = np.maximum(self.teams // sizes, 1)
        rounds = -(-sizes // (self.teams // sharing))
        return self.waves * (LEVEL_SECONDS + LINK_SECONDS * rounds * -(-self.longest // sharing))

    def _parts(self, level: int) -> Iterator[Step]:
        """Yield the launches of a level for all groups: its positions, as many at once as may be."""
        begin, last = int(self.begins[level]), int(self.begins[level + 1])
        while begin < last:
            most = self._moved(begin) + int(LAUNCH_SECONDS * SLOW_BYTES)
            end = bisect_right(range(last + 1), most, begin + 1, last + 1, key=self._moved) - 1
            end = max(end, begin + 1)
            yield Step(True, begin, end, (self._moved(end) - self._moved(begin)) / SLOW_BYTES)
            begin = end

    def _moved(self, position: int) -> int:
        """Return the bytes that all groups move up to a position."""
        return int(self.starts[position]) * self.arc_bytes + position * self.vertex_bytes


def parts_of(count: int, nbytes: int) -> Iterator[tuple[int, int]]:
    """Yield ranges (first, last) of ``count`` units that move ``nbytes`` each, as many at once as may be."""
    at_once = max(int(LAUNCH_SECONDS * SLOW_BYTES) // max(nbytes, 1), 1)
    for first in range(0, count, at_once):
        yield first, min(first + at_once, count)

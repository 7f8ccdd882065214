"""The launch loop of one source: the host launches several rounds ahead, then looks at how far the device has come.

A look waits for the device. It comes after 2, 4, 8 ... launches, so that even a search of thousands of rounds takes
only a few dozen looks, and sooner if the launches take long. A launch that finds nothing to do ends at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..devices.device import Buffer
from ..kernels.gpu.constants import GPU_MOST
from ..methods.cycles import find_negative_cycle
from ..methods.rounds import is_negative, negative_cycle
from ..methods.tuning import FIRST_ROUNDS
from .tuning import LAUNCH_ITEMS, LAUNCH_SECONDS, LAUNCHES_AHEAD, MOST_UNITS
from .work import Work, never_ends


@dataclass
class Pace:
    """How many units a group may do in a launch of rows, from how long the launch before took."""

    units: int

    def took(self, seconds: float) -> None:
        """Do more in the next launch, or less."""
        if seconds < LAUNCH_SECONDS / 4:
            self.units = min(2 * self.units, MOST_UNITS)
        elif seconds > LAUNCH_SECONDS:
            self.units = max(self.units // 2, 1)


def launch_units(work: Work) -> int:
    """Return how many units a group does in its first launch."""
    return max(LAUNCH_ITEMS // work.layout.group_size, 1)


def enough_rounds(work: Work) -> int:
    """Return how many rounds a row may take before the host looks at it.

    With negative weights, it looks for a cycle. Without, no row takes more rounds than it has vertices.
    """
    graph = work.problem.graph
    return FIRST_ROUNDS if graph.min_weight < 0 else min(graph.n + 2, GPU_MOST)


@dataclass
class LaunchLoop:
    """Settles one row: launches ahead, and checks for a negative cycle when the allowed rounds are used up."""

    work: Work
    relaxed: int = 0  # arcs relaxed, where the host counts them and not the kernels
    looks: int = 0

    def __post_init__(self) -> None:
        self.allowed = enough_rounds(self.work)

    def go(
        self,
        launch: Callable[[int, np.int32], None],
        look: Callable[[], tuple[bool, bool]],
        allow: Callable[[int], None],
        dist: Buffer,
        ahead: int = 2,
    ) -> None:
        """Launch and look until done; ``look`` returns (whether it is done, whether the rounds are used up)."""
        budget = np.int32(launch_units(self.work))
        allow(self.allowed)
        while not self.work.controls.stop[0]:
            began = time.perf_counter()
            launch(ahead, budget)
            self.work.meanwhile()
            is_over, is_spent = look()
            self.looks += 1
            if is_over:
                return
            if is_spent:
                self.find_cycle(dist)
                allow(self.allowed)
            ahead = self._next_ahead(ahead, time.perf_counter() - began)

    @staticmethod
    def _next_ahead(ahead: int, seconds: float) -> int:
        """Return how many launches go before the next look, given how long the last ones took.

        After Ctrl-C, the device still has to do what is enqueued, so that is never more than LAUNCH_SECONDS of work.
        """
        fitting = int(ahead * LAUNCH_SECONDS / max(seconds, 1e-6))
        return max(1, min(2 * ahead, fitting, LAUNCHES_AHEAD))

    def find_cycle(self, dist: Buffer) -> None:
        """Raise if the distances so far show a negative cycle; else allow twice as many rounds."""
        if self.work.problem.graph.min_weight >= 0:
            raise never_ends(self.work, f"{self.allowed:,} rounds")
        row = np.empty((1, self.work.problem.graph.n), self.work.problem.dtype)
        self.work.fetch(dist, row)
        raise_cycle(self.work, row[0], self.allowed)
        self.allowed = min(2 * self.allowed, GPU_MOST)


def raise_cycle(work: Work, row: np.ndarray, rounds: int) -> None:
    """Raise the error that names the negative cycle, if a row shows one after ``rounds`` rounds.

    A cycle that is negative only by rounding may show up for a while: it counts once the rounds exceed the vertices.
    """
    graph = work.problem.graph
    cycle = find_negative_cycle(graph, row, work.problem.ceiling, rounds)
    if cycle and (is_negative(graph, cycle) or rounds > graph.n):
        raise negative_cycle(work.problem, cycle)

"""The launch loop of one source: the host launches several rounds ahead, then looks at how far the device has come.

A look waits for the device. It comes after 2, 4, 8 ... launches, so that even a search of thousands of rounds takes
only a few dozen looks. A launch that finds nothing to do ends at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..devices.device import Buffer
from ..kernels.gpu.constants import GPU_MOST
from ..methods.cycles import find_negative_cycle
from ..methods.rounds import is_negative, negative_cycle
from ..methods.tuning import FIRST_ROUNDS
from .tuning import LAUNCH_ROUNDS, LAUNCHES_AHEAD
from .work import Work


@dataclass
class LaunchLoop:
    """Settles one row: launches ahead, and checks for a negative cycle when the allowed rounds are used up."""

    work: Work
    relaxed: int = 0  # arcs relaxed, where the host counts them and not the kernels
    looks: int = 0

    def __post_init__(self) -> None:
        self.allowed = FIRST_ROUNDS if self.work.problem.graph.min_weight < 0 else GPU_MOST

    def go(
        self,
        launch: Callable[[int, np.int32], None],
        look: Callable[[], tuple[bool, bool]],
        allow: Callable[[int], None],
        dist: Buffer,
        ahead: int = 2,
    ) -> None:
        """Launch and look until done; ``look`` returns (whether it is done, whether the rounds are used up)."""
        budget = np.int32(LAUNCH_ROUNDS)
        allow(self.allowed)
        while not self.work.controls.stop[0]:
            launch(ahead, budget)
            is_over, is_spent = look()
            self.looks += 1
            if is_over:
                return
            if is_spent:
                self.find_cycle(dist)
                allow(self.allowed)
            ahead = min(2 * ahead, LAUNCHES_AHEAD)

    def find_cycle(self, dist: Buffer) -> None:
        """Raise if the distances so far show a negative cycle; else allow twice as many rounds."""
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

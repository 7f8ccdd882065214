"""What a method is given: the problem, and the controls of the run that solves it. The rows come beside them.

A problem is frozen: it can be handed to any thread or device, and solved again. Everything that changes while rows are
settled lies in the controls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..elimination.build import Failure, Hierarchy
    from ..graph import Graph


@dataclass(frozen=True)
class Problem:
    """A graph, where rows start on it, and the limits that they respect.

    Rows are left with ``ceiling`` in every vertex that was not reached; the engine turns that into the mark of the
    type.
    """

    graph: Graph
    dtype: np.dtype  # of the distances
    sources: np.ndarray  # where each row starts
    seeds: np.ndarray | None  # or several vertices that the only row starts from
    ceiling: Any  # the least distance that does not count as reached
    zero: Any  # 0 of the type that sums are formed in
    floor: Any  # below this, only walks around a negative cycle lead
    targets: np.ndarray  # a row may stop when these are settled; empty: never
    delta: float | None = None  # bucket width asked for
    hierarchy: Hierarchy | Failure | None = None  # of a graph that is prepared already, or why there is none

    @property
    def starts(self) -> np.ndarray:
        """All vertices that some row starts from, each once."""
        return np.unique(self.sources if self.seeds is None else self.seeds)

    def seeds_of(self, r: int) -> np.ndarray:
        """Return the vertices that row ``r`` starts from."""
        return self.sources[r : r + 1] if self.seeds is None else self.seeds


@dataclass
class Controls:
    """What the threads of one run share: how they are told to stop, and what they report."""

    threads: int
    memory: int = 2**62  # bytes that may be used beside the rows
    stop: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    watch: Callable[[], None] = lambda: None  # shows progress; called now and then by whoever waits for threads
    finish: Callable[[int], None] = lambda r: None  # a method that settles many rows at once calls it with each row
    done: list[int] = field(default_factory=list)  # rows finished, in that order
    longest: float | None = None  # no distance is longer, where the method knows
    notes: dict[str, Any] = field(default_factory=dict)  # what a method wants told in the result's figures
    lock: threading.RLock = field(default_factory=threading.RLock)  # type: ignore[valid-type]
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for an early end."""
        return bool(self.stop[0])

    def once(self, what: str, make: Callable[[], Any]) -> Any:
        """Return what the first thread that asks makes for all."""
        with self.lock:
            if what not in self._made:
                self._made[what] = make()
            return self._made[what]

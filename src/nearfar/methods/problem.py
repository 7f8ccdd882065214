"""The arguments of a method: the problem, and the controls of the run that solves it. The rows are passed separately.

A problem is frozen: it can be passed to any thread or device, and solved again. Everything that changes while rows are
settled is in the controls.
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
    """A graph, the vertices that rows start from, and their limits.

    A method leaves ``ceiling`` in the row for every vertex that it did not reach; the engine then replaces it by the
    value that means "unreached" in the distance type, unless the method does that itself (`Controls.marked`).
    """

    graph: Graph
    dtype: np.dtype  # the type of the distances
    sources: np.ndarray  # the source of each row
    seeds: np.ndarray | None  # if there is only one row, it may start from several vertices: these, each once
    starts: np.ndarray  # the distances at which a row starts: one per seed; a single 0 for rows from one source
    ceiling: Any  # the least distance that does not count as reached
    zero: Any  # 0 in the type that sums are formed in
    floor: Any  # only walks around a negative cycle are shorter than this
    targets: np.ndarray  # a row may stop when these are settled; empty: never
    delta: float | None = None  # the bucket width that the user chose
    hierarchy: Hierarchy | Failure | None = None  # if the graph is prepared already; or why it cannot be

    @property
    def all_seeds(self) -> np.ndarray:
        """All vertices that some row starts from, each once."""
        return np.unique(self.sources) if self.seeds is None else self.seeds

    def seeds_of(self, r: int, last: int | None = None) -> np.ndarray:
        """Return the vertices that row ``r`` starts from, or all rows from ``r`` up to ``last``."""
        return self.sources[r : r + 1 if last is None else last] if self.seeds is None else self.seeds

    def from_all_seeds(self, rows: np.ndarray) -> np.ndarray:
        """Return the row from all seeds, given one row from each: the least of their starting distances plus rows.

        An entry that is not below the ceiling means "not reached", in the given rows and in the result.
        """
        starts = self.starts[:, None]
        if self.dtype.kind == "f":
            with np.errstate(over="ignore"):
                return np.minimum((rows + starts).min(axis=0), self.ceiling)
        room = self.ceiling - starts  # compared before the sum is formed, which might wrap
        return (np.minimum(rows, room) + starts).min(axis=0)


@dataclass
class Controls:
    """What the threads of one run share: the signal to stop, and what they report."""

    threads: int
    memory: int = 2**62  # bytes that may be used beside the rows
    stop: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))
    watch: Callable[[], None] = lambda: None  # shows progress; called now and then by the thread that waits
    finish: Callable[..., None] = lambda first, last=None: None  # takes a settled row, or first and end of several
    is_bare: Callable[[], bool] = lambda: False  # tells whether a settled row need only be counted
    done: list[int] = field(default_factory=list)  # rows finished, in that order
    longest: float | None = None  # an upper bound on all distances, if the method knows one
    marked: bool = False  # whether the method itself marks what it did not reach
    notes: dict[str, Any] = field(default_factory=dict)  # what a method adds to the result's ``stats``
    lock: threading.RLock = field(default_factory=threading.RLock)  # type: ignore[valid-type]
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def stopped(self) -> bool:
        """Whether the run was asked to end early."""
        return bool(self.stop[0])

    def finish_each(self, rows: list[int]) -> None:
        """Finish settled rows, unless the run was asked to end."""
        if self.is_bare():
            self.done.extend([] if self.stopped else rows)
            return
        for r in rows:
            if self.stopped:
                return
            self.finish(r)

    def once(self, what: str, make: Callable[[], Any]) -> Any:
        """Return the result of ``make()``, which only the first thread calls; the others get the same object."""
        with self.lock:
            if what not in self._made:
                self._made[what] = make()
            return self._made[what]

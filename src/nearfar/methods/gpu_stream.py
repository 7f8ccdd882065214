"""Arcs in batches, for graphs larger than the device: each batch is copied in turn while another is worked on.

Offsets and distances stay on the device. A batch is a run of so many arcs, wherever vertices begin and end. Kernels
note for every batch the last step that changed a vertex with arcs there; a batch whose own last step is later has
nothing to do and is skipped, neither copied nor run. When no batch waits, every arc has been relaxed since its tail
changed last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..devices.device import Buffer
from .gpu_work import Work, words_of

SLOTS = 2  # batches on the device at once: one is worked on, one arrives


@dataclass(frozen=True)
class Window:
    """A batch that is on the device, in one step of work on it."""

    number: int
    arcs: Buffer
    base: int  # its arcs: from base up to end
    end: int
    first: int  # its vertices: from first up to last
    last: int
    step: int
    since: int  # the last step before that had this batch


class Stream:
    """Which batches are on the device, and which one is next."""

    def __init__(self, work: Work) -> None:
        graph, layout = work.job.graph, work.layout
        self.work, self.count, self.batch, self.m = work, layout.batches, layout.batch, graph.m
        self._words = words_of(graph)
        self._arc = graph.arcs.dtype.itemsize // 4
        bounds = np.minimum(np.arange(self.count + 1) * self.batch, self.m)
        self._bounds = [int(bound) for bound in bounds]
        self._first = np.searchsorted(graph.offsets, bounds[:-1], side="right") - 1
        self._last = np.searchsorted(graph.offsets, bounds[1:], side="left")
        self._slots = [work.device.empty(self.batch * self._arc, np.int32) for _ in range(SLOTS)]
        self._held = [-1] * SLOTS  # the batch in each slot
        self._since = np.zeros(self.count, np.int64)
        self.step, self.current, self.up = 1, 0, True
        self.runs = self.skipped = self.copies = 0

    def start(self) -> Window:
        """Return a window without arcs, for the kernels that put sources into place."""
        return Window(0, self._slots[0], 0, 0, 0, 0, self.step, 0)

    def restart(self) -> None:
        """Forget what was done, but not what is on the device: other rows come."""
        self._since[:] = 0
        self.step = 1

    def next_window(self, waiting: np.ndarray) -> Window | None:
        """Return the next batch that something waits for, brought to the device; None when nothing does."""
        due = waiting > self._since
        if not due.any():
            return None
        number = self._choose(due)
        slot = self._bring(number)
        self.work.device.arrived(self._slots[slot])
        self.step += 1
        window = Window(
            number,
            self._slots[slot],
            self._bounds[number],
            self._bounds[number + 1],
            int(self._first[number]),
            int(self._last[number]),
            self.step,
            int(self._since[number]),
        )
        self._since[number] = self.step
        self.current, self.runs = number, self.runs + 1
        due[number] = False
        ahead = self._ahead(due)
        if ahead is not None:
            self._bring(ahead)  # while this one is worked on
        return window

    def _choose(self, due: np.ndarray) -> int:
        """Return the batch to take next: the nearest in the direction of travel, which turns at the ends like a lift.

        So the batches on the device at a turn are met first on the way back, and need no copy.
        """
        number = self._ahead(due)
        if number is None and due[self.current]:
            return self.current
        if number is None:
            self.up = not self.up
            number = self._ahead(due)
        assert number is not None
        self.skipped += abs(number - self.current) - 1
        return number

    def _ahead(self, due: np.ndarray) -> int | None:
        """Return the next batch in the direction of travel that something waits for."""
        found = np.flatnonzero(due[self.current + 1 :] if self.up else due[: self.current][::-1])
        if not len(found):
            return None
        return self.current + (1 + int(found[0])) * (1 if self.up else -1)

    def _bring(self, number: int) -> int:
        """Begin to copy a batch, unless it is on the device, over one that is not worked on; return its slot."""
        if number in self._held:
            return self._held.index(number)
        slot = next(slot for slot, held in enumerate(self._held) if held != self.current or held < 0)
        self._held[slot] = number
        base, end = self._bounds[number] * self._arc, self._bounds[number + 1] * self._arc
        self.work.device.send(self._slots[slot], self._words[base:end])
        self.copies += 1
        return slot

    def notes(self) -> dict[str, int]:
        """Return what a result tells of the batches."""
        return {
            "batches": self.count,
            "batch_arcs": self.batch,
            "batch_runs": self.runs,
            "batches_skipped": self.skipped,
            "batches_copied": self.copies,
        }

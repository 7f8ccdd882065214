"""Arc batches, for graphs larger than the device: one batch is copied while the kernels work on another.

Offsets and distances stay on the device. A batch is a fixed number of consecutive arcs; it may begin and end in the
middle of a vertex. Kernels record for every batch the last step that changed a vertex with arcs there. A batch whose
own last step is later has nothing to do and is skipped: it is neither copied nor run. When no batch waits, every arc
has been relaxed since its tail last changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..devices.device import Buffer
from .tuning import FEW_ARCS, FEW_WORTH
from .work import Work, words_of

BUFFERS = 2  # batches on the device at once: the kernels work on one while the other is copied


@dataclass(frozen=True)
class Window:
    """The arcs that are on the device in one step: those of one batch, or the pending ones of a few vertices."""

    index: int  # of the batch
    buffer: int  # that holds it
    arcs: Buffer
    base: int  # its arcs: from base up to end
    end: int
    first: int  # its vertices: from first up to last
    last: int
    step: int
    since: int  # the last step before this one that had this batch
    is_sparse: bool = False  # whether the arcs are those of a few vertices, from any batch


class ArcBatches:
    """Keeps track of which batches are on the device, and which one is next."""

    def __init__(self, work: Work) -> None:
        graph, layout = work.problem.graph, work.layout
        self.work, self.count, self.batch, self.m = work, layout.batches, layout.batch, graph.m
        self._words = words_of(graph)
        self._records = graph.arcs.view({4: "i4", 8: "i8"}.get(graph.arcs.dtype.itemsize, graph.arcs.dtype))
        self._arc = graph.arcs.dtype.itemsize // 4
        bounds = np.minimum(np.arange(self.count + 1) * self.batch, self.m)
        self._bounds = [int(bound) for bound in bounds]
        self._first = np.searchsorted(graph.offsets, bounds[:-1], side="right") - 1
        self._last = np.searchsorted(graph.offsets, bounds[1:], side="left")
        self._buffers = work.resident("batches", self._make_buffers, self.batch)  # reused memory has its pages already
        self._held = [-1] * BUFFERS  # the batch in each buffer
        self._since = np.zeros(self.count, np.int64)
        self.step, self.current, self.up = 1, 0, True
        self._few, self._relaxed = self.batch, 0
        self.runs_of_rows = 0  # since the present rows began
        self.runs = self.skipped = self.copies = self.sparse = 0

    def _make_buffers(self) -> list[Buffer]:
        """Return the buffers for batches on the device."""
        buffers = [self.work.device.empty(self.batch * self._arc, np.int32) for _ in range(BUFFERS)]
        for buffer in buffers:
            self.work.device.track(buffer)  # so that the first copy does not wait for the kernels before it
        return buffers

    def start(self) -> Window:
        """Return a window without arcs, for the kernels that put seeds at distance 0."""
        return Window(0, 0, self._buffers[0], 0, 0, 0, 0, self.step, 0)

    def restart(self) -> None:
        """Begin again for other rows; the batches on the device stay."""
        self._since[:] = 0
        self.step, self.runs_of_rows, self._few = 1, 0, self.batch

    def next_window(self, waiting: np.ndarray) -> Window | None:
        """Return the next batch that has work to do, copied to the device; None when no batch has."""
        due = waiting > self._since
        if not due.any():
            return None
        index = self._choose(due)
        buffer = self._bring(index)
        self.work.device.arrived(self._buffers[buffer])
        self.step += 1
        window = Window(
            index,
            buffer,
            self._buffers[buffer],
            self._bounds[index],
            self._bounds[index + 1],
            int(self._first[index]),
            int(self._last[index]),
            self.step,
            int(self._since[index]),
        )
        self._since[index] = self.step
        self.current, self.runs, self.runs_of_rows = index, self.runs + 1, self.runs_of_rows + 1
        due[index] = False
        ahead = self._ahead(due)
        if ahead is not None:
            self.work.later(lambda: self._bring(ahead))  # while the kernels work on this one
        return window

    def few_arcs(self, found: np.ndarray) -> tuple[Window, np.ndarray, np.ndarray] | None:
        """Return a window with the pending arcs, their tails, and where the arcs of each end; None unless they are few.

        ``found`` holds the number of pending vertices, the number of their arcs, and the vertices. If they are few,
        copying whole batches for them would take far longer. Afterwards only what changes in this step is pending.
        """
        count, arcs = int(found[0]), int(found[1])
        if not 0 < count <= len(found) - 2 or arcs > min(FEW_ARCS * self.batch, self._few):
            self._few = self.batch
            return None
        self._few = arcs // 2  # if the next step has not far fewer, whole batches that stay for many rounds are faster
        offsets = self.work.problem.graph.offsets
        vertices = np.sort(found[2 : 2 + count])
        begins = offsets[vertices].astype(np.int64)
        ends = np.cumsum(offsets[vertices + 1] - begins)
        if ends[-1] > self.batch:
            return None
        picked = np.arange(ends[-1]) + np.repeat(begins - np.concatenate([[0], ends[:-1]]), np.diff(ends, prepend=0))
        buffer = next(buffer for buffer, held in enumerate(self._held) if held != self.current or held < 0)
        self._held[buffer] = -1
        self.work.device.send(self._buffers[buffer], self._records[picked].view(np.int32))
        self.work.device.arrived(self._buffers[buffer])
        self.step += 1
        self._since[:] = self.step - 1
        self.sparse += 1
        window = Window(0, buffer, self._buffers[buffer], 0, int(ends[-1]), 0, 0, self.step, 0, is_sparse=True)
        return window, vertices, ends.astype(np.int32)

    def may_be_few(self) -> bool:
        """Return whether to count the pending arcs: if a copy takes longer than that, and the last step was small."""
        if self.step == 1 or 4 * self.batch * self._arc < FEW_WORTH:
            return False
        before, self._relaxed = self._relaxed, self.work.relaxed()
        return self._relaxed - before <= FEW_ARCS * self.batch

    @property
    def since(self) -> np.ndarray:
        """The last step of each batch."""
        return self._since.astype(np.int32)

    def reopen(self, window: Window) -> None:
        """Let a batch wait again for the changes of its own last step, which did not run all rounds."""
        self._since[window.index] = window.step - 1

    def _choose(self, due: np.ndarray) -> int:
        """Return the batch to take next: the nearest in the present direction, which is reversed at the ends.

        So the batches that are on the device when the direction changes come first, and need no copy.
        """
        index = self._ahead(due)
        if index is None:
            self.up = not self.up
            index = self._ahead(due)
        if index is None:
            return self.current
        self.skipped += abs(index - self.current) - 1
        return index

    def _ahead(self, due: np.ndarray) -> int | None:
        """Return the next batch in the present direction that has work to do."""
        found = np.flatnonzero(due[self.current + 1 :] if self.up else due[: self.current][::-1])
        if not len(found):
            return None
        return self.current + (1 + int(found[0])) * (1 if self.up else -1)

    def _bring(self, index: int) -> int:
        """Begin to copy a batch, unless it is on the device, to the buffer that is not in use; return its buffer."""
        if index in self._held:
            return self._held.index(index)
        buffer = next(buffer for buffer, held in enumerate(self._held) if held != self.current or held < 0)
        self._held[buffer] = index
        base, end = self._bounds[index] * self._arc, self._bounds[index + 1] * self._arc
        self.work.device.send(self._buffers[buffer], self._words[base:end])
        self.copies += 1
        return buffer

    def notes(self) -> dict[str, int]:
        """Return the figures of the batches for the result."""
        return {
            "batches": self.count,
            "batch_arcs": self.batch,
            "batch_runs": self.runs,
            "batches_skipped": self.skipped,
            "batches_copied": self.copies,
            "sparse_steps": self.sparse,
        }

"""A stream of CUDA for copies that overlap kernels: in pieces, through pinned memory.

CUDA copies beside kernels only from and to pinned memory; a copy of any other memory makes the host wait. Arrays of
users and graphs stay as they are: each copy passes through two pinned arrays, one of which the host reads or writes
while the device uses the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

PIECE = 8 << 20  # bytes of a pinned array: a third of a millisecond on the bus; model
TO_DEVICE, TO_HOST = 1, 2  # CUDA's codes for the directions of a copy


class Staging:
    """Two pinned arrays, used in turn."""

    def __init__(self, new_array: Callable[[], np.ndarray]) -> None:
        self._arrays = [new_array(), new_array()]
        self._events: list[Any] = [None, None]  # of the last copy from or to each
        self._turn = 0

    def take(self) -> np.ndarray:
        """Return the array that was used longest ago, when its last copy is done."""
        self._turn = 1 - self._turn
        if self._events[self._turn] is not None:
            self._events[self._turn].synchronize()
        return self._arrays[self._turn]

    def note(self, event: Any) -> None:
        """Record the event of the copy from or to the array that take() returned."""
        self._events[self._turn] = event


class CopyStream:
    """The second stream of a GPU, and the pinned memory that its copies pass through, until close()."""

    def __init__(self, cuda: Any, failures: tuple[type[Exception], ...]) -> None:
        self._cuda, self._failures = cuda, failures
        self._stream = cuda.Stream(non_blocking=True)
        self._made: list[Staging] = []
        self._idle: list[Staging] = []

    def send(self, address: int, row: np.ndarray, after: Any) -> Any:
        """Copy a row to the device after an event; return the event of the end. The row may be changed at once."""
        self._stream.wait_event(after)
        octets, staging = row.view(np.uint8), self._take_staging()
        for i in range(0, octets.size, PIECE):
            piece = octets[i : i + PIECE]
            array = staging.take()
            np.copyto(array[: piece.size], piece)
            event = self._copy(address + i, array.ctypes.data, piece.size, TO_DEVICE)
            staging.note(event)
        self._idle.append(staging)
        return event

    def fetch(self, address: int, out: np.ndarray, after: Any) -> Callable[[], None]:
        """Begin to copy from the device after an event; return the function that copies the rest and waits for it."""
        self._stream.wait_event(after)
        octets, staging = out.reshape(-1).view(np.uint8), self._take_staging()
        starts = deque(range(0, octets.size, PIECE))
        under_way: deque[tuple[Any, np.ndarray, np.ndarray]] = deque()

        def begin() -> None:
            if starts:
                i = starts.popleft()
                piece, array = octets[i : i + PIECE], staging.take()
                event = self._copy(array.ctypes.data, address + i, piece.size, TO_HOST)
                staging.note(event)
                under_way.append((event, array, piece))

        def wait() -> None:
            while under_way:
                event, array, piece = under_way.popleft()
                event.synchronize()
                np.copyto(piece, array[: piece.size])
                begin()  # into the array that was read just now
            self._idle.append(staging)

        begin()
        begin()
        return wait

    def synchronize(self) -> None:
        """Wait until all copies are done."""
        self._stream.synchronize()

    def close(self) -> None:
        """Free the pinned memory when all copies are done; the next copy allocates it again."""
        try:
            self._stream.synchronize()
        finally:
            self._made.clear()
            self._idle.clear()

    def _copy(self, to: int, source: int, nbytes: int, direction: int) -> Any:
        """Enqueue a copy; return the event of its end."""
        self._cuda.runtime.memcpyAsync(to, source, nbytes, direction, self._stream.ptr)
        event = self._cuda.Event(disable_timing=True)
        event.record(self._stream)
        return event

    def _take_staging(self) -> Staging:
        """Return pinned arrays that no other copy uses."""
        if self._idle:
            return self._idle.pop()
        self._made.append(Staging(self._new_array))  # kept until close(): a copy may be under way when it is given up
        return self._made[-1]

    def _new_array(self) -> np.ndarray:
        """Return a pinned array, or if the system has no more such memory, any other: then copies do not overlap."""
        try:
            pinned = self._cuda.PinnedMemoryPointer(self._cuda.PinnedMemory(PIECE), 0)
        except self._failures:
            return np.empty(PIECE, np.uint8)
        return np.frombuffer(pinned, np.uint8, PIECE)

"""What OpenCL and CUDA devices share: buffers, programs built once, and drivers' errors as ours.

Neither class locks: a run holds ``lock`` while it uses a device, and may do so from several of its threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from ..description import format_bytes
from ..errors import DeviceError, DeviceMemoryError, KernelBuildError, option
from . import text
from .facts import Facts, Traffic

LOG_LINES = 8  # of a build log that a message repeats
ROOM = f"Let other programs on the device end, ask for fewer sources at once, or use {option('device', 'cpu')}."
REPORT = f"Run `nearfar selftest` and report what it prints; {option('device', 'cpu')} works meanwhile."


class Buffer:
    """Memory on a device: ``count`` elements of ``dtype``. Freed by free(), or when nobody holds it any more."""

    __slots__ = ("__weakref__", "arriving", "count", "device", "dtype", "handle", "nbytes", "used")

    def __init__(self, device: Device, handle: Any, dtype: np.dtype, count: int) -> None:
        self.device, self.handle = device, handle
        self.dtype, self.count, self.nbytes = dtype, count, count * dtype.itemsize
        self.arriving: Any = None  # the event of a copy by send() that the main queue does not wait for yet
        self.used: Any = None  # for a buffer that was once sent to: the event of the last kernel that had it
        device.held[id(self)] = self.nbytes

    def free(self) -> None:
        """Give the memory back once everything enqueued has used it."""
        if self.handle is not None:
            self.device.held.pop(id(self), None)
            self.device.release(self)
            self.handle = self.arriving = self.used = None

    def __del__(self) -> None:
        if getattr(self, "handle", None) is not None:
            self.free()

    def __repr__(self) -> str:
        return f"<{self.count} x {self.dtype} on {self.device.name}{', freed' if self.handle is None else ''}>"


class Device:
    """The verbs, and what OpenCL and CUDA share of them."""

    dialect: str
    failures: tuple[type[Exception], ...]  # what the driver throws

    def __init__(self, facts: Facts) -> None:
        self._facts, self.name = facts, facts.name
        self.lock = threading.RLock()
        self.traffic = Traffic()
        self.held: dict[int, int] = {}  # bytes of every buffer; buffers are collected on any thread
        self._programs: dict[tuple, Any] = {}
        self._kernels: dict[tuple, Any] = {}

    @property
    def facts(self) -> Facts:
        """What the device has, with the memory that is free now."""
        return replace(self._facts, memory=self.free_memory())

    def kernel(self, stem: str, name: str, defines: Mapping[str, int]) -> Callable[..., None]:
        """Return a kernel of a program, which is built at its first use; call it with groups, their size, arguments."""
        program_key = (stem, *sorted(defines.items()))
        key = (name, program_key)
        if key not in self._kernels:
            if program_key not in self._programs:
                self._programs[program_key] = self.build(stem, text.source(self.dialect, stem, defines))
            self._kernels[key] = self.find_kernel(self._programs[program_key], name)
        return self._kernels[key]

    def empty(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer with anything in it."""
        raise NotImplementedError

    def upload(self, array: Any) -> Buffer:
        """Return a buffer with the elements of an array, which may be changed afterwards."""
        raise NotImplementedError

    def fill(self, buffer: Buffer, value: Any, count: int | None = None) -> None:
        """Set all elements, or the first ones."""
        raise NotImplementedError

    def write(self, buffer: Buffer, array: Any) -> None:
        """Put an array over the front of a buffer, after the kernels enqueued before; it may be changed afterwards."""
        raise NotImplementedError

    def get(
        self, buffer: Buffer, out: np.ndarray | None = None, start: int = 0, count: int | None = None
    ) -> np.ndarray:
        """Return elements of a buffer once everything enqueued before is done."""
        raise NotImplementedError

    def send(self, buffer: Buffer, array: Any) -> None:
        """Begin to put an array over the front of a buffer while kernels that do not have the buffer run.

        The array must stay as it is until something enqueued after arrived() is known to be done.
        """
        raise NotImplementedError

    def arrived(self, buffer: Buffer) -> None:
        """Let everything enqueued from now on wait for what was sent."""
        raise NotImplementedError

    def finish(self) -> None:
        """Wait for everything."""
        raise NotImplementedError

    def free_memory(self) -> int:
        """Return the bytes that can be allocated now."""
        raise NotImplementedError

    def details(self) -> dict[str, str]:
        """Return what a report of a failure should tell of the driver."""
        raise NotImplementedError

    def build(self, stem: str, source: str) -> Any:
        """Compile a program."""
        raise NotImplementedError

    def find_kernel(self, program: Any, name: str) -> Callable[..., None]:
        """Return a kernel of a compiled program."""
        raise NotImplementedError

    def release(self, buffer: Buffer) -> None:
        """Give a buffer's memory back to the driver."""
        raise NotImplementedError

    def is_full(self, error: Exception) -> bool:
        """Tell whether the driver had no room left."""
        raise NotImplementedError

    @contextmanager
    def trying(self, what: str, nbytes: int = 0) -> Iterator[None]:
        """Turn what the driver throws into an error of ours; ``what`` was tried."""
        try:
            yield
        except self.failures as error:
            self.fail(what, error, nbytes)

    def fail(self, what: str, error: Exception, nbytes: int = 0) -> NoReturn:
        """Raise the error of ours for one of the driver."""
        title, said = self._facts.title, str(error).strip() or type(error).__name__
        if self.is_full(error):
            size = f"{format_bytes(nbytes)} more" if nbytes else "more memory"
            raise DeviceMemoryError(
                f"{what} needs {size} on {title}, of whose {format_bytes(self._facts.memory)} nearfar holds "
                f"{format_bytes(sum(list(self.held.values())))}; the driver said: {said}. {ROOM}"
            ) from error
        raise DeviceError(f"{what} failed on {title}; the driver said: {said}. {REPORT}") from error

    def fail_build(self, stem: str, log: str, error: Exception) -> NoReturn:
        """Raise the error for a program that the driver's compiler refused."""
        lines = [line for line in log.splitlines() if line.strip()]
        first = "\n".join(lines[:LOG_LINES]) or str(error)
        raise KernelBuildError(
            f"{stem}.cl could not be built for {self._facts.title}; the compiler said:\n{first}\n{REPORT}", log
        ) from error


def choose(kind: str, what: str, index: int, facts: list[Facts], missing: str | None) -> Facts:
    """Return the facts of the device of a number, or say which there are."""
    if index < len(facts):
        return facts[index]
    if not facts:
        raise DeviceError(f"{kind}:{index} cannot be used: {missing}.")
    number = f"is 1 {what} device" if len(facts) == 1 else f"are {len(facts)} {what} devices"
    there = " and ".join(found.title for found in facts)
    raise DeviceError(f"there {number}, {there}; {kind}:{index} does not exist.")


def as_row(array: Any) -> np.ndarray:
    """Return an array's elements as one row without gaps; the same memory where possible."""
    return np.ascontiguousarray(array).reshape(-1)


def take_range(buffer: Buffer, out: np.ndarray | None, start: int, count: int | None) -> np.ndarray:
    """Return the array that get() fills, checked against the buffer."""
    live(buffer)
    count = (buffer.count - start if out is None else out.size) if count is None else count
    if start < 0 or count < 0 or start + count > buffer.count:
        raise DeviceError(f"elements {start} to {start + count} are not all in {buffer!r}.")
    if out is None:
        return np.empty(count, buffer.dtype)
    if out.dtype != buffer.dtype or out.size != count or not out.flags.c_contiguous or not out.flags.writeable:
        raise DeviceError(
            f"an array of {out.size} {out.dtype} cannot take {count} elements of {buffer!r}; it must be contiguous, "
            "writable, and of the same type and size."
        )
    return out


def take_front(buffer: Buffer, array: Any) -> np.ndarray:
    """Return what write() and send() put over the front of a buffer, checked against it."""
    live(buffer)
    row = as_row(array)
    if row.dtype != buffer.dtype or row.size > buffer.count:
        raise DeviceError(f"{row.size} elements of {row.dtype} do not go into {buffer!r}.")
    return row


def live(buffer: Buffer) -> Any:
    """Return the driver's handle of a buffer that was not freed."""
    if buffer.handle is None:
        raise DeviceError(f"{buffer!r} is used after it was freed.")
    return buffer.handle

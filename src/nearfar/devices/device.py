"""What OpenCL and CUDA devices share: buffers, programs that are built once, and the translation of drivers' errors.

The methods do not lock: a run holds ``lock`` while it uses a device, from one of its threads or from several.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from ..description import format_bytes
from ..errors import DeviceError, DeviceMemoryError, KernelBuildError, MissingDeviceError, option
from . import text
from .facts import Facts, Traffic

LOG_LINES = 8  # lines of a build log that a message repeats
ROOM = f"Close other programs on the device, ask for fewer sources at once, or use {option('device', 'cpu')}."
AGAIN = f"Start Python again, or use {option('device', 'cpu')}."
REPORT = f"Run `nearfar selftest` and report its output; meanwhile, use {option('device', 'cpu')}."


class Buffer:
    """Memory on a device: ``count`` elements of ``dtype``. Freed by free(), or when nothing refers to it any more."""

    __slots__ = ("__weakref__", "arriving", "count", "device", "dtype", "handle", "nbytes", "start", "used")

    def __init__(self, device: Device, handle: Any, dtype: np.dtype, count: int, start: int = 0) -> None:
        self.device, self.handle = device, handle
        self.start = start  # elements of the handle before those of the buffer: 0 but for arrays that were adopted
        self.dtype, self.count, self.nbytes = dtype, count, count * dtype.itemsize
        self.arriving: Any = None  # the event of a copy by send(), until arrived() makes the main queue wait for it
        self.used: Any = None  # for a buffer that send() was used on: the event of the last kernel that used it
        device.held[id(self)] = self.nbytes

    def free(self) -> None:
        """Free the memory when everything enqueued so far is done."""
        if self.handle is not None:
            self.device.held.pop(id(self), None)
            self.device.release(self)
            self.handle = self.arriving = self.used = None

    def __del__(self) -> None:
        if getattr(self, "handle", None) is not None:
            self.free()

    def __repr__(self) -> str:
        return f"<{self.count} x {self.dtype} on {self.device.name}{', freed' if self.handle is None else ''}>"


class ArrayFacts(NamedTuple):
    """What an array of another library in a device's memory says of itself."""

    shape: tuple[int, ...]
    dtype: np.dtype
    contiguous: bool  # in C order, without gaps
    writable: bool


class DeviceKernel(Protocol):
    """A kernel on its device."""

    most: int  # work-items per group, by its registers and local memory; often fewer than the device allows

    def __call__(self, groups: int, size: int, *args: Any) -> None:
        """Enqueue ``groups`` groups of ``size`` work-items."""


class Probe(NamedTuple):
    """What a driver has: the devices that can be used, and the names of the others with the reasons."""

    found: list[Facts]
    broken: dict[str, str]


class Device:
    """The operations of a GPU, and the part of them that OpenCL and CUDA share."""

    dialect: str
    failures: tuple[type[Exception], ...]  # exceptions of the driver

    def __init__(self, facts: Facts) -> None:
        self._facts, self.name = facts, facts.name
        self.lock = threading.RLock()
        self.traffic = Traffic()
        self.held: dict[int, int] = {}  # bytes of every buffer; any thread may collect buffers
        self.watch: Callable[[str, DeviceKernel], DeviceKernel] | None = None  # may replace a kernel
        self._programs: dict[tuple, Any] = {}
        self._kernels: dict[tuple, DeviceKernel] = {}
        self.lost = ""  # why this process cannot use the device any more
        self.context = 0  # tells apart the contexts of one OpenCL device, which share no memory; 0: our own

    @property
    def facts(self) -> Facts:
        """The facts of the device, with the memory that is free now."""
        return replace(self._facts, memory=self.free_memory())

    def kernel(self, stem: str, name: str, defines: Mapping[str, int]) -> DeviceKernel:
        """Return a kernel; call it with groups, group size, arguments. Its program is built at the first use."""
        program_key = (stem, *sorted(defines.items()))
        key = (name, program_key)
        if key not in self._kernels:
            if program_key not in self._programs:
                self._programs[program_key] = self.build(stem, text.source(self.dialect, stem, defines))
            self._kernels[key] = self.find_kernel(self._programs[program_key], name)
        return self._kernels[key] if self.watch is None else self.watch(name, self._kernels[key])

    def empty(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer with undefined contents."""
        raise NotImplementedError

    def upload(self, array: Any) -> Buffer:
        """Return a buffer with the elements of an array; the array may be changed afterwards."""
        raise NotImplementedError

    def adopt(self, array: Any) -> Buffer:
        """Return a user's array on this device as a buffer, when all that its owner enqueued there is done.

        To free the buffer leaves the memory to its owner. A kernel finds its first element at ``start``.
        """
        raise NotImplementedError

    def fill(self, buffer: Buffer, value: Any, count: int | None = None) -> None:
        """Set all elements, or the first ``count``, to a value."""
        raise NotImplementedError

    def write(self, buffer: Buffer, array: Any) -> None:
        """Copy an array to the front of a buffer, after all kernels enqueued before; it may be changed afterwards."""
        raise NotImplementedError

    def get(
        self, buffer: Buffer, out: np.ndarray | None = None, start: int = 0, count: int | None = None
    ) -> np.ndarray:
        """Return elements of a buffer, when everything enqueued before is done."""
        raise NotImplementedError

    def send(self, buffer: Buffer, array: Any) -> None:
        """Begin to copy an array to the front of a buffer, while kernels that do not use the buffer run.

        The array must not be changed until something enqueued after arrived() is known to be done.
        """
        raise NotImplementedError

    def arrived(self, buffer: Buffer) -> None:
        """Let everything enqueued from now on wait for the copy that send() began."""
        raise NotImplementedError

    def track(self, buffer: Buffer) -> None:
        """Record from now on which kernel used a buffer last: send() waits for that one only.

        Without it, the first send() to a buffer waits for everything enqueued before.
        """
        raise NotImplementedError

    def fetch(self, buffer: Buffer, out: np.ndarray) -> Callable[[], None]:
        """Begin to copy the front of a buffer to an array, when everything enqueued before is done.

        Returns the function that waits for the copy. Kernels enqueued meanwhile run beside it, and must not write to
        the buffer.
        """
        raise NotImplementedError

    def end_copies(self) -> None:
        """Wait for the copies of send() and fetch() under way, and free the host memory that they needed."""
        raise NotImplementedError

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        raise NotImplementedError

    def free_memory(self) -> int:
        """Return the bytes that can be allocated now."""
        raise NotImplementedError

    def details(self) -> dict[str, str]:
        """Return what a report should say about the driver."""
        raise NotImplementedError

    def build(self, stem: str, source: str) -> Any:
        """Compile a program."""
        raise NotImplementedError

    def find_kernel(self, program: Any, name: str) -> DeviceKernel:
        """Return a kernel of a compiled program."""
        raise NotImplementedError

    def release(self, buffer: Buffer) -> None:
        """Return the memory of a buffer to the driver."""
        raise NotImplementedError

    def is_full(self, error: Exception) -> bool:
        """Return whether an error means that the device is out of memory."""
        raise NotImplementedError

    @contextmanager
    def trying(self, what: str, nbytes: int = 0) -> Iterator[None]:
        """Turn exceptions of the driver into our errors; ``what`` was tried."""
        self.require_alive()
        try:
            yield
        except self.failures as error:
            self.fail(what, error, nbytes)

    def fail(self, what: str, error: Exception, nbytes: int = 0) -> NoReturn:
        """Raise our error for an exception of the driver."""
        title, said = self._facts.title, str(error).strip() or type(error).__name__
        if self.is_full(error):
            size = f"{format_bytes(nbytes)} more" if nbytes else "more memory"
            raise DeviceMemoryError(
                f"{what} needs {size} on {title}; nearfar holds {format_bytes(sum(list(self.held.values())))} of its "
                f"{format_bytes(self._facts.memory)}. The driver said: {said}. {ROOM}"
            ) from error
        if self.is_fatal(error):
            self.lost = f"{what}, or a kernel before it, failed there. The driver said: {said}"
            raise DeviceError(
                f"{what}, or a kernel before it, failed on {title}. The driver said: {said}. After this error, the "
                f"driver refuses everything that this process asks of the device. {AGAIN} If it happens again, run "
                "`nearfar selftest` and report its output."
            ) from error
        raise DeviceError(f"{what} failed on {title}. The driver said: {said}. {REPORT}") from error

    def is_fatal(self, error: Exception) -> bool:
        """Return whether the driver refuses everything from this process after an error."""
        return False

    def require_alive(self) -> None:
        """Raise an error if the driver refuses everything from this process since an earlier error."""
        if self.lost:
            raise DeviceError(f"{self._facts.title} cannot be used any more by this process: {self.lost}. {AGAIN}")

    def fail_build(self, stem: str, log: str, error: Exception) -> NoReturn:
        """Raise the error for a program that the driver's compiler rejected."""
        lines = [line for line in log.splitlines() if line.strip()]
        first = "\n".join(lines[:LOG_LINES]) or str(error)
        raise KernelBuildError(
            f"{stem}.cl could not be built for {self._facts.title}; the compiler said:\n{first}\n{REPORT}", log
        ) from error


def probe(kind: str, devices: Iterable[Any], facts_of: Callable[[int, Any], Facts]) -> Probe:
    """Ask every device of a driver for its facts; one that fails does not hide the others."""
    found, broken = [], {}
    for index, device in enumerate(devices):
        try:
            found.append(facts_of(index, device))
        except Exception as error:  # drivers fail in many ways
            broken[f"{kind}:{index}"] = str(error).strip() or type(error).__name__
    return Probe(found, broken)


def choose(kind: str, what: str, index: int, probed: Probe, missing: str | None) -> Facts:
    """Return the facts of the device with an index, or raise an error that lists the devices."""
    facts, name = probed.found, f"{kind}:{index}"
    for device in facts:
        if device.name == name:
            return device
    if name in probed.broken:
        raise DeviceError(f"{name} cannot be used: {probed.broken[name]}.")
    if not facts:
        raise MissingDeviceError(f"{name} cannot be used: {missing}.")
    number = f"is 1 {what} device" if len(facts) == 1 else f"are {len(facts)} {what} devices"
    there = " and ".join(found.title for found in facts)
    raise MissingDeviceError(f"there {number}, {there}; {name} does not exist.")


def is_in_c_order(shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> bool:
    """Return whether an array with these strides, in bytes, has no gaps and is in C order; None stands for that."""
    if strides is None or 0 in shape:
        return True
    step = itemsize
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def as_row(array: Any) -> np.ndarray:
    """Return an array as one contiguous row, without a copy where possible."""
    return np.ascontiguousarray(array).reshape(-1)


def take_range(buffer: Buffer, out: np.ndarray | None, start: int, count: int | None) -> np.ndarray:
    """Return the array that get() fills, checked against the buffer."""
    live(buffer)
    count = (buffer.count - start if out is None else out.size) if count is None else count
    if start < 0 or count < 0 or start + count > buffer.count:
        raise DeviceError(f"elements {start} to {start + count} are not all within {buffer!r}.")
    if out is None:
        return np.empty(count, buffer.dtype)
    if out.dtype != buffer.dtype or out.size != count or not out.flags.c_contiguous or not out.flags.writeable:
        raise DeviceError(
            f"an array of {out.size} {out.dtype} cannot hold {count} elements of {buffer!r}; it must be contiguous, "
            "writable, and of the same type and size."
        )
    return out


def take_front(buffer: Buffer, array: Any) -> np.ndarray:
    """Return the row that write() and send() copy to the front of a buffer, checked against it."""
    live(buffer)
    row = as_row(array)
    if row.dtype != buffer.dtype or row.size > buffer.count:
        raise DeviceError(f"{row.size} elements of {row.dtype} do not fit into {buffer!r}.")
    return row


def live(buffer: Buffer) -> Any:
    """Return the driver's handle of a buffer; raise an error if it was freed."""
    if buffer.handle is None:
        raise DeviceError(f"{buffer!r} is used after it was freed.")
    return buffer.handle

"""The launches of a worker process: counted, and noted where its parent can read them even if the worker hangs.

A `Watch` is put into a device (`Device.watch`). It notes every launch in a small file that both processes map into
memory, before the launch is enqueued. GPUs work on their own, so the launch noted last need not be the one that hangs.
A *waiting* watch therefore waits for the device after every launch: then it is, and every launch has a time. Waiting
hides mistakes in the order of copies and kernels, so that queries also run without.
"""

from __future__ import annotations

import mmap
import re
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..description import format_count, format_seconds
from ..devices import text
from ..devices.device import Device, DeviceKernel

ENTRIES, ENTRY = 16, 256  # devices whose launches are noted, and bytes for each
FORMAT = struct.Struct("<qqqd??64s")  # number, groups, size, begin, waiting, done, kernel
SLOWEST = 5  # launches that are kept
KERNEL = re.compile(r"^KERNEL\w*\b.*?\bvoid\s+(\w+)\s*\(", re.M)


@dataclass(frozen=True)
class Launch:
    """One launch of a kernel."""

    kernel: str
    number: int  # among the launches of its query, from 1
    groups: int
    size: int
    seconds: float  # that it took, or for which it has been under way
    waiting: bool = True  # whether the one before was waited for
    done: bool = True

    def __str__(self) -> str:
        shape = f"{format_count(self.groups)} x {self.size} work-items"
        return f"kernel {self.kernel}, launch {format_count(self.number)} of the query, {shape}"


def make_record(path: str | Path) -> None:
    """Make the file of a record, with no launch in it."""
    Path(path).write_bytes(bytes(ENTRIES * ENTRY))


def read_record(path: str | Path) -> Iterator[Launch]:
    """Yield the last launch of each device that launched anything."""
    data = Path(path).read_bytes()
    for i in range(ENTRIES):
        number, groups, size, began, waiting, done, name = FORMAT.unpack_from(data, i * ENTRY)
        if number:
            kernel = name.rstrip(b"\0").decode("ascii", "replace")
            yield Launch(kernel, number, groups, size, max(time.time() - began, 0.0), waiting, done)


class Watch:
    """Counts the launches of devices and notes each in a record."""

    def __init__(self, path: str | Path) -> None:
        with open(path, "r+b") as file:
            self._record = mmap.mmap(file.fileno(), ENTRIES * ENTRY)
        self._lock = threading.Lock()
        self._devices: list[Device] = []
        self.begin(False)

    def attach(self, device: Device) -> None:
        """Watch a device from now on."""
        self._devices.append(device)
        device.watch = lambda name, kernel: Watched(self, device, name, kernel)

    def begin(self, waiting: bool, forget: bool = True) -> None:
        """Begin a query: clear the record, and the counts unless it is the same query again."""
        self.waiting = waiting
        self._numbers = [0] * ENTRIES
        self._record[:] = bytes(len(self._record))
        if forget:
            self.counts: Counter[str] = Counter()
            self.slowest: list[Launch] = []

    def launch(self, device: Device, name: str, groups: int, size: int, enqueue: Callable[[], None]) -> None:
        """Note a launch, enqueue it, and wait for it if this is a waiting watch."""
        entry = self._devices.index(device) % ENTRIES
        with self._lock:
            self._numbers[entry] += 1
            self.counts[name] += 1
        number = self._numbers[entry]
        note = (number, groups, size, time.time(), self.waiting)
        FORMAT.pack_into(self._record, entry * ENTRY, *note, False, name.encode("ascii")[:64])
        began = time.perf_counter()
        enqueue()
        if self.waiting:
            device.finish()
            self._keep(Launch(name, number, groups, size, time.perf_counter() - began))
            FORMAT.pack_into(self._record, entry * ENTRY, *note, True, name.encode("ascii")[:64])

    def _keep(self, launch: Launch) -> None:
        """Keep a launch if it is among the slowest."""
        with self._lock:
            self.slowest = slowest([*self.slowest, launch])


class Watched:
    """A kernel whose launches are noted; otherwise it is the kernel itself."""

    def __init__(self, watch: Watch, device: Device, name: str, kernel: DeviceKernel) -> None:
        self._watch, self._device, self._name, self._kernel = watch, device, name, kernel
        self.most = kernel.most

    def __call__(self, groups: int, size: int, *args: Any) -> None:
        """Launch the kernel."""
        self._watch.launch(self._device, self._name, groups, size, lambda: self._kernel(groups, size, *args))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def slowest(launches: list[Launch]) -> list[Launch]:
    """Return the slowest of some launches, the slowest first."""
    return sorted(launches, key=lambda launch: -launch.seconds)[:SLOWEST]


def all_kernels(dialect: str) -> list[str]:
    """Return the names of all kernels; only CUDA needs one to fill buffers.

    Examples
    --------
    >>> "delta_wide" in all_kernels("opencl"), "fill_4" in all_kernels("opencl")
    (True, False)
    """
    files = [file for file in sorted(text.FOLDER.glob("*.cl")) if dialect == "cuda" or file.stem != "fill"]
    return [name for file in files for name in KERNEL.findall(file.read_text(encoding="ascii"))]


def where(launches: list[Launch]) -> str:
    """Say where a query is, from the last launch of each of its devices."""
    if not launches:
        return "No kernel was launched yet: it was building programs, copying, or working on the CPU."
    return " ".join(_state(launch) for launch in launches)


def _state(launch: Launch) -> str:
    """Say what is known about the last launch of a device."""
    if launch.done:
        return f"The last launch, {launch}, was done: it was copying, building a program, or working on the CPU."
    took = format_seconds(launch.seconds)
    if launch.waiting:
        return f"It was in {launch}, for {took}; all launches before were done."
    return f"The last of its launches, which nothing waited for, was {launch}, {took} before."

"""NVIDIA's GPUs through CUDA and CuPy, which brings the compiler (NVRTC) and calls the driver.

Commands run in order on one stream. Copies that may overlap kernels have a second stream, and events order the two. The
current device and stream of a thread stay unchanged.

Of CuPy we use `cuda.Device` as a context, `cuda.Stream` (synchronize, wait_event, ptr), `cuda.Event` (record, done,
synchronize), `cuda.MemoryPool` (malloc, free_bytes), `cuda.PinnedMemory` and its pointer, `cuda.UnownedMemory` and
`cuda.MemoryPointer` to it, `RawModule` (compile, and get_function, whose kernels take grid, block, arguments and
stream, and have max_threads_per_block), the functions getDeviceCount, getDeviceProperties, driverGetVersion,
runtimeGetVersion, memGetInfo, memcpyAsync, memsetAsync, deviceSynchronize and pointerGetAttributes of `cuda.runtime`,
and the errors of all these. tests/helpers/standin.py offers the same calls over OpenCL.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import DeviceError, option
from . import cpu
from .copies import TO_DEVICE, TO_HOST, CopyStream
from .device import (
    ArrayFacts,
    Buffer,
    Device,
    Probe,
    as_row,
    choose,
    is_in_c_order,
    live,
    probe,
    take_front,
    take_range,
)
from .facts import Facts

PACKAGE = "cupy is not installed: pip install 'nearfar[cuda]'"
DRIVER = "no NVIDIA GPU with a driver that this cupy can use: install NVIDIA's newest driver"
OPTIONS = ("--std=c++17",)
WRITE_ASIDE = 1 << 20  # bytes up to which write() copies the array first instead of waiting for the stream
FILL_GROUPS, FILL_SIZE = 1024, 256
FULL = 2  # CUDA's code for "out of memory"
# CUDA's codes for errors after which its manual says that the process must be terminated: a kernel that used a wrong
# address, ran too long or failed otherwise, a context that is gone, memory that is defect. To reset the device does not
# always help, and would destroy what other libraries of the process keep there.
FATAL = {214, 220, 700, 702, 709, 710, *range(714, 720), 999}
NVRTC = (
    "Its compiler, NVRTC, or a part of it is missing: `pip install 'nearfar[cuda]'` installs it (for cupy of CUDA 13, "
    f"'cupy-cuda13x[ctk]'); or use {option('device', 'cpu')}."
)

_opened: dict[int, Cuda] = {}
_opening = threading.Lock()


def found() -> list[Facts]:
    """Return the facts of every GPU of the driver that can be used."""
    return _probe().found


def broken() -> dict[str, str]:
    """Return the GPUs that cannot be used, and why."""
    return _probe().broken


def missing() -> str | None:
    """Return why there is no GPU and what to do, or None."""
    try:
        _cupy()
    except ModuleNotFoundError:
        return PACKAGE
    except Exception:
        return DRIVER
    probed = _probe()
    return None if probed.found else "; ".join(probed.broken.values()) or DRIVER


def open_device(index: int) -> Cuda:
    """Return the GPU with an index; it is opened only once."""
    with _opening:
        if index not in _opened:
            facts = choose("cuda", "CUDA", index, _probe(), missing())
            _opened[index] = Cuda(facts, index)
    _opened[index].require_alive()
    return _opened[index]


def array_facts(array: Any) -> ArrayFacts | None:
    """Return what an array of CuPy, PyTorch or Numba on a GPU says of itself; None if this is something else."""
    said = getattr(array, "__cuda_array_interface__", None)
    if said is None:
        return None
    dtype, shape = np.dtype(said["typestr"]), tuple(said["shape"])
    return ArrayFacts(shape, dtype, is_in_c_order(shape, said.get("strides"), dtype.itemsize), not said["data"][1])


def device_of(array: Any) -> Cuda:
    """Return the GPU whose memory an array is in; the first one for an array without elements, which has no memory."""
    address = array.__cuda_array_interface__["data"][0]
    first = open_device(0)  # an error if there is no GPU or no CuPy, which an array of PyTorch does without
    return open_device(first.index_of(address)) if address else first


def _probe() -> Probe:
    """Ask all GPUs for their facts."""
    try:
        cupy = _cupy()
        return probe("cuda", range(cupy.cuda.runtime.getDeviceCount()), lambda index, _: _facts(cupy, index))
    except Exception:  # a broken driver counts as missing
        return Probe([], {})


def _cupy() -> Any:
    """Load CuPy without its warnings about other installations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return import_module("cupy")


def _facts(cupy: Any, index: int) -> Facts:
    """Return the facts of a GPU."""
    if index in _opened:
        _opened[index].require_alive()
    properties = cupy.cuda.runtime.getDeviceProperties(index)
    with cupy.cuda.Device(index):
        free, _ = cupy.cuda.runtime.memGetInfo()
    unified = bool(properties.get("integrated", 0))
    return Facts(
        name=f"cuda:{index}",
        cores=int(properties["multiProcessorCount"]),
        memory=min(int(free), cpu.facts().memory) if unified else int(free),
        label=properties["name"].decode(),
        bandwidth=_bandwidth(properties),
        gpu=True,
        group_size=int(properties["maxThreadsPerBlock"]),
        unified=unified,
    )


def _version(number: int) -> str:
    """Return one of CUDA's version numbers as text: 12080 is 12.8."""
    return f"{number // 1000}.{number % 1000 // 10}"


def _bandwidth(properties: dict[str, Any]) -> float:
    """Return the bytes per second of a GPU's memory, two words per clock; 0 if not known: CUDA 13 gives no clock."""
    kilohertz, bits = properties.get("memoryClockRate", 0), properties.get("memoryBusWidth", 0)
    return 2 * 1000.0 * kilohertz * bits / 8


class Cuda(Device):
    """One GPU with its streams and programs."""

    dialect = "cuda"

    def __init__(self, facts: Facts, index: int) -> None:
        super().__init__(facts)
        self._cupy = _cupy()
        cuda = self._cupy.cuda
        self._runtime, self._here = cuda.runtime, cuda.Device(index)
        self.failures = (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError, cuda.memory.OutOfMemoryError)
        with self.trying("opening the device"):
            self._stream = cuda.Stream(non_blocking=True)
            self._copies = CopyStream(cuda, self.failures)
            self._pool = cuda.MemoryPool()
        self._pending: deque[tuple[Any, np.ndarray]] = deque()  # copies under way, and the arrays that they read

    @contextmanager
    def trying(self, what: str, nbytes: int = 0) -> Iterator[None]:
        """Turn exceptions of the driver into our errors, with this GPU as the current one."""
        with super().trying(what, nbytes), self._here:
            yield

    def free_memory(self) -> int:
        """Return the bytes that the driver has free, and those that our pool keeps for reuse."""
        with self.trying("asking for memory"):
            free = int(self._runtime.memGetInfo()[0] + self._pool.free_bytes())
        return min(free, cpu.facts().memory) if self._facts.unified else free

    def details(self) -> dict[str, str]:
        """Return the versions of driver and runtime, and the compute capability."""
        with self.trying("asking for versions"):
            properties = self._runtime.getDeviceProperties(self._here.id)
            driver, runtime = self._runtime.driverGetVersion(), self._runtime.runtimeGetVersion()
        return {
            "driver": f"for CUDA {_version(driver)}",
            "runtime": f"CUDA {_version(runtime)}",
            "compute capability": f"{properties['major']}.{properties['minor']}",
        }

    def build(self, stem: str, source: str) -> Any:
        """Compile a program; CuPy caches it on disk if it can."""
        with self.trying(f"building {stem}.cl"):
            try:
                module = self._cupy.RawModule(code=source, options=OPTIONS)
                module.compile()
            except self._cupy.cuda.compiler.CompileException as error:
                self.fail_build(stem, str(error), error)
            except self.failures:
                raise
            except (RuntimeError, ImportError, OSError) as error:  # CuPy loads NVRTC when it compiles first
                raise DeviceError(f"cupy cannot compile for {self._facts.title}: {error}. {NVRTC}") from error
            return module

    def find_kernel(self, program: Any, name: str) -> Kernel:
        """Return a kernel of a compiled program."""
        with self.trying(f"looking for kernel {name}"):
            return Kernel(self, name, program.get_function(name))

    def empty(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer with undefined contents."""
        dtype = np.dtype(dtype)
        nbytes = max(count, 1) * dtype.itemsize
        with self.trying(f"a buffer of {count} {dtype}", nbytes):
            return Buffer(self, self._pool.malloc(nbytes), dtype, count)

    def upload(self, array: Any) -> Buffer:
        """Return a buffer with the elements of an array; waits for the copy.

        The copy is on the main stream, since the pool may return memory that a kernel still reads as a freed buffer.
        """
        row = as_row(array)
        buffer = self.empty(row.size, row.dtype)
        with self.trying("uploading an array", row.nbytes):
            self._copy_in(buffer, row, self._stream)
            self._stream.synchronize()
        self.traffic.uploaded += row.nbytes
        return buffer

    def index_of(self, address: int) -> int:
        """Return the number of the GPU that has an address."""
        with self.trying("looking for an array"):
            return int(self._runtime.pointerGetAttributes(address).device)

    def adopt(self, array: Any) -> Buffer:
        """Return a user's array as a buffer, when everything on the GPU is done: not every library names its stream."""
        said = array.__cuda_array_interface__
        address, dtype, count = said["data"][0], np.dtype(said["typestr"]), math.prod(said["shape"])
        if not count:
            return self.empty(0, dtype)
        with self.trying("waiting for an array"):
            self._runtime.deviceSynchronize()
            memory = self._cupy.cuda.UnownedMemory(address, count * dtype.itemsize, array, self._here.id)
            return Buffer(self, self._cupy.cuda.MemoryPointer(memory, 0), dtype, count)

    def fill(self, buffer: Buffer, value: Any, count: int | None = None) -> None:
        """Set all elements, or the first ``count``: by memset if all bytes are equal, else by our kernel."""
        handle, count = live(buffer), buffer.count if count is None else count
        pattern = np.array([value], buffer.dtype)
        octets = pattern.view(np.uint8)
        if (octets == octets[0]).all():
            with self.trying("filling a buffer"):
                self._runtime.memsetAsync(handle.ptr, int(octets[0]), count * buffer.dtype.itemsize, self._stream.ptr)
                self._note(buffer)
        elif buffer.dtype.itemsize in (4, 8):
            size = buffer.dtype.itemsize
            fill = self.kernel("fill", f"fill_{size}", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1})
            groups = max(1, min(FILL_GROUPS, -(-count // FILL_SIZE)))
            fill(groups, min(FILL_SIZE, fill.most), buffer, np.int64(count), pattern.view(f"i{size}")[0])
            self.traffic.launches -= 1  # not counted: OpenCL needs no kernel for it
        else:
            raise DeviceError(f"{buffer!r} cannot be filled with {value!r}; only elements of 1, 4 and 8 bytes can.")

    def write(self, buffer: Buffer, array: Any) -> None:
        """Copy an array to the front of a buffer, after all kernels enqueued before."""
        row = take_front(buffer, array)
        aside = row.nbytes <= WRITE_ASIDE
        with self.trying("writing to a buffer"):
            row = row.copy() if aside else row
            self._copy_in(buffer, row, self._stream)
            self._note(buffer)
            self._keep(self._record(self._stream), row)
            if not aside:
                self._stream.synchronize()
        self.traffic.uploaded += row.nbytes

    def get(
        self, buffer: Buffer, out: np.ndarray | None = None, start: int = 0, count: int | None = None
    ) -> np.ndarray:
        """Return elements of a buffer, when everything enqueued before is done."""
        out = take_range(buffer, out, start, count)
        with self.trying("reading from a buffer"):
            if out.size:
                address = buffer.handle.ptr + start * buffer.dtype.itemsize
                self._runtime.memcpyAsync(out.ctypes.data, address, out.nbytes, TO_HOST, self._stream.ptr)
            self._stream.synchronize()
        self.traffic.downloaded += out.nbytes
        return out

    def send(self, buffer: Buffer, array: Any) -> None:
        """Begin to copy an array to the front of a buffer, when the last kernel that uses the buffer is done."""
        row = take_front(buffer, array)
        if not row.size:
            return
        with self.trying("sending to a buffer"):
            self.track(buffer)
            buffer.arriving = self._copies.send(buffer.handle.ptr, row, buffer.used)
        self.traffic.uploaded += row.nbytes

    def track(self, buffer: Buffer) -> None:
        """Record from now on which kernel used a buffer last: send() waits for that one only."""
        if buffer.used is None:
            with self.trying("recording an event"):
                buffer.used = self._record(self._stream)

    def fetch(self, buffer: Buffer, out: np.ndarray) -> Callable[[], None]:
        """Begin to copy the front of a buffer, when everything enqueued before is done; return what waits for it."""
        out = take_range(buffer, out, 0, None)
        with self.trying("reading from a buffer"):
            wait = self._copies.fetch(buffer.handle.ptr, out, self._record(self._stream))
        self.traffic.downloaded += out.nbytes

        def wait_for_it() -> None:
            with self.trying("reading from a buffer"):
                wait()

        return wait_for_it

    def end_copies(self) -> None:
        """Wait for the copies under way, and free the pinned memory that they needed."""
        with self.trying("waiting for copies"):
            self._copies.close()

    def arrived(self, buffer: Buffer) -> None:
        """Let everything enqueued from now on wait for the copy that send() began."""
        if buffer.arriving is not None:
            with self.trying("waiting for a copy"):
                self._stream.wait_event(buffer.arriving)
            buffer.arriving = None

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        with self.trying("waiting for the device"):
            self._copies.synchronize()
            self._stream.synchronize()
        self._pending.clear()

    def release(self, buffer: Buffer) -> None:
        """Return memory to the pool, which gives it to later commands of the main stream only."""
        try:
            self.arrived(buffer)
        except DeviceError:  # the device failed before, and its memory is gone
            return

    def is_full(self, error: Any) -> bool:
        """Return whether an error means out of memory."""
        return isinstance(error, MemoryError) or getattr(error, "status", 0) == FULL

    def is_fatal(self, error: Any) -> bool:
        """Return whether the context is lost: every later call of this process returns the same error."""
        return getattr(error, "status", 0) in FATAL

    def _copy_in(self, buffer: Buffer, row: np.ndarray, stream: Any) -> None:
        """Enqueue a copy to the front of a buffer."""
        if row.size:
            self._runtime.memcpyAsync(buffer.handle.ptr, row.ctypes.data, row.nbytes, TO_DEVICE, stream.ptr)

    def _record(self, stream: Any) -> Any:
        """Return an event that is complete when the stream has reached this point."""
        event = self._cupy.cuda.Event(disable_timing=True)
        event.record(stream)
        return event

    def _note(self, buffer: Buffer) -> None:
        """Record the last use of a buffer that send() is used on."""
        if buffer.used is not None:
            buffer.used = self._record(self._stream)

    def _keep(self, event: Any, row: np.ndarray) -> None:
        """Keep the array of a copy until the copy is done."""
        self._pending.append((event, row))
        while self._pending and self._pending[0][0].done:
            self._pending.popleft()


class Kernel:
    """A kernel on its device."""

    def __init__(self, device: Cuda, name: str, function: Any) -> None:
        self._device, self._name, self._function = device, name, function
        self.most = int(function.max_threads_per_block)

    def __call__(self, groups: int, size: int, *args: Any) -> None:
        """Enqueue ``groups`` groups of ``size`` work-items."""
        device = self._device
        values = tuple([live(arg) if type(arg) is Buffer else arg for arg in args])
        try:  # instead of trying(), which takes as long as the launch
            with device._here:
                self._function((groups,), (size,), values, stream=device._stream)
                for arg in args:
                    if type(arg) is Buffer:
                        device._note(arg)
        except device.failures as error:
            device.fail(f"kernel {self._name}", error)
        device.traffic.launches += 1

"""GPUs through OpenCL, and CPUs through PoCL: every device that a driver of the system offers.

Commands run in order on one queue. Copies that may overlap kernels have a second queue, and events order the two. We
avoid three things of PyOpenCL: its cache of programs, which needs a writable home folder, its compiler warnings on the
user's screen, and its usual call to set a number as an argument, which takes 10 us instead of 0.1.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections import deque
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import DeviceError
from . import cpu, pocl
from .device import ArrayFacts, Buffer, Device, Probe, as_row, choose, live, probe, take_front, take_range
from .facts import Facts
from .quiet import build_quietly, spare_disk

PACKAGE = "pyopencl is not installed: pip install 'nearfar[opencl]'"
DRIVER = "no OpenCL driver: pip install 'pyopencl[pocl]' runs on the CPU, or install your GPU's driver"
WRITE_ASIDE = 1 << 20  # bytes up to which write() copies the array first instead of waiting for the queue
OPTIONS = ["-cl-std=CL1.2"]
CHECKED = ["-DRACECHECK"]  # a further option for Oclgrind, which looks for races (kernels/gpu/opencl.h)
WIDE = ("cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics")

_opened: dict[int, OpenCL] = {}
_contexts = itertools.count(1)
_opening = threading.Lock()


def found() -> list[Facts]:
    """Return the facts of every device of every driver that can be used, real GPUs first."""
    return _probe().found


def broken() -> dict[str, str]:
    """Return the devices that cannot be used, and why."""
    return _probe().broken


def missing() -> str | None:
    """Return why there is no device and what to do, or None."""
    try:
        _devices()
    except ImportError:
        return PACKAGE
    except Exception:
        return DRIVER
    probed = _probe()
    return None if probed.found else "; ".join(probed.broken.values()) or DRIVER


def open_device(index: int) -> OpenCL:
    """Return the device with an index; it is opened only once."""
    with _opening:
        if index not in _opened:
            facts = choose("opencl", "OpenCL", index, _probe(), missing())
            _opened[index] = OpenCL(facts, _devices()[index])
        return _opened[index]


def array_facts(array: Any) -> ArrayFacts | None:
    """Return what an array of PyOpenCL says of itself; None if this is something else."""
    arrays = sys.modules.get("pyopencl.array")  # nobody has such an array who has not loaded it
    if arrays is None or not isinstance(array, arrays.Array):
        return None
    dtype, memory = np.dtype(array.dtype), import_module("pyopencl").MemoryObjectHolder
    plain = array.base_data is None or isinstance(array.base_data, memory)  # not shared virtual memory
    in_order = bool(array.flags.c_contiguous) and array.offset % dtype.itemsize == 0
    return ArrayFacts(tuple(array.shape), dtype, plain and in_order, True)


def device_of(array: Any) -> OpenCL:
    """Return the device that an array of PyOpenCL is on, opened in the context of the array."""
    context = array.context
    device = array.queue.device if array.queue is not None else context.devices[0]
    index = _devices().index(device)
    main = open_device(index)
    if context == main._context:
        return main
    with _opening:
        if main.guest is None or context != main.guest._context:
            main.guest = OpenCL(main._facts, device, context)
            main.guest.context, main.guest.lock, main.guest.held = next(_contexts), main.lock, main.held
        return main.guest


def _probe() -> Probe:
    """Ask all devices for their facts."""
    try:
        return probe("opencl", _devices(), _facts)
    except Exception:  # a broken driver counts as missing
        return Probe([], {})


def _devices() -> list[Any]:
    """Return the driver's devices in our order: real GPUs first, and what can build no kernel behind its like."""
    cl = import_module("pyopencl")
    spare_disk()
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # raised by the loader when no driver is installed
        return []
    devices = []
    for platform in platforms:
        try:
            devices += platform.get_devices()
        except cl.Error:  # a driver without its hardware must not hide the others
            continue
    return sorted(devices, key=lambda device: (not _is_gpu(cl, device), bool(pocl.defect(cl, device))))


def _is_gpu(cl: Any, device: Any) -> bool:
    """Return whether a device is a real GPU, and not a CPU that offers OpenCL."""
    real = bool(device.type & (cl.device_type.GPU | cl.device_type.ACCELERATOR))
    return real and not pocl.is_pocl(device)


def _is_unified(cl: Any, device: Any) -> bool:
    """Return whether a device uses the memory of the host, as integrated GPUs and CPUs do."""
    return bool(device.type & cl.device_type.CPU) or bool(device.host_unified_memory)


def _facts(index: int, device: Any) -> Facts:
    """Return the facts of a device, or raise an error if no kernel can be built for it."""
    cl = import_module("pyopencl")
    if reason := pocl.defect(cl, device):
        raise DeviceError(reason)
    memory, unified = int(device.global_mem_size), _is_unified(cl, device)
    if unified:
        memory = min(memory, cpu.facts().memory)
    extensions = device.extensions.split()
    return Facts(
        name=f"opencl:{index}",
        cores=int(device.max_compute_units),
        memory=memory,
        label=device.name.strip(),
        gpu=_is_gpu(cl, device),
        largest=int(device.max_mem_alloc_size),
        group_size=int(device.max_work_group_size),
        wide_atomics=all(name in extensions for name in WIDE),
        doubles="cl_khr_fp64" in extensions,
        unified=unified,
    )


class OpenCL(Device):
    """One device with its queues and programs."""

    dialect = "opencl"

    def __init__(self, facts: Facts, device: Any, context: Any = None) -> None:
        super().__init__(facts)
        self._cl = import_module("pyopencl")
        self.failures = (self._cl.Error,)
        self._device = device
        self.guest: OpenCL | None = None  # the same device in the context of the last array of a user
        self._options = OPTIONS + (CHECKED if "oclgrind" in device.platform.name.lower() else [])
        with self.trying("opening the device"):
            self._context = self._cl.Context([device]) if context is None else context
            self._queue = self._cl.CommandQueue(self._context, device)
            self._copies = self._cl.CommandQueue(self._context, device)
        self._flags = self._cl.mem_flags.READ_WRITE
        self._pending: deque[Any] = deque()  # copies under way: PyOpenCL waits for a copy when its event is deleted

    def free_memory(self) -> int:
        """Return the device's memory minus our buffers: OpenCL does not report what other programs use."""
        if self._device.type & self._cl.device_type.CPU:
            return min(self._facts.memory, cpu.facts().memory)
        free = max(int(self._device.global_mem_size) - sum(list(self.held.values())), 0)
        return min(free, cpu.facts().memory) if self._facts.unified else free

    def details(self) -> dict[str, str]:
        """Return the versions of driver and OpenCL."""
        device, platform = self._device, self._device.platform
        return {
            "driver": f"{device.driver_version.strip()}, {device.version.strip()}",
            "platform": f"{platform.name.strip()}, {platform.version.strip()}",
            "float32 subnormals": "yes" if device.single_fp_config & self._cl.device_fp_config.DENORM else "no",
        }

    def build(self, stem: str, source: str) -> Any:
        """Compile a program; the driver may cache it on disk, PyOpenCL does not."""
        program = self._cl.Program(self._context, source)
        try:
            build_quietly(self._cl, program, self._options)
        except self._cl.Error as error:
            self.fail_build(stem, self._log(program), error)
        return program

    def _log(self, program: Any) -> str:
        """Return the output of the compiler."""
        try:
            return str(program.get_build_info(self._device, self._cl.program_build_info.LOG))
        except self._cl.Error:
            return ""

    def find_kernel(self, program: Any, name: str) -> Kernel:
        """Return a kernel of a compiled program."""
        with self.trying(f"looking for kernel {name}"):
            return Kernel(self, name, self._cl.Kernel(program, name), self._most_items(program))

    def _most_items(self, program: Any) -> int:
        """Return the most work-items per group that all kernels of a program allow, since a run uses several."""
        size = self._cl.kernel_work_group_info.WORK_GROUP_SIZE
        return min(int(kernel.get_work_group_info(size, self._device)) for kernel in program.all_kernels())

    def empty(self, count: int, dtype: Any) -> Buffer:
        """Return a buffer with undefined contents."""
        dtype = np.dtype(dtype)
        nbytes = max(count, 1) * dtype.itemsize
        with self.trying(f"a buffer of {count} {dtype}", nbytes):
            return Buffer(self, self._cl.Buffer(self._context, self._flags, nbytes), dtype, count)

    def upload(self, array: Any) -> Buffer:
        """Return a buffer with the elements of an array; waits for the copy, but not for kernels."""
        row = as_row(array)
        buffer = self.empty(row.size, row.dtype)
        if row.size:
            with self.trying("uploading an array", row.nbytes):
                self._cl.enqueue_copy(self._copies, buffer.handle, row, is_blocking=True)
        self.traffic.uploaded += row.nbytes
        return buffer

    def adopt(self, array: Any) -> Buffer:
        """Return a user's array as a buffer, when everything on its queue is done; the driver counts who holds it."""
        dtype = np.dtype(array.dtype)
        if not array.size:
            return self.empty(0, dtype)
        with self.trying("waiting for an array"):
            array.finish()
            if array.queue is not None:
                array.queue.finish()
            handle = self._cl.Buffer.from_int_ptr(array.base_data.int_ptr, retain=True)
        return Buffer(self, handle, dtype, int(array.size), array.offset // dtype.itemsize)

    def fill(self, buffer: Buffer, value: Any, count: int | None = None) -> None:
        """Set all elements, or the first ``count``, to a value."""
        handle, count = live(buffer), buffer.count if count is None else count
        if count:
            with self.trying("filling a buffer"):
                pattern = np.array([value], buffer.dtype)
                size = buffer.dtype.itemsize
                event = self._cl.enqueue_fill_buffer(self._queue, handle, pattern, buffer.start * size, count * size)
                self._note(buffer, event)

    def write(self, buffer: Buffer, array: Any) -> None:
        """Copy an array to the front of a buffer, after all kernels enqueued before."""
        row = take_front(buffer, array)
        if row.size:
            with self.trying("writing to a buffer"):
                aside = row.nbytes <= WRITE_ASIDE
                event = self._cl.enqueue_copy(
                    self._queue, buffer.handle, row.copy() if aside else row, is_blocking=not aside
                )
                self._note(buffer, event)
                self._keep(event)
        self.traffic.uploaded += row.nbytes

    def get(
        self, buffer: Buffer, out: np.ndarray | None = None, start: int = 0, count: int | None = None
    ) -> np.ndarray:
        """Return elements of a buffer, when everything enqueued before is done."""
        out = take_range(buffer, out, start, count)
        with self.trying("reading from a buffer"):
            if out.size:
                offset = (buffer.start + start) * buffer.dtype.itemsize
                self._cl.enqueue_copy(self._queue, out, buffer.handle, src_offset=offset, is_blocking=True)
            else:
                self._queue.finish()
        self.traffic.downloaded += out.nbytes
        return out

    def send(self, buffer: Buffer, array: Any) -> None:
        """Begin to copy an array to the front of a buffer, when the last kernel that uses the buffer is done."""
        row = take_front(buffer, array)
        if not row.size:
            return
        with self.trying("sending to a buffer"):
            self.track(buffer)
            self._queue.flush()  # waiting for another queue does not flush it
            buffer.arriving = self._cl.enqueue_copy(
                self._copies, buffer.handle, row, is_blocking=False, wait_for=[buffer.used]
            )
            self._copies.flush()
            self._keep(buffer.arriving)
        self.traffic.uploaded += row.nbytes

    def track(self, buffer: Buffer) -> None:
        """Record from now on which kernel used a buffer last: send() waits for that one only."""
        if buffer.used is None:
            with self.trying("recording an event"):
                buffer.used = self._cl.enqueue_marker(self._queue)

    def fetch(self, buffer: Buffer, out: np.ndarray) -> Callable[[], None]:
        """Begin to copy the front of a buffer, when everything enqueued before is done; return what waits for it."""
        out = take_range(buffer, out, 0, None)
        self.traffic.downloaded += out.nbytes
        if not out.size:
            return self.finish
        with self.trying("reading from a buffer"):
            written = self._cl.enqueue_marker(self._queue)
            self._queue.flush()
            copy = self._cl.enqueue_copy(self._copies, out, buffer.handle, is_blocking=False, wait_for=[written])
            self._copies.flush()

        def wait() -> None:
            with self.trying("reading from a buffer"):
                copy.wait()

        return wait

    def end_copies(self) -> None:
        """Wait for the copies under way."""
        with self.trying("waiting for copies"):
            self._copies.finish()

    def arrived(self, buffer: Buffer) -> None:
        """Let everything enqueued from now on wait for the copy that send() began."""
        if buffer.arriving is not None:
            with self.trying("waiting for a copy"):
                self._cl.enqueue_barrier(self._queue, wait_for=[buffer.arriving])
            buffer.arriving = None

    def finish(self) -> None:
        """Wait until everything enqueued is done."""
        with self.trying("waiting for the device"):
            self._copies.finish()
            self._queue.finish()
        self._pending.clear()

    def release(self, buffer: Buffer) -> None:
        """Free the memory; the driver keeps it until the commands that use it are done."""
        try:
            buffer.handle.release()
        except self.failures:  # the device failed before, and its memory is gone
            return

    def is_full(self, error: Any) -> bool:
        """Return whether an error means out of memory; a launch that runs out of registers is something else."""
        codes = self._cl.status_code
        full = [codes.MEM_OBJECT_ALLOCATION_FAILURE, codes.OUT_OF_HOST_MEMORY, codes.INVALID_BUFFER_SIZE]
        if "kernel" not in error.routine.lower():
            full.append(codes.OUT_OF_RESOURCES)
        return error.code in full

    def _note(self, buffer: Buffer, event: Any) -> None:
        """Record the last use of a buffer that send() is used on."""
        if buffer.used is not None:
            buffer.used = event

    def _keep(self, copy: Any) -> None:
        """Keep the event of a copy until it is done, since deleting it would wait."""
        done = self._cl.command_execution_status.COMPLETE
        self._pending.append(copy)
        while self._pending and self._pending[0].command_execution_status <= done:
            self._pending.popleft()


class Kernel:
    """A kernel and its last arguments: only arguments that differ are set again."""

    def __init__(self, device: OpenCL, name: str, handle: Any, most: int) -> None:
        self._device, self._name, self._handle, self.most = device, name, handle, most
        self._enqueue, self._queue = device._cl.enqueue_nd_range_kernel, device._queue
        self._set_buffer = handle.set_arg
        self._set_number = getattr(handle, "_set_arg_buf", handle.set_arg)
        self._bound: list[Any] = [None] * handle.num_args
        self._failures = device.failures

    def __call__(self, groups: int, size: int, *args: Any) -> None:
        """Enqueue ``groups`` groups of ``size`` work-items."""
        bound, sent = self._bound, None
        if len(args) != len(bound):
            raise DeviceError(f"kernel {self._name} takes {len(bound)} arguments, not {len(args)}.")
        try:
            for i, arg in enumerate(args):
                if type(arg) is Buffer:
                    handle = arg.handle
                    if handle is not bound[i]:
                        self._set_buffer(i, live(arg))
                        bound[i] = handle
                    elif handle is None:
                        live(arg)
                    if arg.used is not None:
                        sent = [*(sent or ()), arg]
                elif arg is not bound[i]:
                    self._set_number(i, arg)
                    bound[i] = arg
            event = self._enqueue(self._queue, self._handle, (groups * size,), (size,))
        except self._failures as error:
            self._bound = [None] * len(bound)
            self._device.fail(f"kernel {self._name}", error)
        for buffer in sent or ():
            buffer.used = event
        self._device.traffic.launches += 1

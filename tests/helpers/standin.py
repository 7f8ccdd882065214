"""The few calls that devices/cuda.py makes of CuPy, carried out by an OpenCL device.

Kernels are the same text: the words of cuda.h are swapped for those of opencl.h. A pointer is an address in a table of
OpenCL buffers. Streams are queues, and like CUDA's they run beside each other, so a missing event shows. A copy is
asynchronous only if its host memory is pinned. Launches check that this GPU is the current one of the thread, copies
that a stream belongs to it. ``machine.log`` has every call in order; ``machine.fails`` plants errors.
"""

from __future__ import annotations

import bisect
import ctypes
import threading
import weakref
from collections import deque
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pyopencl as cl

from nearfar.devices import opencl, text
from nearfar.devices.quiet import build_quietly

GPUS = 2
SPACING = 1 << 44  # between the addresses of two allocations
FREE, TOTAL = 3 << 30, 4 << 30
OPTIONS = ["-cl-std=CL1.2", "-cl-opt-disable"]  # builds in an eighth of the time
NVRTC = "--std=c++17"
current = threading.local()


class CUDARuntimeError(RuntimeError):
    """CuPy's."""

    def __init__(self, status, message="cudaErrorSomething"):
        self.status = status
        super().__init__(message)


class CUDADriverError(RuntimeError):
    """CuPy's."""

    def __init__(self, status, message="CUDA_ERROR_SOMETHING"):
        self.status = status
        super().__init__(message)


class OutOfMemoryError(MemoryError):
    """CuPy's."""


class CompileException(Exception):  # noqa: N818 - CuPy's name
    """CuPy's."""


class Call(NamedTuple):
    """One call: a launch, a copy, an event recorded, or a wait for one by a stream or by the host."""

    what: str
    stream: int | None = None  # its ptr
    event: Any = None
    buffers: tuple = ()  # addresses on the device
    pinned: bool = False
    kind: int = 0  # of a copy: 1 to the device, 2 to the host


class Machine:
    """The OpenCL device behind it all, what was allocated, and what was called."""

    def __init__(self):
        self.device = opencl._devices()[0]
        self.context = cl.Context([self.device])
        self.buffers = {}
        self.homes = {}  # the GPU of an allocation, by its address
        self.pinned = {}  # bytes by address on the host
        self.streams = {}
        self.next = SPACING
        self.log = []
        self.fails = {}  # by the name of a call: the error it raises
        self.most_threads = 1024  # per block, of every kernel
        self._copies = deque()  # under way: PyOpenCL waits for a copy when its event is deleted

    @property
    def calls(self):
        """What was called, in order."""
        return [call.what for call in self.log]

    def note(self, what, **more):
        """Record a call; raise the error planted for it."""
        if what in self.fails:
            raise self.fails[what]
        self.log.append(Call(what, **more))

    def allocate(self, nbytes):
        """Return the address of new memory."""
        self.note("malloc")
        if nbytes > FREE:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes:,} bytes")
        self.next += SPACING
        self.homes[self.next] = here()
        self.buffers[self.next] = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, nbytes)
        return self.next

    def find(self, address):
        """Return the buffer an address lies in, how far from its front, and the address of the front."""
        starts = sorted(self.buffers)
        start = starts[bisect.bisect_right(starts, address) - 1]
        return self.buffers[start], address - start, start

    def is_pinned(self, address, nbytes):
        """Return whether host memory is pinned."""
        return any(start <= address and address + nbytes <= start + size for start, size in self.pinned.items())

    def copy(self, destination, source, nbytes, kind, stream):
        """CuPy's memcpyAsync: at once if the host's memory is pageable."""
        assert kind in (1, 2) and self.streams[stream].device_id == here()
        queue, host_address = self.streams[stream].queue, source if kind == 1 else destination
        host = np.frombuffer((ctypes.c_char * nbytes).from_address(host_address), np.uint8)
        buffer, start, front = self.find(destination if kind == 1 else source)
        pinned = self.is_pinned(host_address, nbytes)
        self.note("copy", stream=stream, buffers=(front,), pinned=pinned, kind=kind)
        if kind == 1:
            event = cl.enqueue_copy(queue, buffer, host, dst_offset=start, is_blocking=False)
        else:
            event = cl.enqueue_copy(queue, host, buffer, src_offset=start, is_blocking=False)
        queue.flush()
        if not pinned:
            event.wait()
        self._copies.append(event)
        while self._copies and self._copies[0].command_execution_status == cl.command_execution_status.COMPLETE:
            self._copies.popleft()

    def fill(self, address, value, nbytes, stream):
        """CuPy's memsetAsync."""
        buffer, start, front = self.find(address)
        self.note("fill", stream=stream, buffers=(front,))
        if nbytes:
            pattern = np.array([value], np.uint8)
            cl.enqueue_fill_buffer(self.streams[stream].queue, buffer, pattern, start, nbytes)

    def synchronize(self):
        """CuPy's deviceSynchronize."""
        self.note("device synchronize")
        for stream in list(self.streams.values()):
            if stream.device_id == here():
                stream.queue.finish()

    def attributes(self, address):
        """CuPy's pointerGetAttributes."""
        return SimpleNamespace(device=self.homes[self.find(address)[2]])

    def properties(self, index):
        """CuPy's getDeviceProperties."""
        self.note(f"properties {index}")
        return {
            "name": b"Pretend GPU", "multiProcessorCount": 7, "maxThreadsPerBlock": 1024, "major": 9, "minor": 0,
            "integrated": 0,
        }  # fmt: skip

    def memory(self):
        """CuPy's memGetInfo."""
        self.note(f"memory {here()}")
        return FREE, TOTAL


def here():
    """Return the current GPU of this thread."""
    return current.__dict__.get("stack", [0])[-1]


class Device:
    """CuPy's: a context in which a GPU is the current one."""

    def __init__(self, index):
        self.id = index

    def __enter__(self):
        current.__dict__.setdefault("stack", [0]).append(self.id)
        return self

    def __exit__(self, *error):
        current.stack.pop()


class MemoryPointer:
    """What a pool hands out; the memory goes when this does."""

    def __init__(self, machine, nbytes):
        self._machine, self.ptr = machine, None
        self.ptr = machine.allocate(nbytes)

    def __del__(self):
        self._machine.buffers.pop(self.ptr, None)


class UnownedMemory(NamedTuple):
    """CuPy's: memory of another library, which goes when its owner does."""

    ptr: int
    size: int
    owner: Any
    device_id: int


class UnownedPointer:
    """CuPy's MemoryPointer to such memory."""

    def __init__(self, memory, offset):
        self.memory, self.ptr = memory, memory.ptr + offset


class MemoryPool:
    """CuPy's."""

    def __init__(self, machine):
        self._machine = machine

    def malloc(self, nbytes):
        """Return new memory."""
        return MemoryPointer(self._machine, nbytes)

    def free_bytes(self):
        """Return 0: this pool keeps nothing."""
        return 0


class PinnedMemory:
    """CuPy's: host memory that is pinned as long as something refers to it."""

    def __init__(self, machine, size):
        machine.note("pin")
        self.block = type("Block", (ctypes.c_char * size,), {})()  # of a class in Python, so that it can be watched
        address = ctypes.addressof(self.block)
        machine.pinned[address] = size
        weakref.finalize(self.block, machine.pinned.pop, address, None)


def pinned_pointer(memory, offset):
    """Return the memory as a buffer; CuPy's is a class."""
    assert offset == 0
    return memory.block


class Stream:
    """CuPy's."""

    def __init__(self, machine, non_blocking=False):
        assert non_blocking
        self._machine, self.device_id, self.ptr = machine, here(), id(self)
        self.queue = cl.CommandQueue(machine.context, machine.device)
        machine.streams[self.ptr] = self

    def synchronize(self):
        """Wait for everything enqueued."""
        self._machine.note("synchronize", stream=self.ptr)
        self.queue.finish()

    def wait_event(self, event):
        """Let what is enqueued from now on wait."""
        self._machine.note("wait", stream=self.ptr, event=event)
        cl.enqueue_barrier(self.queue, wait_for=[event.event])


class Event:
    """CuPy's."""

    def __init__(self, machine, disable_timing=False):
        assert disable_timing
        self._machine, self.event = machine, None

    def record(self, stream):
        """Take place when a stream is here."""
        self._machine.note("record", stream=stream.ptr, event=self)
        self.event = cl.enqueue_marker(stream.queue)
        stream.queue.flush()

    def synchronize(self):
        """Wait for it."""
        self._machine.note("synchronize", event=self)
        self.event.wait()

    @property
    def done(self):
        """Whether it took place."""
        return self.event.command_execution_status == cl.command_execution_status.COMPLETE


class RawModule:
    """CuPy's."""

    def __init__(self, machine, *, code, options=()):
        assert options == (NVRTC,)
        words = {name: (text.FOLDER / name).read_text() for name in ("cuda.h", "opencl.h")}
        assert words["cuda.h"] in code
        self._machine, self._code = machine, code.replace(words["cuda.h"], words["opencl.h"])
        self._program = None

    def compile(self):
        """Build the program."""
        self._machine.note("compile")
        self._program = cl.Program(self._machine.context, self._code)
        try:
            build_quietly(cl, self._program, OPTIONS)
        except cl.Error as error:
            raise CompileException(str(error)) from None

    def get_function(self, name):
        """Return a kernel."""
        if self._program is None:
            self.compile()
        try:
            return RawKernel(self._machine, cl.Kernel(self._program, name))
        except cl.Error:
            raise CUDADriverError(500, "CUDA_ERROR_NOT_FOUND: named symbol not found") from None


class RawKernel:
    """CuPy's."""

    def __init__(self, machine, kernel):
        self._machine, self.kernel = machine, kernel

    @property
    def max_threads_per_block(self):
        """The largest block that this kernel can have on the current GPU."""
        return self._machine.most_threads

    def __call__(self, grid, block, args, *, stream):
        machine = self._machine
        assert stream.device_id == here()
        if block[0] > self.max_threads_per_block:
            raise CUDADriverError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument")
        buffers, held = [], []  # a kernel does not keep its arguments alive before it is launched
        for i, arg in enumerate(args):
            if isinstance(arg, MemoryPointer | UnownedPointer):
                buffer, start, front = machine.find(arg.ptr)
                buffers.append(front)
                held.append(buffer.get_sub_region(start, buffer.size - start) if start else buffer)
                self.kernel.set_arg(i, held[-1])
            else:
                assert isinstance(arg, np.generic), f"argument {i} is a {type(arg)}"
                self.kernel.set_arg(i, arg)
        machine.note("launch", stream=stream.ptr, buffers=tuple(buffers))
        cl.enqueue_nd_range_kernel(stream.queue, self.kernel, (grid[0] * block[0],), block)


def make():
    """Return a new stand-in for the module."""
    machine = Machine()
    runtime = SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: GPUS,
        getDeviceProperties=machine.properties,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 12080,
        memGetInfo=machine.memory,
        memcpyAsync=machine.copy,
        memsetAsync=machine.fill,
        deviceSynchronize=machine.synchronize,
        pointerGetAttributes=machine.attributes,
    )
    return SimpleNamespace(
        machine=machine,
        here=here,
        RawModule=partial(RawModule, machine),
        cuda=SimpleNamespace(
            runtime=runtime,
            driver=SimpleNamespace(CUDADriverError=CUDADriverError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=CompileException),
            Device=Device,
            Stream=partial(Stream, machine),
            Event=partial(Event, machine),
            MemoryPool=partial(MemoryPool, machine),
            PinnedMemory=partial(PinnedMemory, machine),
            PinnedMemoryPointer=pinned_pointer,
            UnownedMemory=UnownedMemory,
            MemoryPointer=UnownedPointer,
        ),
    )

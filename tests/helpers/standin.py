"""The few calls that devices/cuda.py makes of CuPy, carried out by an OpenCL device.

Kernels are the same text: the words of cuda.h are swapped for those of opencl.h. A pointer is an address in a table of
OpenCL buffers. Streams are queues, and like CUDA's they run beside each other, so a missing event shows. Launches check
that this GPU is the current one of the thread, copies that a stream belongs to it.
"""

from __future__ import annotations

import bisect
import ctypes
import threading
from types import SimpleNamespace

import numpy as np
import pyopencl as cl

from nearfar.devices import text

GPUS = 2
SPACING = 1 << 44  # between the addresses of two allocations
FREE, TOTAL = 3 << 30, 4 << 30
OPTIONS = b"-cl-std=CL1.2 -cl-opt-disable"  # builds in an eighth of the time; that kernels are quick shows elsewhere
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


class MemoryPointer:
    """What a pool hands out; the memory goes when this does."""

    def __init__(self, machine, nbytes):
        self._machine, self.ptr = machine, None
        self.ptr = machine.allocate(nbytes)

    def __del__(self):
        self._machine.buffers.pop(self.ptr, None)


class Machine:
    """The OpenCL device behind it all, and what was allocated."""

    def __init__(self):
        self.device = cl.get_platforms()[0].get_devices()[0]
        self.context = cl.Context([self.device])
        self.buffers = {}
        self.streams = {}
        self.next = SPACING
        self.calls = []

    def allocate(self, nbytes):
        """Return the address of new memory."""
        self.calls.append("malloc")
        if nbytes > FREE:
            raise OutOfMemoryError(f"Out of memory allocating {nbytes:,} bytes")
        self.next += SPACING
        self.buffers[self.next] = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, nbytes)
        return self.next

    def find(self, address):
        """Return the buffer an address lies in, and how far from its front."""
        starts = sorted(self.buffers)
        start = starts[bisect.bisect_right(starts, address) - 1]
        return self.buffers[start], address - start


def make():
    """Return a new stand-in for the module."""
    machine = Machine()

    class Device:
        def __init__(self, index):
            self.id = index

        def __enter__(self):
            stack = current.__dict__.setdefault("stack", [0])
            stack.append(self.id)
            return self

        def __exit__(self, *error):
            current.stack.pop()

    def here():
        return current.__dict__.get("stack", [0])[-1]

    class Stream:
        def __init__(self, non_blocking=False):
            assert non_blocking
            self.queue, self.device_id = cl.CommandQueue(machine.context, machine.device), here()
            self.ptr = id(self)
            machine.streams[self.ptr] = self

        def synchronize(self):
            self.queue.finish()

        def wait_event(self, event):
            cl.enqueue_barrier(self.queue, wait_for=[event.event])

    class Event:
        def __init__(self, disable_timing=False):
            assert disable_timing
            self.event = None

        def record(self, stream):
            self.event = cl.enqueue_marker(stream.queue)
            stream.queue.flush()

        @property
        def done(self):
            return self.event.command_execution_status == cl.command_execution_status.COMPLETE

    class MemoryPool:
        def malloc(self, nbytes):
            return MemoryPointer(machine, nbytes)

        def free_bytes(self):
            return 0

    class RawModule:
        def __init__(self, *, code, options=()):
            assert options == ("--std=c++17",)
            words = {name: (text.FOLDER / name).read_text() for name in ("cuda.h", "opencl.h")}
            assert words["cuda.h"] in code
            self.code = code.replace(words["cuda.h"], words["opencl.h"])
            self.program = None

        def compile(self):
            program = cl._Program(machine.context, self.code)
            try:
                program._build(OPTIONS, [machine.device])
            except cl.Error:
                raise CompileException(program.get_build_info(machine.device, cl.program_build_info.LOG)) from None
            self.program = program

        def get_function(self, name):
            if self.program is None:
                self.compile()
            try:
                return RawKernel(cl.Kernel(self.program, name))
            except cl.Error:
                raise CUDADriverError(500, "CUDA_ERROR_NOT_FOUND: named symbol not found") from None

    class RawKernel:
        def __init__(self, kernel):
            self.kernel = kernel

        def __call__(self, grid, block, args, *, stream):
            assert stream.device_id == here()
            if block[0] > 1024:
                raise CUDADriverError(1, "CUDA_ERROR_INVALID_VALUE: invalid argument")
            for i, arg in enumerate(args):
                if isinstance(arg, MemoryPointer):
                    self.kernel.set_arg(i, machine.buffers[arg.ptr])
                else:
                    assert isinstance(arg, np.generic), f"argument {i} is a {type(arg)}"
                    self.kernel.set_arg(i, arg)
            machine.calls.append("launch")
            cl.enqueue_nd_range_kernel(stream.queue, self.kernel, (grid[0] * block[0],), block)

    def host(address, nbytes):
        return np.frombuffer((ctypes.c_char * nbytes).from_address(address), np.uint8)

    def copy(destination, source, nbytes, kind, stream):
        queue = machine.streams[stream].queue
        assert machine.streams[stream].device_id == here()
        if kind == 1:
            buffer, start = machine.find(destination)
            cl.enqueue_copy(queue, buffer, host(source, nbytes).copy(), dst_offset=start, is_blocking=False).wait()
        else:
            assert kind == 2
            buffer, start = machine.find(source)
            cl.enqueue_copy(queue, host(destination, nbytes), buffer, src_offset=start, is_blocking=True)

    def fill(address, value, nbytes, stream):
        buffer, start = machine.find(address)
        if nbytes:
            pattern = np.array([value], np.uint8)
            cl.enqueue_fill_buffer(machine.streams[stream].queue, buffer, pattern, start, nbytes)

    def properties(index):
        return {
            "name": b"Pretend GPU", "multiProcessorCount": 7, "maxThreadsPerBlock": 1024, "major": 9, "minor": 0,
        }  # fmt: skip

    runtime = SimpleNamespace(
        CUDARuntimeError=CUDARuntimeError,
        getDeviceCount=lambda: GPUS,
        getDeviceProperties=properties,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 12080,
        memGetInfo=lambda: (FREE, TOTAL),
        memcpyAsync=copy,
        memsetAsync=fill,
    )
    return SimpleNamespace(
        machine=machine,
        here=here,
        RawModule=RawModule,
        cuda=SimpleNamespace(
            runtime=runtime,
            driver=SimpleNamespace(CUDADriverError=CUDADriverError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            compiler=SimpleNamespace(CompileException=CompileException),
            Device=Device,
            Stream=Stream,
            Event=Event,
            MemoryPool=MemoryPool,
        ),
    )

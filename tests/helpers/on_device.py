"""Arrays of other libraries in a device's memory: PyOpenCL's, and ones like CuPy's over the stand-ins for CuPy."""

from __future__ import annotations

import math
import sys
from functools import cache

import numpy as np

FILLED = -7  # what new arrays hold


def queue():
    """Return the queue of a user, in a context that is not nearfar's."""
    return context_and_queue()[1]


@cache
def context_and_queue():
    """Return both: a queue of Intel's runtime does not keep its context alive."""
    import pyopencl as cl

    from nearfar.devices import opencl

    context = cl.Context(opencl._devices()[:1])
    return context, cl.CommandQueue(context)


def own_queue():
    """Return a queue in nearfar's own context: with a second one, Oclgrind begins its log again."""
    import pyopencl as cl

    from nearfar.devices import opencl

    return cl.CommandQueue(opencl.open_device(0)._context)


def new_array(device, shape, dtype, make_queue=queue):
    """Return an array on a device, "opencl" or "cuda" with or without a number."""
    filled = np.full(shape, FILLED, dtype)
    if device.startswith("opencl"):
        import pyopencl.array

        return pyopencl.array.to_device(make_queue(), filled)
    return CupyArray.of(filled, int(device.partition(":")[2] or 0))


class CupyArray:
    """What CuPy's ndarray is to a library that takes arrays in CUDA's memory."""

    def __init__(self, owner, address, shape, dtype, index=0, strides=None, is_read_only=False):
        self.owner, self.address, self.shape, self.dtype = owner, address, shape, np.dtype(dtype)
        self.index, self.strides, self.is_read_only = index, strides, is_read_only

    @classmethod
    def of(cls, array, index=0):
        """Return a copy of an array on a GPU."""
        cuda = sys.modules["cupy"].cuda
        with cuda.Device(index):
            memory = cuda.MemoryPool().malloc(max(array.nbytes, 1))
            made = cls(memory, memory.ptr, array.shape, array.dtype, index)
            made._copy(memory.ptr, array.ctypes.data, array.nbytes, 1)
        return made

    @property
    def __cuda_array_interface__(self):
        data = (self.address if math.prod(self.shape) else 0, self.is_read_only)
        return {"shape": self.shape, "typestr": self.dtype.str, "data": data, "strides": self.strides, "version": 3}

    def __getitem__(self, i):
        """Return some rows, or one."""
        row = math.prod(self.shape[1:])
        rows = range(self.shape[0])[i]
        first, shape = (rows, ()) if isinstance(rows, int) else (rows.start, (len(rows),))
        address = self.address + first * row * self.dtype.itemsize
        return CupyArray(self.owner, address, (*shape, *self.shape[1:]), self.dtype, self.index)

    def get(self):
        """Return a copy on the host."""
        array = np.empty(self.shape, self.dtype)
        with sys.modules["cupy"].cuda.Device(self.index):
            self._copy(array.ctypes.data, self.address, array.nbytes, 2)
        return array

    def _copy(self, to, source, nbytes, kind):
        """Copy and wait."""
        if nbytes:
            cuda = sys.modules["cupy"].cuda
            stream = cuda.Stream(non_blocking=True)
            cuda.runtime.memcpyAsync(to, source, nbytes, kind, stream.ptr)
            stream.synchronize()

"""Kernels that hang or crash, for the worker of a self-test: its program plants one before it begins."""

from __future__ import annotations

import os
import time

from nearfar.devices import opencl

MOMENT = 0.01  # seconds between two looks


def plant(kernel, fault, note, first_only=False):
    """Let a kernel hang, abort the process, or wait for a file ``go``, and note in a file that it began to.

    ``first_only``: only the first of all workers has the fault.
    """
    find = opencl.OpenCL.find_kernel

    def find_faulty(self, program, name):
        found = find(self, program, name)
        return Faulty(found, fault, note, first_only) if name == kernel else found

    opencl.OpenCL.find_kernel = find_faulty


class Faulty:
    """A kernel with a fault."""

    def __init__(self, kernel, fault, note, first_only):
        self.kernel, self.fault, self.note, self.first_only = kernel, fault, note, first_only
        self.most = kernel.most

    def __call__(self, *args):
        began = os.path.getsize(self.note)
        if not (self.first_only and began):
            with open(self.note, "ab") as file:
                file.write(b"x")
            if self.fault == "abort":
                os.abort()
            while self.fault == "hang" or not os.path.exists(f"{self.note}.go"):
                time.sleep(MOMENT)
        self.kernel(*args)

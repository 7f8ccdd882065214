"""What tests share about the machine they run on: whether kernels are compiled, and how to run a child process."""

from __future__ import annotations

import os
import sys

import numba
import pytest

HANG = 300  # seconds after which a child process that hangs is ended; nothing that works comes near
JIT = not numba.config.DISABLE_JIT
needs_jit = pytest.mark.skipif(not JIT, reason="too large for kernels that run as plain Python (the JIT is off)")


def child_environment(**changes):
    """Return the environment of a child process that compiles kernels, whatever this process does; None drops one."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": None}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, [*sys.path])), **changes}
    return {name: str(value) for name, value in environment.items() if value is not None}

"""OpenCL kernels built without optimising, for small graphs: what takes time there is PoCL's compiler.

The delta kernels of test_grid_gpu.py take 40 s to build and run, and 12 s without optimising. Tests of large graphs,
`make intel` and `make test-all` run the kernels as users have them.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from nearfar.devices import opencl

OPENED: dict[int, opencl.OpenCL] = {}  # devices of their own, since a device keeps the programs it has built


@contextmanager
def built_quickly(request, small=True):
    """Run on devices that build programs quickly, if graphs are small and this is not `make test-all`."""
    if request.config.option.markexpr != "not thorough" or not small:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opencl, "OPTIONS", [*opencl.OPTIONS, "-cl-opt-disable"])
        patch.setattr(opencl, "_opened", OPENED)
        yield

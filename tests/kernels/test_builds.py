"""Every GPU program builds for the OpenCL device there is, and every kernel of it can be had."""

from __future__ import annotations

import re

import pytest

from helpers.programs import PROGRAMS, TEXTS, each_program
from nearfar.devices import opencl, text

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)


def kernels_of(stem):
    """Return the names of a text's kernels."""
    return re.findall(r"^KERNEL\s+void\s+(\w+)\(", (text.FOLDER / f"{stem}.cl").read_text(), re.M)


@each_program
def test_builds(stem, defines):
    device = opencl.OpenCL(opencl.found()[0], opencl._devices()[0])  # a fresh one, which keeps no other programs
    program = device.build(stem, text.source("opencl", stem, defines))
    assert not device._log(program).strip(), "some drivers print warnings on the user's screen"
    names = program.get_info(device._cl.program_info.KERNEL_NAMES).split(";")
    only_in_batches = (
        {"frontier_begin", "frontier_pending", "frontier_sparse"} if not defines.get("WINDOWED") else set()
    )
    assert set(names) == set(kernels_of(stem)) - only_in_batches
    for name in names:
        assert device.find_kernel(program, name)


def test_programs_are_found():
    stems = {parameters.values[0] for parameters in PROGRAMS}
    assert {"edge", "frontier", "delta", "fill"} <= stems <= set(TEXTS) and all(kernels_of(stem) for stem in stems)

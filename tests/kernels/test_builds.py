"""Every GPU program builds for the OpenCL device there is, and every kernel of it can be had."""

from __future__ import annotations

import pytest

from helpers.programs import PROGRAMS, TEXTS, each_program, kernels_of
from nearfar.devices import opencl, text

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)


ONLY_IN_BATCHES = {"frontier_begin", "frontier_pending", "frontier_sparse"}
ONLY_ALONE = {"delta_narrow", "delta_rows", "frontier_narrow", "frontier_rows"}


@each_program
def test_builds(stem, defines):
    device = opencl.OpenCL(opencl.found()[0], opencl._devices()[0])  # a fresh one, which keeps no other programs
    program = device.build(stem, text.source("opencl", stem, defines))
    assert not complaints(device, program), "some drivers print warnings on the user's screen"
    names = program.get_info(device._cl.program_info.KERNEL_NAMES).split(";")
    wanted = set(kernels_of(stem)) - (set() if defines.get("WINDOWED") and not defines["ALONE"] else ONLY_IN_BATCHES)
    if ONLY_ALONE & wanted:
        wanted = wanted & ONLY_ALONE if defines["ALONE"] else wanted - ONLY_ALONE
    assert set(names) == wanted
    for name in names:
        assert device.find_kernel(program, name)


def complaints(device, program):
    """Return the compiler's output; Intel's also tells its steps and what it vectorised, which are no complaints."""
    log = device._log(program).strip()
    if "intel" in device.details()["platform"].lower():
        return [line for line in log.splitlines() if "warning" in line]
    return log


def test_a_warning_is_a_complaint():
    device = opencl.open_device(0)
    assert complaints(device, device.build("toy", "#warning look here\nkernel void toy(global int *a) { a[0] = 1; }\n"))


def test_programs_are_found():
    stems = {parameters.values[0] for parameters in PROGRAMS}
    assert {"edge", "frontier", "delta", "fill"} <= stems <= set(TEXTS) and all(kernels_of(stem) for stem in stems)

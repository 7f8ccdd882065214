"""Small queries that launch every GPU kernel, under Oclgrind (oclgrind.py): prints what was launched and what is wrong.

A simulator takes a millisecond for what a GPU does in a microsecond, so groups, lists and batches are made small here
(helpers/shrinking.py).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from pytest import MonkeyPatch

# Each has one mistake of a kind that Oclgrind detects. What it does not find here, it would not find elsewhere.
CANARIES = """
KERNEL void canary_race(GLOBAL i32 *a)
{
    if (LOCAL_ID == 0) a[1] = a[0];
    else ATOMIC_ADD(a, 1);
}

KERNEL void canary_bounds(GLOBAL i32 *a) { a[1000 + LOCAL_ID] = 1; }

KERNEL void canary_uninitialized(GLOBAL i32 *a)
{
    LOCAL_ARRAY i32 some[4];
    if (LOCAL_ID == 0) some[a[0]] = 1;
    BARRIER();
    if (some[LOCAL_ID] > 0) a[LOCAL_ID] = 1;
}

KERNEL void canary_divergence(GLOBAL i32 *a)
{
    if (LOCAL_ID == 0) BARRIER();
    a[LOCAL_ID] = 1;
}
"""


def suit_oclgrind() -> None:
    """Work around the limits of Oclgrind 21.10 when it looks for uninitialised values; kernels see no difference.

    It crashes outside the main thread, does not see that a fill initialises, forgets the contents of a buffer when a
    part of it is written, and takes a new buffer for the freed one whose entry in its table it has.
    """
    from nearfar.devices import cpu
    from nearfar.devices.opencl import OpenCL

    write, kept = OpenCL.write, []

    def write_all(device, buffer, array):
        whole, part = device.get(buffer), np.ravel(array)
        whole[: part.size] = part
        write(device, buffer, whole)

    cpu.run = lambda work, threads, stop, watch=None, join=False: work(0)

    def fill(device, buffer, value, count=None):
        write(device, buffer, np.full(buffer.count, value, buffer.dtype))

    OpenCL.fill = fill
    OpenCL.write = OpenCL.send = write_all
    OpenCL.arrived = lambda device, buffer: None
    OpenCL.release = lambda device, buffer: kept.append(buffer.handle)


def record_launches():
    """Return the set of kernels launched from now on, each with the variant of its program."""
    from nearfar.devices.opencl import OpenCL

    launched, kernel = set(), OpenCL.kernel

    def find(device, stem, name, defines):
        found = kernel(device, stem, name, defines)
        variant = "batches" if defines.get("WINDOWED") else "resident"

        def launch(*args):
            launched.add((name, variant))
            found(*args)

        launch.most = found.most
        return launch

    OpenCL.kernel = find
    return launched


def run_canaries() -> None:
    """Launch the kernels that are wrong on purpose."""
    from nearfar.devices import opencl, text

    device = opencl.open_device(0)
    assert "oclgrind" in device._device.platform.name.lower(), f"not Oclgrind, but {device.facts.title}"
    types = text.source("opencl", "fill", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1})
    program = device.build("canaries", types + CANARIES)
    for line in CANARIES.splitlines():
        if line.startswith("KERNEL"):
            name = line.removeprefix("KERNEL void ").partition("(")[0]
            device.find_kernel(program, name)(1, 4, device.upload(np.zeros(64, np.int32)))
            device.finish()


def main() -> None:
    """Run all queries and print a JSON document: kernels launched, wrong answers."""
    sys.path[:0] = [str(Path(__file__).parent.parent)]
    from helpers.shrinking import shrink
    from helpers.small_queries import BATCH, checks

    shrink(MonkeyPatch(), MIN_BATCH=BATCH)
    suit_oclgrind()
    launched = record_launches()
    run_canaries()
    wrong = [problem for check in checks("opencl") for problem in check.run()]
    print(json.dumps({"launched": sorted(launched), "wrong": wrong}))


if __name__ == "__main__":
    main()

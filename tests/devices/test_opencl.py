"""What is OpenCL's alone: drivers, their order, homes that cannot be written, two devices at once."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.marks import child_environment
from nearfar.devices import opencl, pocl
from nearfar.devices.facts import Facts
from nearfar.errors import DeviceError

cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

only_opencl = pytest.mark.parametrize("device", ["opencl"], indirect=True)


def test_opened_once():
    assert opencl.open_device(0) is opencl.open_device(0)


@only_opencl
def test_the_number_of_arguments_is_checked(device):
    add = device.kernel("toy", "add", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1, "STEP": 1})
    with pytest.raises(DeviceError, match="takes 3 arguments, not 1"):
        add(1, 1, device.empty(1, np.int32))


CHILD = """
import warnings; warnings.simplefilter("error")
import numpy as np
from nearfar.devices import opencl, pocl
devices = [opencl.open_device(i) for i in range(len(opencl.found()))]
for device in devices:
    buffer = device.empty(1000, np.int32)
    fill = device.kernel("fill", "fill_4", {"DIST": 1, "WEIGHT": 1, "OFFSET": 1})
    fill(4, 64, buffer, np.int64(1000), np.int32(7))
    assert (device.get(buffer) == 7).all()
    print(device.facts.name, device.facts.gpu)
"""


@pytest.mark.parametrize("setting", [{}, {"POCL_DEVICES": "pthread pthread"}])
def test_child(setting, tmp_path):
    """In a home that cannot be written, and whatever PYOPENCL_CTX says; nothing is printed but what we print."""
    if setting and not pocl.is_pocl(opencl._devices()[0]):
        pytest.skip("only PoCL can pretend to be two devices")
    home = tmp_path / "file"
    home.write_text("in the way of every folder\n")
    places = dict.fromkeys(("HOME", "XDG_CACHE_HOME"), home / "x")
    environment = child_environment(**places, POCL_CACHE_DIR=None, TMPDIR=tmp_path, PYOPENCL_CTX="7:9", **setting)
    done = subprocess.run([sys.executable, "-c", CHILD], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert names == [f"opencl:{i}" for i in range(len(names))] and len(names) >= (2 if setting else 1)
    assert done.stderr == "" and [path.name for path in tmp_path.iterdir()] == ["file"]


class Pretended(SimpleNamespace):
    """A device as PyOpenCL shows it: told apart by identity."""

    __hash__ = object.__hash__


def pretend(name, kind, platform="Some", extensions="cl_khr_fp64", unified=False, **more):
    """Return what a driver tells of a device."""
    return Pretended(
        name=f" {name} ",
        type=getattr(cl.device_type, kind),
        platform=SimpleNamespace(name=platform),
        version="OpenCL 3.0",
        extensions=extensions,
        global_mem_size=8 << 30,
        max_mem_alloc_size=2 << 30,
        max_work_group_size=256,
        max_compute_units=20,
        host_unified_memory=unified,
        **more,
    )


def test_real_gpus_come_first(monkeypatch):
    wide = " ".join(opencl.WIDE)
    first = [pretend("A processor", "CPU", extensions=wide), pretend("An old GPU", "GPU")]
    second = [pretend("Not one", "GPU", "Portable Computing Language"), pretend("A GPU", "GPU", extensions=wide)]

    def broken():
        raise cl.LogicError(cl._cl._ErrorRecord(msg="", code=cl.status_code.DEVICE_NOT_FOUND, routine="x"))

    platforms = [
        SimpleNamespace(get_devices=lambda: first),
        SimpleNamespace(get_devices=broken),
        SimpleNamespace(get_devices=lambda: second),
    ]
    monkeypatch.setattr(cl, "get_platforms", lambda: platforms)
    found = opencl.found()
    assert [f.title for f in found] == [
        "opencl:0 (An old GPU)",
        "opencl:1 (A GPU)",
        "opencl:2 (A processor)",
        "opencl:3 (Not one)",
    ]
    assert [f.gpu for f in found] == [True, True, False, False]
    assert [f.wide_atomics for f in found] == [False, True, True, False]
    assert [f.doubles for f in found] == [True, False, False, True]
    assert found[0].largest == 2 << 30 and found[0].memory == 8 << 30


def test_integrated_gpus_have_what_the_host_has_free(monkeypatch):
    there = [pretend("Integrated", "GPU", unified=True), pretend("Discrete", "GPU"), pretend("A processor", "CPU")]
    monkeypatch.setattr(cl, "get_platforms", lambda: [SimpleNamespace(get_devices=lambda: there)])
    for free in (1 << 30, 64 << 30):
        monkeypatch.setattr(opencl.cpu, "facts", lambda free=free: Facts("cpu", 2, free))
        assert [facts.memory for facts in opencl.found()] == [min(free, 8 << 30), 8 << 30, min(free, 8 << 30)]
        assert [facts.unified for facts in opencl.found()] == [True, False, True]


@only_opencl
def test_memory_of_an_integrated_gpu_in_use(device, monkeypatch):
    real = pretend("Integrated", "GPU", unified=True)
    monkeypatch.setattr(device, "_device", real)
    monkeypatch.setattr(device, "_facts", replace(device._facts, memory=1 << 30, unified=True))
    monkeypatch.setattr(opencl.cpu, "facts", lambda: Facts("cpu", 2, 3 << 30))
    assert device.free_memory() == 3 << 30
    monkeypatch.setitem(device.held, 0, 6 << 30)
    assert device.free_memory() == 2 << 30
    monkeypatch.setattr(device, "_facts", replace(device._facts, unified=False))
    monkeypatch.setitem(device.held, 0, 1 << 30)
    assert device.free_memory() == 7 << 30


def test_one_broken_device_does_not_hide_the_others(monkeypatch):
    class Broken(SimpleNamespace):
        @property
        def global_mem_size(self):
            raise cl.LogicError(cl._cl._ErrorRecord(msg="gone", code=cl.status_code.DEVICE_NOT_AVAILABLE, routine="x"))

    given = vars(pretend("Gone", "GPU"))
    del given["global_mem_size"]
    there = [Broken(**given), pretend("A GPU", "GPU")]
    monkeypatch.setattr(cl, "get_platforms", lambda: [SimpleNamespace(get_devices=lambda: there)])
    assert [facts.name for facts in opencl.found()] == ["opencl:1"] and opencl.missing() is None
    assert list(opencl.broken()) == ["opencl:0"] and "DEVICE_NOT_AVAILABLE" in opencl.broken()["opencl:0"]
    there.pop()
    assert "DEVICE_NOT_AVAILABLE" in opencl.missing()


@only_opencl
def test_a_full_launch_is_told_from_one_that_asks_too_much(device):
    def error(code, routine):
        return cl.RuntimeError(cl._cl._ErrorRecord(msg="", code=code, routine=routine))

    codes = cl.status_code
    assert device.is_full(error(codes.OUT_OF_RESOURCES, "clCreateBuffer"))
    assert not device.is_full(error(codes.OUT_OF_RESOURCES, "clEnqueueNDRangeKernel"))
    assert device.is_full(error(codes.MEM_OBJECT_ALLOCATION_FAILURE, "clEnqueueNDRangeKernel"))

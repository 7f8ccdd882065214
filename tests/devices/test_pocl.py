"""PoCL on a processor that its compiler does not know: found out with little effort, said, and kept apart."""

from __future__ import annotations

import json
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import pytest

from helpers.marks import child_environment
from nearfar.devices import opencl, pocl
from nearfar.errors import DeviceError

PREFIX = "OpenCL 3.0 PoCL HSTR: pthread-x86_64-unknown-linux-gnu-"
COMPLAINT = "clBuildProgram failed: BUILD_PROGRAM_FAILURE\nerror: unknown target CPU 'generic'\n"


class Pretended:
    """A device as PyOpenCL shows it: told apart by identity."""

    def __init__(self, processor, platform="Portable Computing Language"):
        self.version, self.driver_version = f"{PREFIX}{processor} ", "3.0-rc2"
        self.platform = SimpleNamespace(name=platform)


@pytest.fixture
def driver(monkeypatch):
    """Stand for PyOpenCL; ``outcome`` is what a build raises, and ``built`` lists the devices of the builds."""
    cl = ModuleType("driver")
    cl.Error, cl.outcome, cl.built = type("Error", (Exception,), {}), None, []
    cl.Context = lambda devices: devices[0]
    cl.Program = lambda context, source: context

    def build(module, program, options):
        module.built.append(program)
        if module.outcome is not None:
            raise module.Error(module.outcome)

    monkeypatch.setattr(pocl, "build_quietly", build)
    return cl


def test_an_unknown_processor_is_found_out_once(driver):
    driver.outcome, device = COMPLAINT, Pretended("generic")
    reasons = {pocl.defect(driver, device) for _ in range(3)}
    assert driver.built == [device] and len(reasons) == 1
    reason = reasons.pop()
    assert reason.startswith("the compiler of PoCL 3.0-rc2 does not know this processor")
    assert "conda-forge" in reason and "pip install intel-opencl-rt" in reason and not reason.endswith(".")


@pytest.mark.parametrize("other", [Pretended("znver3"), Pretended("generic", "Intel(R) OpenCL")])
def test_nothing_is_built_without_the_hint(driver, other):
    driver.outcome = COMPLAINT
    assert pocl.defect(driver, other) == "" and driver.built == []


@pytest.mark.parametrize("outcome", [None, "OUT_OF_HOST_MEMORY"])
def test_the_hint_alone_proves_nothing(driver, outcome):
    driver.outcome, device = outcome, Pretended("generic")
    assert pocl.defect(driver, device) == "" and driver.built == [device]


def test_a_device_that_can_build_comes_first(monkeypatch):
    cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed")
    fields = {
        "type": cl.device_type.CPU,
        "platform": SimpleNamespace(name="Some"),
        "extensions": "",
        "global_mem_size": 8 << 30,
        "max_mem_alloc_size": 2 << 30,
        "max_work_group_size": 256,
        "max_compute_units": 2,
    }
    there = [SimpleNamespace(name=name, **fields) for name in ("No", "Yes")]
    monkeypatch.setattr(cl, "get_platforms", lambda: [SimpleNamespace(get_devices=lambda: there)])
    monkeypatch.setattr(pocl, "defect", lambda cl, device: "it cannot build" if device.name == "No" else "")
    monkeypatch.setattr(opencl, "_opened", {})
    assert [facts.title for facts in opencl.found()] == ["opencl:0 (Yes)"] and opencl.missing() is None
    assert opencl.broken() == {"opencl:1": "it cannot build"}
    with pytest.raises(DeviceError, match=r"^opencl:1 cannot be used: it cannot build\.$"):
        opencl.open_device(1)
    there.pop()
    assert opencl.found() == [] and opencl.missing() == "it cannot build"
    with pytest.raises(DeviceError, match=r"^opencl:0 cannot be used: it cannot build\.$"):
        opencl.open_device(0)


CHILD = """
import json, warnings
import pyopencl as cl
from nearfar.devices import opencl, pocl
broken, works = opencl.broken(), {}
for i, device in enumerate(opencl._devices()):
    if not pocl.is_pocl(device):
        broken.pop(f"opencl:{i}", None)
        continue
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cl.Program(cl.Context([device]), "kernel void one(global int *a) { a[0] = 1; }").build(cache_dir=False)
        works[f"opencl:{i}"] = True
    except cl.Error:
        works[f"opencl:{i}"] = False
print(json.dumps([broken, works]))
"""


def test_the_pocl_of_this_machine():
    """Whatever runs the tests: PoCL's devices are broken if, and only if, they cannot build a kernel."""
    pytest.importorskip("pyopencl", reason="pyopencl is not installed")
    child = [sys.executable, "-c", CHILD]
    done = subprocess.run(child, env=child_environment(OCL_ICD_VENDORS=None), capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    broken, works = json.loads(done.stdout)
    assert set(broken) == {name for name, builds in works.items() if not builds}

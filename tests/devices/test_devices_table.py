"""The table of devices: what is found, what is said when something is missing. Needs no driver."""

from __future__ import annotations

import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest

import nearfar
from helpers.marks import child_environment
from nearfar.devices import DEVICES, cpu, cuda, opencl
from nearfar.devices.device import Probe
from nearfar.devices.facts import Facts, Traffic
from nearfar.engine.options import take_device
from nearfar.errors import DeviceError, DeviceMemoryError, InputTypeError, KernelBuildError, OptionError


def test_table():
    assert list(DEVICES) == ["cpu", "opencl", "cuda"]
    for device in DEVICES.values():
        found, missing = device.found(), device.missing()
        assert bool(found) is (missing is None)
        assert all(isinstance(facts, Facts) for facts in found)
        assert not {facts.name for facts in found} & set(device.broken())
    assert cpu.found()[0].name == "cpu" and not cpu.found()[0].gpu


def test_importing_the_table_loads_no_driver():
    code = "import sys, nearfar.devices; print({'pyopencl', 'cupy', 'scipy', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], env=child_environment(), capture_output=True, text=True)
    assert done.stdout == "set()\n", done.stderr


@pytest.mark.parametrize(("device", "package"), [(opencl, "pyopencl"), (cuda, "cupy")])
def test_package_missing(device, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(device, "_opened", {})
    assert device.found() == [] and device.missing() == device.PACKAGE
    kind = device.__name__.rpartition(".")[2]
    assert f"{package} is not installed: pip install 'nearfar[{kind}]'" in device.PACKAGE
    with pytest.raises(DeviceError, match=f"{kind}:3 cannot be used: {package} is not installed: pip install"):
        device.open_device(3)


@pytest.mark.parametrize("device", [opencl, cuda])
def test_package_broken(device, monkeypatch):
    """A package that cannot be loaded because a library of the driver is missing, or that fails in any other way."""
    package = {"opencl": "pyopencl", "cuda": "cupy"}[device.__name__.rpartition(".")[2]]
    monkeypatch.setitem(sys.modules, package, SimpleNamespace())
    assert device.found() == [] and device.missing() == device.DRIVER

    def fail(name):
        raise ImportError("libcuda.so.1: cannot open shared object file")

    monkeypatch.setattr(device, "import_module", fail)
    assert device.found() == [] and device.missing() in (device.DRIVER, device.PACKAGE)


def test_no_opencl_driver(monkeypatch):
    class Error(Exception):
        pass

    def fail():
        raise Error("PLATFORM_NOT_FOUND_KHR")

    monkeypatch.setitem(sys.modules, "pyopencl", SimpleNamespace(Error=Error, get_platforms=fail))
    monkeypatch.setattr(opencl, "_opened", {})
    assert opencl.found() == [] and opencl.missing() == opencl.DRIVER
    assert "pip install 'pyopencl[pocl]'" in opencl.DRIVER
    with pytest.raises(DeviceError, match="opencl:0 cannot be used: no OpenCL driver"):
        opencl.open_device(0)


def test_number_out_of_range(monkeypatch):
    found, broken = [Facts("opencl:0", 1, 1, "One"), Facts("opencl:1", 1, 1, "Two")], {}
    monkeypatch.setattr(opencl, "_opened", {})
    monkeypatch.setattr(opencl, "_probe", lambda: Probe(found, broken))
    with pytest.raises(DeviceError) as caught:
        opencl.open_device(7)
    message = "there are 2 OpenCL devices, opencl:0 (One) and opencl:1 (Two); opencl:7 does not exist."
    assert str(caught.value) == message
    found.pop()
    with pytest.raises(DeviceError, match=r"there is 1 OpenCL device, opencl:0 \(One\); opencl:1 does not exist"):
        opencl.open_device(1)
    broken["opencl:1"] = "it is on fire"
    with pytest.raises(DeviceError, match="opencl:1 cannot be used: it is on fire"):
        opencl.open_device(1)


def test_facts_and_traffic():
    assert Facts("cpu", 2, 100).largest == 100 and Facts("cpu", 2, 100, largest=7).largest == 7
    assert Facts("cpu", 2, 100).kind == "CPU" and Facts("cuda:0", 46, 100, gpu=True, bandwidth=7.0).bandwidth == 7
    assert Facts("cpu", 2, 100).title == "cpu" and Facts("cuda:0", 2, 100, "X").title == "cuda:0 (X)"
    assert Traffic(5, 40, 300) - Traffic(1, 10, 100) == Traffic(4, 30, 200)
    now = Traffic(1, 2, 3)
    then = now.copy()
    now.launches += 1
    assert then == Traffic(1, 2, 3)


def test_errors():
    assert issubclass(DeviceMemoryError, MemoryError) and issubclass(DeviceMemoryError, DeviceError)
    error = pickle.loads(pickle.dumps(KernelBuildError("it failed", "line 1")))
    assert (str(error), error.log) == ("it failed", "line 1") and isinstance(error, nearfar.errors.DeviceError)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("auto", ("auto",)),
        ("cpu", ("cpu",)),
        ("opencl", ("opencl:0",)),
        ("opencl:1", ("opencl:1",)),
        ("cuda:007", ("cuda:7",)),
        (["auto"], ("auto",)),
        (["cpu"], ("cpu",)),
        (("cuda:1", "cuda"), ("cuda:1", "cuda:0")),
        (["opencl:1", "cuda:1"], ("opencl:1", "cuda:1")),
    ],
)
def test_take_device(given, taken):
    assert take_device(given) == taken


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ("tpu", OptionError, ("'tpu' does not exist", "'cpu', 'opencl', 'cuda' and 'auto'")),
        ("Cuda", OptionError, ("Did you mean 'cuda'?",)),
        ("opncl:3", OptionError, ("'opncl:3'", "Did you mean 'opencl'?")),
        ("", OptionError, ("'' does not exist",)),
        ("cuda:", OptionError, ("'cuda:'", "counted from 0", "'cuda:0'")),
        ("cuda:-1", OptionError, ("'-1'", "counted from 0")),
        ("cuda:1.5", OptionError, ("'1.5'",)),
        ("opencl:two", OptionError, ("'two'",)),
        ("cuda:٣", OptionError, ("counted from 0",)),
        ("cuda:" + "9" * 5000, OptionError, ("counted from 0",)),
        ("cpu:0", OptionError, ("'cpu:0' does not exist", "without a number")),
        ("auto:1", OptionError, ("'auto:1'",)),
        ([], OptionError, ("empty", "'auto'")),
        (["cuda:0", "cuda"], OptionError, ("'cuda:0' is given twice",)),
        (["cpu", "cuda:0"], OptionError, ("'cpu' cannot be one of several",)),
        (["cuda:0", "auto"], OptionError, ("'auto' cannot be one of several",)),
        (["cuda:0", 1], InputTypeError, ("has 1, a int",)),
        (0, InputTypeError, ("device is 0", "give a name")),
        (None, InputTypeError, ("device is None",)),
        (b"cpu", InputTypeError, ("a bytes",)),
        ({"cpu"}, InputTypeError, ("a set",)),
    ],
)
def test_take_device_refuses(given, kind, words):
    with pytest.raises(kind) as caught:
        take_device(given)
    assert all(word in str(caught.value) for word in words), str(caught.value)

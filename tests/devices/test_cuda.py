"""What is CUDA's alone, with the stand-in for CuPy; the verbs are tested in test_verbs.py."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from helpers.reach import let_auto_take_gpus
from nearfar.devices import cuda, opencl
from nearfar.devices.facts import Facts
from nearfar.errors import DeviceError, KernelBuildError

if opencl.missing():
    pytest.skip(f"the stand-in for CuPy runs on OpenCL: {opencl.missing()}", allow_module_level=True)

TYPES = {"DIST": 1, "WEIGHT": 1, "OFFSET": 1, "STEP": 1}


def test_found(cupy):
    assert [facts.title for facts in cuda.found()] == ["cuda:0 (Pretend GPU)", "cuda:1 (Pretend GPU)"]
    facts = cuda.found()[1]
    assert (facts.cores, facts.memory, facts.largest, facts.group_size) == (7, 3 << 30, 3 << 30, 1024)
    assert facts.gpu and cuda.missing() is None
    assert cuda.open_device(1) is cuda.open_device(1)
    with pytest.raises(DeviceError, match=r"there are 2 CUDA devices, cuda:0 \(.*\) and cuda:1 \(.*; cuda:2 does not"):
        cuda.open_device(2)


def test_bandwidth(cupy, monkeypatch):
    """As the driver says; CUDA 13 gives no clock, then it is estimated, and integrated GPUs have the host's memory."""
    given, runtime = cupy.cuda.runtime.getDeviceProperties, cupy.cuda.runtime

    def say(**more):
        monkeypatch.setattr(runtime, "getDeviceProperties", lambda index: {**given(index), **more})
        return cuda.found()[0]

    known = say(memoryClockRate=7_001_000, memoryBusWidth=256)
    assert known.bandwidth == known.expected_bandwidth == 448.064e9 and known.kind == "GPU"
    for facts in (say(), say(memoryClockRate=0, memoryBusWidth=256)):
        assert facts.bandwidth == 0 and facts.expected_bandwidth == 7 * 8e9
    integrated = say(integrated=1)
    assert integrated.unified and integrated.kind == "integrated GPU" and integrated.expected_bandwidth == 50e9


def test_the_second_gpu_from_any_thread(cupy, texts):
    """Each verb makes its GPU the current one, and leaves the thread's own as it was."""
    device = cuda.open_device(1)
    answers = []

    def work():
        a = device.upload(np.arange(100, dtype=np.int32))
        device.kernel("toy", "add", TYPES)(2, 32, a, a, np.int32(100))
        device.send(a, np.zeros(3, np.int32))
        device.arrived(a)
        answers.append(device.get(a, count=4).tolist())
        device.finish()
        answers.append(cupy.here())

    work()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [[0, 0, 0, 5], 0] * 2 and cupy.here() == 0


def test_bytes_that_are_all_the_same_need_no_kernel(cupy, texts):
    device = cuda.open_device(0)
    a = device.empty(100, np.int64)
    device.fill(a, 0)
    device.fill(a, -1)
    assert (device.get(a) == -1).all() and "launch" not in cupy.machine.calls
    device.fill(a, 2**63 - 1)
    assert (device.get(a) == 2**63 - 1).all() and "launch" in cupy.machine.calls
    with pytest.raises(DeviceError, match="elements of 1, 4 and 8 bytes"):
        device.fill(device.empty(3, np.int16), 1)


def test_no_driver(cupy, monkeypatch):
    def fail():
        raise cupy.cuda.runtime.CUDARuntimeError(100, "cudaErrorNoDevice: no CUDA-capable device is detected")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", fail)
    assert cuda.found() == [] and cuda.missing() == cuda.DRIVER
    with pytest.raises(DeviceError, match="cuda:0 cannot be used: no NVIDIA"):
        cuda.open_device(0)
    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", lambda: 0)
    assert cuda.found() == [] and cuda.missing() == cuda.DRIVER


def test_one_broken_gpu_does_not_hide_the_other(cupy, monkeypatch):
    error = cupy.cuda.runtime.CUDARuntimeError(46, "cudaErrorDevicesUnavailable: busy or unavailable")
    for call in ("memory 0", "properties 0"):
        monkeypatch.setattr(cupy.machine, "fails", {call: error})
        assert [facts.name for facts in cuda.found()] == ["cuda:1"] and cuda.missing() is None
        assert cuda.broken() == {"cuda:0": "cudaErrorDevicesUnavailable: busy or unavailable"}
        with pytest.raises(DeviceError, match=r"cuda:0 cannot be used: cudaErrorDevicesUnavailable: busy or unavail"):
            cuda.open_device(0)
        assert cuda.open_device(1).facts.name == "cuda:1"
    monkeypatch.setattr(cupy.machine, "fails", {"memory 0": error, "memory 1": error})
    assert cuda.found() == [] and "cudaErrorDevicesUnavailable" in cuda.missing()


@needs_jit
def test_auto_takes_the_gpu_that_works(cupy, monkeypatch):
    let_auto_take_gpus(monkeypatch)
    cupy.machine.fails["memory 0"] = cupy.cuda.runtime.CUDARuntimeError(46, "cudaErrorDevicesUnavailable")
    result = nearfar.sssp(nearfar.generate.rmat(6, seed=1), 0)
    assert result.stats["device"] == "cuda:1"


def test_an_integrated_gpu_has_what_the_host_has_free(cupy, monkeypatch):
    properties = cupy.cuda.runtime.getDeviceProperties
    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceProperties", lambda i: properties(i) | {"integrated": 1})
    monkeypatch.setattr(cuda.cpu, "facts", lambda: Facts("cpu", 2, 1 << 30))
    facts = cuda.found()[0]
    assert facts.unified and facts.memory == 1 << 30 and cuda.open_device(0).facts.memory == 1 << 30
    monkeypatch.setattr(cuda.cpu, "facts", lambda: Facts("cpu", 2, 64 << 30))
    assert cuda.found()[0].memory == cuda.open_device(0).facts.memory == 3 << 30


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file"),
        ImportError("libnvrtc-builtins.so is missing"),
        OSError("Failed to find CUDA headers"),
    ],
)
def test_without_nvrtc(cupy, texts, error):
    cupy.machine.fails["compile"] = error
    device = cuda.open_device(0)
    with pytest.raises(DeviceError) as caught:
        device.kernel("toy", "add", TYPES)
    message = str(caught.value)
    assert str(error) in message and "NVRTC" in message and "pip install 'nearfar[cuda]'" in message
    assert "device='cpu'" in message and not isinstance(caught.value, KernelBuildError)
    cupy.machine.fails.clear()
    device.kernel("toy", "add", TYPES)


@needs_jit
def test_auto_without_nvrtc_takes_the_cpu(cupy, monkeypatch):
    let_auto_take_gpus(monkeypatch)
    cupy.machine.fails["compile"] = RuntimeError("CuPy failed to load libnvrtc.so.12")
    result = nearfar.sssp(nearfar.generate.rmat(6, seed=1), 0)
    assert result.stats["device"] == "cpu" and "cuda:0 failed (DeviceError)" in result.plan.why


@needs_jit
@pytest.mark.parametrize("status", [700, 702, 710, 715, 719])
def test_an_error_that_ends_the_context(cupy, status):
    """The first call says what to do, and so does every later one; the other GPU works."""
    graph = nearfar.generate.rmat(6, seed=1)
    expected = nearfar.sssp(graph, 0, device="cuda:0")
    error = cupy.cuda.runtime.CUDARuntimeError(status, "cudaErrorIllegalAddress: an illegal memory access")
    cupy.machine.fails |= dict.fromkeys(("launch", "copy", "synchronize", "malloc", "record", "wait"), error)
    cupy.machine.fails |= {"memory 0": error}
    with pytest.raises(
        DeviceError, match=r"failed on cuda:0.*illegal memory access.*Start Python again, or use device"
    ):
        nearfar.sssp(graph, 0, device="cuda:0")
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"cannot be used any more by this process.*Start Python again"):
            nearfar.sssp(graph, 0, device="cuda:0")
    assert "any more" in cuda.broken()["cuda:0"] and [facts.name for facts in cuda.found()] == ["cuda:1"]
    cupy.machine.fails.clear()  # as if the driver were well again: it is not asked
    with pytest.raises(DeviceError, match="cannot be used any more by this process"):
        nearfar.sssp(graph, 0, device="cuda:0")
    assert np.array_equal(nearfar.sssp(graph, 0, device="cuda:1").dist, expected.dist)
    assert np.array_equal(nearfar.sssp(graph, 0).dist, expected.dist)


@needs_jit
def test_an_error_that_does_not(cupy):
    graph = nearfar.generate.rmat(6, seed=1)
    cupy.machine.fails["launch"] = cupy.cuda.driver.CUDADriverError(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")
    with pytest.raises(DeviceError, match="LAUNCH_OUT_OF_RESOURCES"):
        nearfar.sssp(graph, 0, device="cuda:0")
    cupy.machine.fails.clear()
    assert nearfar.sssp(graph, 0, device="cuda:0").stats["device"] == "cuda:0"

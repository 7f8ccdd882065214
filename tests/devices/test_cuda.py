"""What is CUDA's alone, with the stand-in for CuPy; the verbs are tested in test_verbs.py."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nearfar.devices import cuda, opencl
from nearfar.errors import DeviceError

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

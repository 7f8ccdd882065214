"""The verbs of a device, the same for OpenCL and CUDA: every test runs on both."""

from __future__ import annotations

import faulthandler
import gc
import pickle
import sys
import threading

import numpy as np
import pytest

from helpers.marks import HANG
from helpers.on_device import new_array
from nearfar.devices.arrays import device_of, find_array
from nearfar.errors import DeviceError, DeviceMemoryError, KernelBuildError

TYPES = {"DIST": 1, "WEIGHT": 1, "OFFSET": 1, "STEP": 1}
KINDS = ("int32", "int64", "float32", "float64", "int8", "bool")


@pytest.mark.parametrize("dtype", KINDS)
def test_up_and_down(device, dtype):
    array = np.arange(1001).astype(dtype)
    buffer = device.upload(array)
    array[:] = 0
    assert (buffer.dtype, buffer.count, buffer.nbytes) == (np.dtype(dtype), 1001, array.nbytes)
    assert np.array_equal(device.get(buffer), np.arange(1001).astype(dtype))
    assert np.array_equal(device.get(buffer, start=5, count=3), np.arange(5, 8).astype(dtype))
    assert np.array_equal(device.get(buffer, start=1000), np.array([1000]).astype(dtype))
    out = np.zeros((2, 50), dtype)
    assert device.get(buffer, out=out, start=100) is out
    assert np.array_equal(out.ravel(), np.arange(100, 200).astype(dtype))


def test_what_is_not_contiguous_is_made_so(device):
    pairs = np.zeros(10, [("head", np.int32), ("weight", np.float64)])
    pairs["head"], pairs["weight"] = range(10), np.linspace(0, 1, 10)
    assert device.get(device.upload(pairs["head"])).tolist() == list(range(10))
    assert np.array_equal(device.get(device.upload(pairs["weight"][::3])), pairs["weight"][::3])
    grid = np.arange(12).reshape(3, 4)
    assert device.get(device.upload(grid.T)).tolist() == grid.T.ravel().tolist()


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("value", [0, -1, 7, "most"])
def test_fill(device, dtype, value):
    if value == "most":
        value = np.inf if dtype[0] == "f" else np.iinfo(dtype).max
    for count in (0, 1, 5, 70_001):
        buffer = device.empty(count, dtype)
        device.fill(buffer, value)
        assert (device.get(buffer) == np.array(value, dtype)).all() and len(device.get(buffer)) == count


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_adopt(device, dtype):
    """A user's array is read and filled where it is; to free the buffer leaves it alone."""
    array = new_array(device.name, (4, 64), dtype)
    assert device_of(*find_array(array)[:1], array).name == device.name
    for there, rows in ((array, slice(0, 4)), (array[1:3], slice(1, 3)), (array[3], slice(3, 4))):
        before, count = array.get(), len(range(4)[rows]) * 64
        guest = device_of(*find_array(there)[:1], there)
        held, buffer = sum(guest.held.values()), guest.adopt(there)
        assert (buffer.dtype, buffer.count, sum(guest.held.values())) == (np.dtype(dtype), count, held + buffer.nbytes)
        assert guest.get(buffer).tobytes() == before[rows].tobytes()
        guest.fill(buffer, 3)
        guest.finish()
        before[rows] = 3
        assert array.get().tobytes() == before.tobytes()
        buffer.free()
        assert sum(guest.held.values()) == held and array.get().tobytes() == before.tobytes()


def test_nothing_is_something(device):
    for buffer in (device.empty(0, np.int64), device.upload(np.empty(0, np.int64))):
        device.fill(buffer, 3)
        device.write(buffer, np.empty(0, np.int64))
        device.send(buffer, np.empty(0, np.int64))
        device.arrived(buffer)
        assert device.get(buffer).shape == (0,) and (buffer.count, buffer.nbytes) == (0, 0)
    a = device.upload(np.zeros(3, np.int32))
    device.kernel("toy", "add", TYPES)(1, 8, a, device.empty(0, np.int32), np.int32(0))
    assert device.get(a).tolist() == [0, 0, 0]


@pytest.mark.parametrize("count", [1, 1000, 400_000])
def test_write_keeps_its_place_among_kernels(device, count):
    ones, row = device.upload(np.full(count, 2, np.int32)), np.arange(count, dtype=np.int32)
    a = device.empty(count, np.int32)
    add = device.kernel("toy", "add", TYPES)
    device.fill(a, 0)
    add(8, 64, a, ones, np.int32(count))
    device.write(a, row)
    row[:] = -5
    add(8, 64, a, ones, np.int32(count))
    assert np.array_equal(device.get(a), np.arange(count) + 2)
    device.write(a, np.array([9], np.int32))
    assert device.get(a)[:2].tolist() == [9, 3][:count]


def test_kernels_run_in_order_and_take_every_kind_of_number(device):
    a, b = device.upload(np.zeros(1000, np.int32)), device.upload(np.arange(1000, dtype=np.int32))
    add = device.kernel("toy", "add", TYPES)
    for _ in range(20):
        add(3, 32, a, b, np.int32(1000))
    add(3, 32, a, b, np.int32(10))
    expected = 20 * (np.arange(1000) // 2 + 1)
    expected[:10] += np.arange(10) // 2 + 1
    assert np.array_equal(device.get(a), expected)
    x = device.empty(1, np.float64)
    device.kernel("toy", "scale", TYPES)(1, 1, x, np.float32(0.5), np.float64(1e10), np.int64(2**40))
    assert device.get(x)[0] == 0.5e10 + 2**40


def test_arguments_change_between_launches(device):
    """What an earlier launch was given is not given again, but what differs is, whatever its address."""
    add = device.kernel("toy", "add", TYPES)
    zero = device.upload(np.zeros(4, np.int32))
    for i in range(30):
        a = device.upload(np.full(4, i, np.int32))
        add(1, 4, a, zero, np.int32(i % 5))
        assert device.get(a).tolist() == [i + (j < i % 5) for j in range(4)]
        a.free()


def test_programs_are_built_once_for_the_same_defines(device, monkeypatch):
    built = []
    build = type(device).build
    monkeypatch.setattr(type(device), "build", lambda self, *args: built.append(args[0]) or build(self, *args))
    first = device.kernel("toy", "add", TYPES)
    assert device.kernel("toy", "add", dict(reversed(TYPES.items()))) is first
    device.kernel("toy", "scale", TYPES)
    assert built == ["toy"]
    a = device.upload(np.zeros(1, np.int32))
    device.kernel("toy", "add", {**TYPES, "STEP": -5})(1, 1, a, a, np.int32(1))
    assert device.get(a).tolist() == [-5] and built == ["toy", "toy"]


def test_send_overlaps_and_waits_for_what_uses_the_buffer(device):
    """Two buffers by turns: each is sent to again while the kernel that reads it may still be in the queue."""
    count, rounds = 50_000, 12
    add, spin = device.kernel("toy", "add", TYPES), device.kernel("toy", "spin", TYPES)
    total, clock = device.upload(np.zeros(count, np.int32)), device.upload(np.zeros(1, np.int32))
    slots = [device.empty(count, np.int32) for _ in range(2)]
    arrays = [np.full(count, 2 * i, np.int32) for i in range(rounds)]
    device.send(slots[0], arrays[0])
    for i in range(rounds):
        device.arrived(slots[i % 2])
        spin(1, 1, clock, np.int32(1_000_000))
        add(8, 64, total, slots[i % 2], np.int32(count))
        if i + 1 < rounds:
            device.send(slots[(i + 1) % 2], arrays[i + 1])
    assert (device.get(total) == sum(range(rounds)) + rounds).all()
    assert device.get(clock).tolist() == [rounds]
    device.send(slots[0], arrays[3])
    device.finish()
    assert device.get(slots[0])[0] == 6


def test_fetch_overlaps_and_comes_after_the_kernels_before_it(device):
    """Two buffers by turns: one is copied to the host while a kernel writes to the other."""
    count, rounds = 50_000, 12
    add, spin = device.kernel("toy", "add", TYPES), device.kernel("toy", "spin", TYPES)
    step, clock = device.upload(np.full(count, 2, np.int32)), device.upload(np.zeros(1, np.int32))
    buffers = [device.upload(np.zeros(count, np.int32)) for _ in range(2)]
    outs, waits = [np.full((2, count // 2), -1, np.int32) for _ in range(rounds)], []
    before = device.traffic.copy()
    for i in range(rounds):
        spin(1, 1, clock, np.int32(1_000_000))
        add(8, 64, buffers[i % 2], step, np.int32(count))
        if i > 0:
            waits[-1]()
            assert (outs[i - 1] == 2 * ((i - 1) // 2 + 1)).all()
        waits.append(device.fetch(buffers[i % 2], outs[i]))
    waits[-1]()
    assert (outs[-1] == rounds).all() and (device.traffic - before).downloaded == rounds * 4 * count
    part = np.empty(3, np.int32)
    device.fetch(buffers[0], part)()
    assert part.tolist() == [rounds] * 3
    device.fetch(buffers[0], np.empty(0, np.int32))()
    device.end_copies()


def test_a_fetch_may_be_given_up(device):
    buffer = device.upload(np.arange(100_000, dtype=np.int32))
    for _ in range(3):
        device.fetch(buffer, np.empty(100_000, np.int32))
    device.end_copies()
    out = np.empty(100_000, np.int32)
    device.fetch(buffer, out)()
    assert np.array_equal(out, np.arange(100_000))


def test_a_buffer_may_go_while_it_is_sent_to(device):
    for _ in range(5):
        buffer = device.empty(100_000, np.int32)
        device.send(buffer, np.arange(100_000, dtype=np.int32))
        buffer.free()
        again = device.upload(np.zeros(100_000, np.int32))
        assert not device.get(again).any()


@pytest.mark.parametrize("wait", ["get", "finish"])
def test_waiting_lets_other_threads_run(device, wait):
    """The queue is held until this thread lets it go: it can do so only if the waiting one keeps no lock of Python."""
    clock = device.upload(np.zeros(1, np.int32))
    spin = device.kernel("toy", "spin", TYPES)
    spin(1, 1, clock, np.int32(1000))
    assert device.get(clock).tolist() == [1]
    release = hold(device)
    spin(1, 1, clock, np.int32(1000))
    begun, ended = threading.Event(), threading.Event()

    def work():
        begun.set()
        device.get(clock) if wait == "get" else device.finish()
        ended.set()

    faulthandler.dump_traceback_later(HANG, exit=True, file=sys.__stderr__)  # it needs no lock of Python
    try:
        thread = threading.Thread(target=work)
        thread.start()
        begun.wait()
        assert not ended.is_set()
        release()
        thread.join()
    finally:
        faulthandler.cancel_dump_traceback_later()
    assert ended.is_set() and device.get(clock).tolist() == [2]


def hold(device):
    """Let all that is enqueued from now on wait; return the function that lets it go."""
    queue = device._stream.queue if hasattr(device, "_stream") else device._queue
    cl = pytest.importorskip("pyopencl")
    event = cl.UserEvent(queue.context)
    cl.enqueue_barrier(queue, wait_for=[event])
    return lambda: event.set_status(cl.command_execution_status.COMPLETE)


def test_a_kernel_knows_its_largest_group(device):
    add = device.kernel("toy", "add", TYPES)
    assert 1 <= add.most <= device.facts.group_size
    a = device.upload(np.zeros(4, np.int32))
    add(1, add.most, a, a, np.int32(4))
    assert device.get(a).tolist() == [1, 1, 1, 1]


def test_traffic(device):
    before = device.traffic.copy()
    a = device.upload(np.zeros(10, np.int32))
    device.write(a, np.zeros(5, np.int32))
    device.send(a, np.zeros(3, np.int32))
    device.arrived(a)
    device.fill(a, 1)
    device.fill(a, 1234)
    device.kernel("toy", "add", TYPES)(1, 4, a, a, np.int32(10))
    device.get(a, count=2)
    spent = device.traffic - before
    assert (spent.launches, spent.uploaded, spent.downloaded) == (1, 72, 8)
    assert before == type(before)()


def test_memory_is_given_back(device):
    gc.collect()
    assert not device.held
    a, b = device.empty(1000, np.int64), device.upload(np.zeros(10, np.int8))
    assert sum(device.held.values()) == 8010
    a.free()
    a.free()
    assert sum(device.held.values()) == 10
    del b
    gc.collect()
    assert not device.held


def test_a_freed_buffer_is_refused(device):
    a, b = device.upload(np.zeros(4, np.int32)), device.upload(np.zeros(4, np.int32))
    add = device.kernel("toy", "add", TYPES)
    add(1, 1, a, b, np.int32(4))
    b.free()
    for verb in (
        lambda: add(1, 1, a, b, np.int32(4)),
        lambda: device.get(b),
        lambda: device.fill(b, 1),
        lambda: device.write(b, np.zeros(1, np.int32)),
        lambda: device.send(b, np.zeros(1, np.int32)),
    ):
        with pytest.raises(DeviceError, match="used after it was freed"):
            verb()
    add(1, 1, a, a, np.int32(4))
    assert device.get(a).tolist() == [2, 2, 2, 2]
    assert "freed" in repr(b) and "4 x int32" in repr(a)


def test_mistakes_are_refused(device):
    a = device.upload(np.zeros(4, np.int32))
    for verb in (
        lambda: device.get(a, count=5),
        lambda: device.get(a, start=-1),
        lambda: device.get(a, out=np.zeros(4, np.int64)),
        lambda: device.get(a, out=np.zeros((4, 2), np.int32)[:, 0]),
        lambda: device.get(a, out=np.broadcast_to(np.int32(1), 4)),
        lambda: device.write(a, np.zeros(5, np.int32)),
        lambda: device.write(a, np.zeros(1, np.int64)),
        lambda: device.send(a, np.zeros(1, np.float32)),
        lambda: device.fetch(a, np.zeros(5, np.int32)),
        lambda: device.fetch(a, np.zeros(1, np.int64)),
    ):
        with pytest.raises(DeviceError):
            verb()


def test_more_than_there_is(device):
    with pytest.raises(DeviceMemoryError) as caught:
        device.empty(2**45, np.int64)
    message = str(caught.value)
    assert "281 TB more" in message and device.facts.title in message and "fewer sources" in message
    assert isinstance(caught.value, MemoryError) and caught.value.__cause__ is not None
    assert device.get(device.upload(np.arange(3))).tolist() == [0, 1, 2]


def test_a_build_that_fails(device, texts, capfd):
    for _ in range(2):
        with pytest.raises(KernelBuildError) as caught:
            device.kernel("broken", "broken", TYPES)
        assert "nothing" in caught.value.log and "nothing" in str(caught.value)
        assert "broken.cl" in str(caught.value) and "nearfar selftest" in str(caught.value)
    caught.value.__cause__ = caught.value.__context__ = None  # drivers' own errors, which Dask, if loaded, pickles, too
    assert "nothing" in pickle.loads(pickle.dumps(caught.value)).log
    (texts / "broken.cl").write_text("KERNEL void broken(GLOBAL i32 *a) { a[0] = 5; }\n")
    a = device.upload(np.zeros(1, np.int32))
    device.kernel("broken", "broken", TYPES)(1, 1, a)
    assert device.get(a).tolist() == [5]


def test_a_kernel_that_does_not_exist(device):
    with pytest.raises(DeviceError, match="looking for kernel subtract failed"):
        device.kernel("toy", "subtract", TYPES)
    device.kernel("toy", "add", TYPES)


def test_a_launch_that_fails(device):
    a = device.upload(np.zeros(4, np.int32))
    add = device.kernel("toy", "add", TYPES)
    launches = device.traffic.launches
    with pytest.raises(DeviceError, match="kernel add failed on") as caught:
        add(1, 1 << 20, a, a, np.int32(4))
    assert not isinstance(caught.value, MemoryError) and "driver said" in str(caught.value)
    add(1, 1, a, a, np.int32(4))
    assert device.get(a).tolist() == [1, 1, 1, 1] and device.traffic.launches == launches + 1


def test_a_driver_that_runs_full_later(device, monkeypatch):
    """Some drivers allocate at the first use, so any verb can find the device full."""
    a = device.upload(np.zeros(4, np.int32))
    full = make_full(device)
    with pytest.raises(DeviceMemoryError, match="16 bytes"), device.trying("a copy", 16):
        raise full
    with pytest.raises(DeviceMemoryError, match="more memory"):
        device.fail("kernel add", full)
    assert device.get(a).tolist() == [0, 0, 0, 0]


def make_full(device):
    """Return what the driver throws when memory ends."""
    if device.dialect == "cuda":
        return device.failures[0](2, "cudaErrorMemoryAllocation: out of memory")
    import pyopencl as cl

    record = cl._cl._ErrorRecord(msg="", code=cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE, routine="enqueue_copy")
    return cl.MemoryError(record)


def test_facts(device):
    facts = device.facts
    assert facts.name == device.name and facts.name.endswith(":0") and facts.label in facts.title
    assert facts.cores >= 1 and facts.memory > 0 and facts.largest > 0 and facts.group_size >= 64
    assert facts.gpu is (device.dialect == "cuda") and facts.wide_atomics and facts.doubles
    assert device.lock.acquire(blocking=False) and device.lock.acquire(blocking=False)
    device.lock.release()
    device.lock.release()

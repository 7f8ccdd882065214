"""Copies that overlap kernels on CUDA: the order of calls on the two streams, as the stand-in for CuPy records it."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from nearfar.devices import copies, cuda, opencl
from nearfar.errors import DeviceError
from nearfar.gpu import row_blocks

if opencl.missing():
    pytest.skip(f"the stand-in for CuPy runs on OpenCL: {opencl.missing()}", allow_module_level=True)

pytestmark = [needs_jit, pytest.mark.usefixtures("cupy")]
TO_DEVICE, TO_HOST = copies.TO_DEVICE, copies.TO_HOST


@pytest.fixture(autouse=True)
def many_pieces(monkeypatch):
    """Let rows and batches take several pieces."""
    monkeypatch.setattr(copies, "PIECE", 1 << 10)


def make_graph(negative=False, n=300, m=2400):
    """Return a random graph; its floats may be negative, and then their keys are turned on the host."""
    rng = np.random.default_rng(n)
    tails, heads, height = rng.integers(0, n, m), rng.integers(0, n, m), rng.integers(0, 300, n)
    weights = rng.integers(0, 1000, m) + (height[heads] - height[tails] if negative else 0)
    return nearfar.Graph.from_arcs(tails, heads, (weights / 8).astype(np.float32), n=n)


def logged(cupy, query):
    """Run a query twice; return the result, all calls, and where those of the second run begin."""
    query()
    begin = len(cupy.machine.log)
    return query(), cupy.machine.log, begin


def streams():
    """Return the streams of kernels and of copies."""
    device = cuda.open_device(0)
    return device._stream.ptr, device._copies._stream.ptr


def latest(log, before, what, **more):
    """Return the index of the last such call before an index, or -1."""
    fitting = (i for i in range(before - 1, -1, -1) if is_such(log[i], what, more))
    return next(fitting, -1)


def first(log, after, what, **more):
    """Return the index of the first such call after an index, or that of the end."""
    return next((i for i in range(after + 1, len(log)) if is_such(log[i], what, more)), len(log))


def is_such(call, what, more):
    """Return whether a call is of a kind; ``uses``: a buffer that it uses."""
    more = dict(more)
    uses = more.pop("uses", None)
    return (
        call.what == what
        and (uses is None or uses in call.buffers)
        and all(getattr(call, name) == value for name, value in more.items())
    )


def copied(log, begin, stream, kind):
    """Return index and buffer of every copy of a kind on a stream, from an index on."""
    such = {"stream": stream, "kind": kind}
    return [(i, log[i].buffers[0]) for i in range(begin, len(log)) if is_such(log[i], "copy", such)]


def waited_for(log, i, stream):
    """Return the index at which the event was recorded that a stream waits for at an index."""
    wait = latest(log, i, "wait", stream=stream)
    return latest(log, wait, "record", event=log[wait].event)


@pytest.mark.parametrize("method", ["frontier", "edge"])
@pytest.mark.parametrize("sources", [5, list(range(40))])
def test_batches_are_copied_while_kernels_run(cupy, method, sources):
    graph = make_graph()
    memory = nearfar.plan(graph, sources, device="cuda", method=method).bytes
    while nearfar.plan(graph, sources, device="cuda", method=method, memory=memory).arc_batches < 4:
        memory = int(0.95 * memory)
    result, log, begin = logged(cupy, lambda: nearfar.mssp(graph, sources, device="cuda", method=method, memory=memory))
    main, aside = streams()
    sent, beside = copied(log, begin, aside, TO_DEVICE), 0
    assert len(sent) > result.stats["batches_copied"] >= 3, "several pieces each"
    for i, buffer in sent:
        assert log[i].pinned
        recorded = waited_for(log, i, aside)
        assert log[recorded].stream == main and recorded > latest(log, i, "launch", uses=buffer)
        beside += first(log, recorded, "launch") < i
        then = min(first(log, i, "wait", stream=main), first(log, i, "synchronize", stream=main))
        assert then < first(log, i, "launch"), "needed at once, or else begun when all kernels are launched"
        used = first(log, i, "launch", uses=buffer)
        if used < len(log):
            arrived = waited_for(log, used, main)
            assert log[arrived].stream == aside and arrived > i, "kernels wait for the whole copy"
    assert beside, "kernels were launched between the event that a copy waits for and the copy"
    assert np.array_equal(result.rows, nearfar.mssp(graph, sources, device="cpu").rows)


@pytest.mark.parametrize("method", ["delta", "frontier", "prepared"])
@pytest.mark.parametrize("negative", [False, True])
def test_rows_are_copied_while_the_next_are_settled(cupy, method, negative):
    graph = make_graph(negative)
    method = "frontier" if negative and method == "delta" else method
    result, log, begin = logged(cupy, lambda: nearfar.apsp(graph, device="cuda", method=method))
    main, aside = streams()
    fetched = copied(log, begin, aside, TO_HOST)
    assert len(fetched) * copies.PIECE >= result.rows.nbytes and result.stats["launches_of_rows"] > 1
    assert {log[i].pinned for i, _ in fetched} == {True} and len({buffer for _, buffer in fetched}) == 2
    last = fetched[-1][1]
    for i, buffer in fetched:
        recorded = waited_for(log, i, aside)
        assert log[recorded].stream == main and recorded > latest(log, i, "launch", uses=buffer)
        done = first(log, i, "synchronize", event=log[first(log, i, "record", stream=aside)].event)
        assert done < min(first(log, i, verb, uses=buffer) for verb in ("launch", "fill")), "written too early"
        if buffer != last:
            assert first(log, recorded, "launch") < done, "the next rows were launched before these are waited for"
    assert nearfar.verify(graph, result)
    assert result.rows.tobytes() == nearfar.apsp(graph, device="cpu", method=on_cpu(method)).rows.tobytes()


def on_cpu(method):
    """Return the method on the CPU that gives the same floats."""
    return "prepared" if method == "prepared" else "auto"


def test_pinned_memory_is_freed(cupy):
    graph, machine = make_graph(), cupy.machine
    nearfar.apsp(graph, device="cuda", method="delta")
    assert "pin" in machine.calls and not machine.pinned
    machine.log.clear()
    error = cupy.cuda.runtime.CUDARuntimeError(1, "cudaErrorInvalidValue")
    machine.fails["synchronize"] = error
    with pytest.raises(DeviceError, match="cudaErrorInvalidValue"):
        nearfar.apsp(graph, device="cuda", method="delta")
    machine.fails.clear()
    error.__traceback__ = None
    gc.collect()
    assert not machine.pinned
    again = nearfar.apsp(graph, device="cuda", method="delta")
    assert np.array_equal(again.rows, nearfar.apsp(graph, device="cpu").rows)


def test_interrupted_while_rows_are_copied(cupy, monkeypatch):
    """The copy under way is waited for before its pinned memory and its rows are given back."""
    graph, machine = make_graph(), cupy.machine
    expected = nearfar.apsp(graph, device="cuda", method="delta").rows
    _, aside = streams()

    def interrupt(downloads, block, wait):
        raise KeyboardInterrupt

    begin = len(machine.log)
    with monkeypatch.context() as patch:
        patch.setattr(row_blocks.Downloads, "_collect", interrupt)
        with pytest.raises(KeyboardInterrupt):
            nearfar.apsp(graph, device="cuda", method="delta")
    copied_last = copied(machine.log, begin, aside, TO_HOST)[-1][0]
    assert first(machine.log, copied_last, "synchronize", stream=aside) < len(machine.log)
    gc.collect()
    assert not machine.pinned
    assert np.array_equal(nearfar.apsp(graph, device="cuda", method="delta").rows, expected)


def test_without_pinned_memory(cupy):
    """A system may refuse it: then copies are as slow as before, and as right."""
    cupy.machine.fails["pin"] = cupy.cuda.runtime.CUDARuntimeError(2, "cudaErrorMemoryAllocation: out of memory")
    graph = make_graph()
    result, log, _ = logged(cupy, lambda: nearfar.apsp(graph, device="cuda", method="delta"))
    assert not any(call.pinned for call in log)
    assert np.array_equal(result.rows, nearfar.apsp(graph, device="cpu").rows)

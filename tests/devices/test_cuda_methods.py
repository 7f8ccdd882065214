"""Queries with device="cuda" from end to end, the kernels run by the stand-in for CuPy: all the road but CuPy itself.

Answers are compared to the bit with the CPU's. Layouts are those of a GPU: groups of 256, hubs cut into parts.
"""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.marks import needs_jit
from helpers.on_cuda import (
    METHODS_THERE,
    SOME,
    STREAMING,
    TYPES,
    asked,
    check_same,
    make_graph,
    memory_for_batches,
    on_cpu,
    same,
)
from helpers.reach import let_auto_take_gpus, rows_in_turn
from helpers.stopping import stopping
from nearfar import selftest
from nearfar.devices import cuda, opencl
from nearfar.errors import NegativeCycleError
from nearfar.gpu import GPU_METHODS
from nearfar.selftest import graphs as selftest_graphs

if opencl.missing():
    pytest.skip(f"the stand-in for CuPy runs on OpenCL: {opencl.missing()}", allow_module_level=True)

pytestmark = [needs_jit, pytest.mark.usefixtures("cupy")]
each_method = pytest.mark.parametrize("method", METHODS_THERE)
each_type = pytest.mark.parametrize("dtype", TYPES)


@each_method
@each_type
def test_resident(cupy, method, dtype):
    graph = make_graph(dtype)
    found = asked(graph, device="cuda", method=method)
    check_same(graph, found)
    assert "launch" in cupy.machine.calls and found[0].dist.dtype == np.dtype(dtype)


@each_type
def test_sums(dtype):
    """One number per row is downloaded, the same as the CPU's; a second one where sums might pass the end of int64."""
    prepared, device = nearfar.prepare(make_graph(dtype, n=1500, m=4000)), cuda.open_device(0)
    before = device.traffic.copy()
    found = prepared.row_sums(range(70), device="cuda")
    assert (device.traffic - before).downloaded == found.nbytes * (2 if dtype == "int64" else 1)
    assert found.nbytes == 8 * 70
    assert found.tobytes() == prepared.row_sums(range(70), device="cpu").tobytes()


@pytest.mark.parametrize("method", STREAMING)
@each_type
@pytest.mark.parametrize("negative", [False, True])
def test_batched(method, dtype, negative):
    graph = make_graph(dtype, negative)
    found = asked(graph, device="cuda", method=method, memory=memory_for_batches(graph, method))
    check_same(graph, found, batches=3)


@pytest.mark.parametrize("method", [name for name in METHODS_THERE if GPU_METHODS[name].wide])
def test_rows_in_turn(method):
    """All groups settle one row after the other, on one GPU and on two."""
    graph = make_graph("int32")
    truth = nearfar.mssp(graph, SOME, device="cpu").rows
    with rows_in_turn():
        for devices in ("cuda", ["cuda:0", "cuda:1"]):
            found = nearfar.mssp(graph, SOME, device=devices, method=method)
            assert found.rows.tobytes() == truth.tobytes() and found.stats["rows_in_turn"] == len(SOME)


@pytest.mark.parametrize("method", STREAMING)
@each_type
def test_negative(method, dtype):
    graph = make_graph(dtype, negative=True)
    assert graph.min_weight < 0
    check_same(graph, asked(graph, device="cuda", method=method))


@pytest.mark.parametrize("method", STREAMING)
def test_negative_cycle(method):
    graph = nearfar.Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 1], [1, 2, -5, 2])
    for query in (lambda **o: nearfar.sssp(graph, 0, **o), lambda **o: nearfar.apsp(graph, **o)):
        with pytest.raises(NegativeCycleError) as caught:
            query(device="cuda", method=method)
        assert sorted(caught.value.cycle) == [1, 2, 3]


@each_method
def test_no_weights(method):
    rng = np.random.default_rng(4)
    graph = nearfar.Graph.from_arcs(rng.integers(0, 50, 400), rng.integers(0, 50, 400), n=50)
    check_same(graph, asked(graph, device="cuda", method=method))


@each_method
def test_limits(method):
    """Targets and a cutoff leave the same vertices unreached."""
    graph = make_graph("int32", m=200)
    for options in ({"targets": [11]}, {"cutoff": 700}, {"cutoff": 0}):
        for sources in ([5], SOME):
            mine = stopping("mssp", graph, sources, device="cuda", method=method, **options)
            theirs = stopping("mssp", graph, sources, device="cpu", **options)
            assert mine.rows.tobytes() == theirs.rows.tobytes()


@each_method
def test_two_gpus(method):
    """Rows are shared out, each GPU driven by a thread of its own."""
    graph = make_graph("float32")
    found = nearfar.apsp(graph, device=["cuda:0", "cuda:1"], method=method)
    assert found.stats["device"] == "cuda:0, cuda:1"
    assert same(found, nearfar.apsp(graph, **on_cpu(method)))


@each_method
def test_kernels_that_run_in_small_groups_only(cupy, method):
    """A kernel may need too many registers for large groups: then all groups of the run are smaller."""
    cupy.machine.most_threads = 64
    graph = make_graph("float64")
    check_same(graph, asked(graph, device="cuda", method=method))


@pytest.mark.parametrize("method", STREAMING)
def test_small_groups_with_batches(cupy, method):
    cupy.machine.most_threads = 20
    graph = make_graph("int32")
    memory = nearfar.plan(graph, 5, device="cuda", method=method).bytes
    while nearfar.plan(graph, SOME, device="cuda", method=method, memory=memory).arc_batches < 3:
        memory = int(0.95 * memory)
    check_same(graph, asked(graph, device="cuda", method=method, memory=memory), batches=3)


def test_auto_takes_it_when_it_pays(monkeypatch):
    graph = make_graph("int32")
    assert nearfar.sssp(graph, 5).stats["device"] == "cpu"
    let_auto_take_gpus(monkeypatch)
    found = nearfar.sssp(graph, 5)
    assert found.stats["device"] == "cuda:0" and found.stats["method"] == "delta"
    assert found.rows.tobytes() == nearfar.sssp(graph, 5, device="cpu").rows.tobytes()


def test_the_graph_stays_there():
    graph = make_graph("int32")
    first, second = (nearfar.sssp(graph, 5, device="cuda", method="frontier") for _ in range(2))
    assert second.stats["uploaded"] < graph.m < first.stats["uploaded"]


def test_details(cupy):
    device = cuda.open_device(1)
    assert device.details() == {"driver": "for CUDA 13.0", "runtime": "CUDA 12.8", "compute capability": "9.0"}


def test_selftest(monkeypatch):
    """What people with a card are asked to run, for one type."""
    monkeypatch.setitem(selftest_graphs.TYPES, "quick", ("int32",))
    report = selftest.run("cuda", "quick", isolate=False)
    assert report.ok, str(report)
    assert report.devices[0].facts["device"] == "Pretend GPU"

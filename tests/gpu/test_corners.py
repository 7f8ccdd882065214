"""Off the usual road: sums of floats that stray, failures that hold on to memory, a GPU that auto chose."""

from __future__ import annotations

import gc
from dataclasses import replace

import numpy as np
import pytest

import nearfar
from helpers.reach import DEVICE, NEGATIVE, let_auto_take_gpus
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import NegativeCycleError

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)


@pytest.fixture
def real_gpu(monkeypatch):
    """PoCL passes for a real GPU, which auto takes for any work."""
    found = opencl.found
    monkeypatch.setattr(opencl, "found", lambda: [replace(facts, gpu=True) for facts in found()])
    let_auto_take_gpus(monkeypatch)


@pytest.mark.parametrize("query", ("one", "rows"))
@pytest.mark.parametrize("method", NEGATIVE)
@pytest.mark.parametrize("device", ("cpu", DEVICE))
def test_sums_that_stray_are_no_cycle(method, query, device):
    """Fifty thousand times -0.1 as float32 is less than 50,001 arcs of -0.1 could be without rounding."""
    n = 50_000
    graph = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, -0.1, np.float32))
    first = n - 400 if (method, query) == ("edge", "rows") else 0  # a round relaxes all arcs there
    wanted = np.cumsum(np.full(n - 1 - first, -0.1, np.float32), dtype=np.float32)
    if query == "one":
        found = nearfar.sssp(graph, first, method=method, device=device).dist
    else:
        found = nearfar.mssp(graph, [first, n - 1], method=method, device=device).dist[0]
    assert found[first + 1 :].tobytes() == wanted.tobytes()
    assert first > 0 or wanted[-1] < -0.1 * n


@pytest.mark.parametrize("method", NEGATIVE)
def test_an_error_holds_no_memory(method):
    """Not even while the error is kept and nobody collects garbage."""
    device = opencl.open_device(0)
    ring = np.arange(5000)
    graph = Graph.from_arcs(ring, np.roll(ring, -1), np.full(5000, -1))
    errors, held = [], []
    gc.disable()
    try:
        for _ in range(3):
            with pytest.raises(NegativeCycleError) as caught:
                nearfar.sssp(graph, 0, method=method, device=DEVICE)
            errors.append(caught.value)
            held.append(sum(list(device.held.values())))
    finally:
        gc.enable()
    assert held[0] == held[1] == held[2] > 0  # the graph itself stays


def test_auto_stays_on_the_gpu(real_gpu, monkeypatch):
    """A card with room for the graph once: the copy that is there must not be in its own way."""
    device, graph = opencl.open_device(0), nearfar.generate.rmat(10, seed=3)
    room = sum(list(device.held.values())) + int((graph.nbytes + 80 * graph.n) / 0.9)
    monkeypatch.setattr(opencl.OpenCL, "free_memory", lambda self: room - sum(list(self.held.values())))
    found = opencl.found
    monkeypatch.setattr(opencl, "found", lambda: [replace(f, memory=device.free_memory()) for f in found()])
    used = [nearfar.sssp(graph, 0).stats["device"] for _ in range(3)]
    assert used == ["opencl:0"] * 3


def test_auto_falls_back_and_says_so(real_gpu, monkeypatch):
    graph = nearfar.generate.rmat(6, seed=1)
    assert nearfar.sssp(graph, 0).stats["device"] == "opencl:0"

    def build(self, stem, source):
        self.fail_build(stem, "error: no", RuntimeError("no"))

    monkeypatch.setattr(opencl.OpenCL, "build", build)
    monkeypatch.setattr(opencl, "_opened", {})
    result = nearfar.sssp(graph, 0)
    assert result.stats["device"] == "cpu" and "opencl:0 failed (KernelBuildError)" in result.plan.why
    assert nearfar.verify(graph, result)
    far = nearfar.sssp(nearfar.Graph.from_arcs([0, 1], [1, 2], [2 * 10**9, 2 * 10**9]), 0)
    assert far.dist.dtype == np.int64 and "opencl:0 failed" in far.plan.why  # also when the type was too narrow
    with pytest.raises(nearfar.errors.KernelBuildError):
        nearfar.sssp(graph, 0, device=DEVICE)


def test_a_wider_type_may_need_batches():
    """Memory for delta in int32, but not in int64: auto takes another method, and does not say it was asked for."""
    n = 3000
    graph = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 2**30), n)
    memory = nearfar.plan(graph, 0, device=DEVICE).bytes + 500
    result = nearfar.sssp(graph, 0, device=DEVICE, memory=memory)
    assert result.stats["method"] == "frontier" and result.dist.dtype == np.int64
    assert result.dist[-1] == (n - 1) * 2**30 and "asked for" not in result.plan.why

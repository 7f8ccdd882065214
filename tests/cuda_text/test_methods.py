"""Every GPU method, type and query by the CUDA text, all arcs on the device and in batches: the CPU's bits.

Layouts are a GPU's. In small graphs tuned numbers are small, too: then blocks work together, and hubs are cut into
parts.
"""

from __future__ import annotations

import pytest

import nearfar
from helpers.marks import needs_jit
from helpers.on_cuda import METHODS_THERE, STREAMING, TYPES, asked, check_same, make_graph, memory_for_batches
from helpers.on_device import new_array
from helpers.shrinking import shrink
from nearfar.errors import NegativeCycleError

pytestmark = [needs_jit, pytest.mark.usefixtures("cupy")]
each_method = pytest.mark.parametrize("method", METHODS_THERE)
each_streaming = pytest.mark.parametrize("method", STREAMING)
each_type = pytest.mark.parametrize("dtype", TYPES)
KERNELS = {  # that work on one source with all blocks
    "delta": ("delta_wide", "delta_narrow"),
    "frontier": ("frontier_wide", "frontier_narrow"),
    "edge": ("edge_round",),
    "prepared": ("sweep_wide", "sweep_narrow"),
    "floyd": ("floyd_tiles",),
}


@pytest.fixture
def small(monkeypatch):
    """Make tuned numbers small."""
    shrink(monkeypatch)


@each_method
@each_type
def test_resident(cupy, small, method, dtype):
    graph = make_graph(dtype, n=40, m=300)
    check_same(graph, asked(graph, device="cuda", method=method))
    assert all(cupy.launches[name] for name in KERNELS[method]), cupy.launches
    assert cupy.blocks[KERNELS[method][0]] > 1


@each_streaming
@each_type
@pytest.mark.parametrize("negative", [False, True])
def test_batched(small, method, dtype, negative, monkeypatch):
    shrink(monkeypatch, small={"MIN_BATCH": 16})
    graph = make_graph(dtype, negative, n=40, m=300)
    found = asked(graph, device="cuda", method=method, memory=memory_for_batches(graph, method))
    check_same(graph, found, batches=3)


@each_streaming
@each_type
def test_negative(small, method, dtype):
    graph = make_graph(dtype, negative=True, n=40, m=300)
    assert graph.min_weight < 0
    check_same(graph, asked(graph, device="cuda", method=method))


@each_type
@pytest.mark.parametrize("negative", [False, True])
def test_rows_that_stay(cupy, small, dtype, negative):
    graph = make_graph(dtype, negative, n=40, m=300)
    wanted = nearfar.mssp(graph, [0, 3, 17], device="cpu", method="frontier", cutoff=300)
    out = new_array("cuda", wanted.dist.shape, wanted.dist.dtype)
    nearfar.mssp(graph, [0, 3, 17], method="frontier", cutoff=300, out=out)
    assert out.get().tobytes() == wanted.dist.tobytes() and cupy.launches["finish_rows"]


@each_streaming
def test_negative_cycle(small, method):
    graph = nearfar.Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 1], [1, 2, -5, 2])
    for query in (lambda **o: nearfar.sssp(graph, 0, **o), lambda **o: nearfar.apsp(graph, **o)):
        with pytest.raises(NegativeCycleError) as caught:
            query(device="cuda", method=method)
        assert sorted(caught.value.cycle) == [1, 2, 3]


@pytest.mark.thorough
@each_method
@each_type
def test_tuned_numbers(method, dtype):
    """Larger graphs, with the numbers that real GPUs get but for the size of blocks."""
    graph = make_graph(dtype)
    check_same(graph, asked(graph, device="cuda", method=method))


@pytest.mark.thorough
@each_streaming
@each_type
@pytest.mark.parametrize("negative", [False, True])
def test_tuned_numbers_batched(method, dtype, negative):
    graph = make_graph(dtype, negative)
    found = asked(graph, device="cuda", method=method, memory=memory_for_batches(graph, method))
    check_same(graph, found, batches=3)

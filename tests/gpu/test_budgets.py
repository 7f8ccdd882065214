"""Launches are short: what one does not finish, the next continues; and a search that never ends is an error."""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import needs_jit
from helpers.reach import DEVICE, STREAMING, memory_for, short_launches, streaming, tiny_tuning
from helpers.strategies import cases
from nearfar import Graph, generate
from nearfar.devices import opencl
from nearfar.errors import DeviceError, NegativeCycleError
from nearfar.gpu import delta as gpu_delta
from nearfar.gpu import launch_loop, work
from nearfar.gpu import run as gpu_run
from nearfar.gpu.tuning import LAUNCH_SECONDS, MOST_UNITS

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

METHODS = ("delta", "frontier", "edge")


def same(graph, sources, method, **options):
    """Compare rows with the CPU's, to the bit; return the result."""
    found = nearfar.mssp(graph, sources, method=method, device=DEVICE, **options)
    assert found.rows.tobytes() == nearfar.mssp(graph, sources, device="cpu").rows.tobytes()
    return found


@pytest.mark.parametrize(
    ("method", "way"), [*((method, "resident") for method in METHODS), *((method, "batched") for method in STREAMING)]
)
def test_a_row_goes_on_in_the_next_launch(method, way):
    n = 100
    graph = Graph.from_arcs(np.arange(1, n), np.arange(n - 1), np.arange(n - 1) % 7)  # against the order of arcs
    options = {"memory": 20_000} if way == "batched" else {}
    for sources in ([99], [99, 50, 97]):
        with short_launches(5), streaming(20) if options else nullcontext():
            result = same(graph, sources, method, **options)
        assert (result.plan.arc_batches > 1) is bool(options) and result.stats["launches"] > 5


@needs_jit
@settings(max_examples=40)
@given(case=cases(max_n=20, max_m=120), data=st.data())
@pytest.mark.parametrize("method", METHODS)
def test_any_budget_gives_the_same(method, case, data):
    """Hubs, fat vertices and launches of a few units, which end anywhere in a round."""
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    sources = data.draw(st.lists(st.integers(0, graph.n - 1), min_size=1, max_size=5))
    with tiny_tuning(), short_launches(data.draw(st.integers(1, 4)), data.draw(st.integers(1, 40))):
        same(graph, sources, method)


@pytest.mark.parametrize("method", METHODS)
def test_hubs(method):
    """A vertex with a third of all arcs, of every width of weights."""
    rng, n, m = np.random.default_rng(5), 40, 3000
    tails, heads = rng.integers(0, n, m), rng.integers(0, n, m)
    tails[: m // 3] = 7
    for dtype in ("int32", "int64", "float32", "float64"):
        weights = rng.integers(0, 1000, m).astype(dtype)
        graph = Graph.from_arcs(tails, heads, weights, n=n)
        for sources in ([7], [0, 7, 9]):
            with tiny_tuning(), short_launches(3, 50):
                same(graph, sources, method)


def test_arcs_are_split_as_they_should():
    """Light arcs before heavy ones, nothing lost, for vertices of every degree."""
    rng, n = np.random.default_rng(2), 60
    degrees = np.concatenate((np.arange(50), rng.integers(0, 5000, 10)))
    tails = np.repeat(np.arange(n), degrees)
    graph = Graph.from_arcs(tails, rng.integers(0, n, len(tails)), rng.integers(1, 100, len(tails)), n=n)
    with tiny_tuning():
        result = nearfar.sssp(graph, 59, method="delta", device=DEVICE, delta=30)
    kept = {key.what: value for key, value in work._resident[graph].items()}
    device = opencl.open_device(0)
    arcs = device.get(kept["arcs"]).reshape(-1, 2)
    ends = device.get(kept["split"]["ends"])
    width = kept["split"]["key"][0]
    assert result.stats["method"] == "delta"
    for v in range(n):
        begin, middle, end = graph.offsets[v], ends[v], graph.offsets[v + 1]
        assert (arcs[begin:middle, 1] <= width).all() and (arcs[middle:end, 1] > width).all()
        mine = graph.arcs[begin:end]
        assert sorted(map(tuple, arcs[begin:end].tolist())) == sorted(zip(mine["head"], mine["weight"], strict=True))


@pytest.mark.parametrize("sources", ([0], [0, 1]), ids=("one", "some"))
def test_a_search_that_never_ends_is_an_error(sources, monkeypatch):
    graph = generate.road_grid(12, 12, seed=1)
    monkeypatch.setattr(gpu_delta, "most_stages", lambda n: 3)
    for module in (launch_loop, gpu_run):
        monkeypatch.setattr(module, "enough_rounds", lambda work: 2)
    for method in METHODS:
        with pytest.raises(DeviceError, match=r"did not end within .* any graph of 144 vertices.*nearfar selftest"):
            nearfar.mssp(graph, sources, method=method, device=DEVICE)
    monkeypatch.undo()
    for method in METHODS:  # and the device can go on
        same(graph, sources, method)


@needs_jit
@settings(max_examples=60)
@given(case=cases())
def test_no_search_takes_more_stages_than_the_bound(case):
    """Half of the bound, so that there is room."""
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    with pytest.MonkeyPatch.context() as patch:
        bound = gpu_delta.most_stages
        patch.setattr(gpu_delta, "most_stages", lambda n: bound(n) // 2)
        for sources in ([0], list(range(min(graph.n, 3)))):
            same(graph, sources, "delta")


@pytest.mark.parametrize("method", ("frontier", "edge"))
def test_cycles_are_found_in_short_launches(method):
    n = 50
    graph = Graph.from_arcs(np.arange(n), (np.arange(n) + 1) % n, [-1] + [0] * (n - 1))
    for sources in ([0], [3, 8]):
        with short_launches(1, 7), pytest.raises(NegativeCycleError):
            nearfar.mssp(graph, sources, method=method, device=DEVICE)


@pytest.mark.parametrize("method", ("frontier", "edge"))
def test_negative_weights_in_short_launches(method):
    rng, n, m = np.random.default_rng(8), 60, 400
    height, tails, heads = rng.integers(0, 300, n), rng.integers(0, n, m), rng.integers(0, n, m)
    graph = Graph.from_arcs(tails, heads, rng.integers(0, 50, m) + height[heads] - height[tails], n=n)
    for sources in ([0], [3, 8, 3, 9]):
        with short_launches(1, 7):
            same(graph, sources, method)
        with short_launches(1, 7), streaming(20):
            result = same(graph, sources, method, memory=memory_for(5, graph, sources, method=method))
        assert result.plan.arc_batches > 1


def test_pace():
    pace = launch_loop.Pace(2048)
    pace.took(LAUNCH_SECONDS / 5)
    assert pace.units == 4096
    pace.took(LAUNCH_SECONDS / 2)
    assert pace.units == 4096
    pace.took(2 * LAUNCH_SECONDS)
    assert pace.units == 2048
    for _ in range(40):
        pace.took(0)
    assert pace.units == MOST_UNITS
    for _ in range(40):
        pace.took(10)
    assert pace.units == 1


def test_widths_are_not_subnormal():
    """Devices may flush subnormal numbers to 0, and a width of 0 would never end."""
    for dtype in map(np.dtype, ("float32", "float64")):
        for weights in ([0, 0], [np.finfo(dtype).smallest_subnormal] * 2):
            graph = Graph.from_arcs([0, 1], [1, 2], np.array(weights, dtype))
            width = gpu_delta.fit_width(graph, gpu_delta.choose_width(graph), dtype)
            assert width >= np.finfo(dtype).tiny
            same(graph, [0], "delta")


def test_spans_of_arcs(monkeypatch):
    monkeypatch.setattr(work, "LAUNCH_ARCS", 10)
    offsets = np.array([0, 3, 3, 25, 26, 27, 40])
    spans = work.arc_spans(offsets)
    assert spans[0][0] == 0 and spans[-1][1] == 6
    assert all(first < last for first, last in spans)
    assert [first for first, _ in spans[1:]] == [last for _, last in spans[:-1]]
    assert all(offsets[last] - offsets[first] <= 10 + np.diff(offsets[first : last + 1]).max() for first, last in spans)
    assert work.arc_spans(np.array([0, 0, 0])) == [(0, 2)]

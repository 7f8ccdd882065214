"""`prepared` on a GPU: the CPU's prepared rows to the bit, whatever the type, with a core and without."""

from __future__ import annotations

import gc
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import QUERIES, ask, assert_negative_cycle, assert_same, build, expected, rows_of
from helpers.data import load
from helpers.marks import needs_jit
from helpers.reach import DEVICE, least_memory, pretending
from helpers.shapes import SHAPES, any_shape, shaped
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.elimination import levels
from nearfar.errors import DeviceMemoryError, MemoryLimitError, NegativeCycleError
from nearfar.gpu import launch_budget, row_blocks
from nearfar.gpu import prepared as gpu_prepared
from nearfar.kernels.cpu.constants import LANES

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

METHOD = "prepared"
GRID = nearfar.generate.road_grid(12, 12, seed=3)
TAILS = np.repeat(np.arange(GRID.n), np.diff(GRID.offsets))


levels_wide_from = st.sampled_from([0, 1, 2, 256])
budgets = st.sampled_from([0.1, 2e-5, 1e-7, 1e-8])  # seconds; the last is less than a vertex takes


@contextmanager
def narrow(most, budget=0.1):
    """Let levels of so many vertices be one group's job, and launches take so long at most, by their model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launch_budget, "LAUNCH_SECONDS", budget)
        patch.setattr(gpu_prepared, "HOST_NARROW", most)
        patch.setattr(gpu_prepared, "DEVICE_NARROW", most)
        yield


def both(query, graph, sources, **options):
    """Return what the CPU and the device answer."""
    return [ask(query, graph, sources, method=METHOD, device=device, **options) for device in ("cpu", DEVICE)]


# The order of levels.


@given(data=st.data())
def test_levels_hold_no_arc(data):
    case = data.draw(strategies.cases(max_n=40, max_m=120))
    with shaped(**data.draw(any_shape)):
        laid = nearfar.prepare(build(case)).hierarchy.layout
    found = levels.make_levels(laid)
    level = np.repeat(np.arange(len(found.begins) - 1), np.diff(found.begins))
    tails = np.repeat(np.arange(case.n), np.diff(found.starts))
    assert (np.diff(found.begins) > 0).all() and (found.begins[0], found.begins[-1]) == (0, case.n)
    assert (level[found.arcs["head"]] < level[tails]).all() and len(found.arcs) == len(laid.down_arcs)
    assert sorted(found.columns) == list(range(case.n)) and (found.positions[: laid.core] < laid.core).all()
    assert (found.positions[laid.positions] == found.columns).all()


# The CPU's bits.


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@settings(max_examples=10)
@given(data=st.data())
def test_grid(dtype, query, data):
    graphs = strategies.cases(dtypes=(dtype,), max_n=40, max_m=90)
    case, sources = data.draw(strategies.queries(graphs, max_sources=40))
    with shaped(**data.draw(any_shape)), narrow(data.draw(levels_wide_from), data.draw(budgets)):
        wanted, found = both(query, build(case), sources)
    assert_same(found, rows_of(wanted))
    if case.dtype is None or case.dtype.startswith("int"):
        assert_same(found, expected(query, case, sources))


@pytest.mark.parametrize(("dtype", "rows"), [("int32", "int64"), ("int64", "float64"), ("float32", "float64")])
@settings(max_examples=8)
@given(data=st.data())
def test_rows_of_another_type_than_lanes(dtype, rows, data):
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=(dtype,))))
    wanted, found = both("some", build(case), sources, dtype=rows)
    assert_same(found, rows_of(wanted))


def test_lanes_wider_than_rows():
    """Sums up to 2**30 need lanes of 64 bits, but fit rows of 32; beyond those, rows are widened."""
    for heavy, dtype in ((2**27, np.int32), (2**30, np.int64)):
        graph = Graph.from_arcs(range(9), range(1, 10), np.full(9, heavy))
        assert nearfar.prepare(graph).hierarchy.layout.dtype == np.int64
        wanted, found = both("all", graph, [0])
        assert_same(found, rows_of(wanted))
        assert found.dist.dtype == dtype and found.dist[0, -1] == 9 * heavy


@pytest.mark.parametrize("query", QUERIES)
@settings(max_examples=15)
@given(data=st.data())
def test_negative_weights(query, data):
    case, sources = data.draw(strategies.queries(strategies.negative_cases(dtypes=("int32", "float64"))))
    wanted, found = both(query, build(case), sources)
    assert_same(found, rows_of(wanted))
    assert_same(found, expected(query, case, sources))  # sums of eighths are exact


@settings(max_examples=30)
@given(data=st.data())
def test_negative_cycles(data):
    """Named where a source reaches one, of no account where none does."""
    case, sources = data.draw(strategies.queries(strategies.cycle_cases(dtypes=("int32", "float64"))))
    query = data.draw(st.sampled_from(("one", "some", "nearest")))
    graph, rows = build(case), expected(query, case, sources)
    if rows is not None:
        assert_same(ask(query, graph, sources, method=METHOD, device=DEVICE), rows)
        return
    with pytest.raises(NegativeCycleError) as caught:
        ask(query, graph, sources, method=METHOD, device=DEVICE)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("dtype", ("int32", "float64"))
@settings(max_examples=15)
@given(data=st.data())
def test_limits(dtype, data):
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=(dtype,))))
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    cutoff = data.draw(st.none() | st.integers(0, 12))
    wanted, found = both("some", build(case), sources, targets=targets, cutoff=cutoff)
    assert_same(found, rows_of(wanted))


@settings(max_examples=15)
@given(data=st.data())
def test_as_on_a_gpu(data):
    """A work-item a lane, in groups of 256: teams share the arcs of a vertex."""
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=("int32",), max_n=40, max_m=200)))
    with shaped(**data.draw(any_shape)), narrow(data.draw(levels_wide_from)), pretending(gpu=True):
        wanted, found = both("some", build(case), sources)
    assert_same(found, rows_of(wanted))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("shape", ("large core", "small core", "closed core"))
@pytest.mark.parametrize("dtype", ("int32", "float64"))
def test_with_a_core(dtype, shape, query):
    graph = Graph.from_arcs(TAILS, GRID.heads, (GRID.weights / 7).astype(dtype), GRID.n)
    with shaped(**SHAPES[shape]):
        assert 1 < nearfar.prepare(graph).hierarchy.structure.core < graph.n
        wanted, found = both(query, graph, [5, 90, 17, 17])
    assert_same(found, rows_of(wanted))


def test_lanes_are_independent():
    """More rows than a block has lanes, some of them the same, in an order that is not that of the tree."""
    sources = np.random.default_rng(1).integers(0, GRID.n, 3 * gpu_prepared.WIDTH + 5)
    for facts in ({}, {"gpu": True}):
        with pretending(**facts):
            wanted, found = both("some", GRID, sources)
        assert_same(found, rows_of(wanted))


# What stays on the device, and what fits.


def test_arcs_stay_with_the_prepared_graph():
    graph = nearfar.generate.road_grid(12, 12, seed=3)
    prepared, device = nearfar.prepare(graph), opencl.open_device(0)
    first, second = (prepared.mssp([0, 5], device=DEVICE) for _ in range(2))
    arcs = len(prepared.hierarchy.layout.down_arcs)
    assert first.stats["uploaded"] - second.stats["uploaded"] >= 8 * arcs
    assert first.stats["method"] == METHOD and first.stats["device"] == "opencl:0"
    assert first.stats["relaxations"] == 2 * arcs
    again = nearfar.prepare(graph)
    assert again.mssp([0, 5], device=DEVICE).dist.tobytes() == first.dist.tobytes()
    held = sum(list(device.held.values()))
    del prepared, again, first, second
    gc.collect()
    assert sum(list(device.held.values())) <= held - 8 * arcs  # although the graph lives on


def test_nothing_stays_of_what_nobody_keeps():
    graph, device = nearfar.generate.road_grid(12, 12, seed=3), opencl.open_device(0)
    nearfar.mssp(graph, [0, 5], method=METHOD, device=DEVICE)
    gc.collect()
    held = sum(list(device.held.values()))
    nearfar.mssp(graph, [0, 5], method=METHOD, device=DEVICE)
    gc.collect()
    assert sum(list(device.held.values())) == held


def test_new_weights():
    prepared = nearfar.prepare(GRID.without_rows())
    prepared.mssp([0, 5], device=DEVICE)
    changed = prepared.reweight(GRID.weights + np.arange(GRID.m) % 5)
    found = changed.mssp([0, 5], device=DEVICE).dist
    assert found.tobytes() == nearfar.mssp(changed.graph, [0, 5], device="cpu").dist.tobytes()


def test_rows_in_batches():
    options = {"method": METHOD, "device": DEVICE}

    def is_enough(memory):
        return bool(nearfar.plan(GRID, None, memory=memory, **options).layouts)

    memory = least_memory(is_enough)
    wanted = nearfar.apsp(GRID, method=METHOD, device="cpu").dist.tobytes()
    for more in (1, 1.5, 4):
        result = nearfar.apsp(GRID, memory=int(more * memory), **options)
        assert result.plan.row_batches > 1 and result.dist.tobytes() == wanted
        assert result.plan.bytes <= more * memory
    with pytest.raises(MemoryLimitError):
        nearfar.apsp(GRID, memory=memory - 1, **options)


def test_more_memory_than_was_expected(monkeypatch):
    """Fewer lanes at once where the hierarchy is larger than planned; an error where not one block is left."""
    prepared = nearfar.prepare(GRID)
    wanted = prepared.apsp(device="cpu").dist.tobytes()
    room = gpu_prepared.Sweeps._fitting_blocks
    blocks = []

    def fewer(engine, facts):
        blocks.append(room(engine, facts))
        return min(blocks[-1], 2)

    with monkeypatch.context() as patch:
        patch.setattr(gpu_prepared.Sweeps, "_fitting_blocks", fewer)
        assert prepared.apsp(device=DEVICE).dist.tobytes() == wanted and blocks[-1] > 2
    needed = nearfar.plan(GRID, None, method=METHOD, device=DEVICE).bytes
    monkeypatch.setattr(gpu_prepared, "size_of", lambda kept: needed)
    with pytest.raises(DeviceMemoryError, match=r"needs .* on opencl:0 .* may be used"):
        prepared.apsp(device=DEVICE, memory=needed)
    monkeypatch.undo()
    assert prepared.apsp(device=DEVICE).dist.tobytes() == wanted


def test_the_next_rows_climb_while_the_device_sweeps(monkeypatch):
    """Between the launches of a sweep and the next climb, nothing is called that may wait for the device."""
    prepared, calls = nearfar.prepare(GRID), []
    waiting = ("upload", "get", "finish")
    monkeypatch.setattr(gpu_prepared.Sweeps, "_fitting_blocks", lambda engine, facts: 1)
    monkeypatch.setattr(row_blocks, "LAUNCH_SECONDS", 1e9)  # rows come in blocks of several sweeps
    for owner, name in ((gpu_prepared.Sweeps, "climb"), *((opencl.OpenCL, name) for name in waiting)):
        monkeypatch.setattr(owner, name, noted(getattr(owner, name), lambda _, name=name: name, calls))
    monkeypatch.setattr(opencl.Kernel, "__call__", noted(opencl.Kernel.__call__, lambda kernel: kernel._name, calls))
    prepared.apsp(device=DEVICE)
    sweeps = [tuple(group.split()) for group in " ".join(calls).split("climb")]
    in_between = [[call for call in sweep[sweep.index("sweep_note") :] if call in waiting] for sweep in sweeps[1:]]
    overlapped = [waits for waits in in_between if "get" not in waits]  # else rows were fetched: the end of a block
    assert len(overlapped) >= 2 and not any(overlapped)


def noted(method, told, calls):
    """Return a method that also appends what is told of its owner to a list."""

    def call(owner, *given, **options):
        calls.append(told(owner))
        return method(owner, *given, **options)

    return call


def test_no_real_gpu_that_is_too_small():
    from nearfar.devices.facts import Facts
    from nearfar.gpu.planning import choose_device

    graph = nearfar.generate.road_grid(30, 30)
    small, large = (Facts(name, 8, memory, gpu=True) for name, memory in (("a", 200_000), ("b", 10**8)))
    assert choose_device([small], graph, 900, "delta") is small
    assert choose_device([small], graph, 900, METHOD) is None
    assert choose_device([small, large], graph, 900, METHOD) is large


def test_without_sweeps():
    """Where so much cannot be eliminated that single rows are faster, they are settled on the host, and it is told."""
    with shaped(**SHAPES["core by rows"]):
        assert nearfar.prepare(GRID).hierarchy.by_rows
        wanted, found = both("all", GRID, [0])
    assert_same(found, rows_of(wanted))
    assert "dijkstra" in found.stats["instead"]


# Real graphs.


@needs_jit
def test_all_pairs_of_rome():
    _, graph = load("rome99.gr")
    result = nearfar.apsp(graph, method=METHOD, device=DEVICE)
    assert result.dist.tobytes() == nearfar.apsp(graph, device="cpu", method="dijkstra").dist.tobytes()


@needs_jit
def test_some_rows_of_new_york():
    _, graph = load("USA-road-d.NY.gr")
    prepared = nearfar.prepare(graph)
    sources = np.random.default_rng(6).integers(0, graph.n, 4 * LANES)
    result = prepared.mssp(sources, device=DEVICE)
    assert result.dist.tobytes() == prepared.mssp(sources, device="cpu").dist.tobytes()
    assert result.dist[0].tobytes() == nearfar.sssp(graph, sources[0], device="cpu").dist.tobytes()

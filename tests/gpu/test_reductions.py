"""Rows reduced on a device: the CPU's sums to the bit, and counts and maxima of the rows; only these are downloaded."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import build
from helpers.interrupts import assert_interrupted, run_program
from helpers.reach import DEVICE, least_memory, pretending
from helpers.shapes import SHAPES, any_shape, shaped
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.engine.query import check
from nearfar.engine.run import new_problem
from nearfar.engine.solve import plan_query
from nearfar.errors import DeviceError, DeviceMemoryError, MemoryLimitError
from nearfar.gpu import launch_budget, reductions
from nearfar.gpu import prepared as gpu_prepared
from nearfar.kernels.cpu.constants import SUM_PART
from nearfar.methods.problem import Controls

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

GRID = nearfar.generate.road_grid(40, 40, seed=3)
TAILS = np.repeat(np.arange(GRID.n), np.diff(GRID.offsets))
PARTS = -(-GRID.n // SUM_PART)


def grid_of(dtype):
    """Return a grid of several parts, whose sums of floats are rounded; it ends within a part."""
    assert PARTS > 1 and GRID.n % SUM_PART
    uneven = np.random.default_rng(5).random(GRID.m)
    return Graph.from_arcs(TAILS, GRID.heads, (GRID.weights * uneven).astype(dtype), GRID.n)


def reduced(prepared, sources, wanted=reductions.REDUCTIONS, **options):
    """Return reductions that a device finds, by name."""
    query = check(prepared, np.asarray(sources, np.int32), method="prepared", device=DEVICE, **options)
    plan = plan_query(query)
    problem, _ = new_problem(query, plan, prepared.hierarchy.layout.dtype)
    return reductions.reduce_rows(plan.gpu, problem, wanted, Controls(threads=1))[0]


def assert_reduced(prepared, sources):
    """Compare sums with the CPU's bits, and counts and maxima with the rows."""
    found = reduced(prepared, sources)
    sums, rows = prepared.row_sums(sources, device="cpu"), prepared.mssp(sources, device="cpu").dist
    assert found["sum"].dtype == sums.dtype and found["sum"].tobytes() == sums.tobytes()
    reached = np.isfinite(rows) if rows.dtype.kind == "f" else rows < np.iinfo(rows.dtype).max
    assert found["count"].tolist() == reached.sum(axis=1).tolist()
    assert found["maximum"].tolist() == np.where(reached, rows, 0).max(axis=1).tolist()
    assert prepared.row_sums(sources, device=DEVICE).tobytes() == sums.tobytes()


# The CPU's bits.


@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@settings(max_examples=12)
@given(data=st.data())
def test_small_graphs(dtype, data):
    """Disconnected ones, zeros, single vertices, sources that repeat."""
    graphs = strategies.cases(dtypes=(dtype,), max_n=40, max_m=90)
    case, sources = data.draw(strategies.queries(graphs, max_sources=40))
    with shaped(**data.draw(any_shape)):
        assert_reduced(nearfar.prepare(build(case)), sources)


@settings(max_examples=12)
@given(data=st.data())
def test_negative_weights(data):
    case, sources = data.draw(strategies.queries(strategies.negative_cases(dtypes=("int32", "float64"))))
    assert_reduced(nearfar.prepare(build(case)), sources)


@pytest.mark.parametrize("dtype", strategies.DTYPES[:4])
@pytest.mark.parametrize("facts", ({}, {"gpu": True}), ids=("as on a CPU", "as on a GPU"))
def test_several_parts(dtype, facts):
    """Floats are added up in the same order on both, of which the sums of whole rows show nothing but rounding."""
    prepared = nearfar.prepare(grid_of(dtype))
    with pretending(**facts):
        assert_reduced(prepared, np.random.default_rng(1).integers(0, GRID.n, 3 * gpu_prepared.WIDTH + 5))
        rows = prepared.mssp([0, 77], device="cpu").dist
    assert prepared.row_sums([0, 77], device=DEVICE) == pytest.approx(rows.sum(axis=1, dtype=float), rel=1e-12)


@pytest.mark.parametrize("shape", ("large core", "small core", "closed core", "core by rows"))
def test_with_a_core(shape):
    graph = nearfar.generate.road_grid(12, 12, seed=3)
    with shaped(**SHAPES[shape]):
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.structure.core > 1
        assert_reduced(prepared, [5, 90, 17, 17])


def test_one_vertex_and_none():
    assert nearfar.prepare(Graph.from_arcs([], [], n=1)).row_sums(device=DEVICE).tolist() == [0]
    assert nearfar.prepare(Graph.from_arcs([], [], n=0)).row_sums(device=DEVICE).tolist() == []


def test_each_reduction_alone():
    """A program is built for the reductions that are wanted, and each has the place of its own."""
    prepared, sources = nearfar.prepare(grid_of("float32")), [3, 900, 4]
    together = reduced(prepared, sources)
    for name in reductions.REDUCTIONS:
        assert reduced(prepared, sources, (name,))[name].tobytes() == together[name].tobytes()
    some = reduced(prepared, sources, ("maximum", "sum"))
    assert {name: found.tobytes() for name, found in some.items()} == {
        name: together[name].tobytes() for name in ("sum", "maximum")
    }


# Within cutoffs.


@pytest.fixture
def blocks_refused(monkeypatch):
    """Let only devices reduce: no block of rows is folded on the host."""

    def refuse(*given):
        raise AssertionError("rows came to the host")

    monkeypatch.setattr("nearfar.engine.folds._by_blocks", refuse)


@pytest.mark.parametrize("dtype", ("int32", "int64", "float32", "float64"))
def test_within_cutoffs(dtype, blocks_refused):
    """Amounts, counts, inverses and sums within cutoffs are the CPU's; those of whole numbers to the bit."""
    prepared, metrics = nearfar.prepare(grid_of(dtype)), nearfar.metrics
    rng = np.random.default_rng(4)
    jobs, shares = rng.integers(0, 50, GRID.n), rng.random(GRID.n)
    typical = float(np.median(prepared.mssp([0], device="cpu").dist))
    ends = [0, typical / 3, typical, 3 * typical]

    def both(function, *given, **options):
        return [function(prepared, *given, device=name, **options).values for name in ("cpu", DEVICE)]

    for host, device in (both(metrics.reach, ends), both(metrics.accessibility, jobs, cutoffs=ends)):
        assert host.dtype == device.dtype and host.tobytes() == device.tobytes()
    for host, device in (
        both(metrics.accessibility, shares, cutoffs=ends),
        both(metrics.harmonic),
        both(metrics.harmonic, cutoff=typical),
        both(metrics.closeness, cutoff=typical),
    ):
        assert host.shape == device.shape and device == pytest.approx(host, rel=1e-12)
    for host, device in (both(metrics.eccentricity, reached_only=True, cutoff=typical), both(metrics.mean_distance)):
        assert device.tolist() == host.tolist()


def test_a_cutoff_by_hand(blocks_refused):
    """On a line of four: what lies within 0, 2 and 5 of each vertex."""
    prepared = nearfar.prepare(Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 3, 4], undirected=True))
    found = nearfar.metrics.accessibility(prepared, [1, 10, 100, 1000], cutoffs=[0, 2, 5], device=DEVICE).values
    assert found.tolist() == [[1, 11, 111], [10, 11, 111], [100, 100, 1111], [1000, 1000, 1100]]
    harmonic = nearfar.metrics.harmonic(prepared, device=DEVICE).values
    assert harmonic.tolist() == pytest.approx(
        [1 / 2 + 1 / 5 + 1 / 9, 1 / 2 + 1 / 3 + 1 / 7, 1 / 3 + 1 / 5 + 1 / 4, 1 / 4 + 1 / 7 + 1 / 9]
    )


# What moves, what stays, and what fits.


def test_only_the_sums_are_downloaded():
    prepared, device = nearfar.prepare(grid_of("int32")), opencl.open_device(0)
    for sources in ([7], range(100), None):
        before = device.traffic.copy()
        sums = prepared.row_sums(sources, device=DEVICE)
        assert (device.traffic - before).downloaded == 8 * len(sums) == sums.nbytes


def test_arcs_stay_with_the_prepared_graph():
    prepared, device = nearfar.prepare(grid_of("int32")), opencl.open_device(0)
    uploaded = []
    for _ in range(2):
        before = device.traffic.copy()
        prepared.row_sums([0, 5], device=DEVICE)
        uploaded.append((device.traffic - before).uploaded)
    arcs, order = 8 * len(prepared.hierarchy.layout.down_arcs), 4 * GRID.n
    assert uploaded[0] - uploaded[1] >= arcs + order
    before = device.traffic.copy()
    prepared.mssp([0, 5], device=DEVICE)
    assert (device.traffic - before).uploaded < arcs


def test_in_several_sweeps(monkeypatch):
    """The next rows climb while the device sweeps; launches are split; progress counts rows."""
    prepared, seen = nearfar.prepare(grid_of("float64")), []
    wanted = prepared.row_sums(device="cpu").tobytes()
    calls = []
    monkeypatch.setattr(gpu_prepared.Sweeps, "_fitting_blocks", lambda engine, facts: 2)
    for name in ("climb", "launch"):
        method = getattr(gpu_prepared.Sweeps, name)
        monkeypatch.setattr(
            gpu_prepared.Sweeps, name, lambda *given, name=name, method=method: [calls.append(name), method(*given)][1]
        )
    monkeypatch.setattr(launch_budget, "SLOW_BYTES", 10**6)
    found = prepared.row_sums(device=DEVICE, progress=lambda *now: seen.append(now))
    assert found.tobytes() == wanted and seen[-1] == (GRID.n, GRID.n)
    sweeps = GRID.n // (2 * gpu_prepared.WIDTH)
    assert calls == ["climb", *["launch", "climb"] * (sweeps - 1), "launch"]


def test_less_memory():
    prepared = nearfar.prepare(GRID)

    def is_enough(memory):
        return bool(nearfar.plan(GRID, None, memory=memory, method="prepared", device=DEVICE).layouts)

    memory, device = least_memory(is_enough), opencl.open_device(0)
    wanted, most = prepared.row_sums(device="cpu").tobytes(), []
    held = sum(list(device.held.values()))
    empty = type(device).empty
    with pytest.MonkeyPatch.context() as patch:

        def counted(*given):
            buffer = empty(*given)
            most.append(sum(list(device.held.values())) - held)
            return buffer

        patch.setattr(type(device), "empty", counted)
        assert prepared.row_sums(device=DEVICE, memory=2 * memory).tobytes() == wanted
    assert max(most) <= 2 * memory
    with pytest.raises((MemoryLimitError, DeviceMemoryError)):
        prepared.row_sums(device=DEVICE, memory=memory - 1)


def test_devices_are_checked(monkeypatch):
    prepared = nearfar.prepare(grid_of("float32"))
    wanted = prepared.row_sums([1], device="cpu").tobytes()
    with pretending(doubles=False), pytest.raises(DeviceError, match="has no float64"):
        prepared.row_sums([1], device=DEVICE)

    def fail(*given, **options):
        raise DeviceError("out of order")

    monkeypatch.setattr(reductions, "reduce_rows", fail)
    with pytest.raises(DeviceError, match="out of order"):
        prepared.row_sums([1], device=DEVICE)
    plan = plan_query(check(prepared, np.array([1], np.int32), device=DEVICE))
    first = iter([plan])
    monkeypatch.setattr("nearfar.engine.folds.plan_query", lambda query: next(first, None) or plan_query(query))
    with pytest.warns(RuntimeWarning, match="opencl:0 failed, so the CPU adds up the rows"):
        assert prepared.row_sums([1]).tobytes() == wanted  # "auto": the CPU takes over


INTERRUPTED = """
from nearfar.devices import opencl
from nearfar.gpu import prepared as gpu_prepared

graph = nearfar.generate.road_grid(30, 30)
prepared = nearfar.prepare(graph)
wanted = prepared.row_sums()
gpu_prepared.Sweeps._fitting_blocks = lambda engine, facts: 1
assert (prepared.row_sums(device="opencl") == wanted).all()
call = opencl.Kernel.__call__

for number in (1, 2, 5, 30):
    launched = []

    def launch(kernel, *given):
        launched.append(1)
        if len(launched) == number:
            press_and_wait(keyboard.stop)
        call(kernel, *given)

    opencl.Kernel.__call__ = launch
    interrupt(f"launch {number}", lambda: prepared.row_sums(device="opencl"), None)
    opencl.Kernel.__call__ = call
    print(json.dumps(len(launched) - number), flush=True)
    assert (prepared.row_sums([0, 70], device="opencl") == wanted[[0, 70]]).all()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot press Ctrl-C for one thread on Windows")
def test_interrupt():
    """At any launch: the sums end by KeyboardInterrupt after few further launches."""
    answers = run_program(INTERRUPTED)
    assert_interrupted(answers[::2], [f"launch {number}" for number in (1, 2, 5, 30)])
    assert max(answers[1::2]) <= 4

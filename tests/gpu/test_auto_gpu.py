"""What "auto" does on machines that are pretended: nothing runs, plans are made from facts about devices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from nearfar.devices import DEVICES
from nearfar.devices.facts import Facts, estimate_bandwidth
from nearfar.engine import solve
from nearfar.engine.candidates import outlook_of
from nearfar.engine.estimate import preparing_seconds, seconds_on_cpu
from nearfar.engine.planner import make_gpu_plan
from nearfar.gpu import GPU_METHODS
from nearfar.gpu.model import copy_speed
from nearfar.gpu.planning import choose_device, expected_seconds

RTX = Facts("cuda:0", 46, 8 << 30, "RTX", gpu=True, group_size=1024, bandwidth=448e9)
INTEGRATED = Facts("opencl:0", 96, 16 << 30, "Iris", gpu=True, group_size=512, unified=True)
OLD = Facts("opencl:1", 4, 2 << 30, "GTX 750", gpu=True, group_size=1024)
MACHINES = {"rtx": [RTX], "integrated": [INTEGRATED], "old": [OLD], "both": [INTEGRATED, RTX], "none": []}


@pytest.fixture(scope="module")
def roads():
    return nearfar.generate.road_grid(500, 500, seed=1)


@pytest.fixture(scope="module")
def dense():
    return nearfar.generate.complete(1200, seed=1)


def plan_on(found, graph, sources=None, **options):
    """Return the plan of a query without a device, on a machine with these GPUs."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("cuda", "opencl"):
            here = [facts for facts in found if facts.name.startswith(kind)]
            patch.setattr(DEVICES[kind], "found", lambda here=here: here)
        return nearfar.plan(graph, sources, **options)


@pytest.mark.parametrize(
    ("machine", "threads", "wanted"),
    [
        ("none", 2, ("cpu", "prepared")),
        ("integrated", 2, ("cpu", "prepared")),  # which was delta on the GPU before
        ("old", 2, ("cpu", "prepared")),
        ("rtx", 2, ("cpu", "prepared")),  # rows come home no faster than two threads sweep them
        ("rtx", 1, ("cuda:0", "prepared")),
        ("both", 1, ("cuda:0", "prepared")),
    ],
)
def test_all_pairs_of_roads(roads, machine, threads, wanted):
    plan = plan_on(MACHINES[machine], roads, threads=threads)
    assert (plan.device, plan.method) == wanted
    assert "preparing is faster" in plan.why and ("(model)" in plan.why) is (machine != "none")


@pytest.mark.parametrize(
    ("machine", "threads", "device"),
    [("rtx", 4, "cuda:0"), ("rtx", 16, "cuda:0"), ("integrated", 4, "opencl:0"), ("integrated", 16, "cpu"),
     ("old", 4, "opencl:1"), ("old", 16, "cpu"), ("both", 4, "cuda:0")],
)  # fmt: skip
def test_some_rows_of_roads(roads, machine, threads, device):
    """Too few rows to prepare: single rows on either side."""
    plan = plan_on(MACHINES[machine], roads, range(400), threads=threads)
    assert (plan.device, plan.method) == (device, "dijkstra" if device == "cpu" else "delta")


@pytest.mark.parametrize(
    ("machine", "threads", "device"),
    [
        ("rtx", 2, "cuda:0"),
        ("both", 2, "cuda:0"),
        ("integrated", 2, "cpu"),
        ("integrated", 8, "cpu"),
        ("old", 8, "cpu"),
    ],
)
def test_dense_graphs_are_closed_on_either_side(dense, machine, threads, device):
    plan = plan_on(MACHINES[machine], dense, threads=threads)
    assert (plan.device, plan.method) == (device, "floyd")


def test_a_named_gpu_knows_prepared_and_floyd(roads, dense):
    """The device was asked for, the method was not: the fastest one there."""
    types = [np.dtype(np.int32)]
    for facts in (RTX, INTEGRATED):
        shared = {"method": "auto", "types": types, "facts": [facts], "threads": 2, "memory": None, "host_free": 10**13}
        assert make_gpu_plan(roads, roads.n, **shared).method == "prepared"
        assert make_gpu_plan(dense, dense.n, **shared).method == "floyd"
        assert make_gpu_plan(roads, 50, **shared).method == "delta"
        for limit in ({"targets": 3}, {"bounded": True}):
            assert make_gpu_plan(roads, roads.n, **shared, **limit).method == "delta"
        two = {**shared, "facts": [facts, replace(facts, name="cuda:1")]}
        assert make_gpu_plan(roads, roads.n, **two).method == "prepared"


def test_a_prepared_graph_need_not_be_prepared(roads, monkeypatch):
    """Only its sweeps are compared."""
    prepared = nearfar.prepare(nearfar.generate.road_grid(60, 60, seed=1))
    monkeypatch.setattr(solve, "GPU_MARGIN", 1e9)
    monkeypatch.setattr("nearfar.gpu.planning.AUTO_GPU_WORK", 0)
    seen = []
    monkeypatch.setattr(solve, "preparing_seconds", lambda graph, outlook: seen.append(graph) or 1.0)
    assert plan_on([RTX], prepared).device == "cuda:0" and not seen
    assert plan_on([RTX], prepared.graph, method="prepared").device == "cuda:0" and seen


def test_arcs_that_are_on_the_device_need_no_copy(roads, monkeypatch):
    plan = plan_on([RTX], roads, range(400), threads=4)
    monkeypatch.setattr(solve, "is_kept", lambda graph, device: True)
    again = plan_on([RTX], roads, range(400), threads=4)
    assert plan.why != again.why and plan.device == again.device


@settings(max_examples=60)
@given(
    cores=st.integers(1, 200),
    bandwidth=st.just(0.0) | st.floats(1e9, 3e12),
    unified=st.booleans(),
    memory=st.integers(10**6, 10**11),
    rows=st.integers(1, 249_999),
    threads=st.integers(1, 64),
    method=st.sampled_from(["auto", *GPU_METHODS]),
)
def test_never_slower_than_the_cpu_by_the_model(roads, cores, bandwidth, unified, memory, rows, threads, method):
    device = Facts("cuda:0", cores, memory, gpu=True, group_size=1024, unified=unified, bandwidth=bandwidth)
    sources = range(rows)
    plan = plan_on([device], roads, sources, threads=threads, method=method)
    cpu = plan_on([], roads, sources, threads=threads, method=method)
    if plan.device == "cpu":
        assert (plan.method, plan.threads, plan.bytes) == (cpu.method, cpu.threads, cpu.bytes)
        return
    seconds, seen = (
        expected_seconds(roads, rows, plan.method, plan.dtype, plan.gpu.facts, plan.layouts),
        outlook_of(roads),
    )
    if plan.method == "prepared":
        seconds += preparing_seconds(roads, seen)
    else:
        seconds += roads.arc_bytes / copy_speed(device)
    assert seconds < seconds_on_cpu(roads, rows, cpu.method, cpu.threads, 4, outlook=seen)


def test_ranking_of_devices(roads):
    """Cards before integrated GPUs, then by the bandwidth of their memory; never by compute units alone."""
    fast, unknown = replace(RTX, name="cuda:1", bandwidth=900e9), replace(RTX, name="opencl:2", bandwidth=0.0)
    assert choose_device([INTEGRATED, RTX], roads, 1000, "auto") is RTX
    assert choose_device([INTEGRATED, OLD], roads, 1000, "auto") is OLD
    assert choose_device([RTX, fast, INTEGRATED], roads, 1000, "auto") is fast
    assert choose_device([unknown, RTX], roads, 1000, "auto") is RTX  # the same card by another driver
    assert choose_device([INTEGRATED, replace(RTX, memory=10**6)], roads, 1000, "auto") is INTEGRATED


def test_estimated_bandwidth():
    assert estimate_bandwidth(gpu=True, unified=True, cores=96) == estimate_bandwidth(False, False, 64) == 50e9
    assert estimate_bandwidth(gpu=True, unified=False, cores=46) == 368e9
    assert estimate_bandwidth(gpu=True, unified=False, cores=512) == 500e9
    assert INTEGRATED.expected_bandwidth < RTX.expected_bandwidth == RTX.bandwidth == 448e9

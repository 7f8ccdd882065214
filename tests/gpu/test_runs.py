"""A run on a GPU: what stays on the device, the figures it reports, and that after any failure the next one works."""

from __future__ import annotations

import gc
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import nearfar
from helpers.interrupts import assert_interrupted, run_program
from helpers.reach import ALL, DEVICE, STREAMING, let_auto_take_gpus, memory_for, pretending
from nearfar import Graph
from nearfar.devices import DEVICES, cpu, opencl
from nearfar.devices.facts import Facts
from nearfar.errors import DeviceError, DeviceMemoryError, MemoryLimitError, MethodError
from nearfar.gpu import work as gpu_work
from nearfar.gpu.tuning import LAUNCHES_AHEAD

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

every_method = pytest.mark.parametrize("method", ALL)


@pytest.fixture
def graph():
    return nearfar.generate.rmat(9, seed=5)


@pytest.fixture
def device():
    gc.collect()
    return opencl.open_device(0)


def held(device):
    return sum(list(device.held.values()))


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    """Queries start threads that can be joined: one that is done may hold on to buffers until it has left."""
    started = []

    def start(function, arguments):
        started.append(threading.Thread(target=function, args=arguments, daemon=True))
        started[-1].start()

    monkeypatch.setattr(cpu, "_thread", SimpleNamespace(start_new_thread=start))
    return started


@pytest.fixture
def held_at_last(device, threads):
    """Return a function for the bytes that are held when all threads have left."""

    def count():
        while threads:
            threads.pop().join()
        gc.collect()
        return held(device)

    return count


@every_method
def test_the_graph_stays_and_goes(method, graph, held_at_last):
    before = held_at_last()
    first = nearfar.sssp(graph, 0, method=method, device=DEVICE)
    assert first.stats["uploaded"] >= graph.arc_bytes
    del first
    kept = held_at_last() - before
    assert kept >= graph.arc_bytes
    for _ in range(3):
        again = nearfar.sssp(graph, 1, method=method, device=DEVICE)
        assert again.stats["uploaded"] < graph.nbytes / 20
        assert nearfar.verify(graph, again)
    assert held_at_last() == before + kept
    many = nearfar.mssp(graph, range(20), method=method, device=DEVICE)
    assert many.stats["uploaded"] < graph.nbytes / 20 and held_at_last() == before + kept


@every_method
def test_memory_is_freed_with_the_graph(method, device, held_at_last):
    before = held_at_last()
    graph = nearfar.generate.rmat(9, seed=6)
    result = nearfar.sssp(graph, 0, method=method, device=DEVICE)
    assert held(device) > before
    del graph, result
    assert held_at_last() == before


@every_method
@pytest.mark.parametrize("sources", ([0], range(30)), ids=("one", "some"))
def test_a_run_keeps_to_its_plan(method, sources, device, monkeypatch):
    """What is allocated at once is what the plan says, give or take a page."""
    most, empty = [0], opencl.OpenCL.empty

    def counted(self, count, dtype):
        buffer = empty(self, count, dtype)
        most[0] = max(most[0], held(device) - before)
        return buffer

    for batches in (1, 12) if method in STREAMING else (1,):
        graph = nearfar.generate.road_grid(60, 60, seed=2)
        limit = memory_for(12, graph, sources, method=method) if batches > 1 else None
        gc.collect()
        before, most[0] = held(device), 0
        monkeypatch.setattr(opencl.OpenCL, "empty", counted)
        result = nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=limit)
        assert (result.plan.arc_batches > 1) is (batches > 1)
        assert 0.5 * result.plan.bytes < most[0] <= result.plan.bytes + 4096


@every_method
def test_figures(method, graph):
    one = nearfar.sssp(graph, 0, method=method, device=DEVICE).stats
    assert (one["device"], one["method"], one["batches"]) == ("opencl:0", method, 1)
    assert one["launches"] >= 3 and one["downloaded"] >= 4 * graph.n and 2 <= one["rounds"] < graph.n
    reached = (nearfar.sssp(graph, 0, device="cpu").dist < 2**31 - 1).nonzero()[0]
    assert one["relaxations"] >= np.diff(graph.offsets)[reached].sum()
    many = nearfar.apsp(graph, method=method, device=DEVICE).stats
    assert many["downloaded"] >= 4 * graph.n**2 and many["relaxations"] >= 10 * one["relaxations"]


@pytest.mark.parametrize("method", STREAMING)
def test_figures_of_batches(method):
    """A path through all batches, one after the other: most of them have nothing to do most of the time."""
    graph = nearfar.generate.road_grid(80, 80, seed=2)
    for sources in ([0], [0, 1, 2]):
        memory = memory_for(12, graph, sources, method=method)
        result = nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=memory)
        stats = result.stats
        assert stats["batches"] == result.plan.arc_batches > 3
        assert stats["batch_arcs"] * stats["batches"] >= graph.m
        assert stats["batch_runs"] >= stats["batches_copied"] >= stats["batches"]
        assert stats["uploaded"] >= graph.m * 8 and stats["batches_skipped"] >= 0
        assert nearfar.verify(graph, result)
    split = Graph.from_arcs([0] * 5000 + [1] * 5000 + [2], [0] * 5000 + [1] * 5000 + [0])
    memory = memory_for(8, split, 2, method=method)
    stats = nearfar.sssp(split, 2, method=method, device=DEVICE, memory=memory).stats
    assert stats["batches"] > 4 and stats["batches_skipped"] > 0 and stats["batch_runs"] < 2 * stats["batches"]


@every_method
def test_out_is_filled(method, graph):
    truth = nearfar.mssp(graph, [3, 5], device="cpu").dist
    row = np.full(graph.n, 7, np.int32)
    result = nearfar.sssp(graph, 3, method=method, device=DEVICE, out=row)
    assert np.shares_memory(result.dist, row) and row.tobytes() == truth[0].tobytes()
    rows = np.full((2, graph.n), 7, np.int64)
    nearfar.mssp(graph, [3, 5], method="edge", device=DEVICE, out=rows)
    assert ((rows == truth) | (rows == 2**63 - 1)).all() and (rows[:, 3] < 2**31).any()


def test_progress(graph):
    told = []
    nearfar.apsp(graph, method="edge", device=DEVICE, progress=lambda *rows: told.append(rows))
    assert told[-1] == (graph.n, graph.n) and told == sorted(told)


# The thread that drives the device presses at a launch, and launches on when the stop flag is raised. The graph is
# small: a launch is over soon on any machine.
INTERRUPTED = """
from helpers.reach import ALL, STREAMING, memory_for, rows_in_turn
from nearfar.devices import opencl

graph = nearfar.generate.road_grid(30, 30)
call = opencl.Kernel.__call__

def press_at_launch(number):
    launched = [0]

    def seen(kernel, *arguments):
        launched[0] += 1
        if launched[0] == number:
            press_and_wait(keyboard.stop)
        call(kernel, *arguments)

    opencl.Kernel.__call__ = seen
    return launched

def press_at_some_launches(method, sources, memory):
    ask = lambda: nearfar.mssp(graph, sources, method=method, device="opencl", memory=memory)
    ask()
    launches = ask().stats["launches"]
    for number in sorted({1, 2, launches // 2}):
        launched = press_at_launch(number)
        interrupt(f"{method}-{len(sources)}", ask, None)
        opencl.Kernel.__call__ = call
        print(json.dumps([launched[0] - number, launches]), flush=True)
        again = nearfar.sssp(small, 0, method=method, device="opencl").dist.tolist()
        assert again == [0, 5, 12], again

for method in ALL:
    for sources in ([0], range(5), range(100)):
        with rows_in_turn(len(sources) == 5):
            press_at_some_launches(method, sources, None)
            if method in STREAMING:
                press_at_some_launches(method, sources, memory_for(5, graph, sources, method=method))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot press Ctrl-C for one thread on Windows")
def test_interrupt():
    """At any launch, of one source, a few in turn or many: KeyboardInterrupt comes after few more launches."""
    answers = run_program(INTERRUPTED)
    interrupted, launches = answers[::2], answers[1::2]
    assert {answer["name"] for answer in interrupted} == {f"{method}-{k}" for method in ALL for k in (1, 5, 100)}
    assert_interrupted(interrupted, [answer["name"] for answer in interrupted])
    for further, _ in launches:
        assert further <= 3 * LAUNCHES_AHEAD  # what goes before a look: some kernels per round


def test_two_threads_on_one_device():
    graphs = [nearfar.generate.rmat(8, seed=seed) for seed in (1, 2)]
    truths = [nearfar.apsp(graph, device="cpu").dist for graph in graphs]
    wrong = []

    def work(t):
        graph, truth = graphs[t], truths[t]
        for i in range(12):
            method = ALL[(i + t) % len(ALL)]
            one = nearfar.sssp(graph, i, method=method, device=DEVICE).dist
            some = nearfar.mssp(graph, range(i, i + 20), method=method, device=DEVICE).dist
            shared = nearfar.sssp(graphs[1 - t], i, method=method, device=DEVICE).dist
            if not (
                (one == truth[i]).all() and (some == truth[i : i + 20]).all() and (shared == truths[1 - t][i]).all()
            ):
                wrong.append((t, i, method))

    threads = [threading.Thread(target=work, args=(t,)) for t in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("method", "way"), [*((method, "resident") for method in ALL), *((method, "batched") for method in STREAMING)]
)
def test_a_full_device_is_emptied(method, way, graph, device, monkeypatch):
    """Whichever allocation fails once: what other graphs keep on the device goes, and the query still works."""
    memory = memory_for(5, graph, [0, 1], method=method) if way == "batched" else None
    truth = nearfar.mssp(graph, [0, 1], device="cpu").dist
    emptied = 0
    for failing in range(1, 10):
        other = nearfar.generate.rmat(9, seed=8)
        nearfar.sssp(other, 0, method="edge", device=DEVICE)
        nearfar.mssp(other, [0, 1], method=method, device=DEVICE, memory=memory)  # kernels are built
        assert kept(other)
        calls = []
        with monkeypatch.context() as patch:
            patch.setattr(opencl.OpenCL, "empty", failing_once(failing, calls))
            fresh = nearfar.generate.rmat(9, seed=5)  # the same graph, of which nothing is on the device
            try:
                result = nearfar.mssp(fresh, [0, 1], method=method, device=DEVICE, memory=memory)
                assert result.dist.tobytes() == truth.tobytes()
            except DeviceMemoryError:
                assert calls[-1] < 64  # the few bytes that a launch is given
        if len(calls) > failing:
            emptied += 1
            assert not kept(other)
        result = nearfar.mssp(fresh, [0, 1], method=method, device=DEVICE, memory=memory)
        assert result.dist.tobytes() == truth.tobytes()
        assert nearfar.verify(other, nearfar.sssp(other, 0, method=method, device=DEVICE))
    assert emptied >= 3


def failing_once(failing, calls):
    """Return a stand-in for `OpenCL.empty` that lists its calls and fails at one of them."""
    empty = opencl.OpenCL.empty

    def fails_once(self, count, dtype):
        calls.append(count)
        if len(calls) == failing:
            raise DeviceMemoryError("simulated")
        return empty(self, count, dtype)

    return fails_once


def kept(graph):
    return [key for key in gpu_work._resident.get(graph, {}) if key.device == "opencl:0"]


def test_a_device_that_stays_full(graph, monkeypatch):
    def fails(self, count, dtype):
        raise DeviceMemoryError("simulated")

    with monkeypatch.context() as patch:
        patch.setattr(opencl.OpenCL, "empty", fails)
        with pytest.raises(DeviceMemoryError):
            nearfar.sssp(graph, 0, method="delta", device=DEVICE)
    assert nearfar.verify(graph, nearfar.sssp(graph, 0, method="delta", device=DEVICE))


def test_a_failure_while_rows_run(graph, monkeypatch):
    def fails(self, *args):
        raise DeviceError("simulated")

    with monkeypatch.context() as patch:
        patch.setattr(opencl.Kernel, "__call__", fails)
        with pytest.raises(DeviceError, match="simulated"):
            nearfar.apsp(graph, method="frontier", device=DEVICE)
    assert nearfar.verify(graph, nearfar.mssp(graph, [1, 2], method="frontier", device=DEVICE))


def test_no_wide_atomics():
    wide = Graph.from_arcs([0, 1], [1, 2], [2**40, 1])
    with pretending(wide_atomics=False):
        with pytest.raises(DeviceError, match=r"64 bits.*int64.*device='cpu'.*dtype='int32'"):
            nearfar.sssp(wide, 0, method="edge", device=DEVICE)
        with pytest.raises(DeviceError, match=r"64 bits.*float64.*dtype='float32'"):
            nearfar.sssp(Graph.from_arcs([0], [1], [0.5]), 0, method="edge", device=DEVICE)
        assert nearfar.sssp(Graph.from_arcs([0], [1], [5]), 0, method="edge", device=DEVICE).dist.tolist() == [0, 5]
    with pretending(doubles=False), pytest.raises(DeviceError, match=r"no float64.*dtype='float32'"):
        nearfar.sssp(Graph.from_arcs([0], [1], [0.5]), 0, method="edge", device=DEVICE)
    assert nearfar.sssp(wide, 0, method="edge", device=DEVICE).dist[2] == 2**40 + 1


@pytest.mark.parametrize("method", ("dijkstra", "johnson"))
def test_methods_of_the_cpu_are_refused(method, graph):
    with pytest.raises(MethodError, match=rf"{method}.*CPU only.*'delta'.*'frontier'.*'edge'"):
        nearfar.sssp(graph, 0, method=method, device=DEVICE)


def test_memory_too_small(graph):
    with pytest.raises(
        MemoryLimitError, match=r"delta with 512 vertices.*method='frontier' or method='edge'.*batches"
    ) as caught:
        nearfar.sssp(graph, 0, method="delta", device=DEVICE, memory=20_000)
    assert caught.value.needed > caught.value.available == 20_000
    for method in STREAMING:
        with pytest.raises(MemoryLimitError, match="Allow more memory, or use device='cpu'"):
            nearfar.sssp(graph, 0, method=method, device=DEVICE, memory=2000)
        needed = least_of(graph, method)
        assert nearfar.verify(graph, nearfar.sssp(graph, 0, method=method, device=DEVICE, memory=needed))
    assert nearfar.sssp(graph, 0, device=DEVICE, memory=least_of(graph, "frontier")).stats["method"] == "frontier"


def least_of(graph, method):
    """Return the figure that the refusal names."""
    with pytest.raises(MemoryLimitError) as caught:
        nearfar.sssp(graph, 0, method=method, device=DEVICE, memory=1)
    return caught.value.needed


REAL = Facts("cuda:0", 40, 8 << 30, "Pretend GPU", gpu=True, group_size=1024)


def test_auto_never_takes_pocl(graph, monkeypatch):
    let_auto_take_gpus(monkeypatch)
    monkeypatch.setattr(DEVICES["cuda"], "found", list)
    assert not opencl.found()[0].gpu
    for sources in (None, 0, [0, 1]):
        assert nearfar.plan(graph, sources).device == "cpu"
    assert nearfar.sssp(graph, 0).stats["device"] == "cpu"


def test_auto_takes_a_real_gpu_for_large_work(graph, monkeypatch):
    monkeypatch.setattr(DEVICES["cuda"], "found", lambda: [REAL])
    assert nearfar.plan(graph).device == "cpu"
    let_auto_take_gpus(monkeypatch)
    assert (nearfar.plan(graph).device, nearfar.plan(graph).method) == ("cuda:0", "floyd")
    assert nearfar.plan(graph, method="dijkstra").device == "cpu"
    assert nearfar.plan(graph, device="cpu").device == "cpu"
    negative = Graph.from_arcs([0], [1], [-1])
    assert (nearfar.plan(negative).device, nearfar.plan(negative).method) == ("cuda:0", "frontier")


def test_without_work_for_a_gpu_no_driver_is_asked(graph, monkeypatch):
    def asked():
        raise AssertionError("a driver was loaded for a small query")

    for kind in ("cuda", "opencl"):
        monkeypatch.setattr(DEVICES[kind], "found", asked)
    assert nearfar.plan(graph).device == "cpu"


@pytest.mark.parametrize("method", STREAMING)
def test_room_for_batches_goes_when_all_arcs_come(method, device):
    graph, fresh = (nearfar.generate.road_grid(60, 60, seed=2) for _ in range(2))
    memory = memory_for(12, graph, 0, method=method)
    assert nearfar.sssp(graph, 0, method=method, device=DEVICE, memory=memory).stats["batches"] > 1
    for asked in (graph, fresh):
        assert nearfar.sssp(asked, 0, method=method, device=DEVICE).stats["batches"] == 1
    assert sorted(kept(graph)) == sorted(kept(fresh))


def test_the_second_call_has_the_memory_of_the_first(graph, device, monkeypatch):
    """A device with room for the graph once: the copy that is already there must not be in the way of itself."""
    with pretending():
        needed = nearfar.plan(graph, 0, method="frontier", device=DEVICE).bytes
    capacity = int(1.2 * needed / 0.9) + held(device)
    monkeypatch.setattr(opencl.OpenCL, "free_memory", lambda self: capacity - held(self))
    for _ in range(2):
        assert nearfar.plan(graph, 0, method="frontier", device=DEVICE).arc_batches == 1
        nearfar.sssp(graph, 0, method="frontier", device=DEVICE)


@every_method
def test_distances_to_vertices(method):
    """The device holds the reversed graph, beside the graph itself."""
    graph = nearfar.generate.rmat(7, seed=5, undirected=False)
    for direction in ("to", "from", "to"):
        found = nearfar.mssp(graph, [3, 7, 11], direction=direction, method=method, device=DEVICE)
        assert found.plan.device.startswith(DEVICE) and found.graph is graph
        assert np.array_equal(found.dist, nearfar.mssp(graph, [3, 7, 11], direction=direction, device="cpu").dist)
    near = nearfar.nearest(graph, [3, 7, 11], k=2, method=method, device=DEVICE)
    assert np.array_equal(near.source, nearfar.nearest(graph, [3, 7, 11], k=2, device="cpu").source)


@pytest.mark.parametrize("method", ALL)
def test_kernels_that_run_in_small_groups_only(method, monkeypatch):
    """A kernel may need too many registers for large groups: then all groups of the run are smaller."""
    graph, sizes = nearfar.generate.rmat(7, seed=3), set()
    monkeypatch.setattr(opencl, "_opened", {})
    monkeypatch.setattr(opencl.OpenCL, "_most_items", lambda device, program: 8)
    launch = opencl.Kernel.__call__
    monkeypatch.setattr(opencl.Kernel, "__call__", lambda self, *args: sizes.add(args[1]) or launch(self, *args))
    for query in (nearfar.apsp, lambda graph, **options: nearfar.sssp(graph, 5, **options)):
        mine, theirs = query(graph, device=DEVICE, method=method), query(graph, device="cpu")
        assert np.array_equal(mine.rows, theirs.rows)
    assert max(sizes) == 8

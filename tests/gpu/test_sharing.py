"""Several devices: PoCL pretends to be two, in a child process, and rows are shared out over them.

Other drivers cannot: there the one device is opened twice, with its own context and queues each time.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from helpers.marks import HANG, child_environment
from nearfar.devices import opencl

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

BOTH = ["opencl:0", "opencl:1"]
FRONT = """
import gc, json, threading, warnings
warnings.simplefilter("error")
from types import SimpleNamespace
import numpy as np
import nearfar
from helpers.reach import ALL, STREAMING, memory_for
from nearfar.devices import cpu, opencl
from nearfar.gpu.row_blocks import Rows

BOTH = ["opencl:0", "opencl:1"]
there = opencl._devices()
if len(there) == 1:
    opencl._devices = lambda: 2 * there
graph = nearfar.generate.rmat(9, seed=4)
devices = [opencl.open_device(i) for i in range(2)]


def take_turns():
    # No device takes its second block of rows before each has taken its first, however fast it is.
    take, new = Rows.take, Rows.__init__

    def new_with_barrier(rows, *given):
        new(rows, *given)
        rows.met, rows.barrier = set(), threading.Barrier(2)

    def take_in_turns(rows, count):
        block = take(rows, count)
        if len(rows.dist) == graph.n and threading.get_ident() not in rows.met:
            rows.met.add(threading.get_ident())
            rows.barrier.wait()
        return block

    Rows.__init__, Rows.take = new_with_barrier, take_in_turns

def moved():
    return np.array([[d.traffic.launches, d.traffic.uploaded, d.traffic.downloaded] for d in devices])
"""


def run(program):
    """Return what a child with two devices prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", FRONT + program],
        env=child_environment(POCL_DEVICES="pthread pthread"),
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)


def test_sums_are_shared_out():
    """Each device sums some rows, and sends one number for each of them."""
    same, downloaded, total = run("""
take_turns()
from nearfar.gpu import prepared as gpu_prepared
gpu_prepared.Sweeps._fitting_blocks = lambda engine, facts: 1
prepared = nearfar.prepare(graph)
before = moved()
found = prepared.row_sums(device=BOTH)
same = found.tobytes() == prepared.row_sums(device="cpu").tobytes()
print(json.dumps([same, (moved() - before)[:, 2].tolist(), found.nbytes]))
""")
    assert same and sum(downloaded) == total and min(downloaded) >= 8 * 32


def test_rows_are_shared_out():
    """Each device settles some rows; the figures add up to what went over both buses."""
    answers = run("""
take_turns()
truth, answers = nearfar.apsp(graph, device="cpu").dist.tobytes(), {}
for method in ALL:
    nearfar.apsp(graph, method=method, device=BOTH)  # kernels are built
    before = moved()
    result = nearfar.apsp(graph, method=method, device=BOTH)
    each, stats = moved() - before, result.stats
    answers[method] = {
        "same": result.dist.tobytes() == truth,
        "launches": each[:, 0].tolist(),
        "sums": each.sum(axis=0).tolist() == [stats["launches"], stats["uploaded"], stats["downloaded"]],
        "device": stats["device"],
        "batches": stats["batches"],
    }
print(json.dumps(answers))
""")
    assert len(answers) == 3
    for method, answer in answers.items():
        assert answer["same"] and answer["sums"], method
        assert min(answer["launches"]) > 0, method
        assert answer["device"] == "opencl:0, opencl:1" and answer["batches"] == 1


def test_rows_are_shared_out_in_batches():
    answers = run("""
take_turns()
truth, answers = nearfar.apsp(graph, device="cpu").dist.tobytes(), {}
for method in STREAMING:
    memory = memory_for(9, graph, method=method)
    nearfar.apsp(graph, method=method, device=BOTH, memory=memory)  # kernels are built
    before = moved()
    result = nearfar.apsp(graph, method=method, device=BOTH, memory=memory)
    answers[method] = {
        "same": result.dist.tobytes() == truth,
        "launches": (moved() - before)[:, 0].tolist(),
        "batches": [result.stats["batches"], result.plan.arc_batches],
    }
print(json.dumps(answers))
""")
    assert len(answers) == 2
    for method, answer in answers.items():
        reported, planned = answer["batches"]
        assert answer["same"] and min(answer["launches"]) > 0 and reported == planned > 1, method


def test_no_device_need_work():
    """A device that comes when all rows are taken has nothing to do; the answer is the same."""
    answers = run("""
take, late = Rows.take, threading.Event()
driver = []

def take_all_by_the_first(rows, count):
    if len(rows.dist) == graph.n:
        if not driver:
            driver.append(threading.get_ident())
        if threading.get_ident() != driver[0]:
            late.wait()  # until nothing is left
    block = take(rows, count)
    if not block:
        late.set()
    return block

truth = nearfar.apsp(graph, device="cpu").dist.tobytes()
nearfar.apsp(graph, method="edge", device=BOTH)
Rows.take = take_all_by_the_first
result = nearfar.apsp(graph, method="edge", device=BOTH)
print(json.dumps([result.dist.tobytes() == truth, result.stats["batches"], result.stats["device"]]))
""")
    assert answers == [True, 1, "opencl:0, opencl:1"]


def test_one_source_limits_and_negative_weights():
    answers = run("""
dist = lambda method, **options: nearfar.sssp(graph, 3, method=method, **options).dist.tobytes()
answers = {"one": [dist(method, device=BOTH) == dist(method, device="cpu") for method in ALL]}
answers["second"] = dist("edge", device="opencl:1") == dist("edge", device="cpu")
few = {"cutoff": 300}
answers["early"] = (nearfar.apsp(graph, method="delta", device=BOTH, **few).dist.tobytes()
                    == nearfar.apsp(graph, device="cpu", **few).dist.tobytes())
ring = nearfar.Graph.from_arcs(range(200), [*range(1, 200), 0], [1] * 199 + [-200])
try:
    nearfar.apsp(ring, method="frontier", device=BOTH)
except nearfar.errors.NegativeCycleError as error:
    answers["cycle"] = sorted(error.cycle) == list(range(200))
wide = nearfar.Graph.from_arcs(range(40), [*range(1, 40), 0], [10**9] * 40)
answers["wide"] = nearfar.apsp(wide, method="edge", device=BOTH).dist.tolist() == nearfar.apsp(wide).dist.tolist()
try:
    nearfar.sssp(graph, 0, device="opencl:2")
except nearfar.errors.DeviceError as error:
    answers["third"] = str(error)
try:
    nearfar.apsp(graph, device=["opencl:0", "opencl:7"])
except nearfar.errors.DeviceError as error:
    answers["eighth"] = str(error)
print(json.dumps(answers))
""")
    assert answers["one"] == [True] * 3
    assert answers["second"] and answers["early"] and answers["cycle"] and answers["wide"]
    assert answers["third"].startswith("there are 2 OpenCL devices") and "opencl:2 does not exist" in answers["third"]
    assert "opencl:7 does not exist" in answers["eighth"]


def test_a_graph_is_kept_on_each_device():
    answers = run("""
take_turns()
started = []

def start(function, arguments):
    started.append(threading.Thread(target=function, args=arguments, daemon=True))
    started[-1].start()

cpu._thread = SimpleNamespace(start_new_thread=start)
nearfar.apsp(graph, method="frontier", device=BOTH)
kept = [sum(device.held.values()) for device in devices]
before = moved()
nearfar.apsp(graph, method="frontier", device=BOTH)
again = (moved() - before)[:, 1].tolist()
size = graph.arc_bytes
graph = nearfar.generate.rmat(3)
while started:
    started.pop().join()  # a thread that is done may hold on to the graph until it has left
gc.collect()
print(json.dumps([size, kept, again, [sum(device.held.values()) for device in devices]]))
""")
    size, kept, again, left = answers
    assert min(kept) >= size and sum(again) < size / 10, "only the sources are sent again, whoever takes them"
    assert left == [0, 0]

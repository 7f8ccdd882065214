"""Several devices: PoCL pretends to be two, in a child process, and rows are shared out over them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from helpers.marks import child_environment
from nearfar.devices import opencl

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

BOTH = ["opencl:0", "opencl:1"]
FRONT = """
import json, warnings
warnings.simplefilter("error")
import numpy as np
import nearfar
from nearfar.devices import opencl
from helpers.reach import ALL, STREAMING, memory_for

BOTH = ["opencl:0", "opencl:1"]
graph = nearfar.generate.rmat(9, seed=4)
devices = [opencl.open_device(i) for i in range(2)]

def launches():
    return [device.traffic.launches for device in devices]

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
        timeout=300,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    return json.loads(done.stdout)


def test_rows_are_shared_out():
    """Each device settles some rows, whichever asks first; the figures add up to what went over both buses."""
    answers = run("""
truth, answers = nearfar.apsp(graph, device="cpu").dist.tobytes(), {}
for method in ALL:
    nearfar.apsp(graph, method=method, device=BOTH)  # kernels are built
    for attempt in range(5):  # on a busy machine a thread may come too late for its share
        before = moved()
        result = nearfar.apsp(graph, method=method, device=BOTH)
        each, stats = moved() - before, result.stats
        if each[:, 0].min() > 0:
            break
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
truth, answers = nearfar.apsp(graph, device="cpu").dist.tobytes(), {}
for method in STREAMING:
    memory = memory_for(9, graph, method=method)
    result = nearfar.apsp(graph, method=method, device=BOTH, memory=memory)
    answers[method] = [result.dist.tobytes() == truth, result.stats["batches"] == result.plan.arc_batches, launches()]
    answers[method].append(result.plan.arc_batches)
print(json.dumps(answers))
""")
    assert len(answers) == 2
    for same, told, launched, batches in answers.values():
        assert same and told and min(launched) > 0 and batches > 1


def test_one_source_limits_and_negative_weights():
    answers = run("""
dist = lambda method, **options: nearfar.sssp(graph, 3, method=method, **options).dist.tobytes()
answers = {"one": [dist(method, device=BOTH) == dist(method, device="cpu") for method in ALL]}
answers["second"] = dist("edge", device="opencl:1") == dist("edge", device="cpu")
few = {"targets": [5, 9], "cutoff": 300}
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
import gc, time
for _ in range(50):  # on a busy machine one of them may settle all rows before the other begins
    nearfar.apsp(graph, method="frontier", device=BOTH)
    kept = [sum(device.held.values()) for device in devices]
    if min(kept) >= graph.nbytes:
        break
before = moved()
nearfar.apsp(graph, method="frontier", device=BOTH)
again = (moved() - before)[:, 1].tolist()
size = graph.nbytes
del graph
until = time.monotonic() + 10  # a thread that is done still has to leave
while any(device.held for device in devices) and time.monotonic() < until:
    gc.collect()
    time.sleep(0.01)
print(json.dumps([size, kept, again, [sum(device.held.values()) for device in devices]]))
""")
    size, kept, again, left = answers
    assert min(kept) >= size and max(again) < size / 20
    assert left == [0, 0]

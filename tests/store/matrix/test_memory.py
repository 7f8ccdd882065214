"""``memory=`` is a promise: a job takes no more than that beside the graph, at any budget, or is refused beforehand."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from helpers.marks import child_environment, needs_jit

pytest.importorskip("zarr")

PROGRAM = """
import json, sys, tempfile, threading, time
import nearfar
from nearfar import generate

def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024

def watch():
    while True:
        peak[0] = max(peak[0], anonymous())
        time.sleep(0.002)

with tempfile.TemporaryDirectory() as folder:
    small = generate.road_grid(40, 40, seed=1)
    for method in ("prepared", "dijkstra"):
        nearfar.apsp(small, out=f"{folder}/{method}.zarr", method=method)
    graph = generate.road_grid(250, 250, seed=1)
    answers, peak = [], [0]
    threading.Thread(target=watch, daemon=True).start()
    for i, (method, budget) in enumerate(json.loads(sys.argv[1])):
        before = anonymous()
        peak[0] = before
        try:
            matrix = nearfar.mssp(graph, range(500), out=f"{folder}/{i}.zarr", memory=budget, method=method)
            answers.append([peak[0] - before, matrix.form.block])
        except MemoryError as error:
            answers.append(str(error))
print(json.dumps(answers))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="anonymous memory is read from /proc")
@needs_jit
def test_budgets():
    budgets = [30e6, 45e6, 60e6, 120e6, 250e6]  # ascending: what the process keeps of one job must not help the next
    asked = [(method, budget) for method in ("prepared", "dijkstra") for budget in budgets]
    command = [sys.executable, "-c", PROGRAM, json.dumps(asked)]
    done = subprocess.run(command, env=child_environment(), capture_output=True, text=True, check=True)
    answers = json.loads(done.stdout)
    for (method, budget), answer in zip(asked, answers, strict=True):
        if isinstance(answer, str):
            assert "may be used" in answer, (method, budget, answer)
        else:
            assert answer[0] <= budget, (method, budget, answer)
    assert sum(isinstance(answer, list) for answer in answers) >= 7
    sizes = [answer[1] for answer in answers if isinstance(answer, list)]
    assert max(sizes) == 64 and min(sizes) < 64

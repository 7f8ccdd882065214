"""What a query on parts takes of anonymous memory: no more than ``memory=`` allows, on a graph four times as large."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import nearfar
from helpers.interrupts import run_program
from nearfar.graph import generate
from nearfar.graph.blocks import record_type

if not sys.platform.startswith("linux"):
    pytest.skip("/proc/self/status tells of anonymous memory on Linux only", allow_module_level=True)

PROGRAM = """
import json, threading, time
import nearfar
from nearfar.graph import Graph

def anonymous():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon"))

seen, over = [], threading.Event()

def watch():
    while not over.is_set():
        seen.append(anonymous())
        time.sleep(0.0005)

nearfar.sssp(Graph.open("SMALL"), 0, method="parts", threads=1)  # kernels are compiled
graph = Graph.open("LARGE")
before = anonymous()
watcher = threading.Thread(target=watch)
watcher.start()
found = nearfar.sssp(graph, 7, memory=BUDGET, threads=1, method="METHOD")
over.set()
watcher.join()
reached = int((found.dist < 2**31 - 1).sum())
print(json.dumps({"peak": max(seen) - before, "reached": reached, "maps": "arcs" in vars(graph), **found.stats}))
"""
NOISE = 6_000_000  # bytes: stacks of threads, and what allocators keep; all arcs would take four times the budget


def stored(path, graph, count):
    """Write a graph in parts, along its coordinates."""
    nearfar.write(graph, path)
    nearfar.write_parts(path, nearfar.partition(graph, count, how="coordinates"))


@pytest.mark.parametrize("floats", [False, True], ids=["three phases", "rounds"])
def test_a_graph_of_four_times_the_budget(tmp_path, floats):
    graph = generate.road_grid(40, 40_000, seed=1)
    small = generate.road_grid(20, 20, seed=1)
    if floats:
        graph, small = (g.like(g.offsets, halved(g.arcs)) for g in (graph, small))
    stored(tmp_path / "large.nearfar", graph, 64)
    stored(tmp_path / "small.nearfar", small, 4)
    budget = graph.arc_bytes // 4
    places = {"SMALL": str(tmp_path / "small.nearfar"), "LARGE": str(tmp_path / "large.nearfar")}
    program = PROGRAM.replace("BUDGET", str(budget)).replace("METHOD", "parts" if floats else "auto")
    for word, path in places.items():
        program = program.replace(word, path)
    for again in (False, True):  # the first query finds the overlay
        [answer] = run_program(program, front="")
        assert answer["method"] == "parts"
        assert answer["phases"] == ("rounds" if floats else 3)
        assert not answer["maps"]
        assert answer["reached"] > graph.n / 2
        assert answer["peak"] < budget + NOISE, (again, answer)


def halved(arcs):
    """Return arcs whose weights are float32, half as large."""
    found = np.empty(len(arcs), record_type(np.dtype("float32")))
    found["head"], found["weight"] = arcs["head"], arcs["weight"] / 2
    return found

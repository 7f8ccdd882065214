"""What a query on parts takes of anonymous memory: no more than ``memory=`` allows, on a graph four times as large."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.anonymous import on_linux, run_watched
from nearfar.graph import generate
from nearfar.graph.blocks import record_type

pytestmark = on_linux

PROGRAM = """
nearfar.sssp(Graph.open("SMALL"), 0, method="parts", threads=1)  # kernels are compiled
graph = Graph.open("LARGE")
with Peak() as peak:
    found = nearfar.sssp(graph, 7, memory=BUDGET, threads=1, method="METHOD")
reached = int((found.dist < 2**31 - 1).sum())
print(json.dumps({"peak": peak.bytes, "reached": reached, "maps": "arcs" in vars(graph), **found.stats}))
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
    words = {"BUDGET": budget, "METHOD": "parts" if floats else "auto"}
    words |= {"SMALL": tmp_path / "small.nearfar", "LARGE": tmp_path / "large.nearfar"}
    for again in (False, True):  # the first query finds the overlay
        [answer] = run_watched(PROGRAM, **words)
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

"""Ctrl-C while a graph in parts is solved: no half overlay is kept, and the next query is right."""

from __future__ import annotations

import sys

import pytest

from helpers.interrupts import assert_interrupted, run_program

if sys.platform == "win32":
    pytest.skip("a process cannot send Ctrl-C to one child alone on Windows", allow_module_level=True)

STEPS = (1, 10, 60)
PROGRAM = """
import shutil, tempfile
folder = tempfile.mkdtemp()
path = folder + "/g.nearfar"
graph = nearfar.generate.road_grid(60, 60, seed=1)
nearfar.write(graph, path)
nearfar.write_parts(path, nearfar.partition(graph, 9, how="coordinates"))
truth = nearfar.sssp(graph, 17).dist
floats = Graph.from_csr(graph.offsets, graph.heads, graph.weights * 0.5)
nearfar.write(floats, folder + "/floats.nearfar")
nearfar.write_parts(folder + "/floats.nearfar", nearfar.partition(graph, 9, how="coordinates"))
nearfar.sssp(Graph.open(path), 17, method="parts")  # kernels are compiled
nearfar.sssp(Graph.open(folder + "/floats.nearfar"), 17, method="parts")

def ask(name):
    return lambda: nearfar.sssp(Graph.open(folder + name), 17, method="parts")

for step in STEPS:
    shutil.rmtree(path + "/parts/overlay", ignore_errors=True)
    interrupt(f"first-{step}", ask("/g.nearfar"), at_call(step, "methods"))
    assert (ask("/g.nearfar")().dist == truth).all()
    interrupt(f"second-{step}", ask("/g.nearfar"), at_call(step, "methods"))
    assert (ask("/g.nearfar")().dist == truth).all()
    interrupt(f"rounds-{step}", ask("/floats.nearfar"), at_call(step, "methods"))
    assert (ask("/floats.nearfar")().dist == truth * 0.5).all()
shutil.rmtree(folder)
"""


def test_at_any_step():
    answers = run_program(PROGRAM.replace("STEPS", repr(STEPS)))
    assert_interrupted(answers, [f"{name}-{step}" for step in STEPS for name in ("first", "second", "rounds")])

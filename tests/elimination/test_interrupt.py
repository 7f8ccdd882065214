"""Ctrl-C while a graph is prepared and while it is asked: heard at every stage, and the next call works."""

from __future__ import annotations

import sys

import pytest

from helpers.interrupts import assert_interrupted, run_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C for one thread is of POSIX")

# Preparing takes some hundred calls of functions in elimination/: it is interrupted at some, from first to last.
PREPARE = """
import sys
graph = nearfar.generate.road_grid(60, 60)
wanted = nearfar.prepare(graph).row_sums([0, 1234])
calls = []

def count(stop):
    sys.setprofile(lambda frame, event, _: calls.append(1) if event == "call" and is_in("elimination", frame) else 0)

keyboard.before_work = count
nearfar.prepare(graph)
keyboard.before_work = None
print(json.dumps(len(calls)), flush=True)
for part in range(9):
    interrupt("prepare", lambda: nearfar.prepare(graph), at_call(1 + part * (len(calls) - 1) // 8, "elimination"))
    assert (nearfar.prepare(graph).row_sums([0, 1234]) == wanted).all()
"""


def test_prepare():
    """The stop flag is raised at nine steps, and after none of them anything goes on."""
    calls, *answers = run_program(PREPARE)
    assert calls > 9
    assert_interrupted(answers, ["prepare"] * 9)


ASK = """
graph = nearfar.generate.road_grid(100, 100)
prepared = nearfar.prepare(graph)
wanted = prepared.row_sums([0, 7_000])
pairs = np.random.default_rng(1).integers(0, graph.n, (10**5, 2))
queries = {
    "row_sums": lambda: prepared.row_sums(threads=2),
    "distances": lambda: prepared.distances(pairs, threads=2),
    "table": lambda: prepared.table(range(0, graph.n, 3), range(0, graph.n, 3), threads=2),
    "mssp": lambda: prepared.mssp(np.arange(2000), dtype="int64", threads=2),
}
for name, query in queries.items():
    query()
    for number in (1, 2):
        interrupt(name, query, at_work(number))
        assert (prepared.row_sums([0, 7_000]) == wanted).all() and prepared.distance(0, 0) == 0
"""


def test_ask():
    names = ("row_sums", "distances", "table", "mssp")
    assert_interrupted(run_program(ASK), [name for name in names for _ in range(2)])

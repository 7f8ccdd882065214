"""Ctrl-C while a graph is prepared and while it is asked: soon heard, nothing goes on, and the next call works."""

from __future__ import annotations

import pytest

from helpers.interrupts import interrupt_often

# A job after the other in the same process, each of seconds, and before each a look whether answers are still right.
PREPARE = """
graph = nearfar.generate.road_grid(1000, 1000)
warm = lambda: nearfar.prepare(nearfar.generate.road_grid(9, 9))
"""
ASK = """
graph = nearfar.generate.road_grid(300, 300)
prepared = nearfar.prepare(graph)
wanted = prepared.row_sums([0, 70_000])
pairs = np.random.default_rng(1).integers(0, graph.n, (10**7, 2))
warm = lambda: (prepared.distances(pairs[:9]), prepared.table([0], [1]), prepared.mssp(range(20)))
jobs = iter([
    lambda: prepared.row_sums(),
    lambda: prepared.distances(pairs),
    lambda: prepared.table(range(graph.n), range(0, graph.n, 3)),
    lambda: prepared.mssp(np.arange(20_000), dtype="int64"),
])

def next_job():
    assert (prepared.row_sums([0, 70_000]) == wanted).all() and prepared.distance(0, 0) == 0
    next(jobs)()
"""
JOBS = {"prepare": (PREPARE, "nearfar.prepare(graph)", 2), "ask": (ASK, "next_job()", 4)}


@pytest.mark.parametrize("name", JOBS)
def test_interrupt(name):
    setup, query, times = JOBS[name]
    delays = interrupt_often(setup, query, [0.15 + 0.2 * i for i in range(times)])
    print(f"{name}: stopped after {', '.join(f'{delay:.3f}' for delay in delays)} s")

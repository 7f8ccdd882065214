"""Ctrl-C: metrics, flows and streams end by KeyboardInterrupt, and the next query works."""

from __future__ import annotations

import sys

import pytest

from helpers.interrupts import assert_interrupted, run_program

if sys.platform == "win32":
    pytest.skip("a process cannot send Ctrl-C to one child alone on Windows", allow_module_level=True)

METRICS = """
from nearfar import metrics
graph = nearfar.generate.road_grid(60, 60, seed=1)
prepared = nearfar.prepare(graph)
demand = [(s, 7, 1) for s in range(900)]
ones = np.ones(graph.n)
queries = {
    "closeness": lambda: metrics.closeness(prepared),
    "closeness in hops": lambda: metrics.closeness(graph, hops=True, method="bfs"),
    "rows": lambda: metrics.harmonic(graph, method="dijkstra"),
    "betweenness": lambda: metrics.betweenness(prepared),
    "betweenness by searches": lambda: metrics.betweenness(graph, method="dijkstra"),
    "edge betweenness": lambda: metrics.edge_betweenness(prepared),
    "exact ties": lambda: metrics.betweenness(graph.with_weights(graph.row_weights / 10), ties="exact"),
    "within": lambda: metrics.within(graph, 20000),
    "accessibility": lambda: metrics.accessibility(prepared, ones, cutoffs=[5000, 90000]),
    "decay": lambda: metrics.accessibility(prepared, ones, decay="exponential", scale=5000),
    "own decay": lambda: metrics.accessibility(prepared, ones, decay=lambda d: 1 / (1 + d)),
    "histogram": lambda: metrics.histogram(prepared, [0, 5000, 90000]),
    "flows": lambda: metrics.flows(graph, demand),
    "select_link": lambda: metrics.select_link(graph, demand, 5),
}
for name, query in queries.items():
    query()
    interrupt(name, query, at_work())
"""
NAMES = (
    "closeness", "closeness in hops", "rows", "betweenness", "betweenness by searches", "edge betweenness",
    "exact ties", "within", "accessibility", "decay", "own decay", "histogram", "flows", "select_link",
)  # fmt: skip


def test_every_way():
    assert_interrupted(run_program(METRICS), NAMES)


STREAM = """
import threading, _thread, time
graph = nearfar.generate.road_grid(120, 120, seed=1)
try:
    for i, block in enumerate(nearfar.stream(graph, block=64, method="dijkstra")):
        if i == 1:
            _thread.interrupt_main()
            time.sleep(0)
    ended = False
except KeyboardInterrupt:
    ended = True
left = [thread.name for thread in threading.enumerate() if thread.name == "nearfar stream"]
print(json.dumps({"ended": ended, "left": left, "next": nearfar.sssp(small, 0).dist.tolist()}))
"""


def test_a_stream():
    assert run_program(STREAM) == [{"ended": True, "left": [], "next": [0, 5, 12]}]

"""Ctrl-C: any query ends by KeyboardInterrupt, nothing goes on running, and the process is as good as before.

Queries are interrupted from inside (helpers/pressing.py), so that they always are at work. A kernel that does not look
at the stop flag would run for an hour here: the child would be ended as hanging, and the test would fail.
"""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest

import nearfar
from helpers.able import takes
from helpers.interrupts import FRONT, assert_interrupted, run_program
from helpers.marks import HANG, child_environment
from helpers.problems import problem_for
from nearfar import Graph
from nearfar.methods import METHODS

if sys.platform == "win32":
    pytest.skip("a process cannot send Ctrl-C to one child alone on Windows", allow_module_level=True)

METHODS_OF_ROWS = """
weighted = nearfar.generate.road_grid(40, 40)
equal = Graph.from_arcs(np.repeat(np.arange(weighted.n), np.diff(weighted.offsets)), weighted.heads)
sources = range(200)
for method in nearfar.methods.METHODS:
    graph = equal if method == "bfs" else weighted
    truth = nearfar.mssp(graph, sources, method=method, threads=1, dtype="int32").dist
    out = np.full_like(truth, -1)
    for threads in (1, 2):
        ask = lambda **options: nearfar.mssp(graph, sources, method=method, threads=threads, out=out, **options)
        ask()
        out[:] = -1
        interrupt(f"{method}-{threads}", ask, at_work())
        if threads == 1:  # with two, the other thread may settle rows before the flag is raised
            print(json.dumps(int((out == truth).all(axis=1).sum())), flush=True)
        interrupt(f"{method}-{threads}-progress", lambda: ask(progress=lambda *rows: None), at_work())
"""


def test_every_method():
    """The flag is raised before the first row: no row is settled any more."""
    answers = run_program("import nearfar.methods" + METHODS_OF_ROWS)
    settled = [answer for answer in answers if isinstance(answer, int)]
    assert settled == [0] * len(METHODS)
    asked = [(method, threads) for method in METHODS for threads in (1, 2)]
    names = [f"{method}-{threads}{kind}" for method, threads in asked for kind in ("", "-progress")]
    assert_interrupted([answer for answer in answers if isinstance(answer, dict)], names)


ENDLESS = """
def endless(name, graph, source, method):
    row = np.full(graph.n, -9, np.int32)
    interrupt(name, lambda: nearfar.sssp(graph, source, method=method, threads=1, out=row), when_written(row, -9))

n = 2_000_000
# From the end to the beginning: a round of `edge`, which goes through the vertices upwards, settles one vertex.
backward = Graph.from_arcs(np.arange(1, n), np.arange(n - 1))
negative = Graph.from_arcs(np.arange(1, n), np.arange(n - 1), np.where(np.arange(n - 1) % 2, 2, -1))
# Every vertex is reached at once and then improves in every round, by one step each.
v = np.arange(n - 1, 0, -1)
improving = Graph.from_arcs(np.concatenate([np.zeros(n - 1, int), v[1:]]), np.concatenate([v, v[1:] + 1]),
                            np.concatenate([2 * v, np.ones(n - 2, int)]))
for method, graph, source in (("edge", backward, 10), ("edge", negative, 10), ("frontier", improving, n - 5)):
    nearfar.sssp(graph, source, method=method, threads=1, out=np.empty(n, np.int32))  # kernels are compiled
endless("edge", backward, n - 1, "edge")
endless("edge-negative", negative, n - 1, "edge")
endless("frontier", improving, 0, "frontier")
"""


def test_inside_a_kernel():
    """A row that would take an hour: the kernel itself hears the flag."""
    assert_interrupted(run_program(ENDLESS), ["edge", "edge-negative", "frontier"])


SHARED = """
weighted = nearfar.generate.road_grid(300, 300)
equal = weighted.with_weights(None)
row = np.empty(weighted.n, np.int32)
for method, threads in (("delta", 2), ("delta", 3), ("bfs", 2), ("bfs", 3), ("dijkstra", 1)):
    graph = equal if method == "bfs" else weighted

    def again_and_again():
        while True:
            nearfar.sssp(graph, 0, method=method, threads=threads, out=row)

    nearfar.sssp(graph, 0, method=method, threads=threads, out=row)
    for _ in range(3):
        row[:] = -1
        interrupt(method, again_and_again, when_written(row, -1))
    interrupt(method, again_and_again, at_work(min(threads, 2), together=True))
"""


def test_threads_that_share_a_row():
    """They wait for each other inside the kernel: none may be left there. One query after the other, without end."""
    answers = run_program(SHARED)
    assert [answer["name"] for answer in answers] == ["delta"] * 8 + ["bfs"] * 8 + ["dijkstra"] * 4
    assert all(answer["interrupted"] and answer["next"] == [0, 5, 12] for answer in answers)
    assert all(answer["stopped"] for answer in answers[3::4])  # before, it may come between two queries


@pytest.mark.parametrize("method", METHODS)
def test_a_raised_flag_ends_a_row_after_few_steps(method):
    """Counted, not timed: the arcs relaxed by a row that begins with the flag raised."""
    graph = nearfar.generate.road_grid(60, 60)
    if not takes(method, graph):
        graph = Graph.from_arcs(np.repeat(np.arange(graph.n), np.diff(graph.offsets)), graph.heads)
    problem, rows, controls = problem_for(graph, [0])
    controls.stop[0], record = 1, METHODS[method]
    if record.many is not None:
        relaxed = record.many(problem, rows, controls)
    else:
        relaxed = record.new_worker(problem, controls)(problem.seeds_of(0), rows[0])
    assert controls.done == []
    if method != "floyd":  # whose figure is n^3 whatever happens
        assert relaxed <= graph.m  # of some 60 rounds of `edge`, it is the first; all others relax less


UNCAUGHT = """
def announce(stop):
    print("at work", flush=True)

keyboard.before_work = once(announce)
graph = nearfar.generate.road_grid(300, 300)
while True:
    nearfar.mssp(graph, range(100), method="dijkstra", threads=2)
"""


def test_uncaught_interrupt():
    """The process ends as Python programs do: with KeyboardInterrupt."""
    child = subprocess.Popen(
        [sys.executable, "-c", FRONT + UNCAUGHT],
        env=child_environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == "at work\n", child.stderr.read()
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=HANG)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode in (-signal.SIGINT, 130, 1) and "KeyboardInterrupt" in err


def test_a_thread_that_cannot_hear_is_not_waited_for():
    """As inside SciPy's search for components: the caller is free while it works on, and it ends by itself."""
    answers = run_program("""
import threading, time
from nearfar.devices import cpu
stop, released, ended = np.zeros(1, np.int64), threading.Event(), []

def deaf(t):
    press()
    released.wait()  # which is set only when the caller is free
    ended.append(t)

try:
    cpu.run(deaf, 1, stop)
except KeyboardInterrupt:
    print(json.dumps([int(stop[0]), keyboard.alive, ended]))
released.set()
while keyboard.alive:
    time.sleep(0.001)
print(json.dumps(ended))
""")
    assert answers == [[1, 1, []], [0]]


COMPILING = """
from numba.core import event

class Presser(event.Listener):
    def on_start(self, event):
        press_once()

    def on_end(self, event):
        pass

press_once = once(press)
event.register("numba:compile", Presser())
try:
    nearfar.sssp(small, 0)
    print(json.dumps("not interrupted"))
except KeyboardInterrupt:
    print(json.dumps(nearfar.sssp(small, 0).dist.tolist()))
"""


def test_interrupt_while_kernels_compile(tmp_path):
    """It is heard, nothing is printed, and the next query works."""
    assert run_program(COMPILING, NEARFAR_CACHE_DIR=tmp_path) == [[0, 5, 12]]

"""Ctrl-C: any query ends within half a second, nothing goes on running, and the process is as good as before."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from helpers.interrupts import SLACK, interrupt_often
from helpers.marks import child_environment

if sys.platform == "win32":
    pytest.skip("a process cannot send Ctrl-C to one child alone on Windows", allow_module_level=True)

TIMES = 3  # interrupts of the same process
ROWS = """
graph = nearfar.generate.road_grid(300, 300)
warm = lambda: [nearfar.mssp(graph, [0, 1], threads=2, method=m) for m in ("dijkstra", "delta")]
"""
# From the end to the beginning: a round of `edge`, which goes through the vertices upwards, settles one vertex.
BACKWARD = """
n = {n}
graph = Graph.from_arcs(np.arange(1, n), np.arange(n - 1))
warm = lambda: nearfar.sssp(graph, 10, method="edge", threads=1)
"""
# Every vertex is reached at once and then improves in every round, by one step each.
IMPROVING = """
n = {n}
v = np.arange(n - 1, 0, -1)
graph = Graph.from_arcs(np.concatenate([np.zeros(n - 1, int), v[1:]]), np.concatenate([v, v[1:] + 1]),
                        np.concatenate([2 * v, np.ones(n - 2, int)]))
warm = lambda: nearfar.sssp(graph, n - 5, method="frontier", threads=1)
"""
SHARED = """
graph = nearfar.generate.road_grid(400, 400)
warm = lambda: [nearfar.sssp(graph, 0, method=m, threads=2) for m in ("dijkstra", "delta")]
"""
NEGATIVE = """
n = {n}
graph = Graph.from_arcs(np.arange(1, n), np.arange(n - 1), np.where(np.arange(n - 1) % 2, 2, -1))
warm = lambda: nearfar.sssp(graph, 10, method="edge", threads=1)
"""

JOBS = {
    "mssp": (ROWS, "nearfar.mssp(graph, range(3000), method='dijkstra', threads=2)"),
    "mssp-one-thread": (ROWS, "nearfar.mssp(graph, range(1500), method='dijkstra', threads=1)"),
    "mssp-progress": (
        ROWS,
        "nearfar.mssp(graph, range(3000), method='dijkstra', threads=2, progress=lambda *rows: None)",
    ),
    "apsp-delta": (ROWS, "nearfar.mssp(graph, range(3000), method='delta', threads=2)"),
    "edge": (BACKWARD.format(n=200_000), "nearfar.sssp(graph, n - 1, method='edge')"),
    "edge-negative": (NEGATIVE.format(n=200_000), "nearfar.sssp(graph, n - 1, method='edge')"),
    "frontier": (IMPROVING.format(n=200_000), "nearfar.sssp(graph, 0, method='frontier')"),
    "delta": (SHARED, "while True: nearfar.sssp(graph, 0, method='delta', threads=2)"),
    "dijkstra": (SHARED, "while True: nearfar.sssp(graph, 0, method='dijkstra', threads=1)"),
    "edge-small-graph": (BACKWARD.format(n=70_000), "nearfar.sssp(graph, n - 1, method='edge')"),
}


@pytest.mark.parametrize("name", JOBS)
def test_interrupt(name):
    setup, query = JOBS[name]
    delays = interrupt_often(setup, query, [0.2 + 0.13 * i for i in range(TIMES)])
    print(f"{name}: stopped after {', '.join(f'{delay:.3f}' for delay in delays)} s")


def test_uncaught_interrupt():
    """The process ends as Python programs do: with KeyboardInterrupt, and soon."""
    setup, query = JOBS["mssp"]
    program = f"import nearfar\n{setup}\nwarm()\nprint('ready', flush=True)\n{query}"
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=child_environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=10)
    finally:
        child.kill()
        child.communicate()
    assert child.returncode in (-signal.SIGINT, 130, 1) and "KeyboardInterrupt" in err


def test_a_thread_that_cannot_hear_is_not_waited_for():
    """As inside SciPy's search for components: the caller is free at once, and the thread ends by itself."""
    program = """
import time, _thread
import numpy as np
from nearfar.devices import cpu
stop = np.zeros(1, np.int64)
print("ready", flush=True)
try:
    cpu.run(lambda t: time.sleep(2), 1, stop)
except KeyboardInterrupt:
    stopped = time.time()
time.sleep(2.2)
print(stopped, stop[0], _thread._count(), flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program], env=child_environment(), text=True, stdout=subprocess.PIPE
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        pressed = time.time()
        child.send_signal(signal.SIGINT)
        stopped, raised, left = child.communicate(timeout=30)[0].split()
    finally:
        child.kill()
    assert float(stopped) - pressed < SLACK
    assert (raised, left) == ("1", "0")


def test_interrupt_while_kernels_compile(tmp_path):
    """It is heard at once, nothing is printed, and the next query works."""
    program = """
import time
import nearfar
graph = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7])
print("ready", flush=True)
try:
    nearfar.sssp(graph, 0)
except KeyboardInterrupt:
    print(time.time(), nearfar.sssp(graph, 0).dist.tolist(), flush=True)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=child_environment(NEARFAR_CACHE_DIR=tmp_path),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(2.0)  # Numba is loaded by then, and the kernels take seconds
        pressed = time.time()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert err == ""
    stopped, answer = out.split(maxsplit=1)
    assert answer == "[0, 5, 12]\n"
    assert float(stopped) - pressed < SLACK

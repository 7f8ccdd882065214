"""Ctrl-C pressed in a child process while it works on a query, and what it must leave behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from threading import Timer

from helpers.marks import child_environment

LIMIT = 120  # seconds; a child that hangs is killed, which fails the test
SLACK = 1.5  # seconds; half a second is promised, but the machine may be busy

PROGRAM = """
import json, sys, time, _thread
import numpy as np
import nearfar
from nearfar import Graph

{setup}

small = Graph.from_arcs([0, 1], [1, 2], [5, 7])

def work():
    {query}

def cpu_of(seconds):
    before = time.process_time()
    time.sleep(seconds)
    return time.process_time() - before

warm()
nearfar.sssp(small, 0)
for _ in range({times}):
    threads = _thread._count()
    try:
        print("ready", flush=True)
        work()
        print(json.dumps("the query ended before it was interrupted"), flush=True)
        break
    except KeyboardInterrupt:
        stopped = time.time()
    answer = {{"stopped": stopped, "again": nearfar.sssp(small, 0).dist.tolist()}}
    waited = time.time() + 1  # a thread that is done still has to leave
    while _thread._count() > threads and time.time() < waited:
        time.sleep(0.01)
    answer["left"] = _thread._count() - threads
    answer["busy"] = cpu_of(0.2)
    print(json.dumps(answer), flush=True)
"""


def interrupt_often(setup, query, moments):
    """Run a query again and again in a child, and press Ctrl-C so many seconds into each; return how long each took."""
    program = PROGRAM.format(setup=setup, query=query, times=len(moments))
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=child_environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    watchdog = Timer(LIMIT, child.kill)
    watchdog.start()
    try:
        delays = [interrupt(child, moment) for moment in moments]
        out, err = child.communicate(timeout=60)
        assert (child.returncode, out, err) == (0, "", "")
    finally:
        watchdog.cancel()
        child.kill()
        child.communicate()
    return delays


def interrupt(child, after):
    """Press Ctrl-C some time into the query; return how long it took to stop, having checked what it left behind."""
    assert child.stdout.readline() == "ready\n", child.stderr.read()
    time.sleep(after)
    pressed = time.time()
    child.send_signal(signal.SIGINT)
    line = child.stdout.readline()
    assert line, f"the process ended with {child.wait()}: {child.stderr.read()}"
    answer = json.loads(line)
    assert isinstance(answer, dict), answer
    assert answer["again"] == [0, 5, 12]
    assert answer["left"] <= 0, "threads were left behind"  # fewer: one of the query before was still leaving
    assert answer["busy"] < 0.1, "something goes on working"
    delay = answer["stopped"] - pressed
    assert delay < SLACK, f"stopped after {delay:.2f} s"
    return delay

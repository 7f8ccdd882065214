"""Programs for tests of Ctrl-C, run in a child process: what each query left behind when it was interrupted."""

from __future__ import annotations

import json
import subprocess
import sys

from helpers.marks import HANG, child_environment

FRONT = """
import json
import numpy as np
import nearfar
from helpers.pressing import Keyboard, at_call, at_work, is_in, once, press, press_and_wait, when_written
from nearfar import Graph

keyboard = Keyboard()
small = Graph.from_arcs([0, 1], [1, 2], [5, 7])

def interrupt(name, query, before_work):
    left = keyboard.interrupt(query, before_work)
    print(json.dumps({"name": name, **left, "next": nearfar.sssp(small, 0).dist.tolist()}), flush=True)
"""


def run_program(program, front=FRONT, **changes):
    """Run a program in a child to its end; return what it printed, a JSON document per line."""
    done = subprocess.run(
        [sys.executable, "-c", front + program],
        env=child_environment(**changes),
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_interrupted(answers, names):
    """Every query ended by KeyboardInterrupt with its stop flag raised, and the next one works."""
    assert [answer["name"] for answer in answers] == list(names)
    for answer in answers:
        assert answer["interrupted"] and answer["stopped"] and answer["next"] == [0, 5, 12], answer

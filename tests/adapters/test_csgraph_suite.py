"""SciPy's own tests of its shortest paths, with our functions in place of SciPy's: all pass, and ours really ran."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

PLUGIN = '''
"""Put our functions in the place of SciPy's, run ours however small a matrix is, and count the calls."""

import functools, json, os
from collections import Counter

import scipy.sparse.csgraph as scipys
from nearfar import csgraph
from nearfar.adapters.csgraph import functions

calls = Counter()
functions.SMALL = -1
SWAPPED = ("shortest_path", "dijkstra", "bellman_ford", "johnson", "floyd_warshall", "yen")


def counted(name):
    function = getattr(csgraph, name)

    @functools.wraps(function)
    def run(*given, **options):
        calls[name] += 1
        return function(*given, **options)

    return run


def pytest_collection_finish(session):
    ours = {name: counted(name) for name in SWAPPED}
    functions.floyd_warshall = ours["floyd_warshall"]  # which shortest_path(method="FW") calls
    theirs = {getattr(scipys, name): name for name in SWAPPED}
    for module in {item.module for item in session.items}:
        for name, value in list(vars(module).items()):
            if getattr(value, "__hash__", None) and value in theirs:
                setattr(module, name, ours[theirs[value]])
            elif value is scipys:
                module.csgraph = csgraph
        if hasattr(module, "methods"):
            assert set(module.methods) <= {"auto", "FW", "D", "BF", "J"}


def pytest_sessionfinish(session, exitstatus):
    with open(os.environ["COUNTS"], "w") as file:
        json.dump({**calls, "passed": session.testscollected - session.testsfailed}, file)
'''


@pytest.mark.parametrize("name, least", (("test_shortest_path", 50),))
def test_scipy_passes_its_own_tests(tmp_path, name, least):
    (tmp_path / "swapping.py").write_text(PLUGIN)
    counts = tmp_path / "counts.json"
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "COUNTS": str(counts)}
    suite = f"scipy.sparse.csgraph.tests.{name}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "swapping", "-p", "no:cacheprovider", "--pyargs", suite]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
    ran = json.loads(counts.read_text())
    assert ran.pop("passed") >= least
    assert set(ran) == {"shortest_path", "dijkstra", "bellman_ford", "johnson", "floyd_warshall", "yen"}

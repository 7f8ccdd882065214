"""NetworkX's own tests, run against the backend: all pass, and each of our functions really ran."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from nearfar.adapters.networkx.info import FUNCTIONS

SUITES = [
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.tests.test_simple_paths",
    "networkx.algorithms.tests.test_voronoi",
    "networkx.algorithms.tests.test_wiener",
    *(
        f"networkx.algorithms.centrality.tests.test_{name}"
        for name in (
            "closeness_centrality",
            "harmonic_centrality",
            "betweenness_centrality",
            "betweenness_centrality_subset",
        )
    ),
]
PLUGIN = '''
"""Count what NetworkX asked the backend for and got, and make every dict lazy if asked to."""

import collections, functools, json, os

answered = collections.Counter()

def counted(name, function):
    @functools.wraps(function)
    def call(*given, **options):
        try:
            found = function(*given, **options)
        except NotImplementedError:  # NetworkX runs
            raise
        except Exception:  # which is the answer, too
            answered[name] += 1
            raise
        answered[name] += 1
        return found
    return call

def pytest_sessionstart(session):
    from nearfar.adapters.networkx import backend, info, lazy
    if os.environ.get("LAZY"):
        lazy.Reached.few = lazy.Paths.few = -1
    for names in info.FUNCTIONS.values():
        for name in names:
            for known in {name, info.NEWER.get(name, name)}:
                setattr(backend, known, counted(name, getattr(backend, name)))

def pytest_sessionfinish(session, exitstatus):
    with open(os.environ["COUNTS"], "w") as file:
        json.dump({**answered, "passed": session.testscollected - session.testsfailed}, file)
'''


@pytest.mark.parametrize("lazy", ("", "1"), ids=("as usual", "lazy"))
def test_networkx_passes_its_own_tests(tmp_path, lazy):
    (tmp_path / "counting.py").write_text(PLUGIN)
    counts = tmp_path / "counts.json"
    environment = os.environ | {
        "NETWORKX_TEST_BACKEND": "nearfar",
        "NETWORKX_FALLBACK_TO_NX": "True",
        "PYTHONPATH": str(tmp_path),
        "COUNTS": str(counts),
        "LAZY": lazy,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "counting", "-p", "no:cacheprovider", "--pyargs", *SUITES]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:]
    ran = json.loads(counts.read_text())
    assert ran["passed"] > 900
    missing = [name for names in FUNCTIONS.values() for name in names if not ran.get(name)]
    assert set(missing) <= {"floyd_warshall"}  # which the tests of NetworkX 3.7 do not call; ours do


def test_importing_networkx_stays_light():
    """The info is read when NetworkX is imported: nothing that computes is loaded for it."""
    program = (
        "import sys, networkx; from networkx.utils.backends import backend_info; assert 'nearfar' in backend_info; "
        "print([name for name in sys.modules if name.split('.')[0] in ('numpy', 'numba', 'scipy', 'nearfar')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(
        [
            "nearfar.version",
            "nearfar",
            "nearfar.adapters",
            "nearfar.adapters.networkx",
            "nearfar.adapters.networkx.info",
        ]
    )

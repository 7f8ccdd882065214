"""Run tests on the newer Pythons of this machine, with the newest versions of everything: `make newer`.

On each the tests of core.py, and on the newest the suites of NetworkX and SciPy as well. `--all` (`make newer-all`)
runs all tests on each. An environment is .venv/newer-3.13. Where a Python is missing, or nothing can be installed for
it, a line says SKIPPED.
"""

from __future__ import annotations

import sys

import core
from helpers.pythons import environment

VERSIONS = ("3.12", "3.13", "3.14")
PACKAGES = ["-e", ".[all]", "--group", "test"]
SUITES = (
    "tests/adapters/test_networkx_suite.py::test_networkx_passes_its_own_tests[as usual]",
    "tests/adapters/test_csgraph_suite.py",
    "tests/adapters/test_networkx.py::test_signatures",
)


def main(everything: bool) -> int:
    """Run the tests; return the exit code, 0 if they can be run nowhere."""
    newer = [each for each in VERSIONS if tuple(map(int, each.split("."))) > sys.version_info[:2]]
    pythons = {}
    for version in newer:
        try:
            pythons[version] = environment(f"newer-{version}", version, PACKAGES)
        except LookupError as problem:
            print(f"newer: Python {version} SKIPPED, {problem}")
    codes = [0]
    for version, python in pythons.items():
        chosen = () if everything else core.TESTS if version != list(pythons)[-1] else (*core.TESTS, *SUITES)
        codes.append(core.run(python, *chosen))
        print(f"newer: {'failed' if codes[-1] else 'passed'} on Python {version}")
    return max(codes)


if __name__ == "__main__":
    sys.exit(main("--all" in sys.argv))

"""Run the tests that hold on every Python, system and set of versions: `python tests/core.py`, with any Python.

Everything that reads, writes, converts or wraps, and a few queries of each kind: that is where other versions of other
libraries show. Kernels are compiled from the same text everywhere, and take most of the time of the other tests.
`make newer`, `make lowest` and the workflow of GitHub run these; more arguments are handed to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = (
    "tests/cli/test_queries.py",
    "tests/draw/test_network.py",
    "tests/explorer/test_server.py",
    "tests/formats",
    "--ignore=tests/formats/test_fuzz.py",  # a minute, of a parser that is all our own
    "tests/graph",
    "tests/results",
    "tests/test_demo.py",
    "tests/test_errors.py",
    "tests/test_exports.py",
    "tests/test_imports.py",
)


def main() -> int:
    """Run the tests with this Python; return pytest's exit code."""
    return run(sys.executable, *TESTS, *sys.argv[1:])


def run(python: str | Path, *arguments: str) -> int:
    """Run pytest with a Python; return the exit code."""
    command = [python, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # as in the Makefile
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())

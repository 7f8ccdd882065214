"""Run every GPU method, type and query on a second OpenCL implementation, Intel's for CPUs: `make intel`.

The self-test has the grid; with --thorough, the tests of the grid run, too (`make test-all`).
helpers/runtimes.py installs it. Where it cannot be installed, a line says SKIPPED.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from helpers.runtimes import install, intel

ROOT = Path(__file__).parent.parent
SELFTEST = ("nearfar", "selftest", "--quick", "--device", "opencl")
GRID = ("pytest", "-q", "-n", "2", "tests/gpu/test_grid_gpu.py")


def main(arguments) -> int:
    """Run the grid; return the exit code, 0 if it cannot be run."""
    problem = install()
    if problem:
        print(f"intel: SKIPPED, {problem}")
        return 0
    commands = [SELFTEST, GRID] if "--thorough" in arguments else [SELFTEST]
    codes = [subprocess.run([sys.executable, "-m", *c], env=intel(), cwd=ROOT).returncode for c in commands]
    print(f"intel: {'failed' if any(codes) else 'passed'} on Intel's OpenCL runtime")
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Run the tests of core.py with the lowest versions that pyproject.toml allows, on the oldest Python: `make lowest`.

The dependencies and those of nearfar[all] are taken as low as they go, all together; the environment is .venv/lowest.
Where there is no such Python, or no package index, a line says SKIPPED. A version that cannot be installed beside the
others is a failure: somebody's package manager will choose it one day.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib

import core
from helpers.pythons import ROOT, environment, pip

# as new as they may be; duckdb and what follows are imported by tests of frames and of foreign graphs
TOOLS = ["pytest", "pytest-xdist", "hypothesis", "pyopencl[pocl]", "duckdb", "igraph", "rustworkx", "xarray"]


def main() -> int:
    """Run the tests; return the exit code, 0 if they cannot be run."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = project["requires-python"].removeprefix(">=")
    try:
        python = environment("lowest", oldest, [*lowest(project), *TOOLS, "-e", "."])
    except LookupError as problem:
        unasked = f"no Python {oldest}" in str(problem) or not reachable()
        print(f"lowest: {'SKIPPED' if unasked else 'failed'}, {problem}")
        return 0 if unasked else 1
    # what old libraries say of each other's newer releases is no fault of ours
    code = core.run(python, *core.TESTS, "-W", "default::DeprecationWarning", "-W", "default::FutureWarning")
    print(f"lowest: {'failed' if code else 'passed'} with {', '.join(lowest(project))}")
    return code


def lowest(project: dict) -> list[str]:
    """Return the lowest versions of all dependencies but CUDA's, as pip takes them."""
    extras = project["optional-dependencies"]
    bounds = [*project["dependencies"], *(bound for name in extras if name != "cuda" for bound in extras[name])]
    return sorted({bound.replace(">=", "==") for bound in bounds if not bound.startswith("nearfar[")})


def reachable() -> bool:
    """Tell whether packages can be had at all."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*pip(sys.executable), "download", "--no-deps", "-d", folder, "click"]).returncode == 0


if __name__ == "__main__":
    sys.exit(main())

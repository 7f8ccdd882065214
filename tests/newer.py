"""Run the suites of NetworkX and SciPy on a newer Python than ours, with their newest versions: `make newer`.

A newer Python is looked for on the PATH and among pyenv's. Its environment is .venv/newer, and has only what these
tests need. Where there is none, or nothing can be installed, a line says SKIPPED.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOME = Path(sys.prefix, "newer")
PYTHON = HOME / "bin" / "python"
VERSIONS = ("3.14", "3.13", "3.12")  # the newest first
PACKAGES = ("-e", str(ROOT), "networkx", "pytest", "pytest-xdist", "hypothesis")
TESTS = (
    "test_networkx_suite.py::test_networkx_passes_its_own_tests[as usual]",
    "test_csgraph_suite.py",
    "test_networkx.py::test_signatures",
)
PATIENCE = 300  # seconds for the packages
ASK = "import sys, venv, ensurepip; print('{}.{}'.format(*sys.version_info))"


def main() -> int:
    """Run the tests; return the exit code, 0 if they cannot be run."""
    problem = install()
    if problem:
        print(f"newer: SKIPPED, {problem}")
        return 0
    tests = [f"tests/adapters/{name}" for name in TESTS]
    code = subprocess.run([PYTHON, "-m", "pytest", "-q", "-n", "2", *tests], cwd=ROOT).returncode
    version = subprocess.run([PYTHON, "-c", ASK], capture_output=True, text=True).stdout.strip()
    print(f"newer: {'failed' if code else 'passed'} on Python {version}")
    return code


def install() -> str | None:
    """Make the environment unless it is there; return why that cannot be done, or None."""
    done = HOME / "installed"
    if done.exists() and done.stat().st_mtime > (ROOT / "pyproject.toml").stat().st_mtime:
        return None
    python = find()
    if python is None:
        return f"no Python newer than {sys.version_info[0]}.{sys.version_info[1]} was found"
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "-qq", "install", "--upgrade", "--no-compile"]
    try:
        subprocess.run([python, "-m", "venv", "--clear", HOME], check=True, capture_output=True)
        subprocess.run([*pip, *PACKAGES], check=True, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"its packages could not be installed: {error}"
    done.touch()
    return None


def find() -> str | None:
    """Return the newest Python that is newer than this one, and works."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for version in VERSIONS:
        if tuple(map(int, version.split("."))) <= sys.version_info[:2]:
            return None
        for place in (shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python"))):
            if place and works(str(place), version):
                return str(place)
    return None


def works(python: str, version: str) -> bool:
    """Tell whether a Python runs, has this version and can make environments; pyenv's names may stand for nothing."""
    try:
        found = subprocess.run([python, "-c", ASK], capture_output=True, text=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError):
        return False
    return found.returncode == 0 and found.stdout.strip() == version


if __name__ == "__main__":
    sys.exit(main())

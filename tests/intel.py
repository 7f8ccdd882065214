"""Run every GPU method, type and query on a second OpenCL implementation, Intel's for CPUs: `make intel`.

The self-test has the grid; with --thorough, the tests of the grid run, too (`make test-all`).
Its packages come from PyPI and are installed beside the environment of the tests, in .venv/intel, where nothing finds
them unasked. Where they cannot be installed, a line says SKIPPED.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HOME = Path(sys.prefix, "intel")
PACKAGES = ("intel-opencl-rt", "intel-cmplr-lib-rt")
SELFTEST = ("nearfar", "selftest", "--quick", "--device", "opencl")
GRID = ("pytest", "-q", "-n", "2", "tests/gpu/test_grid_gpu.py")
PATIENCE = 300  # seconds for the packages, 250 MB
NAME = "import pyopencl; print([each.name for each in pyopencl.get_platforms()])"


def main(arguments) -> int:
    """Run the grid; return the exit code, 0 if it cannot be run."""
    problem = install()
    if problem:
        print(f"intel: SKIPPED, {problem}")
        return 0
    vendors = HOME / "intel.icd"
    vendors.write_text(f"{HOME}/lib/libintelocl.so\n")
    environment = {**os.environ, "OCL_ICD_VENDORS": str(vendors), "LD_LIBRARY_PATH": f"{HOME}/lib"}
    found = subprocess.run([sys.executable, "-c", NAME], env=environment, capture_output=True, text=True)
    if found.stdout.strip() != "['Intel(R) OpenCL']":
        print(f"intel: SKIPPED, the driver was not found; there is {found.stdout or found.stderr}")
        return 0
    commands = [SELFTEST, GRID] if "--thorough" in arguments else [SELFTEST]
    codes = [subprocess.run([sys.executable, "-m", *c], env=environment, cwd=ROOT).returncode for c in commands]
    print(f"intel: {'failed' if any(codes) else 'passed'} on Intel's OpenCL runtime")
    return max(codes)


def install() -> str | None:
    """Install the packages unless they are there; return why they cannot be, or None."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"there is no such runtime for {platform.system()} on {platform.machine()}"
    done = HOME / "installed"
    if done.exists():
        return None
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", f"{HOME}/bin/python", "install"]
    try:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", HOME], check=True, capture_output=True)
        subprocess.run([*pip, "-q", "--no-compile", *PACKAGES], check=True, capture_output=True, timeout=PATIENCE)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{' and '.join(PACKAGES)} could not be installed: {error}"
    done.touch()
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Which OpenCL implementation runs the tests: PoCL, or Intel's where PoCL does not know the processor.

Intel's packages come from PyPI and are installed beside the environment of the tests, in .venv/intel, where nothing
finds them unasked. `python tests/runtime.py`, which `make test` begins with, looks whether PoCL can build kernels here
and keeps the answer in a file; every run of pytest follows it.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

HOME = Path(sys.prefix, "intel")
DRIVER = HOME / "lib" / "libintelocl.so"
INSTEAD = HOME / "instead"  # this file is there if Intel's runtime runs the tests; it says why
PACKAGES = ("intel-opencl-rt", "intel-cmplr-lib-rt")
PATIENCE = 300  # seconds for the packages, 250 MB
SETTING = "OCL_ICD_VENDORS"
NAMES = "import pyopencl; print([each.name for each in pyopencl.get_platforms()])"
DEFECT = """
import pyopencl
from nearfar.devices import opencl, pocl
defects = [pocl.defect(pyopencl, device) for device in opencl._devices()]
print("" if opencl.found() else max(defects, default=""))
"""


def install() -> str | None:
    """Install Intel's runtime unless it is there; return why it cannot be used, or None."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"there is no such runtime for {platform.system()} on {platform.machine()}"
    done = HOME / "installed"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", f"{HOME}/bin/python", "install"]
    try:
        if not done.exists():
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", HOME], check=True, capture_output=True)
            subprocess.run([*pip, "-q", "--no-compile", *PACKAGES], check=True, capture_output=True, timeout=PATIENCE)
            done.touch()
    except (OSError, subprocess.SubprocessError) as error:
        return f"{' and '.join(PACKAGES)} could not be installed: {error}"
    found = ask(NAMES, intel())
    said = (found.stdout or found.stderr).strip()
    return None if said == "['Intel(R) OpenCL']" else f"the driver was not found; there is {said}"


def intel() -> dict[str, str]:
    """Return an environment in which Intel's runtime is all that OpenCL finds."""
    return {**os.environ, SETTING: str(DRIVER)}


def defect() -> str:
    """Return why PoCL can build nothing here, or "" if it can, or if another driver stands beside it."""
    return ask(DEFECT, dict(os.environ)).stdout.strip()


def ask(code: str, environment: dict[str, str]) -> subprocess.CompletedProcess:
    """Run a child process to its end."""
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)


def follow() -> str | None:
    """Let this process and its children use the runtime that was chosen; return why, if it is Intel's."""
    if SETTING in os.environ or not INSTEAD.exists():
        return None
    os.environ[SETTING] = str(DRIVER)
    return INSTEAD.read_text()

"""What a report says about the machine: versions of everything involved, the processor, the memory."""

from __future__ import annotations

import os
import platform
import re
from importlib import metadata
from pathlib import Path

from . import __version__

PACKAGES = ("numpy", "numba", "scipy", "pyopencl", "pocl-binary-distribution", "cupy", "cupy-cuda12x", "cupy-cuda13x")


def versions() -> dict[str, str]:
    """Return the versions of everything involved, the system and the processor.

    Examples
    --------
    >>> list(versions())[:3]
    ['nearfar', 'python', 'numpy']
    """
    found = {"nearfar": __version__, "python": f"{platform.python_implementation()} {platform.python_version()}"}
    for package in PACKAGES:
        if (version := package_version(package)) is not None:
            found[package] = version
    found["system"] = f"{platform.platform()}, {platform.machine()}"
    found["processor"] = processor()
    return found


def package_version(package: str) -> str | None:
    """Return the version of a package, or None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """Return the name of the CPU, if the system knows it."""
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text("utf8", "replace"), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor() or "unknown processor"


def memory() -> str:
    """Return the size of the memory, if the system knows it."""
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB"
    except (AttributeError, ValueError, OSError):
        return "unknown memory"

"""PyOpenCL and PoCL without traces: nothing on the user's screen, and no folder that has to be writable."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
from functools import lru_cache
from importlib import import_module
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

_building = threading.Lock()


def build_quietly(cl: Any, program: Any, options: list[str]) -> None:
    """Build a program: without compiler warnings on the screen, and without PyOpenCL's cache on disk."""
    with _building, warnings.catch_warnings():  # filters belong to the process, not to a thread
        warnings.simplefilter("ignore")
        program.get_info(cl.program_info.NUM_DEVICES)  # PyOpenCL does not cache a program that was used before
        program.build(options)


@lru_cache(maxsize=1)
def spare_disk() -> None:
    """Avoid home folders that are not writable: there PyOpenCL fails to make a kernel, and PoCL is not found."""
    if not _is_writable("pytools"):
        setattr(import_module("pyopencl"), "_PYOPENCL_NO_CACHE", True)  # noqa: B010 - no attribute that mypy knows
    if "POCL_CACHE_DIR" not in os.environ and not _is_writable("pocl"):
        folder = mkdtemp(prefix="nearfar-pocl-")
        atexit.register(rmtree, folder, ignore_errors=True)
        os.environ["POCL_CACHE_DIR"] = folder


def _is_writable(name: str) -> bool:
    """Return whether a package has a writable folder in the user's cache."""
    folder = import_module("platformdirs").user_cache_dir(name, name)
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)

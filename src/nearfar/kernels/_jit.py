"""The one place that decides how kernels are compiled and where their machine code is kept.

Numba's disk cache notices a change in the file that holds a function, not in the helpers it inlines from other files,
nor in constants. So the cache folder is named by a fingerprint of everything a kernel can depend on: the text of every
kernel file and of constants.py, and the versions of Python, NumPy, Numba and llvmlite. A change anywhere means an empty
folder, never stale code. The folder lies in the user's cache directory, so a read-only install works; where no folder
can be written, kernels are compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import event

HERE = Path(__file__).parent
KEPT_VERSIONS = 8


def fingerprint(folder: Path = HERE) -> str:
    """Name everything that compiled kernels depend on, in 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for version in (sys.version, np.__version__, numba.__version__, llvmlite.__version__):
        digest.update(version.encode())
    for path in [*sorted(folder.glob("*.py")), folder.parent / "constants.py"]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    """Return the folder where this user's programs keep what they can make again."""
    if chosen := os.environ.get("NEARFAR_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "nearfar"


def cache_folder() -> str | None:
    """Return a writable folder for this fingerprint, or None where nothing can be written."""
    try:
        folder = _user_cache() / "kernels" / fingerprint()
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError):  # RuntimeError: no home directory can be determined
        return None
    if is_new:
        _forget_old(folder.parent)
    return str(folder)


def _forget_old(folder: Path) -> None:
    """Remove what earlier versions left, but for the last few; a process that still uses one compiles anew."""
    versions = sorted(folder.iterdir(), key=lambda version: version.stat().st_mtime, reverse=True)
    for version in versions[KEPT_VERSIONS:]:
        shutil.rmtree(version, ignore_errors=True)


FOLDER = cache_folder()


def kernel(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    """Compile ``function`` on first use, without the GIL, cached in our own folder.

    Numba picks the cache folder when the decorator runs, from a setting that belongs to the whole process; it is put
    back at once, so that other packages' caches stay where they are.
    """
    before = numba.config.CACHE_DIR
    flags = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False, **flags}
    try:
        numba.config.CACHE_DIR = FOLDER or ""
        return numba.njit(cache=FOLDER is not None, **flags)(function)
    finally:
        numba.config.CACHE_DIR = before


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a helper into each of its callers: for those called for every few bytes with many arrays at hand.

    An array is seven words; handing five of them over for each line of a text took twice as long as reading it.
    """
    return kernel(function, forceinline=True)


class _Announcer(event.Listener):
    """Tell a person at a terminal, once a process, why the first call takes seconds."""

    told = False

    def on_start(self, event: Any) -> None:
        """Speak when one of our kernels, not somebody else's, starts to compile."""
        module = getattr(event.data["dispatcher"].py_func, "__module__", "")
        if not self.told and module.startswith(__package__) and sys.stderr.isatty():
            type(self).told = True
            print("nearfar: compiling kernels for this kind of graph, once; a few seconds ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Nothing to say."""


event.register("numba:compile", _Announcer())

"""How kernels are compiled, and where their machine code is cached. No other module decides that.

Numba's disk cache notices a change in the file that holds a function, not in the helpers it inlines from other files,
nor in constants. So every kernel file has a cache folder named by a fingerprint of everything its kernels can depend
on: its own text, the text of every kernel file it imports, directly or not, this file, and the versions of Python,
NumPy, Numba and llvmlite. If any of these changes, the folder is a new, empty one: stale code is never loaded, and
kernels that do not depend on the change keep their folder. The folders are in the user's cache directory, so a
read-only install works. If no folder can be written, kernels are compiled again in each process.

In Numba's own cache, an index gives numbers to the files of machine code. Two processes that compile at once may take
the same number for two types, and then one type is given the code of the other. Here a file is named by what it is for,
and says so inside (`CodeFiles`): there is no index to race for.
"""

from __future__ import annotations

import ast
import hashlib
import os
import pickle
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching, event

HERE = Path(__file__).parent
KEPT_VERSIONS = 8  # cache folders kept for each kernel file
_setting = threading.Lock()  # for Numba's setting of the folder, which belongs to the whole process


def fingerprint(path: Path, root: Path = HERE) -> str:
    """Return a hash, 16 hexadecimal digits, of everything that the compiled kernels of a file depend on."""
    digest = hashlib.sha256()
    for version in (sys.version, np.__version__, numba.__version__, llvmlite.__version__):
        digest.update(version.encode())
    for member in closure(path, root):
        digest.update(str(member.relative_to(root)).encode() + b"\0" + member.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def closure(path: Path, root: Path = HERE) -> list[Path]:
    """Return a kernel file, and every file under ``root`` that its kernels can depend on.

    These are the files it imports, directly or not, this one, and the tuples of arrays that kernels are called with:
    their fields are part of what is compiled, also for kernels that do not name them. A file from elsewhere may import
    any kernel by its full name: it is taken to depend on all of them.
    """
    if not path.is_relative_to(root):
        return sorted(root.rglob("*.py"))
    found: set[Path] = set()
    pending = [path, root / "jit.py", root / "cpu" / "arguments.py"]
    while pending:
        member = pending.pop()
        if member not in found:
            found.add(member)
            pending += _imports(member, member.read_text(encoding="utf-8"), root)
    return sorted(found)


@cache
def _imports(path: Path, text: str, root: Path) -> list[Path]:
    """Return the files under ``root`` that a kernel file imports: modules, or the packages that hold them."""
    imported: list[Path] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            modules = [base, *(base / alias.name for alias in node.names)]
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [f"{names[0]}.{alias.name}".lstrip(".") if names else alias.name for alias in node.names]
            ours = [name.removeprefix(f"{__package__}.") for name in names if name.startswith(f"{__package__}.")]
            modules = [root.joinpath(*name.split(".")) for name in ours]
        else:
            continue
        files = [file for module in modules for file in (module.with_suffix(".py"), module / "__init__.py")]
        imported += [file for file in files if file.is_file() and file.is_relative_to(root)]
    return imported


def _user_cache() -> Path:
    """Return our folder in the user's cache directory."""
    if chosen := os.environ.get("NEARFAR_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "nearfar"


@cache
def cache_folder(path: Path) -> str | None:
    """Return a writable folder for the current version of a file's kernels, or None if none can be written."""
    try:
        folder = _user_cache() / "kernels" / path.stem / fingerprint(path)
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
    """Remove the folders of all but the last few versions; a process that still uses one compiles again."""
    with suppress(OSError):  # another process may remove the same ones
        versions = sorted(folder.iterdir(), key=lambda version: version.stat().st_mtime, reverse=True)
        for version in versions[KEPT_VERSIONS:]:
            shutil.rmtree(version, ignore_errors=True)


class CodeFiles(caching.IndexDataCacheFile):  # type: ignore[misc]  # Numba has no types
    """The files with the machine code of one kernel: one for each signature and processor, and no index of them."""

    def save(self, key: Any, data: Any) -> None:
        """Write the code for ``key``, whole or not at all."""
        self._save_data(self._name(key), (key, data))

    def load(self, key: Any) -> Any:
        """Return the code for ``key``, or None if there is none, or if what is there is damaged or for another key."""
        try:
            found, data = self._load_data(self._name(key))
        except (OSError, EOFError, ValueError, TypeError, AttributeError, ImportError, pickle.UnpicklingError):
            return None
        return data if found == key else None

    def flush(self) -> None:
        """Do nothing: files of old versions are in other folders."""

    def _name(self, key: Any) -> str:
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
        return self._data_name_pattern.replace("{number:d}", digest)


def kernel(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    """Compile ``function`` on first use, without the GIL, cached in our own folder.

    Numba picks the cache folder when the decorator runs, from a setting that belongs to the whole process; it is put
    back at once, so that other packages' caches stay where they are. Threads that import kernels at the same time wait
    for each other: a folder that another one takes away would leave machine code in the current directory.
    """
    folder = cache_folder(Path(function.__code__.co_filename))
    flags = {"nogil": True, "boundscheck": False, "error_model": "numpy", "_nrt": False, **flags}
    with _setting:
        before = numba.config.CACHE_DIR
        try:
            numba.config.CACHE_DIR = folder or ""
            compiled = numba.njit(cache=folder is not None, **flags)(function)
        finally:
            numba.config.CACHE_DIR = before
    if folder is not None and not numba.config.DISABLE_JIT:
        store = compiled._cache
        store._cache_file = CodeFiles(store.cache_path, store._impl.filename_base, None)
    return compiled


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a helper into each of its callers: for helpers that take many arrays and are called very often.

    An array argument is seven words. Passing five arrays for each line of a text took twice as long as reading it.
    """
    return kernel(function, forceinline=True)


class _Announcer(event.Listener):
    """Print on a terminal, once per process, why the first call takes seconds."""

    announced = False

    def on_start(self, event: Any) -> None:
        """Print when one of our kernels, not another package's, starts to compile."""
        module = getattr(event.data["dispatcher"].py_func, "__module__", "")
        if not self.announced and module.startswith(__package__) and sys.stderr.isatty():
            type(self).announced = True
            print("nearfar: compiling kernels for this kind of graph, once; a few seconds ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Print nothing."""


event.register("numba:compile", _Announcer())

"""A program's CUDA text, unmodified, made into a library by g++; libraries are kept by their content."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SHIM = Path(__file__).parent / "shim.hpp"
COMMON = ("-std=gnu++17", "-O1", "-fPIC", "-shared", "-pthread", "-w", "-fno-strict-aliasing")
MODES = {
    "plain": (),
    "flush": ("-DNF_FLUSH",),
    "thread": ("-g", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1"),
    "address": ("-g", "-fsanitize=address,undefined"),  # and UndefinedBehaviorSanitizer: both at once
}
RUNTIMES = {"thread": "libtsan.so", "address": "libasan.so"}
KERNEL = re.compile(r'extern "C" __global__ (?:__launch_bounds__\([^)]*\) )?void (\w+)\(')


class BuildError(Exception):
    """The text does not compile; the compiler's messages."""


def missing() -> str | None:
    """Return why the CUDA text cannot be compiled here, or None."""
    return None if shutil.which("g++") else "g++ is not installed; on Debian and Ubuntu: apt-get install g++"


def runtime(mode: str) -> str | None:
    """Return the library of a sanitizer, which must be loaded before Python; None if it is not installed."""
    path = _gpp(["-print-file-name=" + RUNTIMES[mode]])
    return str(Path(path.strip()).resolve()) if os.path.isabs(path.strip()) else None


def compile_program(code: str, mode: str) -> Path:
    """Return the library of a program; compiled once, also if several processes need it."""
    flags = (*COMMON, *MODES[mode])
    content = "\0".join((_version(), *flags, SHIM.read_text(), code))
    library = folder() / f"{hashlib.sha256(content.encode()).hexdigest()[:24]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=library.parent) as place:
            text, made = Path(place, "program.cpp"), Path(place, "program.so")
            text.write_text(code)
            exports = [f"NF_EXPORT({name})" for name in KERNEL.findall(_gpp(["-E", "-P", str(text)]))]
            text.write_text("\n".join((f'#include "{SHIM}"', code, *exports, "")))
            _gpp([*flags, "-o", str(made), str(text)])
            made.replace(library)
    return library


def folder() -> Path:
    """Return where libraries are kept, the same for all processes of a user."""
    path = Path(tempfile.gettempdir(), f"nearfar-cuda-text-{os.getuid()}")
    path.mkdir(mode=0o700, exist_ok=True)
    return path


@cache
def _version() -> str:
    return _gpp(["-dumpfullversion", "-dumpmachine"])


def _gpp(arguments) -> str:
    """Run g++, also in a process that a sanitizer watches; return what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(["g++", *arguments], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise BuildError(done.stderr)
    return done.stdout

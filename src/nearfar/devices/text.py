"""The source of a GPU program: defines, the macros of a dialect, the types, then the kernels.

A file in kernels/gpu/ is plain C with macros that opencl.h and cuda.h both define. It may begin with lines like
``// needs: lists.cl``, which name other files that come before it. Everything that the host decides is a define: types
and sizes from the caller, and the tuned whole numbers of kernels/gpu/constants.py, ``GPU_X`` as ``X``. Only the numbers
that a program reads are defined, so that a driver that caches programs on disk rebuilds only what a change affects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ..kernels.gpu import constants as tuned

FOLDER = Path(__file__).parent.parent / "kernels" / "gpu"
HEADERS = {"opencl": "opencl.h", "cuda": "cuda.h"}
NEEDS = re.compile(r"// needs: (\S+)")
WORD = re.compile(r"\w+")
DEFINED = re.compile(r"^\s*#\s*define (\w+)", re.M)


def source(dialect: str, stem: str, defines: Mapping[str, int]) -> str:
    """Return the source of the program ``stem``.cl in a dialect, "opencl" or "cuda"."""
    names = [HEADERS[dialect], "types.h", *needed(f"{stem}.cl")]
    body = "\n".join((FOLDER / name).read_text(encoding="ascii") for name in names)
    values = {**_used(constants(), body), **defines}
    if "DIST" in values:
        values["KEY_BYTES"] = 4 if values["DIST"] in (1, 3) else 8
    front = "".join(f"#define {name} {_literal(values[name])}\n" for name in sorted(values))
    return f"{front}\n{body}"


def _used(values: Mapping[str, int], body: str) -> dict[str, int]:
    """Return the constants that a source reads, without those that it defines itself."""
    words = set(WORD.findall(body)) - set(DEFINED.findall(body))
    return {name: value for name, value in values.items() if name in words}


def constants() -> dict[str, int]:
    """Return the tuned whole numbers for GPUs, by their names in the kernels."""
    found = {name: value for name, value in vars(tuned).items() if name.startswith("GPU_")}
    return {name.removeprefix("GPU_"): value for name, value in found.items() if isinstance(value, int)}


def needed(name: str) -> list[str]:
    """Return the files that a program is made of, each once and after those that it needs."""
    order: list[str] = []

    def visit(file: str) -> None:
        for line in (FOLDER / file).read_text(encoding="ascii").splitlines():
            match = NEEDS.fullmatch(line.strip())
            if not match:
                break
            if match[1] not in order:
                visit(match[1])
        order.append(file)

    visit(name)
    return order


def _literal(value: int) -> str:
    """Return the C literal of a number, in parentheses if it is negative."""
    return str(value) if value >= 0 else f"({value})"

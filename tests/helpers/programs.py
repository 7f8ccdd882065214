"""Every GPU program there is: the texts that have kernels, and the types they are built for."""

from __future__ import annotations

import re
from itertools import product

import pytest

from nearfar.devices import text

TEXTS = {path.stem: path.read_text(encoding="ascii") for path in sorted(text.FOLDER.glob("*.cl"))}
KERNEL = re.compile(r"^KERNEL(?:_SLIM)?\s+void\s+(\w+)\(", re.M)
# DIST and WEIGHT as in types.h; `make test` builds the first few, `make test-all` the others too
QUICK = {(1, 0, 1), (1, 1, 1), (2, 1, 1), (3, 3, 1), (4, 4, 2)}
PAIRS = [(1, 0), (2, 0), (4, 0), (1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2), (3, 3), (4, 3), (4, 4)]
TYPES = [
    {"DIST": dist, "WEIGHT": weight, "OFFSET": offset}
    for offset, pairs in ((1, PAIRS), (2, [(1, 1), (4, 4)]))
    for dist, weight in pairs
]


def kernels_of(stem):
    """Return the names of a text's kernels."""
    return KERNEL.findall(TEXTS[stem])


def variants(stem):
    """Return the defines a program is built with: every type, arcs in batches and groups alone where it has them."""
    if not any(name in TEXTS[stem] for name in ("key_t", "weight_t", "sum_t")):
        return TYPES[:1]  # it has nothing to do with distances
    choices = [(0, 1) if name in TEXTS[stem] else (0,) for name in ("WINDOWED", "ALONE")]
    return [{**types, "WINDOWED": window, "ALONE": alone} for types in TYPES for window, alone in product(*choices)]


def is_quick(defines):
    """Return whether `make test` builds a program with these types: each type, and each kind of offsets, once."""
    return (defines["DIST"], defines["WEIGHT"], defines["OFFSET"]) in QUICK


PROGRAMS = [
    pytest.param(
        stem,
        defines,
        id="-".join(map(str, (stem, *defines.values()))),
        marks=() if is_quick(defines) or defines is TYPES[0] else pytest.mark.thorough,
    )
    for stem, content in TEXTS.items()
    if KERNEL.search(content)
    for defines in variants(stem)
]
each_program = pytest.mark.parametrize(("stem", "defines"), PROGRAMS)

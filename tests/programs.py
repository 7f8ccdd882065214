"""Every GPU program there is: the texts that have kernels, and the types they are built for."""

from __future__ import annotations

import pytest

from nearfar.devices import text

STEMS = sorted(path.stem for path in text.FOLDER.glob("*.cl") if "KERNEL " in path.read_text(encoding="ascii"))
PAIRS = [(1, 0), (1, 1), (2, 1), (2, 2), (4, 1), (4, 2), (3, 3), (4, 3), (4, 4)]  # DIST and WEIGHT, as in types.h
TYPES = [
    {"DIST": dist, "WEIGHT": weight, "OFFSET": offset}
    for offset, pairs in ((1, PAIRS), (2, [(1, 1), (4, 4)]))
    for dist, weight in pairs
]

each_program = pytest.mark.parametrize("stem", STEMS)
each_type = pytest.mark.parametrize("types", TYPES, ids=lambda types: "-".join(map(str, types.values())))

"""How kernels read arcs and turn a distance into a bucket, for every weight type.

Arcs are records (head, weight), or only (head,) when every arc has weight 1. Numba picks the right body when it
compiles: ``weight`` is a load or the constant 1, ``level`` is a shift for integers or a multiplication for floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def weight(arcs: Any, e: Any) -> Any:
    """Return the weight of arc ``e``."""
    return arcs[e]["weight"] if "weight" in arcs.dtype.names else 1


@overload(weight)
def _weight(arcs, e):
    if "weight" in arcs.dtype.fields:
        return lambda arcs, e: arcs[e]["weight"]
    return lambda arcs, e: 1


def level(key: Any, scale: Any) -> Any:
    """Return the bucket of ``key``: ``key >> scale`` for an integer scale, ``key * scale`` rounded down for a float."""
    return int(key) >> scale if isinstance(scale, int | np.integer) else int(key * scale)


@overload(level)
def _level(key, scale):
    if isinstance(scale, types.Integer):
        return lambda key, scale: np.int64(key) >> scale
    return lambda key, scale: np.int64(key * scale)

"""What a user's own function makes of a block of rows, checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputTypeError
from ..results import Distances


def reduce_block(function: Callable[[Distances], Any], some: Distances) -> np.ndarray:
    """Return what a function makes of a block; refuse what has not one entry per row."""
    found = np.array(function(some))  # a copy: the block is used again
    if found.dtype.kind not in "iufb":
        raise InputTypeError(f"the function gave values of type {found.dtype}; it must return numbers.")
    if found.ndim not in (1, 2) or len(found) != len(some.rows):
        raise InputTypeError(
            f"the function gave an array of shape {found.shape} for {len(some.rows):,} rows; it must return one number "
            "per row, or one row of numbers per row."
        )
    return found

"""Arrays that begin at a cache line, for kernels that work on lanes; hosts can import it without a compiler."""

from __future__ import annotations

import numpy as np

from .constants import LANES, LINE_BYTES


def new_lanes(rows: int, dtype: np.dtype) -> np.ndarray:
    """Return rows of lanes, not filled, each of which starts at a cache line."""
    size = rows * LANES * dtype.itemsize
    raw = np.empty(size + LINE_BYTES, np.uint8)
    skip = -raw.ctypes.data % LINE_BYTES
    return raw[skip : skip + size].view(dtype).reshape(rows, LANES)

"""Write rows of whole numbers as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel

WIDEST = 20  # bytes of the longest int64 with its sign


@kernel
def write_integers(columns: Any, prefix: Any, separator: int, out: Any) -> int:
    """Write row i as prefix, columns[0, i], separator, columns[1, i] ... newline; return the bytes written."""
    at = 0
    for i in range(columns.shape[1]):
        for j in range(len(prefix)):
            out[at] = prefix[j]
            at += 1
        for c in range(columns.shape[0]):
            if c > 0 or len(prefix) > 0:
                out[at] = separator
                at += 1
            value = columns[c, i]
            rest = np.uint64(value)
            if value < 0:
                out[at] = 45
                at += 1
                rest = np.uint64(0) - rest
            count = 1
            size = rest
            while size >= np.uint64(10):
                size //= np.uint64(10)
                count += 1
            position = at + count
            at = position
            while True:
                position -= 1
                out[position] = 48 + rest % np.uint64(10)
                rest //= np.uint64(10)
                if rest == 0:
                    break
        out[at] = 10
        at += 1
    return at

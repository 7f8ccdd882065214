"""Numbers as the page takes them: 16 bits each, evenly from the least to the greatest, and a mark for those without.

Two bytes per vertex instead of eight; the eye cannot tell 65,535 shades apart, and exact numbers are sent with paths.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NONE = 65_535  # the mark of what is unreached, or has no value
TOP = NONE - 1
BARS = 48  # of the chart


class Banded(NamedTuple):
    """Bands of numbers, what the first and the last band stand for, how many values there are, and the chart."""

    bands: np.ndarray
    low: float
    high: float
    known: int
    chart: list[int]


def band(values: np.ndarray, low: float | None = 0.0) -> Banded:
    """Return the bands of numbers from ``low``, or from the least, to the greatest.

    The greatest integer, inf and NaN have no value.

    Examples
    --------
    >>> import numpy as np
    >>> band(np.array([0, 5, 10, 2**31 - 1], np.int32)).bands
    array([    0, 32767, 65534, 65535], dtype=uint16)
    """
    from ..kernels.cpu.bands import count_bars, extent, to_bands

    mark: Any = np.iinfo(values.dtype).max if values.dtype.kind == "i" else np.inf
    least, greatest, count = extent(values, values.dtype.type(mark))
    if not count:
        return Banded(np.full(len(values), NONE, np.uint16), 0.0, 0.0, 0, [0] * BARS)
    start = float(least) if low is None else min(float(low), float(least))
    span = float(greatest) - start
    bands = np.empty(len(values), np.uint16)
    to_bands(values, values.dtype.type(mark), start, TOP / span if span > 0 else 0.0, bands)
    chart = np.zeros(BARS, np.int64)
    count_bars(bands, chart)
    return Banded(bands, start, float(greatest), int(count), chart.tolist())


def plain(value: Any) -> Any:
    """Return facts as JSON knows them: no NumPy numbers, and nothing instead of inf and NaN."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value

"""Distances and other numbers as 16 bits each, for pages that show them: their ends, their bands, and a chart.

A number without a value is the mark (the greatest of its type, or inf) or NaN. Bands go from 0 to 65,534; 65,535 is
what has no value.
"""

from __future__ import annotations

from typing import Any

from ..jit import kernel

NONE = 65_535


@kernel
def extent(values: Any, mark: Any) -> Any:
    """Return the least and the greatest value, and how many there are."""
    least, greatest, count = mark, mark, 0
    for value in values:
        if value == value and abs(value) != mark:
            if count == 0:
                least, greatest = value, value
            least, greatest = min(least, value), max(greatest, value)
            count += 1
    return least, greatest, count


@kernel
def to_bands(values: Any, mark: Any, start: Any, scale: Any, out: Any) -> None:
    """Write the band of every value: its height above ``start`` times ``scale``, cut to a whole number."""
    for v in range(len(values)):
        value = values[v]
        if value == value and abs(value) != mark:
            out[v] = min(int((value - start) * scale + 1e-9), NONE - 1)
        else:
            out[v] = NONE


@kernel
def count_bars(bands: Any, chart: Any) -> None:
    """Count the bands that fall into each of the bars of a chart."""
    bars = len(chart)
    for band in bands:
        if band != NONE:
            chart[band * bars // NONE] += 1

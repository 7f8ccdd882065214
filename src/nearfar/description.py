"""What ``describe()`` returns: a dict for programs that prints as a table for people.

Keys are plain words joined by underscores. A key that ends in ``bytes`` (``bytes``, ``result_bytes``) or in
``seconds`` (``seconds``, ``compile_seconds``) is printed with a unit; the dict always holds the bare numbers.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

_BYTE_UNITS = ("kB", "MB", "GB", "TB", "PB")


def format_count(n: float) -> str:
    """Write a number with thousands separators; fractions keep about six significant digits.

    Examples
    --------
    >>> format_count(1234567)
    '1,234,567'
    >>> format_count(2.776243)
    '2.77624'
    """
    if isinstance(n, numbers.Integral):
        return f"{int(n):,}"
    value = float(n)
    if math.isfinite(value) and abs(value) >= 1e6 and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}"


def format_bytes(n: float) -> str:
    """Write a number of bytes in decimal units, with three digits.

    Examples
    --------
    >>> format_bytes(812), format_bytes(70_960), format_bytes(3_200_000_000)
    ('812 bytes', '71.0 kB', '3.20 GB')
    """
    if abs(n) < 1000:
        return "1 byte" if n == 1 else f"{n:.0f} bytes"
    value = float(n)
    for unit in _BYTE_UNITS:
        value /= 1000
        if abs(value) < 999.5 or unit == _BYTE_UNITS[-1]:  # 999.5 would round to four digits
            break
    return f"{_three_digits(value)} {unit}"


def format_seconds(t: float) -> str:
    """Write a duration in a suitable unit, from microseconds to hours.

    Examples
    --------
    >>> format_seconds(0.0101), format_seconds(2.5), format_seconds(3725)
    ('10.1 ms', '2.50 s', '1 h 02 min')
    """
    if abs(t) < 999.5e-6:
        return f"{_three_digits(t * 1e6)} us" if t else "0 s"
    if abs(t) < 0.9995:
        return f"{_three_digits(t * 1e3)} ms"
    if abs(t) < 119.5 or not math.isfinite(t):
        return f"{_three_digits(t)} s"
    if abs(t) < 3599.5:
        minutes, seconds = divmod(round(t), 60)
        return f"{minutes} min {seconds:02d} s"
    hours, minutes = divmod(round(t / 60), 60)
    return f"{hours:,} h {minutes:02d} min"


def _three_digits(value: float) -> str:
    """Write a number between 0 and 1000 with three significant digits, keeping trailing zeros."""
    size = abs(value)
    return f"{value:.{0 if size >= 99.95 else 1 if size >= 9.995 else 2}f}"


def _format(key: str, value: Any) -> str:
    """Write one value, in the unit that its key names."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, numbers.Real):
        if key.split("_")[-1] == "bytes":
            return format_bytes(float(value))
        return format_seconds(float(value)) if key.split("_")[-1] == "seconds" else format_count(value)  # type: ignore[arg-type]
    if isinstance(value, list | tuple):
        return ", ".join(_format(key, item) for item in value) or "-"
    return str(value)


def _lines(facts: Mapping[str, Any], indent: str = "") -> Iterator[tuple[str, str]]:
    """Yield the label and the text of each line; a nested dict is indented under its key."""
    for key, value in facts.items():
        label = indent + str(key).replace("_", " ")
        if isinstance(value, Mapping):
            yield label, ""
            yield from _lines(value, indent + "  ")
        else:
            yield label, _format(str(key), value)


class Description(dict[str, Any]):
    """Facts about a graph, a plan or a result: a dict that prints as two aligned columns.

    Examples
    --------
    >>> facts = Description(vertices=264346, arcs=730100, bytes=6_898_188, seconds=0.0101)
    >>> facts["arcs"]
    730100
    >>> facts
    vertices  264,346
    arcs      730,100
    bytes     6.90 MB
    seconds   10.1 ms
    """

    def __str__(self) -> str:
        lines = list(_lines(self))
        width = max((len(label) for label, _ in lines), default=0)
        return "\n".join(f"{label:<{width}}  {text}".rstrip() for label, text in lines)

    def __repr__(self) -> str:
        return str(self)

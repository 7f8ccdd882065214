"""From values to colours: a scale says which band a value falls into, how bands look, and what the legend shows.

Band 0 is what has no value: unreached vertices, and what lies beyond the last limit. It is drawn first, below all else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InputTypeError, OptionError
from .looks import Style, matplotlib

GRADES = 192  # bands of a gradient, which neighbouring pixels cannot tell apart
MOST, SAMPLE = 0.995, 200_000  # the share of the values that colours are for, if the others are far beyond
SPREADS = ("auto", "even", "root")
_SMALLER = {  # unit: (from this value on, divided by this, another unit)
    "ms": (1e4, 1e3, "s"),
    "s": (180, 60, "min"),
    "min": (300, 60, "h"),
    "cm": (1e3, 100, "m"),
    "dm": (1e3, 10, "m"),
    "m": (5e3, 1e3, "km"),
}


@dataclass(frozen=True)
class Bar:
    """A colour bar: colours from left to right, where numbers stand below it (from 0 to 1), and what is measured."""

    colours: np.ndarray
    ticks: Sequence[tuple[float, str]]
    label: str


@dataclass(frozen=True)
class Swatch:
    """A line of the legend: a patch, dot or line of a colour, and what it means."""

    colour: Any
    text: str
    kind: str = "patch"  # or "dot", "line"
    size: float | None = None  # of a line, by the width of the widest; that of a path


@dataclass(frozen=True)
class Scale:
    """Colours by band: ``colours[0]`` is that of what has no value; bands are uint8, one per vertex.

    ``between``: what colour an edge between two bands has: the "middle" one, that of the "farther" end, or both, in
    "halves".
    """

    bands: np.ndarray
    colours: np.ndarray
    bar: Bar | None = None
    swatches: list[Swatch] = field(default_factory=list)
    between: str = "middle"


def readable(units: str | None, greatest: float) -> tuple[float, str | None]:
    """Return what to divide numbers by so that they are short, and the unit that they then have.

    Examples
    --------
    >>> readable("s", 7300.0), readable("s", 20_000.0), readable("parsec", 1e6)
    ((60.0, 'min'), (3600.0, 'h'), (1.0, 'parsec'))
    """
    factor = 1.0
    while units in _SMALLER and greatest / factor >= _SMALLER[units][0]:
        _, divisor, units = _SMALLER[units]
        factor *= divisor
    return factor, units


def number(value: float) -> str:
    """Return a number as a legend shows it.

    Examples
    --------
    >>> number(1200.0), number(0.25), number(15_000_000), number(1e-7)
    ('1,200', '0.25', '15,000,000', '1e-07')
    """
    if value == 0 or 1e-4 <= abs(value) < 1e9:
        return f"{value:,.10g}"
    return f"{value:.4g}"


def gradient(
    values: np.ndarray,
    style: Style,
    label: str,
    *,
    low: float | None = 0.0,
    rest: str = "unreached",
    spread: str = "even",
    strong: str = "low",
) -> Scale:
    """Colour values from ``low``, or from the least, to the greatest; inf and NaN have no value.

    ``rest`` is what the legend calls these. ``spread``: equal steps of colour are equal steps of the value, or of its
    "root". ``strong``: which end stands out.
    """
    if spread not in SPREADS:
        raise OptionError(f"spread={spread!r} is not possible. Give one of {', '.join(map(repr, SPREADS))}.")
    known = np.isfinite(values)
    high = float(values.max(where=known, initial=-np.inf)) if known.any() else 0.0
    least = float(values.min(where=known, initial=np.inf)) if known.any() else 0.0
    high, beyond = _cut(values, known, high) if strong == "low" else (high, False)
    low = least if low is None else min(low, least)
    if spread == "auto":
        spread = "root" if known.any() and np.median(values[known]) - low < (high - low) / 20 else "even"
    power = 0.5 if spread == "root" else 1.0
    bands = _bands(values, low, high, power, strong)
    shades = style.shades(GRADES)
    colours = np.vstack((rgba(style.palette.unreached), shades))
    factor, unit = readable(style.units, high)
    bar = Bar(
        shades[:: 1 if strong == "low" else -1],
        _ticks(low, high, factor, power, beyond),
        f"{label} ({unit})" if unit else label,
    )
    missing = [] if known.all() else [Swatch(style.palette.unreached, rest)]
    return Scale(bands, colours, bar if known.any() else None, missing)


def steps(values: np.ndarray, limits: Any, style: Style) -> Scale:
    """Colour values by the first limit that they do not pass; beyond the last one they have no value."""
    ends = take_limits(limits)
    bands = np.searchsorted(ends, values, side="left").astype(np.int64) + 1
    bands = np.where((bands > len(ends)) | np.isnan(values), 0, bands).astype(np.uint8)
    shades = style.shades(len(ends))
    colours = np.vstack((rgba(style.palette.unreached), shades))
    factor, unit = readable(style.units, float(ends[-1]))
    tail = f" {unit}" if unit else ""
    names = [number(float(end) / factor) for end in ends]
    texts = [f"up to {names[0]}{tail}"] + [f"{a} to {b}{tail}" for a, b in pairwise(names)]
    swatches = [Swatch(shade, text) for shade, text in zip(shades, texts, strict=True)]
    missing = [] if bands.all() else [Swatch(style.palette.unreached, "farther, or unreached")]
    return Scale(bands, colours, None, swatches + missing, "farther")


def take_limits(limits: Any) -> np.ndarray:
    """Return the limits of bands, ascending."""
    try:
        ends = np.atleast_1d(np.asarray(limits, np.float64))
    except (TypeError, ValueError):
        raise InputTypeError(f"limits is {limits!r:.60}, but must be numbers, such as [300, 600, 900].") from None
    if ends.ndim != 1 or not 1 <= len(ends) <= 32 or not (np.diff(ends) > 0).all() or not np.isfinite(ends).all():
        raise OptionError(f"limits is {limits!r:.60}, but must be 1 to 32 numbers in ascending order.")
    return ends


def rgba(colour: str) -> np.ndarray:
    """Return a colour as red, green, blue and opacity."""
    return np.asarray(matplotlib("colors").to_rgba(colour))


def _bands(values: np.ndarray, low: float, high: float, power: float, strong: str) -> np.ndarray:
    """Return the band of each value; what stands out has the first ones, which are drawn last."""
    with np.errstate(invalid="ignore", over="ignore"):
        place = np.minimum((values - low) / (high - low), 1) if high > low else np.zeros(len(values))
        place = place if power == 1 else np.sqrt(place)
        place = place if strong == "low" else 1 - place
        return np.where(np.isfinite(values), np.minimum(place * GRADES, GRADES - 1) + 1, 0).astype(np.uint8)


def _cut(values: np.ndarray, known: np.ndarray, high: float) -> tuple[float, bool]:
    """Return where the gradient ends, and whether some values lie beyond: a few outliers do not spoil the colours."""
    sample = values[:: max(1, len(values) // SAMPLE)]
    sample = sample[known[:: max(1, len(values) // SAMPLE)]]
    most = float(np.quantile(sample, MOST)) if len(sample) >= 1000 else high
    return (most, True) if 0 < most < high / 2 else (high, False)


def _ticks(low: float, high: float, factor: float, power: float, beyond: bool) -> list[tuple[float, str]]:
    """Return round numbers between two values, and where they are between them."""
    if not high > low:
        return [(0.5, number(float(low / factor)))]
    found = matplotlib("ticker").MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low / factor, high / factor)
    if power != 1:  # small numbers have more room
        step = float(found[1] - found[0])
        found = np.sort(np.concatenate((found, [step / 20, step / 5])))
    places = ((float(value) * factor - low) / (high - low) for value in found)
    inside = [(at, float(value)) for at, value in zip(places, found, strict=True) if -1e-9 <= at <= 1 + 1e-9]
    ticks = [(max(at, 0.0) ** power, number(float(f"{value:.10g}"))) for at, value in inside]
    if beyond:
        ticks = [*(tick for tick in ticks if tick[0] < 0.85), (1.0, f"over {number(float(f'{high / factor:.2g}'))}")]
    return ticks


def shorten(name: str, limit: int = 24) -> str:
    """Return a name in one line, or the beginning of a long one."""
    name = " ".join(name.split())
    return name if len(name) <= limit else name[: limit - 1] + "…"

"""How a picture looks: the options that all pictures take, checked once, and the colours that follow from them.

Distances take a perceptually uniform map of matplotlib, cut where it would fade into the background. Regions take
colours that people with any kind of colour vision can tell apart (after Okabe and Ito, and Paul Tol).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypedDict

import numpy as np

from ..errors import InputTypeError, MissingDependencyError, OptionError, option

SCALES = ("auto", "degrees", "metres", "plane")
LAYOUTS = ("auto", "coordinates", "layers", "spectral")
DETAILS = ("auto", "lines", "pixels")
SIZES = (160, 10_000)  # of a picture, in pixels
USUAL = 1200  # pixels of the longer side, if nothing is asked for


class Looks(TypedDict, total=False):
    """Options of all pictures."""

    width: int | None
    height: int | None
    dark: bool
    title: str | None
    units: str | None
    colours: str | None
    legend: bool
    scale: str
    layout: str
    detail: str


@dataclass(frozen=True)
class Palette:
    """The colours of everything that is not data."""

    ground: str
    text: str
    faint: str
    unreached: str
    wall: str
    path: str
    case: str  # around paths and dots
    kinds: tuple[str, ...]  # of regions
    span: tuple[float, float]  # the part of a colour map that stands out from the ground, near to far


_STRONG = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#e69f00", "#332288", "#56b4e9", "#882255", "#7f7f11")
_LIGHT = Palette(
    ground="#ffffff", text="#1f2328", faint="#667078", unreached="#d3d6da", wall="#eceef0", path="#101418",
    case="#ffffff", kinds=_STRONG, span=(0.0, 0.86),
)  # fmt: skip
_DARK = Palette(
    ground="#12161b", text="#e8eaed", faint="#9aa4ae", unreached="#3d454e", wall="#1d232a", path="#ffffff",
    case="#12161b", kinds=("#88ccee", "#cc6677", "#ddcc77", "#44aa99", "#aa4499", "#bbbbbb", "#e8a050", "#99cc66"),
    span=(1.0, 0.28),
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """The checked options of one picture."""

    palette: Palette
    width: int | None = None
    height: int | None = None
    title: str | None = None
    units: str | None = None
    colours: str = "plasma"
    legend: bool = True
    scale: str = "auto"
    layout: str = "auto"
    detail: str = "auto"

    def shades(self, count: int) -> np.ndarray:
        """Return ``count`` colours from near to far, as rows of red, green, blue and opacity from 0 to 1."""
        low, high = self.palette.span
        at = np.linspace(low, high, count) if count > 1 else np.array([low + (high - low) / 3])
        return np.asarray(matplotlib("colormaps")[self.colours](at))


def take_looks(looks: Any, units: str | None) -> Style:
    """Check the options of a picture; ``units`` is the unit of its numbers, if none is given."""
    _check_kinds(looks)
    chosen = {name: value for name, value in looks.items() if value is not None and name != "dark"}
    for name in ("width", "height"):
        if name in chosen:
            chosen[name] = _take_size(name, chosen[name])
    if "colours" in chosen and chosen["colours"] not in matplotlib("colormaps"):
        raise OptionError(
            f"{option('colours', chosen['colours'])} is no colour map of matplotlib. Give 'plasma', 'viridis', "
            f"'cividis', 'magma' or another one of them."
        )
    chosen.setdefault("units", units)
    if "title" in chosen:
        chosen["title"] = " ".join(chosen["title"].split())
    return Style(_DARK if looks.get("dark", False) else _LIGHT, **chosen)


def _check_kinds(looks: Any) -> None:
    """Refuse options that do not exist, and values of the wrong kind."""
    known = Looks.__annotations__
    for name in looks:
        if name not in known:
            raise InputTypeError(f"{name}= is no option of this picture. All pictures take {', '.join(known)}.")
    for name, names in (("scale", SCALES), ("layout", LAYOUTS), ("detail", DETAILS)):
        if looks.get(name, "auto") not in names:
            raise OptionError(
                f"{option(name, looks[name])} is not possible. Give one of {', '.join(map(repr, names))}."
            )
    for name in ("dark", "legend"):
        if not isinstance(looks.get(name, False), bool):
            raise InputTypeError(f"{name} is {looks[name]!r:.60}, but must be True or False.")
    for name in ("title", "units", "colours"):
        if looks.get(name) is not None and not isinstance(looks[name], str):
            raise InputTypeError(f"{name} is {looks[name]!r:.60}, but must be a text.")


def _take_size(name: str, value: Any) -> int:
    """Return a width or height in pixels."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise InputTypeError(f"{name} is {value!r:.60}, but must be a whole number of pixels.")
    if not SIZES[0] <= value <= SIZES[1]:
        raise OptionError(f"{option(name, int(value))} is not possible. Give {SIZES[0]} to {SIZES[1]:,} pixels.")
    return int(value)


def matplotlib(name: str) -> Any:
    """Return a module or an object of matplotlib, which is loaded when the first picture is drawn; never pyplot."""
    try:
        package = import_module("matplotlib")
        return getattr(package, name) if name == "colormaps" else import_module(f"matplotlib.{name}")
    except ImportError as error:
        raise MissingDependencyError(
            "a picture needs matplotlib, which is not installed. Use: pip install 'nearfar[plot]'."
        ) from error

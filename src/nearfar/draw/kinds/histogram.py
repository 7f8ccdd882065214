"""How many vertices, or pairs, are how far: bars in the colours of the map."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from ...errors import InputTypeError, OptionError, option
from ...metrics import Histogram
from ...results import Distances, Nearest
from ..looks import Looks, matplotlib, take_looks
from ..page import Page
from ..picture import DPI, Picture
from ..scales import number, readable

SHAPE = (900, 500)  # pixels, if nothing is asked for


def histogram(what: Distances | Nearest | Histogram, *, bins: int = 50, **looks: Unpack[Looks]) -> Picture:
    """Draw how many vertices are how far.

    Parameters
    ----------
    what : Distances, Nearest or nearfar.metrics.Histogram
        Several rows count together.
    bins : int
        How many bars; those of a `nearfar.metrics.Histogram` are drawn as they are.
    **looks
        ``width``, ``height``, ``dark``, ``title``, ``units`` and ``colours``: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> nearfar.draw.histogram(nearfar.sssp(graph, 210), bins=20)
    Picture(900 x 500 pixels)
    """
    for name in ("scale", "layout", "detail", "legend"):
        if name in looks:
            raise OptionError(f"{option(name)} is about maps, but a histogram is none. Leave it out.")
    if not isinstance(what, Distances | Nearest | Histogram):
        raise InputTypeError(f"what is a {type(what).__name__}; give distances, such as those of nearfar.sssp.")
    graph = None if isinstance(what, Histogram) else what.graph
    style = take_looks({"width": SHAPE[0], "height": SHAPE[1]} | looks, graph.units.weights if graph else None)
    counts, edges, note = _counted(what, bins, style.units)
    factor, unit = readable(style.units, float(edges[-1]))
    size = 13
    page = Page(style, None, None, (), "", (5 * size, 0, 2 * size, 3 * size))
    axes, ends = page.axes, edges / factor
    shades = style.shades(len(counts))
    axes.bar(ends[:-1], counts, np.diff(ends), align="edge", color=shades, linewidth=0)
    axes.set_xlim(ends[0], ends[-1] if ends[-1] > ends[0] else ends[0] + 1)
    axes.set_ylim(0, max(1, counts.max(initial=0)) * 1.05)
    _dress(page, axes)
    page.write(page.left, page.base - 3.1 * size, f"distance ({unit})" if unit else "distance")
    page.write(page.left + page.wide, page.base - 3.1 * size, note, ha="right", color=style.palette.faint)
    page.write(page.left, page.base + page.high + 0.6 * size, _what(what))
    return page.finish()


def _counted(what: Any, bins: int, units: str | None) -> tuple[np.ndarray, np.ndarray, str]:
    """Return how many distances are in each bin, the ends of the bins, and what is said about the rest."""
    if isinstance(what, Histogram):
        return what.counts, what.edges, f"{int(what.counts.sum()):,} in all"
    if isinstance(bins, bool) or not isinstance(bins, int | np.integer):
        raise InputTypeError(f"bins is {bins!r:.60}, but must be a whole number.")
    if not 1 <= bins <= 1000:
        raise OptionError(f"bins={int(bins)} is not possible. Give 1 to 1,000.")
    rows = what.distances.rows if isinstance(what, Nearest) else what.rows
    reached = what.distances.reached if isinstance(what, Nearest) else what.reached
    known = rows.reshape(-1)[np.reshape(reached, -1)]
    greatest = float(known.max(initial=0))
    if known.dtype.kind in "iu" and greatest < bins:  # a bar for each whole number
        edges = np.arange(greatest + 2) - 0.5
    else:
        edges = np.linspace(min(float(known.min(initial=0)), 0.0), greatest or 1.0, int(bins) + 1)
    counts, _ = np.histogram(known, edges)
    middle = _half(known, units, float(edges[-1]))
    missing = rows.size - len(known)
    return counts, edges, middle + (f", {missing:,} unreached" if missing else "")


def _half(known: np.ndarray, units: str | None, greatest: float) -> str:
    """Return how far the nearer half is."""
    if not len(known):
        return "nothing is reached"
    factor, unit = readable(units, greatest)
    return f"half within {number(float(f'{np.median(known) / factor:.4g}'))}" + (f" {unit}" if unit else "")


def _what(what: Any) -> str:
    """Return what the bars count."""
    several = isinstance(what, Histogram) or (isinstance(what, Distances) and len(what.rows) > 1)
    return "pairs" if several else "vertices"


def _dress(page: Page, axes: Any) -> None:
    """Give the axes our colours, and numbers with commas."""
    palette, size = page.style.palette, page.size * 0.85 * 72 / DPI
    axes.set_facecolor(palette.ground)
    axes.tick_params(colors=palette.text, labelsize=size, length=3)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(palette.faint)
    ticker = matplotlib("ticker")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: number(float(f"{value:.6g}"))))
        axis.set_major_locator(ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="y", color=palette.unreached, linewidth=0.6, alpha=0.6)
    axes.set_axisbelow(True)

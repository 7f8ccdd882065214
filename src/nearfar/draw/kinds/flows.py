"""Flows, or any measure of arcs, as the widths of lines; both directions of an edge together."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from ...errors import InputTypeError, OptionError, option
from ...graph import Graph
from ...metrics import ArcMeasure
from ..edges import Edges
from ..looks import Looks, Style, take_looks
from ..maps import Map
from ..page import WIDEST
from ..picture import Picture
from ..scales import Swatch, number, rgba
from ..strokes import LINES, as_lines, draw_lines, draw_pixels, thickness, wrapped

WIDTHS = 48  # different ones


def flows(what: ArcMeasure, **looks: Unpack[Looks]) -> Picture:
    """Draw numbers of arcs as widths: flows, or the betweenness of arcs.

    Parameters
    ----------
    what : Flows or ArcMeasure
        Of `nearfar.metrics.flows` or `nearfar.metrics.edge_betweenness`. Both directions count together, and so do
        parallel arcs. Widths are proportional to the numbers, down to the thinnest line that can be seen.
    **looks
        The options of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> nearfar.draw.flows(nearfar.metrics.flows(graph, [(0, 399, 100), (19, 380, 50)]))
    Picture(... x ... pixels)
    """
    if not isinstance(what, ArcMeasure):
        raise InputTypeError(f"what is a {type(what).__name__}; give a result of nearfar.metrics.flows.")
    style = take_looks(looks, None)
    edges, totals = totals_of(what.graph, what.values)
    most = float(totals.max(initial=0))
    shares = np.ceil(totals * (WIDTHS / most)) if most > 0 else np.zeros(len(totals))
    bands = np.where(shares > 0, WIDTHS + 1 - shares, 0).astype(np.uint8)  # the widest are drawn last: band 1
    colours = np.vstack((rgba(style.palette.unreached), style.shades(WIDTHS)))
    page = Map(what.graph, style, None, _legend(what, most, bool(bands.all()), style, colours), np.zeros(0, np.int32))
    if page.cells is not None:
        raise OptionError(
            f"flows are drawn on arcs, but this graph is a raster. Add {option('layout', 'coordinates')}, or "
            f"{option('layout', 'spectral')}."
        )
    page.lift = 0.3 * WIDEST * page.page.size
    _paint(page, *wrapped(page, edges, bands), colours)
    return page.finish()


def totals_of(graph: Graph, values: np.ndarray) -> tuple[Edges, np.ndarray]:
    """Return the pairs of vertices that arcs join, without loops, and the sum of the arcs between each pair."""
    from ...kernels.cpu.strokes import merge_arcs

    size = graph.offsets.dtype
    starts, last = np.zeros(graph.n + 2, size), np.full(graph.n, -1, size)
    tails, others, arcs = np.empty(graph.m, np.int32), np.empty(graph.m, np.int32), np.empty(graph.m, size)
    sums = np.empty(graph.m)
    found = merge_arcs(graph.offsets, graph.heads, values, starts, others, arcs, last, tails, sums)
    return Edges(tails[:found], others[:found], arcs[:found]), sums[:found]


def _paint(page: Map, edges: Edges, bands: np.ndarray, colours: np.ndarray) -> None:
    """Draw edges without flow and thin ones as usual, wide ones as lines on top."""
    least = thickness(page, edges)
    widths = np.maximum(np.arange(WIDTHS + 1, 0, -1) * (WIDEST * page.page.size / WIDTHS), least)
    widths[0] = least
    if as_lines(page, edges):
        draw_lines(page, edges, bands, colours, widths)
        return
    wide = widths[bands] >= 1.5
    if np.count_nonzero(wide) <= LINES:
        draw_pixels(page, edges.where(~wide), bands[~wide], colours, widths)
        draw_lines(page, edges.where(wide), bands[wide], colours, widths)
    else:
        order = np.argsort(np.where(bands == 0, WIDTHS + 1, bands), kind="stable")  # the first one gives the colour
        draw_pixels(page, edges.where(order), bands[order], colours, widths)


def _legend(what: ArcMeasure, most: float, everywhere: bool, style: Style, colours: np.ndarray) -> list[Swatch]:
    """Return lines of some widths with what they stand for."""
    name = what.name.replace("_", " ")
    swatches = []
    for share in (1.0, 0.5, 0.2, 0.05) if most > 0 else ():
        value = float(f"{most * share:.2g}") if share < 1 else float(f"{most:.4g}")
        band = WIDTHS + 1 - min(max(int(np.ceil(value / most * WIDTHS)), 1), WIDTHS)
        text = number(value) + (f" {style.units}" if style.units else "")
        swatches.append(Swatch(colours[band], f"{name} {text}" if share == 1 else text, "line", value / most))
    return swatches if everywhere else [*swatches, Swatch(style.palette.unreached, "none", "line", 0.05)]

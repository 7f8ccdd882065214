"""Edges on the page: as lines where there are few, as pixels where there are many.

Lines are one plot per band with gaps (NaN) between edges: 366,000 segments take 0.64 s so, and 2.3 as a LineCollection.
Pixels are laid down by a kernel. An edge across the 180th meridian leaves the map on one side and comes back on the
other; so does an edge between regions change its colour half-way: for both, points are added to those of the vertices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .edges import Edges
from .picture import DPI
from .scales import Scale

if TYPE_CHECKING:
    from .maps import Map

LINES = 60_000  # edges that are drawn as lines if nothing else is asked for; an .svg of them has 3 MB
PLAIN: dict[str, Any] = {"linestyle": "-", "marker": "", "antialiased": True, "solid_capstyle": "round"}  # not theirs
PLOTS = 64  # each of which has one colour: along lines, more cannot be told apart


def banded(page: Map, edges: Edges, scale: Scale) -> tuple[Edges, np.ndarray]:
    """Return edges with a band each, which follows from those of their ends."""
    first, second = scale.bands[edges.tails], scale.bands[edges.heads]
    if scale.between == "halves":
        return _halved(page, edges, first, second)
    if scale.between == "farther":
        bands = np.maximum(first, second)
    else:
        bands = ((first.astype(np.uint16) + second + 1) // 2).astype(np.uint8)
    bands[(first == 0) | (second == 0)] = 0
    return edges, bands


def _halved(page: Map, edges: Edges, first: np.ndarray, second: np.ndarray) -> tuple[Edges, np.ndarray]:
    """Return edges of which those between two bands are cut in the middle."""
    cut = np.flatnonzero(first != second)
    middle = page.add(page.points[:, edges.tails[cut]] / 2 + page.points[:, edges.heads[cut]] / 2)
    return _divided(edges, cut, middle, middle), np.concatenate((first, second[cut]))


def wrapped(page: Map, edges: Edges, bands: np.ndarray) -> tuple[Edges, np.ndarray]:
    """Return edges of which those across the 180th meridian are two: one that leaves the map, one that comes back."""
    if page.around is None:
        return edges, bands
    steps = page.points[0, edges.heads] - page.points[0, edges.tails]
    far = np.flatnonzero(np.abs(steps) > page.around / 2)
    shift = np.zeros((2, len(far)), np.float32)
    shift[0] = np.sign(steps[far]) * page.around
    ahead = page.add(page.points[:, edges.heads[far]] - shift)
    behind = page.add(page.points[:, edges.tails[far]] + shift)
    return _divided(edges, far, ahead, behind), np.concatenate((bands, bands[far]))


def _divided(edges: Edges, which: np.ndarray, ahead: np.ndarray, behind: np.ndarray) -> Edges:
    """Return edges of which some lead from their tail to a point ``ahead``, and from one ``behind`` to their head."""
    heads = edges.heads.copy()
    heads[which] = ahead
    return Edges(
        np.concatenate((edges.tails, behind)),
        np.concatenate((heads, edges.heads[which])),
        np.concatenate((edges.arcs, edges.arcs[which])),
    )


def paint(page: Map, edges: Edges, bands: np.ndarray, colours: np.ndarray) -> None:
    """Draw edges, each in the colour of its band: as lines, or as pixels if there are many."""
    edges, bands = wrapped(page, edges, bands)
    widths = np.full(len(colours), thickness(page, edges))
    (draw_lines if as_lines(page, edges) else draw_pixels)(page, edges, bands, colours, widths)


def as_lines(page: Map, edges: Edges) -> bool:
    """Tell whether edges are drawn as lines."""
    return page.style.detail == "lines" or (page.style.detail == "auto" and len(edges.tails) <= LINES)


def thickness(page: Map, edges: Edges) -> float:
    """Return the width of lines in pixels, 0.7 to 2: thin where the edges together are long for the page."""
    total = float(np.hypot(*(page.points[:, edges.heads] - page.points[:, edges.tails])).sum())
    usual = 0.06 * page.page.wide * page.page.high / max(total, 1.0)
    return float(np.clip(usual, 0.7, 2.0)) * page.page.size / 13


def draw_lines(page: Map, edges: Edges, bands: np.ndarray, colours: np.ndarray, widths: np.ndarray) -> None:
    """Draw edges as lines of the width of their band, in pixels: what has no value first, then from the last band."""
    step = max(1, len(colours) // PLOTS)
    groups = (bands.astype(np.int16) + (step - 1)) // step
    for group in [0, *range(int(groups.max(initial=0)), 0, -1)]:
        chosen = np.flatnonzero(groups == group)
        if len(chosen):
            band = min(max(group * step - step // 2, min(group, 1)), len(colours) - 1)
            looks: dict[str, Any] = {"color": colours[band], "linewidth": widths[band] * 72 / DPI}
            x, y = _segments(page, edges.where(chosen))
            page.axes.plot(x, y, **looks, **PLAIN, zorder=1.0 if group == 0 else 1.5)


def _segments(page: Map, edges: Edges) -> tuple[np.ndarray, np.ndarray]:
    """Return the positions of both ends of edges, and gaps between edges."""
    gap = np.full(len(edges.tails), np.nan, np.float32)
    x, y = (np.stack((axis[edges.tails], axis[edges.heads], gap), axis=1).ravel() for axis in page.points)
    return x, y


def draw_pixels(page: Map, edges: Edges, bands: np.ndarray, colours: np.ndarray, widths: np.ndarray) -> None:
    """Draw edges of the width of their band into an image, and put the image on the page."""
    from ..kernels.cpu.strokes import stroke

    shape = page.page.high, page.page.wide
    ink, most = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    found = np.zeros(shape, np.uint8)
    stroke(page.points[0], page.points[1], edges.tails, edges.heads, bands, widths, ink, most, found)
    image = (colours * 255).round().astype(np.uint8)[found]
    weight = max(1.0, page.page.size / 13)
    image[..., 3] = (np.minimum(ink * weight, 1) * 255).astype(np.uint8)
    page.image(image)

"""The regions of the nearest sources: every vertex has the colour of its source, neighbouring regions different ones.

If there are more sources than colours, regions are coloured like countries: one after the other, those with most
neighbours first, each in the first colour that no neighbour has.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from ...errors import InputTypeError
from ...results import Nearest
from ..edges import edges_of
from ..looks import Looks, Style, take_looks
from ..maps import Map
from ..picture import Picture
from ..scales import Scale, Swatch, rgba, shorten


def regions(what: Nearest, **looks: Unpack[Looks]) -> Picture:
    """Draw which source is nearest to every vertex.

    Parameters
    ----------
    what : Nearest
    **looks
        The options of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> nearfar.draw.regions(nearfar.nearest(graph, [0, 210, 399]))
    Picture(... x ... pixels)
    """
    if not isinstance(what, Nearest):
        raise InputTypeError(f"what is a {type(what).__name__}; give a result of nearfar.nearest.")
    style = take_looks(looks, what.graph.units.weights)
    sources = what.source_indices
    owner = np.where(what.reached, np.searchsorted(sources, what.source), -1)
    colours = colour_regions(what, owner, len(style.palette.kinds))
    scale = _scale(what, owner, colours, style)
    page = Map(what.graph, style, None, scale.swatches, sources)
    page.paint(scale)
    page.mark(sources)
    return page.finish()


def _scale(what: Nearest, owner: np.ndarray, colours: np.ndarray, style: Style) -> Scale:
    """Return the colours of vertices, and a legend that names the sources if there are few."""
    palette = np.stack([rgba(style.palette.unreached), *map(rgba, style.palette.kinds)])
    bands = np.where(owner >= 0, colours[owner] + 1, 0).astype(np.uint8)
    graph, sources = what.graph, what.source_indices
    swatches = [Swatch(style.palette.path, f"{len(sources):,} sources, each in the region nearest to it", "dot")]
    if len(sources) <= len(style.palette.kinds):
        swatches = [Swatch(style.palette.path, "nearest source:", "dot")]
        names = [shorten(str(graph.name(int(source)))) for source in sources]
        swatches += [Swatch(palette[colours[i] + 1], name) for i, name in enumerate(names)]
    missing = [] if bands.all() else [Swatch(style.palette.unreached, "unreached")]
    return Scale(bands, palette, None, swatches + missing, "halves")


def colour_regions(what: Nearest, owner: np.ndarray, count: int) -> np.ndarray:
    """Return the colour of each region, below ``count``; if a region has too many neighbours, the rarest among them."""
    k = len(what.source_indices)
    if k <= count:
        return np.arange(k)
    edges = edges_of(what.graph)
    first, second = owner[edges.tails], owner[edges.heads]
    borders = (first != second) & (first >= 0) & (second >= 0)
    pairs = np.unique(first[borders].astype(np.int64) * k + second[borders])
    beside: list[set[int]] = [set() for _ in range(k)]
    for a, b in zip((pairs // k).tolist(), (pairs % k).tolist(), strict=True):
        beside[a].add(b)
        beside[b].add(a)
    colours = np.full(k, -1)
    for region in sorted(range(k), key=lambda r: -len(beside[r])):
        taken = colours[list(beside[region])]
        used = np.bincount(taken[taken >= 0], minlength=count)
        colours[region] = used.argmin()
    return colours

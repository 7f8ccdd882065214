"""Isochrones, exact: arcs are cut where a limit is reached, and every piece has the colour of its band."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from ...errors import InputTypeError, OptionError, option
from ...geo import Isochrones
from ..edges import Edges, edges_of
from ..looks import Looks, take_looks
from ..maps import Map
from ..picture import Picture
from ..scales import steps
from ..strokes import paint


def isochrones(what: Isochrones, **looks: Unpack[Looks]) -> Picture:
    """Draw which streets are reached within some limits, to the metre.

    Parameters
    ----------
    what : Isochrones
        Of `nearfar.geo.isochrone`.
    **looks
        The options of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> city = nearfar.generate.city()
    >>> nearfar.geo.isochrone(city, "Victoria Street / 30th Avenue", [60, 120, 180]).plot()
    Picture(... x ... pixels)
    """
    if not isinstance(what, Isochrones):
        raise InputTypeError(f"what is a {type(what).__name__}; give a result of nearfar.geo.isochrone.")
    style = take_looks(looks, what.graph.units.weights)
    if style.layout not in ("auto", "coordinates"):
        raise OptionError(f"{option('layout', style.layout)} is not possible: isochrones lie where coordinates are.")
    limits = np.asarray(what.limits, np.float64)
    scale = steps(np.append(limits, np.inf), limits, style)  # the legend; the last value is what is farther
    page = Map(what.graph, style, None, scale.swatches, np.zeros(0, np.int32), cells=False)
    edges = edges_of(what.graph)
    paint(page, edges, np.zeros(len(edges.tails), np.uint8), scale.colours)
    first, last = _ends(page, what)
    begin = page.add(first)
    pieces = Edges(begin, page.add(last), np.zeros(len(begin), np.int64))
    paint(page, pieces, (what.pieces.bands + 1).astype(np.uint8), scale.colours)
    page.mark(begin[what.pieces.near == 0])
    return page.finish()


def _ends(page: Map, what: Isochrones) -> tuple[np.ndarray, np.ndarray]:
    """Return where pieces are reached first and last, in pixels: near ends, then far ones."""
    pieces = what.pieces
    tails, heads = page.points[:, pieces.tails], page.points[:, pieces.heads]
    steps = heads - tails
    if page.around is not None:  # the short way round
        steps[0] -= np.round(steps[0] / page.around) * page.around
    first, last = tails + pieces.first * steps, tails + pieces.last * steps
    return (first, last) if what.distances.direction == "from" else (last, first)

"""A measure of vertices, such as closeness, as colours."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Unpack

import numpy as np

from ...errors import InputTypeError
from ...metrics import Measure
from ..looks import Looks, take_looks
from ..maps import Map
from ..picture import Picture
from ..scales import gradient

LENGTHS = ("eccentricity", "mean_distance")  # measures in the unit of the weights


def values(what: Measure, *, column: Hashable | None = None, spread: str = "auto", **looks: Unpack[Looks]) -> Picture:
    """Draw a number per vertex: closeness, betweenness, accessibility, ...

    Parameters
    ----------
    what : Measure
        Of `nearfar.metrics`. Vertices that were not measured are grey.
    column : optional
        Which numbers, if there are several per vertex.
    spread : {"auto", "even", "root"}
        Whether equal steps of colour are equal steps of the number, or of its square root, which tells small numbers
        apart where a few are large; "auto" takes the root if half of the numbers are below a twentieth of the greatest.
    **looks
        The options of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> nearfar.draw.values(nearfar.metrics.closeness(graph))
    Picture(... x ... pixels)
    """
    if not isinstance(what, Measure):
        raise InputTypeError(f"what is a {type(what).__name__}; give a result of nearfar.metrics, such as closeness.")
    style = take_looks(looks, what.graph.units.weights if what.name in LENGTHS else None)
    found = np.full(what.graph.n, np.nan)
    found[what.vertex_indices] = what._column(column)
    label = what.name.replace("_", " ")
    if what.columns is not None and (column is not None or len(what.columns) == 1):
        label += f" ({what.columns[0] if column is None else column})"
    scale = gradient(found, style, label, low=None, rest="not measured", spread=spread, strong="high")
    page = Map(what.graph, style, scale.bar, scale.swatches, np.zeros(0, np.int32))
    page.paint(scale)
    return page.finish()

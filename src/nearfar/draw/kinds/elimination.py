"""How a graph was prepared: which vertices cut it into parts, then these into parts, and so on.

In the elimination tree, what hangs from a vertex is what its elimination joins. A vertex from which more than half of
all hang is one of the first cut; those with more than a quarter are of the second, and so on. So the vertices of a
level separate parts of about equal size, whichever rule chose the order.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from ...errors import InputTypeError, OptionError
from ...prepared import Prepared
from ..looks import Looks, take_looks
from ..maps import Map
from ..picture import Picture
from ..scales import Scale, Swatch, rgba

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def elimination(what: Prepared, *, levels: int = 6, **looks: Unpack[Looks]) -> Picture:
    """Draw the vertices that were eliminated last: those that cut the graph into parts.

    Parameters
    ----------
    what : Prepared
        Of `nearfar.prepare`; ``order="dissection"`` gives the straightest cuts.
    levels : int
        How many levels of cuts have a colour; 1 to 8.
    **looks
        The options of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> prepared = nearfar.prepare(nearfar.generate.road_grid(20, 20, seed=1), order="dissection")
    >>> nearfar.draw.elimination(prepared, levels=4)
    Picture(... x ... pixels)
    """
    if not isinstance(what, Prepared):
        raise InputTypeError(f"what is a {type(what).__name__}; give what nearfar.prepare returns.")
    if isinstance(levels, bool) or not isinstance(levels, int | np.integer):
        raise InputTypeError(f"levels is {levels!r:.60}, but must be a whole number.")
    if not 1 <= levels <= len(ORDINALS):
        raise OptionError(f"levels={int(levels)} is not possible. Give 1 to {len(ORDINALS)}.")
    style = take_looks(looks, None)
    bands = levels_of(what, levels)
    ground = rgba(style.palette.unreached)
    colours = np.vstack((ground, style.shades(levels)))
    core = what.hierarchy.structure.core
    swatches = [Swatch(colours[i + 1], f"{ORDINALS[i]} cut", "dot") for i in range(levels) if (bands == i + 1).any()]
    if core:
        swatches[:1] = [Swatch(colours[1], f"first cut, and the core of {core:,} that stays", "dot")]
    page = Map(what.graph, style, None, swatches, np.zeros(0, np.int32))
    if page.cells is not None:
        page.paint(Scale(bands, colours))
        return page.finish()
    page.paint(Scale(np.zeros(what.graph.n, np.uint8), colours))
    for level in range(levels, 0, -1):  # the first cuts on top
        chosen = np.flatnonzero(bands == level)
        page.dots(chosen, colours[level][None, :], _dot(page, level, levels, len(chosen)))
    return page.finish()


def levels_of(what: Prepared, levels: int) -> np.ndarray:
    """Return by vertex which cut it belongs to, from 1; 0 if to none of the first ``levels``."""
    structure = what.hierarchy.structure
    share = structure.n / np.maximum(structure.sizes, 1)  # 1: everything hangs from it
    level = np.floor(np.log2(share)).astype(np.int64) + 1
    level[: structure.core] = 1
    level[level > levels] = 0
    return level[structure.ranks].astype(np.uint8)


def _dot(page: Map, level: int, levels: int, count: int) -> float:
    """Return the diameter of a dot, in pixels: larger for the first cuts, smaller where there are many."""
    room = np.sqrt(page.page.wide * page.page.high / max(count, 1)) / 3
    return float(np.clip(room, 1.5, page.page.size * (0.65 - 0.35 * level / (levels + 1))))

"""Pictures of networks and of what was found on them: PNG, SVG or PDF, by matplotlib, without a window.

>>> import nearfar
>>> graph = nearfar.generate.road_grid(20, 20, seed=1)
>>> picture = nearfar.sssp(graph, 210).plot(limits=[500, 1000, 2000], to=399)
>>> picture.save("reach.png")  # doctest: +SKIP

``result.plot(...)`` draws what suits a result, and `draw` does the same for anything that has a picture. Each kind is a
function, too. All of them take these options:

width, height : int, optional
    The size in pixels; by default at most 1,200 wide, in the shape of the map.
dark : bool
    Light lines on a dark ground.
title : str, optional
    Stands above the picture.
units : str, optional
    The unit of distances, for the legend, by default that of the graph (`Graph.with_units`). Seconds and metres are
    shown as minutes, hours and kilometres where numbers are large.
colours : str
    A colour map of matplotlib, "plasma" by default, from near to far.
legend : bool
    Whether there is a legend, with a scale bar where metres are known.
scale : {"auto", "degrees", "metres", "plane"}
    What the coordinates of the graph are measured in. Degrees of longitude are drawn cos(latitude) as long as degrees
    of latitude, taken at the middle of the map. By default, the graph's units say so; where they are not known,
    coordinates are taken for degrees if none lies off the globe, and one beyond (2, 2).
layout : {"auto", "coordinates", "layers", "spectral"}
    Where vertices lie: at their coordinates; in layers of equal hops from the source; or by their distances from some
    pivots. By default at their coordinates. Without any, up to 200 vertices are laid out in layers and up to 20,000 by
    distances. The vertices of a raster are cells of an image, unless this says otherwise.
detail : {"auto", "lines", "pixels"}
    Draw edges as lines, which stay sharp in an .svg, or as pixels, which takes seconds for ten million; by default as
    lines up to 60,000.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InputTypeError, OptionError, option

if TYPE_CHECKING:
    from .kinds.elimination import elimination as elimination
    from .kinds.flows import flows as flows
    from .kinds.histogram import histogram as histogram
    from .kinds.isochrones import isochrones as isochrones
    from .kinds.network import network as network
    from .kinds.regions import regions as regions
    from .kinds.values import values as values
    from .picture import Picture as Picture


class Kind(NamedTuple):
    """A kind of picture: what it is of, and what it shows."""

    takes: tuple[str, ...]  # classes, or their parents; what is drawn by default is in the first line that takes it
    shows: str


PICTURES = {
    "regions": Kind(("Nearest",), "which source is nearest to every vertex"),
    "isochrones": Kind(("Isochrones",), "what is reached within some limits, arcs cut exactly"),
    "network": Kind(("Distances", "Nearest", "Graph"), "the network, coloured by distance; paths on top"),
    "flows": Kind(("ArcMeasure",), "flows, or the betweenness of arcs, as widths"),
    "values": Kind(("Measure",), "a measure of vertices as colours"),
    "histogram": Kind(("Histogram", "Distances", "Nearest"), "how many vertices are how far"),
    "elimination": Kind(("Prepared",), "the vertices that were eliminated last, which cut the graph into parts"),
}

__all__ = ["PICTURES", "Picture", "draw", *PICTURES]


def draw(what: Any, kind: str | None = None, **options: Any) -> Picture:
    """Draw a result, a graph or a prepared graph; ``result.plot(...)`` is the same.

    Parameters
    ----------
    what
        What is drawn.
    kind : str, optional
        One of ``PICTURES``; by default the first one that takes such a thing.
    **options
        Those of the kind's function, and those of all pictures: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> nearfar.draw.draw(nearfar.sssp(nearfar.generate.road_grid(20, 20, seed=1), 210))
    Picture(... x ... pixels)
    """
    classes = {parent.__name__ for parent in type(what).__mro__}
    fitting = [name for name, record in PICTURES.items() if classes & set(record.takes)]
    if not fitting:
        known = sorted({name for record in PICTURES.values() for name in record.takes})
        raise InputTypeError(f"a {type(what).__name__} has no picture; give one of {', '.join(known)}.")
    if kind is not None and kind not in fitting:
        raise OptionError(
            f"{option('kind', kind)} is not possible for a {type(what).__name__}. Give one of "
            f"{', '.join(map(repr, fitting))}."
        )
    drawn: Picture = __getattr__(kind or fitting[0])(what, **options)
    return drawn


def __getattr__(name: str) -> Any:
    """Load the function of a picture the first time it is used."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".picture" if name == "Picture" else f".kinds.{name}", __name__), name)

"""The network, coloured by distance or in bands of equal distance, with paths on top."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Unpack

import numpy as np

from ...engine.query import Located, as_vertex
from ...errors import InputTypeError, option
from ...graph import Graph
from ...results import Distances, Nearest
from ...results.lookup import as_float, is_name
from ..looks import Looks, Style, take_looks
from ..maps import Map
from ..picture import Picture
from ..scales import Scale, Swatch, gradient, number, readable, shorten, steps


def network(
    what: Distances | Nearest | Graph,
    *,
    source: Hashable | None = None,
    limits: Sequence[float] | None = None,
    to: Any = None,
    paths: Any = None,
    **looks: Unpack[Looks],
) -> Picture:
    """Draw a network, coloured by distance.

    Parameters
    ----------
    what : Distances, Nearest or Graph
        A graph alone is drawn in one colour.
    source : vertex, optional
        Which row, if there are several.
    limits : list of numbers, optional
        Bands of equal colour up to each of these distances (isochrones) instead of a gradient. An edge has the colour
        of its farther end.
    to : vertex or list of vertices, or Snapped, optional
        Draw the shortest paths to these on top.
    paths : list of paths, optional
        Draw these on top: one list of vertices, several of them, or what `nearfar.paths` returns.
    **looks
        ``width``, ``height``, ``dark``, ``title``, ``units``, ``colours``, ``legend``, ``scale``, ``layout``,
        ``detail``: see `nearfar.draw`.

    Examples
    --------
    >>> import nearfar
    >>> graph = nearfar.generate.road_grid(20, 20, seed=1)
    >>> nearfar.draw.network(nearfar.sssp(graph, 210), limits=[500, 1000, 2000], to=[0, 399])
    Picture(... x ... pixels)
    """
    if not isinstance(what, Distances | Nearest | Graph):
        raise InputTypeError(f"what is a {type(what).__name__}; give a result of nearfar.sssp, or a graph.")
    graph = what if isinstance(what, Graph) else what.graph
    style = take_looks(looks, graph.units.weights)
    if isinstance(what, Graph):
        if source is not None or limits is not None or to is not None:
            raise InputTypeError(
                f"{option('source')}, {option('limits')} and {option('to')} need distances, but a graph was given. "
                f"Draw a result, such as nearfar.sssp(graph, source)."
            )
        return _plain(what, style, _listed(graph, paths))
    row, starts = _row_of(what, source)
    scale = steps(row, limits, style) if limits is not None else gradient(row, style, _label(what))
    targets = _targets(graph, to)
    distances = what.distances if isinstance(what, Nearest) else what
    found = [distances.path(target, source=source) for target in targets]
    drawn = found + _listed(graph, paths)
    return _drawn(graph, style, scale, starts, drawn, _told(row, graph, targets, style))


def _plain(graph: Graph, style: Style, paths: list[Any]) -> Picture:
    """Draw a graph in one colour."""
    colour = style.shades(3)[:1]
    scale = Scale(np.ones(graph.n, np.uint8), np.vstack((colour, colour)))
    return _drawn(graph, style, scale, np.zeros(0, np.int32), paths, "")


def _drawn(graph: Graph, style: Style, scale: Scale, starts: np.ndarray, paths: list[Any], told: str) -> Picture:
    """Draw everything."""
    swatches = [] if not len(starts) else [Swatch(style.palette.path, _called(graph, starts), "dot")]
    if paths:
        text = told or ("path" if len(paths) == 1 else f"{len(paths):,} paths")
        swatches.append(Swatch(style.palette.path, text, "line"))
    page = Map(graph, style, scale.bar, swatches + scale.swatches, starts)
    page.paint(scale)
    for path in paths:
        page.path(graph.indices(path))
    page.mark(starts)
    if paths:
        page.mark(graph.indices([path[i] for path in paths for i in (0, -1)]), style.palette.case)
        page.dots(graph.indices([path[i] for path in paths for i in (0, -1)]), style.palette.path, 0.5 * page.page.size)
    return page.finish()


def _row_of(what: Distances | Nearest, source: Hashable | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances of one row as floats, inf where unreached, and the vertices it starts from."""
    distances = what.distances if isinstance(what, Nearest) else what
    r = distances._row_of(source, "plot")
    return as_float(distances.rows[r]), distances.seeds_of(r)


def _label(what: Distances | Nearest) -> str:
    """Return what the colours mean."""
    several = isinstance(what, Nearest)
    return f"distance {what.direction} the {'nearest source' if several else 'source'}"


def _targets(graph: Graph, to: Any) -> list[Any]:
    """Return the names of the vertices that paths lead to."""
    if to is None:
        return []
    if isinstance(to, Located):
        return [graph.name(int(v)) for v in to.vertices_on(graph)]
    single = isinstance(to, str | int | np.integer) or _is_vertex(graph, to)
    if isinstance(to, list | tuple) and not single:
        to = [as_vertex(graph, vertex, "target") for vertex in to]
    vertices = graph.indices([to] if single else to, "target")
    return [graph.name(int(v)) for v in vertices]


def _is_vertex(graph: Graph, value: Any) -> bool:
    """Tell whether something is the name of a vertex, such as the tuple of a raster's cell."""
    return isinstance(value, Hashable) and is_name(graph, value)


def _listed(graph: Graph, paths: Any) -> list[Any]:
    """Return paths as lists of vertices: one path, several, or pairs (length, path) as of `nearfar.paths`."""
    given = [] if paths is None else list(paths)
    if given and all(isinstance(path, tuple) and len(path) == 2 and isinstance(path[1], list) for path in given):
        given = [path for _, path in given]
    elif given and (not isinstance(given[0], list | tuple | np.ndarray) or _is_vertex(graph, given[0])):
        given = [given]
    return [list(path) for path in given if len(path)]


def _told(row: np.ndarray, graph: Graph, targets: list[Any], style: Style) -> str:
    """Return what the legend says about the paths to targets."""
    if len(targets) != 1:
        return ""
    distance = float(row[graph.index(targets[0])])
    factor, unit = readable(style.units, distance)
    whole = factor == 1 and distance.is_integer()
    text = number(distance if whole else float(f"{distance / factor:.4g}"))
    return f"path to {shorten(str(targets[0]))}: {text}" + (f" {unit}" if unit else "")


def _called(graph: Graph, starts: np.ndarray) -> str:
    """Return what the legend calls the start."""
    return f"source {shorten(str(graph.name(int(starts[0]))))}" if len(starts) == 1 else f"{len(starts):,} sources"

"""SParry's picture of shortest paths: vertices on a circle, weights on arcs, the paths from one source in red.

SParry had several circles; on one, no arc leads through a third vertex. Arcs of one pair of vertices that differ only
in direction are one line with two heads. If their weights differ, they are two curves. Loops are left out: they are on
no shortest path. matplotlib is loaded when a picture is drawn.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

import numpy as np

from ...errors import InputTypeError, MissingDependencyError
from .graph import Graph

RADIUS = 16  # of a vertex, in points, if there is room
ROOM = 900  # points that the radii of all vertices may take together, so that neighbours on the circle do not touch
BEND = 0.2  # of arcs in both directions: their distance from the straight line is about half of it, times their length
SPOT = 0.4  # where a weight stands along its arc; in the middle, those of arcs through the centre would collide
SIZE = 13  # inches


def draw(path: Any, s: int, graph: Graph, filename: str | os.PathLike[str] | None = None) -> None:
    """Draw a graph with the shortest paths from one source.

    The source is orange. Arcs on the paths are red, and all others black; heads show their directions.

    Parameters
    ----------
    path : array of predecessors
        The first n entries are used: `Result.path`.
    s : int
        The source.
    graph : Graph
    filename : str or path, optional
        Where to save the picture; its ending is the format. By default, it is shown in a window.

    Examples
    --------
    >>> from nearfar.adapters.sparry import calc, draw, read
    >>> result = calc(read(edgeSet=[[0, 1], [1, 2], [5, 6]]), srclist=0, pathRecordBool=True)
    >>> draw(result.path, 0, result.graph, "paths.png")  # doctest: +SKIP
    """
    if not isinstance(graph, Graph):
        raise InputTypeError(f"graph is a {type(graph).__name__}; give what read(...) returns.")
    before = np.asarray(path).ravel()[: graph.n]
    if len(before) != graph.n or before.dtype.kind not in "iu":
        raise InputTypeError(f"path is {path!r:.60}; give one predecessor per vertex, such as result.path.")
    source = graph.to_nearfar().index(s, "source")
    if filename is None:
        plt = _load("matplotlib.pyplot")
        _paint(plt.figure(figsize=(SIZE, SIZE)), before, source, graph)
        _show(plt)
    else:
        figure = _load("matplotlib.figure").Figure(figsize=(SIZE, SIZE))
        _paint(figure, before, source, graph)
        figure.savefig(filename)


def _show(plt: Any) -> None:
    """Show the figure in a window; without a display, where matplotlib would return silently, say so."""
    if plt.get_backend().lower() != "agg":
        plt.show()
        return
    plt.close()
    warnings.warn(
        "there is no window to draw in: matplotlib found no display, or was told to write files only. Give a filename, "
        "as in drawPath('paths.png').",
        stacklevel=4,
    )


def place(n: int) -> np.ndarray:
    """Return the positions of the vertices on a circle, counterclockwise from the right.

    Examples
    --------
    >>> (place(4).round() + 0).tolist()
    [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    """
    angles = 2 * np.pi * np.arange(n) / max(n, 1)
    return np.stack((np.cos(angles), np.sin(angles)), axis=1)


def _paint(figure: Any, before: np.ndarray, source: int, graph: Graph) -> None:
    """Draw everything into a figure."""
    axes = figure.add_axes((0, 0, 1, 1))
    points, radius = place(graph.n), min(RADIUS, ROOM / graph.n)
    _paint_arcs(axes, points, before, _lightest(graph), radius)
    colours = np.where(np.arange(graph.n) == source, "orange", "yellowgreen")
    axes.scatter(points[:, 0], points[:, 1], s=np.pi * radius**2, c=colours, zorder=3)
    for v, (x, y) in enumerate(points):
        axes.text(x, y, str(v), ha="center", va="center", weight="bold", size=0.6 * radius, zorder=4)
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), aspect="equal")
    axes.axis("off")


def _paint_arcs(
    axes: Any, points: np.ndarray, before: np.ndarray, weights: dict[tuple[int, int], float], radius: float
) -> None:
    """Draw the arcs with their weights, and those on paths in red."""
    on_path = {(int(u), v) for v, u in enumerate(before) if u >= 0}
    for (u, v), weight in weights.items():
        back, red = weights.get((v, u)), (u, v) in on_path
        same = back == weight
        bend = 0.0 if back is None or same else BEND
        if not same or u < v:
            _label(axes, points[u], points[v], weight, bend)
            _arrow(axes, points[u], points[v], "<|-|>" if same else "-|>", bend, "black", radius)
        if red:
            _arrow(axes, points[u], points[v], "-|>", bend, "red", radius)


def _lightest(graph: Graph) -> dict[tuple[int, int], float]:
    """Return the weight of the lightest arc of each pair of vertices, without loops."""
    arcs, found = graph.to_nearfar(), dict[tuple[int, int], float]()
    assert arcs.weights is not None
    for u, v, weight in zip(arcs.tails.tolist(), arcs.heads.tolist(), arcs.weights.tolist(), strict=True):
        if u != v:
            found[u, v] = min(weight, found.get((u, v), weight))
    return found


def _arrow(axes: Any, start: np.ndarray, end: np.ndarray, style: str, bend: float, colour: str, radius: float) -> None:
    """Draw an arc; red ones above black ones."""
    red = colour == "red"
    looks = {"arrowstyle": style, "connectionstyle": f"arc3,rad={bend}", "mutation_scale": max(4.0, radius)}
    patch = _load("matplotlib.patches").FancyArrowPatch(
        start, end, shrinkA=radius, shrinkB=radius, color=colour, lw=2 if red else 1, zorder=2 if red else 1, **looks
    )
    axes.add_patch(patch)


def _label(axes: Any, start: np.ndarray, end: np.ndarray, weight: float, bend: float) -> None:
    """Write a weight on its arc, which is a quadratic Bézier curve."""
    dx, dy = end - start
    side = 2 * SPOT * (1 - SPOT) * bend
    spot = start + SPOT * (end - start) + side * np.array((dy, -dx))
    behind = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    text = f"{weight:g}" if isinstance(weight, float) else str(weight)
    axes.text(*spot, text, ha="center", va="center", bbox=behind, zorder=2.5)


def _load(module: str) -> Any:
    """Load a module of matplotlib."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            "a picture needs matplotlib, which is not installed. Use: pip install 'nearfar[plot]'."
        ) from error

"""SParry's class Result: flat distances and predecessors, the time that a calculation took, a picture of its paths."""
# ruff: noqa: N802 (SParry's names)

from __future__ import annotations

import os

import numpy as np

from ...errors import DistanceOverflowError, VertexError
from ...results import Distances
from .constants import INF
from .drawing import draw
from .graph import Graph


class Result:
    """Distances as SParry returns them; made by `calc`.

    Attributes
    ----------
    dist : array of length k * n
        The distances from the first source to all vertices, then those from the second, and so on: int32, float64 if
        weights are fractions. `INF` where there is no path. ``dist.reshape(-1, graph.n)`` has one row per source.
    path : int64 array of length k * n, or None
        The vertex before each vertex on a shortest path to it, -1 for sources and where there is no path. None until
        `calcPath` was called, or ``pathRecordBool`` was given to `calc`.
    timeCost, timeCostNum : str and float
        The seconds that the calculation took, as text and as a number.
    memoryCost : None
        SParry did not fill it either.
    graph : Graph
        What was given to `calc`.
    distances : nearfar.Distances
        The same as a result of nearfar, for everything that SParry does not have. It shares its memory with ``dist``
        if every vertex is reached, so do not change that.

    Examples
    --------
    >>> from nearfar.adapters.sparry import calc, read
    >>> result = calc(read(edgeSet=[[0, 1], [1, 2], [5, 6]]), srclist=[1, 0])
    >>> result.dist
    array([2139045759,          0,          6,          0,          5,         11], dtype=int32)
    >>> result.distances.path(0, 2)
    [0, 1, 2]
    """

    def __init__(self, distances: Distances, graph: Graph, seconds: float) -> None:
        self.distances = distances
        self.dist = _flatten(distances)
        self.path: np.ndarray | None = None
        self.timeCostNum = seconds
        self.timeCost = f"{seconds * 100000 // 100 / 1000} sec"
        self.memoryCost = None
        self.graph = graph

    def display(self) -> str:
        """Return a text with the facts of the graph and the time that the calculation took.

        Examples
        --------
        >>> from nearfar.adapters.sparry import calc, read
        >>> print(calc(read(edgeSet=[[0, 1], [1, 2], [5, 6]]), srclist=0).display())
        <BLANKLINE>
        [+] the number of vertices in the Graph:                n = 3,
        [+] the number of edges(directed) in the Graph:         m = 2,
        ...
        [+] calc the shortest path timeCost = ... sec
        """
        return f"{self.graph.msg}\n\n[+] calc the shortest path timeCost = {self.timeCost}"

    def calcPath(self) -> None:
        """Compute ``path``.

        Of several shortest paths to a vertex, the one over the neighbour with the least index is taken, as in SParry;
        but paths over arcs of weight zero lead back to the source here.

        Examples
        --------
        >>> from nearfar.adapters.sparry import calc, read
        >>> result = calc(read(edgeSet=[[0, 1], [1, 2], [5, 6]]), srclist=0)
        >>> result.calcPath()
        >>> result.path
        array([-1,  0,  1])
        """
        self.path = self.distances.predecessors.reshape(-1).astype(np.int64)

    def drawPath(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Draw the graph with the shortest paths from the first source in red; show it, or save it to a file.

        Parameters
        ----------
        filename : str or path, optional
            Where to save the picture; its ending is the format. SParry always shows it in a window.

        Examples
        --------
        >>> from nearfar.adapters.sparry import calc, read
        >>> result = calc(read(edgeSet=[[0, 1], [1, 2], [5, 6]]), srclist=0)
        >>> result.drawPath("paths.png")  # doctest: +SKIP
        """
        if not len(self.distances.source_indices):
            raise VertexError("the graph has no vertices, so there is no source whose paths could be drawn.")
        if self.path is None:
            self.calcPath()
        draw(self.path, int(self.distances.source_indices[0]), self.graph, filename)

    def __repr__(self) -> str:
        return f"Result(k={len(self.distances.rows)}, n={self.graph.n}, timeCost={self.timeCost!r})"


def _flatten(distances: Distances) -> np.ndarray:
    """Return all rows one after the other, with `INF` where there is no path."""
    rows = distances.rows
    dtype = np.int32 if rows.dtype.kind == "i" else np.float64  # which has INF, unlike float32
    if rows.max(initial=0) < INF and rows.min(initial=0) > -INF:  # all are reached: "unreached" is above INF
        return rows.astype(dtype, copy=False).reshape(-1)
    reached = distances.reached.reshape(rows.shape)
    beyond = reached & ((rows >= INF) | (rows <= -INF))
    if beyond.any():
        r, v = np.argwhere(beyond)[0]
        raise DistanceOverflowError(
            f"the distance from {distances.source_indices[r]} to {v} is {rows[r, v]}, but in SParry's results {INF} "
            "means that there is no path, and distances are below it. Use nearfar.mssp(graph.to_nearfar(), sources), "
            "whose distances have 64 bits."
        )
    return np.where(reached, rows, np.array(INF, dtype)).astype(dtype, copy=False).reshape(-1)

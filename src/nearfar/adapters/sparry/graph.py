"""SParry's class Graph: the arrays of a graph, the method to use, and the statistics that ``display`` prints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InputTypeError, OptionError
from ...graph import Graph as NearfarGraph
from ...methods import ALIASES, METHODS
from .constants import INF

NAMES = ("dij", "spfa", "delta", "edge", "fw")  # of SParry; all are aliases or names of ours

# A label, and its value as a format of the attributes of a graph: what `display` printed.
LINES = (
    ("the number of vertices in the Graph", "n = {n}"),
    ("the number of edges(directed) in the Graph", "m = {m}"),
    ("the max edge weight in the Graph", "MAXW = {MAXW}"),
    ("the min edge weight in the Graph", "MINW = {MINW}"),
    ("the max out degree in the Graph", "degree({MAXU}) = {MAXD}"),
    ("the min out degree in the Graph", "degree({MINU}) = {MIND}"),
    ("the average out degree of the Graph", "avgDegree = {avgDegree}"),
    ("the directed of the Graph", "directed = {directed}"),
    ("the method of the Graph", "method = {method}"),
)
TAB, COLUMN = 8, 56  # values stand in one column, after tabs


class Graph:
    """A graph as SParry describes it; made by `read`.

    Attributes
    ----------
    n, m : int
        Number of vertices and of arcs. An undirected edge counts as two arcs.
    graph : list of three arrays
        ``[V, E, W]``, compressed rows; ``[src, des, w]``, the arcs in their order, if the method is "edge". Weights
        are int32 where all fit.
    method : str
        The method that `calc` uses. It may be changed between two calls.
    delta : number or None
        The bucket width of the method "delta"; None lets nearfar choose it.
    directed : bool or str
        As given to `read`; True or False for a file.
    MAXW, MINW : number
        The greatest and the least weight; -1 and `INF` without arcs.
    MAXD, MAXU, MIND, MINU : int
        The greatest and the least out-degree, each with the first vertex that has it.
    degree : int32 array
        The out-degree of each vertex.
    avgDegree : float
        m / n.
    msg : str
        The text of these facts, which `Result.display` repeats.

    Examples
    --------
    >>> from nearfar.adapters.sparry import read
    >>> graph = read(matrix=[[0, 4], [2139045759, 0]])
    >>> graph.n, graph.m, graph.MAXW, graph.degree
    (2, 3, 4, array([2, 1], dtype=int32))
    >>> graph.to_nearfar()
    Graph(n=2, m=3, int32 weights 0..4)
    """

    def __init__(self, arcs: NearfarGraph, method: str, delta: float | None, directed: Any) -> None:
        self._arcs = arcs
        self.n, self.m = arcs.n, arcs.m
        self.method, self.delta, self.directed = take_method(method), delta, directed
        self.graph = _edge_set(arcs) if ALIASES.get(method, method) == "edge" else _compressed_rows(arcs)
        self.degree = np.diff(arcs.offsets).astype(np.int32)
        self.MAXW: float = arcs.max_weight if arcs.m else -1
        self.MINW: float = arcs.min_weight if arcs.m else INF
        self.MAXU, self.MINU = (int(self.degree.argmax()), int(self.degree.argmin())) if arcs.n else (-1, -1)
        self.MAXD, self.MIND = (int(self.degree.max()), int(self.degree.min())) if arcs.n else (-1, INF)
        self.avgDegree = self.m / self.n if self.n else 0.0
        self.setmsg()

    def setmsg(self) -> None:
        """Write ``msg`` again, after an attribute was changed.

        Examples
        --------
        >>> from nearfar.adapters.sparry import read
        >>> graph = read(edgeSet=[[0], [1], [5]])
        >>> graph.method = "delta"
        >>> graph.setmsg()
        >>> graph.msg.splitlines()[-1].split(":")[1].strip()
        'method = delta.'
        """
        values = [value.format_map(vars(self)) for _, value in LINES]
        heads = [f"[+] {label}:" for label, _ in LINES]
        tabs = ["\t" * -((len(head) - COLUMN) // TAB) for head in heads]
        lines = [head + tab + value for head, tab, value in zip(heads, tabs, values, strict=True)]
        self.msg = "\n" + ",\n".join(lines) + ".\n"

    def to_nearfar(self) -> NearfarGraph:
        """Return the `nearfar.Graph`, for everything that SParry does not have.

        Examples
        --------
        >>> import nearfar
        >>> from nearfar.adapters.sparry import read
        >>> nearfar.distance(read(edgeSet=[[0, 1], [1, 2], [5, 6]]).to_nearfar(), 0, 2)
        11
        """
        return self._arcs

    def __repr__(self) -> str:
        return f"Graph(n={self.n}, m={self.m}, method={self.method!r})"


def take_method(method: Any) -> str:
    """Return the name of a method of SParry or of nearfar, or "auto"."""
    if not isinstance(method, str):
        raise InputTypeError(f"method is {method!r}, a {type(method).__name__}; give a name, such as 'dij'.")
    if method != "auto" and ALIASES.get(method, method) not in METHODS:
        raise OptionError(
            f"method {method!r} does not exist; there are SParry's {', '.join(map(repr, NAMES))}, those of nearfar, "
            "and 'auto'."
        )
    return method


def _compressed_rows(arcs: NearfarGraph) -> list[np.ndarray]:
    """Return copies of where the arcs of each vertex start, their heads and their weights."""
    return [arcs.offsets.copy(), arcs.heads.copy(), _weights(arcs).copy()]


def _edge_set(arcs: NearfarGraph) -> list[np.ndarray]:
    """Return tails, heads and weights of the arcs, in the order in which they were given."""
    order = np.argsort(arcs.rows, kind="stable")
    return [arcs.tails[order], arcs.heads[order], _weights(arcs)[order]]


def _weights(arcs: NearfarGraph) -> np.ndarray:
    """Return the weights, which graphs of SParry always have."""
    assert arcs.weights is not None
    return arcs.weights

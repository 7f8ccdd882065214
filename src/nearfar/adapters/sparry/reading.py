"""SParry's read: a graph from compressed rows, a matrix, an edge set or a file.

SParry knows 32-bit integers only, and cuts other numbers. Here, floats that are whole numbers are integers; others stay
floats, and so do the distances. A weight of `INF`, or inf, means that there is no arc, in every kind of input.
"""
# ruff: noqa: N803 (SParry's names)

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...engine.options import take_delta
from ...errors import GraphError, InputTypeError, OptionError
from ...formats import read as read_file
from ...graph import Graph as NearfarGraph
from .constants import INF
from .graph import Graph, take_method

EXACT = 2**53  # floats up to here are exact as integers


def read(
    CSR: Any = None,
    matrix: Any = None,
    edgeSet: Any = None,
    filename: str | os.PathLike[str] = "",
    method: str = "dij",
    detail: bool = False,
    directed: bool | str = "Unknown",
    delta: float | None = None,
) -> Graph:
    """Return a graph that `calc` takes, from one of four kinds of input.

    Parameters
    ----------
    CSR : three arrays
        ``(V, E, W)``: the arcs of u lead to ``E[V[u]:V[u + 1]]``; V has one more entry than there are vertices.
    matrix : array of shape (n, n)
        Entries from `INF` on mean that there is no arc.
    edgeSet : three arrays
        ``(src, des, w)``, one entry per arc. An undirected edge is two arcs.
    filename : str or path
        A file in SParry's format: a line ``n m``, then one line ``u v w`` per edge. A newline at the end is not needed.
    method : str
        "dij", "spfa", "delta", "edge" or "fw"; also "auto" and all other methods of nearfar.
    detail : bool
        In SParry, whether to compute statistics. They are always computed here, so it makes no difference.
    directed : bool
        Whether the lines of a file are arcs; by default they are edges, for both directions. Other inputs are arcs.
    delta : number, optional
        The bucket width of the method "delta". SParry's default is 3, whatever the weights; here it is chosen for them.

    Examples
    --------
    >>> from nearfar.adapters.sparry import read
    >>> graph = read(CSR=([0, 2, 3, 4, 4], [1, 2, 3, 1], [1, 3, 4, 5]), method="delta")
    >>> graph.n, graph.m, graph.MAXW
    (4, 4, 5)
    """
    method = take_method(method)
    kind = _choose(CSR, matrix, edgeSet, filename)
    if kind == "filename":
        arcs, directed = _from_file(filename, directed), directed is True
    elif kind == "CSR":
        arcs = _from_rows(CSR)
    else:
        arcs = _from_matrix(matrix) if kind == "matrix" else _from_edges(edgeSet)
    return Graph(arcs, method, take_delta(delta), directed)


def _choose(csr: Any, matrix: Any, edge_set: Any, filename: Any) -> str:
    """Return which input to read: compressed rows before all others, a file last."""
    given = [name for name, value in (("CSR", csr), ("matrix", matrix), ("edgeSet", edge_set)) if value is not None]
    for name, value in (("CSR", csr), ("matrix", matrix), ("edgeSet", edge_set)):
        if isinstance(value, str | os.PathLike):
            raise InputTypeError(f"{name} is {value!r:.60}, a {type(value).__name__}; give a file as filename=.")
    if not isinstance(filename, str | os.PathLike):
        raise InputTypeError(f"filename is {filename!r:.60}, a {type(filename).__name__}; give a name.")
    if given == ["matrix", "edgeSet"]:
        raise OptionError(
            "both matrix and edgeSet are given: SParry's documentation says that the matrix is read, but it reads the "
            "edgeSet. Give one of them."
        )
    if not given and not os.fspath(filename):
        raise OptionError("there is no graph to read: give one of CSR, matrix, edgeSet and filename.")
    return given[0] if given else "filename"


def _from_rows(rows: Any) -> NearfarGraph:
    """Return the graph of compressed rows."""
    offsets, heads, weights = (_take_numbers(part) for part in _three(rows, "CSR", "(V, E, W)"))
    graph = NearfarGraph.from_csr(offsets, heads, _not_missing(weights))
    if not _absent(weights).any():
        return graph
    return _from_arcs(graph.tails, graph.heads, weights, graph.n)


def _from_matrix(matrix: Any) -> NearfarGraph:
    """Return the graph of a square matrix; the zeros on its diagonal are loops, as SParry counts them."""
    entries = _take_numbers(matrix)
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise GraphError(f"matrix has shape {entries.shape}; give a square one, with a row and a column per vertex.")
    tails, heads = np.nonzero(~(entries >= INF))  # NaN is kept, and refused with its position
    return _from_arcs(tails, heads, entries[tails, heads], len(entries))


def _from_edges(edge_set: Any) -> NearfarGraph:
    """Return the graph of three parallel lists; its vertices end with the last one that occurs."""
    tails, heads, weights = (_take_numbers(part) for part in _three(edge_set, "edgeSet", "(src, des, w)"))
    if not len(tails) == len(heads) == len(weights):
        raise GraphError(
            f"edgeSet has {len(tails)} tails, {len(heads)} heads and {len(weights)} weights; give one of each per arc."
        )
    ends = np.concatenate((tails, heads))  # a vertex whose arcs are all INF is one, too
    return _from_arcs(tails, heads, weights, int(ends.max(initial=-1)) + 1 if ends.dtype.kind in "iu" else None)


def _from_file(filename: Any, directed: Any) -> NearfarGraph:
    """Return the graph of a file; both arcs of an edge follow each other, and those of a loop count as two."""
    lines = read_file(filename, format="sparry", undirected=False)
    order = np.argsort(lines.rows, kind="stable")
    weights = np.zeros(0, np.int32) if lines.weights is None else lines.weights[order]  # None: there are no edges
    tails, heads = lines.tails[order], lines.heads[order]
    if directed is not True:
        ends = np.stack((tails, heads), axis=1)
        tails, heads, weights = ends.ravel(), ends[:, ::-1].ravel(), np.repeat(weights, 2)
    return _from_arcs(tails, heads, weights, lines.n)


def _from_arcs(tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, n: int | None) -> NearfarGraph:
    """Return the graph of arcs, without those that the weight declares absent."""
    there = ~_absent(weights)
    return NearfarGraph.from_arcs(tails[there], heads[there], _take_numbers(weights[there]), n)


def _absent(weights: np.ndarray) -> np.ndarray:
    """Return which weights mean that there is no arc."""
    return (weights == INF) | (weights == np.inf)


def _not_missing(weights: np.ndarray) -> np.ndarray:
    """Return weights without inf, which would close arcs before they are counted."""
    return np.where(weights == np.inf, INF, weights)


def _three(given: Any, name: str, form: str) -> tuple[Any, Any, Any]:
    """Return the three parts of an input."""
    try:
        parts = list(given)
    except TypeError:
        raise InputTypeError(f"{name} is {given!r:.60}, a {type(given).__name__}; give {name}={form}.") from None
    if len(parts) != 3:
        pairs = " If it has one (u, v, w) per arc, use zip(*edges)." if name == "edgeSet" else ""
        raise GraphError(f"{name} has {len(parts)} parts; give three arrays, {name}={form}.{pairs}")
    return parts[0], parts[1], parts[2]


def _take_numbers(given: Any) -> np.ndarray:
    """Return an array; floats that are whole numbers, as a common array of vertices and weights has, as integers."""
    values = np.asarray(given)
    if values.dtype == object:  # one row of an array of arrays of the same length
        values = np.asarray(values.tolist())
    if values.dtype.kind == "f" and (np.abs(values) <= EXACT).all() and (values == np.floor(values)).all():
        return values.astype(np.int64)
    return values

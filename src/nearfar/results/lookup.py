"""Answers by name: what the user calls vertices, single distances as Python numbers, the nearest and the farthest."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputTypeError, OptionError
from ..graph.cells import CellNames
from ..graph.names import NumberNames
from .limits import in_type, unreached

if TYPE_CHECKING:
    from ..graph import Graph


def names_of(graph: Graph, vertices: np.ndarray) -> Any:
    """Return what the user calls these vertices: their indices, an int64 array of ids, or a list of names.

    A query takes each of these again.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.results.lookup import names_of
    >>> names_of(Graph.from_arcs([0], [1], names=["Ulm", "Bonn"]), np.array([1, 0]))
    ['Bonn', 'Ulm']
    """
    if graph.names is None:
        return vertices
    if isinstance(graph.names, NumberNames):
        return graph.names.take(vertices)
    return list_names(graph, vertices)


def list_names(graph: Graph, vertices: np.ndarray) -> list[Any]:
    """Return what the user calls these vertices, as a list of Python objects, all at once.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.results.lookup import list_names
    >>> list_names(Graph.from_arcs([0], [1], names=[10, 20]), np.array([1, 0]))
    [20, 10]
    """
    names = graph.names
    if names is None:
        return vertices.tolist()
    if isinstance(names, NumberNames):
        return names.take(vertices).tolist()
    if isinstance(names, CellNames):
        return list(map(tuple, names.take(vertices).tolist()))
    return [names[v] for v in vertices.tolist()]


def is_name(graph: Graph, value: Any) -> bool:
    """Tell whether a value of any type is the name of a vertex; False in a graph without names."""
    try:
        return graph.is_vertex(value)
    except TypeError:  # it cannot be hashed
        return False


def number_of(distance: Any) -> int | float:
    """Return a distance as a Python number, math.inf if it is the mark of the unreached."""
    return math.inf if distance == unreached(distance.dtype) else distance.item()


def as_float(dist: np.ndarray) -> np.ndarray:
    """Return distances as float64, inf where unreached."""
    floats = in_type(dist, np.dtype(np.float64))
    return floats.copy() if floats is dist else floats


def take_count(k: Any, name: str = "k") -> int:
    """Return how many vertices, or rows, are wanted."""
    if isinstance(k, bool) or not isinstance(k, numbers.Integral):
        raise InputTypeError(f"{name} is {k!r}, a {type(k).__name__}; give a whole number.")
    if k < 1:
        raise OptionError(f"{name} is {k}; give at least 1.")
    return int(k)


def closest(row: np.ndarray, starts: np.ndarray, k: int) -> list[tuple[int, Any]]:
    """Return the k nearest vertices that are reached, without the starts, with their distances; ties by index."""
    wanted = row != unreached(row.dtype)
    wanted[starts] = False
    found = np.flatnonzero(wanted)
    if len(found) > k:
        values = row[found]
        limit = np.partition(values, k - 1)[k - 1]
        found = _first(found[values < limit], found[values == limit], k)
    order = np.argsort(row[found], kind="stable")
    return [(v, row[v].item()) for v in found[order].tolist()]


def farthest(row: np.ndarray, k: int) -> list[tuple[int, Any]]:
    """Return the k farthest vertices that are reached, with their distances, greatest first; ties by index."""
    found = np.flatnonzero(row != unreached(row.dtype))
    if len(found) > k:
        values = row[found]
        limit = np.partition(values, len(found) - k)[len(found) - k]
        found = _first(found[values > limit], found[values == limit], k)
    order = len(found) - 1 - np.argsort(row[found][::-1], kind="stable")[::-1]
    return [(v, row[v].item()) for v in found[order].tolist()]


def _first(sure: np.ndarray, tied: np.ndarray, k: int) -> np.ndarray:
    """Return k vertices in ascending order: those that certainly belong, and the first of those that tie."""
    return np.sort(np.concatenate((sure, tied[: k - len(sure)])))

"""Which methods take a graph, and how near to the oracle's their distances must come."""

from __future__ import annotations

import numpy as np

from nearfar.engine.options import take_method
from nearfar.errors import MethodError
from nearfar.methods import METHODS

CUBE = 2000  # vertices up to which a matrix is closed at once
ALL = tuple(METHODS)
NEGATIVE = tuple(name for name, method in METHODS.items() if method.negative_weights)
ROUNDING = tuple(name for name, method in METHODS.items() if method.rounds)
SINGLY = tuple(name for name, method in METHODS.items() if method.many is None)  # they settle a row at a time


def takes(method, graph):
    """Tell whether a method takes the weights of a graph."""
    try:
        return take_method(method, graph.min_weight < 0, graph) == method
    except MethodError:
        return False


def able(graph):
    """Return the methods that take the weights of a graph, without one that would take n^3 steps for a large one."""
    return [method for method in ALL if takes(method, graph) and (method != "floyd" or graph.n <= CUBE)]


def assert_rows(result, rows):
    """The same type and the same bytes (-0.0 is not 0.0 here), or the same up to rounding where the method rounds."""
    found = result.rows
    assert (found.dtype, found.shape) == (rows.dtype, rows.shape)
    assert result.rounded == (found.dtype.kind == "f" and result.stats["method"] in ROUNDING)
    if not result.rounded:
        assert found.tobytes() == rows.tobytes(), (found, rows)
        return
    assert ((found == np.inf) == (rows == np.inf)).all(), (found, rows)
    for some, wanted in zip(found, rows, strict=True):
        finite = wanted < np.inf
        assert (np.abs(some[finite] - wanted[finite]) <= tolerance(wanted)[finite]).all(), (some, wanted)


def tolerance(row):
    """Return how far distances may be from those of a row: two sums of all of a path's arcs, in different orders.

    A sum is off by half an eps of itself; where weights may be negative, of the greatest that occurs on the way.
    """
    finite = row[row < np.inf]
    size = np.abs(row) if (finite >= 0).all() else np.full(len(row), 2 * np.abs(finite).max())
    return np.where(row < np.inf, len(row) * np.finfo(row.dtype).eps * size.astype(np.float64), 0)

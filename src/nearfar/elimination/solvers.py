"""What elimination needs of the methods: rows of Dijkstra, and closing a dense matrix.

The methods are a layer above elimination, so it does not import them: callers pass them down as `Solvers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph

SettleRow = Callable[[np.ndarray, np.ndarray], int]
"""Settle one row of distances in place: ``settle(seeds, row)`` finds the distance from the nearest seed."""


@dataclass(frozen=True)
class Solvers:
    """How to settle single rows, and how to close a dense matrix.

    ``new_worker(graph, dtype, ceiling, stop)`` returns a function that settles rows of a graph without negative
    weights, on the calling thread; vertices that are not reached keep ``ceiling``. ``close_matrix(matrix, n,
    threads, stop)`` turns arcs into distances between all pairs, in place.
    """

    new_worker: Callable[[Graph, np.dtype, Any, np.ndarray], SettleRow]
    close_matrix: Callable[[np.ndarray, int, int, np.ndarray], bool]

"""What elimination needs of the methods, which lie above it: the engine hands it down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..graph import Graph

SettleRow = Callable[[np.ndarray, np.ndarray], int]
"""Settle one row of distances in place from some vertices: ``settle(seeds, row)``."""


@dataclass(frozen=True)
class Solvers:
    """How single rows are settled, and how a dense matrix is closed.

    ``new_worker(graph, dtype, ceiling, stop)`` returns a function that settles rows of a graph without negative
    weights, on the thread that calls it; vertices that are not reached keep ``ceiling``. ``close_matrix(matrix, n,
    threads, stop)`` turns arcs into distances between all pairs, in place.
    """

    new_worker: Callable[[Graph, np.dtype, Any, np.ndarray], SettleRow]
    close_matrix: Callable[[np.ndarray, int, int, np.ndarray], bool]

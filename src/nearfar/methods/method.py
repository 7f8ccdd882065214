"""`Method`: what the rest of the program knows about a method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .problem import Controls, Problem

if TYPE_CHECKING:
    from ..graph import Graph

Settle = Callable[[np.ndarray, np.ndarray], int]
"""Settle one row in place from its seeds: ``settle(seeds, row)`` returns the arcs relaxed.

If the method ``shares``, it also takes several rows as an array of k x n, with one seed for each.
"""


@dataclass(frozen=True)
class Method:
    """One entry of the table METHODS: how the CPU settles rows. The methods for GPUs are in gpu/, by the same names.

    ``new_worker`` makes what one thread needs, once, and returns the function that settles row after row with it.
    ``together``, if the method has it, settles the only row of a problem with all threads. ``scratch(n, itemsize)``
    returns how many bytes a worker needs beside its row, for n vertices and distances of ``itemsize`` bytes.

    A method that settles many rows at a time has ``many`` instead of ``new_worker``: it settles all rows with all
    threads, and calls ``controls.finish`` with each row. If it has ``together``, too, that settles an only row if it is
    large enough to be shared. ``memory(n, m, k, threads, itemsize)`` then returns how many bytes it needs beside the
    rows, for n vertices, m arcs and k rows.
    """

    name: str
    summary: str
    new_worker: Callable[[Problem, Controls], Settle] | None = None
    scratch: Callable[[int, int], int] = lambda n, itemsize: 0
    many: Callable[[Problem, np.ndarray, Controls], int] | None = None
    memory: Callable[[int, int, int, int, int], int] = lambda n, m, k, threads, itemsize: 0
    needs: Callable[[Graph, int, int, int], int] | None = None  # the same, for a method that must look at the graph
    negative_weights: bool = False
    rounds: bool = False  # whether it adds floats in another order than along the path: equal only up to rounding
    shares: bool = False  # whether a worker settles several rows in one call
    in_order: bool = False  # whether each arc is relaxed about once, so that the arcs predict the time
    aliases: tuple[str, ...] = ()
    together: Callable[[Problem, np.ndarray, Controls], int] | None = None

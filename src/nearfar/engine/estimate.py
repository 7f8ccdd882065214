"""What a query should take on the CPU, in seconds: to choose between methods, and between the CPU and a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..methods.tuning import NARROW_ARCS
from .tuning import (
    BFS_LEVELS,
    BFS_LEVELS_DIRECTED,
    BFS_WRITE,
    FLOYD_CUBE,
    FLOYD_ENTRY,
    FLOYD_ROW,
    PREPARE_STEPS,
    STEP,
    SWEEP,
    WRITE_BYTES,
)

if TYPE_CHECKING:
    from ..graph import Graph


def seconds_on_cpu(graph: Graph, rows: int, method: str, threads: int, itemsize: int, prepared: bool = False) -> float:
    """Return the expected seconds of a method; ``itemsize``: bytes per distance, ``prepared``: the graph is."""
    written = rows * graph.n * itemsize / WRITE_BYTES  # by all threads together
    if method == "floyd":
        return floyd_seconds(graph, rows, threads)
    if method == "prepared":
        return (0.0 if prepared else preparing_seconds(graph)) + max(rows * graph.n * SWEEP / threads, written)
    singly = max(rows * (graph.n + graph.m) * STEP / threads, written)
    if method != "bfs":
        return singly
    together = max(min(rows // threads, 512), 1)
    rows_per_level = (BFS_LEVELS if graph.undirected else BFS_LEVELS_DIRECTED) / 1.5
    return singly * min(graph.usual_levels * rows_per_level / together, 1) + rows * graph.n * BFS_WRITE / threads


def preparing_seconds(graph: Graph) -> float:
    """Return the expected seconds of preparing a graph; several threads save little."""
    return PREPARE_STEPS * (graph.n + graph.m) * STEP


def floyd_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of closing the matrix."""
    kind = (graph.weight_dtype or np.dtype(np.int32)).name
    if kind == "int32" and graph.max_weight * NARROW_ARCS < 2**16 - 1:
        kind = "narrow"
    n = graph.n
    return FLOYD_ROW * rows + (FLOYD_ENTRY * n**2 + FLOYD_CUBE[kind] * n**3) / threads

"""What a query should take on the CPU, in seconds: to choose between methods, and between the CPU and a GPU.

Pure functions of counts: vertices, arcs, rows, threads, bytes per distance; how many levels a search has; and what
eliminating the graph would do (elimination/outlook.py), which the planner has looked at. The constants are those of
tuning.py, fitted to a sweep over families of graphs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..elimination.outlook import Outlook
from ..methods.bfs import are_few
from ..methods.tuning import NARROW_ARCS
from . import tuning

if TYPE_CHECKING:
    from ..graph import Graph


def seconds_on_cpu(
    graph: Graph,
    rows: int,
    method: str,
    threads: int,
    itemsize: int,
    prepared: bool = False,
    outlook: Outlook | None = None,
) -> float:
    """Return the expected seconds of a method; ``itemsize``: bytes per distance, ``prepared``: the graph is."""
    written = rows * graph.n * itemsize / tuning.WRITE_BYTES  # by all threads together
    if method == "floyd":
        return floyd_seconds(graph, rows, threads)
    if method == "bfs" and not are_few(rows, threads):
        return max(bfs_seconds(graph, rows, threads), written)
    if method == "prepared":
        row = swept_row_seconds(graph, itemsize, outlook)
        before = 0.0 if prepared else preparing_seconds(graph, outlook)
        return before + max(-(-rows // threads) * row, written) + rows * tuning.SWEEP_ROW
    sharing = min(threads, rows) if rows > 1 else 1 + (threads - 1) * (graph.m >= tuning.PARALLEL_ARCS)
    less = tuning.BFS_ROW if method == "bfs" else 1.0
    return tuning.QUERY + max(less * rows * row_seconds(graph, itemsize) / sharing, written)


def row_seconds(graph: Graph, itemsize: int) -> float:
    """Return the expected seconds of one row of Dijkstra on one thread.

    Vertices that are queued cost most; leaves only get a distance. Distances and arcs that outgrow the fast caches cost
    more. If all weights are equal, nothing is queued twice; if some are negative, the queue is a heap.
    """
    vertex, arc = tuning.ROW_EQUAL if graph.min_weight == graph.max_weight else tuning.ROW_WEIGHTED
    large = tuning.ROW_LARGE * doublings(graph.n * itemsize)
    wide = (tuning.ROW_WIDE if itemsize == 8 else 1.0) * (tuning.ROW_HEAP if graph.min_weight < 0 else 1.0)
    leaves = graph.leaf_count if vertex > tuning.ROW_EQUAL[0] else 0  # counting them takes as long as a row of levels
    return tuning.ROW + (1 + large) * wide * ((graph.n - leaves) * vertex + leaves * tuning.ROW_LEAF + graph.m * arc)


def doublings(size: int) -> float:
    """Return how often the fast cache must be doubled to hold so many bytes."""
    return max(math.log2(max(size, 1) / tuning.FAST_CACHE), 0.0)


def bfs_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of breadth-first search from many sources: passes of up to 512 bits."""
    passes = -(-rows // tuning.BFS_BITS)
    passes = min(rows, -(-passes // threads) * threads)
    together = -(-rows // passes)
    words = min(1 << max((together - 1) // 64, 0).bit_length(), 8) / 8
    n, levels = graph.n, graph.usual_levels
    one = together * n * tuning.BFS_WRITE + n * levels * (tuning.BFS_LEVEL + words * tuning.BFS_LEVEL_WORDS)
    one += tuning.BFS_PASS + words * graph.m * tuning.BFS_ARC
    backward = 0.0 if graph.undirected else graph.m * tuning.REVERSE_ARC
    return tuning.QUERY_MANY + backward + -(-passes // threads) * one


def swept_row_seconds(graph: Graph, itemsize: int, outlook: Outlook | None = None) -> float:
    """Return the expected seconds per row of a sweep on one thread; single rows where the core is too large."""
    if outlook is None:
        return graph.n * tuning.SWEEP
    wide = itemsize / 4
    swept = graph.n * tuning.SWEEP_VERTEX * wide + outlook.shortcuts * tuning.SWEEP_SHORTCUT * wide
    if not outlook.core:
        return swept
    searched = outlook.core_arcs * tuning.CORE_ARC * (1 + graph.usual_levels / tuning.CORE_LEVELS)
    return min(swept + searched, row_seconds(graph, itemsize))


def preparing_seconds(graph: Graph, outlook: Outlook | None = None) -> float:
    """Return the expected seconds of preparing a graph; several threads save little."""
    if outlook is None:
        return tuning.PREPARE_STEPS * (graph.n + graph.m) * tuning.STEP
    if outlook.pruned:
        return (tuning.PRUNE_ROWS if graph.undirected else tuning.PRUNE_ROWS_DIRECTED) * row_seconds(graph, 4)
    work = graph.n * tuning.PREPARE_VERTEX + graph.m * tuning.PREPARE_ARC + outlook.steps * tuning.PREPARE_ENTRY
    return tuning.QUERY_MANY + (1 + tuning.PREPARE_LARGE * doublings(4 * graph.n)) * work


def floyd_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of closing the matrix."""
    kind = (graph.weight_dtype or np.dtype(np.int32)).name
    if kind == "int32" and graph.max_weight * NARROW_ARCS < 2**16 - 1:
        kind = "narrow"
    n = graph.n
    sharing = threads if n > tuning.FLOYD_SHARED else 1
    cube = tuning.FLOYD_CUBE[kind] * n**3
    return tuning.QUERY_MANY + tuning.FLOYD_ROW * rows + (tuning.FLOYD_ENTRY * n**2 + cube) / sharing

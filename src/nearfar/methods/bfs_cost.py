"""What breadth-first search should take: of single rows, and in passes of up to 512 rows. Pure functions of counts.

A pass visits all vertices at every level, so that its time grows with the levels; single rows hardly care. In a graph
of few levels passes are many times faster, in a road network they are slower.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import costs

if TYPE_CHECKING:
    from ..graph import Graph

WORD, MOST_WORDS = 64, 8  # bits in a word, words in a set of sources


# Rows per thread up to which they are searched one by one, a power of two. Time per row, of single rows and of a pass
# with 4, 8 and 16 rows: Twitter 1.1 ms and 2.7 0.9 0.6, R-MAT 18 3.2 and 4.1 1.6 1.2, Facebook 0.10 and 0.14 0.10 0.05,
# internet 0.19 and 0.45 0.27 0.13, citations 0.3 and 0.6 0.6 0.6, power grid 0.06 and 0.12 0.16 0.11.
FEW_ROWS = 8


def are_few(rows: int, threads: int) -> bool:
    """Tell whether rows are too few for passes to be faster in any graph."""
    return rows <= FEW_ROWS * threads


def are_single(graph: Graph, rows: int, threads: int) -> bool:
    """Tell whether rows are searched one by one."""
    return are_few(rows, threads) or single_seconds(graph, rows, threads) < pass_seconds(graph, rows, threads)


def passes_for(rows: int, threads: int) -> int:
    """Return how many passes settle this number of rows: a multiple of the threads, if there are enough rows."""
    full = -(-rows // (WORD * MOST_WORDS))
    return min(rows, -(-full // threads) * threads)


def words_for(rows: int) -> int:
    """Return how many words a set of this many sources takes: 1, 2, 4 or 8."""
    return 1 << (-(-rows // WORD) - 1).bit_length()


def single_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of single rows, one per thread."""
    n, levels = graph.n, graph.usual_levels
    arcs = min(graph.m, costs.BFS_PULLED * n) if graph.undirected else graph.m  # who is not reversed is only pushed
    row = costs.BFS_ROW + n * costs.BFS_ROW_VERTEX + arcs * costs.BFS_ROW_ARC + levels * costs.BFS_ROW_LEVEL
    return -(-rows // threads) * row * costs.slower(n, 4)


def pass_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of passes."""
    passes = passes_for(rows, threads)
    together = -(-rows // passes)
    words = words_for(together) / MOST_WORDS
    n, levels = graph.n, graph.usual_levels
    one = together * n * costs.BFS_WRITE + n * levels * (costs.BFS_LEVEL + words * costs.BFS_LEVEL_WORDS)
    one += costs.BFS_PASS + words * graph.m * costs.BFS_ARC
    backward = 0.0 if graph.undirected else graph.m * costs.REVERSE_ARC
    sharing = 1 + (threads - 1) * min(1.0, costs.BFS_SHARING + n / costs.BFS_SHARED)
    return backward + -(-passes // threads) * one * threads / sharing

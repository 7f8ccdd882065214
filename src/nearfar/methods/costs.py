"""What methods take on the CPU, in seconds: the constants of the planner's cost model (engine/estimate.py).

They are fitted to a sweep over families of graphs, sizes, numbers of rows and threads: `bench/plans.py` measures,
`bench/fit.py` fits and writes them here. RUN says which run made them.
"""

from __future__ import annotations

import math

RUN = "by hand, to parts of a sweep"

# A query by itself: from door to kernel; one that settles many rows together.
QUERY = 3e-5
QUERY_MANY = 2e-4

# A row of Dijkstra: by itself; per vertex that is queued, and per arc; the same if all weights are equal.
ROW = 5e-7
ROW_VERTEX = 2.7e-8
ROW_ARC = 1.6e-9
ROW_EQUAL_VERTEX = 8e-9
ROW_EQUAL_ARC = 9e-10
ROW_LEAF = 1.2e-9  # a leaf, which only gets a distance
ROW_WIDE = 1.2  # factor for distances of 64 bits
ROW_LARGE = 0.12  # growth per doubling of the distances beyond the fast cache
ROW_HEAP = 2.5  # factor with negative weights: a heap instead of buckets

# Breadth-first search of single rows: by itself, per vertex, arc and level.
BFS_ROW = 8e-6
BFS_ROW_VERTEX = 4e-9
BFS_ROW_ARC = 7e-10
BFS_ROW_LEVEL = 5e-8
BFS_PULLED = 8  # arcs per vertex that are looked at, at most: wide levels are pulled, and most pulls end soon

# Breadth-first search of up to 512 rows per pass.
BFS_PASS = 5e-5  # a pass by itself
BFS_WRITE = 5.2e-10  # per distance
BFS_LEVEL = 2e-9  # per vertex and level, with sets of one word
BFS_LEVEL_WORDS = 9e-9  # what sets of eight words add
BFS_ARC = 2e-9  # per arc, with sets of eight words
REVERSE_ARC = 4e-9  # per arc of a directed graph, which is reversed before

# Preparing, and sweeping what was prepared.
PREPARE = 1.2e-3  # a graph by itself, however small
PREPARE_VERTEX = 1.5e-7
PREPARE_ARC = 8e-8
PREPARE_ENTRY = 4.5e-9  # per list entry that elimination merges, with all that follows from it
PREPARE_CORE = 3e-7  # per arc of the core, which is made, and tried
PREPARE_LARGE = 0.3  # growth per doubling of n beyond the fast cache: a path of 30,000 vertices takes 7 ms, NY 504
SWEEP_VERTEX = 4.2e-10
SWEEP_SHORTCUT = 7e-11
SWEEP_ROW = 4e-6  # a row, whatever its length, on all threads together
CORE_ARC = 1.2e-9  # per arc of the core
CORE_LEVELS = 60  # levels that double it
PRUNE_ROWS = 50  # rows of Dijkstra that preparing takes where most arcs are pruned; R-MAT 18: 44
PRUNE_ROWS_DIRECTED = 120  # the same, directed; R-MAT 14: 148
PRUNED_SHORTCUTS = 25  # shortcuts per vertex that a sweep costs like there

# Floyd-Warshall.
FLOYD_ROW = 3e-6  # per row of the answer
FLOYD_ENTRY = 4e-9  # per entry of the matrix
FLOYD_CUBE = {"narrow": 2.2e-11, "int32": 4e-11, "float32": 4e-11, "float64": 1.1e-10, "int64": 1.2e-10}  # per n^3

FAST_CACHE = 1 << 18  # bytes, a guess between the first and the second level


def doublings(size: int) -> float:
    """Return how often the fast cache must be doubled to hold so many bytes."""
    return max(math.log2(max(size, 1) / FAST_CACHE), 0.0)


def slower(n: int, itemsize: int) -> float:
    """Return the factor by which a row takes longer because its n distances are not in the fast cache."""
    return 1 + ROW_LARGE * doublings(n * itemsize)

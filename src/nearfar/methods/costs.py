"""What methods take on the CPU, in seconds: the constants of the planner's cost model (engine/estimate.py).

They are fitted to a sweep over families of graphs, sizes, numbers of rows and threads: `bench/plans.py` measures,
`bench/fit.py` fits and writes them here. RUN says which run made them.
"""

from __future__ import annotations

import math

# Cases of more than 4,096 generated vertices were measured beside other work. BFS_ROW and the other constants of single
# searches, ROW and ROW_LARGE were set by hand: the run could not tell them. So were the constants of pruned graphs and
# those of Floyd-Warshall, after a quiet run of 909 cases: 300 vertices take 1.15 to 1.35 ms, 1,000 21 on one thread.
# ROW_EQUAL_VERTEX and PREPARE_ENTRY were raised by a quarter and lowered by a tenth after a quiet run of 1,362.
RUN = "2026-11-18, AMD EPYC, 1,089 cases of bench/plans.py up to 48,000 vertices"

# A query by itself: from door to kernel; one that settles many rows together.
QUERY = 3e-5
QUERY_MANY = 2e-4

# A row of Dijkstra: by itself; per vertex that is queued, and per arc; the same if all weights are equal.
ROW = 1e-07
ROW_VERTEX = 2.8e-08
ROW_ARC = 1.13e-09
ROW_EQUAL_VERTEX = 1.41e-08
ROW_EQUAL_ARC = 7.24e-10
ROW_LEAF = 7.09e-12  # a leaf, which only gets a distance
ROW_WIDE = 1.2  # factor for distances of 64 bits
ROW_LARGE = 0.12  # growth per doubling of the distances beyond the fast cache
ROW_HEAP = 2.61  # factor with negative weights: a heap instead of buckets

# Breadth-first search of single rows: by itself, per vertex, arc and level.
BFS_ROW = 1.5e-05
BFS_ROW_VERTEX = 3.78e-09
BFS_ROW_ARC = 1.17e-09
BFS_ROW_LEVEL = 6.3e-08
BFS_PULLED = 11.5  # arcs per vertex that are looked at, at most: wide levels are pulled, and most pulls end soon

# Breadth-first search of up to 512 rows per pass.
BFS_PASS = 8.76e-05  # a pass by itself
BFS_WRITE = 5.64e-10  # per distance
BFS_LEVEL = 7.35e-09  # per vertex and level, with sets of one word
BFS_LEVEL_WORDS = 2.56e-09  # what sets of eight words add
BFS_ARC = 1.99e-09  # per arc, with sets of eight words
# Of a thread, that each further one adds to passes: of graphs of 1,000, 3,000 and 10,000 vertices 0.28, 0.45 and 1; by
# hand: two threads took 1.6, 1.6 and 1.0 times as long as half of one.
BFS_SHARING, BFS_SHARED = 0.2, 12_000
REVERSE_ARC = 4e-9  # per arc of a directed graph, which is reversed before

# Preparing, and sweeping what was prepared.
PREPARE = 0.000551  # a graph by itself, however small
PREPARE_VERTEX = 1.26e-09
PREPARE_ARC = 1.21e-07
PREPARE_ENTRY = 5.2e-09  # per list entry that elimination merges, with all that follows from it
PREPARE_CORE = 1.51e-07  # per arc of the core, which is made, and tried
PREPARE_LARGE = 0.3  # growth per doubling of n beyond the fast cache: a path of 30,000 vertices takes 7 ms, NY 504
# Preparing by nested dissection without coordinates; by hand, one thread: grids of 10,000 33 ms, rasters of 10,000 and
# 30,000 55 and 195; with least separators, where degrees differ: city grids of 6,740 and 19,764 cells 39 and 98, a
# geometric graph of 30,000 150.
DISSECT_VERTEX = 2.7e-06
DISSECT_REFINED = 4.5e-06  # the same with least separators
DISSECT_SHORTCUT = 5.5e-08  # to weigh it and lay it out: rasters 54 to 62 ns, grids 70 to 89, geometric graphs 90
DISSECT_SQUARE = (
    1e-10  # per square of the number of shortcuts of a vertex: 0.04 to 0.15 ns in grids of three dimensions
)
DISSECT_WIDE = 1.1  # factor for weights of 64 bits
DISSECT_SHARING = 0.6  # of a thread, that each further one adds
SWEEP_VERTEX = 1.48e-10
SWEEP_SHORTCUT = 1.03e-10
SWEEP_COUPLED = (
    0.48e-10  # the same where two vertices are settled at a time: city map 0.42, rasters 0.47, geometric 0.49
)
SWEEP_ROW = 5.27e-07  # a row, whatever its length, on all threads together
CORE_ARC = 3.45e-10  # per arc of the core
CORE_LEVELS = 60  # levels that double it
# Growth per doubling of the lanes of the core beyond four times the fast cache: grids in three dimensions of 10,648,
# 29,791 and 216,000 took 0.92, 0.80 and 1.47 times as long per row as without it.
CORE_LARGE = 0.17
PRUNE_ROWS = 42  # rows of Dijkstra that preparing takes where most arcs are pruned; R-MAT 18: 44
PRUNE_ROWS_DIRECTED = 120  # the same, directed; R-MAT 14: 148
PRUNED_SHORTCUTS = 9  # shortcuts per vertex that a sweep costs like there

# Floyd-Warshall.
FLOYD_ROW = 7e-07  # per row of the answer
FLOYD_ENTRY = 2.5e-09  # per entry of the matrix
# Per n^3, by the type of the weights; narrow: distances fit 16 bits.
FLOYD_CUBE = {"narrow": 1.9e-11, "int32": 2.7e-11, "float32": 2.99e-11, "float64": 8.58e-11, "int64": 6.13e-11}
FLOYD_SHARING = 0.6  # of a thread, that each further one adds: 1,000 vertices take 21 ms on one, 13.5 on two

FAST_CACHE = 1 << 18  # bytes, a guess between the first and the second level


def doublings(size: int) -> float:
    """Return how often the fast cache must be doubled to hold so many bytes."""
    return max(math.log2(max(size, 1) / FAST_CACHE), 0.0)


def slower(n: int, itemsize: int) -> float:
    """Return the factor by which a row takes longer because its n distances are not in the fast cache."""
    return 1 + ROW_LARGE * doublings(n * itemsize)


# Rows on streamed arcs: seconds per arc of the graph (New York 29 ms on one thread, R-MAT 22 4.3 s), and bytes that a
# disk reads per second, checksums included (R-MAT 22 from an empty page cache: 2.6 GB in 9 s, relaxing meanwhile; a
# guess).
STREAMED_ARC, DISK_BYTES = 35e-9, 1e9

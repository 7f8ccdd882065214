"""Tuned numbers of the planner, each with the measurement that chose it."""

from __future__ import annotations

# Tables. A block of rows is large enough to be shared out, and small beside memory.
TABLE_BLOCK = 1 << 28  # bytes of rows that are settled before their columns are kept
FEW_PAIRS = 32  # pairs of a prepared graph that are found one by one: some 25 us each in NY, while a sweep takes 1 ms
# Renumbering before many rows. One row, best of 4, with vertices in random order and in breadth-first order: Sao Paulo
# 37 and 15 ms, world highways 14.4 and 7.1, the mountain 298 and 127; R-MAT 18 (mean degree 29) 32 and 37.
RENUMBER_ROWS = 64  # rows from which it is considered; for Sao Paulo it takes 0.8 s and then saves 13 ms per row
# Arcs per additional thread on one source, for it to be faster: a grid of 111,000 arcs takes 1.5 ms on one thread and
# 1.8 on two, of 251,000 4.4 and 4.1, of 447,000 6.7 and 4.5; R-MAT graphs of the same sizes behave alike.
PARALLEL_ARCS = 250_000
# When "auto" settles many rows together. Steps are vertices and arcs, some 6 ns each in a row of Dijkstra.
BFS_ROWS = 8  # rows per thread from which the levels of a search are estimated
# Rows per thread and level from which `bfs` is faster than single rows, by at least 1.49 and 1.6 on 13 graphs.
BFS_LEVELS, BFS_LEVELS_DIRECTED = 1.5, 3.0
# Rows per thread from which the graph is prepared, and the steps that preparing takes per vertex and arc. It took 80 in
# NY, 57 in Sao Paulo, 68 on the world's highways and 27 in R-MAT 18; after that a row costs next to nothing.
PREPARE_ROWS, PREPARE_STEPS = 128, 80
PREPARE_WORK = 10**8  # steps of single rows from which it is prepared: half a second, much of it to load the kernels
# Seconds for all pairs, fitted to n = 256 to 2,000 at densities 1 to 0.003: per row, per entry, and per n^3 by type;
# and for rows of Dijkstra, per arc and per vertex.
FLOYD_ROW, FLOYD_ENTRY = 3e-6, 4e-9
FLOYD_CUBE = {"narrow": 2.2e-11, "int32": 4e-11, "float32": 4e-11, "float64": 1.1e-10, "int64": 1.2e-10}
ROW_ARC, ROW_VERTEX = 1.9e-9, 6e-8
FLOYD_MARGIN = 0.8  # `floyd` is chosen if its expected time is below this share of the time of single rows
MANY_WORK = 10**7  # steps of single rows from which "auto" considers `bfs` and `floyd` at all: some 50 ms
# Expected seconds, for the choice between the CPU and a GPU. A step of Dijkstra, per vertex and arc; a distance in a
# sweep of a prepared graph, on one thread; a distance that `bfs` writes. Rows that are new memory come at 16 GB/s, on
# all threads together: 1,024 rows of NY, 1 GB, are filled in 70 ms. Two threads sweep them in 114.
STEP, SWEEP, BFS_WRITE, WRITE_BYTES = 6e-9, 0.8e-9, 0.55e-9, 16e9
GPU_MARGIN = 0.8  # "auto" takes a GPU if its expected time is below this share of the CPU's; model
# The k nearest sources: rows per k up to which one row per source is faster than one search for all. On a grid of
# 250,000 vertices (2 threads) a row and its merge take 25 ms, of a prepared graph 4; the search takes 140 ms per k for
# k = 3 and 260 for k = 10.
ROWS_PER_RANK, ROWS_PER_RANK_PREPARED = 8, 32
ROWS_AT_ONCE = 1 << 24  # distances that are solved before they are merged

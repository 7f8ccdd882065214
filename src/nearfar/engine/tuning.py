"""Tuned numbers of the planner, each with the measurement that chose it."""

from __future__ import annotations

# Tables. A block of rows is large enough to be shared out, and small beside memory.
TABLE_BLOCK = 1 << 28  # bytes of rows that are settled before their columns are kept
FEW_PAIRS = 32  # pairs of a prepared graph that are found one by one: some 25 us each in NY, while a sweep takes 1 ms
# Rows of a small graph that a thread settles in one call: about SHARE_STEPS vertices and arcs, 0.3 ms, beside which the
# 5 us between two calls are little; but each thread has at least SHARES_PER_THREAD calls, so that all end together. On
# grids of 1,024 vertices, a row takes 27 us instead of 32 (int32) and 39 (int64) with one call per row.
SHARE_STEPS, SHARES_PER_THREAD = 1 << 16, 4
# Renumbering before many rows. One row, best of 4, with vertices in random order and in breadth-first order: Sao Paulo
# 37 and 15 ms, world highways 14.4 and 7.1, the mountain 298 and 127; R-MAT 18 (mean degree 29) 32 and 37.
RENUMBER_ROWS = 64  # rows from which it is considered; for Sao Paulo it takes 0.8 s and then saves 13 ms per row
# Arcs per additional thread on one source, for it to be faster: a grid of 111,000 arcs takes 1.5 ms on one thread and
# 1.8 on two, of 251,000 4.4 and 4.1, of 447,000 6.7 and 4.5; R-MAT graphs of the same sizes behave alike.
PARALLEL_ARCS = 250_000
# Vertices and arcs from which few rows of equal weights are searched breadth-first; below, `dijkstra` has less to set
# up. One row and eight, relative to `dijkstra`: 25 vertices 1.5 and 3.3; 2,500 (12,000 to 17,000 vertices and arcs) 1.1
# to 1.5 and 1.1 to 2.0; 10,000 (30,000 to 70,000) 0.8 to 1.4 and 0.5 to 1.15.
BREADTH_FIRST = 60_000
# Arcs per vertex below which they are not: long paths have a level per vertex. Eight rows of a path of 30,000 vertices
# took 4.8 times as long as with `dijkstra`; Florida's roads have 2.5 arcs per vertex, and half of its time. Trees whose
# degrees differ (irregularity 1) are not deep, and take 0.6 of its time.
TREE_LIKE, LINE_LIKE = 2.2, 0.5
FLOYD_SHARED = 384  # vertices up to which one thread closes the matrix of Floyd-Warshall
MOSTLY_PRUNED = 0.5  # share of superfluous arcs from which preparing a graph takes PRUNE_ROWS
# Without a look at the graph: a step of Dijkstra per vertex and arc, the steps that preparing takes, a distance in a
# sweep. Rows that are new memory come at 16 GB/s, on all threads together: 1,024 rows of NY, 1 GB, are filled in 70 ms.
STEP, PREPARE_STEPS, SWEEP, WRITE_BYTES = 6e-9, 80, 0.8e-9, 16e9
# The choice: steps of single rows below which they are not compared with anything; what rows are favoured by, since
# they are the simplest; rows per thread from which levels are counted.
LEAST_WORK, MARGIN, BFS_ROWS = 20_000, 0.9, 8
# Vertices of a look from which on it tells which order of elimination is better, unless small balls are closed as in
# the plane: in grids of three dimensions, those of 256 show no core, those of 1,024 one of 0.6 of the vertices (0.5).
LOOK_FOR_ORDER = 1024
# Looks: the share of a query's time that one may take, and if the choice is clear already (a GPU is compared with the
# times); what it takes by itself, per vertex and per list entry; how far it may go beyond that, in entries. Eliminating
# a whole grid took 0.26 ms of CPU time with 289 vertices and 60,000 entries, 1.3 ms with 3,025 and 303,000, on a busy
# machine. The shares were chosen, not tuned.
LOOK_SHARE, LOOK_SHARE_CLEAR, LOOK, LOOK_VERTEX, LOOK_ENTRY, LOOK_OVER = 0.03, 0.001, 1.5e-4, 5e-7, 2.5e-9, 3
# The factor by which the time of preparing may be wrong: after a guess, and after a look at 1 of x vertices, DOUBT
# times a power of x. Guesses of the list entries were off by 2 to 4 (outlook.py), looks by up to 1.8, from 1 of 64
# vertices; the numbers themselves were not tuned.
DOUBT_GUESS, DOUBT, DOUBT_GROWS = 2.5, 1.3, 0.1
# Rows of Dijkstra that a look at a hub takes, beside what any look takes by itself. R-MAT of 2^10, 2^12 and 2^14: 0.24,
# 0.61 and 2.0 ms, where a row takes 0.055, 0.14 and 1.05. The share of a query's time that it may take: it is the only
# look that such a graph gets, and 128 rows of R-MAT took up to 1.84 times as long without it.
HUB_ROWS, HUB_SHARE = 2.5, 0.06
LOOK_MOST = 2 * 10**8  # list entries in any look, less than a second: it cannot be interrupted
GPU_MARGIN = 0.8  # "auto" takes a GPU if its expected time is below this share of the CPU's; model
# The k nearest sources: rows per k up to which one row per source is faster than one search for all. On a grid of
# 250,000 vertices (2 threads) a row and its merge take 25 ms, of a prepared graph 4; the search takes 140 ms per k for
# k = 3 and 260 for k = 10.
ROWS_PER_RANK, ROWS_PER_RANK_PREPARED = 8, 32
ROWS_AT_ONCE = 1 << 24  # distances that are solved before they are merged
# Blocks of rows (streams, folds): bytes of a block, and rows per thread of a block that `bfs` settles in passes.
BLOCK_BYTES, BLOCK_ROWS = 1 << 26, 512
DECAY_TABLE = 1 << 22  # whole distances whose factors are looked up in a table, 32 MB; chosen, not tuned
# Searches up to a cutoff: pieces per thread in which sources are shared out, sources that a look takes, entries of a
# list that is filled before it is copied. Chosen, not tuned.
BALL_PIECES, BALL_SAMPLE, LIST_ROOM = 16, 16, 1 << 20
# Share of a sweep that is left if only what is near is swept. New York, 20,000 sources, cutoffs that 10, 900 and
# 10,000 vertices lie within: 0.15, 0.21 and 0.31 of a sweep that counts everything.
NEAR_SWEPT = 0.2
# Sources from which betweenness leaves out needless arcs and may eliminate the rest. Leaving them out takes 40 rows of
# Dijkstra, less than six searches that count. us per source of R-MAT 12, 14 and 16: over a hierarchy 23, 114 and 970,
# by searches of what is left 580, 2,400 and 17,000, of the whole graph (14 and 16) 16,000 and 97,000.
LEAN_ROWS = 64

"""Tuned numbers of prepared graphs, each with the measurement that chose it."""

from __future__ import annotations

# Degree up to which elimination goes on whatever it costs; twice that in pruned graphs. ms per batch with 8, 16 and 32:
# uniform random (200,000 arcs, nothing to prune) 4.9, 11.4 and 16.8; pruned: R-MAT 18 2.7, 2.7 and 3.3, Twitter with
# random weights 7.6, 5.0 and 6.4, astro-ph 1.7, 1.6 and 1.9.
ELIMINATE_ALWAYS = 8
CORE_COST = 6  # cost of searching an arc of the core, in arcs swept; 2, 20 and 60 give nearly the same cores
# Vertices per unit of a sweep, half as many where distances have 64 bits: 512 kB. 512 rows of NY with 2,048, 4,096,
# 8,192 and 16,384: 77.6, 80.1, 70.8 and 73.2 ms; 256 of the highways (64 bits) with half of that: 142, 126, 125, 123;
# 128 of Sao Paulo with 2,048, 8,192 and 16,384: 110, 116 and 118. A single row gains a tenth with 8,192: fewer runs.
UNIT = 8192
# Arcs per vertex from which on a sweep settles two vertices at a time, in the order of ranks. One and two at a time,
# us per row on two threads: New York (3.5 arcs) 81 and 102, a road grid of 99,856 (4.0) 29 and 38, geometric graphs of
# 5,000 (7.7) 6.4 and 5.7, of 200,000 (11) 223 and 211, of float64 403 and 352; a raster of 250,000, float64 (21) 476
# and 350; a city map of 794,748 cells (33) 1,275 and 796, of float64 2,064 and 1,400.
COUPLED = 7
# Bytes of a result from which on it is written past the caches, in batches of rows with the same shift (lines.py). NY
# (1 GB) 1.7 instead of 2.2 ms per batch, Sao Paulo (1.5 GB) 194 instead of 268 ms, the highways (1.1 GB) 117 instead of
# 167; 10,000 vertices: 10 MB 7.5 instead of 6.6 ms, 39 MB 23.5 and 24.7, 156 MB 95 and 88.
PAST_CACHES = 1 << 25
# Bytes of a row from which on batches are made of rows with the same shift: their sources are farther apart then. All
# pairs of Rome (3,353 vertices) 7.1 ms instead of 8.4 without that, of grids of 5,041 14.1 instead of 15.6, 7,225 29.8
# instead of 31.4; 10,201 69 instead of 58; 4,000 rows of 19,881 vertices 57 instead of 45.
LONG_ROW = 1 << 15
# Batches that a thread settles in one call: about CALL_STEPS vertices and arcs, 0.5 ms, beside which the 30 us of
# Python per call are little; but each thread has at least CALLS_PER_THREAD calls, so that all end together. All pairs
# of Rome take 14.1 ms of processor time with 2**14 (one batch), then 11.5, 9.9, 8.8, 8.2 with 2**18, 8.3 and 8.3 with
# 2**20; of the power grid 20.1, 15.8, 13.7, 12.4, 11.9, 11.0 and 10.7.
CALL_STEPS, CALLS_PER_THREAD = 1 << 18, 4
# Vertices up to which a single row is swept by one thread: one and two threads take 0.40 and 0.53 ms on a road grid of
# 48,400, 0.88 and 0.81 of 102,400, 1.91 and 1.58 of 202,500; 2.1 and 1.65 in NY.
ALONE = 100_000
PIECES = 4  # per thread, in which a single row is shared out; the last grid with 1, 2, 8: 1.72, 1.66, 1.69 ms
# Vertices from which on threads share the decision which arcs are needed: one and two take 9.5 and 8.2 ms on a road
# grid of 25,600, 27 and 22 of 48,400, 84 and 70 in NY, 161 and 97 in Sao Paulo; the tops, which come first, take one.
TOGETHER = 50_000
PAIRS_AT_ONCE = 1024  # pairs that a thread takes at a time
# Share of changed arcs up to which only the shortcuts they affect are computed again: with 0.0001, 0.001, 0.003, 0.01
# and 0.05 of NY's arcs this takes 101, 221, 310, 429 and 675 ms, everything again 240 to 280.
FEW_CHANGES = 0.001
SEARCH_STEP = 0.3  # cost of relaxing a core arc for LANES sources, 1.5 to 2.5 ns, in steps of Dijkstra
MOST_STEPS = 2 * 10**10  # list entries that elimination may merge before it leaves a core: a minute or two
# One vector of landmarks. R-MAT 18, share of arcs left by 1, 2, 4, 8, 16, 32, 64 landmarks: 7.55 7.48 7.39 7.29 7.18
# 7.14 7.12 %; Twitter with random weights: 21.3 20.7 20.1 19.5 18.5 17.9 17.3 %; astro-ph: 86 85 84 83 82 81 80 %.
LANDMARKS = 16
FIRST_LANDMARKS = 2  # that are solved first and thin the graph out for the others
PAYS = 0.05  # share of arcs that the first landmarks must remove for the others to be solved
PRUNED_DEGREE = 4  # arcs per vertex from which on pruning is tried: road networks (2.2 to 2.8) lose no arcs
# Vertices up to which the matrix of a core is closed, and the share of pairs that must be arcs.
CLOSED_CORE, CLOSED_SHARE = 4096, 1 / 8
# A path leads through a core that must be searched if the graph, vertices and arcs, has this many times its arcs. R-MAT
# 16 has 5.7 times as many: 0.15 ms, and 10.5 by a search of the graph; a random graph with a large core 1.2 times: the
# core alone takes 7 ms, the graph 4.
SEARCHED_CORE = 4
# Arcs up to which a core is searched for a path whatever the graph has: a search of the graph takes 40 us however small
# it is. Random graphs with cores of 258, 826, 1,270, 2,502 and 5,564 arcs: 24, 28, 32, 50 and 84 us over the core, 41,
# 44, 55, 68 and 71 in the graph.
SMALL_CORE = 2500
# Dense blocks: subtrees per thread that are shared out; sums in a panel from which on threads share it (both chosen,
# not tuned). Squares of shortcuts, per vertex and in all, from which on weights are found in blocks. By vertex and in
# blocks, ms: 86 squares per vertex of a grid of 289: 0.17 and 0.96; 227 of 1,024 1.33 and 1.78, 515 of 3,025 7.8 and
# 3.2, 964 of 10,000 44 and 9.5; roads eliminated by degree: 34 of 3,025 0.87 and 2.3, 45 of 10,000 3.5 and 6.3, 74 in
# New York 142 and 160; geometric graphs by degree: 130 of 3,000 3.2 and 2.8, 180 of 10,000 13.4 and 8.1.
SUBTREES, SHARED_SUMS, IN_BLOCKS, LEAST_SQUARES = 8, 1 << 20, 120, 400_000
# Nested dissection: the least share of a region on either side of a cut, the price of unequal halves, vertices up to
# which a region is not cut. Sums that a city map of 794,748 cells then takes, 1e9, with shares of 0.25 and 0.35: 5.32
# and 5.87; with prices of 0.3, 1 and 3: 5.65, 5.32, 5.60; with leaves of 2, 4, 6 and 12, in 1,000 shortcuts more than
# the first: 0, 40, 87, 530, and a geometric graph of 200,000 0.87, 0.71, 0.48 and 0.43 s of CPU time.
LEAST_SHARE, UNEVEN, LEAF = 0.25, 1.0, 6
# The variance of the degrees over their mean from which on degrees differ: roads have 0.28, geometric graphs 0.9 to 1,
# grids 0.06 and less, rasters 0.24 and less, small worlds 0.1. There dissection looks for least separators: a geometric
# graph of 200,000 then has 14.2 shortcuts per vertex instead of 23.5, in 0.64 s instead of 0.60; rasters have as many
# as with straight cuts.
IRREGULAR = 0.26
# Least degree or dissection: vertices from which on the latter is considered, vertices of the ball that is looked at,
# list entries per vertex from which on least degree takes long, shortcuts per vertex that dissection may make. By
# degree and by dissection, one thread, ms to prepare and for 16 rows: grid of 3,025 5 and 0.3, 10 and 0.08; of 10,000
# 15 and 2.1, 32 and 0.25; of 99,856 195 and 60, 478 and 2.7; raster of 10,000 31 and 8.4, 52 and 0.45; of 99,856 607
# and 301, 917 and 8.9; geometric graph of 30,000 (727 entries) 128 and 0.84, 122 and 1.09; of 100,000 (934) 709 and
# 6.6, 484 and 6.5; of 200,000 1,901 and 15.6, 1,091 and 15.1; road grid of 99,856 (282) 230 and 0.9, 194 and 1.2.
LEAST_MESH, LOOKED_AT, WIDE_STEPS, MOST_UP = 5000, 4096, 800, 1000
# Labels: subtrees per thread that are shared out, and the least vertices of one (both chosen, not tuned).
LABEL_PIECES, LABEL_UNIT = 8, 1024
# When labels pay: pairs that never make any; what a byte of them and a pair without arcs take, in arcs of a climb; and
# the share of the free memory that they may take without being asked for. An arc of a climb takes 0.7 to 1.3 ns, a pair
# 0.5 us beside. A byte takes 0.2 to 0.3 ns in memory used before, up to 4 where it is new. New York: 415 MB, so labels
# are made after 27,000 pairs, whose climbs take 0.4 s; labels take 0.07 s in old memory, up to 1.2 in new.
FEW_PAIRS_ASKED, LABEL_BYTE, PAIR_ALONE, LABEL_SHARE = 256, 1.0, 500, 0.25

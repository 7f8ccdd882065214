"""Infinities, sentinels and every tuned number, each with the measurement that chose it.

Kernels read these as compile-time constants; a change here empties the kernel cache (kernels/_jit.py).
"""

from __future__ import annotations

MAX_VERTICES = 2**31 - 1  # vertex ids are int32 everywhere; -1 is free as a sentinel
NO_VERTEX = -1  # predecessor of a source or of an unreached vertex

# One source, one thread, against the value chosen, on NY's roads and on R-MAT 18 (medians of interleaved runs):
CHUNK = 64  # slots in a chunk of a bucket queue, four cache lines; 32: 1.09x and 1.04x the time, 128: 1.05x and 0.99x
# Entries ahead at which a vertex's offsets, and its arcs, are asked for; none: 1.57x and 1.39x, twice as far: 1.06x and
# 1.03x.
PREFETCH_OFFSETS = 8
PREFETCH_ARCS = 4

# Sharing work between the threads of `delta`; one source, two threads, on NY's roads and on R-MAT 18 as above.
LINE = 16  # int64 words between two counters that different threads write: two cache lines, they are fetched in pairs
PILE = 64  # chunks the shared pile can hold
LEVEL_SLACK = 3  # levels a thread may run ahead before it asks for another's work; 1: 1.04x and 1.09x, 8: 0.97x, 1.06x
PATIENCE = 10_000  # looks at the pile before a thread goes on, or to sleep (tens of microseconds); 1,000: 0.97x, 1.30x
SPLIT = 16  # an open chunk is halved for a hungry thread from so many entries on; 8: 1.00x, 1.01x, 32: 1.00x, 1.15x
GIVE = 8  # full chunks given away at once, at most half of what is there
GIVE_LEVELS = 4  # levels from the current one on that a gift may come from
NAP = 5e-5  # seconds a thread without work sleeps before it looks again

# Bucket queues.
MIN_WINDOW, MAX_WINDOW = 16, 1024  # buckets open at once, the rest waits on the far pile; at most 64: 1.08x and 1.01x
QUEUE_ENTRIES = 2.5  # queue entries to make room for, in multiples of n; NY needs 0.1, R-MAT 18 1.6
# Bucket width in median weights a mean degree: WIDE up to mean degree SPARSE, NARROW from DENSE on, between them on a
# straight line of logarithms. Measured in mean weights (1.4 medians in NY, 1.8 in Sao Paulo, 9.8 on the mountain): time
# of one source with widths 1/8, 1/2, 1, 3 and 8 against the best, on one thread:
# NY (degree 2.8) 1.13 1.06 1.16 1.00 1.18, Sao Paulo (2.2) 1.13 1.17 1.07 1.00 1.11, the mountain (8) 1.02 1.17 1.11
# 1.35 4.27, geometric (8) 1.12 1.13 1.00 1.16 1.02, R-MAT 18 (29) 1.00 1.20 1.24 6.74 6.83. On two threads: NY 2.71
# 1.24 1.14 1.03 1.00, Sao Paulo 2.49 1.23 1.11 1.00 1.02, the mountain 1.08 1.00 1.09 1.30 1.67, geometric 2.02 1.15
# 1.07 1.06 1.33, R-MAT 18 1.00 1.08 1.08 6.75 18. Medians, because a few heavy arcs move the mean: grids with lognormal
# weights (sigma 5) took 27 ms by the mean, with the heap, and 12 by the median.
SPARSE_DEGREE, DENSE_DEGREE = 4, 16
WIDE, NARROW = 4.0, 0.25
PATIENT_RELAXATIONS = 3  # an arc, after which `dijkstra` takes a heap and `delta` narrower buckets; 1.05 is usual
NARROWER = 16  # by which `delta` narrows buckets that were too wide

# Renumbering before many rows. One row, best of 4, with vertices numbered at random and in breadth-first order: Sao
# Paulo 37 and 15 ms, world highways 14.4 and 7.1, the mountain 298 and 127; R-MAT 18 (mean degree 29) 32 and 37.
RENUMBER_ROWS = 64  # rows from which it is considered; Sao Paulo takes 0.8 s to renumber and 13 ms less a row then
RENUMBER_VERTICES = 65_536  # below this, distances fit into the cache in any order
RENUMBER_DEGREE = 10  # mean degree up to which an order can keep neighbours together
FAR_APART = 8_192  # numbers between two vertices whose distances never share the fast cache
SCATTERED = 0.5  # share of arcs between such vertices that makes an order bad; it is 0.26 in Sao Paulo, 0.03 in NY

# Rounds, threads, calls.
FIRST_ROUNDS = 64  # rounds before the first look for a negative cycle
SMALL_JOB = 200_000  # relaxations below which a query runs on the caller's thread: about a millisecond
# Arcs a further thread on one source needs to pay: a grid of 111,000 arcs takes 1.5 ms on one thread and 1.8 on two, of
# 251,000 4.4 and 4.1, of 447,000 6.7 and 4.5; R-MAT graphs of the same sizes alike.
PARALLEL_ARCS = 250_000

# Reading text, bytes at a time. New York's 14 MB, not compressed, 1 thread: 64 kB 69 ms, 256 kB 55, 1 MB 57, 4 MB 62.
READ_BLOCK = 1 << 20

# Words whose place in the table is asked for before it is their turn. 194 MB of words: 0 1.8 s, 2 1.4, 8 1.3, 32 1.2.
WORDS_AHEAD = 32

# Kernels on GPUs; GPU_X reaches their text as X. Measured on PoCL, two cores; what only a real GPU could tell (marked:
# model) follows from its width: 32 lanes in step, some thousand work-items at once.
GPU_STAGE = 1024  # entries a group collects before it takes room in a list, 4 kB of local memory
GPU_THIN, GPU_PART = 32, 1024  # arcs up to which a vertex is one work-item's job, and of a fat one a group's; model
HOST_THIN, HOST_PART = 1024, 1024  # on a CPU, work-items run one after the other: R-MAT 18 66 ms; with 32 and 1024 92
GPU_FAT_SHARE = 16  # thin entries that one part of a fat vertex counts for, when the length of a list is taken; model
GPU_FLAGS = 66  # rounds of `edge` in flight, and two
GPU_MOST = 2**31 - 1
GPU_MOST_ARCS = 2**18  # of a vertex that count when it is asked whether few arcs are pending; keeps the sum in 32 bits
DEVICE_GROUP_SIZE = 256  # work-items in a group; model
# The same on a CPU, for one source and for a group a source. One source: New York 37 ms with 16 and with 64. All pairs
# of Rome, against the CPU's rows: 8 1.9, 16 2.2, 32 2.4, 64 2.6.
HOST_GROUP_SIZE, HOST_ROW_GROUP_SIZE = 64, 16
DEVICE_GROUPS, HOST_GROUPS = 8, 4  # groups for a compute unit; model, and PoCL hands out four at a time
DEVICE_SHARE = 0.9  # of a device's memory that a query may use; the driver needs some
# Arcs, and entries, of a list up to which one group goes on alone. New York with 512, 1024 and 4096 entries: 56, 28, 32
# ms (with 512 it changes to and fro hundreds of times).
SMALL_ARCS, LEAST_SMALL = 4096, 64
LAUNCHES_AHEAD = 16  # of one source's rounds between two looks, at most; a look takes 0.1 ms
LAUNCH_ROUNDS = 4096  # rounds or stages that one group runs in a launch, so that a launch ends soon
LAUNCH_ARCS = 2 * 10**7  # relaxed for a row in a launch by `edge`, for the same reason
LAUNCH_SECONDS = 0.25  # that a launch of rows should take, so that Ctrl-C and progress are prompt
# Width of the near pile, in median weights a mean degree, as WIDE and NARROW above. One source with 8, 16 and 32: New
# York 31, 31 and 32 ms, R-MAT 18 61, 75 and 92. Rows with 8, 16, 24, 32 and 64, against the CPU's: Rome 2.2 2.0 2.0
# 1.6 2.3, New York 2.9 2.8 2.7 2.8 3.1, R-MAT 18 2.9 3.6 3.9 4.2 5.4.
NEAR_WIDE, NEAR_NARROW = 32.0, 8.0
# Pending vertices and arcs (a share of a batch) up to which only these arcs are copied, not whole batches, and the
# bytes of a batch from which that is considered. New York (1.5 MB a batch) takes 312 ms without and 1,400 with it.
FEW_VERTICES, FEW_ARCS, FEW_WORTH = 16384, 1 / 8, 8 << 20
# Sweeps over the batches after which `edge` doubles the rounds it runs on each. Four batches against all arcs on the
# device: always 1 R-MAT 18 1.4 and New York 2.1; 4 rounds 3.1 and 1.4; doubled after 1 sweep 2.6 and 1.2, after 4 1.8
# and 1.0.
STEADY_SWEEPS = 8
AUTO_GPU_WORK = 2 * 10**8  # arcs times rows from which "auto" looks for a GPU; model: some ten times the copies

# Many sources at once (prepared graphs, Floyd-Warshall).
LANES = 16  # sources swept side by side, one cache line of int32 a vertex
LINE_BYTES = 64  # a cache line of nearly every machine
# Degree up to which elimination goes on whatever it costs, twice that in pruned graphs. A batch with 8, 16 and 32:
# uniform random (200,000 arcs, nothing to prune) 4.9, 11.4 and 16.8 ms; pruned: R-MAT 18 2.7, 2.7 and 3.3, Twitter with
# random weights 7.6, 5.0 and 6.4, astro-ph 1.7, 1.6 and 1.9.
ELIMINATE_ALWAYS = 8
# Estimates of sweeping and searching, over the least so far, at which elimination gives up. Those that end well pass by
# 1.02 in NY, 1.24 on a grid of roads, 1.83 on a map of eight neighbours a cell (2.7 on one of 800,000 cells, which
# takes half a minute); uniform random graphs pass any.
HOPELESS = 2
CORE_COST = 6  # searching an arc of the core, in arcs swept; with 2, 20 and 60 the same cores or nearly so
# Vertices in a unit of a sweep, half as many where distances have 64 bits: 512 kB. 512 rows of NY with 2,048, 4,096,
# 8,192 and 16,384: 77.6, 80.1, 70.8 and 73.2 ms; 256 of the highways (64 bits) with half of that: 142, 126, 125, 123;
# 128 of Sao Paulo with 2,048, 8,192 and 16,384: 110, 116 and 118. A single row gains a tenth with 8,192: fewer runs.
UNIT = 8192
LINES_AHEAD = 2  # lines before its turn that a line of the answer is asked for: NY 1.4 ms a batch, none 1.7, 4 1.5
# Bytes of an answer from which its lines go past the caches, in batches of rows that begin alike in a cache line. NY
# (1 GB) 1.7 instead of 2.2 ms a batch, Sao Paulo (1.5 GB) 194 instead of 268 ms, the highways (1.1 GB) 117 instead of
# 167; 10,000 vertices: 10 MB 7.5 instead of 6.6 ms, 39 MB 23.5 and 24.7, 156 MB 95 and 88.
PAST_CACHES = 1 << 25
# Vertices up to which a single row is swept by one thread: one and two threads take 0.40 and 0.53 ms on a road grid of
# 48,400, 0.88 and 0.81 of 102,400, 1.91 and 1.58 of 202,500; 2.1 and 1.65 in NY.
ALONE = 100_000
PIECES = 4  # in which a thread's share of a single row is handed out; the last grid with 1, 2, 8: 1.72, 1.66, 1.69 ms
# Vertices from which threads share the question which arcs are needed: one and two take 9.5 and 8.2 ms on a road grid
# of 25,600, 27 and 22 of 48,400, 84 and 70 in NY, 161 and 97 in Sao Paulo; the tops, which come first, take one.
TOGETHER = 50_000
PAIRS_AT_ONCE = 1024  # pairs that a thread takes before it looks for more
# Share of changed arcs up to which only what they reach is done anew: with 0.0001, 0.001, 0.003, 0.01 and 0.05 of NY's
# that takes 101, 221, 310, 429 and 675 ms, all anew 240 to 280.
FEW_CHANGES = 0.001
SEARCH_STEP = 0.3  # relaxing an arc of the core for LANES sources, 1.5 to 2.5 ns, in steps of a row of Dijkstra
MOST_STEPS = 2 * 10**10  # list entries that elimination may merge before it leaves a core: a minute or two
LEAST_BUDGET = 10**7  # list entries that elimination may merge however few the rows: a twentieth of a second

# When "auto" settles many rows at once. Steps are vertices and arcs, some 6 ns each in a row of Dijkstra.
BFS_ROWS = 8  # rows a thread from which the levels of a search are estimated
# Rows a thread for every level, from which `bfs` is faster than single rows, by at least 1.49 and 1.6 on 13 graphs.
BFS_LEVELS, BFS_LEVELS_DIRECTED = 1.5, 3.0
# Rows a thread, and steps of single rows in all, from which the graph is prepared. Preparing took 80 steps a vertex and
# arc in NY, 57 in Sao Paulo, 68 on the world's highways and 27 in R-MAT 18, and a row then next to nothing.
PREPARE_ROWS, PREPARE_STEPS = 128, 80
PREPARE_WORK = 10**8  # half a second: loading the compiled kernels takes a good part of it

# Breadth-first search of many sources.
# Vertices whose columns are made at a time: 64 kB of four planes. Twitter, 512 rows: 128 18.4 ms, 256 16.5, 512 19.9.
BFS_BLOCK = 256
# Arcs ahead at which a set is asked for. Twitter, the search of 512 sources: 8 29.1 ms, 16 27.9, 64 25.1, 128 25.1;
# with all levels pushed: 4 140 ms, 16 132, 64 134.
PULL_AHEAD = 64
PUSH_AHEAD = 16
# Arcs that can be pulled in the time of one that is pushed. Twitter, the search of 512 sources: 1 127 ms, 2 34.9, 4
# 29.1, 8 29.6; the power grid, the internet, Facebook and citations differ by less between 2 and 8.
PULLED_FOR_PUSHED = 4
# Rows from which a directed graph is turned round, so that levels can be pulled. That takes as long as 3.5 rows of
# `dijkstra` on wiki-Vote and 6 on citations; the number itself was not tuned.
TURN_ROWS = 8
WRITES_A_STEP = 10  # distances written, at 0.55 ns, in the 5 ns that SMALL_JOB counts for a step

# Pruning, and searching what is left of a graph.
# One vector of landmarks. R-MAT 18, share of arcs left by 1, 2, 4, 8, 16, 32, 64 landmarks: 7.55 7.48 7.39 7.29 7.18
# 7.14 7.12 %; Twitter with random weights: 21.3 20.7 20.1 19.5 18.5 17.9 17.3 %; astro-ph: 86 85 84 83 82 81 80 %.
LANDMARKS = 16
FIRST_LANDMARKS = 2  # that thin the graph out for the others
PAYS = 0.05  # share of arcs that the first landmarks must remove for others to be asked
PRUNED_DEGREE = 4  # arcs a vertex from which on it is tried: road networks (2.2 to 2.8) lose nothing
LANDMARKS_AHEAD = 16  # arcs ahead at which a row is asked for; R-MAT 18, one thread: 0 252 ms, 4 161, 8 89, 32 76
# A round pulls when more than one in PULL_SHARE arcs leaves a changed vertex. 16 sources with 1 (nearly never), 2, 4,
# 8, 16 and with pulls alone: uniform random (200,000 arcs) 16.0 5.2 4.8 5.0 5.1 6.4 ms, astro-ph 8.3 3.9 3.9 4.1 4.3
# 5.1, a core of Twitter with random weights 6.8 2.0 1.8 1.8 2.2 3.8, again 6.8 2.9 2.7 2.7 2.2 3.9: 2 to 16 are alike.
PULL_SHARE = 4

# Floyd-Warshall.
# Way stations of a round, and vertices from which there are more: every entry is fetched and written once a round, but
# a round's own corner is closed by one thread.
SMALL_TILE, TILE, TILED = 64, 128, 1024
SMALL_MATRIX = 256  # vertices up to which threads do not pay: 0.6 ms
GIVEN = 32  # rows written out at a time
MOVED = 256  # columns of rows that are moved at a time
NARROW_ARCS = 4  # heaviest arcs that a distance is guessed to be worth at most, when 16 bits are tried
# Panels of columns in one step, and rows that go through them together. 2,000 vertices, tiles of 128, one thread: all
# 128 rows 285 ms, 64 268, 32 260, 16 244, 8 248; chunks of 8, 16 and 32 panels, with all rows, 291, 285 and 284.
FLOYD_CHUNK, FLOYD_BLOCK = 16, 16
FLOYD_PATIENCE = 20_000  # looks at a counter before a thread goes to sleep, some tens of microseconds
# Vertices left from which elimination stops if most of their pairs are joined. Eliminating 2,000 takes seconds, closing
# their matrix a fifth of one; with fewer, having no core is worth more.
LARGE_CLIQUE = 1024
CLOSED_CORE, CLOSED_SHARE = 4096, 1 / 8  # vertices of a core up to which it is closed, if so many of its pairs are arcs
# Seconds of all pairs, fitted to n = 256 to 2,000 at densities 1 to 0.003: for a row, an entry, and n^3 by type; and of
# rows of Dijkstra, for an arc and a vertex.
FLOYD_ROW, FLOYD_ENTRY = 3e-6, 4e-9
FLOYD_CUBE = {"narrow": 2.2e-11, "int32": 4e-11, "float32": 4e-11, "float64": 1.1e-10, "int64": 1.2e-10}
ROW_ARC, ROW_VERTEX = 1.9e-9, 6e-8
FLOYD_MARGIN = 0.8  # of the time of rows that it must be expected to stay below
MANY_WORK = 10**7  # steps of single rows from which "auto" thinks of `bfs` and `floyd` at all: some 50 ms

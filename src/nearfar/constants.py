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

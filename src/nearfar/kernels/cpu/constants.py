"""Numbers that kernels share with each other or with the host; imports nothing, so that the host can read them cheaply.

A number that only one kernel reads is in that kernel's file. How they were chosen: one source, on one thread, or on two
where threads share work, was timed on New York's roads and on R-MAT 18. The ratios below compare the time with another
value to the time with the chosen value, first for New York, then for R-MAT 18.
"""

from __future__ import annotations

NO_VERTEX = -1  # predecessor of a source or of an unreached vertex
CHUNK = 64  # entries of a bucket queue's chunk, four cache lines; 32: 1.09x and 1.04x the time, 128: 1.05x and 0.99x
# Entries ahead at which a vertex's offsets, and its arcs, are prefetched; none: 1.57x and 1.39x, twice as far: 1.06x
# and 1.03x.
PREFETCH_OFFSETS = 8
PREFETCH_ARCS = 4
LINE = 16  # int64 words between counters of different threads: two cache lines, since these are fetched in pairs
PILE = 64  # chunks the shared pile can hold
LANES = 16  # sources swept side by side: one cache line of int32 per vertex
SUM_PART = 1024  # positions whose distances are added up before the sum is added to that of the row; GPUs do the same
LINE_BYTES = 64  # a cache line on nearly every machine
# Vertices whose columns are made together: 64 kB of four planes. Twitter, 512 rows: 128 18.4 ms, 256 16.5, 512 19.9.
BFS_BLOCK = 256
# Rows of a tile that Floyd-Warshall updates together in a chunk of columns. 2,000 vertices, tiles of 128, one
# thread: all 128 rows 285 ms, 64 268, 32 260, 16 244, 8 248.
FLOYD_BLOCK = 16
EXPONENTIAL, GAUSSIAN, POWER, LINEAR = range(4)  # the decays that kernels know

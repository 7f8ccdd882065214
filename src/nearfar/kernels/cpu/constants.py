"""Numbers that kernels share with each other or with the host; loads nothing, so that the host may read them freely.

A number that one kernel alone reads stands in that kernel's file. One source on one thread, or on two where threads
share work, was timed on New York's roads and on R-MAT 18: the ratios are times against those with the value chosen.
"""

from __future__ import annotations

NO_VERTEX = -1  # predecessor of a source or of an unreached vertex
CHUNK = 64  # entries of a chunk of a bucket queue, four cache lines; 32: 1.09x and 1.04x the time, 128: 1.05x and 0.99x
# Entries ahead at which a vertex's offsets, and its arcs, are asked for; none: 1.57x and 1.39x, twice as far: 1.06x and
# 1.03x.
PREFETCH_OFFSETS = 8
PREFETCH_ARCS = 4
LINE = 16  # int64 words between two counters that different threads write: two cache lines, they are fetched in pairs
PILE = 64  # chunks the shared pile can hold
LANES = 16  # sources swept side by side, one cache line of int32 a vertex
LINE_BYTES = 64  # a cache line of nearly every machine
# Vertices whose columns are made at a time: 64 kB of four planes. Twitter, 512 rows: 128 18.4 ms, 256 16.5, 512 19.9.
BFS_BLOCK = 256
# Rows of a tile that Floyd-Warshall takes through a chunk of columns together. 2,000 vertices, tiles of 128, one
# thread: all 128 rows 285 ms, 64 268, 32 260, 16 244, 8 248.
FLOYD_BLOCK = 16

"""Numbers that the kernels for GPUs read: ``GPU_X`` reaches their text as ``X`` (devices/text.py).

Measured on PoCL with two cores. What only a real GPU could tell (marked: model) follows from its width: 32 lanes in
step, some thousand work-items at once.
"""

from __future__ import annotations

GPU_STAGE = 1024  # entries a group collects before it takes room in a list, 4 kB of local memory
GPU_THIN, GPU_PART = 32, 1024  # arcs up to which a vertex is one work-item's job, and of a fat one a group's; model
HOST_THIN, HOST_PART = 1024, 1024  # on a CPU, work-items run one after the other: R-MAT 18 66 ms; with 32 and 1024 92
GPU_FAT_SHARE = 16  # thin entries that one part of a fat vertex counts for, when the length of a list is taken; model
GPU_FLAGS = 66  # rounds of `edge` in flight, and two
GPU_MOST = 2**31 - 1
GPU_MOST_ARCS = 2**18  # of a vertex that count when it is asked whether few arcs are pending; keeps the sum in 32 bits

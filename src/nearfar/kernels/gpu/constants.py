"""Numbers that the kernels for GPUs read: ``GPU_X`` is defined as ``X`` in their source (devices/text.py).

Measured on PoCL with two cores. What only a real GPU could show (marked: model) follows from its width: 32 lanes in
lockstep, a few thousand work-items at once.
"""

from __future__ import annotations

GPU_STAGE = 1024  # entries that a group collects in 4 kB of local memory before it moves them to a list
GPU_THIN, GPU_PART = 32, 1024  # arcs up to which one work-item relaxes a vertex, and arcs per part of a fat one; model
HOST_THIN, HOST_PART = 1024, 1024  # on a CPU, work-items run in sequence: R-MAT 18 66 ms; with 32 and 1024 92 ms
GPU_FAT_SHARE = 16  # thin entries that one part of a fat vertex counts as, in the length of a list; model
# Hops that a work-item follows a path without listing its vertices, while the list is short (Work.small). New York, one
# source, in stages of one group: without 2,450; with 1 hop 1,569, 2 1,379, 3 1,304, 4 1,284, 8 1,260.
GPU_HOPS = 3
GPU_HUB = 4096  # arcs from which a vertex's arcs are split by a group, not by one work-item
GPU_RUN, HOST_RUN = 32, 1024  # arcs in a row that one work-item takes where arcs are not grouped by vertex
GPU_FLAGS = 66  # flags of `edge`: the rounds launched ahead, and two more
GPU_MOST = 2**31 - 1
GPU_MOST_ARCS = 2**18  # arcs per vertex that count towards the pending ones, so that their sum fits into 32 bits

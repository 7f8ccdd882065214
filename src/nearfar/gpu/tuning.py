"""Tuned numbers for running on GPUs, each with the measurement that chose it.

Measured on PoCL with two cores. Those marked "model" follow from how real GPUs are built, and were not measured.
"""

from __future__ import annotations

DEVICE_GROUP_SIZE = 256  # work-items per group; model
# The same on a CPU, for one source and for one source per group. One source: New York 37 ms with 16 and with 64. All
# pairs of Rome, as a multiple of the CPU's own time: with 8 1.9, 16 2.2, 32 2.4, 64 2.6.
HOST_GROUP_SIZE, HOST_ROW_GROUP_SIZE = 64, 16
DEVICE_GROUPS, HOST_GROUPS = 8, 4  # groups per compute unit; model, and PoCL hands out four at a time
DEVICE_SHARE = 0.9  # of a device's memory that a query may use; the driver needs some
# Arcs of a list up to which one group continues alone; in entries at least LEAST_SMALL. New York with 512, 1024 and
# 4096 entries: 56, 28 and 32 ms (with 512 it switches back and forth hundreds of times).
SMALL_ARCS, LEAST_SMALL = 4096, 64
LAUNCHES_AHEAD = 16  # launches of one source between two looks, at most; a look takes 0.1 ms
# A launch is to end within 0.1 s: a display driver kills one that takes a second or two, and after Ctrl-C the device is
# free for the next query only when it ends. So a group does at most LAUNCH_ITEMS entries of lists in a launch, 2,048
# units of 256 (kernels/gpu/lists.cl), and all groups together about LAUNCH_ARCS arcs; model: 10 us a unit, 1 ns an arc.
# For rows, the units are doubled while a launch takes less than a quarter of LAUNCH_SECONDS, and halved when one takes
# longer. Beginning with 2,048 units of 16 on PoCL: all pairs of Rome by `edge` took 1.14 times as long.
LAUNCH_SECONDS = 0.1
LAUNCH_ITEMS, MOST_UNITS = 2048 * 256, 1 << 20
LAUNCH_ARCS = 2 * 10**7
# Model of a slow device (gpu/launch_budget.py): bytes per second; seconds of an arc whose two loads wait for those of
# the arc before, of a level that ends with a barrier; and of the launches that the host may be ahead of the device.
SLOW_BYTES = 2 * 10**10
LINK_SECONDS, LEVEL_SECONDS = 1e-6, 4e-6
AHEAD_SECONDS = 1.0
# Width of the near pile as a multiple of median weight / mean degree, like WIDE and NARROW in methods/buckets.py. One
# source with 8, 16 and 32: New York 31, 31 and 32 ms, R-MAT 18 61, 75 and 92. Rows with 8, 16, 24, 32 and 64, as a
# multiple of the CPU's time: Rome 2.2 2.0 2.0 1.6 2.3, New York 2.9 2.8 2.7 2.8 3.1, R-MAT 18 2.9 3.6 3.9 4.2 5.4.
NEAR_WIDE, NEAR_NARROW = 32.0, 8.0
# Pending vertices, and pending arcs as a share of a batch, up to which only these arcs are copied, not whole batches;
# and the bytes of a batch from which that is considered. New York (1.5 MB per batch): 312 ms without it, 1,400 with.
FEW_VERTICES, FEW_ARCS, FEW_WORTH = 16384, 1 / 8, 8 << 20
# Passes over all batches after which `edge` doubles the rounds it runs on each. Four batches, as a multiple of the time
# with all arcs on the device (R-MAT 18, New York): always 1 round 1.4, 2.1; always 4 rounds 3.1, 1.4; doubled after 1
# pass 2.6, 1.2; doubled after 4 passes 1.8, 1.0.
STEADY_SWEEPS = 8
# The model of gpu/model.py. A round is a chain of about ten dependent accesses and barriers. A group of 256 work-items
# takes about 1.3 us for as many arcs: a load of the arc, one of the distance, an atomic. At 40 bytes per arc, two such
# groups per compute unit ask for 16 GB/s: 46 units for 740, which is what the memory of such a card gives.
ROUND_SECONDS, GROUP_ARC, BUSY_GROUPS = 5e-6, 5e-9, 2
# A row by itself takes some 90 launches (bench/model.py counts 93 on R-MAT 18), most of them ahead, and a few looks.
TURN_SECONDS = 6e-4
BUS_BYTES = 12e9  # per second, from and to the memory of the host; model: PCIe 3 with 16 lanes
# Bytes that a relaxation moves (an arc of 8 and a sector of 32), relaxations per arc, bytes that a sweep moves per byte
# of distance, and seconds of a climb on the host; entries of 4 bytes that `floyd` relaxes while the memory gives a byte
# (740 billion per second with 448 GB/s), since units of different makers are not alike, and fast ones have fast memory.
RELAX_BYTES, RELAX_AGAIN, SWEEP_BYTES, CLIMB_SECONDS, FLOYD_RATE = 40, 1.2, 6, 10e-6, 1.6
TOGETHER_MARGIN = 1.25  # rows one after the other may take this much longer than one row per group; model
# Arcs times rows from which "auto" looks for a GPU: about a second of Dijkstra on one thread. Loading a driver and
# building kernels takes as long; model.
AUTO_GPU_WORK = 2 * 10**8

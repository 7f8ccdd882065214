"""How much of a query is on a GPU at once: rows, groups, and arc batches where the arcs do not all fit.

Pure arithmetic on sizes, without a device: a test of what happens when memory is short only passes a small number.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..kernels.gpu.constants import GPU_PART, GPU_THIN, HOST_PART, HOST_THIN


@dataclass(frozen=True)
class DeviceLayout:
    """What is on a device at once."""

    groups: int  # that run in parallel
    group_size: int
    rows: int  # settled at once
    batch: int  # arcs on the device at once; all of them unless batches > 1
    batches: int  # arc batches
    parts: int  # parts of fat vertices that a list has room for
    bytes: int  # of device memory
    together: bool  # whether all groups work on one row, instead of one row per group
    row_buffers: int = 1  # 2: rows are copied to the host from one buffer while the next are settled in the other


@dataclass(frozen=True)
class Sizes:
    """The sizes that a DeviceLayout depends on: n, m, rows and list_copies are counts, the others bytes."""

    n: int
    m: int
    rows: int
    arc: int  # one record
    offset: int
    key: int  # one distance
    vertex_extra: int  # beside the offsets, per vertex of the graph
    arc_extra: int  # beside the record, per arc on the device
    scratch: int  # per vertex and group
    list_copies: int  # lists per group
    streams: bool  # whether the method can take arcs in batches
    result: int = 0  # one distance in a second buffer of rows


MIN_BATCH = 256  # arcs; a smaller batch is not worth a copy
SMALL_BUFFERS = 1024  # bytes: flags, levels, and the tally of the groups of a single source
# Limits of the rows settled at once, also where memory has room for more: launches are kept short anyway.
ROWS_PER_GROUP, ROWS_BYTES = 16, 64 << 20


def make_layout(
    sizes: Sizes, *, cores: int, group_size: int, groups_per_core: int, memory: int, largest: int, gpu: bool
) -> DeviceLayout | int:
    """Return the layout within ``memory`` bytes, or the bytes that the smallest one needs.

    That may be less than ``memory``: then one of the buffers would be larger than ``largest``.
    """
    fixed = (sizes.n + 1) * sizes.offset + sizes.n * sizes.vertex_extra + SMALL_BUFFERS
    whole = _resident(sizes, fixed, cores * groups_per_core, group_size, memory, largest, gpu)
    if isinstance(whole, DeviceLayout) or not sizes.streams or not sizes.m:
        return whole
    return _streamed(sizes, fixed, cores * groups_per_core, group_size, memory, largest, gpu, whole)


def parts_of(arcs: int, gpu: bool) -> int:
    """Return how many parts the fat vertices can have in total, given the arcs (kernels/gpu/lists.cl)."""
    thin, part = (GPU_THIN, GPU_PART) if gpu else (HOST_THIN, HOST_PART)
    return arcs // part + arcs // thin + 1


def group_bytes(sizes: Sizes, parts: int) -> int:
    """Return the bytes that each group needs for itself; a single source needs them once for all groups."""
    return sizes.n * sizes.scratch + 8 * parts * sizes.list_copies + 136


def _resident(
    sizes: Sizes, fixed: int, groups: int, group_size: int, memory: int, largest: int, gpu: bool
) -> DeviceLayout | int:
    """Return the layout with all arcs on the device."""
    parts = parts_of(sizes.m, gpu)
    arcs = sizes.m * (sizes.arc + sizes.arc_extra)
    own = group_bytes(sizes, parts)
    row = sizes.n * sizes.key + 8  # 8: its source and its state
    least = fixed + arcs + own + row
    if least > memory or max(sizes.m * sizes.arc, row, own, fixed) > largest:
        return least
    room = memory - fixed - arcs
    groups, rows = _share(sizes.rows, groups, own, row, room, largest)
    rows, buffers = _row_buffers(sizes, groups, own, row, rows, room, gpu)
    used = fixed + arcs + (own if sizes.rows == 1 else groups * own) + rows * row
    used += (buffers - 1) * rows * sizes.n * sizes.result
    return DeviceLayout(groups, group_size, rows, max(sizes.m, 1), 1, parts, used, sizes.rows == 1, buffers)


def _streamed(
    sizes: Sizes, fixed: int, groups: int, group_size: int, memory: int, largest: int, gpu: bool, whole: int
) -> DeviceLayout | int:
    """Return the layout with two arc batches on the device at once."""
    arc = 2 * (sizes.arc + sizes.arc_extra)
    # Per vertex: distance and the step that changed it. Per batch: the last step that it waits for. Pending vertices.
    row = sizes.n * (sizes.key + 4) + 8 + 8 * (sizes.m // MIN_BATCH + 1) + sizes.n // 2 + 8
    # A list has room for the parts of one batch, and the batch size depends on that room: take a bound per arc.
    part_share = 8 * sizes.list_copies / (HOST_THIN if not gpu else GPU_THIN) * 2
    base = sizes.n * sizes.scratch + 136 + 8 * sizes.list_copies
    least = fixed + base + row + int(MIN_BATCH * (arc + part_share))
    if least > memory or max(MIN_BATCH * sizes.arc, row, base, fixed) > largest:
        return min(whole, least)
    room = memory - fixed - base - row
    several = sizes.rows > 1
    batch = int((room // 2 if several else room) / (arc + part_share))
    batch = min(max(batch, MIN_BATCH), largest // sizes.arc, max(sizes.m - 1, 1))
    batches = -(-sizes.m // batch)
    batch = -(-sizes.m // batches)
    parts = parts_of(batch, gpu)
    own = group_bytes(sizes, parts)
    left = memory - fixed - batch * arc
    groups, rows = _share(sizes.rows, groups, own, row, left, largest)
    rows, buffers = _row_buffers(sizes, groups, own, row, rows, left, gpu)
    used = fixed + batch * arc + (own if sizes.rows == 1 else groups * own) + rows * row
    used += (buffers - 1) * rows * sizes.n * sizes.result
    return DeviceLayout(groups, group_size, rows, batch, batches, parts, used, sizes.rows == 1, buffers)


def _share(rows: int, groups: int, own: int, row: int, room: int, largest: int) -> tuple[int, int]:
    """Return how many groups and rows fit into the memory left (``room``); at most half of it goes to the groups."""
    if rows == 1:
        return groups, 1
    groups = max(1, min(groups, rows, room // 2 // max(own, 1), largest // max(own, 1)))
    fitting = min(room - groups * own, largest) // max(row, 1)
    at_once = max(1, min(rows, fitting, max(ROWS_PER_GROUP * groups, ROWS_BYTES // max(row, 1))))
    return min(groups, at_once), at_once


def _row_buffers(sizes: Sizes, groups: int, own: int, row: int, rows: int, room: int, gpu: bool) -> tuple[int, int]:
    """Return the rows settled at once, and how many buffers they have: two on a GPU, unless groups would be idle.

    A device that is a CPU copies with the same cores that settle the next rows: nothing is gained there.
    """
    fitting = (room - groups * own) // max(row + sizes.n * sizes.result, 1)
    if not gpu or not sizes.result or sizes.rows == 1 or fitting < groups:
        return rows, 1
    return min(rows, fitting), 2

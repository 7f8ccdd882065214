"""How a query is laid out on a GPU: rows at once, groups, and batches of arcs where they do not all fit.

Pure arithmetic on sizes: no device is asked, so what happens when memory is short is reached with a small figure.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..kernels.gpu.constants import GPU_PART, GPU_THIN, HOST_PART, HOST_THIN


@dataclass(frozen=True)
class Layout:
    """What lies on a device at once."""

    groups: int  # that work side by side
    group_size: int
    rows: int  # settled at once
    batch: int  # arcs on the device at once; all of them unless batches > 1
    batches: int  # of arcs
    parts: int  # of fat vertices that a list has room for
    bytes: int  # of device memory


@dataclass(frozen=True)
class Sizes:
    """The sizes that a layout depends on, in bytes unless said otherwise."""

    n: int
    m: int
    rows: int
    arc: int  # a record
    offset: int
    key: int  # a distance
    vertex_extra: int  # beside the offsets, per vertex of the graph
    arc_extra: int  # beside the record, per arc on the device
    scratch: int  # per vertex and group
    list_copies: int  # lists that a group has
    streams: bool  # whether the method can take arcs in batches


MIN_BATCH = 256  # arcs; smaller batches are not worth a copy
SMALL_BUFFERS = 1024  # bytes: flags, levels, the tally of one source's groups
# Rows settled at once, even where memory has room for more: a launch is kept short anyway, and memory has other uses.
ROWS_A_GROUP, ROWS_BYTES = 16, 64 << 20


def make_layout(
    sizes: Sizes, *, cores: int, group_size: int, groups_per_core: int, memory: int, largest: int, gpu: bool
) -> Layout | int:
    """Return the layout within ``memory`` bytes, or how many bytes the least one needs.

    It may need fewer than there are and still not fit, where one of its buffers is larger than ``largest``.
    """
    fixed = (sizes.n + 1) * sizes.offset + sizes.n * sizes.vertex_extra + SMALL_BUFFERS
    whole = _resident(sizes, fixed, cores * groups_per_core, group_size, memory, largest, gpu)
    if isinstance(whole, Layout) or not sizes.streams or not sizes.m:
        return whole
    return _streamed(sizes, fixed, cores * groups_per_core, group_size, memory, largest, gpu, whole)


def parts_of(arcs: int, gpu: bool) -> int:
    """Return how many parts the fat vertices of so many arcs can have (kernels/gpu/lists.cl)."""
    thin, part = (GPU_THIN, GPU_PART) if gpu else (HOST_THIN, HOST_PART)
    return arcs // part + arcs // thin + 1


def group_bytes(sizes: Sizes, parts: int) -> int:
    """Return what one group needs of its own; a single source has it once for all groups."""
    return sizes.n * sizes.scratch + 8 * parts * sizes.list_copies + 136


def _resident(
    sizes: Sizes, fixed: int, groups: int, group_size: int, memory: int, largest: int, gpu: bool
) -> Layout | int:
    """Return the layout with all arcs on the device."""
    parts = parts_of(sizes.m, gpu)
    arcs = sizes.m * (sizes.arc + sizes.arc_extra)
    own = group_bytes(sizes, parts)
    row = sizes.n * sizes.key + 8  # its source and its state
    least = fixed + arcs + own + row
    if least > memory or max(sizes.m * sizes.arc, row, own, fixed) > largest:
        return least
    room = memory - fixed - arcs
    groups, rows = _share(sizes.rows, groups, own, row, room, largest)
    used = fixed + arcs + (own if sizes.rows == 1 else groups * own) + rows * row
    return Layout(groups, group_size, rows, max(sizes.m, 1), 1, parts, used)


def _streamed(
    sizes: Sizes, fixed: int, groups: int, group_size: int, memory: int, largest: int, gpu: bool, whole: int
) -> Layout | int:
    """Return the layout with two batches of arcs on the device at once."""
    arc = 2 * (sizes.arc + sizes.arc_extra)
    # Beside a distance, the step that changed it; for every batch, the last step it waits for; pending vertices.
    row = sizes.n * (sizes.key + 4) + 8 + 8 * (sizes.m // MIN_BATCH + 1) + sizes.n // 2 + 8
    # A list has room for the parts of one batch, whose size depends on that room: bounded by what all arcs would take.
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
    used = fixed + batch * arc + (own if sizes.rows == 1 else groups * own) + rows * row
    return Layout(groups, group_size, rows, batch, batches, parts, used)


def _share(rows: int, groups: int, own: int, row: int, room: int, largest: int) -> tuple[int, int]:
    """Return how many groups and rows fit into the room that is left; half of it at most goes to the groups."""
    if rows == 1:
        return groups, 1
    groups = max(1, min(groups, rows, room // 2 // max(own, 1), largest // max(own, 1)))
    fitting = min(room - groups * own, largest) // max(row, 1)
    at_once = max(1, min(rows, fitting, max(ROWS_A_GROUP * groups, ROWS_BYTES // max(row, 1))))
    return min(groups, at_once), at_once

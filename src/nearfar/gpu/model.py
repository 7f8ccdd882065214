"""What work should take on a GPU, in seconds: a model from counted work, since no GPU was available to measure.

Pure functions of numbers. docs/gpu.md has the same model, with the counts that it rests on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .tuning import (
    BUS_BYTES,
    BUSY_GROUPS,
    CLIMB_SECONDS,
    FLOYD_RATE,
    GROUP_ARC,
    RELAX_AGAIN,
    RELAX_BYTES,
    ROUND_SECONDS,
    SWEEP_BYTES,
    TOGETHER_MARGIN,
    TURN_SECONDS,
)

if TYPE_CHECKING:
    from ..devices.facts import Facts
    from ..graph import Graph
    from .layout import DeviceLayout
    from .method import GpuMethod


@dataclass(frozen=True)
class RowWork:
    """The work of one row: rounds, the entries that a round can share out over groups, and the arcs of all rounds."""

    rounds: int
    entries: int
    arcs: int
    arc_bytes: int  # that are copied per arc if arcs come in batches


def work_of_row(graph: Graph, method: GpuMethod) -> RowWork:
    """Return the work of one row: rounds over all arcs are alike, lists are as long as a level of a search."""
    arc = graph.arcs.dtype.itemsize
    if method.wide == "arcs":
        return RowWork(1, graph.m, graph.m, arc)
    levels = expected_levels(graph.n, graph.usual_levels)
    return RowWork(levels, graph.n // levels, graph.m, arc)


def expected_levels(n: int, usual: int) -> int:
    """Return the levels of a search, given the usual ones, of a graph of n vertices."""
    return max(min(usual, n), 1)


def busy_groups(device: Facts) -> int:
    """Return how many groups keep a device busy: with more of them, its memory gives no more."""
    return device.cores * (BUSY_GROUPS if device.gpu else 1)


def groups_at_work(work: RowWork, layout: DeviceLayout, busy: int) -> int:
    """Return how many groups have something to do, on average; at most those that keep the device busy."""
    if not layout.together:
        return min(layout.groups, busy)
    return max(min(layout.groups, -(-work.entries // layout.group_size), busy), 1)


def seconds_per_row(work: RowWork, layout: DeviceLayout, busy: int) -> float:
    """Return the expected seconds per row of many; rows that are settled at once share the copies of arc batches."""
    groups = groups_at_work(work, layout, busy)
    alone = work.rounds * ROUND_SECONDS
    waits = alone + TURN_SECONDS if layout.together else alone / groups
    copies = work.arcs * work.arc_bytes / BUS_BYTES / layout.rows if layout.batches > 1 else 0.0
    return max(waits + work.arcs * GROUP_ARC / groups, copies)


def is_better_together(work: RowWork, together: DeviceLayout, apart: DeviceLayout, busy: int) -> bool:
    """Return whether all groups should settle one row after the other, instead of one row per group.

    More groups must be at work then, and rows must not take longer; if both take about as long, rows one after the
    other are better: they need less memory, and the first ones are done earlier.
    """
    if groups_at_work(work, together, busy) <= groups_at_work(work, apart, busy):
        return False
    return seconds_per_row(work, together, busy) <= TOGETHER_MARGIN * seconds_per_row(work, apart, busy)


def seconds_on_gpu(
    graph: Graph, rows: int, method: str, record: GpuMethod, itemsize: int, device: Facts, layout: DeviceLayout
) -> float:
    """Return the expected seconds of a method with the graph already on the device; preparing is not included."""
    n, bandwidth = graph.n, device.expected_bandwidth
    home = rows * n * itemsize / copy_speed(device)
    if method == "prepared":
        down = (2 * n + graph.m) * (4 + itemsize) / copy_speed(device)
        return down + rows * (CLIMB_SECONDS + SWEEP_BYTES * itemsize * n / bandwidth) + home
    if method == "floyd":
        closing = n**3 / (FLOYD_RATE * bandwidth) * itemsize / 4
        return closing + (rows + n) * n * itemsize / bandwidth + home
    row = seconds_per_row(work_of_row(graph, record), layout, busy_groups(device))
    return rows * max(row, RELAX_AGAIN * RELAX_BYTES * graph.m / bandwidth) + home


def copy_speed(device: Facts) -> float:
    """Return the bytes per second between host and device; shared memory is read and written instead."""
    return device.expected_bandwidth / 2 if device.unified else min(BUS_BYTES, device.expected_bandwidth / 2)

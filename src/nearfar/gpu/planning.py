"""Plan a query for GPUs: which device is worth it, which method runs there, and how its memory is used.

Pure functions of numbers, like engine/planner.py: a test of a device that is too small, or of a machine with four
GPUs, passes the facts of such devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from ..errors import MethodError
from ..methods import METHODS
from . import GPU_METHODS
from .layout import DeviceLayout, Sizes, make_layout
from .model import busy_groups, is_better_together, seconds_on_gpu, work_of_row
from .tuning import (
    AUTO_GPU_WORK,
    DEVICE_GROUP_SIZE,
    DEVICE_GROUPS,
    DEVICE_SHARE,
    HOST_GROUP_SIZE,
    HOST_GROUPS,
    HOST_ROW_GROUP_SIZE,
)

if TYPE_CHECKING:
    from ..devices.facts import Facts
    from ..graph import Graph
    from .method import GpuMethod


def wants_gpu(rows: int, m: int, method: str) -> bool:
    """Return whether "auto" looks for a GPU at all: there must be enough work to make up for the copies."""
    return rows * m >= AUTO_GPU_WORK and (method == "auto" or method in GPU_METHODS)


def choose_device(found: Sequence[Facts], graph: Graph, rows: int, method: str) -> Facts | None:
    """Return the GPU that "auto" considers: of those that the graph fits on, the one with the fastest memory.

    A card comes before an integrated GPU, whose memory is that of the CPU. A model, not a measurement: no GPU was
    available. A CPU that offers OpenCL is never taken.
    """
    fitting = [
        facts
        for facts in found
        if facts.gpu
        and facts.wide_atomics
        and facts.doubles
        and graph.arc_bytes + 64 * graph.n < DEVICE_SHARE * facts.memory  # batches would cost what a GPU gains
        and (method != "prepared" or _fits(graph, rows, method, facts))
    ]
    return max(fitting, key=lambda facts: (not facts.unified, facts.expected_bandwidth), default=None)


def _fits(graph: Graph, rows: int, method: str, facts: Facts) -> bool:
    """Return whether a method fits on a device, also with the widest type of distances."""
    widest = np.dtype(np.int64)
    return isinstance(_lay_out(graph, rows, method, widest, facts, int(DEVICE_SHARE * facts.memory)), DeviceLayout)


def choose_gpu_method(negative: bool, fits: bool) -> tuple[str, str]:
    """Return the method that "auto" runs on GPUs, and the reason."""
    if negative:
        return "frontier", "weights are negative: only changed vertices relax their arcs"
    if not fits:
        return "frontier", "arcs do not fit on the device: they come in batches, and only changed vertices relax theirs"
    return "delta", "near vertices now, far ones later"


def require_gpu_method(method: str, device: str, negative: bool = False) -> None:
    """Raise an error for a method that has no kernels for GPUs; it names those that have and take such weights."""
    if method != "auto" and method not in GPU_METHODS:
        able = ", ".join(repr(name) for name in GPU_METHODS if METHODS[name].negative_weights or not negative)
        raise MethodError(
            f"method {method!r} runs on the CPU only, not on {device!r}; there, use {able} or 'auto'. "
            f"Or leave the device out."
        )


@dataclass(frozen=True)
class GpuPlan:
    """How a query runs on one or more GPUs.

    Attributes
    ----------
    method, why : str
        The method that runs, and the reasons.
    facts : tuple of Facts
        The GPUs that share the rows.
    layouts : tuple of DeviceLayout
        One for each GPU: groups, rows at once, and arcs at once. Empty if one of the GPUs is too small.
    bytes, available : int
        What is needed on the GPU with the least memory, and what may be used there.
    """

    method: str
    why: str
    facts: tuple[Facts, ...]
    layouts: tuple[DeviceLayout, ...]
    bytes: int
    available: int

    @property
    def together(self) -> bool:
        """Whether all groups of a device work on one row, one row after the other, instead of one row per group."""
        return any(layout.together for layout in self.layouts)

    @property
    def devices(self) -> tuple[str, ...]:
        """The names of the GPUs."""
        return tuple(device.name for device in self.facts)


def plan_gpus(
    graph: Graph,
    rows: int,
    *,
    method: str,
    dtype: np.dtype,
    facts: Sequence[Facts],
    memory: int | None,
    targets: int = 0,
    many: tuple[str, str] | None = None,
    preparing: float = 0.0,
) -> GpuPlan:
    """Return the plan for ``rows`` sources on the given devices; ``memory``: bytes that may be used on each.

    ``many``: the method that the CPU would take for all these rows together, and the reason; "auto" takes it here too
    if the model expects it to be faster. ``preparing``: seconds of preparing on the CPU, if that is `prepared`.
    """
    facts = facts[:rows] or facts[:1]  # a row is never split over devices
    budgets = _budgets(facts, memory, 4 * min(targets, graph.n))
    sharing, reason = _Sharing(graph, rows, dtype, tuple(facts), budgets), "the method was asked for"
    if method == "auto":
        method, reason = sharing.choose(many, preparing)
    found = sharing.lay_out(method)
    layouts = tuple(layout for layout in found if isinstance(layout, DeviceLayout))
    t = _tightest(found, budgets)
    needed = found[t]
    return GpuPlan(
        method=method,
        why="; ".join(filter(None, (reason, _order(layouts, rows), _batches(layouts)))),
        facts=tuple(facts),
        layouts=layouts if len(layouts) == len(found) else (),
        bytes=needed.bytes if isinstance(needed, DeviceLayout) else needed,
        available=budgets[t] if isinstance(needed, DeviceLayout) or needed > budgets[t] else facts[t].largest,
    )


def _budgets(facts: Sequence[Facts], memory: int | None, spent: int) -> list[int]:
    """Return the bytes that may be used on each device, beside those that are spent."""
    allowed = [int(DEVICE_SHARE * device.memory) if memory is None else min(memory, device.memory) for device in facts]
    return [max(budget - spent, 0) for budget in allowed]


@dataclass(frozen=True)
class _Sharing:
    """A query whose rows some devices share."""

    graph: Graph
    rows: int
    dtype: np.dtype
    facts: tuple[Facts, ...]
    budgets: list[int]  # bytes that may be used on each

    def lay_out(self, method: str) -> list[DeviceLayout | int]:
        """Return the layout of a method on each device, or the bytes it would need."""
        pairs = zip(self.facts, self.budgets, strict=True)
        return [_lay_out(self.graph, self.rows, method, self.dtype, *pair) for pair in pairs]

    def choose(self, many: tuple[str, str] | None, preparing: float) -> tuple[str, str]:
        """Return the method for "auto" and the reason: ``many``, what the CPU would take, if it is faster here too."""
        fits = all(isinstance(layout, DeviceLayout) for layout in self.lay_out("delta"))
        method, reason = choose_gpu_method(self.graph.min_weight < 0, fits)
        if many is None or not _can_take(many[0], self.graph):
            return method, reason
        before = preparing if many[0] == "prepared" else 0.0
        return many if before + self.seconds(many[0]) < self.seconds(method) else (method, reason)

    def seconds(self, method: str) -> float:
        """Return the seconds that the model expects."""
        return expected_seconds(self.graph, self.rows, method, self.dtype, self.facts, self.lay_out(method))


def _can_take(method: str, graph: Graph) -> bool:
    """Return whether "auto" may take a method of the CPU on GPUs: `floyd` has no room for some negative sums there."""
    return method in GPU_METHODS and (method != "floyd" or graph.min_weight >= 0)


def expected_seconds(
    graph: Graph,
    rows: int,
    method: str,
    dtype: np.dtype,
    facts: Sequence[Facts],
    layouts: Sequence[DeviceLayout | int],
) -> float:
    """Return the seconds that a model expects on devices that share the rows; infinity if one of them is too small."""
    share, record = -(-rows // max(len(facts), 1)), GPU_METHODS[method]
    return max(
        seconds_on_gpu(graph, share, method, record, dtype.itemsize, device, layout)
        if isinstance(layout, DeviceLayout)
        else inf
        for device, layout in zip(facts, layouts, strict=True)
    )


def _tightest(found: Sequence[DeviceLayout | int], budgets: Sequence[int]) -> int:
    """Return the index of the device that a plan reports: one that is too small, else the one with least memory."""
    short = [t for t, layout in enumerate(found) if not isinstance(layout, DeviceLayout)]
    return min(short or range(len(found)), key=lambda t: budgets[t])


def _lay_out(graph: Graph, rows: int, method: str, dtype: np.dtype, device: Facts, memory: int) -> DeviceLayout | int:
    """Return the layout of a method on a device, or the bytes it would need.

    If memory or sources are too few for one row per group to keep the device busy, all groups may share each row.
    """
    record = GPU_METHODS[method]
    apart = _fill_memory(record.sizes(graph, rows, dtype), device, memory)
    if rows == 1 or not record.wide or not isinstance(apart, DeviceLayout):
        return apart
    together = _fill_memory(record.sizes(graph, 1, dtype), device, memory)
    if isinstance(together, DeviceLayout) and rows_in_turn(graph, record, together, apart, busy_groups(device)):
        return together
    return apart


def rows_in_turn(graph: Graph, record: GpuMethod, together: DeviceLayout, apart: DeviceLayout, busy: int) -> bool:
    """Return whether all groups settle one row after the other; levels are counted only if that may be better."""
    longest = graph.m if record.wide == "arcs" else graph.n  # entries of any list
    if min(busy, longest // together.group_size) <= apart.groups:
        return False
    return is_better_together(work_of_row(graph, record), together, apart, busy)


def _fill_memory(sizes: Sizes, device: Facts, memory: int) -> DeviceLayout | int:
    """Return the layout within the memory of a device, or the bytes it would need."""
    on_host = HOST_GROUP_SIZE if sizes.rows == 1 else HOST_ROW_GROUP_SIZE
    size, groups = (DEVICE_GROUP_SIZE, DEVICE_GROUPS) if device.gpu else (on_host, HOST_GROUPS)
    return make_layout(
        sizes,
        cores=device.cores,
        group_size=min(size, device.group_size),
        groups_per_core=groups,
        memory=memory,
        largest=device.largest,
        gpu=device.gpu,
    )


def _order(layouts: tuple[DeviceLayout, ...], rows: int) -> str:
    """Return why rows are settled one after the other, if a device does so."""
    if rows == 1 or not any(layout.together for layout in layouts):
        return ""
    return "one row after the other, with all groups, since one row per group would leave most of the device idle"


def _batches(layouts: tuple[DeviceLayout, ...]) -> str:
    """Return how the arcs are divided, or nothing if they all fit."""
    batches = max((layout.batches for layout in layouts), default=1)
    return f"arcs in {batches:,} batches" if batches > 1 else ""

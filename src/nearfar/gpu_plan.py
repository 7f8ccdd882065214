"""Plan a query for GPUs: which device pays, which method runs there, and how it is laid out in their memory.

Pure functions of numbers, like planner.py: what happens on a device too small, or on a machine with four of them, is
reached by handing in the facts of such devices.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .constants import (
    AUTO_GPU_WORK,
    DEVICE_GROUP_SIZE,
    DEVICE_GROUPS,
    DEVICE_SHARE,
    HOST_GROUP_SIZE,
    HOST_GROUPS,
    HOST_ROW_GROUP_SIZE,
)
from .errors import MethodError
from .gpu_layout import Layout, Sizes, make_layout
from .methods import METHODS
from .methods.gpu_prepared import OnGpuPrepared
from .planner import Plan

if TYPE_CHECKING:
    from .devices.facts import Facts
    from .graph import Graph


def wants_gpu(rows: int, m: int, method: str) -> bool:
    """Tell whether "auto" should look for a GPU at all: there must be work enough to pay for the copies."""
    return rows * m >= AUTO_GPU_WORK and (method == "auto" or METHODS[method].on_gpu is not None)


def choose_device(found: Sequence[Facts], graph: Graph, rows: int, method: str) -> Facts | None:
    """Return the real GPU that "auto" takes, or None for the CPU: the one with the most compute units of those it fits.

    A model, not a measurement: no GPU was at hand. A CPU that speaks OpenCL is never taken.
    """
    fitting = [
        facts
        for facts in found
        if facts.gpu
        and facts.wide_atomics
        and facts.doubles
        and graph.nbytes + 64 * graph.n < DEVICE_SHARE * facts.memory  # batches would eat up what a GPU gains
        and (method != "prepared" or _fits(graph, rows, method, facts))
    ]
    return max(fitting, key=lambda facts: facts.cores, default=None)


def _fits(graph: Graph, rows: int, method: str, facts: Facts) -> bool:
    """Tell whether a method fits on a device, whatever type of distances it comes to."""
    widest = np.dtype(np.int64)
    return isinstance(_lay_out(graph, rows, method, widest, facts, int(DEVICE_SHARE * facts.memory)), Layout)


def choose_gpu_method(negative: bool, fits: bool) -> tuple[str, str]:
    """Return the method for GPUs that nobody chose one for, and the reason."""
    if negative:
        return "frontier", "weights are negative: only changed vertices relax their arcs"
    if not fits:
        return "frontier", "arcs do not fit on the device: they come in batches, and only changed vertices relax theirs"
    return "delta", "near vertices now, far ones later"


def require_gpu_method(method: str, device: str) -> None:
    """Refuse a method that has no kernels for GPUs."""
    if method != "auto" and METHODS[method].on_gpu is None:
        able = ", ".join(repr(name) for name, record in METHODS.items() if record.on_gpu is not None)
        raise MethodError(
            f"method {method!r} runs on the CPU only, not on {device!r}; there, use {able} or 'auto'. "
            f"Or leave the device out."
        )


def make_gpu_plan(
    graph: Graph,
    rows: int,
    *,
    method: str,
    types: list[np.dtype],
    facts: Sequence[Facts],
    memory: int | None,
    host_free: int,
    targets: int = 0,
    filled: bool = False,
    why: str = "",
) -> Plan:
    """Return the plan for ``rows`` sources on some devices; ``memory``: bytes that may be used on each."""
    facts = facts[:rows] or facts[:1]  # a row is never divided
    spent = 4 * min(targets, graph.n)
    budgets = [int(DEVICE_SHARE * device.memory) if memory is None else min(memory, device.memory) for device in facts]
    budgets = [max(budget - spent, 0) for budget in budgets]
    reason = "the method was asked for"
    if method == "auto":
        resident = [_lay_out(graph, rows, "delta", types[0], *pair) for pair in zip(facts, budgets, strict=True)]
        method, reason = choose_gpu_method(graph.min_weight < 0, all(isinstance(layout, Layout) for layout in resident))
    found = [_lay_out(graph, rows, method, types[0], *pair) for pair in zip(facts, budgets, strict=True)]
    layouts = tuple(layout for layout in found if isinstance(layout, Layout))
    fits = len(layouts) == len(found)
    t = _tightest(found, budgets)
    needed = found[t]
    answer = 0 if filled else rows * graph.n * types[0].itemsize
    return Plan(
        method=method,
        device=", ".join(device.name for device in facts),
        threads=len(facts),
        rows=rows,
        n=graph.n,
        dtype=types[0],
        wider=types[1] if len(types) > 1 else None,
        bytes=needed.bytes if isinstance(needed, Layout) else needed,
        available=budgets[t] if isinstance(needed, Layout) or needed > budgets[t] else facts[t].largest,
        together=rows == 1,
        renumber=False,
        why="; ".join(filter(None, (why, reason, _batches(layouts)))),
        devices=tuple(device.name for device in facts),
        layouts=layouts if fits else (),
        host_bytes=answer,
        host_available=host_free,
    )


def _tightest(found: Sequence[Layout | int], budgets: Sequence[int]) -> int:
    """Return the device that a plan's figures are about: one that is too small, else the one with the least memory."""
    short = [t for t, layout in enumerate(found) if not isinstance(layout, Layout)]
    return min(short or range(len(found)), key=lambda t: budgets[t])


def _lay_out(graph: Graph, rows: int, method: str, dtype: np.dtype, device: Facts, memory: int) -> Layout | int:
    """Return a method's layout on a device, or the bytes it would need."""
    sizes = _sizes(graph, rows, method, dtype)
    on_host = HOST_GROUP_SIZE if rows == 1 else HOST_ROW_GROUP_SIZE
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


def _sizes(graph: Graph, rows: int, method: str, dtype: np.dtype) -> Sizes:
    """Return what the layout of a method depends on."""
    on_gpu = METHODS[method].on_gpu
    assert on_gpu is not None
    if isinstance(on_gpu, OnGpuPrepared):  # its arcs are not those of the graph
        return on_gpu.sizes(graph, rows, dtype)
    return Sizes(
        n=graph.n,
        m=graph.m,
        rows=rows,
        arc=graph.arcs.dtype.itemsize,
        offset=graph.offsets.dtype.itemsize,
        key=dtype.itemsize,
        vertex_extra=on_gpu.vertex_offsets * graph.offsets.dtype.itemsize + on_gpu.matrices * graph.n * dtype.itemsize,
        arc_extra=on_gpu.arc_bytes,
        scratch=on_gpu.scratch,
        list_copies=on_gpu.lists,
        streams=on_gpu.streams,
    )


def _batches(layouts: tuple[Layout, ...]) -> str:
    """Say how arcs and rows are divided, where they are."""
    if not layouts:
        return ""
    said = []
    if (arcs := max(layout.batches for layout in layouts)) > 1:
        said.append(f"arcs in {arcs:,} batches")
    return ", ".join(said)

"""Solve a checked query: plan it, run it, and wrap the rows in a result.

All queries come through here. One source, many sources and all pairs differ only in the number of rows. A row starts
from its seeds (one source, or several, which may have starting distances) and is settled by a method. Vertices that are
not reached, beyond the cutoff or beyond the farthest target are then marked as unreached, in the same manner for every
method.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..description import format_seconds
from ..devices import cpu
from ..devices.arrays import DeviceArray
from ..devices.facts import Facts
from ..errors import DeviceError, DistanceOverflowError, NegativeCycleError, option
from ..gpu.choice import gpu_facts
from ..gpu.model import copy_speed
from ..gpu.planning import expected_seconds
from ..gpu.work import is_kept
from ..methods import METHODS
from ..methods.rounds import in_travel
from ..results import Distances, limits
from . import options
from .candidates import outlook_of
from .estimate import preparing_seconds, seconds_on_cpu
from .planner import Plan, make_gpu_plan, make_plan, too_large
from .query import Query, check
from .run import run
from .streaming import arc_memory, must_stream
from .tuning import GPU_MARGIN


def plan_query(query: Query) -> Plan:
    """Return what a query will do: on the devices it names, or, with "auto", on a GPU if that should be faster."""
    gpus = () if _stays_on_disk(query) else gpu_facts(query.devices, query.graph, len(query.sources), query.method)
    plan = _plan_on_gpus(query, gpus, query.types) if gpus else _plan_on_cpu(query, query.types)
    if gpus and query.devices == ("auto",):
        plan = _take_faster(query, plan, _plan_on_cpu(query, query.types))
    negative = query.graph.min_weight < 0
    options.check_delta(query.delta, plan.method, negative, plan.why if query.method == "auto" else "")
    return plan


def _stays_on_disk(query: Query) -> bool:
    """Tell whether the arcs lie on the disk and do not fit into the machine's memory; a GPU would need all of them."""
    free = cpu.facts().memory
    on_gpu = query.devices not in (("auto",), ("cpu",))
    available = free if on_gpu or query.memory is None else query.memory
    if not must_stream(query.graph, query.types[0].itemsize, available):
        return False
    if on_gpu:
        needed = arc_memory(query.graph) + query.graph.n * query.types[0].itemsize
        way_out = f"Use {option('device', 'cpu')}, which reads the arcs in batches, or a machine with more memory"
        raise too_large("the arcs, which a GPU takes from memory, and a row of distances need", needed, free, way_out)
    return True


def _take_faster(query: Query, on_gpu: Plan, on_cpu: Plan) -> Plan:
    """Return the plan for the GPU if a model expects it to be clearly faster than the other, for the CPU."""
    if on_gpu.gpu is None or not on_gpu.layouts:
        return on_cpu
    graph, rows, ready = query.graph, len(query.sources), query.hierarchy is not None
    size = on_cpu.dtype.itemsize
    here = seconds_on_cpu(graph, rows, on_cpu.method, on_cpu.threads, size, ready, outlook_of(graph))
    there = expected_seconds(graph, rows, on_gpu.method, on_gpu.dtype, on_gpu.gpu.facts, on_gpu.layouts)
    if on_gpu.method == "prepared":
        there += 0.0 if ready else preparing_seconds(graph, outlook_of(graph))
    elif not is_kept(graph, on_gpu.device):
        there += graph.arc_bytes / copy_speed(on_gpu.gpu.facts[0])
    times = f"{format_seconds(there)} on {on_gpu.device} and {format_seconds(here)} on the CPU are expected (model)"
    if there < GPU_MARGIN * here:
        return replace(on_gpu, why=f"{on_gpu.why}; {times}")
    return replace(on_cpu, why=f"{on_cpu.why}; {times}")


def _plan_on_cpu(query: Query, types: Sequence[np.dtype]) -> Plan:
    """Plan a query for the CPU; ``types`` are the distance types that are left to try.

    A graph keeps its last plan: a loop of small queries plans again only when the free memory was asked for again.
    """
    facts: dict[str, Any] = {
        "rows": len(query.sources),
        "method": query.method,
        "types": types,
        "threads": query.threads,
        "available": cpu.facts().memory if query.memory is None else query.memory,
        "early": query.targets is not None,
        "filled": query.out is not None,
        "prepared": query.hierarchy is not None,
        "bounded": query.cutoff is not None,
        "plain": query.starts is None and query.delta is None,
    }
    kept: tuple[dict[str, Any], Plan] | None = query.graph.memo.get("plan")
    if kept is None or kept[0] != facts:
        kept = query.graph.memo["plan"] = facts, make_plan(query.graph, **facts)
    return kept[1]


def _plan_on_gpus(query: Query, gpus: Sequence[Facts], types: Sequence[np.dtype]) -> Plan:
    """Plan a query for the GPUs with these facts."""
    worth = f"{len(query.sources):,} x {query.graph.m:,} arcs are worth a GPU"
    return make_gpu_plan(
        query.graph,
        len(query.sources),
        method=query.method,
        types=types,
        facts=gpus,
        threads=query.threads,
        memory=query.memory,
        host_free=cpu.facts().memory,
        targets=0 if query.targets is None else len(query.targets),
        filled=query.out is not None,
        bounded=query.cutoff is not None,
        why=worth if query.devices == ("auto",) else "",
    )


def solve(query: Query) -> Distances:
    """Plan and run a checked query and return its result; if a GPU that "auto" chose fails, the CPU takes over."""
    plan = plan_query(query)
    try:
        return _solve(query, plan)
    except NegativeCycleError as error:
        if query.direction == "from":
            raise
        raise in_travel(error) from None
    except DeviceError as error:
        if plan.gpu is None or query.devices != ("auto",):
            raise
        reason = f"{plan.device} failed ({type(error).__name__})"
    instead = _plan_on_cpu(query, query.types)
    options.check_delta(query.delta, instead.method, query.graph.min_weight < 0, instead.why)
    return _solve(query, instead, reason)


def solve_by_weights(query: Query) -> Distances:
    """Solve a query of a caller that takes no type of distances: an error does not advise one."""
    return by_weights(query, lambda: solve(query))


def by_weights(query: Query, ask: Callable[[], Distances]) -> Distances:
    """Return what ``ask`` returns, for such a caller."""
    try:
        return ask()
    except DistanceOverflowError:
        raise limits.too_heavy(query.graph, query.types[-1]) from None


def _solve(query: Query, plan: Plan, reason: str = "") -> Distances:
    """Run a planned query and return its result; if a distance does not fit its type, run it with the next type.

    ``reason``: why the plan is for the CPU, if a GPU failed.
    """
    began, compiling = time.perf_counter(), 0.0
    for i, dtype in enumerate(query.types):
        plan = plan if i == 0 else _plan_wider(query, plan, dtype)
        plan.require_memory()
        rows = query.out if query.out is not None else np.empty((plan.rows, plan.n), dtype)
        outcome = run(query, plan, rows)
        compiling += outcome.compiling
        if outcome.fits:
            break
    else:
        raise limits.overflow(query.graph, rows.dtype, query.out is not None)
    stats = {
        "method": plan.method,
        "device": plan.device,
        **({} if plan.gpu else {"threads": plan.threads}),
        "seconds": time.perf_counter() - began - compiling,
        "compile_seconds": compiling,
        "relaxations": outcome.relaxations,
        "bytes": plan.bytes,
        **outcome.notes,
    }
    return wrap(query, replace(plan, why=f"{reason}; {plan.why}") if reason else plan, rows, stats)


def _plan_wider(query: Query, plan: Plan, dtype: np.dtype) -> Plan:
    """Return the plan for the next distance type, on the same devices."""
    return _plan_on_gpus(query, plan.gpu.facts, [dtype]) if plan.gpu else _plan_on_cpu(query, [dtype])


def wrap(query: Query, plan: Plan, rows: np.ndarray | DeviceArray, stats: dict[str, Any]) -> Distances:
    """Return the result of a query."""
    return Distances(
        query.asked,
        query.sources,
        rows,
        seeds=query.seeds,
        starts=None if query.starts is None else query.starts.astype(rows.dtype),
        single=query.single,
        direction=query.direction,
        cutoff=query.cutoff,
        targets=query.targets,
        plan=plan,
        stats=stats,
        rounded=METHODS[plan.method].rounds and rows.dtype.kind == "f",
        solve_again=solve_again,
    )


def solve_again(result: Distances, indices: Sequence[int]) -> np.ndarray:
    """Return some rows of a rounded result with sums along the path, for its trees; a little beyond its limit."""
    graph, rows, several = result.graph, result.rows[list(indices)], len(indices) > 1
    method = "dijkstra" if graph.min_weight >= 0 else "johnson" if several else "frontier"
    cutoff = None
    if graph.min_weight >= 0 and (result.cutoff is not None or result.targets is not None):
        # Every vertex that has a distance must get one again, even if it is rounded differently this time.
        farthest = rows[rows < np.inf].max(initial=0)
        eps = float(np.finfo(rows.dtype).eps)
        cutoff = float(farthest) * (1 + max(eps**0.5, graph.n * eps))
    query = check(
        graph,
        result.source_indices[list(indices)] if result.seeds is None else result.source_indices,
        seeds=result.seeds,
        starts=result.starts,
        direction=result.direction,
        method=method,
        device="cpu",
        cutoff=cutoff,
        dtype=rows.dtype,
        threads=getattr(result.plan, "threads", None),
    )
    return solve(query).rows

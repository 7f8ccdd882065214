"""The one road every query takes: check, plan, run, wrap.

One source, many sources and all pairs differ only in how many rows there are. A row starts from its seeds (one source,
or several for `nearest`) and is settled by a method; what is not reached, beyond the cutoff or behind the farthest
target is then marked, the same for every method.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from . import limits, options
from .device_choice import gpu_facts
from .devices import cpu
from .errors import DeviceError, InputTypeError, VertexError
from .gpu_plan import make_gpu_plan
from .graph import Graph
from .methods import METHODS
from .planner import make_plan
from .result import Distances
from .run import Query, run


def check(
    graph: Graph,
    sources: np.ndarray,
    *,
    seeds: np.ndarray | None = None,
    single: bool = False,
    hierarchy: Any = None,
    method: Any = "auto",
    device: Any = "auto",
    cutoff: Any = None,
    targets: Any = None,
    threads: Any = None,
    progress: Any = False,
    dtype: Any = None,
    memory: Any = None,
    out: Any = None,
    delta: Any = None,
) -> Query:
    """Check every option and plan the run; nothing is computed and nothing large allocated.

    ``hierarchy``: of a graph that is prepared already.
    """
    negative = graph.min_weight < 0
    method = options.take_method(method, negative, graph)
    devices = options.take_device(device)
    machine = cpu.facts()
    threads = options.take_threads(threads, machine.cores)
    cutoff = options.take_cutoff(cutoff, negative)
    if targets is not None:
        targets = take_vertices(graph, targets, "target")
    if not (isinstance(progress, bool) or callable(progress)):
        raise InputTypeError(f"progress is {progress!r}; give True, False, or a function of rows done and all rows.")
    wanted = options.take_dtype(dtype, graph)
    fitting = [wanted] if wanted is not None else options.fitting_types(graph)
    out = options.take_out(out, (len(sources), graph.n), single, fitting)
    types = limits.choose_types(graph, wanted if out is None else out.dtype, negative)
    filled = out is not None
    gpus = gpu_facts(devices, graph, len(sources), method)
    on_cpu = partial(
        make_plan,
        graph,
        len(sources),
        method=method,
        threads=threads,
        available=options.take_memory(memory, machine.memory),
        early=targets is not None,
        filled=filled,
        prepared=hierarchy is not None,
        bounded=cutoff is not None,
    )
    on_gpu = partial(
        make_gpu_plan,
        graph,
        len(sources),
        method=method,
        facts=gpus,
        memory=None if memory is None else options.take_memory(memory, machine.memory),
        host_free=machine.memory,
        targets=0 if targets is None else len(targets),
        filled=filled,
        why=f"{len(sources):,} x {graph.m:,} arcs are worth a GPU" if devices == ("auto",) else "",
    )
    make = on_gpu if gpus else on_cpu
    plan = make(types=types)
    instead = on_cpu if gpus and devices == ("auto",) else None
    delta = options.take_delta(delta, plan.method, plan.why if method == "auto" else "")
    return Query(
        graph, sources, seeds, single, cutoff, targets, delta, progress, out, types, plan, make, instead, hierarchy
    )


def take_vertices(graph: Graph, vertices: Any, role: str) -> np.ndarray:
    """Return the numbers of one or several vertices; none at all is an error."""
    numbers = (
        graph.indices(vertices, role)
        if _is_several(graph, vertices)
        else np.array([graph.index(vertices, role)], np.int32)
    )
    if not len(numbers):
        raise VertexError(f"the list of {role}s is empty; give at least one vertex.")
    return numbers


def take_source(graph: Graph, source: Any) -> np.ndarray:
    """Return the number of the one source; several are another query."""
    if _is_several(graph, source):
        kind = type(source).__name__
        raise InputTypeError(f"source is a {kind}, but one source is asked for here. Use mssp for several, a row each.")
    return np.array([graph.index(source, "source")], np.int32)


def _is_several(graph: Graph, vertices: Any) -> bool:
    """Tell a list of vertices from one vertex; a tuple that is the name of a vertex is one."""
    if isinstance(vertices, str | bytes) or not hasattr(vertices, "__iter__"):
        return False
    if isinstance(vertices, np.ndarray) and vertices.ndim == 0:
        return False
    return not (graph.names is not None and isinstance(vertices, tuple | frozenset) and graph.is_vertex(vertices))


def solve(query: Query) -> Distances:
    """Run a checked query and wrap what it found; where "auto" chose a GPU and that fails, the CPU takes over."""
    try:
        return _solve(query)
    except DeviceError as error:
        if query.instead is None:
            raise
        reason = f"{query.plan.device} failed ({type(error).__name__})"
    plan = query.instead(types=query.types)
    plan = replace(plan, why=f"{reason}; {plan.why}")
    return _solve(replace(query, plan=plan, make=query.instead, instead=None))


def _solve(query: Query) -> Distances:
    """Run a checked query and wrap what it found."""
    began = time.perf_counter()
    plan, compiling = query.plan, 0.0
    for dtype in query.types:
        plan = plan if dtype == plan.dtype else query.make(types=[dtype])
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
        "threads": plan.threads,
        "seconds": time.perf_counter() - began - compiling,
        "compile_seconds": compiling,
        "relaxations": outcome.relaxations,
        "bytes": plan.bytes,
        **outcome.notes,
    }
    return Distances(
        query.graph,
        query.sources,
        rows,
        seeds=query.seeds,
        single=query.single,
        cutoff=query.cutoff,
        targets=query.targets,
        plan=plan,
        stats=stats,
        rounded=METHODS[plan.method].rounds and rows.dtype.kind == "f",
        solve_again=solve_again,
    )


def solve_again(result: Distances, numbers: Sequence[int]) -> np.ndarray:
    """Return some rows of a rounded result with sums along the path, for its trees; a little beyond its limit."""
    graph, rows, several = result.graph, result.rows[list(numbers)], len(numbers) > 1
    method = "dijkstra" if graph.min_weight >= 0 else "johnson" if several else "frontier"
    cutoff = None
    if graph.min_weight >= 0 and (result.cutoff is not None or result.targets is not None):
        # Every vertex that has a distance must get one again, and one more rounding must not take it away.
        farthest = rows[rows < np.inf].max(initial=0)
        eps = float(np.finfo(rows.dtype).eps)
        cutoff = float(farthest) * (1 + max(eps**0.5, graph.n * eps))
    query = check(
        graph,
        result.sources[list(numbers)] if result.seeds is None else result.sources,
        seeds=result.seeds,
        method=method,
        device="cpu",
        cutoff=cutoff,
        dtype=rows.dtype,
        threads=getattr(result.plan, "threads", None),
    )
    return solve(query).rows

"""`prepared`: eliminate the graph first, then sweep 16 sources at a time, in less than a nanosecond per distance.

The graph is pruned, eliminated and laid out (elimination/) once for all rows. If the query comes from a `Prepared`
graph, its hierarchy is part of the problem. Where there is no hierarchy, or its core is too large, rows are settled one
by one by another method, and the notes of the run say so.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..devices.cpu import SMALL_WORK
from ..elimination.build import Failure, Hierarchy, build, is_narrower
from ..elimination.lines import shifts_of
from ..elimination.solvers import Solvers
from ..elimination.sweep import batches_per_call, in_lanes
from ..elimination.tuning import LONG_ROW, PAST_CACHES, UNIT
from ..errors import DistanceOverflowError, MemoryLimitError, MethodError, NearfarError, option
from ..kernels.cpu.constants import LANES, LINE_BYTES
from ..results import limits
from . import dijkstra, frontier, johnson
from .batches import SettleBatch, run_batches
from .floyd import close_matrix
from .method import Method, Settle
from .problem import Controls, Problem
from .tuning import HEAP_STEPS, LEAST_BUDGET, OVER_EXPECTED

_compiled: set[tuple[Any, ...]] = set()  # kinds of rows that were settled before

if TYPE_CHECKING:
    from ..elimination.layout import SweepLayout
    from ..graph import Graph


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows; return the number of arcs swept."""
    hierarchy = hierarchy_for(problem, len(rows), controls)
    if hierarchy is None:
        return 0
    if isinstance(hierarchy, Failure):
        return _without(problem, rows, controls, hierarchy)
    return settle(problem, rows, controls, hierarchy)


def hierarchy_for(problem: Problem, k: int, controls: Controls) -> Hierarchy | Failure | None:
    """Return the hierarchy for k rows: the one that came with the problem, or a new one; None if it was stopped."""
    found = given(problem)
    if found is not None:
        return found
    return _built(problem, controls, _budget(problem.graph, k, controls.threads))


def _budget(graph: Graph, k: int, threads: int) -> int:
    """Return the list entries that elimination may merge for k rows.

    Half of the steps that single rows would take may go into it, more where they take longer, with a heap: and what was
    expected when the graph was looked at, if that was more. Where weights are negative, elimination must be complete,
    so a budget that ends too early is lost.
    """
    steps = k * (graph.n + graph.m) // threads // 2
    _, seen = graph.memo.get("outlook", (0, None))
    expected = 0 if seen is None else OVER_EXPECTED * int(seen.steps)
    return max(steps * (HEAP_STEPS if graph.min_weight < 0 else 1), expected, LEAST_BUDGET)


def given(problem: Problem) -> Hierarchy | Failure | None:
    """Return the hierarchy that came with a problem, or why there is none; None if its type is too narrow."""
    found = problem.hierarchy
    if found is None or isinstance(found, Failure):
        return found
    return None if is_narrower(found.layout.dtype, problem.dtype) else found


def new_dijkstra(graph: Graph, dtype: np.dtype, ceiling: Any, stop: np.ndarray) -> Settle:
    """Return a function that settles rows of Dijkstra, for elimination."""
    nothing, zero = np.empty(0, np.int32), type(ceiling)(0)
    return dijkstra.new_worker(
        Problem(graph, dtype, nothing, None, limits.at_zero(dtype), ceiling, zero, zero, nothing),
        Controls(threads=1, stop=stop),
    )


SOLVERS = Solvers(new_dijkstra, close_matrix)


def _built(problem: Problem, controls: Controls, budget: int) -> Hierarchy | Failure | None:
    """Build the hierarchy on its own thread, so that Ctrl-C interrupts it; None if it was stopped."""
    made: list[Hierarchy | Failure | None] = []
    stop = controls.stop
    work = partial(build, problem.graph, controls.threads, stop, SOLVERS, budget, controls.memory, problem.dtype)

    def make() -> Hierarchy | Failure | None:
        planned, order = problem.graph.memo.get("order", (0, "auto"))  # the better one for so many rows, if known
        found = work(order=order if planned == len(problem.sources) else "auto")
        return work(order="degree") if isinstance(found, Failure) and found.crowded else found

    cpu.run(lambda t: made.append(make()), 1, stop, controls.watch)
    return made[0]


def settle(problem: Problem, rows: np.ndarray, controls: Controls, hierarchy: Hierarchy) -> int:
    """Settle all rows over a hierarchy."""
    if hierarchy.by_rows:
        return _by_rows(problem, rows, controls, hierarchy)
    if not holds_starts(problem, hierarchy):
        return _from_each_seed(problem, rows, controls, hierarchy)
    controls.longest, controls.marked = hierarchy.high, True
    layout = hierarchy.layout
    ends = _Ends(problem, rows, layout)
    if len(rows) == 1:
        return _one_row(problem, rows, controls, hierarchy, ends)
    steps = len(layout.down_arcs) + layout.n
    # Little work runs on the caller's thread, but not the first time: an interrupt would break a thread that compiles.
    few = -(-len(rows) // LANES) * steps < SMALL_WORK and _kind(hierarchy, rows) in _compiled
    threads = 1 if few else controls.threads
    size = max(1, min(LANES, -(-len(rows) // threads)))  # smaller where some threads would get no batch
    shares = _shares(rows, threads, layout, layout.positions[problem.sources], size, ends.fits)
    new_worker = partial(_new_worker, problem, rows, controls, hierarchy, size, ends)
    relaxed = run_batches(controls, shares, new_worker, 0 if few else None)
    if not controls.stop[0]:
        _compiled.add(_kind(hierarchy, rows))
    return relaxed


def _kind(hierarchy: Hierarchy, rows: np.ndarray) -> tuple[Any, ...]:
    """Return all that kernels are compiled for."""
    layout = hierarchy.layout
    arcs = layout.down_arcs.dtype, layout.down_starts.dtype, layout.couples is None
    return type(hierarchy.core), *arcs, rows.dtype, rows.flags.c_contiguous


def holds_starts(problem: Problem, hierarchy: Hierarchy) -> bool:
    """Tell whether sweeps can start at the starting distances: not where their integers would be fractions or wrap."""
    layout = hierarchy.layout
    if problem.seeds is None or layout.dtype.kind == "f":
        return True
    whole = bool((problem.starts == np.floor(problem.starts)).all())
    return whole and bool(problem.starts.max() + hierarchy.high < layout.limit)


def starts_in(problem: Problem, layout: SweepLayout) -> np.ndarray | None:
    """Return the starting distances of the only row in the type of the lanes; None if it starts at 0."""
    return None if problem.seeds is None else problem.starts.astype(layout.dtype)


def _from_each_seed(problem: Problem, rows: np.ndarray, controls: Controls, hierarchy: Hierarchy) -> int:
    """Settle the only row by one row from each seed, LANES at a time, to which the starting distances are added."""
    at_zero, best, relaxed = limits.at_zero(problem.dtype), rows[0], 0
    best[:] = problem.ceiling
    for first in range(0, len(problem.seeds_of(0)), LANES):
        some = slice(first, first + LANES)
        part = replace(problem, seeds=problem.seeds_of(0)[some], starts=problem.starts[some])
        found = np.empty((len(part.starts), len(best)), problem.dtype)
        each = replace(problem, sources=part.seeds_of(0), seeds=None, starts=at_zero)
        relaxed += settle(each, found, Controls(controls.threads, stop=controls.stop), hierarchy)
        if controls.stop[0]:
            return relaxed
        np.minimum(best, part.from_all_seeds(found), out=best, casting="same_kind")
    controls.longest = hierarchy.high
    controls.finish(0)
    return relaxed


def _shares(
    rows: np.ndarray, threads: int, layout: SweepLayout, positions: np.ndarray, size: int, fits: bool
) -> list[np.ndarray]:
    """Return the rows in shares that a thread settles in one call: batches of ``size`` rows, with seeds close together.

    If the result is large and has long rows, each share has rows of one shift (lines.py). Rows that the sweep does not
    write itself are settled one batch at a time.
    """
    order = np.argsort(positions, kind="stable")
    groups = [order]
    if fits and size == LANES and rows.nbytes >= PAST_CACHES and rows.nbytes >= LONG_ROW * len(rows):
        groups = _alike(order, shifts_of(rows, order * layout.n))
    share = size * (batches_per_call(layout, -(-len(order) // size), threads) if fits else 1)
    return [some[i : i + share] for some in groups for i in range(0, len(some), share)]


def _alike(order: np.ndarray, shifts: np.ndarray) -> list[np.ndarray]:
    """Return the rows of each shift, whole batches of them, and the rows that are left."""
    alike = [np.flatnonzero(shifts == shift) for shift in np.unique(shifts)]
    ends = [len(some) // LANES * LANES for some in alike]
    left = np.sort(np.concatenate([some[end:] for some, end in zip(alike, ends, strict=True)]))
    return [order[some] for some in (*(some[:end] for some, end in zip(alike, ends, strict=True)), left)]


class _Ends:
    """From which value on a distance is unreached, how that is written, and whether sweeps can write to the rows."""

    def __init__(self, problem: Problem, rows: np.ndarray, layout: SweepLayout) -> None:
        end = min(problem.ceiling, limits.unreached(layout.dtype))
        if layout.dtype.kind == "i" and isinstance(end, np.floating):
            end = math.ceil(end)  # the least integer that a float cutoff excludes
        self.limit = min(layout.limit, layout.dtype.type(end))
        self.unreached, self.mark = limits.unreached(layout.dtype), limits.unreached(problem.dtype)
        self.fits = problem.dtype == layout.dtype and rows.flags.c_contiguous

    def copy(self, found: np.ndarray, which: np.ndarray, rows: np.ndarray) -> None:
        """Copy rows that a sweep could not write itself, because they are of another type or not contiguous."""
        from ..kernels.cpu.batches import copy_rows

        copy_rows(found, self.unreached, self.mark, which, rows)


def _one_row(problem: Problem, rows: np.ndarray, controls: Controls, hierarchy: Hierarchy, ends: _Ends) -> int:
    """Settle the only row; it takes a few milliseconds, so Ctrl-C can wait."""
    layout, sweeper = hierarchy.layout, hierarchy.sweeper(controls.stop)
    row = rows[0] if ends.fits else np.empty(layout.n, layout.dtype)
    seeds, starts = layout.positions[problem.seeds_of(0)], starts_in(problem, layout)
    sweeper.one(seeds, starts, row, ends.limit, ends.unreached, controls.threads)
    hierarchy.spare.append(sweeper)
    if not ends.fits:
        ends.copy(row[None], np.zeros(1, np.int64), rows)
    controls.finish(0)
    return len(layout.down_arcs)


def _new_worker(
    problem: Problem, rows: np.ndarray, controls: Controls, hierarchy: Hierarchy, size: int, ends: _Ends
) -> SettleBatch:
    """Return a function that settles a share of the rows, in batches of ``size``."""
    layout, n = hierarchy.layout, hierarchy.layout.n
    found = rows if ends.fits else np.empty((LANES, n), layout.dtype)

    def settle_share(indices: np.ndarray) -> int:
        sweeper = hierarchy.sweeper(controls.stop)
        lanes = in_lanes(indices, size)
        bases = lanes * n if ends.fits else np.arange(LANES)[None] * n
        seeds = layout.positions[problem.sources[lanes]]
        sweeper.batches(seeds, found.reshape(-1), bases, ends.limit, ends.unreached)
        hierarchy.spare.append(sweeper)
        if not ends.fits and not controls.stop[0]:
            ends.copy(found, indices, rows)
        return len(lanes) * LANES * len(layout.down_arcs)

    return settle_share


def _by_rows(problem: Problem, rows: np.ndarray, controls: Controls, hierarchy: Hierarchy) -> int:
    """Settle the rows one by one on what pruning left: the core is so large that sweeps are slower."""
    controls.notes["instead"] = "dijkstra: so much of the graph cannot be eliminated that single rows are faster"
    lean = replace(problem, graph=hierarchy.graph)

    def new_worker() -> SettleBatch:
        settle_row = dijkstra.new_worker(lean, controls)
        return lambda batch: settle_row(problem.seeds_of(batch[0]), rows[batch[0]])

    return run_batches(controls, list(np.arange(len(rows))[:, None]), new_worker)


def _without(problem: Problem, rows: np.ndarray, controls: Controls, failure: Failure) -> int:
    """Settle the rows although there is no hierarchy; a negative cycle that no source reaches does not matter."""
    method = johnson if problem.graph.min_weight < 0 else dijkstra
    if failure.long:
        reason = "paths may be too long for sums of 64 bits"
    elif failure.dense:
        reason = "weights are negative and the graph is too dense to be eliminated completely"
    else:
        reason = "there is a negative cycle, though no source reaches it"
    controls.notes["instead"] = f"{method.METHOD.name}: {reason}"

    def new_worker() -> SettleBatch:
        with controls.lock:  # the first worker finds what all of them use, or a negative cycle that a source reaches
            settle_row = method.new_worker(problem, controls)
        return lambda batch: settle_row(problem.seeds_of(batch[0]), rows[batch[0]])

    return run_batches(controls, list(np.arange(len(rows))[:, None]), new_worker)


def refusal(graph: Graph, failure: Failure) -> NearfarError:
    """Return the error for a graph that cannot be prepared; a negative cycle is named."""
    if failure.long:
        return DistanceOverflowError(
            f"this graph cannot be prepared: the heaviest arc weighs {graph.max_weight}, and paths may be too long for "
            "sums of 64 bits. Use a coarser unit, or float64 weights."
        )
    if failure.crowded:
        return MethodError(
            "this graph cannot be prepared by nested dissection: it has no small separators, or too little memory may "
            "be used for the shortcuts that they leave. Use order='auto', or allow more memory."
        )
    if failure.cycle is None:
        return MethodError(
            "this graph cannot be prepared: its weights are negative and it is too dense to be eliminated completely. "
            f"Use mssp with {option('method', 'johnson')}, or 'auto'."
        )
    dtype = limits.choose_types(graph, None, True)[0]
    start = np.array([failure.cycle], np.int32)
    ends = (*limits.ceiling_and_zero(graph, None, dtype), limits.floor_of(graph, dtype))
    problem = Problem(graph, dtype, start, None, limits.at_zero(dtype), *ends, start[:0])
    try:
        frontier.new_worker(problem, Controls(threads=1))(start, np.empty(graph.n, dtype))
    except NearfarError as error:
        return error
    return MethodError(
        "this graph cannot be prepared: the float weights around a cycle sum to zero or nearly so, and rounding makes "
        f"that a negative cycle for elimination. Use mssp with {option('method', 'johnson')}, or whole numbers."
    )


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes of a hierarchy and of the workers for a road network; denser graphs need more."""
    shortcuts = 4 * n + 2 * m
    arcs = 2 * (4 + itemsize) * shortcuts
    worker = LANES * itemsize * (n // 4 + UNIT) + 4 * n
    lines = 6 * n * (LINE_BYTES // itemsize if k * n * itemsize >= PAST_CACHES else 1)
    return shortcuts * 21 + 32 * n + lines + arcs + threads * worker


def require_memory(graph: Graph, threads: int, available: int) -> None:
    """Refuse to prepare a graph that is not expected to fit into memory."""
    needed = memory(graph.n, graph.m, 0, threads, 4 if graph.weight_dtype is None else graph.weight_dtype.itemsize)
    if needed > available:
        other = "johnson" if graph.min_weight < 0 else "dijkstra"
        raise MemoryLimitError(
            f"preparing {graph.n:,} vertices and {graph.m:,} arcs needs about {format_bytes(needed)}; "
            f"{format_bytes(available)} may be used. Allow more memory, or ask without preparing: mssp with "
            f"{option('method', other)}.",
            needed,
            available,
        )


METHOD = Method(
    name="prepared",
    summary="many sources: the graph is eliminated first, then swept 16 sources at a time",
    many=many,
    memory=memory,
    negative_weights=True,
    rounds=True,
)

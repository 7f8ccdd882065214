"""Prepare the graph, then sweep 16 sources at a time: a distance for less than a nanosecond where many are asked for.

The graph is pruned, eliminated and laid out (hierarchy/), once for all rows. A prepared graph that the user keeps
(prepared.py) comes along with the job.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .. import limits
from ..constants import LANES, LEAST_BUDGET, LINE_BYTES, PAST_CACHES, UNIT
from ..description import format_bytes
from ..devices import cpu
from ..errors import DistanceOverflowError, MemoryLimitError, MethodError, NearfarError
from ..hierarchy.lines import shifts_of
from . import dijkstra, frontier, johnson
from .batches import SettleBatch, run_batches
from .gpu_prepared import OnGpuPrepared, new_engine
from .method import Job, Method

EACH_ALONE = np.arange(LANES + 1)  # bounds of lanes with one seed each

if TYPE_CHECKING:
    from ..graph import Graph
    from ..hierarchy.build import Failure, Hierarchy
    from ..hierarchy.sheet import Sheet


def many(job: Job) -> int:
    """Settle all rows of a job; return the arcs swept."""
    from ..hierarchy.build import Failure

    hierarchy = given(job)
    if hierarchy is None:
        rows = len(job.rows) * (job.graph.n + job.graph.m) // job.threads  # what rows by themselves would take
        hierarchy = _built(job, max(rows // 2, LEAST_BUDGET))
    if hierarchy is None:
        return 0
    if isinstance(hierarchy, Failure):
        return _without(job, hierarchy)
    return settle(job, hierarchy)


def given(job: Job) -> Hierarchy | Failure | None:
    """Return what came with a job, a hierarchy or why there is none; not one that sums in a type too narrow for it."""
    from ..hierarchy.build import Failure, is_narrower

    found: Hierarchy | Failure | None = job.shared.get("hierarchy")
    if found is None or isinstance(found, Failure):
        return found
    return None if is_narrower(found.sheet.dtype, job.rows.dtype) else found


def _built(job: Job, budget: int) -> Hierarchy | Failure | None:
    """Build the hierarchy on a thread of its own, so that the caller hears Ctrl-C; None when it was stopped."""
    from ..hierarchy.build import build

    made: list[Hierarchy | Failure | None] = []
    dtype = job.rows.dtype
    work = partial(build, job.graph, job.threads, job.stop, budget, job.memory, dtype)
    cpu.run(lambda t: made.append(work()), 1, job.stop, job.watch)
    return made[0]


def settle(job: Job, hierarchy: Hierarchy) -> int:
    """Settle all rows of a job over a hierarchy."""
    if hierarchy.by_rows:
        return _by_rows(job, hierarchy)
    job.most = hierarchy.high
    sheet = hierarchy.sheet
    seeds = [sheet.places[job.seeds_of(r)] for r in range(len(job.rows))]
    ends = _Ends(job, sheet)
    if len(seeds) == 1 and ends.fits:
        return _one_row(job, hierarchy, seeds[0], ends)
    first = np.array([numbers[0] for numbers in seeds])
    given = first if all(len(numbers) == 1 for numbers in seeds) else seeds
    order = np.argsort(first, kind="stable")
    batches = _batches(job, sheet, order, ends.fits)
    effort = len(batches) * (len(sheet.down_arcs) + sheet.n)
    return run_batches(job, batches, lambda: _new_worker(job, hierarchy, given, ends), effort)


def _batches(job: Job, sheet: Sheet, order: np.ndarray, fits: bool) -> list[np.ndarray]:
    """Return the rows in batches, in order; where the answer is large, those together that begin alike in a line."""
    size = max(1, min(LANES, -(-len(order) // job.threads)))  # smaller where threads would be left without any
    groups = [order]
    if fits and size == LANES and job.rows.nbytes >= PAST_CACHES:
        shifts = shifts_of(job.rows, order * sheet.n)
        alike = [order[shifts == shift] for shift in np.unique(shifts)]
        groups = [rows[: len(rows) // LANES * LANES] for rows in alike]
        groups.append(order[~np.isin(order, np.concatenate(groups))])
    return [rows[i : i + size] for rows in groups for i in range(0, len(rows), size)]


class _Ends:
    """Where distances end, how unreached is written, and whether rows can be written to as they are."""

    def __init__(self, job: Job, sheet: Sheet) -> None:
        top = np.inf if sheet.dtype.kind == "f" else np.iinfo(sheet.dtype).max
        end = min(job.ceiling, top)
        if sheet.dtype.kind == "i" and isinstance(end, np.floating):
            end = math.ceil(end)  # where a cutoff of a float ends whole numbers
        self.unreached = sheet.dtype.type(end)
        self.limit = min(sheet.limit, self.unreached)
        self.fits = job.rows.dtype == sheet.dtype and job.rows.flags.c_contiguous


def _one_row(job: Job, hierarchy: Hierarchy, seeds: np.ndarray, ends: _Ends) -> int:
    """Settle the only row; a few milliseconds, too few for threads of its own to hear Ctrl-C."""
    sweeper = hierarchy.sweeper(job.stop)
    sweeper.one(seeds, job.rows[0], ends.limit, ends.unreached, job.threads)
    hierarchy.spare.append(sweeper)
    job.finish(0)
    return len(hierarchy.sheet.down_arcs)


def _new_worker(job: Job, hierarchy: Hierarchy, seeds: list[np.ndarray] | np.ndarray, ends: _Ends) -> SettleBatch:
    """Return the function that settles a batch of rows; ``seeds``: numbers of each row, or the only one of each."""
    sheet, rows, n = hierarchy.sheet, job.rows, hierarchy.sheet.n
    flat = rows.reshape(-1) if ends.fits else np.empty((0 if ends.fits else LANES) * n, sheet.dtype)

    def batch(numbers: np.ndarray) -> int:
        sweeper = hierarchy.sweeper(job.stop)
        lanes = np.append(numbers, np.repeat(numbers[-1], LANES - len(numbers)))  # the last row again in unused lanes
        if isinstance(seeds, np.ndarray):
            starts, bounds = seeds[lanes], EACH_ALONE
        else:
            starts = np.concatenate([seeds[r] for r in lanes])
            bounds = np.concatenate(([0], np.cumsum([len(seeds[r]) for r in lanes])))
        bases = lanes * n if ends.fits else np.arange(LANES) * n
        sweeper.rows(starts, bounds, flat, bases, ends.limit, ends.unreached)
        hierarchy.spare.append(sweeper)
        if not ends.fits and not job.stop[0]:
            for i, r in enumerate(numbers):
                found = flat[i * n : (i + 1) * n]
                rows[r] = np.where(found < ends.unreached, found, rows.dtype.type(job.ceiling))
        return LANES * len(sheet.down_arcs)

    return batch


def _by_rows(job: Job, hierarchy: Hierarchy) -> int:
    """Settle the rows one by one over what pruning left: the core is so large that sweeps are slower."""
    job.notes["instead"] = "dijkstra: so much of the graph cannot be eliminated that single rows are faster"
    lean = replace(job, graph=hierarchy.graph)

    def new_worker() -> SettleBatch:
        settle_row = dijkstra.new_worker(lean)
        return lambda batch: settle_row(job.seeds_of(batch[0]), job.rows[batch[0]])

    return run_batches(job, list(np.arange(len(job.rows))[:, None]), new_worker)


def _without(job: Job, failure: Failure) -> int:
    """Settle the rows although there is no hierarchy; a negative cycle that no source reaches does no harm."""
    method = johnson if job.graph.min_weight < 0 else dijkstra
    settle_row = method.new_worker(job)  # raises where a source reaches a negative cycle
    if failure.long:
        reason = "paths may be too long for sums of 64 bits"
    elif failure.dense:
        reason = "weights are negative and the graph is too tangled to be eliminated whole"
    else:
        reason = "there is a negative cycle, though no source reaches it"
    job.notes["instead"] = f"{method.METHOD.name}: {reason}"

    def batch(numbers: np.ndarray) -> int:
        return sum(settle_row(job.seeds_of(r), job.rows[r]) for r in numbers)

    return run_batches(replace(job, threads=1), list(np.arange(len(job.rows))[:, None]), lambda: batch)


def refusal(graph: Graph, failure: Failure) -> NearfarError:
    """Return the error for a graph that cannot be prepared; a negative cycle is named."""
    if failure.long:
        return DistanceOverflowError(
            f"this graph cannot be prepared: the heaviest arc weighs {graph.max_weight}, and paths may be too long for "
            "sums of 64 bits. Use a coarser unit, or float64 weights."
        )
    if failure.cycle is None:
        return MethodError(
            "this graph cannot be prepared: its weights are negative and it is too tangled to be eliminated whole. "
            "Use mssp with method='johnson', or 'auto'."
        )
    row = np.empty((1, graph.n), limits.choose_types(graph, None, True)[0])
    ceiling, zero = limits.ceiling_and_zero(graph, None, row.dtype)
    start = np.array([failure.cycle], np.int32)
    job = Job(graph, row, start, None, ceiling, zero, limits.floor_of(graph, row.dtype), start[:0], 1, None)
    try:
        frontier.new_worker(job)(job.sources, row[0])
    except NearfarError as error:
        return error
    return MethodError(
        "this graph cannot be prepared: the float weights around a cycle sum to zero or nearly so, and rounding makes "
        "that a negative cycle for elimination. Use mssp with method='johnson', or whole numbers."
    )


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes of a hierarchy and of the workers, as road networks need them; tangled graphs need more."""
    slots = 4 * n + 2 * m
    arcs = 2 * (4 + itemsize) * slots
    worker = LANES * itemsize * (n // 4 + UNIT) + 4 * n
    lines = 6 * n * (LINE_BYTES // itemsize if k * n * itemsize >= PAST_CACHES else 1)
    return slots * 21 + 32 * n + lines + arcs + threads * worker


def require_memory(graph: Graph, threads: int, available: int) -> None:
    """Refuse to prepare what is not expected to fit."""
    needed = memory(graph.n, graph.m, 0, threads, 4 if graph.weight_dtype is None else graph.weight_dtype.itemsize)
    if needed > available:
        raise MemoryLimitError(
            f"preparing {graph.n:,} vertices and {graph.m:,} arcs needs about {format_bytes(needed)}; "
            f"{format_bytes(available)} may be used. Allow more memory, or ask without preparing: mssp with "
            "method='dijkstra'.",
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
    on_gpu=OnGpuPrepared(new_engine, scratch=0, keeps=("levels",)),
)

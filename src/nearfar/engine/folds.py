"""Rows folded into a few numbers each: sums, counts, greatest distances, amounts within cutoffs. No row is kept.

Over a hierarchy, distances are folded while they are swept, and never reach memory (elimination/folds.py). On GPUs the
rows of a prepared graph are reduced on the device. If only what is near counts, searches end there (engine/balls.py).
Any other method settles blocks of rows, which are folded then.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..devices import cpu
from ..elimination.build import Hierarchy
from ..elimination.folds import Folded as Folded
from ..elimination.folds import Wanted as Wanted
from ..elimination.folds import fold_hierarchy
from ..errors import DeviceError, DistanceOverflowError
from ..graph import Graph
from ..methods.problem import Controls
from ..progress import watcher
from ..results import limits
from .balls import expected_seconds, fold_near, space_bytes
from .blocks import Done, RowBlocks
from .candidates import outlook_of
from .estimate import preparing_seconds, seconds_on_cpu, with_seconds
from .planner import Plan
from .query import Query
from .run import new_problem
from .solve import plan_query
from .tuning import NEAR_SWEPT

NEAR = "little lies within the cutoff: searches that end there"


def fold(query: Query, wanted: Wanted) -> tuple[Folded, dict[str, Any]]:
    """Return the folds of the rows of all sources, and the plan and stats of the run, by name."""
    return with_sums(query, wanted, partial(_fold, query))


def with_sums(
    query: Query, wanted: Wanted, run: Callable[[Wanted], tuple[Folded, dict[str, Any]]]
) -> tuple[Folded, dict[str, Any]]:
    """Return what ``run`` folds; refuse sums of whole numbers that wrapped around, since 64 bits do not hold them.

    Only where weights are so heavy that this may happen, the greatest distances are folded as well, and tell.
    """
    if not (wanted.sums and query.types[-1].kind == "i" and _may_wrap(query.graph)):
        return run(wanted)
    found, facts = run(replace(wanted, greatest=True))
    assert found.sums is not None and found.greatest is not None
    most = found.greatest.astype(np.float64) * query.graph.n
    # Sums below 2**64 are negative if they wrapped; with negative weights, the bound alone decides.
    wrapped = most >= 2.0**63 if query.graph.min_weight < 0 else (most >= 2.0**64) | (found.sums < 0)
    if wrapped.any():
        raise DistanceOverflowError(
            f"the distances of a row may add up to more than int64 holds: the greatest is {found.greatest.max()}, and "
            f"there are {query.graph.n:,}. Use a coarser unit, or float64 weights."
        )
    return found if wanted.greatest else replace(found, greatest=None), facts


def _may_wrap(graph: Graph) -> bool:
    """Tell whether the distances of a row may add up to 2**63: none is longer than all arcs together."""
    if graph.weights is None or not graph.m:
        return False
    heaviest = float(max(abs(graph.min_weight), abs(graph.max_weight)))
    together = graph.m * (graph.mean_weight if graph.min_weight >= 0 else heaviest)
    return min(heaviest * graph.n, together * (1 + 1e-6)) * graph.n >= 2.0**63


def _fold(query: Query, wanted: Wanted) -> tuple[Folded, dict[str, Any]]:
    """Return the folds of the rows of all sources, and the plan and stats of the run, by name."""
    began = time.perf_counter()
    wanted = replace(wanted, cutoff=query.cutoff)
    blocks = blocks_of(query)
    plan = blocks.plan
    try:
        found = _on_gpus(query, plan, wanted) if plan.gpu is not None else None
    except DeviceError as error:
        if query.devices != ("auto",):
            raise
        said = f"{plan.device} failed, so the CPU adds up the rows: {error}"
        warnings.warn(said, RuntimeWarning, stacklevel=6)
        return _fold(query.but(devices=("cpu",)), wanted)
    if found is None:
        way, plan = choose_way(blocks, wanted)
        found = fold_by(way, blocks, wanted)
    stats = {"method": plan.method, "device": plan.device, "seconds": time.perf_counter() - began}
    return found, {"plan": plan, "stats": stats}


def choose_way(blocks: RowBlocks, wanted: Wanted) -> tuple[str, Plan]:
    """Return how the rows of a query are folded: "near", "swept", "passes" or "blocks"; and the plan of that."""
    query, plan = blocks.query, blocks.plan
    if _near_seconds(query, plan, wanted) is not None:
        return "near", replace(plan, method="dijkstra", why=NEAR)
    if plan.method == "prepared" and (plan.gpu is None or not plan.rows):
        hierarchy = blocks.prepare(Controls(threads=query.threads, memory=plan.available))
        if isinstance(hierarchy, Hierarchy) and not hierarchy.by_rows:
            return "swept", plan
    if plan.method == "bfs" and plan.gpu is None and wanted.is_plain and not wanted.greatest:
        return "passes", plan
    return "blocks", plan


def fold_by(way: str, blocks: RowBlocks, wanted: Wanted) -> Folded:
    """Return the folds of the rows of a query, in the way that `choose_way` chose for these or for more rows."""
    query, plan, found = blocks.query, blocks.plan, None
    if way == "near":
        assert wanted.farthest is not None
        return fold_near(query, wanted, wanted.farthest)
    if way == "swept":
        controls = Controls(threads=query.threads, memory=plan.available)
        hierarchy = blocks.prepare(controls)
        return fold_hierarchy(hierarchy, query.sources, wanted, query.threads, query.progress, controls.stop)
    if way == "passes":
        found = _by_passes(query, plan, wanted)
    return _by_blocks(blocks, wanted) if found is None else found


def blocks_of(query: Query) -> RowBlocks:
    """Return the rows of a query that is folded: a cutoff does not make sweeps shorter, and is not planned with."""
    return RowBlocks(query, plan=plan_query(query.but(cutoff=None)))


def plan_fold(query: Query, wanted: Wanted) -> Plan:
    """Return how rows would be folded, and the seconds that it should take."""
    wanted, plan = replace(wanted, cutoff=query.cutoff), blocks_of(query).plan
    seconds = _near_seconds(query, plan, wanted)
    if seconds is None:
        return with_seconds(plan, query.graph, query.hierarchy is not None)
    space = query.threads * space_bytes(query.graph.n)
    return replace(plan, method="dijkstra", why=NEAR, bytes=space, seconds=seconds)


def _near_seconds(query: Query, plan: Plan, wanted: Wanted) -> float | None:
    """Return the seconds of searches that end at the cutoff; None unless they should be faster than the plan's method.

    A sweep leaves out what is too far away: NEAR_SWEPT of its time is what the smallest cutoffs take.
    """
    graph, k = query.graph, len(query.sources)
    if plan.gpu is not None or wanted.farthest is None or graph.min_weight < 0 or not k:
        return None
    ready = query.hierarchy is not None
    if query.method not in ("auto", "prepared", "dijkstra") or (query.method != "auto" and not ready):
        return None
    seconds = seconds_on_cpu(graph, k, plan.method, query.threads, plan.dtype.itemsize, True, outlook_of(graph))
    if plan.method == "prepared":
        before = 0.0 if ready else preparing_seconds(graph, outlook_of(graph), query.threads)
        seconds = before + NEAR_SWEPT * seconds
    near = expected_seconds(query, wanted.farthest, seconds)
    return near if near < seconds else None


def _on_gpus(query: Query, plan: Plan, wanted: Wanted) -> Folded | None:
    """Return what GPUs reduce themselves; None if that is not all that is wanted."""
    if plan.method != "prepared" or not isinstance(query.hierarchy, Hierarchy) or not plan.rows:
        return None
    from ..gpu.reductions import Share, reduce_rows

    replace(plan, host_bytes=0).require_memory()  # no rows come to the host
    assert plan.gpu is not None
    assert isinstance(query.hierarchy, Hierarchy)
    layout = query.hierarchy.layout
    problem, _ = new_problem(query, plan, layout.dtype)
    controls = Controls(threads=plan.threads)
    limit = wanted.limit_in(layout.dtype, layout.limit)
    shares = [Share(None, limit)] if wanted.inverses else []
    thresholds = wanted.thresholds_in(layout.dtype, layout.limit)
    if wanted.amounts is not None and thresholds is not None:
        wide = np.dtype(np.float64 if wanted.amounts.dtype.kind == "f" else np.int64)
        by_position = [np.ascontiguousarray(amounts[layout.vertices], wide) for amounts in wanted.amounts]
        shares += [Share(amounts, threshold) for amounts in by_position for threshold in thresholds]
    names = {"sum": wanted.sums, "count": wanted.counts, "maximum": wanted.greatest}
    with watcher(query.progress, plan.rows, controls.done) as watch:
        controls.watch = watch or controls.watch
        plain = tuple(name for name in names if names[name])
        found, more = reduce_rows(plan.gpu, problem, plain, controls, limit=limit, shares=tuple(shares))
    inverses = more.pop(0) if wanted.inverses else None
    totals = None
    if wanted.amounts is not None:
        totals = np.stack(more, 1).reshape(plan.rows, len(wanted.amounts), -1).astype(wanted.amounts.dtype)
    return Folded(found.get("sum"), found.get("count"), found.get("maximum"), inverses, totals)


def _by_passes(query: Query, plan: Plan, wanted: Wanted) -> Folded | None:
    """Return sums and counts from breadth-first searches that write no row; None if rows are searched one by one."""
    from ..methods.bfs import sum_passes

    if not plan.rows or query.types[0].kind == "f":
        return None
    problem, _ = new_problem(query, replace(plan, renumber=False), query.types[-1])
    controls = Controls(threads=plan.threads)
    controls.is_bare = lambda: True
    with watcher(query.progress, plan.rows, controls.done) as watch:
        controls.watch = watch or controls.watch
        found = sum_passes(problem, controls)
    if found is None:
        return None
    return Folded(found[0] if wanted.sums else None, found[1] if wanted.counts else None, None, None, None)


def _by_blocks(blocks: RowBlocks, wanted: Wanted) -> Folded:
    """Fold blocks of whole rows, one after the other; all threads settle them, and then all threads fold them."""
    query, done = blocks.query, Done()
    blocks.query = query.but(cutoff=wanted.farthest if query.graph.min_weight >= 0 else None)
    found: Folded | None = None
    with watcher(query.progress, len(query.sources), done) as watch:
        for i in range(len(blocks)):
            rows = blocks.settle(i, done.show(watch)).rows
            found = wanted.widened(found, len(query.sources), rows.dtype)
            _fold_block(rows, i * blocks.size, wanted, found, query.threads)
            done.add(len(rows))
            del rows  # the next block takes their memory
    return wanted.new(0, query.types[0]) if found is None else found


def _fold_block(rows: np.ndarray, first: int, wanted: Wanted, found: Folded, threads: int) -> None:
    """Fold some rows into the entries from ``first`` on."""
    from ..kernels.cpu.folds import fold_rows

    limit = wanted.limit_in(rows.dtype, limits.unreached(rows.dtype))
    thresholds = wanted.thresholds_in(rows.dtype, limits.unreached(rows.dtype))
    totals = None if found.totals is None else found.totals.reshape(len(found.totals), -1)
    pieces = min(len(rows), 4 * threads)
    bounds = np.arange(pieces + 1) * len(rows) // pieces

    def do(i: int) -> None:
        low, high = int(bounds[i]), int(bounds[i + 1])
        fold_rows(
            rows[low:high], first + low, found.sums, found.counts, found.greatest, found.inverses, thresholds,
            wanted.amounts, totals, limit,
        )  # fmt: skip

    cpu.share_out(lambda: do, pieces, threads if rows.size > SHARED else 0, np.zeros(1, np.int64))


SHARED = 1 << 18  # distances from which on threads share them; starting threads takes as long as 100,000 to fold

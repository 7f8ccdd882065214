"""Run a planned query: all threads on one row, one row per thread, or many rows at once; on the CPU or on GPUs.

Small work runs on the caller's thread. Everything else runs on other threads, so that the caller receives Ctrl-C.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..devices import cpu
from ..devices.arrays import DeviceArray
from ..devices.cpu import SMALL_WORK
from ..methods import METHODS
from ..methods.compile import compile_kernels
from ..methods.problem import Controls, Problem
from ..progress import watcher
from ..results import limits
from .planner import Plan
from .query import Query
from .tuning import SHARE_STEPS, SHARES_PER_THREAD

NO_TARGETS = np.empty(0, np.int32)


class Outcome(NamedTuple):
    """What a run reports: arcs relaxed, whether every distance fits its type, and what the method noted."""

    relaxations: int
    fits: bool
    compiling: float  # seconds to compile or load kernels, next to nothing after the first query of its kind
    notes: dict[str, Any]


def run(query: Query, plan: Plan, rows: np.ndarray | DeviceArray) -> Outcome:
    """Settle all rows with the planned method."""
    if not rows.size:
        return Outcome(0, True, 0.0, {})
    problem, positions = new_problem(query, plan, rows.dtype)
    if not len(problem.starts):  # nothing starts within the cutoff
        rows.fill(limits.unreached(rows.dtype))
        return Outcome(0, True, 0.0, {})
    made = rows.nbytes if query.out is None and isinstance(rows, np.ndarray) else 0
    controls = Controls(threads=plan.threads, memory=plan.available - made - plan.arc_memory)
    misfits: list[int] = []
    controls.finish, controls.is_bare = _finisher(query, problem, rows, controls, misfits)
    compiling = 0.0 if plan.gpu else _compile(plan, problem)
    try:
        with watcher(query.progress, plan.rows, controls.done) as watch:
            controls.watch = watch or controls.watch
            if plan.gpu:
                from ..gpu.run import run_on_gpus

                relaxed, compiling = run_on_gpus(plan.gpu, problem, rows, controls, _ending(query, problem))
            else:
                assert isinstance(rows, np.ndarray)
                relaxed = _run_on_cpu(query, plan, problem, rows, controls, positions)
    finally:
        # What finishes rows refers to them: a cycle would keep rows and graph for a while.
        controls.finish, controls.is_bare = _ignore, Controls.is_bare
    return Outcome(relaxed, not misfits, compiling, controls.notes)


def new_problem(query: Query, plan: Plan, dtype: np.dtype) -> tuple[Problem, np.ndarray | None]:
    """Return the problem for one type of distances, and the new index of every vertex if they are renumbered."""
    graph, sources, targets, positions = query.graph, query.sources, query.targets, None
    ceiling, zero, floor = limits.bounds(graph, query.cutoff, dtype)
    if targets is None or graph.min_weight < 0:
        targets = NO_TARGETS
    if plan.renumber:
        graph, positions = graph.renumbered
        sources, targets = positions[sources], positions[targets]
        assert query.seeds is None  # they have only one row
    ends = (ceiling, zero, floor, targets, query.delta)
    return Problem(graph, dtype, sources, *_seeds_and_starts(query, dtype, ceiling), *ends, query.hierarchy), positions


def _seeds_and_starts(query: Query, dtype: np.dtype, ceiling: Any) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the seeds of the only row and their starting distances, in the type of sums; none beyond the ceiling."""
    at_zero = limits.at_zero(dtype)
    if query.seeds is None:
        return None, at_zero
    if query.starts is None:
        return query.seeds, np.zeros(len(query.seeds), at_zero.dtype)
    starts = query.starts.astype(at_zero.dtype)
    within = starts < ceiling
    return query.seeds[within], starts[within]


def _finisher(
    query: Query, problem: Problem, rows: np.ndarray | DeviceArray, controls: Controls, misfits: list[int]
) -> tuple[Callable[..., None], Callable[[], bool]]:
    """Return what is called with every settled row, or with the first and the end of several; and `Controls.is_bare`.

    It marks what is unreached or beyond the limits. A row with a distance that does not fit the type is listed, and
    ends the run.
    """
    if isinstance(rows, DeviceArray):
        return partial(_count, controls, misfits), controls.is_bare
    ends, start = (query.cutoff, query.targets, problem.ceiling), limits.greatest_of(query.starts)
    is_fine: dict[tuple[float | None, bool], bool] = {}  # by what the method says; it takes as long as a small row

    def is_bare() -> bool:
        said = controls.longest, controls.marked
        if said not in is_fine:
            is_fine[said] = limits.are_finished(query.graph, *ends, problem.dtype, *said, start)
        return is_fine[said]

    def finish(first: int, last: int | None = None) -> None:
        last = first + 1 if last is None else last
        if not is_bare() and not limits.finish_rows(query.graph, *ends, rows[first:last], controls.longest, start):
            misfits.append(first)
            controls.stop[0] = 1
        controls.done.extend(range(first, last))

    return finish, is_bare


def _count(controls: Controls, misfits: list[int], first: int, last: int, fits: bool) -> None:
    """Report rows that the device itself has finished; ``fits``: whether their distances fit the type."""
    if not fits:
        misfits.append(first)
        controls.stop[0] = 1
    controls.done.extend(range(first, last))


def _ending(query: Query, problem: Problem) -> limits.Ending:
    """Return what a device needs to finish rows that stay there."""
    start = limits.greatest_of(query.starts)
    return limits.Ending(query.graph, query.cutoff, problem.ceiling, problem.dtype, start)


def _ignore(first: int, last: int | None = None) -> None:
    """Take the place of the finisher after a run."""


def _compile(plan: Plan, problem: Problem) -> float:
    """Compile or load the kernels of the planned method; return the seconds that took."""
    began = time.perf_counter()
    compile_kernels(METHODS[plan.method], problem, plan.threads)
    return time.perf_counter() - began


def _run_on_cpu(
    query: Query, plan: Plan, problem: Problem, rows: np.ndarray, controls: Controls, positions: np.ndarray | None
) -> int:
    """Settle all rows with threads; return the arcs relaxed."""
    method = METHODS[plan.method]
    if plan.together:
        assert method.together is not None
        relaxed = method.together(problem, rows[0], controls)
        controls.finish(0)
        return relaxed
    if method.many is not None:
        return method.many(problem, rows, controls)
    return _one_row_per_thread(query, plan, problem, rows, controls, positions)


def _one_row_per_thread(
    query: Query, plan: Plan, problem: Problem, rows: np.ndarray, controls: Controls, positions: np.ndarray | None
) -> int:
    """Settle rows in the order of the sources; a free thread takes the next one, or the next few."""
    method = METHODS[plan.method]
    steps = query.graph.m + plan.n
    small = plan.rows * steps * (1 if method.in_order else plan.n) < SMALL_WORK
    step = _rows_at_once(plan, steps, small) if method.shares and positions is None else 1
    relaxations: list[int] = []
    pending = itertools.count(0, step)  # next() on it is atomic
    assert method.new_worker is not None
    new_worker = method.new_worker

    def work(t: int) -> None:
        with controls.lock:  # the first worker may prepare what all of them use
            settle = new_worker(problem, controls)
        moved = None if positions is None else np.empty(plan.n, rows.dtype)
        for first in pending:
            if first >= plan.rows or controls.stopped:
                return
            last = min(first + step, plan.rows)
            part = moved if moved is not None else rows[first:last] if method.shares else rows[first]
            relaxations.append(settle(problem.seeds_of(first, last), part))
            if moved is not None and not controls.stopped:
                _bring_back(moved, positions, rows[first])
            if not controls.stopped:
                controls.finish(first, last)

    if small:
        work(0)
    else:
        cpu.run(work, plan.threads, controls.stop, controls.watch)
    return sum(relaxations)


def _rows_at_once(plan: Plan, steps: int, small: bool) -> int:
    """Return how many rows, of so many steps each, a thread takes at a time; all if they run on the caller's thread."""
    return plan.rows if small else max(1, min(SHARE_STEPS // steps, plan.rows // (SHARES_PER_THREAD * plan.threads)))


def _bring_back(moved: np.ndarray, positions: Any, row: np.ndarray) -> None:
    """Copy a row of the renumbered graph to the original order."""
    from ..kernels.cpu.rows import gather

    gather(moved, positions, row)

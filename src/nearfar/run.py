"""Run a planned query: all threads on one row, or a row a thread.

Small jobs run on the caller's thread. Everything else runs on threads of its own, so that the caller can hear Ctrl-C.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from . import limits
from .constants import SMALL_JOB
from .devices import cpu
from .graph import Graph
from .methods import METHODS
from .methods.compile import compile_kernels
from .methods.method import Job
from .planner import Plan
from .progress import watcher


@dataclass
class Query:
    """What was asked, checked."""

    graph: Graph
    sources: np.ndarray  # of each row
    seeds: np.ndarray | None  # the vertices the one row starts from, where it is not its source
    single: bool
    cutoff: float | None
    targets: np.ndarray | None
    delta: float | None
    progress: Any
    out: np.ndarray | None
    types: list[np.dtype]
    plan: Plan
    make: Callable[..., Plan]  # makes the plan for other types of distances
    instead: Callable[..., Plan] | None = None  # makes one for the CPU, where nobody asked for the GPU that was chosen
    hierarchy: Any = None  # of a graph that is prepared already


@dataclass
class Outcome:
    """What a run reports: arcs relaxed, whether every distance fits its type, and what the method noted."""

    relaxations: int
    fits: bool
    compiling: float  # seconds spent on compiling or loading kernels, next to nothing after the first query of a kind
    notes: dict[str, Any]


def run(query: Query, plan: Plan, rows: np.ndarray) -> Outcome:
    """Settle all rows with the planned method."""
    if not rows.size:
        return Outcome(0, True, 0.0, {})
    job, places = new_job(query, plan, rows)
    if plan.layouts:
        from .gpu_run import run_on_gpus

        return Outcome(*run_on_gpus(query, plan, job))
    began = time.perf_counter()
    compile_kernels(METHODS[plan.method], job)
    compiling = time.perf_counter() - began
    if METHODS[plan.method].many is not None:
        relaxed, fits = _many_rows(query, job, plan)
    else:
        relaxed, fits = _one_row(query, job, plan) if plan.together else _all_rows(query, job, plan, places)
    return Outcome(relaxed, fits, compiling, job.notes)


def _one_row(query: Query, job: Job, plan: Plan) -> tuple[int, bool]:
    """Settle the only row with all threads."""
    together = METHODS[plan.method].together
    assert together is not None
    with watcher(query.progress, plan.rows, job.done):
        relaxed = together(job)
        job.done.append(0)
    return relaxed, _finish(query, job, job.rows[0])


def _many_rows(query: Query, job: Job, plan: Plan) -> tuple[int, bool]:
    """Let the method settle all rows, many at a time; stop early if one does not fit its type."""
    many = METHODS[plan.method].many
    assert many is not None
    misfits: list[int] = []
    top = np.inf if job.rows.dtype.kind == "f" else np.iinfo(job.rows.dtype).max
    bare = query.cutoff is None and query.targets is None and bool(job.ceiling == top)  # there is nothing to mark

    @cache  # rows of a small graph take no longer than asking this anew would
    def is_fine(most: float | None) -> bool:
        return bare and limits.surely_fits(query.graph, job.rows.dtype, most)

    def finish(r: int) -> None:
        if not is_fine(job.most) and not _finish(query, job, job.rows[r]):
            misfits.append(r)
            job.stop[0] = 1
        job.done.append(r)

    with watcher(query.progress, plan.rows, job.done) as watch:
        job.finish, job.watch = finish, watch or job.watch
        relaxed = many(job)
    return relaxed, not misfits


def _all_rows(query: Query, job: Job, plan: Plan, places: np.ndarray | None) -> tuple[int, bool]:
    """Settle a row a thread, in the order of the sources; stop early if one does not fit its type."""
    fits: list[bool] = []
    relaxations: list[int] = []
    pending = itertools.count()  # next() on it is atomic

    new_worker = METHODS[plan.method].new_worker
    assert new_worker is not None

    def work(t: int) -> None:
        with job.lock:  # the first worker may prepare what all of them use
            settle = new_worker(job)
        moved = None if places is None else np.empty(plan.n, job.rows.dtype)
        for r in pending:
            if r >= plan.rows or job.stop[0]:
                return
            row = job.rows[r] if moved is None else moved
            relaxations.append(settle(job.seeds_of(r), row))
            if moved is not None and not job.stop[0]:
                _bring_back(moved, places, job.rows[r])
            if not job.stop[0]:
                fits.append(_finish(query, job, job.rows[r]))
                job.stop[0] |= not fits[-1]
            job.done.append(r)

    effort = plan.rows * (query.graph.m + plan.n) * (1 if METHODS[plan.method].in_order else plan.n)
    with watcher(query.progress, plan.rows, job.done) as watch:
        if effort < SMALL_JOB:
            work(0)
        else:
            cpu.run(work, plan.threads, job.stop, watch)
    return sum(relaxations), all(fits)


def _finish(query: Query, job: Job, row: np.ndarray) -> bool:
    """Mark what was not reached or lies beyond the limits; return whether every distance fits the type."""
    return limits.finish_row(query.graph, query.cutoff, query.targets, job.ceiling, row, job.most)


def _bring_back(moved: np.ndarray, places: Any, row: np.ndarray) -> None:
    """Copy a row from the renumbered graph to the given numbers."""
    from .kernels.rows import gather

    gather(moved, places, row)


def new_job(query: Query, plan: Plan, rows: np.ndarray) -> tuple[Job, np.ndarray | None]:
    """Return the job for rows of one type, and where the vertices stand if they are renumbered."""
    graph, sources, targets, places = query.graph, query.sources, query.targets, None
    ceiling, zero = limits.ceiling_and_zero(graph, query.cutoff, rows.dtype)
    if targets is None or graph.min_weight < 0:
        targets = np.empty(0, np.int32)
    if plan.renumber:
        graph, places = graph.renumbered
        sources, targets = places[sources], places[targets]
        assert query.seeds is None  # a nearest query has one row
    job = Job(
        graph=graph,
        rows=rows,
        sources=sources,
        seeds=query.seeds,
        ceiling=ceiling,
        zero=zero,
        floor=limits.floor_of(graph, rows.dtype),
        targets=targets,
        threads=plan.threads,
        delta=query.delta,
        memory=plan.available - (0 if query.out is not None else rows.nbytes),
        shared={} if query.hierarchy is None else {"hierarchy": query.hierarchy},
    )
    return job, places

"""Rows of distances from the workers of a cluster: all of them in one array, or block after block."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.blocks import Done
from ..engine.planner import Plan
from ..engine.query import Query
from ..engine.solve import plan_query, solve, wrap
from ..progress import watcher
from ..results import Distances, limits
from .cluster import Cluster
from .driver import Task
from .recipe import Recipe, connected, hierarchy_of, on_cpu, recipe_of, run_recipe
from .sizing import COPIES, answers_at_once, pieces_of, rows_per_task


def settle_rows(recipe: Recipe, sources: np.ndarray) -> np.ndarray:
    """Return some rows, on a worker."""
    rows = solve(recipe.query(sources)).rows
    assert isinstance(rows, np.ndarray)
    return rows


def solve_rows(query: Query, client: Any) -> Distances:
    """Return the rows of all sources, found by the workers of a cluster."""
    began, query = time.perf_counter(), on_cpu(query)
    plan = plan_query(query)
    plan.require_memory()
    made = plan.rows * plan.n * plan.dtype.itemsize
    rows = query.out if query.out is not None else np.empty((plan.rows, plan.n), query.types[0])
    assert isinstance(rows, np.ndarray)
    with connected(client) as cluster:
        recipe = recipe_of(query, cluster, hierarchy_of(query, plan, made), plan.method, passing=True)
        for dtype in query.types:
            rows = rows if rows.dtype == dtype or query.out is not None else np.empty(rows.shape, dtype)
            rows, whole = _filled(query, plan, cluster, recipe.beginning(dtype), rows)
            if whole:
                break
        workers = len(cluster.workers())
    stats = {"method": plan.method, "device": "cpu", "workers": workers, "seconds": time.perf_counter() - began}
    return wrap(query, replace(plan, dtype=rows.dtype), rows, stats)


def _filled(query: Query, plan: Plan, cluster: Cluster, recipe: Recipe, rows: np.ndarray) -> tuple[np.ndarray, bool]:
    """Fill an array with the rows of all sources, and return it, or a wider one.

    Also return whether all rows have its type: floats that do not fit are found anew, since wider sums differ.
    """
    tasks, size, most = tasks_of(query, plan, cluster, recipe)
    done = Done()
    with watcher(query.progress, len(query.sources), done) as watch:
        for i, found in enumerate(run_recipe(cluster, recipe, tasks, most, watch)):
            if found.dtype.itemsize > rows.dtype.itemsize:
                if found.dtype.kind == "f":
                    return rows, False
                rows = limits.in_type(rows, found.dtype)
            rows[i * size : i * size + len(found)] = limits.in_type(found, rows.dtype)
            done.add(len(found))
    return rows, True


def tasks_of(
    query: Query, plan: Plan, cluster: Cluster, recipe: Recipe, size: int | None = None
) -> tuple[list[Task], int, int]:
    """Return a task per block of rows, how many rows these have, and how many answers may be here at once."""
    row = plan.n * plan.dtype.itemsize
    if size is None:
        size = rows_per_task(query, plan, cluster, recipe.memory, returned=row, held=COPIES * row)
    most = answers_at_once(query, cluster, size * row)
    tasks = [Task("nearfar-rows", settle_rows, (recipe, some)) for some in pieces_of(query.sources, size)]
    return tasks, size, most


def stream_rows(query: Query, block: int | None, client: Any) -> Iterator[Distances]:
    """Yield all rows in blocks, in order, found by the workers of a cluster.

    If a distance does not fit its type, this block and the following ones have a wider one.
    """
    query = on_cpu(query)
    plan, done = plan_query(query), Done()
    with connected(client) as cluster, watcher(query.progress, len(query.sources), done) as watch:
        recipe = recipe_of(query, cluster, hierarchy_of(query, plan), plan.method, passing=True)
        tasks, size, most = tasks_of(query, plan, cluster, recipe, block)
        dtype = query.types[0]
        for i, rows in enumerate(run_recipe(cluster, recipe, tasks, most, watch)):
            some = query.sources[i * size : i * size + size]
            if rows.dtype.itemsize < dtype.itemsize and dtype.kind == "f":
                again = Task("nearfar-rows", settle_rows, (recipe.beginning(dtype), some))
                (rows,) = run_recipe(cluster, recipe, [again], None, watch)
            rows = limits.in_type(rows, max(dtype, rows.dtype, key=lambda kind: kind.itemsize))
            dtype = rows.dtype
            done.add(len(some))
            yield wrap(
                query.but(sources=some), replace(plan, dtype=dtype), rows, {"method": plan.method, "device": "cpu"}
            )
            del rows

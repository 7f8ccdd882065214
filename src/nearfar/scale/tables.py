"""Tables from the workers of a cluster: each settles some rows, and only the columns of the targets travel."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elimination.build import Hierarchy
from ..engine.blocks import Done
from ..engine.planner import Plan
from ..engine.query import Query
from ..engine.tables import Filling, Found, answer_table, finds_pairs, part_of_table, store_rows, take_table
from ..progress import watcher
from ..results import Table, limits
from .cluster import Cluster
from .driver import Task
from .recipe import Recipe, connected, hierarchy_of, on_cpu, recipe_of, run_recipe
from .rows import settle_rows
from .sizing import COPIES, pieces_of, rows_per_task
from .spool import array_at


def settle_columns(recipe: Recipe, columns: str, pairs: bool, sources: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return some columns of rows, on a worker, and whether they are rounded; ``columns``: where these lie."""
    found = part_of_table(recipe.query(sources), array_at(columns), pairs)
    return found.rows, found.rounded


def keep_columns(recipe: Recipe, columns: str, sources: np.ndarray) -> np.ndarray:
    """Return some columns of whole rows, on a worker."""
    return settle_rows(recipe, sources)[:, array_at(columns)]


def solve_table(
    graph: Any, sources: np.ndarray, targets: np.ndarray, client: Any, *, out: Any = None, **given: Any
) -> Table:
    """Return the table of some sources and targets, found by workers; ``given``: options of `check`."""
    query, taken = take_table(graph, sources, targets, False, out, given)
    with connected(client) as cluster:
        return table_on(cluster, query, targets, taken)


def table_on(cluster: Cluster, query: Query, targets: np.ndarray, taken: np.ndarray | None = None) -> Table:
    """Return the table of a checked query; ``taken``: the array to fill, if one was given."""
    return answer_table(on_cpu(query), targets, taken, fill=lambda filling, found: _fill(cluster, filling, found))


def _fill(cluster: Cluster, filling: Filling, found: Found) -> None:
    """Have the workers fill a table; floats that do not fit are found anew, since wider sums differ."""
    query, plan, columns = filling.query, filling.plan, filling.columns
    hierarchy = hierarchy_of(query, plan, filling.size)
    recipe = recipe_of(query, cluster, hierarchy, plan.method)
    swept = isinstance(hierarchy, Hierarchy) and not hierarchy.by_rows
    pairs = swept and finds_pairs(len(query.sources), columns)
    path, workers = cluster.spool.array(columns), len(cluster.workers())
    given = found.rows
    for dtype in query.types:
        if dtype.itemsize < found.rows.dtype.itemsize:
            continue
        found.rows = given if given.dtype == dtype else np.empty_like(given, dtype)
        tasks, size = _tasks(cluster, recipe.beginning(dtype), query, plan, path, len(columns), pairs)
        if _filled(cluster, recipe, query, tasks, size, found):
            break
    found.notes |= {"workers": workers}


def _tasks(
    cluster: Cluster, recipe: Recipe, query: Query, plan: Plan, columns: str, count: int, pairs: bool
) -> tuple[list[Task], int]:
    """Return a task per block of rows, and how many rows these have."""
    row = plan.dtype.itemsize * query.graph.n
    returned = plan.dtype.itemsize * count
    size = rows_per_task(query, plan, cluster, recipe.memory, returned=returned, held=row + COPIES * returned)
    some = pieces_of(query.sources, size)
    return [Task("nearfar-table", settle_columns, (recipe, columns, pairs, piece)) for piece in some], size


def _filled(cluster: Cluster, recipe: Recipe, query: Query, tasks: list[Task], size: int, found: Found) -> bool:
    """Store what the workers find; tell whether all floats have the type of the table."""
    done, dtype = Done(), found.rows.dtype
    with watcher(query.progress, len(query.sources), done) as watch:
        for i, (rows, rounded) in enumerate(run_recipe(cluster, recipe, tasks, None, watch)):
            if rows.dtype.kind == "f" and rows.dtype.itemsize > dtype.itemsize:
                return False
            store_rows(found, rows, slice(i * size, i * size + len(rows)))
            found.rounded |= rounded
            done.add(len(rows))
    return True


def columns_on(cluster: Cluster, query: Query, plan: Plan, columns: np.ndarray | None) -> np.ndarray:
    """Return some columns of whole rows, all of them if it is None; the query has one type of distances."""
    count = plan.n if columns is None else len(columns)
    found = np.empty((len(query.sources), count), query.types[0])
    recipe = recipe_of(query, cluster, hierarchy_of(query, plan, found.nbytes), plan.method)
    row = plan.n * plan.dtype.itemsize
    returned = count * plan.dtype.itemsize
    size = rows_per_task(query, plan, cluster, recipe.memory, returned=returned, held=row + COPIES * returned)
    function, first = (
        (settle_rows, (recipe,)) if columns is None else (keep_columns, (recipe, cluster.spool.array(columns)))
    )
    tasks = [Task("nearfar-rows", function, (*first, some)) for some in pieces_of(query.sources, size)]
    for i, rows in enumerate(run_recipe(cluster, recipe, tasks)):
        found[i * size : i * size + len(rows)] = limits.in_type(rows, found.dtype)
    return found

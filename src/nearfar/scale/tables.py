"""Tables from the workers of a cluster: each settles some rows, and only the columns of the targets travel."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import numpy as np

from ..elimination.build import Hierarchy
from ..engine.planner import Plan
from ..engine.query import Query
from ..engine.tables import Filling, Found, answer_table, finds_pairs, part_of_table, store_rows, take_table
from ..results import Table, limits
from .cluster import Cluster
from .gather import Gathering
from .recipe import Recipe, connected, hierarchy_of, on_cpu, recipe_of
from .rows import settle_rows
from .sizing import COPIES, answers_at_once, rows_per_task
from .spool import array_at


def settle_columns(recipe: Recipe, sources: np.ndarray, columns: str, pairs: bool) -> tuple[np.ndarray, bool]:
    """Return some columns of rows, on a worker, and whether they are rounded; ``columns``: where these lie."""
    found = part_of_table(recipe.query(sources), array_at(columns), pairs)
    return found.rows, found.rounded


def keep_columns(recipe: Recipe, sources: np.ndarray, columns: str) -> np.ndarray:
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
    size, most = _sizes(cluster, recipe, query, plan, len(columns))
    given = found.rows
    with array_for_workers(cluster, columns) as path:
        for dtype in query.types:
            found.rows = given if given.dtype == dtype else np.empty_like(given, dtype)
            gathering = Gathering(query, cluster, recipe.beginning(dtype))
            with closing(gathering.answers("table", settle_columns, (path, pairs), size, most)) as answers:
                if _filled(answers, size, found):
                    break
    found.notes["workers"] = len(cluster.workers())


def _sizes(cluster: Cluster, recipe: Recipe, query: Query, plan: Plan, columns: int) -> tuple[int, int]:
    """Return how many rows make a task, and how many answers may be under way."""
    row, returned = plan.dtype.itemsize * query.graph.n, plan.dtype.itemsize * columns
    size = rows_per_task(query, plan, cluster, recipe.memory, returned=returned, held=row + COPIES * returned)
    return size, answers_at_once(query, cluster, size * returned)


def _filled(answers: Iterator[tuple[np.ndarray, bool]], size: int, found: Found) -> bool:
    """Store what the workers find; tell whether all floats have the type of the table."""
    dtype = found.rows.dtype
    for i, (rows, rounded) in enumerate(answers):
        if rows.dtype.kind == "f" and rows.dtype.itemsize > dtype.itemsize:
            return False
        store_rows(found, rows, slice(i * size, i * size + len(rows)))
        found.rounded |= rounded
    return True


def columns_on(cluster: Cluster, query: Query, plan: Plan, columns: np.ndarray | None) -> np.ndarray:
    """Return some columns of whole rows, all of them if it is None; the query has one type of distances."""
    count = plan.n if columns is None else len(columns)
    found = np.empty((len(query.sources), count), query.types[0])
    recipe = recipe_of(query, cluster, hierarchy_of(query, plan, found.nbytes), plan.method)
    size, most = _sizes(cluster, recipe, query, plan, count)
    gathering = Gathering(query, cluster, recipe)
    with array_for_workers(cluster, columns) as path:
        function, args = (settle_rows, ()) if path is None else (keep_columns, (path,))
        for i, rows in enumerate(gathering.answers("rows", function, args, size, most)):
            found[i * size : i * size + len(rows)] = limits.in_type(rows, found.dtype)
    return found


@contextmanager
def array_for_workers(cluster: Cluster, values: np.ndarray | None) -> Iterator[str | None]:
    """Give the path at which an array lies for one call; a cluster may see many calls."""
    if values is None:
        yield None
        return
    path = cluster.spool.array(values)
    try:
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)

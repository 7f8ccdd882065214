"""A user's own function of blocks of rows, called by the workers of a cluster; only what it returns travels."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.blocks import RowBlocks
from ..engine.query import Query
from ..engine.reduction import reduce_block
from ..engine.solve import plan_query
from ..results import Distances
from .carried import pack, unpack
from .gather import Gathering, stats_of
from .recipe import Recipe, connected, hierarchy_of, on_cpu, recipe_of
from .sizing import rows_per_task

WHAT = "function"


def reduce_some(recipe: Recipe, sources: np.ndarray, function: str, block: int | None) -> list[np.ndarray]:
    """Return what the function makes of some rows, block after block, on a worker."""
    blocks, called = RowBlocks(recipe.query(sources), block), unpack(function, WHAT)
    return [reduce_block(called, blocks.settle(i, recipe.check)) for i in range(len(blocks))]


def reduce_rows(
    query: Query, function: Callable[[Distances], Any], block: int | None, client: Any
) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Return what a function makes of every block of rows, and the plan and stats of the run."""
    began, query = time.perf_counter(), on_cpu(query)
    plan = plan_query(query)
    with connected(client) as cluster:
        packed = pack(function, WHAT, cluster)
        recipe = recipe_of(query, cluster, hierarchy_of(query, plan), plan.method, passing=True)
        size = rows_per_task(query, plan, cluster, recipe.memory)
        size = size if block is None else -(-size // block) * block
        gathering = Gathering(query, cluster, recipe)
        answers = list(gathering.answers("reduce", reduce_some, (packed, block), size))
        stats = stats_of(plan.method, cluster, time.perf_counter() - began)
    return [part for parts in answers for part in parts], {"plan": plan, "stats": stats}

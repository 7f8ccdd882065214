"""Amounts weighted by a decay, added up by the workers of a cluster; also by a function of the user's."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..engine import decay as decays
from ..engine.blocks import RowBlocks
from ..engine.decay import Decay
from ..engine.folds import blocks_of
from ..engine.query import Query
from .carried import pack, unpack
from .gather import Gathering, stats_of
from .recipe import Recipe, connected, on_cpu, recipe_of
from .sizing import rows_per_task
from .spool import array_at

WHAT = "decay"


def decay_rows(recipe: Recipe, sources: np.ndarray, swept: bool, decay: str, amounts: str) -> np.ndarray:
    """Return the sums of some rows, on a worker."""
    query = recipe.query(sources)
    blocks = blocks_of(query) if swept else RowBlocks(query)
    return decays.decay_by(swept, blocks, unpack(decay, WHAT), array_at(amounts))


def fold_decay(query: Query, decay: Decay, amounts: np.ndarray, client: Any) -> tuple[np.ndarray, dict[str, Any]]:
    """Return what `engine.decay.fold_decay` returns, found by the workers of a cluster."""
    began, query = time.perf_counter(), on_cpu(query)
    with connected(client) as cluster:
        packed = pack(decay, WHAT, cluster)
        swept, blocks = decays.choose_decay(query, decay)
        query, plan = blocks.query, blocks.plan
        recipe = recipe_of(query, cluster, blocks.hierarchy, plan.method, passing=True)
        args = swept, packed, cluster.spool.array(amounts, passing=True)
        size = rows_per_task(query, plan, cluster, recipe.memory)
        parts = list(Gathering(query, cluster, recipe).answers("decay", decay_rows, args, size))
        stats = stats_of(plan.method, cluster, time.perf_counter() - began)
    return np.concatenate([np.zeros((0, len(amounts))), *parts]), {"plan": plan, "stats": stats}

"""Rows folded by the workers of a cluster: sums, counts, greatest distances, amounts; only these numbers travel."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..engine import folds
from ..engine.folds import Folded, Wanted
from ..engine.planner import Plan
from ..engine.query import Query
from .gather import Gathering, stats_of
from .near import seconds_per_row
from .recipe import Recipe, connected, on_cpu, recipe_of
from .sizing import rows_by_seconds, rows_per_task, slots_of
from .spool import array_at


def fold_rows(recipe: Recipe, sources: np.ndarray, wanted: Wanted, amounts: str | None, way: str) -> Folded:
    """Return the folds of some rows, on a worker; ``amounts``: where these lie."""
    query = recipe.query(sources)
    wanted = replace(wanted, amounts=None if amounts is None else array_at(amounts))
    return folds.fold_by(way, folds.blocks_of(query), wanted)


def fold(query: Query, wanted: Wanted, client: Any) -> tuple[Folded, dict[str, Any]]:
    """Return the folds of the rows of all sources, and the plan and stats of the run, as `engine.folds.fold` does."""
    return folds.with_sums(query, wanted, partial(_fold, query, client))


def _fold(query: Query, client: Any, wanted: Wanted) -> tuple[Folded, dict[str, Any]]:
    """Return the folds of the rows of all sources, and the plan and stats of the run."""
    began, query = time.perf_counter(), on_cpu(query)
    wanted = replace(wanted, cutoff=query.cutoff)
    blocks = folds.blocks_of(query)
    way, plan = folds.choose_way(blocks, wanted)
    with connected(client) as cluster:
        recipe = recipe_of(query, cluster, None if way == "near" else blocks.hierarchy, plan.method, passing=True)
        amounts = None if wanted.amounts is None else cluster.spool.array(wanted.amounts, passing=True)
        bare = replace(wanted, amounts=None)
        if way == "near":
            assert wanted.farthest is not None
            size = rows_by_seconds(len(query.sources), cluster, seconds_per_row(query, wanted.farthest))
        else:
            size = rows_per_task(query, plan, cluster, recipe.memory)
        parts = list(Gathering(query, cluster, recipe).answers("fold", fold_rows, (bare, amounts, way), size))
        stats = stats_of(plan.method, cluster, time.perf_counter() - began)
    found = joined(parts) if parts else wanted.new(0, query.types[0])
    return found, {"plan": plan, "stats": stats}


def plan_fold(query: Query, wanted: Wanted, client: Any) -> Plan:
    """Return how the workers of a cluster would fold rows; the seconds are shared evenly by all their threads."""
    query = on_cpu(query)
    plan = folds.plan_fold(query, wanted)
    with connected(client) as cluster:
        slots = slots_of(cluster)
    seconds = None if plan.seconds is None else plan.seconds * query.threads / max(1, slots)
    return replace(plan, threads=slots, seconds=seconds)


def joined(parts: list[Folded]) -> Folded:
    """Return the folds of all rows; where greatest distances have several types, the widest."""

    def join(name: str) -> Any:
        values = [getattr(part, name) for part in parts]
        return None if values[0] is None else np.concatenate(values)

    return Folded(*(join(name) for name in ("sums", "counts", "greatest", "inverses", "totals")))

"""Rows folded by the workers of a cluster: sums, counts, greatest distances, amounts; only these numbers travel."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine import folds
from ..engine.blocks import Done
from ..engine.folds import Folded, Wanted
from ..engine.query import Query
from ..progress import watcher
from .driver import Task
from .recipe import Recipe, connected, on_cpu, recipe_of, run_recipe
from .sizing import pieces_of, rows_per_task
from .spool import array_at


def fold_rows(recipe: Recipe, wanted: Wanted, amounts: str | None, way: str, sources: np.ndarray) -> Folded:
    """Return the folds of some rows, on a worker; ``amounts``: where these lie."""
    query = recipe.query(sources)
    wanted = replace(wanted, amounts=None if amounts is None else array_at(amounts))
    return folds.fold_by(way, folds.blocks_of(query), wanted)


def fold(query: Query, wanted: Wanted, client: Any) -> tuple[Folded, dict[str, Any]]:
    """Return the folds of the rows of all sources, and the plan and stats of the run, as `engine.folds.fold` does."""
    began, query = time.perf_counter(), on_cpu(query)
    wanted = replace(wanted, cutoff=query.cutoff)
    blocks = folds.blocks_of(query)
    way, plan = folds.choose_way(blocks, wanted)
    with connected(client) as cluster:
        recipe = recipe_of(query, cluster, None if way == "near" else blocks.hierarchy, plan.method)
        amounts = None if wanted.amounts is None else cluster.spool.array(wanted.amounts)
        bare = replace(wanted, amounts=None)
        size = rows_per_task(query, plan, cluster, recipe.memory)
        tasks = [
            Task("nearfar-fold", fold_rows, (recipe, bare, amounts, way, some))
            for some in pieces_of(query.sources, size)
        ]
        done, parts = Done(), list[Folded]()
        with watcher(query.progress, len(query.sources), done) as watch:
            for i, part in enumerate(run_recipe(cluster, recipe, tasks, None, watch)):
                parts.append(part)
                done.add(len(query.sources[i * size : i * size + size]))
        workers = len(cluster.workers())
    found = joined(parts) if parts else wanted.new(0, query.types[0])
    stats = {"method": plan.method, "device": "cpu", "workers": workers, "seconds": time.perf_counter() - began}
    return found, {"plan": plan, "stats": stats}


def joined(parts: list[Folded]) -> Folded:
    """Return the folds of all rows; where greatest distances have several types, the widest."""

    def join(name: str) -> Any:
        values = [getattr(part, name) for part in parts]
        return None if values[0] is None else np.concatenate(values)

    return Folded(*(join(name) for name in ("sums", "counts", "greatest", "inverses", "totals")))

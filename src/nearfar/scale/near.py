"""All pairs within a cutoff, listed by the workers of a cluster: lists of some sources per task, joined in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..elimination.folds import Wanted
from ..engine.balls import Lists, count_bytes, expected_seconds, fold_near, list_near
from ..engine.query import Query
from .gather import Gathering
from .recipe import Recipe, connected, on_cpu, recipe_of
from .sizing import ANSWER_BYTES, answers_at_once, rows_by_seconds

SAMPLE = 64  # sources whose lists are counted to know how many make an answer
PAIR = 16  # bytes of a vertex and a distance, at most
SPARE = 8  # times the bytes of usual lists that a task has room for: some sources have more than others


def list_some(recipe: Recipe, sources: np.ndarray, cutoff: float) -> Lists:
    """Return the vertices near some sources, on a worker."""
    return list_near(recipe.query(sources), cutoff, recipe.memory)


def find_near(query: Query, cutoff: float, available: int, client: Any) -> Lists:
    """Return what `engine.balls.list_near` returns, found by the workers of a cluster."""
    query, k = on_cpu(query), len(query.sources)
    with connected(client) as cluster:
        if not k:
            return list_near(query, cutoff, available)
        recipe = recipe_of(query, cluster, None, "dijkstra", passing=True)
        row = seconds_per_row(query, cutoff)
        mean = max(1.0, PAIR * _mean_count(query, cutoff))
        size = min(rows_by_seconds(k, cluster, row), int(min(ANSWER_BYTES, recipe.memory / SPARE) / mean))
        size, used, parts = max(1, size), list[int](), list[Lists]()
        most = answers_at_once(query, cluster, int(size * mean))
        for part in Gathering(query, cluster, recipe).answers("within", list_some, (cutoff,), size, most):
            count_bytes(used, part.targets.nbytes + part.lengths.nbytes, available)
            parts.append(part)
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Lists(
        offsets, np.concatenate([part.targets for part in parts]), np.concatenate([part.lengths for part in parts])
    )


def seconds_per_row(query: Query, cutoff: float) -> float:
    """Return the seconds that a search up to a cutoff takes, from a few that are timed here."""
    one = query.but(threads=1, progress=False)
    return expected_seconds(one, cutoff, float("inf")) / max(1, len(query.sources))


def _mean_count(query: Query, cutoff: float) -> float:
    """Return how many vertices are near a source, from a few that are far apart."""
    few = query.but(sources=query.sources[:: -(-len(query.sources) // SAMPLE)], progress=False)
    counts = fold_near(few, Wanted(counts=True, cutoff=cutoff), cutoff).counts
    assert counts is not None
    return float(counts.mean())

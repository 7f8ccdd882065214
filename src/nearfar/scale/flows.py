"""Demand loaded on arcs by the workers of a cluster: the trees of some origins per task, the flows added up in order.

Whole amounts give the same flows to the bit as one process. Others agree up to rounding, and do not depend on which
worker was faster: what comes is added in the order of the origins.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..engine import flows
from ..engine.flows import Demand
from ..engine.query import Query
from ..engine.solve import plan_query
from .cluster import Cluster
from .gather import Gathering, stats_of
from .recipe import Recipe, connected, hierarchy_of, on_cpu, recipe_of
from .sizing import answers_at_once, rows_per_task
from .spool import array_at, mapped_at

TREE = 2.0  # times what a row takes, its tree and the walk over it take as well: about as much (docs/architecture.md)


class Files(NamedTuple):
    """Where the arrays of a demand lie."""

    origins: str
    starts: str
    targets: str
    amounts: str

    def some(self, sources: np.ndarray) -> Demand:
        """Return the demand of some origins that follow each other, on a worker."""
        low = int(np.searchsorted(mapped_at(self.origins), sources[0]))
        starts = np.array(mapped_at(self.starts)[low : low + len(sources) + 1])
        part = slice(int(starts[0]), int(starts[-1]))
        targets, amounts = (np.array(mapped_at(path)[part]) for path in (self.targets, self.amounts))
        return Demand(sources, starts - starts[0], targets, amounts)


def load_some(recipe: Recipe, sources: np.ndarray, files: Files) -> tuple[np.ndarray, float]:
    """Return the flows from some origins, and the demand without a path, on a worker."""
    values, lost, _ = flows.load_flows(recipe.query(sources), files.some(sources))
    return values, lost


def mark_some(recipe: Recipe, sources: np.ndarray, files: Files, chosen: str) -> np.ndarray:
    """Return which demand from some origins uses an arc that is chosen, on a worker."""
    return flows.find_users(recipe.query(sources), files.some(sources), array_at(chosen))


def load_flows(query: Query, demand: Demand, client: Any) -> tuple[np.ndarray, float, dict[str, Any]]:
    """Return what `engine.flows.load_flows` returns, found by the workers of a cluster."""
    began, query = time.perf_counter(), on_cpu(query)
    total, lost = np.zeros(query.graph.m), list[float]()
    with connected(client) as cluster:
        plan = plan_query(query)
        for values, part in _answers(query, plan, demand, cluster, load_some, (), total.nbytes):
            total += values
            lost.append(part)
            del values
        stats = stats_of(plan.method, cluster, time.perf_counter() - began)
    return total, float(sum(lost)), {"plan": plan, "stats": stats}


def find_users(query: Query, demand: Demand, chosen: np.ndarray, client: Any) -> np.ndarray:
    """Return what `engine.flows.find_users` returns, found by the workers of a cluster."""
    query = on_cpu(query)
    with connected(client) as cluster:
        where = cluster.spool.array(chosen, passing=True)
        parts = list(_answers(query, plan_query(query), demand, cluster, mark_some, (where,), query.graph.n))
    return np.concatenate([np.zeros(0, bool), *parts])


def _answers(
    query: Query, plan: Any, demand: Demand, cluster: Cluster, function: Any, args: tuple[Any, ...], answer: int
) -> Iterator[Any]:
    """Yield the answers of all origins, of about so many bytes each."""
    if not len(query.sources):
        return
    recipe = recipe_of(query, cluster, hierarchy_of(query, plan), plan.method, passing=True)
    arrays = demand.origins, demand.starts, demand.targets, demand.amounts
    files = Files(*(cluster.spool.array(values, passing=True) for values in arrays))
    size = rows_per_task(query, plan, cluster, recipe.memory, factor=TREE)
    most = answers_at_once(query, cluster, answer)
    yield from Gathering(query, cluster, recipe).answers("flows", function, (files, *args), size, most)

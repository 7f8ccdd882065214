"""A query as it travels to a worker: where its graph and its hierarchy lie, and every decision that was made already.

The caller plans once, for all rows: the method, the types of distances, the hierarchy. A worker that settles some of
the rows decides nothing anew, so that all blocks are the same to the bit as if one process had found them. A worker
uses one thread per task, and does as many tasks at a time as it has threads.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..description import format_bytes
from ..engine.planner import Plan
from ..engine.query import Query
from ..engine.run import new_problem
from ..errors import ClusterError, MemoryLimitError, OptionError, option
from ..methods.prepared import hierarchy_for
from ..methods.problem import Controls
from ..version import __version__
from .cluster import Cluster, connect
from .driver import Task, Worker, run_tasks
from .spool import Place, graph_at, hierarchy_at

SHARE = 0.5  # of a worker's memory that blocks and work space may take: Dask pauses a worker at 0.8; chosen, not tuned
UNKNOWN = 2 << 30  # bytes of a worker that says nothing of its memory
BASE = 1 << 28  # bytes of a worker that has loaded Dask, us and kernels: 265 MB resident were measured
EARLIER = 4  # what a worker keeps of earlier calls takes at most this part of what a task may use

_stopped: set[str] = set()  # runs whose caller has gone, in a worker


class Stopped(Exception):  # noqa: N818 - no error: nobody waits any more
    """The caller of this task has gone."""


def stop_run(run: str) -> None:
    """End the tasks of a run that this worker does; called beside them."""
    _stopped.add(run)


@dataclass(frozen=True)
class Recipe:
    """What a worker needs to know of a query, apart from the sources."""

    graph: Place
    direction: str
    hierarchy: Any  # a path, or why there is no hierarchy, or None
    method: str
    types: tuple[str, ...]
    cutoff: float | None
    delta: float | None
    memory: int
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    version: str = __version__

    def query(self, sources: np.ndarray) -> Query:
        """Return the query of some rows, on a worker."""
        if self.version != __version__:
            raise ClusterError(
                f"the caller has nearfar {self.version}, a worker {__version__}. Install the same one on all of them."
            )
        room = self.memory // EARLIER
        asked = graph_at(self.graph, room)
        searched = asked if self.direction == "from" else asked.reversed
        hierarchy = hierarchy_at(self.hierarchy, searched, room) if isinstance(self.hierarchy, str) else self.hierarchy
        return Query(
            asked=asked,
            direction=self.direction,
            graph=searched,
            sources=sources,
            seeds=None,
            starts=None,
            single=False,
            method=self.method,
            devices=("cpu",),
            types=tuple(np.dtype(name) for name in self.types),
            threads=1,
            memory=self.memory,
            cutoff=self.cutoff,
            targets=None,
            delta=self.delta,
            progress=self.check,
            out=None,
            hierarchy=hierarchy,
        )

    def beginning(self, dtype: np.dtype) -> Recipe:
        """Return the recipe whose first type of distances is this one."""
        return replace(self, types=self.types[self.types.index(dtype.name) :])

    def check(self, done: int = 0, total: int = 0) -> None:
        """End the task if its caller has gone; queries call this ten times a second, as their progress."""
        if self.run in _stopped:
            raise Stopped


def recipe_of(query: Query, cluster: Cluster, hierarchy: Any, method: str, passing: bool = False) -> Recipe:
    """Return the recipe of a query whose method and hierarchy were decided; write what workers have to load.

    ``passing``: whether files may go when recipe, graph and hierarchy are gone; otherwise they stay until the end.
    """
    path = hierarchy
    if hierarchy is not None and hasattr(hierarchy, "layout"):
        path = cluster.spool.hierarchy(query.graph, hierarchy, passing)
    return Recipe(
        graph=cluster.spool.graph(query.asked, query.direction == "to", passing),
        direction=query.direction,
        hierarchy=path,
        method=method,
        types=tuple(dtype.name for dtype in query.types),
        cutoff=query.cutoff,
        delta=query.delta,
        memory=memory_of(query, cluster, hierarchy),
    )


def memory_of(query: Query, cluster: Cluster, hierarchy: Any = None) -> int:
    """Return the bytes that one task may use: its share of the worker that has least, beside graph and hierarchy."""
    graph = query.asked.arc_bytes * (1 if query.asked.undirected or query.direction == "from" else 2)
    fixed = graph + int(getattr(hierarchy, "nbytes", 0))
    workers = cluster.workers().values()
    if not workers:
        return UNKNOWN if query.memory is None else query.memory
    least = min(workers, key=lambda worker: _share(worker, fixed))
    share = _share(least, fixed)
    if share <= 0:
        raise MemoryLimitError(
            f"the graph and what was prepared of it take {format_bytes(fixed)}, and a process with its libraries "
            f"{format_bytes(BASE)}, but a worker of the cluster may use {format_bytes(least.memory)}. Start workers "
            "with more memory, one process per machine.",
            BASE + fixed,
            least.memory,
        )
    return share if query.memory is None else min(share, query.memory)


def _share(worker: Worker, fixed: int) -> int:
    """Return the bytes that one task of a worker may use."""
    memory = worker.memory or UNKNOWN * worker.threads
    return int(SHARE * (memory - BASE - fixed)) // max(1, worker.threads)


def on_cpu(query: Query) -> Query:
    """Return a query for the processors of workers; refuse GPUs."""
    if query.devices[0] not in ("auto", "cpu"):
        raise OptionError(
            f"device is {query.devices[0]!r}, but the workers of a cluster use their processors. Leave "
            f"{option('device')} or {option('client')} out."
        )
    return query.but(devices=("cpu",))


def hierarchy_of(query: Query, plan: Plan, rows: int = 0) -> Any:
    """Return the hierarchy of all rows, built here if the plan needs one; ``rows``: bytes of rows that were made."""
    if plan.method != "prepared":
        return query.hierarchy
    problem, _ = new_problem(query, replace(plan, renumber=False), query.types[-1])
    controls = Controls(threads=plan.threads, memory=plan.available - rows)
    return hierarchy_for(problem, len(query.sources), controls)


@contextmanager
def connected(client: Any) -> Iterator[Cluster]:
    """Give the cluster that ``client`` stands for; at the end, remove what was written for it if it was given bare."""
    if isinstance(client, Cluster):
        yield client
        return
    with connect(client) as cluster:
        yield cluster


def run_recipe(
    cluster: Cluster, recipe: Recipe, tasks: Sequence[Task], most: int | None = None, watch: Any = None
) -> Iterator[Any]:
    """Yield the answers of tasks in their order; tasks that run when the caller stops are ended, too."""
    finished = False
    try:
        yield from run_tasks(cluster, tasks, most=most, patience=cluster.patience, watch=watch)
        finished = True
    finally:
        if not finished:
            cluster.tell(stop_run, recipe.run)

"""Betweenness on a cluster: every worker counts the paths from some sources, and the caller adds the loads up.

They are floats, so the order of the sums matters: it is that of the sources, whichever worker was faster. With as many
threads in the cluster the pieces are the same, and so are the sums, to the bit; with another number they agree up to
rounding. The arcs that no shortest path takes are left out by the caller, and a hierarchy is built there, once.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..elimination.tallies import Loads
from ..engine import loads
from ..engine.loads import Counting, Found
from ..engine.query import Query
from .gather import Gathering, stats_of
from .recipe import Recipe, connected, on_cpu, recipe_of
from .sizing import answers_at_once, rows_by_seconds
from .spool import Kept, array_at

# Seconds per vertex and arc, of one source on one thread: searches of R-MAT graphs (engine/loads.py), sweeps of New
# York (0.32 ms per source on two threads). They only say how many sources make a task.
SEARCH, SWEEP = 8e-8, 1e-9

_counted = Kept()


def search_some(recipe: Recipe, sources: np.ndarray, wanted: str, ends: bool, arcs: bool, exact: bool) -> Found:
    """Return the loads from some sources by searches, on a worker; ``wanted``: where the marks of targets lie."""
    return loads.search_loads(recipe.query(sources), array_at(wanted), ends, arcs, exact, np.zeros(1, np.int64))


def tally_some(recipe: Recipe, sources: np.ndarray, wanted: str) -> Loads:
    """Return the loads of shortcuts from some sources, on a worker; counts of paths are made once per process."""
    query, stop = recipe.query(sources), np.zeros(1, np.int64)
    hierarchy: Any = query.hierarchy
    counted = _counted.get((str(recipe.hierarchy),), lambda: loads.counted_paths(query, hierarchy, stop))
    return loads.tally_loads(query, counted, array_at(wanted), stop)


def find_loads(
    query: Query, wanted: np.ndarray, *, ends: bool, arcs: bool, exact: bool, client: Any
) -> tuple[Found, dict[str, Any]]:
    """Return what `engine.loads.find_loads` returns, found by the workers of a cluster."""
    began, query, stop = time.perf_counter(), on_cpu(query), np.zeros(1, np.int64)
    with connected(client) as cluster:
        if not len(query.sources):
            return loads.find_loads(query, wanted, ends=ends, arcs=arcs, exact=exact)
        counting = loads.choose_counting(query, ends, exact, stop)
        lean = counting.query.but(asked=counting.query.graph)
        gathering = Gathering(lean, cluster, recipe_of(lean, cluster, counting.whole, counting.method, passing=True))
        marks = cluster.spool.array(wanted, passing=True)
        if counting.whole is None:
            found = _searched(gathering, marks, ends, arcs, exact)
        else:
            found = _tallied(gathering, counting, marks, arcs, stop)
        stats = stats_of(counting.method, cluster, time.perf_counter() - began)
    through, both, over = found
    loads.require_countable(through)
    return (through, both, None if over is None else counting.lean.spread(over, query.graph.m)), {"stats": stats}


def _searched(gathering: Gathering, marks: str, ends: bool, arcs: bool, exact: bool) -> Found:
    """Add up what workers found by searches."""
    graph = gathering.query.graph
    numbers = graph.n * (1 + ends) + graph.m * arcs
    total: tuple[np.ndarray | None, ...] | None = None
    for part in _answers(gathering, search_some, (marks, ends, arcs, exact), SEARCH, numbers):
        total = part if total is None else _added(total, part)
    assert total is not None and total[0] is not None
    return total[0], total[1], total[2]


def _added(total: tuple[np.ndarray | None, ...], part: Found) -> tuple[np.ndarray | None, ...]:
    """Return the sums of two loads."""
    return tuple(None if some is None or more is None else some + more for some, more in zip(total, part, strict=True))


def _tallied(gathering: Gathering, counting: Counting, marks: str, arcs: bool, stop: np.ndarray) -> Found:
    """Add up what workers pushed back over the hierarchy, and unpack it once."""
    assert counting.whole is not None
    counted = loads.counted_paths(counting.query, counting.whole, stop)
    layout, total = counted.layout, None
    size = layout.n + len(layout.up_arcs) + len(layout.down_arcs)
    for part in _answers(gathering, tally_some, (marks,), SWEEP, size):
        if total is None:
            total = Loads(part.through.copy(), part.up.copy(), part.down.copy())  # what arrives cannot be written
        else:
            total.add(part)
    assert total is not None
    return loads.unpacked(counted, total, arcs, stop)


def _answers(gathering: Gathering, function: Any, args: tuple[Any, ...], seconds: float, numbers: int) -> Any:
    """Yield the answers of all sources, of so many floats each; ``seconds``: per vertex and arc."""
    query, cluster = gathering.query, gathering.cluster
    size = rows_by_seconds(len(query.sources), cluster, seconds * (query.graph.n + query.graph.m))
    return gathering.answers("betweenness", function, args, size, answers_at_once(query, cluster, 8 * numbers))

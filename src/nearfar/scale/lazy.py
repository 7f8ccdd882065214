"""Distances that are found when they are asked for: a dask.array, each block of which is a function of its sources.

A block knows where the graph lies and what its sources are. So it can be computed by the threads of this process, by
other processes and by the workers of a cluster, in any order and again and again, and is always the same. What depends
on all rows, the method, the type of the distances and a hierarchy, is decided when the array is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ..devices import cpu
from ..engine.query import PreparedGraph, check
from ..engine.solve import plan_query
from ..errors import OptionError, in_python, option
from ..graph import Graph
from ..results import limits
from ..store.matrix.bounds import certain_type
from .cluster import Cluster, array_of_blocks, connect, require_arrays, spool_folder
from .driver import Worker
from .recipe import Recipe, hierarchy_of, on_cpu, recipe_of
from .rows import settle_rows
from .sizing import COPIES, pieces_of, rows_per_task
from .spool import Spool
from .tables import settle_columns


class _Here:
    """A cluster of one worker: the cores and the memory of this machine."""

    def __init__(self) -> None:
        self.spool = Spool(spool_folder(None))

    def workers(self) -> Mapping[str, Worker]:
        """Return what Dask's own schedulers use."""
        return {"here": Worker(cpu.facts().cores, cpu.facts().memory)}


# What was made for clients, by their identity: its files stay until the process ends, as arrays may be used until then.
_lasting: dict[int, tuple[Any, Any]] = {}


def settle_part(recipe: Recipe, columns: str, sources: np.ndarray) -> np.ndarray:
    """Return some columns of rows, in the type that all rows have; ``columns``: where these lie."""
    return limits.in_type(settle_columns(recipe, sources, columns, False)[0], np.dtype(recipe.types[0]))


def lazy_rows(
    graph: Graph | PreparedGraph, sources: np.ndarray, columns: np.ndarray | None, direction: str, client: Any,
    options: Any,
) -> Any:  # fmt: skip
    """Return a dask.array of the distances from some vertices to all, or to some."""
    require_arrays()
    for name in ("out", "progress"):
        if options.get(name) is not None and options[name] is not False:
            raise OptionError(
                f"{option(name)} is for answers that are found at once; leave it or lazy=True out."
                + in_python(" Dask shows progress itself: dask.diagnostics.ProgressBar.")
            )
    query = on_cpu(check(graph, sources, direction=direction, **options))
    cluster = _lasting_cluster(client)
    plan = plan_query(query)
    query = query.but(method=plan.method)
    query = query.but(types=(certain_type(query),))
    hierarchy = hierarchy_of(query, plan)
    recipe = recipe_of(query, cluster, hierarchy, plan.method)
    row = plan.n * query.types[0].itemsize
    width = plan.n if columns is None else len(columns)
    returned = width * query.types[0].itemsize
    size = rows_per_task(query, plan, cluster, recipe.memory, returned=returned, held=row + COPIES * returned)
    find: Any = partial(settle_rows, recipe)
    if columns is not None:
        find = partial(settle_part, recipe, cluster.spool.array(columns))
    return array_of_blocks(find, pieces_of(sources, size), width, query.types[0])


def _lasting_cluster(client: Any) -> Any:
    """Return the cluster for which files are written, or this machine; the files stay as long as arrays may."""
    if isinstance(client, Cluster):
        return client
    if isinstance(client, str):
        raise OptionError(
            f"client is {client!r:.60}, which is connected for one call, but a lazy answer is found later. Connect "
            f"first: cluster = nearfar.connect({client!r:.60}), and pass client=cluster."
        )
    if id(client) not in _lasting:
        _lasting[id(client)] = client, _Here() if client is None else connect(client)
    return _lasting[id(client)][1]

"""What all metrics take: a graph, vertices, hops or weights, a direction, options; checked once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np

from ..engine.balls import Lists, list_near
from ..engine.blocks import RowBlocks
from ..engine.decay import Decay, fold_decay
from ..engine.folds import Folded, Wanted, fold, plan_fold
from ..engine.loads import Found, find_loads
from ..engine.planner import Plan
from ..engine.query import PreparedGraph, Query, check, take_graph, take_vertices
from ..engine.reduction import reduce_block
from ..engine.solve import by_weights, solve_by_weights
from ..engine.stream import stream_rows
from ..errors import InputTypeError
from ..graph import Graph
from ..graph.reweigh import unweighted
from ..results import Distances
from .measure import Measure


class MetricOptions(TypedDict, total=False):
    """The keyword options that metrics share; nearfar.api says what each means."""

    method: str
    device: str | list[str] | tuple[str, ...]
    cutoff: float | None
    threads: int | None
    progress: bool | Callable[[int, int], object]
    memory: float | str | None
    client: Any  # a cluster: a client of dask.distributed, an address, "local:4", or what nearfar.connect returns


@dataclass(frozen=True)
class Asked:
    """A checked question: the user's graph, the vertices that are measured, and the query of their rows."""

    graph: Graph
    vertices: np.ndarray
    query: Query
    client: Any = None  # the cluster that does the work, if one was given

    def fold(self, wanted: Wanted) -> tuple[Folded, dict[str, Any]]:
        """Return the folds of the rows of all vertices, and the plan and stats of the run."""
        if self.client is not None:
            from ..scale.folds import fold as fold_on_cluster

            return fold_on_cluster(self.query, wanted, self.client)
        return fold(self.query, wanted)

    def plan(self, wanted: Wanted) -> Plan:
        """Return how the rows of all vertices would be folded."""
        if self.client is not None:
            from ..scale.folds import plan_fold as plan_on_cluster

            return plan_on_cluster(self.query, wanted, self.client)
        return plan_fold(self.query, wanted)

    def solve(self, query: Query) -> Distances:
        """Return the rows of another query."""
        if self.client is not None:
            from ..scale.rows import solve_rows

            return by_weights(query, lambda: solve_rows(query, self.client))
        return solve_by_weights(query)

    def fold_decay(self, decay: Decay, amounts: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Return the sums of amounts weighted by a decay, for all vertices, and the plan and stats of the run."""
        if self.client is not None:
            from ..scale.decays import fold_decay as fold_on_cluster

            return fold_on_cluster(self.query, decay, amounts, self.client)
        return fold_decay(self.query, decay, amounts)

    def reduce(
        self, function: Callable[[Distances], Any], block: int | None
    ) -> tuple[list[np.ndarray], dict[str, Any]]:
        """Return what a function makes of every block of rows, and the plan of the run."""
        if self.client is not None:
            from ..scale.reductions import reduce_rows

            return reduce_rows(self.query, function, block, self.client)
        blocks = RowBlocks(self.query, block, buffers=3)
        return [reduce_block(function, some) for some in stream_rows(blocks)], {"plan": blocks.plan}

    def find_loads(self, wanted: np.ndarray, *, ends: bool, arcs: bool, exact: bool) -> tuple[Found, dict[str, Any]]:
        """Return what shortest paths from all vertices load, and the stats of the run."""
        if self.client is not None:
            from ..scale.loads import find_loads as find_on_cluster

            return find_on_cluster(self.query, wanted, ends=ends, arcs=arcs, exact=exact, client=self.client)
        return find_loads(self.query, wanted, ends=ends, arcs=arcs, exact=exact)

    def list_near(self, cutoff: float, available: int) -> Lists:
        """Return the vertices within a cutoff of all vertices; ``available``: the bytes that they may take."""
        if self.client is not None:
            from ..scale.near import find_near

            return find_near(self.query, cutoff, available, self.client)
        return list_near(self.query, cutoff, available)

    @contextmanager
    def staying(self) -> Iterator[Asked]:
        """Give the same question to ask several times, of one connection to the cluster."""
        if self.client is None:
            yield self
            return
        from ..scale.recipe import connected

        with connected(self.client) as cluster:
            yield replace(self, client=cluster)

    def measure(
        self, name: str, values: np.ndarray, facts: dict[str, Any], columns: Sequence[Any] | None = None
    ) -> Measure:
        """Return the result."""
        return Measure(self.graph, name, self.vertices, values, columns=columns, **facts)


def ask(graph: Graph | PreparedGraph, vertices: Any, hops: bool, direction: str, options: MetricOptions) -> Asked:
    """Check everything that was given; all vertices if these are None."""
    known_metric_options(options)
    plain = take_graph(graph)
    take_flag("hops", hops)
    indices = np.arange(plain.n, dtype=np.int32) if vertices is None else take_vertices(plain, vertices, "vertex")
    searched = unweighted(plain) if hops and plain.weight_dtype is not None else graph
    rest: Any = dict(options)
    client = rest.pop("client", None)
    return Asked(plain, indices, check(searched, indices, direction=direction, **rest), client)


def take_flag(name: str, value: Any) -> bool:
    """Return an option that is True or False; refuse a word, which Python would take for True."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name} is {value!r:.60}, a {type(value).__name__}; give True or False.")
    return bool(value)


def known_metric_options(options: MetricOptions) -> None:
    """Refuse an option that does not exist."""
    for name in options:
        if name not in MetricOptions.__annotations__:
            known = ", ".join(MetricOptions.__annotations__)
            raise InputTypeError(f"there is no option {name!r}; there are {known}.")

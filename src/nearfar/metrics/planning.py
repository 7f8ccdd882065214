"""`plan`: what a metric would run, and what it would take, without running it."""

from __future__ import annotations

from typing import Any, Unpack

from ..engine.folds import Wanted
from ..engine.planner import Plan
from ..engine.query import PreparedGraph
from ..graph import Graph
from .ask import MetricOptions, ask


def plan(
    graph: Graph | PreparedGraph,
    vertices: Any = None,
    *,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Plan:
    """Return how the rows behind a metric would be found, how many bytes that takes, and about how many seconds.

    Parameters
    ----------
    graph, vertices, hops, direction, **options
        As for `closeness`. ``bytes`` of the plan counts the rows that are in memory at once, not all of them. With a
        cutoff (of `reach` and `accessibility` the greatest), a few searches are timed that end there: if little lies
        within, this is what will run. With ``client=``, ``threads`` are those of all workers, and ``seconds`` what it
        takes if they share it evenly.

    Examples
    --------
    >>> import nearfar
    >>> plan = nearfar.metrics.plan(nearfar.generate.road_grid(300, 300))
    >>> plan.method, plan.rows, plan.bytes < 1e9 < 4 * 90000**2
    ('prepared', 90000, True)
    """
    return ask(graph, vertices, hops, direction, options).plan(Wanted(sums=True))

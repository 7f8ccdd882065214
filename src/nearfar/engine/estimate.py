"""What a query should take on the CPU, in seconds: to choose between methods, and between the CPU and a GPU.

Pure functions of counts: vertices, arcs, rows, threads, bytes per distance; how many levels a search has; and what
eliminating the graph would do (elimination/outlook.py), which the planner has looked at. The constants are those of
costs.py, fitted to a sweep over families of graphs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..elimination.outlook import KEPT, Outlook
from ..elimination.tuning import COUPLED, IRREGULAR
from ..kernels.cpu.constants import LANES
from ..methods import costs
from ..methods.bfs_cost import are_few, pass_seconds, single_seconds
from ..methods.tuning import NARROW_ARCS
from . import tuning

if TYPE_CHECKING:
    from ..graph import Graph
    from .planner import Plan


def seconds_on_cpu(
    graph: Graph,
    rows: int,
    method: str,
    threads: int,
    itemsize: int,
    prepared: bool = False,
    outlook: Outlook | None = None,
) -> float:
    """Return the expected seconds of a method; ``itemsize``: bytes per distance, ``prepared``: the graph is."""
    written = rows * graph.n * itemsize / tuning.WRITE_BYTES  # by all threads together
    if method == "floyd":
        return floyd_seconds(graph, rows, threads)
    if method == "bfs":
        return max(bfs_seconds(graph, rows, threads), written)
    if method == "prepared":
        row = swept_row_seconds(graph, itemsize, outlook)
        before = 0.0 if prepared else preparing_seconds(graph, outlook, threads)
        return before + max(-(-rows // threads) * row, written) + rows * costs.SWEEP_ROW
    sharing = min(threads, rows) if rows > 1 else min(threads, 1 + graph.m // tuning.PARALLEL_ARCS)
    return costs.QUERY + max(rows * row_seconds(graph, itemsize) / sharing, written)


def with_seconds(plan: Plan, graph: Graph, ready: bool) -> Plan:
    """Return a plan for the CPU with the seconds that it should take; ``ready``: the graph is prepared."""
    if plan.gpu is not None or not plan.rows:
        return plan
    if plan.method == "streamed":
        return replace(plan, seconds=streamed_seconds(plan, graph.m))
    seen = graph.memo.get("outlook", (0, None))[1]
    seconds = seconds_on_cpu(graph, plan.rows, plan.method, plan.threads, plan.dtype.itemsize, ready, seen)
    return replace(plan, seconds=seconds)


def streamed_seconds(plan: Plan, m: int) -> float:
    """Return the expected seconds of rows on streamed arcs: relaxing or reading, whichever takes longer."""
    relaxing = plan.rows * m * costs.STREAMED_ARC / min(plan.threads, plan.rows)
    read = 0 if plan.streaming is None else plan.streaming.expected_bytes
    return costs.QUERY_MANY + max(relaxing, read / costs.DISK_BYTES)


def row_seconds(graph: Graph, itemsize: int) -> float:
    """Return the expected seconds of one row of Dijkstra on one thread.

    Vertices that are queued cost most; leaves only get a distance. Distances and arcs that outgrow the fast caches cost
    more. If all weights are equal, nothing is queued twice; if some are negative, the queue is a heap.
    """
    equal = graph.min_weight == graph.max_weight
    vertex, arc = (costs.ROW_EQUAL_VERTEX, costs.ROW_EQUAL_ARC) if equal else (costs.ROW_VERTEX, costs.ROW_ARC)
    wide = (costs.ROW_WIDE if itemsize == 8 else 1.0) * (costs.ROW_HEAP if graph.min_weight < 0 else 1.0)
    leaves = 0 if equal else graph.leaf_count  # counting them takes as long as a row of levels
    steps = (graph.n - leaves) * vertex + leaves * costs.ROW_LEAF + graph.m * arc
    return costs.ROW + costs.slower(graph.n, itemsize) * wide * steps


def bfs_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of breadth-first search: single rows or passes, whichever should be faster."""
    single = costs.QUERY + single_seconds(graph, rows, threads)
    if are_few(rows, threads):
        return single
    return min(single, costs.QUERY_MANY + pass_seconds(graph, rows, threads))


def swept_row_seconds(graph: Graph, itemsize: int, outlook: Outlook | None = None) -> float:
    """Return the expected seconds per row of a sweep on one thread; single rows where the core is too large."""
    if outlook is None:
        return graph.n * tuning.SWEEP
    wide = itemsize / 4
    coupled = outlook.shortcuts >= COUPLED * graph.n and graph.min_weight >= 0
    shortcut = costs.SWEEP_COUPLED if coupled else costs.SWEEP_SHORTCUT
    swept = graph.n * costs.SWEEP_VERTEX * wide + outlook.shortcuts * shortcut * wide
    if not outlook.core:
        return swept
    searched = outlook.core_arcs * costs.CORE_ARC * (1 + graph.usual_levels / costs.CORE_LEVELS)
    searched *= 1 + costs.CORE_LARGE * costs.doublings(int(outlook.core) * LANES * itemsize // 4)
    return min(swept + searched, row_seconds(graph, itemsize))


def preparing_seconds(graph: Graph, outlook: Outlook | None = None, threads: int = 1) -> float:
    """Return the expected seconds of preparing a graph; several threads save little, unless it is dissected."""
    if outlook is None:
        return tuning.PREPARE_STEPS * (graph.n + graph.m) * tuning.STEP
    if outlook.pruned:
        return (costs.PRUNE_ROWS if graph.undirected else costs.PRUNE_ROWS_DIRECTED) * row_seconds(graph, 4)
    if outlook.squares:
        wide = 1.0 if graph.weight_dtype is None or graph.weight_dtype.itemsize == 4 else costs.DISSECT_WIDE
        vertex = costs.DISSECT_REFINED if graph.irregularity > IRREGULAR else costs.DISSECT_VERTEX
        blocks = outlook.shortcuts / KEPT * costs.DISSECT_SHORTCUT + outlook.squares * costs.DISSECT_SQUARE
        work = graph.n * vertex + blocks * wide
        return costs.PREPARE + work / (1 + costs.DISSECT_SHARING * (threads - 1))
    work = graph.n * costs.PREPARE_VERTEX + graph.m * costs.PREPARE_ARC + outlook.steps * costs.PREPARE_ENTRY
    work += outlook.core_arcs * costs.PREPARE_CORE
    return costs.PREPARE + (1 + costs.PREPARE_LARGE * costs.doublings(4 * graph.n)) * work


def floyd_seconds(graph: Graph, rows: int, threads: int) -> float:
    """Return the expected seconds of closing the matrix."""
    kind = (graph.weight_dtype or np.dtype(np.int32)).name
    if kind == "int32" and graph.max_weight * NARROW_ARCS < 2**16 - 1:
        kind = "narrow"
    n = graph.n
    sharing = 1 + (threads - 1) * costs.FLOYD_SHARING if n > tuning.FLOYD_SHARED else 1.0
    cube = costs.FLOYD_CUBE[kind] * n**3
    return costs.QUERY_MANY + costs.FLOYD_ROW * rows + (costs.FLOYD_ENTRY * n**2 + cube) / sharing

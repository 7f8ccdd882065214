"""The shortest-path trees of up to LANES rows in one pass over the arcs. Called by results/tree_blocks.py.

The rule is that of `pull` in trees.py: below the least-numbered tail of the tight arcs that come from a shorter
distance. A pass for one row is bound by memory: per arc it reads 8 bytes of the arc and one distance, for which a whole
cache line is fetched. Here the distances of all rows lie side by side, one line of int32 per vertex, so the same bytes
serve LANES rows, and one vector instruction compares them.

Sums of integers may wrap here: both terms are at least 0 and fit their type, so what wraps is negative, and no distance
is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from . import lanes
from .arcs import weight
from .trees import NONE, POLL


@kernel
def lay_out(rows: Any, low: Any, high: Any, table: Any, stop: Any) -> None:
    """Copy the distances of the vertices ``low`` to ``high - 1`` to ``table``, row i to lane i."""
    for v in range(np.uint64(low), np.uint64(high)):
        if v & np.uint64(POLL) == 0 and stop[0] != 0:
            return
        for lane in range(len(rows)):
            table[v, lane] = rows[lane, v]


@inlined
def least_tails(offsets, arcs, table, far, none, v):
    """Return `least_tail` of trees.py in every lane; ``far`` are the distances of ``v``."""
    number = table.dtype.type
    best = none
    for e in range(np.uint64(offsets[v]), np.uint64(offsets[v + np.uint64(1)])):
        u = np.uint32(arcs[e]["head"])
        near = lanes.load(table, u)
        tight = lanes.where_equal(lanes.add(near, number(weight(arcs, e))), far, u, none)
        best = lanes.minimum(best, lanes.where_less(near, far, tight, none))
    return best


@kernel
def pull_lanes(
    offsets: Any,
    arcs: Any,
    table: Any,
    unreached: Any,
    low: Any,
    high: Any,
    pred: Any,
    scratch: Any,
    missing: Any,
    stop: Any,
) -> None:
    """Find the predecessors of the vertices ``low`` to ``high - 1`` in as many rows as ``pred`` has.

    ``arcs`` are those of the reversed graph, ``table`` is made by `lay_out`. ``scratch`` and ``missing`` are one row of
    lanes each; ``missing`` gets how many reached vertices of each row have no predecessor.
    """
    none, end = lanes.splat(scratch, NONE), lanes.splat(table, unreached)
    zero, one = lanes.splat(missing, 0), lanes.splat(missing, 1)
    lost = zero
    for v in range(np.uint64(low), np.uint64(high)):
        if v & np.uint64(POLL) == 0 and stop[0] != 0:
            return
        far, best = lanes.load(table, v), none
        if lanes.any_less(far, end):
            best = lanes.where_less(far, end, least_tails(offsets, arcs, table, far, none, v), none)
            lost = lanes.add(lost, lanes.where_less(far, end, lanes.where_equal(best, none, one, zero), zero))
        lanes.store(scratch, 0, best)
        for lane in range(len(pred)):
            pred[lane, v] = scratch[0, lane]
    lanes.store(missing, 0, lost)

"""Ties: which lengths are the same, all vertices before a vertex on its shortest paths, and what has endless ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..errors import MethodError
from ..graph.rows import row_of
from .limits import unreached

if TYPE_CHECKING:
    from ..graph import Graph

SLACK = 2.0**-40  # relative error up to which two lengths of float64 tie: some thousand units in the last place
NARROW_SLACK = 2.0**-18  # of float32


def slack_of(dtype: np.dtype) -> Any:
    """Return the relative error up to which two lengths tie: none for integers."""
    if dtype.kind == "i":
        return np.int64(0)
    return SLACK if dtype == np.float64 else NARROW_SLACK


def has_zeros(graph: Graph) -> bool:
    """Tell whether some weight is 0; none is negative."""
    return graph.m > 0 and graph.min_weight == 0


def require_no_zero_cycle(graph: Graph, what: str = "paths can be counted", cure: str = "") -> None:
    """Refuse negative weights, and cycles of weight 0, around which there are infinitely many shortest walks."""
    from ..kernels.cpu.tight import find_zero_cycle

    if graph.m == 0 or graph.min_weight > 0:
        return
    assert graph.weights is not None
    if graph.min_weight < 0:
        e = int(np.argmin(graph.weights))
        raise MethodError(
            f"{what} only if no weight is negative; {graph.arc_name(e)} has {graph.weights[e]}. Give such arcs a "
            f"positive weight, or join their ends.{cure}"
        )
    e = int(find_zero_cycle(graph.offsets, graph.arcs, np.empty(graph.n, np.int64), np.empty(graph.n, np.int32)))
    if e >= 0:
        loop = row_of(graph.offsets, e) == graph.heads[e]
        alone = ", as every edge of weight 0 is in an undirected graph" if graph.undirected else ""
        raise MethodError(
            f"{what} only without cycles of weight 0, around which shortest walks have no end; {graph.arc_name(e)} "
            f"is part of one{alone}. Give it a positive weight, or {'drop it' if loop else 'join its ends'}.{cure}"
        )


def lost_in_rounding(what: str = "paths can be counted") -> MethodError:
    """Return the error for paths that cannot be told apart: a weight vanishes in sums, and zeros lead on or back."""
    return MethodError(
        f"{what} beside arcs of weight 0 only if sums keep every other weight; some are so small that they are lost in "
        "rounding. Use float64 instead of float32 weights, or whole numbers, or give small weights as 0."
    )


def tight_predecessors(graph: Graph, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (offsets, vertices): the vertices before each vertex on its shortest paths, ascending."""
    from ..kernels.cpu.brandes import list_tight

    mark, slack, zeros = unreached(row.dtype), slack_of(row.dtype), True if has_zeros(graph) else None
    offsets, none = np.zeros(graph.n + 1, np.int64), np.empty(0, np.int32)
    list_tight(graph.offsets, graph.arcs, row, mark, slack, zeros, offsets, none, False)
    np.cumsum(offsets, out=offsets)
    before = np.empty(int(offsets[-1]), np.int32)
    list_tight(graph.offsets, graph.arcs, row, mark, slack, zeros, offsets[:-1].copy(), before, True)
    if zeros and row.dtype.kind == "f" and not _is_acyclic(offsets, before):
        raise lost_in_rounding("all predecessors are listed")
    return offsets, before


def _is_acyclic(offsets: np.ndarray, before: np.ndarray) -> bool:
    """Tell whether vertices that precede others never precede each other; none precedes itself."""
    n = len(offsets) - 1
    arcs = csr_array((np.ones(len(before), np.int8), before, offsets), shape=(n, n))
    return bool(connected_components(arcs, connection="strong", return_labels=False) == n)

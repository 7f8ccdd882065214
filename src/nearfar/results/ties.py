"""Ties: which lengths are the same, and all vertices before a vertex on its shortest paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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


def tight_predecessors(graph: Graph, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (offsets, vertices): the vertices before each vertex on its shortest paths, ascending."""
    from ..kernels.cpu.brandes import list_tight

    mark, slack = unreached(row.dtype), slack_of(row.dtype)
    offsets, none = np.zeros(graph.n + 1, np.int64), np.empty(0, np.int32)
    list_tight(graph.offsets, graph.arcs, row, mark, slack, offsets, none, False)
    np.cumsum(offsets, out=offsets)
    before = np.empty(int(offsets[-1]), np.int32)
    list_tight(graph.offsets, graph.arcs, row, mark, slack, offsets[:-1].copy(), before, True)
    return offsets, before

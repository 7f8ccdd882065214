"""The edges of a graph, each once, as pictures show them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..graph import Graph

FEW = 64  # arcs of a vertex among which the arc back is looked for


class Edges(NamedTuple):
    """The two ends of each edge, and one of its arcs."""

    tails: np.ndarray
    heads: np.ndarray
    arcs: np.ndarray

    def where(self, wanted: np.ndarray) -> Edges:
        """Return some of the edges."""
        return Edges(self.tails[wanted], self.heads[wanted], self.arcs[wanted])


def edges_of(graph: Graph) -> Edges:
    """Return all edges but loops; the two arcs of an edge count once."""
    from ..kernels.cpu.strokes import list_edges

    ends = np.empty(graph.m, np.int32), np.empty(graph.m, np.int32), np.empty(graph.m, graph.offsets.dtype)
    found = list_edges(graph.offsets, graph.heads, not graph.undirected, FEW, *ends)
    return Edges(*(array[:found] for array in ends))

"""A graph without arcs that no shortest path takes: all that counting paths needs of it.

Where distances alone are wanted, an arc as long as its detour can go (prune.py); here it must stay, since the detour
and the arc are two shortest paths. Only integers tell strictly longer arcs: lengths of floats tie if they are nearly
the same, and an arc that is a little longer than its detour may be part of a tie between long paths. Of parallel arcs
the lightest stays, as they count as one path. In graphs with hubs this leaves little: a tenth of R-MAT 14 with weights
1 to 255.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..graph import Graph
from .prune import keep_arcs, prune
from .solvers import Solvers


@dataclass(frozen=True)
class Lean:
    """Some arcs of a graph, and which of its arcs these are; None: all of them."""

    graph: Graph
    kept: np.ndarray | None = None

    def spread(self, loads: np.ndarray, m: int) -> np.ndarray:
        """Return the loads of all ``m`` arcs of the graph: those that were left out have none."""
        if self.kept is None:
            return loads
        found = np.zeros(m)
        found[self.kept] = loads
        return found


def lean_graph(graph: Graph, threads: int, stop: np.ndarray, solvers: Solvers) -> Lean:
    """Return a graph with positive weights without the arcs that no shortest path takes, as far as they are found."""
    if graph.weights is None or graph.weights.dtype.kind == "f":
        return Lean(graph)
    marks = prune(graph, threads, stop, solvers, ties=False).marks
    return Lean(keep_arcs(graph, ~marks), np.flatnonzero(~marks)) if marks.any() else Lean(graph)

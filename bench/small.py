"""Time queries on small graphs against SciPy: ``python bench/small.py``.

What counts here is the road from the call to the kernel and back. The queries take turns, many times, and the best time
of each is printed, in microseconds. SciPy is given its matrix, in float64, and nearfar its graph: neither is converted
in the loop. SciPy has no query for one pair; it finds all distances and predecessors, and the path is not walked.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import nearfar
from nearfar import Graph, generate

ROUNDS, CALLS = 40, 25
SIDES = (5, 10, 32, 100)  # of road-like grids
Query = Callable[[], Any]


def queries(graph: Graph) -> dict[str, tuple[Query, Query]]:
    """Return pairs of queries, ours and SciPy's, by name."""
    matrix = csr_matrix((graph.weights.astype(np.float64), graph.heads, graph.offsets), shape=(graph.n, graph.n))
    last, some = graph.n - 1, np.arange(0, graph.n, max(1, graph.n // 16), dtype=np.int32)[:16]
    found = {
        "sssp": (lambda: nearfar.sssp(graph, 0), lambda: dijkstra(matrix, indices=0)),
        "mssp, 16 sources": (lambda: nearfar.mssp(graph, some), lambda: dijkstra(matrix, indices=some)),
        "distance": (lambda: nearfar.distance(graph, 0, last), lambda: dijkstra(matrix, indices=0)[last]),
        "path": (
            lambda: nearfar.path(graph, 0, last),
            lambda: dijkstra(matrix, indices=0, return_predecessors=True),
        ),
    }
    if graph.n <= 1024:
        found["apsp"] = (lambda: nearfar.apsp(graph), lambda: dijkstra(matrix))
    return found


def best_of_turns(asked: dict[str, tuple[Query, Query]]) -> dict[str, list[float]]:
    """Return the best seconds of each pair of queries."""
    best = {name: [np.inf, np.inf] for name in asked}
    for _ in range(ROUNDS):
        for name, pair in asked.items():
            for i, ask in enumerate(pair):
                for _ in range(CALLS):
                    began = time.perf_counter()
                    ask()
                    best[name][i] = min(best[name][i], time.perf_counter() - began)
    return best


def main() -> None:
    """Print a table for graphs of several sizes and types."""
    print(f"{'vertices':>8} {'weights':8} {'query':18} {'nearfar':>8} {'SciPy':>8}  microseconds")
    for side in SIDES:
        whole = generate.road_grid(side, side)
        for dtype in (np.int32, np.float64) if side > SIDES[0] else (np.int32, np.int64, np.float32, np.float64):
            weights = whole.weights.astype(dtype) * (2**31 if dtype == np.int64 else 1)
            graph = Graph.from_csr(whole.offsets, whole.heads, weights)
            for name, (ours, theirs) in best_of_turns(queries(graph)).items():
                kind = np.dtype(dtype).name
                print(f"{graph.n:8,} {kind:8} {name:18} {1e6 * ours:8.1f} {1e6 * theirs:8.1f}", flush=True)


if __name__ == "__main__":
    main()

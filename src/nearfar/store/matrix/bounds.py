"""No distance is longer than this: the type of a stored matrix is known before its first block.

In a strongly connected part, d(u, v) <= d(u, r) + d(r, v) for any vertex r of it: one row to r and one from r bound all
distances inside. A shortest path between parts passes through each of them at most once, so the longest sum along the
parts, which are connected without cycles, bounds the others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.query import Query, check
from ...engine.solve import solve
from ...graph import Graph

MOST = 2**62  # beyond it, sums could wrap


def longest_distance(graph: Graph, threads: int) -> int | None:
    """Return a bound on all distances of a graph whose weights are whole and not negative; None if there is none."""
    from scipy.sparse.csgraph import connected_components

    from ...kernels.cpu.condensed import longest_through

    if graph.n == 0 or graph.m == 0:
        return 0
    if graph.max_weight * graph.n >= MOST:
        return None
    count, parts = connected_components(_topology(graph), directed=not graph.undirected, connection="strong")
    roots = np.unique(parts, return_index=True)[1].astype(np.int32)
    inside = graph if graph.undirected or count == 1 else _inside(graph, parts)
    within = _reach(inside, roots, parts, "from", threads) + _reach(inside, roots, parts, "to", threads)
    if inside is graph:
        return int(within.max())
    members = np.argsort(parts, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(parts, minlength=count))))
    crossing = parts[graph.tails] != parts[graph.heads]
    pending = np.bincount(parts[graph.heads[crossing]], minlength=count)
    room = np.empty(count, np.int64)
    weights = np.empty(0, np.int64) if graph.weights is None else graph.weights
    ends: Any = graph.offsets, graph.arcs, weights, parts.astype(np.int64), members, starts, within, pending
    return int(longest_through(*ends, room, np.zeros(count, np.int64)))


def certain_type(query: Query) -> np.dtype:
    """Return the first type of a query that holds all distances, whichever these are."""
    types = query.types
    if len(types) == 1:
        return types[0]
    if types[0].kind == "f":
        return types[0] if _fits_floats(query) else types[-1]
    longest = query.cutoff if _is_short(query) else longest_distance(query.graph, query.threads)
    heaviest = query.graph.max_weight
    return next((t for t in types if longest is not None and longest + heaviest < np.iinfo(t).max), types[-1])


def _is_short(query: Query) -> bool:
    """Tell whether the cutoff alone keeps distances in the first type."""
    return query.cutoff is not None and query.cutoff + query.graph.max_weight < np.iinfo(query.types[0]).max


def _fits_floats(query: Query) -> bool:
    """Tell whether sums of floats stay in the range of the first type."""
    return bool(abs(query.graph.max_weight) * query.graph.n < float(np.finfo(query.types[0]).max))


def _topology(graph: Graph) -> Any:
    """Return the arcs as a matrix of SciPy, without their weights: zeros would be no arcs."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(graph.m, np.int8), graph.heads, graph.offsets), shape=(graph.n, graph.n))


def _inside(graph: Graph, parts: np.ndarray) -> Graph:
    """Return the graph without the arcs between different parts."""
    kept = parts[graph.tails] == parts[graph.heads]
    weights = None if graph.weights is None else graph.weights[kept]
    return Graph.from_arcs(graph.tails[kept], graph.heads[kept], weights, graph.n, keep_rows=False)


def _reach(graph: Graph, roots: np.ndarray, parts: np.ndarray, direction: str, threads: int) -> np.ndarray:
    """Return for each part how far its vertices are from its root, or the root from them, at most."""
    query = check(
        graph, roots[:1], seeds=np.sort(roots), single=True, direction=direction, dtype=np.int64, device="cpu",
        threads=threads,
    )  # fmt: skip
    found = np.zeros(len(roots), np.int64)
    np.maximum.at(found, parts, solve(query).rows[0])
    return found

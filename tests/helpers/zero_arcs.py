"""Small graphs with arcs of weight zero that form no cycle, and all their shortest paths, listed one by one."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from nearfar import Graph


@st.composite
def zero_arcs(draw: Any, most: int = 7) -> tuple[int, list[tuple[int, int, int]]]:
    """Draw n and arcs (tail, head, weight); arcs of weight zero lead upwards in some order of the vertices.

    There may be parallel arcs, loops with a weight, and edges, two arcs of the same weight.
    """
    n = draw(st.integers(2, most))
    level = draw(st.permutations(range(n)))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    arcs = []
    for (u, v), weight, both in draw(st.lists(st.tuples(ends, st.integers(0, 3), st.booleans()), max_size=18)):
        if weight:
            arcs += [(u, v, weight), (v, u, weight)] if both else [(u, v, weight)]
        elif u != v:
            arcs.append((u, v, 0) if level[u] < level[v] else (v, u, 0))
    return n, arcs


def graph_of(n: int, arcs: list[tuple[int, int, int]], kind: str = "int32") -> Graph:
    """Return the graph; floats are tenths, whose sums are rounded, so that equal lengths differ in the last bits."""
    tails, heads, weights = np.array(arcs, np.int64).reshape(-1, 3).T
    return Graph.from_arcs(tails, heads, (weights / 10 if kind.startswith("f") else weights).astype(kind), n=n)


def shortest_paths(n: int, arcs: list[tuple[int, int, int]], s: int) -> tuple[list[int | None], list[list[list[int]]]]:
    """Return the distance of every vertex from ``s``, and all shortest paths to it, without a repeated vertex."""
    out: list[dict[int, int]] = [{} for _ in range(n)]
    for u, v, weight in arcs:
        out[u][v] = min(weight, out[u].get(v, weight))
    best: list[int | None] = [None] * n
    found: list[list[list[int]]] = [[] for _ in range(n)]

    def go_on(path: list[int], length: int) -> None:
        v = path[-1]
        shortest = best[v]
        if shortest is None or length < shortest:
            best[v], found[v] = length, []
        if length == best[v]:
            found[v].append(path)
        for u, weight in out[v].items():
            if u not in path:
                go_on([*path, u], length + weight)

    go_on([s], 0)
    return best, found


def loads_of(
    n: int, arcs: list[tuple[int, int, int]], sources: Any = None, targets: Any = None, cutoff: int | None = None
) -> tuple[np.ndarray, np.ndarray, dict[tuple[int, int], float]]:
    """Return what passes through vertices, what starts or ends at them, and what passes from vertex to vertex."""
    through, ends, over = np.zeros(n), np.zeros(n), defaultdict(float)
    for s in range(n) if sources is None else sources:
        best, found = shortest_paths(n, arcs, s)
        for t in range(n) if targets is None else targets:
            if t == s or best[t] is None or (cutoff is not None and best[t] > cutoff):
                continue
            ends[[s, t]] += 1
            for path in found[t]:
                through[path[1:-1]] += 1 / len(found[t])
                for step in pairwise(path):
                    over[step] += 1 / len(found[t])
    return through, ends, over

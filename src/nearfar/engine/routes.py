"""Several paths between two vertices: the k shortest (Yen 1971), how many shortest ones there are, all predecessors."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import islice
from typing import Any

import numpy as np

from ..errors import MethodError
from ..graph import Graph
from ..results import Distances, limits
from ..results.ties import has_zeros, lost_in_rounding, slack_of
from .query import check
from .solve import solve_by_weights


class Spurs:
    """Shortest paths to one target that avoid some vertices: the row to the target, and work space for searches."""

    def __init__(self, graph: Graph, target: int, threads: int | None) -> None:
        to = check(graph, np.array([target], np.int32), single=True, direction="to", method="dijkstra", threads=threads)
        row = solve_by_weights(to).rows[0]
        kind = np.dtype(np.int64) if row.dtype.kind == "i" else row.dtype
        self.graph, self.target, self.is_positive = graph, target, graph.m > 0 and graph.min_weight > 0
        self.unreached = limits.unreached(kind)
        self.bound = limits.in_type(row, kind)
        n = graph.n
        self.dist, self.keys = np.full(n, self.unreached, kind), np.empty(n, kind)
        self.heap, self.positions = np.empty(n, np.int32), np.full(n, -1, np.int32)
        self.before, self.found = np.empty(n, np.int32), np.empty(n + 1, np.int32)
        self.avoided, self.closed = np.zeros(n, bool), np.zeros(n, bool)

    def find(self, root: list[int], heads: set[int]) -> list[int] | None:
        """Return a shortest path that begins with ``root`` and does not go on to one of ``heads``."""
        from ..kernels.cpu.yen import find_spur, walk_spur

        avoided, closed = root[:-1], list(heads)
        self.avoided[avoided], self.closed[closed] = True, True
        ends = (self.graph.offsets, self.graph.arcs, root[-1], self.target, self.bound, self.unreached)
        count = 0
        if self.is_positive:
            count = int(walk_spur(*ends, self.avoided, self.closed, self.found))
        if not count:
            count = int(find_spur(
                *ends, self.avoided, self.closed, self.unreached, self.dist.dtype.type(0), self.heap, self.keys,
                self.positions, self.dist, self.before, self.found,
            ))  # fmt: skip
        self.avoided[avoided], self.closed[closed] = False, False
        return [*root[:-1], *self.found[:count][::-1].tolist()] if count else None


def length_of(graph: Graph, path: list[int]) -> Any:
    """Return the length of a path over the lightest arcs, added along the path."""
    from ..graph.input_rows import lightest_along

    arcs = lightest_along(graph, np.array(path, np.int32))
    if graph.weights is None:
        return len(arcs)
    total: Any = 0
    for weight in graph.weights[arcs].tolist():
        total += weight
    return total


def shortest_routes(graph: Graph, source: int, target: int, k: int, threads: int | None) -> list[tuple[Any, list[int]]]:
    """Return the k shortest paths without a repeated vertex, with their lengths, the shortest first."""
    return list(islice(routes(graph, source, target, threads), k))


def routes(graph: Graph, source: int, target: int, threads: int | None) -> Iterator[tuple[Any, list[int]]]:
    """Yield the paths without a repeated vertex, with their lengths, the shortest first.

    A path is left at each of its vertices in turn; what leads on from there was found already, so other paths with the
    same beginning are closed there. Vertices before the one where a path left another were tried by that one (Lawler).
    """
    if graph.min_weight < 0:
        raise MethodError("several paths need weights >= 0. Use path(...) for the shortest one.")
    if source == target:
        yield 0, [source]
        return
    spurs = Spurs(graph, target, threads)
    first = spurs.find([source], set())
    if first is None:
        return
    waiting: list[tuple[Any, int, list[int], int]] = [(length_of(graph, first), 0, first, 0)]
    found: list[list[int]] = []
    known = {tuple(first)}
    while waiting:
        length, _, path, left = heappop(waiting)
        found.append(path)
        yield length, path
        for i in range(left, len(path) - 1):
            root = path[: i + 1]
            heads = {other[i + 1] for other in found if other[: i + 1] == root and len(other) > i + 1}
            candidate = spurs.find(root, heads)
            if candidate is not None and tuple(candidate) not in known:
                known.add(tuple(candidate))
                heappush(waiting, (length_of(graph, candidate), len(known), candidate, i))  # ties: first found first


def count_from_row(result: Distances) -> np.ndarray:
    """Return how many shortest paths lead from the source of a single row to every vertex."""
    from ..kernels.cpu.brandes import count_from, has_parallel
    from ..kernels.cpu.tight import count_sorted

    graph, row = result.searched, result.rows[0]
    mark, slack = limits.unreached(row.dtype), slack_of(row.dtype)
    order = np.argsort(row, kind="stable").astype(np.int32)[: int(np.count_nonzero(row != mark))]
    parallel = bool(has_parallel(graph.offsets, graph.arcs, np.empty(graph.n, np.int32)))
    ties, sigma = (row, mark, slack, parallel), np.zeros(graph.n)
    if not has_zeros(graph):
        count_from(graph.offsets, graph.arcs, order, *ties, sigma)
        return sigma
    source = result.source_indices[:1]
    found = np.concatenate([source, order[order != source]])  # there may be others at distance 0
    work = np.zeros(graph.n, np.int32), np.empty(graph.n, np.int32)
    if count_sorted(graph.offsets, graph.arcs, found, len(found), *ties, *work, sigma) < len(found):
        raise lost_in_rounding()
    return sigma

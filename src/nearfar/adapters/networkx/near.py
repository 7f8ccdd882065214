"""Whether a target is so near that NetworkX has found it before a query of nearfar could begin.

NetworkX's functions for a pair end at the target, and for neighbours that takes them 3 us. How far a target is, only a
search tells: so the first steps of NetworkX's own search are made here, in the same order but without paths, until they
have looked at so many edges that a query of nearfar takes no longer.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from heapq import heappop, heappush
from itertools import count, islice
from typing import Any

from .converted import least_of

# Edges that are looked at before the answer is no, measured on grids, paths, stars, random graphs and graphs with hubs,
# 10,000 nodes each: here this takes 15 and 25 us; NetworkX takes 40 to 60 us then, and nearfar 60 to 90.
BY_HOPS, BY_WEIGHT = 300, 120

FROM_BOTH_ENDS = {"has_path", "bidirectional_shortest_path"}
UP_TO_TARGET = {
    "dijkstra_path", "dijkstra_path_length", "single_source_dijkstra", "multi_source_dijkstra",
    "bidirectional_dijkstra", "astar_path", "astar_path_length",
}  # fmt: skip
EITHER = {"shortest_path", "shortest_path_length"}

_last: list[Any] = [None, False]  # the question before, by the ids of its objects, and its answer


def is_near(name: str, graph: Any, given: dict[str, Any], weight: Any) -> bool:
    """Tell whether a function ends at a target which its search comes to at once."""
    target, sources = given.get("target"), given.get("sources", [given.get("source")])
    if name in EITHER:
        name = "has_path" if weight is None else "dijkstra_path"
        if given.get("method", "dijkstra") != "dijkstra":
            return False  # which finds all rows
    if target is None or not hasattr(graph, "_adj") or name not in FROM_BOTH_ENDS | UP_TO_TARGET:
        return False
    asked = (id(graph), *map(id, sources), id(target), name in FROM_BOTH_ENDS) if len(sources) == 1 else None
    if asked is None or asked != _last[0]:  # functions that call others are asked for again
        _last[:] = asked, _looks_near(name, graph, sources, target, weight)
    return bool(_last[1])


def _looks_near(name: str, graph: Any, sources: Any, target: Hashable, weight: Any) -> bool:
    """Tell whether the first steps of a search end at the target."""
    try:
        if name in FROM_BOTH_ENDS:
            return _meets(graph._adj, getattr(graph, "_pred", graph._adj), sources[0], target)
        return _settles(graph, sources, target, weight)
    except (TypeError, KeyError):  # foreign nodes, weights that are no numbers: what runs says what is wrong
        return False


def _meets(there: Any, back: Any, source: Hashable, target: Hashable) -> bool:
    """Tell whether two breadth-first searches, from both ends, meet or end early."""
    rows, seen, fringes, left = (there, back), ({source}, {target}), [[source], [target]], BY_HOPS
    if source == target:
        return True
    while fringes[0] and fringes[1]:
        side = int(len(fringes[0]) > len(fringes[1]))
        mine, other, following = seen[side], seen[1 - side], []
        for v in fringes[side]:
            near = rows[side][v]
            for u in islice(near, left):
                if u in other:
                    return True
                if u not in mine:
                    mine.add(u)
                    following.append(u)
            left -= len(near) + 1
            if left <= 0:
                return False
        fringes[side] = following
    return True


def _settles(graph: Any, sources: Collection[Hashable], target: Hashable, weight: Any) -> bool:
    """Tell whether Dijkstra's search comes to the target, or ends, early."""
    rows, many, left, order = graph._adj, graph.is_multigraph(), BY_WEIGHT - len(sources) + 1, count()
    waiting: list[tuple[Any, int, Hashable]] = [(0, next(order), source) for source in sources]
    best: dict[Hashable, Any] = dict.fromkeys((source for _, _, source in waiting), 0)
    done = set()
    while waiting:
        length, _, v = heappop(waiting)
        if v == target:
            return True
        if v in done:
            continue
        done.add(v)
        near = rows[v]
        left -= len(near)
        if left < 0:
            return False
        for u, data in near.items():
            step = least_of(data, weight) if many else data.get(weight, 1)
            if step is not None and u not in done and (u not in best or length + step < best[u]):
                best[u] = length + step
                heappush(waiting, (length + step, next(order), u))
    return True

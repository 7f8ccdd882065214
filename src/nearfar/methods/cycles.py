"""Find a negative cycle when distances do not stop improving.

Take the arcs with ``dist[u] + w <= dist[v]``; those that gave the vertices their distances are among them. Around any
cycle of such arcs the weights sum to at most 0, and to less if the inequality is strict for one of them. So a strict
arc inside a strongly connected component proves a negative cycle, and one is found after enough rounds.

Floats need more care: around a cycle of length zero, or nearly zero, rounding may lower distances for ever by so little
that the inequality never holds for all arcs of the cycle at the same time. But after more rounds than a path can have
arcs, some walk must have gone around a cycle. From then on, an arc counts if the inequality holds up to rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph.passes import pieces_of

if TYPE_CHECKING:
    from ..graph import Graph


ROUNDING = 16  # units in the last place by which an arc's sum may miss the inequality and still count


def find_negative_cycle(graph: Graph, dist: np.ndarray, ceiling: Any, rounds: int = 0) -> list[int] | None:
    """Return the vertices of a negative cycle that the distances show after ``rounds`` rounds, or None. O(n + m)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    tails, heads, strict = _pulling_arcs(graph, dist, ceiling, rounds > 2 * graph.n)
    matrix = coo_array((np.ones(len(tails), np.bool_), (tails, heads)), shape=(graph.n, graph.n)).tocsr()
    _, component = connected_components(matrix, connection="strong")
    proof = np.flatnonzero(strict & (component[tails] == component[heads]))
    if not len(proof):
        return None
    u, v = int(tails[proof[0]]), int(heads[proof[0]])
    inside = component[tails] == component[u]
    matrix = coo_array(
        (np.ones(inside.sum(), np.bool_), (tails[inside], heads[inside])), shape=(graph.n, graph.n)
    ).tocsr()
    _, before = breadth_first_order(matrix, v, return_predecessors=True)
    cycle = [u]
    while cycle[-1] != v:
        cycle.append(int(before[cycle[-1]]))
    return cycle[::-1]


def _pulling_arcs(
    graph: Graph, dist: np.ndarray, ceiling: Any, loosely: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tails and heads of the arcs with ``dist[u] + w <= dist[v]``, and for which of them it is strict.

    ``loosely``: for floats, also the arcs for which it holds up to rounding.
    """
    found = [_pulling(piece.tails, piece.arcs, dist, ceiling, loosely) for piece in pieces_of(graph)]
    if not found:
        return np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.bool_)
    tails, heads, strict = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return tails, heads, strict


def _pulling(
    tails: np.ndarray, arcs: np.ndarray, dist: np.ndarray, ceiling: Any, loosely: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what `_pulling_arcs` does, of some arcs."""
    known = dist[tails] != ceiling
    tails, heads, weights = tails[known], arcs["head"][known], arcs["weight"][known]
    wide = dist.dtype if dist.dtype.kind == "f" else np.int64
    offers = dist[tails].astype(wide) + weights
    pulling = offers <= dist[heads]
    if loosely and dist.dtype.kind == "f":
        size = np.abs(dist[tails]) + np.abs(weights)
        pulling |= offers - dist[heads] <= ROUNDING * np.finfo(dist.dtype).eps * size
    return tails[pulling], heads[pulling], (offers < dist[heads])[pulling]

"""The facts of `Graph.describe`: size, degrees, weights, components, memory; of a large graph on all threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..description import Description
from ..devices import cpu
from .arrays import Array
from .rows import FEW

if TYPE_CHECKING:
    from .graph import Graph

PART = 1 << 20  # arcs looked at by a thread before it takes the next part


class Components(NamedTuple):
    """How many weakly connected components there are, the vertices of the largest, and how many arcs are loops."""

    number: int
    largest: int
    loops: int


def describe_graph(graph: Graph, few: int = FEW) -> Description:
    """Implement `Graph.describe`: size, degrees, weights, components, loops, memory, names.

    The components of a graph of ``few`` arcs are counted without Numba.
    """
    from .passes import is_on_disk

    degrees = np.diff(graph.offsets)
    if graph.m > few and is_on_disk(graph):
        found, signs = _from_disk(graph)
    else:
        found, signs = (_find_components if graph.m > few else _components_of_few)(graph), _count_signs(graph)
    return Description(
        vertices=graph.n,
        arcs=graph.m,
        undirected=graph.undirected,
        min_degree=int(degrees.min()) if graph.n else 0,
        mean_degree=graph.m / graph.n if graph.n else 0.0,
        max_degree=graph.max_degree,
        **_describe_weights(graph, signs),
        components=found.number,
        largest_component=found.largest,
        self_loops=found.loops,
        bytes=graph.nbytes,
        named=graph.names is not None,
        coordinates=graph.coordinates is not None,
        **{f"unit_of_{what}": unit for what, unit in graph.units._asdict().items() if unit is not None},
    )


def _count_signs(graph: Graph) -> list[tuple[int, int]]:
    """Return for each part of the arcs how many weights are zero, and how many are negative."""
    weights = graph.weights
    return [] if weights is None else _in_parts(lambda low, high: _signs(weights[low:high]), graph.m)


def _describe_weights(graph: Graph, signs: list[tuple[int, int]]) -> dict[str, Any]:
    """Describe the weights; in an unweighted graph every arc has weight 1."""
    return {
        "weight_type": "unweighted" if graph.weight_dtype is None else str(graph.weight_dtype),
        "min_weight": graph.min_weight,
        "mean_weight": graph.mean_weight,
        "max_weight": graph.max_weight,
        "zero_weights": sum(zeros for zeros, _ in signs),
        "negative_weights": sum(negative for _, negative in signs),
    }


def _signs(weights: Array) -> tuple[int, int]:
    """Return how many weights are zero, and how many are negative."""
    return len(weights) - int(np.count_nonzero(weights)), int(np.count_nonzero(weights < 0))


def _in_parts(do: Callable[[int, int], Any], m: int) -> list[Any]:
    """Return ``do(low, high)`` for all parts of m arcs, in any order: on all threads if there are many."""
    found: list[Any] = []
    parts = -(-m // PART)
    new_worker = lambda: lambda p: found.append(do(p * PART, min((p + 1) * PART, m)))  # noqa: E731
    cpu.share_out(new_worker, parts, cpu.facts().cores if parts > 1 else 0, np.zeros(1, np.int64))
    return found


def _components_of_few(graph: Graph) -> Components:
    """Count the components with SciPy."""
    if graph.n == 0:
        return Components(0, 0, 0)
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    shape = (graph.n, graph.n)
    pattern = csr_array((np.ones(graph.m), np.ascontiguousarray(graph.heads), graph.offsets), shape=shape)
    count, labels = connected_components(pattern, directed=True, connection="weak")
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.offsets))
    return Components(int(count), int(np.bincount(labels).max()), int(np.count_nonzero(graph.heads == tails)))


def _find_components(graph: Graph) -> Components:
    """Count the components by a forest that all threads grow (kernels/cpu/components.py)."""
    from ..kernels.cpu.components import count_members, join_rows

    parents, members = np.arange(graph.n, dtype=np.int32), np.zeros(graph.n, np.int32)

    def join(low: int, high: int) -> int:
        cuts = np.array([low, high], graph.offsets.dtype)  # their type: to search for another one copies all offsets
        first, last = np.searchsorted(graph.offsets[:-1], cuts)
        return int(join_rows(graph.offsets[first : last + 1], graph.heads, first, parents))

    loops = sum(_in_parts(join, graph.m))
    count_members(parents, members)
    return Components(int(np.count_nonzero(members)), int(members.max()), loops)


def _from_disk(graph: Graph) -> tuple[Components, list[tuple[int, int]]]:
    """Count components, and weights by their signs, in one pass over arcs that stay on the disk."""
    from ..kernels.cpu.components import count_members, join_rows
    from .passes import pieces_of

    parents, members = np.arange(graph.n, dtype=np.int32), np.zeros(graph.n, np.int32)
    signs, loops = [], 0
    for piece in pieces_of(graph):
        loops += int(join_rows(piece.offsets, piece.arcs["head"], piece.first, parents))
        if graph.weight_dtype is not None:
            signs.append(_signs(piece.arcs["weight"]))
    count_members(parents, members)
    return Components(int(np.count_nonzero(members)), int(members.max()), loops), signs

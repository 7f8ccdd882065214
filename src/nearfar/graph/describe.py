"""The facts of `Graph.describe`: size, degrees, weights, components, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import Description

if TYPE_CHECKING:
    from .graph import Graph


def describe_graph(graph: Graph) -> Description:
    """Implement `Graph.describe`: size, degrees, weights, components, loops, memory, names."""
    degrees = np.diff(graph.offsets)
    count, largest = _components(graph)
    return Description(
        vertices=graph.n,
        arcs=graph.m,
        undirected=graph.undirected,
        min_degree=int(degrees.min()) if graph.n else 0,
        mean_degree=graph.m / graph.n if graph.n else 0.0,
        max_degree=graph.max_degree,
        **_describe_weights(graph),
        components=count,
        largest_component=largest,
        self_loops=int(np.count_nonzero(graph.heads == np.repeat(np.arange(graph.n, dtype=np.int32), degrees))),
        bytes=graph.nbytes,
        named=graph.names is not None,
        coordinates=graph.coordinates is not None,
    )


def _describe_weights(graph: Graph) -> dict[str, Any]:
    """Describe the weights; in an unweighted graph every arc has weight 1."""
    weights = graph.weights
    return {
        "weight_type": "unweighted" if weights is None else str(weights.dtype),
        "min_weight": graph.min_weight,
        "mean_weight": graph.mean_weight,
        "max_weight": graph.max_weight,
        "zero_weights": 0 if weights is None else graph.m - int(np.count_nonzero(weights)),
        "negative_weights": 0 if weights is None else int(np.count_nonzero(weights < 0)),
    }


def _components(graph: Graph) -> tuple[int, int]:
    """Count the weakly connected components, and the vertices of the largest."""
    if graph.n == 0:
        return 0, 0
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    shape = (graph.n, graph.n)
    pattern = csr_array((np.ones(graph.m), np.ascontiguousarray(graph.heads), graph.offsets), shape=shape)
    count, labels = connected_components(pattern, directed=True, connection="weak")
    return int(count), int(np.bincount(labels).max())

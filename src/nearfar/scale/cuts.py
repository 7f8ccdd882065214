"""Ways to cut a graph into parts: METIS, straight lines between coordinates, ranges of indices.

Each returns the part of every vertex. Parts shall have about as many arcs, and few arcs between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..description import format_bytes
from ..errors import MissingDependencyError, OptionError, option
from ..graph import Graph
from ..graph.arrays import Array
from ..graph.parts import label_type, range_labels

METIS_BYTES = 40  # per arc and vertex, at most: its copies of the graph, each half as large as the one before


def by_ranges(graph: Graph, parts: int) -> Array:
    """Cut the list of vertices into ranges with about as many arcs each."""
    if not graph.n:
        return range_labels(0, parts)
    ends = np.asarray(graph.offsets[1:], np.float64) + np.arange(1, graph.n + 1)  # arcs and vertices up to each
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, parts) / parts)
    return np.searchsorted(cuts, np.arange(graph.n), side="left").astype(label_type(parts))


def by_coordinates(graph: Graph, parts: int) -> Array:
    """Cut along coordinates: each piece across its longer side, so that both sides have their share of the arcs."""
    assert graph.coordinates is not None
    labels = np.zeros(graph.n, label_type(parts))
    weights = np.diff(graph.offsets).astype(np.float64) + 1
    pending = [(np.arange(graph.n, dtype=np.int32), 0, parts)]
    while pending:
        members, first, count = pending.pop()
        if count == 1 or not len(members):
            labels[members] = first
            continue
        less = count // 2
        order = members[np.argsort(_longer_side(graph.coordinates[members]), kind="stable")]
        sums = np.cumsum(weights[order])
        at = int(np.searchsorted(sums, sums[-1] * less / count))
        pending += [(order[:at], first, less), (order[at:], first + less, count - less)]
    return labels


def _longer_side(points: Array) -> Array:
    """Return the coordinates of points along the axis in which they extend farther; NaN does not count."""
    finite = points[np.isfinite(points).all(axis=1)]
    extent = np.ptp(finite, axis=0) if len(finite) else np.zeros(2)
    along: Array = points[:, int(extent[1] > extent[0])]
    return along


def by_metis(graph: Graph, parts: int) -> Array:
    """Cut with METIS (Karypis and Kumar 1998), which contracts edges, cuts what is left, and refines."""
    pymetis = load_metis()
    if not graph.m or parts == 1:
        return range_labels(graph.n, parts)
    offsets, heads = _both_directions(graph)
    adjacency = pymetis.CSRAdjacency(offsets, heads)
    weights = (np.diff(graph.offsets) + 1).astype(np.int32)
    options = pymetis.Options(seed=1)
    _, found = pymetis.part_graph(parts, adjacency, vweights=weights, options=options, recursive=False)
    return np.asarray(found).astype(label_type(parts))


def load_metis() -> Any:
    """Load pymetis."""
    try:
        import pymetis
    except ImportError as error:
        raise MissingDependencyError(
            f"to cut a graph with METIS needs pymetis ({error}). Install it with pip install 'nearfar[partition]', or "
            f"use {option('how', 'coordinates')} or {option('how', 'ranges')}."
        ) from error
    return pymetis


def metis_bytes(graph: Graph) -> int:
    """Return an estimate of the memory that METIS takes, with the copy of the graph that it is given."""
    return METIS_BYTES * (graph.n + graph.m * (1 if graph.undirected else 2))


def _both_directions(graph: Graph) -> tuple[Array, Array]:
    """Return offsets and heads of the graph with each arc in both directions, and without loops."""
    from scipy import sparse

    ones = np.ones(graph.m, np.int8)
    matrix = sparse.csr_array((ones, np.asarray(graph.heads), np.asarray(graph.offsets)), (graph.n, graph.n))
    if not graph.undirected:
        matrix = matrix + matrix.T
    matrix = sparse.csr_array(matrix)
    matrix.setdiag(0)
    matrix.sum_duplicates()
    matrix.data[:] = matrix.data != 0
    matrix.eliminate_zeros()
    return matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)


def most_parts(graph: Graph, parts: Any) -> int:
    """Return the number of parts, checked."""
    if isinstance(parts, bool) or not isinstance(parts, int | np.integer):
        raise OptionError(f"parts is {parts!r:.60}, a {type(parts).__name__}; give a whole number, such as 16.")
    most = 2**16 - 1
    if not 1 <= parts <= most:
        raise OptionError(f"parts is {parts}; a graph is cut into 1 to {most:,} parts.")
    return int(parts)


def refusal(how: str, graph: Graph, memory: int) -> str | None:
    """Return why a graph cannot be cut in some way; None if it can."""
    if how == "coordinates" and graph.coordinates is None:
        return "the graph has no coordinates"
    if how == "metis":
        needed = metis_bytes(graph)
        if needed > memory:
            return f"METIS needs about {format_bytes(needed)}, and {format_bytes(memory)} may be used"
        if graph.m * (1 if graph.undirected else 2) >= 2**31:
            return "METIS counts arcs with 32 bits"
    return None


WAYS = {"metis": by_metis, "coordinates": by_coordinates, "ranges": by_ranges}

"""Layouts for graphs without coordinates: in layers from a source, or by distances.

*Layers*: a vertex stands as far to the right as it has hops from the source. Within a layer, vertices are ordered by
the mean position of their neighbours, again and again, which leaves few crossings (Sugiyama's method).

*Spectral*: distances from some pivots, far from each other, are centred; their two main directions are the positions
(Brandes, Pich: Eigensolver methods for progressive multidimensional scaling. GD 2006). A road network gets nearly the
shape of its map so, because distances along roads are nearly those of the crow. Components stand side by side.
"""

from __future__ import annotations

import numpy as np

from ..errors import GraphError, in_python, option
from ..graph import Graph
from .edges import edges_of
from .looks import Style
from .plane import Plane

LAYERED = 200  # up to so many vertices, layers are chosen
MOST = 20_000  # vertices that are laid out if nothing is asked for: of more, no shape is left
PIVOTS = 50
TOGETHER = 25  # components that are laid out one by one; all smaller ones become a row of dots
SWEEPS = 12  # over the layers


def lay_out(graph: Graph, style: Style, starts: np.ndarray) -> Plane:
    """Return where the vertices of a graph without coordinates are drawn."""
    if style.layout == "coordinates":
        raise GraphError(f"{option('layout', 'coordinates')} is not possible: the graph has no coordinates. {_cure()}")
    if style.scale != "auto" and graph.coordinates is None:
        raise GraphError(f"{option('scale', style.scale)} is not possible: the graph has no coordinates. {_cure()}")
    chosen = style.layout
    if chosen == "auto":
        if graph.n > MOST:
            raise GraphError(
                f"the graph has no coordinates, and {graph.n:,} vertices are too many for a readable layout; up to "
                f"{MOST:,} are laid out by themselves. {_cure()} Or let distances shape it: "
                f"{option('layout', 'spectral')}, which suits roads, not social networks."
            )
        chosen = "layers" if graph.n <= LAYERED else "spectral"
    if chosen == "layers":
        return Plane(layered(graph, starts), None, "by hops from the source" if len(starts) else "by hops")
    return Plane(spectral(graph), None, "laid out by distances")


def _cure() -> str:
    """Return what gives a graph coordinates."""
    return f"Give them when it is read{in_python(' or built')}, by {option('coordinates')}."


def layered(graph: Graph, starts: np.ndarray) -> np.ndarray:
    """Return positions in layers of equal hops from the starts; without starts, from the vertex with the most arcs."""
    if not graph.n:
        return np.zeros((0, 2))
    level = _levels(graph, starts if len(starts) else np.array([graph.busiest]))
    edges = edges_of(graph)
    ends = np.concatenate((edges.tails, edges.heads)), np.concatenate((edges.heads, edges.tails))
    degrees = np.bincount(ends[0], minlength=graph.n)
    sizes = np.bincount(level)
    high = np.empty(graph.n)
    order = np.lexsort((np.arange(graph.n), level))
    for _ in range(SWEEPS):
        rank = np.empty(graph.n)
        rank[order] = np.arange(graph.n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        high = (rank + 0.5) / sizes[level]  # between 0 and 1 in every layer
        means = np.bincount(ends[0], high[ends[1]], graph.n) / np.maximum(degrees, 1)
        order = np.lexsort((np.where(degrees > 0, means, high), level))
    layers, widest = int(level.max()), int(sizes.max())
    # the shape of the page: 3 to 2, unless layers are few or thin
    across = np.clip(1.5 * widest / max(layers, 1), 1.0, 4.0) if widest > 1 else 1.0
    return np.stack((level * across, -(high - 0.5) * max(widest, 1)), axis=1)


def _levels(graph: Graph, starts: np.ndarray) -> np.ndarray:
    """Return the hops from the starts, against arcs too if need be; vertices that are apart come last."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    shape = (graph.n, graph.n)
    ones = np.ones(graph.m, np.int8)
    matrix = csr_array((ones, (graph.tails, graph.heads)), shape=shape)
    hops = np.full(graph.n, np.inf)
    for directed in (True, False):  # first along arcs; what remains, against them
        more = dijkstra(matrix, directed=directed, indices=starts, unweighted=True, min_only=True)
        hops = np.where(np.isinf(hops), more, hops)
    deepest = int(hops.max(where=np.isfinite(hops), initial=0))
    return np.where(np.isfinite(hops), hops, deepest + 1).astype(np.int64)


def spectral(graph: Graph) -> np.ndarray:
    """Return positions by the distances from pivots; the largest components first, in rows."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    edges = edges_of(graph)
    ones = np.ones(len(edges.tails), np.int8)
    _, labels = connected_components(csr_array((ones, (edges.tails, edges.heads)), shape=(graph.n, graph.n)), False)
    sizes = np.bincount(labels) if graph.n else np.zeros(0, np.int64)
    order = np.argsort(-sizes, kind="stable")
    both = _undirected(graph)
    boxes: list[tuple[np.ndarray, np.ndarray]] = []
    for i, label in enumerate(order.tolist()):
        members = np.flatnonzero(labels == label) if i < TOGETHER and sizes[label] > 1 else None
        if members is None:
            break
        boxes.append((members, _scaled(_component(both, members), len(members))))
    rest = np.flatnonzero(~np.isin(labels, order[: len(boxes)]))
    return _packed(graph.n, boxes, rest)


def _undirected(graph: Graph) -> Graph:
    """Return a graph to measure distances in: both directions; hops if weights are not lengths."""
    lengths = graph.weights if graph.weights is not None and graph.min_weight >= 0 and graph.max_weight > 0 else None
    if graph.undirected:
        return graph if lengths is not None or graph.weights is None else graph.with_weights(None)
    return Graph.from_arcs(graph.tails, graph.heads, lengths, graph.n, undirected=True, keep_rows=False)


def _component(both: Graph, members: np.ndarray) -> np.ndarray:
    """Return positions of the vertices of one component."""
    from ..api import sssp

    if len(members) == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    names = both.without_names()
    rows: list[np.ndarray] = []
    nearest = np.full(len(members), np.inf)
    pivot = int(members[0])
    for _ in range(min(PIVOTS, len(members))):
        found = sssp(names, pivot, progress=False).as_float()[members]
        rows.append(found)
        nearest = np.minimum(nearest, found)
        pivot = int(members[nearest.argmax()])
    squares = np.stack(rows, axis=1) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    points = centred @ vectors[:, [-1, -2]] if vectors.shape[1] > 1 else np.zeros((len(members), 2))
    signs = np.sign(points[np.abs(points).argmax(axis=0), [0, 1]])  # the same picture on every machine
    return points * np.where(signs == 0, 1, signs)


def _scaled(points: np.ndarray, count: int) -> np.ndarray:
    """Return positions moved to (0, 0) and scaled so that the area fits the number of vertices."""
    points = points - points.min(axis=0)
    size = points.max(axis=0)
    longest = float(size.max()) or 1.0
    return points * (np.sqrt(count) / longest)


def _packed(n: int, boxes: list[tuple[np.ndarray, np.ndarray]], rest: np.ndarray) -> np.ndarray:
    """Return all positions: components in rows below each other, then single vertices as a block of dots."""
    out = np.zeros((n, 2))
    wide = max([float(points[:, 0].max()) for _, points in boxes] + [np.sqrt(max(len(rest), 1))])
    x = y = high = 0.0
    for members, points in boxes:
        size = points.max(axis=0)
        if x > 0 and x + size[0] > wide * 1.001:
            x, y, high = 0.0, y - high - 0.06 * wide, 0.0
        out[members] = points + np.array([x, y - size[1]])
        x, high = x + size[0] + 0.06 * wide, max(high, size[1])
    if len(rest):
        across = max(1, int(np.ceil(np.sqrt(len(rest) * 8))))
        row, column = np.divmod(np.arange(len(rest)), across)
        step = wide / across
        out[rest] = np.stack(((column + 0.5) * step, y - high - 0.06 * wide - row * step), axis=1)
    return out

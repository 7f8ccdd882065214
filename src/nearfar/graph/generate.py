"""Seeded graphs for demonstrations, tests and benchmarks: the same arguments give the same graph everywhere.

Randomness comes from NumPy's PCG64, as in `numpy.random.default_rng`. The road-like grid is a model of networks with
low degree and large diameter, R-MAT of social networks (few hops, very uneven degrees), the geometric graph of meshes
and sensor networks, the complete graph of dense matrices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import OptionError, option
from .above import above
from .arrays import Array, shorten, take_size
from .asked import number, random_of, whole
from .city import city as city
from .graph import Graph
from .rmat import BATCH, draw_pairs
from .rows import FEW


def road_grid(
    rows: int,
    cols: int,
    seed: int = 0,
    keep: float = 0.7,
    spacing: float = 1000.0,
    *,
    out: Any = None,
    memory: float | str | None = None,
) -> Graph:
    """Return a connected, planar, road-like network: crossings on an uneven grid, some streets missing.

    Parameters
    ----------
    rows, cols : int
        Number of crossings down and across; vertex ``r * cols + c`` is at row r, column c.
    seed : int
    keep : float
        The share of the grid's streets that are kept, 0 to 1. A random spanning tree is always kept, so that every
        crossing can be reached; 0.7 gives a mean degree of 2.8, as in real road networks.
    spacing : float
        Typical distance between neighbouring crossings, in the unit of the coordinates and of the weights.
    out : str or Path, optional
        A name that ends in .nearfar: the same graph is written there, without being in memory, and opened.
    memory : int or str, optional
        The memory that may be used with ``out``, in bytes or like "2GB"; half of what is free by default.

    Returns
    -------
    Graph
        Undirected; int32 weights, never shorter than the straight line (except for rounding); coordinates.

    Examples
    --------
    >>> from nearfar.graph.generate import road_grid
    >>> graph = road_grid(30, 40, seed=1)
    >>> graph.n, graph.undirected, graph.describe()["components"]
    (1200, True, 1)
    """
    rows, cols = whole(rows, "rows", 1), whole(cols, "cols", 1)
    keep = number(keep, "keep", 0.0, 1.0)
    spacing = number(spacing, "spacing", 0.0, 1e6)
    rng = random_of(seed)
    if out is not None:
        take_size(rows * cols)
        asked = {"rows": rows, "cols": cols, "keep": keep, "spacing": spacing}
        stored: Graph = above("generate.road_grid")(asked, rng, out, memory)
        return stored
    _no_memory(memory)
    points = _crossings(rows, cols, rng, spacing)
    ids = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
    tails = np.concatenate((ids[:, :-1].ravel(), ids[:-1].ravel()))
    heads = np.concatenate((ids[:, 1:].ravel(), ids[1:].ravel()))
    built = _build_streets(tails, heads, rows * cols, keep, rng)
    tails, heads = tails[built], heads[built]
    bend = np.exp(np.abs(rng.normal(0.0, 0.25, len(tails))))  # streets wind: longer than the straight line
    lengths = np.maximum(1, np.rint(_straight(points, tails, heads) * bend)).astype(np.int64)
    return Graph.from_arcs(tails, heads, lengths, rows * cols, undirected=True, coordinates=points)


def _crossings(rows: int, cols: int, rng: np.random.Generator, spacing: float) -> Array:
    """Return the coordinates: uneven gaps between the lines, crossings moved by less than half a gap (so planar)."""
    (x, x_reach), (y, y_reach) = (draw_axis(count, rng, spacing) for count in (cols, rows))
    shift = rng.uniform(-1.0, 1.0, (2, rows, cols))
    return np.stack((x + shift[0] * x_reach, y[:, None] + shift[1] * y_reach[:, None]), axis=-1).reshape(-1, 2)


def draw_axis(count: int, rng: np.random.Generator, spacing: float) -> tuple[Array, Array]:
    """Draw where the lines of one direction lie; and how far crossings may be from them."""
    gaps = spacing * np.exp(rng.normal(0.0, 0.5, count + 1))
    return np.cumsum(gaps[:-1]), 0.4 * np.minimum(gaps[:-1], gaps[1:])


def _build_streets(tails: Array, heads: Array, n: int, keep: float, rng: np.random.Generator) -> Array:
    """Choose the streets: a spanning tree, then more at random until their share is ``keep``."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    luck = 1.0 + rng.random(len(tails))  # from 1, as csgraph takes 0 for no edge
    rank = np.empty(len(tails))
    rank[np.argsort(luck, kind="stable")] = np.arange(1, len(tails) + 1)  # distinct, so the tree is unique
    if len(tails) == 0:
        return np.zeros(0, bool)
    tree = minimum_spanning_tree(coo_array((rank, (tails, heads)), shape=(n, n)).tocsr())
    chosen = np.zeros(len(tails), bool)
    chosen[np.argsort(rank)[tree.data.astype(np.int64) - 1]] = True
    more = round(keep * len(tails)) - int(chosen.sum())
    if more > 0:
        spare = np.flatnonzero(~chosen)
        chosen[spare[np.argsort(luck[spare], kind="stable")[:more]]] = True
    return chosen


def rmat(
    scale: int,
    edge_factor: int = 16,
    seed: int = 0,
    max_weight: int | None = 255,
    undirected: bool = True,
    *,
    out: Any = None,
    memory: float | str | None = None,
    keep_rows: bool = True,
) -> Graph:
    """Return an R-MAT (Kronecker) graph of 2**scale vertices, with the probabilities of Graph500.

    Parameters
    ----------
    scale : int
        The graph has 2**scale vertices; some have no arcs.
    edge_factor : int
        Edges drawn per vertex; loops and edges drawn twice are then removed.
    seed : int
    max_weight : int or None
        Weights are whole numbers drawn from 1 to this; None gives an unweighted graph.
    undirected : bool
    out : str or Path, optional
        A name that ends in .nearfar: the same graph is written there, without being in memory, and opened.
    memory : int or str, optional
        The memory that may be used with ``out``, in bytes or like "2GB"; half of what is free by default.
    keep_rows : bool
        Whether arcs remember the number of their edge: see `Graph.rows`.

    References
    ----------
    Chakrabarti, Zhan, Faloutsos: R-MAT: A recursive model for graph mining. SDM 2004.

    Examples
    --------
    >>> from nearfar.graph.generate import rmat
    >>> graph = rmat(8, seed=1)
    >>> graph.n, graph.min_weight, graph.max_weight
    (256, 1, 255)
    """
    scale, edge_factor = whole(scale, "scale", 0, 30), whole(edge_factor, "edge_factor", 0)
    rng = random_of(seed)
    n, m = 1 << scale, edge_factor << scale
    if out is not None:
        asked = {"scale": scale, "edges": m, "undirected": bool(undirected), "keep_rows": keep_rows}
        stored: Graph = above("generate.rmat")(asked | {"most": _most(max_weight)}, rng, out, memory)
        return stored
    _no_memory(memory)
    tails, heads = _rmat_pairs(rng, scale, m, undirected)
    weights = _draw_weights(len(tails), max_weight, rng)
    return Graph.from_arcs(tails, heads, weights, n, undirected, keep_rows=keep_rows)


def _no_memory(memory: Any) -> None:
    """Refuse a bound on the memory for a graph that is made in memory."""
    if memory is not None:
        raise OptionError(
            f"memory is {shorten(memory)}, but bounds only graphs that are written. Give {option('out')}."
        )


def _rmat_pairs(
    rng: np.random.Generator, scale: int, m: int, undirected: bool, few: int = FEW, batch: int = BATCH
) -> tuple[Array, Array]:
    """Draw m edges; return the tails and heads of the distinct ones that are no loops, in order."""
    label = rng.permutation(1 << scale)
    if m > few:
        return draw_pairs(rng, scale, m, batch, label, undirected)
    keys = [_rmat_keys(min(batch, m - low), scale, label, undirected, rng) for low in range(0, m, batch)]
    pairs = np.unique(np.concatenate(keys)) if keys else np.empty(0, np.int64)
    return (pairs >> scale).astype(np.int32), (pairs & ((1 << scale) - 1)).astype(np.int32)


def _rmat_keys(count: int, scale: int, label: Array, undirected: bool, rng: np.random.Generator) -> Array:
    """Draw edges bit by bit; return tail * n + head for those that are not loops."""
    tails, heads = np.zeros(count, np.int64), np.zeros(count, np.int64)
    for _ in range(scale):
        draw = rng.random(count)  # quadrants: a to .57, b to .76, c to .95, d to 1
        tails = (tails << 1) | (draw >= 0.76)
        heads = (heads << 1) | (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    tails, heads = label[tails], label[heads]
    if undirected:
        tails, heads = np.minimum(tails, heads), np.maximum(tails, heads)
    keys: Array = ((tails << scale) | heads)[tails != heads]
    return keys


def geometric(n: int, degree: float = 8.0, seed: int = 0, radius: float | None = None) -> Graph:
    """Return a random geometric graph: points in the unit square, joined when nearer than a radius.

    Parameters
    ----------
    n : int
    degree : float
        The mean degree to aim at (points near the border have fewer neighbours); sets the radius.
    seed : int
    radius : float, optional
        Given, it overrides ``degree``.

    Returns
    -------
    Graph
        Undirected; float64 weights, the Euclidean distances; coordinates. Not always connected.

    Examples
    --------
    >>> from nearfar.graph.generate import geometric
    >>> graph = geometric(500, seed=1)
    >>> graph.n, str(graph.weight_dtype), graph.coordinates.shape
    (500, 'float64', (500, 2))
    """
    n, degree = whole(n, "n", 0), number(degree, "degree", 0.0, math.inf)
    reach = math.sqrt(degree / (math.pi * max(n, 1))) if radius is None else number(radius, "radius", 0.0, math.inf)
    from scipy.spatial import cKDTree

    points = random_of(seed).random((n, 2))
    pairs = cKDTree(points).query_pairs(reach, output_type="ndarray") if n else np.empty((0, 2), np.int64)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]  # the tree's own order may change between versions
    tails, heads = pairs[:, 0], pairs[:, 1]
    return Graph.from_arcs(tails, heads, _straight(points, tails, heads), n, undirected=True, coordinates=points)


def complete(n: int, seed: int = 0, max_weight: int | None = 255, undirected: bool = True) -> Graph:
    """Return the complete graph of n vertices: an arc from each to each other.

    Parameters
    ----------
    n : int
    seed : int
    max_weight : int or None
        Weights are whole numbers drawn from 1 to this; None gives an unweighted graph.
    undirected : bool
        Whether both directions of a pair have the same weight.

    Examples
    --------
    >>> from nearfar.graph.generate import complete
    >>> complete(5, max_weight=None)
    Graph(n=5, m=20, unweighted)
    """
    n = whole(n, "n", 0)
    rng = random_of(seed)
    tails, heads = np.triu_indices(n, 1) if undirected else np.nonzero(~np.eye(n, dtype=bool))
    weights = _draw_weights(len(tails), max_weight, rng)
    return Graph.from_arcs(tails, heads, weights, n, undirected)


def _straight(points: Array, tails: Array, heads: Array) -> Array:
    """Return the Euclidean distances between the ends of arcs."""
    x, y = (points[tails] - points[heads]).T
    return np.hypot(x, y)


def _draw_weights(m: int, max_weight: Any, rng: np.random.Generator) -> Array | None:
    """Draw integer weights from 1 to ``max_weight``; None if that is None."""
    most = _most(max_weight)
    if most is None:
        return None
    weights = np.empty(m, np.int32 if most < 2**31 else np.int64)
    for low in range(0, m, BATCH):  # drawn as int64, whatever they are kept as: other types have other streams
        part = weights[low : low + BATCH]
        part[:] = rng.integers(1, most, len(part), endpoint=True)
    return weights


def _most(max_weight: Any) -> int | None:
    """Return the greatest weight; None if there are no weights."""
    return None if max_weight is None else whole(max_weight, "max_weight", 1, 2**63 - 1)

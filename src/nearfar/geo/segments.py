"""The nearest point on an arc, exact: a KD-tree of marks along the arcs, and the distance to a few arcs per point.

Arcs are straight between their ends (on the earth: pieces of great circles), so both arcs of a two-way street are one
segment. Every segment is cut into pieces of about the mean length, with a mark in the middle of each: at most two marks
per segment and one more. No point of a segment is farther than ``reach`` from a mark of it. So once the best
of the segments of the k nearest marks is no farther than the k-th mark less ``reach``, no other segment can be nearer;
else more marks are looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..graph.arrays import Array
from .space import Space

FIRST = 8  # marks looked at per point; of a city's points, 99 % need no more
BATCH = 1 << 19  # pairs of points and marks at a time: some 100 MB


class Segments(NamedTuple):
    """The segments of a graph: the ends of each by index, from which an arc leads to the other, and marks in a tree."""

    tails: Array
    heads: Array
    first: Array  # the vector of each tail
    along: Array  # the vector from tail to head
    tree: Any
    owner: Array  # the segment of each mark
    reach: float


class Found(NamedTuple):
    """For each point the nearest segment, where on it, as a share of the vector along it, and the straight distance."""

    segments: Array
    shares: Array
    distances: Array


def segments_of(graph: Graph, vertices: Array, space: Space) -> Segments:
    """Return the segments between some vertices."""
    from scipy.spatial import cKDTree

    inside = np.zeros(graph.n, bool)
    inside[vertices] = True
    tails, heads = graph.tails, graph.heads
    keep = inside[tails] & inside[heads] & (tails != heads)
    tails, heads = tails[keep].astype(np.int64), heads[keep].astype(np.int64)
    keys, which = np.unique(np.minimum(tails, heads) * graph.n + np.maximum(tails, heads), return_inverse=True)
    upward = np.zeros(len(keys), bool)
    upward[which[tails < heads]] = True
    low, high = np.divmod(keys, graph.n)
    tails, heads = np.where(upward, low, high), np.where(upward, high, low)
    vectors = space.vectors(graph.coordinates)  # type: ignore[arg-type]
    first, along = vectors[tails], vectors[heads] - vectors[tails]
    marks, owner, reach = _marks(first, along, space)
    tree = cKDTree(marks, balanced_tree=False, compact_nodes=False)
    return Segments(tails.astype(np.int32), heads.astype(np.int32), first, along, tree, owner, reach)


def _marks(first: Array, along: Array, space: Space) -> tuple[Array, Array, float]:
    """Return marks in the middle of pieces of the segments, the segment of each, and how far a piece reaches."""
    lengths = np.linalg.norm(along, axis=1)
    mean = lengths.mean() if lengths.any() else 1.0
    counts = np.maximum(np.ceil(lengths / mean), 1).astype(np.int64)
    owner = np.repeat(np.arange(len(first)), counts)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    low, middle, high = (
        on_ground(first[owner] + along[owner] * ((number + share) / counts[owner])[:, None], space)
        for share in (0.0, 0.5, 1.0)
    )
    gaps = [np.linalg.norm(end - middle, axis=1).max(initial=0.0) for end in (low, high)]
    return middle, owner.astype(np.int32), float(max(gaps)) * (1 + 1e-9)


def on_ground(vectors: Array, space: Space) -> Array:
    """Return vectors on a chord as those of the ground below or above them."""
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True) if space.degrees else vectors


def nearest_on(segments: Segments, points: Array, space: Space, bound: float, threads: int) -> Found:
    """Return the nearest segment of points that are no farther than ``bound`` from one; others have segment -1."""
    count = len(points)
    found = Found(np.full(count, -1), np.zeros(count), np.full(count, np.inf))
    rest, k = np.arange(count), min(FIRST, len(segments.owner))
    while len(rest):
        size = max(1, BATCH // k)
        unsure = [
            _look(segments, points, rest[low : low + size], space, k, bound + segments.reach, threads, found)
            for low in range(0, len(rest), size)
        ]
        rest, k = np.concatenate(unsure), min(4 * k, len(segments.owner))
    return found


def _look(
    segments: Segments, points: Array, at: Array, space: Space, k: int, bound: float, threads: int, found: Found
) -> Array:
    """Compare some points with the segments of their k nearest marks; return the points that need more marks."""
    here = points[at]
    gaps, marks = segments.tree.query(here, k=np.arange(1, k + 1), distance_upper_bound=bound, workers=threads)
    there = np.isfinite(gaps)
    owner = segments.owner[np.where(there, marks, 0)]
    first, along = segments.first[owner], segments.along[owner]
    shares = share_along(here[:, None, :] - first, along, space)
    feet = first + shares[..., None] * along
    if space.degrees:
        feet /= np.linalg.norm(feet, axis=2, keepdims=True)
    apart = np.where(there, np.linalg.norm(here[:, None, :] - feet, axis=2), np.inf)
    best = apart.argmin(axis=1)[:, None]
    nearest = np.take_along_axis(apart, best, 1)[:, 0]
    hit = np.isfinite(nearest)
    found.segments[at] = np.where(hit, np.take_along_axis(owner, best, 1)[:, 0], -1)
    found.shares[at] = np.take_along_axis(shares, best, 1)[:, 0]
    found.distances[at] = nearest
    sure = (nearest <= gaps[:, -1] - segments.reach) | ~there[:, -1] | (k == len(segments.owner))
    return at[~sure]


def share_along(offset: Array, along: Array, space: Space) -> Array:
    """Return where on segments points are nearest, as a share of the vector along them, 0 to 1.

    ``offset`` leads from the tail to the point. On the earth, the point is projected on the plane of the great circle:
    that is the multiple of ``tail + share * along``, found from differences, which keep their digits on short segments.
    """
    square = np.maximum((along * along).sum(axis=-1), np.finfo(np.float64).tiny)
    ahead = (offset * along).sum(axis=-1)
    if not space.degrees:
        return np.clip(ahead / square, 0.0, 1.0)
    away = (offset * offset).sum(axis=-1)
    front = 1 - away / 2 - square / 4 + ahead / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = (ahead - square * away / 4) / (square * front)
    nearer = np.where(ahead > square / 2, 1.0, 0.0)  # of points on the other side of the earth: the nearer end
    return np.where(front > 0, np.clip(shares, 0.0, 1.0), nearer)

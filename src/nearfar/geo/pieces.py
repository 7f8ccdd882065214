"""What a search covers of every arc: each position once, at its least travel time, cut exactly where bands meet.

From its tail at time d, a position at the share f of an arc of weight w is reached at d + f w; d is that of the tail,
or, with turns, when the arc is begun. The arc back, if there is one, reaches the same position from the other end; both
meet where the times are equal, and each arc keeps what it reaches first. A source along an arc cuts it into parts,
which begin and end there at time 0. Times rise along each part, so a band is an interval of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..graph import Graph
from ..graph.arrays import Array
from .snapped import Snapped, lightest


class Parts(NamedTuple):
    """Parts of arcs, in the direction of search: ends by index, the shares where a part begins and ends, and times."""

    tails: Array
    heads: Array
    first: Array
    last: Array
    times: Array  # at the beginning of the part
    weights: Array  # from its beginning to its end
    back_times: Array  # at its end, for who comes back; inf if nothing leads back
    back_weights: Array


class Pieces(NamedTuple):
    """Pieces of arcs, each within one band: ends by index, shares from the tail, times there, and the band."""

    tails: Array
    heads: Array
    first: Array
    last: Array
    near: Array
    far: Array
    bands: Array


def cut_pieces(searched: Graph, times: Array, limits: list[float], places: Snapped | None) -> Pieces:
    """Return what lies within the limits, of arcs in the direction of search.

    ``times`` say when each arc is begun: floats, inf if it is not.
    """
    between = np.empty((0, 2), np.int64)
    if places is not None and places.on == "arcs":
        inner = (places.fraction > 0) & (places.fraction < 1)
        between = np.column_stack((places.tails, places.heads, places.fraction))[inner]
    parts = _whole_arcs(searched, times, between[:, :2])
    cut = _cut_arcs(searched, times, between)
    return _into_bands(Parts(*(np.concatenate(columns) for columns in zip(parts, cut, strict=True))), limits)


def _whole_arcs(graph: Graph, times: Array, apart: Array) -> Parts:
    """Return the lightest arc of each pair of ends that is reached, as one part; without the segments ``apart``."""
    n, tails = graph.n, graph.tails
    keep = np.isfinite(times) & (tails != graph.heads)
    tails, heads = tails[keep].astype(np.int64), graph.heads[keep].astype(np.int64)
    weights = np.ones(len(tails)) if graph.weights is None else graph.weights[keep].astype(np.float64)
    times = times[keep]
    order = np.lexsort((weights, tails * n + heads))
    keys, first = np.unique((tails * n + heads)[order], return_index=True)
    tails, heads, weights, times = (column[order][first] for column in (tails, heads, weights, times))
    back = heads * n + tails
    at = np.minimum(np.searchsorted(keys, back), max(len(keys) - 1, 0))
    there = keys[at] == back
    ours = ~np.isin(np.minimum(keys, back), np.minimum(*(apart @ turn for turn in ([[n], [1]], [[1], [n]]))))
    columns = (
        tails, heads, np.zeros(len(keys)), np.ones(len(keys)), times, weights,
        np.where(there, times[at], np.inf), np.where(there, weights[at], np.inf),
    )  # fmt: skip
    return Parts(*(column[ours] for column in columns))


def _cut_arcs(graph: Graph, begun: Array, between: Array) -> Parts:
    """Return the parts of the arcs that have sources along them."""
    rows: list[tuple[float, ...]] = []
    segments: dict[tuple[int, int], list[float]] = {}
    for tail, head, share in between.tolist():
        low, high = (int(tail), int(head)) if tail < head else (int(head), int(tail))
        segments.setdefault((low, high), []).append(share if tail < head else 1 - share)
    for (low, high), shares in segments.items():
        knots = [0.0, *sorted(set(shares)), 1.0]
        times = [_begins(graph, begun, low, high), *[0.0] * (len(knots) - 2), _begins(graph, begun, high, low)]
        ways = [(low, high, knots, times), (high, low, [1 - knot for knot in knots[::-1]], times[::-1])]
        ahead, back = (lightest(graph, tail, head) for tail, head, *_ in ways)
        for weight, other, (tail, head, at, when) in ((ahead, back, ways[0]), (back, ahead, ways[1])):
            for i in range(len(at) - 1):
                if weight is not None and when[i] < np.inf:
                    span = at[i + 1] - at[i]
                    again = (np.inf, np.inf) if other is None else (when[i + 1], other * span)
                    rows.append((tail, head, at[i], at[i + 1], when[i], weight * span, *again))
    columns = np.array(rows).reshape(-1, 8).T
    return Parts(columns[0].astype(np.int64), columns[1].astype(np.int64), *columns[2:])


def _begins(graph: Graph, begun: Array, tail: int, head: int) -> float:
    """Return when the arcs between two vertices are begun: parallel ones at the same time; inf if there is none."""
    first, last = int(graph.offsets[tail]), int(graph.offsets[tail + 1])
    return float(begun[first:last][graph.heads[first:last] == head].min(initial=np.inf))


def _into_bands(parts: Parts, limits: list[float]) -> Pieces:
    """Cut parts where those that come back are first, and where bands meet."""
    meet = _meeting(parts)
    ends = parts.times + meet * parts.weights
    found = []
    for band, (low, high) in enumerate(zip([-np.inf, *limits[:-1]], limits, strict=True)):
        near, far = np.maximum(parts.times, low), np.minimum(ends, high)
        level = (parts.weights == 0) & (parts.times > low) & (parts.times <= high)
        at = np.flatnonzero(((far > near) | level) & (meet > 0))
        weight = np.where(parts.weights[at] > 0, parts.weights[at], 1)
        begin = np.where(level[at], 0, (near[at] - parts.times[at]) / weight)
        end = np.where(level[at] | (far[at] == ends[at]), meet[at], (far[at] - parts.times[at]) / weight)
        span = parts.last[at] - parts.first[at]
        shares = (parts.first[at] + begin * span, np.where(end == 1, parts.last[at], parts.first[at] + end * span))
        found.append((parts.tails[at], parts.heads[at], *shares, near[at], far[at], np.full(len(at), band)))
    return Pieces(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def _meeting(parts: Parts) -> Array:
    """Return up to which share of a part it is reached first from its beginning."""
    both = parts.weights + parts.back_weights
    there = np.isfinite(parts.back_times) & np.isfinite(both)
    level = there & (both == 0)  # both ends have the same time: one of the two arcs has it all
    gap = np.where(there, parts.back_times, 0) + np.where(there, parts.back_weights, 0) - parts.times
    meet = np.divide(gap, both, out=np.ones(len(both)), where=there & ~level)
    return np.where(level, parts.tails < parts.heads, np.clip(meet, 0, 1))

"""A graph cut into parts: which arcs are cut, where the others go, and what cut arcs offer to other parts.

Arcs come in blocks, in order of rows: a block begins at position ``first``, and its first arc leaves ``u``. So a graph
whose arcs do not fit into memory is cut in two passes: one counts, one moves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import kernel
from .arcs import weight


@kernel
def count_cuts(offsets: Any, u: Any, first: Any, records: Any, labels: Any, cut: Any, on_boundary: Any) -> Any:
    """Count the cut arcs of a block by tail, and mark both of their ends."""
    total = 0
    for i in range(len(records)):
        while offsets[u + 1] <= first + i:
            u += 1
        v = records[i]["head"]
        if labels[u] != labels[v]:
            cut[u] += 1
            on_boundary[u] = 1
            on_boundary[v] = 1
            total += 1
    return total


@kernel
def number_vertices(labels: Any, cursor: Any, starts: Any, positions: Any, vertices: Any) -> None:
    """Give every vertex its position in its part, and list the vertices part by part, ascending in each.

    ``starts`` says where the list of each part begins; ``cursor`` begins as a copy of it.
    """
    for v in range(len(labels)):
        p = labels[v]
        at = cursor[p]
        cursor[p] = at + 1
        vertices[at] = v
        positions[v] = at - starts[p]


@kernel
def count_targets(offsets: Any, u: Any, first: Any, records: Any, labels: Any, counts: Any) -> None:
    """Count the arcs of a block by where they go: inner arcs of part p at 2 p, cut ones at 2 p + 1."""
    for i in range(len(records)):
        while offsets[u + 1] <= first + i:
            u += 1
        p = np.int64(labels[u])
        counts[2 * p + (labels[records[i]["head"]] != p)] += 1


@kernel
def move_arcs(
    offsets: Any, u: Any, first: Any, records: Any, labels: Any, positions: Any, numbers: Any, cursor: Any, out: Any
) -> None:
    """Move the arcs of a block to where `count_targets` counted them, in their order.

    The head of an inner arc becomes a position in its part, that of a cut one the number of a boundary vertex.
    """
    for i in range(len(records)):
        while offsets[u + 1] <= first + i:
            u += 1
        v = records[i]["head"]
        p = np.int64(labels[u])
        is_cut = labels[v] != p
        at = cursor[2 * p + is_cut]
        cursor[2 * p + is_cut] = at + 1
        out[at] = records[i]
        out[at]["head"] = numbers[v] if is_cut else positions[v]


@kernel
def offer_cuts(
    cut_offsets: Any, cuts: Any, dist: Any, zero: Any, ceiling: Any, owners: Any, offers: Any, pending: Any
) -> None:
    """Lower ``offers``, one per boundary vertex of all parts, to what the cut arcs of one part lead to.

    ``dist`` has the distances of the boundary vertices of the part. ``pending`` has the least offer to each part that
    was lowered since the part was settled; ``owners`` says to which part a boundary vertex belongs.
    """
    for b in range(len(cut_offsets) - 1):
        if dist[b] < ceiling:
            reached = dist[b] + zero
            for e in range(cut_offsets[b], cut_offsets[b + 1]):
                offer = reached + weight(cuts, e)
                v = cuts[e]["head"]
                if offer < offers[v]:
                    offers[v] = offer
                    if offer < pending[owners[v]]:
                        pending[owners[v]] = offer


@kernel
def keep_needed(between: Any, order: Any, unreached: Any, x: Any, needed: Any) -> None:
    """Mark in ``needed`` which arcs from boundary vertex ``x`` no third boundary vertex explains.

    ``between`` has the distances between boundary vertices, ``order`` those that ``x`` reaches, in order of distance.
    An arc to y is explained by z if d(x, z) + d(z, y) is d(x, y) and both are more than 0. Then both are shorter, and
    by induction over length they are sums of arcs that were kept. An arc to z that is explained itself explains no more
    than what explains it, so only arcs that are kept are tried, and most are found with the nearest few.
    """
    kept = 0  # the positions in order of those that are kept come first in it again
    for i in range(len(order)):
        y = order[i]
        long = between[x, y]
        found = False
        for j in range(kept):
            z = order[j]
            near = between[x, z]
            rest = between[z, y]
            if near > 0 and rest > 0 and rest < unreached and near + rest <= long:
                found = True
                break
        if not found:
            needed[y] = 1
            if long > 0:  # one at distance 0 explains nothing
                order[kept] = y
                kept += 1

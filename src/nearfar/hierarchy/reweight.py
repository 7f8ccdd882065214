"""New weights on a graph that is eliminated already: the numeric part alone, and where few changed, little of that.

An arc belongs to the slot of its deeper end. A changed weight can change the slots of that vertex and of its ancestors,
and no others: these are filled anew, from their own arcs and from all vertices that offer ways to them.
"""

from __future__ import annotations

import numpy as np

from ..arrays import take_weights
from ..constants import FEW_CHANGES
from ..graph import Graph
from ..layout import rows_to_rows
from .build import Clock, Failure, Hierarchy, assemble, finish
from .skeleton import Skeleton, lists_below
from .slots import infinity_of, sharpened, weights_of


def with_weights(graph: Graph, weights: object) -> Graph:
    """Return the graph with other weights, in the order of its arcs; an arc of weight inf is left out."""
    taken = take_weights(weights, graph.m, graph.arc_name)
    offsets, arcs = rows_to_rows(graph.offsets, graph.heads, taken)
    return Graph(offsets, arcs, graph._vertices, graph.coordinates)


def reweighted(before: Graph, hierarchy: Hierarchy, graph: Graph, stop: np.ndarray) -> Hierarchy | Failure | None:
    """Return the hierarchy of ``graph``, which is ``before`` with other weights."""
    old, new = weights_of(before), weights_of(graph)
    changed = np.flatnonzero(old != new) if len(old) == len(new) and old.dtype == new.dtype else None
    if changed is None or len(changed) > FEW_CHANGES * before.m or hierarchy.skeleton.core:
        return finish(graph, hierarchy.skeleton, None, 1, stop)
    clock = Clock()
    mended = _mended(graph, new, hierarchy, changed)
    if isinstance(mended, int):
        return Failure(cycle=mended)
    slots = sharpened(hierarchy.skeleton, *mended, graph.min_weight < 0, stop)
    clock.lap("weigh")
    return None if stop[0] else assemble(graph, hierarchy.skeleton, slots, None, 1, stop, clock)


def _mended(
    graph: Graph, weights: np.ndarray, hierarchy: Hierarchy, changed: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | int:
    """Return the weights of all slots after some arcs changed, or a vertex on a negative cycle."""
    from ..kernels.customize import seat
    from ..kernels.reweight import reset_slots, weigh_again

    skeleton = hierarchy.skeleton
    outs = hierarchy.slots.outs.copy()
    ins = hierarchy.slots.ins.copy()
    stale = _stale(graph, skeleton, changed)
    infinity = infinity_of(outs.dtype)
    members = np.flatnonzero(stale).astype(np.int32)
    vertices = np.empty(skeleton.n, np.int32)
    vertices[skeleton.places] = np.arange(skeleton.n, dtype=np.int32)
    up, heads = skeleton.up, skeleton.heads
    reset_slots(members, up, outs, ins, infinity)
    looped = seat(graph.offsets, graph.arcs, weights, skeleton.places, up, heads, stale, outs, ins)
    if looped >= 0:
        return int(looped)
    found = weigh_again(members, up, heads, *lists_below(skeleton), outs, ins, infinity)
    return int(vertices[found]) if found >= 0 else (outs, ins)


def _stale(graph: Graph, skeleton: Skeleton, changed: np.ndarray) -> np.ndarray:
    """Mark the vertices, by number, whose slots a changed arc can reach."""
    from ..kernels.reweight import mark_up

    tails = np.searchsorted(graph.offsets, changed, side="right") - 1
    deeper = np.maximum(skeleton.places[tails], skeleton.places[graph.heads[changed]])
    stale = np.zeros(skeleton.n, bool)
    mark_up(deeper.astype(np.int32), skeleton.parents, stale)
    return stale

"""New weights on a graph that is eliminated already: the numeric part alone, and where few changed, little of that.

An arc belongs to the slot of its deeper end. A changed weight can change the slots of that vertex and of its ancestors,
and no others; of these, few do, and they are found from the bottom up. Which arcs are needed is asked again from the
top down, where slots changed or a shortest way between ancestors did that counts. The order of the sweep stays
(elimination/refill.py).
"""

from __future__ import annotations

import numpy as np

from ..graph import Graph
from .build import Clock, Failure, Hierarchy, finish, may_be_long
from .eliminate import Skeleton
from .layout import lane_type
from .refill import refill
from .shortcuts import Slots, best_of, same_if_equal, weights_of
from .solvers import Solvers
from .tuning import FEW_CHANGES


def reweighted(
    before: Graph, hierarchy: Hierarchy, graph: Graph, threads: int, stop: np.ndarray, solvers: Solvers
) -> Hierarchy | Failure | None:
    """Return the hierarchy of ``graph``, which is ``before`` with other weights."""
    if may_be_long(graph):
        return Failure(long=True)
    old, new = weights_of(before), weights_of(graph)
    changed = np.flatnonzero(old != new) if len(old) == len(new) and old.dtype == new.dtype else None
    unknown = new.dtype.kind == "f" and min(before.min_weight, graph.min_weight) < 0  # shortest ways: see `sharpened`
    if changed is None or len(changed) > FEW_CHANGES * before.m or hierarchy.skeleton.core or unknown:
        return finish(graph, hierarchy.skeleton, None, threads, stop, solvers)
    return _after_few(graph, new, hierarchy, changed, threads, stop)


def _after_few(
    graph: Graph, weights: np.ndarray, old: Hierarchy, changed: np.ndarray, threads: int, stop: np.ndarray
) -> Hierarchy | Failure | None:
    """Return the hierarchy after some arcs changed."""
    clock, skeleton = Clock(), old.skeleton
    ends = _ends_of(graph, skeleton, changed)
    members = _above(skeleton, ends[0])
    mended = _mended(graph, weights, old, ends, members, stop)
    if isinstance(mended, int):
        return Failure(cycle=mended)
    found = _sharpened(old, *mended, members, threads, stop)
    clock.lap("weigh")
    if found is None:
        return None
    slots, touched = found
    dtype, bounds = lane_type(skeleton, slots)
    sheet = refill(old.sheet, skeleton, slots, bounds, dtype, touched)
    clock.lap("lay out")
    return Hierarchy(graph, skeleton, slots, sheet, None, bounds[1], pruned=False, seconds=clock.laps)


def _ends_of(graph: Graph, skeleton: Skeleton, arcs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the deeper and of the higher end of some arcs."""
    tails = skeleton.places[np.searchsorted(graph.offsets, arcs, side="right") - 1]
    heads = skeleton.places[graph.heads[arcs]]
    return np.maximum(tails, heads), np.minimum(tails, heads)


def _above(skeleton: Skeleton, numbers: np.ndarray) -> np.ndarray:
    """Return some vertices and all their ancestors, ascending: theirs are the slots that can change."""
    from ..kernels.cpu.reweight import mark_up

    stale = np.zeros(skeleton.n, bool)
    mark_up(numbers, skeleton.parents, stale)
    return np.flatnonzero(stale).astype(np.int32)


def _mended(
    graph: Graph,
    weights: np.ndarray,
    hierarchy: Hierarchy,
    ends: tuple[np.ndarray, np.ndarray],
    members: np.ndarray,
    stop: np.ndarray,
) -> tuple[np.ndarray, np.ndarray] | int:
    """Return the weights of all slots after the arcs between ``ends`` changed, or a vertex on a negative cycle."""
    from ..kernels.cpu.reweight import seat_again, suspect_arcs, weigh_again

    skeleton, old = hierarchy.skeleton, hierarchy.slots
    up, heads, infinity = skeleton.up, skeleton.heads, old.infinity
    ranks = np.full(skeleton.n, -1, np.int32)
    ranks[members] = np.arange(len(members), dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum(up[members + 1] - up[members])))
    own = (starts, *(np.full(starts[-1], infinity, old.outs.dtype) for _ in range(2)))
    looped = seat_again(
        members, ranks, skeleton.vertices, graph.offsets, graph.arcs, weights, skeleton.places, up, heads, *own
    )
    if looped >= 0:
        return int(looped)
    outs, ins, suspect = old.outs.copy(), old.ins.copy(), np.zeros(len(heads), bool)
    suspect_arcs(*ends, up, heads, suspect)
    found = weigh_again(
        members, up, heads, *skeleton.below, *own, old.outs, old.ins, suspect, outs, ins, infinity, stop
    )  # fmt: skip
    return int(skeleton.vertices[found]) if found >= 0 else (outs, ins)


def _sharpened(
    hierarchy: Hierarchy, outs: np.ndarray, ins: np.ndarray, members: np.ndarray, threads: int, stop: np.ndarray
) -> tuple[Slots, np.ndarray] | None:
    """Return the slots, with the arcs marked that are needed, after those of ``members`` changed; None when stopped.

    Returns as well which vertices, by number, may have other arcs than before.
    """
    from ..kernels.cpu.reweight import mark_changed, sharpen_again

    skeleton, old = hierarchy.skeleton, hierarchy.slots
    best = best_of(skeleton, old, threads, stop)
    if best is None:
        return None
    up, heads = skeleton.up, skeleton.heads
    keep, best_outs, best_ins = old.keep.copy(), best[0].copy(), best[1].copy()
    touched = np.zeros(skeleton.n, bool)
    mark_changed(members, up, old.outs, old.ins, outs, ins, touched)
    sharpen_again(
        up, heads, *skeleton.below, outs, ins, *best, best_outs, best_ins, keep, touched, old.infinity, stop
    )  # fmt: skip
    if stop[0]:
        return None
    return Slots(outs, same_if_equal(outs, ins), keep, (best_outs, same_if_equal(best_outs, best_ins))), touched

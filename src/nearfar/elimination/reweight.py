"""New weights on a graph that is eliminated already: only weights are found again, and few where few changed.

An arc belongs to a shortcut of its deeper end. A changed weight can change shortcuts of that vertex and of its
ancestors, and no others. Few of these do change; they are found from the leaves up (kernels/cpu/reweight.py). Which
arcs are needed is decided again from the root down, at vertices whose shortcuts changed, and where a shortest path
between ancestors changed that matters there. The order of the sweep stays (refill.py). The result is the same as
weighing everything again.
"""

from __future__ import annotations

import numpy as np

from ..graph import Graph
from .build import Clock, Failure, Hierarchy, finish, may_be_long
from .eliminate import Structure
from .layout import lane_type
from .refill import refill
from .shortcuts import Shortcuts, best_of, same_if_equal, weights_of
from .solvers import Solvers
from .tuning import FEW_CHANGES


def reweighted(
    before: Graph, hierarchy: Hierarchy, graph: Graph, threads: int, stop: np.ndarray, solvers: Solvers
) -> Hierarchy | Failure | None:
    """Return the hierarchy of ``graph``, which has arcs of ``before.opened`` with other weights; None if stopped.

    The structure of the hierarchy must cover its arcs: see `covers`.
    """
    if may_be_long(graph):
        return Failure(long=True)
    old, new = weights_of(before), weights_of(graph)
    changed = _changed(before, graph, old, new) if old.dtype == new.dtype else None
    # With negative floats, shortest paths between the ends of shortcuts are not known: see `sharpened`.
    unknown = new.dtype.kind == "f" and min(before.min_weight, graph.min_weight) < 0
    unknown |= hierarchy.shortcuts.outs.dtype != new.dtype  # weighed in blocks, in a narrower type
    if changed is None or len(changed) > FEW_CHANGES * before.m or hierarchy.structure.core or unknown:
        return finish(graph, hierarchy.structure, None, threads, stop, solvers)
    ends = _ends_of(before.opened, hierarchy.structure, changed)
    return _after_few(graph, new, hierarchy, ends, threads, stop)


def covers(kept: np.ndarray | None, graph: Graph) -> bool:
    """Tell whether a structure made for the arcs at ``kept`` (None: for all) of ``graph.opened`` suits ``graph``."""
    return kept is None or (graph.kept is not None and bool(np.isin(graph.kept, kept, assume_unique=True).all()))


def _changed(before: Graph, graph: Graph, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Return the positions in ``opened`` of the arcs that have another weight now, or were closed or opened."""
    if before.kept is None and graph.kept is None:
        return np.flatnonzero(old != new)
    m = before.opened.m
    was, now = (np.ones(m, bool) if g.kept is None else np.isin(np.arange(m), g.kept) for g in (before, graph))
    weights = np.zeros((2, m), old.dtype)
    weights[0, was], weights[1, now] = old, new
    return np.flatnonzero((was != now) | (weights[0] != weights[1]))


def _after_few(
    graph: Graph,
    weights: np.ndarray,
    old: Hierarchy,
    ends: tuple[np.ndarray, np.ndarray],
    threads: int,
    stop: np.ndarray,
) -> Hierarchy | Failure | None:
    """Return the hierarchy after the arcs between these ends changed, which are few."""
    clock, structure = Clock(), old.structure
    members = _above(structure, ends[0])
    mended = _mended(graph, weights, old, ends, members, stop)
    if isinstance(mended, int):
        return Failure(cycle=mended)
    found = _sharpened(old, *mended, members, threads, stop)
    clock.lap("weigh")
    if found is None:
        return None
    shortcuts, touched = found
    dtype, bounds = lane_type(structure, shortcuts)
    layout = refill(old.layout, structure, shortcuts, bounds, dtype, touched)
    clock.lap("lay out")
    return Hierarchy(graph, structure, shortcuts, layout, None, bounds[1], pruned=False, seconds=clock.laps)


def _ends_of(graph: Graph, structure: Structure, arcs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ranks of the deeper and of the higher ends of some arcs."""
    tails = structure.ranks[np.searchsorted(graph.offsets, arcs, side="right") - 1]
    heads = structure.ranks[graph.heads[arcs]]
    return np.maximum(tails, heads), np.minimum(tails, heads)


def _above(structure: Structure, ranks: np.ndarray) -> np.ndarray:
    """Return some ranks and all their ancestors, ascending: only their shortcuts can change."""
    from ..kernels.cpu.reweight import mark_up

    stale = np.zeros(structure.n, bool)
    mark_up(ranks, structure.parents, stale)
    return np.flatnonzero(stale).astype(np.int32)


def _mended(
    graph: Graph,
    weights: np.ndarray,
    hierarchy: Hierarchy,
    ends: tuple[np.ndarray, np.ndarray],
    members: np.ndarray,
    stop: np.ndarray,
) -> tuple[np.ndarray, np.ndarray] | int:
    """Return the weights of all shortcuts after the arcs between ``ends`` changed, or a vertex on a negative cycle."""
    from ..kernels.cpu.reweight import assign_arcs_again, suspect_arcs, weigh_again

    structure, old = hierarchy.structure, hierarchy.shortcuts
    up, heads, infinity = structure.up, structure.heads, old.infinity
    member_index = np.full(structure.n, -1, np.int32)
    member_index[members] = np.arange(len(members), dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum(up[members + 1] - up[members])))
    own = (starts, *(np.full(starts[-1], infinity, old.outs.dtype) for _ in range(2)))
    looped = assign_arcs_again(
        members, member_index, structure.vertices, graph.offsets, graph.arcs, weights, structure.ranks, up, heads, *own
    )
    if looped >= 0:
        return int(looped)
    outs, ins, suspect = old.outs.copy(), old.ins.copy(), np.zeros(len(heads), bool)
    suspect_arcs(*ends, up, heads, suspect)
    found = weigh_again(
        members, up, heads, *structure.below, *own, old.outs, old.ins, suspect, outs, ins, infinity, stop
    )  # fmt: skip
    return int(structure.vertices[found]) if found >= 0 else (outs, ins)


def _sharpened(
    hierarchy: Hierarchy, outs: np.ndarray, ins: np.ndarray, members: np.ndarray, threads: int, stop: np.ndarray
) -> tuple[Shortcuts, np.ndarray] | None:
    """Return the shortcuts with the needed arcs marked, after those of ``members`` changed; None if stopped.

    Also returns which ranks may have other arcs than before.
    """
    from ..kernels.cpu.reweight import mark_changed, sharpen_again

    structure, old = hierarchy.structure, hierarchy.shortcuts
    best = best_of(structure, old, threads, stop)
    if best is None:
        return None
    up, heads = structure.up, structure.heads
    keep, best_outs, best_ins = old.keep.copy(), best[0].copy(), best[1].copy()
    touched = np.zeros(structure.n, bool)
    mark_changed(members, up, old.outs, old.ins, outs, ins, touched)
    sharpen_again(
        up, heads, *structure.below, outs, ins, *best, best_outs, best_ins, keep, touched, old.infinity, stop
    )  # fmt: skip
    if stop[0]:
        return None
    return Shortcuts(outs, same_if_equal(outs, ins), keep, (best_outs, same_if_equal(best_outs, best_ins))), touched

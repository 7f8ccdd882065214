"""Arcs that no shortest path needs: found by detours over a few vertices of high degree. Weights >= 0.

An arc (u, v, w) with w > d(u, v) lies on no shortest path. In graphs with hubs most arcs are of that kind, and a way
over a hub shows it: d(u, h) + d(h, v) < w for a landmark h. A row of distances a landmark, and one addition an arc and
landmark, find nearly all of them: in R-MAT 18 with weights 1 to 255, one landmark leaves 7.6 % of the arcs, 16 leave
7.2 %, and 6.9 % are as short as can be (with ties removed, too, 16 leave 6.8 %). So two rows of Dijkstra thin the graph
out, and LANES landmarks are then solved at once on what is left.

Why removal is safe, for all marked arcs at once: every distance is attained by a path without marked arcs. With
w > d(u, v) that is plain. *Ties* (w = d(u, h) + d(h, v)) may go too if all weights are whole and above 0 and h is
neither u nor v: the ways u to h and h to v are not empty, so each of their arcs is shorter than w, and what is marked
of them is replaced by still shorter arcs; this ends. For h = u or h = v the sum is d(u, v) itself and must be below w.

*Floats* are rounded. A computed distance is below the true one by at most n units in the last place; distances are
raised by that margin before they are compared, so a removed arc is truly longer than its detour. (Distances of float32
weights are computed in float64, where the margin is nothing, then stored as float32, raised by 2**-20.) A query may
still get another last digit, because it adds up another path of the same length but for rounding.

Elimination keeps the distances among the vertices that are left, so the same landmarks prune the core again: its
shortcuts are many, and most of them are longer than need be (R-MAT 18 eliminated up to degree 8: 318,496 arcs fall to
100,914, and a search of the core from 1.6-2.6 to 0.7-1.1 ms).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..graph.rows import record_type
from ..kernels.cpu.constants import LANES
from .landmarks import FEW_ARCS, UNREACHED, Landmarks, ask, ask_few, find_hubs, no_landmarks
from .layout import new_lanes
from .solvers import Solvers
from .tuning import FIRST_LANDMARKS, LANDMARKS, PAYS, PRUNED_DEGREE

if TYPE_CHECKING:
    from ..graph.arrays import Array

MOST = 2**62  # weights from which sums of two would wrap
SAMPLE = 4096  # arcs that tell how many will go
PARTS = 8  # ranges of vertices a thread, so that threads end together


@dataclass(frozen=True)
class Pruning:
    """What `prune` found: a mark an arc, and the landmarks that were asked."""

    marks: Array
    landmarks: Landmarks


def superfluous(graph: Graph, threads: int, stop: Array, solvers: Solvers, landmarks: int = LANDMARKS) -> Array:
    """Return which arcs can be removed without changing any distance, as an array of m booleans.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    threads : int
    stop : ndarray of int64, one entry
        Raised by who wants an early end; the marks are then incomplete, but right.
    solvers : Solvers
        How the landmarks' rows are settled.
    landmarks : int
        How many vertices of high degree are asked.
    """
    return prune(graph, threads, stop, solvers, landmarks).marks


def prune(graph: Graph, threads: int, stop: Array, solvers: Solvers, landmarks: int = LANDMARKS) -> Pruning:
    """Find superfluous arcs, and return the landmarks' distances with them; see `superfluous`.

    If the first landmarks find too little, the others are not asked, and none are returned.
    """
    bare = graph.unnamed
    chosen = find_hubs(bare, landmarks) if can_have_detours(graph) else np.empty(0, np.int64)
    marks = np.zeros(graph.m, bool)
    first = ask_few(bare, chosen[:FIRST_LANDMARKS], threads, stop, solvers)
    if stop[0]:
        return Pruning(marks, no_landmarks(graph))
    share = _mark(bare, first, threads, stop, marks) / max(graph.m, 1)
    if len(chosen) == 0 or share < PAYS or stop[0]:
        return Pruning(marks, no_landmarks(graph))
    kept = np.flatnonzero(~marks)
    thin = bare.keep_arcs(~marks)
    asked = ask(thin, chosen, first.to.dtype, threads, stop)
    if stop[0]:
        return Pruning(marks, no_landmarks(graph))
    more = np.zeros(thin.m, bool)
    _mark(thin, asked, threads, stop, more)
    marks[kept[more]] = True
    return Pruning(marks, asked)


def prune_again(
    asked: Landmarks, n: int, vertices: Array, offsets: Array, heads: Array, weights: Array, stop: Array
) -> Array:
    """Return which arcs are superfluous in a smaller graph with the same distances, such as the core of an elimination.

    Parameters
    ----------
    asked : Landmarks
        Of the graph that it was made from, which has ``n`` vertices.
    n : int
    vertices : ndarray of int
        Which of them the vertices of the smaller graph are.
    offsets, heads, weights : ndarray
        Its arcs in rows, by its own numbers.
    stop : ndarray of int64, one entry

    Notes
    -----
    A tie over a landmark that is no longer there may be the very walk that the arc stands for, so only landmarks
    among the vertices are asked then. The weights of shortcuts are sums, of float32 perhaps: the margin grows by that.
    """
    from ..kernels.cpu.landmarks import mark_superfluous

    rows = (np.arange(len(asked.to) // n)[:, None] * n + vertices).reshape(-1)
    to, fro = (new_lanes(len(rows), asked.to.dtype) for _ in range(2))
    to[:], fro[:] = asked.to[rows], asked.fro[rows]
    if asked.to.dtype == np.float32:
        to *= np.float32(1 + n * 2.0**-23)
        fro *= np.float32(1 + n * 2.0**-23)
    if asked.ties:
        for i in np.flatnonzero(~np.isin(asked.vertices, vertices)).tolist():
            first = i // LANES * len(vertices)
            to[first : first + len(vertices), i % LANES] = UNREACHED[to.dtype.name]
    arcs = np.empty(len(heads), record_type(weights.dtype))
    arcs["head"], arcs["weight"] = heads, weights
    marks, latest = np.zeros(len(heads), bool), np.full(len(vertices), -1, np.int64)
    mark_superfluous(offsets, arcs, to, fro, asked.most, 0, len(vertices), latest, stop, marks)
    return marks


def worth_pruning(graph: Graph, solvers: Solvers, threads: int = 1, stop: Array | None = None, seed: int = 0) -> float:
    """Return the share of arcs that are superfluous, estimated from a sample and two landmarks.

    Costs a few ordinary rows, and nothing where detours cannot be expected. `prune` begins with the same rows and
    stops by itself where it does not pay; this is for plans.
    """
    if not can_have_detours(graph):
        return 0.0
    bare = graph.unnamed
    stop = np.zeros(1, np.int64) if stop is None else stop
    asked = ask_few(bare, find_hubs(bare, FIRST_LANDMARKS), threads, stop, solvers)
    sample = np.random.default_rng(seed).integers(0, graph.m, SAMPLE)
    tails = np.searchsorted(graph.offsets, sample, side="right") - 1
    lengths = np.ones(SAMPLE, np.int32) if graph.weights is None else graph.weights[sample]
    detours = (asked.to[tails] + asked.fro[graph.heads[sample]]).min(axis=1)
    return float(np.mean(detours < np.minimum(lengths, asked.most)))


def can_have_detours(graph: Graph) -> bool:
    """Tell whether arcs may be longer than a way of two arcs at all, and are many enough to be asked about."""
    if graph.m == 0 or graph.m < PRUNED_DEGREE * graph.n:
        return False
    if graph.weight_dtype == np.int64 and graph.max_weight >= MOST:
        return False
    return graph.min_weight >= 0 and graph.max_weight >= 2 * graph.min_weight


def _mark(graph: Graph, asked: Landmarks, threads: int, stop: Array, marks: Array) -> int:
    """Mark superfluous arcs on all threads; return how many there are."""
    from ..kernels.cpu.landmarks import mark_superfluous

    parts = PARTS * threads if graph.m > FEW_ARCS else 1
    bounds = [0, *np.searchsorted(graph.offsets, np.arange(1, parts) * (graph.m / parts)).tolist(), graph.n]
    counts: list[int] = []

    def new_worker() -> Callable[[int], None]:
        latest = np.full(graph.n, -1, np.int64)
        rows = graph.offsets, graph.arcs, asked.to, asked.fro, asked.most

        def mark(part: int) -> None:
            counts.append(mark_superfluous(*rows, bounds[part], bounds[part + 1], latest, stop, marks))

        return mark

    cpu.share_out(new_worker, parts, threads if parts > 1 else 0, stop)
    return sum(counts)

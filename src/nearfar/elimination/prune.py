"""Superfluous arcs, which no shortest path needs: found by detours over a few vertices of high degree. Weights >= 0.

An arc (u, v, w) with w > d(u, v) lies on no shortest path. In graphs with hubs most arcs are of this kind, and a path
over a hub shows it: d(u, h) + d(h, v) < w for a landmark h. One row of distances per landmark, and one addition per arc
and landmark, find nearly all of them: in R-MAT 18 with weights 1 to 255, one landmark leaves 7.6 % of the arcs, 16
leave 7.2 %, and 6.9 % are as short as possible (if ties are removed too, 16 leave 6.8 %). So two rows of Dijkstra thin
the graph out first, and then LANES landmarks are solved at once on what is left.

Why all marked arcs can be removed together: for every distance there is a path of that length without marked arcs. For
arcs with w > d(u, v) this is clear. *Ties* (w = d(u, h) + d(h, v)) can be removed too if all weights are positive
integers and h is neither u nor v: the paths from u to h and from h to v are not empty, so each of their arcs is shorter
than w, and those of them that are marked are replaced by arcs shorter still; this ends. For h = u or h = v the sum is
d(u, v) itself, so it must be less than w.

*Floats* are rounded. A computed distance is below the true one by at most n units in the last place. Distances are
raised by that margin before they are compared, so a removed arc really is longer than its detour. (Distances of float32
weights are computed in float64, where the margin is negligible, then stored as float32, raised by 2**-20.) A query may
still return another last digit, because it adds up another path that is equally long except for rounding.

Elimination keeps the distances among the vertices that are left, so the same landmarks prune the core again: it has
many shortcuts, most of them longer than the distance (R-MAT 18 eliminated up to degree 8: 318,496 arcs fall to 100,914,
and a search of the core from 1.6-2.6 to 0.7-1.1 ms).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..graph.blocks import record_type
from ..graph.vertices import Vertices
from ..kernels.cpu.constants import LANES
from .landmarks import FEW_ARCS, UNREACHED, Landmarks, find_hubs, no_landmarks, solve_few, solve_landmarks
from .layout import new_lanes
from .solvers import Solvers
from .tuning import FIRST_LANDMARKS, LANDMARKS, PAYS, PRUNED_DEGREE

if TYPE_CHECKING:
    from ..graph.arrays import Array

MOST = 2**62  # from this weight on, sums of two would wrap
SAMPLE = 4096  # arcs from which the share of superfluous ones is estimated
PARTS = 8  # ranges of vertices per thread, so that threads end together


@dataclass(frozen=True)
class Pruning:
    """What `prune` found: one mark per arc, and the landmarks with their distances."""

    marks: Array
    landmarks: Landmarks


def prune(
    graph: Graph, threads: int, stop: Array, solvers: Solvers, landmarks: int = LANDMARKS, ties: bool = True
) -> Pruning:
    """Find arcs that can be removed without changing any distance, and return the landmarks' distances with them.

    Parameters
    ----------
    graph : Graph
        Without negative weights.
    threads : int
    stop : ndarray of int64, one entry
        Raised to end early; the marks are then incomplete, but right.
    solvers : Solvers
        How the rows of the landmarks are settled.
    landmarks : int
        How many vertices of high degree to use. If the first ones find too few arcs, the others are not solved, and
        none are returned.
    ties : bool
        Whether an arc as long as its detour is removed too, which changes no distance, but how many paths have it.
    """
    bare = graph.without_names()
    chosen = find_hubs(bare, landmarks) if can_have_detours(graph) else np.empty(0, np.int64)
    marks = np.zeros(graph.m, bool)
    first = solve_few(bare, chosen[:FIRST_LANDMARKS], threads, stop, solvers, ties)
    if stop[0]:
        return Pruning(marks, no_landmarks(graph))
    share = _mark(bare, first, threads, stop, marks) / max(graph.m, 1)
    if len(chosen) == 0 or share < PAYS or stop[0]:
        return Pruning(marks, no_landmarks(graph))
    kept = np.flatnonzero(~marks)
    thin = keep_arcs(bare, ~marks)
    solved = solve_landmarks(thin, chosen, first.to.dtype, threads, stop, ties)
    if stop[0]:
        return Pruning(marks, no_landmarks(graph))
    more = np.zeros(thin.m, bool)
    _mark(thin, solved, threads, stop, more)
    marks[kept[more]] = True
    return Pruning(marks, solved)


def prune_again(
    landmarks: Landmarks, n: int, vertices: Array, offsets: Array, heads: Array, weights: Array, stop: Array
) -> Array:
    """Return which arcs are superfluous in a smaller graph with the same distances, such as a core.

    Parameters
    ----------
    landmarks : Landmarks
        Those of the graph that it was made from.
    n : int
        Number of vertices of that graph.
    vertices : ndarray of int
        Which of them are the vertices of the smaller graph.
    offsets, heads, weights : ndarray
        The arcs of the smaller graph in rows, by its own indices.
    stop : ndarray of int64, one entry

    Notes
    -----
    A tie over a landmark that was eliminated may be the very path that the shortcut stands for, so where ties count,
    only landmarks among ``vertices`` are used. Weights of shortcuts are sums, perhaps of float32: the margin is larger.
    """
    from ..kernels.cpu.landmarks import mark_superfluous

    rows = (np.arange(len(landmarks.to) // n)[:, None] * n + vertices).reshape(-1)
    to, fro = (new_lanes(len(rows), landmarks.to.dtype) for _ in range(2))
    to[:], fro[:] = landmarks.to[rows], landmarks.fro[rows]
    if landmarks.to.dtype == np.float32:
        to *= np.float32(1 + n * 2.0**-23)
        fro *= np.float32(1 + n * 2.0**-23)
    if landmarks.ties:
        for i in np.flatnonzero(~np.isin(landmarks.vertices, vertices)).tolist():
            first = i // LANES * len(vertices)
            to[first : first + len(vertices), i % LANES] = UNREACHED[to.dtype.name]
    arcs = np.empty(len(heads), record_type(weights.dtype))
    arcs["head"], arcs["weight"] = heads, weights
    marks, latest = np.zeros(len(heads), bool), np.full(len(vertices), -1, np.int64)
    mark_superfluous(offsets, arcs, to, fro, landmarks.most, 0, len(vertices), latest, stop, marks)
    return marks


def keep_arcs(graph: Graph, keep: Array) -> Graph:
    """Return the graph without names that has the arcs where ``keep`` is true, and all vertices.

    Of an edge, detours are as long in both directions, so both of its arcs are kept or none.
    """
    kept = np.flatnonzero(keep)
    offsets = np.searchsorted(kept, graph.offsets).astype(graph.offsets.dtype)
    return Graph(offsets, graph.arcs[kept], Vertices(graph.n), undirected=graph.undirected)


def can_have_detours(graph: Graph) -> bool:
    """Return whether an arc can be longer than a path of two arcs, and the graph has enough arcs to try."""
    if graph.m == 0 or graph.m < PRUNED_DEGREE * graph.n:
        return False
    if graph.weight_dtype == np.int64 and graph.max_weight >= MOST:
        return False
    return graph.min_weight >= 0 and graph.max_weight >= 2 * graph.min_weight


def _mark(graph: Graph, landmarks: Landmarks, threads: int, stop: Array, marks: Array) -> int:
    """Mark superfluous arcs on all threads; return how many there are."""
    from ..kernels.cpu.landmarks import mark_superfluous

    parts = PARTS * threads if graph.m > FEW_ARCS else 1
    bounds = [0, *np.searchsorted(graph.offsets, np.arange(1, parts) * (graph.m / parts)).tolist(), graph.n]
    counts: list[int] = []

    def new_worker() -> Callable[[int], None]:
        latest = np.full(graph.n, -1, np.int64)
        rows = graph.offsets, graph.arcs, landmarks.to, landmarks.fro, landmarks.most

        def mark(part: int) -> None:
            counts.append(mark_superfluous(*rows, bounds[part], bounds[part + 1], latest, stop, marks))

        return mark

    cpu.share_out(new_worker, parts, threads if parts > 1 else 0, stop)
    return sum(counts)

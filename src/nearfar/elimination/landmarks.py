"""Distances to and from a few vertices of high degree, the landmarks, ready to be compared with the weights of arcs.

An arc (u, v, w) is superfluous if d(u, h) + d(h, v) < w for a landmark h (prune.py). The kernel makes only this strict
comparison, for LANES landmarks at once (kernels/cpu/landmarks.py); all special cases are put into the distances first:

- *Ties.* Distances to a landmark are lowered by 1, so that a detour as long as the arc counts as shorter. At the
  landmark itself this is undone, since there the "detour" may be the arc.
- *Floats* are raised by more than rounding can have lowered them.
- *Unreached* is so large that no sum with it is less than a weight, but the sum of two still fits the type.

Invariant: a stored distance is never too small by more than the 1 for ties. One that is too large, such as where a type
cannot hold it, only keeps arcs that could have been removed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..graph.rows import reverse_rows
from ..kernels.cpu.constants import LANES
from .layout import new_lanes
from .solvers import SettleRow, Solvers

if TYPE_CHECKING:
    from ..graph.arrays import Array

FEW_ARCS = 100_000  # up to which one thread does everything: a few milliseconds
# The distance of an unreached vertex: the sum of two still fits the type.
UNREACHED = {"int32": 2**30 - 1, "int64": 2**62 - 1, "float32": np.inf, "float64": np.inf}


@dataclass(frozen=True)
class Landmarks:
    """Distances to and from some vertices, as `kernels.cpu.landmarks.is_detour_shorter` takes them.

    Attributes
    ----------
    vertices : ndarray of int
        The landmarks; there may be none.
    to, fro : ndarray of shape (a multiple of n, LANES)
        Distances to the landmarks and from them: n rows for the first LANES landmarks, n for the next, and so on.
        Raised for rounding, shifted for ties.
    most : int or float
        The greatest weight that may be compared; larger ones are taken as this.
    ties : bool
        Whether an arc as long as its detour counts as superfluous. If so, only landmarks that are still vertices of the
        graph may be used: a shortcut may stand for the very path over a landmark that was eliminated.
    """

    vertices: Array
    to: Array
    fro: Array
    most: Any
    ties: bool


def find_hubs(graph: Graph, count: int) -> Array:
    """Return the vertices of highest degree; in a directed graph the smaller of in-degree and out-degree counts."""
    degrees = np.diff(graph.offsets)
    if not graph.undirected:
        degrees = np.minimum(degrees, np.bincount(graph.heads, minlength=graph.n))
    rest = graph.n - min(count, graph.n)
    found = np.argpartition(degrees, min(rest, graph.n - 1))[rest:]
    return found[np.argsort(-degrees[found], kind="stable")]


def no_landmarks(graph: Graph) -> Landmarks:
    """Return an empty set of landmarks."""
    nothing = np.empty((0, LANES), graph.weight_dtype or np.int32)
    return Landmarks(np.empty(0, np.int64), nothing, nothing, most_of(nothing.dtype), False)


def most_of(dtype: np.dtype[Any]) -> Any:
    """Return the greatest weight that may be compared with sums of this type."""
    return np.float64(np.inf) if dtype.kind == "f" else np.int64(UNREACHED[dtype.name] - 2)


def solve_few(
    graph: Graph, vertices: Array, threads: int, stop: Array, solvers: Solvers, ties: bool = True
) -> Landmarks:
    """Solve at most LANES landmarks, one row of Dijkstra each. If ``stop`` is raised, the result means nothing."""
    if len(vertices) == 0:
        return no_landmarks(graph)
    backward = graph if graph.undirected else graph.reverse()

    def settle(kind: type) -> tuple[Array, Array]:
        return _settle_few(graph, backward, vertices, np.dtype(kind), threads, stop, solvers)

    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        return _shifted(graph, vertices, *settle(np.float64), ties)
    end = UNREACHED["int32"]
    if graph.max_weight < end - 2:
        rows = settle(np.int32)
        farthest = max(int(d[d < end].max(initial=0)) for d in rows)
        if 2 * farthest < end and farthest + graph.max_weight < end:  # all distances fit the type
            return _shifted(graph, vertices, *rows, ties)
    return _shifted(graph, vertices, *settle(np.int64), ties)


def _settle_few(
    graph: Graph, backward: Graph, vertices: Array, kind: np.dtype[Any], threads: int, stop: Array, solvers: Solvers
) -> tuple[Array, Array]:
    """Return the distances to and from the landmarks, n rows of LANES each; unused lanes are unreached."""
    far, count = UNREACHED[kind.name], len(vertices)
    ceiling = np.float64(far) if kind.kind == "f" else np.int64(far)
    seeds = vertices.astype(np.int32)
    directions = [graph] if backward is graph else [graph, backward]
    rows = [np.empty((count, graph.n), kind) for _ in directions]

    def new_worker() -> Callable[[int], None]:
        settles: dict[int, SettleRow] = {}

        def settle(task: int) -> None:
            d, r = divmod(task, count)
            if d not in settles:
                settles[d] = solvers.new_worker(directions[d], kind, ceiling, stop)
            settles[d](seeds[r : r + 1], rows[d][r])

        return settle

    cpu.share_out(new_worker, count * len(directions), 0 if graph.m <= FEW_ARCS else threads, stop)
    to, fro = new_lanes(graph.n, kind), new_lanes(graph.n, kind)
    for lanes, found in ((to, rows[-1]), (fro, rows[0])):
        lanes.fill(far)
        lanes[:, :count] = found.T
    return to, fro


def solve_landmarks(
    graph: Graph, vertices: Array, kind: np.dtype[Any], threads: int, stop: Array, ties: bool = True
) -> Landmarks:
    """Solve landmarks, LANES at once, in a graph with few arcs or with hubs, where a few rounds are enough."""
    from ..kernels.cpu.core import settle_core

    wide = np.dtype(np.float64) if kind.kind == "f" else kind
    infinity = wide.type(UNREACHED[kind.name])
    out = _rows_of(graph.offsets, graph.arcs, infinity)
    into = out if graph.undirected else _rows_of(*reverse_rows(graph.offsets, graph.arcs), infinity)
    groups = -(-len(vertices) // LANES)
    fro, to = (new_lanes(groups * graph.n, wide) for _ in range(2))
    directions = [(fro, out, into)] if graph.undirected else [(fro, out, into), (to, into, out)]

    def new_worker() -> Callable[[int], None]:
        lists = np.empty(graph.n, np.int32), np.empty(graph.n, np.int32), np.empty(graph.n, np.uint8)

        def settle(task: int) -> None:
            (rows, forth, back), group = directions[task // groups], task % groups
            dist = rows[group * graph.n : (group + 1) * graph.n]
            mine = vertices[group * LANES : (group + 1) * LANES]
            dist.fill(infinity)
            dist[mine, np.arange(len(mine))] = 0
            settle_core(*forth, *back, infinity, wide.type(0), dist, *lists, stop)

        return settle

    cpu.share_out(new_worker, groups * len(directions), 0 if graph.m <= FEW_ARCS else threads, stop)
    if graph.undirected:
        to[:] = fro
    return _shifted(graph, vertices, to, fro, ties)


def _rows_of(offsets: Array, arcs: Array, infinity: Any) -> tuple[Array, Array, Array]:
    """Return offsets, heads and weights, which are in the type of the distances and at most infinity."""
    weights = np.minimum(arcs["weight"], infinity).astype(infinity.dtype)
    return offsets.copy(), np.ascontiguousarray(arcs["head"]), weights  # a copy: read-only is another type for Numba


def _shifted(graph: Graph, vertices: Array, to: Array, fro: Array, ties: bool) -> Landmarks:
    """Return distances ready for the strict comparison: floats raised by the margin, integers shifted for ``ties``.

    Distances to a landmark are lowered by 1, so that a tie counts as a shorter detour; at the landmark itself, 0 to it
    and 1 from it undo that.
    """
    if to.dtype.kind == "f":
        kind = graph.weight_dtype or to.dtype
        margin = 1 + (2.0**-20 if kind == np.float32 else (graph.n + 8) * 2.0**-52)
        back, there = new_lanes(len(to), kind), new_lanes(len(to), kind)
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes inf
            back[:], there[:] = to * margin, fro * margin
        return Landmarks(vertices, back, there, most_of(kind), False)
    ties = ties and bool(graph.min_weight > 0)
    if ties:
        indices = np.arange(len(vertices))
        own = vertices + indices // LANES * graph.n, indices % LANES
        to -= 1
        to[own], fro[own] = 0, 1
    return Landmarks(vertices, to, fro, most_of(to.dtype), ties)

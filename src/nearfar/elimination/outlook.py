"""What preparing a graph would cost, from a look at a part of it.

Counts of vertices and arcs do not tell how far elimination gets: a road network and a mesh of the same size differ by a
factor of ten, a mesh and a random graph by whether it ends at all. But a small *ball* of the graph, the vertices around
some vertex, behaves like all of it. So two balls are eliminated, the second four times as large, and what elimination
does per vertex is continued to the whole graph as a power of its size. Steps per vertex, foreseen from balls of 4,096
and 16,384, and true: New York 127 and 180, a road grid of 90,000 vertices 410 and 513, a city map of 48,000 cells 6,605
and 3,756, a geometric graph of 100,000 points 1,318 and 1,784.

In a random graph a ball is a tree, and most of its arcs lead out of it, which tells. In a graph with hubs a ball is
nothing like the whole. If arcs may be superfluous there (prune.py), one landmark tells which share of them is; if most
are, pruning leaves a graph that is eliminated with little work.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..graph import Graph
from ..graph.blocks import record_type
from ..graph.vertices import Vertices
from .dissect import dissection_order, structure_of
from .eliminate import Structure, count_eliminated, neighbours
from .landmarks import UNREACHED
from .prune import SAMPLE, can_have_detours
from .solvers import Solvers
from .tuning import IRREGULAR, LEAST_MESH, LOOKED_AT, MOST_STEPS, WIDE_STEPS

LOOKS = (256, 1 << 10, 1 << 12, 1 << 14, 1 << 16)  # vertices of the larger ball, in a look and in those that follow
LARGER = 4  # times the vertices of the smaller ball
LEAST_DISSECTED = 1000  # vertices from which on dissection is foreseen; chosen, not tuned
KEPT = 0.65  # share of the shortcuts of a dissected graph that are needed: rasters 0.35 to 0.8 by their weights
# Power of the size with which shortcuts per vertex grow at most by dissection, their squares twice that. Rasters of
# 289, 1,024, 3,025 and 10,000 cells: 13.8, 20.9, 27.2 and 35.0 shortcuts, 233, 628, 1,262 and 2,630 squares.
# Grids in three dimensions, whose small balls are less closed, of 10,648, 29,791 and 97,336: 100, 152 and 252
# shortcuts, 27,800, 78,200 and 276,000 squares.
DISSECTED, DISSECTED_SOLID = 0.3, 0.5
STEEPEST = 0.5  # power of the size with which what is done per vertex grows at most: that of a mesh
MOST_LEFT = 0.6  # share of the vertices that are left in any core: random graphs of degree 4 leave a half
# Share of the arcs of a ball's vertices that stay in the ball, below which it is like no larger part of the graph,
# unless there are hardly more arcs than in a tree. In a ball of 256: roads 0.89 to 0.99, grids and geometric graphs
# 0.93 to 0.97, small worlds 0.66 to 0.7, random graphs 0.5; trees 0.44 to 0.63.
CLOSED, TREE_LIKE = 0.8, 2.2
# Vertices up to which counts alone may decide, and the same where degrees differ, which tells more.
GUESSED, GUESSED_IRREGULAR = 1500, 20_000
# Arcs per vertex beyond those of a tree up to which any graph whose degrees differ is like roads. Rasters with walls
# have more, and degrees that differ as much (0.3); those of points joined when near differ by more than WALLED.
SPARSE, WALLED = 1.5, 0.5
# The share of a small ball's arcs that end in it, below which there are no small separators: random graphs 0.51 to
# 0.57, small worlds 0.67 to 0.7, grids and rasters from 0.82 on. It is asked where there are less than DENSE arcs per
# vertex.
CLOSED_BALL, RANDOM_BALL, DENSE = 0.76, 0.6, 16
HUBS = 16  # times the mean degree: roads and meshes have at most 4, geometric graphs 3, R-MAT graphs from 2^10 on 20


@dataclass(frozen=True)
class Outlook:
    """What elimination is expected to do: list entries merged, shortcuts, vertices and arcs left in the core.

    ``pruned``: the share of arcs that are superfluous; where it is not 0, the other figures are those of what is left.
    ``squares``: the sum of the squares of the shortcuts of all vertices, by nested dissection; 0: by least degree.
    ``dissected``: what nested dissection is expected to do instead, where least degree leaves a core or takes long.
    """

    steps: float
    shortcuts: float
    core: float = 0.0
    core_arcs: float = 0.0
    pruned: float = 0.0
    squares: float = 0.0
    dissected: Outlook | None = None

    @property
    def orders(self) -> dict[str, Outlook]:
        """The outlook of each order of elimination that is in question."""
        return {"degree": self} if self.dissected is None else {"degree": self, "dissection": self.dissected}


@dataclass(frozen=True)
class Ball:
    """What eliminating a part of the graph did, per vertex."""

    n: int
    steps: float
    shortcuts: float
    core: float
    core_arcs: float


def look(graph: Graph, size: int, budget: int = MOST_STEPS) -> Outlook:
    """Return the outlook from balls of up to ``size`` vertices; a graph that is not much larger is taken whole.

    Elimination by least degree ends after ``budget`` list entries; what remains is then guessed. Where it would leave a
    core or take long, nested dissection is tried as well.
    """
    parts = _parts(graph, size)
    if parts is None:
        return _expander(graph)
    by_degree = _beyond(graph.n, *(_eliminate(part, budget) for part in parts))
    if not _is_wide(graph, by_degree):
        return by_degree
    steepest = DISSECTED if graph.closedness >= CLOSED_BALL else DISSECTED_SOLID
    return replace(by_degree, dissected=_dissect(graph.n, parts, graph.irregularity > IRREGULAR, steepest))


def is_wide(graph: Graph) -> bool:
    """Return whether least degree would leave a core or take long, but separators are small: rasters and meshes."""
    if graph.n < LEAST_MESH or has_hubs(graph):
        return False
    if graph.irregularity < IRREGULAR and graph.closedness < CLOSED_BALL:
        return False
    parts = _parts(graph, LOOKED_AT)
    return parts is not None and _is_wide(graph, _beyond(graph.n, *(_eliminate(part, MOST_STEPS) for part in parts)))


def _is_wide(graph: Graph, by_degree: Outlook) -> bool:
    """Return whether an outlook by least degree is so poor that nested dissection is taken."""
    poor = by_degree.core > 0 or by_degree.steps > WIDE_STEPS * graph.n
    return poor and graph.n >= LEAST_DISSECTED and not has_hubs(graph)


def _parts(graph: Graph, size: int) -> tuple[Graph, Graph] | None:
    """Return a small and a large ball, or the graph twice; None if the ball is a tree and the graph is none."""
    if is_taken_whole(graph, size):
        return graph, graph
    order, positions = np.empty(size, np.int32), np.zeros(graph.n, np.int32)
    order = order[: _largest_ball(graph, order, positions)]
    small, large = (_part(graph, order[: -(-len(order) // by)], positions) for by in (LARGER, 1))
    is_tree = graph.m > TREE_LIKE * graph.n and large.m < CLOSED * arcs_of(graph, order)
    return None if is_tree else (small, large)


def arcs_of(graph: Graph, vertices: np.ndarray) -> int:
    """Return how many arcs leave some vertices."""
    return int((graph.offsets[vertices + 1] - graph.offsets[vertices]).sum())


def _expander(graph: Graph) -> Outlook:
    """Return the outlook of a graph whose balls are trees, most of whose arcs lead out: it has no small separators.

    Random graphs of degree 4 and small worlds of degree 6, from 1,000 to 30,000 vertices: 31 and 140 steps, 2.4 and 5.7
    shortcuts per vertex, and a core of 0.5 and 0.24 of the vertices with 8 and 10.4 arcs per vertex of the graph. The
    arcs of the former are relaxed more often: 30,000 vertices took 1.5 times as long as these counts tell.
    """
    degree = graph.m / graph.n
    often = 1.5 if graph.closedness < RANDOM_BALL else 1.0
    return Outlook(0.5 * degree**2 * graph.m, 0.8 * graph.m, 0.4 * graph.n, 1.9 * graph.m * often)


def guess(graph: Graph) -> Outlook | None:
    """Return an outlook from counts alone, for small graphs and trees: all of it is eliminated; None for others.

    Where degrees differ much (roads, points joined when near), so do the places, and separators are small. Steps per
    vertex of 300, 1,000, 3,000 and 10,000 vertices, guessed: roads 24, 42, 69, 119, geometric 164, 304, 502, 885; true:
    21, 42, 81, 107 and 146, 200, 315, 437. Where degrees are alike, only of 300 and 1,000: grid 175 and 508, raster 518
    and 1,506; true: 208 and 491, 449 and 1,751. If arcs lead far out, there are no small separators: see `_expander`.
    """
    excess = max(graph.m / max(graph.n, 1) - 2, 0.0)  # a tree has two arcs per vertex
    if not excess:
        return Outlook(4.0 * graph.n, graph.n)
    times = graph.n / 300
    if graph.irregularity > IRREGULAR and graph.n <= GUESSED_IRREGULAR and not is_walled(graph):
        return Outlook((4 + 31 * excess * times**0.5) * graph.n, (2 + excess) * times**0.12 * graph.n)
    if graph.m < DENSE * graph.n and graph.closedness < CLOSED_BALL:
        return _expander(graph)
    if graph.n > GUESSED:
        return None
    return Outlook((4 + 100 * excess * times**0.85) * graph.n, (3 + 2 * excess) * times**0.4 * graph.n)


def is_walled(graph: Graph) -> bool:
    """Return whether a graph may be a raster with walls: small balls of it lie in streets, and look like lines."""
    excess = graph.m / max(graph.n, 1) - 2
    return excess >= SPARSE and IRREGULAR < graph.irregularity <= WALLED


def is_taken_whole(graph: Graph, size: int) -> bool:
    """Return whether a graph is so small that a look of this size takes all of it."""
    return 2 * graph.n <= 3 * size


def share_of_superfluous(graph: Graph, solvers: Solvers) -> float:
    """Return the share of arcs, of a sample, that are no shorter than the path over a hub; 0 where none can be.

    One row of Dijkstra is all it takes. Distances to the hub would need the reversed graph, so those from it stand in
    for them in a directed graph too. In R-MAT graphs of 2^10 to 2^14 vertices this finds 0.83 to 0.89 of the arcs, and
    pruning marks 0.85 to 0.90; directed 0.72 to 0.82, and 0.76 to 0.85; astro-ph 0.12 and 0.18.
    """
    if not can_have_detours(graph):
        return 0.0
    dist = _row_of_hub(graph, solvers)
    first = max(graph.m // 2 - SAMPLE // 2, 0)
    arcs = np.arange(first, min(first + SAMPLE, graph.m))
    tails = np.searchsorted(graph.offsets, arcs, side="right") - 1
    over = dist[tails].astype(np.float64) + dist[graph.heads[arcs]]
    assert graph.weights is not None
    return float((over <= graph.weights[arcs]).mean())


def _row_of_hub(graph: Graph, solvers: Solvers) -> np.ndarray:
    """Return the distances from a vertex with the most arcs; where there is no path, one longer than any arc."""
    kind = np.dtype(np.int64 if graph.max_weight >= UNREACHED["int32"] else np.int32)
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        kind = np.dtype(np.float64)
    far = UNREACHED[kind.name]
    row = np.empty(graph.n, kind)
    ceiling = np.float64(far) if kind.kind == "f" else np.int64(far)
    settle = solvers.new_worker(graph.without_names(), kind, ceiling, np.zeros(1, np.int64))
    settle(np.array([graph.busiest], np.int32), row)
    return row


def has_hubs(graph: Graph) -> bool:
    """Return whether some vertices have so many arcs that a ball around one of them is like no other part."""
    hub = graph.busiest
    return bool(graph.offsets[hub + 1] - graph.offsets[hub] > HUBS * max(graph.m / max(graph.n, 1), 1))


def _largest_ball(graph: Graph, order: np.ndarray, positions: np.ndarray) -> int:
    """List a ball that fills ``order``, or the largest of those around a few vertices; return its size."""
    from ..kernels.cpu.ball import forget_ball, take_ball

    starts = (graph.n // 2, graph.n // 3, 2 * graph.n // 3, graph.busiest)
    sizes = {}
    for start in starts:
        sizes[start] = take_ball(graph.offsets, graph.arcs, start, order, positions)
        if sizes[start] == len(order):
            return len(order)
        forget_ball(order[: sizes[start]], positions)
    best = max(sizes, key=sizes.__getitem__)
    return int(take_ball(graph.offsets, graph.arcs, best, order, positions))


def _part(graph: Graph, order: np.ndarray, positions: np.ndarray) -> Graph:
    """Return the graph of the listed vertices, without weights; only they have positions up to their number."""
    from ..kernels.cpu.ball import arcs_of_ball

    starts, nothing = np.empty(len(order) + 1, np.int32), np.empty(0, record_type(None))
    arcs = np.empty(arcs_of_ball(graph.offsets, graph.arcs, order, positions, starts, nothing), record_type(None))
    if len(arcs):
        arcs_of_ball(graph.offsets, graph.arcs, order, positions, starts, arcs)
    return Graph(starts, arcs, Vertices(len(order)), undirected=graph.undirected)


def _eliminate(part: Graph, budget: int) -> Ball:
    """Eliminate a part of a graph as far as that is worth while, and count."""
    return Ball(part.n, *(count / max(part.n, 1) for count in count_eliminated(*neighbours(part), budget)))


def _dissect(n: int, parts: tuple[Graph, Graph], refined: bool, steepest: float) -> Outlook:
    """Dissect two balls, and continue what that does to a graph of n vertices."""
    stop = np.zeros(1, np.int64)
    counts = [np.diff(_structure_of_part(part, stop, refined).up).astype(np.float64) for part in parts]
    sizes = [len(count) for count in counts]
    shortcuts, squares = ([float(np.mean(count**k)) for count in counts] for k in (1, 2))
    more, more_squares = _power(n, sizes, shortcuts, steepest), _power(n, sizes, squares, 2 * steepest)
    return Outlook(0.0, KEPT * more * n, squares=more_squares * n)


def _structure_of_part(part: Graph, stop: np.ndarray, refined: bool) -> Structure:
    """Dissect a small graph on the caller's thread."""
    starts, heads = neighbours(part)
    order = dissection_order(starts, heads, None, 1, stop, refined)
    assert order is not None
    found = structure_of(order, starts, heads, 2**62)
    assert found is not None
    return found


def _power(n: int, sizes: Sequence[int], values: Sequence[float], steepest: float) -> float:
    """Continue a value, found at two sizes, to n as a power of the size."""
    apart, (before, after) = sizes[1] / max(sizes[0], 1), values
    growth = math.log(after / before) / math.log(apart) if apart > 1 and 0 < before < after else 0.0
    return after * (n / max(sizes[1], 1)) ** min(growth, steepest)


def _beyond(n: int, small: Ball, large: Ball) -> Outlook:
    """Continue what two balls show to a graph of n vertices."""
    times, apart, sizes = n / max(large.n, 1), large.n / max(small.n, 1), (small.n, large.n)
    steps = _power(n, sizes, (small.steps, large.steps), STEEPEST)
    shortcuts = _power(n, sizes, (small.shortcuts, large.shortcuts), STEEPEST)
    grows = max(large.core - small.core, 0.0) / math.log(apart) if apart > 1 else 0.0  # the core's share, evenly
    core = min(large.core + grows * math.log(times), max(MOST_LEFT, large.core)) if large.core else 0.0
    arcs = core * large.core_arcs / large.core if large.core else 0.0
    return Outlook(steps * n, shortcuts * n, core * n, arcs * n)

"""From a graph to its hierarchy: prune, eliminate, weigh, lay out."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.cpu.constants import LANES
from ..results.limits import longest_path
from .core import ClosedCore, Core, make_core
from .eliminate import Skeleton, eliminate
from .layout import Sheet, lane_type, lay_out
from .prune import can_have_detours, prune
from .shortcuts import Slots, weigh
from .sweep import Sweeper
from .tuning import MOST_STEPS, PAYS, SEARCH_STEP

if TYPE_CHECKING:
    from ..graph import Graph
    from .landmarks import Landmarks
    from .solvers import Solvers


LONGEST = 2**61  # half of what stands for no path


@dataclass(frozen=True)
class Hierarchy:
    """A graph pruned, eliminated and laid out, with what it took."""

    graph: Graph  # what was eliminated: the graph that was given, or what pruning left of it
    skeleton: Skeleton
    slots: Slots
    sheet: Sheet
    core: Core | ClosedCore | None
    high: float  # no distance is longer
    pruned: bool
    by_rows: bool = False  # whether rows of Dijkstra on ``graph`` are faster than sweeps: the core is too large
    seconds: dict[str, float] = field(default_factory=dict)
    spare: list[Sweeper] = field(default_factory=list, compare=False, repr=False)  # made before, not at work now

    def sweeper(self, stop: np.ndarray) -> Sweeper:
        """Return work space, a used one if there is: fresh memory is slow. Give it back to ``spare``."""
        try:
            found = self.spare.pop()
        except IndexError:
            return Sweeper(self.sheet, self.core, stop)
        found.stop = stop
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Leave work space behind where a copy is made: what threads use cannot be shared, and must be aligned."""
        return {**vars(self), "spare": []}

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        own = self.graph.nbytes if self.pruned else 0
        core = self.core.nbytes if self.core else 0
        return self.skeleton.nbytes + self.slots.nbytes + self.sheet.nbytes + own + core


@dataclass(frozen=True)
class Failure:
    """Why there is no hierarchy: a vertex on a negative cycle, elimination that does not pay, or very long paths."""

    cycle: int | None = None
    dense: bool = False
    long: bool = False


def build(
    graph: Graph,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
    budget: int = MOST_STEPS,
    memory: int = 2**62,
    dtype: np.dtype | None = None,
) -> Hierarchy | Failure | None:
    """Return the hierarchy of a graph; None when it was stopped.

    ``budget`` bounds the entries of lists that elimination may merge, ``memory`` the bytes it may use. With negative
    weights nothing is pruned and no core may be left; if that takes more than the budget, the failure says so.
    ``dtype``: of the distances; float64 is then the type of sums, also where weights are float32.
    """
    if may_be_long(graph):
        return Failure(long=True)
    clock = Clock()
    if dtype is not None and is_narrower(graph.weight_dtype, dtype):
        graph = _widened(graph)
    negative = graph.min_weight < 0
    lean, asked = (graph, None) if negative else _prune(graph, threads, stop, solvers)
    clock.lap("prune")
    skeleton = eliminate(lean, budget, negative, stop, memory, pruned=asked is not None)
    clock.lap("eliminate")
    if stop[0]:
        return None
    if skeleton is None:
        return Failure(dense=True)
    return finish(lean, skeleton, asked, threads, stop, solvers, clock)


def is_narrower(weights: np.dtype | None, distances: np.dtype) -> bool:
    """Tell whether sums in the type of the weights would round, or overflow, where the distances need not."""
    return weights == np.float32 and distances == np.float64


def _widened(graph: Graph) -> Graph:
    """Return the graph with weights of float64."""
    assert graph.weights is not None
    return graph.unnamed.with_weights(graph.weights.astype(np.float64), undirected=graph.undirected)


def may_be_long(graph: Graph) -> bool:
    """Tell whether a path of whole numbers may be too long for sums: no path is longer than all arcs together."""
    if graph.weights is None or graph.weights.dtype.kind == "f" or longest_path(graph) < LONGEST:
        return False
    return bool(np.abs(graph.weights.astype(np.float64)).sum() >= LONGEST)


def finish(
    graph: Graph,
    skeleton: Skeleton,
    asked: Landmarks | None,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
    clock: Clock | None = None,
) -> Hierarchy | Failure | None:
    """Weigh and lay out a skeleton: all that new weights need; ``asked``: the landmarks that pruned the graph."""
    clock = clock or Clock()
    slots = weigh(graph, skeleton, threads, stop)
    clock.lap("weigh")
    if stop[0]:
        return None
    if isinstance(slots, int):
        return Failure(cycle=slots)
    dtype, bounds = lane_type(skeleton, slots)
    sheet = lay_out(skeleton, slots, bounds, dtype)
    clock.lap("lay out")
    core = None
    if skeleton.core:
        core = make_core(skeleton, slots, dtype, sheet.infinity, asked, threads, stop, solvers)
    clock.lap("core")
    if stop[0]:
        return None
    by_rows = core is not None and _is_poor(graph, sheet, core, stop)
    clock.lap("try")
    return Hierarchy(graph, skeleton, slots, sheet, core, bounds[1], asked is not None, by_rows, clock.laps)


def _is_poor(graph: Graph, sheet: Sheet, core: Core | ClosedCore, stop: np.ndarray) -> bool:
    """Tell whether searching the core takes longer than rows of Dijkstra, counted in steps: the same on any machine."""
    sweeper = Sweeper(sheet, core, stop)
    sources = sheet.places[np.linspace(0, graph.n - 1, LANES).astype(np.int64)]
    sweeper.climb(sources, np.arange(LANES + 1))
    return sweeper.relaxed * SEARCH_STEP > LANES * (graph.n + graph.m)


class Clock:
    """Seconds of each step."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a step."""
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _prune(graph: Graph, threads: int, stop: np.ndarray, solvers: Solvers) -> tuple[Graph, Landmarks | None]:
    """Return the graph without arcs that are on no shortest path, and the landmarks that told; itself if none did."""
    if not can_have_detours(graph):
        return graph, None
    pruning = prune(graph, threads, stop, solvers)
    if stop[0] or pruning.marks.mean() < PAYS:
        return graph, None
    return graph.keep_arcs(~pruning.marks), pruning.landmarks

"""From a graph to its hierarchy: prune, eliminate, weigh the shortcuts, lay them out for sweeps, make the core.

The elimination order depends on the topology alone; `finish` is the rest, and all that new weights need. Whether the
result is worth using is decided here as well: `Hierarchy.by_rows` is set where searching the core costs more than
Dijkstra's algorithm on the graph itself.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import Graph
from ..graph.blocks import record_type
from ..graph.vertices import Vertices
from ..kernels.cpu.constants import LANES
from ..results.limits import longest_path
from .core import ClosedCore, Core, make_core
from .dissect import dissected, places_of
from .eliminate import Structure, eliminate
from .fronts import suits_blocks, weigh_in_blocks
from .layout import SweepLayout, lane_type, lay_out
from .outlook import is_wide
from .paths import Unfolding, make_unfolding
from .prune import can_have_detours, keep_arcs, prune
from .shortcuts import Shortcuts, weigh
from .sweep import Sweeper
from .tuning import MOST_STEPS, PAYS, SEARCH_STEP

if TYPE_CHECKING:
    from .landmarks import Landmarks
    from .pairs import Pairs
    from .solvers import Solvers


LONGEST = 2**61  # half of what stands for "no path"


@dataclass(frozen=True)
class Hierarchy:
    """A graph pruned, eliminated and laid out for sweeps, with the seconds that each step took."""

    graph: Graph  # the graph that was eliminated: the given one, or what pruning left of it
    structure: Structure
    shortcuts: Shortcuts
    layout: SweepLayout
    core: Core | ClosedCore | None
    high: float  # no distance is longer than this
    pruned: bool
    by_rows: bool = False  # the core is so large that rows of Dijkstra on ``graph`` are faster
    seconds: dict[str, float] = field(default_factory=dict)
    spare: list[Sweeper] = field(default_factory=list, compare=False, repr=False)  # work space that no thread uses now
    spare_pairs: list[Pairs] = field(default_factory=list, compare=False, repr=False)

    def sweeper(self, stop: np.ndarray) -> Sweeper:
        """Return work space, used before if possible: fresh memory is slow. Append it to ``spare`` afterwards."""
        try:
            found = self.spare.pop()
        except IndexError:
            return Sweeper(self.layout, self.core, stop)
        found.stop = stop
        return found

    @cached_property
    def unfolding(self) -> Unfolding:
        """What paths need beside the hierarchy, made on first use."""
        return make_unfolding(self)

    def __getstate__(self) -> dict[str, Any]:
        """Copy everything but the work space, which threads cannot share and whose alignment a copy would lose.

        What paths have found is left out too: it would be copied in full, though mostly empty.
        """
        kept = {name: value for name, value in vars(self).items() if name != "unfolding"}
        return kept | {"spare": [], "spare_pairs": []}

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        own = self.graph.arc_bytes if self.pruned else 0
        core = self.core.nbytes if self.core else 0
        return self.structure.nbytes + self.shortcuts.nbytes + self.layout.nbytes + own + core


@dataclass(frozen=True)
class Failure:
    """Why there is no hierarchy.

    ``cycle`` is a vertex on a negative cycle; ``dense``: weights are negative and the graph cannot be eliminated
    completely; ``long``: paths may be too long for sums of 64 bits; ``crowded``: nested dissection was asked for, and
    would make too many shortcuts.
    """

    cycle: int | None = None
    dense: bool = False
    long: bool = False
    crowded: bool = False


def build(
    graph: Graph,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
    budget: int = MOST_STEPS,
    memory: int = 2**62,
    dtype: np.dtype | None = None,
    order: str = "auto",
    whole: bool = False,
) -> Hierarchy | Failure | None:
    """Return the hierarchy of a graph; None if it was stopped.

    ``budget`` limits the list entries that elimination may merge, ``memory`` the bytes it may use. With ``whole``, as
    with negative weights, nothing is pruned and no core may be left; if that takes more than the budget, the failure
    says so.
    ``dtype`` is the type of the distances: if it is float64, sums are float64 even where the weights are float32.
    ``order``: which vertices are eliminated first, those of least "degree" or those that nested "dissection" puts
    first; "auto" takes dissection where the other would leave a core or take long.
    """
    if may_be_long(graph):
        return Failure(long=True)
    clock, given = Clock(), graph
    if dtype is not None and is_narrower(graph.weight_dtype, dtype):
        graph = _widened(graph)
    whole = whole or graph.min_weight < 0
    lean, landmarks = (graph, None) if whole else _prune(graph, threads, stop, solvers)
    clock.lap("prune")
    structure = None
    if order == "dissection" or (order == "auto" and landmarks is None and is_wide(lean)):
        structure = dissected(lean, places_of(given), threads, stop, memory)
        clock.lap("dissect")
        if structure is None and order == "dissection" and not stop[0]:
            return Failure(crowded=True)
    if structure is None and not stop[0]:
        structure = eliminate(lean, budget, whole, stop, memory, pruned=landmarks is not None)
        clock.lap("eliminate")
    if stop[0]:
        return None
    if structure is None:
        return Failure(dense=True)
    return finish(lean, structure, landmarks, threads, stop, solvers, clock)


def is_narrower(weights: np.dtype | None, distances: np.dtype) -> bool:
    """Return whether sums in the type of the weights would round or overflow, and those of the distances would not."""
    return weights == np.float32 and distances == np.float64


def _widened(graph: Graph) -> Graph:
    """Return the graph with float64 weights."""
    assert graph.weights is not None
    arcs = np.empty(graph.m, record_type(np.dtype(np.float64)))
    arcs["head"], arcs["weight"] = graph.heads, graph.weights
    return Graph(graph.offsets, arcs, Vertices(graph.n), undirected=graph.undirected)


def may_be_long(graph: Graph) -> bool:
    """Return whether paths of integer weights may be too long for sums: none is longer than all arcs together."""
    if graph.weights is None or graph.weights.dtype.kind == "f" or longest_path(graph) < LONGEST:
        return False
    return bool(np.abs(graph.weights.astype(np.float64)).sum() >= LONGEST)


def finish(
    graph: Graph,
    structure: Structure,
    landmarks: Landmarks | None,
    threads: int,
    stop: np.ndarray,
    solvers: Solvers,
    clock: Clock | None = None,
) -> Hierarchy | Failure | None:
    """Weigh and lay out a structure: all that new weights need. ``landmarks`` are those that pruned the graph."""
    clock = clock or Clock()
    in_blocks = suits_blocks(graph, structure)
    shortcuts = (weigh_in_blocks if in_blocks else weigh)(graph, structure, threads, stop)
    clock.lap("weigh")
    if stop[0]:
        return None
    if isinstance(shortcuts, int):
        return Failure(cycle=shortcuts)
    dtype, bounds = lane_type(structure, shortcuts)
    layout = lay_out(structure, shortcuts, bounds, dtype, threads)
    clock.lap("lay out")
    core = None
    if structure.core:
        core = make_core(structure, shortcuts, dtype, layout.infinity, landmarks, threads, stop, solvers)
    clock.lap("core")
    if stop[0]:
        return None
    by_rows = core is not None and _is_poor(graph, layout, core, stop)
    clock.lap("try")
    return Hierarchy(graph, structure, shortcuts, layout, core, bounds[1], landmarks is not None, by_rows, clock.laps)


def _is_poor(graph: Graph, layout: SweepLayout, core: Core | ClosedCore, stop: np.ndarray) -> bool:
    """Return whether searching the core takes longer than rows of Dijkstra.

    Steps are counted, not seconds, so that the answer is the same on any machine.
    """
    sweeper = Sweeper(layout, core, stop)
    sources = layout.positions[np.linspace(0, graph.n - 1, LANES).astype(np.int64)]
    sweeper.climb(sources, np.arange(LANES + 1))
    return sweeper.relaxed * SEARCH_STEP > LANES * (graph.n + graph.m)


class Clock:
    """The seconds that each step takes."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a step and note how long it took."""
        now = time.perf_counter()
        self.laps[name] = now - self._last
        self._last = now


def _prune(graph: Graph, threads: int, stop: np.ndarray, solvers: Solvers) -> tuple[Graph, Landmarks | None]:
    """Return the graph without superfluous arcs and the landmarks that found them, or the graph itself and None."""
    if not can_have_detours(graph):
        return graph, None
    pruning = prune(graph, threads, stop, solvers)
    if stop[0] or pruning.marks.mean() < PAYS:
        return graph, None
    return keep_arcs(graph, ~pruning.marks), pruning.landmarks

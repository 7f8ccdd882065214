"""What passes through every vertex and over every arc, if one unit goes from each source to each target.

Of several shortest paths, each carries the same share. Over a hierarchy without a core, sources go 16 at a time
(elimination/tallies.py); otherwise a search per source counts (Brandes, kernels/cpu/brandes.py). Both need only the
arcs that some shortest path takes (elimination/lean.py), and these are eliminated to the last vertex if that costs less
than searching: what a hierarchy for distances has, a core, or arcs removed on ties, is of no use here. Graphs with
weights of zero are searched: a sweep takes whatever is at distance 0 for the source.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..elimination.build import Hierarchy, build, may_be_long
from ..elimination.folds import least_beyond
from ..elimination.lean import Lean, lean_graph
from ..elimination.tallies import Counted, Loads, count_paths, tally
from ..errors import MemoryLimitError, MethodError, option
from ..graph import Graph
from ..kernels.cpu.arguments import Zeros
from ..methods.prepared import SOLVERS, require_memory
from ..methods.tuning import LEAST_BUDGET
from ..progress import watcher
from ..results import limits
from ..results.ties import has_zeros, lost_in_rounding, require_no_zero_cycle, slack_of
from .balls import BallSpace, ceiling_of
from .query import Query
from .tuning import BALL_PIECES, LEAN_ROWS

COUNTING = ("dijkstra", "prepared")  # the methods that count paths

Found = tuple[np.ndarray, np.ndarray | None, np.ndarray | None]
"""What passes through vertices; the pairs that start or end at each; what passes over arcs."""


@dataclass(frozen=True)
class Counting:
    """How paths are counted: the query of a graph without needless arcs, and its hierarchy if that is swept.

    ``lean`` spreads what is found over the arcs of the graph that was asked about.
    """

    query: Query
    lean: Lean
    whole: Hierarchy | None

    @property
    def method(self) -> str:
        """The method, as results report it."""
        return "dijkstra" if self.whole is None else "prepared"


def find_loads(
    query: Query, wanted: np.ndarray, *, ends: bool, arcs: bool, exact: bool
) -> tuple[Found, dict[str, Any]]:
    """Return the loads of vertices and arcs from all sources to the vertices that are wanted, and plan and stats.

    ``wanted`` has 1.0 for each target, 0.0 for others. ``ends``: whether pairs are counted at their ends. ``exact``:
    whether only lengths tie that are equal to the bit, summed along the path.
    """
    began, stop, m = time.perf_counter(), np.zeros(1, np.int64), query.graph.m
    counting = choose_counting(query, ends, exact, stop)
    if counting.whole is None:
        through, both, over = search_loads(counting.query, wanted, ends, arcs, exact, stop)
    else:
        counted = counted_paths(counting.query, counting.whole, stop)
        loads = tally_loads(counting.query, counted, wanted, stop)
        through, both, over = unpacked(counted, loads, arcs, stop)
    require_countable(through)
    stats = {"method": counting.method, "device": "cpu", "seconds": time.perf_counter() - began}
    return (through, both, None if over is None else counting.lean.spread(over, m)), {"stats": stats}


def require_countable(through: np.ndarray) -> None:
    """Refuse loads that are no numbers: shares of more paths than a float holds."""
    if np.isnan(through).any():
        raise MethodError(
            f"there are more than {np.finfo(np.float64).max:.2g} shortest paths between two vertices, so their shares "
            f"cannot be told. Use weights with fewer ties, or a {option('cutoff')} and {option('method', COUNTING[0])}."
        )


def choose_counting(query: Query, ends: bool, exact: bool, stop: np.ndarray) -> Counting:
    """Check a query, leave needless arcs out, and build the hierarchy if that should be faster than searches."""
    named = query.method == "prepared" and query.hierarchy is None
    _require_able(query, named, ends, exact)
    require_no_zero_cycle(query.asked)
    _require_short(query)
    searched = exact or ends or has_zeros(query.asked)
    lean, whole = Lean(query.graph), None if searched else _given(query)
    if named:
        require_memory(query.graph, query.threads, _available(query))
    if whole is None and (named or len(query.sources) >= LEAN_ROWS) and _has_room(query):
        lean = _aside(lambda: lean_graph(query.graph, query.threads, stop, SOLVERS), stop)
        if not searched and query.method in ("auto", "prepared"):
            whole = _whole(query, lean.graph, stop)
    if named and whole is None:
        raise MethodError(
            f"method 'prepared' would take longer here than a search per source, or more than the memory that may be "
            f"used. Use {option('method', 'dijkstra')} or 'auto'."
        )
    return Counting(query.but(graph=lean.graph), lean, whole)


def _require_able(query: Query, named: bool, ends: bool, exact: bool) -> None:
    """Refuse a device or a method that cannot count paths; ``named``: the user asked for a hierarchy."""
    if gpus := [device for device in query.devices if device not in ("auto", "cpu")]:
        raise MethodError(
            f"paths are counted on the CPU only, not on {gpus[0]!r}. Use {option('device', 'cpu')}, or leave the "
            "device out."
        )
    if query.method not in ("auto", *COUNTING):
        raise MethodError(
            f"method {query.method!r} does not count paths; {' and '.join(map(repr, COUNTING))} do. "
            f"Use {option('method', COUNTING[0])} or 'auto'."
        )
    if named and (ends or exact or has_zeros(query.asked)):
        rest = "count paths at their ends" if ends else "count paths over arcs of weight 0"
        what = "tell lengths apart that differ by rounding" if exact else rest
        raise MethodError(f"method 'prepared' does not {what}. Use {option('method', 'dijkstra')} or 'auto'.")


def _require_short(query: Query) -> None:
    """Refuse integer weights whose sums may not fit 64 bits."""
    if query.cutoff is None and may_be_long(query.graph):
        raise limits.too_heavy(query.graph, query.types[-1])


def _has_room(query: Query) -> bool:
    """Tell whether memory is enough to leave arcs out and to eliminate the rest; a search needs less."""
    try:
        require_memory(query.graph, query.threads, _available(query))
    except MemoryLimitError:
        return False
    return True


def _available(query: Query) -> int:
    """Return the bytes that may be used."""
    return cpu.facts().memory if query.memory is None else query.memory


def _given(query: Query) -> Hierarchy | None:
    """Return the user's hierarchy, if every vertex is eliminated there and no arc was pruned."""
    found = query.hierarchy
    if not isinstance(found, Hierarchy) or found.by_rows or found.pruned or found.structure.core:
        return None
    return found


def _whole(query: Query, graph: Graph, stop: np.ndarray) -> Hierarchy | None:
    """Return the hierarchy of a graph to the last vertex; None if that costs more than searches, or needs more memory.

    A search takes 80 ns per vertex and arc, with R-MAT graphs on a busy machine, and elimination 15 per list entry with
    all that follows: so it may take about a fifth of the time of the searches.
    """
    budget = max(len(query.sources) * (graph.n + graph.m) // query.threads, LEAST_BUDGET)
    available = _available(query)

    def make() -> Any:
        return build(graph, query.threads, stop, SOLVERS, budget, available, whole=True)

    try:
        found = _aside(make, stop)
    except MemoryLimitError:
        return None
    return found if isinstance(found, Hierarchy) else None


def counted_paths(query: Query, hierarchy: Hierarchy, stop: np.ndarray) -> Counted:
    """Return a hierarchy with counts of paths."""
    slack = slack_of(query.graph.weight_dtype or np.dtype(np.int64))  # of the weights, though sums may be wider
    found: Counted = _aside(lambda: count_paths(hierarchy, hierarchy.graph, slack, query.threads, stop), stop)
    return found


def tally_loads(query: Query, counted: Counted, wanted: np.ndarray, stop: np.ndarray) -> Loads:
    """Push loads back over a hierarchy, from all sources of a query."""
    layout = counted.layout
    per_thread = layout.n + len(layout.up_arcs) + len(layout.down_arcs) + 40 * layout.cells
    _require_memory(query, 8 * (per_thread * query.threads + 4 * len(counted.out_counts)))
    limit = layout.limit if query.cutoff is None else least_beyond(query.cutoff, layout.dtype, layout.limit)
    bounded = query.cutoff is not None
    return tally(counted, query.sources, wanted, limit, bounded, query.threads, query.progress, stop)


def unpacked(counted: Counted, loads: Loads, arcs: bool, stop: np.ndarray) -> Found:
    """Return the loads of vertices and arcs from those of a hierarchy."""
    through, over = _aside(lambda: counted.unpack(loads, counted.hierarchy.graph, stop), stop)
    return through, None, over if arcs else None


def _require_memory(query: Query, needed: int) -> None:
    """Refuse what needs more memory than may be used."""
    available = _available(query)
    if needed > available:
        raise MemoryLimitError(
            f"counting paths over {query.graph.n:,} vertices and {query.graph.m:,} arcs needs "
            f"{format_bytes(needed)}; {format_bytes(available)} may be used. Allow more memory, or use fewer "
            f"{option('threads')}.",
            needed,
            available,
        )


def _aside(make: Callable[[], Any], stop: np.ndarray) -> Any:
    """Return what a function makes on another thread, so that Ctrl-C interrupts it."""
    made: list[Any] = []
    cpu.run(lambda t: made.append(make()), 1, stop)
    return made[0]


def search_loads(query: Query, wanted: np.ndarray, ends: bool, arcs: bool, exact: bool, stop: np.ndarray) -> Found:
    """Run Brandes' algorithm from every source; threads take pieces of the sources."""
    from ..kernels.cpu.brandes import brandes, has_parallel

    graph, dtype = query.graph, query.types[0]
    zeros = has_zeros(graph)
    _require_memory(query, query.threads * ((68 if zeros else 60) * graph.n + 8 * graph.m * arcs))
    cutoff = np.inf if query.cutoff is None else query.cutoff
    slack = np.int64(0) if dtype.kind == "i" else 0.0 if exact else slack_of(dtype)
    end = cutoff * (1 + 4 * slack) if zeros and slack else cutoff  # a path may lead over what is a little farther
    parallel = bool(has_parallel(graph.offsets, graph.arcs, np.empty(graph.n, np.int32)))
    pieces = max(1, min(len(query.sources), BALL_PIECES * query.threads))
    bounds = np.arange(pieces + 1) * len(query.sources) // pieces
    parts: list[Any] = []
    done: list[int] = []

    def new_worker() -> Callable[[int], None]:
        space, sigma, behind = BallSpace(query, end), np.zeros(graph.n), np.zeros(graph.n)
        sorting = _sorting(query, cutoff) if zeros else None
        own = np.zeros(graph.n), np.zeros(graph.n) if ends else None, np.zeros(graph.m) if arcs else None
        parts.append(own)

        def do(i: int) -> None:
            sources = query.sources[bounds[i] : bounds[i + 1]]
            if brandes(*space.given(sources), wanted, slack, parallel, sorting, sigma, behind, *own, stop) >= 0:
                raise lost_in_rounding()
            done.extend(range(len(sources)))

        return do

    with watcher(query.progress, len(query.sources), done) as watch:
        cpu.share_out(new_worker, pieces, query.threads, stop, watch)
    through, both, over = (None if parts[0][i] is None else sum(part[i] for part in parts) for i in range(3))
    assert through is not None
    return through, both, over


def _sorting(query: Query, cutoff: float) -> Zeros:
    """Return work space to sort vertices over arcs of weight zero, and where ends no longer count."""
    n = query.graph.n
    return Zeros(np.zeros(n, np.int32), np.empty(n, np.int32), ceiling_of(query, cutoff))

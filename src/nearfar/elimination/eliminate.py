"""The elimination order of a graph, its elimination tree, and the shortcuts that arise: a `Structure`.

The vertex with the fewest neighbours is taken out next, and its neighbours are joined (kernels/cpu/eliminate.py). The
neighbours it has at that moment are the heads of its shortcuts; the first of them to be eliminated is its parent in the
elimination tree, and all others are ancestors. Elimination stops where it costs more than it saves; what is left is the
core. A structure depends on the topology alone: new weights on the same arcs use the same one.

Vertices get *ranks* here: the core first, then every vertex right before the subtrees that hang from it. So ancestors
have smaller ranks than their descendants, and a subtree is a range of ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..description import format_bytes
from ..errors import MemoryLimitError
from ..graph import Graph
from ..graph.rows import reverse_rows
from .tuning import CORE_COST, ELIMINATE_ALWAYS

# Bytes that a shortcut takes at most while a graph is prepared (its head, two weights twice, two arcs, a mark, and its
# share of the lists that are merged), and bytes that a vertex takes.
SHORTCUT_BYTES, VERTEX_BYTES = 72, 64


@dataclass(frozen=True)
class Structure:
    """The chordal graph that elimination makes, by ranks and without weights.

    Attributes
    ----------
    core : int
        Number of vertices that were not eliminated; their ranks are 0 to core - 1.
    ranks : int32 array of n
        The rank of each vertex: the core first, then each vertex right before the subtrees that hang from it.
    parents : int32 array of n
        By rank, the rank of the parent in the elimination tree; -1 for roots and the core.
    up, heads : int64 array of n + 1, int32 array
        ``heads[up[v]:up[v + 1]]`` are the neighbours of rank v with smaller ranks, ascending: the heads of its
        shortcuts.
    order : str
        By which rule vertices were eliminated: least "degree" first, or by nested "dissection" (dissect.py).
    """

    core: int
    ranks: np.ndarray
    parents: np.ndarray
    up: np.ndarray
    heads: np.ndarray
    order: str = "degree"

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.ranks)

    @cached_property
    def below(self) -> tuple[np.ndarray, np.ndarray]:
        """(starts, ranks): for every rank the deeper ranks with a shortcut to it, ascending."""
        from ..kernels.cpu.customize import reverse_lists

        starts, below = np.zeros(self.n + 1, np.int64), np.empty(len(self.heads), np.int32)
        reverse_lists(self.up, self.heads, starts, below)
        return starts, below

    @cached_property
    def vertices(self) -> np.ndarray:
        """The vertex of each rank."""
        from ..kernels.cpu.schedule import invert

        vertices = np.empty(self.n, np.int32)
        invert(self.ranks, vertices)
        return vertices

    @cached_property
    def sizes(self) -> np.ndarray:
        """By rank, the number of vertices in the subtree that hangs from it, itself included."""
        from ..kernels.cpu.schedule import measure_sizes

        sizes = np.empty(self.n, np.int32)
        measure_sizes(self.parents, sizes)
        return sizes

    def families(self, most: int) -> list[np.ndarray]:
        """Return ranks in groups: first the core and all with more than ``most`` descendants, then whole subtrees.

        Subtrees share a group of up to ``most`` vertices. Each group ascends, so that ancestors come first.
        """
        from ..kernels.cpu.schedule import make_units, measure_trees, sort_stably

        size, height, depth, unit, order = (np.empty(self.n, np.int32) for _ in range(5))
        measure_trees(self.parents, size, height, depth)
        last = int(make_units(self.parents, size, self.core, most, unit)) - 1
        sort_stably(unit, last, np.empty(last + 2, np.int64), np.arange(self.n, dtype=np.int32), order)
        return np.split(order, np.cumsum(np.bincount(unit, minlength=last + 1))[1:-1])

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, without those that paths and changed weights have added."""
        return sum(array.nbytes for array in (self.ranks, self.parents, self.up, self.heads))


@dataclass
class Lists:
    """The arrays of a running elimination: neighbours of the vertices left, as lists in a pool, and of those gone."""

    start: np.ndarray
    degree: np.ndarray
    pool: np.ndarray
    order: np.ndarray
    up: np.ndarray
    up_heads: np.ndarray
    counters: np.ndarray
    is_clique: bool = False  # most pairs of the vertices left are joined


def neighbours(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, heads): the neighbours of every vertex in ascending order, whichever direction the arcs have."""
    from ..kernels.cpu.eliminate import count_neighbours

    back = reverse_rows(graph.offsets, graph.arcs, few=0)  # Numba is loaded anyway
    forth = reverse_rows(*back, few=0)  # reversed twice, rows are sorted
    starts = np.zeros(graph.n + 1, np.int64)
    count_neighbours(*forth, *back, starts, np.empty(0, np.int32), 0)
    np.cumsum(starts, out=starts)
    heads = np.empty(starts[-1], np.int32)
    count_neighbours(*forth, *back, starts, heads, 1)
    return starts, heads


def eliminate(
    graph: Graph, budget: int, whole: bool, stop: np.ndarray, memory: int = 2**62, pruned: bool = False
) -> Structure | None:
    """Eliminate until nothing is left or it costs more than it saves; None if it was stopped.

    ``budget`` limits the list entries that are merged once degrees are large. ``whole``: leave no core, and return None
    if the budget is too small for that. ``memory``: bytes that the hierarchy may take. ``pruned``: most shortcuts in
    the core will be pruned again, so vertices of twice the degree are eliminated.
    """
    room = max(memory - VERTEX_BYTES * graph.n, 0) // SHORTCUT_BYTES
    always = 2 * ELIMINATE_ALWAYS if pruned else ELIMINATE_ALWAYS
    found = neighbours(graph)
    lists = _eliminated(*found, (budget, 0 if whole else CORE_COST, always, graph.n), stop, room)
    if stop[0]:
        return None
    from ..kernels.cpu.eliminate import BEST_AT, GONE

    if lists.counters[GONE] < graph.n and whole:
        return None
    if lists.counters[GONE] < graph.n and not lists.is_clique:
        best = int(lists.counters[BEST_AT])
        lists = _eliminated(*found, (budget, CORE_COST, always, best), stop, room)
    return None if stop[0] else _structure(lists)


def count_eliminated(starts: np.ndarray, heads: np.ndarray, budget: int) -> tuple[float, float, float, float]:
    """Eliminate as far as that is worth while; return entries merged, shortcuts, vertices left, arcs among these.

    If ``budget`` entries do not suffice, the vertices left are counted as a clique that is eliminated as well: half of
    its entries are assumed to be there.
    """
    from ..kernels.cpu.eliminate import GONE, LEFT, STEPS, UP_TOP

    n = len(starts) - 1
    lists = _eliminated(starts, heads, (budget, CORE_COST, ELIMINATE_ALWAYS, n), np.zeros(1, np.int64), 2**62)
    steps, shortcuts, gone, left = lists.counters[[STEPS, UP_TOP, GONE, LEFT]].tolist()
    rest = n - gone
    return (steps, shortcuts, rest, left) if steps <= budget else (steps + rest**3 / 3, shortcuts + rest**2 / 4, 0, 0)


def _eliminated(
    starts: np.ndarray, heads: np.ndarray, limits: tuple[int, int, int, int], stop: np.ndarray, room: int
) -> Lists:
    """Run the elimination, with more room when needed; ``limits``: steps, cost of a core arc, degree, vertices."""
    from ..kernels.cpu import eliminate as kernels

    n = len(starts) - 1
    first, after, before, merged = (np.empty(n + extra, np.int32) for extra in (1, 0, 0, 0))
    counters = np.zeros(kernels.COUNTERS, np.int64)
    counters[kernels.TOP] = counters[kernels.LEFT] = len(heads)
    counters[[kernels.BUDGET, kernels.SEARCH, kernels.ALWAYS, kernels.LIMIT]] = limits
    counters[kernels.BEST] = np.iinfo(np.int64).max
    pool = np.empty(3 * len(heads) + 1024, np.int32)
    pool[: len(heads)] = heads
    degree = np.diff(starts).astype(np.int32)
    lists = Lists(
        starts[:-1].copy(), degree, pool, np.empty(n, np.int32), np.zeros(n + 1, np.int64),
        np.empty(2 * len(heads) + 1024, np.int32), counters,
    )  # fmt: skip
    kernels.chain_by_degree(degree, first, after, before)
    while True:
        outcome = kernels.eliminate(
            lists.start, degree, lists.pool, first, after, before, lists.order, lists.up, lists.up_heads, merged,
            counters, stop,
        )  # fmt: skip
        if outcome == kernels.NEEDS_POOL:
            _compact(lists)
        elif outcome == kernels.NEEDS_UP:
            _grow(lists, room)
        else:
            lists.is_clique = outcome == kernels.CLIQUE
            return lists


def _grow(lists: Lists, room: int) -> None:
    """Make room for twice as many shortcuts, or refuse."""
    from ..kernels.cpu.eliminate import GONE

    if len(lists.up_heads) >= room:
        needed, allowed = 2 * SHORTCUT_BYTES * len(lists.up_heads), SHORTCUT_BYTES * room
        raise MemoryLimitError(
            f"preparing this graph takes more than the {format_bytes(allowed)} that are left for it: "
            f"{int(lists.counters[GONE]):,} of {len(lists.order):,} vertices are eliminated. Allow more memory, or ask "
            "without preparing, by another method.",
            needed,
            allowed,
        )
    more = min(len(lists.up_heads), room - len(lists.up_heads) + 1024)
    lists.up_heads = np.concatenate((lists.up_heads, np.empty(more, np.int32)))


def _compact(lists: Lists) -> None:
    """Move the lists in use to a fresh pool with room to grow."""
    from ..kernels.cpu.eliminate import TOP, compact

    live = int(lists.degree.sum(dtype=np.int64))
    fresh = np.empty(2 * live + max(live, 1 << 20), np.int32)
    lists.counters[TOP] = compact(lists.start, lists.degree, lists.pool, fresh)
    lists.pool = fresh


def _structure(lists: Lists) -> Structure:
    """Rank the vertices along the elimination tree, and sort the heads of their shortcuts."""
    from ..kernels.cpu import customize as kernels
    from ..kernels.cpu.eliminate import GONE, UP_TOP

    n, gone = len(lists.order), int(lists.counters[GONE])
    lists.up[gone:] = lists.counters[UP_TOP]
    there = np.ones(n, bool)
    there[lists.order[:gone]] = False
    left = np.flatnonzero(there)
    lists.order[gone:] = left[np.argsort(-lists.degree[left], kind="stable")]  # hubs first: see kernels/cpu/core.py
    ranks, by_time, parents = (np.empty(n, np.int32) for _ in range(3))
    kernels.rank_vertices(
        lists.order, lists.up, lists.up_heads, gone, np.empty(n, np.int32), np.empty(n, np.int64), ranks, by_time
    )
    kernels.parents_by_rank(lists.order, gone, ranks, by_time, parents)
    graph = (lists.order, gone, lists.up, lists.up_heads, lists.start, lists.degree, lists.pool, ranks)
    starts = np.zeros(n + 1, np.int64)
    kernels.count_shortcuts(*graph, starts)
    np.cumsum(starts, out=starts)
    heads, reversed_heads = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    kernels.write_shortcuts(*graph, starts, heads)
    back, up = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    kernels.reverse_lists(starts, heads, back, reversed_heads)  # twice, which sorts them
    kernels.reverse_lists(back, reversed_heads, up, heads)
    return Structure(n - gone, ranks, parents, up, heads)

"""Eliminate a graph: in which order, and which neighbours each vertex has when it leaves.

A Skeleton depends on the topology alone: new weights on the same arcs use the same one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..description import format_bytes
from ..errors import MemoryLimitError, option
from ..graph import Graph
from ..graph.rows import turn_round
from .tuning import CORE_COST, ELIMINATE_ALWAYS

# What a slot takes at most while a graph is prepared: its head, two weights twice, two arcs, a mark, and its share of
# the lists that are merged; and what a vertex takes.
SLOT_BYTES, VERTEX_BYTES = 72, 64


@dataclass(frozen=True)
class Skeleton:
    """The chordal graph that elimination makes, in the numbers of the elimination tree, without weights.

    Attributes
    ----------
    core : int
        Vertices that were not eliminated; they have the numbers below it.
    places : int32 array of n
        The number of each vertex: the core first, then each vertex right before the subtrees that hang from it.
    parents : int32 array of n
        The neighbour that left next after a vertex, by number; -1 for roots and the core.
    up, heads : int64 array of n + 1, int32 array
        ``heads[up[v]:up[v + 1]]`` are the neighbours of number v with smaller numbers, ascending: its slots.
    """

    core: int
    places: np.ndarray
    parents: np.ndarray
    up: np.ndarray
    heads: np.ndarray
    steps: int  # entries of lists that were merged

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.places)

    @cached_property
    def below(self) -> tuple[np.ndarray, np.ndarray]:
        """(starts, numbers): for every number those that have a slot for it, ascending."""
        from ..kernels.cpu.customize import turn_lists

        starts, numbers = np.zeros(self.n + 1, np.int64), np.empty(len(self.heads), np.int32)
        turn_lists(self.up, self.heads, starts, numbers)
        return starts, numbers

    @cached_property
    def vertices(self) -> np.ndarray:
        """The vertex of each number."""
        vertices = np.empty(self.n, np.int32)
        vertices[self.places] = np.arange(self.n, dtype=np.int32)
        return vertices

    def families(self, most: int) -> list[np.ndarray]:
        """Return the numbers of the core and of those with more than ``most`` descendants, then of whole subtrees.

        Each ascends, ancestors first; subtrees come together until there are ``most`` vertices.
        """
        from ..kernels.cpu.schedule import make_units, measure_trees, sort_stably

        size, height, depth, unit, order = (np.empty(self.n, np.int32) for _ in range(5))
        measure_trees(self.parents, size, height, depth)
        last = int(make_units(self.parents, size, self.core, most, unit)) - 1
        sort_stably(unit, last, np.empty(last + 2, np.int64), np.arange(self.n, dtype=np.int32), order)
        return np.split(order, np.cumsum(np.bincount(unit, minlength=last + 1))[1:-1])

    @property
    def nbytes(self) -> int:
        """Memory of the arrays, without what paths and changed weights have listed."""
        return sum(array.nbytes for array in (self.places, self.parents, self.up, self.heads))


@dataclass
class Lists:
    """What elimination works on: the neighbours of each vertex as lists in a pool, and those of the vertices gone."""

    start: np.ndarray
    degree: np.ndarray
    pool: np.ndarray
    order: np.ndarray
    up: np.ndarray
    up_heads: np.ndarray
    counters: np.ndarray
    is_clique: bool = False  # whether most pairs of the vertices left are joined


def neighbours(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return (starts, heads): the neighbours of every vertex in ascending order, whichever way the arcs go."""
    from ..kernels.cpu.eliminate import count_neighbours

    back = turn_round(graph.offsets, graph.arcs)
    forth = turn_round(*back)  # turned twice, rows are sorted
    starts = np.zeros(graph.n + 1, np.int64)
    count_neighbours(*forth, *back, starts, np.empty(0, np.int32), 0)
    np.cumsum(starts, out=starts)
    heads = np.empty(starts[-1], np.int32)
    count_neighbours(*forth, *back, starts, heads, 1)
    return starts, heads


def eliminate(
    graph: Graph, budget: int, whole: bool, stop: np.ndarray, memory: int = 2**62, pruned: bool = False
) -> Skeleton | None:
    """Eliminate until nothing is left or it no longer pays; None when it was stopped.

    ``budget`` bounds the entries of lists that are merged once degrees are large; ``whole``: leave no core, whatever it
    costs within the budget, and return None if that is not enough. ``memory``: bytes that the hierarchy may take;
    ``pruned``: most arcs that arise in a core will be pruned again, so that more may.
    """
    room = max(memory - VERTEX_BYTES * graph.n, 0) // SLOT_BYTES
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
    return None if stop[0] else _skeleton(lists)


def _eliminated(
    starts: np.ndarray, heads: np.ndarray, limits: tuple[int, int, int, int], stop: np.ndarray, room: int
) -> Lists:
    """Run the elimination, with more room when it asks; ``limits``: steps, cost of a core's arc, degree, vertices."""
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
    """Make room for twice as many neighbours of vertices that are gone, or refuse."""
    from ..kernels.cpu.eliminate import GONE

    if len(lists.up_heads) >= room:
        needed, allowed = 2 * SLOT_BYTES * len(lists.up_heads), SLOT_BYTES * room
        raise MemoryLimitError(
            f"preparing this graph takes more than the {format_bytes(allowed)} that are left for it: "
            f"{int(lists.counters[GONE]):,} of {len(lists.order):,} vertices are eliminated. Allow more memory, or ask "
            f"without preparing: mssp with {option('method', 'dijkstra')}.",
            needed,
            allowed,
        )
    more = min(len(lists.up_heads), room - len(lists.up_heads) + 1024)
    lists.up_heads = np.concatenate((lists.up_heads, np.empty(more, np.int32)))


def _compact(lists: Lists) -> None:
    """Move the lists that still count to a pool with room for as much again."""
    from ..kernels.cpu.eliminate import TOP, compact

    live = int(lists.degree.sum(dtype=np.int64))
    fresh = np.empty(2 * live + max(live, 1 << 20), np.int32)
    lists.counters[TOP] = compact(lists.start, lists.degree, lists.pool, fresh)
    lists.pool = fresh


def _skeleton(lists: Lists) -> Skeleton:
    """Give the vertices numbers along the elimination tree, and sort their slots."""
    from ..kernels.cpu import customize as kernels
    from ..kernels.cpu.eliminate import GONE, STEPS, UP_TOP

    n, gone = len(lists.order), int(lists.counters[GONE])
    lists.up[gone:] = lists.counters[UP_TOP]
    there = np.ones(n, bool)
    there[lists.order[:gone]] = False
    left = np.flatnonzero(there)
    lists.order[gone:] = left[np.argsort(-lists.degree[left], kind="stable")]  # the search of a core likes hubs first
    places, ranks, parents = (np.empty(n, np.int32) for _ in range(3))
    kernels.number_vertices(
        lists.order, lists.up, lists.up_heads, gone, np.empty(n, np.int32), np.empty(n, np.int64), places, ranks
    )
    kernels.parents_by_number(lists.order, gone, places, ranks, parents)
    graph = (lists.order, gone, lists.up, lists.up_heads, lists.start, lists.degree, lists.pool, places)
    starts = np.zeros(n + 1, np.int64)
    kernels.count_slots(*graph, starts)
    np.cumsum(starts, out=starts)
    heads, turned = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    kernels.place_slots(*graph, starts, heads)
    back, up = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    kernels.turn_lists(starts, heads, back, turned)
    kernels.turn_lists(back, turned, up, heads)
    return Skeleton(n - gone, places, parents, up, heads, int(lists.counters[STEPS]))

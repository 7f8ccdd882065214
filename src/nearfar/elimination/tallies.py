"""Betweenness over a hierarchy: what is needed beside it, and the work of all threads (kernels/cpu/tallies.py).

Ties count here, so shortcuts that are as long as a detour are kept, and the layout is another one than for distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..kernels.cpu.arguments import Gates, Offers
from ..kernels.cpu.constants import LANES
from ..progress import watcher
from .build import Hierarchy
from .layout import SweepLayout, lane_type, lay_out, new_lanes
from .shortcuts import IN, OUT, Shortcuts, best_of, weights_of
from .sweep import EACH_ALONE, batches_per_call, in_lanes, words_of_marks


@dataclass(frozen=True)
class Counted:
    """A hierarchy with counts of paths: a layout of its own, and for each of its arcs the count and the shortcut.

    ``out_counts`` and ``in_counts`` are those of all shortcuts.
    """

    hierarchy: Hierarchy
    layout: SweepLayout
    slack: Any
    out_counts: np.ndarray
    in_counts: np.ndarray
    up_ids: np.ndarray
    down_ids: np.ndarray

    @property
    def nbytes(self) -> int:
        """The bytes of the counts and the layout."""
        counts = self.out_counts.nbytes + self.in_counts.nbytes + self.up_ids.nbytes + self.down_ids.nbytes
        return counts + self.layout.nbytes

    @property
    def lengths(self) -> tuple[Any, ...]:
        """What kernels take of the shortcuts: where they begin, their heads, and their lengths in both directions."""
        structure, shortcuts = self.hierarchy.structure, self.hierarchy.shortcuts
        return structure.up, structure.heads, shortcuts.outs, shortcuts.ins

    def unpack(self, loads: Loads, graph: Graph, stop: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what passes through every vertex, and over every arc, given the loads of shortcuts."""
        from ..kernels.cpu.tallies import load_arcs, unpack_loads

        structure, infinity = self.hierarchy.structure, self.hierarchy.shortcuts.infinity
        counts = self.out_counts, self.in_counts
        out_loads, in_loads = np.zeros_like(self.out_counts), np.zeros_like(self.in_counts)
        out_loads[self.up_ids], in_loads[self.down_ids] = loads.up, loads.down
        through = np.empty(structure.n)
        through[structure.ranks[self.layout.vertices]] = loads.through
        unpack_loads(*self.lengths, infinity, self.slack, *counts, out_loads, in_loads, through, stop)
        arcs = np.empty(graph.m)
        given = graph.offsets, graph.arcs, weights_of(graph).astype(self.lengths[2].dtype), structure.ranks
        load_arcs(*given, *self.lengths, self.slack, *counts, out_loads, in_loads, arcs)
        return through[structure.ranks], arcs


@dataclass
class Loads:
    """What passes through vertices, by position, and over the arcs of the layout."""

    through: np.ndarray
    up: np.ndarray
    down: np.ndarray

    def add(self, other: Loads) -> None:
        """Add what another thread found."""
        self.through += other.through
        self.up += other.up
        self.down += other.down


def count_paths(hierarchy: Hierarchy, graph: Graph, slack: Any, threads: int, stop: np.ndarray) -> Counted:
    """Return a hierarchy without a core, with counts of paths; ``slack``: the relative error of lengths that tie."""
    from ..kernels.cpu.tallies import count_direct, count_shortcuts

    structure, found = hierarchy.structure, hierarchy.shortcuts
    out_counts, in_counts = np.zeros(len(structure.heads)), np.zeros(len(structure.heads))
    lengths = structure.up, structure.heads, found.outs, found.ins
    given = graph.offsets, graph.arcs, weights_of(graph).astype(found.outs.dtype), structure.ranks
    count_direct(*given, *lengths, slack, out_counts, in_counts)
    count_shortcuts(*lengths, found.infinity, slack, out_counts, in_counts, stop)
    best = best_of(structure, found, threads, stop)
    assert best is not None
    is_best = [
        (own <= least + slack * least) & (own < found.infinity) for own, least in zip(lengths[2:], best, strict=True)
    ]
    keep = is_best[0].astype(np.uint8) * OUT | is_best[1].astype(np.uint8) * IN
    kept = Shortcuts(found.outs, found.ins, keep)
    dtype, bounds = lane_type(structure, kept)
    layout = lay_out(structure, kept, bounds, dtype, threads, couples=False)
    ids = (_ids(structure, layout, keep, bit) for bit in (OUT, IN))
    return Counted(hierarchy, layout, slack, out_counts, in_counts, *ids)


def _ids(structure: Any, layout: SweepLayout, keep: np.ndarray, bit: Any) -> np.ndarray:
    """Return the shortcut of every arc of a layout in one direction."""
    from ..kernels.cpu.customize import relabel_kept

    order = structure.ranks[layout.vertices]
    positions = np.empty(structure.n, np.int32)
    positions[order] = np.arange(structure.n, dtype=np.int32)
    total = int(np.count_nonzero(keep & bit))
    starts = np.empty(structure.n + 1, np.int64)
    arcs = np.empty(total, np.dtype([("head", np.int32), ("weight", np.int64)]))
    numbers = np.arange(len(structure.heads))
    shared = order, positions, layout.begins, layout.tops
    relabel_kept(structure.up, structure.heads, numbers, keep, bit, *shared, starts, arcs)
    return np.ascontiguousarray(arcs["weight"])


class _Space:
    """The work space of one thread."""

    def __init__(self, counted: Counted) -> None:
        layout = counted.layout
        n, room = layout.n, min(layout.n, LANES * layout.depth)
        marks = np.zeros(words_of_marks(n), np.uint64)
        values = new_lanes(room, layout.dtype)
        self.offers = Offers(np.full(n, -1, np.int32), np.empty(room + 1, np.int32), marks, values)
        self.ups, self.backs = new_lanes(room, np.dtype(np.float64)), new_lanes(room, np.dtype(np.float64))
        self.dist = new_lanes(layout.cells, layout.dtype)
        self.sigma, self.flow = (new_lanes(layout.cells, np.dtype(np.float64)) for _ in range(2))
        self.loads = Loads(np.zeros(n), np.zeros(len(layout.up_arcs)), np.zeros(len(layout.down_arcs)))
        self.count = 0


def tally(
    counted: Counted, sources: np.ndarray, wanted: np.ndarray, limit: Any, bounded: bool, threads: int, progress: Any,
    stop: np.ndarray,
) -> Loads:  # fmt: skip
    """Return the loads of all shortcuts from some sources, to the vertices that are ``wanted`` (1.0, else 0.0)."""
    from ..kernels.cpu.tallies import tally_batches

    layout = counted.layout
    positions = np.sort(layout.positions[sources])
    share = LANES * batches_per_call(layout, -(-len(sources) // LANES), threads)
    gates = Gates(*layout.gates(), limit) if bounded else None
    targets = wanted[layout.vertices]
    up_counts, down_counts = counted.out_counts[counted.up_ids], counted.in_counts[counted.down_ids]
    spaces: list[_Space] = []
    done: list[int] = []

    def new_worker() -> Any:
        space = _Space(counted)
        spaces.append(space)

        def do(i: int) -> None:
            some = positions[i * share : (i + 1) * share]
            seeds = in_lanes(some)
            used = np.minimum(LANES, len(some) - LANES * np.arange(len(seeds)))
            loads = space.loads
            space.count = int(tally_batches(
                layout.up, up_counts, layout.down, down_counts, gates, space.offers, space.ups, space.backs,
                space.count, seeds, np.empty(0, layout.dtype), EACH_ALONE, used, space.dist, space.sigma, space.flow,
                targets, limit, counted.slack, loads.through, loads.up, loads.down, stop,
            ))  # fmt: skip
            done.extend(range(len(some)))

        return do

    with watcher(progress, len(sources), done) as watch:
        cpu.share_out(new_worker, -(-len(sources) // share), threads, stop, watch)
    total = spaces[0].loads
    for space in spaces[1:]:
        total.add(space.loads)
    return total

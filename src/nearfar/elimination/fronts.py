"""The weights of shortcuts found in dense blocks, on all threads (kernels/cpu/fronts.py and sharpen_fronts.py).

Subtrees of blocks are shared out among the threads. The few blocks above them are large: there threads share the rows
of a block. The result is the same as that of `weigh` in shortcuts.py, which goes vertex by vertex.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..devices import cpu
from ..graph import Graph
from ..kernels.cpu.constants import LANES
from .blocks import find_blocks, padded, share
from .eliminate import Structure
from .shortcuts import HALF_INFINITY, Shortcuts, infinity_of, same_if_equal
from .tuning import IN_BLOCKS, LEAST_SQUARES, SHARED_SUMS

Matrices = tuple[np.ndarray, np.ndarray]
"""For arcs to ancestors and for arcs from them; one array twice where both are the same."""


def suits_blocks(graph: Graph, structure: Structure) -> bool:
    """Return whether weights are found in blocks: none is negative, no core is left, and there are many shortcuts."""
    if structure.core or not structure.n or graph.min_weight < 0:
        return False
    squares = float(np.square(np.diff(structure.up).astype(np.float64)).sum())
    return squares > max(IN_BLOCKS * structure.n, LEAST_SQUARES)


def weigh_in_blocks(graph: Graph, structure: Structure, threads: int, stop: np.ndarray) -> Shortcuts:
    """Return the weights of all shortcuts, and which are needed; what is returned after a stop is incomplete."""
    outs, ins = _assigned(graph, structure, threads, stop)
    weigher = Weigher(structure, outs, same_if_equal(outs, ins), threads, stop)
    weigher.eliminate()
    keep = weigher.sharpen()
    return Shortcuts(weigher.outs, weigher.ins, keep)


def type_of_sums(graph: Graph) -> np.dtype:
    """Return the type in which weights are added up: int32 where no path can be too long for it."""
    if graph.weights is None or graph.weights.dtype.kind == "i":
        return np.dtype(np.int32 if _longest(graph) < HALF_INFINITY else np.int64)
    return graph.weights.dtype


def _longest(graph: Graph) -> int:
    """Return a bound of all paths: each vertex is left once at most, by its heaviest arc."""
    if graph.weights is None:
        return graph.n
    starts = graph.offsets[:-1][np.diff(graph.offsets) > 0]
    return int(np.maximum.reduceat(graph.weights, starts).sum(dtype=np.float64)) if len(starts) else 0


def _assigned(graph: Graph, structure: Structure, threads: int, stop: np.ndarray) -> Matrices:
    """Give every arc of the graph to its shortcut."""
    from ..kernels.cpu.customize import assign_arcs

    dtype = type_of_sums(graph)
    weights = np.ones(graph.m, dtype) if graph.weights is None else graph.weights.astype(dtype)
    outs = np.empty(len(structure.heads), dtype)
    ins = outs if graph.undirected else np.empty(len(structure.heads), dtype)
    pieces = 8 * threads
    bounds = [i * structure.n // pieces for i in range(pieces + 1)]
    given = (graph.offsets, graph.arcs, weights, structure.ranks, structure.up, structure.heads, outs, ins)
    infinity = infinity_of(dtype)

    def clear(i: int) -> None:
        first, last = structure.up[bounds[i]], structure.up[bounds[i + 1]]
        outs[first:last] = infinity
        ins[first:last] = infinity

    def assign(i: int) -> None:
        assign_arcs(*given, graph.undirected, bounds[i], bounds[i + 1])

    cpu.share_out(lambda: clear, pieces, threads, stop)
    cpu.share_out(lambda: assign, pieces, threads, stop)
    return outs, ins


class Weigher:
    """The shortcuts of a structure while they are weighed."""

    def __init__(self, structure: Structure, outs: np.ndarray, ins: np.ndarray, threads: int, stop: np.ndarray) -> None:
        self.structure, self.outs, self.ins = structure, outs, ins
        self.infinity, self.both = infinity_of(outs.dtype), outs is not ins
        self.threads, self.stop = threads, stop
        self.blocks = find_blocks(structure)
        self.shares = share(self.blocks, threads)
        self.offers: dict[int, Matrices] = {}  # what blocks offer to their parents
        self.known: dict[int, Matrices] = {}  # the distances between the ancestors of a block

    @property
    def sides(self) -> tuple[int, ...]:
        """The directions, as indices: arcs to ancestors, and arcs from them unless they are the same."""
        return (0, 1) if self.both else (0,)

    @property
    def arcs(self) -> tuple[Any, ...]:
        """What kernels take for all blocks."""
        return (
            self.blocks.first, self.blocks.parents, self.structure.up, self.structure.heads, self.outs, self.ins,
            self.both,
        )  # fmt: skip

    def new(self, entries: int) -> Matrices:
        """Return memory for matrices of so many entries."""
        one = np.empty(entries + LANES, self.outs.dtype)
        return one, (np.empty(entries + LANES, self.outs.dtype) if self.both else one)

    def share_out(self, work: Callable[[int], None], count: int) -> None:
        """Do pieces of work on all threads."""
        cpu.share_out(lambda: work, count, self.threads if count > 1 else 0, self.stop)

    def eliminate(self) -> None:
        """Weigh all shortcuts, from the leaves up."""
        ranges = self.shares.ranges
        cpu.share_out(lambda: Range(self).eliminate, len(ranges), self.threads, self.stop)
        for block in reversed(self.shares.tops):
            if not self.stop[0]:
                self._eliminate_top(block)

    def sharpen(self) -> np.ndarray:
        """Return which arcs are needed, from the root down."""
        keep = np.empty(len(self.outs), np.uint8)
        below: dict[int, list[int]] = {}
        for block in [*self.shares.tops, *(begin for begin, _ in self.shares.ranges)]:
            below.setdefault(int(self.blocks.parents[block]), []).append(block)
        for block in self.shares.tops:
            if not self.stop[0]:
                self._sharpen_top(block, keep, below.get(block, []))
        cpu.share_out(lambda: Range(self, keep).sharpen, len(self.shares.ranges), self.threads, self.stop)
        return keep

    def _eliminate_top(self, block: int) -> None:
        """Eliminate a block; threads share the rows above each panel."""
        from ..kernels.cpu import fronts

        blocks, up = self.blocks, self.structure.up
        size, above, (low, high) = int(blocks.sizes[block]), blocks.above(block), blocks.first[block : block + 2]
        pitch, front = padded(size), self.new(size * padded(size))
        self._assemble(block, front)
        for end in range(size, above, -fronts.PANEL):
            panel = max(above, end - fronts.PANEL)
            fronts.eliminate_panel(*front, pitch, panel, end, self.both, self.infinity)
            bounds = self._rows_of_panel(panel, end - panel)

            def offer(i: int, panel: int = panel, end: int = end, bounds: list[int] = bounds) -> None:
                for side in self.sides:
                    rows = bounds[i], bounds[i + 1]
                    fronts.offer_rows(front[side], front[side ^ 1], pitch, panel, end, *rows, self.infinity)

            self.share_out(offer, len(bounds) - 1)
        kept = self.new(above * padded(above))
        for side in self.sides:
            fronts.store_rows(front[side], above * pitch, pitch, up, low, high, (self.outs, self.ins)[side])
            fronts.keep_offers(front[side], pitch, above, kept[side], 0)
        if above:
            self.offers[block] = kept

    def _assemble(self, block: int, front: Matrices) -> None:
        """Write the front of a block: its shortcuts, and what its children offer."""
        from ..kernels.cpu import fronts

        first, up, heads = self.blocks.first, self.structure.up, self.structure.heads
        size = int(self.blocks.sizes[block])
        relative, nobody = np.empty(size, np.int32), np.empty(0, np.int64)
        for side in self.sides:
            weights = (self.outs, self.ins)[side]
            fronts.assemble(
                block, first, up, heads, weights, front[side], nobody, 0, 0, front[side], relative, self.infinity
            )
        for child in [child for child in self.offers if self.blocks.parents[child] == block]:
            offered = self.offers.pop(child)
            count = fronts.relate(up, heads, first, child, block, relative)
            for side in self.sides:
                fronts.add_offers(front[side], padded(size), offered[side], 0, count, relative)

    def _rows_of_panel(self, rows: int, panel: int) -> list[int]:
        """Return bounds of ranges of rows of a triangle that take equally long, one range if there is little to do."""
        parts = 2 * self.threads if rows * rows * panel > SHARED_SUMS else 1
        return [round(rows * (i / parts) ** 0.5) // 4 * 4 if i < parts else rows for i in range(parts + 1)]

    def _sharpen_top(self, block: int, keep: np.ndarray, children: Sequence[int]) -> None:
        """Decide which arcs a block needs; threads share the ranks of each panel. Tell its children the distances."""
        from ..kernels.cpu import fronts, sharpen_fronts

        blocks, up, heads = self.blocks, self.structure.up, self.structure.heads
        size, above, (low, high) = int(blocks.sizes[block]), blocks.above(block), blocks.first[block : block + 2]
        pitch = padded(size)
        front = self.known.pop(block, None) or self.new(size * pitch)
        panels = new_panels(pitch, self)
        for at in range(low, high, fronts.PANEL):
            count, settled = min(fronts.PANEL, high - at), above + at - low
            for side in self.sides:
                rows, over, under = panels[3 * side : 3 * side + 3]
                weights = (self.outs, self.ins)[side]
                sharpen_fronts.load_panel(at, count, up, weights, rows, pitch, over, under, self.infinity)
            parts = min(-(-count // 4), 4 * self.threads) if settled * settled * count > SHARED_SUMS else 1

            def find(i: int, count: int = count, settled: int = settled, parts: int = parts) -> None:
                first, last = (count * j // parts if j < parts else count for j in (i, i + 1))
                for side in self.sides:
                    mine = [panel[first * pitch :] for panel in panels[3 * side : 3 * side + 3]]
                    sharpen_fronts.find_ways(
                        *mine, pitch, last - first, front[side], front[side ^ 1], 0, pitch, settled, self.infinity
                    )

            self.share_out(find, parts)
            sharpen_fronts.sharpen_panel(
                at, count, settled, up, self.both, *panels, pitch, *front, 0, pitch, keep, self.infinity
            )
        relative = np.empty(size, np.int32)
        for child in children:
            count = fronts.relate(up, heads, blocks.first, child, block, relative)
            width = padded(int(blocks.sizes[child]))
            given = self.new(width * int(blocks.sizes[child]))
            for side in self.sides:
                sharpen_fronts.take_distances(
                    front[side], 0, pitch, count, relative, given[side], 0, width, self.infinity
                )
            self.known[child] = given


def new_panels(pitch: int, weigher: Weigher) -> list[np.ndarray]:
    """Return memory for a panel: its rows and the ways over higher and over lower members, in both directions."""
    from ..kernels.cpu.fronts import PANEL

    panels = [np.empty(PANEL * pitch + LANES, weigher.outs.dtype) for _ in range(6 if weigher.both else 3)]
    return panels if weigher.both else panels * 2


class Range:
    """The work space of one thread for ranges of blocks."""

    def __init__(self, weigher: Weigher, keep: np.ndarray | None = None) -> None:
        self.weigher, self.keep = weigher, keep
        self.front = self.stack = weigher.new(0)
        self.panels: list[np.ndarray] = []
        self.widest = 0

    def eliminate(self, i: int) -> None:
        """Weigh the shortcuts of a range."""
        from ..kernels.cpu import fronts

        weigher, blocks = self.weigher, self.weigher.blocks
        begin, end = weigher.shares.ranges[i]
        owners = np.empty(2 * (end - begin + 1), np.int64)
        most = int(fronts.measure_stack(begin, end, blocks.first, blocks.parents, weigher.structure.up, owners))
        widest = int(blocks.sizes[begin:end].max())
        self.front = self._at_least(self.front, widest * padded(widest))
        self.stack = self._at_least(self.stack, most)
        fronts.eliminate_blocks(
            begin, end, *weigher.arcs, *self.front, *self.stack, owners, np.empty(widest, np.int32), weigher.infinity,
            weigher.stop,
        )  # fmt: skip
        above = blocks.above(begin)
        if above:
            kept = weigher.new(above * padded(above))
            for side in weigher.sides:
                kept[side][:] = self.stack[side][: len(kept[side])]
            weigher.offers[begin] = kept

    def sharpen(self, i: int) -> None:
        """Decide which arcs a range needs."""
        from ..kernels.cpu import sharpen_fronts

        weigher, blocks = self.weigher, self.weigher.blocks
        begin, end = weigher.shares.ranges[i]
        entries = np.empty(2 * (end - begin + 1), np.int64)
        up = weigher.structure.up
        most = int(sharpen_fronts.measure_fronts(begin, end, blocks.first, blocks.parents, up, entries))
        widest = int(blocks.sizes[begin:end].max())
        self.stack = self._at_least(self.stack, most)
        if widest > self.widest:
            self.panels, self.widest = new_panels(padded(widest), weigher), widest
        known = weigher.known.pop(begin, None)
        if known is not None:
            for side in weigher.sides:
                self.stack[side][: len(known[side])] = known[side]
        sharpen_fronts.sharpen_blocks(
            begin, end, *weigher.arcs, *self.panels, *self.stack, entries, np.empty(widest, np.int32), self.keep,
            weigher.infinity, weigher.stop,
        )  # fmt: skip

    def _at_least(self, found: Matrices, entries: int) -> Matrices:
        """Return the matrices if they have so many entries, else new ones."""
        return found if len(found[0]) >= entries + LANES else self.weigher.new(entries)

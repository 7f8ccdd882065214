"""Trees of many rows: up to LANES of them in one pass over the arcs (kernels/cpu/tree_lanes.py).

The distances of a block of rows are laid out side by side first. On a large graph, all threads share one block, so that
its distances fill the cache once; on a small one, where starting threads would take longer, each thread does blocks of
its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..devices import cpu
from ..kernels.cpu.aligned import new_lanes
from ..kernels.cpu.constants import LANES
from .limits import unreached

if TYPE_CHECKING:
    from ..graph import Graph

Part = Callable[[np.ndarray, int, int], None]
"""A step of a block for some vertices: the table, the first vertex, and the one after the last."""

# The fewest rows of a block: it takes as long with one row as with all. One thread, CPU time per row alone and of a
# block: R-MAT 18 12.3 and 52 ms, New York 2.2 and 11.5, a grid of a million crossings 6.1 and 24.
FEWEST_ROWS = 6
SHARED_WORK = 1 << 22  # distances times arcs of a block from which threads share it: two milliseconds of work
TABLE_SHARE = 8  # the distances side by side may take this part of the free memory


def rows_in_blocks(back: Graph, rows: np.ndarray) -> int:
    """Return how many of the first rows are done in blocks: all, or all but the last few, or none."""
    count = len(rows) - len(rows) % LANES if len(rows) % LANES < FEWEST_ROWS else len(rows)
    if rows.dtype.kind == "i" and back.max_weight > np.iinfo(rows.dtype).max:
        return 0  # such weights are on no shortest path, but they do not fit
    return count if LANES * back.n * rows.dtype.itemsize <= cpu.facts().memory // TABLE_SHARE else 0


def hang_blocks(
    back: Graph, rows: np.ndarray, pred: np.ndarray, bounds: list[int], threads: int, stop: np.ndarray
) -> list[int]:
    """Fill ``pred`` for all rows; return how many reached vertices of each have no predecessor.

    ``bounds``: the vertices at which the parts begin that threads may share, and n.
    """
    parts = [slice(first, first + LANES) for first in range(0, len(rows), LANES)]
    blocks = [Block(back, rows[part], pred[part], stop) for part in parts]
    if threads > 1 and LANES * (back.n + back.m) >= SHARED_WORK:
        table = new_lanes(back.n, rows.dtype)
        for block in blocks:
            for work in (block.lay_out, block.pull):
                _share(work, table, bounds, threads, stop)
    else:
        _do_whole(blocks, threads, stop)
    return [count for block in blocks for count in block.missing()]


def _share(work: Part, table: np.ndarray, bounds: list[int], threads: int, stop: np.ndarray) -> None:
    """Do one step of a block, all threads together."""
    cpu.share_out(lambda: lambda i: work(table, bounds[i], bounds[i + 1]), len(bounds) - 1, threads, stop)


def _do_whole(blocks: list[Block], threads: int, stop: np.ndarray) -> None:
    """Do blocks, each of them on one thread."""

    def new_worker() -> Callable[[int], None]:
        n, dtype = blocks[0].rows.shape[1], blocks[0].rows.dtype
        table = new_lanes(n, dtype)

        def do(i: int) -> None:
            blocks[i].lay_out(table, 0, n)
            blocks[i].pull(table, 0, n)

        return do

    cpu.share_out(new_worker, len(blocks), threads, stop)


class Block:
    """At most LANES rows and their predecessors; a table holds the distances side by side, a row per vertex."""

    def __init__(self, back: Graph, rows: np.ndarray, pred: np.ndarray, stop: np.ndarray) -> None:
        self.back, self.rows, self.pred, self.stop = back, np.ascontiguousarray(rows), pred.view(np.uint32), stop
        self._missing = [np.zeros(LANES, np.int64)]  # by part of the vertices

    def lay_out(self, table: np.ndarray, low: int, high: int) -> None:
        """Copy the distances of the vertices ``low`` to ``high - 1`` to the table."""
        from ..kernels.cpu.tree_lanes import lay_out

        lay_out(self.rows, low, high, table, self.stop)

    def pull(self, table: np.ndarray, low: int, high: int) -> None:
        """Find the predecessors of the vertices ``low`` to ``high - 1``; the table is complete."""
        from ..kernels.cpu.tree_lanes import pull_lanes

        scratch, missing = (new_lanes(1, np.dtype(kind)) for kind in (np.uint32, np.int32))
        missing[:] = 0
        arguments = (table, unreached(self.rows.dtype), low, high, self.pred, scratch, missing, self.stop)
        with np.errstate(over="ignore"):  # with the JIT off, NumPy warns where compiled code is silent
            pull_lanes(self.back.offsets, self.back.arcs, *arguments)
        self._missing.append(missing[0])

    def missing(self) -> list[int]:
        """Return how many reached vertices of each row have no predecessor."""
        return np.stack(self._missing).sum(axis=0)[: len(self.rows)].tolist()

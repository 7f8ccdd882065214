"""Amounts weighted by any function of the distance, added up for every row.

Over a hierarchy, the decays that have a name are computed while rows are swept (kernels/cpu/folds.py). Otherwise blocks
of rows are settled. A function of the user's is Python, and takes an array: distances that are whole numbers have few
different values, so it is called once for all of them, and a kernel looks the factors up. Others are handed to it row
by row.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..devices import cpu
from ..elimination.build import Hierarchy
from ..elimination.folds import Wanted, fold_hierarchy
from ..errors import InputTypeError
from ..methods.problem import Controls
from ..progress import watcher
from ..results import limits
from .blocks import Done, RowBlocks
from .folds import blocks_of
from .query import Query
from .tuning import DECAY_TABLE


@dataclass(frozen=True)
class Decay:
    """A function of an array of distances, and the distance from which on it is 0, if there is one.

    ``known``: its number (kernels/cpu/constants.py) and scale, if kernels know it.
    """

    function: Callable[[np.ndarray], Any]
    end: float | None = None
    known: tuple[int, float] | None = None

    def of(self, distances: np.ndarray) -> np.ndarray:
        """Return the factors of some distances; refuse what is not as many numbers."""
        factors = np.asarray(self.function(distances))
        if factors.shape != distances.shape or factors.dtype.kind not in "iufb":
            raise InputTypeError(
                f"decay({distances.shape[0]:,} distances) gave an array of shape {factors.shape} and type "
                f"{factors.dtype}; it must return one number per distance."
            )
        return factors.astype(np.float64, copy=False)


def fold_decay(query: Query, decay: Decay, amounts: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
    """Return for every source and every row of amounts the sum of amount times factor; and the plan and stats."""
    began = time.perf_counter()
    swept, blocks = choose_decay(query, decay)
    totals = decay_by(swept, blocks, decay, amounts)
    stats = {"method": blocks.plan.method, "device": blocks.plan.device, "seconds": time.perf_counter() - began}
    return totals, {"plan": blocks.plan, "stats": stats}


def choose_decay(query: Query, decay: Decay) -> tuple[bool, RowBlocks]:
    """Return the rows of a query that end where a decay does, and whether its sums are found in sweeps."""
    ends = [end for end in (query.cutoff, decay.end) if end is not None]
    bounded = query.but(cutoff=min(ends) if ends else None)
    if decay.known is not None and query.graph.min_weight >= 0:
        blocks = blocks_of(bounded)
        if blocks.plan.method == "prepared" and blocks.plan.gpu is None:
            hierarchy = blocks.prepare(Controls(threads=query.threads, memory=blocks.plan.available))
            if isinstance(hierarchy, Hierarchy) and not hierarchy.by_rows:
                return True, blocks
    return False, RowBlocks(bounded)


def decay_by(swept: bool, blocks: RowBlocks, decay: Decay, amounts: np.ndarray) -> np.ndarray:
    """Return the sums of the rows of a query, in the way that `choose_decay` chose for these or for more rows."""
    if not swept:
        return _by_blocks(blocks, decay, amounts)
    query = blocks.query
    controls = Controls(threads=query.threads, memory=blocks.plan.available)
    wanted = Wanted(cutoff=query.cutoff, cutoffs=(math.inf,), amounts=amounts, decay=decay.known)
    hierarchy = blocks.prepare(controls)
    folded = fold_hierarchy(hierarchy, query.sources, wanted, query.threads, query.progress, controls.stop)
    assert folded.totals is not None
    return folded.totals[:, :, 0]


def _by_blocks(blocks: RowBlocks, decay: Decay, amounts: np.ndarray) -> np.ndarray:
    """Return the sums from blocks of rows, one after the other."""
    query, done, k = blocks.query, Done(), len(blocks.query.sources)
    totals, table = np.zeros((k, len(amounts))), np.empty(0)
    with watcher(query.progress, k, done) as watch:
        for i in range(len(blocks)):
            rows = blocks.settle(i, done.show(watch)).rows
            table = _widened(table, rows, decay)
            _fold_block(rows, table, decay, amounts, totals[i * blocks.size :][: len(rows)], query.threads)
            done.add(len(rows))
            del rows  # the next block takes their memory
    return totals


def _widened(table: np.ndarray, rows: np.ndarray, decay: Decay) -> np.ndarray:
    """Return the factors of all whole distances up to the greatest in some rows; none if that would be too many."""
    if rows.dtype.kind == "f" or rows.min(initial=0) < 0:
        return np.empty(0)
    mark = limits.unreached(rows.dtype)
    most = max(int(row.max(where=row != mark, initial=0)) for row in rows)
    if most >= DECAY_TABLE:
        return np.empty(0)
    return table if most < len(table) else decay.of(np.arange(max(most + 1, 2 * len(table)), dtype=np.float64))


def _fold_block(
    rows: np.ndarray, table: np.ndarray, decay: Decay, amounts: np.ndarray, totals: np.ndarray, threads: int
) -> None:
    """Add up the amounts of some rows."""
    from ..kernels.cpu.folds import fold_table

    mark = limits.unreached(rows.dtype)

    def do(r: int) -> None:
        if len(table):
            fold_table(rows[r], mark, table, amounts, totals[r])
            return
        reached = rows[r] != mark
        totals[r] = amounts[:, reached] @ decay.of(rows[r][reached].astype(np.float64))

    cpu.share_out(lambda: do, len(rows), threads, np.zeros(1, np.int64))

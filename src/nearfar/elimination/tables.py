"""Tables and pairs over a hierarchy, on all threads.

Sources are sorted by position first: sources that are close in the elimination tree share most of their ancestors, so a
batch of LANES of them climbs faster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.constants import LANES
from ..progress import watcher
from ..results.limits import unreached
from .build import Hierarchy
from .pairs import Pairs, lend_pairs
from .part import restrict
from .sweep import EACH_ALONE, Sweeper, in_lanes
from .tuning import PAIRS_AT_ONCE

Work = Callable[[int], None]
"""Do the piece of work with this index."""


def fill_table(
    hierarchy: Hierarchy,
    sources: np.ndarray,
    targets: np.ndarray,
    table: np.ndarray,
    threads: int,
    progress: Any = False,
) -> None:
    """Fill the matrix of distances from source vertices to target vertices, each of which occurs once."""
    layout, stop = hierarchy.layout, np.zeros(1, np.int64)
    part = restrict(layout, targets)
    dtype = table.dtype
    order = np.argsort(layout.positions[sources], kind="stable")
    mark = unreached(layout.dtype)

    def new_worker() -> Work:
        sweeper = Sweeper(layout, hierarchy.core, stop, part)
        rows = np.empty((LANES, len(targets)), layout.dtype)
        bases = np.arange(LANES) * len(targets)

        def fill(i: int) -> None:
            lanes = in_lanes(order[i * LANES : (i + 1) * LANES])[0]
            sweeper.rows(layout.positions[sources[lanes]], EACH_ALONE, rows.reshape(-1), bases, layout.limit, mark)
            found = rows if dtype == layout.dtype else np.where(rows < layout.limit, rows, unreached(dtype))
            table[lanes] = found
            done.extend(order[i * LANES : (i + 1) * LANES].tolist())

        return fill

    done: list[int] = []  # rows
    with watcher(progress, len(sources), done) as watch:
        cpu.share_out(new_worker, -(-len(sources) // LANES), threads, stop, watch)


def find_pairs(
    hierarchy: Hierarchy, sources: np.ndarray, targets: np.ndarray, dtype: np.dtype, threads: int
) -> np.ndarray:
    """Return the distance of every pair of vertices."""
    stop, found = np.zeros(1, np.int64), np.empty(len(sources), dtype)
    used: list[Pairs] = []
    order = np.argsort(hierarchy.layout.positions[sources], kind="stable")
    pieces = -(-len(order) // PAIRS_AT_ONCE)

    def new_worker() -> Work:
        pairs = lend_pairs(hierarchy, stop)
        used.append(pairs)

        def find(i: int) -> None:
            which = order[i * PAIRS_AT_ONCE : (i + 1) * PAIRS_AT_ONCE]
            values = np.empty(len(which), dtype)
            pairs.distances(sources[which], targets[which], unreached(dtype), values)
            found[which] = values

        return find

    cpu.share_out(new_worker, pieces, threads, stop)
    hierarchy.spare_pairs.extend(used)
    return found

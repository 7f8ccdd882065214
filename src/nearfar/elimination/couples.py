"""The arcs of a sweep layout for sweeps that settle two vertices at a time (kernels/cpu/couples.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..devices import cpu
from ..kernels.cpu.arguments import Couples


def make_couples(
    starts: np.ndarray, arcs: np.ndarray, units: np.ndarray, tops: int, infinity: Any, threads: int = 0
) -> Couples:
    """Return the arcs down by couples; within a unit, positions ascend with ranks, and so do the heads of arcs.

    Threads share the units: most of the time goes into memory that is new.
    """
    from ..kernels.cpu.couples import count_couples, write_couples

    firsts = np.concatenate(([0], np.cumsum((np.diff(units) + 1) // 2)))
    counts = np.zeros(int(firsts[-1]) + 1, np.int64)
    given = starts, arcs, units, tops
    dtype = arcs.dtype["weight"]
    none = np.empty(0, np.int32), np.empty(0, dtype)

    def count(i: int) -> None:
        u = i + 1  # unit 0 is the core
        count_couples(*given, u, infinity, counts[firsts[u] + 1 : firsts[u + 1] + 1], *none)

    _share_out(count, len(units) - 2, threads)
    entry_starts = np.cumsum(counts)
    total = int(entry_starts[-1])
    heads, weights = np.empty(total, np.int32), np.empty(2 * total, dtype)
    between = np.full(len(counts) - 1, infinity, dtype)

    def write(i: int) -> None:
        some = slice(firsts[i + 1], firsts[i + 2])
        write_couples(*given, i + 1, infinity, entry_starts[some], between[some], heads, weights)

    _share_out(write, len(units) - 2, threads)
    return Couples(firsts, entry_starts, heads, weights, between)


def _share_out(work: Callable[[int], None], count: int, threads: int) -> None:
    """Do pieces of work on all threads, which are not started for a few."""
    cpu.share_out(lambda: work, count, threads if count > 1 else 0, np.zeros(1, np.int64))

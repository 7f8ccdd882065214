"""The arcs of a sweep layout for sweeps that settle two vertices at a time (kernels/cpu/couples.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels.cpu.arguments import Couples


def make_couples(starts: np.ndarray, arcs: np.ndarray, units: np.ndarray, tops: int, infinity: Any) -> Couples:
    """Return the arcs down by couples; within a unit, positions ascend with ranks, and so do the heads of arcs."""
    from ..kernels.cpu.couples import count_couples, write_couples

    firsts = np.concatenate(([0], np.cumsum((np.diff(units) + 1) // 2)))
    counts = np.zeros(int(firsts[-1]) + 1, np.int64)
    given = starts, arcs, units, tops
    dtype = arcs.dtype["weight"]
    none = np.empty(0, np.int32), np.empty(0, dtype)
    for u in range(1, len(units) - 1):  # unit 0 is the core
        count_couples(*given, u, infinity, counts[firsts[u] + 1 : firsts[u + 1] + 1], *none)
    entry_starts = np.cumsum(counts)
    total = int(entry_starts[-1])
    heads, weights = np.empty(total, np.int32), np.empty(2 * total, dtype)
    between = np.full(len(counts) - 1, infinity, dtype)
    for u in range(1, len(units) - 1):
        some = slice(firsts[u], firsts[u + 1])
        write_couples(*given, u, infinity, entry_starts[some], between[some], heads, weights)
    return Couples(firsts, entry_starts, heads, weights, between)

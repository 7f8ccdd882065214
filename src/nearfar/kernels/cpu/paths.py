"""One path, from its end back to a root: over tight arcs, or up a tree. Called by results/paths.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import inlined, kernel
from .trees import NONE, least_tail

LENGTH, LOOKS = 0, 1  # positions in the state of a walk: vertices of the path so far, arcs looked at
AT_ROOT, STUCK, PAUSED = 0, 1, 2  # outcomes of a walk


@kernel
def walk(offsets: Any, arcs: Any, row: Any, wide: Any, roots: Any, limit: Any, path: Any, state: Any) -> int:
    """Continue a path backwards from its last vertex, always to the predecessor that the tree would have (trees.py).

    Return AT_ROOT where it ends; STUCK at a vertex all of whose tight arcs are flat: only a tree knows where to go from
    there; PAUSED after looks at ``limit`` arcs. ``roots`` ascend.
    """
    while state[LOOKS] < limit:
        v = np.uint64(path[state[LENGTH] - 1])
        if is_in(roots, np.int64(v)):
            return AT_ROOT
        u = least_tail(offsets, arcs, row, wide, v)
        if u == NONE:
            return STUCK
        path[state[LENGTH]] = u
        state[LENGTH] += 1
        state[LOOKS] += np.int64(offsets[v + np.uint64(1)]) - np.int64(offsets[v])
    return PAUSED


@inlined
def is_in(ascending, v):
    """Tell whether an array in ascending order has ``v``."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < v:
            low = middle + 1
        else:
            high = middle
    return low < len(ascending) and ascending[low] == v


@kernel
def climb(pred: Any, v: Any, path: Any) -> int:
    """Write ``v`` and all vertices above it in the tree to ``path``; return how many they are.

    A caller may have written anything to the tree: more than n vertices, or others than those of the graph, end it.
    """
    length, n = 0, len(pred)
    while 0 <= v < n and length < n:
        path[length] = v
        length += 1
        v = pred[v]
    return length

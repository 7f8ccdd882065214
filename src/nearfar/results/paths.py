"""One path without a tree: back from its end over tight arcs, to the predecessor that the tree would have.

A path of h vertices takes a look at their arcs only. That needs the arcs that lead to each vertex: the reversed graph,
which an undirected graph is itself. A walk that meets a vertex with flat arcs only (trees.py) gives up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .trees import run_quietly, wide_of

if TYPE_CHECKING:
    from ..graph import Graph

LOOKS_AT_ONCE = 1 << 20  # arcs between two chances for Ctrl-C: some milliseconds


def walk_back(back: Graph, row: np.ndarray, roots: np.ndarray, v: int, most: int) -> tuple[np.ndarray | None, int]:
    """Return the path from ``v`` back to its root as vertex indices, and how many arcs were looked at.

    Parameters
    ----------
    back : Graph
        The reversed graph, without negative weights.
    row : array of length n
        Exact distances; ``v`` is reached.
    roots : int32 array
        The seeds at their starting distances, ascending.
    v : int
        Where the path ends.
    most : int
        How many arcs may be looked at. The path is None if that does not suffice, or if only a tree has it.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.results.paths import walk_back
    >>> g = Graph.from_arcs([0, 0, 1], [1, 2, 2], [5, 9, 3], undirected=True)
    >>> walk_back(g, np.array([0, 5, 8], dtype=np.int32), np.array([0], dtype=np.int32), 2, 100)
    (array([2, 1, 0], dtype=int32), 4)
    """
    from ..kernels.cpu.paths import AT_ROOT, LENGTH, LOOKS, PAUSED, walk

    row, wide = np.ascontiguousarray(row), wide_of(row)
    path, state = np.empty(back.n, np.int32), np.array([1, 0])
    path[0] = v
    outcome, looks = PAUSED, 0
    while outcome == PAUSED and looks < most:
        limit = min(looks + LOOKS_AT_ONCE, most)
        outcome = run_quietly(walk, back.offsets, back.arcs, row, wide, roots, limit, path, state)
        looks = int(state[LOOKS])
    return path[: state[LENGTH]].copy() if outcome == AT_ROOT else None, looks


def climb_tree(pred: np.ndarray, v: int) -> np.ndarray:
    """Return the path from ``v`` to the root of its tree as vertex indices.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.results.paths import climb_tree
    >>> climb_tree(np.array([-1, 0, 1], dtype=np.int32), 2)
    array([2, 1, 0], dtype=int32)
    """
    from ..kernels.cpu.paths import climb

    path = np.empty(len(pred), np.int32)
    return path[: climb(np.ascontiguousarray(pred), v, path)].copy()

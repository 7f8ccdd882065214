"""The order in which the rows of a matrix are stored: sources that lie near each other follow each other.

Differences between the rows of a block are at most the distances between its sources. Of several orders, a walk depth
first is the best: on New York, blocks of 64 rows, 67 x smaller, where the order of elimination gives 36 x, indices
48 x, reverse Cuthill-McKee 42 x.
"""

from __future__ import annotations

import numpy as np

from ...graph import Graph


def neighbours_first(graph: Graph, sources: np.ndarray) -> np.ndarray:
    """Return the positions of the sources in the order in which their rows are stored.

    Examples
    --------
    >>> import nearfar, numpy as np
    >>> from nearfar.store.matrix.order import neighbours_first
    >>> path = nearfar.Graph.from_arcs([0, 2, 1], [2, 1, 3], undirected=True)
    >>> neighbours_first(path, np.arange(4)).tolist()
    [0, 2, 1, 3]
    """
    from ...kernels.cpu.neighbours import depth_first

    n = graph.n
    walk, rank = np.empty(n, np.int32), np.empty(n, np.int32)
    depth_first(graph.offsets, graph.arcs, walk, np.zeros(n, np.bool_), graph.offsets[:-1].astype(np.int64),
                np.empty(n, np.int32))  # fmt: skip
    rank[walk] = np.arange(n, dtype=np.int32)
    return np.argsort(rank[sources], kind="stable")

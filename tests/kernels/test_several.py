"""The labels of the k nearest sources: kept in order, each source once, and none after the flag to stop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearfar.graph import Graph
from nearfar.kernels.cpu.several import keep, settle_several

TOP = np.int64(2**31 - 1)


def empty(n, k):
    """Return distances, sources and marks of vertices without labels."""
    return np.full((n, k), TOP, np.int32), np.full((n, k), -1, np.int32), np.zeros((n, k), np.uint8)


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30))
def test_the_best_labels_are_kept(k, offers):
    dist, source, fresh = empty(1, k)
    best = {}
    for offer, s in offers:
        before = sorted((d, t) for t, d in best.items())[:k]
        best[s] = min(offer, best.get(s, offer))
        after = sorted((d, t) for t, d in best.items())[:k]
        assert keep(dist, source, fresh, 0, np.int64(offer), s) == (before != after)
    wanted = sorted((d, t) for t, d in best.items())[:k]
    found = [(d, s) for d, s in zip(dist[0].tolist(), source[0].tolist(), strict=True) if s >= 0]
    assert found == wanted and (source[0, len(found) :] == -1).all()


def test_a_raised_flag_ends_the_search():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    heap, keys, positions = np.empty(3, np.int32), np.empty(3, np.int64), np.empty(3, np.int32)
    seeds, stop = np.array([0, 1], np.int32), np.zeros(1, np.int64)
    search = (graph.offsets, graph.arcs, seeds, TOP, np.int64(0), heap, keys, positions, stop, *empty(3, 2))
    assert settle_several(*search) == 3
    stop[0] = 1
    assert settle_several(*search) == -1

"""The indexed heap by itself: the least key first, keys lowered in place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearfar.kernels.cpu.heap import raise_up, take_first

KEYS = st.floats(0, 100, allow_nan=False, width=32)


@given(st.lists(st.tuples(st.integers(0, 30), KEYS), max_size=200))
def test_like_a_sorted_dictionary(offers):
    heap, keys, positions = np.empty(31, np.int32), np.empty(31, np.float64), np.full(31, -1, np.int32)
    size, best = 0, {}
    for v, key in offers:
        if key < best.get(v, np.inf):
            best[v] = key
            size = raise_up(heap, keys, positions, size, np.int32(v), key)
    assert size == len(best)
    out = []
    while size:
        out.append((keys[0], int(heap[0])))
        size = take_first(heap, keys, positions, size)
    assert [key for key, _ in out] == sorted(best.values())
    assert {v: key for key, v in out} == best
    assert (positions == -1).all()

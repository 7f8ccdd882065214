"""Rounds that push or pull: distances of all lanes from offers at several vertices, against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracle
from helpers.strategies import cases, cycle_cases, negative_cases
from nearfar.kernels.cpu.constants import LANES
from nearfar.kernels.cpu.core import settle_core

TYPES = ("int32", "int64", "float32", "float64")
INFINITY = {"int32": 2**30 - 1, "int64": 2**62 - 1, "float32": np.inf, "float64": np.inf}


def in_rows(n, arcs, dtype, end):
    """Return offsets, heads and weights by tails (end 0) or tails by heads (end 1)."""
    arcs = sorted(arcs, key=lambda arc: arc[end])
    offsets = np.searchsorted([arc[end] for arc in arcs], np.arange(n + 1)).astype(np.int32)
    return offsets, np.array([arc[1 - end] for arc in arcs], np.int32), np.array([arc[2] for arc in arcs], dtype)


def rows(n, dtype):
    """Return n rows of lanes that start at a cache line, all at infinity."""
    size = n * LANES * np.dtype(dtype).itemsize
    room = np.empty(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    found = room[start : start + size].view(dtype).reshape(n, LANES)
    found.fill(INFINITY[np.dtype(dtype).name])
    return found


def settle(n, arcs, dtype, dist, stop=0):
    """Call the kernel with scratch of its own."""
    kind = np.dtype(dtype).type
    lightest = kind(min([weight for _, _, weight in arcs] + [0]))
    lists = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.uint8)
    out, into = in_rows(n, arcs, dtype, 0), in_rows(n, arcs, dtype, 1)
    flag = np.array([stop], np.int64)
    return settle_core(*out, *into, kind(INFINITY[np.dtype(dtype).name]), lightest, dist, *lists, flag)


def expected(case, offers):
    """Return the oracle's row: a vertex n leads to every offer at its price."""
    arcs = [*case.arcs, *((case.n, v, price) for v, price in offers)]
    far = INFINITY[case.dtype]
    return [far if d is None else d for d in oracle.bellman_ford(case.n + 1, arcs, [case.n], case.add)[: case.n]]


OFFERS = st.lists(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 9)), max_size=4), min_size=LANES, max_size=LANES
)


def check(case, lanes):
    dist = rows(case.n, case.dtype)
    wanted = []
    for lane, offers in enumerate(lanes):
        offers = [(v % case.n, price) for v, price in offers]
        for v, price in offers:
            dist[v, lane] = min(dist[v, lane], price)
        wanted.append(expected(case, offers))
    assert settle(case.n, case.arcs, case.dtype, dist) >= 0
    assert np.array_equal(dist.T, np.array(wanted, case.dtype))


@given(cases(dtypes=TYPES), OFFERS)
def test_from_several_offers_a_lane(case, lanes):
    check(case, lanes)


@given(negative_cases(), OFFERS)
def test_negative_weights(case, lanes):
    check(case, lanes)


@pytest.mark.parametrize("dtype", TYPES)
def test_pulls_and_pushes_on_a_graph_with_hubs(dtype):
    rng = np.random.default_rng(1)
    n = 300
    tails, heads = rng.integers(0, n, 3000) ** 2 // n, rng.integers(0, n, 3000)
    arcs = list(zip(tails.tolist(), heads.tolist(), rng.integers(0, 100, 3000).tolist(), strict=True))
    dist, sources = rows(n, dtype), rng.integers(0, n, LANES)
    dist[sources, np.arange(LANES)] = 0
    assert settle(n, arcs, dtype, dist) > 0
    for lane, source in enumerate(sources.tolist()):
        row = oracle.dijkstra(n, arcs, [source])
        assert dist[:, lane].tolist() == [INFINITY[dtype] if d is None else d for d in row]


@pytest.mark.parametrize("dtype", ("int32", "int64"))
def test_unreached_stays_unreached_beside_negative_weights(dtype):
    arcs = [(0, 1, -5), (1, 2, -7), (3, 0, 9)]
    dist = rows(4, dtype)
    dist[1, 0] = 3
    settle(4, arcs, dtype, dist)
    far = INFINITY[dtype]
    assert dist[:, 0].tolist() == [far, 3, -4, far]
    assert (dist[:, 1:] == far).all()


def test_a_distance_near_infinity_is_exact():
    dist = rows(3, "int32")
    dist[0] = 2**30 - 5
    settle(3, [(0, 1, 3), (1, 2, 3)], "int32", dist)
    assert (dist[1] == 2**30 - 2).all()
    assert (dist[2] == 2**30 - 1).all()


@given(cycle_cases())
def test_a_negative_cycle_ends(case):
    dist = rows(case.n, case.dtype)
    dist[:] = 0  # everything is reached, the cycle too
    assert settle(case.n, case.arcs, case.dtype, dist) < 0


def test_stop():
    dist = rows(2, "int32")
    dist[0] = 0
    assert settle(2, [(0, 1, 3)], "int32", dist, stop=1) < 0
    assert (dist[1] == INFINITY["int32"]).all()


def test_nothing_to_do():
    assert settle(2, [(0, 1, 3)], "float64", rows(2, "float64")) == 0

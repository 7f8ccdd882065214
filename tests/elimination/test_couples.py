"""Sweeps that settle two vertices at a time: the same rows, to the bit, as one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from helpers.shapes import KINDS, shaped, wild
from nearfar import Graph
from nearfar.elimination import layout

EXAMPLES = 40 if JIT else 4
SIDE = 30 if JIT else 9
NOT_NEGATIVE = [kind for kind in KINDS if kind != "negative"]


def arcs_of_couples(found):
    """Return the arcs (cell of the ancestor, position, weight) that the couples of a layout stand for."""
    couples, arcs = found.couples, set()
    for u in range(1, len(found.units) - 1):
        begin, end = found.units[u], found.units[u + 1]
        for i in range(couples.firsts[u], couples.firsts[u + 1]):
            v = begin + 2 * (i - couples.firsts[u])
            for e in range(couples.starts[i], couples.starts[i + 1]):
                for side in (0, 1):
                    if couples.weights[2 * e + side] < found.infinity:
                        assert v + side < end
                        arcs.add((couples.heads[e], v + side, couples.weights[2 * e + side]))
            if couples.between[i] < found.infinity:
                arcs.add((v if v < found.tops else v - begin + found.tops, v + 1, couples.between[i]))
    return arcs


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(NOT_NEGATIVE), unit=st.integers(1, 9), core=st.booleans())
def test_couples_have_the_arcs(seed, kind, unit, core):
    with shaped(unit=unit, coupled=1e-9, **({"always": 1, "steps": 12} if core else {})):
        found = nearfar.prepare(wild(seed, kind)).hierarchy.layout
    if found.couples is None:
        assert not len(found.down_arcs)
        return
    arcs = set()
    for v in range(found.core, found.n):
        for arc in found.down_arcs[found.down_starts[v] : found.down_starts[v + 1]]:
            arcs.add((arc["head"], v, arc["weight"]))
    assert arcs_of_couples(found) == arcs


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(NOT_NEGATIVE), unit=st.integers(1, 40), data=st.data())
def test_rows_are_the_same_to_the_bit(seed, kind, unit, data):
    graph = wild(seed, kind, data.draw(st.booleans()))
    found = []
    for coupled in (1e9, 1e-9):
        with shaped(unit=unit, coupled=coupled):
            prepared = nearfar.prepare(graph)
            found.append((prepared.apsp(threads=data.draw(st.integers(1, 2))).dist, prepared.row_sums()))
    assert np.array_equal(found[0][0], found[1][0])
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-6)


@pytest.mark.parametrize("low", [0, 1])
def test_meshes_are_coupled(low):
    """Zeros, also negative ones, are no negative weights."""
    cost = np.random.default_rng(0).integers(low, 9, (SIDE, SIDE)).astype(float)
    graph = Graph.from_raster(cost)
    graph = Graph.from_csr(graph.offsets, graph.heads, np.where(graph.weights == 0, -0.0, graph.weights))
    prepared = nearfar.prepare(graph, order="dissection")
    assert (prepared.hierarchy.layout.couples is not None) == JIT  # the smaller one has too few arcs
    sources = list(range(0, graph.n, 37))
    rows = nearfar.mssp(graph, sources, method="dijkstra").dist
    assert prepared.mssp(sources).dist == pytest.approx(rows, rel=1e-9)
    roads = nearfar.prepare(nearfar.generate.road_grid(SIDE, SIDE, seed=1))
    assert roads.hierarchy.layout.couples is None


def test_negative_weights_are_not_coupled(monkeypatch):
    """Floats are compared by their bits, which order only those that are not negative."""
    monkeypatch.setattr(layout, "COUPLED", 1e-9)
    for dtype in ("int32", "float64"):
        graph = Graph.from_arcs([0, 1, 2, 0], [1, 2, 3, 3], np.array([-4, 2, -1, 5], dtype))
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.layout.couples is None
        assert prepared.sssp(0).dist.tolist() == [0, -4, -2, -3]

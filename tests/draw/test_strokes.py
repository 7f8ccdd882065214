"""The kernels of pictures: ink is the length of what lies inside, wherever strokes go; edges are listed once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar import Graph
from nearfar.draw.edges import edges_of
from nearfar.draw.kinds.flows import totals_of
from nearfar.kernels.cpu.strokes import stroke

SPOTS = st.floats(-300, 300, width=32)


def draw(points, edges, bands=None, shape=(60, 80), width=1.0):
    """Return ink and bands."""
    points = np.asarray(points, np.float32).T.copy()
    ends = np.asarray(edges, np.int32).reshape(-1, 2)
    bands = np.ones(len(ends), np.uint8) if bands is None else np.asarray(bands, np.uint8)
    ink, most, found = np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros(shape, np.uint8)
    stroke(points[0], points[1], ends[:, 0].copy(), ends[:, 1].copy(), bands, np.full(256, width), ink, most, found)
    return ink, found


@given(st.tuples(SPOTS, SPOTS), st.tuples(SPOTS, SPOTS))
def test_ink_is_length(a, b):
    """Compared with points along the stroke: those well inside are drawn, those well outside are not."""
    ink, found = draw([a, b], [(0, 1)])
    at = np.linspace(a, b, 4001)
    length = np.hypot(a[0] - b[0], a[1] - b[1])

    def inside(border):
        low, high = np.array([-border, -border]), np.array([80 + border, 60 + border])
        return length * ((at >= low) & (at <= high)).all(axis=1).mean()

    total = float(ink.sum(dtype=np.float64))
    assert inside(-1) * 0.999 - 0.5 <= total <= inside(1) * 1.001 + 0.5
    assert ((found == 1) == (ink > 0)).all()


@given(st.floats(2, 57), st.floats(2, 77), st.floats(2, 57), st.floats(2, 77))
def test_pieces_are_as_dark_as_the_whole(top, left, bottom, right):
    ends = np.array([[left, top], [right, bottom]])
    whole, _ = draw(ends, [(0, 1)])
    spots = ends[0] + np.linspace(0, 1, 51)[:, None] * (ends[1] - ends[0])
    pieces, _ = draw(spots, [(i, i + 1) for i in range(50)])
    assert float(whole.sum()) == pytest.approx(float(pieces.sum()), rel=0.02, abs=0.02)
    assert np.abs(whole - pieces).max() < 0.5  # pieces that are steep in one pixel split its ink otherwise


def test_a_level_stroke_fills_its_row():
    ink, _ = draw([(10, 20.5), (30, 20.5)], [(0, 1)])
    assert np.allclose(ink[20, 10:30], 1) and ink.sum() == pytest.approx(20)
    ink, _ = draw([(10.5, 20), (10.5, 30)], [(0, 1)])
    assert np.allclose(ink[20:30, 10], 1)


def test_the_heavier_stroke_gives_the_colour():
    _, found = draw([(10, 20.5), (30, 20.5), (20.4, 20.2), (20.6, 20.4)], [(2, 3), (0, 1)], [7, 3])
    assert found[20, 20] == 3
    _, found = draw([(10, 20.5), (30, 20.5)], [(0, 1), (1, 0)], [7, 3])
    assert set(found[20, 10:30].tolist()) == {7}


def test_wide_strokes():
    ink, _ = draw([(10, 20.5), (30, 20.5)], [(0, 1)], width=5)
    assert np.allclose(ink[18:23, 10:30], 1) and ink.sum() == pytest.approx(100)
    ink, _ = draw([(10, 10), (30, 30)], [(0, 1)], width=4)
    assert ink.sum() == pytest.approx(4 * np.hypot(20, 20), rel=1e-3)


def test_nothing_is_drawn_of_what_is_nowhere():
    nan, far = float("nan"), 1e30
    ink, _ = draw([(nan, 1), (5, 5), (5, 5), (far, 3), (-far, 3)], [(0, 1), (1, 2), (1, 1)])
    assert not ink.any()
    ink, _ = draw([(-1e6, 30.5), (1e6, 30.5)], [(0, 1)])
    assert ink.sum() == pytest.approx(80, rel=1e-3)


@st.composite
def graphs(draw):
    """Return arcs, and the graph that they are, with loops and parallel arcs."""
    n = draw(st.integers(1, 8))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex), max_size=30))
    return arcs, Graph.from_arcs([a for a, _ in arcs], [b for _, b in arcs], n=n, undirected=draw(st.booleans()))


@given(graphs())
def test_pairs_have_the_sum_of_their_arcs(given):
    _, graph = given
    values = np.arange(graph.m) * 1.5 + 1
    wanted = {}
    for u, v, value in zip(graph.tails.tolist(), graph.heads.tolist(), values.tolist(), strict=True):
        if u != v:
            wanted[min(u, v), max(u, v)] = wanted.get((min(u, v), max(u, v)), 0) + value
    edges, sums = totals_of(graph, values)
    assert dict(zip(zip(edges.tails.tolist(), edges.heads.tolist(), strict=True), sums.tolist(), strict=True)) == wanted
    ends = np.sort(np.stack((graph.tails[edges.arcs], graph.heads[edges.arcs])), axis=0)
    assert (ends == np.stack((edges.tails, edges.heads))).all()


@given(graphs())
def test_edges_are_listed_once(given):
    arcs, graph = given
    undirected = graph.undirected
    edges = edges_of(graph)
    listed = [tuple(sorted(pair)) for pair in zip(edges.tails.tolist(), edges.heads.tolist(), strict=True)]
    assert set(listed) == {tuple(sorted(arc)) for arc in arcs if arc[0] != arc[1]}
    assert all(
        graph.tails[e] == u and graph.heads[e] == v for u, v, e in zip(*(a.tolist() for a in edges), strict=True)
    )
    if undirected:
        assert len(listed) == sum(a != b for a, b in arcs)
    elif len(set(arcs)) == len(arcs):
        assert len(listed) == len(set(listed))

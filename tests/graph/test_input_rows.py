"""Arcs that remember their rows in the input; new weights in the order of these rows; arcs closed and opened again."""

from __future__ import annotations

import math
import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from nearfar import Graph
from nearfar.errors import GraphError, InputTypeError, VertexError
from nearfar.graph.arrays import take_weights
from nearfar.graph.reweigh import without_infinite
from nearfar.graph.rows import arcs_to_rows
from nearfar.graph.vertices import Vertices


@st.composite
def inputs(draw, least=0):
    """Draw n and the columns of an edge list: tails, heads, whole weights; and whether edges are undirected."""
    n = draw(st.integers(1, 9))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(0, 9))
    rows = draw(st.lists(ends, min_size=least, max_size=30))
    if draw(st.booleans()):
        rows.sort()
    tails, heads, weights = (np.array(column, np.int64) for column in zip(*rows, strict=True)) if rows else [[], [], []]
    return n, np.array(tails, np.int64), np.array(heads, np.int64), np.array(weights, np.int64), draw(st.booleans())


def built(n, tails, heads, weights, undirected, kernels):
    """Build a graph with the kernels for large graphs, or with NumPy."""
    taken = take_weights(weights, len(tails), str)
    rows = arcs_to_rows(n, tails, heads, taken, undirected, few=-1 if kernels else 10**6)
    return without_infinite(rows, taken, Vertices(n), undirected=undirected)


def same(one, two):
    """Compare two graphs with their rows."""
    equal = np.array_equal(one.offsets, two.offsets) and np.array_equal(one.arcs, two.arcs)
    return equal and np.array_equal(one.rows, two.rows) and one.undirected == two.undirected


@given(inputs(), st.booleans())
def test_every_arc_knows_its_row(case, kernels):
    _n, tails, heads, weights, undirected = case
    graph = built(*case, kernels)
    ends = np.stack((graph.tails, graph.heads))
    wanted = np.stack((tails[graph.rows], heads[graph.rows]))
    along = (ends == wanted).all(axis=0)
    assert (along | (undirected & (ends == wanted[::-1]).all(axis=0))).all()
    assert np.array_equal(graph.weights, weights[graph.rows])
    twice = np.where(undirected & (tails != heads), 2, 1)
    assert np.array_equal(np.bincount(graph.rows, minlength=len(tails)), twice)
    assert same(pickle.loads(pickle.dumps(graph)), graph)
    back = graph.reverse()
    assert np.array_equal(back.weights, weights[back.rows])
    assert sorted(back.rows) == sorted(graph.rows)


@given(inputs(), st.booleans(), st.data())
def test_weights_close_and_open_rows(case, kernels, data):
    n, tails, heads, weights, undirected = case
    graph = built(*case, kernels)
    other = np.array(
        data.draw(st.lists(st.sampled_from([0.5, 3.0, math.inf]), min_size=len(tails), max_size=len(tails)))
    )
    changed = graph.with_weights(other)
    assert same(changed, Graph.from_arcs(tails, heads, other, n, undirected))
    for closed in (changed, pickle.loads(pickle.dumps(changed))):
        assert same(closed.with_weights(weights), graph)
    assert same(changed.reverse().with_weights(weights), graph.reverse())
    shut = np.flatnonzero(other == math.inf)
    assert np.array_equal(changed.row_weights, other) and np.array_equal(graph.row_weights, weights)
    closed = graph.close(shut)
    assert closed.weight_dtype == graph.weight_dtype and not np.isin(shut, closed.rows).any()
    assert closed.m == np.count_nonzero(~np.isin(graph.rows, shut))
    assert same(closed.close(shut), closed) and same(closed.with_weights(weights), graph)


@given(inputs(least=1))
def test_frames_and_networkx_give_the_rows_back(case):
    n, tails, heads, weights, undirected = case
    graph = Graph.from_arcs(tails, heads, weights, n, undirected)
    frame = graph.to_frame()
    assert list(frame.index) == list(range(len(tails))) and list(frame["weight"]) == weights.tolist()
    ends = frame[["tail", "head"]].to_numpy()
    wanted = np.stack((tails, heads), 1)
    assert np.array_equal(*(np.sort(pairs) if undirected else pairs for pairs in (ends, wanted)))
    again = Graph.from_networkx(graph.to_networkx())
    assert again.n == graph.n and again.undirected == undirected
    assert np.array_equal(nearfar.apsp(again).dist, nearfar.apsp(graph).dist)


def test_keys_of_multigraphs_stay():
    roads = nx.MultiDiGraph()
    roads.add_edge("Ulm", "Bonn", key="old", weight=7)
    roads.add_edge("Ulm", "Bonn", key="new", weight=3)
    roads.add_edge("Bonn", "Kiel", weight=5)
    graph = Graph.from_networkx(roads)
    assert graph.m == 3 and nx.utils.graphs_equal(graph.to_networkx(), roads)
    rows = graph.rows_along(nearfar.path(graph, "Ulm", "Kiel"))
    assert [graph.keys[row] for row in rows] == ["new", 0]
    assert [list(roads.edges(keys=True))[row] for row in rows] == [("Ulm", "Bonn", "new"), ("Bonn", "Kiel", 0)]
    assert nearfar.path(graph.close(rows[:1]), "Ulm", "Kiel") == ["Ulm", "Bonn", "Kiel"]
    assert nearfar.distance(graph.close(rows[:1]), "Ulm", "Kiel") == 12


def test_rows_left_out():
    graph = Graph.from_arcs([1, 0], [2, 1], [4, 9], undirected=True, keep_rows=False)
    with pytest.raises(GraphError, match="keep_rows=False"):
        graph.rows  # noqa: B018
    changed = graph.with_weights([1, 2, math.inf, 4])  # in the order of arcs
    assert not changed.undirected and changed.m == 3
    assert np.array_equal(changed.with_weights([1, 2, 3, 4]).weights, [1, 2, 3, 4])
    assert graph.close([0]).m == 3
    with pytest.raises(GraphError, match="4 arcs, but weights has 2"):
        graph.with_weights([1, 2])


def test_read_without_rows(tmp_path):
    (tmp_path / "e.csv").write_text("from,to,km\n30,10,5\n10,20,7\n")
    graph = nearfar.read(tmp_path / "e.csv")
    assert graph.rows.tolist() == [1, 0] and graph.row_weights.tolist() == [5, 7]
    assert nearfar.read(tmp_path / "e.csv", names=False).rows.tolist() == [1, 0]
    with pytest.raises(GraphError, match="keep_rows=False"):
        nearfar.read(tmp_path / "e.csv", keep_rows=False).rows  # noqa: B018


def test_wrong_rows_and_weights():
    graph = Graph.from_arcs([1, 0], [2, 1], [4, 9], undirected=True)
    with pytest.raises(GraphError, match="2 rows, but weights has 4 entries"):
        graph.with_weights([1, 2, 3, 4])
    with pytest.raises(GraphError, match=r"row 1 \(0 -> 1\) has weight nan"):
        graph.with_weights([1, math.nan])
    with pytest.raises(VertexError, match="row 2 does not exist: the graph has 2 rows, 0 to 1"):
        graph.close([2])
    with pytest.raises(InputTypeError, match="flatnonzero"):
        graph.close(np.array([True, False]))
    with pytest.raises(InputTypeError, match="find_rows"):
        graph.close([0.5])
    with pytest.raises(InputTypeError, match="whole numbers"):
        graph.close(None)
    assert graph.close({1}).m == 2
    assert graph.close([]) is graph and graph.close(1).m == 2
    with pytest.raises(GraphError, match="no arc leads from 0 to 2"):
        graph.rows_along([0, 2])


def test_parallel_arcs_and_paths():
    graph = Graph.from_arcs([1, 0, 0], [2, 1, 1], [1, 5, 2], names=["a", "b", "c"])
    assert graph.find_arcs("a", "b").tolist() == [0, 1] and graph.find_arcs("b", "a").tolist() == []
    assert graph.rows_along(["a", "b", "c"]).tolist() == [2, 0]
    with pytest.raises(VertexError, match="tail 'x'"):
        graph.find_arcs("x", "a")


def test_npz_keeps_the_rows(tmp_path):
    graph = Graph.from_arcs([1, 0, 1], [2, 1, 1], [4, 9, 3], undirected=True)
    nearfar.write(graph, tmp_path / "g.npz")
    assert same(nearfar.read(tmp_path / "g.npz"), graph)
    assert same(nearfar.read(tmp_path / "g.npz").with_weights([1, 2, 3]), graph.with_weights([1, 2, 3]))
    nearfar.write(graph.close([0]), tmp_path / "closed.npz")  # what is closed is gone, and its row with it
    again = nearfar.read(tmp_path / "closed.npz")
    assert again.rows.tolist() == graph.close([0]).rows.tolist() and again.undirected
    assert again.row_weights.tolist() == [math.inf, 9, 3] and again.close([1]).m == 1
    assert again.with_weights([math.inf, 5, 6]).row_weights.tolist() == [math.inf, 5, 6]
    with pytest.raises(GraphError, match=r"row 0 has weight 4.*cannot be opened"):
        again.with_weights([4, 5, 6])
    order = Graph.from_arcs([0, 1, 2], [1, 2, 0], [1, 2, 3])
    nearfar.write(order.close([1]), tmp_path / "order.npz")
    assert nearfar.read(tmp_path / "order.npz").rows.tolist() == [0, 2]


def test_closing_one_direction():
    """Where both arcs of an edge are rows of their own, the graph is not undirected any more."""
    for graph in (
        Graph.from_arcs([0, 1], [1, 2], [4, 9], undirected=True, keep_rows=False),
        Graph.from_raster(np.ones((1, 3)), neighbours=4).without_names(),
    ):
        closed = graph.close(graph.find_arcs(0, 1))
        assert not closed.undirected and closed.m == graph.m - 1
        assert nearfar.distance(closed, 0, 1) == math.inf > nearfar.distance(closed, 1, 0)
        assert nearfar.sssp(closed, 1, direction="to")[0] == math.inf
        assert nearfar.table(closed, [0, 2], [1])[0, 1] == math.inf


def test_no_cycle_of_references():
    import gc
    import weakref

    graph = Graph.from_arcs([1, 0], [2, 1], [4, 9])
    assert graph.reversed.rows.tolist() == [1, 0]
    seen = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert seen() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("rows", [[0, 0, 1, 2, 1], [0, 1, 0, 2, 9], [0, 1, 0, 1]])
def test_npz_refuses_wrong_rows(tmp_path, rows):
    nearfar.write(Graph.from_arcs([1, 0, 1], [2, 1, 1], [4, 9, 3], undirected=True), tmp_path / "g.npz")
    arrays = dict(np.load(tmp_path / "g.npz"))
    arrays["rows"] = np.array(rows, np.int32)
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(nearfar.errors.FormatError, match="row"):
        nearfar.read(tmp_path / "bad.npz")

"""Matrices, SciPy and NetworkX: what becomes an arc, what becomes a name, what is refused."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from nearfar.errors import GraphError, InputTypeError, NearfarError, OptionError
from nearfar.graph import Graph, convert

INF = math.inf


@contextmanager
def refused(error: type[NearfarError], *words: str) -> Iterator[None]:
    """Expect an error whose message holds each of the words."""
    with pytest.raises(error) as caught:
        yield
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {str(caught.value)!r}"


def arcs_of(graph: Graph) -> list[tuple]:
    """Return the arcs as sorted (tail, head) or (tail, head, weight), with names."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    arcs = [(graph.name(u), graph.name(arc[0]), *arc[1:]) for u, arc in zip(tails, graph.arcs.tolist(), strict=True)]
    return sorted(arcs, key=repr)


# dense matrices


def test_zeros_that_may_mean_no_arc():
    table = np.array([[0, 2.0, 0], [2, 0, 1], [0, 1, 0]])
    with refused(OptionError, "2 entries off the diagonal are 0", "no_edge=0", "no_edge=math.inf"):
        Graph.from_matrix(table)
    assert nearfar.distance(Graph.from_matrix(table, no_edge=0), 0, 2) == 3
    assert nearfar.distance(Graph.from_matrix(table, no_edge=INF), 0, 2) == 0
    table[1, 0] = INF
    assert nearfar.distance(Graph.from_matrix(table), 0, 2) == 0


def test_float_matrices_have_inf_where_no_arc_is():
    graph = Graph.from_matrix([[9.0, 0.0, INF], [INF, INF, 2.5], [1.0, INF, 0.0]])
    assert arcs_of(graph) == [(0, 1, 0.0), (1, 2, 2.5), (2, 0, 1.0)]
    assert graph.weight_dtype == np.float64
    assert Graph.from_matrix(np.full((2, 2), 3, np.float32) - 3 * np.eye(2, dtype="f")).weight_dtype == np.float32


def test_the_no_edge_value_is_chosen():
    table = [[0, 4, 9], [-1, 0, 3], [-1, 0, 0]]
    assert arcs_of(Graph.from_matrix(table, no_edge=-1)) == [(0, 1, 4), (0, 2, 9), (1, 2, 3), (2, 1, 0)]
    assert arcs_of(Graph.from_matrix(table, no_edge=0)) == [(0, 1, 4), (0, 2, 9), (1, 0, -1), (1, 2, 3), (2, 0, -1)]
    assert Graph.from_matrix(table, no_edge=INF).m == 6
    assert Graph.from_matrix(np.array(table, np.int8), no_edge=np.int8(9)).m == 5
    assert Graph.from_matrix(1 - np.eye(2, dtype=np.uint8), no_edge=-1).m == 2


def test_nan_may_be_the_no_edge_value_and_inf_still_is_no_arc():
    table = [[math.nan, 1.0], [INF, math.nan]]
    assert arcs_of(Graph.from_matrix(table, no_edge=math.nan)) == [(0, 1, 1.0)]
    assert arcs_of(Graph.from_matrix([[0, 1.0], [INF, 0]], no_edge=7)) == [(0, 1, 1.0)]


def test_the_diagonal_counts_only_where_negative():
    assert arcs_of(Graph.from_matrix([[-2, 1], [1, 3]], no_edge=0)) == [(0, 0, -2), (0, 1, 1), (1, 0, 1)]
    assert arcs_of(Graph.from_matrix([[-1, 1], [1, 3]], no_edge=-1)) == [(0, 1, 1), (1, 0, 1)]
    assert Graph.from_matrix([[math.nan, INF], [INF, INF]]).m == 0


def test_a_sentinel_does_not_widen_the_weights():
    assert Graph.from_matrix([[0, 5], [2**62, 0]], no_edge=2**62).weight_dtype == np.int32
    assert Graph.from_matrix([[0, 2**40], [0, 0]], no_edge=0).weight_dtype == np.int64


def test_matrices_of_any_memory_order_names_and_coordinates():
    table = np.arange(16.0).reshape(4, 4) * (1 - np.eye(4))
    want = arcs_of(Graph.from_matrix(table))
    for other in (
        np.asfortranarray(table),
        table.astype(">f8"),
        table.tolist(),
        pd.DataFrame(table),
        table.astype(object),
    ):
        assert arcs_of(Graph.from_matrix(other)) == want
    wide = np.arange(64.0).reshape(8, 8) * (1 - np.eye(8))
    assert arcs_of(Graph.from_matrix(wide[::2, ::2])) == arcs_of(Graph.from_matrix(wide[::2, ::2].copy())) != want
    graph = Graph.from_matrix([[0, 1], [2, 0]], 0, names=["a", "b"], coordinates=[(0, 0), (1, 1)])
    assert arcs_of(graph) == [("a", "b", 1), ("b", "a", 2)]
    assert graph.coordinates.shape == (2, 2)


def test_matrices_are_read_in_blocks(monkeypatch):
    table = np.random.default_rng(1).integers(0, 4, (13, 13)) * (1 - np.eye(13, dtype=int))
    whole = Graph.from_matrix(table, 0)
    monkeypatch.setattr(convert, "_ENTRIES", 30)
    assert arcs_of(Graph.from_matrix(table, 0)) == arcs_of(whole)
    broken = table.astype(float)
    broken[11, 4] = math.nan
    with refused(GraphError, "11 -> 4", "nan"):
        Graph.from_matrix(broken)


def test_a_diagonal_that_is_not_a_raster():
    """Only a diagonal that is positive throughout is suspicious."""
    assert Graph.from_matrix([[7.0]]).n == 1
    assert Graph.from_matrix([[3, 1], [1, 3]], no_edge=3).m == 2
    for first in (0.0, -1.0, INF):
        assert Graph.from_matrix([[first, 1.0], [1.0, 3.0]]).m == (3 if first < 0 else 2)


def test_empty_matrices():
    for empty in ([], [[]], np.empty((0, 0))):
        assert Graph.from_matrix(empty).n == 0
    assert (Graph.from_matrix([[0]], 0).n, Graph.from_matrix([[0]], 0).m) == (1, 0)


@pytest.mark.parametrize(
    ("matrix", "no_edge", "error", "words"),
    [
        ([[0, 1], [2, 0]], None, OptionError, ("no_edge", "int64", "no_edge=0", "math.inf")),
        ([[0, 1], [2, 0]], "x", InputTypeError, ("'x'", "str", "Give a number")),
        ([[0, 1], [2, 0]], True, InputTypeError, ("True", "bool")),
        ([[0.0, 1.0]], None, GraphError, ("(1, 2)", "n x n", "from_arcs", "Graph.from_raster")),
        (np.full((3, 3), 2.5), None, GraphError, ("2.5", "Graph.from_raster", "np.fill_diagonal(matrix, 0)")),
        ([[1, 2, INF], [3, 4, 5], [6, 7, INF]], None, GraphError, ("2 of 3 entries", "Graph.from_raster")),
        (np.ones((2, 2), np.uint8), 0, GraphError, ("[0, 0] is 1", "Graph.from_raster", "np.fill_diagonal")),
        ([1.0, 2.0], None, GraphError, ("(2,)", "n x n")),
        (np.zeros((2, 2, 2)), None, GraphError, ("(2, 2, 2)", "n x n")),
        ([[0.0], [1.0, 2.0]], None, GraphError, ("ragged", "n rows")),
        ([[0, math.nan], [1, 0]], None, GraphError, ("0 -> 1", "nan", "no_edge=math.nan")),
        ([[0, -INF], [1, 0]], None, GraphError, ("0 -> 1", "-inf")),
        ([[-INF, 1], [1, 0]], None, GraphError, ("0 -> 0", "-inf")),
        ([[False, True], [True, False]], 0, InputTypeError, ("bool", "integers or floats")),
        ([["a", "b"], ["c", "d"]], None, InputTypeError, ("<U1", "integers or floats")),
        (np.array([[0, None], [1, 0]], object), 0, InputTypeError, ("[0, 1]", "None")),
        (np.array([[0, 2**63], [1, 0]], np.uint64), 0, GraphError, (str(2**63), "2**63 - 1")),
        (sp.eye_array(2), None, InputTypeError, ("dia_array", "from_scipy")),
        (np.ma.array([[0.0, 1.0], [1.0, 0.0]], mask=[[0, 1], [0, 0]]), None, InputTypeError, ("masked", "filled")),
    ],
)
def test_bad_matrices(matrix, no_edge, error, words):
    with refused(error, *words):
        Graph.from_matrix(matrix, no_edge)


# SciPy

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [sp.coo_array, sp.coo_matrix])
def test_every_sparse_format_is_taken(form, kind):
    matrix = kind(([5, 7, 9], ([0, 2, 2], [1, 0, 2])), shape=(4, 4)).asformat(form)
    assert arcs_of(Graph.from_scipy(matrix)) == [(0, 1, 5), (2, 0, 7), (2, 2, 9)]
    assert Graph.from_scipy(matrix).n == 4


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_explicit_zeros_are_arcs(form):
    matrix = sp.coo_array(([0, 3], ([0, 1], [1, 2])), shape=(3, 3)).asformat(form)
    assert arcs_of(Graph.from_scipy(matrix)) == [(0, 1, 0), (1, 2, 3)]


@pytest.mark.parametrize("form", ["bsr", "dia"])
def test_formats_that_fill_with_zeros_have_no_zero_arcs(form):
    matrix = sp.coo_array(([3, 4], ([0, 3], [1, 2])), shape=(4, 4))
    filled = matrix.tobsr(blocksize=(2, 2)) if form == "bsr" else matrix.todia()
    assert arcs_of(Graph.from_scipy(filled)) == [(0, 1, 3), (3, 2, 4)]


def test_entries_given_twice_are_parallel_arcs_and_not_summed():
    matrix = sp.coo_array(([5, 3], ([0, 0], [1, 1])), shape=(2, 2))
    assert arcs_of(Graph.from_scipy(matrix)) == [(0, 1, 3), (0, 1, 5)]
    rows = sp.csr_array((np.array([5, 3]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    assert arcs_of(Graph.from_scipy(rows)) == [(0, 1, 3), (0, 1, 5)]
    assert matrix.nnz == rows.nnz == 2, "the caller's matrix changed"


def test_sparse_matrices_take_names_and_coordinates_and_drop_inf():
    matrix = sp.csr_array(np.array([[0.0, INF], [2.0, 0.0]]))
    graph = Graph.from_scipy(matrix, names=["a", "b"], coordinates={"a": (0, 0), "b": (1, 1)})
    assert arcs_of(graph) == [("b", "a", 2.0)]
    assert Graph.from_scipy(sp.csr_array((0, 0))).n == 0
    loose = sp.csr_array((np.array([1, 2, 99]), np.array([1, 0, 0]), np.array([0, 1, 2])), shape=(2, 2))
    assert arcs_of(Graph.from_scipy(loose)) == [(0, 1, 1), (1, 0, 2)]


@pytest.mark.parametrize(
    ("matrix", "error", "words"),
    [
        (np.eye(2), InputTypeError, ("ndarray", "sparse", "from_matrix")),
        ("matrix", InputTypeError, ("str", "sparse")),
        (sp.csr_array((2, 3)), GraphError, ("(2, 3)", "n x n")),
        (sp.eye_array(2, dtype=bool).tocsr(), InputTypeError, ("bool", "integers or floats")),
        (sp.eye_array(2, dtype=complex).tocsr(), InputTypeError, ("complex128", ".real")),
        (sp.csr_array(np.array([[0, math.nan], [0, 0]])), GraphError, ("arc 0 (0 -> 1)", "nan")),
    ],
)
def test_bad_sparse_matrices(matrix, error, words):
    with refused(error, *words):
        Graph.from_scipy(matrix)


def test_to_scipy_keeps_the_lightest_and_the_zeros():
    graph = Graph.from_arcs([0, 0, 0, 2, 2, 0], [2, 1, 2, 0, 0, 2], [5, 0, 3, 8, 9, 4], n=4)
    matrix = graph.to_scipy()
    assert isinstance(matrix, sp.csr_array)
    assert matrix.shape == (4, 4)
    assert matrix.dtype == np.int32
    assert (matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()) == (
        [0, 2, 2, 3, 3],
        [1, 2, 0],
        [0, 3, 8],
    )
    matrix.data[:] = 1
    assert graph.max_weight == 9
    hops = Graph.from_arcs([0, 0], [1, 1], n=2).to_scipy()
    assert hops.toarray().tolist() == [[0, 1], [0, 0]]
    assert Graph.from_arcs([], []).to_scipy().shape == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(-3, 3)), max_size=30), st.booleans())
def test_scipy_there_and_back_keeps_the_lightest_arcs(arcs, floats):
    tails, heads, weights = ([arc[i] for arc in arcs] for i in range(3))
    graph = Graph.from_arcs(tails, heads, np.array(weights, float if floats else int), n=6)
    lightest: dict[tuple[int, int], float] = {}
    for u, v, w in arcs:
        lightest[u, v] = min(w, lightest.get((u, v), w))
    back = Graph.from_scipy(graph.to_scipy())
    assert arcs_of(back) == sorted(((u, v, float(w) if floats else w) for (u, v), w in lightest.items()), key=repr)
    assert arcs_of(Graph.from_scipy(graph.to_scipy().tocoo())) == arcs_of(back)


# NetworkX


def test_nodes_become_names_and_missing_weights_the_default():
    roads = nx.DiGraph()
    roads.add_edge("Ulm", "Bonn", weight=390, km=4.5)
    roads.add_edge("Bonn", (1, 2))
    roads.add_node(frozenset("x"))
    graph = Graph.from_networkx(roads)
    assert graph.names == ("Ulm", "Bonn", (1, 2), frozenset("x"))
    assert arcs_of(graph) == [("Bonn", (1, 2), 1), ("Ulm", "Bonn", 390)]
    assert graph.undirected is False
    assert arcs_of(Graph.from_networkx(roads, "km", default=0.5)) == [("Bonn", (1, 2), 0.5), ("Ulm", "Bonn", 4.5)]
    assert Graph.from_networkx(roads, weight=None).weights is None
    assert Graph.from_networkx(roads, default=INF).m == 1


def test_an_attribute_that_is_named_and_missing():
    roads = nx.MultiDiGraph()
    roads.add_edge("Ulm", "Bonn", km=390)
    roads.add_edge("Bonn", "Kiel")
    with refused(GraphError, "('Bonn', 'Kiel', 0)", "'km'", "1 of 2 edges", "default=1", "default=inf"):
        Graph.from_networkx(roads, "km")
    with refused(GraphError, "'weight'"):
        Graph.from_networkx(nx.Graph([(0, 1, {"weight": 2}), (1, 2)]), weight="weight")
    assert Graph.from_networkx(roads, "km", default=1).row_weights.tolist() == [390, 1]
    assert Graph.from_networkx(roads, "km", default=INF).m == 1
    roads.edges["Bonn", "Kiel", 0]["km"] = "530"  # as read from GraphML by other programs than OSMnx
    with refused(InputTypeError, "arc 1 ('Bonn' -> 'Kiel')", "'530', a str", "load_graphml"):
        Graph.from_networkx(roads, "km")


def test_undirected_graphs_store_both_directions_and_loops_once():
    graph = Graph.from_networkx(nx.Graph([("a", "b", {"weight": 2}), ("b", "b", {"weight": 1})]))
    assert graph.undirected is True
    assert arcs_of(graph) == [("a", "b", 2), ("b", "a", 2), ("b", "b", 1)]


def test_multigraphs_keep_all_edges():
    edges = [("a", "b", 5), ("b", "a", 3), ("a", "b", 4), ("b", "b", 7), ("b", "b", 6)]
    both, one = nx.MultiGraph(), nx.MultiDiGraph()
    both.add_weighted_edges_from(edges)
    one.add_weighted_edges_from(edges)
    assert arcs_of(Graph.from_networkx(one)) == sorted(edges)
    assert arcs_of(Graph.from_networkx(both)) == sorted(edges + [(v, u, w) for u, v, w in edges[:3]])
    assert arcs_of(Graph.from_networkx(one, weight=None)) == sorted(edge[:2] for edge in edges)
    assert nx.utils.graphs_equal(Graph.from_networkx(both).to_networkx(), both)
    assert Graph.from_networkx(nx.MultiGraph()).n == 0


def test_nodes_that_are_the_numbers_from_0_stay_numbers():
    shuffled = nx.DiGraph([(2, 0), (0, 1)])
    graph = Graph.from_networkx(shuffled)
    assert graph.names is None
    assert arcs_of(graph) == [(0, 1, 1), (2, 0, 1)]
    assert Graph.from_networkx(nx.path_graph([1, 2])).names == (1, 2)
    assert Graph.from_networkx(nx.path_graph([False, True])).names == (False, True)


def test_networkx_layouts_are_coordinates():
    grid = nx.grid_2d_graph(2, 3)
    graph = Graph.from_networkx(grid, coordinates={node: node for node in grid})
    assert graph.coordinates[graph.index((1, 2))].tolist() == [1, 2]
    assert Graph.from_networkx(nx.path_graph(3), coordinates={2: (4, 5), 1: (2, 3), 0: (0, 1)}).coordinates[2, 1] == 5


def test_distances_agree_with_networkx_through_scipy():
    roads = nx.gnm_random_graph(20, 60, seed=1, directed=True)
    for i, (_, _, data) in enumerate(roads.edges(data=True)):
        data["weight"] = i % 7 + 1
    mine = sp.csgraph.dijkstra(Graph.from_networkx(roads).to_scipy(), indices=3)
    theirs = nx.single_source_dijkstra_path_length(roads, 3)
    assert {v: d for v, d in enumerate(mine) if d < INF} == theirs


def test_an_attribute_that_no_edge_has_is_refused():
    roads = nx.MultiDiGraph()
    roads.add_edge("a", "b", length=3, lanes=2)
    roads.add_edge("b", "c", length=4)
    with refused(OptionError, "weight='lenght'", "['lanes', 'length']", "weight=None"):
        Graph.from_networkx(roads, weight="lenght")
    with refused(OptionError, "weight='lenght'", "no attributes"):
        Graph.from_networkx(nx.path_graph(3), "lenght", default=5)
    assert arcs_of(Graph.from_networkx(roads, "lanes", default=1)) == [("a", "b", 2), ("b", "c", 1)]
    assert Graph.from_networkx(roads).max_weight == 1  # as in NetworkX
    assert Graph.from_networkx(nx.empty_graph(2), "length").m == 0
    bare = nx.Graph([("a", "b")])
    assert Graph.from_networkx(bare).max_weight == 1  # nobody named an attribute: as in NetworkX
    with refused(OptionError, "weight='weight'", "no attributes"):
        Graph.from_networkx(bare, weight="weight")


def test_bad_networkx_graphs():
    roads = nx.Graph()
    roads.add_edge("a", "b", weight="far")
    roads.add_edge("b", "c", weight=None)
    with refused(InputTypeError, "list", "NetworkX"):
        Graph.from_networkx([(0, 1)])
    with refused(InputTypeError, "<lambda>", "attribute's name", "set_edge_attributes"):
        Graph.from_networkx(roads, weight=lambda u, v, data: 1)
    with refused(InputTypeError, "default", "'x'", "numbers"):
        Graph.from_networkx(roads, default="x")
    with refused(InputTypeError, "arc 0 ('a' -> 'b')", "'far'", "Convert"):
        Graph.from_networkx(roads)
    roads["a"]["b"]["weight"] = 1
    with refused(InputTypeError, "arc 1 ('b' -> 'c')", "None"):
        Graph.from_networkx(roads)
    roads["b"]["c"]["weight"] = math.nan
    with refused(GraphError, "arc 1 ('b' -> 'c')", "nan"):
        Graph.from_networkx(roads)
    twice = nx.MultiGraph()
    twice.add_edge("a", "b", weight=1.0)
    twice.add_edge("a", "b", weight=math.nan)
    with refused(GraphError, "nan"):
        Graph.from_networkx(twice)
    with refused(GraphError, "coordinates lack vertex 'c'"):
        Graph.from_networkx(nx.path_graph(["a", "b", "c"]), coordinates={"a": (0, 0), "b": (1, 1)})

"""METIS: adjacency lists that must mirror each other, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.damage import named_arcs, read_bytes, refused, write_bytes
from helpers.marks import needs_jit
from helpers.strategies import cases
from nearfar.errors import FileError, OptionError
from nearfar.formats import metis
from nearfar.graph import Graph

PLAIN = b"% a path and a lonely vertex\n4 2\n2\n1 3\n% half-way\n2\n\n"


def load(text, **options):
    return read_bytes(text, "a.graph", **options)


def rows_of(graph):
    """Return the neighbours of each vertex in their order."""
    heads = (graph.heads + 1).tolist()
    return [heads[low:high] for low, high in zip(graph.offsets, graph.offsets[1:], strict=False)]


def test_plain():
    graph = load(PLAIN)
    assert graph.undirected and graph.weights is None and list(graph.names) == [1, 2, 3, 4]
    assert rows_of(graph) == [[2], [1, 3], [2], []]


def test_order_of_the_file_is_kept():
    assert rows_of(load(b"3 3\n3 2\n3 1\n2 1\n")) == [[3, 2], [3, 1], [2, 1]]


@pytest.mark.parametrize(
    "text",
    [
        b"3 2 1\n2 5\n1 5 3 7\n2 7\n",
        b"3 2 001\n2 5\n1 5 3 7\n2 7\n\n\n",
        b"3 2 11\n9 2 5\n9 1 5 3 7\n9 2 7\n",
        b"3 2 011 2\n9 9 2 5\n9 9 1 5 3 7\n9 9 2 7\n",
        b"3 2 111 1\n4 9 2 5\n4 9 1 5 3 7\n4 9 2 7\n",
        b"3 2 101\n4 2 5\n4 1 5 3 7\n4 2 7",
    ],
)
def test_weights(text):
    graph = load(text)
    assert graph.weights.dtype == np.int32
    assert named_arcs(graph) == [(1, 2, 5), (2, 1, 5), (2, 3, 7), (3, 2, 7)]


def test_vertex_weights_alone():
    for fmt, own in ((b"10", b"8 "), (b"100", b"8 "), (b"110", b"8 8 "), (b"010 3", b"8 8 8 ")):
        text = b"3 2 " + fmt + b"\n" + own + b"2\n" + own + b"1 3\n" + own + b"2\n"
        assert load(text).weights is None and rows_of(load(text)) == [[2], [1, 3], [2]]


def test_zero_weights_and_parallel_edges_are_taken():
    assert named_arcs(load(b"2 2 1\n2 0 2 5\n1 5 1 0\n")) == [(1, 2, 0), (1, 2, 5), (2, 1, 0), (2, 1, 5)]


def test_an_edge_at_one_end_only():
    text = b"3 2\n2\n1 3\n1\n"
    with refused("a.graph, line 4", "vertex 3 lists 1, but 1 does not list 3", "strict=False"):
        load(text)
    graph = load(text, strict=False)
    assert not graph.undirected and named_arcs(graph) == [(1, 2, 1), (2, 1, 1), (2, 3, 1), (3, 1, 1)]


def test_weights_that_differ_at_the_ends():
    with refused("line 2", "vertex 1 lists 2 with weight 5, but 2 does not list 1 with weight 5"):
        load(b"2 1 1\n2 5\n1 6\n")
    with refused("line 3"):
        load(b"2 1 1\n2 6\n1 5\n")  # the missing one comes second


def test_lines_are_not_named_where_comments_hide_them():
    with refused("a.graph: vertex 3 lists 1"):
        load(b"3 2\n2\n% here\n1 3\n1\n")


def test_loops():
    text = b"2 1\n1 2\n1\n"
    with refused("line 2", "vertex 1 lists itself", "strict=False"):
        load(text)
    graph = load(text, strict=False)
    assert graph.undirected and named_arcs(graph) == [(1, 1, 1), (1, 2, 1), (2, 1, 1)]


def test_lenient_reading_fills_up():
    graph = load(b"5 9\n2\n1\n", strict=False)
    assert (graph.n, graph.m) == (5, 2)


def test_lonely_arc_among_parallel_edges():
    graph = Graph.from_arcs([0, 0, 1], [1, 1, 2], [5, 3, 1], undirected=True)
    assert metis.lonely_arc(graph.offsets, graph.arcs) is None
    graph = Graph.from_arcs([0, 0, 1, 1], [1, 1, 0, 0], [5, 3, 3, 4])
    assert metis.lonely_arc(graph.offsets, graph.arcs) == (1, 0, 4)


@given(cases(dtypes=("int32", "int64", None), min_n=0))
def test_written_graphs_read_back(case):
    arcs = [(u, v, w + 1) for u, v, w in case.arcs if u != v]
    tails, heads, weights = zip(*arcs, strict=True) if arcs else ((), (), ())
    weights = np.array(weights, case.dtype) if case.dtype else None
    graph = Graph.from_arcs(tails, heads, weights, case.n, undirected=True, names=range(1, case.n + 1))
    again = load(write_bytes(graph, "metis"))
    assert again.offsets.tobytes() == graph.offsets.tobytes() and again.heads.tolist() == graph.heads.tolist()
    assert named_arcs(again) == named_arcs(graph) and again.undirected and again.n == graph.n
    assert graph.m == 0 or again.weight_dtype == graph.weight_dtype


@given(st.integers(0, 6), st.sets(st.integers(0, 5)), st.integers(1, 4))
def test_blocks_of_lines(n, isolated, arcs):
    """However the arcs fall into blocks, each vertex has its line."""
    tails, heads = np.triu_indices(n, 1)
    keep = ~np.isin(tails, list(isolated)) & ~np.isin(heads, list(isolated))
    graph = Graph.from_arcs(tails[keep], heads[keep], n=n, undirected=True)
    before, metis._ARCS = metis._ARCS, arcs
    try:
        text = write_bytes(graph, "metis")
    finally:
        metis._ARCS = before
    assert rows_of(load(text)) == rows_of(graph)


def test_refused_on_writing():
    loop, zero = Graph.from_arcs([0], [0], undirected=True), Graph.from_arcs([0], [1], [0], undirected=True)
    with refused("no loops", "vertex 0", ".mtx", error=FileError):
        write_bytes(loop, "metis")
    with refused("whole weights from 1 on", "int32 from 0 to 0", error=FileError):
        write_bytes(zero, "metis")
    one_way = Graph.from_arcs([0], [1], names=["a", "b"])
    with refused("directed", error=OptionError):
        write_bytes(Graph.from_arcs([0], [1]), "metis")
    with refused("from a to b has no reverse arc", error=FileError):
        write_bytes(one_way, "metis", lossy=True)
    with refused("not whole numbers", error=OptionError):
        write_bytes(Graph.from_arcs([0], [1], [1.5], undirected=True), "metis")
    with refused("float64 from 1.5 to 1.5", error=FileError):
        write_bytes(Graph.from_arcs([0], [1], [1.5], undirected=True), "metis", lossy=True)


def test_a_directed_graph_with_mirrored_arcs_can_be_written():
    graph = Graph.from_arcs([0, 1], [1, 0], [2.0, 2.0])
    assert write_bytes(graph, "metis", lossy=True) == b"2 1 001\n2 2\n1 2\n"


@needs_jit
def test_large():
    """More arcs than one block, and than NumPy sorts."""
    ids = np.arange(120_000).reshape(400, 300)
    tails, heads = np.r_[ids[:, :-1].ravel(), ids[:-1].ravel()], np.r_[ids[:, 1:].ravel(), ids[1:].ravel()]
    graph = Graph.from_arcs(tails, heads, 1 + tails * heads % 97, ids.size, undirected=True)
    again = load(write_bytes(graph, "metis"))
    assert (again.offsets == graph.offsets).all() and (again.arcs == graph.arcs).all()
    lonely = Graph.from_arcs(np.r_[tails, heads[1:]], np.r_[heads, tails[1:]], n=ids.size)
    assert metis.lonely_arc(lonely.offsets, lonely.arcs) == (0, 1, None)

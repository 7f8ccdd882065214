"""SParry's text: undirected unless told, recognised only where it is unmistakable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from helpers.damage import named_arcs, read_bytes, refused, write_bytes
from helpers.strategies import cases
from nearfar.errors import OptionError
from nearfar.formats import princeton, sparry
from nearfar.graph import Graph

TEXT = b"4 4\n0 1 9\n0 2 5\n2 3 2\n2 3 2\n"


def load(text, name="a.sparry", **options):
    return read_bytes(text, name, **options)


@pytest.mark.parametrize("name", ["a.sparry", "a.sp", "data_4_4.txt"])
def test_edges(name):
    graph = load(TEXT, name)
    assert graph.undirected and graph.names is None and (graph.n, graph.m) == (4, 8)
    assert nearest_arcs(graph) == [(0, 1, 9), (0, 2, 5), (1, 0, 9)]
    assert load(TEXT, name, undirected=False).m == 4


def nearest_arcs(graph):
    return named_arcs(graph)[:3]


def test_without_a_last_newline():
    """SParry itself refuses such files."""
    assert load(TEXT.rstrip()).m == 8


def test_vertices_count_from_0():
    with refused("line 2", "vertex 2 does not exist: vertices are 0 to 1"):
        load(b"2 1\n1 2 5\n")


def test_strict():
    with refused("5 edges", "there are 4", "strict=False"):
        load(TEXT.replace(b"4 4", b"4 5"))
    assert load(TEXT.replace(b"4 4", b"4 5"), strict=False).m == 8


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"4 4\n",
        b"1 2 3\n4 5 6\n",
        b"1 2\n2 3\n3 4\n",
        TEXT.replace(b"4 4", b"4 5"),
        TEXT.replace(b"4 4", b"3 4"),
        TEXT.replace(b"2 5", b"2 x"),
        b"# 4 4\n" + TEXT,
        b"3 2\n0 1 1\n1 2 2\n2 3 3\n0 1\n1 2\n",
    ],
)
def test_not_recognised(text):
    assert not sparry.FORMAT.matches(text)


def test_recognised_in_a_long_file():
    lines = [b"%d %d %d" % (i // 3, i // 2, i) for i in range(20_000)]
    assert sparry.FORMAT.matches(b"10000 20000\n" + b"\n".join(lines)[: 1 << 16][: (1 << 16) - 12])
    assert not sparry.FORMAT.matches((b"10000 2000\n" + b"\n".join(lines))[: 1 << 16])


def test_a_ring_is_no_list_of_places():
    ring = b"9000 9000\n" + b"".join(b"%d %d 3\n" % (v, (v + 1) % 9000) for v in range(9000))
    for text in (ring, ring[: 1 << 16], b"4 4\n0 1 3\n1 2 3\n2 3 3\n3 0 3\n"):
        assert sparry.FORMAT.matches(text) and not princeton.FORMAT.matches(text)


@given(cases(dtypes=("int32", "int64", "float64", "float32", None), min_n=0))
def test_written_graphs_read_back(case):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=True)
    again = load(write_bytes(graph, "sparry"))
    assert (again.n, again.undirected, named_arcs(again)) == (graph.n, True, named_arcs(graph))
    assert again.weight_dtype in (None, np.int32, np.int64, np.float64)


def test_directed_graphs_need_a_word():
    graph = Graph.from_arcs([0, 1], [1, 0], [5, 6])
    with refused("directed", "lossy=True", error=OptionError):
        write_bytes(graph, "sparry")
    again = load(write_bytes(graph, "sparry", lossy=True), undirected=False)
    assert named_arcs(again) == named_arcs(graph)

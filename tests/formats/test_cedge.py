"""California's roads: edges in one file, places in another."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.damage import named_arcs, read_bytes, refused
from helpers.data import loader, real
from helpers.marks import needs_jit
from nearfar.graph import Graph

EDGES = b"0 0 1 0.5\n1 1 3 0.25\n"


@pytest.fixture
def nodes(tmp_path):
    """Return a function that writes a file of places."""

    def make(text):
        (tmp_path / "a.cnode").write_bytes(text)
        return tmp_path / "a.cnode"

    return make


def load(text, **options):
    return read_bytes(text, "a.cedge", **options)


def test_edges():
    graph = load(EDGES)
    assert graph.undirected and graph.names is None and graph.n == 4
    assert named_arcs(graph) == [(0, 1, 0.5), (1, 0, 0.5), (1, 3, 0.25), (3, 1, 0.25)]
    assert load(EDGES, undirected=False).m == 2


def test_nodes_tell_how_many(nodes):
    graph = load(EDGES, coordinates=nodes(b"0 -121.5 41\n1 -120 40\n2 1 2\n4 0 0\n3 5 6\n"))
    assert graph.n == 5 and graph.coordinates.tolist() == [[-121.5, 41], [-120, 40], [1, 2], [5, 6], [0, 0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"0 1 1\n1 1 1\n", ("2 vertices have coordinates", "there are 4")),
        (b"0 1 1\n1 1 1\n2 1 1\n7 1 1\n", ("vertex 7", "0 to 3")),
        (b"0 1 1\n1 1 1\n2 1 1\n-3 1 1\n", ("vertex -3", "0 to 3")),
        (b"0 1 1\n1 1 1\n2 1 1\n2 1 1\n", ("vertex 2", "more than once")),
        (b"0 1 1\n1 1 1\n2 1 1\n3 1 inf\n", ("vertex 3", "must be finite")),
        (b"0 1 1\n1 1\n", ("line 2", "too few fields")),
    ],
)
def test_wrong_nodes(nodes, text, words):
    with refused("a.cnode", *words):
        load(EDGES, coordinates=nodes(text))


def test_numbers_far_apart_are_names():
    assert list(load(b"0 7 2000000000 1\n").names) == [7, 2_000_000_000]


@needs_jit
def test_california():
    graph = nearfar.read(real("cal.cedge.gz"), coordinates=real("cal.cnode.gz"))
    raw = loader().load("cal.cedge.gz")
    plain = Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], undirected=True)
    assert (graph.n, graph.m, graph.undirected) == (21_048, 2 * 21_693, True)
    assert (graph.offsets == plain.offsets).all() and (graph.arcs == plain.arcs).all()
    assert (graph.coordinates == np.column_stack((raw["lon"], raw["lat"]))).all()

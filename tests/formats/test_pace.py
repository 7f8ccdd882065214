"""PACE: edges without weights, and the colouring files that look nearly the same."""

from __future__ import annotations

import pytest
from hypothesis import given

from helpers.damage import agrees, named_arcs, read_bytes, refused, write_bytes
from helpers.marks import needs_jit
from helpers.strategies import cases
from nearfar.errors import OptionError
from nearfar.formats import dimacs, pace
from nearfar.graph import Graph

TEXT = b"c a triangle with a tail\np tw 4 4\n1 2\nc half-way\n2 3\n3 1\n3 4\n"


def load(text, name="a.gr", **options):
    return read_bytes(text, name, **options)


def test_edges():
    graph = load(TEXT)
    assert graph.undirected and graph.weights is None and (graph.n, graph.m) == (4, 8)
    assert named_arcs(graph)[:3] == [(1, 2, 1), (1, 3, 1), (2, 1, 1)]
    assert load(TEXT, undirected=False).m == 4


@pytest.mark.parametrize("word", [b"tw", b"td", b"tdp", b"tww", b"ds"])
def test_words_of_other_years(word):
    assert load(TEXT.replace(b"p tw", b"p " + word)).m == 8


@pytest.mark.parametrize("word", [b"edge", b"col"])
def test_colouring_files(word):
    assert load(b"c x\np " + word + b" 3 2\ne 1 2\nc y\ne 2 3\n", "a.col").m == 4


def test_the_two_formats_that_share_an_ending():
    assert pace.FORMAT.matches(TEXT) and not dimacs.FORMAT.matches(TEXT)
    other = b"p sp 2 1\na 1 2 3\n"
    assert dimacs.FORMAT.matches(other) and not pace.FORMAT.matches(other)
    assert load(other).weights is not None
    assert not pace.FORMAT.matches(b"1 2\n2 3\n") and not pace.FORMAT.matches(b"p tw and so on\n")


def test_strict():
    text = TEXT.replace(b"4 4", b"4 5")
    with refused("a.gr", "5 edges", "there are 4", "strict=False"):
        load(text)
    assert load(text, strict=False).m == 8


@given(cases(dtypes=(None,), min_n=0))
def test_written_graphs_read_back(case):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=True, names=range(1, case.n + 1))
    again = load(write_bytes(graph, "pace"))
    assert (again.n, again.undirected, named_arcs(again)) == (graph.n, True, named_arcs(graph))


def test_what_it_cannot_hold():
    with refused("weights", "lossy=True", error=OptionError):
        write_bytes(Graph.from_arcs([0], [1], [5], undirected=True), "pace")
    with refused("directed", error=OptionError):
        write_bytes(Graph.from_arcs([0], [1]), "pace")
    assert write_bytes(Graph.from_arcs([0], [1], [5]), "pace", lossy=True) == b"p tw 2 1\n1 2\n"


@needs_jit
def test_florida():
    graph, _ = agrees("pace16-FLA.gr.xz")
    assert graph.n == 1_070_376 and graph.name(0) == 1 and graph.name(graph.n - 1) == graph.n

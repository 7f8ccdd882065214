"""GraphML: ids, attributes and places; what is refused; entities that stand for gigabytes."""

from __future__ import annotations

import io
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, broken, damaged, named_arcs, read_bytes, refused, same, survives, write_bytes
from helpers.strategies import cases
from nearfar.errors import FileError, MissingDependencyError, OptionError
from nearfar.graph import Graph
from nearfar.graph.names import NumberNames


def saved(graph):
    file = io.BytesIO()
    nx.write_graphml(graph, file)
    return file.getvalue()


def roads(kind=nx.Graph):
    graph = kind()
    graph.add_edge("Ulm", "Bonn", weight=390, time=4.5, toll="yes")
    graph.add_edge("Bonn", "Kiel", weight=530, time=5.25, toll="no")
    return graph


WHOLE = saved(roads())


def document(body, keys="", edgedefault="directed"):
    return (
        f'<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{keys}'
        f'<graph edgedefault="{edgedefault}">{body}</graph></graphml>'
    ).encode()


def test_ids_weights_and_direction():
    graph = read_bytes(WHOLE, "a.graphml")
    assert graph.names == ("Ulm", "Bonn", "Kiel") and graph.undirected
    assert named_arcs(graph) == [
        ("Bonn", "Kiel", 530),
        ("Bonn", "Ulm", 390),
        ("Kiel", "Bonn", 530),
        ("Ulm", "Bonn", 390),
    ]
    assert not read_bytes(saved(roads(nx.DiGraph)), "a.graphml").undirected
    assert read_bytes(saved(roads(nx.DiGraph)), "a.graphml", undirected=True).undirected
    assert read_bytes(WHOLE, "unknown").n == 3  # by its content


def test_the_weight_is_asked_for():
    assert read_bytes(WHOLE, "a.graphml", weight="time").max_weight == 5.25
    assert read_bytes(WHOLE, "a.graphml", weight=False).weights is None
    with refused("a.graphml", "'length'", "'time', 'toll', 'weight'", error=OptionError):
        read_bytes(WHOLE, "a.graphml", weight="length")
    with refused("a.graphml", "'Ulm' to 'Bonn'", "'yes' for toll"):
        read_bytes(WHOLE, "a.graphml", weight="toll")
    plain = nx.path_graph(3)
    assert read_bytes(saved(plain), "a.graphml").weights is None


def test_an_edge_without_a_weight_is_no_edge_of_weight_one():
    graph = roads()
    graph.add_edge("Kiel", "Ulm")
    with refused("a.graphml", "'Ulm' to 'Kiel'", "no weight", "weight=False"):
        read_bytes(saved(graph), "a.graphml")


def test_defaults_count():
    key = '<key id="d" for="edge" attr.name="weight" attr.type="double"><default>2.5</default></key>'
    body = '<node id="a"/><node id="b"/><edge source="a" target="b"/>'
    assert named_arcs(read_bytes(document(body, key), "a.graphml")) == [("a", "b", 2.5)]


def test_numbers_as_text():
    """OSMnx writes every attribute as a string."""
    graph = nx.MultiDiGraph()
    graph.add_node(7, x="1.5", y="42.5")
    graph.add_node(3, x="1.25", y="42")
    graph.add_edge(7, 3, length="12.5")
    found = read_bytes(saved(graph), "a.graphml", weight="length")
    assert named_arcs(found) == [(7, 3, 12.5)]
    assert found.coordinates.tolist() == [[1.25, 42], [1.5, 42.5]]


def test_whole_numbers_as_ids():
    assert read_bytes(saved(nx.path_graph(3)), "a.graphml").names is None
    backwards = document('<node id="1"/><node id="0"/><edge source="1" target="0"/>')
    assert named_arcs(read_bytes(backwards, "a.graphml")) == [(1, 0, 1)]
    ids = read_bytes(saved(nx.DiGraph([(30, 10), (10, 20)])), "a.graphml")
    assert isinstance(ids.names, NumberNames) and tuple(ids.names) == (10, 20, 30)
    assert read_bytes(saved(nx.DiGraph([(30, 10)])), "a.graphml", names=True).names == ("30", "10")
    assert read_bytes(saved(nx.DiGraph([("01", "1")])), "a.graphml").names == ("01", "1")
    assert read_bytes(saved(nx.DiGraph([(2**63, 1)])), "a.graphml").names == (str(2**63), "1")


def test_places():
    graph = roads()
    nx.set_node_attributes(graph, {"Ulm": 1.0, "Bonn": 2.0, "Kiel": 3.0}, "lon")
    assert read_bytes(saved(graph), "a.graphml").coordinates is None
    nx.set_node_attributes(graph, {"Ulm": 4, "Bonn": 5, "Kiel": 6}, "lat")
    assert read_bytes(saved(graph), "a.graphml").coordinates.tolist() == [[1, 4], [2, 5], [3, 6]]
    del graph.nodes["Kiel"]["lat"]
    assert read_bytes(saved(graph), "a.graphml").coordinates is None


@given(cases(min_n=0), st.booleans(), st.sampled_from([None, "words", "ids"]), st.booleans())
def test_what_is_written_is_read(case, undirected, naming, placed):
    names = {"words": [f"<&\"'\n é{i}" for i in range(case.n)], "ids": np.arange(case.n) * 3 + 5}.get(naming)
    places = np.random.default_rng(2).normal(size=(case.n, 2)) if placed and case.n else None
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected, names=names, coordinates=places)
    again = read_bytes(write_bytes(graph, "graphml"), "a.graphml")
    assert named_arcs(again) == named_arcs(graph) and again.undirected == undirected
    assert again.n == graph.n and (graph.m == 0 or (again.weights is None) == (graph.weights is None))
    assert places is None or again.coordinates.tobytes() == places.tobytes()


def test_networkx_reads_what_is_written(tmp_path):
    graph = Graph.from_arcs([0, 1, 1], [1, 2, 1], [0.1, 2, 3], names=["a", "b", "c"], undirected=True)
    nearfar.write(graph, tmp_path / "g.graphml.gz")
    found = nx.read_graphml(tmp_path / "g.graphml.gz")
    assert sorted(found.edges(data="weight")) == [("a", "b", 0.1), ("b", "b", 3.0), ("b", "c", 2.0)]
    assert same(nearfar.read(tmp_path / "g.graphml.gz"), graph)


@pytest.mark.parametrize("names", [["a", "b\x00"], ["a", "\ud800"], ["a", "\x1b[0m"]])
def test_names_that_xml_cannot_hold(names):
    with refused("XML", error=FileError):
        write_bytes(Graph.from_arcs([0], [1], names=names), "graphml")


# broken files

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "lol"}">' for i in range(10))


@pytest.mark.parametrize("encoding", ["utf8", "utf-16"])
def test_entities_are_not_expanded(encoding):
    bomb = f'<?xml version="1.0"?><!DOCTYPE graphml [{LAUGHS}]><graphml>&l9;</graphml>'
    with refused("a.graphml", "entity 'l0'", "Replace entities"):  # the first that is declared: before any expansion
        read_bytes(bomb.encode(encoding), "a.graphml", format="graphml")
    outside = b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml>&x;</graphml>'
    with refused("a.graphml", "entity 'x'"):
        read_bytes(outside, "a.graphml", format="graphml")
    parameter = b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY % x "y">]><graphml/>'
    with refused("a.graphml", "entity 'x'"):
        read_bytes(parameter, "a.graphml", format="graphml")


def test_a_long_prolog_hides_nothing():
    comment = b"<!--" + b"x" * 70_000 + b"-->"
    with refused("a.graphml", "no element"):
        read_bytes(b'<?xml version="1.0"?>' + comment + b"<graphml/>", "a.graphml", format="graphml")


def test_a_document_type_alone_is_harmless():
    data = WHOLE.replace(b"<graphml", b'<!DOCTYPE graphml SYSTEM "graphml.dtd"><graphml', 1)
    assert read_bytes(data, "a.graphml").n == 3


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<graphml></graphml>", ["not successfully read"]),
        (b"<html></html>", ["no readable GraphML"]),
        (document('<node id="a"/><edge source="a" target="a"><data key="k">1</data></edge>'), ["no key k"]),
        (document('<node id="a"/><hyperedge/>'), ["hyperedges"]),
        (document("<node/>", '<key id="k" attr.name="weight" attr.type="what"/>'), ["what"]),
        (document('<edge source="a" target="b" directed="false"/>'), ["directed=false"]),
        (document("<" + "a>" * 3), ["line 2"]),
        (b'<?xml version="1.0" encoding="klingon"?><graphml/>', ["klingon"]),
    ],
)
def test_documents_that_are_no_graph(data, words):
    with refused("a.graphml"):
        read_bytes(data, "a.graphml", format="graphml")


@pytest.mark.parametrize("value", ["NaN", "-INF", "x", "", "1_0x"])
def test_weights_that_are_none(value):
    key = '<key id="w" for="edge" attr.name="weight" attr.type="string"/>'
    body = f'<node id="a"/><node id="b"/><edge source="a" target="b"><data key="w">{value}</data></edge>'
    with refused("a.graphml", "weight"):
        read_bytes(document(body, key), "a.graphml")


def test_deep_nesting():
    with refused("a.graphml"):
        read_bytes(document("<node>" * 50_000), "a.graphml")


@pytest.mark.parametrize("accident", BROKEN)
def test_broken_files(accident):
    with refused("a.graphml"):
        read_bytes(broken(WHOLE.rstrip())[accident], "a.graphml", format="graphml")


@given(damaged(WHOLE))
def test_damaged_files(data):
    survives(data, "a.graphml", format="graphml")


def test_without_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with refused("networkx", "nearfar[formats]", error=MissingDependencyError):
        read_bytes(WHOLE, "a.graphml")


def test_several_graphs():
    one = '<node id="a"/><node id="b"/><edge source="a" target="b"/>'
    second = document(one + '</graph>\n<graph edgedefault="directed">' + one)
    nested = document(one + '<node id="c">\n<graph edgedefault="directed">' + one + "</graph></node>")
    prefixed = second.replace(b"xmlns=", b"xmlns:g=").replace(b"</", b"</g:").replace(b"<g", b"<g:g")
    for text in (second, nested, prefixed):
        with refused("line 3", "second graph", "line 2", "a separate file"):
            read_bytes(text, "a.graphml")
    commented = document(one + "<!-- <graph> --><desc>graph</desc>")
    assert read_bytes(commented, "a.graphml").m == 1

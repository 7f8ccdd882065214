"""Graphs of igraph, rustworkx and graph-tool: in, out, back again, and against each library's own distances."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import igraph
import numpy as np
import pytest
import rustworkx as rx
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.damage import same
from helpers.strategies import cases
from nearfar.errors import GraphError, InputTypeError, MissingDependencyError, NearfarError, OptionError
from nearfar.graph import Graph

WORDS = ["Ulm", "Bonn", "Kiel", "Aue", "Hof", "Graz", "Linz", "Wien", "Bern", "Genf", "Riga", "Oslo"]


@contextmanager
def refused(error: type[NearfarError], *words: str) -> Iterator[None]:
    """Expect an error whose message holds each of the words."""
    with pytest.raises(error) as caught:
        yield
    for word in words:
        assert word in str(caught.value), f"{word!r} is not in {str(caught.value)!r}"


@st.composite
def graphs(draw, dtypes=("int32", "int64", "float64", None)):
    """Draw a graph: with names or none, with coordinates or none, directed or not."""
    case = draw(cases(dtypes=dtypes))
    names = draw(st.sampled_from([None, WORDS[: case.n], list(range(10, 10 + case.n))[::-1]]))
    points = draw(st.sampled_from([None, [(i, -i / 2) for i in range(case.n)]]))
    return Graph.from_arcs(*case.arrays(), case.n, draw(st.booleans()), names=names, coordinates=points)


def rows_of(graph: Graph) -> np.ndarray:
    """Return all distances as floats."""
    return nearfar.apsp(graph).as_float()


# igraph


@given(graphs())
def test_igraph_there_and_back(graph):
    made = graph.to_igraph()
    assert made.is_directed() != graph.undirected and made.vcount() == graph.n
    back = Graph.from_igraph(made)
    assert list(back.names or range(back.n)) == list(graph.names or range(graph.n))
    assert np.array_equal(rows_of(back), rows_of(graph))
    assert (back.coordinates is None) == (graph.coordinates is None)
    if graph.coordinates is not None:
        assert np.array_equal(back.coordinates, graph.coordinates)
    again = Graph.from_igraph(back.to_igraph())
    assert same(again, back)
    assert np.array_equal(np.sort(graph.row_weights), np.sort(back.row_weights))


@given(graphs(dtypes=("int32", None)))
def test_igraph_has_the_same_distances(graph):
    made = graph.to_igraph()
    theirs = made.distances(weights="weight" if graph.weights is not None else None, mode="out")
    assert np.array_equal(rows_of(Graph.from_igraph(made)), np.array(theirs, float).reshape(graph.n, graph.n))


@given(cases(dtypes=("int32",), max_n=8), st.booleans())
def test_rows_are_edge_ids_of_igraph(case, directed):
    edges = [arc[:2] for arc in case.arcs]
    theirs = igraph.Graph(case.n, edges, directed=directed)
    theirs.es["km"] = [arc[2] for arc in case.arcs] if case.arcs else []
    result = nearfar.sssp(Graph.from_igraph(theirs, "km" if case.arcs else None), 0)
    for v in np.flatnonzero(result.reached).tolist():
        path, ids = result.path(v), result.path_rows(v).tolist()
        assert sum(theirs.es["km"][i] for i in ids) == result[v]
        ends = [{*theirs.es[i].tuple} if not directed else theirs.es[i].tuple for i in ids]
        steps = itertools.pairwise(path)
        assert ends == [{u, w} if not directed else (u, w) for u, w in steps]


def test_igraph_weights_names_and_coordinates():
    roads = igraph.Graph([(2, 0), (0, 1), (0, 1)], directed=True)
    assert Graph.from_igraph(roads).weights is None
    assert Graph.from_igraph(roads, weight=[5, 4, 3]).max_weight == 5
    roads.es["weight"], roads.es["km"] = [1, 2, 3], [1.5, 2.5, 3.5]
    graph = Graph.from_igraph(roads)
    assert graph.m == 3 and graph.row_weights.tolist() == [1, 2, 3] and graph.names is None
    assert Graph.from_igraph(roads, "km").row_weights.tolist() == [1.5, 2.5, 3.5]
    assert Graph.from_igraph(roads, None).weights is None
    assert Graph.from_igraph(roads, keep_rows=False).input_rows.known is False
    roads.vs["name"], roads.vs["x"], roads.vs["y"] = [7, 9, 8], [0.5, 1, 2], [3, 4, 5]
    named = Graph.from_igraph(roads)
    assert named.names == (7, 9, 8) and named.coordinates.tolist() == [[0.5, 3], [1, 4], [2, 5]]
    assert Graph.from_igraph(roads, names=None).names is None
    roads.vs["name"], roads.vs["y"] = [0, 1, 2], ["a", "b", "c"]
    assert Graph.from_igraph(roads).names is None and Graph.from_igraph(roads).coordinates is None
    layout = roads.layout("circle")
    assert Graph.from_igraph(roads, coordinates=layout.coords).coordinates.shape == (3, 2)
    roads.vs["id"] = ["a", "b", "c"]
    assert Graph.from_igraph(roads, names="id").names == ("a", "b", "c")
    assert Graph.from_igraph(igraph.Graph()).n == 0
    assert Graph.from_arcs([], []).to_igraph().vcount() == 0


def test_keys_and_closed_arcs_go_to_igraph():
    networkx = pytest.importorskip("networkx")
    roads = networkx.MultiDiGraph()
    roads.add_edge("a", "b", "slow", weight=5)
    roads.add_edge("a", "b", "fast", weight=3)
    graph = Graph.from_networkx(roads)
    assert graph.to_igraph().es["key"] == ["slow", "fast"]
    assert graph.close([0]).to_igraph().es["weight"] == [3]
    assert graph.close([0]).to_rustworkx().edges() == [3]


def test_bad_igraphs():
    roads = igraph.Graph([(0, 1), (1, 2)])
    with refused(OptionError, "weight='km'", "no attributes"):
        Graph.from_igraph(roads, "km")
    roads.es["length"] = [1, None]
    with refused(OptionError, "weight='km'", "['length']", "weight=None"):
        Graph.from_igraph(roads, "km")
    with refused(InputTypeError, "arc 1", "None"):
        Graph.from_igraph(roads, "length")
    roads.es["length"] = [1, math.nan]
    with refused(GraphError, "arc 1", "nan"):
        Graph.from_igraph(roads, "length")
    roads.es["length"] = [1, "far"]
    with refused(InputTypeError, "arc 1", "'far', a str", "numbers"):
        Graph.from_igraph(roads, "length")
    with refused(GraphError, "2 arcs", "3 entries"):
        Graph.from_igraph(roads, [1, 2, 3])
    with refused(OptionError, "names='id'", "vertices"):
        Graph.from_igraph(roads, names="id")
    roads.vs["name"] = ["a", "b", "a"]
    with refused(GraphError, "both 'a'"):
        Graph.from_igraph(roads)
    with refused(InputTypeError, "list", "igraph", "from_"):
        Graph.from_igraph([(0, 1)])
    with refused(InputTypeError, "PyGraph", "igraph"):
        Graph.from_igraph(rx.PyGraph())


# rustworkx


@given(graphs())
def test_rustworkx_there_and_back(graph):
    made = graph.to_rustworkx()
    assert isinstance(made, rx.PyGraph if graph.undirected else rx.PyDiGraph)
    assert made.nodes() == list(graph.names or range(graph.n))
    back = Graph.from_rustworkx(made, names="payload")
    assert list(back.names or range(back.n)) == list(graph.names or range(graph.n))
    assert np.array_equal(rows_of(back), rows_of(graph))
    assert same(Graph.from_rustworkx(back.to_rustworkx(), names="payload"), back)
    assert Graph.from_rustworkx(made).names is None


@given(graphs(dtypes=("int32",)))
def test_rustworkx_has_the_same_distances(graph):
    made = graph.to_rustworkx()
    for s in range(graph.n):
        theirs = {s: 0} | dict(rx.dijkstra_shortest_path_lengths(made, s, float))
        row = nearfar.sssp(Graph.from_rustworkx(made), s).as_float()
        assert {v: d for v, d in enumerate(row.tolist()) if d < math.inf} == theirs


@given(graphs(dtypes=("int32",)), st.data())
def test_removed_nodes_and_edges(graph, data):
    made = graph.to_rustworkx()
    for e in data.draw(st.lists(st.sampled_from(list(made.edge_indices()) or [0]), unique=True)):
        if made.num_edges():
            made.remove_edge_from_index(e)
    made.remove_nodes_from(data.draw(st.lists(st.integers(0, graph.n - 1), unique=True, max_size=graph.n - 1)))
    mine = Graph.from_rustworkx(made)
    nodes = list(made.node_indices())
    assert list(mine.names or range(mine.n)) == nodes
    result = nearfar.sssp(mine, nodes[-1])
    for v in np.flatnonzero(result.reached).tolist():
        ids = np.asarray(made.edge_indices())[result.path_rows(nodes[v])]
        assert sum(made.get_edge_data_by_index(int(e)) for e in ids) == result[nodes[v]]


def made_of(payloads, kind=rx.PyDiGraph):
    """Return a path whose edges have these payloads."""
    graph = kind()
    graph.add_nodes_from(["a", "b", "c", "d"][: len(payloads) + 1])
    graph.add_edges_from([(i, i + 1, payload) for i, payload in enumerate(payloads)])
    return graph


def test_payloads_that_weigh():
    assert Graph.from_rustworkx(made_of([1, 2.5])).row_weights.tolist() == [1, 2.5]
    assert Graph.from_rustworkx(made_of([None, None])).weights is None
    assert Graph.from_rustworkx(made_of([1, 2]), None).weights is None
    assert Graph.from_rustworkx(made_of([{"weight": 1}, {"weight": 2}])).row_weights.tolist() == [1, 2]
    assert Graph.from_rustworkx(made_of([{"km": 1}, {}])).weights is None
    assert Graph.from_rustworkx(made_of([{"km": 1}, {"km": 3}]), "km").row_weights.tolist() == [1, 3]
    objects = made_of([SimpleNamespace(km=1), SimpleNamespace(km=3)])
    assert Graph.from_rustworkx(objects, "km").row_weights.tolist() == [1, 3]
    assert Graph.from_rustworkx(objects, lambda road: 2 * road.km).row_weights.tolist() == [2, 6]
    both = Graph.from_rustworkx(
        made_of([5, 6], rx.PyGraph), names="payload", coordinates={"a": (0, 0), "b": (1, 1), "c": (2, 2)}
    )
    assert both.undirected and both.names == ("a", "b", "c") and both.coordinates[2, 1] == 2
    assert Graph.from_rustworkx(rx.PyDiGraph()).n == 0 and Graph.from_rustworkx(rx.PyGraph()).weights is None
    assert Graph.from_rustworkx(rx.generators.directed_path_graph(3)).m == 2


@pytest.mark.parametrize(
    ("graph", "options", "error", "words"),
    [
        (made_of([1, "far"]), {}, InputTypeError, ("edge 1", "'far'", "function of the payload")),
        (made_of([1, None]), {}, InputTypeError, ("edge 1", "None")),
        (made_of([True]), {}, InputTypeError, ("edge 0", "True")),
        (made_of([1, {"weight": 2}]), {}, InputTypeError, ("edge 1", "dict")),
        (made_of([{"weight": 1}, {"km": 2}]), {}, OptionError, ("weight='weight'", "edge 1", "['km']")),
        (made_of([{"km": 1}]), {"weight": "lenght"}, OptionError, ("weight='lenght'", "edge 0", "['km']")),
        (made_of([1, 2]), {"weight": "km"}, OptionError, ("weight='km'", "edge 0", "int")),
        (made_of([1, math.nan]), {}, GraphError, ("arc 1", "nan")),
        (made_of([1, 2]), {"weight": str}, InputTypeError, ("weights are <U", "numbers")),
        (made_of([1, 2]), {"names": "name"}, OptionError, ("names='name'", "names='index'")),
        ([(0, 1)], {}, InputTypeError, ("list", "rustworkx")),
        (igraph.Graph(), {}, InputTypeError, ("Graph", "rustworkx")),
    ],
)  # fmt: skip
def test_bad_rustworkx_graphs(graph, options, error, words):
    with refused(error, *words):
        Graph.from_rustworkx(graph, **options)


def test_names_from_lists_and_functions():
    graph = rx.PyDiGraph()
    graph.add_nodes_from([{"name": "a"}, {"name": "b"}])
    assert Graph.from_rustworkx(graph, names=lambda node: node["name"]).names == ("a", "b")
    assert Graph.from_igraph(igraph.Graph(2), names=("a", "b")).names == ("a", "b")
    assert Graph.from_igraph(igraph.Graph(2), names=np.array([7, 9])).index(9) == 1


def test_weights_that_are_words():
    graph = igraph.Graph([(0, 1), (1, 2)], edge_attrs={"weight": [1.5, "2.5"]})
    with refused(InputTypeError, "arc 1 (1 -> 2)", "'2.5', a str"):
        Graph.from_igraph(graph)
    graph.es["weight"] = [1, [2, 3]]
    with refused(InputTypeError, "arc 1 (1 -> 2)", "[2, 3], a list"):
        Graph.from_igraph(graph)
    with refused(InputTypeError, "type", "igraph"):
        Graph.from_igraph(igraph.Graph)


def test_payloads_that_cannot_be_names():
    graph = rx.PyGraph()
    graph.add_nodes_from(["a", "a"])
    with refused(GraphError, "both 'a'"):
        Graph.from_rustworkx(graph, names="payload")
    graph = rx.PyGraph()
    graph.add_nodes_from([{"name": "a"}])
    with refused(InputTypeError, "names[0]", "dict"):
        Graph.from_rustworkx(graph, names="payload")


@pytest.mark.parametrize("library", ["igraph", "rustworkx"])
def test_a_library_that_is_missing(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with refused(MissingDependencyError, f"to_{library}()", f"pip install {library}"):
        getattr(Graph.from_arcs([0], [1]), f"to_{library}")()


# graph-tool, by an object with the methods that its documentation describes


class ToolGraph:
    """A stand-in for graph_tool.Graph: edges are listed by their source, not by their index."""

    edge_index = object()

    def __init__(self, n, edges, directed=True, hidden=(), **properties):
        self.n, self.edges, self.directed, self.hidden = n, edges, directed, set(hidden)
        self.edge_properties = {name: SimpleNamespace(a=values) for name, values in properties.items()}

    def get_vertices(self):
        return np.array([v for v in range(self.n) if v not in self.hidden], np.int64)

    def get_edges(self, eprops=()):
        assert list(eprops) == [self.edge_index]
        listed = [(u, v, i) for i, (u, v) in enumerate(self.edges) if not {u, v} & self.hidden]
        return np.array(sorted(listed), np.int64).reshape(-1, 3)

    def is_directed(self):
        return self.directed


def test_graph_tool_by_its_methods():
    roads = ToolGraph(4, [(2, 3), (0, 1), (1, 2), (0, 3)], km=np.array([1.5, 2, 3, 9]), ids=None)
    graph = Graph.from_graph_tool(roads, "km")
    assert graph.row_weights.tolist() == [1.5, 2, 3, 9]
    assert nearfar.sssp(graph, 0).path_rows(3).tolist() == [1, 2, 0]
    assert Graph.from_graph_tool(roads).weights is None
    ints = SimpleNamespace(a=np.array([1, 2, 3, 2**60], np.int64))
    assert Graph.from_graph_tool(roads, ints).max_weight == 2**60
    assert Graph.from_graph_tool(roads, names=iter("abcd")).names == ("a", "b", "c", "d")
    seen = Graph.from_graph_tool(ToolGraph(4, roads.edges, False, hidden=[1], km=np.arange(4)), "km")
    assert seen.names == (0, 2, 3) and seen.undirected and seen.row_weights.tolist() == [0, 3]
    assert Graph.from_graph_tool(ToolGraph(0, [])).n == 0
    with refused(OptionError, "weight='lenght'", "['km', 'ids']"):
        Graph.from_graph_tool(roads, "lenght")
    with refused(InputTypeError, "without an array of numbers"):
        Graph.from_graph_tool(roads, "ids")
    with refused(InputTypeError, "Graph", "graph-tool"):
        Graph.from_graph_tool(igraph.Graph())


def test_messages_name_the_door():
    for other, door in ((igraph.Graph(), "from_igraph"), (rx.PyGraph(), "from_rustworkx")):
        with refused(InputTypeError, f"Graph.{door}(...)"):
            nearfar.sssp(other, 0)

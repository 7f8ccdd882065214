"""Street networks of OSMnx: coordinates, routes as nodes and as edges with keys, many routes at once."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest

import nearfar
from nearfar.errors import GraphError, NoPathError
from nearfar.graph import Graph

with warnings.catch_warnings():  # of the libraries that OSMnx imports
    warnings.simplefilter("ignore")
    ox = pytest.importorskip("osmnx", reason="OSMnx is not installed")

SIDE = 6


def xml_of(side: int) -> str:
    """Return a town of side x side crossings as OSM XML: some streets lead one way, one goes twice around a block."""
    node = '<node id="{0}" lat="{1:.6f}" lon="{2:.6f}" version="1" visible="true"/>'
    where = {(r, c): 1000 + r * side + c for r in range(side) for c in range(side)}
    nodes = [node.format(v, 48.40 + r * 0.001 + c * c * 1e-5, 9.99 + c * 0.0015) for (r, c), v in where.items()]
    nodes.append(node.format(5000, 48.3995, 9.99075))  # in a detour from (0, 0) to (0, 1), parallel to the street
    ways = [([where[r, c] for c in range(side)], r % 3 == 1) for r in range(side)]
    ways += [([where[r, c] for r in range(side)], c % 3 == 2) for c in range(side)]
    ways.append(([where[0, 0], 5000, where[0, 1]], False))
    text = []
    for i, (refs, oneway) in enumerate(ways):
        tags = f'<tag k="highway" v="residential"/><tag k="oneway" v="{"yes" if oneway else "no"}"/>'
        tags += f'<tag k="maxspeed" v="{50 if i % 2 else 30}"/>'
        listed = "".join(f'<nd ref="{ref}"/>' for ref in refs)
        text.append(f'<way id="{i + 1}" version="1" visible="true">{listed}{tags}</way>')
    return f'<?xml version="1.0" encoding="UTF-8"?><osm version="0.6">{"".join(nodes + text)}</osm>'


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Return a street network as OSMnx reads it, with travel times."""
    file = tmp_path_factory.mktemp("osm") / "town.osm"
    file.write_text(xml_of(SIDE), encoding="utf8")
    made = ox.graph_from_xml(file, simplify=True, retain_all=True)
    return ox.add_edge_travel_times(ox.add_edge_speeds(made))


def test_a_street_network(town):
    assert isinstance(town, nx.MultiDiGraph) and any(key for *_, key in town.edges(keys=True)), "no parallel streets"
    graph = Graph.from_networkx(town, weight="length")
    assert (graph.n, graph.m) == (len(town), town.number_of_edges())
    for node, data in town.nodes(data=True):
        assert graph.coordinates[graph.index(node)].tolist() == [data["x"], data["y"]]


@pytest.mark.parametrize("weight", ["length", "travel_time"])
def test_routes_as_nodes_and_as_edges(town, weight):
    graph = Graph.from_networkx(town, weight=weight)
    nodes = list(town)
    start = nodes[0]
    result = nearfar.sssp(graph, start)
    theirs = nx.single_source_dijkstra_path_length(town, start, weight=weight)
    assert {node for node in nodes if np.isfinite(result[node])} == set(theirs)
    for node, distance in theirs.items():
        assert result[node] == pytest.approx(distance)
        edges = result.path_edges(node)
        assert [start, *(v for _, v, _ in edges)] == result.path(node)
        assert sum(town.edges[edge][weight] for edge in edges) == pytest.approx(distance)
        for u, v, key in edges:
            assert town.edges[u, v, key][weight] == min(data[weight] for data in town[u][v].values())
        if edges:
            frame = ox.routing.route_to_gdf(town, result.path(node), weight=weight)
            assert list(frame.index) == edges


def test_many_routes(town):
    graph = Graph.from_networkx(town, weight="length")
    nodes = list(town)
    origins, destinations = nodes[:10], nodes[-10:]
    theirs = ox.routing.shortest_path(town, origins, destinations, weight="length")
    prepared = nearfar.prepare(graph)
    for origin, destination, route in zip(origins, destinations, theirs, strict=True):
        if route is None:
            with pytest.raises(NoPathError):
                nearfar.path(prepared, origin, destination)
            continue
        mine = nearfar.path(prepared, origin, destination)
        edges = graph.edges_along(mine)
        frame = ox.routing.route_to_gdf(town, route)
        assert sum(town.edges[edge]["length"] for edge in edges) == pytest.approx(frame["length"].sum())
        assert nearfar.table(graph, origins, destinations).path_edges(origin, destination)[0][0] == origin
    assert nearfar.nearest(graph, origins).path_edges(origins[3]) == []
    near = nearfar.nearest(graph, origins, k=2)
    assert near.path_edges(nodes[-1], rank=2) == graph.edges_along(near.path(nodes[-1], rank=2))


def test_back_to_networkx(town):
    back = Graph.from_networkx(town, weight="length").to_networkx()
    assert set(back.edges(keys=True)) == set(town.edges(keys=True))
    assert all(back.nodes[v]["x"] == town.nodes[v]["x"] for v in town)
    assert Graph.from_networkx(back).coordinates is not None


def test_edges_of_a_path():
    roads = nx.MultiGraph()
    roads.add_edge("a", "b", "long", weight=5)
    roads.add_edge("b", "a", "short", weight=2)
    roads.add_edge("b", "c", "first", weight=1)
    roads.add_edge("b", "c", "second", weight=1)
    graph = Graph.from_networkx(roads)
    assert nearfar.sssp(graph, "c").path_edges("a") == [("c", "b", "first"), ("b", "a", "short")]
    assert graph.close(graph.find_rows("a", "b")[1:]).edges_along(["a", "b"]) == [("a", "b", "long")]
    assert nearfar.mssp(graph, ["c", "a"], direction="to").path_edges("c", "a") == graph.edges_along("abc")
    assert nearfar.mssp(graph, ["c", "a"]).path_edges("a", source="c")[1][2] == "short"
    plain = Graph.from_networkx(nx.path_graph(4))
    assert nearfar.sssp(plain, 3).path_edges(1) == [(3, 2), (2, 1)]
    assert plain.edges_along([2]) == plain.edges_along([]) == []
    with pytest.raises(GraphError, match="no arc leads from 0 to 2"):
        plain.edges_along([0, 2])
    forgot = Graph.from_networkx(roads, keep_rows=False)
    with pytest.raises(GraphError, match="keep_rows"):
        forgot.edges_along("ab")


def test_attributes_that_are_no_coordinates():
    roads = nx.path_graph(2)
    nx.set_node_attributes(roads, {0: 1.5, 1: 2}, "x")
    assert Graph.from_networkx(roads).coordinates is None
    nx.set_node_attributes(roads, {0: np.float32(3), 1: 4}, "y")
    assert Graph.from_networkx(roads).coordinates.tolist() == [[1.5, 3], [2, 4]]
    assert Graph.from_networkx(roads, coordinates={0: (0, 0), 1: (1, 1)}).coordinates.tolist() == [[0, 0], [1, 1]]
    for odd in (None, "4", np.nan, True):
        roads.nodes[1]["y"] = odd
        assert Graph.from_networkx(roads).coordinates is None
    del roads.nodes[1]["y"]
    assert Graph.from_networkx(roads).coordinates is None
    assert Graph.from_networkx(nx.Graph()).coordinates is None

"""Which pairs are left to NetworkX because they are near, and how many edges a graph is taken to have."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.networkx_graphs import NODES, graphs
from nearfar.adapters.networkx import backend, decide, near

ends = st.sampled_from([*NODES, "foreign"])

FAMILIES = {
    "grid": lambda: nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60)),
    "path": lambda: nx.path_graph(3000),
    "random": lambda: nx.gnm_random_graph(3000, 9000, seed=1),
    "directed": lambda: nx.gnm_random_graph(3000, 15000, seed=1, directed=True),
    "parallel": lambda: nx.MultiGraph(nx.gnm_random_graph(3000, 9000, seed=1)),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_near_pairs_are_left_to_networkx(family):
    """Their search ends before a query begins; far pairs run here, once the graph is converted."""
    graph = FAMILIES[family]()
    lengths = nx.single_source_shortest_path_length(graph, 1500)
    nx.shortest_path_length(graph, 1500, weight="weight", backend="nearfar")  # which converts it
    near_by, far = list(lengths)[2], list(lengths)[-1]
    for name in ("dijkstra_path", "single_source_dijkstra", "multi_source_dijkstra", "astar_path_length"):
        start = {"sources": {1500}} if name.startswith("multi") else {"source": 1500}
        assert backend.should_run(name, (graph,), start | {"target": near_by}) == "the target is near"
        assert backend.should_run(name, (graph,), start | {"target": far}) is True


@given(graph=graphs(), source=ends, target=ends, weight=st.sampled_from([None, "w"]))
def test_near_is_where_a_search_ends_early(graph, source, target, weight):
    """With no edges to look at only the source is near, with many all nodes; what is foreign is not known to be."""
    name, given_ = "shortest_path", {"source": source, "target": target}
    with pytest.MonkeyPatch.context() as patch:
        for count in (0, 10**6):
            patch.setattr(near, "BY_HOPS", count)
            patch.setattr(near, "BY_WEIGHT", count)
            patch.setattr(near, "_last", [None, False])
            found = near.is_near(name, graph, given_, weight)
            if source not in graph:
                assert not found or source == target
            elif target in graph:
                assert found if count else not found or source == target or not graph[source]


def test_near_counts_edges():
    """A neighbour behind an edge that is longer than the way around a grid is far."""
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(60, 60))
    both = {"source": 1830, "target": 1831}
    assert near.is_near("dijkstra_path", graph, both, "weight")
    for other in graph[1831]:
        graph.add_edge(1831, other, weight=40)
    near._last[:] = None, False
    assert not near.is_near("dijkstra_path", graph, both, "weight") and near.is_near("has_path", graph, both, None)
    star = nx.star_graph(3000)
    assert near.is_near("has_path", star, {"source": 0, "target": 200}, None)
    assert not near.is_near("has_path", star, {"source": 0, "target": 2000}, None)


def test_functions_that_find_whole_rows_have_no_near_targets():
    graph = nx.path_graph(50)
    both = {"source": 0, "target": 1}
    assert near.is_near("shortest_path", graph, both, None)
    assert not near.is_near("shortest_path", graph, both | {"method": "bellman-ford"}, "weight")
    assert not near.is_near("bellman_ford_path", graph, both, "weight")
    assert not near.is_near("single_source_dijkstra", graph, {"source": 0, "target": None}, "weight")


def test_hubs_at_the_beginning_do_not_mislead():
    """The first nodes of a graph that grew have most neighbours; a converted graph knows their number."""
    graph = nx.barabasi_albert_graph(5000, 3, seed=2)
    assert decide._ends(graph) <= 2 * graph.size()
    nx.dijkstra_path_length(graph, 0, 1, backend="nearfar")
    assert decide._ends(graph) == 2 * graph.size()
    far = {"source": 4000, "target": list(nx.single_source_dijkstra_path_length(graph, 4000))[-1]}
    assert backend.should_run("dijkstra_path_length", (graph,), far) is True

"""Several paths: the k shortest, how many shortest ones, and all predecessors, against NetworkX."""

from __future__ import annotations

from itertools import islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.networkx_graphs import both
from helpers.zero_arcs import graph_of, shortest_paths, zero_arcs
from nearfar import Graph, generate


def length(there, path):
    """Return the length of a path in NetworkX."""
    return nx.path_weight(there, path, "weight")


@settings(max_examples=150)
@given(pair=both(), ends=st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), k=st.integers(1, 12))
def test_k_shortest_paths(pair, ends, k):
    there, here = pair
    s, t = ends[0] % here.n, ends[1] % here.n
    found = nearfar.paths(here, s, t, k)
    if s == t:
        assert found == [(0, [s])]
        return
    wanted = list(islice(nx.shortest_simple_paths(there, s, t, "weight"), k)) if nx.has_path(there, s, t) else []
    assert np.allclose([d for d, _ in found], [length(there, path) for path in wanted], rtol=1e-12)
    assert len({tuple(path) for _, path in found}) == len(found)
    for d, path in found:
        assert path[0] == s and path[-1] == t and len(set(path)) == len(path)
        assert np.isclose(d, length(there, path), rtol=1e-12)


@settings(max_examples=150)
@given(pair=both(("none", "ties", "int")), source=st.integers(0, 10**6))
def test_counts_and_predecessors(pair, source):
    there, here = pair
    s = source % here.n
    before, distance = nx.dijkstra_predecessor_and_distance(there, s)
    counts = nearfar.count_paths(here, s)
    offsets, vertices = nearfar.sssp(here, s).all_predecessors()
    for v in range(here.n):
        assert vertices[offsets[v] : offsets[v + 1]].tolist() == sorted(before.get(v, []))
        wanted = len(list(nx.all_shortest_paths(there, s, v, "weight"))) if v in distance else 0
        assert counts[v] == wanted and nearfar.count_paths(here, s, v) == wanted


@settings(max_examples=300)
@given(graph=zero_arcs(), kind=st.sampled_from(["int32", "float64", "float32"]), s=st.integers(0, 6))
def test_arcs_of_weight_zero(graph, kind, s):
    """Counts, predecessors in both directions and the k shortest paths are those of all paths listed one by one."""
    n, s = graph[0], s % graph[0]
    here, (_, found) = graph_of(*graph, kind), shortest_paths(*graph, s)
    counts = nearfar.count_paths(here, s)
    assert counts.tolist() == [len(paths) for paths in found]
    there = nearfar.sssp(here.reverse(), s, direction="to")
    for offsets, vertices in (nearfar.sssp(here, s).all_predecessors(), there.all_predecessors()):
        for v in range(n):
            assert vertices[offsets[v] : offsets[v + 1]].tolist() == sorted({p[-2] for p in found[v] if len(p) > 1})
    for t in range(n):
        routes = nearfar.paths(here, s, t, len(found[t]) + 1)
        if t != s and found[t]:
            assert sorted(path for _, path in routes[: len(found[t])]) == sorted(found[t])
            longer = [d for d, _ in routes[len(found[t]) :]]
            assert all(d > routes[0][0] * (1 + 1e-6) for d in longer)


def test_routes_of_roads_by_name():
    graph = Graph.from_arcs(["Ulm", "Ulm", "Bonn"], ["Bonn", "Kiel", "Kiel"], [4, 9, 3], names=True)
    assert nearfar.paths(graph, "Ulm", "Kiel", 3) == [(7, ["Ulm", "Bonn", "Kiel"]), (9, ["Ulm", "Kiel"])]
    assert nearfar.paths(graph, "Kiel", "Ulm", 3) == []
    roads = generate.road_grid(30, 30, seed=1)
    found = nearfar.paths(nearfar.prepare(roads), 0, 899, 40)
    assert len(found) == 40 and [d for d, _ in found] == sorted(d for d, _ in found)
    assert found[0][0] == nearfar.distance(roads, 0, 899)


def test_floats_and_direction():
    tenths = Graph.from_arcs([0, 0, 1, 2], [1, 2, 3, 3], [0.1, 0.2, 0.2, 0.1])
    assert nearfar.count_paths(tenths, 0, 3) == 2
    offsets, vertices = nearfar.sssp(tenths, 3, direction="to").all_predecessors()
    assert vertices[offsets[0] : offsets[1]].tolist() == [1, 2]
    offsets, vertices = nearfar.prepare(tenths).mssp([0, 1]).all_predecessors(source=0)
    assert vertices[offsets[3] : offsets[4]].tolist() == [1, 2]


def test_bad_input():
    graph = Graph.from_arcs([0, 1], [1, 0], [0, -0.0])
    with pytest.raises(nearfar.errors.MethodError, match="cycles of weight 0"):
        nearfar.count_paths(graph, 0)
    with pytest.raises(nearfar.errors.MethodError, match=r"has -2\. Give such arcs"):  # no advice of a method
        nearfar.count_paths(Graph.from_arcs([0, 1], [1, 2], [5, -2]), 0)
    with pytest.raises(nearfar.errors.MethodError, match="weights >= 0"):
        nearfar.paths(Graph.from_arcs([0, 1], [1, 2], [5, -2]), 0, 2, 2)
    with pytest.raises(nearfar.errors.OptionError, match="k is 0"):
        nearfar.paths(graph, 0, 1, 0)
    with pytest.raises(nearfar.errors.MethodError, match=r"cycles of weight 0.* Or use result\.predecessors"):
        nearfar.sssp(graph, 0).all_predecessors()
    with pytest.raises(nearfar.errors.OptionError, match="source="):
        nearfar.mssp(generate.road_grid(3, 3), [0, 1]).all_predecessors()

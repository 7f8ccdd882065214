"""Betweenness of vertices and arcs against NetworkX, by searches and over hierarchies, with ties."""

from __future__ import annotations

import re
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from helpers.networkx_graphs import both, drawn
from helpers.shapes import shaped
from nearfar import Graph, generate, metrics

EXAMPLES = 300 if JIT else 10
METHODS = ("dijkstra", "prepared")


def vertices_of(there, **options):
    """Return the betweenness of vertices by NetworkX, in their order."""
    found = nx.betweenness_centrality(there, weight="weight", **options)
    return [found[v] for v in range(len(there))]


def compare_edges(found, there, here, **options):
    """Compare the betweenness of every edge with NetworkX."""
    wanted = nx.edge_betweenness_centrality(there, weight="weight", **options)
    for (u, v), value in wanted.items():
        assert np.isclose(found[u, v], value, rtol=1e-9, atol=1e-12)


@settings(max_examples=1000 if JIT else 10)
@given(pair=both(("none", "ties", "int")), method=st.sampled_from(METHODS), normalized=st.booleans())
def test_vertices_and_edges(pair, method, normalized):
    there, here = pair
    options = {"normalized": normalized}
    found = metrics.betweenness(here, method=method, **options)
    assert np.allclose(found.values, vertices_of(there, **options), rtol=1e-9, atol=1e-12)
    if here.m:
        compare_edges(metrics.edge_betweenness(here, method=method, **options), there, here, **options)


@settings(max_examples=EXAMPLES // 3)
@given(
    seed=st.integers(0, 10**6), directed=st.booleans(), unit=st.integers(1, 9), kind=st.sampled_from(["grid", "tree"])
)
def test_many_units(seed, directed, unit, kind):
    """Units of a few vertices: most of what is pushed crosses their gates."""
    there, here = drawn(seed, kind, directed, "ties")
    with shaped(unit=unit):
        prepared = nearfar.prepare(here)
        found = metrics.betweenness(prepared, normalized=False)
        edges = metrics.edge_betweenness(prepared, normalized=False)
    assert np.allclose(found.values, vertices_of(there, normalized=False), rtol=1e-9, atol=1e-9)
    if here.m:
        compare_edges(edges, there, here, normalized=False)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=EXAMPLES // 6)
@given(seed=st.integers(0, 10**6), directed=st.booleans())
def test_floats_tie_as_numbers_do(method, seed, directed):
    """Weights .1, .2, .3 have the ties of 1, 2, 3, although sums of floats are rounded."""
    _, whole = drawn(seed, "grid", directed, "ties")
    wanted = metrics.betweenness(whole, method=method, normalized=False).values
    for kind in ("float32", "float64"):
        tenths = whole.with_weights((whole.row_weights / 10).astype(kind))
        found = metrics.betweenness(tenths, method=method, normalized=False).values
        assert np.allclose(found, wanted, rtol=1e-9)


@settings(max_examples=EXAMPLES // 6)
@given(seed=st.integers(0, 10**6), directed=st.booleans())
def test_exact_ties_are_those_of_networkx(seed, directed):
    there, here = drawn(seed, "grid", directed, "ties")
    for u, v in there.edges:
        there[u][v]["weight"] /= 10
    ends = np.array(list(there.edges)).reshape(-1, 2)
    weights = [there[u][v]["weight"] for u, v in ends.tolist()]
    here = Graph.from_arcs(ends[:, 0], ends[:, 1], weights, n=len(there), undirected=not directed)
    found = metrics.betweenness(here, ties="exact", normalized=False).values
    assert np.allclose(found, vertices_of(there, normalized=False), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=EXAMPLES // 6)
@given(pair=both(("ties", "int")), data=st.data())
def test_subsets(method, pair, data):
    there, here = pair
    some = st.lists(st.integers(0, here.n - 1), min_size=1, max_size=here.n, unique=True)
    sources, targets = data.draw(some), data.draw(some)
    found = metrics.betweenness(here, sources=sources, targets=targets, normalized=False, method=method)
    wanted = nx.betweenness_centrality_subset(there, sources, targets, weight="weight")
    assert np.allclose(found.values, [wanted[v] for v in range(here.n)], rtol=1e-9, atol=1e-12)
    edges = metrics.edge_betweenness(here, sources=sources, targets=targets, normalized=False, method=method)
    for (u, v), value in loads_of(there, sources, targets).items():
        assert np.isclose(edges[u, v], value, rtol=1e-9, atol=1e-12)


def loads_of(there, sources, targets):
    """Return what passes over every edge, by listing all paths: NetworkX shares ties equally in subsets of edges."""
    loads = dict.fromkeys(there.edges, 0.0)
    for s in sources:
        for t in targets:
            if s != t and nx.has_path(there, s, t):
                paths = list(nx.all_shortest_paths(there, s, t, weight="weight"))
                for path in paths:
                    for u, v in pairwise(path):
                        edge = (u, v) if (u, v) in loads else (v, u)
                        loads[edge] += (1 if there.is_directed() else 0.5) / len(paths)
    return loads


@settings(max_examples=EXAMPLES // 6)
@given(pair=both(("none", "ties")), normalized=st.booleans())
def test_endpoints(pair, normalized):
    there, here = pair
    found = metrics.betweenness(here, endpoints=True, normalized=normalized).values
    assert np.allclose(found, vertices_of(there, endpoints=True, normalized=normalized), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=EXAMPLES // 6)
@given(pair=both(("ties",)), cutoff=st.integers(0, 8))
def test_cutoff(method, pair, cutoff):
    """Pairs that are farther apart do not count: the same as the sum over pairs that are not."""
    there, here = pair
    wanted = np.zeros(here.n)
    lengths = dict(nx.all_pairs_dijkstra_path_length(there))
    for s in range(here.n):
        near = [t for t, d in lengths[s].items() if d <= cutoff and t != s]
        if near:
            part = nx.betweenness_centrality_subset(there, [s], near, weight="weight")
            wanted += [part[v] for v in range(here.n)]
    found = metrics.betweenness(here, cutoff=cutoff, normalized=False, method=method).values
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_hops():
    there, here = drawn(7, "random", False, "int")
    wanted = nx.betweenness_centrality(there)
    assert np.allclose(metrics.betweenness(here, hops=True).values, [wanted[v] for v in range(here.n)])


def test_samples_estimate_the_whole():
    graph = generate.road_grid(20, 20, seed=1)
    whole = metrics.betweenness(graph).values
    assert np.array_equal(metrics.betweenness(graph, samples=10**6).values, whole)
    some = [metrics.betweenness(graph, samples=100, seed=i).values for i in range(8)]
    assert np.corrcoef(np.mean(some, axis=0), whole)[0, 1] > 0.98
    assert np.array_equal(some[3], metrics.betweenness(graph, samples=100, seed=3).values)


def test_parallel_arcs_are_one_path():
    graph = Graph.from_arcs([0, 0, 1, 1, 0, 3], [1, 1, 2, 2, 3, 2], [1, 1, 1, 1, 1, 1])
    for method in METHODS:
        assert metrics.betweenness(graph, method=method, normalized=False).values.tolist() == [0, 0.5, 0, 0.5]
        assert sorted(metrics.edge_betweenness(graph, method=method, normalized=False).values) == [
            0,
            0,
            1.5,
            1.5,
            1.5,
            1.5,
        ]


@pytest.mark.parametrize("threads", [1, 2])
def test_larger_graphs_both_ways(threads):
    """A road grid with many ties."""
    plain = generate.road_grid(40, 40, seed=5)
    graph = plain.with_weights(np.maximum(1, plain.row_weights // 2000))
    some = list(range(0, graph.n, 23))
    by_search = metrics.betweenness(graph, sources=some, method="dijkstra", threads=threads)
    over = metrics.betweenness(nearfar.prepare(graph), sources=some, threads=threads)
    assert by_search.stats["method"] == "dijkstra" and over.stats["method"] == "prepared"
    assert np.allclose(by_search.values, over.values, rtol=1e-9, atol=1e-9)
    arcs = [metrics.edge_betweenness(g, sources=some).values for g in (graph, nearfar.prepare(graph))]
    assert np.allclose(*arcs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("undirected", [True, False])
def test_graphs_with_hubs(undirected):
    """A hierarchy for distances has a core there, and arcs removed on ties; the one that counts has neither."""
    dense = generate.rmat(9, seed=1)
    ends = dense.tails, dense.heads
    dense = Graph.from_arcs(*ends, dense.weights % 40 + 1, n=dense.n, undirected=undirected)
    prepared, some = nearfar.prepare(dense), list(range(0, dense.n, 5))
    assert prepared.hierarchy.pruned or prepared.hierarchy.structure.core
    assert metrics.betweenness(prepared, sources=[0, 5]).stats["method"] == "dijkstra"
    over = metrics.betweenness(prepared, sources=some, normalized=False)
    plain = [metrics.betweenness(dense, sources=[s], normalized=False, method="dijkstra").values for s in some]
    assert over.stats["method"] == "prepared"
    assert np.allclose(over.values, sum(plain), rtol=1e-9, atol=1e-9)
    by_arc = metrics.edge_betweenness(prepared, sources=some).values
    searched = metrics.edge_betweenness(dense, sources=some, method="dijkstra").values
    assert len(by_arc) == dense.m and np.allclose(by_arc, searched, rtol=1e-9, atol=1e-9)


def test_little_memory_is_enough_for_searches():
    dense = generate.rmat(9, seed=1)
    dense = dense.with_weights(dense.row_weights + 1)
    found = [metrics.betweenness(dense, threads=1, memory=memory) for memory in (None, "100 kB")]
    assert [one.stats["method"] for one in found] == ["prepared", "dijkstra"]
    assert np.allclose(*(one.values for one in found), rtol=1e-9, atol=1e-12)


def test_sums_beyond_64_bits_are_refused():
    heavy = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [2**62] * 4, undirected=True)
    with pytest.raises(nearfar.errors.DistanceOverflowError, match="float64 weights"):
        metrics.betweenness(heavy)
    assert metrics.betweenness(heavy, cutoff=1).values.sum() == 0


def diamonds(count):
    """Return a chain: to the end of each diamond there are twice as many shortest paths as to the one before."""
    pairs = [(3 * i + u, 3 * i + v) for i in range(count) for u, v in ((0, 1), (0, 2), (1, 3), (2, 3))]
    return Graph.from_arcs(*np.array(pairs).T)


@pytest.mark.parametrize("method", METHODS)
def test_more_paths_than_a_float_counts_are_refused(method):
    """Between the ends of a chain of diamonds there are 2**1100; shares of that were not a number."""
    many = diamonds(1100)
    for function in (metrics.betweenness, metrics.edge_betweenness):
        with pytest.raises(nearfar.errors.MethodError, match=re.escape("1.8e+308 shortest paths between")):
            function(many, sources=range(0, 99, 3), method=method)
    assert np.isfinite(metrics.betweenness(many, sources=range(9), cutoff=1000, method="dijkstra").values).all()


def test_the_last_path_too_many():
    """Only the paths to the very last vertex are too many: its shares would be 0."""
    with pytest.raises(nearfar.errors.MethodError, match="fewer ties, or a cutoff= and method='dijkstra'"):
        metrics.betweenness(diamonds(1024), sources=[0], method="dijkstra")
    assert np.isfinite(metrics.betweenness(diamonds(1023), sources=[0], method="dijkstra").values).all()


def test_each_source_and_target_counts_once():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)
    twice = metrics.betweenness(graph, sources=[0, 0], targets=[3, 3], normalized=False)
    assert twice.values.tolist() == [0, 0.5, 0.5, 0]


def test_bad_input():
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.OptionError, match="'vague'"):
        metrics.betweenness(graph, ties="vague")
    with pytest.raises(nearfar.errors.OptionError, match="leave one of them out"):
        metrics.betweenness(graph, sources=[1], samples=3)
    with pytest.raises(nearfar.errors.MethodError, match=r"only if no weight is negative; .* has -1"):
        metrics.betweenness(Graph.from_arcs([0, 1], [1, 2], [-1, 3]))
    with pytest.raises(nearfar.errors.OptionError, match="no arc leads"):
        metrics.edge_betweenness(graph)[0, 8]


@pytest.mark.parametrize("function", [metrics.betweenness, metrics.edge_betweenness])
@pytest.mark.parametrize(
    "options, words",
    [
        ({"device": "cuda"}, "on the CPU only, not on 'cuda:0'. Use device='cpu'"),
        ({"device": ["opencl:0", "opencl:1"]}, "not on 'opencl:0'"),
        ({"method": "delta"}, "'delta' does not count paths; 'dijkstra' and 'prepared' do. Use method='dijkstra'"),
        ({"method": "bfs", "hops": True}, "'bfs' does not count paths"),
        ({"method": "prepared", "ties": "exact"}, "'prepared' does not tell lengths apart"),
    ],
)
def test_what_is_named_is_never_replaced(function, options, words):
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.MethodError, match=re.escape(words)):
        function(graph, **options)


def test_a_hierarchy_that_is_named_is_never_replaced():
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.MethodError, match="'prepared' does not count paths at their ends"):
        metrics.betweenness(graph, method="prepared", endpoints=True)
    with pytest.raises(nearfar.errors.MemoryLimitError, match="may be used"):
        metrics.betweenness(generate.road_grid(30, 30), method="prepared", memory="50 kB")
    prepared = nearfar.prepare(graph)  # names no method
    assert metrics.betweenness(prepared, ties="exact").stats["method"] == "dijkstra"


@pytest.mark.parametrize("prepared", [False, True])
def test_memory_is_a_promise(prepared):
    graph = generate.road_grid(30, 30, seed=1)
    with pytest.raises(nearfar.errors.MemoryLimitError, match="may be used"):
        metrics.betweenness(nearfar.prepare(graph) if prepared else graph, sources=range(30), memory=10_000)

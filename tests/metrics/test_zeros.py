"""Betweenness over arcs of weight zero, against all shortest paths listed one by one, and against NetworkX."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.data import real
from helpers.marks import JIT, needs_jit
from helpers.networkx_graphs import drawn
from helpers.zero_arcs import graph_of, loads_of, zero_arcs
from nearfar import Graph, generate, metrics
from nearfar.errors import MethodError

EXAMPLES = 400 if JIT else 10
CLOSE = {"rtol": 1e-9, "atol": 1e-12}
KINDS = st.sampled_from(["int32", "float64", "float32"])


@settings(max_examples=EXAMPLES)
@given(graph=zero_arcs(), kind=KINDS, prepared=st.booleans())
def test_vertices_ends_and_arcs(graph, kind, prepared):
    here = graph_of(*graph, kind)
    asked = nearfar.prepare(here) if prepared else here
    through, ends, over = loads_of(*graph)
    assert np.allclose(metrics.betweenness(asked, normalized=False).values, through, **CLOSE)
    assert np.allclose(metrics.betweenness(here, normalized=False, endpoints=True).values, through + ends, **CLOSE)
    loads = metrics.edge_betweenness(asked, normalized=False)
    steps = sorted({(u, v) for u, v, _ in graph[1]})
    assert np.allclose([loads[step] for step in steps], [over[step] for step in steps], **CLOSE)


@settings(max_examples=EXAMPLES // 2)
@given(graph=zero_arcs(), kind=KINDS, data=st.data())
def test_subsets_and_cutoffs(graph, kind, data):
    """A path to a vertex within the cutoff may lead over one that is farther by the rounding of a float."""
    here, n = graph_of(*graph, kind), graph[0]
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True)
    sources, targets, cutoff = data.draw(some), data.draw(some), data.draw(st.none() | st.integers(0, 7))
    limit = cutoff if cutoff is None or kind == "int32" else cutoff / 10 + 0.05
    through, _, over = loads_of(*graph, sources, targets, cutoff)
    options = {"sources": sources, "targets": targets, "cutoff": limit, "normalized": False}
    assert np.allclose(metrics.betweenness(here, **options).values, through, **CLOSE)
    loads = metrics.edge_betweenness(here, **options)
    steps = sorted({(u, v) for u, v, _ in graph[1]})
    assert np.allclose([loads[step] for step in steps], [over[step] for step in steps], **CLOSE)


def test_a_zero_may_lead_back_by_rounding():
    """Vertex 2 at .1 + .2 is farther than 3 at .3, to which a zero leads; both paths to 3 count, even at the cutoff."""
    graph = Graph.from_arcs([0, 1, 2, 0, 3], [1, 2, 3, 3, 4], [0.1, 0.2, 0.0, 0.3, 0.3])
    row = nearfar.sssp(graph, 0).dist
    assert row[2] > row[3]
    assert nearfar.count_paths(graph, 0).tolist() == [1, 1, 1, 2, 2]
    found = metrics.betweenness(graph, sources=[0], normalized=False)
    assert found.values.tolist() == [0, 2, 1, 1, 0]
    near = metrics.betweenness(graph, sources=[0], cutoff=0.3, normalized=False)
    assert near.values.tolist() == [0, 0.5, 0.5, 0, 0]  # to 1 and 3; 2 is beyond the cutoff, but on a path within
    exact = metrics.betweenness(graph, sources=[0], ties="exact", normalized=False)
    assert exact.values.tolist() == [0, 1, 0, 1, 0]


@settings(max_examples=EXAMPLES // 4)
@given(
    seed=st.integers(0, 10**6), kind=st.sampled_from(["grid", "random"]), weights=st.sampled_from(["ties", "float"]),
    data=st.data(),
)  # fmt: skip
def test_zones_against_networkx(seed, kind, weights, data):
    """Zones hang on their vertices by zeros: paths begin at some and end at others, which NetworkX settles in order."""
    there, _ = drawn(seed, kind, True, weights)
    n = len(there)
    for zone, v in enumerate(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4)), n):
        ends = (zone, v) if data.draw(st.booleans()) else (v, zone)
        there.add_edge(*ends, weight=0)
    tails, heads, values = zip(*there.edges.data("weight"), strict=True)
    here = Graph.from_arcs(tails, heads, list(values), n=len(there))
    options = {"ties": "exact"} if weights == "float" else {}
    for ends in (False, True):
        wanted = nx.betweenness_centrality(there, weight="weight", endpoints=ends)
        found = metrics.betweenness(here, endpoints=ends, **options)
        assert np.allclose(found.values, [wanted[v] for v in range(len(there))], **CLOSE)
    loads = metrics.edge_betweenness(here, **options)
    for ends, value in nx.edge_betweenness_centrality(there, weight="weight").items():
        assert np.isclose(loads[ends], value, **CLOSE)


@settings(max_examples=EXAMPLES // 4)
@given(graph=zero_arcs())
def test_as_a_backend_of_networkx(graph):
    """It gives what NetworkX would if it settled equal distances in order."""
    n, arcs = graph
    there = nx.DiGraph()
    there.add_nodes_from(range(n))
    for u, v, weight in sorted(arcs, reverse=True):  # of parallel arcs the lightest comes last, and stays
        there.add_edge(u, v, weight=weight)
    found = nx.betweenness_centrality(there, weight="weight", normalized=False, backend="nearfar")
    assert np.allclose([found[v] for v in range(n)], loads_of(n, arcs)[0], **CLOSE)


def upwards(seed):
    """Return a dense graph with hubs, in which some arcs to greater indices weigh nothing."""
    dense = generate.rmat(9, seed=seed)
    tails, heads, weights = dense.tails, dense.heads, dense.weights % 40 + 1
    return Graph.from_arcs(tails, heads, np.where((weights < 4) & (tails < heads), 0, weights), n=dense.n)


def test_hubs_where_needless_arcs_are_left_out():
    graph = upwards(1)
    some = list(range(0, graph.n, 5))  # enough to leave arcs out
    found = metrics.betweenness(nearfar.prepare(graph), sources=some, normalized=False)
    each = [metrics.betweenness(graph, sources=[s], normalized=False).values for s in some]
    assert found.stats["method"] == "dijkstra"
    assert np.allclose(found.values, sum(each), **CLOSE)
    by_arc = metrics.edge_betweenness(graph, sources=some, threads=1, normalized=False).values
    arcs = sum(metrics.edge_betweenness(graph, sources=[s], normalized=False).values for s in some)
    assert np.allclose(by_arc, arcs, **CLOSE)


def test_parallel_zeros_are_one_path():
    graph = Graph.from_arcs([0, 0, 0, 1, 0, 3], [1, 1, 1, 2, 3, 2], [0, 0, 4, 1, 0, 1])
    assert metrics.betweenness(graph, normalized=False).values.tolist() == [0, 0.5, 0, 0.5]
    assert sorted(metrics.edge_betweenness(graph, normalized=False).values) == [0, 0, 1.5, 1.5, 1.5, 1.5]


CYCLES = {
    "two arcs": (Graph.from_arcs([0, 1, 2], [1, 2, 1], [3, 0, 0]), "(2 -> 1) is part of one."),
    "three arcs": (Graph.from_arcs([3, 0, 1, 2], [0, 1, 2, 0], [0.0, 0.0, -0.0, 0.0]), "(2 -> 0) is part of one."),
    "an edge": (Graph.from_arcs([0, 1], [1, 2], [4, 0], undirected=True), "(2 -> 1) is part of one, as every edge"),
    "a loop": (Graph.from_arcs([0, 1], [1, 1], [1, 0]), "is part of one. Give it a positive weight, or drop it."),
    "names": (Graph.from_arcs(["Ulm", "Bonn"], ["Bonn", "Ulm"], [0, 0], names=True), "('Bonn' -> 'Ulm') is part of"),
}
COUNTING = {
    "vertices": metrics.betweenness,
    "arcs": metrics.edge_betweenness,
    "counts": lambda graph: nearfar.count_paths(graph, graph.name(0)),
    "predecessors": lambda graph: nearfar.sssp(graph, graph.name(0)).all_predecessors(),
}


@pytest.mark.parametrize("function", COUNTING.values(), ids=COUNTING)
@pytest.mark.parametrize("cycle", CYCLES)
def test_cycles_of_zeros_are_refused(cycle, function):
    graph, words = CYCLES[cycle]
    with pytest.raises(MethodError, match=f"cycles of weight 0.*{re.escape(words)}"):
        function(graph)


def test_hops_count_arcs_of_any_weight():
    graph, _ = CYCLES["two arcs"]
    assert metrics.betweenness(graph, hops=True, normalized=False).values.tolist() == [0, 1, 0]


@settings(max_examples=EXAMPLES // 2)
@given(graph=zero_arcs(), more=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4))
def test_every_cycle_of_zeros_is_found(graph, more):
    n, arcs = graph
    arcs = arcs + [(u % n, v % n, 0) for u, v in more]
    flat = nx.DiGraph((u, v) for u, v, weight in arcs if weight == 0)
    here = graph_of(n, arcs)
    if nx.is_directed_acyclic_graph(flat):
        assert np.allclose(metrics.betweenness(here, normalized=False).values, loads_of(n, arcs)[0], **CLOSE)
        return
    with pytest.raises(MethodError, match="is part of one") as refused:
        metrics.betweenness(here)
    tail, head = map(int, re.search(r"\((\d+) -> (\d+)\)", str(refused.value)).groups())
    assert flat.has_edge(tail, head) and nx.has_path(flat, head, tail)


def test_what_rounding_loses_is_refused():
    """1e20 + 1 is 1e20: vertex 2 is as far as 1, and a zero leads back. Exact ties are no better."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 1], [1e20, 1, 0])
    for ties in ("near", "exact"):
        with pytest.raises(MethodError, match="lost in rounding"):
            metrics.betweenness(graph, ties=ties)
    with pytest.raises(MethodError, match="lost in rounding"):
        nearfar.count_paths(graph, 0)
    assert metrics.betweenness(graph.with_weights([10**15, 1, 0]), normalized=False).values.tolist() == [0, 1, 0]


def test_predecessors_around_a_circle_are_refused():
    """Both arcs of the circle tie up to rounding, where the first one leads a little farther."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 1], [1.0, 2.0**-45, 0.0])
    with pytest.raises(MethodError, match="all predecessors are listed beside arcs of weight 0 only if"):
        nearfar.sssp(graph, 0).all_predecessors()
    with pytest.raises(MethodError, match="lost in rounding"):
        metrics.betweenness(graph)


def test_a_method_that_is_named_is_never_replaced():
    graph = Graph.from_arcs([0, 1], [1, 2], [0, 1])
    with pytest.raises(MethodError, match="'prepared' does not count paths over arcs of weight 0"):
        metrics.betweenness(graph, method="prepared")
    found = metrics.betweenness(nearfar.prepare(graph), normalized=False)  # names no method
    assert found.values.tolist() == [0, 1, 0] and found.stats["method"] == "dijkstra"


@needs_jit
def test_chicago_with_closed_zones():
    """Connectors weigh nothing. So do both arcs of four streets, which are cycles: these need a weight."""
    graph = nearfar.read(real("ChicagoRegional_net.tntp.gz"), zones="closed")
    with pytest.raises(MethodError, match=re.escape("(2432 -> 2431) is part of one")):
        metrics.betweenness(graph, samples=1)
    ends = {tuple(pair) for pair in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)}
    flat = graph.weights == 0
    both = np.array([(v, u) in ends for u, v in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)])
    raised = np.zeros(graph.input_rows.count)
    raised[graph.rows[flat & both]] = 0.001
    graph = graph.with_weights(graph.row_weights + raised)
    assert graph.min_weight == 0
    some = [-1, -700, 7, 5000, 12_000]
    through = np.zeros(graph.n)
    for s in some:
        add_loads(graph, nearfar.sssp(graph, s), through)
    found = metrics.betweenness(graph, sources=some, normalized=False)
    assert found.values.max() > 1000 and np.allclose(found.values, through, **CLOSE)


def add_loads(graph, result, through):
    """Add what passes through vertices on shortest paths from one source: counts come from lists of predecessors."""
    offsets, before = result.all_predecessors()
    arcs = nx.DiGraph((before[i], v) for v in range(graph.n) for i in range(offsets[v], offsets[v + 1]))
    order, counts = list(nx.topological_sort(arcs)), dict.fromkeys(arcs, 0.0)
    source = result.source_indices[0]
    counts[source], behind = 1.0, dict.fromkeys(arcs, 0.0)
    for v in order:
        for u in arcs.successors(v):
            counts[u] += counts[v]
    for v in reversed(order):
        behind[v] = sum(counts[v] / counts[u] * (1 + behind[u]) for u in arcs.successors(v))
        if v != source:
            through[v] += behind[v]

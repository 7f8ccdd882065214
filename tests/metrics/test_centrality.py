"""Closeness, harmonic centrality, eccentricity, mean distance and Wiener index against NetworkX, by every method."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.networkx_graphs import both
from nearfar import Graph, generate, metrics

METHODS = ("auto", "dijkstra", "prepared", "floyd")
methods = st.sampled_from(METHODS)


def listed(found, graph):
    """Return the numbers of NetworkX in the order of vertices."""
    return [found[v] for v in range(graph.n)]


@given(pair=both(), method=methods, improved=st.booleans(), hops=st.booleans())
def test_closeness(pair, method, improved, hops):
    there, here = pair
    wanted = nx.closeness_centrality(there, distance=None if hops else "weight", wf_improved=improved)
    found = metrics.closeness(here, method=method, wf_improved=improved, hops=hops)
    assert np.allclose(found.values, listed(wanted, here), rtol=1e-12)


@given(pair=both(), method=methods, hops=st.booleans())
def test_harmonic(pair, method, hops):
    there, here = pair
    wanted = nx.harmonic_centrality(there, distance=None if hops else "weight")
    assert np.allclose(metrics.harmonic(here, method=method, hops=hops).values, listed(wanted, here), rtol=1e-12)


@given(pair=both(), method=methods, reached_only=st.booleans(), direction=st.sampled_from(["from", "to"]))
def test_eccentricity(pair, method, reached_only, direction):
    there, here = pair
    turned = there.reverse() if there.is_directed() and direction == "to" else there
    lengths = dict(nx.all_pairs_dijkstra_path_length(turned))
    found = metrics.eccentricity(here, method=method, reached_only=reached_only, direction=direction).values
    for v in range(here.n):
        whole = reached_only or len(lengths[v]) == here.n
        assert math.isclose(found[v], max(lengths[v].values()) if whole else math.inf, rel_tol=1e-12)


@given(pair=both(), method=methods)
def test_mean_distance(pair, method):
    there, here = pair
    lengths = dict(nx.all_pairs_dijkstra_path_length(there))
    found = metrics.mean_distance(here, method=method).values
    for v in range(here.n):
        others = [d for u, d in lengths[v].items() if u != v]
        assert math.isnan(found[v]) if not others else math.isclose(found[v], np.mean(others), rel_tol=1e-12)


@given(pair=both(), method=methods)
def test_wiener_index(pair, method):
    there, here = pair
    wanted = nx.wiener_index(there, weight="weight") if here.n > 1 else 0.0
    assert math.isclose(metrics.wiener_index(here, method=method), wanted, rel_tol=1e-12)


@given(pair=both(), method=methods, cutoff=st.floats(0, 12))
def test_cutoff(pair, method, cutoff):
    """Only what is within the cutoff counts."""
    there, here = pair
    found = metrics.mean_distance(here, method=method, cutoff=cutoff).values
    lengths = dict(nx.all_pairs_dijkstra_path_length(there, cutoff=cutoff))
    for v in range(here.n):
        others = [d for u, d in lengths[v].items() if u != v]
        assert math.isnan(found[v]) if not others else math.isclose(found[v], np.mean(others), rel_tol=1e-12)


@pytest.mark.parametrize("prepared", [False, True])
def test_some_vertices_by_name(prepared):
    graph = Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
    asked = nearfar.prepare(graph) if prepared else graph
    found = metrics.closeness(asked, ["Kiel", "Ulm"])
    assert found.vertices == ["Kiel", "Ulm"] and math.isclose(found["Ulm"], 2 / 13)
    assert found.to_frame()["vertex"].tolist() == ["Kiel", "Ulm"]
    with pytest.raises(nearfar.errors.OptionError, match="was not measured"):
        found["Bonn"]


def test_row_sums_are_the_sums_of_rows():
    graph = generate.road_grid(40, 40, seed=3)
    rows = nearfar.apsp(graph).dist
    assert np.array_equal(nearfar.prepare(graph).row_sums(), rows.sum(axis=1, dtype=np.int64))


def test_negative_weights():
    rng = np.random.default_rng(5)
    plain = generate.road_grid(20, 20, seed=5)
    height = rng.integers(0, 3000, plain.n)
    graph = Graph.from_arcs(plain.tails, plain.heads, plain.weights + height[plain.tails] - height[plain.heads])
    rows = nearfar.apsp(graph, method="johnson").dist
    assert graph.min_weight < 0
    for method in ("auto", "prepared", "johnson"):
        assert np.allclose(metrics.mean_distance(graph, method=method).values, rows.sum(axis=1) / (graph.n - 1))
        assert np.array_equal(metrics.eccentricity(graph, method=method).values, rows.max(axis=1))


def test_bad_options():
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.InputTypeError, match="there is no option 'cut'"):
        metrics.closeness(graph, cut=3)  # type: ignore[call-arg]
    with pytest.raises(nearfar.errors.InputTypeError, match="hops is 'yes'"):
        metrics.closeness(graph, hops="yes")
    with pytest.raises(nearfar.errors.InputTypeError, match=r"nearfar\.Graph"):
        metrics.closeness("roads.gr")


@pytest.mark.parametrize(
    "function, name",
    [
        (metrics.closeness, "wf_improved"),
        (metrics.eccentricity, "reached_only"),
        (metrics.extent, "reached_only"),
        (metrics.radius, "reached_only"),
        (metrics.wiener_index, "hops"),
        (metrics.betweenness, "normalized"),
        (metrics.betweenness, "endpoints"),
        (metrics.edge_betweenness, "normalized"),
    ],
)
def test_words_are_not_taken_for_true(function, name):
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.InputTypeError, match=f"{name} is 'no', a str; give True or False"):
        function(graph, **{name: "no"})
    function(graph, **{name: np.False_})


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_hops_of_many_vertices_write_no_row(directed, threads, monkeypatch):
    """Breadth-first passes count levels; a graph with more levels than codes is folded row by row."""
    from nearfar.engine import folds

    rng = np.random.default_rng(3)
    n, m = 1500, 6000
    tails, heads = rng.integers(0, n, m), rng.integers(0, n - 20, m)
    graph = Graph.from_arcs(tails, heads, n=n, undirected=not directed)
    rows = nearfar.apsp(graph.reversed, method="dijkstra").as_float()
    reached = np.isfinite(rows)
    sums, others = np.where(reached, rows, 0).sum(axis=1), reached.sum(axis=1) - 1
    wanted = np.where(sums > 0, others / np.maximum(sums, 1), 0) * others / (n - 1)
    by_blocks = monkeypatch.context()
    with by_blocks as patch:
        patch.setattr(folds, "_by_blocks", None)  # it is not called
        found = metrics.closeness(graph, method="bfs", threads=threads)
    assert np.allclose(found.values, wanted, rtol=1e-12)
    path = Graph.from_arcs(range(599), range(1, 600), undirected=True)
    assert np.allclose(metrics.closeness(path, method="bfs").values, metrics.closeness(path, method="dijkstra").values)


def test_plan():
    """What a metric takes is known beforehand: blocks of rows, not all rows."""
    graph = generate.road_grid(60, 60, seed=1)
    plan = metrics.plan(graph)
    assert plan.rows == graph.n and plan.method == "prepared" and plan.bytes < 2**28
    assert plan.seconds is not None and 1e-4 < plan.seconds < 10 and "expected" in str(plan)
    assert nearfar.plan(graph, 0).seconds is not None and nearfar.sssp(graph, 0).plan.seconds is None
    assert metrics.plan(nearfar.prepare(graph), [1, 2]).rows == 2
    with pytest.raises(nearfar.errors.MemoryLimitError, match="may be used"):
        metrics.closeness(graph, memory=5000)


def test_the_plan_knows_of_searches_that_end_at_the_cutoff(monkeypatch):
    from nearfar.engine import folds

    graph = generate.road_grid(60, 60, seed=1)
    prepared = nearfar.prepare(graph)
    for seconds, method, greatest in ((1e-6, "dijkstra", 2**20), (1e6, "prepared", 2**28)):
        monkeypatch.setattr(folds, "expected_seconds", lambda *given, seconds=seconds: seconds)
        plan = metrics.plan(prepared, cutoff=900)
        assert plan.method == method == metrics.reach(prepared, 900).plan.method
        assert plan.bytes < greatest and plan.seconds < 10 and ("end there" in plan.why) == (method == "dijkstra")
    assert metrics.plan(prepared, [1, 2]).method == "prepared"  # no cutoff, so no search is tried

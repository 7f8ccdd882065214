"""Distances to vertices: the same as distances from them in the graph with every arc reversed by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import able, strategies
from helpers.stopping import stopping
from nearfar.errors import InputTypeError, MethodError, NegativeCycleError, NoPathError, OptionError
from nearfar.graph import Graph

TOP = 2**31 - 1


@pytest.fixture
def towns():
    """Ulm -5-> Bonn -7-> Kiel, Sylt -1-> Kiel."""
    return Graph.from_arcs([0, 1, 3], [1, 2, 2], [5, 7, 1], names=["Ulm", "Bonn", "Kiel", "Sylt"])


def by_hand(case):
    """Return the graph of a case, and the graph with its arcs reversed by hand."""
    tails, heads, weights = case.arrays()
    return Graph.from_arcs(tails, heads, weights, n=case.n), Graph.from_arcs(heads, tails, weights, n=case.n)


LIMITS = st.sampled_from(["none", "cutoff", "targets"])


@settings(max_examples=60)
@given(strategies.queries(strategies.cases() | strategies.negative_cases()), LIMITS, st.data())
def test_against_the_reversed_graph(query, limit, data):
    case, sources = query
    graph, turned = by_hand(case)
    options = {}
    if limit == "cutoff":
        options["cutoff"] = data.draw(st.integers(0, 12))
    elif limit == "targets":
        options["targets"] = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    one = stopping("sssp", graph, sources[0], direction="to", **options)
    some = stopping("mssp", graph, sources, direction="to", **options)
    near = stopping("nearest", graph, sources, direction="to", **options)
    wanted = stopping("mssp", turned, sources, **options)
    assert np.array_equal(some.rows, wanted.rows) and np.array_equal(one.dist, wanted.rows[0])
    assert np.array_equal(near.dist, stopping("nearest", turned, sources, **options).dist)
    assert some.graph is graph and (one.direction, near.direction) == ("to", "to")
    if limit == "none" or graph.min_weight >= 0:
        assert np.array_equal(some.successors, wanted.predecessors)
        assert_travels(case, some, sources)
        assert near.source.tolist() == [-1 if row is None else row for row in map(ends_of(near), range(case.n))]
    for result in (one, some, near):
        assert nearfar.verify(graph, result)


def assert_travels(case, result, sources):
    """Paths lead along arcs from each vertex to the source, and have the length that the result says."""
    best = {}
    for u, v, w in case.arcs:
        best[u, v] = min(w, best.get((u, v), w))
    for s in sources:
        for v in range(case.n):
            if result[s, v] == math.inf:
                with pytest.raises(NoPathError, match=f"from {v} to {s}"):
                    result.path(s, v)
                continue
            path, length = result.path(s, v), 0
            for arc in reversed(list(pairwise(path))):
                length = case.add(length, best[arc])
            assert (path[0], path[-1], length) == (v, s, result[s, v])


def ends_of(near):
    """Return a function from a vertex to the end of its path, None if there is none."""

    def end(v):
        if near[v][0] is None:
            return None
        assert near.path(v)[0] == v and near.path(v)[-1] == near[v][0]
        return near[v][0]

    return end


@pytest.mark.parametrize("method", able.ALL)
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_methods(method, dtype):
    graph = nearfar.generate.rmat(6, 4, seed=4, undirected=False)
    weights = np.arange(1, graph.m + 1) % 17
    graph = graph.with_weights(None if method == "bfs" else weights if dtype == "int32" else weights / 10)
    turned = graph.reverse()
    found = nearfar.mssp(graph, [5, 7, 9], method=method, direction="to")
    assert np.array_equal(found.rows, nearfar.mssp(turned, [5, 7, 9], method=method).rows)
    assert np.array_equal(found.successors, nearfar.mssp(turned, [5, 7, 9], method="dijkstra").predecessors)
    assert nearfar.verify(graph, found) and found.graph is graph
    assert nearfar.verify(graph, nearfar.sssp(graph, 5, method=method, direction="to"))
    near = nearfar.nearest(graph, [5, 7, 9], method=method, direction="to")
    assert nearfar.verify(graph, near)
    assert np.array_equal(near.source, nearfar.nearest(turned, [5, 7, 9], method=method).source)
    assert all(near.path(v)[-1] == near[v][0] for v in np.flatnonzero(near.reached).tolist())


@given(strategies.queries())
def test_the_certificate_can_fail(query):
    case, sources = query
    graph, _ = by_hand(case)
    result = nearfar.mssp(graph, sources, direction="to")
    for r, v in np.ndindex(result.rows.shape):
        kept = result.rows[r, v]
        result.rows[r, v] = 3 if kept != 3 else 4
        assert not nearfar.verify(graph, result)
        result.rows[r, v] = kept
    assert nearfar.verify(graph, result)


def test_the_certificate_knows_the_direction(towns):
    result = nearfar.sssp(towns, "Kiel", direction="to")
    result.rows[0, 0] = 13
    assert (
        str(nearfar.verify(towns, result))
        .splitlines()[1]
        .startswith("- vertex 'Ulm' has 13, but arc 0 ('Ulm' -> 'Bonn', weight 5) leads on from it with 12")
    )
    result.rows[0, 0] = 12
    result.successors[0] = 2
    assert "has successor 'Kiel', but no arc to there is tight" in str(nearfar.verify(towns, result))
    result.successors[0], result.direction = 1, "from"
    assert not nearfar.verify(towns, result)
    near = nearfar.nearest(towns, ["Bonn", "Kiel"], direction="to")
    near.source[0] = 2
    assert "no shortest path from it ends there" in str(nearfar.verify(towns, near))


def test_names_and_paths(towns):
    result = nearfar.sssp(towns, "Kiel", direction="to")
    assert result["Ulm"] == 12 and result.path("Ulm") == ["Ulm", "Bonn", "Kiel"] and result.path("Kiel") == ["Kiel"]
    assert result.farthest() == [("Ulm", 12)] and result.closest(1) == [("Sylt", 1)]
    near = nearfar.nearest(towns, ["Bonn", "Kiel"], direction="to")
    assert near["Ulm"] == ("Bonn", 5) and near["Sylt"] == ("Kiel", 1) and near.path("Sylt") == ["Sylt", "Kiel"]
    assert repr(result).endswith(", to the sources)") and repr(near).endswith(", to the sources)")
    assert result.describe()["direction"] == "to"


def test_frames_are_named_by_travel(towns):
    frame = nearfar.mssp(towns, ["Bonn"], direction="to").to_frame()
    assert list(frame.columns) == ["target", "source", "distance"]
    assert frame.values.tolist() == [["Bonn", "Ulm", 5], ["Bonn", "Bonn", 0]]
    frame = nearfar.nearest(towns, ["Bonn"], direction="to").to_frame()
    assert list(frame.columns) == ["vertex", "target", "distance"]
    assert frame.values.tolist() == [["Ulm", "Bonn", 5], ["Bonn", "Bonn", 0]]


def test_predecessors_and_successors(towns):
    for ask in (nearfar.sssp, lambda *args, **rest: nearfar.nearest(args[0], [args[1]], **rest)):
        forth, back = ask(towns, "Ulm"), ask(towns, "Kiel", direction="to")
        assert forth.predecessors.tolist() == [-1, 0, 1, -1] and back.successors.tolist() == [1, 2, -1, 2]
        with pytest.raises(MethodError, match=r"Use result.successors"):
            assert back.predecessors
        with pytest.raises(MethodError, match=r"Use result.predecessors"):
            assert forth.successors


def test_refusals(towns):
    for wrong in ("back", None, 1, ["to"]):
        with pytest.raises(OptionError, match=r"direction is .*; give 'from'"):
            nearfar.sssp(towns, "Ulm", direction=wrong)
    for ask in (
        lambda: nearfar.apsp(towns, direction="to"),
        lambda: nearfar.distance(towns, "Ulm", "Bonn", direction="to"),
        lambda: nearfar.path(towns, "Ulm", "Bonn", direction="to"),
    ):
        with pytest.raises(InputTypeError, match="Only sssp, mssp and nearest take a direction"):
            ask()


def test_errors_name_the_arcs_of_the_graph():
    graph = Graph.from_arcs([0, 1, 2, 2], [1, 2, 0, 3], [1, 1, -3, 5])
    with pytest.raises(MethodError, match=r"arc 2 \(2 -> 0\) has -3"):
        nearfar.sssp(graph, 3, method="dijkstra", direction="to")
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.sssp(graph, 3, direction="to")
    cycle = caught.value.cycle
    assert all((v - u) % 3 == 1 for u, v in pairwise([*cycle, cycle[0]])) and "leads to a source" in str(caught.value)
    assert " -> ".join(map(str, [*cycle, cycle[0]])) in str(caught.value)
    assert nearfar.sssp(graph, 3).dist.tolist() == [TOP, TOP, TOP, 0]


def test_a_seed_that_another_one_reaches_over_the_limit():
    """The path to 0 begins at 1, beyond the limit, so this result knows neither the path nor its source."""
    graph = Graph.from_arcs([1], [0], [-1])
    for near in (stopping("nearest", graph, [0, 1], targets=[0]), nearfar.nearest(graph, [0, 1], cutoff=-1)):
        assert near.dist.tolist() == [-1, TOP] and near.source.tolist() == [-1, -1] and near[0] == (None, -1)
        assert nearfar.verify(graph, near)
        with pytest.raises(MethodError, match="leaves the limit"):
            near.path(0)


def test_the_reversed_graph_is_kept(towns):
    assert towns.reversed is towns.reversed and towns.reversed.reversed is not None
    assert towns.reversed.min_weight == 1 and towns.reversed.names == towns.names
    edges = Graph.from_arcs([0], [1], [4], undirected=True)
    assert edges.reversed is edges
    assert nearfar.sssp(edges, 0, direction="to").successors.tolist() == [-1, 0]

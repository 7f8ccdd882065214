"""Superfluous arcs: without them every distance is what it was, and what a landmark can tell is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
import nearfar.elimination.landmarks
import nearfar.elimination.prune
from helpers.strategies import cases
from nearfar.elimination import landmarks as landmarks_module
from nearfar.elimination import prune as prune_module
from nearfar.elimination.prune import can_have_detours, keep_arcs, prune, prune_again
from nearfar.graph import Graph
from nearfar.kernels.cpu.constants import LANES
from nearfar.methods.prepared import SOLVERS


@pytest.fixture(autouse=True, scope="module")
def sparse_graphs_too():
    """Ask about graphs of any degree, however little it brings: the small ones here are sparse."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune_module, "PRUNED_DEGREE", 0)
        patch.setattr(prune_module, "PAYS", 0)
        yield


def stop():
    return np.zeros(1, np.int64)


def without(graph, marks):
    """Return the graph without the marked arcs."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))[~marks]
    weights = None if graph.weights is None else graph.weights[~marks]
    return Graph.from_arcs(tails, graph.heads[~marks], weights, n=graph.n)


def arc_list(graph, marks):
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))[marks]
    return sorted(zip(tails.tolist(), graph.heads[marks].tolist(), strict=True))


def same_distances(graph, marks):
    """Hold all distances equal: to the bit for integers, up to rounding for floats."""
    floats = graph.weights is not None and graph.weights.dtype.kind == "f"
    dtype = graph.weights.dtype if floats else np.int64  # of both, whatever the heaviest arc that is left
    thin = without(graph, marks)
    before, after = (np.asarray(nearfar.apsp(g, method="dijkstra", dtype=dtype).dist) for g in (graph, thin))
    if floats:
        return np.allclose(before, after, rtol=1e-6 if before.dtype == np.float32 else 1e-14, atol=0)
    return np.array_equal(before, after)


@given(cases(), st.integers(1, 20), st.booleans())
def test_removal_changes_no_distance(case, landmarks, undirected):
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected)
    marks = prune(graph, 1, stop(), SOLVERS, landmarks).marks
    assert same_distances(graph, marks)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    assert marks[tails == graph.heads].all()
    left = arc_list(graph, ~marks)
    assert len(left) == len(set(left))


@given(cases(dtypes=("int32", "int64", "float64")))
def test_all_vertices_as_landmarks_find_all(case):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    marks = prune(graph, 1, stop(), SOLVERS, graph.n).marks
    dist = np.asarray(nearfar.apsp(graph, method="dijkstra").dist)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    longer = graph.weights > dist[tails, graph.heads] * (1 + 1e-12)
    assert marks[longer].all() or not can_have_detours(graph)


def eliminated(n, arcs, vertices):
    """Return the lightest arcs among some vertices, as a dict, after the others were eliminated."""
    lightest = {}
    for u, v, w in arcs:
        lightest[u, v] = min(w, lightest.get((u, v), w))
    for x in set(range(n)) - set(vertices):
        into = [(u, w) for (u, v), w in lightest.items() if v == x != u]
        out = [(v, w) for (u, v), w in lightest.items() if u == x != v]
        for u, w in into:
            for v, more in out:
                lightest[u, v] = min(w + more, lightest.get((u, v), w + more))
        lightest = {arc: w for arc, w in lightest.items() if x not in arc}
    return lightest


@given(
    cases(dtypes=("int32", "int64", "float32", "float64")), st.integers(1, 20), st.sets(st.integers(0, 11), min_size=1)
)
def test_a_core_can_be_pruned_again(case, landmarks, left):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    vertices = np.array(sorted({v % case.n for v in left}))
    number = {v: i for i, v in enumerate(vertices.tolist())}
    arcs = sorted((number[u], number[v], w) for (u, v), w in eliminated(case.n, case.arcs, vertices.tolist()).items())
    tails, heads, weights = (
        np.array([arc[i] for arc in arcs], t) for i, t in enumerate((int, np.int32, graph.weight_dtype))
    )
    offsets = np.searchsorted(tails, np.arange(len(vertices) + 1))
    asked = prune(graph, 1, stop(), SOLVERS, landmarks).landmarks
    marks = prune_again(asked, graph.n, vertices, offsets, heads, weights, stop())
    core = Graph.from_arcs(tails, heads, weights, n=len(vertices))
    assert same_distances(core, marks)


def test_a_landmark_that_is_gone_matches_nothing():
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 1], [1, 1, 1, 1])
    asked = landmarks_module.solve_landmarks(graph, np.array([1]), np.dtype(np.int32), 1, stop())
    core = np.array([0, 2]), np.array([0, 1, 1]), np.array([1], np.int32), np.array([2], np.int32)
    assert not prune_again(asked, graph.n, *core, stop()).any()


def test_ties_go_where_weights_are_above_zero():
    detour = Graph.from_arcs([0, 1, 0], [1, 2, 2], [1, 1, 2])
    assert arc_list(detour, prune(detour, 1, stop(), SOLVERS).marks) == [(0, 2)]
    ring = Graph.from_arcs([0, 1, 2, 0, 0], [1, 2, 0, 2, 1], [0, 0, 0, 0, 1])
    assert arc_list(ring, prune(ring, 1, stop(), SOLVERS).marks) == [(0, 1)]


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_rounding_removes_nothing(dtype):
    third = np.array(1 / 3, dtype)
    above = np.nextafter(third + third, np.array(1, dtype))
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], np.array([third, third, above], dtype))
    assert not prune(graph, 1, stop(), SOLVERS).marks.any()
    clear = Graph.from_arcs([0, 1, 0], [1, 2, 2], np.array([third, third, 1], dtype))
    assert arc_list(clear, prune(clear, 1, stop(), SOLVERS).marks) == [(0, 2)]


@pytest.mark.parametrize("top", (2**31 - 2, 2**33, 2**61))
def test_heavy_arcs_and_pieces_that_do_not_meet(top):
    tails, heads, weights = [0, 1, 0, 3, 4, 3], [1, 2, 2, 4, 5, 5], [top // 4, top // 4, top, 1, 1, top]
    graph = Graph.from_arcs(tails, heads, np.array(weights, np.int64))
    assert arc_list(graph, prune(graph, 1, stop(), SOLVERS).marks) == [(0, 2), (3, 5)]
    alone = Graph.from_arcs([0, 2], [1, 3], np.array([1, top], np.int64))
    assert not prune(alone, 1, stop(), SOLVERS).marks.any()


@pytest.mark.parametrize("undirected", (False, True))
def test_hubs_on_threads(undirected):
    graph = nearfar.generate.rmat(9, seed=1, undirected=undirected)
    one, two = prune(graph, 1, stop(), SOLVERS).marks, prune(graph, 2, stop(), SOLVERS, 40)
    assert 0.5 < one.mean() < two.marks.mean() < 1
    assert two.landmarks.to.shape == (3 * graph.n, LANES)
    sources = np.arange(0, graph.n, 37)
    before = nearfar.mssp(graph, sources, method="dijkstra").dist
    assert np.array_equal(before, nearfar.mssp(without(graph, two.marks), sources, method="dijkstra").dist)


def test_names_do_not_matter():
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [1, 1, 5], names=["b", "a", "c"])
    assert arc_list(graph, prune(graph, 1, stop(), SOLVERS).marks) == [(0, 2)]


def test_not_worth_asking():
    unweighted = Graph.from_arcs([0, 1, 0, 0, 2], [1, 2, 2, 2, 2])
    assert prune(unweighted, 1, stop(), SOLVERS).marks.sum() == 2
    assert prune(Graph.from_arcs([], [], n=0), 1, stop(), SOLVERS).marks.shape == (0,)


def test_stop():
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [1, 1, 5])
    assert not prune(graph, 1, np.ones(1, np.int64), SOLVERS).marks.any()


def test_some_of_the_arcs():
    graph = Graph.from_arcs([0, 0, 1, 2], [1, 2, 2, 0], [4, 9, 3, 1], names=["a", "b", "c"])
    some = keep_arcs(graph, np.array([True, False, False, True]))
    assert (some.n, some.heads.tolist(), some.weights.tolist()) == (3, [1, 0], [4, 1])
    assert some.offsets.tolist() == [0, 1, 1, 2] and some.offsets.dtype == graph.offsets.dtype and some.names is None
    assert keep_arcs(graph, np.zeros(4, bool)).m == 0

"""Prepared graphs in rare cases: copies, cutoffs of another type, cycles that rounding makes negative."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import nearfar
from helpers.shapes import SHAPES, shaped
from nearfar import Graph
from nearfar.errors import MethodError, NegativeCycleError

# Found by fuzzing: rounding lowers distances around a cycle by 1e-17 per round, and at no time all its arcs are tight.
RESTLESS = (
    [0, 4, 7, 5, 7, 6, 1, 0, 2, 6, 7, 0, 6, 1, 0, 3],
    [1, 5, 0, 6, 2, 2, 2, 7, 3, 4, 4, 4, 7, 6, 5, 4],
    [0.77, 0.0, -0.52, -0.47000000000000003, 0.30999999999999994, 0.35, 0.06, 0.52, -0.44999999999999996,
     0.47000000000000003, 0.43, 0.95, 0.040000000000000036, -0.29000000000000004, 0.95, 0.57],
)  # fmt: skip


@pytest.mark.parametrize("duplicate", [lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy, copy.copy])
@pytest.mark.parametrize("shape", ["usual", "large core", "closed core"])
def test_copies_answer_too(duplicate, shape):
    """A copy must not share the work space that earlier queries left behind."""
    graph = nearfar.generate.road_grid(9, 9, seed=1)
    with shaped(**SHAPES[shape]):
        prepared = nearfar.prepare(graph)
        rows, paths = prepared.apsp().dist, [prepared.path(0, t) for t in (3, 80)]
        sums = prepared.row_sums()
        for _ in range(4):  # several times, since memory may happen to be aligned
            twin = duplicate(prepared)
            assert twin.hierarchy.spare_pairs == [] or duplicate is copy.copy
            assert twin._spare_paths == [] and ("unfolding" in vars(twin.hierarchy)) == (duplicate is copy.copy)
            assert np.array_equal(twin.apsp().dist, rows) and np.array_equal(twin.row_sums(), sums)
            assert [twin.path(0, t) for t in (3, 80)] == paths
            assert twin.distance(0, 80) == rows[0, 80]
        assert np.array_equal(prepared.apsp().dist, rows)


def test_work_space_is_used_again():
    prepared = nearfar.prepare(nearfar.generate.road_grid(9, 9, seed=1))
    for ask in (lambda: prepared.apsp(threads=1), lambda: prepared.row_sums(threads=1), lambda: prepared.sssp(3)):
        ask()
        assert len(prepared.hierarchy.spare) == 1
    prepared.distances([(0, 1), (5, 80)], threads=1)
    assert len(prepared.hierarchy.spare) == 1


@pytest.mark.parametrize("cutoff", [0, 2, 2.5, 3, 2.9999999, 100, np.inf])
@pytest.mark.parametrize("dtype", ["float64", "int64", "int32", None])
def test_cutoffs_in_any_type(cutoff, dtype):
    """A float cutoff ends integer lanes at the right value."""
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1])
    wanted = nearfar.mssp(graph, [0, 1], cutoff=cutoff, dtype=dtype, method="dijkstra").dist
    prepared = nearfar.prepare(graph)
    found = prepared.mssp([0, 1], cutoff=cutoff, dtype=dtype).dist
    assert found.dtype == wanted.dtype and np.array_equal(found, wanted)
    assert np.array_equal(prepared.sssp(0, cutoff=cutoff, dtype=dtype).dist, wanted[0])


@pytest.mark.parametrize("method", ["frontier", "edge", "johnson", "auto"])
@pytest.mark.parametrize("source", range(8))
def test_rounds_end_where_rounding_never_settles(method, source):
    graph = Graph.from_arcs(*RESTLESS, n=8)
    if source == 3:  # settles before rounding lowers distances again and again
        nearfar.sssp(graph, source, method=method)
        return
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.sssp(graph, source, method=method)
    cycle = caught.value.cycle
    lightest = {}
    for u, v, w in zip(*RESTLESS, strict=True):
        lightest[u, v] = min(w, lightest.get((u, v), np.inf))
    assert abs(sum(lightest[step] for step in zip(cycle, [*cycle[1:], cycle[0]], strict=True))) < 1e-12


def test_cycles_of_length_zero_in_floats():
    """Rounding makes such a cycle negative for elimination: the error names another method, which works."""
    with pytest.raises(NegativeCycleError):
        nearfar.prepare(Graph.from_arcs(*RESTLESS, n=8))
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [0.39999999999999997, 0.19999999999999998, -0.6])
    with pytest.raises(MethodError, match="rounding"):
        nearfar.prepare(graph)
    flat = nearfar.prepare(Graph.from_arcs([0, 1, 2], [1, 2, 0], np.abs(graph.weights)))
    with pytest.raises(MethodError, match="rounding"):
        flat.reweight(graph.weights)
    wanted = nearfar.mssp(graph, [0, 1, 2], method="johnson").dist
    assert np.allclose(nearfar.mssp(graph, [0, 1, 2], method="prepared").dist, wanted, atol=1e-12)


def test_roads_closed():
    prepared = nearfar.prepare(Graph.from_arcs([0, 1, 0], [1, 2, 2], [5.0, 7.0, 20.0]))
    closed = prepared.reweight([5.0, np.inf, 20.0])
    assert closed.graph.m == 2 and closed.distance(0, 2) == 20 and prepared.distance(0, 2) == 12

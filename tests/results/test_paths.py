"""Paths that are walked without a tree: the vertices that the tree has, and when a tree is made after all."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

import nearfar
from helpers import strategies
from nearfar import generate
from nearfar.graph import Graph
from nearfar.results import Distances, paths
from nearfar.results.forest import Forest
from nearfar.results.paths import climb_tree, walk_back


@given(strategies.starting())
def test_walks_agree_with_trees(query):
    """From any start to any vertex; a walk gives up only where flat arcs lead to a vertex."""
    case, starts = query
    starts = {v: int(start) if strategies.is_whole(case) else start for v, start in sorted(starts.items())}
    graph, row = Graph.from_arcs(*case.arrays(), n=case.n), case.row(starts)
    seeds, at = np.array(list(starts), np.int32), np.array(list(starts.values())).astype(row.dtype)
    result = Distances(graph, seeds[:1], row[None], seeds=seeds, starts=at, single=True)
    pred, roots = result.predecessors, result._forest.roots(result, 0)
    for v in np.flatnonzero(result.reached).tolist():
        found, _ = walk_back(graph.reversed, row, roots, v, graph.m + 1)
        steps = climb_tree(pred, v).tolist()
        flat = any(row[u] == row[below] for below, u in pairwise(steps))
        assert found is None if flat else found.tolist() == steps
        assert result.path(v) == steps[::-1]


@given(strategies.starting())
def test_results_agree_with_their_trees(query):
    """Each path of a result without trees, in both directions, is the one that another result has in its tree."""
    case, starts = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    assert graph.reversed.m == graph.m  # it is there now
    for direction in ("from", "to"):
        tree = nearfar.sssp(graph, starts, direction=direction)
        links = tree.towards_sources
        for v in np.flatnonzero(tree.reached).tolist():
            steps = climb_tree(links, v).tolist()
            result = nearfar.sssp(graph, starts, direction=direction)
            assert result.path(v) == (steps if direction == "to" else steps[::-1])


@pytest.fixture
def town():
    return generate.road_grid(12, 12, seed=3)


def test_a_path_needs_no_tree(town):
    result = nearfar.sssp(town, 0)
    path = result.path(143)
    assert result.known_trees() == {}
    assert path == climb_tree(result.predecessors, 143)[::-1].tolist() == result.path(143)


def test_many_paths_make_a_tree(town):
    result = nearfar.sssp(town, 0)
    for v in range(town.n):
        assert result.path(v)[-1] == v
    assert list(result.known_trees()) == [0]


def test_a_walk_pauses_and_goes_on(town, monkeypatch):
    monkeypatch.setattr(paths, "LOOKS_AT_ONCE", 5)
    result = nearfar.sssp(town, 0)
    assert result.path(143) == climb_tree(result.predecessors, 143)[::-1].tolist()
    roots = np.array([0], np.int32)
    assert walk_back(town, result.dist, roots, 143, 20)[0] is None
    assert walk_back(town, result.dist, roots, 0, 20) == (pytest.approx([0]), 0)


def test_directed_graphs_are_reversed_for_enough_paths():
    graph = generate.rmat(8, undirected=False, seed=4)
    made = []
    for s in range(6):
        result = nearfar.sssp(graph, s)
        far = result.farthest()[0][0]
        path = result.path(far)
        made.append((bool(result.known_trees()), graph.known_reverse is not None))
        assert path == climb_tree(result.predecessors, far)[::-1].tolist()
    assert made == [(True, False)] * 3 + [(False, True)] * 3


def test_names_of_all_kinds():
    arcs = ([0, 1, 2], [1, 2, 3], [4, 3, 2])
    for names in (None, [10, 20, 30, 40], ["a", ("b", 1), 7, "d"]):
        graph = Graph.from_arcs(*arcs, n=4, names=names, undirected=True)
        named = names or [0, 1, 2, 3]
        path = nearfar.sssp(graph, named[0]).path(named[3])
        assert path == named and [type(v) for v in path] == [type(v) for v in named]
    graph = Graph.from_raster(np.ones((1, 4)), neighbours=4)
    path = nearfar.sssp(graph, (0, 0)).path((0, 2))
    assert path == [(0, 0), (0, 1), (0, 2)] and all(type(v) is int for v in path[1])


def test_the_fewest_arcs_on_request():
    graph = Graph.from_arcs([0, 1, 2, 0], [1, 2, 3, 3], [1, 1, 1, 3])
    result = nearfar.mssp(graph, [1, 0])
    assert result.path(0, 3) == [0, 3] == result.path(0, 3, fewest_arcs=True)
    graph = Graph.from_arcs([3, 0, 1, 3], [0, 1, 2, 2], [1, 1, 1, 3])
    result = nearfar.mssp(graph, [0, 3])
    assert result.path(3, 2) == [3, 0, 1, 2] and result.path(3, 2, fewest_arcs=True) == [3, 2]
    assert result.fewest_arcs().tolist() == [[-1, 0, 1, -1], [3, 0, 3, -1]]
    assert result.predecessors.tolist() == [[-1, 0, 1, -1], [3, 0, 1, -1]]
    assert nearfar.sssp(graph, 3).fewest_arcs().tolist() == [3, 0, 3, -1]


def test_a_tree_that_someone_wrote_to_does_no_harm():
    """No step leads outside the graph, and none for ever."""
    assert climb_tree(np.array([1, 0, 9, -7], np.int32), 0).tolist() == [0, 1, 0, 1]
    assert climb_tree(np.array([1, 0, 9, -7], np.int32), 2).tolist() == [2]
    assert climb_tree(np.array([1, 0, 9, -7], np.int32), 3).tolist() == [3]


def test_paths_beside_all_trees_do_not_look_through_the_rows(monkeypatch):
    """Of 3,600 rows, that took three times as long as the path."""
    result = nearfar.apsp(generate.road_grid(5, 5))
    expected = result.path(3, 21)
    assert result.predecessors.shape == (25, 25)
    monkeypatch.setattr(Forest, "known", lambda forest: pytest.fail("all rows are listed"))
    assert result.path(3, 21) == expected

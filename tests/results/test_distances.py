"""Distances and Nearest: shapes, paths, what is derived when, frames, descriptions, errors."""

from __future__ import annotations

import sys
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

from helpers import strategies
from nearfar.errors import InputTypeError, MethodError, MissingDependencyError, NoPathError, OptionError, VertexError
from nearfar.graph import Graph
from nearfar.results import Distances, Nearest, trees

TOP = 2**31 - 1


def ids(*vertices):
    return np.array(vertices, dtype=np.int32)


@pytest.fixture
def graph():
    """0 -5-> 1 -7-> 2, and 3 apart."""
    return Graph.from_arcs([0, 1], [1, 2], [5, 7], n=4)


@pytest.fixture
def named():
    """The same with names of several kinds."""
    return Graph.from_arcs([0, 1], [1, 2], [5, 7], n=4, names=["home", ("a", 1), 7, "island"])


@pytest.fixture
def one(graph):
    return Distances(graph, ids(0), np.array([[0, 5, 12, TOP]], dtype=np.int32), single=True)


@pytest.fixture
def two(graph):
    rows = np.array([[TOP, 0, 7, TOP], [0, 5, 12, TOP]], dtype=np.int32)
    return Distances(graph, ids(1, 0), rows)


@pytest.fixture
def derived(monkeypatch):
    """Collect the rows that predecessors are derived from."""
    rows, derive = [], trees._hang_part

    def noted(graph, back, row, *rest):
        rows.append(row.tolist())
        return derive(graph, back, row, *rest)

    monkeypatch.setattr(trees, "_hang_part", noted)
    return rows


def test_one_source_has_no_first_axis(one):
    assert one.rows.shape == (1, 4)
    assert one.dist.tolist() == [0, 5, 12, TOP]
    assert one.predecessors.tolist() == [-1, 0, 1, -1]
    assert one.predecessors.dtype == np.int32


def test_several_sources_have_a_row_each(two):
    assert two.dist is two.rows
    assert two.predecessors.tolist() == [[-1, -1, 1, -1], [-1, 0, 1, -1]]


def test_a_list_of_one_source_keeps_the_axis(graph):
    result = Distances(graph, ids(0), np.array([[0, 5, 12, TOP]], dtype=np.int32))
    assert result.dist.shape == result.predecessors.shape == (1, 4)
    assert result.path(2) == [0, 1, 2]


def test_no_sources(graph):
    result = Distances(graph, ids(), np.empty((0, 4), dtype=np.int32))
    assert result.predecessors.shape == (0, 4)
    assert len(result.to_frame()) == 0
    assert result.describe()["farthest"] is None
    with pytest.raises(OptionError, match="0 rows"):
        result.path(1)


def test_path(one, two):
    assert one.path(2) == [0, 1, 2]
    assert one.path(0) == [0]
    assert one.path(np.int64(1), source=0) == [0, 1]
    assert two.path(2, source=1) == [1, 2]
    assert two.path(2, source=0) == [0, 1, 2]
    assert all(type(v) is int for v in one.path(2))


def test_path_in_names(named):
    result = Distances(named, ids(0), np.array([[0, 5, 12, TOP]], dtype=np.int32), single=True)
    assert result.path(7) == ["home", ("a", 1), 7]
    assert result.path(("a", 1), source="home") == ["home", ("a", 1)]
    with pytest.raises(NoPathError, match="from 'home' to 'island'"):
        result.path("island")
    with pytest.raises(VertexError, match="target"):
        result.path("iland")


@given(strategies.queries(strategies.cases() | strategies.negative_cases(), max_sources=1))
def test_paths_have_the_length_they_should(query):
    case, sources = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    result = Distances(graph, ids(*sources), case.row(sources)[None], single=True)
    best = {}
    for u, v, w in case.arcs:
        best[u, v] = min(w, best.get((u, v), w))
    for v, expected in enumerate(case.distances(sources)):
        if expected is None:
            with pytest.raises(NoPathError):
                result.path(v)
            continue
        path, length = result.path(v), 0
        for arc in pairwise(path):
            length = case.add(length, best[arc])
        assert (path[0], path[-1], length) == (sources[0], v, expected)


def test_path_derives_one_row_once(two, derived):
    two.path(2, source=0)
    two.path(1, source=0)
    assert derived == [two.rows[1].tolist()]
    assert list(two.known_trees()) == [1]


def test_predecessors_are_derived_once(two, derived):
    assert two.predecessors is two.predecessors
    assert derived == two.rows.tolist()
    assert list(two.known_trees()) == [0, 1]
    two.path(2, source=1)
    assert len(derived) == 2


def test_nothing_is_derived_unasked(two, derived):
    two.to_frame(), two.describe(), repr(two), two.dist
    assert derived == []
    assert two.known_trees() == {}


def test_path_errors(one, two):
    with pytest.raises(OptionError, match=r"2 rows.*source="):
        two.path(2)
    with pytest.raises(OptionError, match="2 is not a source of this result"):
        one.path(1, source=2)
    with pytest.raises(VertexError, match="source 9"):
        two.path(1, source=9)
    with pytest.raises(VertexError, match="target -1"):
        one.path(-1)
    with pytest.raises(InputTypeError, match="target"):
        one.path(1.0)
    with pytest.raises(NoPathError, match="from 0 to 3: it cannot be reached"):
        one.path(3)


def test_no_path_names_the_limit(graph):
    row = np.array([[0, 5, TOP, TOP]], dtype=np.int32)
    with pytest.raises(NoPathError, match="within the cutoff 6"):
        Distances(graph, ids(0), row, cutoff=6).path(2)
    with pytest.raises(NoPathError, match="Add it to targets="):
        Distances(graph, ids(0), row, targets=ids(1)).path(2)


def test_path_that_leaves_the_limit_says_so():
    graph = Graph.from_arcs([0, 1], [1, 2], [9, -8])
    result = Distances(graph, ids(0), np.array([[0, TOP, 1]], dtype=np.int32), cutoff=5)
    with pytest.raises(MethodError, match="without cutoff"):
        result.path(2)


def test_frame(two, named):
    frame = two.to_frame()
    assert list(frame.columns) == ["source", "target", "distance"]
    assert frame.values.tolist() == [[1, 1, 0], [1, 2, 7], [0, 0, 0], [0, 1, 5], [0, 2, 12]]
    assert {str(dtype) for dtype in frame.dtypes} == {"int32"}
    frame = Distances(named, ids(1), np.array([[np.inf, 0, 7.5, np.inf]]), single=True).to_frame()
    assert frame.values.tolist() == [[("a", 1), ("a", 1), 0.0], [("a", 1), 7, 7.5]]


def test_frame_of_number_names_has_numbers():
    graph = Graph.from_arcs([0], [1], [4], names=[10, 20])
    frame = Distances(graph, ids(0), np.array([[0, 4]], dtype=np.int32)).to_frame()
    assert frame["target"].dtype.kind == "i"
    assert frame["target"].tolist() == [10, 20]


def test_frame_without_pandas(one, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependencyError, match="pandas"):
        one.to_frame()


def test_describe_with_and_without_a_plan(graph, one):
    bare = one.describe()
    assert (bare["sources"], bare["vertices"], bare["reached"], bare["farthest"]) == (1, 4, 3, 12)
    assert type(bare["farthest"]) is int
    plan = SimpleNamespace(method="dijkstra", device="cpu", threads=2, dtype=np.dtype("int32"), bytes=64, why="small")
    stats = {"seconds": 0.5, "relaxations": 2, "bytes": 128, "threads": 1}
    result = Distances(graph, ids(0), one.rows, single=True, plan=plan, stats=stats, cutoff=20, targets=ids(2))
    facts = result.describe()
    assert facts.items() >= stats.items()  # measured beats planned
    assert facts.items() >= {"method": "dijkstra", "device": "cpu", "why": "small", "cutoff": 20, "targets": 1}.items()
    assert "relaxations" in str(facts)
    assert repr(result) == "Distances(k=1, n=4, int32, dijkstra on cpu)"
    assert repr(one) == "Distances(k=1, n=4, int32)"


@pytest.fixture
def near():
    """A line 0 -5- 1 -7- 2 -1- 3 with sources at both ends, and 4 apart."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], n=5, undirected=True)
    row = np.array([[0, 5, 1, 0, TOP]], dtype=np.int32)
    stats = {"method": "delta", "device": "cpu"}
    return Nearest(Distances(graph, ids(0), row, seeds=ids(0, 3), single=True, stats=stats))


def test_nearest(near):
    assert near.dist.tolist() == [0, 5, 1, 0, TOP]
    assert near.source.tolist() == [0, 0, 3, 3, -1]
    assert near.source.dtype == np.int32
    assert near.source is near.source
    assert near.predecessors.tolist() == [-1, 0, 3, -1, -1]
    assert near.sources.tolist() == [0, 3]
    assert near.path(2) == [3, 2]
    assert near.path(3) == [3]
    with pytest.raises(NoPathError, match="any of 2 sources to 4"):
        near.path(4)


def test_nearest_tables(near):
    frame = near.to_frame()
    assert list(frame.columns) == ["vertex", "source", "distance"]
    assert frame.values.tolist() == [[0, 0, 0], [1, 0, 5], [2, 3, 1], [3, 3, 0]]
    assert near.describe()["sources"] == 2
    assert near.describe()["reached"] == 4
    assert repr(near) == "Nearest(sources=2, n=5, int32, delta on cpu)"


def test_nearest_ties_go_by_the_tree():
    graph = Graph.from_arcs([2, 0, 3], [1, 1, 0], [4, 4, 0])
    distances = Distances(graph, ids(2), np.array([[0, 4, 0, 0]], dtype=np.int32), seeds=ids(2, 3), single=True)
    assert Nearest(distances).source.tolist() == [3, 3, 2, 3]  # 1 hangs from 0, which is less than 2

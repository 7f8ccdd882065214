"""The k nearest sources: one search against one row per source, and both against sorting in NumPy."""

from __future__ import annotations

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from nearfar.engine import several
from nearfar.errors import (
    InputTypeError,
    MemoryLimitError,
    MethodError,
    NegativeCycleError,
    NoPathError,
    OptionError,
    VertexError,
)
from nearfar.graph import Graph

TOP = 2**31 - 1
WAYS = {"search": 0, "rows": 10**9}


def asked(way, *args, **options):
    """Ask for the k nearest, by one search or by rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(several, "ROWS_PER_RANK", WAYS[way])
        return nearfar.nearest(*args, **options)


def sorted_rows(case, sources, k, cutoff=None):
    """Return distances (inf: none) and sources (-1: none) of the k nearest, by sorting the oracle's rows."""
    sources = sorted(set(sources))
    rows = case.rows([[s] for s in sources]).astype(np.float64)
    if cutoff is not None:
        rows[rows > cutoff] = np.inf
    order = np.argsort(rows, axis=0, kind="stable")[:k]
    dist = np.full((case.n, k), np.inf)
    dist[:, : len(order)] = np.take_along_axis(rows, order, axis=0).T
    source = np.full((case.n, k), -1)
    source[:, : len(order)] = np.array(sources)[order].T
    source[dist == np.inf] = -1
    return dist, source


@settings(max_examples=150)
@given(
    strategies.queries(max_sources=8),
    st.integers(2, 6),
    st.sampled_from([*WAYS]),
    st.none() | st.integers(0, 9),
    st.sampled_from(["from", "to"]),
)
def test_against_sorting(query, k, way, cutoff, direction):
    case, sources = query
    turned = strategies.Case(case.n, tuple((v, u, w) for u, v, w in case.arcs), case.dtype)
    dist, source = sorted_rows(case if direction == "from" else turned, sources, k, cutoff)
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    near = asked(way, graph, sources, k=k, cutoff=cutoff, direction=direction)
    assert near.dist.shape == near.source.shape == (case.n, k) and near.source.dtype == np.int32
    assert np.array_equal(near.as_float(), dist) and near.dist.dtype.kind == (case.dtype or "int32")[0]
    if near.dist.dtype.kind == "i":  # rounding may make distances equal that differ on the way
        assert np.array_equal(near.source, source)
    assert nearfar.verify(graph, near), nearfar.verify(graph, near).problems


@settings(max_examples=40)
@given(strategies.queries(strategies.negative_cases(), max_sources=6), st.integers(2, 4))
def test_negative_weights(query, k):
    case, sources = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    near = nearfar.nearest(graph, sources, k=k)
    dist, source = sorted_rows(case, sources, k)
    assert np.array_equal(near.as_float(), dist) and np.array_equal(near.source, source)
    assert nearfar.verify(graph, near)
    if graph.min_weight < 0:
        with pytest.raises(OptionError, match="negative weights paths may leave the limit"):
            nearfar.nearest(graph, sources, k=k, cutoff=3)


@settings(max_examples=60)
@given(strategies.queries(max_sources=5), st.sampled_from([*WAYS]), st.data())
def test_the_certificate_can_fail(query, way, data):
    case, sources = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    near = asked(way, graph, sources, k=3)
    v, i = data.draw(st.integers(0, case.n - 1)), data.draw(st.integers(0, 2))
    kept = near.dist[v, i]
    near.dist[v, i] = kept + 1 if near.source[v, i] >= 0 and kept + 1 != kept else 0
    if near.dist[v, i] != kept:
        assert not nearfar.verify(graph, near)
    near.dist[v, i] = kept
    near.source[v, i] = {-1: sources[0]}.get(int(near.source[v, i]), -1)
    assert not nearfar.verify(graph, near)


@pytest.fixture
def towns():
    """Ulm -5-> Bonn -7-> Kiel -1-> Ulm, Sylt apart."""
    return Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 7, 1], names=["Ulm", "Bonn", "Kiel", "Sylt"])


@pytest.mark.parametrize("way", WAYS)
def test_by_name(towns, way):
    near = asked(way, towns, ["Kiel", "Ulm", "Kiel"], k=2)
    assert near["Bonn"] == [("Ulm", 5), ("Kiel", 6)] and near["Kiel"] == [("Kiel", 0), ("Ulm", 12)]
    assert near["Sylt"] == [] and near.sources == ["Ulm", "Kiel"] and near.source_indices.tolist() == [0, 2]
    assert near.path("Bonn") == ["Ulm", "Bonn"] and near.path("Bonn", rank=2) == ["Kiel", "Ulm", "Bonn"]
    assert near.path("Bonn", source="Kiel") == near.path("Bonn", rank=2)
    assert (near.k, near.reached.sum(), near.describe()["reached"]) == (2, 6, 6)
    assert repr(near) == "KNearest(sources=2, k=2, n=4, int32, dijkstra on cpu)"
    back = asked(way, towns, ["Kiel", "Ulm"], k=2, direction="to")
    assert back["Bonn"] == [("Kiel", 7), ("Ulm", 8)] and back.path("Bonn", rank=2) == ["Bonn", "Kiel", "Ulm"]
    assert repr(back).endswith(", to the sources)") and back.describe()["direction"] == "to"
    again = pickle.loads(pickle.dumps(near))
    assert again["Bonn"] == near["Bonn"] and again.path("Bonn") == ["Ulm", "Bonn"]


def test_frames(towns):
    frame = nearfar.nearest(towns, ["Kiel", "Ulm"], k=2).to_frame()
    assert list(frame.columns) == ["vertex", "rank", "source", "distance"]
    assert frame.values.tolist()[2:4] == [["Bonn", 1, "Ulm", 5], ["Bonn", 2, "Kiel", 6]] and len(frame) == 6
    frame = nearfar.nearest(towns, ["Kiel"], k=2, direction="to").to_frame()
    assert list(frame.columns) == ["vertex", "rank", "target", "distance"]
    assert frame.values.tolist()[0] == ["Ulm", 1, "Kiel", 12]


def test_one_is_as_before(towns):
    near = nearfar.nearest(towns, ["Kiel", "Ulm"], k=1)
    assert isinstance(near, nearfar.Nearest) and near.dist.shape == (4,)


def test_refusals(towns):
    for k, error in ((0, OptionError), (-1, OptionError), (1.5, InputTypeError), ("3", InputTypeError)):
        with pytest.raises(error, match="k is"):
            nearfar.nearest(towns, ["Ulm"], k=k)
    with pytest.raises(OptionError, match="out was given, but k is 2"):
        nearfar.nearest(towns, ["Ulm"], k=2, out=np.empty(4))
    with pytest.raises(InputTypeError, match="Only sssp, mssp and table take targets"):
        nearfar.nearest(towns, ["Ulm"], targets=["Kiel"])
    with pytest.raises(OptionError, match="starting distances and k is 2"):
        nearfar.nearest(towns, {"Ulm": 3, "Bonn": 0}, k=2)
    with pytest.raises(MemoryLimitError):
        nearfar.nearest(towns, ["Ulm"], k=10**15)
    with pytest.raises(InputTypeError, match="there is no option 'wrong'"):
        nearfar.nearest(towns, ["Ulm"], k=2, wrong=3)
    floats = towns.with_weights([0.5, 1, 2])
    with pytest.raises(MethodError, match="could depend on rounding"):
        nearfar.nearest(floats, ["Ulm", "Kiel"], k=2, method="prepared")
    cycle = Graph.from_arcs([0, 1], [1, 0], [1, -2])
    with pytest.raises(NegativeCycleError):
        nearfar.nearest(cycle, [0], k=2)
    near = nearfar.nearest(towns, ["Kiel", "Ulm"], k=2)
    with pytest.raises(NoPathError, match=r"'Sylt' has no nearest source of rank 1: it has 0 of at most 2"):
        near.path("Sylt")
    with pytest.raises(NoPathError, match="no nearest source called 'Bonn'"):
        near.path("Ulm", source="Bonn")
    with pytest.raises(OptionError, match="ranks 1, the nearest, to 2"):
        near.path("Ulm", rank=0)
    with pytest.raises(InputTypeError, match="rank is"):
        near.path("Ulm", rank=1.0)
    with pytest.raises(VertexError):
        near["Köln"]


@pytest.mark.parametrize("weight", [2**30, 2**31 - 2, 2**40])
@pytest.mark.parametrize("way", WAYS)
def test_distances_that_pass_int32(way, weight):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [weight] * 3)
    near = asked(way, graph, [0, 1], k=2)
    assert (
        near.dist.dtype == np.int64 and near[3] == [(1, 2 * weight), (0, 3 * weight)] and near.dist[0, 1] == 2**63 - 1
    )
    assert nearfar.verify(graph, near)
    short = asked(way, graph, [0, 1], k=2, cutoff=2**29)
    assert short[3] == [] and short[1] == [(1, 0)]


def test_options_and_prepared_graphs():
    graph = nearfar.generate.rmat(8, 6, seed=3, undirected=False)
    sources = np.arange(0, graph.n, 5)
    wanted = asked("rows", graph, sources, k=4)
    assert wanted.plan.method != "prepared" and asked("search", graph, sources, k=4).plan.why.startswith("one search")
    prepared = nearfar.prepare(graph)
    answers = [
        nearfar.nearest(graph, sources, k=4),
        asked("search", graph, sources, k=4, dtype="float64"),
        nearfar.nearest(graph, sources, k=4, method="johnson"),
        nearfar.nearest(graph, sources, k=4, delta=8),
        nearfar.nearest(prepared, sources, k=4),
        prepared.nearest(sources[::-1], 4, method="dijkstra", threads=1),
    ]
    for near in answers:
        assert np.array_equal(near.as_float(), wanted.as_float()) and np.array_equal(near.source, wanted.source)
        assert nearfar.verify(prepared, near)
    assert answers[2].plan.method == "johnson" and answers[4].plan.method == "prepared"
    back = nearfar.nearest(prepared, sources, k=4, direction="to")
    assert np.array_equal(back.dist, asked("search", graph, sources, k=4, direction="to").dist)
    halves = graph.with_weights(graph.weights / 4)
    floats = nearfar.prepare(halves)
    exact = nearfar.nearest(floats, sources, k=4)
    asked("search", floats, sources, k=4, direction="to")
    assert floats._backward is None  # a hierarchy that is not used is not made
    assert np.array_equal(exact.dist * 4, wanted.as_float()) and nearfar.verify(halves, exact)


def test_paths_have_the_length_they_should():
    graph = nearfar.generate.road_grid(8, 8, seed=2)
    lightest = {}
    for e in range(graph.m):
        u = int(np.searchsorted(graph.offsets, e, side="right")) - 1
        lightest[u, int(graph.heads[e])] = int(graph.weights[e])
    near = nearfar.nearest(graph, [0, 20, 63], k=3)
    for v in range(graph.n):
        for rank, (s, distance) in enumerate(near[v], 1):
            path = near.path(v, rank=rank)
            assert (path[0], path[-1]) == (s, v) and sum(lightest[arc] for arc in pairwise(path)) == distance


def test_progress_and_no_vertices():
    graph = Graph.from_arcs([], [], n=1)
    near = nearfar.nearest(graph, [0], k=3)
    assert near.dist.tolist() == [[0, TOP, TOP]] and near[0] == [(0, 0)] and nearfar.verify(graph, near)
    assert near.as_float().tolist() == [[0, math.inf, math.inf]]

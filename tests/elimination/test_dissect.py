"""Nested dissection: orders of all kinds of graphs, the shortcuts that follow, and how few they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.marks import JIT
from nearfar import Graph
from nearfar.elimination import dissect
from nearfar.elimination.dissect import dissected, dissection_order, places_of, structure_of
from nearfar.elimination.eliminate import neighbours
from nearfar.elimination.outlook import is_wide, look
from nearfar.errors import MethodError, OptionError

EXAMPLES = 60 if JIT else 5
SIDE = 24 if JIT else 8
RUNNING = np.zeros(1, np.int64)


def raster(rows, columns, walls=0.0, seed=0):
    """Return a raster of random costs, some of its cells walls, with eight neighbours, and the coordinates of cells."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 9, (rows, columns)).astype(float)
    costs[rng.random(costs.shape) < walls] = np.inf
    return Graph.from_raster(costs)


def drawn_of(graph):
    """Return the same graph without names and coordinates."""
    return Graph.from_csr(graph.offsets, graph.heads, graph.weights)


def naive_shortcuts(starts, heads, order):
    """Return the neighbours of each vertex when it is eliminated, by eliminating."""
    left = {v: set(heads[starts[v] : starts[v + 1]].tolist()) - {v} for v in range(len(order))}
    found = {}
    for v in order.tolist():
        found[v] = left.pop(v)
        for u in found[v]:
            left[u] = (left[u] | found[v]) - {u, v}
    return found


def check_structure(structure, starts, heads, order):
    """Compare a structure with what eliminating makes."""
    found = naive_shortcuts(starts, heads, order)
    vertices = structure.vertices
    for v, wanted in found.items():
        rank = structure.ranks[v]
        mine = structure.heads[structure.up[rank] : structure.up[rank + 1]]
        assert (np.diff(mine) > 0).all() and set(vertices[mine].tolist()) == wanted
        assert structure.parents[rank] == (mine[-1] if len(mine) else -1)
    assert structure.core == 0 and structure.order == "dissection"


@given(strategies.cases(), st.integers(1, 3), st.booleans(), st.booleans())
@settings(max_examples=EXAMPLES)
def test_any_graph(case, threads, placed, refined):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    places = np.random.default_rng(1).random((case.n, 2)) if placed else None
    starts, heads = neighbours(graph)
    order = dissection_order(starts, heads, places, threads, RUNNING, refined)
    assert sorted(order.tolist()) == list(range(case.n))
    check_structure(structure_of(order, starts, heads, 2**40), starts, heads, order)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("walls", [0.0, 0.3])
def test_regions_are_shared_out(monkeypatch, threads, walls):
    """However threads share the regions, every vertex is there once, and parts that walls divide are too."""
    monkeypatch.setattr(dissect, "ALONE", 20)
    graph = raster(SIDE, SIDE + 3, walls)
    for given_graph in (graph, drawn_of(graph)):
        starts, heads = neighbours(given_graph)
        order = dissection_order(starts, heads, places_of(given_graph), threads, RUNNING)
        check_structure(structure_of(order, starts, heads, 2**40), starts, heads, order)


@pytest.mark.skipif(not JIT, reason="too slow without the JIT")
def test_shortcuts_are_few():
    """On a raster of 60 x 60: 24 shortcuts per vertex with coordinates, a fifth more without; 60 row by row."""
    graph = raster(60, 60)
    starts, heads = neighbours(graph)
    counts = {}
    for name, places in (("placed", places_of(graph)), ("drawn", None)):
        order = dissection_order(starts, heads, places, 2, RUNNING)
        counts[name] = len(structure_of(order, starts, heads, 2**40).heads) / graph.n
    by_rows = len(structure_of(np.arange(graph.n, dtype=np.int32), starts, heads, 2**40).heads) / graph.n
    assert counts["placed"] < 26 and counts["drawn"] < 1.4 * counts["placed"] and by_rows > 2 * counts["placed"]


@pytest.mark.skipif(not JIT, reason="too slow without the JIT")
def test_least_separators():
    """Among points joined when near, no straight cut is near the least separator."""
    graph = nearfar.generate.geometric(20_000, seed=1)
    starts, heads = neighbours(graph)
    for places in (graph.coordinates, None):
        plain, refined = (
            len(structure_of(dissection_order(starts, heads, places, 2, RUNNING, flow), starts, heads, 2**40).heads)
            for flow in (False, True)
        )
        assert refined < 0.85 * plain


def test_a_separator_is_least():
    """Two halves of a grid that three cells join, far from the middle line: found within the band, however it bends."""
    rows, columns = 12, 40
    costs = np.ones((rows, columns))
    costs[:, 22] = np.inf
    costs[[1, 6, 10], 22] = 1
    graph = Graph.from_raster(costs, neighbours=4)
    starts, heads = neighbours(graph)
    places = np.column_stack([np.random.default_rng(1).random(graph.n) * 8 + places_of(graph)[:, 1], np.zeros(graph.n)])
    order = dissection_order(starts, heads, places, 1, RUNNING, True)
    cells = places_of(graph)[order[-3:]]
    assert sorted(cells[:, 0].tolist()) == [1, 6, 10] and (abs(cells[:, 1] - 22) <= 1).all()


def test_too_many_shortcuts():
    graph = raster(10, 10)
    assert dissected(graph, None, 1, RUNNING, memory=1000) is None
    starts, heads = neighbours(graph)
    order = np.arange(graph.n, dtype=np.int32)
    assert structure_of(order, starts, heads, 50) is None


def test_dissection_that_was_asked_for_is_not_replaced(monkeypatch):
    monkeypatch.setattr(dissect, "MOST_UP", 1)
    graph = raster(10, 10)
    with pytest.raises(MethodError, match="cannot be prepared by nested dissection: it has no small separators"):
        nearfar.prepare(graph, order="dissection")
    assert nearfar.prepare(graph).describe()["order"] == "degree"


def test_stopped():
    graph = raster(10, 10)
    assert dissected(graph, None, 1, np.ones(1, np.int64)) is None


@pytest.mark.skipif(not JIT, reason="too slow without the JIT")
def test_what_it_pays_for():
    """Wide graphs: rasters; not roads, graphs with hubs, random graphs, small ones."""
    rng = np.random.default_rng(1)
    tails, heads = np.tile(np.arange(20_000), 2), np.concatenate([rng.permutation(20_000) for _ in range(2)])
    random = Graph.from_arcs(tails, heads, rng.integers(1, 99, 40_000), n=20_000, undirected=True)
    assert is_wide(raster(100, 100)) and not is_wide(raster(20, 20))
    assert not is_wide(nearfar.generate.road_grid(100, 100, seed=1))
    assert not is_wide(nearfar.generate.rmat(13, seed=1)) and not is_wide(random)


def test_the_order_is_an_option():
    graph = nearfar.generate.road_grid(10, 10, seed=1)
    for order in ("degree", "dissection"):
        prepared = nearfar.prepare(graph, order=order)
        assert prepared.describe()["order"] == order
        assert (prepared.apsp().dist == nearfar.apsp(graph, method="dijkstra").dist).all()
    with pytest.raises(OptionError, match="order is 'metis', but must be one of 'auto', 'degree', 'dissection'"):
        nearfar.prepare(graph, order="metis")


@pytest.mark.skipif(not JIT, reason="too slow without the JIT")
def test_what_is_foreseen():
    """From balls of 4,096, shortcuts and their squares, within a factor of two; neither knows the coordinates."""
    graph = raster(150, 150)
    seen, structure = look(graph, 4096), dissected(graph, places_of(graph), 2, RUNNING)
    counts = np.diff(structure.up).astype(float)
    assert seen.core > 0 and seen.dissected.core == 0 and list(seen.orders) == ["degree", "dissection"]
    seen = seen.dissected
    assert 0.5 < seen.squares / (counts**2).sum() < 2 and 0.3 < seen.shortcuts / counts.sum() < 1.2

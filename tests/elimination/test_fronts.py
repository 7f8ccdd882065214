"""Weights found in dense blocks: the same as vertex by vertex, and everything a prepared mesh offers."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.marks import JIT
from nearfar import Graph
from nearfar.elimination import fronts
from nearfar.elimination.blocks import find_blocks, share
from nearfar.elimination.dissect import dissected, places_of
from nearfar.elimination.fronts import suits_blocks, type_of_sums, weigh_in_blocks
from nearfar.elimination.shortcuts import infinity_of, weigh

EXAMPLES = 40 if JIT else 3
SIDE = 30 if JIT else 9
RUNNING = np.zeros(1, np.int64)


@pytest.fixture
def blocks_always(monkeypatch):
    """Find weights in blocks however small the graph is, and let threads share every panel."""
    monkeypatch.setattr(fronts, "IN_BLOCKS", 0)
    monkeypatch.setattr(fronts, "LEAST_SQUARES", 0)
    monkeypatch.setattr(fronts, "SHARED_SUMS", 0)


def check_weights(graph, threads):
    """Compare the weights and marks of all shortcuts, found in both ways."""
    structure = dissected(graph, graph.coordinates, threads, RUNNING)
    wanted, found = weigh(graph, structure, 1, RUNNING), weigh_in_blocks(graph, structure, threads, RUNNING)
    for one, other in ((wanted.outs, found.outs), (wanted.ins, found.ins)):
        there = one < infinity_of(one.dtype)
        assert ((other < infinity_of(other.dtype)) == there).all() and (one[there] == other[there]).all()
    assert (wanted.keep == found.keep).all()


def mesh_rows(dtype, undirected, seed=0, low=1, high=5):
    """Return the edges or arcs of a raster of SIDE x SIDE cells, a fifth of them walls, and its coordinates."""
    rng = np.random.default_rng(seed)
    plain = Graph.from_raster(np.where(rng.random((SIDE, SIDE)) < 0.2, np.inf, 1.0))
    tails, heads = np.repeat(np.arange(plain.n), np.diff(plain.offsets)), np.asarray(plain.heads)
    kept = tails < heads if undirected else slice(None)
    weights = rng.integers(low, high, plain.m) / (8 if np.dtype(dtype).kind == "f" else 1)
    return tails[kept], heads[kept], weights[kept].astype(dtype), places_of(plain)


def mesh(dtype, undirected, times=1, **options):
    """Return the graph of these rows, with weights many of which are alike, ``times`` as long."""
    tails, heads, weights, places = mesh_rows(dtype, undirected, **options)
    return Graph.from_arcs(
        tails, heads, weights * weights.dtype.type(times), n=len(places), undirected=undirected, coordinates=places
    )


def length(graph, path):
    """Return the length of a path, by the lightest arc between each two vertices."""
    total = 0
    for u, v in pairwise(path):
        row = slice(graph.offsets[u], graph.offsets[u + 1])
        total += graph.weights[row][graph.heads[row] == v].min().item()
    return total


@given(strategies.cases(), st.integers(1, 2))
@settings(max_examples=EXAMPLES)
def test_any_graph(case, threads):
    """Exactly the same, floats too: both ways add two weights at a time, from the leaves up."""
    check_weights(Graph.from_arcs(*case.arrays(), n=case.n), threads)


@pytest.mark.parametrize("undirected", [True, False], ids=["undirected", "directed"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_meshes(monkeypatch, dtype, undirected):
    """Blocks larger than a panel, shared by threads; zeros and ties."""
    monkeypatch.setattr(fronts, "SHARED_SUMS", 0)
    for low, high in ((0, 3), (1, 1000)):
        check_weights(mesh(dtype, undirected, low=low, high=high), 2)


def test_types_of_sums():
    """int32 if no path can be too long: each vertex is left once, by its heaviest arc."""
    short = Graph.from_arcs([0, 1], [1, 0], [2**29, 2**29 - 2])
    assert type_of_sums(short) == np.int32 and type_of_sums(Graph.from_arcs([0], [1], n=5)) == np.int32
    assert type_of_sums(short.with_weights([2**29, 2**29])) == np.int64
    check_weights(short.with_weights([2**29, 2**29]), 1)
    assert type_of_sums(Graph.from_arcs([], [], np.empty(0, np.int64), n=3)) == np.int32


@pytest.mark.skipif(not JIT, reason="too slow without the JIT")
def test_where_blocks_are_used():
    wide, road = Graph.from_raster(np.ones((60, 60))), nearfar.generate.road_grid(60, 60, seed=1)
    structures = [dissected(graph, places_of(graph), 1, RUNNING) for graph in (wide, road)]
    assert suits_blocks(wide, structures[0]) and not suits_blocks(road, structures[1])
    assert not suits_blocks(Graph.from_csr(wide.offsets, wide.heads, -np.ones(wide.m)), structures[0])


def test_shares():
    """Every block is a top or in one range; many small pieces share a range."""
    structure = dissected(mesh("int32", True), None, 1, RUNNING)
    pieces = Graph.from_arcs(np.arange(0, 4000, 2), np.arange(1, 4000, 2), n=4000)
    for blocks in (find_blocks(structure), find_blocks(dissected(pieces, None, 1, RUNNING))):
        for threads in (1, 2, 4):
            shares = share(blocks, threads)
            covered = [*shares.tops, *(b for begin, end in shares.ranges for b in range(begin, end))]
            assert sorted(covered) == list(range(blocks.count)) and len(shares.ranges) < 40 * threads


@pytest.mark.parametrize("undirected", [True, False], ids=["undirected", "directed"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_a_prepared_mesh(blocks_always, dtype, undirected):
    """Rows, pairs, tables, sums, nearest, paths, new weights, files, against `dijkstra`. Multiples of 1/8 are exact."""
    graph = mesh(dtype, undirected)
    wanted = nearfar.apsp(graph, method="dijkstra").dist
    prepared = nearfar.prepare(graph, threads=2, order="dissection")
    stored = io.BytesIO()
    prepared.save(stored)
    stored.seek(0)
    loaded = nearfar.load_prepared(stored, graph)
    assert loaded.describe()["order"] == "dissection"
    longer = prepared.reweight(3 * mesh_rows(dtype, undirected)[2])
    assert longer.describe()["order"] == "dissection"
    assert (longer.apsp().dist == nearfar.apsp(mesh(dtype, undirected, times=3), method="dijkstra").dist).all()
    for found in (prepared, loaded):
        assert (found.apsp().dist == wanted).all() and (found.sssp(3).dist == wanted[3]).all()
        assert (found.table([1, 5], [2, 8, 0]).dist == wanted[np.ix_([1, 5], [2, 8, 0])]).all()
        far = np.where(wanted[:5] < wanted.dtype.type(2**30), wanted[:5], 0)
        assert (found.row_sums(range(5)) == far.sum(axis=1, dtype=np.float64)).all()
        for target in np.flatnonzero(wanted[0] < 2**30)[:: SIDE * 4].tolist():
            assert found.distance(0, target) == wanted[0, target]
            assert length(graph, found.path(0, target)) == wanted[0, target]


def test_negative_weights_on_a_mesh():
    """They are eliminated vertex by vertex, in the same order."""
    graph = mesh("int64", False, low=3, high=9)
    height = np.random.default_rng(3).integers(0, 20, graph.n)
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets))
    bent = graph.with_weights(graph.weights + height[graph.heads] - height[tails])
    prepared = nearfar.prepare(bent, order="dissection")
    assert bent.min_weight < 0 and (prepared.apsp().dist == nearfar.apsp(bent, method="johnson").dist).all()

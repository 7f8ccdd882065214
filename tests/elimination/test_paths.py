"""Paths over prepared graphs: as long as those of a search, simple, and made of arcs of the graph."""

from __future__ import annotations

import dataclasses
import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.marks import JIT
from helpers.shapes import KINDS, SHAPES, any_shape, shaped, wild
from nearfar import Graph
from nearfar.elimination import core
from nearfar.elimination import paths as module
from nearfar.elimination.paths import Paths, can_unfold
from nearfar.errors import NoPathError
from nearfar.kernels.cpu.unfold import append

EXAMPLES = 60 if JIT else 5
SCALE = 1 if JIT else 4  # families are smaller where kernels are interpreted
# Few different weights: ties and cycles of length zero. One direction may be heavier, or missing.
WEIGHTS = {"int32": [0, 0, 1, 2], "int64": [1, 2, 2**40], "float32": [0.0, 0.1, 0.25, 1e-9], "float64": [0.1, 0.2, 0.3]}


def length_of(graph, path):
    """Return the length of a path over its lightest arcs; every step must be an arc."""
    total = 0.0 if graph.weights is not None and graph.weights.dtype.kind == "f" else 0
    for u, v in pairwise(map(graph.index, path)):
        arcs = np.arange(graph.offsets[u], graph.offsets[u + 1])
        arcs = arcs[graph.heads[arcs] == v]
        assert len(arcs), f"there is no arc {u} -> {v}"
        total += 1 if graph.weights is None else graph.weights[arcs].min().item()
    return total


def assert_as_long(prepared, source, target):
    """Compare the path of one pair with that of a search."""
    graph = prepared.graph
    try:
        wanted = nearfar.path(graph, source, target, threads=1)
    except NoPathError:
        with pytest.raises(NoPathError, match="there is no path from"):
            prepared.path(source, target)
        return
    found = prepared.path(source, target)
    assert (found[0], found[-1]) == (source, target) and len(set(found)) == len(found)
    mine, other = length_of(graph, found), length_of(graph, wanted)
    assert mine == other or (isinstance(mine, float) and mine == pytest.approx(other, rel=1e-5))


@st.composite
def tied_graphs(draw):
    """Small graphs with many ties, directed or not."""
    dtype, n = draw(st.sampled_from(sorted(WEIGHTS))), draw(st.integers(1, 14))
    ends = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(ends, ends, st.sampled_from(WEIGHTS[dtype])), max_size=50))
    tails, heads, weights = (list(column) for column in zip(*arcs, strict=True)) if arcs else ([], [], [])
    return Graph.from_arcs(tails, heads, np.array(weights, dtype), n=n, undirected=draw(st.booleans()))


@settings(max_examples=EXAMPLES)
@given(graph=tied_graphs(), shape=any_shape, labels=st.booleans())
def test_paths_are_as_long_as_those_of_a_search(graph, shape, labels):
    with shaped(**shape):
        prepared = nearfar.prepare(graph, threads=1, labels=labels)
        for source in range(graph.n):
            for target in range(graph.n):
                assert_as_long(prepared, source, target)


@settings(max_examples=EXAMPLES)
@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    undirected=st.booleans(),
    shape=any_shape,
    labels=st.booleans(),
)
def test_paths_of_wild_graphs(seed, kind, undirected, shape, labels):
    graph = wild(seed, kind, undirected)
    with shaped(**shape):
        prepared = nearfar.prepare(graph, threads=1, labels=labels)
        for source, target in np.random.default_rng(seed).integers(0, graph.n, (20 // SCALE, 2)).tolist():
            assert_as_long(prepared, source, target)


def test_the_same_path_once_there_are_labels():
    """Of several shortest paths, labels may find another one than climbs; what was asked before must not matter."""
    ends = np.random.default_rng(5).integers(0, 30, (2, 90))
    graph = Graph.from_arcs(*ends, np.ones(90, np.int32), n=30, undirected=True)
    prepared = nearfar.prepare(graph)
    pairs = [(s, t) for s in range(30) for t in range(30) if nearfar.distance(graph, s, t) < np.inf]
    before = [prepared.path(s, t) for s, t in pairs]
    prepared._labels.make()
    assert [prepared.path(s, t) for s, t in pairs] == before


@settings(max_examples=EXAMPLES)
@given(graph=tied_graphs(), shape=any_shape)
def test_every_shortcut_unfolds(graph, shape):
    """Also those on no shortest path; then the work space is as it was."""
    with shaped(**shape):
        hierarchy = nearfar.prepare(graph, threads=1).hierarchy
    space, structure, shortcuts = Paths(hierarchy), hierarchy.structure, hierarchy.shortcuts
    for lower in range(structure.n):
        for s in range(structure.up[lower], structure.up[lower + 1]):
            upper = structure.heads[s]
            for ends, weight in (((lower, upper), shortcuts.outs[s]), ((upper, lower), shortcuts.ins[s])):
                if weight < shortcuts.infinity:
                    space.walk[:2] = ends
                    path = space.unfold(2)
                    if path is None:  # very many cycles of length zero
                        continue
                    assert path[[0, -1]].tolist() == structure.vertices[list(ends)].tolist()
                    assert length_of(graph, path.tolist()) == pytest.approx(weight, rel=1e-5, abs=0)
    assert not any(array.any() for array in (space.before, space.after, space.index))


def unasked(prepared):
    """Return the same prepared graph, as if no path had been asked for."""
    hierarchy = prepared.hierarchy
    fresh = dataclasses.replace(hierarchy, structure=dataclasses.replace(hierarchy.structure), spare=[])
    return type(prepared)(prepared.graph, fresh, prepared.threads)


@settings(max_examples=EXAMPLES // 2)
@given(graph=tied_graphs(), shape=any_shape)
def test_the_first_path_is_the_same_as_later(graph, shape):
    with shaped(**shape):
        prepared = nearfar.prepare(graph, threads=1)
        for target in range(graph.n):
            for source in range(graph.n):
                try:
                    later = prepared.path(source, target)
                except NoPathError:
                    continue
                assert unasked(prepared).path(source, target) == later == prepared.path(source, target)


def families():
    """Return graphs of many kinds."""
    generate, rng = nearfar.generate, np.random.default_rng(1)
    n = 600 // SCALE
    steps, parents = np.arange(n - 1), [int(rng.integers(v)) for v in range(1, n)]
    weights = rng.integers(1, 1000, n - 1)
    return {
        "road grid": generate.road_grid(40 // SCALE, 40 // SCALE, seed=1),
        "R-MAT": generate.rmat(9 if JIT else 6, seed=2),
        "R-MAT, directed": generate.rmat(9 if JIT else 6, seed=2, undirected=False),
        "geometric": generate.geometric(n, seed=3),
        "path": Graph.from_arcs(steps, steps + 1, weights, undirected=True),
        "path, one way": Graph.from_arcs(steps, steps + 1, weights),
        "cycle": Graph.from_arcs(np.arange(n), np.roll(np.arange(n), 1), rng.integers(1, 1000, n), undirected=True),
        "cycle, one way": Graph.from_arcs(np.arange(n), np.roll(np.arange(n), 1), rng.integers(0, 9, n)),
        "two hubs": Graph.from_arcs(np.arange(n - 1) % 2, np.arange(1, n), weights, undirected=True),
        "star": Graph.from_arcs(np.zeros(n - 1, int), np.arange(1, n), weights, undirected=True),
        "tree": Graph.from_arcs(parents, np.arange(1, n), weights, undirected=True),
        "complete": generate.complete(150 // SCALE, seed=4),
        "no weights": Graph.from_arcs(*rng.integers(0, n, (2, 3 * n)), n=n),
    }


@pytest.mark.parametrize("family", families())
@pytest.mark.parametrize("shape", ["usual", "large core", "closed core"])
def test_families(family, shape):
    graph = families()[family]
    with shaped(**SHAPES[shape]):
        prepared = nearfar.prepare(graph)
        for source, target in np.random.default_rng(5).integers(0, graph.n, (40 // SCALE, 2)).tolist():
            assert_as_long(prepared, source, target)


def test_paths_lead_through_cores(monkeypatch):
    """The shapes above do use what they are meant to use."""
    graph = nearfar.generate.road_grid(12, 12, seed=1)
    rounded = graph.with_weights(np.random.default_rng(1).uniform(0.1, 1, graph.m // 2))
    for shape, kind in (("large core", core.Core), ("closed core", core.ClosedCore)):
        with shaped(**SHAPES[shape]):
            prepared = nearfar.prepare(graph)
            assert isinstance(prepared.hierarchy.core, kind) and can_unfold(prepared.hierarchy)
            assert can_unfold(nearfar.prepare(rounded).hierarchy) == (kind is core.Core)
        assert can_unfold(prepared.hierarchy)
        with monkeypatch.context() as patch:
            patch.setattr(module, "SMALL_CORE", 0)
            assert can_unfold(prepared.hierarchy) == (kind is core.ClosedCore)  # too large to be searched for one pair
    with shaped(**SHAPES["core by rows"]):
        assert not can_unfold(nearfar.prepare(graph).hierarchy)


def test_a_walk_that_is_too_long_is_searched():
    """Many cycles of length zero could make it so; here there is no room for any walk."""
    graph = nearfar.generate.road_grid(12, 12, seed=1)
    prepared = nearfar.prepare(graph)
    (space,) = prepared._spare_paths
    stack, space.stack = space.stack, np.empty(2, np.int32)
    assert space.find(0, 143) is None
    assert_as_long(prepared, 0, 143)
    assert not any(array.any() for array in (space.before, space.after, space.index))
    space.stack = stack
    assert space.find(0, 143) is not None
    assert_as_long(prepared, 0, 143)


def test_an_arc_in_one_direction_only():
    """There and back are equally long, but back leads over another vertex."""
    graph = Graph.from_arcs([0, 1, 2, 0, 3, 1, 3], [1, 2, 0, 3, 0, 3, 1], [2, 1, 1, 9, 9, 9, 9])
    prepared = nearfar.prepare(graph)
    for source, target in ((0, 1), (1, 0), (0, 1)):
        assert_as_long(prepared, source, target)
    assert prepared.path(0, 1) == [0, 1] and prepared.path(1, 0) == [1, 2, 0]


def test_an_arc_in_one_direction_only_where_lengths_are_the_same_in_both():
    ends = [(0, 1), (0, 2), (2, 0), (1, 2), (2, 1), (0, 3), (3, 0), (1, 3), (3, 1)]
    graph = Graph.from_arcs(*zip(*ends, strict=True), [2, 1, 1, 1, 1, 9, 9, 9, 9])
    prepared = nearfar.prepare(graph)
    assert prepared.hierarchy.shortcuts.symmetric and not graph.undirected
    assert prepared.path(0, 1) == [0, 1] and prepared.path(1, 0) == [1, 2, 0]


@pytest.mark.parametrize("names", [list("abcdef"), [10, 30, 20, 60, 50, 40], None])
def test_names_come_back(names):
    graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 4], [1, 1, 1, 1], n=6, names=names)
    prepared = nearfar.prepare(graph)
    called = [graph.name(v) for v in range(6)]
    assert prepared.path(called[0], called[4]) == called[:5]
    assert all(type(v) is type(w) for v, w in zip(prepared.path(called[0], called[4]), called, strict=False))
    with pytest.raises(NoPathError, match=f"no path from {called[4]!r} to {called[5]!r}: it cannot be reached"):
        prepared.path(called[4], called[5])
    with shaped(**SHAPES["core by rows"]), pytest.raises(NoPathError, match=f"from {called[4]!r} to {called[5]!r}"):
        nearfar.prepare(graph).path(called[4], called[5])
    assert prepared.path(called[1], called[1]) == [called[1]]


def test_cells_come_back():
    graph = nearfar.Graph.from_raster(np.ones((3, 4)))
    assert nearfar.prepare(graph).path((0, 0), (2, 3))[::3][0] == (0, 0)
    assert_as_long(nearfar.prepare(graph), (0, 0), (2, 3))


def test_paths_on_several_threads():
    """Threads share what is known of shortcuts, and nothing else."""
    graph = nearfar.generate.road_grid(30 // SCALE, 30 // SCALE, seed=1)
    prepared, pairs = nearfar.prepare(graph), np.random.default_rng(1).integers(0, graph.n, (60 // SCALE, 2)).tolist()
    found = {}
    threads = [
        threading.Thread(target=lambda t=t: found.update({t: [prepared.path(*p) for p in pairs]})) for t in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for paths in found.values():
        assert [length_of(graph, path) for path in paths] == [prepared.distance(*pair) for pair in pairs]
    assert len(found) == 4


@given(walk=st.lists(st.integers(0, 5), min_size=1))
def test_loops_are_cut_out(walk):
    path, index, count = np.zeros(6, np.int32), np.zeros(6, np.int32), np.uint64(0)
    wanted = []
    for v in walk:
        count = np.uint64(append(path, count, np.uint64(v), index))
        wanted = wanted[: wanted.index(v)] if v in wanted else wanted
        wanted.append(v)
        assert path[: int(count)].tolist() == wanted
        assert [int(index[u]) for u in wanted] == [*range(1, int(count) + 1)] and np.count_nonzero(index) == count

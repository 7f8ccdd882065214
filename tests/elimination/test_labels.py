"""Labels of pairs: the same distances as climbs give, for any number of pairs, and when they are made by themselves."""

from __future__ import annotations

import io
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.data import load
from helpers.marks import JIT, needs_jit
from helpers.shapes import KINDS, any_shape, rows_of, same, shaped, wild
from nearfar import Graph
from nearfar.elimination import label_store
from nearfar.elimination.labels import make_labels
from nearfar.errors import InputTypeError, MemoryLimitError, NearfarError
from nearfar.kernels.cpu.labels import BLOCK

EXAMPLES = 40 if JIT else 4
SIDE = 30 if JIT else 9


def ancestors_of(structure, rank):
    """Return the ancestors of a rank, itself included unless it is in the core, from the root down."""
    found = []
    while rank >= structure.core:
        found.append(rank)
        rank = int(structure.parents[rank])
        if rank < 0:
            break
    return [*range(structure.core), *found[::-1]]


def climbs_from(hierarchy, rank, outs):
    """Return the lengths of the climbs from a rank to its ancestors, one arc at a time."""
    structure, shortcuts = hierarchy.structure, hierarchy.shortcuts
    far = {rank: 0}
    for v in ancestors_of(structure, rank)[::-1]:
        if v in far and v >= structure.core:
            for s in range(structure.up[v], structure.up[v + 1]):
                if shortcuts.keep[s] & (1 if outs else 2):
                    d = far[v] + (shortcuts.outs if outs else shortcuts.ins)[s]
                    far[int(structure.heads[s])] = min(d, far.get(int(structure.heads[s]), d))
    return far


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["small", "int64"]), undirected=st.booleans())
def test_labels_are_climbs(seed, kind, undirected):
    hierarchy = nearfar.prepare(wild(seed, kind, undirected)).hierarchy
    if hierarchy.structure.core:
        return
    labels = make_labels(hierarchy, 1)
    for rank in range(0, hierarchy.structure.n, 7):
        above = ancestors_of(hierarchy.structure, rank)
        first = labels.arrays.entries[hierarchy.structure.vertices[rank], 0]
        for flat, outs in ((labels.arrays.outs.reshape(-1), True), (labels.arrays.ins.reshape(-1), False)):
            label, far = flat[first * 16 :][: len(above)], climbs_from(hierarchy, rank, outs)
            for a, length in zip(above, label.tolist(), strict=True):
                assert length == far[a] if a in far else length >= labels.limit


@settings(max_examples=EXAMPLES)
@given(
    data=st.data(), seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS), undirected=st.booleans(), shape=any_shape
)
def test_labels_and_climbs_agree(data, seed, kind, undirected, shape):
    """All pairs at once, on any number of threads; paths are as long as they should be."""
    graph = wild(seed, kind, undirected)
    with shaped(**shape):
        plain = nearfar.prepare(graph, labels=False)
        labelled = nearfar.prepare(graph, labels=True, threads=data.draw(st.integers(1, 2)))
    ends = np.stack(np.divmod(np.arange(graph.n**2), graph.n), axis=1)[:: max(1, graph.n**2 // 4000)]
    wanted = plain.distances(ends)
    assert same(wanted, rows_of(graph)[ends[:, 0], ends[:, 1]]) or graph.weight_dtype == np.float32
    found = labelled.distances(ends)
    whole = graph.weight_dtype is None or graph.weight_dtype.kind == "i"
    assert np.array_equal(found, wanted) if whole else found == pytest.approx(wanted, rel=1e-5)
    for i in range(0, len(ends), 97):
        assert labelled.distance(*ends[i]) == found[i]


def chains(n, seed):
    """Return a tree whose elimination tree has long branches and many ranks in a block: several combs and stars."""
    rng = np.random.default_rng(seed)
    parents = np.maximum(np.arange(1, n) - rng.choice([1, 1, 1, 2, 40, 200], n - 1), 0)
    return Graph.from_arcs(parents, np.arange(1, n), rng.integers(1, 100, n - 1), n=n, undirected=True)


@pytest.mark.parametrize("seed", range(3))
def test_prefixes_within_and_across_blocks(seed):
    graph = chains(20 * BLOCK if JIT else 3 * BLOCK, seed)
    labelled, rng = nearfar.prepare(graph, labels=True), np.random.default_rng(seed)
    sources = rng.integers(0, graph.n, 8)
    rows = nearfar.mssp(graph, sources, method="dijkstra").dist
    targets = np.tile(np.arange(graph.n), len(sources))
    found = labelled.distances(np.stack((np.repeat(sources, graph.n), targets), axis=1), dtype=rows.dtype)
    assert np.array_equal(found, rows.reshape(-1))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_meshes(dtype):
    """Walls, ties and zeros, dissected."""
    rng = np.random.default_rng(3)
    cost = np.where(rng.random((SIDE, SIDE)) < 0.2, np.inf, rng.integers(0, 4, (SIDE, SIDE)))
    plain = Graph.from_raster(cost)
    graph = plain.with_weights(np.round(plain.weights).astype(dtype))
    labelled = nearfar.prepare(graph, order="dissection", labels=True)
    ends = rng.integers(0, graph.n, (500, 2))
    found = labelled.distances([(graph.name(s), graph.name(t)) for s, t in ends.tolist()])
    assert found == pytest.approx(rows_of(graph)[ends[:, 0], ends[:, 1]], rel=1e-5)


def test_paths_follow_labels():
    graph = nearfar.generate.road_grid(SIDE, SIDE, seed=5)
    labelled, rng = nearfar.prepare(graph, labels=True), np.random.default_rng(0)
    for s, t in rng.integers(0, graph.n, (200 if JIT else 20, 2)).tolist():
        path, total = labelled.path(s, t), 0
        for u, v in pairwise(path):
            row = slice(graph.offsets[u], graph.offsets[u + 1])
            total += graph.weights[row][graph.heads[row] == v].min()
        assert (path[0], path[-1], total) == (s, t, labelled.distance(s, t))
    assert labelled.path(7, 7) == [7]


def test_they_are_made_when_they_pay(monkeypatch):
    """After as many pairs as take as long as labels do; whoever wants none gets none."""
    graph = nearfar.generate.road_grid(SIDE, SIDE, seed=1)
    prepared, never = nearfar.prepare(graph), nearfar.prepare(graph, labels=False)
    first = prepared.distance(0, graph.n - 1)
    assert prepared.describe()["labels"] == "none"
    pairs = np.random.default_rng(0).integers(0, graph.n, (100_000 if JIT else 3000, 2))
    for asked in (prepared, never):
        monkeypatch.setattr(label_store, "FEW_PAIRS_ASKED", len(pairs))
        assert asked._labels.ask(len(pairs) - 2) is None
        monkeypatch.undo()
        asked.distances(pairs)
    assert prepared.describe()["labels"] != "none" and never.describe()["labels"] == "none"
    assert prepared.distance(0, graph.n - 1) == never.distance(0, graph.n - 1) == first
    assert prepared.describe()["seconds_labels"] > 0
    assert prepared.describe()["bytes"] > never.describe()["bytes"]


def test_the_same_question_has_the_same_answer():
    """Labels round floats in another order: whether a call uses them does not depend on earlier ones."""
    plain = nearfar.generate.road_grid(SIDE, SIDE, seed=1)
    graph = plain.with_weights(np.random.default_rng(0).random(plain.m // 2))
    prepared, labelled = nearfar.prepare(graph), nearfar.prepare(graph, labels=True)
    pairs = np.random.default_rng(1).integers(0, graph.n, (100_000 if JIT else 3000, 2))
    few, single = prepared.distances(pairs[:50]), prepared.distance(*pairs[0])
    assert np.array_equal(prepared.distances(pairs), labelled.distances(pairs))
    assert prepared.describe()["labels"] != "none"
    assert np.array_equal(prepared.distances(pairs[:50]), few) and prepared.distance(*pairs[0]) == single
    assert labelled.distances(pairs[:50]) == pytest.approx(few, rel=1e-12)
    file = io.BytesIO()
    prepared.save(file)  # while it has labels, which only large calls use
    file.seek(0)
    assert nearfar.load_prepared(file, graph).distance(*pairs[0]) == single


def test_they_need_memory(monkeypatch):
    graph = nearfar.generate.road_grid(SIDE, SIDE, seed=1)
    with pytest.raises(
        MemoryLimitError, match=r"labels of .* vertices with .* ancestors on average need .* may be used"
    ):
        nearfar.prepare(graph, labels=True)._labels.require_memory(1000)
    monkeypatch.setattr(label_store, "LABEL_SHARE", 0.0)
    prepared = nearfar.prepare(graph)
    assert prepared._labels.ask(10**9) is None


def test_a_wrong_value_is_refused():
    with pytest.raises(InputTypeError, match=r"labels is 'yes', but must be True or False"):
        nearfar.prepare(Graph.from_arcs([0], [1]), labels="yes")
    with pytest.raises(NearfarError):
        nearfar.prepare(Graph.from_arcs([0], [1]), labels=True).distance(0, 9)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_vertices(n):
    prepared = nearfar.prepare(Graph.from_arcs([], [], n=n), labels=True)
    assert prepared.distances(np.zeros((0, 2), int)).tolist() == []
    if n:
        assert prepared.distance(0, 0) == 0 and prepared.distance(0, n - 1) == (0 if n == 1 else np.inf)


def test_copies_files_and_new_weights_keep_the_wish(tmp_path):
    graph = nearfar.generate.road_grid(SIDE, SIDE, seed=2)
    prepared = nearfar.prepare(graph, labels=True)
    buffer = io.BytesIO()
    prepared.save(buffer)
    buffer.seek(0)
    weights = np.full(graph.m // 2, 3)
    others = {
        "file": nearfar.load_prepared(buffer, graph),
        "copy": pickle.loads(pickle.dumps(prepared)),
        "weights": prepared.reweight(weights),
    }
    for other in others.values():
        assert other.describe()["labels"] == "none"  # until a pair asks
        assert other.distance(0, 5) == nearfar.distance(other.graph, 0, 5)
        assert other.describe()["labels"] != "none"
    plain = io.BytesIO()
    nearfar.prepare(graph).save(plain)
    plain.seek(0)
    loaded = nearfar.load_prepared(plain, graph)
    loaded.distance(0, 5)
    assert loaded.describe()["labels"] == "none"


@needs_jit
@pytest.mark.parametrize("name", ["rome99.gr", "openflights.npz"])
def test_real_graphs(name):
    graph = load(name)[1]
    labelled, plain = nearfar.prepare(graph, labels=True), nearfar.prepare(graph, labels=False)
    pairs = np.random.default_rng(0).integers(0, graph.n, (2000, 2))
    assert labelled.distances(pairs) == pytest.approx(plain.distances(pairs), rel=1e-9)

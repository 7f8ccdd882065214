"""Real graphs, prepared: distances that others computed, and agreement with single rows everywhere else.

The files are in shared/data beside the repository, with their own plain reader; without them the tests are skipped.
"""

from __future__ import annotations

import hashlib
import json
import math
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest

import nearfar
from helpers.data import loader, real
from helpers.marks import needs_jit
from nearfar import Graph
from nearfar.elimination.shortcuts import weigh
from nearfar.errors import NegativeCycleError

pytestmark = needs_jit


@lru_cache(maxsize=1)  # the tests of one graph follow each other
def graph_of(name):
    """Return a real graph; a missing file is a visible skip."""
    real(name)
    raw = loader().load(name)
    return Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], undirected=not raw["directed"])


@lru_cache(maxsize=1)
def prepared_of(name):
    return nearfar.prepare(graph_of(name))


def some(graph, count, seed=1):
    return np.random.default_rng(seed).integers(0, graph.n, count)


def check_answers(prepared, count):
    """Compare rows, sums, tables and pairs from some vertices with rows of Dijkstra or Johnson."""
    graph = prepared.graph
    sources, targets = some(graph, count), some(graph, 50, seed=2)
    negative = graph.min_weight < 0
    wanted = nearfar.mssp(graph, sources, method="johnson" if negative else "dijkstra").dist
    found = prepared.mssp(sources)
    assert agree(found.dist, wanted)
    assert agree(prepared.table(sources, targets).dist, wanted[:, targets])
    pairs = np.stack([np.repeat(sources, 50), np.tile(targets, count)], axis=1)
    assert agree(prepared.distances(pairs, dtype=wanted.dtype), wanted[:, targets].reshape(-1))
    reached = wanted < (np.inf if wanted.dtype.kind == "f" else np.iinfo(wanted.dtype).max)
    sums = np.where(reached, wanted, 0).sum(axis=1, dtype=np.float64)
    assert prepared.row_sums(sources) == pytest.approx(sums, rel=1e-9)
    for target in targets[:5].tolist():
        if reached[0, target]:
            assert_path(prepared, int(sources[0]), target, wanted[0, target])


def agree(found, wanted):
    """Return whether distances are equal, floats up to rounding, whichever integer types they have."""
    if found.dtype.kind == "f":
        return np.allclose(found, wanted, rtol=1e-9)
    marks = (np.iinfo(array.dtype).max for array in (found, wanted))
    gone, lost = (array == mark for array, mark in zip((found, wanted), marks, strict=True))
    return (gone == lost).all() and (found[~gone] == wanted[~lost]).all()


def assert_path(prepared, source, target, length):
    graph, path = prepared.graph, prepared.path(source, target)
    assert (path[0], path[-1]) == (source, target)
    weights, total = graph.weights, 0
    for u, v in pairwise(path):
        arcs = np.flatnonzero(graph.heads[graph.offsets[u] : graph.offsets[u + 1]] == v) + graph.offsets[u]
        total += 1 if weights is None else weights[arcs].min().item()
    assert total == pytest.approx(length, rel=1e-9)


def test_rome_all_pairs():
    graph = graph_of("rome99.gr")
    prepared = prepared_of("rome99.gr")
    wanted = nearfar.apsp(graph, method="dijkstra")
    found = prepared.apsp()
    assert found.dist.tobytes() == wanted.dist.tobytes()
    assert (prepared.row_sums() == wanted.dist.sum(axis=1, dtype=np.int64)).all()
    assert prepared.table(range(graph.n), range(graph.n)).dist.tobytes() == wanted.dist.tobytes()
    pairs = np.random.default_rng(1).integers(0, graph.n, (20_000, 2))
    assert (prepared.distances(pairs) == wanted.dist[pairs[:, 0], pairs[:, 1]]).all()
    for source, target in pairs[:200].tolist():
        assert_path(prepared, source, target, wanted.dist[source, target])


def test_rome_reweighted():
    """A few roads closed, then all of them slower, then back: the same as preparing from scratch."""
    graph, rng = graph_of("rome99.gr"), np.random.default_rng(3)
    prepared, sources = prepared_of("rome99.gr"), some(graph, 40)
    weights = graph.row_weights.astype(float)
    weights[rng.integers(0, graph.m, 20)] = math.inf
    slow = graph.row_weights * rng.integers(1, 4, graph.m)
    jam = graph.row_weights
    jam[rng.integers(0, graph.m, 20)] += 10_000
    for new in (weights, slow, jam, graph.row_weights):
        found = prepared.reweight(new)
        assert agree(found.mssp(sources).dist, nearfar.mssp(found.graph, sources, method="dijkstra").dist)
        if found.graph.m == graph.m:
            prepared = found
    assert prepared.mssp(sources).dist.tobytes() == prepared_of("rome99.gr").mssp(sources).dist.tobytes()


@pytest.mark.parametrize("name", ["rome99.gr", "USA-road-d.NY.gr.gz"])
def test_truth(name):
    prepared = prepared_of(name)
    runs = json.loads(real("truth.json").read_text(encoding="utf8"))["reference"][name.removesuffix(".gz")]["runs"]
    for run in runs:
        dist = prepared.sssp(run["source"]).dist.astype(np.int64)
        assert (len(dist), dist.sum()) == (run["reached"], run["sum"])  # all of it is reached
        assert hashlib.sha256(dist.astype("<i8").tobytes()).hexdigest() == run["sha256"]
        assert prepared.row_sums([run["source"]]).tolist() == [run["sum"]]


def test_new_york():
    prepared = prepared_of("USA-road-d.NY.gr.gz")
    assert prepared.describe()["core"] == 0
    assert prepared.distance(0, 999) == 28939  # as published
    assert_path(prepared, 0, 999, 28939)
    check_answers(prepared, 20)


def test_new_york_reweighted():
    """Ten roads in a jam, five times, each time ten more: shortcuts and rows as if all was computed from scratch."""
    prepared, rng = prepared_of("USA-road-d.NY.gr.gz"), np.random.default_rng(4)
    sources = some(prepared.graph, 16)
    for _ in range(5):
        weights = prepared.graph.row_weights
        weights[rng.integers(0, len(weights), 10)] *= 3
        prepared = prepared.reweight(weights)
        fresh = weigh(prepared.graph, prepared.hierarchy.structure, 1, np.zeros(1, np.int64))
        shortcuts = prepared.hierarchy.shortcuts
        assert shortcuts.best is not None  # only a part was computed again
        assert all(np.array_equal(getattr(shortcuts, name), getattr(fresh, name)) for name in ("outs", "ins", "keep"))
    wanted = nearfar.mssp(prepared.graph, sources, method="dijkstra").dist
    assert agree(prepared.mssp(sources).dist, wanted)
    assert nearfar.prepare(prepared.graph).mssp(sources).dist.tobytes() == prepared.mssp(sources).dist.tobytes()


def test_new_york_in_a_file(tmp_path):
    prepared = prepared_of("USA-road-d.NY.gr.gz")
    prepared.save(tmp_path / "ny")
    again = nearfar.load_prepared(tmp_path / "ny", prepared.graph)
    sources = some(prepared.graph, 16)
    assert again.mssp(sources).dist.tobytes() == prepared.mssp(sources).dist.tobytes()
    assert (tmp_path / "ny").stat().st_size < 20e6


def test_world_highways():
    """Floats with zeros and loops, many pieces."""
    check_answers(prepared_of("sc-world_highways.npz"), 6)


def test_andorra_energy():
    prepared = prepared_of("andorra-energy.npz")
    assert prepared.graph.min_weight < 0
    check_answers(prepared, 20)


def test_bitcoin_has_a_negative_cycle():
    graph = graph_of("soc-sign-bitcoinotc.csv.gz")
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.prepare(graph)
    total = 0
    for u, v in pairwise([*caught.value.cycle, caught.value.cycle[0]]):
        row = slice(graph.offsets[u], graph.offsets[u + 1])
        total += graph.weights[row][graph.heads[row] == v].min()
    assert total < 0


def test_twitter_without_weights(tmp_path):
    """A dense graph with a large core."""
    prepared = prepared_of("snap-ego-twitter-undirected.npz")
    assert prepared.graph.weights is None and prepared.describe()["core"] > 1000
    check_answers(prepared, 18)
    prepared.save(tmp_path / "twitter")
    again = nearfar.load_prepared(tmp_path / "twitter", prepared.graph)
    assert (again.table([5], range(1000)).dist == prepared.table([5], range(1000)).dist).all()

"""Queries on a real cluster: four processes of Dask on this machine. Every answer is the one that is found without."""

from __future__ import annotations

import os
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import nearfar
from helpers.marks import HANG
from nearfar import Graph, errors, generate, metrics

distributed = pytest.importorskip("distributed")
from distributed.protocol.pickle import dumps  # noqa: E402 - after what may be missing

GRAPHS = {
    "roads": lambda: generate.road_grid(40, 40, seed=1),
    "directed, hops": lambda: unweighted(generate.rmat(9, seed=2, undirected=False)),
    "floats": lambda: generate.geometric(900, seed=3),
    "negative": lambda: with_negative(generate.road_grid(15, 15, seed=4)),
    "names": lambda: Graph.from_arcs(list("abcae"), list("bcdde"), [3, 4, 0, 9, 1], names=True),
    "one vertex": lambda: Graph.from_arcs([], [], n=1),
    "wide": lambda: Graph.from_arcs(range(30), range(1, 31), [1 << 30] * 30, undirected=True),
}


def unweighted(graph):
    """Return a graph without its weights."""
    return Graph.from_csr(graph.offsets, graph.heads)


def with_negative(graph):
    """Return a directed graph with some negative weights and no negative cycle: a potential is added."""
    height = np.random.default_rng(5).integers(0, 50, graph.n)
    return Graph.from_csr(graph.offsets, graph.heads, graph.weights + height[graph.heads] - height[graph.tails])


@pytest.fixture(scope="module")
def cluster():
    """Four processes; the folder for graphs is there as long as they are."""
    with nearfar.connect("local:4") as made:
        yield made
        folder = made.spool.path
    assert folder is not None and not Path(folder).exists()


def outcome(asked, **more):
    """Return the answer to a question, or the words of its error."""
    try:
        return asked(**more)
    except errors.NearfarError as error:
        return str(error)


def wait_until(holds):
    """Wait until something holds; fail where it never does."""
    end = time.monotonic() + HANG
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def kept(dask_worker):
    """Return what a worker has loaded: paths, and which objects they became."""
    from nearfar.scale import spool

    return {path: id(thing) for some in (spool._graphs, spool._hierarchies) for (path, *_), thing in some.items()}


def unfinished(dask_worker):
    """Return the tasks that a worker has not forgotten: those that it does, and those that it holds the answer of."""
    return [task.state for task in dask_worker.state.tasks.values()]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("direction", ["from", "to"])
def test_rows(cluster, name, direction):
    graph = GRAPHS[name]()
    sources = [graph.names[v] if graph.names is not None else v for v in range(graph.n)] * 2
    here = nearfar.mssp(graph, sources, direction=direction)
    there = nearfar.mssp(graph, sources, direction=direction, client=cluster)
    assert there.dist.dtype == here.dist.dtype
    assert np.array_equal(there.dist, here.dist)
    assert np.array_equal(there.towards_sources, here.towards_sources)
    assert there.stats["workers"] == 4
    assert there.stats["method"] == here.stats["method"]


@pytest.mark.parametrize("name", GRAPHS)
def test_all_pairs_into_an_array(cluster, name):
    graph = GRAPHS[name]()
    here = nearfar.apsp(graph).dist
    out = np.empty(here.shape, here.dtype)
    assert np.shares_memory(nearfar.apsp(graph, client=cluster, out=out).dist, out)
    assert np.array_equal(out, here)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("block", [None, 7])
def test_stream(cluster, name, block):
    graph = GRAPHS[name]()
    here = nearfar.apsp(graph)
    first = 0
    for rows in nearfar.stream(graph, block=block, client=cluster):
        assert list(rows.sources) == list(here.sources[first : first + len(rows.dist)])
        assert np.array_equal(rows.dist, here.dist[first : first + len(rows.dist)].astype(rows.dist.dtype))
        first += len(rows.dist)
    assert first == graph.n


@pytest.mark.parametrize("name", ["roads", "directed, hops", "floats", "names", "one vertex"])
def test_folds(cluster, name):
    graph = GRAPHS[name]()
    for given in (graph, nearfar.prepare(graph)):
        for metric in (metrics.closeness, metrics.harmonic):
            assert np.array_equal(metric(given, client=cluster).values, metric(given).values, equal_nan=True)
        amounts, ends = np.arange(graph.n), [2, 100]
        here = metrics.accessibility(given, amounts, cutoffs=ends)
        there = metrics.accessibility(given, amounts, cutoffs=ends, client=cluster)
        assert np.array_equal(there.values, here.values)


def test_every_method_that_is_named(cluster):
    graph = generate.road_grid(12, 12, seed=1)
    here = nearfar.apsp(graph).dist
    for method in ("dijkstra", "prepared", "floyd", "frontier"):
        there = nearfar.apsp(graph, method=method, client=cluster)
        assert (there.stats["method"], np.array_equal(there.dist, here)) == (method, True)


def test_no_sources(cluster):
    """What is refused without a cluster is refused with one, in the same words."""
    graph, empty = generate.road_grid(5, 5, seed=1), Graph.from_arcs([], [], n=0)
    for asked in (
        lambda **more: nearfar.mssp(graph, [], **more),
        lambda **more: metrics.closeness(graph, [], **more),
        lambda **more: list(nearfar.stream(graph, [], **more)),
        lambda **more: nearfar.apsp(empty, **more).dist.shape,
        lambda **more: list(nearfar.stream(empty, **more)),
        lambda **more: metrics.closeness(empty, **more).values.shape,
    ):
        assert outcome(asked, client=cluster) == outcome(asked)


def test_what_stands_for_a_cluster(cluster):
    """Dask's client, the address of a scheduler, a number of processes; what is not ours is left as it was."""
    graph, sources = generate.road_grid(10, 10, seed=1), range(20)
    here = nearfar.mssp(graph, sources).dist
    address = cluster.client.scheduler.address
    with distributed.Client(address, set_as_default=False) as client:
        for given in (client, address, "local:2"):
            assert np.array_equal(nearfar.mssp(graph, sources, client=given).dist, here)
        assert client.status == "running"
    assert len(cluster.workers()) == 4


@pytest.mark.parametrize("given", ["local:0", "nowhere", "tcp://127.0.0.1:9", 3])
def test_what_stands_for_none(given, monkeypatch):
    from nearfar.scale import cluster as room

    monkeypatch.setattr(room, "ANSWER", 1.0)
    with pytest.raises(errors.NearfarError, match="local:4"):
        nearfar.connect(given)


def test_graphs_are_loaded_by_path_once_per_worker(cluster, monkeypatch):
    """Nothing of a graph of several MB is in its tasks, and the second call loads nothing."""
    graph, sizes, submit = generate.road_grid(330, 330, seed=1), [], cluster.submit

    def measured(task, report, avoid=()):
        sizes.append(len(dumps((task.function, task.args))))
        return submit(task, report, avoid)

    monkeypatch.setattr(cluster, "submit", measured)
    prepared, seen = nearfar.prepare(graph), []
    for _ in range(3):
        metrics.closeness(prepared, range(0, graph.n, 50), client=cluster)
        seen.append(cluster.client.run(kept))
    ours = {cluster.spool.graph(prepared.graph).path, cluster.spool.hierarchy(prepared.graph, prepared.hierarchy)}
    assert ours <= {path for loaded in seen[-1].values() for path in loaded}
    for address in seen[0]:
        for before, after in pairwise(seen):
            assert all(after[address][path] == before[address][path] for path in ours & before[address].keys())
    assert graph.nbytes > 4e6
    assert max(sizes) < 1e5 and sum(sizes) < 1e6


def test_a_stored_graph_is_not_written_again(cluster, tmp_path):
    graph = generate.road_grid(20, 20, seed=1)
    nearfar.write(graph, tmp_path / "g.nearfar")
    stored = Graph.open(tmp_path / "g.nearfar")
    there = nearfar.mssp(stored, range(50), client=cluster).dist
    assert np.array_equal(there, nearfar.mssp(graph, range(50)).dist)
    assert os.fspath(tmp_path / "g.nearfar") in {path for seen in cluster.client.run(kept).values() for path in seen}


def test_bad_input_is_refused_before_anything_is_sent(cluster, monkeypatch):
    def refuse(*given):
        raise AssertionError("something was sent")

    graph = generate.road_grid(5, 5, seed=1)
    monkeypatch.setattr(cluster, "submit", refuse)
    monkeypatch.setattr(cluster.spool, "graph", refuse)
    for wrong in ({"sources": [25]}, {"cutoff": -1}, {"method": "fastest"}, {"device": "opencl"}, {"memory": "-1 GB"}):
        with pytest.raises(errors.NearfarError):
            nearfar.mssp(graph, **{"sources": [0], **wrong}, client=cluster)
    with pytest.raises(errors.NearfarError):
        metrics.closeness(graph, [25], client=cluster)
    with pytest.raises(errors.MemoryLimitError):
        nearfar.apsp(graph, memory=2000, client=cluster)


def test_errors_of_workers_reach_the_caller(cluster, tmp_path):
    """A graph that is not what was opened any more is refused by name, at once."""
    nearfar.write(generate.road_grid(8, 8, seed=1), tmp_path / "g.nearfar")
    stored = Graph.open(tmp_path / "g.nearfar")
    nearfar.mssp(stored, [0, 1], method="dijkstra")  # which has read the arcs
    nearfar.write(generate.road_grid(8, 8, seed=2), tmp_path / "g.nearfar")
    with pytest.raises(errors.ClusterError, match="another graph"):
        nearfar.mssp(stored, [0, 1], method="dijkstra", client=cluster)


def test_a_caller_who_stops_leaves_idle_workers(cluster):
    """Nothing of a stream that was closed, or that an error of the caller's own ended, goes on or stays."""
    graph = generate.road_grid(60, 60, seed=1)
    rows = nearfar.stream(graph, range(graph.n), block=50, client=cluster)
    next(rows)
    rows.close()

    def stop(done, total):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nearfar.apsp(graph, client=cluster, progress=stop)
    wait_until(lambda: not any(cluster.client.run(unfinished).values()))
    assert not any(cluster.client.processing().values())
    assert np.array_equal(nearfar.mssp(graph, [7], client=cluster).dist, nearfar.mssp(graph, [7]).dist)


def test_progress(cluster):
    seen = []
    nearfar.apsp(generate.road_grid(20, 20, seed=1), client=cluster, progress=lambda *given: seen.append(given))
    assert seen[-1] == (400, 400) and seen == sorted(seen)

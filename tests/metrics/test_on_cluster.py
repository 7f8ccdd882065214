"""Every metric on a real cluster, two processes on this machine: the answer is the one that is found without."""

from __future__ import annotations

import _thread
import gc
import inspect
import os
import threading
import time

import numpy as np
import pytest

import nearfar
from helpers.marks import HANG
from nearfar import Graph, generate, metrics
from nearfar.errors import InputTypeError, MemoryLimitError, MethodError, OptionError
from nearfar.scale import sizing

pytest.importorskip("distributed")

ROUNDED = {"rtol": 1e-12, "atol": 1e-12}  # sums of floats in another order


@pytest.fixture(scope="module")
def cluster():
    with nearfar.connect("local:2") as made:
        yield made


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    """Let every query have about eight tasks, however small it is."""
    monkeypatch.setattr(sizing, "LEAST", 0.0)
    monkeypatch.setattr(sizing, "PIECES", 4)


def roads():
    return generate.road_grid(12, 12, seed=1)


def floats():
    graph = roads()
    return graph.with_weights(graph.row_weights / 10)


def directed():
    return generate.rmat(7, seed=2, undirected=False)


GRAPHS = {
    "roads": roads,
    "floats": floats,
    "directed": directed,
    "prepared": lambda: nearfar.prepare(roads()),
    "prepared floats": lambda: nearfar.prepare(floats()),
    "names": lambda: Graph.from_arcs(list("abcae"), list("bcdde"), [3, 4, 2, 9, 1], names=True),
    "one vertex": lambda: Graph.from_arcs([], [], n=1),
}


def size_of(graph):
    """Return the number of vertices of a graph, prepared or not."""
    return graph.n if isinstance(graph, Graph) else graph.graph.n


def amounts_of(graph):
    """Return an amount per vertex, of which some are 0."""
    return np.random.default_rng(3).integers(0, 9, size_of(graph))


def demand_of(graph, whole=True):
    """Return demand between random vertices, all of them origins."""
    rng, n = np.random.default_rng(4), size_of(graph)
    targets, amounts = rng.integers(0, n, (n, 3)), rng.integers(0, 7, (n, 3))
    matrix = np.zeros((n, n))
    np.add.at(matrix, (np.arange(n)[:, None], targets), amounts * (1.0 if whole else 0.1))
    return matrix


def half_life(d):
    return 0.5 ** (d / 900)


def medians(block):
    return np.median(block.as_float(), axis=1)


# Per row the same steps are done in the same order wherever it is found: equal to the bit, floats, too.
BY_ROW = {
    "closeness": lambda g, **o: metrics.closeness(g, **o),
    "harmonic": lambda g, **o: metrics.harmonic(g, hops=True, **o),
    "eccentricity": lambda g, **o: metrics.eccentricity(g, **o),
    "mean_distance": lambda g, **o: metrics.mean_distance(g, **o),
    "reach": lambda g, **o: metrics.reach(g, [0, 20, 4000], **o),
    "cutoffs": lambda g, **o: metrics.accessibility(g, amounts_of(g), cutoffs=[5, 7000], **o),
    "kinds": lambda g, **o: metrics.accessibility(g, np.outer(amounts_of(g), [1, 2]), cutoffs=3000, **o),
    "exponential": lambda g, **o: metrics.accessibility(g, amounts_of(g), decay="exponential", scale=900, **o),
    "gaussian": lambda g, **o: metrics.accessibility(g, amounts_of(g), decay="gaussian", scale=900, cutoff=4e3, **o),
    "linear": lambda g, **o: metrics.accessibility(g, amounts_of(g), decay="linear", scale=2000, **o),
    "power": lambda g, **o: metrics.accessibility(g, amounts_of(g), decay="power", scale=1.5, direction="to", **o),
    "own decay": lambda g, **o: metrics.accessibility(g, amounts_of(g), decay=half_life, **o),
    "reduce": lambda g, **o: metrics.reduce(g, medians, **o),
    "reduce in blocks": lambda g, **o: metrics.reduce(g, lambda b: np.sort(b.as_float())[:, :1], block=3, **o),
}


@pytest.mark.parametrize("metric", BY_ROW)
@pytest.mark.parametrize("name", GRAPHS)
def test_by_row(cluster, name, metric):
    graph = GRAPHS[name]()
    here, there = BY_ROW[metric](graph), BY_ROW[metric](graph, client=cluster)
    assert there.values.dtype == here.values.dtype
    assert np.array_equal(there.values, here.values, equal_nan=True)
    assert there.name == here.name and there.columns == here.columns
    assert there.stats["workers"] == 2


@pytest.mark.parametrize("name", GRAPHS)
def test_within(cluster, name):
    graph = GRAPHS[name]()
    here, there = metrics.within(graph, 3000), metrics.within(graph, 3000, client=cluster)
    for part in ("offsets", "targets", "dist"):
        assert getattr(there, part).dtype == getattr(here, part).dtype
        assert np.array_equal(getattr(there, part), getattr(here, part))


PATHS = {
    "vertices": lambda g, **o: metrics.betweenness(g, **o),
    "ends": lambda g, **o: metrics.betweenness(g, endpoints=True, **o),
    "arcs": lambda g, **o: metrics.edge_betweenness(g, **o),
    "exact": lambda g, **o: metrics.edge_betweenness(g, ties="exact", **o),
    "cutoff": lambda g, **o: metrics.betweenness(g, cutoff=3000, **o),
    "some": lambda g, **o: metrics.betweenness(g, samples=30, seed=1, hops=True, **o),
    "searched": lambda g, **o: metrics.edge_betweenness(g, method="dijkstra", **o),
}


@pytest.mark.parametrize("metric", PATHS)
@pytest.mark.parametrize("name", GRAPHS)
def test_betweenness(cluster, name, metric):
    graph = GRAPHS[name]()
    here, there = PATHS[metric](graph), PATHS[metric](graph, client=cluster)
    assert np.allclose(there.values, here.values, **ROUNDED)
    assert there.stats["method"] == here.stats["method"]
    again = PATHS[metric](graph, client=cluster)
    assert np.array_equal(again.values, there.values)  # whichever worker was faster


def zeros():
    """Return a graph in which arcs to greater indices may weigh nothing."""
    graph = generate.rmat(7, seed=2, undirected=False)
    flat = (graph.tails < graph.heads) & (graph.weights % 3 == 0)
    return Graph.from_arcs(graph.tails, graph.heads, np.where(flat, 0, graph.weights % 20 + 1) / 10, n=graph.n)


@pytest.mark.parametrize("metric", PATHS)
def test_betweenness_over_zeros(cluster, metric):
    graph = zeros()
    assert graph.min_weight == 0
    here, there = PATHS[metric](graph), PATHS[metric](graph, client=cluster)
    assert np.allclose(there.values, here.values, **ROUNDED) and there.values.max() > 0


def test_zeros_that_cannot_be_counted(cluster):
    """A cycle is found by the caller, what rounding loses by a worker; errors come out as themselves."""
    with pytest.raises(MethodError, match="is part of one"):
        metrics.betweenness(Graph.from_arcs([0, 1], [1, 0], [0, 0]), client=cluster)
    with pytest.raises(MethodError, match="lost in rounding"):
        metrics.betweenness(Graph.from_arcs([0, 1, 2], [1, 2, 1], [1e20, 1, 0]), client=cluster)


@pytest.mark.parametrize("name", GRAPHS)
def test_flows(cluster, name):
    graph = GRAPHS[name]()
    here, there = (metrics.flows(graph, demand_of(graph), **more) for more in ({}, {"client": cluster}))
    assert np.array_equal(there.values, here.values) and there.unserved == here.unserved
    tenths = demand_of(graph, whole=False)
    here, there, again = (metrics.flows(graph, tenths, **more) for more in ({}, *2 * [{"client": cluster}]))
    assert np.allclose(there.values, here.values, **ROUNDED) and np.array_equal(again.values, there.values)


@pytest.mark.parametrize("name", ["roads", "floats", "directed", "prepared"])
def test_select_link(cluster, name):
    graph = GRAPHS[name]()
    plain = graph if isinstance(graph, Graph) else graph.graph
    asked = graph, demand_of(graph), np.arange(0, plain.input_rows.count, 2)
    here, there = metrics.select_link(*asked), metrics.select_link(*asked, client=cluster)
    assert len(here) and there.equals(here)


@pytest.mark.parametrize("name", GRAPHS)
def test_whole_graphs(cluster, name):
    graph = GRAPHS[name]()
    for goal in (metrics.diameter, metrics.radius, metrics.center, metrics.periphery):
        assert goal(graph, reached_only=True, client=cluster) == goal(graph, reached_only=True)
    assert metrics.wiener_index(graph, client=cluster) == metrics.wiener_index(graph)
    here, there = metrics.histogram(graph, 7), metrics.histogram(graph, 7, client=cluster)
    assert np.array_equal(there.counts, here.counts) and np.array_equal(there.edges, here.edges)


def test_plan(cluster):
    here, there = metrics.plan(roads(), method="dijkstra"), metrics.plan(roads(), method="dijkstra", client=cluster)
    assert (there.method, there.threads) == (here.method, 2)
    assert there.seconds == pytest.approx(here.seconds * here.threads / 2)


@pytest.mark.parametrize("name", metrics.__all__)
def test_no_function_ignores_a_client(name):
    function = getattr(metrics, name)
    if inspect.isclass(function):
        return
    more = {
        "accessibility": {"opportunities": {0: 1}, "cutoffs": 1},
        "flows": {"demand": [(0, 1, 1)]},
        "select_link": {"demand": [(0, 1, 1)], "rows": 0},
        "reach": {"cutoffs": 1},
        "within": {"cutoff": 1},
        "reduce": {"function": medians},
    }.get(name, {})
    with pytest.raises(OptionError, match="client is 'nobody'"):
        function(roads(), **more, client="nobody")


def test_no_vertices(cluster):
    """No task, and an answer all the same."""
    graph = Graph.from_arcs([], [])
    for ask in (*BY_ROW.values(), PATHS["vertices"], PATHS["arcs"], metrics.flows):
        given = (graph, []) if ask is metrics.flows else (graph,)
        assert len(ask(*given, client=cluster).values) == len(ask(*given).values) == 0
    assert len(metrics.within(graph, 5, client=cluster)) == 0


def test_a_function_that_cannot_travel(cluster):
    lock = threading.Lock()
    for ask, what in (
        (lambda f: metrics.reduce(roads(), f, client=cluster), "function"),
        (lambda f: metrics.accessibility(roads(), {0: 1}, decay=f, client=cluster), "decay"),
    ):
        with pytest.raises(InputTypeError, match=rf"the {what} cannot be sent .*leave client= out"):
            ask(lambda values: lock and values)


class Mine(Exception):  # noqa: N818 - stands for an exception of the user's
    pass


@pytest.mark.parametrize("kind", [ZeroDivisionError, TimeoutError, ConnectionResetError, FileNotFoundError, Mine])
def test_an_error_of_the_users_function_comes_out_as_itself(cluster, kind):
    """Also those that Dask raises itself when a worker is lost."""
    calls = cluster.patience.losses

    def refuse(values):
        raise kind("not these")

    assert calls > 1
    with pytest.raises(kind, match="not these") as caught:
        metrics.reduce(roads(), refuse, client=cluster)
    assert any("refuse" in note for note in caught.value.__notes__)  # where it happened on the worker
    with pytest.raises(kind, match="not these"):
        metrics.accessibility(roads(), {0: 1}, decay=refuse, client=cluster)


def test_an_error_that_cannot_travel(cluster):
    class Odd(Exception):  # noqa: N818
        def __init__(self, lock):
            super().__init__("odd")
            self.lock = lock

    def refuse(values):
        raise Odd(threading.Lock())

    with pytest.raises(RuntimeError, match="Odd: odd"):
        metrics.reduce(roads(), refuse, client=cluster)


def test_wrong_answers_of_the_users_function(cluster):
    with pytest.raises(InputTypeError, match="one number per row"):
        metrics.reduce(roads(), lambda block: 5, client=cluster)
    with pytest.raises(InputTypeError, match="one number per distance"):
        metrics.accessibility(roads(), {0: 1}, decay=lambda d: 1.0, client=cluster)


def test_memory(cluster):
    with pytest.raises(MemoryLimitError):
        metrics.within(roads(), 10**6, memory=100, client=cluster)


def begun(dask_worker):
    """Return the tasks that a worker has not forgotten."""
    return [task.state for task in dask_worker.state.tasks.values()]


@pytest.mark.parametrize("ending", ["Ctrl-C", "an error"])
def test_workers_stop_when_the_caller_does(cluster, tmp_path, ending):
    """Every task would take an hour, and is ended between two blocks."""
    marker = tmp_path / "begun"

    def slow(block):
        marker.touch()
        time.sleep(0.01)
        return block.as_float()[:, 0]

    def end(*progress):
        if marker.exists():
            if ending == "an error":
                raise Mine("enough")
            _thread.interrupt_main()

    kind = KeyboardInterrupt if ending == "Ctrl-C" else Mine
    with pytest.raises(kind):
        metrics.reduce(roads(), slow, [0] * 2_000_000, block=1, progress=end, client=cluster)
    until = time.monotonic() + HANG
    while any(cluster.client.run(begun).values()):
        assert time.monotonic() < until
        time.sleep(0.1)


def test_nothing_is_left_of_calls(cluster):
    """Arrays, functions, hierarchies and graphs that were written for a call are removed after it.

    Dask lets go of tasks that were cancelled on its own thread.
    """
    until = time.monotonic() + HANG
    while set(os.listdir(cluster.spool.path)) - {"held"}:
        assert time.monotonic() < until
        time.sleep(0.1)
        gc.collect()


def test_after_all_errors_the_next_call_works(cluster):
    assert metrics.diameter(roads(), client=cluster) == metrics.diameter(roads())

"""Small queries: what a graph keeps for the next one changes no answer, and rows settled in one call are the same."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases, cycle_cases, negative_cases
from nearfar import Graph
from nearfar.engine import run
from nearfar.engine.query import Query, check
from nearfar.errors import NearfarError
from nearfar.methods import buckets

STATED = {
    "method": "auto", "device": "auto", "cutoff": None, "threads": None, "progress": False, "dtype": None,
    "memory": None, "out": None, "delta": None,
}  # fmt: skip  # every option, as it is by default
OPTIONS = [{}, {}, {"cutoff": 7}, {"threads": 1}, {"dtype": "float64"}, {"dtype": "int32"}, {"method": "dijkstra"}]
OPTIONS += [{"method": "frontier"}, {"delta": 3}, {"cutoff": -1}, {"threads": 0}, {"memory": 1}, {"method": "bfs"}]
QUERIES = {
    "sssp": lambda graph, s, t, options: nearfar.sssp(graph, s, **options),
    "mssp": lambda graph, s, t, options: nearfar.mssp(graph, [s, t, s], **options),
    "to": lambda graph, s, t, options: nearfar.sssp(graph, s, direction="to", **options),
    "apsp": lambda graph, s, t, options: nearfar.apsp(graph, **options),
    "nearest": lambda graph, s, t, options: nearfar.nearest(graph, [s, t], **options).distances,
    "starts": lambda graph, s, t, options: nearfar.sssp(graph, {s: 2, t: 1}, **options),
    "distance": lambda graph, s, t, options: nearfar.distance(graph, s, t, **options),
    "path": lambda graph, s, t, options: nearfar.path(graph, s, t, **options),
    "out of range": lambda graph, s, t, options: nearfar.sssp(graph, graph.n, **options),
}


def test_a_query_has_all_of_its_fields():
    """It is made from its parts, not by calling the class."""
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    for options in ({}, {"threads": 1}):
        query = check(graph, np.array([0], np.int32), **options)
        assert set(vars(query)) == set(vars(query.but(cutoff=3))) == {field.name for field in fields(Query)}
        assert query.but(cutoff=3).cutoff == 3 and query.cutoff is None


def graph_of(case):
    """Return a new graph, which keeps nothing yet."""
    return Graph.from_arcs(*case.arrays(), n=case.n)


def outcome(ask, *arguments):
    """Return all there is to compare of an answer, or of an error."""
    try:
        answer = ask(*arguments)
    except NearfarError as error:
        return type(error), str(error)
    if not hasattr(answer, "plan"):
        return answer
    plan = replace(answer.plan, available=0)  # memory comes and goes
    limits = (answer.cutoff, answer.direction, answer.rounded, answer.sources.tolist())
    return answer.dist.tolist(), answer.dist.dtype, answer.dist.shape, sorted(answer.stats), plan, limits


@given(cases() | negative_cases() | cycle_cases(), st.data())
def test_a_graph_that_was_asked_before_answers_as_a_new_one(case, data):
    asked = graph_of(case)
    steps = st.tuples(st.sampled_from(sorted(QUERIES)), st.integers(0, case.n - 1), st.integers(0, case.n - 1))
    for name, s, t in data.draw(st.lists(steps, min_size=2, max_size=5)):
        options = data.draw(st.sampled_from(OPTIONS))
        expected = outcome(QUERIES[name], graph_of(case), s, t, STATED | options)
        assert outcome(QUERIES[name], asked, s, t, options) == expected
        assert outcome(QUERIES[name], asked, s, t, options) == expected


@given(cases(), st.data())
def test_rows_settled_in_one_call_are_those_settled_singly(case, data):
    graph = graph_of(case)
    sources = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=9))
    options = data.draw(st.sampled_from([{}, {"cutoff": 7}]))
    singly = [nearfar.sssp(graph, s, **options) for s in sources]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "SMALL_WORK", data.draw(st.sampled_from([0, run.SMALL_WORK])))
        patch.setattr(run, "SHARE_STEPS", data.draw(st.integers(1, 4)) * (graph.n + graph.m))
        patch.setattr(run, "SHARES_PER_THREAD", 1)
        seen = []
        rows = nearfar.mssp(graph, sources, threads=2, progress=lambda *done: seen.append(done), **options)
    assert np.array_equal(rows.as_float(), [one.as_float() for one in singly])
    if all(one.dist.dtype == rows.dist.dtype for one in singly):  # a long distance makes all rows int64
        assert np.array_equal(rows.dist, [one.dist for one in singly])
        assert rows.stats["relaxations"] == sum(one.stats["relaxations"] for one in singly)
    assert seen[-1] == (len(sources), len(sources))


def test_a_distance_beyond_int32_makes_all_rows_int64():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**30] * 3)
    for _ in range(2):
        rows = nearfar.apsp(graph)
        assert rows.dist.dtype == np.int64 and rows[0, 3] == 3 * 2**30 and rows[3, 0] == np.inf
        assert nearfar.sssp(graph, 1).dist.dtype == np.int64  # 2**31 does not fit either
        assert nearfar.sssp(graph, 3).dist.dtype == np.int32


@pytest.mark.parametrize("fault", ["limit", "pool"])
def test_a_queue_that_does_not_suit_is_replaced_in_the_middle_of_a_call(monkeypatch, fault):
    n = 1500  # a hub leads to all others, which are a ring: they come into the queue together
    ring = np.arange(1, n)
    tails, heads = np.r_[0 * ring, ring], np.r_[ring, 1 + ring % (n - 1)]
    graph = Graph.from_arcs(tails, heads, np.r_[100 + 0 * ring, 1 + 0 * ring], n=n)
    sources, expected = [5, 0, 7, 0], nearfar.mssp(graph, [5, 0, 7, 0], method="frontier").dist
    if fault == "limit":
        monkeypatch.setattr(buckets, "PATIENT_RELAXATIONS", 0.5)  # rows of the ring take that much, the hub's more
    else:
        monkeypatch.setattr(buckets, "pool_entries", lambda n, threads=1: 1)
    for _ in range(2):
        rows = nearfar.mssp(graph, sources, threads=1)
        assert np.array_equal(rows.dist, expected)
        assert rows.stats.get("queue") == ("heap" if fault == "limit" else None)
    (kept,) = graph.memo["queues", expected.dtype].spare
    first = buckets.pool_size(1, len(kept.ends))
    assert len(kept.pool) > first if fault == "pool" else len(kept.pool) >= first


def test_threads_that_ask_one_graph_at_once_get_their_own_answers():
    graph = nearfar.generate.road_grid(6, 6, seed=3)
    expected, wrong = nearfar.apsp(graph, method="frontier").dist, []

    def ask(t):
        for i in range(60):
            s = (7 * i + t) % graph.n
            if not np.array_equal(nearfar.sssp(graph, s).dist, expected[s]):
                wrong.append(s)
            if not np.array_equal(nearfar.mssp(graph, [s, t]).dist, expected[[s, t]]):
                wrong.append((s, t))

    threads = [threading.Thread(target=ask, args=(t,)) for t in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_a_graph_keeps_is_not_copied_and_does_not_keep_it():
    graph = nearfar.generate.road_grid(4, 4)
    answer = nearfar.apsp(graph).dist
    nearfar.sssp(graph, 0, direction="to")
    assert graph.memo
    for other in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
        assert not other.memo and np.array_equal(nearfar.apsp(other).dist, answer)
    gone = weakref.ref(graph), weakref.ref(answer)
    enabled = gc.isenabled()
    gc.disable()  # a cycle would have to wait for the collector, with all of its arrays
    try:
        del graph, answer, other
        assert [kept() for kept in gone] == [None, None]
    finally:
        if enabled:
            gc.enable()

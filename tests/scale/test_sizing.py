"""How many rows make a task: within the worker's memory, and so few that all workers end together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearfar import generate
from nearfar.engine.query import check
from nearfar.engine.solve import plan_query
from nearfar.errors import MemoryLimitError
from nearfar.scale.driver import Worker
from nearfar.scale.recipe import BASE, memory_of
from nearfar.scale.sizing import LEAST, PIECES, pieces_of, rows_by_seconds, rows_per_task

GRAPH = generate.road_grid(30, 30, seed=1)


class Crew:
    """A cluster of which only the workers are asked about."""

    def __init__(self, *workers):
        self.people = {str(i): worker for i, worker in enumerate(workers)}

    def workers(self):
        return self.people


workers = st.builds(Worker, threads=st.integers(1, 64), memory=st.integers(0, 1 << 36))


@given(st.lists(workers, min_size=1, max_size=4), st.one_of(st.none(), st.integers(10**6, 10**12)))
def test_tasks_stay_within_the_memory_of_the_least_worker(people, asked):
    query = check(GRAPH, range(10), memory=asked)
    try:
        memory = memory_of(query, Crew(*people))
    except MemoryLimitError as error:
        assert any(worker.memory and worker.memory <= BASE + GRAPH.arc_bytes + 2 * worker.threads for worker in people)
        assert "Start workers with more memory" in str(error)
        return
    assert memory > 0 and (asked is None or memory <= asked)
    for worker in people:
        if worker.memory:
            assert BASE + GRAPH.arc_bytes + worker.threads * memory <= worker.memory
            assert worker.threads * memory <= worker.memory / 2


@given(
    workers,
    st.integers(1, 900),
    st.integers(1, 1 << 24),
    st.integers(0, 1 << 22),
    st.sampled_from(["auto", "dijkstra"]),
)
def test_rows_of_a_task(worker, k, memory, held, method):
    query = check(GRAPH, range(k), method=method)
    size = rows_per_task(query, plan_query(query), Crew(worker), memory, held=held)
    assert 1 <= size <= k
    assert size == 1 or size * held <= memory
    assert sum(len(some) for some in pieces_of(query.sources, size)) == k


@given(st.integers(1, 10**6), st.integers(1, 64), st.floats(1e-6, 10))
def test_tasks_are_many_but_not_short(k, threads, row):
    size = rows_by_seconds(k, Crew(Worker(threads, 0)), row)
    assert 1 <= size <= k
    if size * row > 2 * LEAST and size > 1:
        assert k / size >= PIECES * threads / 2


def test_a_cluster_without_workers_is_planned_for_all_the_same():
    assert memory_of(check(GRAPH, [0]), Crew()) > 0
    assert rows_by_seconds(10, Crew(), 1.0) == 1


def test_a_small_worker_is_refused():
    with pytest.raises(MemoryLimitError, match="a worker of the cluster may use 100 MB"):
        memory_of(check(GRAPH, [0]), Crew(Worker(1, 10**10), Worker(1, 10**8)))

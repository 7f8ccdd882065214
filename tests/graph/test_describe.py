"""The facts of `Graph.describe`: components counted by all threads are those that SciPy counts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearfar.devices import cpu
from nearfar.graph import describe
from nearfar.graph.graph import Graph


def described(graph, threads, part):
    """Describe a graph by kernels on several threads, with small parts."""
    facts = dataclasses.replace(cpu.facts(), cores=threads)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "facts", lambda: facts)
        patch.setattr(describe, "PART", part)
        return describe.describe_graph(graph, few=-1)


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 30))
    ends = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=40))
    weights = draw(st.sampled_from([None, np.int32, np.float64]))
    values = None if weights is None else np.array([(i * 7) % 5 - 2 for i in range(len(ends))], weights)
    return Graph.from_arcs([u for u, _ in ends], [v for _, v in ends], values, n, draw(st.booleans()))


@given(graphs(), st.integers(1, 4), st.integers(1, 50))
@settings(deadline=None)  # the first example compiles
def test_kernels_and_scipy_find_the_same_facts(graph, threads, part):
    assert described(graph, threads, part) == describe.describe_graph(graph)


@pytest.mark.parametrize("arcs", [5_000, 10_000, 30_000])
def test_threads_that_join_the_same_trees_agree(arcs):
    tails, heads = np.random.default_rng(arcs).integers(0, 20_000, (2, arcs))
    graph = Graph.from_arcs(tails, heads, n=20_000)
    expected = describe.describe_graph(graph)
    for _ in range(5):
        assert described(graph, 4, 500) == expected


def test_a_long_path_from_its_end_is_one_component():
    graph = Graph.from_arcs(np.arange(3000, 0, -1), np.arange(2999, -1, -1))
    facts = described(graph, 2, 100)
    assert (facts["components"], facts["largest_component"], facts["self_loops"]) == (1, 3001, 0)


def test_a_graph_without_vertices_has_no_components():
    assert describe.describe_graph(Graph.from_arcs([], []))["components"] == 0

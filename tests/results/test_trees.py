"""Predecessors and origins against their definition, spelled out slowly."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from nearfar import generate
from nearfar.graph import Graph
from nearfar.results.trees import origins, predecessors


def row_predecessors(graph, row, seeds):
    return predecessors(graph, row[None], [seeds])[0]


def graph_of(case):
    return Graph.from_arcs(*case.arrays(), n=case.n)


def by_definition(case, dist, seeds):
    """Hang each vertex on the least tight tail of those with the fewest hops from a seed where it starts."""
    starts = oracle.starts_of(seeds)
    tight = [(u, v) for u, v, w in case.arcs if None not in (dist[u], dist[v]) and case.add(dist[u], w) == dist[v]]
    hops = {s: 0 for s, start in starts.items() if dist[s] == start}
    for hop in range(case.n):
        hops |= {v: hop + 1 for u, v in tight if hops.get(u) == hop and v not in hops}
    return [
        min((u for u, x in tight if x == v and u in hops and hops[u] + 1 == hops.get(v)), default=-1)
        for v in range(case.n)
    ]


@given(strategies.queries(strategies.cases() | strategies.negative_cases()))
def test_predecessors_as_defined(query):
    case, seeds = query
    pred = predecessors(graph_of(case), case.row(seeds)[None], [seeds])
    assert pred.dtype == np.int32
    assert pred[0].tolist() == by_definition(case, case.distances(seeds), seeds)


@given(strategies.starting(strategies.cases() | strategies.negative_cases()))
def test_predecessors_from_starts(query):
    """A seed is a root where it is at its starting distance; elsewhere it hangs below another seed."""
    case, starts = query
    starts = {v: int(start) if strategies.is_whole(case) else start for v, start in starts.items()}
    seeds, at = list(starts), np.array(list(starts.values()))
    pred = predecessors(graph_of(case), case.row(starts)[None], [seeds], starts_per_row=[at])
    assert pred[0].tolist() == by_definition(case, case.distances(starts), starts)


@given(strategies.queries(), st.randoms())
def test_predecessors_do_not_depend_on_the_order_of_arcs_and_seeds(query, random):
    case, seeds = query
    row, arcs = case.row(seeds), list(case.arcs)
    random.shuffle(arcs)
    shuffled = strategies.Case(case.n, tuple(arcs), case.dtype)
    expected = row_predecessors(graph_of(case), row, seeds)
    np.testing.assert_array_equal(row_predecessors(graph_of(shuffled), row, seeds[::-1]), expected)


@given(strategies.queries(max_sources=5))
def test_origins_follow_the_tree(query):
    case, seeds = query
    pred = row_predecessors(graph_of(case), case.row(seeds), seeds)
    for v, origin in enumerate(origins(pred, seeds).tolist()):
        while pred[v] >= 0:
            v = pred[v]
        assert origin == (v if v in seeds else -1)


def test_several_rows():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [1, 2, 3])
    rows = np.array([[0, 1, 3], [5, 0, 2], [3, 4, 0]], dtype=np.int32)
    assert predecessors(graph, rows, [[0], [1], [2]]).tolist() == [[-1, 0, 1], [2, -1, 1], [2, 0, -1]]
    assert predecessors(graph, np.asfortranarray(rows), [[0], [1], [2]]).tolist()[1] == [2, -1, 1]
    assert predecessors(graph, rows[:0], []).shape == (0, 3)


def test_threads_share_the_rows():
    graph = generate.road_grid(60, 60, seed=2)
    rows = nearfar.mssp(graph, range(40)).rows
    seeds = [[s] for s in range(40)]
    np.testing.assert_array_equal(predecessors(graph, rows, seeds, threads=3), predecessors(graph, rows, seeds))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_zero_cycle_makes_no_predecessor_cycle(dtype):
    graph = Graph.from_arcs([0, 1, 2, 3, 3], [1, 2, 3, 1, 0], np.array([4, 0, 0, 0, 0], dtype=dtype))
    assert row_predecessors(graph, np.array([0, 4, 4, 4], dtype=dtype), [0]).tolist() == [-1, 0, 1, 2]


def test_fewest_hops_come_before_the_least_vertex():
    graph = Graph.from_arcs([4, 0, 1, 4, 4], [0, 1, 3, 2, 3], [0, 0, 5, 5, 5])
    assert row_predecessors(graph, np.array([0, 0, 5, 5, 0], dtype=np.int32), [4]).tolist() == [4, 0, 4, 4, -1]


def test_sums_beyond_the_type_are_no_tight_arcs():
    top = 2**31 - 1
    graph = Graph.from_arcs([0, 1, 1], [1, 2, 3], [top - 1, 1, 5])
    row = np.array([0, top - 1, top, top], dtype=np.int32)  # the sum over arc 1 equals the mark of the unreached
    assert row_predecessors(graph, row, [0]).tolist() == [-1, 0, -1, -1]
    graph = Graph.from_arcs([0, 1], [1, 2], [1e308, 1e308])
    assert row_predecessors(graph, np.array([0, 1e308, np.inf]), [0]).tolist() == [-1, 0, -1]
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 2], [2**62, 2**62, 7])
    assert row_predecessors(graph, np.array([0, 2**62, 7]), [0]).tolist() == [-1, 0, 0]


@pytest.mark.parametrize(("weights", "dtype"), [("float64", "float32"), ("float32", "float64"), ("int32", "float32")])
def test_sums_round_in_the_type_of_the_distances(weights, dtype):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.array([16777216, 1, 1 / 3], dtype="f8").astype(weights))
    lengths = graph.weights.astype(dtype)
    row = np.zeros(4, dtype=dtype)
    for v in range(3):
        row[v + 1] = row[v] + lengths[v]
    assert row_predecessors(graph, row, [0]).tolist() == [-1, 0, 1, 2]


@pytest.mark.parametrize("arcs", [([], [], None), ([0], [1], None), ([0], [1], [3]), ([0], [1], [0.5])])
def test_hardly_any_arcs(arcs):
    graph = Graph.from_arcs(*arcs, n=2)
    length = 1 if arcs[2] is None else arcs[2][0]
    row = np.array([0, length], dtype=graph.weight_dtype or np.int32) if graph.m else np.array([0, 2**31 - 1], np.int32)
    assert row_predecessors(graph, row, [0]).tolist() == [-1, 0 if graph.m else -1]


def test_no_vertices():
    graph = Graph.from_arcs([], [], n=0)
    assert predecessors(graph, np.zeros((0, 0), dtype=np.int32), []).shape == (0, 0)


def test_a_seed_below_zero_hangs_from_another():
    graph = Graph.from_arcs([0, 1], [1, 2], [-2, 1])
    pred = row_predecessors(graph, np.array([0, -2, -1], dtype=np.int32), [0, 1])
    assert pred.tolist() == [-1, 0, 1]
    assert origins(pred, [0, 1]).tolist() == [0, 0, 0]


def test_origins_of_a_long_chain_need_no_recursion():
    pred = np.append(np.arange(1, 20_000), -1).astype(np.int32)
    assert (origins(pred, [19_999]) == 19_999).all()
    pred.flags.writeable = False
    assert (origins(pred, np.array([], dtype=np.int32)) == -1).all()


@pytest.mark.parametrize("module", ["results.trees", "results", "certificate"])
def test_importing_loads_nothing_heavy(module):
    heavy = "{'numba', 'scipy', 'pandas'}"
    code = f"import sys, nearfar.{module}; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"

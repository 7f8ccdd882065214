"""Predecessors and origins against their definition, spelled out slowly."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from nearfar import generate
from nearfar.graph import Graph
from nearfar.kernels.cpu.aligned import new_lanes
from nearfar.results import tree_blocks, trees
from nearfar.results.trees import origins, predecessors, reverse_if_worth


def row_predecessors(graph, row, seeds):
    return predecessors(graph, row[None], [seeds])[0]


def graph_of(case):
    return Graph.from_arcs(*case.arrays(), n=case.n)


def both_ways(case, seeds):
    """Return the predecessors of the row from ``seeds``, with the reversed graph and without: they must agree."""
    graph, starts = graph_of(case), oracle.starts_of(seeds)
    at = [np.array(list(starts.values()))]
    pushed, pulled = (
        predecessors(graph, case.row(starts)[None], [list(starts)], 1, at, back=back)
        for back in (None, graph.reverse())
    )
    assert pushed.dtype == pulled.dtype == np.int32
    assert pushed.tolist() == pulled.tolist()
    return pulled[0].tolist()


def by_rule(case, seeds):
    """Return the predecessors that the oracle finds."""
    rule = oracle.fewest_arcs if any(w < 0 for _, _, w in case.arcs) else oracle.predecessors
    return rule(case.n, case.arcs, case.distances(seeds), seeds, case.add)


def tied():
    """Graphs with few different weights: many shortest paths, and many arcs of weight zero."""
    small = strategies.cases(dtypes=("int32", "float32"), max_n=9)
    return small.map(lambda case: replace(case, arcs=tuple((u, v, int(w) % 3) for u, v, w in case.arcs)))


@given(strategies.queries(strategies.cases() | strategies.negative_cases() | tied()))
def test_predecessors_as_defined(query):
    case, seeds = query
    assert both_ways(case, seeds) == by_rule(case, seeds)


@given(strategies.starting(strategies.cases() | strategies.negative_cases() | tied()))
def test_predecessors_from_starts(query):
    """A seed is a root where it is at its starting distance; elsewhere it hangs below another seed."""
    case, starts = query
    starts = {v: int(start) if strategies.is_whole(case) else start for v, start in starts.items()}
    assert both_ways(case, starts) == by_rule(case, starts)


@given(strategies.queries(strategies.cases() | strategies.negative_cases() | tied()))
def test_fewest_arcs_as_defined(query):
    case, seeds = query
    pred = predecessors(graph_of(case), case.row(seeds)[None], [seeds], fewest_arcs=True)
    assert pred[0].tolist() == oracle.fewest_arcs(case.n, case.arcs, case.distances(seeds), seeds, case.add)


@given(strategies.queries(strategies.cases() | tied()))
def test_undirected_graphs_are_their_own_reverse(query):
    case, seeds = query
    mirrored = replace(case, arcs=case.arcs + tuple((v, u, w) for u, v, w in case.arcs))
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=True)
    assert row_predecessors(graph, mirrored.row(seeds), seeds).tolist() == by_rule(mirrored, seeds)


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


@pytest.mark.parametrize("k", [1, 2, 40])
@pytest.mark.parametrize("ahead", [True, False])
def test_threads_share_rows_and_parts_of_them(k, ahead, monkeypatch):
    monkeypatch.setattr(trees, "SMALL_WORK", 0)
    graph = generate.rmat(9, edge_factor=8, max_weight=3, undirected=False, seed=2)
    graph = graph.with_weights(graph.row_weights - 1)  # 0, 1 or 2: some vertices are left over by the first pass
    rows, seeds = nearfar.mssp(graph, range(k)).rows, [[s] for s in range(k)]
    back = graph.reverse() if ahead else None
    several = predecessors(graph, rows, seeds, threads=3, back=back)
    np.testing.assert_array_equal(several, predecessors(graph, rows, seeds, back=back))
    arcs = list(zip(graph.tails.tolist(), graph.heads.tolist(), graph.weights.tolist(), strict=True))
    dist = [None if d == 2**31 - 1 else d for d in rows[0].tolist()]
    assert several[0].tolist() == oracle.predecessors(graph.n, arcs, dist, [0])


@st.composite
def several_rows(draw):
    """Return a graph and the rows of some sources, perhaps with a limit beyond which nothing is reached."""
    case = draw(strategies.cases() | tied())
    sources = draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=20))
    rows = np.stack([case.row([s]) for s in sources])
    limit = draw(st.none() | st.sampled_from(rows.ravel().tolist()))
    if limit is not None:
        rows[rows > limit] = np.inf if rows.dtype.kind == "f" else np.iinfo(rows.dtype).max
    return case, rows, [[s] for s in sources]


def row_by_row(graph, rows, seeds, back):
    """Return the predecessors without blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "rows_in_blocks", lambda *given: 0)
        return predecessors(graph, rows, seeds, back=back)


@given(several_rows(), st.booleans(), st.integers(1, 3), st.integers(1, 16))
def test_blocks_of_rows_are_as_single_rows(query, shared, threads, fewest):
    case, rows, seeds = query
    graph = graph_of(case)
    back = graph.reverse()
    wanted = row_by_row(graph, rows, seeds, back)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "SMALL_WORK", 0)
        patch.setattr(tree_blocks, "FEWEST_ROWS", fewest)
        patch.setattr(tree_blocks, "SHARED_WORK", 0 if shared else 1 << 30)
        np.testing.assert_array_equal(predecessors(graph, rows, seeds, threads, back=back), wanted)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_blocks_of_a_graph_with_hubs_and_zeros(dtype, monkeypatch):
    """Many ties: the least-numbered tail often is at the end of a flat arc, which must not count."""
    monkeypatch.setattr(trees, "SMALL_WORK", 0)
    graph = generate.rmat(7, edge_factor=8, max_weight=3, seed=2)
    graph = graph.with_weights((graph.row_weights - 1).astype(dtype))
    found = nearfar.mssp(graph, range(40), cutoff=2)  # some vertices are unreached from some sources only
    seeds = [[s] for s in range(40)]
    wanted = row_by_row(graph, found.rows, seeds, graph)
    np.testing.assert_array_equal(predecessors(graph, found.rows, seeds, back=graph), wanted)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32])
def test_sums_beyond_the_type_are_no_tight_arcs_in_blocks(dtype, monkeypatch):
    """The sum of two numbers of the type wraps, or is infinite, or is the mark: it must not lead to a vertex."""
    monkeypatch.setattr(trees, "SMALL_WORK", 0)
    mark = np.inf if dtype is np.float32 else np.iinfo(dtype).max
    far = np.finfo(dtype).max if dtype is np.float32 else mark - 1
    graph = Graph.from_arcs([0, 1, 1, 2], [1, 2, 3, 3], np.array([far, far, 1, far], dtype))
    rows = np.array([[0, far, mark, mark], [mark, mark, mark, 0]] * 8, dtype)
    assert tree_blocks.rows_in_blocks(graph, rows) == 16
    found = predecessors(graph, rows, [[0], [3]] * 8, back=graph.reverse())
    assert found.tolist() == [[-1, 0, -1, -1], [-1, -1, -1, -1]] * 8


def test_which_rows_are_done_in_blocks(monkeypatch):
    graph = Graph.from_arcs([0], [1], [7])
    counts = [tree_blocks.rows_in_blocks(graph, np.zeros((k, 2), np.int32)) for k in (0, 5, 6, 16, 21, 22, 64)]
    assert counts == [0, 0, 6, 16, 16, 22, 64]
    heavy = Graph.from_arcs([0, 0], [1, 1], [7, 2**32 + 7])  # the weight does not fit the distances
    rows = np.array([[0, 7]] * 16, np.int32)
    assert tree_blocks.rows_in_blocks(heavy, rows) == 0
    assert tree_blocks.rows_in_blocks(heavy, rows.astype(np.int64)) == 16
    monkeypatch.setattr(trees.cpu, "facts", lambda: SimpleNamespace(memory=1000))
    assert tree_blocks.rows_in_blocks(graph, rows) == 0


def test_many_arcs_of_a_vertex():
    """The arcs of a hub are looked at in another way than the first few."""
    tails = np.arange(1, 60)
    graph = Graph.from_arcs(
        np.append(np.zeros(59, int), tails), np.append(tails, np.full(59, 60)), np.r_[tails, 60 - tails]
    )
    row = np.append(np.arange(60), 60).astype(np.int32)
    for back in (None, graph.reverse(), Graph.from_arcs(graph.heads[::-1], graph.tails[::-1], graph.weights[::-1])):
        assert predecessors(graph, row[None], [[0]], back=back)[0].tolist() == [-1, *[0] * 59, 1]


def test_the_reversed_graph_is_made_for_enough_rows(monkeypatch):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [1, 2, 3])
    rows = np.array([[0, 1, 3], [5, 0, 2], [3, 4, 0]], dtype=np.int32)
    for _ in range(2):
        assert reverse_if_worth(graph, trees.REVERSE_FROM - 1) is None and graph.known_reverse is None
    predecessors(graph, rows, [[0], [1], [2]])
    monkeypatch.setattr(trees.cpu, "facts", lambda: SimpleNamespace(memory=8))
    assert reverse_if_worth(graph, 99) is None
    monkeypatch.undo()
    monkeypatch.setattr(trees, "SMALL_WORK", 0)
    assert reverse_if_worth(graph, 1) is graph.reversed is graph.known_reverse
    other = Graph.from_arcs([0], [1], undirected=True)
    assert reverse_if_worth(other, 1) is other


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_zero_cycle_makes_no_predecessor_cycle(dtype):
    graph = Graph.from_arcs([0, 1, 2, 3, 3], [1, 2, 3, 1, 0], np.array([4, 0, 0, 0, 0], dtype=dtype))
    assert row_predecessors(graph, np.array([0, 4, 4, 4], dtype=dtype), [0]).tolist() == [-1, 0, 1, 2]


def test_the_least_vertex_comes_first_unless_the_fewest_arcs_are_wanted():
    graph = Graph.from_arcs([4, 0, 1, 4, 4], [0, 1, 3, 2, 3], [0, 0, 5, 5, 5])
    row = np.array([0, 0, 5, 5, 0], dtype=np.int32)
    assert row_predecessors(graph, row, [4]).tolist() == [4, 0, 4, 1, -1]
    assert predecessors(graph, row[None], [[4]], fewest_arcs=True)[0].tolist() == [4, 0, 4, 4, -1]


def test_an_arc_that_lengthens_the_path_comes_before_flat_arcs():
    graph = Graph.from_arcs([3, 2, 0], [2, 1, 1], [0, 5, 0], n=4)  # 1 at 5, from 2 or flat from 0, which starts at 5
    pred = predecessors(graph, np.array([[5, 5, 0, 0]], dtype=np.int32), [[3, 0]], 1, [[0, 5]])
    assert pred[0].tolist() == [-1, 2, 3, -1]


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


def test_passes_over_the_arcs_look_at_the_stop_flag():
    """Otherwise Ctrl-C would have to wait for the end of a row."""
    from nearfar.kernels.cpu import trees as kernels

    graph, row = generate.road_grid(3, 3), np.arange(9, dtype=np.int32)
    stop, wide, queue = np.ones(1, np.int64), np.empty(0, np.int64), np.zeros(9, np.int32)
    pred = np.full(9, 77, np.uint32)
    arcs = (graph.offsets, graph.arcs, row, np.int32(2**31 - 1), wide)
    assert kernels.pull(*arcs, 0, 9, pred, stop) == 0
    assert kernels.push(*arcs, 0, 9, False, pred, stop) == 0
    assert kernels.search(*arcs, 9, pred, queue.copy(), queue, stop) == 0
    assert (pred == 77).all()
    block, table = tree_blocks.Block(graph, row[None], pred.view(np.int32)[None], stop), new_lanes(9, row.dtype)
    table[:] = 5
    block.lay_out(table, 0, 9)
    block.pull(table, 0, 9)
    assert (pred == 77).all() and (table == 5).all() and block.missing() == [0]


def test_no_vertices():
    graph = Graph.from_arcs([], [], n=0)
    assert predecessors(graph, np.zeros((0, 0), dtype=np.int32), []).shape == (0, 0)


def test_a_seed_below_zero_hangs_from_another():
    graph = Graph.from_arcs([0, 1], [1, 2], [-2, 1])
    pred = row_predecessors(graph, np.array([0, -2, -1], dtype=np.int32), [0, 1])
    assert pred.tolist() == [-1, 0, 1]
    assert origins(pred, [0, 1]).tolist() == [0, 0, 0]


def test_a_cycle_has_no_origin():
    """A damaged tree: the certificate must be able to say so."""
    assert origins(np.array([-1, 2, 3, 1, 0, 3], np.int32), [0]).tolist() == [0, -1, -1, -1, 0, -1]


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

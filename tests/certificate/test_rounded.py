"""The certificate of floats that were added in another order passes what rounding explains, and catches the rest."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.able import ROUNDING
from nearfar.certificate import proof
from nearfar.certificate.rounded import CycleError, measure
from nearfar.certificate.verify import verify
from nearfar.engine.solve import solve_again
from nearfar.graph import Graph
from nearfar.results import Distances, Nearest, forest

FLOATS = ("float32", "float64")
ANY = strategies.cases(dtypes=FLOATS) | strategies.negative_cases(dtypes=FLOATS)
WRONG = {np.dtype("float32"): 1e-3, np.dtype("float64"): 1e-6}  # shares by which a distance is surely wrong


def ids(*vertices):
    return np.array(vertices, dtype=np.int32)


def rounded(graph, rows, sources=(0,), **options):
    return Distances(graph, ids(*sources), rows, rounded=True, solve_again=solve_again, **options)


def shaken(row, seeds, data):
    """Return a row that is off by as much as a sum in another order may be: an eps of every distance."""
    up = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=len(row), max_size=len(row)))
    finite = row[row < np.inf]
    scale = np.where(row < np.inf, row if (finite >= 0).all() else np.abs(finite).max(), 0)
    other = row + (np.array(up) * np.finfo(row.dtype).eps * scale).astype(row.dtype)
    other[seeds] = row[seeds]
    return other


def shuffled_sums(n, dtype):
    """A chain of n tenths, and its distances as sums of pairs and of pairs of pairs: not as along the path."""
    graph = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, 0.1, dtype))
    return graph, np.array([[np.full(k, 0.1, dtype).sum(dtype=dtype) for k in range(n)]])


@given(strategies.queries(ANY), st.data(), st.integers(1, 50))
def test_rounded_rows_pass(query, data, block):
    case, sources = query
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    rows = np.stack([shaken(case.row([s]), [s], data) for s in sources])
    found = rounded(graph, rows, sources)
    certificate = verify(graph, found)
    assert certificate.problems == [] and certificate.rounding < 1e-5
    assert (
        found.predecessors.tobytes()
        == Distances(graph, ids(*sources), np.stack(list(map(case.row, zip(sources))))).predecessors.tobytes()
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "BLOCK", block)
        assert verify(graph, found).problems == []


@given(strategies.queries(ANY, max_sources=1), st.data())
def test_wrong_distances_are_caught(query, data):
    case, sources = query
    graph, row = Graph.from_arcs(*case.arrays(), n=case.n), case.row(sources)
    v = data.draw(st.integers(0, case.n - 1))
    if row[v] == np.inf:
        row[v] = data.draw(st.sampled_from([0, 1, 1000]))
    else:
        size = 2 * np.abs(row[row < np.inf]).max() if graph.min_weight < 0 else row[v]
        assume(size > 0)
        sign = data.draw(st.sampled_from([1, -1, np.inf]))
        row[v] += row.dtype.type(sign * size * WRONG[row.dtype])
    certificate = verify(graph, rounded(graph, row[None], sources))
    assert not certificate and certificate.rounding is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_pairs_along_a_chain(dtype):
    """Exact mode refuses them, as it should; the bound that is proved is near the truth."""
    graph, rows = shuffled_sums(2000, dtype)
    assert not verify(graph, Distances(graph, ids(0), rows))
    certificate = verify(graph, rounded(graph, rows))
    assert certificate.problems == []
    assert 0 < certificate.rounding < 2 * 2000 * np.finfo(np.float64).eps + 20 * np.finfo(dtype).eps
    assert str(certificate).startswith(
        "exact up to rounding: 1 row of 2,000 distances proved over 1,999 arcs, none off"
    )
    for v in (1, 1000, 1999):
        for sign in (1, -1):
            wrong = rows.copy()
            wrong[0, v] *= 1 + sign * WRONG[wrong.dtype]
            assert not verify(graph, rounded(graph, wrong))


def test_errors_do_not_add_up_along_a_path():
    """Every arc lacks less than is forgiven where trees are grown, all of them together are a tenth too little."""
    n = 1000
    graph, rows = shuffled_sums(n, "float32")
    assert verify(graph, rounded(graph, rows))
    rows[0] *= np.float32(1 - 1e-4) ** np.arange(n, dtype=np.float32)
    assert "a shortest path to it has length" in verify(graph, rounded(graph, rows)).problems[0]


def test_near_ties_are_told_apart():
    """Two ways that differ by less than the row's own rounding: the row may hint at the longer one."""
    weights = np.array([1, 1, 1, 1 + 2e-7, 0.5], np.float32)
    graph = Graph.from_arcs([0, 1, 0, 2, 3], [1, 3, 2, 3, 4], weights)
    row = np.array([[0, 1, 1, 2, 2.5]], np.float32)
    row[0, 1] += np.float32(5e-7)  # so that the way over 2 seems shorter
    assert verify(graph, rounded(graph, row)).problems == []


def test_a_circle_that_nothing_holds():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 1], [5.0, 0.0, 0.0])
    assert verify(graph, rounded(graph, np.array([[0.0, 5, 5]])))
    assert not verify(graph, rounded(graph, np.array([[0.0, 4, 4]])))
    apart = Graph.from_arcs([1, 2], [2, 1], [0.0, 0.0], n=3)
    problems = verify(apart, rounded(apart, np.array([[0.0, 4, 4]]))).problems
    assert problems[0] == "vertex 1 has 4.0, but no path leads to it, and rounding makes no such difference"


def test_unreached_that_is_not():
    graph = Graph.from_arcs([0, 1], [1, 2], [0.5, 0.25])
    problems = verify(graph, rounded(graph, np.array([[0, 0.5, np.inf]]))).problems
    assert problems == ["vertex 2 has no distance (unreached), but arc 1 (1 -> 2, weight 0.25) leads to it with 0.75"]


def test_cancelling_weights():
    """0.1 + 0.2 - 0.3 is 0 or 5.6e-17, by the order of adding: errors are shares of the greatest distance."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [0.1, 0.2, -0.3])
    for last in (0.1 + 0.2 - 0.3, 0.1 + (0.2 - 0.3), 0.0):
        assert verify(graph, rounded(graph, np.array([[0, 0.1, 0.1 + 0.2, last]]))).problems == []
    assert not verify(graph, rounded(graph, np.array([[0, 0.1, 0.1 + 0.2, 1e-7]])))


@given(strategies.queries(strategies.cycle_cases(dtypes=FLOATS), max_sources=1), st.data())
def test_no_distances_pass_on_a_negative_cycle(query, data):
    case, sources = query
    assume(case.row(sources) is None)
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    row = np.array(data.draw(st.lists(st.integers(-20, 20), min_size=case.n, max_size=case.n)), case.dtype)
    row[sources[0]] = 0
    for options in ({}, {"cutoff": 5}):
        assert not verify(graph, rounded(graph, row[None], sources, **options))


def test_trees_that_are_none():
    with pytest.raises(CycleError):
        measure(ids(0, 2, 1), np.array([0.0, 1, 1]), np.zeros(3))
    lengths, hops = measure(ids(0, 0, 1, 2), np.array([0.0, 1, 2, 3]), np.array([5.0, 0, 0, 0]))
    assert lengths.tolist() == [5, 6, 8, 11] and hops == 3


@pytest.fixture
def tenths():
    """0 -> 1 -> 2 -> 3 by tenths, 0 -> 3 by one arc that is longer, 4 apart; rows as along the path."""
    graph = Graph.from_arcs([0, 1, 2, 0], [1, 2, 3, 3], [0.1, 0.1, 0.1, 0.4], n=5)
    found = rounded(graph, np.array([[0, 0.1, 0.2, 0.3, np.inf]]), single=True)
    assert found.predecessors.tolist() == [-1, 0, 1, 2, -1] and verify(graph, found)
    return found


@pytest.mark.parametrize(
    ("v", "u", "problem"),
    [
        (3, 0, "vertex 3 has 0.3, but the path over predecessor 0 has length 0.4"),
        (3, 1, "vertex 3 has 0.3, but the path over predecessor 1 has length inf"),
        (3, -1, "vertex 3 is reached, but has no predecessor"),
        (0, 1, "vertex 0 is a source, but has predecessor 1: it should be -1"),
        (4, 1, "vertex 4 is unreached, but has predecessor 1: it should be -1"),
        (1, 2, "vertex 1 has predecessors that never lead to a source"),
        (1, 9, "the predecessors must be 5 int32 numbers from -1 to 4"),
    ],
)
def test_wrong_predecessors(tenths, v, u, problem):
    tenths.predecessors[v] = u
    assert verify(tenths.graph, tenths).problems[0] == problem


@pytest.mark.parametrize(("v", "source"), [(1, 3), (2, 0), (2, -1), (4, 0)])
def test_wrong_nearest_source(v, source):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [0.1, 0.9, 0.1], n=5, undirected=True)
    row = np.array([[0, 0.1, 0.1, 0, np.inf]])
    near = Nearest(rounded(graph, row, seeds=ids(0, 3), single=True))
    assert near.source.tolist() == [0, 0, 3, 3, -1] and verify(graph, near)
    near.source[v] = source
    assert f"vertex {v} " in verify(graph, near).problems[0]
    near._source = near.source.astype(np.int64)
    assert verify(graph, near).problems == ["the nearest sources must be 5 int32 numbers"]


def test_ties_of_sources_that_rounding_decides():
    """Either of two sources at the same distance may be named, whichever rounding made nearer."""
    graph = Graph.from_arcs([0, 1, 3], [1, 2, 2], [0.1, 0.2, 0.3])  # 0.1 + 0.2 is a little more than 0.3
    near = Nearest(rounded(graph, np.array([[0, 0.1, 0.3, 0]]), seeds=ids(0, 3), single=True))
    for source in (0, 3):
        near.source[2] = source
        assert verify(graph, near).problems == []


# Limits, where rounding may put a vertex in or out.


@pytest.fixture
def last_step():
    """0 -1-> 1 -0-> 2: both ends at 1, if rounding does not part them; 2 is the target."""
    return Graph.from_arcs([0, 1], [1, 2], [1.0, 0.0])


@pytest.mark.parametrize("options", [{"cutoff": 1.0}, {"targets": ids(2)}], ids=["cutoff", "targets"])
def test_a_path_over_a_vertex_that_rounding_left_out(last_step, options):
    """Trees hold reached vertices only; the path, the nearest source and the certificate are right all the same."""
    row = np.array([[0, np.inf, 1.0]])
    found = rounded(last_step, row, single=True, **options)
    assert verify(last_step, found).problems == []
    assert found.predecessors.tolist() == [-1, -1, -1]
    assert found.path(2) == [0, 1, 2] and verify(last_step, found)
    near = Nearest(rounded(last_step, row, seeds=ids(0), single=True, **options))
    assert near.source.tolist() == [0, -1, 0] and near.path(2) == [0, 1, 2] and verify(last_step, near)


def test_what_is_surely_within_the_limit_must_be_there(last_step):
    assert verify(last_step, rounded(last_step, np.array([[0, np.inf, np.inf]]), cutoff=1 - 1e-15))
    assert verify(last_step, rounded(last_step, np.array([[0, np.inf, np.inf]]), cutoff=1.0))  # rounding may say so
    problems = verify(last_step, rounded(last_step, np.array([[0, np.inf, np.inf]]), cutoff=1.001)).problems
    assert problems[0].startswith("vertex 1 has no distance (unreached), but")
    assert not verify(last_step, rounded(last_step, np.array([[0, 1, 1.0]]), cutoff=0.999))


def test_negative_weights_under_a_limit():
    """The path to 2 leaves the limit and comes back."""
    graph = Graph.from_arcs([0, 1, 0], [1, 2, 3], [0.9, -0.8, 0.6])
    row = np.array([[0, np.inf, 0.9 - 0.8 + 1e-16, np.inf]])
    found = rounded(graph, row, cutoff=0.5)
    assert found.predecessors.tolist() == [[-1, -1, -1, -1]] and verify(graph, found).problems == []
    for v, value in ((1, 0.5), (2, 0.11), (2, np.inf), (3, 0.4)):
        wrong = row.copy()
        wrong[0, v] = value
        assert not verify(graph, rounded(graph, wrong, cutoff=0.5))


def test_nearest_with_negative_weights_under_a_limit():
    """The source itself is out of the limit, so nothing hangs from it."""
    graph = Graph.from_arcs([1], [0], [-1.0])
    near = Nearest(rounded(graph, np.array([[-1, np.inf]]), sources=[1], seeds=ids(1), single=True, cutoff=-1))
    assert near.source.tolist() == [-1, -1] and verify(graph, near).problems == []
    near.source[1] = 1
    assert verify(graph, near).problems == ["vertex 1 is unreached, but has source 1: it should be -1"]


# Results.


@pytest.mark.parametrize("method", ROUNDING)
def test_results_know_that_they_are_rounded(method):
    for weights, answer in (([1, 2], False), ([0.1, 0.2], True), (None, False)):
        graph = Graph.from_arcs([0, 1], [1, 2], weights)
        found = nearfar.mssp(graph, [0, 1], method=method)
        assert found.rounded == answer and (verify(graph, found).rounding is not None) == answer
        assert not nearfar.mssp(graph, [0, 1], method="dijkstra").rounded
    again = pickle.loads(
        pickle.dumps(found := nearfar.sssp(Graph.from_arcs([0, 1], [1, 2], [0.1, 0.2]), 0, method=method))
    )
    assert again.rounded and again.path(2) == found.path(2) == [0, 1, 2]


def test_rows_are_solved_again_some_at_a_time(monkeypatch):
    """Only for the rows whose trees are asked for."""
    graph = nearfar.generate.geometric(60, seed=1)
    exact = nearfar.apsp(graph, method="dijkstra")
    asked = []

    def noted(found, numbers):
        asked.append(list(numbers))
        return solve_again(found, numbers)

    monkeypatch.setattr(forest, "ROUNDED_AT_ONCE", 7 * graph.n)
    found = Distances(graph, exact.source_indices, exact.rows.copy(), rounded=True, solve_again=noted)
    assert found.path(3, source=9) == exact.path(3, source=9) and asked == [[9]]
    assert (found.predecessors == exact.predecessors).all()
    assert asked[1:] == [list(range(first, min(first + 7, 60))) for first in range(0, 60, 7)]
    for u, v in pairwise(found.path(3, source=9)):
        assert v in graph.heads[graph.offsets[u] : graph.offsets[u + 1]]


def test_without_a_way_to_solve_again():
    """A result from elsewhere hangs its trees from its own distances."""
    graph = Graph.from_arcs([0], [1], [0.5])
    assert Distances(graph, ids(0), np.array([[0, 0.5]]), rounded=True).predecessors.tolist() == [[-1, 0]]

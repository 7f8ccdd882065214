"""Starting distances: every method x every type of weights, with limits: the oracle's answer, and the certificate.

The plain way to start from several vertices is one more vertex, with an arc to each of them. The oracle is given the
starts themselves, and one test compares both.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.able import ALL, NEGATIVE, able
from helpers.asking import (
    TOP,
    assert_negative_cycle,
    assert_same,
    build,
    expected_starts,
    limited,
    numbers_of,
    rows_of,
)
from helpers.marks import JIT
from helpers.shapes import any_shape, shaped
from helpers.stopping import stopping
from nearfar import Graph
from nearfar.engine import planner, run
from nearfar.errors import NegativeCycleError
from nearfar.methods import buckets

EXAMPLES = 15 if JIT else 6
METHODS = tuple(method for method in ALL if method != "bfs")  # which starts at 0
QUERIES = ("sssp", "nearest")
negative_starting = strategies.starting(strategies.negative_cases())


@pytest.fixture(scope="module", autouse=True)
def threads_for_small_work():
    """Small work runs on the caller's thread and small rows are not shared; here they get the threads they ask for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "SMALL_WORK", 0)
        patch.setattr(planner, "PARALLEL_ARCS", 1)
        yield


ask = stopping


def methods_for(graph):
    """Return the methods that take the weights of a graph, and starts."""
    return [method for method in able(graph) if method in METHODS]


@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=4 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_grid(method, dtype, query, threads, data):
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=(dtype,))))
    graph = build(case)
    with shaped(**data.draw(any_shape)):  # with a core and without, for prepared
        result = ask(query, graph, starts, method=method, threads=threads)
    assert_same(result, expected_starts(case, starts))
    assert result.predecessors.dtype == np.int32
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate


@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=4 * EXAMPLES)
@given(asked=negative_starting, query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_negative_weights(method, query, asked, threads):
    case, starts = asked
    graph = build(case)
    result = ask(query, graph, starts, method=method, threads=threads)
    assert_same(result, expected_starts(case, starts))
    assert result.predecessors.dtype == np.int32
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate


@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.starting(strategies.cycle_cases()))
def test_negative_cycles(method, asked):
    case, starts = asked
    graph, row = build(case), expected_starts(case, starts)
    if row is not None:
        assert_same(nearfar.sssp(graph, starts, method=method), row)
        return
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.sssp(graph, starts, method=method)
    assert_negative_cycle(case, caught.value.cycle)


@settings(max_examples=6 * EXAMPLES)
@given(asked=strategies.starting() | negative_starting)
def test_as_one_more_vertex_with_arcs(asked):
    """Distances, paths and nearest sources are those from a vertex with an arc to every start."""
    case, starts = asked
    graph, result = build(case), nearfar.sssp(build(case), starts)
    tails, heads, weights = case.arrays()
    kind = result.dist.dtype if result.dist.dtype.kind == "f" else np.int64
    weights = np.ones(len(tails), kind) if weights is None else weights.astype(kind)
    more = Graph.from_arcs(
        np.append(tails, np.full(len(starts), case.n)),
        np.append(heads, list(starts)),
        np.append(weights, np.array(list(starts.values()), kind)),
        n=case.n + 1,
    )
    plain = nearfar.sssp(more, case.n)
    assert numbers_of(plain.rows[:, :-1]) == numbers_of(result.rows)
    near = nearfar.nearest(graph, starts)
    for v in np.flatnonzero(result.reached).tolist():
        assert len(result.path(v)) <= len(plain.path(v)) - 1 and result.path(v)[-1] == v
        assert near.source[v] == near.path(v)[0] == result.path(v)[0] and near.source[v] in starts


@settings(max_examples=6 * EXAMPLES)
@given(asked=strategies.starting() | negative_starting)
def test_same_tree_for_every_method(asked):
    """A path starts at a vertex that no other start reaches sooner, and its arcs add up."""
    case, starts = asked
    graph = build(case)
    results = [nearfar.nearest(graph, starts, method=method) for method in methods_for(graph)]
    for result in results:
        assert result.predecessors.tobytes() == results[0].predecessors.tobytes()
        assert result.source.tobytes() == results[0].source.tobytes()
        certificate = nearfar.verify(graph, result)
        assert certificate, certificate
    lightest = {}
    for tail, head, weight in case.arcs:
        lightest.setdefault((tail, head), []).append(weight)
    exact = results[0]  # dijkstra or frontier: sums along the path
    for v in np.flatnonzero(exact.reached).tolist():
        path = exact.path(v)
        lengths = {exact.dist[path[0]].item()}
        assert lengths == {exact.dist.dtype.type(starts[path[0]]).item()}
        for step in pairwise(path):
            lengths = {case.add(so_far, weight) for so_far in lengths for weight in lightest[step]}
        assert exact.dist[v] in lengths


@settings(max_examples=8 * EXAMPLES)
@given(data=st.data(), negative=st.booleans(), query=st.sampled_from(QUERIES))
def test_cutoff_and_targets(data, negative, query):
    """A start beyond the cutoff is no start, but may be reached from another."""
    kind = strategies.negative_cases() if negative else strategies.cases()
    case, starts = data.draw(strategies.starting(kind))
    graph, truth = build(case), case.distances(starts)
    lengths = sorted({length for length in [*truth, *starts.values()] if length is not None})
    reach = st.sampled_from(lengths) | st.sampled_from(lengths).map(lambda length: length - 0.25)
    if graph.min_weight >= 0:
        reach = reach.map(lambda length: max(length, 0))
    cutoff = data.draw(st.none() | reach)
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    options = {"cutoff": cutoff, "targets": targets, "threads": data.draw(st.integers(1, 2))}
    for method in methods_for(graph):
        result = ask(query, graph, starts, method=method, **options)
        if not (result.distances if query == "nearest" else result).rounded:
            assert numbers_of(rows_of(result)) == [limited(truth, cutoff, targets)]
        assert result.predecessors.dtype == np.int32
        certificate = nearfar.verify(graph, result)
        assert certificate, (method, certificate)


def test_all_starts_beyond_the_cutoff():
    graph = Graph.from_arcs([0, 1], [1, 2], [2, 3])
    for method in methods_for(graph):
        result = nearfar.nearest(graph, {0: 5, 1: 7}, cutoff=4, method=method)
        assert result.dist.tolist() == [TOP] * 3 and result.source.tolist() == [-1] * 3
        assert nearfar.verify(graph, result)
        assert nearfar.sssp(graph, {0: 5, 1: 7}, cutoff=7, method=method).dist.tolist() == [5, 7, TOP]


@pytest.mark.parametrize("method", ("dijkstra", "delta"))
@pytest.mark.parametrize("window", (1, 16))
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.starting(), width=st.sampled_from([None, 1e-300, 1e-6, 1, 50, 2**40, 1e300]))
def test_buckets(method, window, asked, width):
    """Starts are pushed at their own level: inside the window, or on the far pile."""
    case, starts = asked
    if case.dtype == "float32" and width is not None:
        assume(1e-30 < width < 1e30 and all(weight == 0 or weight > 1e-20 for _, _, weight in case.arcs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "MIN_WINDOW", window)
        patch.setattr(buckets, "MAX_WINDOW", window)
        result = nearfar.sssp(build(case), starts, method=method, delta=width, threads=2)
    assert_same(result, expected_starts(case, starts))


@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.starting())
def test_heap(asked):
    case, starts = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "PATIENT_RELAXATIONS", -1024)
        result = nearfar.sssp(build(case), starts, method="dijkstra")
    assert_same(result, expected_starts(case, starts))


@pytest.mark.parametrize("threads", (2, 3, 4))
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.starting(max_starts=9))
def test_delta_with_all_threads_on_one_small_row(threads, asked):
    case, starts = asked
    graph, row = build(case), expected_starts(case, starts)
    for _ in range(3):
        assert_same(nearfar.sssp(graph, starts, method="delta", threads=threads), row)


HUGE = [
    ({0: 2**31 - 1}, "int64"), ({0: 2**31 - 9, 1: 0}, "int64"), ({0: 2**40, 2: 5}, "int64"), ({0: 2**62}, "int64"),
    ({0: 2**40 + 0.5, 1: 0}, "float64"), ({0: 1e300}, "float64"), ({0: 2.0**64}, "float64"),
]  # fmt: skip


@pytest.mark.parametrize(("starts", "dtype"), HUGE, ids=str)
@pytest.mark.parametrize("weight", (8, -8))
def test_types_that_hold_the_starts(starts, dtype, weight):
    """No sum may wrap, also where the great start is not the nearest."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [8, weight, 8])
    truth = strategies.Case(4, ((0, 1, 8), (1, 2, weight), (2, 3, 8)), "int32").distances(starts)
    for method in methods_for(graph):
        result = nearfar.sssp(graph, starts, method=method)
        assert result.dist.dtype == dtype and numbers_of(result.rows) == [truth]
        assert nearfar.verify(graph, result)


def test_widened_when_a_sum_does_not_fit():
    """The start fits int32, one arc more fits, two do not; unweighted graphs, too."""
    path = Graph.from_arcs([0, 1], [1, 2], [10, 10])
    plain = Graph.from_arcs([0, 1, 2], [1, 2, 3])
    for graph, start in ((path, 2**31 - 15), (plain, 2**31 - 4)):
        for method in methods_for(graph):
            result = nearfar.sssp(graph, {0: start}, method=method)
            assert result.dist.dtype == np.int64 and nearfar.verify(graph, result)
            assert result.dist[-1] == start + (20 if graph is path else 3)


def test_great_starts_beside_small_floats():
    """Levels of buckets stay exact integers, however small the weights are beside the starts."""
    for dtype, start in ((np.float64, 1e300), (np.float32, 1e30)):
        graph = Graph.from_arcs([0, 1, 3], [1, 2, 1], np.array([1e-3, 1e-3, 0], dtype))
        wanted = nearfar.sssp(graph, {0: start, 3: 0.5}, method="edge").dist
        for method in ("dijkstra", "delta", "frontier"):
            assert nearfar.sssp(graph, {0: start, 3: 0.5}, method=method).dist.tobytes() == wanted.tobytes()
            assert nearfar.sssp(graph, {0: start}, method=method).dist.tolist()[:3] == [dtype(start)] * 3


@settings(max_examples=20 * EXAMPLES)
@given(data=st.data(), limit=st.sampled_from(["cutoff", "targets", "both"]))
def test_nearest_with_negative_weights_and_a_limit(data, limit):
    """A source that another one reaches sooner, over vertices beyond the limit, is not its own nearest source."""
    case = data.draw(strategies.negative_cases(max_n=8, max_m=24))
    sources = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=4, unique=True))
    graph, truth = build(case), [length for length in case.distances(sources) if length is not None]
    options = {"cutoff": data.draw(st.sampled_from(truth)) + data.draw(st.sampled_from([-1, -0.125, 0, 0.125, 1]))}
    if limit != "cutoff":
        options["targets"] = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    if limit == "targets" or graph.min_weight >= 0:
        del options["cutoff"]
    for method in methods_for(graph):
        result = stopping("nearest", graph, sources, method=method, **options)
        certificate = nearfar.verify(graph, result)
        assert certificate, (method, certificate)


def test_a_source_that_is_reached_over_vertices_beyond_the_limit():
    """0 -3-> 1 -(-5)-> 2: the path to the source 2, of length -2, leads over 1, which is beyond the cutoff."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [3, -5, 1])
    for method in NEGATIVE:
        near = nearfar.nearest(graph, [0, 2], cutoff=0, method=method)
        assert near.dist.tolist() == [0, TOP, -2, -1] and near.source.tolist() == [0, -1, -1, -1]
        assert nearfar.verify(graph, near)
        with pytest.raises(nearfar.errors.MethodError, match="leaves the limit"):
            near.path(2)

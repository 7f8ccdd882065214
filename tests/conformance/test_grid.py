"""Every method x every type of weights x every query x threads: the oracle's answer to the bit, and the certificate.

The tests loop over METHODS, so a new method is held to all of this without a change here. The answers are compared as
bytes: floats too, where a method adds the weights of a path from left to right. Those of other methods may differ by as
much as the sums along a path can, and their trees not at all.
"""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.able import ALL, NEGATIVE, ROUNDING, SINGLY, able, assert_rows, takes, tolerance
from helpers.asking import (
    QUERIES,
    TOP,
    ask,
    assert_negative_cycle,
    assert_same,
    build,
    expected,
    limited,
    numbers_of,
    rows_of,
    seeds_of,
)
from helpers.marks import JIT, needs_jit
from helpers.stopping import stopping
from nearfar import Graph
from nearfar.devices import cpu
from nearfar.engine import planner, run
from nearfar.errors import MethodError, NegativeCycleError
from nearfar.methods import buckets, delta

BUCKETS = ("dijkstra", "delta")  # the methods that take a bucket width
EXAMPLES = 15 if JIT else 6


@pytest.fixture(scope="module", autouse=True)
def threads_for_small_jobs():
    """Small jobs run on the caller's thread and small rows are not shared; here they get the threads they ask for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "SMALL_WORK", 0)
        patch.setattr(planner, "PARALLEL_ARCS", 1)
        if not JIT:  # coverage does not see into threads that are started without the threading module
            patch.setattr(cpu, "_thread", SimpleNamespace(start_new_thread=start_seen_thread))
        yield


def start_seen_thread(function, arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@pytest.mark.parametrize("method", ALL)
@settings(max_examples=6 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_grid(method, dtype, query, threads, data):
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=(dtype,))))
    graph = build(case)
    if not takes(method, graph):
        case = strategies.equal(case)
        graph = build(case)
    result = ask(query, graph, sources, method=method, threads=threads)
    assert_same(result, expected(query, case, sources))
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate
    assert (result.distances if query == "nearest" else result).stats["method"] == method


@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=6 * EXAMPLES)
@given(asked=strategies.queries(strategies.negative_cases()), query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_negative_weights(method, query, asked, threads):
    case, sources = asked
    graph = build(case)
    result = ask(query, graph, sources, method=method, threads=threads)
    assert_same(result, expected(query, case, sources))
    assert nearfar.verify(graph, result)


@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=6 * EXAMPLES)
@given(asked=strategies.queries(strategies.cycle_cases()), query=st.sampled_from(QUERIES), threads=st.integers(1, 2))
def test_negative_cycles(method, query, asked, threads):
    """A cycle that is reached is named, and is one; a cycle that is not reached does no harm."""
    case, sources = asked
    graph, rows = build(case), expected(query, case, sources)
    if rows is not None:
        assert_same(ask(query, graph, sources, method=method, threads=threads), rows)
        return
    with pytest.raises(NegativeCycleError) as caught:
        ask(query, graph, sources, method=method, threads=threads)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("method", NEGATIVE)
def test_a_cycle_that_is_reached_and_one_that_is_not(method):
    """0 -> 1 apart from the cycle 2 -> 3 -> 4 -> 2 of weight -1; 5 leads to it."""
    graph = Graph.from_arcs([0, 2, 3, 4, 5], [1, 3, 4, 2, 2], [4, 2, -5, 2, 1])
    assert nearfar.sssp(graph, 0, method=method).dist[:2].tolist() == [0, 4]
    for ask_it in (
        lambda: nearfar.sssp(graph, 5, method=method),
        lambda: nearfar.mssp(graph, [0, 5], method=method),
        lambda: nearfar.nearest(graph, [0, 5], method=method),
        lambda: nearfar.apsp(graph, method=method),
    ):
        with pytest.raises(NegativeCycleError, match=r"2 -> 3|3 -> 4|4 -> 2") as caught:
            ask_it()
        assert sorted(caught.value.cycle) == [2, 3, 4]


@pytest.mark.parametrize("method", NEGATIVE)
def test_negative_loop_and_names(method):
    graph = Graph.from_arcs([0, 1], [1, 1], [1, -1], names=["tar", "pit"])
    with pytest.raises(NegativeCycleError, match="pit -> pit") as caught:
        nearfar.sssp(graph, "tar", method=method)
    assert caught.value.cycle == ["pit"]


@pytest.mark.parametrize("method", NEGATIVE)
def test_long_negative_cycle(method):
    """Longer than the rounds before the first look for a cycle; the message shows its ends only."""
    n = 300
    ring = np.arange(n)
    graph = Graph.from_arcs(ring, np.roll(ring, -1), np.where(ring == 7, -n, 1))
    with pytest.raises(NegativeCycleError, match=r"\.\.\.") as caught:
        nearfar.sssp(graph, 0, method=method)
    assert sorted(caught.value.cycle) == list(range(n))


@pytest.mark.parametrize("method", [name for name in ALL if name not in NEGATIVE])
def test_methods_that_need_weights_from_zero(method):
    with pytest.raises(MethodError, match=method):
        nearfar.sssp(Graph.from_arcs([0], [1], [-1]), 0, method=method)


@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.queries() | strategies.queries(strategies.negative_cases()), query=st.sampled_from(QUERIES))
def test_same_tree_for_every_method(asked, query):
    case, sources = asked
    graph = build(case)
    results = [ask(query, graph, sources, method=method) for method in able(graph)]
    trees = [result.predecessors for result in results]
    for result, tree in zip(results, trees, strict=True):
        assert tree.dtype == np.int32 and tree.tobytes() == trees[0].tobytes()
        assert nearfar.verify(graph, result)
    if query == "nearest":
        assert all((result.source == results[0].source).all() for result in results)


@pytest.mark.parametrize("method", ("auto", *ROUNDING))
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.queries() | strategies.queries(strategies.negative_cases()))
def test_paths_have_the_length_they_should(method, asked):
    """To the bit, also where the method's own floats are rounded otherwise."""
    case, sources = asked
    result = nearfar.sssp(build(case), sources[0], method=method)
    arcs = {}
    for tail, head, weight in case.arcs:
        arcs.setdefault((tail, head), []).append(weight)
    for target, length in enumerate(case.distances(sources[:1])):
        if length is not None:
            path = result.path(target)
            lengths = {0}
            for step in pairwise(path):
                lengths = {case.add(so_far, weight) for so_far in lengths for weight in arcs[step]}
            assert (path[0], path[-1]) == (sources[0], target) and length in lengths


def assert_limited(rows, truth, cutoff, targets):
    """What the limits leave of the oracle's distances, or may leave where rounding decides."""
    for row, lengths in zip(rows, truth, strict=True):
        wanted = np.array([np.inf if length is None else length for length in lengths], rows.dtype)
        near = tolerance(wanted)
        limit = np.inf if cutoff is None else cutoff
        if targets is not None and (wanted[targets] <= limit).all():
            limit = wanted[targets].max()
        reached, there = row < np.inf, wanted < np.inf
        surely, perhaps = wanted + near <= limit - near.max(), wanted - near <= limit + near.max()
        assert (reached | ~there | ~surely).all() and (there & perhaps | ~reached).all(), (row, wanted, limit)
        assert (np.abs(row[reached] - wanted[reached]) <= near[reached]).all(), (row, wanted)


@settings(max_examples=8 * EXAMPLES)
@given(data=st.data(), negative=st.booleans())
def test_cutoff_and_targets(data, negative):
    """Limits mean the same for every method: a function of the graph and the query, not of the order of work."""
    kind = strategies.negative_cases() if negative else strategies.cases()
    case, sources = data.draw(strategies.queries(kind))
    graph, query = build(case), data.draw(st.sampled_from(QUERIES))
    truth = [case.distances(seeds) for seeds in seeds_of(query, case, sources)]
    lengths = sorted({length for row in truth for length in row if length is not None and (negative or length >= 0)})
    reach = st.sampled_from(lengths) | st.sampled_from(lengths).map(lambda length: length + 0.25)
    if graph.min_weight >= 0:
        reach = reach.map(lambda length: max(length, 0))
    cutoff = data.draw(st.none() | reach)
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    wanted = [limited(row, cutoff, targets) for row in truth]
    results = [
        ask(query, graph, sources, method=method, cutoff=cutoff, targets=targets, threads=data.draw(st.integers(1, 2)))
        for method in able(graph)
    ]
    for result in results:
        rows = rows_of(result)
        if (result.distances if query == "nearest" else result).rounded:
            assert_limited(rows, truth, cutoff, targets)
            assert result.predecessors.dtype == np.int32  # which the certificate looks at, too
        else:
            assert numbers_of(rows) == wanted
        assert rows.dtype == rows_of(results[0]).dtype
        assert nearfar.verify(graph, result)


@pytest.mark.parametrize("method", NEGATIVE)
def test_cutoff_below_zero(method):
    """With negative weights a cutoff may exclude the source itself; it is then no vertex's nearest source, either."""
    graph = Graph.from_arcs([1], [0], [-1])
    assert nearfar.sssp(graph, 1, method=method, cutoff=-1).dist.tolist() == [-1, TOP]
    assert nearfar.sssp(graph, 1, method=method, cutoff=-2).dist.tolist() == [TOP, TOP]


@pytest.mark.parametrize("limit", [{"cutoff": -1}, {"targets": [0]}], ids=str)
def test_nearest_within_a_limit_below_zero(limit):
    graph = Graph.from_arcs([1], [0], [-1])
    result = stopping("nearest", graph, [1], **limit)
    assert result.source[1] == -1 and nearfar.verify(graph, result)


def test_cutoff_is_inclusive():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 3, 4])
    for method in able(graph):
        assert nearfar.sssp(graph, 0, method=method, cutoff=5).dist.tolist() == [0, 2, 5, TOP]
        assert nearfar.sssp(graph, 0, method=method, cutoff=4.99).dist.tolist() == [0, 2, TOP, TOP]
        assert nearfar.sssp(graph, 0, method=method, cutoff=0).dist.tolist() == [0, TOP, TOP, TOP]
        assert nearfar.sssp(graph, 0, method=method, cutoff=math.inf).dist.tolist() == [0, 2, 5, 9]


@pytest.mark.parametrize("method", BUCKETS)
@settings(max_examples=4 * EXAMPLES)
@given(
    asked=strategies.queries(),
    query=st.sampled_from(QUERIES),
    width=st.sampled_from([1e-300, 1e-9, 0.3, 1, 3, 1000, 2**40, 1e18, 1e300]),
)
def test_any_bucket_width(method, query, asked, width):
    case, sources = asked
    if case.dtype == "float32":  # the scale of float32 buckets has a test of its own
        assume(1e-30 < width < 1e30 and all(weight == 0 or weight > 1e-20 for _, _, weight in case.arcs))
    result = ask(query, build(case), sources, method=method, delta=width, threads=2)
    assert_same(result, expected(query, case, sources))


@pytest.mark.parametrize("method", BUCKETS)
def test_buckets_of_tiny_float32(method):
    """One over the bucket width must not pass the end of float32."""
    arcs = [0, 0, 1, 2] * 4, [1, 2, 2, 3] * 4
    for weight in (1.2e-38, 1e-42):
        graph = Graph.from_arcs(*arcs, np.full(16, weight, np.float32))
        wanted = nearfar.sssp(graph, 0, method="edge").dist
        assert nearfar.sssp(graph, 0, method=method).dist.tobytes() == wanted.tobytes()
    graph = Graph.from_arcs(*arcs, np.full(16, 1e-30, np.float32))
    assert nearfar.sssp(graph, 0, method=method, delta=1e-60).dist[1] == np.float32(1e-30)


@pytest.mark.parametrize("method", BUCKETS)
@pytest.mark.parametrize("window", (1, 2, 16))
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.queries(), query=st.sampled_from(QUERIES), width=st.sampled_from([None, 1e-6, 1, 50]))
def test_few_buckets(method, window, query, asked, width):
    """With few buckets open at once nearly everything passes through the far pile."""
    case, sources = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "MIN_WINDOW", window)
        patch.setattr(buckets, "MAX_WINDOW", window)
        result = ask(query, build(case), sources, method=method, delta=width, threads=2)
    assert_same(result, expected(query, case, sources))


@pytest.fixture
def wheel():
    """A hub that reaches every vertex of a ring, so that thousands of entries are queued at once."""
    n = 3000
    rim = np.arange(1, n)
    tails, heads = np.concatenate([np.zeros(n - 1, int), rim]), np.concatenate([rim, np.roll(rim, -1)])
    return Graph.from_arcs(tails, heads, np.concatenate([rim % 97, np.full(n - 1, 2)]))


@pytest.mark.parametrize("width", (1, 10**6))
@pytest.mark.parametrize("threads", (1, 2))
@pytest.mark.parametrize("method", BUCKETS)
def test_small_queues_grow(method, threads, width, wheel, monkeypatch):
    grown, grow = [], buckets.Buckets.grow
    monkeypatch.setattr(buckets.Buckets, "grow", lambda queue: (grown.append(1), grow(queue)))
    for module in (buckets, delta):
        monkeypatch.setattr(module, "pool_entries", lambda n, threads=1: 1)
    monkeypatch.setattr(buckets, "MAX_WINDOW", 16)
    result = nearfar.sssp(wheel, 0, method=method, delta=width, threads=threads)
    assert nearfar.verify(wheel, result)
    assert grown or width == 1  # narrow buckets spread the entries over many open chunks
    assert (result.dist == nearfar.sssp(wheel, 0, method="frontier").dist).all()
    many = nearfar.mssp(wheel, [0, 1, 0], method=method, delta=width, threads=threads)
    assert nearfar.verify(wheel, many)


@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.queries(), query=st.sampled_from(QUERIES))
def test_heap_of_dijkstra(query, asked):
    """A row that gives its buckets up at once is settled by the heap, to the same bits."""
    case, sources = asked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "PATIENT_RELAXATIONS", -(10**6))
        result = ask(query, build(case), sources, method="dijkstra", threads=2)
    assert_same(result, expected(query, case, sources))
    if case.arcs:
        assert (result.distances if query == "nearest" else result).stats["queue"] == "heap"


def test_heap_takes_over_in_the_middle(monkeypatch):
    graph = nearfar.generate.rmat(8, seed=3)
    monkeypatch.setattr(buckets, "PATIENT_RELAXATIONS", 0)
    result = nearfar.mssp(graph, range(6), method="dijkstra", threads=2)
    assert result.stats["queue"] == "heap" and nearfar.verify(graph, result)
    early = stopping("sssp", graph, 1, method="dijkstra", targets=[2, 5], cutoff=200)
    assert nearfar.verify(graph, early)


def uneven(n):
    """A random graph whose weights span eighteen orders of magnitude: no bucket width suits it."""
    rng = np.random.default_rng(5)
    return Graph.from_arcs(*rng.integers(0, n, (2, 8 * n)), 10.0 ** rng.uniform(-12, 6, 8 * n), n)


@needs_jit
def test_weights_of_very_different_sizes_use_the_heap():
    """Buckets of mean width hold whole chains of small weights, which relax again and again."""
    graph = uneven(20_000)
    results = [nearfar.sssp(graph, 0, method=method, threads=1) for method in ("dijkstra", "frontier", "johnson")]
    assert results[0].stats["queue"] == "heap"
    assert len({result.dist.tobytes() for result in results}) == 1 and nearfar.verify(graph, results[0])


@needs_jit
@pytest.mark.parametrize("threads", (1, 2))
def test_weights_of_very_different_sizes_do_not_stall_delta(threads):
    """Work inside one bucket must stay in bounds: without, it doubles with every few hundred vertices."""
    graph = uneven(3000)
    result = nearfar.sssp(graph, 0, method="delta", threads=threads)
    assert nearfar.verify(graph, result)
    assert result.stats["relaxations"] < 50 * graph.m


@contextmanager
def renumbering():
    """Renumber the vertices first, as is done for many rows of a large scattered graph."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "RENUMBER_ROWS", 1)
        patch.setattr(Graph, "scattered", True)
        yield


@pytest.mark.parametrize("query", ("one", "some", "all"))
@pytest.mark.parametrize("method", SINGLY)
@settings(max_examples=2 * EXAMPLES)
@given(asked=strategies.queries(), targets=st.none() | st.just([0]))
def test_renumbered(method, query, asked, targets):
    case, sources = asked
    graph = build(case)
    with renumbering():
        result = ask(query, graph, sources, method=method, threads=1, targets=targets)
    assert result.plan.renumber and nearfar.verify(graph, result)
    if targets is None:
        assert_same(result, expected(query, case, sources))


@pytest.mark.parametrize("method", [method for method in NEGATIVE if method in SINGLY])
@settings(max_examples=4 * EXAMPLES)
@given(asked=strategies.queries(strategies.cycle_cases()))
def test_renumbered_cycles(method, asked):
    """The cycle is named in the numbers of the graph that was given."""
    case, sources = asked
    graph, rows = build(case), expected("some", case, sources)
    if rows is not None:
        with renumbering():
            assert_same(ask("some", graph, sources, method=method), rows)
        return
    with renumbering(), pytest.raises(NegativeCycleError) as caught:
        ask("some", graph, sources, method=method)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("threads", (2, 3, 4))
@settings(max_examples=8 * EXAMPLES)
@given(asked=strategies.queries(), width=st.sampled_from([None, 1, 1000]))
def test_delta_with_all_threads_on_one_small_row(threads, asked, width):
    case, sources = asked
    graph = build(case)
    assert nearfar.plan(graph, sources[:1], method="delta", threads=threads).together == (graph.m > 0)
    for query in ("one", "nearest"):
        rows = expected(query, case, sources)
        for _ in range(3):
            assert_same(ask(query, graph, sources, method="delta", threads=threads, delta=width), rows)


MIDDLING = {
    "road": lambda: nearfar.generate.road_grid(200, 200, seed=2),
    "rmat": lambda: nearfar.generate.rmat(12, seed=2),
    "geometric": lambda: nearfar.generate.geometric(20_000, seed=2),
}


@needs_jit
@pytest.mark.parametrize("name", MIDDLING)
def test_delta_races(name):
    """The same bits fifty times over with two, three and four threads, in wide and narrow buckets."""
    graph = MIDDLING[name]()
    truth = nearfar.sssp(graph, 17, method="dijkstra", threads=1)
    several = nearfar.nearest(graph, [1, 17, 333], method="dijkstra", threads=1)
    assert nearfar.verify(graph, truth) and nearfar.verify(graph, several)
    out = np.empty_like(truth.dist)
    for repeat in range(50):
        width = (None, graph.mean_weight / 8, graph.mean_weight * 8)[repeat % 3]
        for threads in (2, 3, 4):
            out[:] = 7
            nearfar.sssp(graph, 17, method="delta", threads=threads, delta=width, out=out)
            assert out.tobytes() == truth.dist.tobytes(), (repeat, threads, width)
        nearfar.nearest(graph, [1, 17, 333], method="delta", threads=2, delta=width, out=out)
        assert out.tobytes() == several.dist.tobytes(), (repeat, width)


@pytest.mark.parametrize("threads", (2, 3))
def test_delta_shares_work(threads):
    """Large enough for threads to give each other chunks, small enough for plain Python."""
    graph = nearfar.generate.rmat(7, seed=4)
    for width in (1, 40, 10**6):
        result = nearfar.sssp(graph, 3, method="delta", threads=threads, delta=width)
        assert nearfar.verify(graph, result)


@needs_jit
@pytest.mark.parametrize("name", MIDDLING)
def test_methods_agree_on_middling_graphs(name):
    graph = MIDDLING[name]()
    sources = [5, 17, 4000]
    methods = [method for method in able(graph) if method != "edge" or name == "rmat"]
    results = {method: nearfar.mssp(graph, sources, method=method, threads=2) for method in methods}
    for result in results.values():
        assert_rows(result, results["dijkstra"].rows)
        assert nearfar.verify(graph, result)

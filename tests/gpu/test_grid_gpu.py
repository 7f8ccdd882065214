"""Every method x every pair of types x every query, with all arcs on the device and in batches: the oracle's bits.

PoCL compiles a kernel for each pair of types in seconds, so two types go through everything, the others through less.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import (
    QUERIES,
    TOP,
    ask,
    assert_negative_cycle,
    assert_same,
    build,
    expected,
    expected_type,
    limited,
    numbers_of,
    rows_of,
    seeds_of,
)
from helpers.reach import (
    ALL,
    DEVICE,
    NEGATIVE,
    STREAMING,
    few_pending,
    least_memory,
    memory_for,
    pretending,
    streaming,
    tiny_tuning,
)
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import MethodError, NegativeCycleError

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

EXAMPLES = 15
WAYS = ("resident", "batched")
THOROUGH = ("int32", "float64")  # weights whose kernels are all compiled
WIDER = [
    ("int32", "int64"), ("int32", "float64"), ("int64", "float64"), ("float32", "float64"), (None, "int64"),
    (None, "float64"),
]  # fmt: skip


def grid():
    """Return (method, type of weights, type asked for, how arcs come, queries): PoCL compiles kernels for each."""
    for method in ALL:
        for way in WAYS if method in STREAMING else WAYS[:1]:
            yield from ((method, weights, None, way, QUERIES) for weights in THOROUGH)
            few = ("one", "some") if way == "resident" or method == "edge" else ("one",)
            rest = [weights for weights in strategies.DTYPES if weights not in THOROUGH]
            yield from ((method, weights, None, way, few) for weights in rest)
    yield from (("edge", *pair, "resident", ("one", "some")) for pair in WIDER)
    yield from (("frontier", *pair, "resident", ("one",)) for pair in WIDER)
    yield ("delta", "int32", "int64", "resident", ("one",))


def answer(way, query, graph, sources, rows_type, data, **options):
    """Ask a GPU; if ``way`` says so, with memory for some batches of arcs only."""
    if way == "resident" or graph.m < 2:
        return ask(query, graph, sources, device=DEVICE, **options)
    planned = {"one": sources[:1], "nearest": sources[:1], "some": sources, "all": None}[query]
    given = {name: value for name, value in options.items() if name != "dtype"}
    with streaming(data.draw(st.integers(1, 4), "least batch")):
        memory = memory_for(data.draw(st.integers(2, 5), "batches"), graph, planned, dtype=rows_type, **given)
        result = ask(query, graph, sources, device=DEVICE, memory=memory, **options)
    assert figures(result)["batches"] > 1
    return result


def figures(result):
    return (result.distances if isinstance(result, nearfar.Nearest) else result).stats


def wanted_rows(query, case, sources, dtype):
    """Return the oracle's rows, in the type that was asked for."""
    if dtype is None:
        return expected(query, case, sources)
    case = replace(case, dtype="float64") if dtype == "float64" else case
    rows = [case.distances(seeds) for seeds in seeds_of(query, case, sources)]
    mark = np.inf if dtype == "float64" else np.iinfo(dtype).max
    return np.array([[mark if length is None else length for length in row] for row in rows], dtype)


@pytest.mark.parametrize(("method", "weights", "dtype", "way", "queries"), list(grid()), ids=str)
@settings(max_examples=2 * EXAMPLES)
@given(data=st.data())
def test_grid(method, weights, dtype, way, queries, data):
    query = data.draw(st.sampled_from(queries), "query")
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=(weights,))))
    graph, rows = build(case), wanted_rows(query, case, sources, dtype)
    result = answer(way, query, graph, sources, rows.dtype, data, method=method, dtype=dtype)
    assert_same(result, rows)
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate
    assert (figures(result)["method"], figures(result)["device"]) == (method, "opencl:0")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=6 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(QUERIES))
def test_negative_weights(method, query, way, data):
    case, sources = data.draw(strategies.queries(strategies.negative_cases(**kinds(query, way))))
    graph, rows = build(case), expected(query, case, sources)
    result = answer(way, query, graph, sources, rows.dtype, data, method=method)
    assert_same(result, rows)
    assert nearfar.verify(graph, result)


def kinds(query, way):
    """Return the types whose kernels are compiled for a query anyway."""
    return {"dtypes": strategies.DTYPES[:-1] if query in ("one", "some") and way == "resident" else THOROUGH}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=9 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(QUERIES))
def test_negative_cycles(method, query, way, data):
    """A cycle that is reached is named, and is one; a cycle that is not reached does no harm."""
    case, sources = data.draw(strategies.queries(strategies.cycle_cases(**kinds(query, way))))
    graph, rows = build(case), expected(query, case, sources)
    dtype = expected_type(case, []) if rows is None else rows.dtype
    if rows is not None:
        assert_same(answer(way, query, graph, sources, dtype, data, method=method), rows)
        return
    with pytest.raises(NegativeCycleError) as caught:
        answer(way, query, graph, sources, dtype, data, method=method)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("method", NEGATIVE)
@pytest.mark.parametrize("sources", ([0], [0, 3]), ids=("one", "some"))
@pytest.mark.parametrize("across", (True, False))
def test_a_cycle_that_turns_slowly(method, sources, across):
    """Of weight -1 among weights of a million: it takes hours to fall below every path, so it must be looked for."""
    graph = Graph.from_arcs([0, 1], [1, 0], [10**6, -(10**6) - 1], n=300)
    with streaming() if across else pretending(), pytest.raises(NegativeCycleError) as caught:
        nearfar.mssp(graph, sources, method=method, device=DEVICE, memory=10**6)
    assert sorted(caught.value.cycle) == [0, 1]


@pytest.mark.parametrize("method", NEGATIVE)
def test_a_cycle_behind_many_batches(method):
    """Rows whose distances fall between two looks for cycles must not pass for settled."""
    for hops in range(1, 12):
        n = hops + 1
        graph = Graph.from_arcs([*range(hops), hops], [*range(1, n), hops], [1] * hops + [-1])
        with streaming():
            for batches in (2, 3, n):
                memory = memory_for(batches, graph, [0, 0, hops], method=method)
                with pytest.raises(NegativeCycleError) as caught:
                    nearfar.mssp(graph, [0, 0, hops], method=method, device=DEVICE, memory=memory)
                assert caught.value.cycle == [hops]


@pytest.mark.parametrize("method", NEGATIVE)
@pytest.mark.parametrize("query", ("one", "some"))
def test_long_negative_cycle(method, query):
    """Longer than the rounds before the first look for a cycle."""
    n = 300
    ring = np.arange(n)
    graph = Graph.from_arcs(ring, np.roll(ring, -1), np.where(ring == 7, -n, 1))
    with pytest.raises(NegativeCycleError) as caught:
        ask(query, graph, [0, 5], method=method, device=DEVICE)
    assert sorted(caught.value.cycle) == list(range(n))


def test_delta_needs_weights_from_zero():
    with pytest.raises(MethodError, match="delta"):
        nearfar.sssp(Graph.from_arcs([0], [1], [-1]), 0, method="delta", device=DEVICE)


@settings(max_examples=4 * EXAMPLES)
@given(data=st.data(), negative=st.booleans(), query=st.sampled_from(QUERIES))
def test_same_tree_as_the_cpu(data, negative, query):
    kind = strategies.negative_cases if negative else strategies.cases
    case, sources = data.draw(strategies.queries(kind(dtypes=THOROUGH)))
    graph = build(case)
    truth = ask(query, graph, sources, device="cpu")
    for method in NEGATIVE if graph.min_weight < 0 else ALL:
        way = data.draw(st.sampled_from(WAYS)) if method in STREAMING else "resident"
        result = answer(way, query, graph, sources, rows_of(truth).dtype, data, method=method)
        assert result.predecessors.tobytes() == truth.predecessors.tobytes()
        if query == "nearest":
            assert result.source.tobytes() == truth.source.tobytes()


@settings(max_examples=8 * EXAMPLES)
@given(data=st.data(), negative=st.booleans(), query=st.sampled_from(QUERIES))
def test_cutoff_and_targets(data, negative, query):
    """Limits leave the same as on the CPU: a function of the graph and the query, not of the order of work."""
    kind = strategies.negative_cases if negative else strategies.cases
    case, sources = data.draw(strategies.queries(kind(dtypes=THOROUGH)))
    graph = build(case)
    truth = [case.distances(seeds) for seeds in seeds_of(query, case, sources)]
    lengths = sorted({length for row in truth for length in row if length is not None})
    reach = st.sampled_from(lengths) | st.sampled_from(lengths).map(lambda length: length + 0.25)
    if graph.min_weight >= 0:
        reach = reach.map(lambda length: max(length, 0))
    cutoff = data.draw(st.none() | reach)
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    wanted = [limited(row, cutoff, targets) for row in truth]
    for method in NEGATIVE if graph.min_weight < 0 else ALL:
        way = data.draw(st.sampled_from(WAYS)) if method in STREAMING else "resident"
        dtype = expected_type(case, truth)
        result = answer(way, query, graph, sources, dtype, data, method=method, cutoff=cutoff, targets=targets)
        assert numbers_of(rows_of(result)) == wanted
        assert nearfar.verify(graph, result)


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_rows_in_batches(method, data):
    """Memory for all arcs, and for one row at a time or a few."""
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=THOROUGH, min_n=3), max_sources=9))
    graph, rows = build(case), expected("some", case, sources)
    options = {"method": method, "device": DEVICE, "dtype": rows.dtype}

    def is_resident(memory):
        plan = nearfar.plan(graph, sources, memory=memory, **options)
        return bool(plan.layouts) and plan.arc_batches == 1

    memory = least_memory(is_resident) + data.draw(st.integers(0, 3)) * graph.n * rows.itemsize
    result = nearfar.mssp(graph, sources, memory=memory, **options)
    assert result.plan.row_batches > (1 if len(sources) > 4 else 0)
    assert_same(result, rows)


@pytest.mark.parametrize(
    ("method", "way"), [(name, way) for name in ALL if name != "edge" for way in WAYS[: 1 + (name in STREAMING)]]
)
@settings(max_examples=9 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(("one", "some", "all")))
def test_tiny_groups_stages_and_parts(method, query, way, data):
    """Nearly every vertex is fat, nearly every list overflows its stage and is long enough for all groups."""
    case, sources = data.draw(
        strategies.queries(strategies.cases(dtypes=("int32",), max_n=20, max_m=120), max_sources=14)
    )
    graph, rows = build(case), expected(query, case, sources)
    with tiny_tuning():
        assert_same(answer(way, query, graph, sources, rows.dtype, data, method=method), rows)
        if way == "resident":
            targets = data.draw(st.lists(st.integers(0, case.n - 1), min_size=1, max_size=2))
            again = answer(way, query, graph, sources, rows.dtype, data, method=method, targets=targets)
            assert nearfar.verify(graph, again)


@pytest.mark.parametrize("query", ("one", "some"))
@pytest.mark.parametrize("method", [name for name in ALL if name != "edge"])
def test_a_stage_that_overflows(method, query):
    """Three vertices at a time, each of which lists two others: more than a stage has room for."""
    inner = np.arange(127)
    tree = Graph.from_arcs(np.repeat(inner, 2), np.arange(1, 255), np.ones(254, np.int32))
    depth = np.floor(np.log2(np.arange(1, 256))).astype(np.int32)
    with tiny_tuning():
        rows = ask(query, tree, [0, 0, 0], method=method, device=DEVICE).rows
    assert (rows == depth).all()


@settings(max_examples=6 * EXAMPLES)
@given(data=st.data())
def test_few_pending(data):
    """When little is pending, only its arcs are copied."""
    case, sources = data.draw(strategies.queries(strategies.cases(dtypes=THOROUGH, min_n=16, max_n=30, max_m=60)))
    graph, rows = build(case), expected("one", case, sources)
    with few_pending():
        assert_same(answer("batched", "one", graph, sources, rows.dtype, data, method="frontier"), rows)


def test_few_pending_of_a_road_network():
    graph = nearfar.generate.road_grid(40, 40, seed=1)
    with few_pending(), streaming(64):
        memory = memory_for(5, graph, 0, method="frontier")
        result = nearfar.sssp(graph, 0, method="frontier", device=DEVICE, memory=memory)
    assert figures(result)["sparse_steps"] > 0 and nearfar.verify(graph, result)


@pytest.mark.parametrize("method", [name for name in ALL if name != "edge"])
def test_tiny_numbers_lead_to_all_groups(method):
    """The patched numbers do what the test above needs: the wide kernels work."""
    graph = nearfar.generate.rmat(6, seed=3)
    with tiny_tuning():
        wide = nearfar.sssp(graph, 0, method=method, device=DEVICE)
        assert wide.plan.layouts[0].group_size == 3
    alone = nearfar.sssp(graph, 0, method=method, device=DEVICE)
    assert wide.stats["launches"] > 2 * alone.stats["launches"]
    assert wide.dist.tobytes() == alone.dist.tobytes()


@pytest.fixture(scope="module")
def hubs():
    """Vertices of 3,000 and 1,500 arcs among vertices of few."""
    rng = np.random.default_rng(3)
    n, m = 4000, 9000
    tails = np.concatenate([rng.integers(0, n, m), np.full(3000, 7), np.full(1500, 11), rng.integers(0, n, 3000)])
    heads = np.concatenate([rng.integers(0, n, m + 4500), np.full(3000, 7)])
    return Graph.from_arcs(tails, heads, rng.integers(0, 1000, len(tails)).astype(np.int32), n)


@pytest.mark.parametrize("gpu", (False, True))
@pytest.mark.parametrize("method", ALL)
def test_both_tunings(method, gpu, hubs):
    """The numbers that real GPUs get, and those that CPUs do."""
    truth = nearfar.mssp(hubs, range(60), device="cpu")
    with pretending(gpu=gpu):
        assert nearfar.plan(hubs, 0, method=method, device=DEVICE).layouts[0].group_size == (256 if gpu else 64)
        one = nearfar.sssp(hubs, 0, method=method, device=DEVICE)
        some = nearfar.mssp(hubs, range(60), method=method, device=DEVICE)
    assert one.dist.tobytes() == truth.dist[0].tobytes() and nearfar.verify(hubs, one)
    assert some.dist.tobytes() == truth.dist.tobytes()


@pytest.mark.parametrize("method", STREAMING)
@pytest.mark.parametrize("sources", ([0], range(20)), ids=("one", "some"))
@pytest.mark.parametrize("batches", (5, 9))
def test_a_real_memory_figure(method, sources, batches, hubs):
    """Nothing is patched: the arcs of this graph come in batches because the memory given is too small."""
    memory = memory_for(batches, hubs, sources, method=method)
    result = nearfar.mssp(hubs, sources, method=method, device=DEVICE, memory=memory)
    assert 1 < result.plan.arc_batches <= batches and figures(result)["batches"] == result.plan.arc_batches
    assert result.rows.tobytes() == nearfar.mssp(hubs, sources, device="cpu").rows.tobytes()


@pytest.mark.parametrize("query", ("one", "some"))
@settings(max_examples=2 * EXAMPLES)
@given(data=st.data(), width=st.sampled_from([1e-300, 1e-9, 0.3, 1, 3, 1000, 2**40, 1e18, 1e300]))
def test_any_width(query, data, width):
    """Also widths that vanish beside a distance, or that a distance plus the width has no room for."""
    case, sources = data.draw(strategies.queries(strategies.cases()))
    result = ask(query, build(case), sources, method="delta", device=DEVICE, delta=width)
    assert_same(result, expected(query, case, sources))


@pytest.mark.parametrize("query", ("one", "some"))
@pytest.mark.parametrize(
    "weights",
    [
        np.array([1e6, *[1e-3] * 19], np.float32),
        np.array([1e6, *[0.5, 0.01] * 9, 0], np.float32),
        np.zeros(20, np.float32),
        np.array([1e17, *[1.0] * 19]),
        np.full(5, 2**60, np.int64),
        np.full(20, 1e-42, np.float32),
    ],
    ids=("lost", "nearly lost", "zero", "double", "wide", "denormal"),
)
def test_widths_that_vanish(query, weights):
    """The width that is chosen by itself may be nothing beside the distances, or lead past the end of the type."""
    n = len(weights) + 1
    tails, heads = np.arange(n - 1), np.arange(1, n)
    ring = Graph.from_arcs([*tails, n - 1], [*heads, 0], np.append(weights, weights[-1]))
    for graph in (Graph.from_arcs(tails, heads, weights), ring):
        if weights.dtype == np.int64 and graph is ring:
            continue
        truth = ask(query, graph, [0, 0, 1], method="edge", device="cpu")
        result = ask(query, graph, [0, 0, 1], method="delta", device=DEVICE)
        assert result.rows.tobytes() == truth.rows.tobytes()


@pytest.mark.parametrize("method", ALL)
def test_cutoff_is_inclusive(method):
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2, 3, 4])
    for cutoff, wanted in ((5, [0, 2, 5, TOP]), (4.99, [0, 2, TOP, TOP]), (0, [0, TOP, TOP, TOP])):
        assert nearfar.sssp(graph, 0, method=method, device=DEVICE, cutoff=cutoff).dist.tolist() == wanted
        assert nearfar.mssp(graph, [0, 0], method=method, device=DEVICE, cutoff=cutoff).dist[1].tolist() == wanted

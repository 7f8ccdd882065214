"""Few sources on a large graph: all groups settle one row after the other, with the kernels of a single source."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import (
    ask,
    assert_negative_cycle,
    assert_same,
    build,
    expected,
    expected_type,
    limited,
    numbers_of,
    rows_of,
)
from helpers.reach import (
    ALL,
    DEVICE,
    NEGATIVE,
    STREAMING,
    few_pending,
    memory_for,
    pretending,
    rows_in_turn,
    streaming,
    tiny_tuning,
)
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import NegativeCycleError

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

WAYS = ("resident", "batched")
BOTH = [(method, way) for method in ALL for way in WAYS[: 1 + (method in STREAMING)]]
both = pytest.mark.parametrize(("method", "way"), BOTH)
MOST = 6  # sources


def in_turn(way, graph, sources, rows_type, data, **options):
    """Ask for one row after the other; if ``way`` says so, with memory for some batches of arcs only."""
    with ExitStack() as stack:
        stack.enter_context(rows_in_turn())
        if data.draw(st.booleans(), "tiny groups"):
            stack.enter_context(tiny_tuning())
        if way == "batched" and graph.m > 1:
            stack.enter_context(streaming(data.draw(st.integers(1, 4), "least batch")))
            given = {name: value for name, value in options.items() if name != "dtype"}
            batches = data.draw(st.integers(2, 5), "batches")
            options["memory"] = memory_for(batches, graph, sources, dtype=rows_type, **given)
            if data.draw(st.booleans(), "few pending"):
                stack.enter_context(few_pending())
        result = ask("some", graph, sources, device=DEVICE, **options)
    assert result.plan.together and result.plan.gpu.layouts[0].rows == 1
    assert result.stats["rows_in_turn"] == len(sources) and "launches_of_rows" not in result.stats
    assert (result.stats["batches"] > 1) is (way == "batched" and graph.m > 1)
    return result


@st.composite
def several(draw, graphs):
    """Return a strategy for a graph and two to six sources, which may repeat."""
    case = draw(graphs)
    return case, draw(st.lists(st.integers(0, case.n - 1), min_size=2, max_size=MOST))


@both
@pytest.mark.parametrize("weights", strategies.DTYPES)
@settings(max_examples=15)
@given(data=st.data())
def test_the_same_bits(method, way, weights, data):
    case, sources = data.draw(several(strategies.cases(dtypes=(weights,), max_n=20, max_m=80)))
    graph, rows = build(case), expected("some", case, sources)
    result = in_turn(way, graph, sources, rows.dtype, data, method=method)
    assert_same(result, rows)
    truth = nearfar.mssp(graph, sources, device="cpu")
    assert result.predecessors.tobytes() == truth.predecessors.tobytes()
    assert nearfar.verify(graph, result)


@both
@settings(max_examples=40)
@given(data=st.data(), weights=st.sampled_from(("int32", "float64")))
def test_cutoff_and_targets(method, way, weights, data):
    """A row that stops at its targets leaves nothing behind for the next one."""
    case, sources = data.draw(several(strategies.cases(dtypes=(weights,))))
    graph, truth = build(case), [case.distances([source]) for source in sources]
    lengths = sorted({length for row in truth for length in row if length is not None})
    cutoff = data.draw(st.none() | st.sampled_from(lengths))
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    dtype = expected_type(case, truth)
    result = in_turn(way, graph, sources, dtype, data, method=method, cutoff=cutoff, targets=targets)
    assert numbers_of(rows_of(result)) == [limited(row, cutoff, targets) for row in truth]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=40)
@given(data=st.data(), kind=st.sampled_from((strategies.negative_cases, strategies.cycle_cases)))
def test_negative_weights(method, way, kind, data):
    """A cycle that some row reaches is named; rows that reach none are as they should be."""
    case, sources = data.draw(several(kind(dtypes=("int32", "float64"))))
    graph, rows = build(case), expected("some", case, sources)
    if rows is not None:
        assert_same(in_turn(way, graph, sources, rows.dtype, data, method=method), rows)
        return
    with pytest.raises(NegativeCycleError) as caught:
        in_turn(way, graph, sources, expected_type(case, []), data, method=method)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("method", ALL)
def test_figures_add_up(method):
    """The counts of rows settled in turn are those of the same rows asked for one by one."""
    graph = nearfar.generate.rmat(9, seed=5)
    sources = [3, 1, 4, 1, 5]
    single = [nearfar.sssp(graph, source, method=method, device=DEVICE).stats for source in sources]
    told = []
    with rows_in_turn():
        result = nearfar.mssp(graph, sources, method=method, device=DEVICE, progress=lambda *rows: told.append(rows))
    assert result.rows.tobytes() == nearfar.mssp(graph, sources, device="cpu").rows.tobytes()
    assert result.stats["downloaded"] >= 5 * 4 * graph.n and told[-1] == (5, 5)
    for name in ("rounds", "looks"):
        assert 0 < result.stats[name] <= 2 * sum(stats[name] for stats in single) + 5


@pytest.mark.parametrize("method", STREAMING)
def test_batches_of_several_rows(method):
    """Rounds per batch grow with the passes of a row, not with those of the rows before it."""
    graph = nearfar.generate.road_grid(30, 30, seed=2)
    memory = memory_for(6, graph, 0, method=method)
    with rows_in_turn():
        result = nearfar.mssp(graph, [0] * 5, method=method, device=DEVICE, memory=memory)
    one = nearfar.sssp(graph, 0, method=method, device=DEVICE, memory=memory)
    assert (result.rows == one.dist).all() and result.plan.arc_batches == one.plan.arc_batches > 1
    assert result.stats["batch_runs"] <= 6 * one.stats["batch_runs"]


def test_several_devices_share_the_rows(monkeypatch):
    """A device that settles its rows in turn takes one at a time."""
    from nearfar.gpu.row_blocks import Rows

    taken, take = [], Rows.take
    monkeypatch.setattr(Rows, "take", lambda rows, count: taken.append(count) or take(rows, count))
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    with rows_in_turn():
        nearfar.mssp(graph, [0, 1, 2], method="delta", device=DEVICE)
    assert set(taken) == {1}


def test_a_plan_says_so():
    graph = nearfar.generate.rmat(16, seed=1)
    with pretending(gpu=True, cores=8):
        plan = nearfar.plan(graph, [0, 1], method="delta", device=DEVICE)
        assert plan.together and plan.describe()["groups"] == "one row after the other, with all groups"
        assert "one row after the other, with all groups" in plan.why and plan.row_batches == 2
        many = nearfar.plan(graph, range(64), method="delta", device=DEVICE)
        assert not many.together and many.describe()["groups"] == "one row per group"
        assert "groups" not in nearfar.plan(graph, [0, 1], method="prepared", device=DEVICE).describe()
        assert "groups" not in nearfar.plan(graph, 0, method="delta", device=DEVICE).describe()
        result = nearfar.mssp(graph, [0, 1], method="delta", device=DEVICE)
    assert result.stats["rows_in_turn"] == 2
    assert result.rows.tobytes() == nearfar.mssp(graph, [0, 1], device="cpu").rows.tobytes()
    assert not nearfar.plan(graph, [0, 1], method="delta", device=DEVICE).together  # one core per row

"""Starting distances on a GPU: every method x types, all arcs on the device and in batches; the oracle's bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.asking import (
    assert_negative_cycle,
    assert_same,
    build,
    expected_starts,
    limited,
    numbers_of,
    rows_of,
    starts_type,
)
from helpers.reach import ALL, DEVICE, NEGATIVE, STREAMING, few_pending, memory_for, streaming, tiny_tuning
from helpers.stopping import stopping
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import NegativeCycleError
from nearfar.gpu import GPU_METHODS
from nearfar.methods import METHODS

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

EXAMPLES = 10
ROUNDING = tuple(name for name in GPU_METHODS if METHODS[name].rounds)
GRID = [(method, "resident") for method in GPU_METHODS] + [(method, "batched") for method in STREAMING]
THOROUGH = ("int32", "float64")  # weights whose kernels are all compiled elsewhere, too


def answer(way, graph, starts, data, query="sssp", **options):
    """Ask a GPU; if ``way`` says so, with memory for some batches of arcs only."""
    if way == "resident" or graph.m < 2:
        return stopping(query, graph, starts, device=DEVICE, **options)
    with streaming(data.draw(st.integers(1, 4), "least batch")):
        planned = {name: value for name, value in options.items() if name != "cutoff"}
        dtype = nearfar.sssp(graph, starts, device="cpu").dist.dtype  # the plan of a wider type needs more
        memory = memory_for(data.draw(st.integers(2, 5), "batches"), graph, starts, **(planned | {"dtype": dtype}))
        return stopping(query, graph, starts, device=DEVICE, memory=memory, **options)


@pytest.mark.parametrize("dtype", THOROUGH)
@pytest.mark.parametrize(("method", "way"), GRID)
@settings(max_examples=2 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(["sssp", "nearest"]))
def test_grid(method, way, dtype, query, data):
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=(dtype,))))
    graph, row = build(case), expected_starts(case, starts)
    result = answer(way, graph, starts, data, query, method=method)
    assert_same(result, row)
    certificate = nearfar.verify(graph, result)
    assert certificate, certificate


@pytest.mark.parametrize("dtype", ("int64", "float32", None), ids=str)
@pytest.mark.parametrize("method", GPU_METHODS)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_other_types(method, dtype, data):
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=(dtype,))))
    starts = {v: np.ceil(start).item() for v, start in starts.items()}  # so that no further kernels are compiled
    graph = build(case)
    result = nearfar.sssp(graph, starts, method=method, device=DEVICE)
    assert_same(result, expected_starts(case, starts))
    assert nearfar.verify(graph, result)


@pytest.mark.parametrize("way", ("resident", "batched"))
@pytest.mark.parametrize("method", NEGATIVE)
@settings(max_examples=2 * EXAMPLES)
@given(data=st.data(), cycle=st.booleans())
def test_negative_weights(method, way, cycle, data):
    kind = strategies.cycle_cases if cycle else strategies.negative_cases
    case, starts = data.draw(strategies.starting(kind(dtypes=THOROUGH)))
    graph, row = build(case), expected_starts(case, starts)
    if row is not None:
        assert_same(answer(way, graph, starts, data, method=method), row)
        return
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.sssp(graph, starts, method=method, device=DEVICE)
    assert_negative_cycle(case, caught.value.cycle)


@pytest.mark.parametrize("method", ROUNDING)
@settings(max_examples=2 * EXAMPLES)
@given(asked=strategies.starting(strategies.negative_cases(dtypes=THOROUGH)))
def test_negative_weights_of_methods_that_round(method, asked):
    case, starts = asked
    assert_same(nearfar.sssp(build(case), starts, method=method, device=DEVICE), expected_starts(case, starts))


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=3 * EXAMPLES)
@given(data=st.data())
def test_cutoff_and_targets(method, data):
    """A start beyond the cutoff is no start, but may be reached from another."""
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=THOROUGH)))
    graph, truth = build(case), case.distances(starts)
    lengths = sorted({length for length in [*truth, *starts.values()] if length is not None})
    cutoff = data.draw(st.none() | st.sampled_from(lengths))
    targets = data.draw(st.none() | st.lists(st.integers(0, case.n - 1), min_size=1, max_size=3))
    options = {"method": method, "cutoff": cutoff, "targets": targets}
    result = stopping("nearest", graph, starts, device=DEVICE, **options)
    assert numbers_of(rows_of(result)) == [limited(truth, cutoff, targets)]
    assert nearfar.verify(graph, result)


@pytest.mark.parametrize("method", ALL)
@settings(max_examples=2 * EXAMPLES)
@given(asked=strategies.starting(strategies.cases(dtypes=("int32",), max_n=20, max_m=120), max_starts=14))
def test_tiny_groups_stages_and_parts(method, asked):
    case, starts = asked
    starts = {v: int(start) for v, start in starts.items()}
    with tiny_tuning():
        assert_same(nearfar.sssp(build(case), starts, method=method, device=DEVICE), expected_starts(case, starts))


@settings(max_examples=2 * EXAMPLES)
@given(data=st.data())
def test_few_pending(data):
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=THOROUGH, min_n=16, max_n=30, max_m=60)))
    with few_pending():
        assert_same(answer("batched", build(case), starts, data, method="frontier"), expected_starts(case, starts))


@pytest.mark.parametrize("method", GPU_METHODS)
def test_great_starts(method):
    """Beyond int32, and so great that a width of buckets would vanish beside them."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], [8, 8, 8])
    for starts in ({0: 2**31 - 9, 1: 0}, {0: 2**40, 2: 5}, {0: 2**62}, {0: 1e300, 2: 0.5}, {1: 10**17}):
        case = strategies.Case(4, ((0, 1, 8), (1, 2, 8), (2, 3, 8)), "int32")
        result = nearfar.sssp(graph, starts, method=method, device=DEVICE)
        assert result.dist.dtype == starts_type(case, starts, case.distances(starts)) or max(starts.values()) > 2**63
        assert numbers_of(result.rows) == [case.distances(starts)] and nearfar.verify(graph, result)

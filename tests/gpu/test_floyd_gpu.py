"""The matrix closed tile by tile on a device: the oracle's distances, to the bit for whole numbers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from helpers.reach import DEVICE
from helpers.stopping import stopping
from nearfar import Graph
from nearfar.devices import opencl
from nearfar.errors import MemoryLimitError, MethodError, NegativeCycleError
from nearfar.gpu import floyd as gpu_floyd
from nearfar.gpu import launch_budget
from nearfar.methods import METHODS, floyd, johnson

if opencl.missing():
    pytest.skip(opencl.missing(), allow_module_level=True)

EXAMPLES = 12
TYPES = ("int32", "int64", "float32", "float64")


@pytest.fixture(autouse=True, scope="module")
def listed():
    """Have the method in the table, whether or not it stands there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, "floyd", floyd.METHOD)
        yield


def check(graph, query, *sources, against="dijkstra", **options):
    """Compare with the CPU: to the bit for whole numbers, else up to rounding."""
    found = stopping(query, graph, *sources, method="floyd", device=DEVICE, **options)
    truth = stopping(query, graph, *sources, method=against, **options)
    found, truth = (getattr(result, "distances", result) for result in (found, truth))
    assert found.stats["device"] == "opencl:0" and found.rows.dtype == truth.rows.dtype
    if found.rows.dtype.kind == "i":
        assert found.rows.tobytes() == truth.rows.tobytes()
    else:
        np.testing.assert_allclose(found.rows, truth.rows, rtol=1e-5 if found.rows.dtype == np.float32 else 1e-13)
    return found


@pytest.mark.parametrize("dtype", [*TYPES, None], ids=str)
@pytest.mark.parametrize("family", ("cases", "negative_cases", "cycle_cases"))
@settings(max_examples=EXAMPLES)
@given(data=st.data(), query=st.sampled_from(["mssp", "apsp", "nearest"]))
def test_small_graphs(family, dtype, data, query):
    if dtype is None and family != "cases":
        return
    case, sources = data.draw(strategies.queries(getattr(strategies, family)(dtypes=(dtype,))))
    seeds = {"mssp": [[s] for s in sources], "apsp": [[s] for s in range(case.n)], "nearest": [sources]}[query]
    graph, expected = Graph.from_arcs(*case.arrays(), n=case.n), case.rows(seeds)
    given = () if query == "apsp" else (sources,)
    if expected is None:
        with pytest.raises(NegativeCycleError):
            getattr(nearfar, query)(graph, *given, method="floyd", device=DEVICE)
        return
    result = getattr(nearfar, query)(graph, *given, method="floyd", device=DEVICE)
    found = oracle.as_floats(getattr(result, "distances", result).rows)
    if dtype in ("float32", "float64"):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)
    else:
        assert (found == expected).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (63, 64, 65, 150))
def test_tiles(dtype, n, monkeypatch):
    """Matrices of several tiles that end inside and at one; in launches of a few tiles; some vertices are apart."""
    monkeypatch.setattr(gpu_floyd, "FEW_TILES", 2)
    monkeypatch.setattr(gpu_floyd, "MOST_TILES", 3)
    rng = np.random.default_rng(n)
    ends = rng.integers(0, n - 3, (2, 4 * n))
    graph = Graph.from_arcs(*ends, rng.integers(0, 900, 4 * n).astype(dtype), n)
    check(graph, "apsp")
    check(graph, "mssp", rng.integers(0, n, 5))
    check(graph, "nearest", rng.integers(0, n, 5))
    check(graph, "apsp", cutoff=300)
    check(graph, "mssp", [0, 5], targets=[7])


@pytest.mark.parametrize("dtype", ("int32", "float64"))
def test_launches_are_short(dtype, monkeypatch):
    """Rows are filled, and written, in as many launches as their bytes need; answers stay the same."""
    rng = np.random.default_rng(8)
    graph = Graph.from_arcs(*rng.integers(0, 90, (2, 400)), rng.integers(0, 900, 400).astype(dtype), 90)
    wanted, launched = nearfar.apsp(graph, method="floyd", device=DEVICE), []
    call = opencl.Kernel.__call__
    monkeypatch.setattr(
        opencl.Kernel, "__call__", lambda kernel, *given: [launched.append(kernel._name), call(kernel, *given)]
    )
    monkeypatch.setattr(launch_budget, "SLOW_BYTES", 10**5)  # ten kilobytes in a launch
    found = nearfar.apsp(graph, method="floyd", device=DEVICE)
    assert found.dist.tobytes() == wanted.dist.tobytes()
    assert launched.count("floyd_fill") >= 3 * graph.n**2 * wanted.dist.itemsize // 10**4
    assert launched.count("floyd_rows") >= 2 * graph.n**2 * wanted.dist.itemsize // 10**4
    check(graph, "nearest", range(40))


def test_no_tile_is_left_out_when_launches_change(monkeypatch):
    """Launches become shorter and longer within a round, as their time says; every tile is in one of them."""
    monkeypatch.setattr(gpu_floyd, "FEW_TILES", 8)
    monkeypatch.setattr(gpu_floyd, "LEAST_TILES", 1)
    clock, taken = [0.0], iter([1.0, 1e-4, 0.05, 2.0, 1e-3, 1e-3, 0.7] * 10**4)

    def now():
        clock[0] += next(taken)
        return clock[0]

    monkeypatch.setattr(gpu_floyd, "time", SimpleNamespace(perf_counter=now))
    spans, offer = [], gpu_floyd.Floyd._offer
    call = opencl.Kernel.__call__

    def launch(kernel, groups, size, *given):
        if kernel._name == "floyd_tiles":
            spans[-1].append((int(given[4]), int(given[5])))
        call(kernel, groups, size, *given)

    def begin(engine, own, cross, count):
        spans.append([])
        offer(engine, own, cross, count)
        assert [0, *(last for _, last in spans[-1])] == [*(first for first, _ in spans[-1]), count]

    monkeypatch.setattr(opencl.Kernel, "__call__", launch)
    monkeypatch.setattr(gpu_floyd.Floyd, "_offer", begin)
    rng = np.random.default_rng(3)
    graph = Graph.from_arcs(*rng.integers(0, 500, (2, 3000)), rng.integers(0, 900, 3000), 500)
    check(graph, "apsp")
    lengths = {last - first for some in spans for first, last in some}
    assert len(lengths) > 3 and max(lengths) > 8


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_zero_may_have_a_sign(dtype):
    """The bits of -0.0 are greater than those of any other number."""
    graph = Graph.from_arcs([0, 1, 0, 2], [1, 2, 2, 0], np.array([-0.0, -0.0, 3, 1], dtype))
    found = check(graph, "apsp")
    assert (found.rows == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]).all() and not np.signbit(found.rows).any()


@pytest.mark.parametrize("weight", (2**28, 2**29, 2**30, 2**31 - 3, 2**40, 2**61, 2**62 - 1))
def test_the_ends_of_types(weight):
    """Sums are compared before they are formed where they could wrap."""
    dtype = np.int32 if weight < 2**31 else np.int64
    graph = Graph.from_arcs([0, 1, 1, 2], [1, 0, 2, 3], np.array([weight, 1, 1, 0], dtype), 5)
    check(graph, "apsp", cutoff=None if weight < 2**61 else 2**60)


@pytest.mark.parametrize("dtype", TYPES)
def test_negative_weights(dtype):
    rng = np.random.default_rng(2)
    ends, high = rng.integers(0, 70, (2, 250)), rng.integers(-300, 300, 70)
    weights = rng.integers(0, 100, 250) + high[ends[0]] - high[ends[1]]
    graph = Graph.from_arcs(*ends, weights.astype(dtype), 73)
    against = "johnson" if dtype.startswith("int") else "frontier"
    check(graph, "apsp", against=against)
    check(graph, "mssp", [3, 71], against=against)


def test_negative_weights_as_long_as_infinity_are_refused():
    graph = Graph.from_arcs(np.arange(9), np.arange(1, 10), np.full(9, -(2**27), np.int32))
    with pytest.raises(MethodError, match="frontier"):
        nearfar.apsp(graph, method="floyd", device=DEVICE)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (3, 70))
def test_negative_cycles(dtype, n):
    tails, heads = np.divmod(np.arange(n * n), n)
    graph = Graph.from_arcs(tails, heads, np.full(n * n, -1000).astype(dtype), n)
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.apsp(graph, method="floyd", device=DEVICE)
    assert caught.value.cycle


@pytest.mark.parametrize("query", ("mssp", "nearest"))
def test_a_cycle_that_only_rounding_makes_negative(query, monkeypatch):
    """Where the method that looks for it finds none, it settles the rows, too."""
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [-0.5, 0.25, 0.125], 3)
    monkeypatch.setattr(johnson, "find_potential", lambda problem, controls: np.zeros(problem.graph.n))
    monkeypatch.setattr(
        johnson, "new_worker", lambda *given: lambda seeds, row: row.__setitem__(slice(None), [1, -2, 3])
    )
    result = getattr(nearfar, query)(graph, [0, 1], method="floyd", device=DEVICE)
    assert (getattr(result, "distances", result).rows == [1, -2, 3]).all()


def test_the_matrix_is_counted():
    graph = nearfar.generate.rmat(8, seed=1)
    plan = nearfar.plan(graph, [0, 1], method="floyd", device=DEVICE)
    assert plan.bytes > graph.n**2 * plan.dtype.itemsize
    with pytest.raises(MemoryLimitError):
        nearfar.mssp(graph, [0, 1], method="floyd", device=DEVICE, memory=graph.n**2 * plan.dtype.itemsize)
    result = nearfar.mssp(graph, [0, 1], method="floyd", device=DEVICE, memory=plan.bytes)
    assert nearfar.verify(graph, result)

"""The matrix closed in blocks: Dijkstra's rows, to the bit for whole numbers, up to rounding for floats."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from helpers.marks import JIT, needs_jit
from helpers.stopping import stopping
from nearfar import Graph
from nearfar.devices import cpu
from nearfar.errors import DistanceOverflowError, NegativeCycleError
from nearfar.methods import METHODS, floyd

EXAMPLES = 25 if JIT else 5
SIZES = (1, 2, 15, 16, 17, 63, 64, 65, 130, 200) if JIT else (1, 2, 17)
TYPES = ("int32", "int64", "float32", "float64")


@pytest.fixture(autouse=True, scope="module")
def listed():
    """Have the method in the table, whether or not it stands there, and threads for the smallest matrix."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(METHODS, "floyd", floyd.METHOD)
        patch.setattr(floyd, "SMALL_MATRIX", 0)
        yield


def random_graph(n, dtype, share=0.3, greatest=900, seed=0, least=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, n, (2, int(share * n * n) + 1))
    weights = None if dtype is None else rng.integers(least, greatest, ends.shape[1], dtype=np.int64).astype(dtype)
    return Graph.from_arcs(*ends, weights, n)


def agree(graph, query, *sources, against="dijkstra", **options):
    """Compare with another method: to the bit for whole numbers, else up to rounding."""
    found, truth = (query(graph, *sources, method=method, **options) for method in ("floyd", against))
    found, truth = (getattr(result, "distances", result) for result in (found, truth))
    assert found.rows.dtype == truth.rows.dtype
    if found.rows.dtype.kind == "i":
        assert found.rows.tobytes() == truth.rows.tobytes()
    else:
        np.testing.assert_allclose(found.rows, truth.rows, rtol=1e-5 if found.rows.dtype == np.float32 else 1e-13)
    return found


@pytest.mark.parametrize("family", (strategies.cases, strategies.negative_cases, strategies.cycle_cases))
@settings(max_examples=3 * EXAMPLES)
@given(data=st.data(), query=st.sampled_from(["mssp", "apsp", "nearest"]), threads=st.integers(1, 3))
def test_small_graphs(family, data, query, threads):
    case, sources = data.draw(strategies.queries(family()))
    seeds = {"mssp": [[s] for s in sources], "apsp": [[s] for s in range(case.n)], "nearest": [sources]}[query]
    graph, expected = Graph.from_arcs(*case.arrays(), n=case.n), case.rows(seeds)
    given = () if query == "apsp" else (sources,)
    if expected is None:
        with pytest.raises(NegativeCycleError):
            getattr(nearfar, query)(graph, *given, method="floyd", threads=threads)
        return
    result = getattr(nearfar, query)(graph, *given, method="floyd", threads=threads)
    found = oracle.as_floats(getattr(result, "distances", result).rows)
    if case.dtype in ("float32", "float64"):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)
    else:
        assert (found == expected).all()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", [*TYPES, None], ids=str)
def test_sizes(dtype, n):
    """Matrices that end inside a tile, inside a panel, and exactly there; rows in any order and number."""
    graph = random_graph(n, dtype)
    rng = np.random.default_rng(n)
    agree(graph, nearfar.apsp, threads=2)
    for sources in (rng.integers(0, n, 3), rng.permutation(n), rng.integers(0, n, n + 2)):
        agree(graph, nearfar.mssp, sources, threads=2)
    agree(graph, nearfar.nearest, rng.integers(0, n, 3), threads=1)
    agree(graph, nearfar.apsp, cutoff=150)
    agree(graph, partial(stopping, "mssp"), [0], targets=[n // 2])


@needs_jit
@pytest.mark.parametrize("n", (1100, 1024))
def test_large_tiles(n):
    graph = random_graph(n, "int32", share=0.02)
    agree(graph, nearfar.apsp, threads=2)
    assert floyd.tile_of(n) > floyd.tile_of(100)


@pytest.mark.parametrize(
    ("greatest", "entries"), ((900, "uint16"), (16_000, "uint16"), (17_000, "int32"), (2**25, "int32"))
)
def test_narrow_entries(greatest, entries):
    """16 bits where distances fit them; a path of long arcs, that does not, is found and done again."""
    graph = random_graph(40, "int32", greatest=greatest)
    assert agree(graph, nearfar.apsp).stats["entries"] == entries
    path = Graph.from_arcs(np.arange(39), np.arange(1, 40), np.full(39, 2000))
    assert agree(path, nearfar.apsp).stats["entries"] == "int32"
    assert agree(path, nearfar.apsp, cutoff=60_000).stats["entries"] == "int32"
    short = Graph.from_arcs(np.arange(39), np.arange(1, 40), [16_000, *[1] * 38], 41)
    assert agree(short, nearfar.apsp).stats["entries"] == "uint16"


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_zero_may_have_a_sign(dtype):
    """The bits of -0.0 are greater than those of any other number."""
    graph = Graph.from_arcs([0, 1, 0, 2], [1, 2, 2, 0], np.array([-0.0, -0.0, 3, 1], dtype))
    found = agree(graph, nearfar.apsp)
    assert (found.rows == [[0, 0, 0], [1, 0, 0], [1, 1, 0]]).all() and not np.signbit(found.rows).any()


@pytest.mark.parametrize("weight", (2**29, 2**30 - 1, 2**30, 2**31 - 3))
def test_the_end_of_int32(weight):
    graph = Graph.from_arcs([0, 1, 1, 2], [1, 0, 2, 3], np.array([weight, 1, 1, 0], np.int32), 5)
    agree(graph, nearfar.apsp)
    agree(graph, nearfar.mssp, [0, 1], cutoff=2**31 - 3)


@pytest.mark.parametrize("cutoff", (None, 2**30, 2**60, 2**62))
@pytest.mark.parametrize("weight", (2**40, 2**61, 2**62 - 1, 2**62, 2**62 + 2**61))
def test_the_end_of_int64(weight, cutoff):
    graph = Graph.from_arcs([0, 1, 1, 2], [1, 0, 2, 3], np.array([weight, 1, 1, 0], np.int64), 5)
    try:
        nearfar.apsp(graph, method="dijkstra", cutoff=cutoff)
    except DistanceOverflowError:
        with pytest.raises(DistanceOverflowError):
            nearfar.apsp(graph, method="floyd", cutoff=cutoff)
    else:
        agree(graph, nearfar.apsp, cutoff=cutoff)


def test_a_distance_that_fits_no_type():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], np.full(3, 2**62, np.int64))
    with pytest.raises(DistanceOverflowError):
        nearfar.apsp(graph, method="floyd")


def shifted(n, dtype, scale, seed=1):
    """A graph with negative weights, some vertices of which are not reached, and no negative cycle."""
    rng = np.random.default_rng(seed)
    tails, heads = rng.integers(0, n, (2, 3 * n))
    high = rng.integers(-scale, scale, n)
    weights = rng.integers(0, scale, 3 * n) + high[tails] - high[heads]
    return Graph.from_arcs(tails, heads, weights.astype(dtype), n + 3)


@pytest.mark.parametrize("scale", (50, 2**20, 2**22, 2**50))
@pytest.mark.parametrize("dtype", TYPES)
def test_negative_weights(dtype, scale):
    if scale > {"int32": 2**28, "float32": 2**20}.get(dtype, scale):
        return
    graph = shifted(70, dtype, scale)
    against = "johnson" if dtype.startswith("int") else "frontier"
    agree(graph, nearfar.apsp, against=against, threads=2)
    agree(graph, nearfar.mssp, [3, 5], against=against)


@pytest.mark.parametrize("weight", (-(2**29) // 72, -(2**28) // 72))
def test_paths_as_long_as_infinity_are_settled_one_by_one(weight):
    graph = Graph.from_arcs(np.arange(69), np.arange(1, 70), np.full(69, weight, np.int32), 71)
    result = agree(graph, nearfar.apsp, against="johnson")
    assert (result.stats["entries"] == "int32") == (weight > -(2**29) // 72)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", (3, 65, 200) if JIT else (3, 65))
def test_negative_cycles(dtype, n):
    """Entries would double from step to step; the first vertex that shows a cycle ends it."""
    tails, heads = np.divmod(np.arange(n * n), n)
    graph = Graph.from_arcs(tails, heads, np.full(n * n, -1000).astype(dtype), n)
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.apsp(graph, method="floyd", threads=2)
    assert caught.value.cycle


@pytest.mark.parametrize("n", (5, 130) if JIT else (5, 66))
def test_a_cycle_that_is_not_reached_does_no_harm(n):
    tails = np.r_[np.arange(n - 1), n, n + 1, n]
    heads = np.r_[np.arange(1, n), n + 1, n, 0]
    graph = Graph.from_arcs(tails, heads, np.r_[np.full(n - 1, -2), 1, -3, 1])
    agree(graph, nearfar.mssp, [0, 1, n - 1], against="johnson")
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.mssp(graph, [0, n], method="floyd")
    assert set(caught.value.cycle) == {n, n + 1}


def test_a_cycle_that_only_rounding_makes_negative():
    """It is left to a method that can tell; a diagonal below zero alone proves nothing."""
    graph = Graph.from_arcs([0, 1, 2, 0, 1], [1, 2, 0, 2, 0], [0.1, 0.2, -0.3, 0.5, 0.7], 3)
    agree(graph, nearfar.apsp, against="johnson")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floyd.Closure, "is_negative", True)
        assert agree(graph, nearfar.apsp, against="johnson", threads=2).stats["entries"].startswith("none")


@pytest.mark.parametrize("dtype", TYPES)
def test_a_part_of_a_wider_matrix(dtype):
    """What lies outside is not touched; threads change nothing, not even how floats round."""
    n, rng = 70, np.random.default_rng(3)
    numbers = floyd.choose_numbers(np.dtype(dtype), False, 10**6)
    whole = np.full((80, 96), numbers.infinity, dtype)
    some = rng.random((80, 96)) < 0.1
    whole[some] = rng.random(int(some.sum())) * 1000
    whole[np.arange(n), np.arange(n)] = 0
    closed = [whole.copy() for _ in range(4)]
    for threads, matrix in enumerate(closed, 1):
        assert floyd.close_matrix(matrix, n, threads, np.zeros(1, np.int64), compared=numbers.compared)
        assert matrix.tobytes() == closed[0].tobytes()
        assert (matrix[n:] == whole[n:]).all() and (matrix[:, n:] == whole[:, n:]).all()
    inside = closed[0][:n, :n].astype(np.float64)
    for k in range(n):
        assert (inside <= inside[:, k, None] + inside[k] + 1e-2).all()
    signed = floyd.choose_numbers(np.dtype(dtype), True, 10**6)
    whole[whole == numbers.infinity] = signed.infinity
    whole[4, 4] = -1
    assert not floyd.close_matrix(whole, n, 2, np.zeros(1, np.int64), compared=signed.compared)


@needs_jit
def test_it_stops():
    """Threads that wait for each other end too."""
    matrix, stop = np.ones((3000, 3000), np.float32), np.zeros(1, np.int64)
    looks = []

    def watch():
        looks.append(1)
        stop[0] = 1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "TICK", 0.01)
        floyd.close_matrix(matrix, 3000, 3, stop, watch)
    assert looks and stop[0]


def test_memory():
    """All pairs need no second matrix of their size, a few rows do."""
    assert floyd.memory(4000, 1, 4000, 2, 8) < 4000 * 4000 * 8 / 10 < 4000 * 4000 * 8 < floyd.memory(4000, 1, 1, 2, 8)

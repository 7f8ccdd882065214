"""Prepared graphs: every answer against the oracle, on small graphs with units, rows set aside and cores.

Integers are compared exactly. Floats are summed in another order than the oracle's, and may differ by rounding.
"""

from __future__ import annotations

import math
import operator
import pickle
import threading
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import oracle, strategies
from helpers.asking import assert_same, expected_starts
from helpers.marks import JIT, needs_jit
from helpers.shapes import KINDS, SHAPES, any_shape, rows_of, same, shaped, wild
from nearfar import Graph
from nearfar.elimination import core, reweight
from nearfar.elimination.build import build
from nearfar.errors import (
    DistanceOverflowError,
    GraphError,
    InputTypeError,
    MemoryLimitError,
    NegativeCycleError,
    NoPathError,
    OptionError,
    VertexError,
)

EXAMPLES = 8 if JIT else 3
TOP = np.iinfo(np.int32).max
LABELS = st.sampled_from([None, True])
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


def arcs_of(graph):
    """Return the arcs of a graph as the oracle takes them."""
    tails = np.repeat(np.arange(graph.n), np.diff(graph.offsets)).tolist()
    weights = [1] * graph.m if graph.weights is None else graph.weights.tolist()
    return list(zip(tails, graph.heads.tolist(), weights, strict=True))


def truth_of(graph):
    """Return the oracle's distances between all pairs, inf for none, or None when there is a negative cycle."""
    arcs = arcs_of(graph)
    add = oracle.add_float32 if graph.weight_dtype == np.float32 else operator.add
    solve = oracle.bellman_ford if any(weight < 0 for _, _, weight in arcs) else oracle.dijkstra
    rows = [solve(graph.n, arcs, [s], add) for s in range(graph.n)]
    if any(row is None for row in rows):
        return None
    return np.array([[math.inf if d is None else d for d in row] for row in rows]).reshape(graph.n, graph.n)


def lightest_of(arcs):
    """Return the weight of the lightest arc from one vertex to another."""
    lightest = {}
    for tail, head, weight in arcs:
        lightest[tail, head] = min(weight, lightest.get((tail, head), math.inf))
    return lightest


def assert_path(lightest, path, source, target, length):
    """Every step is an arc, no vertex comes twice, and the arcs sum to the distance."""
    assert (path[0], path[-1]) == (source, target) and len(set(path)) == len(path)
    assert sum(lightest[step] for step in pairwise(path)) == pytest.approx(length, rel=1e-5, abs=1e-9)


def assert_right(prepared, data, wanted=None):
    """Compare all answers of a prepared graph with the truth."""
    graph, n = prepared.graph, prepared.graph.n
    wanted = truth_of(graph) if wanted is None else wanted
    several = st.lists(st.integers(0, n - 1), min_size=1, max_size=20)
    threads = data.draw(st.integers(1, 2))
    assert same(prepared.apsp(threads=threads).dist, wanted)
    rows, columns = data.draw(several), data.draw(several)
    assert same(prepared.mssp(rows, threads=threads).dist, wanted[rows])
    assert same(prepared.sssp(rows[0], threads=threads).dist, wanted[rows[0]])
    table = prepared.table(rows, columns, threads=threads).rows
    assert table.shape == (len(rows), len(columns)) and same(table, wanted[np.ix_(rows, columns)])
    pairs = data.draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1, max_size=40))
    u, v = map(list, zip(*pairs, strict=True))
    kind = np.float32 if graph.weight_dtype == np.float32 else np.float64
    assert same(prepared.distances(pairs, threads=threads).astype(kind), wanted[u, v])
    assert same(prepared.distances(np.array(pairs), dtype=kind), wanted[u, v])
    assert same(np.array([prepared.distance(*pair) for pair in pairs], kind), wanted[u, v])
    sums = np.where(wanted < math.inf, wanted, 0).sum(axis=1)
    assert prepared.row_sums(rows, threads=threads) == pytest.approx(sums[rows], rel=1e-5)
    assert prepared.row_sums() == pytest.approx(sums, rel=1e-5)
    lightest = lightest_of(arcs_of(graph))
    for source, target in pairs[:10]:
        if wanted[source, target] < math.inf:
            assert_path(lightest, prepared.path(source, target), source, target, wanted[source, target])
        else:
            with pytest.raises(NoPathError):
                prepared.path(source, target)


@each_shape
@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@settings(max_examples=EXAMPLES)
@given(data=st.data(), undirected=st.booleans())
def test_every_answer(dtype, shape, data, undirected):
    case = data.draw(strategies.cases(dtypes=(dtype,)))
    graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected)
    with shaped(**shape):
        assert_right(nearfar.prepare(graph, threads=1, labels=data.draw(LABELS)), data)


@each_shape
@pytest.mark.parametrize("dtype", strategies.DTYPES, ids=str)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_starting_distances(dtype, shape, data):
    """In the lanes where they fit, also where lanes of integers hold neither fractions nor such sums."""
    case, starts = data.draw(strategies.starting(strategies.cases(dtypes=(dtype,)), max_starts=20))
    if strategies.is_whole(case) and data.draw(st.booleans()):
        starts[data.draw(st.sampled_from(list(starts)))] = 2**30
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    with shaped(**shape):
        prepared = nearfar.prepare(graph)
    result = prepared.sssp(starts, threads=data.draw(st.integers(1, 2)))
    assert_same(result, expected_starts(case, starts))
    assert result.predecessors.dtype == np.int32 and nearfar.verify(graph, result)


@settings(max_examples=6 * EXAMPLES)
@given(data=st.data(), shape=any_shape)
def test_negative_weights(data, shape):
    case = data.draw(strategies.negative_cases())
    with shaped(**shape):
        prepared = nearfar.prepare(Graph.from_arcs(*case.arrays(), n=case.n), labels=data.draw(LABELS))
        assert prepared.hierarchy.core is None or prepared.graph.min_weight >= 0
        assert_right(prepared, data)


@settings(max_examples=4 * EXAMPLES)
@given(case=strategies.cycle_cases())
def test_negative_cycles_are_named(case):
    with pytest.raises(NegativeCycleError) as caught:
        nearfar.prepare(Graph.from_arcs(*case.arrays(), n=case.n))
    lightest, cycle = lightest_of(case.arcs), caught.value.cycle
    assert sum(lightest[step] for step in pairwise([*cycle, cycle[0]])) < 0


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 10**6), undirected=st.booleans(), shape=any_shape)
def test_larger_graphs(kind, data, seed, undirected, shape):
    graph = wild(seed, kind, undirected)
    with shaped(**shape):
        assert_right(nearfar.prepare(graph, labels=data.draw(LABELS)), data, rows_of(graph))


def test_shapes_are_as_they_should():
    """The graphs above do have what they are meant to have."""
    graph = nearfar.generate.road_grid(7, 7, seed=1)
    with shaped(unit=3):
        found = nearfar.prepare(graph).hierarchy
        assert found.core is None and len(found.layout.units) > 4 and len(found.layout.lines().kept)
    with shaped(**SHAPES["large core"]):
        found = nearfar.prepare(graph).hierarchy
        assert isinstance(found.core, core.Core) and not found.by_rows and 1 < found.structure.core < graph.n
    with shaped(**SHAPES["closed core"]):
        assert isinstance(nearfar.prepare(graph).hierarchy.core, core.ClosedCore)
    with shaped(**SHAPES["core by rows"]):
        assert nearfar.prepare(graph).hierarchy.by_rows
    assert any(nearfar.prepare(wild(seed, "small", True)).hierarchy.pruned for seed in range(8))


@needs_jit
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 20))
def test_pruned_graphs_with_a_core(data, seed):
    """Twenty arcs per vertex: most are pruned, and what is left is not eliminated completely."""
    rng = np.random.default_rng(seed)
    graph = Graph.from_arcs(*rng.integers(0, 80, (2, 1600)), rng.integers(0, 1000, 1600), n=80)
    with shaped(**SHAPES["small core"]):
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.pruned and prepared.hierarchy.core is not None
        assert prepared.describe()["arcs_after_pruning"] < graph.m
        assert_right(prepared, data, rows_of(graph))


def new_weights(data, m, dtype):
    """Draw weights for m arcs, some of them inf where the type has it: those arcs are closed."""
    drawn = strategies.weights(dtype)
    if dtype.startswith("float"):
        drawn = drawn | st.just(math.inf)
    return np.array(data.draw(st.lists(drawn, min_size=m, max_size=m)), dtype)


@settings(max_examples=4 * EXAMPLES)
@given(data=st.data(), shape=any_shape)
def test_reweight_all(data, shape):
    """Other weights of any type, again and again; each time the new graph has all its answers right."""
    case = data.draw(strategies.cases(max_m=25))
    with shaped(**shape):
        prepared = nearfar.prepare(Graph.from_arcs(*case.arrays(), n=case.n).without_rows())
        for _ in range(2):
            dtype = data.draw(st.sampled_from(strategies.DTYPES[:-1]))
            weights = new_weights(data, prepared.graph.opened.m, dtype)
            before, changed = prepared, prepared.reweight(weights)
            assert changed.graph.n == case.n and changed.graph.m == np.isfinite(weights).sum()
            assert changed.graph.weight_dtype.kind == np.dtype(dtype).kind
            assert_right(changed, data)
            assert_right(before, data)  # stays as it was
            prepared = changed


@settings(max_examples=6 * EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 10**6), kind=st.sampled_from(KINDS[:-1]), shape=any_shape)
def test_reweight_few(data, seed, kind, shape):
    """A few arcs of other weights, several times: only what lies above them is weighed again."""
    graph = wild(seed, kind).without_rows()
    with shaped(**shape), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reweight, "FEW_CHANGES", 1.0)
        prepared = nearfar.prepare(graph)
        for _ in range(2):
            weights = prepared.graph.weights.copy()
            where = data.draw(st.lists(st.integers(0, graph.m - 1), min_size=1, max_size=4))
            for e in where:
                more = data.draw(st.integers(0, 300))
                weights[e] = more if kind != "negative" else min(weights[e], TOP - 1000) + more
            prepared = prepared.reweight(weights)
            assert (prepared.graph.weights == weights).all()
            assert_right(prepared, data, rows_of(prepared.graph))


@settings(max_examples=8 * EXAMPLES)
@given(case=strategies.cases(dtypes=("int32",)), data=st.data(), shape=any_shape)
def test_reweight_below_zero(case, data, shape):
    """Negative weights on a graph that had none: right answers, or the negative cycle that arose."""
    with shaped(**shape):
        prepared = nearfar.prepare(Graph.from_arcs(*case.arrays(), n=case.n).without_rows())
        m = prepared.graph.m
        weights = np.array(data.draw(st.lists(st.integers(-2, 20), min_size=m, max_size=m)), np.int32)
        few = data.draw(st.sampled_from([0.01, 1.0]))
        wanted = truth_of(prepared.graph.with_weights(weights))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reweight, "FEW_CHANGES", few)
            if wanted is not None:
                assert_right(prepared.reweight(weights), data, wanted)
            else:
                with pytest.raises(NegativeCycleError):
                    prepared.reweight(weights)


def test_reweight_closes_and_opens():
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", "Kiel"])
    prepared = nearfar.prepare(graph)
    closed = prepared.reweight([math.inf, 9, 3])
    assert closed.distance("Ulm", "Bonn") == math.inf and closed.distance("Ulm", "Kiel") == 9
    assert closed.graph.m == 2 and closed.reweight([5, 9, 3]).distance("Ulm", "Kiel") == 8
    again = nearfar.prepare(closed.graph).reweight([4, 9, 3])  # prepared while the arc was closed
    assert again.distance("Ulm", "Kiel") == 7 and again.graph.m == 3
    assert prepared.close([0, 1]).distance("Ulm", "Kiel") == math.inf and prepared.distance("Ulm", "Kiel") == 7
    assert prepared.close([0]).close([1]).close([0]).graph.m == 1
    with pytest.raises(nearfar.errors.VertexError, match="row 3 does not exist"):
        prepared.close([3])
    assert prepared.distance("Ulm", "Kiel") == 7
    assert closed.graph.names == graph.names
    with pytest.raises(NoPathError, match=r"'Ulm' to 'Bonn'"):
        closed.path("Ulm", "Bonn")


@pytest.mark.parametrize("weights", [[1, 2], [1, 2, 3, 4], [[1, 2, 3]], [1, math.nan, 3], "abc", 5])
def test_reweight_refuses(weights):
    prepared = nearfar.prepare(Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3]))
    with pytest.raises((GraphError, InputTypeError)):
        prepared.reweight(weights)


def test_names():
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], names=["Ulm", "Bonn", ("Kiel", 1)])
    prepared = nearfar.prepare(graph)
    pairs = [("Ulm", ("Kiel", 1)), ("Bonn", "Bonn"), (("Kiel", 1), "Ulm"), ("Ulm", ("Kiel", 1))]
    assert prepared.distances(pairs).tolist() == [7, 0, math.inf, 7]
    assert prepared.distances(iter([list(pair) for pair in pairs])).tolist() == [7, 0, math.inf, 7]
    assert prepared.distances(np.array([["Ulm", "Bonn"], ["Bonn", "Ulm"]])).tolist() == [4, math.inf]
    assert prepared.table("Ulm", ["Bonn", ("Kiel", 1), "Bonn"]).dist.tolist() == [[4, 7, 4]]
    assert prepared.path("Ulm", ("Kiel", 1)) == ["Ulm", "Bonn", ("Kiel", 1)]
    assert prepared.row_sums(["Bonn", "Ulm"]).tolist() == [3, 11]
    assert prepared.sssp("Bonn").dist.tolist() == [TOP, 0, 3]


@pytest.fixture(scope="module")
def town():
    return nearfar.prepare(nearfar.generate.road_grid(12, 12, seed=3))


UNKNOWN = [
    lambda p: p.sssp(144),
    lambda p: p.mssp([0, -1]),
    lambda p: p.table([0, 144], [1]),
    lambda p: p.table([0], [144]),
    lambda p: p.distance(0, 144),
    lambda p: p.distance(-1, 0),
    lambda p: p.distances([(0, 1), (0, 144)]),
    lambda p: p.distances(np.array([[144, 0]])),
    lambda p: p.path(144, 0),
    lambda p: p.row_sums([144]),
    lambda p: p.table([], [1]),
    lambda p: p.table([1], []),
    lambda p: p.mssp([]),
    lambda p: p.row_sums([]),
]
WRONG = [
    lambda p: p.sssp([0, 1]),
    lambda p: p.sssp(0.5),
    lambda p: p.distance("a", 0),
    lambda p: p.distances(None),
    lambda p: p.distances(7),
    lambda p: p.distances("ab"),
    lambda p: p.distances([1, 2]),
    lambda p: p.distances([(0, 1), (0, 1, 2)]),
    lambda p: p.distances(np.zeros((2, 3), int)),
    lambda p: p.distances(np.zeros((2, 2, 2), int)),
    lambda p: p.distances([(0.5, 1)]),
    lambda p: p.apsp(direction="to"),
    lambda p: p.apsp(hierarchy=None),
    lambda p: p.mssp([0], wrong=1),
]


@pytest.mark.parametrize("ask", UNKNOWN)
def test_unknown_vertices_and_empty_lists(ask, town):
    with pytest.raises(VertexError):
        ask(town)


@pytest.mark.parametrize("ask", WRONG)
def test_wrong_kinds(ask, town):
    with pytest.raises((InputTypeError, TypeError)) as caught:
        ask(town)
    assert str(caught.value)


def test_distances_of_other_types():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    prepared, pairs = nearfar.prepare(graph), [(0, 2), (2, 0)]
    assert prepared.distances(pairs).tolist() == [12, math.inf]
    for dtype in ("int32", "int64"):
        found = prepared.distances(pairs, dtype=dtype)
        assert found.dtype == dtype and found.tolist() == [12, np.iinfo(dtype).max]
    with pytest.raises(OptionError, match="float32 cannot hold"):
        prepared.distances(pairs, dtype="float32")
    long = nearfar.prepare(Graph.from_arcs([0, 1], [1, 2], [2**60, 7]))
    assert long.distances(pairs, dtype="int64").tolist() == [2**60 + 7, 2**63 - 1]
    for dtype in (None, "float64", "int32"):
        with pytest.raises(DistanceOverflowError, match=r"Use dtype='int64'"):
            long.distances(pairs, dtype=dtype)
    floats = nearfar.prepare(Graph.from_arcs([0, 1], [1, 2], np.array([0.5, 7], np.float32)))
    assert floats.distances(pairs).dtype == np.float64 and floats.distances(pairs, dtype="float32").tolist()[0] == 7.5


def test_another_method_runs_plainly(town):
    assert town.sssp(0).plan.method == town.sssp(0, method="auto").plan.method == "prepared"
    found = town.mssp([3, 5], method="dijkstra")
    assert found.plan.method == "dijkstra" and found.graph is town.graph
    assert (found.dist == town.mssp([3, 5]).dist).all()
    with pytest.raises(OptionError, match="method 'prepared' has no buckets"):
        town.sssp(0, delta=3)


def test_welcome_wherever_a_graph_is(town):
    graph = town.graph
    for options in ({}, {"cutoff": 300}):
        one, some = nearfar.sssp(town, 3, **options), nearfar.mssp(town, [3, 5], **options)
        assert one.graph is graph and one.plan.method == "prepared"
        assert (one.dist == nearfar.sssp(graph, 3, **options).dist).all()
        assert (some.dist == nearfar.mssp(graph, [3, 5], **options).dist).all()
        near = nearfar.nearest(town, [3, 77], **options)
        assert (near.dist == nearfar.nearest(graph, [3, 77], **options).dist).all()
        assert (near.source == town.nearest([77, 3], **options).source).all()
        assert all(nearfar.verify(town, result) for result in (one, some, near))
    columns = {"targets": [5, 140]}
    assert (nearfar.sssp(town, 3, **columns).dist == nearfar.sssp(graph, 3, **columns).dist).all()
    assert (town.mssp([3, 5], **columns).dist == nearfar.mssp(graph, [3, 5], **columns).dist).all()
    assert (nearfar.apsp(town).dist == nearfar.apsp(graph).dist).all()
    assert nearfar.distance(town, 3, 99) == nearfar.distance(town, 3, 99, threads=1) == nearfar.distance(graph, 3, 99)
    assert nearfar.distance(town, 3, 99, cutoff=1) == math.inf
    assert nearfar.path(town, 3, 99, method="dijkstra") == nearfar.path(graph, 3, 99)
    assert nearfar.path(town, 3, 99, threads=1)[-1] == nearfar.path(town, 3, 99)[-1] == 99
    assert nearfar.plan(town).method == nearfar.plan(town, 3).method == "prepared"
    assert nearfar.plan(town, 3, method="delta").method == "delta"


def test_prepared_again(town, tmp_path):
    """A prepared graph stands for its graph, also where one is prepared or loaded."""
    town.save(tmp_path / "town.prepared")
    for again in (nearfar.prepare(town), nearfar.load_prepared(tmp_path / "town.prepared", town)):
        assert again.graph is town.graph and again.distance(3, 99) == town.distance(3, 99)


def test_threads_of_the_prepared_graph_are_the_default():
    prepared = nearfar.prepare(nearfar.generate.road_grid(12, 12, seed=3), threads=1)
    assert nearfar.mssp(prepared, range(100)).plan.threads == 1
    assert nearfar.mssp(prepared, range(100), threads=2).plan.threads == 2


def test_the_reversed_graph_is_prepared_once(monkeypatch):
    graph = nearfar.generate.rmat(6, 4, seed=2, undirected=False)
    assert not graph.undirected
    prepared = nearfar.prepare(graph)
    built = []
    monkeypatch.setattr("nearfar.prepared.build", lambda *args, **rest: built.append(1) or build(*args, **rest))
    wanted = nearfar.mssp(graph, [3, 5], direction="to").dist
    for _ in range(2):
        found = prepared.mssp([3, 5], direction="to")
        assert (found.dist == wanted).all() and found.plan.method == "prepared" and nearfar.verify(prepared, found)
    assert len(built) == 1
    again = pickle.loads(pickle.dumps(prepared))
    assert (again.sssp(3, direction="to").dist == wanted[0]).all() and len(built) == 1
    edges = nearfar.prepare(nearfar.generate.road_grid(5, 5, seed=3))
    edges.sssp(3, direction="to")
    assert edges.graph.undirected and edges.hierarchy_of("to") is edges.hierarchy and len(built) == 2


def test_no_pairs(town):
    assert town.distances([]).shape == town.distances(np.empty((0, 2), int)).shape == (0,)


def test_options(town):
    graph = town.graph
    for options in ({"cutoff": 300}, {"targets": [5, 140]}, {"dtype": "float64"}, {"dtype": "int64"}, {"threads": 2}):
        wanted = nearfar.mssp(graph, range(40), method="dijkstra", **options)
        found = town.mssp(range(40), **options)
        assert found.dist.dtype == wanted.dist.dtype and (found.dist == wanted.dist).all(), options
        assert nearfar.verify(graph, found)
    out = np.empty((3, graph.n), np.int64)
    assert (town.mssp([1, 2, 1], out=out).dist == nearfar.mssp(graph, [1, 2, 1]).dist).all() and out[0, 1] == 0
    assert town.sssp(7).stats["method"] == "prepared"
    assert (town.mssp([3, 9]).predecessors == nearfar.mssp(graph, [3, 9]).predecessors).all()
    with pytest.raises(OptionError):
        town.table([0], [1], threads=0)


def test_progress(town):
    seen = []
    sums = town.row_sums(progress=lambda *now: seen.append(now))
    assert (sums == town.apsp().dist.sum(axis=1)).all()
    assert seen[-1] == (town.graph.n, town.graph.n)  # rows, not batches of them


def test_describe_and_repr(town):
    facts = town.describe()
    assert (facts["vertices"], facts["arcs"], facts["core"]) == (144, town.graph.m, 0)
    assert facts["bytes"] > 0 and facts["seconds"] > 0 and "depth" in str(facts)
    assert repr(town) == f"Prepared(n=144, m={town.graph.m}, core=0)"
    with shaped(**SHAPES["large core"]):
        found = nearfar.prepare(town.graph).describe()
    assert found["core"] > 0 and found["core_arcs"] > 0


def test_memory_is_refused_before(town):
    with pytest.raises(MemoryLimitError, match="preparing"):
        nearfar.prepare(town.graph, memory="1 kB")
    with pytest.raises(MemoryLimitError):
        town.apsp(memory=1000)


@pytest.mark.parametrize("graph", [None, [[0, 1], [1, 0]], "roads.gr"])
def test_prepare_wants_a_graph(graph):
    with pytest.raises(InputTypeError):
        nearfar.prepare(graph)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_graphs(n):
    prepared = nearfar.prepare(Graph.from_arcs([], [], n=n))
    assert prepared.apsp().dist.shape == (n, n) and prepared.row_sums().tolist() == [0] * n
    if n:
        assert prepared.path(0, 0) == [0] and prepared.distance(n - 1, n - 1) == 0
        assert prepared.table(range(n), [0]).dist.shape == (n, 1)


def test_loops_do_no_harm():
    prepared = nearfar.prepare(Graph.from_arcs([0, 0, 1], [0, 1, 1], [3, 4, 0]))
    assert prepared.path(0, 1) == [0, 1] and prepared.apsp().dist.tolist() == [[0, 4], [TOP, 0]]
    with pytest.raises(NegativeCycleError) as caught:
        prepared.reweight([-1, 4, 0])
    assert caught.value.cycle == [0]


@pytest.mark.parametrize("weight", [2**30, 2**31 - 2, 2**31 + 5, 2**50])
def test_distances_that_pass_int32(weight):
    """A chain whose distances exceed int32 at some vertex; tables and pairs then have int64."""
    n = 6
    graph = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), np.full(n - 1, weight), n=n + 1)
    prepared = nearfar.prepare(graph)
    wanted = [weight * v for v in range(n)]
    assert prepared.sssp(0).dist.tolist()[:n] == prepared.table([0], range(n)).dist[0].tolist() == wanted
    assert prepared.distances([(0, v) for v in range(n)]).tolist() == wanted
    assert prepared.distance(0, n - 1) == wanted[-1] and prepared.distance(0, n) == math.inf
    end = np.iinfo(np.int64).max
    assert prepared.table([0], [n]).dist.tolist() == [[end]] and prepared.distances([(0, n)]).tolist() == [math.inf]
    assert prepared.row_sums([0]).tolist() == [sum(wanted)]


def test_negative_arcs_from_nowhere():
    """A vertex that cannot be reached stays unreached, however many negative arcs lead on from it."""
    graph = Graph.from_arcs(
        [5, 4, 2, 2, 0, 0, 0, 1, 6, 5, 7, 4, 4], [7, 5, 5, 4, 4, 7, 2, 6, 5, 0, 3, 6, 4],
        [13, 5, 37, 37, 1, 8, -35, -5, 41, 3, -28, -25, 12],
    )  # fmt: skip
    prepared = nearfar.prepare(graph)
    assert prepared.distance(3, 2) == math.inf
    with pytest.raises(NoPathError):
        prepared.path(3, 2)


@pytest.mark.parametrize("shape", [{}, SHAPES["large core"]], ids=["whole", "core"])
def test_threads_of_the_caller(shape):
    """One prepared graph asked by several threads at once, each of which gets its own answers."""
    graph = nearfar.generate.road_grid(*((40, 40) if JIT else (6, 6)), seed=5)
    with shaped(**shape):
        prepared = nearfar.prepare(graph)
    wanted, wrong = rows_of(graph), []
    count = 400 if JIT else 20

    def ask(seed):
        rng = np.random.default_rng(seed)
        for u, v in rng.integers(0, graph.n, (count, 2)).tolist():
            if prepared.distance(u, v) != wanted[u, v] or len(prepared.path(u, v)) < 1:
                wrong.append((u, v))
            if (prepared.sssp(u, threads=1).dist != wanted[u]).any():
                wrong.append(u)

    threads = [threading.Thread(target=partial(ask, seed)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong

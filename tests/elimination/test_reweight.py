"""A few changed weights: what is done again must leave what doing everything again leaves, to the last array."""

from __future__ import annotations

import io
import math
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers import strategies
from helpers.marks import JIT
from helpers.shapes import KINDS, SHAPES, rows_of, same, shaped, wild
from nearfar import Graph
from nearfar.elimination import build, reweight
from nearfar.elimination import shortcuts as slots_module
from nearfar.elimination.layout import lay_out
from nearfar.elimination.shortcuts import Slots, best_of, weigh
from nearfar.errors import DistanceOverflowError, NegativeCycleError
from nearfar.methods.prepared import SOLVERS

EXAMPLES = 25 if JIT else 4
RUN = np.zeros(1, np.int64)
ONE_WAY = pytest.mark.parametrize("undirected", [False, True], ids=["directed", "undirected"])


@contextmanager
def mended_always(unit=4096):
    """Let every change be a small one, on graphs that are neither pruned nor left with a core."""
    with shaped(unit=unit, always=10**6), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reweight, "FEW_CHANGES", 1.0)
        patch.setattr(build, "PAYS", 2.0)
        yield


def assert_as_anew(prepared):
    """Slots, marks and shortest ways are those of weighing all anew; the sheet has the same arcs in some order."""
    found = prepared.hierarchy
    skeleton, slots = found.skeleton, found.slots
    wanted = weigh(prepared.graph, skeleton, 1, RUN)
    assert isinstance(wanted, Slots) and wanted.symmetric == slots.symmetric
    for name in ("outs", "ins", "keep"):
        assert np.array_equal(getattr(slots, name), getattr(wanted, name)), name
    if slots.best is not None:
        for mine, full in zip(slots.best, best_of(skeleton, wanted, 1, RUN), strict=True):
            assert np.array_equal(mine, full)
    anew = lay_out(skeleton, wanted, (0.0, found.high), found.sheet.dtype)
    for way in ("up", "down"):
        arcs, others = (arcs_by_vertex(sheet, way) for sheet in (found.sheet, anew))
        assert arcs == others
    assert np.array_equal(found.sheet.places[found.sheet.vertices], np.arange(found.sheet.n))


def arcs_by_vertex(sheet, way):
    """Return the arcs of every vertex in a sheet, with vertices for heads."""
    starts, arcs = getattr(sheet, f"{way}_starts"), getattr(sheet, f"{way}_arcs")
    listed = {}
    for i, v in enumerate(sheet.vertices.tolist()):
        own = arcs[starts[i] : starts[i + 1]]
        numbers = np.where(own["head"] < sheet.tops, own["head"], own["head"] - sheet.tops + sheet.begins[i])
        listed[v] = sorted(zip(sheet.vertices[numbers].tolist(), own["weight"].tolist(), strict=True))
    return listed


def some_changed(data, graph, most=4):
    """Draw weights of which a few differ: raised, lowered, zero, anything, or inf where the type has it."""
    weights = graph.weights.copy()
    whole = weights.dtype.kind == "i"
    for e in data.draw(st.lists(st.integers(0, graph.m - 1), min_size=1, max_size=most)):
        old = weights[e]
        ways = [0, old // 2 if whole else old / 2, min(3 * int(old) + 1, 2**31 - 2) if whole else 3 * old + 0.5, 7]
        weights[e] = data.draw(st.sampled_from(ways if whole else [*ways, math.inf]))
    return weights


@pytest.mark.parametrize("dtype", strategies.DTYPES[:-1])
@ONE_WAY
@settings(max_examples=EXAMPLES)
@given(data=st.data(), unit=st.sampled_from([1, 3, 4096]))
def test_chains_of_few_changes(dtype, undirected, data, unit):
    """After each of several changes all rows are those of a fresh preparation and of Dijkstra."""
    case = data.draw(strategies.cases(dtypes=(dtype,), max_m=25))
    with mended_always(unit):
        prepared = nearfar.prepare(Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected))
        for _ in range(3):
            if prepared.graph.m == 0:
                break
            prepared = prepared.reweight(some_changed(data, prepared.graph))
            dist, fresh = prepared.apsp().dist, nearfar.prepare(prepared.graph).apsp().dist
            assert dist.dtype == fresh.dtype and same(dist, rows_of(prepared.graph))
            assert dist.dtype.kind == "f" or np.array_equal(dist, fresh)
            assert_as_anew(prepared)


@pytest.mark.parametrize("kind", KINDS[:-1])
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 10**6), undirected=st.booleans(), unit=st.sampled_from([3, 20, 4096]))
def test_all_is_as_weighed_anew(kind, data, seed, undirected, unit):
    """Larger graphs, where a change leads over many vertices: every array is what it would be otherwise."""
    graph = wild(seed, kind, undirected)
    with mended_always(unit):
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.core is None and not prepared.hierarchy.pruned
        for _ in range(3):
            rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
            which = rng.integers(0, graph.m, data.draw(st.sampled_from([1, 3, 30])))
            weights = prepared.graph.weights.copy()
            drawn = graph.weights[rng.integers(0, graph.m, len(which))]  # the same range, and ties
            weights[which] = np.maximum(weights[which], drawn) if kind == "negative" else drawn
            prepared = prepared.reweight(weights)
            assert prepared.hierarchy.slots.best is not None
            assert_as_anew(prepared)
        assert same(prepared.apsp().dist, rows_of(prepared.graph))


@settings(max_examples=EXAMPLES)
@given(data=st.data(), case=strategies.negative_cases(dtypes=("int32", "float32", "float64")))
def test_below_zero_and_back(data, case):
    """Weights become negative, one by one, and positive again; floats then have no shortest ways to go on with."""
    with mended_always():
        graph = Graph.from_arcs(*case.arrays(), n=case.n)
        prepared = nearfar.prepare(Graph.from_arcs(*case.arrays()[:2], np.abs(case.arrays()[2]), n=case.n))
        for _ in range(2 * (graph.m > 0)):
            weights = prepared.graph.weights.copy()
            which = data.draw(st.lists(st.integers(0, graph.m - 1), max_size=5))
            weights[which] = graph.weights[which]
            try:
                wanted = rows_of(graph.with_weights(weights))
            except NegativeCycleError:
                with pytest.raises(NegativeCycleError):
                    prepared.reweight(weights)
                continue
            prepared = prepared.reweight(weights)
            assert same(prepared.apsp().dist, wanted)
            assert_as_anew(prepared)
            prepared = prepared.reweight(np.abs(weights))
            assert same(prepared.apsp().dist, rows_of(prepared.graph))
            assert_as_anew(prepared)


def test_a_chain_on_a_road_network():
    """Few enough for the usual threshold: each time the shortest ways are handed on, and the old graph stays."""
    graph = nearfar.generate.road_grid(60, 60, seed=2) if JIT else nearfar.generate.road_grid(7, 7, seed=2)
    first = prepared = nearfar.prepare(graph)
    wanted, rng = first.apsp().dist, np.random.default_rng(5)
    with mended_always() if not JIT else shaped():
        for _ in range(5):
            weights = prepared.graph.weights.copy()
            weights[rng.integers(0, graph.m, 5)] = rng.integers(0, 3 * graph.max_weight, 5)
            prepared = prepared.reweight(weights)
            assert prepared.hierarchy.slots.best is not None
            assert (prepared.apsp().dist == nearfar.prepare(prepared.graph).apsp().dist).all()
            assert_as_anew(prepared)
    assert (first.apsp().dist == wanted).all()


def test_one_way_and_back():
    """A street that is slower one way only, and then again both ways."""
    graph = Graph.from_arcs([0, 1, 2, 3, 0], [1, 2, 3, 0, 2], [4, 5, 6, 7, 8], undirected=True)
    with mended_always():
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.slots.symmetric
        weights = graph.weights.copy()
        weights[0] += 2
        slower = prepared.reweight(weights)
        sheet = slower.hierarchy.sheet
        assert not slower.hierarchy.slots.symmetric and sheet.up_arcs is not sheet.down_arcs
        assert_as_anew(slower)
        back = slower.reweight(graph.weights)
        sheet, slots = back.hierarchy.sheet, back.hierarchy.slots
        assert slots.symmetric and sheet.up_arcs is sheet.down_arcs and slots.best[0] is slots.best[1]
        assert_as_anew(back)
        assert back.apsp().dist.tobytes() == prepared.apsp().dist.tobytes()


def test_wider_lanes_and_back():
    graph = nearfar.generate.road_grid(6, 6, seed=1)
    heavy = graph.weights.astype(np.int64)
    heavy[3] = 2**40
    with mended_always(unit=3):
        prepared = nearfar.prepare(graph)
        for weights, lanes in ((heavy, np.int64), (graph.weights, np.int32)):
            prepared = prepared.reweight(weights)
            # a way round the heavy arc may spare it
            assert prepared.hierarchy.sheet.dtype == nearfar.prepare(prepared.graph).hierarchy.sheet.dtype == lanes
            assert same(prepared.apsp().dist, rows_of(prepared.graph))


def test_memory_and_files():
    """Shortest ways count as memory while they are kept, and are not written."""
    graph = nearfar.generate.road_grid(9, 9, seed=3)
    prepared, plain = nearfar.prepare(graph), nearfar.prepare(graph)
    weights = graph.weights.copy()
    weights[5] += 1
    with mended_always():
        changed = prepared.reweight(weights)
    assert changed.hierarchy.slots.best is not None
    for mine in (prepared, changed):
        slots = mine.hierarchy.slots
        assert slots.nbytes == Slots(slots.outs, slots.ins, slots.keep).nbytes + sum(
            {id(best): best.nbytes for best in slots.best}.values()
        )
    files = [io.BytesIO(), io.BytesIO()]
    for file, mine in zip(files, (prepared, plain), strict=True):
        mine.save(file)
    assert files[0].getvalue() == files[1].getvalue()
    assert "best" not in repr(changed.hierarchy.slots)


def test_stopped_halfway_nothing_is_kept():
    graph = nearfar.generate.road_grid(9, 9, seed=3)
    prepared, stop = nearfar.prepare(graph), np.ones(1, np.int64)
    weights = graph.weights.copy()
    weights[5] += 1
    with mended_always():
        changed = graph.with_weights(weights)
        assert reweight.reweighted(graph, prepared.hierarchy, changed, 1, stop, SOLVERS) is None
        assert prepared.hierarchy.slots.best is None
        again = prepared.reweight(weights)
        assert reweight.reweighted(changed, again.hierarchy, graph, 1, stop, SOLVERS) is None
        assert_as_anew(again)


@pytest.mark.parametrize("few", [0.0, 1.0])
def test_too_long_for_sums(few):
    """As `prepare` does: refused, never wrapped."""
    prepared = nearfar.prepare(Graph.from_arcs([0, 1], [1, 2], [5, 7]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reweight, "FEW_CHANGES", few)
        with pytest.raises(DistanceOverflowError, match="coarser unit"):
            prepared.reweight([2**62, 7])


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("shape", [{}, SHAPES["small core"]], ids=["whole", "core"])
def test_threads_find_the_same_arcs(threads, shape, monkeypatch):
    """Subtrees can be asked side by side which arcs they need, once those above them were."""
    graph = nearfar.generate.road_grid(12, 12, seed=3)
    monkeypatch.setattr(slots_module, "TOGETHER", 0)
    with shaped(**shape):
        skeleton = nearfar.prepare(graph).hierarchy.skeleton
    families = skeleton.families(10)
    assert len(families) > 3 and np.array_equal(np.sort(np.concatenate(families)), np.arange(graph.n))
    assert all((np.diff(family) > 0).all() for family in families)
    wanted, found = (weigh(graph, skeleton, count, RUN) for count in (1, threads))
    assert np.array_equal(found.keep, wanted.keep) and np.array_equal(found.outs, wanted.outs)

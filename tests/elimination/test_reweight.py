"""A few changed weights: computing a part again must give the same arrays as computing everything again."""

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
from helpers.shapes import KINDS, SHAPES, rows_of, same, shaped, weights_by_arc, wild
from nearfar import Graph
from nearfar.elimination import build, reweight
from nearfar.elimination import shortcuts as shortcuts_module
from nearfar.elimination.layout import lay_out
from nearfar.elimination.shortcuts import Shortcuts, best_of, weigh
from nearfar.errors import DistanceOverflowError, NegativeCycleError
from nearfar.methods.prepared import SOLVERS

EXAMPLES = 25 if JIT else 4
RUN = np.zeros(1, np.int64)
BOTH_KINDS = pytest.mark.parametrize("undirected", [False, True], ids=["directed", "undirected"])


@contextmanager
def mended_always(unit=4096):
    """Treat every change as a small one, on graphs that are neither pruned nor left with a core."""
    with shaped(unit=unit, always=10**6), pytest.MonkeyPatch.context() as patch:
        patch.setattr(reweight, "FEW_CHANGES", 1.0)
        patch.setattr(build, "PAYS", 2.0)
        yield


def assert_as_weighed_again(prepared):
    """Shortcuts, marks and paths are as if all was weighed again; the layout has the same arcs in some order."""
    found = prepared.hierarchy
    structure, shortcuts = found.structure, found.shortcuts
    wanted = weigh(prepared.graph, structure, 1, RUN)
    assert isinstance(wanted, Shortcuts) and wanted.symmetric == shortcuts.symmetric
    for name in ("outs", "ins", "keep"):
        assert np.array_equal(getattr(shortcuts, name), getattr(wanted, name)), name
    if shortcuts.best is not None:
        for mine, full in zip(shortcuts.best, best_of(structure, wanted, 1, RUN), strict=True):
            assert np.array_equal(mine, full)
    fresh = lay_out(structure, wanted, (0.0, found.high), found.layout.dtype)
    for direction in ("up", "down"):
        arcs, others = (arcs_by_vertex(layout, direction) for layout in (found.layout, fresh))
        assert arcs == others
    assert np.array_equal(found.layout.positions[found.layout.vertices], np.arange(found.layout.n))


def arcs_by_vertex(layout, direction):
    """Return the arcs of every vertex in a layout, with vertices for heads."""
    starts, arcs = getattr(layout, f"{direction}_starts"), getattr(layout, f"{direction}_arcs")
    listed = {}
    for i, v in enumerate(layout.vertices.tolist()):
        own = arcs[starts[i] : starts[i + 1]]
        positions = np.where(own["head"] < layout.tops, own["head"], own["head"] - layout.tops + layout.begins[i])
        listed[v] = sorted(zip(layout.vertices[positions].tolist(), own["weight"].tolist(), strict=True))
    return listed


def some_changed(data, graph, most=4):
    """Draw weights of which a few differ: raised, lowered, zero, anything, or inf where the type has it."""
    weights = weights_by_arc(graph)
    whole = weights.dtype.kind == "i"
    for e in data.draw(st.lists(st.integers(0, len(weights) - 1), min_size=1, max_size=most)):
        old = weights[e]
        if old == math.inf:
            weights[e] = data.draw(st.sampled_from([3, 50]))  # opened again
            continue
        choices = [0, old // 2 if whole else old / 2, min(3 * int(old) + 1, 2**31 - 2) if whole else 3 * old + 0.5, 7]
        weights[e] = data.draw(st.sampled_from(choices if whole else [*choices, math.inf]))
    return weights


@pytest.mark.parametrize("dtype", strategies.DTYPES[:-1])
@BOTH_KINDS
@settings(max_examples=EXAMPLES)
@given(data=st.data(), unit=st.sampled_from([1, 3, 4096]))
def test_chains_of_few_changes(dtype, undirected, data, unit):
    """After each of several changes all rows are those of a fresh preparation and of Dijkstra."""
    case = data.draw(strategies.cases(dtypes=(dtype,), max_m=25))
    with mended_always(unit):
        graph = Graph.from_arcs(*case.arrays(), n=case.n, undirected=undirected)
        prepared = nearfar.prepare(graph.without_rows())
        for _ in range(3):
            if graph.m == 0:
                break
            prepared = prepared.reweight(some_changed(data, prepared.graph))
            dist, fresh = prepared.apsp().dist, nearfar.prepare(prepared.graph).apsp().dist
            assert dist.dtype == fresh.dtype and same(dist, rows_of(prepared.graph))
            assert dist.dtype.kind == "f" or np.array_equal(dist, fresh)
            assert_as_weighed_again(prepared)


@pytest.mark.parametrize("kind", KINDS[:-1])
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=st.integers(0, 10**6), undirected=st.booleans(), unit=st.sampled_from([3, 20, 4096]))
def test_all_is_as_weighed_again(kind, data, seed, undirected, unit):
    """Larger graphs, where a change affects many vertices: every array is as if all was weighed again."""
    graph = wild(seed, kind, undirected).without_rows()
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
            assert prepared.hierarchy.shortcuts.best is not None
            assert_as_weighed_again(prepared)
        assert same(prepared.apsp().dist, rows_of(prepared.graph))


@settings(max_examples=EXAMPLES)
@given(data=st.data(), case=strategies.negative_cases(dtypes=("int32", "float32", "float64")))
def test_below_zero_and_back(data, case):
    """Weights become negative, one by one, and positive again; negative floats have no shortest paths to go on with."""
    with mended_always():
        graph = Graph.from_arcs(*case.arrays(), n=case.n).without_rows()
        prepared = nearfar.prepare(graph.with_weights(np.abs(graph.weights)))
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
            assert_as_weighed_again(prepared)
            prepared = prepared.reweight(np.abs(weights))
            assert same(prepared.apsp().dist, rows_of(prepared.graph))
            assert_as_weighed_again(prepared)


def test_a_chain_on_a_road_network():
    """Few enough for the usual threshold: each time the shortest paths are passed on, and the old graph stays."""
    graph = nearfar.generate.road_grid(*((60, 60) if JIT else (7, 7)), seed=2).without_rows()
    first = prepared = nearfar.prepare(graph)
    wanted, rng = first.apsp().dist, np.random.default_rng(5)
    with mended_always() if not JIT else shaped():
        for _ in range(5):
            weights = prepared.graph.weights.copy()
            weights[rng.integers(0, graph.m, 5)] = rng.integers(0, 3 * graph.max_weight, 5)
            prepared = prepared.reweight(weights)
            assert prepared.hierarchy.shortcuts.best is not None
            assert (prepared.apsp().dist == nearfar.prepare(prepared.graph).apsp().dist).all()
            assert_as_weighed_again(prepared)
    assert (first.apsp().dist == wanted).all()


def test_one_direction_and_back():
    """A street that is slower in one direction only, and then again equal in both."""
    graph = Graph.from_arcs([0, 1, 2, 3, 0], [1, 2, 3, 0, 2], [4, 5, 6, 7, 8], undirected=True).without_rows()
    with mended_always():
        prepared = nearfar.prepare(graph)
        assert prepared.hierarchy.shortcuts.symmetric
        weights = graph.weights.copy()
        weights[0] += 2
        slower = prepared.reweight(weights)
        layout = slower.hierarchy.layout
        assert not slower.hierarchy.shortcuts.symmetric and layout.up_arcs is not layout.down_arcs
        assert_as_weighed_again(slower)
        back = slower.reweight(graph.weights)
        layout, shortcuts = back.hierarchy.layout, back.hierarchy.shortcuts
        assert shortcuts.symmetric and layout.up_arcs is layout.down_arcs and shortcuts.best[0] is shortcuts.best[1]
        assert_as_weighed_again(back)
        assert back.apsp().dist.tobytes() == prepared.apsp().dist.tobytes()


def test_wider_lanes_and_back():
    graph = nearfar.generate.road_grid(6, 6, seed=1).without_rows()
    heavy = graph.weights.astype(np.int64)
    heavy[3] = 2**40
    with mended_always(unit=3):
        prepared = nearfar.prepare(graph)
        for weights, lanes in ((heavy, np.int64), (graph.weights, np.int32)):
            prepared = prepared.reweight(weights)
            # the heavy arc may not be needed, if there is a path around it
            assert prepared.hierarchy.layout.dtype == nearfar.prepare(prepared.graph).hierarchy.layout.dtype == lanes
            assert same(prepared.apsp().dist, rows_of(prepared.graph))


def test_memory_and_files():
    """Shortest paths count as memory while they are kept, and are not written to files."""
    graph = nearfar.generate.road_grid(9, 9, seed=3).without_rows()
    prepared, plain = nearfar.prepare(graph), nearfar.prepare(graph)
    weights = graph.weights.copy()
    weights[5] += 1
    with mended_always():
        changed = prepared.reweight(weights)
    assert changed.hierarchy.shortcuts.best is not None
    for mine in (prepared, changed):
        shortcuts = mine.hierarchy.shortcuts
        assert shortcuts.nbytes == Shortcuts(shortcuts.outs, shortcuts.ins, shortcuts.keep).nbytes + sum(
            {id(best): best.nbytes for best in shortcuts.best}.values()
        )
    files = [io.BytesIO(), io.BytesIO()]
    for file, mine in zip(files, (prepared, plain), strict=True):
        mine.save(file)
    assert files[0].getvalue() == files[1].getvalue()
    assert "best" not in repr(changed.hierarchy.shortcuts)


def test_stopped_halfway_nothing_is_kept():
    graph = nearfar.generate.road_grid(9, 9, seed=3).without_rows()
    prepared, stop = nearfar.prepare(graph), np.ones(1, np.int64)
    weights = graph.weights.copy()
    weights[5] += 1
    with mended_always():
        changed = graph.with_weights(weights)
        assert reweight.reweighted(graph, prepared.hierarchy, changed, 1, stop, SOLVERS) is None
        assert prepared.hierarchy.shortcuts.best is None
        again = prepared.reweight(weights)
        assert reweight.reweighted(changed, again.hierarchy, graph, 1, stop, SOLVERS) is None
        assert_as_weighed_again(again)


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
    """Once the vertices above are done, threads can decide at the same time which arcs each subtree needs."""
    graph = nearfar.generate.road_grid(12, 12, seed=3)
    monkeypatch.setattr(shortcuts_module, "TOGETHER", 0)
    with shaped(**shape):
        structure = nearfar.prepare(graph).hierarchy.structure
    families = structure.families(10)
    assert len(families) > 3 and np.array_equal(np.sort(np.concatenate(families)), np.arange(graph.n))
    assert all((np.diff(family) > 0).all() for family in families)
    wanted, found = (weigh(graph, structure, count, RUN) for count in (1, threads))
    assert np.array_equal(found.keep, wanted.keep) and np.array_equal(found.outs, wanted.outs)

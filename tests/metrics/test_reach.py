"""What is near: reach, histograms, pairs within a cutoff, accessibility; against rows, by every way there is."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.networkx_graphs import both
from nearfar import Graph, generate, metrics

METHODS = ("auto", "dijkstra", "prepared")
cutoffs = st.lists(st.floats(0, 1000) | st.integers(0, 12), min_size=1, max_size=4, unique=True)


def lengths(graph, hops=False):
    """Return all distances, the plain way."""
    return nearfar.apsp(graph.with_weights(None) if hops else graph, method="dijkstra").as_float()


@given(pair=both(), method=st.sampled_from(METHODS), ends=cutoffs, prepared=st.booleans())
def test_reach(pair, method, ends, prepared):
    _, here = pair
    rows = lengths(here)
    asked, options = (nearfar.prepare(here), {}) if prepared else (here, {"method": method})
    found = metrics.reach(asked, ends, **options)
    assert found.columns == ends
    assert np.array_equal(found.values, np.stack([(rows <= end).sum(axis=1) for end in ends], axis=1))


@given(pair=both(), seed=st.integers(0, 10**6), whole=st.booleans(), ends=cutoffs, prepared=st.booleans())
def test_accessibility(pair, seed, whole, ends, prepared):
    _, here = pair
    rng = np.random.default_rng(seed)
    amounts = rng.integers(0, 50, (here.n, 2)) if whole else rng.random((here.n, 2))
    rows = lengths(here)
    found = metrics.accessibility(nearfar.prepare(here) if prepared else here, amounts, cutoffs=ends)
    wanted = np.concatenate([np.stack([(rows <= end) @ kind for end in ends], axis=1) for kind in amounts.T], axis=1)
    assert found.columns == [(kind, end) for kind in (0, 1) for end in ends]
    assert np.array_equal(found.values, wanted) if whole else np.allclose(found.values, wanted, rtol=1e-12)
    assert found.values.dtype == (np.int64 if whole else np.float64)


@given(pair=both(), end=st.floats(0, 20) | st.integers(0, 1000), hops=st.booleans(), towards=st.booleans())
def test_within(pair, end, hops, towards):
    _, here = pair
    rows = lengths(here, hops)
    found = metrics.within(here, end, hops=hops, direction="to" if towards else "from")
    assert np.allclose(np.diff(found.dist), 0) or found.dist.min() == 0
    pairs = {(found.source_indices[i], t): d for i, s in enumerate(np.diff(found.offsets)) for t, d in zip(
        found.targets[found.offsets[i] : found.offsets[i] + s].tolist(),
        found.dist[found.offsets[i] : found.offsets[i] + s].tolist(), strict=True)}  # fmt: skip
    wanted = rows.T if towards else rows
    assert set(pairs) == set(zip(*np.nonzero(wanted <= end), strict=True))
    assert np.allclose(list(pairs.values()), [wanted[pair] for pair in pairs], rtol=1e-12)
    assert found.to_scipy().nnz == len(found) == len(found.to_frame())


@given(pair=both(), bins=st.integers(1, 7), hops=st.booleans())
def test_histogram(pair, bins, hops):
    _, here = pair
    rows = lengths(here, hops)
    pairs = rows[~np.eye(here.n, dtype=bool) & np.isfinite(rows)]
    counts, edges = metrics.histogram(here, bins, hops=hops)
    wanted, same = np.histogram(pairs, edges)
    assert np.array_equal(edges, same)
    assert np.array_equal(counts, wanted) or (here.weight_dtype is not None and here.weight_dtype.kind == "f")
    assert counts.sum() == len(pairs)


DECAYS = {
    "exponential": lambda d, s: np.exp(-d / s),
    "gaussian": lambda d, s: np.exp(-0.5 * (d / s) ** 2),
    "linear": lambda d, s: np.maximum(0, 1 - d / s),
    "power": lambda d, s: np.maximum(d, 1) ** -s,
}


@pytest.mark.parametrize("prepared", [False, True])
@given(
    pair=both(), name=st.sampled_from(sorted(DECAYS)), scale=st.floats(0.5, 300), own=st.booleans(),
    cutoff=st.none() | st.integers(0, 12),
)  # fmt: skip
def test_decay(prepared, pair, name, scale, own, cutoff):
    """Over a hierarchy a decay that has a name is computed in the sweep, otherwise from rows."""
    _, here = pair
    rows, amounts = lengths(here), np.random.default_rng(here.m).random(here.n)
    given_as = {"decay": lambda d: DECAYS[name](d, scale)} if own else {"decay": name, "scale": scale}
    asked = nearfar.prepare(here) if prepared else here
    found = metrics.accessibility(asked, amounts, cutoff=cutoff, **given_as).values
    rows = rows if cutoff is None else np.where(rows <= cutoff, rows, np.inf)
    wanted = np.where(np.isfinite(rows), DECAYS[name](np.where(np.isfinite(rows), rows, 0), scale), 0) @ amounts
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(DECAYS))
def test_decays_of_several_kinds_in_sweeps(name):
    """Small and great distances, integers and floats, several amounts: as NumPy computes it."""
    plain = generate.road_grid(40, 40, seed=2)
    amounts, some = np.random.default_rng(2).random((plain.n, 3)), [0, 7, 800, 1599]
    for graph in (plain, plain.with_weights(plain.row_weights * 1e-5), plain.with_weights(plain.row_weights * 10**9)):
        rows = nearfar.mssp(graph, some, method="dijkstra").dist.astype(np.float64)
        for scale in (0.7, 3.0, float(rows.max() / 3)):
            given_as = {"decay": name, "scale": scale, "vertices": some}
            found = metrics.accessibility(nearfar.prepare(graph), amounts, **given_as)
            assert found.stats["method"] == "prepared" and found.columns == [0, 1, 2]
            assert np.allclose(found.values, DECAYS[name](rows, scale) @ amounts, rtol=1e-12, atol=0)


def test_far_units_are_left_out():
    """On a graph of several units, small cutoffs skip most of them, and the sums stay the same."""
    graph = generate.road_grid(150, 150, seed=4)
    prepared = nearfar.prepare(graph)
    starts, cells = prepared.hierarchy.layout.gates()
    assert len(starts) == len(prepared.hierarchy.layout.units) and len(cells)
    some = list(range(0, graph.n, 501))
    rows = nearfar.mssp(graph, some).dist
    for end in (0, 300, 1500, 6000, 10**9):
        assert np.array_equal(metrics.reach(prepared, end, some).values[:, 0], (rows <= end).sum(axis=1))
        near = metrics.mean_distance(prepared, some, cutoff=end).values
        sums, counts = np.where(rows <= end, rows, 0).sum(axis=1), (rows <= end).sum(axis=1)
        assert np.allclose(near, np.where(counts > 1, sums / np.maximum(counts - 1, 1), np.nan), equal_nan=True)


def test_opportunities_by_name():
    graph = Graph.from_arcs(["Ulm", "Ulm"], ["Bonn", "Kiel"], [4, 9], names=True, undirected=True)
    frame = pd.DataFrame({"jobs": [100, 20, 1], "shops": [3, 0, 0]}, index=["Bonn", "Kiel", "Kiel"])
    found = metrics.accessibility(graph, frame, cutoffs=[10])
    assert found["Ulm"] == {("jobs", 10): 121, ("shops", 10): 3}
    assert metrics.accessibility(graph, frame["jobs"], cutoffs=10)["Kiel"] == {10: 21}
    assert metrics.accessibility(graph, {"Kiel": 2.5}, cutoffs=10)["Ulm"] == {10: 2.5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "neither cutoffs nor a decay"),
        ({"cutoffs": 3, "decay": "linear", "scale": 3}, "both cutoffs and a decay"),
        ({"cutoffs": []}, "cutoffs is empty"),
        ({"cutoffs": [-1]}, "0 or more"),
        ({"cutoffs": ["far"]}, "give numbers"),
        ({"decay": "steep", "scale": 1}, "must be one of"),
        ({"decay": "linear"}, "needs a number"),
        ({"decay": "linear", "scale": -1}, "more than 0"),
        ({"decay": lambda d: d, "scale": 1}, "is a function"),
        ({"decay": lambda d: d[:1]}, "one number per distance"),
        ({"cutoffs": 3, "scale": 1}, "have no scale"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(nearfar.NearfarError, match=message):
        metrics.accessibility(generate.road_grid(3, 3), np.ones(9), **arguments)


@pytest.mark.parametrize(
    ("opportunities", "message"),
    [(np.ones(4), "one entry per"), (["a"] * 9, "give numbers"), ([np.nan] * 9, "not finite"), ({99: 1}, "99")],
)
def test_bad_opportunities(opportunities, message):
    with pytest.raises(nearfar.NearfarError, match=message):
        metrics.accessibility(generate.road_grid(3, 3), opportunities, cutoffs=3)


@pytest.mark.parametrize("on", ["vertices", "arcs"])
def test_points_on_a_graph_are_no_amounts(on):
    """They are a table, too, whose numbers are not what is meant; the error's way out counts all that lies there."""
    city = generate.city(4, 4)
    points = np.repeat(city.coordinates[[3, 9]], 2, axis=0) + 1e-6
    places = nearfar.geo.snap(city, *points.T, on=on)
    with pytest.raises(nearfar.errors.InputTypeError, match=r"4 points .*'vertex': places\.vertices"):
        metrics.accessibility(city, places, cutoffs=60)
    if on == "vertices":
        table = pd.DataFrame({"vertex": places.vertices, "jobs": [1, 2, 3, 4]})
        wanted = metrics.accessibility(city, {city.name(3): 3, city.name(9): 7}, cutoffs=60).values
        assert np.array_equal(metrics.accessibility(city, table, cutoffs=60).values, wanted)


def test_within_is_refused_before_memory_ends():
    graph = generate.road_grid(60, 60, seed=1)
    with pytest.raises(nearfar.errors.MemoryLimitError, match="cutoff"):
        metrics.within(graph, 10**6, memory="1 MB")
    negative = Graph.from_arcs([0, 1], [1, 2], [5, -2])
    with pytest.raises(nearfar.errors.MethodError, match="weights >= 0"):
        metrics.within(negative, 3)


@pytest.mark.parametrize("near", [True, False])
@given(pair=both(), end=st.floats(0, 12), seed=st.integers(0, 10**6))
def test_searches_that_end_at_the_cutoff(near, pair, end, seed):
    """Whether searches end there or rows are folded: the same sums, counts, greatest distances and amounts."""
    from nearfar.elimination.folds import Wanted
    from nearfar.engine import folds
    from nearfar.engine.query import check

    _, here = pair
    rows = lengths(here)
    amounts = np.random.default_rng(seed).integers(0, 9, (2, here.n)).astype(np.int32)
    wanted = Wanted(True, True, True, True, cutoffs=(end / 2, end), amounts=amounts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folds, "_near_seconds", lambda *given: 0.0 if near else None)
        found, _ = folds.fold(check(here, np.arange(here.n, dtype=np.int32), cutoff=end), wanted)
    within = rows <= end
    assert np.array_equal(found.counts, within.sum(axis=1))
    assert np.allclose(found.sums, np.where(within, rows, 0).sum(axis=1), rtol=1e-12)
    assert np.allclose(found.greatest, np.where(within, rows, 0).max(axis=1), rtol=1e-12)
    inverse = np.where(within & (rows > 0), 1 / np.where(rows > 0, rows, 1), 0).sum(axis=1)
    assert np.allclose(found.inverses, inverse, rtol=1e-12)
    totals = np.stack([(rows <= cutoff) @ amounts.T for cutoff in wanted.cutoffs], axis=2)
    assert np.array_equal(found.totals, totals)


LINE = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 7, 1], undirected=True)


@pytest.mark.parametrize("prepared", [False, True])
def test_a_cutoff_limits_everything(prepared):
    asked = nearfar.prepare(LINE) if prepared else LINE
    assert metrics.reach(asked, [5], cutoff=2).values.ravel().tolist() == [1, 1, 2, 2]
    assert metrics.accessibility(asked, [1] * 4, cutoffs=[100], cutoff=1).values.ravel().tolist() == [1, 1, 2, 2]
    assert metrics.histogram(asked, [0, 100], cutoff=1)[0].tolist() == [2]
    assert metrics.histogram(asked, 3, cutoff=0)[0].sum() == 0


@pytest.mark.parametrize("kind", ["float32", "float64"])
@given(pair=both(("ties",)), tenths=st.booleans())
def test_floats_of_both_widths(kind, pair, tenths):
    """Cutoffs and bins mean the same for single floats as for the rows of a query."""
    _, here = pair
    if here.weights is None:
        return
    graph = here.with_weights((here.row_weights / (10 if tenths else 1)).astype(kind))
    rows = nearfar.apsp(graph, method="dijkstra").as_float()
    pairs = rows[~np.eye(graph.n, dtype=bool) & np.isfinite(rows)]
    edges = [0, 0.5, 1.25, 2.5, 100]
    assert metrics.histogram(graph, edges, method="dijkstra")[0].tolist() == np.histogram(pairs, edges)[0].tolist()
    assert metrics.histogram(graph, 4)[0].sum() == len(pairs)
    for end in (0.1, 0.3, 2):
        wanted = np.isfinite(nearfar.apsp(graph, method="dijkstra", cutoff=end).as_float())
        assert len(metrics.within(graph, end)) == wanted.sum()
        assert metrics.reach(graph, end, method="dijkstra").values.sum() == wanted.sum()


def test_bins_of_some_vertices():
    graph = Graph.from_arcs([0, 1, 5], [1, 2, 6], [1, 1, 100], n=7, undirected=True)
    counts, edges = metrics.histogram(graph, 4, vertices=[0])
    assert edges.tolist() == [0, 0.5, 1, 1.5, 2] and counts.tolist() == [0, 0, 1, 1]


def test_lists_of_a_search_that_was_stopped_are_not_joined():
    """They may be gigabytes, and Ctrl-C waits for this."""
    from nearfar.engine.balls import BallSpace, _list_piece
    from nearfar.engine.query import check

    sources = np.arange(LINE.n, dtype=np.int32)
    space, stop = BallSpace(check(LINE, sources), 9.0), np.zeros(1, np.int64)
    whole = _list_piece(space, sources, stop, [], lambda size: None, LINE.n)
    stopped = _list_piece(space, sources, stop, [], lambda size: stop.fill(1), LINE.n)
    assert len(whole[1]) == len(metrics.within(LINE, 9)) and [len(part) for part in stopped] == [0, 0, 0]
    assert [part.dtype for part in whole] == [part.dtype for part in stopped]


def test_a_histogram_is_a_table():
    found = metrics.histogram(LINE, [0, 4, 100])
    wanted = {"low": [0.0, 4.0], "high": [4.0, 100.0], "pairs": found.counts.tolist()}
    counts, edges = found
    assert counts is found.counts is found[0] and edges is found.edges is found[1]
    polars = pytest.importorskip("polars")
    for frame in (found.to_frame(kind="polars"), polars.DataFrame(found)):
        assert frame.to_dict(as_series=False) == wanted
    assert found.to_frame().to_dict("list") == found.to_frame(kind="arrow").to_pydict() == wanted
    assert repr(found) == f"Histogram({counts.sum()} pairs in 2 bins)"
    assert found.describe() == {"bins": 2, "pairs": int(found.counts.sum()), "least": 0, "greatest": 100}


def test_large_whole_numbers_are_exact():
    assert metrics.accessibility(LINE, [2**54 + 1, 0, 0, 0], cutoffs=[100]).values[0, 0] == 2**54 + 1


def test_frames_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"vertex": [0, 1, 3], "jobs": [1, 2, 4], "shops": [1, 0, 0]})
    found = metrics.accessibility(LINE, frame, cutoffs=[5])
    assert found.to_frame().columns.tolist() == ["vertex", "jobs_5", "shops_5"]
    assert found[0] == {("jobs", 5): 3, ("shops", 5): 1}
    demand = polars.DataFrame({"from": [0], "to": [3], "demand": [3]})
    assert metrics.flows(LINE, demand).by_row().tolist() == [3, 3, 3]
    assert metrics.flows(LINE, np.array([[0, 3, 2.5], [1, 3, 5]])).by_row().tolist() == [2.5, 7.5, 7.5]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: metrics.histogram(LINE, "x"),
        lambda: metrics.histogram(LINE, [-np.inf, np.inf]),
        lambda: metrics.histogram(LINE, 10**9),
        lambda: metrics.histogram(Graph.from_arcs([0, 1], [1, 2], [-3, 5]), 3),
        lambda: metrics.harmonic(Graph.from_arcs([0, 1], [1, 2], [-3, 5])),
        lambda: metrics.reach(LINE, None),
        lambda: metrics.reach(LINE, {1, 2}),
        lambda: metrics.reach(LINE, [1 + 0j]),
        lambda: metrics.reach(LINE, [[1, 2], [3, 4]]),
        lambda: metrics.reach(LINE, [5, 5]),
        lambda: metrics.within(LINE, [5]),
        lambda: metrics.extent(LINE, None),
        lambda: metrics.accessibility(LINE, [1] * 4, decay=["linear"], scale=1),
        lambda: metrics.accessibility(LINE, [1] * 4, decay="linear", scale=[1, 2]),
        lambda: metrics.accessibility(LINE, {0: [1, 2], 1: [3, 4]}, cutoffs=[5]),
        lambda: metrics.betweenness(LINE, samples=2, seed=-1),
        lambda: metrics.closeness(LINE).top(1, column=5),
        lambda: metrics.reduce(LINE, 5),
        lambda: metrics.reduce(LINE, lambda block: block.dist.sum(1), block="x"),
        lambda: metrics.reduce(LINE, lambda block: ["x"] * len(block.rows)),
        lambda: metrics.reduce(LINE, lambda block: block.dist[:, : block.source_indices[0] + 1], block=1),
    ],
)
def test_wrong_arguments_are_explained(ask):
    with pytest.raises(nearfar.NearfarError):
        ask()


def test_nothing_within_reach():
    """A vertex that reaches nothing has no mean distance, and does not spoil what is said of the others."""
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    assert metrics.mean_distance(graph).describe()["greatest"] == 8.5
    assert metrics.mean_distance(graph).top(1) == [(0, 8.5)]
    assert metrics.accessibility(graph, {}, cutoffs=[5]).values.sum() == 0
    assert metrics.accessibility(Graph.from_arcs([], [], n=0), [], cutoffs=[5]).values.shape == (0, 1)


def test_within_keeps_to_its_memory():
    """Work space and lists that are being filled count, too; numpy's arrays are traced."""
    import tracemalloc

    graph = nearfar.generate.road_grid(120, 120, seed=1)
    wanted = metrics.within(graph, 300).to_scipy()
    with pytest.raises(nearfar.errors.MemoryLimitError, match="searches up to the cutoff over 14,400 vertices need"):
        metrics.within(graph, 300, memory="1 MB")
    for megabytes in (8, 30):
        tracemalloc.start()
        found = metrics.within(graph, 300, memory=megabytes * 10**6)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < megabytes * 10**6 and (found.to_scipy() != wanted).nnz == 0


def chain(weight, n=10):
    """Return a path of n vertices, and the sums of the distances from each, as Python numbers."""
    graph = Graph.from_arcs(range(n - 1), range(1, n), np.full(n - 1, weight), n=n, undirected=True)
    return graph, [sum(abs(u - v) for v in range(n)) * weight for u in range(n)]


@pytest.mark.parametrize("method", ["dijkstra", "prepared"])
def test_sums_that_64_bits_hold_are_exact(method):
    graph, sums = chain(2**57)  # the sums of the ends are just below 2**63, and nine times the greatest is above
    assert max(sums) < 2**63 < 10 * 9 * 2**57
    folded = metrics.mean_distance(graph, method=method)
    assert np.allclose(folded.values, np.array(sums, float) / 9, rtol=1e-12)
    assert math.isclose(metrics.wiener_index(graph, method=method), sum(sums) / 2)
    assert nearfar.prepare(graph).row_sums().tolist() == sums


@pytest.mark.parametrize("weight, n", [(2**58, 10), (2**59, 10), (2**53, 500)])
def test_sums_that_64_bits_do_not_hold_are_refused(weight, n):
    """They were wrapped around, and mean distances negative."""
    graph, sums = chain(weight, n)
    assert max(sums) >= 2**63
    for measure in (metrics.closeness, metrics.mean_distance, metrics.wiener_index):
        with pytest.raises(nearfar.errors.DistanceOverflowError, match="Use a coarser unit, or float64 weights"):
            measure(graph)
    found = metrics.mean_distance(graph.with_weights(graph.row_weights.astype(np.float64)))
    assert np.allclose(found.values, np.array(sums, float) / (n - 1), rtol=1e-9)
    assert (metrics.eccentricity(graph).values == [max(u, n - 1 - u) * weight for u in range(n)]).all()


@pytest.mark.parametrize("amounts", [
    np.full(16, 2**63, np.uint64), np.full(16, 2**62), {0: 2**63},
])  # fmt: skip
def test_amounts_that_64_bits_do_not_hold_are_floats(amounts):
    graph = generate.road_grid(4, 4, seed=1)
    found = metrics.accessibility(graph, amounts, cutoffs=[10**9]).values
    total = sum(map(int, amounts.values() if isinstance(amounts, dict) else amounts))
    assert found.dtype == np.float64 and (found == float(total)).all()

"""Travel times between points along arcs, against a graph in which the points are vertices."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from nearfar import Graph, geo
from nearfar.errors import InputTypeError, MethodError, OptionError

CITY = nearfar.generate.city(9, 11, 2)


def with_points(graph, points):
    """Return the graph with the points as vertices n, n + 1, ...: arcs are cut there."""
    weights = np.ones(graph.m) if graph.weights is None else graph.weights.astype(float)
    arcs = []
    for u, v, w in zip(graph.tails.tolist(), graph.heads.tolist(), weights.tolist(), strict=True):
        knots = [(0.0, u), (1.0, v)]
        for i in range(len(points)):
            if {u, v} == {int(points.tails[i]), int(points.heads[i])} and u != v:
                share = points.fraction[i] if u == points.tails[i] else 1 - points.fraction[i]
                knots.insert(-1, (share, graph.n + i))
        knots = [knots[0], *sorted(knots[1:-1]), knots[-1]]
        arcs += [(a, b, w * (g - f)) for (f, a), (g, b) in pairwise(knots)]
    for i in range(len(points)):
        if points.tails[i] == points.heads[i] or points.fraction[i] in (0, 1):
            v = int(points.tails[i] if points.fraction[i] == 0 else points.heads[i])
            arcs += [(v, graph.n + i, 0.0), (graph.n + i, v, 0.0)]
    return Graph.from_arcs(*zip(*arcs, strict=True), n=graph.n + len(points))


def pair(first, second):
    """Return two points as one `Snapped`."""
    names = ("tails", "heads", "fraction", "distance", "points")
    return geo.Snapped(first.graph, "arcs", *(np.concatenate((getattr(first, a), getattr(second, a))) for a in names))


@given(st.integers(0, 2**32), st.sampled_from(["arcs", "vertices"]), st.sampled_from(["arcs", "vertices"]))
@settings(deadline=None, max_examples=100)
def test_as_if_the_points_were_vertices(seed, start, end):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 18))))
    ends[:, 0] = 0, 1
    weights = rng.integers(0, 6, ends.shape[1])
    graph = Graph.from_arcs(*ends, weights, n, bool(rng.integers(2)), coordinates=rng.uniform(0, 9, (n, 2)))
    origins = geo.snap(graph, *rng.uniform(-1, 10, (2, 4)), on=start, within="all", units="m")
    targets = geo.snap(graph, *rng.uniform(-1, 10, (2, 3)), on=end, within="all", units="m")
    found = geo.distances(graph, origins, targets)
    for i in range(4):
        for j in range(3):
            both = pair(origins[i], targets[j])
            whole = with_points(graph, both)
            assert found[i, j] == pytest.approx(nearfar.distance(whole, n, n + 1), abs=1e-9)


def within(points):
    """Return points within their arcs instead of at the ends: who departs at an end has not driven along the arc."""
    share = np.where(points.tails == points.heads, points.fraction, points.fraction.clip(0.05, 0.95))
    return geo.Snapped(points.graph, "arcs", points.tails, points.heads, share, points.distance, points.points)


def turned(graph, points, costs):
    """Return the graph with the points as vertices, and with costs of turns; at a point one goes straight on."""
    whole, knots = with_points(graph, points), {}
    for u, v in set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True)):
        inner = []
        for i in range(len(points)):
            if {u, v} == {int(points.tails[i]), int(points.heads[i])} and u != v:
                inner.append((points.fraction[i] if u == points.tails[i] else 1 - points.fraction[i], graph.n + i))
        knots[u, v] = [u, *(x for _, x in sorted(inner)), v]
    moved = {(knots[u, v][-2], v, knots[v, w][1]): cost for (u, v, w), cost in costs.items()}
    beside = [(u, x) for u, x in zip(whole.tails.tolist(), whole.heads.tolist(), strict=True) if x >= graph.n]
    return whole.with_turns([(u, x, u) for u, x in set(beside)], moved)


@given(st.integers(0, 2**32), st.sampled_from(["arcs", "vertices"]), st.booleans())
@settings(deadline=None, max_examples=100)
def test_with_turns_as_if_the_points_were_vertices(seed, start, two_way):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 12))))
    ends = ends[:, ends[0] != ends[1]]
    ends = np.column_stack(([[0], [1]], ends))
    weights = rng.integers(1, 6, ends.shape[1])
    graph = Graph.from_arcs(*ends, weights, n, two_way, coordinates=rng.uniform(0, 9, (n, 2)))
    steps = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    walks = sorted((u, v, w) for u, v in steps for x, w in steps if v == x)
    costs = {walk: float(rng.choice([1, 4, np.inf])) for walk in walks if rng.random() < 0.6}
    turns = graph.with_turns(costs=costs)
    origins = within(geo.snap(graph, *rng.uniform(-1, 10, (2, 3)), on=start, within="all", units="m"))
    targets = within(geo.snap(graph, *rng.uniform(-1, 10, (2, 3)), on="arcs", within="all", units="m"))
    found = geo.distances(turns, origins, targets)
    for i in range(3):
        row = nearfar.sssp(turns, origins[i])
        for j in range(3):
            whole = turned(graph, pair(origins[i], targets[j]), costs)
            assert found[i, j] == pytest.approx(nearfar.distance(whole, n, n + 1), abs=1e-9)
        alone = turned(graph, origins[i], costs)
        assert row.as_float() == pytest.approx(nearfar.sssp(alone, n).as_float()[:n], abs=1e-9)


def test_of_vertices_it_is_the_table():
    rng = np.random.default_rng(1)
    low, high = CITY.coordinates.min(axis=0), CITY.coordinates.max(axis=0)
    points = geo.snap(CITY, *rng.uniform(low, high, (30, 2)).T)
    expected = nearfar.table(CITY, points[:10], points).dist
    assert np.array_equal(geo.distances(CITY, points[:10], points), expected)
    assert np.array_equal(geo.distances(nearfar.prepare(CITY), points[:10], points), expected)
    assert geo.distances(CITY, points[:0], points).shape == (0, 30)


def test_wrong_points():
    point = geo.snap(CITY, -20, 45)
    with pytest.raises(InputTypeError, match=r"geo\.snap"):
        geo.distances(CITY, CITY.name(0), point)
    with pytest.raises(OptionError, match="another graph"):
        geo.distances(nearfar.generate.city(5, 5), point, point)
    graph = Graph.from_arcs([0], [1], [-3], coordinates=[[0, 0], [1, 1]])
    there = geo.snap(graph, 0, 0, units="m", within="all")
    with pytest.raises(MethodError, match="weights >= 0"):
        geo.distances(graph, there, there)

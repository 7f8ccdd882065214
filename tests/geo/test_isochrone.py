"""Isochrones against their definition: the travel time of positions along arcs, and areas around them."""

from __future__ import annotations

import heapq
import json
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.data import real
from nearfar import Graph, geo
from nearfar.errors import GraphError, InputTypeError, MethodError, OptionError

CITY = nearfar.generate.city(9, 11, 2)


def arcs_of(graph, direction):
    """Return the arcs in the direction of search."""
    weights = np.ones(graph.m) if graph.weights is None else graph.weights.astype(float)
    ends = (graph.tails, graph.heads) if direction == "from" else (graph.heads, graph.tails)
    return list(zip(*(column.tolist() for column in (*ends, weights)), strict=True))


def settle(n, arcs, starts):
    """Return travel times, with a heap."""
    dist, heap = [math.inf] * n, [(d, v) for v, d in starts.items()]
    heapq.heapify(heap)
    while heap:
        d, u = heapq.heappop(heap)
        if d < dist[u]:
            dist[u] = d
            for tail, head, weight in arcs:
                if tail == u and d + weight < dist[head]:
                    heapq.heappush(heap, (d + weight, head))
    return dist


def time_of(graph, dist, arcs, low, high, share, sources=()):
    """Return the travel time of a position between two vertices, at a share of the way from low to high."""
    times = [math.inf]
    for tail, head, weight in arcs:
        if {tail, head} == {low, high}:
            at = share if tail == low else 1 - share
            times.append(dist[tail] + at * weight)
            for start, end, begin in sources:
                if {start, end} == {low, high}:
                    own = begin if start == tail else 1 - begin
                    times += [(at - own) * weight] if own <= at else []
    return min(times)


def band_of(found, low, high, share):
    """Return the bands whose pieces contain a position."""
    pieces, bands = found.pieces, []
    for tail, head, first, last, band in zip(*(pieces[i].tolist() for i in (0, 1, 2, 3, 6)), strict=True):
        if {tail, head} == {low, high} and first < (share if tail == low else 1 - share) < last:
            bands.append(band)
    return bands


@given(st.integers(0, 2**32), st.sampled_from(["from", "to"]), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=120)
def test_every_position_is_in_the_band_of_its_travel_time(seed, direction, on_arcs, whole):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 22))))
    ends[:, 0] = 0, 1
    weights = rng.integers(0, 6, ends.shape[1]) if whole else rng.uniform(0, 5, ends.shape[1])
    graph = Graph.from_arcs(*ends, weights, n, bool(rng.integers(2)), coordinates=rng.uniform(0, 9, (n, 2)))
    arcs, sources = arcs_of(graph, direction), []
    if on_arcs:
        source = geo.snap(graph, *rng.uniform(0, 9, (2, 2)), on="arcs", within="all", units="m")
        starts = source.starts_on(graph, direction)
        sources = list(zip(source.tails.tolist(), source.heads.tolist(), source.fraction.tolist(), strict=True))
    else:
        source, starts = 0, {0: 0}
    limits = sorted(rng.choice(np.arange(1, 15), 3, replace=False).tolist())
    found = geo.isochrone(graph, source, limits, direction=direction, units="m")
    dist = settle(n, arcs, starts)
    for low, high in {tuple(sorted(arc[:2])) for arc in arcs if arc[0] != arc[1]}:
        for share in rng.uniform(0, 1, 4):
            time = time_of(graph, dist, arcs, low, high, share, sources)
            if min(abs(time - limit) for limit in limits) > 1e-9:  # else rounding decides
                expected = [band for band, limit in enumerate(limits) if time <= limit][:1]
                assert band_of(found, low, high, share) == expected, (low, high, share, time)


@given(st.integers(0, 2**32), st.sampled_from(["from", "to"]), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=120)
def test_with_turns_a_position_is_in_the_band_of_its_travel_time(seed, direction, on_arcs, two_way):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    ends = rng.integers(0, n, (2, int(rng.integers(1, 14))))
    ends[:, 0] = 0, 1
    graph = Graph.from_arcs(*ends, rng.integers(1, 6, ends.shape[1]), n, two_way, coordinates=rng.uniform(0, 9, (n, 2)))
    steps = {step for step in zip(graph.tails.tolist(), graph.heads.tolist(), strict=True) if step[0] != step[1]}
    costs = {(u, v, w): rng.choice([1, 4, np.inf]) for u, v in sorted(steps) for x, w in sorted(steps) if v == x}
    turns = graph.with_turns(costs={turn: cost for turn, cost in costs.items() if rng.random() < 0.6})
    on = "arcs" if on_arcs else "vertices"
    width = np.ptp(graph.coordinates, axis=0)
    point = graph.coordinates.min(axis=0) + width * rng.uniform(0, 1, 2)  # far outside, it may seem to be exchanged
    source = geo.snap(graph, *point[:, None], on=on, within="all", units="m")
    limits = sorted(rng.choice(np.arange(1, 20), 3, replace=False).tolist())
    found = geo.isochrone(turns, source if on_arcs else source.vertex, limits, direction=direction, units="m")
    assert (found.distances.as_float() <= limits[-1]).sum() == found.distances.reached.sum()
    for low, high in {tuple(sorted(step)) for step in steps}:
        tail, head = (low, high) if (low, high) in steps else (high, low)
        shares = rng.uniform(0, 1, 4)
        nowhere = np.zeros((4, 2))
        at = geo.Snapped(graph, "arcs", np.full(4, tail), np.full(4, head), shares, shares * 0, nowhere)
        ends = (source, at) if direction == "from" else (at, source)
        for share, time in zip(shares, geo.distances(turns, *ends).ravel().tolist(), strict=True):
            if min(abs(time - limit) for limit in limits) > 1e-9:
                expected = [band for band, limit in enumerate(limits) if time <= limit][:1]
                assert band_of(found, low, high, share if tail == low else 1 - share) == expected


def test_who_is_on_an_arc_may_have_come_from_anywhere():
    """The way from 0 to 3 is forbidden as a whole, but who is between 1 and 2 may go on."""
    line = Graph.from_arcs([0, 1, 2], [1, 2, 3], [1, 1, 1], coordinates=[(0, 0), (1, 0), (2, 0), (3, 0)])
    found = geo.isochrone(line.with_turns([(0, 1, 2, 3)]), 3, 9, direction="to", units="m")
    assert found.pieces.tails.tolist() == [1, 2] and found.pieces.far.tolist() == [2, 1]


def test_pieces_end_exactly_at_limits():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 0], [10, 10, 10], coordinates=[[0, 0], [10, 0], [5, 8]])
    found = geo.isochrone(graph, 0, [15, 5, 20], units="m")
    assert found.limits == [5, 15, 20]
    frame = found.to_frame()
    assert frame["first"].tolist() == [0, 0.5, 0, 0.5] and frame["last"].tolist() == [0.5, 1, 0.5, 1]
    assert frame["limit"].tolist() == [5, 15, 15, 20] and frame["near"].tolist() == [0, 5, 10, 15]
    back = geo.isochrone(graph, 0, [5], units="m", direction="to").pieces
    assert [column.tolist() for column in back[:6]] == [[2], [0], [0.5], [1], [0], [5]]
    lines = geo.isochrone(graph, 0, [5], units="m").lines()
    assert lines.to_wkt() == ["MULTILINESTRING ((0 0, 5 0))"]


def test_a_street_is_covered_once_where_both_ends_meet():
    points = [[0, 0], [4, 0], [4, 3]]
    graph = Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 5, 3], undirected=True, coordinates=points)
    pieces = geo.isochrone(graph, 0, 100, units="m").pieces
    total = (pieces.far - pieces.near).sum()
    assert total == pytest.approx(4 + 5 + 3)


def test_areas_hold_what_is_covered():
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    home = geo.snap(CITY, -20.001, 45.0, on="arcs")
    found = geo.isochrone(CITY, home, [20, 40, 60])
    areas = [shapely.from_wkt(text) for text in found.to_wkt(buffer=30)]
    lines = [shapely.from_wkt(text) for text in found.lines().to_wkt()]
    assert all(area.is_valid for area in areas)
    for i, area in enumerate(areas):
        assert all(area.contains(line) for line in lines[: i + 1])
        assert area.contains(shapely.Point(home.points[0]))
    for inner, outer in pairwise(areas):
        assert outer.buffer(1e-9).contains(inner)
    apart = [shapely.from_wkt(text) for text in found.to_wkt(buffer=30, apart=True)]
    assert sum(area.area for area in apart) == pytest.approx(areas[-1].area, rel=0.02)
    metres = areas[0].area * 111_195**2 * math.cos(math.radians(45))
    length = (found.pieces.far - found.pieces.near)[found.pieces.bands == 0].sum() * 50 / 3.6
    assert 0 < metres < length * 60 + math.pi * 900 * len(found.pieces.tails)


def test_areas_are_geojson():
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    found = geo.isochrone(CITY, CITY.name(50), [30, 60]).to_geojson()
    assert json.loads(json.dumps(found, allow_nan=False)) == found and found["unit"] == "s"
    for feature, limit, beyond in zip(found["features"], [30, 60], [None, 30], strict=True):
        assert feature["properties"] == {"limit": limit, "beyond": beyond}
        shape = shapely.from_geojson(json.dumps(feature["geometry"]))
        assert shape.geom_type == "MultiPolygon" and shape.is_valid and shape.bounds[0] > -21 and shape.bounds[1] > 44
        for polygon in feature["geometry"]["coordinates"]:
            for i, ring in enumerate(polygon):
                assert ring[0] == ring[-1] and len(ring) >= 4
                assert shapely.is_ccw(shapely.LinearRing(ring)) == (i == 0)


def test_areas_cross_the_date_line():
    city = nearfar.generate.city(8, 8, centre=(180, 10))
    found = geo.isochrone(city, geo.snap(city, 180, 10), 200)
    ring = np.array(found.to_geojson()["features"][0]["geometry"]["coordinates"][0][0])
    assert np.ptp(ring[:, 0]) < 0.1 and abs(abs(ring[:, 0]).mean() - 180) < 0.1


def test_several_sources_and_starts():
    names = [CITY.name(v) for v in (3, 70)]
    found = geo.isochrone(CITY, names, [30])
    assert np.array_equal(found.distances.dist, nearfar.nearest(CITY, names, cutoff=30).dist)
    late = geo.isochrone(CITY, {names[0]: 25, names[1]: 0}, [30])
    assert len(late.pieces.tails) < len(found.pieces.tails)
    prepared = geo.isochrone(nearfar.prepare(CITY), names, [30])
    assert np.array_equal(prepared.pieces.near, found.pieces.near)


def test_nothing_and_little():
    alone = Graph.from_arcs([], [], n=1, coordinates=[[2, 3]])
    found = geo.isochrone(alone, 0, [5], units="m")
    assert len(found.pieces.tails) == 0 and found.to_wkt() == ["MULTIPOLYGON EMPTY"]
    assert found.lines().to_wkt() == ["MULTILINESTRING EMPTY"] and found.to_frame().empty
    assert found.describe()["vertices_within"] == {"5": 1}
    zero = geo.isochrone(CITY, CITY.name(0), [0, 1])
    assert zero.pieces.bands.tolist() == [1] * len(zero.pieces.bands) and len(zero.to_geojson()["features"]) == 2


@pytest.mark.parametrize(
    ("source", "limits", "options", "error", "words"),
    [
        (0, [], {}, OptionError, "empty"),
        (0, [-1], {}, OptionError, "0 or more"),
        (0, [math.inf], {}, OptionError, "finite"),
        (0, [math.nan], {}, OptionError, "0 or more"),
        (0, ["5"], {}, InputTypeError, "numbers"),
        (0, [5], {"cutoff": 3}, OptionError, "cutoff"),
        (0, [5], {"direction": "there"}, OptionError, "direction"),
        (0, [5], {"units": None}, OptionError, "units='degrees'"),
        (9, [5], {}, LookupError, "9"),
    ],
)
def test_wrong_arguments(source, limits, options, error, words):
    graph = Graph.from_arcs([0], [1], [3], coordinates=[[0, 0], [1, 1]])
    with pytest.raises(error, match=words):
        geo.isochrone(graph, source, limits, **{"units": "m"} | options)


def test_graphs_without_isochrones():
    with pytest.raises(GraphError, match="no coordinates"):
        geo.isochrone(Graph.from_arcs([0], [1]), 0, 5)
    graph = Graph.from_arcs([0], [1], [-3], coordinates=[[0, 0], [1, 1]])
    with pytest.raises(MethodError, match="weights >= 0"):
        geo.isochrone(graph, 0, 5, units="m")
    found = geo.isochrone(CITY, CITY.name(5), 60)
    for options in ({"buffer": 0}, {"buffer": "x"}, {"cell": -1}, {"buffer": math.nan}, {"buffer": 0.01}):
        with pytest.raises(OptionError, match=r"buffer|cell"):
            found.polygons(**options)


def test_andorra():
    graph = nearfar.read(real("andorra.osm.pbf"))
    found = geo.isochrone(graph, geo.snap(graph, 1.5218, 42.5063, on="arcs"), [300, 600, 900])
    assert found.describe()["vertices_within"]["300"] < found.describe()["vertices_within"]["900"]
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    areas = [shapely.from_wkt(text) for text in found.to_wkt()]
    assert all(area.is_valid for area in areas) and areas[0].area < areas[1].area < areas[2].area

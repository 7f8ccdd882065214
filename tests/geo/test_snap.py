"""`snap` against brute force: everywhere on the earth, at vertices and along arcs; and points as sources of queries."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

import nearfar
from helpers.data import real
from nearfar import Graph, geo
from nearfar.errors import GraphError, InputTypeError, MethodError, OptionError, VertexError
from nearfar.geo import segments as marks
from nearfar.graph.sphere import RADIUS, distance, from_space, to_space

CITY = nearfar.generate.city(9, 11, 2)
REGIONS = ["globe", "date line", "north pole", "south pole", "town"]


def places(region, count, rng):
    """Return random longitudes and latitudes of a region."""
    if region == "globe":
        return from_space(rng.normal(size=(count, 3)))
    if region in ("north pole", "south pole"):
        lat = 90 - rng.uniform(0, 0.3, count)
        return np.column_stack((rng.uniform(-180, 180, count), lat if region[0] == "n" else -lat))
    if region == "date line":
        lon = 180 + rng.normal(0, 0.2, count)
        return np.column_stack(((lon + 180) % 360 - 180, rng.uniform(-18, -17, count)))
    return np.column_stack((rng.uniform(7.40, 7.44, count), rng.uniform(43.72, 43.75, count)))


def random_graph(region, n, rng, extra=1.5):
    """Return a random directed graph in a region."""
    ends = rng.integers(0, n, (2, int(extra * n)))
    weights = rng.integers(1, 9, ends.shape[1])
    return Graph.from_arcs(*ends, weights, n, coordinates=places(region, n, rng)).with_units("s", "degrees")


def nearest_by_steps(graph, inside, point):
    """Return the least distance from a point to the arcs, by the angle along each great circle."""
    tails, heads = graph.tails, graph.heads
    keep = inside[tails] & inside[heads] & (tails != heads)
    a, b = (to_space(graph.coordinates[ends[keep]]) for ends in (tails, heads))
    q = to_space(point[None])
    normal = np.cross(a, b)
    length = np.linalg.norm(normal, axis=1)
    normal = np.divide(normal, length[:, None], out=np.zeros_like(normal), where=length[:, None] > 0)
    foot = q - (q * normal).sum(axis=1)[:, None] * normal
    foot /= np.maximum(np.linalg.norm(foot, axis=1), 1e-300)[:, None]
    between = (np.cross(a, foot) * normal).sum(1) >= 0
    between &= (np.cross(foot, b) * normal).sum(1) >= 0
    to = lambda v: 2 * RADIUS * np.arcsin(np.minimum(np.linalg.norm(v - q, axis=1) / 2, 1))  # noqa: E731
    at_ends = np.minimum(to(a), to(b))
    return np.where(between & (length > 0), np.minimum(to(foot), at_ends), at_ends).min(initial=math.inf)


@given(st.sampled_from(REGIONS), st.integers(1, 60), st.integers(0, 2**32), st.sampled_from(["largest", "all"]))
@settings(deadline=None, max_examples=80)
def test_the_nearest_vertex(region, n, seed, within):
    rng = np.random.default_rng(seed)
    graph = random_graph(region, n, rng)
    points = places(rng.choice(["globe", region]), 20, rng)
    found = geo.snap(graph, *points.T, within=within)
    _, labels = connected_components(graph.to_scipy(), directed=True, connection="strong")
    part = np.ones(n, bool) if within == "all" else np.bincount(labels)[labels] == np.bincount(labels).max()
    if within == "largest":
        part = labels == labels[found.tails[0]]  # one of the largest
        assert part.sum() == np.bincount(labels).max()
    for point, v, far, where in zip(points, found.indices, found.distance, found.points, strict=True):
        all_far = distance(point[None], graph.coordinates)
        assert part[v] and abs(all_far[v] - far) < 1e-6 + 1e-7 * far
        assert far <= all_far[part].min() + 1e-6 + 1e-7 * far  # haversine loses digits on the other side of the earth
        assert where.tolist() == graph.coordinates[v].tolist()


@given(st.sampled_from(REGIONS), st.integers(2, 40), st.integers(0, 2**32), st.sampled_from(["largest", "all"]))
@settings(deadline=None, max_examples=80)
def test_the_nearest_point_of_an_arc(region, n, seed, within):
    rng = np.random.default_rng(seed)
    graph = random_graph(region, n, rng, extra=4)
    inside = np.zeros(n, bool)
    inside[geo.snap(graph, *graph.coordinates.T, within=within).tails] = True
    points = places(region, 15, rng)
    try:
        found = geo.snap(graph, *points.T, on="arcs", within=within)
    except GraphError:
        assert within == "largest" and inside.sum() == 1
        return
    for i, point in enumerate(points):
        expected = nearest_by_steps(graph, inside, point)
        assert abs(found.distance[i] - expected) < 1e-3 + 1e-6 * expected  # the cross product of the test is rounded
        assert abs(distance(point, found.points[i]) - found.distance[i]) < 1e-3 + 1e-6 * expected
        ends = graph.coordinates[[found.tails[i], found.heads[i]]]
        whole, part = distance(ends[0], ends[1]), distance(ends[0], found.points[i])
        assert abs(part - found.fraction[i] * whole) < 1e-3 + 1e-6 * whole


@given(st.integers(2, 40), st.integers(0, 2**32))
@settings(deadline=None, max_examples=60)
def test_the_nearest_point_of_an_arc_in_a_plane(n, seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(0, 10, (n, 2)) ** rng.choice([1, 3])
    ends = rng.integers(0, n, (2, 3 * n))
    ends[:, 0] = 0, 1
    graph = Graph.from_arcs(*ends, n=n, coordinates=points)
    wanted = rng.uniform(-3, 13, (20, 2))
    found = geo.snap(graph, *wanted.T, on="arcs", within="all", units="m")
    a, b = points[graph.tails], points[graph.heads]
    for i, q in enumerate(wanted):
        along = b - a
        square = (along**2).sum(1)
        share = np.clip(np.divide(((q - a) * along).sum(1), square, out=np.zeros(len(a)), where=square > 0), 0, 1)
        gaps = np.linalg.norm(a + share[:, None] * along - q, axis=1)[graph.tails != graph.heads]
        assert found.distance[i] == pytest.approx(gaps.min(), abs=1e-9)
        assert np.linalg.norm(found.points[i] - q) == pytest.approx(gaps.min(), abs=1e-9)


def test_few_marks_and_many_find_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    points = places("town", 300, rng)
    graph = random_graph("town", 200, rng, extra=3)
    many = geo.snap(graph, *points.T, on="arcs", within="all")
    monkeypatch.setattr(marks, "FIRST", 1)
    monkeypatch.setattr(marks, "BATCH", 7)
    few = geo.snap(graph, *points.T, on="arcs", within="all")
    assert few.distance.tolist() == pytest.approx(many.distance.tolist(), abs=1e-9)


def test_the_date_line_is_no_edge():
    graph = Graph.from_arcs([0, 1], [1, 0], coordinates=[[179.9, 0], [-179, 0]]).with_units(coordinates="degrees")
    assert geo.snap(graph, -179.95, 0).vertex == 0
    here = geo.snap(graph, 180, 0, on="arcs")
    assert here.fraction[0] == pytest.approx(0.1 / 1.1) and here.distance[0] == pytest.approx(0, abs=1e-6)
    assert geo.snap(graph, 181, 0).vertex == 1  # longitudes from 0 to 360 are the same places


def test_a_point_on_an_arc_starts_at_both_ends_of_a_street_and_at_the_end_of_a_one_way():
    points = [[0, 0], [4, 0], [4, 4], [0, 4]]
    graph = Graph.from_arcs([0, 1, 1, 2, 3], [1, 0, 2, 3, 0], [8, 6, 4, 4, 4], coordinates=points).with_units("s", "m")
    on_street, on_one_way = geo.snap(graph, [1, 4], [-0.5, 1], on="arcs")
    assert on_street.starts_on(graph, "from") == {0: 1.5, 1: 6.0} and on_street.distance[0] == 0.5
    assert on_street.starts_on(graph, "to") == {0: 2.0, 1: 4.5}
    assert on_one_way.starts_on(graph, "from") == {2: 3.0} and on_one_way.starts_on(graph, "to") == {1: 1.0}
    assert nearfar.sssp(graph, on_one_way).dist.tolist() == [11, 19, 3, 7]
    assert nearfar.sssp(graph, on_one_way, direction="to").dist.tolist() == [9, 1, 17, 13]
    closed = graph.close(graph.find_rows(1, 2))
    with pytest.raises(VertexError, match="closed"):
        nearfar.sssp(closed, on_one_way)
    assert nearfar.sssp(graph.with_weights(graph.row_weights * 2), on_one_way).dist.tolist() == [22, 38, 6, 14]


def test_the_arc_leads_from_tail_to_head():
    rng = np.random.default_rng(4)
    graph = random_graph("town", 50, rng, extra=3)
    found = geo.snap(graph, *places("town", 200, rng).T, on="arcs")
    assert all(len(graph.find_arcs(u, v)) for u, v in zip(found.tails, found.heads, strict=True))


def test_a_point_at_a_crossing_starts_there():
    here = geo.snap(CITY, *CITY.coordinates[40], on="arcs")
    assert here.starts_on(CITY, "from") == {CITY.name(40): 0} == here.starts_on(CITY, "to")


def test_points_are_sources():
    lon, lat = CITY.coordinates[[3, 50, 80]].T + 1e-5
    found = geo.snap(CITY, lon, lat)
    assert found.indices.tolist() == [3, 50, 80] and found.vertices == [CITY.name(v) for v in (3, 50, 80)]
    assert np.array_equal(nearfar.mssp(CITY, found).dist, nearfar.mssp(CITY, found.vertices).dist)
    assert np.array_equal(nearfar.table(CITY, found, found[:2]).dist, nearfar.mssp(CITY, found).dist[:, [3, 50]])
    assert np.array_equal(nearfar.nearest(CITY, found).dist, nearfar.nearest(CITY, found.vertices).dist)
    one, other = found[0], found[2]
    assert nearfar.distance(CITY, one, other) == nearfar.distance(CITY, one.vertex, other.vertex)
    assert nearfar.path(CITY, one, other) == nearfar.path(CITY, one.vertex, other.vertex)
    prepared = nearfar.prepare(CITY)
    assert nearfar.distance(prepared, one, other) == nearfar.distance(CITY, one.vertex, other.vertex)
    assert nearfar.plan(CITY, one).rows == 1 and nearfar.plan(CITY, found).rows == 3
    assert nearfar.paths(CITY, one, other, 2)[0][1] == nearfar.path(CITY, one, other)
    with pytest.raises(InputTypeError, match="3 points"):
        nearfar.sssp(CITY, found)
    with pytest.raises(MethodError, match=r"3 points.*vertices"):
        found.vertex  # noqa: B018
    with pytest.raises(InputTypeError, match="3 points"):
        nearfar.distance(CITY, one, found)
    with pytest.raises(MethodError, match="along arcs"):
        nearfar.mssp(CITY, geo.snap(CITY, lon, lat, on="arcs"))
    with pytest.raises(OptionError, match="another graph"):
        nearfar.sssp(nearfar.generate.city(9, 11, 3), one)


def test_the_largest_part_is_used_unless_told_otherwise():
    graph = Graph.from_arcs([0, 1, 2, 2], [1, 2, 0, 3], coordinates=[[0, 0], [1, 0], [1, 1], [5, 5]])
    assert geo.snap(graph, 5, 5, units="m").vertex == 2
    assert geo.snap(graph, 5, 5, units="m", within="all").vertex == 3
    assert geo.snap(graph, 3, 3.1, units="m", within="all", on="arcs").heads.tolist() == [3]


def test_points_beside_the_graph_are_not_taken_for_exchanged_ones():
    graph = Graph.from_arcs([0, 1], [1, 0], coordinates=[[0, 1], [9, 8]])
    assert geo.snap(graph, 8, 9, units="m").vertex == 1
    with pytest.raises(OptionError, match="exchanged"):
        geo.snap(Graph.from_arcs([0, 1], [1, 0], coordinates=[[0, 100], [9, 108]]), 105, 4, units="m")


def test_points_that_are_too_far():
    lon, lat = [-20, 3, math.nan], [45, 45, 45]
    with pytest.raises(VertexError, match=r"point 1 at \(3, 45\) is more than 500 m from the graph \(1 of 2 are\)"):
        geo.snap(CITY, lon[:2], lat[:2], max_distance=500)
    for on in ("vertices", "arcs"):
        found = geo.snap(CITY, lon, lat, max_distance=500, beyond="mask", on=on)
        assert found.found.tolist() == [True, False, False] and np.isinf(found.distance[1:]).all()
        assert len(found.to_frame()) == 1 and found.describe()["found"] == 1
        assert np.isnan(found.points[1:]).all() and found.tails[1:].tolist() == [-1, -1]
        with pytest.raises(VertexError, match="point 1 was not found"):
            nearfar.nearest(CITY, found)
        assert nearfar.nearest(CITY, found[found.found]).dist.min() == 0 or on == "arcs"


@pytest.mark.parametrize(
    ("lon", "lat", "options", "error", "words"),
    [
        (math.nan, 45, {}, OptionError, "finite"),
        ([-20, math.inf], [45, 45], {}, OptionError, "point 1"),
        (-20, 145, {}, OptionError, "swapped"),
        (45, -20, {}, OptionError, "exchanged"),
        ("-20", 45, {}, InputTypeError, "lon is '-20'"),
        (None, 45, {}, InputTypeError, "lon"),
        (True, 45, {}, InputTypeError, "lon"),
        ([[1, 2]], 45, {}, InputTypeError, "flat"),
        ([1, 2], [1, 2, 3], {}, InputTypeError, "2 and 3"),
        ([-20, -19.99], [45], {}, InputTypeError, "2 and 1"),
        ([-20, -19.99], 45, {}, InputTypeError, "2 and 1"),
        (-20, [], {}, InputTypeError, "1 and 0"),
        (-20, 45, {"on": "edges"}, OptionError, "on='edges'"),
        (-20, 45, {"within": "some"}, OptionError, "within='some'"),
        (-20, 45, {"beyond": 1}, OptionError, "beyond=1"),
        (-20, 45, {"max_distance": -1}, OptionError, "max_distance"),
        (-20, 45, {"max_distance": "far"}, OptionError, "max_distance"),
        (-20, 45, {"max_distance": math.nan}, OptionError, "max_distance"),
        (-20, 45, {"units": 5}, InputTypeError, "unit"),
    ],
)
def test_wrong_arguments(lon, lat, options, error, words):
    with pytest.raises(error, match=words):
        geo.snap(CITY, lon, lat, **options)


def test_graphs_without_places():
    with pytest.raises(GraphError, match="no coordinates"):
        geo.snap(Graph.from_arcs([0], [1]), 0, 0)
    bare = Graph.from_arcs([0], [1], coordinates=[[0, 0], [5, 800]])
    with pytest.raises(OptionError, match="units='degrees'"):
        geo.snap(bare, 0, 0)
    with pytest.raises(GraphError, match="no longitude and latitude"):
        geo.snap(bare, 0, 0, units="degrees")
    with pytest.raises(GraphError, match="no vertices"):
        geo.snap(Graph.from_arcs([], [], coordinates=np.empty((0, 2))), 0, 0, units="m")
    with pytest.raises(GraphError, match="no arcs"):
        geo.snap(Graph.from_arcs([0], [0], n=2, coordinates=[[0, 0], [1, 1]]), 0, 0, units="m", on="arcs", within="all")
    alone = Graph.from_arcs([], [], n=1, coordinates=[[2, 3]])
    assert geo.snap(alone, 0, 0, units="m").distance == pytest.approx(math.sqrt(13))


def test_no_points():
    for on in ("vertices", "arcs"):
        found = geo.snap(CITY, [], [], on=on)
        assert len(found) == 0 and found.to_frame().empty and repr(found) == f"Snapped(0 points on {on}, 0 found)"


def test_trees_are_kept_with_the_graph():
    graph = nearfar.generate.city(4, 4)
    geo.snap(graph, -20, 45)
    tree = graph.memo["tree", "largest", True]
    geo.snap(graph, [-20.001], [45])
    assert graph.memo["tree", "largest", True] is tree
    assert pickle.loads(pickle.dumps(graph)).memo == {}


def test_andorra():
    graph = nearfar.read(real("andorra.osm.pbf"))
    assert graph.units == ("s", "degrees")
    la_vella, le_pas = geo.snap(graph, [1.5218, 1.7337], [42.5063, 42.5425], max_distance=300)
    seconds = nearfar.distance(graph, la_vella, le_pas)
    assert 20 * 60 < seconds < 50 * 60
    on_arcs = geo.snap(graph, [1.5218, 1.7337], [42.5063, 42.5425], on="arcs")
    assert (on_arcs.distance <= [la_vella.distance[0], le_pas.distance[0]]).all()
    assert abs(nearfar.sssp(graph, on_arcs[0])[le_pas.vertex] - seconds) < 120
    with pytest.raises(OptionError, match="longitude first"):
        geo.snap(graph, 42.5063, 1.5218)

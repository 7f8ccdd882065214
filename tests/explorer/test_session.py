"""What the explorer answers: the same distances, paths and metrics that the functions of the package give."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import nearfar
from nearfar import Graph, errors, generate
from nearfar.explorer.bands import BARS, NONE, TOP, band
from nearfar.explorer.scene import Scene
from nearfar.explorer.search import find_names, sorted_by_name
from nearfar.explorer.session import ANSWERS, Gone, Session

CITY = generate.city(12, 15, seed=3)
ALONE = Graph.from_arcs([0, 1, 3], [1, 2, 4], [4, 5, 6], n=6)


def bands_of(answer):
    return answer.data.astype(np.int64)


def ask(session, what, **query):
    return session.answer(what, {name: str(value) for name, value in query.items()})


VALUES = st.one_of(
    arrays.arrays(np.int32, st.integers(0, 30), elements=st.integers(0, 2**31 - 1)),
    arrays.arrays(np.int64, st.integers(0, 30), elements=st.integers(-5, 2**63 - 1)),
    arrays.arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=True, allow_infinity=True, width=32)),
)


@given(VALUES)
def test_bands_against_plain_python(values):
    mark = np.iinfo(values.dtype).max if values.dtype.kind == "i" else np.inf
    known = [float(v) for v in values if v == v and abs(v) != mark]
    found = band(values)
    assert found.known == len(known) == sum(found.chart) and len(found.chart) == BARS
    assert ((found.bands == NONE) == [not (v == v and abs(v) != mark) for v in values]).all()
    if known:
        low = min(0.0, min(known))
        assert (found.low, found.high) == (low, max(known))
        span = found.high - low
        for v, b in zip(values, found.bands.tolist(), strict=True):
            if b != NONE and span > 0:
                assert abs(b - (float(v) - low) / span * TOP) <= 1 + 1e-6


@pytest.mark.parametrize("direction", ["from", "to"])
@pytest.mark.parametrize("method", ["auto", "dijkstra", "delta", "prepared"])
def test_a_row_and_its_paths(method, direction):
    session = Session(CITY)
    row = ask(session, "row", source=7, method=method, direction=direction)
    right = nearfar.sssp(CITY, CITY.name(7), direction=direction)
    assert (bands_of(row) == band(right.dist).bands).all() and row.data.dtype == np.uint16
    assert row.facts["name"] == CITY.name(7) and row.facts["count"] == CITY.n
    assert row.facts["method"] == (right.plan.method if method == "auto" else method)
    for target in (0, 100, 7):
        path = ask(session, "path", source=7, target=target, method=method, direction=direction)
        assert path.facts["distance"] == right[CITY.name(target)]
        assert [CITY.name(int(v)) for v in path.data] == right.path(CITY.name(target)) == path.facts["names"]


def test_a_point_of_the_page_is_its_nearest_vertex():
    session = Session(CITY)
    points = ask(session, "points").data
    assert points.dtype == np.float32 and points.shape == (CITY.n, 2)
    assert np.abs(points.min(axis=0) + points.max(axis=0)).max() < 0.01  # around the middle
    x, y = points[33].tolist()
    assert ask(session, "row", x=x + 1, y=y - 1).facts["source"] == 33
    assert ask(session, "path", source=4, x=x + 1, y=y - 1).facts["target"] == 33


def test_picks_avoid_traps_where_most_vertices_are_in_one_part():
    ring = Graph.from_arcs([0, 1, 2, 2], [1, 2, 0, 3], coordinates=[(0, 0), (10, 0), (0, 10), (5, 5)])
    assert Scene(ring).pick(0.1, 0.1) != 3  # nothing leads out of vertex 3, which is nearer
    line = Graph.from_arcs([0, 1, 2], [1, 2, 3], coordinates=[(0, 0), (10, 0), (20, 0), (30, 0)])
    assert Scene(line).pick(5.1, 0) == 2  # every vertex is a part of its own


def test_edges_are_sent_once():
    edges = ask(Session(CITY), "edges").data
    assert edges.dtype == np.uint32
    wanted = {tuple(sorted(pair)) for pair in zip(CITY.tails.tolist(), CITY.heads.tolist(), strict=True)}
    assert {tuple(sorted(pair)) for pair in edges.tolist()} == wanted and len(edges) == len(wanted)


@pytest.mark.parametrize("order", ["near", "far", "name"])
def test_the_table_in_pages(order):
    session, row = Session(ALONE), nearfar.sssp(ALONE, 0).dist
    lines = []
    for offset in range(0, 6, 2):
        answer = ask(session, "near", source=0, order=order, offset=offset, limit=2)
        lines += answer.facts["lines"]
    reached = [(int(row[v]), v) for v in range(3)]
    if order == "name":
        assert lines == [[v, str(v), int(row[v]) if v < 3 else None] for v in range(6)]
        return
    wanted = sorted(reached) if order == "near" else sorted(reached, key=lambda pair: -pair[0])
    assert lines == [[v, str(v), distance] for distance, v in wanted] and answer.facts["count"] == 3


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40), st.integers(0, 45), st.integers(1, 45))
def test_some_lines_of_the_table_are_those_of_the_sorted_table(weights, offset, limit):
    star = Graph.from_arcs([0] * len(weights), range(1, len(weights) + 1), weights)
    row = nearfar.sssp(star, 0).dist
    for order, sign in (("near", 1), ("far", -1)):
        lines = ask(Session(star), "near", source=0, order=order, offset=offset, limit=limit).facts["lines"]
        everything = sorted(range(star.n), key=lambda v: (sign * row[v], v))
        assert [line[0] for line in lines] == everything[offset : offset + limit]


def test_metrics():
    session = Session(CITY, demand=[(CITY.name(3), CITY.name(90), 5.0), (CITY.name(90), CITY.name(3), 2.0)])
    offered = [measure["name"] for measure in ask(session, "facts").facts["measures"]]
    assert offered == ["closeness", "betweenness", "flows"]
    close = ask(session, "measure", name="closeness")
    assert (bands_of(close) == band(nearfar.metrics.closeness(CITY).values, None).bands).all()
    through = ask(session, "measure", name="betweenness")
    assert through.facts["high"] == pytest.approx(nearfar.metrics.betweenness(CITY).values.max())
    flows = ask(session, "measure", name="flows")
    edges = ask(session, "edges").data
    assert len(flows.data) == len(edges) and flows.facts["high"] == 7.0 and flows.facts["of"] == "edges"
    path = nearfar.path(CITY, CITY.name(3), CITY.name(90))
    there = {tuple(sorted(pair)) for pair in pairwise(path)}
    used = edges[flows.data > 0]
    loaded = {tuple(sorted((CITY.name(int(u)), CITY.name(int(v))))) for u, v in used}
    assert there <= loaded
    assert "flows" not in [measure["name"] for measure in ask(Session(CITY), "facts").facts["measures"]]
    with pytest.raises(errors.OptionError, match="flows is not offered"):
        ask(Session(CITY), "measure", name="flows")


def test_search():
    assert [CITY.name(v) for v in find_names(CITY, "  MAIN street /  3rd")] == ["Main Street / 3rd Avenue"]
    assert all("Oak" in CITY.name(v) and "2nd" in CITY.name(v) for v in find_names(CITY, "2nd oak"))
    assert len(find_names(CITY, "street")) == 20 and find_names(CITY, " ") == [] and find_names(CITY, "%") == []
    numbered = Graph.from_arcs([7, 17, 170, 70], [17, 170, 70, 7], names=True)
    assert [numbered.name(v) for v in find_names(numbered, "17")] == [17, 170]
    assert find_names(Graph.from_arcs([0], [1]), "0") == [0] and find_names(Graph.from_arcs([0], [1]), "1x") == []
    assert [numbered.name(int(v)) for v in sorted_by_name(numbered)] == [7, 17, 70, 170]


def test_unreached_vertices_have_no_path():
    session = Session(ALONE)
    answer = ask(session, "path", source=0, target=4)
    assert answer.facts["distance"] is None and not len(answer.data)
    assert ask(session, "row", source=5).facts["count"] == 1


@pytest.mark.parametrize("graph", [Graph.from_arcs([], []), Graph.from_arcs([], [], n=1), ALONE])
def test_small_graphs(graph):
    session = Session(graph)
    session.warm()
    facts = ask(session, "facts").facts
    assert facts["vertices"] == graph.n and facts["map"] == (graph.n > 0)
    assert (facts["start"] is None) == (graph.n == 0)
    for what in ("points", "edges", "devices"):
        ask(session, what)


def test_large_graphs_without_coordinates_have_a_table_only():
    graph = Graph.from_arcs(range(30_000), range(1, 30_001))
    facts = ask(Session(graph), "facts").facts
    assert not facts["map"] and "30,001 vertices are too many to lay out" in facts["why_not"]
    assert ask(Session(graph), "near", source=3, limit=1).facts["lines"] == [[3, "3", 0]]


def test_a_raster_lies_as_it_is_read():
    graph = Graph.from_raster(np.array([[1.0, np.inf], [1.0, 1.0]]))
    assert ask(Session(graph), "points").data.tolist() == [[-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]


@pytest.mark.parametrize(
    ("what", "query", "message"),
    [
        ("row", {}, "the source is missing"),
        ("row", {"source": "-1"}, "source is '-1'"),
        ("row", {"source": "99999"}, "whole number from 0 to 179"),
        ("row", {"source": "٣"}, "whole number"),
        ("row", {"x": "nan", "y": "0"}, "no vertex at such a point"),
        ("row", {"x": "far", "y": "0"}, "the source is missing"),
        ("row", {"source": "1", "method": "magic"}, "magic"),
        ("row", {"source": "1", "device": "cpu:9"}, "cpu:9"),
        ("row", {"source": "1", "direction": "up"}, "up"),
        ("near", {"source": "1", "order": "luck"}, "no order 'luck'"),
        ("near", {"source": "1", "limit": "201"}, "0 to 200"),
        ("measure", {"name": "luck"}, "no metric 'luck'"),
    ],
)
def test_wrong_questions_are_explained(what, query, message):
    with pytest.raises(errors.NearfarError, match=message):
        Session(CITY).answer(what, query)


def test_whoever_has_gone_is_not_waited_for():
    session = Session(CITY)
    with pytest.raises(Gone):
        session.answer("row", {"source": "1"}, lambda: False)
    assert ask(session, "row", source=1).facts["source"] == 1  # and nothing is left behind


def test_few_rows_are_kept():
    session = Session(CITY)
    for source in range(40):
        ask(session, "row", source=source)
    assert len(session._rows) == 32
    assert set(ANSWERS) == {
        "facts",
        "points",
        "edges",
        "devices",
        "row",
        "path",
        "near",
        "search",
        "measure",
        "progress",
    }

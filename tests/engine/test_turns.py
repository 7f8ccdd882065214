"""Graphs with turns: every query agrees with a search over the last arcs driven, and paths obey."""

from __future__ import annotations

import heapq
import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.oracle import as_floats
from nearfar import Graph
from nearfar.errors import GraphError, InputTypeError, MethodError, NoPathError, OptionError, VertexError

LONGEST = 4  # vertices of a forbidden way


@st.composite
def problems(draw):
    """Return a graph as n and arcs, forbidden ways, costs of turns, and the cost of a U-turn."""
    n = draw(st.integers(1, 7))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 5)), max_size=18))
    if draw(st.booleans()):
        arcs += [(v, u, w) for u, v, w in arcs]  # two-way roads, where turns back are possible
    walks = [(u, v) for u, v, _ in arcs]
    for _ in range(LONGEST - 2):
        walks += [(*walk, v) for walk in walks for u, v, _ in arcs if walk[-1] == u][:200]
    walks = sorted({walk for walk in walks if len(walk) > 2})
    some = st.sampled_from(walks) if walks else st.nothing()
    forbidden = draw(st.lists(some, max_size=8)) if walks else []
    turns = [walk for walk in walks if len(walk) == 3]
    cost = st.sampled_from([0, 1, 4, math.inf])
    costs = draw(st.dictionaries(st.sampled_from(turns), cost, max_size=8)) if turns else {}
    return n, arcs, forbidden, costs, draw(st.sampled_from([0, 3, math.inf]))


def rows_of(problem):
    """Return all distances, by a search whose states are the last arcs driven."""
    n, arcs, forbidden, costs, uturn = problem
    out = [[e for e, (u, _, _) in enumerate(arcs) if u == v] for v in range(n)]
    closed = set(forbidden)

    def turn(driven, e):
        """Return what it costs to go on to an arc, None if that is forbidden."""
        tail, head, _ = arcs[e]
        vertices = [*(arcs[d][0] for d in driven), tail, head]
        if any(tuple(vertices[i:]) in closed for i in range(len(vertices) - 2)):
            return None
        if not driven:
            return 0
        back = arcs[driven[-1]][0]
        onward = any(arcs[other][1] != back for other in out[tail])
        cost = costs.get((back, tail, head), 0) + (uturn if head == back and onward else 0)
        return cost if cost < math.inf else None

    rows = np.full((n, n), np.inf)
    for s in range(n):
        seen, heap = set(), [(0, s, ())]
        while heap:
            length, v, driven = heapq.heappop(heap)
            if (v, driven) in seen:
                continue
            seen.add((v, driven))
            rows[s, v] = min(rows[s, v], length)
            for e in out[v]:
                if (cost := turn(driven, e)) is not None:
                    last = (*driven, e)[-(LONGEST - 2) :]
                    heapq.heappush(heap, (length + cost + arcs[e][2], arcs[e][1], last))
    return rows


def obeys(problem, path):
    """Tell whether no part of a path is forbidden."""
    parts = {tuple(path[i : i + size]) for size in range(3, LONGEST + 1) for i in range(len(path) - size + 1)}
    return not parts & set(problem[2])


def length_of(problem, path, rows):
    """Return the length of a path by its vertices and arcs, which belong together; it must obey."""
    _, arcs, _, costs, uturn = problem
    assert [(arcs[r][0], arcs[r][1]) for r in rows] == list(pairwise(path))
    assert obeys(problem, path)
    length = sum(arcs[r][2] for r in rows)
    for back, v, onto in zip(path, path[1:], path[2:], strict=False):
        onward = any(tail == v and head != back for tail, head, _ in arcs)
        length += costs.get((back, v, onto), 0) + (uturn if back == onto and onward else 0)
    return length


def graph_of(problem):
    n, arcs, forbidden, costs, uturn = problem
    tails, heads, weights = zip(*arcs, strict=True) if arcs else ((), (), ())
    graph = nearfar.Graph.from_arcs(tails, heads, np.array(weights, np.int64), n)
    return graph.with_turns(forbidden, costs, uturn=uturn)


@settings(max_examples=100)
@given(problems())
def test_every_query(problem):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    assert (as_floats(nearfar.apsp(turns).dist) == wanted).all()
    backwards = nearfar.mssp(turns, range(n), direction="to")
    assert (as_floats(backwards.dist) == wanted.T).all()
    one = nearfar.sssp(turns, n - 1)
    assert (as_floats(one.dist) == wanted[-1]).all() and nearfar.verify(turns, one)
    assert (as_floats(nearfar.sssp(turns, 0, direction="to").dist) == wanted[:, 0]).all()
    table = nearfar.table(turns, [0, n - 1], range(n)[::-1])
    assert (as_floats(table.dist) == wanted[[0, -1], ::-1]).all()
    for v in range(n):
        assert nearfar.distance(turns, 0, v) == wanted[0, v]
    paths(problem, wanted, turns)


def paths(problem, wanted, turns):
    """Check paths of every kind of result, from the last vertex and to vertex 0."""
    n = problem[0]
    s = n - 1
    many = nearfar.mssp(turns, [0, s]), nearfar.mssp(turns, [s, 0], direction="to"), nearfar.table(turns, [s], range(n))
    alone = nearfar.sssp(turns, s), nearfar.sssp(turns, 0, direction="to")
    for v in range(n):
        if wanted[s, v] < np.inf:
            found = [
                (nearfar.path(turns, s, v), None),
                (alone[0].path(v), alone[0].path_rows(v)),
                (many[0].path(s, v), many[0].path_rows(s, v)),
                (many[2].path(s, v), many[2].path_rows(s, v)),
                (alone[0].path(v, fewest_arcs=True), None),
            ]
            for path, rows in found:
                assert path[0] == s and path[-1] == v
                assert obeys(problem, path)
                assert rows is None or length_of(problem, path, rows) == wanted[s, v]
            assert alone[0].path_edges(v) == list(zip(found[1][0][:-1], found[1][0][1:], strict=True))
        else:
            with pytest.raises(NoPathError):
                many[2].path(s, v)
        if wanted[v, 0] < np.inf:
            for path, rows in (
                (alone[1].path(v), alone[1].path_rows(v)),
                (many[1].path(0, v), many[1].path_rows(0, v)),
            ):
                assert path[0] == v and path[-1] == 0 and length_of(problem, path, rows) == wanted[v, 0]


@settings(max_examples=100)
@given(problems(), st.data())
def test_nearest(problem, data):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    sources = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=3, unique=True))
    for direction, rows in (("from", wanted), ("to", wanted.T)):
        near = nearfar.nearest(turns, sources, direction=direction)
        assert (as_floats(near.dist) == rows[sources].min(axis=0)).all()
        for v in np.flatnonzero(near.reached).tolist():
            assert near.source[v] in sources and rows[near.source[v], v] == near.dist[v]
            ends = [int(near.source[v]), v][:: 1 if direction == "from" else -1]
            path = near.path(v)
            assert [path[0], path[-1]] == ends and length_of(problem, path, near.path_rows(v)) == near.dist[v]
        assert (near.source[~near.reached] == -1).all()
        several = nearfar.nearest(turns, sources, k=2, direction=direction)
        ordered = sorted(sources)
        best = np.argsort(rows[ordered], axis=0, kind="stable")[:2]
        for v in range(n):
            kept = [(ordered[i], rows[ordered[i], v]) for i in best[:, v] if rows[ordered[i], v] < np.inf]
            assert several[v] == kept
            for rank, (_, length) in enumerate(kept, 1):
                path, arcs = several.path(v, rank=rank), several.path_rows(v, rank=rank)
                assert length_of(problem, path, arcs) == length
        assert nearfar.verify(turns, near) and nearfar.verify(turns, several)


@settings(max_examples=60)
@given(problems())
def test_prepared(problem):
    n, wanted = problem[0], rows_of(problem)
    turns = nearfar.prepare(graph_of(problem))
    assert (as_floats(nearfar.apsp(turns).dist) == wanted).all()
    assert (as_floats(nearfar.sssp(turns, 0, direction="to").dist) == wanted[:, 0]).all()
    assert (as_floats(nearfar.table(turns, [0], range(n)).dist) == wanted[:1]).all()
    for v in range(n):
        assert nearfar.distance(turns, 0, v) == wanted[0, v]
        if wanted[0, v] < np.inf:
            assert [nearfar.path(turns, 0, v)[i] for i in (0, -1)] == [0, v]
    paths(problem, wanted, turns)


@settings(max_examples=100)
@given(problems(), st.data())
def test_starting_distances_and_cutoff(problem, data):
    n, wanted, turns = problem[0], rows_of(problem), graph_of(problem)
    starts = data.draw(st.dictionaries(st.integers(0, n - 1), st.integers(0, 5), min_size=1, max_size=3))
    for direction, rows in (("from", wanted), ("to", wanted.T)):
        least = np.min([rows[s] + start for s, start in starts.items()], axis=0)
        found = nearfar.sssp(turns, starts, direction=direction)
        assert (as_floats(found.dist) == least).all() and nearfar.verify(turns, found)
        near = nearfar.sssp(turns, starts, direction=direction, cutoff=6)
        assert (as_floats(near.dist) == np.where(least <= 6, least, np.inf)).all()


@settings(max_examples=100)
@given(problems(), st.sampled_from(["int32", "int64", "float32", "float64", None]))
def test_types_and_methods(problem, dtype):
    """Weights of any type, undirected graphs, and methods by name."""
    n, arcs, forbidden, costs, uturn = problem
    arcs = [(u, v, w if dtype else 1) for u, v, w in arcs]
    tails, heads, weights = zip(*arcs, strict=True) if arcs else ((), (), ())
    graph = nearfar.Graph.from_arcs(tails, heads, None if dtype is None else np.array(weights, dtype), n)
    turns = graph.with_turns(forbidden, costs, uturn=uturn)
    wanted = rows_of((n, arcs, forbidden, costs, uturn))
    for method in ("auto", "dijkstra", "delta", "frontier", "edge", "johnson", "prepared", "floyd"):
        assert (as_floats(nearfar.apsp(turns, method=method).dist) == wanted).all(), method
    found = nearfar.sssp(turns, 0, dtype="float64")
    assert found.dist.dtype == np.float64 and (found.dist == wanted[0]).all()


def test_undirected_rows():
    """Both arcs of an edge come from one row; the turn is forbidden in one direction only."""
    roads = nearfar.Graph.from_arcs([3, 1, 1, 2], [1, 0, 2, 3], [2, 5, 4, 3], undirected=True)
    turns = roads.with_turns([(0, 1, 3)])
    assert nearfar.sssp(turns, 0).path(3) == [0, 1, 2, 3] and nearfar.path(turns, 3, 0) == [3, 1, 0]
    assert nearfar.sssp(turns, 0).path_rows(3).tolist() == [1, 2, 3]
    assert turns.states.n == 4 + 2  # vertex 1, coming from 0, and where paths to it end


@pytest.mark.parametrize("other", [(0, 1, 2, 9), (0, 1, 2, 3, 9)])
def test_forbidden_ways_that_overlap(other):
    """Who leaves one forbidden way may be within another, or at its end."""
    tails, heads = zip((0, 1), (1, 2), (2, 3), (3, 4), (2, 9), (3, 9), strict=True)
    turns = nearfar.Graph.from_arcs(tails, heads).with_turns([other, (1, 2, 3, 4)])
    assert nearfar.distance(turns, 0, 4) == nearfar.distance(turns, 1, 4) == math.inf
    assert nearfar.distance(turns, 0, 3) == 3 and nearfar.distance(turns, 2, 4) == 2
    assert nearfar.distance(turns, 0, 9) == (4 if len(other) == 4 else 3)


def test_ties_are_in_the_order_of_vertices():
    """Whether a vertex is split or not: 0 is, coming from 2."""
    graph = nearfar.Graph.from_arcs([2, 2, 0], [0, 1, 3])
    for turns in (graph.with_turns([(2, 0, 3)]), graph.with_turns()):
        assert nearfar.nearest(turns, [1, 0], k=2, direction="to")[2] == [(0, 1), (1, 1)]
        assert nearfar.nearest(turns, [1, 0], direction="to")[2] == (0, 1)


def test_turning_back_at_a_junction():
    """It costs what turning back costs, and nothing for its angle."""
    names, places = ["start", "gate", "junction", "goal", "far"], [(0, 0), (1, 0), (2, 0), (1, 1), (2, 9)]
    graph = nearfar.Graph.from_arcs(
        [0, 1, 2, 1, 2, 2], [1, 2, 1, 3, 3, 4], [1, 1, 1, 1, 90, 9], names=names, coordinates=places
    ).with_units("s", "m")
    turns = graph.with_turns([("start", "gate", "goal")], nearfar.TurnCosts(left=50), uturn=3)
    assert nearfar.path(turns, "start", "goal") == ["start", "gate", "junction", "gate", "goal"]
    assert nearfar.distance(turns, "start", "goal") == 1 + 1 + 3 + 1 + 1


def crossing():
    """Return a named crossing of two roads, with places on a plane, and a way around one corner."""
    names = ["west", "middle", "east", "north", "south"]
    ends = [("west", "middle"), ("middle", "east"), ("middle", "north"), ("middle", "south"), ("east", "north")]
    places = {"west": (-1, 0), "middle": (0, 0), "east": (1, 0), "north": (0, 1), "south": (0, -1)}
    tails, heads = ([names.index(end[side]) for end in ends] for side in (0, 1))
    points = [places[name] for name in names]
    graph = nearfar.Graph.from_arcs(tails, heads, [2, 3, 4, 5, 9], undirected=True, names=names, coordinates=points)
    return graph.with_units("s", "km")


def test_names_and_frames():
    turns = crossing().with_turns([("west", "middle", "north")], uturn=math.inf)
    assert (turns.n, turns.m, turns.forbidden) == (5, 10, (("west", "middle", "north"),))
    row = nearfar.sssp(turns, "west")
    assert row["north"] == 14 and row.path("north") == ["west", "middle", "east", "north"]
    assert row.path_edges("north") == [("west", "middle"), ("middle", "east"), ("east", "north")]
    assert row.farthest(2) == [("north", 14), ("south", 7)] and row.closest(1) == [("middle", 2)]
    assert row.to_frame()["target"].tolist() == ["west", "middle", "east", "north", "south"]
    assert row.to_xarray().sel(target="north").item() == 14 and row.describe()["reached"] == 5
    assert nearfar.geo.features(row).to_wkt()[3] == "POINT (0 1)"
    table = nearfar.table(turns, ["south", "west"], ["north"])
    assert table["west", "north"] == 14 and table.path_edges("south", "north") == [
        ("south", "middle"),
        ("middle", "north"),
    ]
    assert table.to_frame(wide=True).loc["west", "north"] == 14
    near = nearfar.nearest(turns, ["west", "south"])
    assert near["north"] == ("south", 9) and near.path("north") == ["south", "middle", "north"]
    assert near.to_frame()["source"].tolist() == ["west", "west", "west", "south", "south"]
    assert nearfar.nearest(turns, ["west", "south"], k=2)["north"] == [("south", 9), ("west", 14)]
    assert nearfar.mssp(turns, ["west", "south"]).to_frame().shape == (10, 3)


def test_costs_by_angle():
    """Coming from the west, north is to the left; the way around the corner has no junction, so no costs."""
    plain = crossing()
    turns = plain.with_turns(costs=nearfar.TurnCosts(left=20, right=7, straight=1), uturn=30)
    row, bare = nearfar.sssp(turns, "west"), nearfar.sssp(plain, "west")
    extra = {name: row[name] - bare[name] for name in plain.names}
    assert extra == {"west": 0, "middle": 0, "east": 1, "north": 9, "south": 7}  # to the north around the corner: 15
    assert nearfar.path(turns, "east", "south") == ["east", "north", "middle", "south"]  # 19, but 28 with a turn left
    same = plain.with_turns(
        costs=lambda angles: np.where(np.abs(angles) > 45, np.where(angles < 0, 20, 7), 1), uturn=30
    )
    assert (nearfar.apsp(same).dist == nearfar.apsp(turns).dist).all()
    round_trip = plain.with_turns([("west", "middle", "north"), ("middle", "east", "north")], uturn=30)
    assert nearfar.path(round_trip, "west", "north") == ["west", "middle", "south", "middle", "north"]  # a dead end
    assert nearfar.distance(round_trip, "west", "north") == 2 + 5 + 5 + 4


def test_angles_on_the_earth():
    """At 60 degrees north a degree of longitude is half as long: what looks like 60 degrees is a turn of 45."""
    points = [(-0.01, 60), (0, 60), (0.01, 60.005), (0.01, 60), (0, 60.01)]
    graph = nearfar.Graph.from_arcs([0, 1, 1, 1], [1, 2, 3, 4], [1, 1, 1, 1], coordinates=points)
    seen = []
    graph.with_units("s", "degrees").with_turns(
        costs=lambda angles: seen.extend(np.round(angles, 1).tolist()) or angles * 0
    )
    assert seen == [-45, 0, -90]


def test_points_on_arcs():
    """Who starts within an arc has to obey at its end, and may not turn back there."""
    graph = crossing()
    turns = graph.with_turns([("west", "middle", "north")], uturn=math.inf)
    halfway = nearfar.geo.snap(graph, [-0.25], [0.1], on="arcs")
    start = nearfar.sssp(turns, halfway)
    assert {name: start[name] for name in graph.names} == {
        "west": 1.5,
        "middle": 0.5,
        "east": 3.5,
        "north": 12.5,
        "south": 5.5,
    }
    assert nearfar.sssp(graph, halfway)["north"] == 4.5
    goal = nearfar.sssp(turns, halfway, direction="to")
    assert {name: goal[name] for name in graph.names} == {
        "west": 1.5,
        "middle": 0.5,
        "east": 3.5,
        "north": 4.5,
        "south": 5.5,
    }
    assert nearfar.nearest(turns, halfway)["north"][1] == 12.5
    assert nearfar.distance(turns, halfway, "north") == 12.5 and nearfar.path(turns, halfway, "north")[0] == "middle"
    into = graph.with_turns(costs={("north", "middle", "west"): 8})
    goal = nearfar.sssp(into, halfway, direction="to")
    assert goal.sources == ["west", "middle"] and goal.starts.tolist() == [1.5, 0.5]
    assert goal["north"] == 10.5  # back and forth to the east: 4 + 6 + 0.5
    corner = nearfar.geo.snap(graph, [0, 0], [1, -1], on="vertices")
    assert nearfar.mssp(turns, corner).sources == ["north", "south"]
    assert nearfar.sssp(turns, corner[0])["south"] == 9


def test_keys_of_a_multigraph():
    networkx = pytest.importorskip("networkx")
    roads = networkx.MultiDiGraph()
    for u, v, key, weight in (("a", "b", "ring", 6), ("a", "b", "main", 4), ("b", "c", "main", 1)):
        roads.add_edge(u, v, key, weight=weight)
    turns = nearfar.Graph.from_networkx(roads).with_turns(costs={("a", "b", "c"): 2})
    assert nearfar.sssp(turns, "a").path_edges("c") == [("a", "b", "main"), ("b", "c", "main")]
    assert nearfar.distance(turns, "a", "c") == 7


def test_closed_arcs():
    """Ways over closed arcs forbid nothing; the rows of the others stay what they were."""
    graph = crossing().close([1])
    turns = graph.with_turns([("west", "middle", "east"), ("west", "middle", "north")])
    found = nearfar.sssp(turns, "west")
    assert found["east"] == math.inf or found.path("east") == ["west", "middle", "south", "middle", "north", "east"]
    assert found.path_rows("east").tolist() == [0, 3, 3, 2, 4]


def test_out_and_plan():
    turns = crossing().with_turns([("west", "middle", "north")])
    out = np.empty(5, np.int64)
    assert (
        nearfar.sssp(turns, "west", out=out).dist is not None
        and out.tolist() == nearfar.sssp(turns, "west").dist.tolist()
    )
    plan = nearfar.plan(turns)
    assert (plan.rows, plan.n) == (5, 5)
    assert nearfar.plan(turns, "west", targets=["east"]).n == nearfar.plan(turns, {"west": 2}, targets=["east"]).n == 1


def test_prepared_is_saved_and_read(tmp_path):
    turns = crossing().with_turns([("west", "middle", "north")])
    prepared = nearfar.prepare(turns)
    assert "prepared" in repr(prepared)
    prepared.searched.save(tmp_path / "turns.prepared")
    again = nearfar.load_prepared(tmp_path / "turns.prepared", turns)
    assert nearfar.distance(again, "west", "north") == nearfar.distance(turns, "west", "north") == 12


def test_costs_that_are_not_whole():
    for cost, wanted in ((0.5, 6.5), (2, 8), (1e30, 1e30)):
        turns = nearfar.Graph.from_arcs([0, 1], [1, 2], [2, 4]).with_turns(costs={(0, 1, 2): cost})
        found = nearfar.sssp(turns, 0)
        assert found[2] == wanted and found.dist.dtype.kind == ("i" if cost == 2 else "f")


def test_a_graph_on_the_disk(tmp_path):
    nearfar.write(crossing(), tmp_path / "crossing.nearfar")
    turns = nearfar.Graph.open(tmp_path / "crossing.nearfar").with_turns([("west", "middle", "north")], uturn=math.inf)
    assert nearfar.distance(turns, "west", "north") == 14
    assert nearfar.sssp(turns, "west").path_rows("north").tolist() == [0, 1, 4]


def test_an_empty_graph():
    turns = nearfar.Graph.from_arcs([], [], n=0).with_turns(uturn=3)
    assert turns.describe()["states"] == 0 and nearfar.apsp(turns).dist.shape == (0, 0)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"forbidden": "abc"}, InputTypeError, "'abc'; give a list of ways"),
        ({"forbidden": ["abc"]}, InputTypeError, "'abc'; give a list of ways"),
        ({"forbidden": ("west", "middle", "north")}, InputTypeError, "'west'; give a list of ways"),
        ({"forbidden": [("west", "middle")]}, OptionError, "a turn has three vertices"),
        ({"forbidden": [("west", "middle", "nort")]}, VertexError, "Did you mean 'north'"),
        ({"costs": {"west": 3}}, InputTypeError, "give turns as"),
        ({"costs": {("west", "middle", "north"): -3}}, OptionError, "is -3, but must be at least 0"),
        ({"costs": {("west", "middle", "north"): "3"}}, InputTypeError, "'3', a str"),
        ({"costs": 3}, InputTypeError, "costs is 3"),
        ({"costs": nearfar.TurnCosts}, InputTypeError, "costs is"),
        ({"costs": lambda angles: angles}, OptionError, "one number per angle, at least 0"),
        ({"costs": lambda angles: 3}, OptionError, "one number per angle"),
        ({"costs": lambda angles: "many"}, OptionError, "one number per angle"),
        ({"uturn": -1}, OptionError, "uturn, is -1"),
        ({"uturn": True}, InputTypeError, "a bool"),
        ({"uturn": math.nan}, OptionError, "nan"),
    ],
)
def test_what_is_no_turn(given, error, message):
    with pytest.raises(error, match=message):
        crossing().with_turns(**given)


def test_what_cannot_have_turns():
    with pytest.raises(GraphError, match="least weight is -1"):
        nearfar.Graph.from_arcs([0], [1], [-1]).with_turns()
    with pytest.raises(GraphError, match="need coordinates"):
        nearfar.Graph.from_arcs([0], [1], [1]).with_turns(costs=nearfar.TurnCosts(left=1))
    with pytest.raises(OptionError, match="does not say what its coordinates are"):
        nearfar.Graph.from_arcs([0], [1], coordinates=[(0, 0), (1, 1)]).with_turns(costs=nearfar.TurnCosts(left=1))
    with pytest.raises(OptionError, match="left, is -1"):
        nearfar.TurnCosts(left=-1)


def test_what_only_the_graph_has():
    turns = nearfar.generate.city(3, 3).with_turns(uturn=5)
    with pytest.raises(AttributeError, match=r"no 'with_turns'.*turns\.graph\.with_turns\(turns\.forbidden, costs="):
        turns.with_turns(costs={})
    with pytest.raises(AttributeError, match=r"no 'tails'. turns\.graph\.tails is that of the graph without turns"):
        turns.tails  # noqa: B018
    with pytest.raises(AttributeError, match="object has no attribute 'tales'"):
        turns.tales  # noqa: B018
    assert not hasattr(turns, "weights") and pickle.loads(pickle.dumps(turns)).m == turns.m


def test_what_knows_no_turns(tmp_path):
    """Nothing ignores turns silently."""
    turns = crossing().with_turns([("west", "middle", "north")])
    for ask in (
        lambda: nearfar.paths(turns, "west", "north", 2),
        lambda: nearfar.count_paths(turns, "west"),
        lambda: list(nearfar.stream(turns)),
        lambda: nearfar.metrics.closeness(turns),
        lambda: nearfar.geo.snap(turns, 0, 0),
        lambda: nearfar.explore(turns, browser=False),
        lambda: nearfar.geo.features(turns),
        lambda: nearfar.draw.draw(turns),
        lambda: nearfar.partition(turns, 2),
        lambda: nearfar.write(turns, tmp_path / "turns.csv"),
    ):
        with pytest.raises(InputTypeError, match="TurnGraph"):
            ask()
    found = nearfar.sssp(turns, "west")
    for trees in (
        lambda: found.predecessors,
        lambda: found.towards_sources,
        lambda: found.fewest_arcs(),
        lambda: found.all_predecessors(),
        lambda: nearfar.nearest(turns, ["west"]).predecessors,
        lambda: nearfar.sssp(turns, "west", direction="to").successors,
    ):
        with pytest.raises(MethodError, match="has no predecessor"):
            trees()
    with pytest.raises(InputTypeError, match="Give the one with turns"):
        nearfar.verify(turns.graph, found)
    for options in ({"lazy": True}, {"client": "local:1"}, {"out": tmp_path / "d.zarr"}, {"join": True}):
        with pytest.raises(OptionError, match="graph with turns"):
            nearfar.apsp(turns, **options)
    with pytest.raises(OptionError, match="k is 2"):
        nearfar.nearest(turns, {"west": 1, "east": 0}, k=2)
    with pytest.raises(NoPathError):
        nearfar.path(nearfar.Graph.from_arcs([0, 1], [1, 2]).with_turns([(0, 1, 2)]), 0, 2)


def test_a_wrong_distance_is_found():
    turns = crossing().with_turns([("west", "middle", "north")])
    found = nearfar.sssp(turns, "west")
    assert nearfar.verify(turns, found)
    found.rows[0, 3] = 6  # as if the turn were free
    assert not nearfar.verify(turns, found)


def test_an_iterator_of_forbidden_ways():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    for ways in (zip([0], [1], [2], strict=True), map(tuple, [[0, 1, 2]]), (way for way in [(0, 1, 2)])):
        assert nearfar.distance(graph.with_turns(ways), 0, 2) == math.inf


def test_a_row_that_knows_no_turns_is_no_proof():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7])
    turns = graph.with_turns([(0, 1, 2)])
    for plain in (nearfar.sssp(graph, 0), nearfar.table(graph, [0], [2]), nearfar.nearest(graph, [0, 1], 2)):
        with pytest.raises(InputTypeError, match="of a graph without them"):
            nearfar.verify(turns, plain)


def test_changed_answers_are_not_proved():
    turns = Graph.from_arcs([0, 1, 2], [1, 2, 0], [5, 7, 1], undirected=True).with_turns(uturn=9)
    nearest, several = nearfar.nearest(turns, [0, 1]), nearfar.nearest(turns, [0, 1], 2)
    assert nearfar.verify(turns, nearest) and nearfar.verify(turns, several)
    nearest.source[0] = 1
    several.dist[0, 0] += 1
    for changed in (nearest, several):
        assert "were changed" in nearfar.verify(turns, changed).problems[0]


def test_costs_that_no_distance_holds():
    graph = Graph.from_arcs([0, 1], [1, 2], [1, 2])
    assert nearfar.distance(graph.with_turns(costs={(0, 1, 2): 2**53 - 1}), 0, 2) == 2**53 + 2
    for costs, uturn in (({(0, 1, 2): 10**400}, 0), (None, 10**400)):
        with pytest.raises(OptionError, match="no distance holds"):
            graph.with_turns(costs=costs, uturn=uturn)

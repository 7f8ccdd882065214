"""OpenStreetMap with turns: which relations restrict whom, and how; paths obey."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import osmium
import pytest

import nearfar
from helpers.damage import read_bytes
from helpers.data import real
from nearfar.errors import InputTypeError, OptionError
from nearfar.formats.profiles import CAR

# Streets meet at 2; one leads around the corner:   4---6
#                                                   |   |
#                                               1---2---3---7
#                                                   |
#                                                   5
PLACES = {1: (0, 1), 2: (1, 1), 3: (2, 1), 4: (1, 2), 5: (1, 0.5), 6: (2.2, 2), 7: (3, 1)}
WEST, EAST, NORTH, SOUTH, AROUND, FAR = range(1, 7)
STREETS = {WEST: [1, 2], EAST: [2, 3], NORTH: [4, 2], SOUTH: [2, 5], AROUND: [3, 6, 4], FAR: [3, 7]}
LORRY = replace(CAR, name="lorry", access=("hgv", *CAR.access), restrictions=("restriction:hgv", *CAR.restrictions))


def town(*relations, streets=STREETS, tags=()):
    """Return an .osm file of the streets above; relations are (tags, members), members (type, ref, role)."""
    lines = [f'<node id="{i}" lon="{1 + x / 1000}" lat="{y / 1000}"/>' for i, (x, y) in PLACES.items()]
    for way, nodes in streets.items():
        body = "".join(f'<nd ref="{node}"/>' for node in nodes)
        more = {"highway": "residential"} | dict(tags).get(way, {})
        body += "".join(f'<tag k="{key}" v="{value}"/>' for key, value in more.items())
        lines.append(f'<way id="{way}">{body}</way>')
    for number, (words, members) in enumerate(relations, 1):
        body = "".join(f'<member type="{kind}" ref="{ref}" role="{role}"/>' for kind, ref, role in members)
        body += "".join(f'<tag k="{key}" v="{value}"/>' for key, value in words.items())
        lines.append(f'<relation id="{number}">{body}</relation>')
    return ('<?xml version="1.0"?>\n<osm version="0.6">\n' + "\n".join(lines) + "\n</osm>\n").encode()


def turn(word, start, via, end, key="restriction", **more):
    """Return a relation; several starts, vias or ends are lists, ways for via have negative numbers."""
    members = []
    for role, refs in (("from", start), ("via", via), ("to", end)):
        for ref in refs if isinstance(refs, list) else [refs]:
            kind = "node" if role == "via" and ref > 0 else "way"
            members.append((kind, abs(ref), role))
    return {"type": "restriction", key: word, **more}, members


def forbidden(*relations, profile="car", **options):
    return set(read_bytes(town(*relations, **options), "a.osm", profile=profile, turns=True).forbidden)


@pytest.mark.parametrize(
    ("relation", "ways"),
    [
        (turn("no_left_turn", WEST, 2, NORTH), {(1, 2, 4)}),
        (turn("no_right_turn", NORTH, 2, WEST), {(4, 2, 1)}),
        (turn("no_u_turn", WEST, 2, WEST), {(1, 2, 1)}),
        (turn("only_straight_on", WEST, 2, EAST), {(1, 2, 1), (1, 2, 4), (1, 2, 5)}),
        (turn("only_u_turn", WEST, 2, WEST), {(1, 2, 3), (1, 2, 4), (1, 2, 5)}),
        (turn("no_entry", [WEST, SOUTH], 2, NORTH), {(1, 2, 4), (5, 2, 4)}),
        (turn("no_exit", WEST, 2, [NORTH, SOUTH]), {(1, 2, 4), (1, 2, 5)}),
        (turn("no_left_turn", WEST, -EAST, AROUND), {(1, 2, 3, 6)}),
        (turn("no_u_turn", WEST, [-EAST, -AROUND, -NORTH], SOUTH), {(1, 2, 3, 6, 4, 2, 5)}),
        (turn("no_u_turn", SOUTH, [-NORTH, -AROUND, -EAST], WEST), {(5, 2, 4, 6, 3, 2, 1)}),
        (
            turn("only_left_turn", WEST, -EAST, AROUND),
            {(1, 2, 1), (1, 2, 4), (1, 2, 5), (1, 2, 3, 2), (1, 2, 3, 7)},
        ),
        (turn("no_left_turn", WEST, 2, 99), set()),  # not in the file
        (turn("no_left_turn", WEST, 3, NORTH), set()),  # they do not meet there
        (turn("no_left_turn", WEST, -FAR, NORTH), set()),
        (turn("no_left_turn", WEST, [2, 3], NORTH), set()),
        (turn("no_left_turn", WEST, [], NORTH), set()),
        (turn("only_straight_on", WEST, 2, [EAST, NORTH]), set()),
        (turn("none", WEST, 2, NORTH), set()),
        (turn("no_left_turn", WEST, 2, NORTH, type="multipolygon"), set()),
    ],
)
def test_what_a_relation_forbids(relation, ways):
    assert forbidden(relation) == ways


@pytest.mark.parametrize(
    ("key", "more", "held"),
    [
        ("restriction", {}, "car lorry"),
        ("restriction", {"except": "bicycle"}, "car lorry"),
        ("restriction", {"except": "psv;motorcar"}, ""),
        ("restriction", {"except": "psv; hgv"}, "car"),
        ("restriction:motorcar", {}, "car lorry"),
        ("restriction:hgv", {}, "lorry"),
        ("restriction:hgv", {"restriction": "none"}, "lorry"),
        ("restriction:bicycle", {}, "bike"),
        ("restriction:bicycle", {"except": "bicycle"}, ""),
        ("restriction:foot", {}, "foot"),
        ("restriction:conditional", {}, ""),
        ("restriction", {"hour_on": "07:00"}, ""),
    ],
)
def test_for_whom(key, more, held):
    relation = turn("no_left_turn", WEST, 2, NORTH, key, **more)
    for profile in ("car", "bike", "foot", LORRY):
        name = getattr(profile, "name", profile)
        assert forbidden(relation, profile=profile) == ({(1, 2, 4)} if name in held.split() else set()), name


def test_a_function_obeys_what_holds_for_all():
    relations = turn("no_left_turn", WEST, 2, NORTH), turn("no_left_turn", SOUTH, 2, WEST, "restriction:motorcar")
    assert forbidden(*relations, profile=lambda tags: (1, 1)) == {(1, 2, 4)}


def test_a_junction_in_the_middle_of_a_way():
    """From a way through the junction one may come from both sides; a one-way decides which."""
    streets = {WEST: [1, 2, 3], NORTH: [2, 4]}
    relation = turn("no_left_turn", WEST, 2, NORTH)
    assert forbidden(relation, streets=streets) == set()
    assert forbidden(relation, streets=streets, tags={WEST: {"oneway": "yes"}}) == {(1, 2, 4)}


def test_closed_roads_take_their_restrictions_along():
    """Where the only turn leads to a closed road, the others stay open."""
    relation = turn("only_left_turn", WEST, 2, NORTH)
    assert forbidden(relation, tags={NORTH: {"access": "no"}}) == set()


def test_paths_obey():
    turns = read_bytes(town(turn("no_left_turn", WEST, 2, NORTH)), "a.osm", turns=True)
    assert nearfar.path(turns.graph, 1, 4) == [1, 2, 4]
    assert nearfar.path(turns, 1, 4) == [1, 2, 5, 2, 4]  # 5 is a dead end, where one may turn
    assert nearfar.path(turns, 5, 4) == [5, 2, 4]
    closed = turns.graph.close(turns.graph.find_rows(2, 5))
    assert nearfar.path(closed.with_turns(turns.forbidden, uturn=math.inf), 1, 4) == [1, 2, 3, 6, 4]
    assert nearfar.path(closed.with_turns(turns.forbidden), 1, 4) == [1, 2, 3, 2, 4]  # who may turn anywhere, does
    assert nearfar.sssp(turns, 4, direction="to").path(1) == [1, 2, 5, 2, 4]


def test_turning_back():
    """Cars only turn at dead ends; who may turn, as on a bike, needs no larger graph."""
    data = town(streets={WEST: [1, 2, 3, 7]})
    car, bike = (read_bytes(data, "a.osm", profile=profile, turns=True) for profile in ("car", "bike"))
    assert car.states.n > car.n and bike.states.n == bike.n
    banned = (7, 3, 2)
    for turns, seconds in ((car.graph.with_turns([banned], uturn=math.inf), math.inf), (bike, 0)):
        assert nearfar.distance(turns, 7, 1) >= seconds


def test_costs_by_angle():
    straight, left, right = ((1, 3), (1, 4), (4, 1))
    plain = read_bytes(town(), "a.osm")
    turns = read_bytes(town(), "a.osm", turns=nearfar.TurnCosts(left=20, right=7, straight=1))
    for ends, cost in ((straight, 1), (left, 20), (right, 7), ((3, 6), 0)):
        assert nearfar.distance(turns, *ends) == pytest.approx(nearfar.distance(plain, *ends) + cost)
    seen = read_bytes(town(), "a.osm", turns=lambda angles: abs(angles))
    assert nearfar.distance(seen, *left) == pytest.approx(nearfar.distance(plain, *left) + 90, rel=1e-3)


def test_options(tmp_path):
    data = town()
    assert read_bytes(data, "a.osm", turns=False).n == 7
    nameless = read_bytes(town(turn("no_left_turn", WEST, 2, NORTH)), "a.osm", turns=True, names=False)
    assert nameless.forbidden == ((0, 1, 3),) and nearfar.distance(nameless, 0, 3) > 0
    with pytest.raises(OptionError, match="turns is 'yes'"):
        read_bytes(data, "a.osm", turns="yes")
    for more in ({"weight": False}, {"keep_rows": False}):
        with pytest.raises(OptionError, match="has weights and rows"):
            read_bytes(data, "a.osm", turns=True, **more)
    with pytest.raises(OptionError, match="does not take turns"):
        read_bytes(b"p sp 2 1\na 1 2 7\n", "a.gr", turns=True)
    (tmp_path / "a.osm").write_bytes(data)
    with pytest.raises(OptionError, match="a folder holds no turns"):
        nearfar.convert(tmp_path / "a.osm", tmp_path / "a.nearfar", turns=True)
    with pytest.raises(OptionError, match="uturn is -1"):
        replace(CAR, uturn=-1)
    with pytest.raises(InputTypeError, match="restrictions is 'restriction'"):
        replace(CAR, restrictions="restriction")


def with_relation(path, start, via, end):
    """Write Andorra with one more relation."""
    with osmium.SimpleWriter(str(path)) as writer:
        for thing in osmium.FileProcessor(str(real("andorra.osm.pbf"))):
            writer.add(thing)
        members = [("w", start, "from"), ("n", via, "via"), ("w", end, "to")]
        tags = {"type": "restriction", "restriction": "no_left_turn"}
        writer.add_relation(osmium.osm.mutable.Relation(id=10**9, members=members, tags=tags))


def test_andorra(tmp_path):
    """The extract has no restrictions. With one more, on a turn of a shortest path, paths lead around it."""
    plain, turns = (nearfar.read(real("andorra.osm.pbf"), turns=wanted) for wanted in (False, True))
    assert turns.forbidden == () and (turns.n, turns.m) == (plain.n, plain.m)
    ways = {}
    for way in osmium.FileProcessor(str(real("andorra.osm.pbf")), osmium.osm.WAY):
        if "highway" in way.tags:
            nodes = [ref.ref for ref in way.nodes]
            ways |= {frozenset(pair): (way.id, {nodes[0], nodes[-1]}) for pair in pairwise(nodes)}
    row = nearfar.sssp(plain, 51110488)
    path = row.path(row.farthest()[0][0])
    for u, v, w in zip(path, path[1:], path[2:], strict=False):
        (start, ends), (end, others) = ways[frozenset((u, v))], ways[frozenset((v, w))]
        if start != end and v in ends & others and len(plain.find_arcs(v, u)):
            break
    with_relation(tmp_path / "more.osm.pbf", start, v, end)
    more = nearfar.read(tmp_path / "more.osm.pbf", turns=True)
    assert more.forbidden == ((u, v, w),)
    assert nearfar.path(turns, u, w) == [u, v, w]
    around = nearfar.path(more, u, w)
    assert around[:1] + around[-1:] == [u, w] and (u, v, w) not in zip(around, around[1:], around[2:], strict=False)
    assert nearfar.distance(more, u, w) > nearfar.distance(turns, u, w)
    found = nearfar.sssp(more, u)
    assert nearfar.verify(more, found)

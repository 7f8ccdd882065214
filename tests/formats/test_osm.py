"""OpenStreetMap: which roads, which way, how fast; agreement with a graph made elsewhere; broken files."""

from __future__ import annotations

import bz2
import math
import sys
import zlib
from dataclasses import replace

import numpy as np
import osmium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, broken, damaged, named_arcs, read_bytes, refused, same, survives
from helpers.data import loader, real
from helpers.marks import needs_jit
from nearfar.errors import InputTypeError, MissingDependencyError, OptionError
from nearfar.formats.profiles import BIKE, CAR, FOOT, PROFILES, Profile
from nearfar.formats.signs import read_duration, read_speed

STEP = 2 * 6_371_000 * math.asin(math.sin(math.radians(0.001) / 2))  # metres between nodes 0.001 degrees apart


def xml(*ways, nodes=range(1, 7), missing=()):
    """Return an .osm file: nodes in a line from south to north, and ways as (refs, tags)."""
    lines = [f'<node id="{i}" lat="{i % 1000 / 1000}" lon="1.5"/>' for i in nodes if i not in missing]
    for number, (refs, tags) in enumerate(ways, 1):
        body = "".join(f'<nd ref="{ref}"/>' for ref in refs)
        body += "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        lines.append(f'<way id="{number}">{body}</way>')
    return ('<?xml version="1.0"?>\n<osm version="0.6">\n' + "\n".join(lines) + "\n</osm>\n").encode()


def pbf(path, packing="zlib"):
    """Write a small .osm.pbf and return its bytes."""
    with osmium.SimpleWriter(osmium.io.File(str(path), f"pbf,pbf_compression={packing}")) as writer:
        for i in range(1, 5):
            writer.add_node(osmium.osm.mutable.Node(id=i, location=(1.5, i / 1000)))
        writer.add_way(osmium.osm.mutable.Way(id=1, nodes=[1, 2, 3, 4], tags={"highway": "primary"}))
    return path.read_bytes()


def seconds(metres, speed):
    return pytest.approx(metres / (speed / 3.6), rel=1e-6)


def arcs(*ways, profile="car", **options):
    return named_arcs(read_bytes(xml(*ways, **options), "a.osm", profile=profile))


# real roads


def test_andorra_agrees_with_the_graph_made_elsewhere():
    """Same vertices, same arcs in the same order, same seconds, same places: all of it."""
    graph = nearfar.read(real("andorra.osm.pbf"))
    raw = loader().load("osm-andorra.npz")
    plain = nearfar.Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"])
    assert (graph.n, graph.m) == (16_504, 31_633)
    assert (graph.names.array == raw["osm_id"]).all()
    assert (graph.offsets == plain.offsets).all() and (graph.heads == plain.heads).all()
    np.testing.assert_allclose(graph.weights, plain.weights, rtol=1e-12)
    np.testing.assert_allclose(graph.coordinates, np.column_stack((raw["lon"], raw["lat"])), rtol=0, atol=1e-12)


@needs_jit
def test_andorra_on_foot():
    car, foot = (nearfar.read(real("andorra.osm.pbf"), profile=profile) for profile in ("car", "foot"))
    assert foot.n > 2 * car.n
    assert same(foot, nearfar.read(real("andorra.osm.pbf"), format="osm", profile="foot"))
    turned = foot.reverse()
    assert sorted(named_arcs(turned)) == sorted(named_arcs(foot))  # no one-way holds a walker


def test_andorra_by_bike():
    """The bike is no faster than the car where both may go, and goes where the car may not."""
    car, bike = (named_arcs(nearfar.read(real("andorra.osm.pbf"), profile=profile)) for profile in ("car", "bike"))
    car, bike = ({arc[:2]: arc[2] for arc in found} for found in (car, bike))
    assert set(bike) - set(car) and set(car) - set(bike)
    both = set(bike) & set(car)
    assert len(both) > len(car) // 2 and sum(bike[arc] > car[arc] for arc in both) > 0.9 * len(both)
    assert bike[2008298686, 2008298690] == 0.001 == min(bike.values())  # these nodes lie at the same place


# which roads


def test_a_road():
    graph = read_bytes(xml(([5, 2, 3], {"highway": "residential"})), "a.osm")
    assert tuple(graph.names) == (2, 3, 5) and not graph.undirected
    assert graph.coordinates.tolist() == [[1.5, 0.002], [1.5, 0.003], [1.5, 0.005]]
    one, three = seconds(STEP, 30), seconds(3 * STEP, 30)
    assert named_arcs(graph) == [(2, 3, one), (2, 5, three), (3, 2, one), (5, 2, three)]


def test_roads_meet_where_they_share_a_node():
    found = arcs(([1, 2, 3], {"highway": "primary"}), ([4, 2], {"highway": "tertiary"}))
    assert [arc[:2] for arc in found] == [(1, 2), (2, 1), (2, 3), (2, 4), (3, 2), (4, 2)]


def test_what_is_no_road_to_a_car_may_be_one_on_foot():
    ways = [([1, 2], {"highway": "primary"}), ([2, 3], {"highway": "footway"}), ([3, 4], {"building": "yes"})]
    ways += [([4, 5], {"highway": "motorway"}), ([5, 6], {"highway": "steps"})]
    assert [arc[:2] for arc in arcs(*ways)] == [(1, 2), (2, 1), (4, 5)]
    on_foot = arcs(*ways, profile="foot")
    assert [arc[:2] for arc in on_foot] == [(1, 2), (2, 1), (2, 3), (3, 2), (5, 6), (6, 5)]
    assert on_foot[0][2] == seconds(STEP, 5) and on_foot[-1][2] == seconds(STEP, 2.5)


@pytest.mark.parametrize(
    ("tags", "speeds"),
    [
        ({}, (30, 30)),
        ({"oneway": "yes"}, (30, 0)),
        ({"oneway": "true"}, (30, 0)),
        ({"oneway": "1"}, (30, 0)),
        ({"oneway": "-1"}, (0, 30)),
        ({"oneway": "reverse"}, (0, 30)),
        ({"oneway": "no"}, (30, 30)),
        ({"oneway": "alternating"}, (30, 30)),
        ({"oneway": "reversible"}, None),
        ({"oneway": "yes", "oneway:motor_vehicle": "no"}, (30, 30)),
        ({"junction": "roundabout"}, (30, 0)),
        ({"junction": "roundabout", "oneway": "-1"}, (0, 30)),
        ({"junction": "circular", "oneway": "no"}, (30, 30)),
        ({"highway": "motorway"}, (110, 0)),
        ({"highway": "motorway", "oneway": "no"}, (110, 110)),
        ({"highway": "motorway_link"}, (60, 60)),
        ({"highway": "track"}, None),
        ({"highway": "construction"}, None),
        ({"area": "yes"}, None),
        ({"access": "no"}, None),
        ({"access": "private"}, None),
        ({"access": "permissive"}, (30, 30)),
        ({"access": "destination"}, (30, 30)),
        ({"access": "no", "motor_vehicle": "yes"}, (30, 30)),
        ({"access": "yes", "vehicle": "no"}, None),
        ({"motor_vehicle": "no", "motorcar": "designated"}, (30, 30)),
        ({"motor_vehicle": "agricultural;forestry"}, None),
        ({"motor_vehicle": "agricultural;destination"}, (30, 30)),
        ({"foot": "no"}, (30, 30)),
        ({"maxspeed": "50"}, (50, 50)),
        ({"maxspeed": "90;30"}, (30, 30)),
        ({"maxspeed": "50", "maxspeed:backward": "20"}, (50, 20)),
        ({"maxspeed:forward": "60"}, (60, 30)),
    ],
)
def test_by_car(tags, speeds):
    assert CAR.speeds_on({"highway": "residential"} | tags) == speeds


@pytest.mark.parametrize(
    ("tags", "speeds"),
    [
        ({"oneway": "yes", "junction": "roundabout", "maxspeed": "50"}, (5, 5)),
        ({"access": "no"}, None),
        ({"access": "no", "foot": "yes"}, (5, 5)),
        ({"foot": "no"}, None),
        ({"foot": "use_sidepath"}, None),
        ({"motor_vehicle": "no"}, (5, 5)),
        ({"highway": "pedestrian", "area": "yes"}, (5, 5)),
        ({"highway": "motorway"}, None),
        ({"highway": "trunk"}, None),
        ({"highway": "trunk", "foot": "yes"}, (5, 5)),
    ],
)
def test_on_foot(tags, speeds):
    assert FOOT.speeds_on({"highway": "residential"} | tags) == speeds


@pytest.mark.parametrize(
    ("tags", "speeds"),
    [
        ({}, (16, 16)),
        ({"highway": "cycleway"}, (18, 18)),
        ({"highway": "motorway"}, None),
        ({"highway": "steps"}, None),
        ({"highway": "footway"}, None),
        ({"highway": "footway", "access": "yes"}, None),  # the bicycle's own tag is asked for
        ({"highway": "footway", "bicycle": "yes"}, (8, 8)),
        ({"highway": "footway", "bicycle": "dismount"}, (4, 4)),
        ({"highway": "pedestrian", "bicycle": "designated"}, (8, 8)),
        ({"highway": "trunk"}, None),
        ({"highway": "trunk", "bicycle": "yes"}, (16, 16)),
        ({"highway": "primary", "motorroad": "yes"}, None),
        ({"vehicle": "no"}, None),
        ({"vehicle": "no", "bicycle": "yes"}, (16, 16)),
        ({"motor_vehicle": "no"}, (16, 16)),
        ({"bicycle": "use_sidepath"}, None),
        ({"maxspeed": "50"}, (16, 16)),
        ({"maxspeed": "50", "maxspeed:backward": "walk"}, (16, 6)),
        ({"oneway": "yes"}, (16, 0)),
        ({"oneway": "yes", "oneway:bicycle": "no"}, (16, 16)),
        ({"oneway": "yes", "cycleway": "opposite"}, (16, 16)),
        ({"oneway": "-1", "cycleway:left": "opposite_lane"}, (16, 16)),
        ({"oneway": "yes", "oneway:bicycle": "yes", "cycleway": "opposite"}, (16, 0)),
        ({"oneway": "yes", "cycleway": "lane"}, (16, 0)),
        ({"junction": "roundabout"}, (16, 0)),
    ],
)
def test_by_bike(tags, speeds):
    assert BIKE.speeds_on({"highway": "residential"} | tags) == speeds


def test_a_footway_with_a_direction():
    assert FOOT.speeds_on({"highway": "footway", "oneway:foot": "yes"}) == (5, 0)
    assert FOOT.speeds_on({"highway": "primary", "motorroad": "yes"}) is None
    assert FOOT.speeds_on({"highway": "trunk", "access": "yes"}) is None  # the walker's own tag is asked for


# ferries and barriers


def test_a_ferry_takes_as_long_as_it_says():
    ferry = {"route": "ferry", "duration": "00:30"}
    road = ([1, 2], {"highway": "residential", "oneway": "yes"})
    for profile in PROFILES:
        found = arcs(road, ([2, 3, 5], ferry), profile=profile)
        assert [arc[2] for arc in found if arc[0] in (3, 5)] == pytest.approx([600, 1200, 1200]), profile
    alone = arcs(([2, 3, 5], ferry | {"motor_vehicle": "no"}), ([1, 2], {"highway": "road"}))
    assert [arc[:2] for arc in alone] == [(1, 2), (2, 1)]


def test_a_ferry_without_a_duration_or_cut_off():
    slow = seconds(STEP, 15)
    assert arcs(([1, 2], {"route": "ferry"})) == [(1, 2, slow), (2, 1, slow)]
    assert arcs(([1, 2], {"route": "ferry", "duration": "often"})) == [(1, 2, slow), (2, 1, slow)]
    cut = arcs(([1, 2, 3], {"route": "ferry", "duration": "2:00", "oneway": "yes"}), missing=(3,))
    assert cut == [(1, 2, slow)]  # how much of the two hours is inside is not known
    both = arcs(([1, 2], {"route": "ferry", "duration": "2:00", "oneway": "yes"}), ([2, 3], {"route": "bus"}))
    assert both == [(1, 2, pytest.approx(7200))]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20", 1200), ("0:20", 1200), ("01:30", 5400), ("00:00:45", 45), ("PT20M", 1200), ("PT1H30M", 5400),
        ("PT45S", 45), (" 5 ", 300), ("", None), ("PT", None), ("0", None), ("1:75", None), ("20 min", None),
    ],
)  # fmt: skip
def test_durations(text, seconds):
    assert read_duration(text) == seconds


@pytest.mark.parametrize(
    ("tags", "open_to"),
    [
        ({"barrier": "gate"}, ["car", "bike", "foot"]),
        ({"barrier": "bollard"}, ["bike", "foot"]),
        ({"barrier": "bollard", "motor_vehicle": "yes"}, ["car", "bike", "foot"]),
        ({"barrier": "stile"}, ["foot"]),
        ({"barrier": "gate", "access": "private"}, []),
        ({"barrier": "gate", "access": "private", "foot": "yes"}, ["foot"]),
        ({"barrier": "lift_gate", "motor_vehicle": "no"}, ["bike", "foot"]),
    ],
)
def test_barriers(tags, open_to):
    data = xml(([1, 2, 3, 4, 5], {"highway": "residential"}))
    body = "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
    node = data[data.index(b'<node id="3"') : data.index(b'<node id="4"')]
    data = data.replace(node, node.replace(b"/>", f">{body}</node>".encode()))
    for profile in PROFILES:
        found = named_arcs(read_bytes(data, "a.osm", profile=profile))
        through = [arc[:2] for arc in found if 3 in arc[:2]]
        assert [arc[:2] for arc in found if 3 not in arc[:2]] == [(1, 2), (2, 1), (4, 5), (5, 4)]
        assert through == ([(2, 3), (3, 2), (3, 4), (4, 3)] if profile in open_to else []), profile


# profiles of one's own


def test_a_profile_made_from_another():
    way = [([1, 2], {"highway": "track", "maxspeed": "80"})]
    jeep = replace(CAR, name="jeep", speeds={**CAR.speeds, "track": 15}, fastest=40)
    assert arcs(*way, profile=jeep) == [(1, 2, seconds(STEP, 40)), (2, 1, seconds(STEP, 40))]
    with refused("'jeep'", "no road"):
        arcs(([1, 2], {"highway": "steps"}), profile=jeep)


def test_a_profile_is_a_function_and_a_function_a_profile():
    ways = [([1, 2], {"highway": "residential", "oneway": "yes"}), ([2, 3], {"highway": "track"}), ([3, 4], {"a": "b"})]
    ways += [([4, 5], {"highway": "motorway"}), ([5, 6], {"route": "ferry"})]
    assert arcs(*ways, profile=lambda tags: CAR(tags)) == arcs(*ways)
    seen = []

    def uphill(tags):
        seen.append(tags)
        return (1, None) if tags.get("highway") == "track" else None

    assert arcs(*ways, profile=uphill) == [(2, 3, pytest.approx(STEP))]
    assert seen == [tags for _, tags in ways if "highway" in tags or "route" in tags]
    flat = arcs(([1, 2], {"highway": "road"}), profile=lambda tags: (0.5, 2))
    assert flat == [(1, 2, pytest.approx(STEP / 2)), (2, 1, pytest.approx(2 * STEP))]


@pytest.mark.parametrize("answer", [5, (1,), (1, 2, 3), (-1, 1), (1, math.nan), ("a", "b")])
def test_functions_that_answer_nonsense(answer):
    with refused("way 1", repr(answer), "per metre", error=OptionError):
        arcs(([1, 2], {"highway": "road"}), profile=lambda tags: answer)


def test_functions_that_fail():
    with refused("the profile failed for way 1", "KeyError", "surface", error=OptionError):
        arcs(([1, 2], {"highway": "road"}), profile=lambda tags: (1 if tags["surface"] else 2, 1))


@pytest.mark.parametrize("profile", [5, None, Profile, ("car",)])
def test_what_is_no_profile(profile):
    with refused("profile", "Profile", error=OptionError):
        arcs(([1, 2], {"highway": "road"}), profile=profile)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"access": "bicycle"}, InputTypeError), ({"access": ()}, OptionError), ({"oneway": "oneway"}, InputTypeError),
        ({"speeds": ["a"]}, InputTypeError), ({"speeds": {"road": 0}}, OptionError),
        ({"slowed": {"a": -1}}, OptionError),
        ({"signs": "maybe"}, OptionError), ({"fastest": 0}, OptionError), ({"ferry": -1}, OptionError),
        ({"closed": "no"}, InputTypeError), ({"invited": {"highway": "path"}}, InputTypeError),
    ],
)  # fmt: skip
def test_profiles_with_a_mistake(wrong, error):
    with refused("profile 'mine'", next(iter(wrong)), error=error):
        replace(FOOT, name="mine", **wrong)


@pytest.mark.parametrize(
    ("sign", "speed"),
    [
        ("50", 50), (" 50 ", 50), ("50 km/h", 50), ("50kmh", 50), ("30 mph", 48.28032), ("30mph", 48.28032),
        ("10 knots", 18.52), ("62.5", 62.5), ("walk", 6), ("none", 130), ("ES:urban", 50), ("DE:rural", 100),
        ("XX:rural", 90), ("DE:zone:30", 30), ("DE:zone30", 30), ("FR:20", 20), ("GB:nsl_single", 96.56064),
        ("signals", None), ("variable", None), ("", None), ("0", None), ("-5", None), ("999", None),
        ("5 furlongs", None), ("90;30", None), ("DE:zone:00", None), ("50 @ (22:00-06:00)", None), ("١٠", None),
    ],
)  # fmt: skip
def test_signs(sign, speed):
    assert read_speed(sign) == (speed if speed is None else pytest.approx(speed))


def test_a_profile_that_does_not_exist():
    with refused("'bicycle'", "car, bike, foot", error=OptionError):
        read_bytes(xml(), "a.osm", profile="bicycle")


# files as they come


def test_roads_end_at_the_edge_of_an_extract():
    found = arcs(([1, 2, 3, 4, 5], {"highway": "primary", "oneway": "yes"}), missing=(3,))
    assert [arc[:2] for arc in found] == [(1, 2), (4, 5)]


def test_odd_roads():
    """Ways of no node or one, a node twice in a row, a way that crosses itself."""
    found = arcs(
        ([], {"highway": "primary"}),
        ([1], {"highway": "primary"}),
        ([2, 2, 3], {"highway": "primary", "oneway": "yes"}),
        ([], {"highway": "primary"}),
        ([4, 5, 6, 5], {"highway": "primary", "oneway": "yes"}),
        ([], {"highway": "primary"}),
    )
    assert [arc[:2] for arc in found] == [(2, 3), (4, 5), (5, 6), (6, 5)]


def test_nodes_at_the_same_place():
    """A piece of road without a length takes a millisecond, so that paths can be counted; one-ways remain so."""
    roads = ([1, 1001, 2], {"highway": "primary"}), ([2, 1002], {"highway": "primary", "oneway": "yes"})
    graph = read_bytes(xml(*roads, nodes=(1, 2, 1001, 1002)), "a.osm")
    there = seconds(STEP, 70)
    assert named_arcs(graph) == [
        (1, 1001, 0.001), (1001, 1, 0.001), (1001, 2, there), (2, 1001, there), (2, 1002, 0.001),
    ]  # fmt: skip
    assert nearfar.metrics.betweenness(graph)[1001] == 3 / 6  # from 1 to 2 and 1002, and from 2 to 1
    quick = read_bytes(xml(*roads, nodes=(1, 2, 1001, 1002)), "a.osm", profile=lambda tags: (1e-9, 1e-9))
    assert nearfar.distance(quick, 1001, 2) == pytest.approx(STEP * 1e-9)  # whoever has another unit keeps it


def test_nodes_after_the_roads_and_new_nodes():
    data = xml(([1, 2], {"highway": "primary"}))
    nodes = data[data.index(b"<node") : data.index(b"<way")]
    last = data.replace(nodes, b"").replace(b"</osm>", nodes + b"</osm>")
    assert same(read_bytes(last, "a.osm"), read_bytes(data, "a.osm"))
    new = xml(([-1, -2, -3], {"highway": "primary", "oneway": "yes"}), nodes=range(-3, 0))
    assert [arc[:2] for arc in named_arcs(read_bytes(new, "a.osm"))] == [(-1, -2), (-2, -3)]
    far = 2**62
    assert tuple(read_bytes(xml(([far, 1], {"highway": "road"}), nodes=(1, far)), "a.osm").names) == (1, far)


def test_kinds_of_files(tmp_path):
    data = pbf(tmp_path / "small.osm.pbf")
    graph = nearfar.read(tmp_path / "small.osm.pbf")
    assert tuple(graph.names) == (1, 2, 3, 4) and graph.m == 6
    assert same(read_bytes(data, "no.ending"), graph)
    way = ([1, 2, 3, 4], {"highway": "primary"})
    assert same(read_bytes(xml(way), "a.osm"), graph)
    (tmp_path / "a.osm.bz2").write_bytes(bz2.compress(xml(way)))
    assert same(nearfar.read(tmp_path / "a.osm.bz2"), graph)
    (tmp_path / "odd name").write_bytes(xml(way))
    assert same(nearfar.read(tmp_path / "odd name"), graph)


@pytest.mark.parametrize(
    "way", [([1, 2], {"building": "yes"}), ([1, 2], {"highway": "path"}), ([8, 9], {"highway": "road"})]
)
def test_maps_without_roads(way):
    with refused("a.osm", "no road", "'car'", "car, bike, foot"):
        read_bytes(xml(way), "a.osm")


def test_entities_are_not_expanded():
    data = xml(([1, 2], {"highway": "road"})).replace(b"<osm", b'<!DOCTYPE osm [<!ENTITY a "b">]><osm', 1)
    with refused("a.osm"):
        read_bytes(data, "a.osm", format="osm")


@pytest.mark.parametrize("accident", BROKEN)
@pytest.mark.parametrize("kind", ["osm.pbf", "osm"])
def test_broken_files(tmp_path, kind, accident):
    whole = xml(([1, 2], {"highway": "road"})).rstrip() if kind == "osm" else pbf(tmp_path / "a.osm.pbf")
    with refused(f"a.{kind}"):
        read_bytes(broken(whole)[accident], f"a.{kind}", format="osm")


@pytest.mark.parametrize("packing", ["none", "zlib"])
def test_zero_bytes_in_tags_never_reach_osmium(tmp_path, packing):
    """They would end the process."""
    data = pbf(tmp_path / "a.osm.pbf", "none")
    assert read_bytes(data, "a.osm.pbf").m == 6
    start = data.index(b"\x0a\x07OSMData", data.index(b"OSMData") + 1) - 4
    header, blob = data[start : start + 15], data[start + 15 :].replace(b"highway", b"highwa\0")
    if packing == "zlib":
        content = zlib.compress(blob[2:])
        blob = b"\x10" + bytes([len(blob) - 2]) + b"\x1a" + bytes([len(content)]) + content
        header = header[:-1] + bytes([len(blob)])
    with refused("a.osm.pbf", "zero byte"):
        read_bytes(data[:start] + header + blob, "a.osm.pbf")


@pytest.fixture(scope="module", params=["none", "zlib"])
def packed(request, tmp_path_factory):
    return pbf(tmp_path_factory.mktemp("osm") / "a.osm.pbf", request.param)


@settings(max_examples=50)
@given(st.data())
def test_damaged_files(packed, data):
    survives(data.draw(damaged(packed)), "a.osm.pbf", format="osm")


@settings(max_examples=50)
@given(damaged(xml(([1, 2, 3], {"highway": "road", "maxspeed": "30 mph"}), ([3, 4], {"highway": "primary"}))))
def test_damaged_text(data):
    survives(data, "a.osm", format="osm")


def test_without_osmium(monkeypatch):
    monkeypatch.setitem(sys.modules, "osmium", None)
    with refused("osmium", "nearfar[formats]", error=MissingDependencyError):
        read_bytes(xml(), "a.osm")

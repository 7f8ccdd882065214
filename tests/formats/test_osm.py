"""OpenStreetMap: which roads, which way, how fast; agreement with a graph made elsewhere; broken files."""

from __future__ import annotations

import bz2
import math
import sys
import zlib

import numpy as np
import osmium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, broken, damaged, named_arcs, read_bytes, refused, same, survives
from helpers.data import loader, real
from helpers.marks import needs_jit
from nearfar.errors import MissingDependencyError, OptionError
from nearfar.formats.roads import PROFILES, read_speed

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


CAR, FOOT = PROFILES["car"], PROFILES["foot"]


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
    with refused("'bicycle'", "car, foot", error=OptionError):
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
    with refused("a.osm", "no road", "'car'", "car, foot"):
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

"""TNTP: metadata, columns by name or number, nodes in another file."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.damage import named_arcs, read_bytes, refused
from helpers.data import loader, real
from helpers.marks import needs_jit
from nearfar.errors import OptionError

TEXT = (
    b"<NUMBER OF ZONES> 1\t\t\n<NUMBER OF NODES> 3\t\n<FIRST THRU NODE> 2\n<NUMBER OF LINKS> 2 \n"
    b"<ORIGINAL HEADER>~\tfrom\tto\n<END OF METADATA>\t\n\n"
    b"~\tInit node\tTerm node\tCapacity\tLength (ft)\tFree Flow Time (min)\tB\tPower\tSpeed limit\tToll\tType\t;\n"
    b"\t1\t2\t100\t0.5\t0\t0.15\t4\t25\t0\t3\t;\n\t2\t3\t200\t7\t1.25\t0.15\t4\t25\t0\t1;\n"
)


def load(text=TEXT, name="a_net.tntp", **options):
    return read_bytes(text, name, **options)


def test_free_flow_times():
    graph = load()
    assert not graph.undirected and list(graph.names) == [1, 2, 3]
    assert named_arcs(graph) == [(1, 2, 0.0), (2, 3, 1.25)]
    assert load(undirected=True).m == 4


@pytest.mark.parametrize(
    ("weight", "weights"),
    [
        ("length", [0.5, 7.0]),
        ("Length (ft)", [0.5, 7.0]),
        (3, [0.5, 7.0]),
        ("3", [0.5, 7.0]),
        ("capacity", [100, 200]),
        ("speed_limit", [25, 25]),
        ("speed", [25, 25]),
        ("link_type", [3, 1]),
        ("type", [3, 1]),
        (False, [1, 1]),
    ],
)
def test_other_columns(weight, weights):
    assert [w for _, _, w in named_arcs(load(weight=weight))] == weights


@pytest.mark.parametrize("weight", ["price", 0, 1, 10, -1, True, None, 2.5, "99"])
def test_columns_that_are_none(weight):
    with refused("weight=", "a_net.tntp", "capacity, length, free_flow_time", "weight=False", error=OptionError):
        load(weight=weight)


def test_without_names_of_columns():
    text = b"<NUMBER OF NODES> 2\n<number of links> 1\n<END OF METADATA>\n1 2 3 4 5 6 ;\n"
    assert named_arcs(load(text)) == [(1, 2, 5)]
    assert named_arcs(load(text.replace(b"1 2 3", b"~ a remark\n1 2 3"), weight=False)) == [(1, 2, 1)]


BARE = b"<NUMBER OF NODES> 2\n<NUMBER OF LINKS> 1\n<END OF METADATA>\n%s\n1 2 3 4 5 6 ;\n"


@pytest.mark.parametrize(
    "names",
    [
        b"~ init_node term_node free_flow_time length capacity b ;",
        b"~ this file was made by hand\n~ Init node Term node Free flow time (min) length capacity\n~ and checked",
        b"~ from 1990 on\n\n~init_node\tterm_node\tfree flow time\tlength\tcapacity\tb\t;\n~ x",
        b"~ from to free_flow_time length capacity b ;",
        b"~ remark\n~ a b free_flow_time length capacity",
    ],
)
def test_the_names_of_the_file_count(names):
    assert named_arcs(load(BARE % names)) == [(1, 2, 3)]
    assert named_arcs(load(BARE % names, weight="length")) == [(1, 2, 4)]
    assert named_arcs(load(BARE % names, weight=5)) == [(1, 2, 6)]


def test_names_far_down():
    text = BARE.replace(b"<END", b"<REMARK> x\n" * 9000 + b"<END") % (b"~ init_node term_node free_flow_time length ;")
    assert named_arcs(load(text, format="tntp")) == [(1, 2, 3)]


@pytest.mark.parametrize(
    "names", [b"~ init_node term_node capacity time ;", b"~ x y capacity time", b"~ from to capacity time"]
)
def test_a_name_that_is_missing(names):
    with refused("weight='free_flow_time'", "which has 'capacity, time' (2 to 5)", "weight=False", error=OptionError):
        load(BARE % names)
    assert named_arcs(load(BARE % names, weight="time")) == [(1, 2, 4)]
    assert named_arcs(load(BARE % names, weight=4)) == [(1, 2, 5)]


def test_ends_that_are_not_first():
    with refused("column term_node has index 2", "1 is needed"):
        load(BARE % b"~ init_node free_flow_time term_node")


def test_sizes_given_twice():
    twice = TEXT.replace(b"<FIRST THRU NODE> 2", b"<NUMBER OF NODES> 4")
    with refused("line 3", "<NUMBER OF NODES> is 4 here, but was 3"):
        load(twice)
    assert load(twice.replace(b"NODES> 4", b"NODES> 3")).n == 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"<NUMBER OF NODES> 3", b"", ("<NUMBER OF NODES>", "coordinates=")),
        (b"<NUMBER OF LINKS> 2", b"", ("<NUMBER OF LINKS>",)),
        (b"<END OF METADATA>", b"", ("<END OF METADATA> is missing",)),
        (b"NODES> 3", b"NODES> x", ("line 2", "'x'", "whole number")),
        (b"NODES> 3", b"NODES> 2", ("line 10", "vertex 3", "1 to 2")),
        (b"LINKS> 2", b"LINKS> 3", ("3 links", "there are 2", "strict=False")),
        (b"1.25", b"soon", ("line 10", "'soon'", "free_flow_time")),
        (b"\t1.25\t0.15\t4\t25\t0\t1;", b";", ("line 10", "too few fields")),
    ],
)
def test_refused(old, new, words):
    assert TEXT.count(old) == 1
    with refused("a_net.tntp", *words):
        load(TEXT.replace(old, new), format="tntp")
    if "strict=False" in words:
        assert load(TEXT.replace(old, new), strict=False).m == 2


@pytest.mark.parametrize(
    "text",
    [b"Node\tX\tY\t;\n1\t5\t6\t;\n3\t0\t1.5\t;\n2\t-1\t0\t;\n", b"node X Y\n1 5 6\n2 -1 0\n3 0 1.5"],
)
def test_nodes(tmp_path, text):
    (tmp_path / "a_node.tntp").write_bytes(text)
    graph = load(coordinates=tmp_path / "a_node.tntp")
    assert graph.coordinates.tolist() == [[5, 6], [-1, 0], [0, 1.5]]
    with refused("a_node.tntp", "coordinates="):
        nearfar.read(tmp_path / "a_node.tntp")


def test_nodes_at_two_places(tmp_path):
    (tmp_path / "a_node.tntp").write_bytes(b"node X Y\n1 5 6\n2 -1 0\n3 1 1\n2 -1 4\n")
    with refused("a_node.tntp", "vertex 2 lies at (-1.0, 0.0) and at (-1.0, 4.0)"):
        load(coordinates=tmp_path / "a_node.tntp")


def test_nodes_that_lack_one(tmp_path):
    (tmp_path / "a_node.tntp").write_bytes(b"node X Y\n1 5 6\n2 -1 0\n")
    with refused("a_node.tntp", "vertex 3 has no coordinates"):
        load(coordinates=tmp_path / "a_node.tntp")


@needs_jit
@pytest.mark.parametrize(
    ("name", "n", "m"), [("ChicagoRegional_net.tntp.gz", 12_982, 39_018), ("Philadelphia_net.tntp.gz", 13_389, 40_003)]
)
def test_cities(name, n, m):
    graph = nearfar.read(real(name))
    rows = loader().text(str(real(name))).partition("\n~")[2].splitlines()[1:]
    links = [line.split() for line in rows if line.strip()]
    assert (graph.n, graph.m, graph.weights.dtype) == (n, m, np.float64)
    assert named_arcs(graph) == sorted(((int(link[0]), int(link[1]), float(link[4])) for link in links), key=repr)


@needs_jit
def test_chicago_has_places():
    name = "ChicagoRegional_node.tntp.gz"
    graph = nearfar.read(real("ChicagoRegional_net.tntp.gz"), coordinates=real(name))
    rows = [line.split() for line in loader().text(str(real(name))).splitlines()[1:]]
    assert graph.coordinates.tolist() == [[float(x), float(y)] for _, x, y in rows]


ZONES = (
    b"<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 4\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 6\n<END OF METADATA>\n"
    b"~ init_node term_node capacity length free_flow_time ;\n"
    b"1 3 0 0 1 ;\n3 1 0 0 1 ;\n3 2 0 0 1 ;\n2 4 0 0 1 ;\n3 4 0 0 10 ;\n4 2 0 0 2 ;\n"
)


def test_closed_zones(tmp_path):
    """No path leads through a zone; trips from zone 7 begin at vertex -7, and rows are those of the file."""
    path = tmp_path / "small_net.tntp"
    path.write_bytes(ZONES)
    opened, closed = nearfar.read(path), nearfar.read(path, zones="closed")
    assert nearfar.path(opened, 1, 4) == [1, 3, 2, 4]
    assert nearfar.path(closed, -1, 4) == [-1, 3, 4] and nearfar.distance(closed, -1, 2) == 2
    assert closed.n == 6 and closed.m == opened.m == 6
    assert nearfar.distance(closed, 1, 3) == float("inf")
    demand = [(1, 2, 10), (1, 4, 5), (2, 1, 3), (1, 1, 8)]
    assert nearfar.metrics.flows(opened, demand).by_row().tolist() == [15, 0, 15, 5, 0, 0]
    found = nearfar.metrics.flows(closed, demand)
    assert found.by_row().tolist() == [15, 0, 10, 0, 5, 0] and found.unserved == 3
    users = nearfar.metrics.select_link(closed, demand, 4)
    assert users["origin"].tolist() == [1] and users["destination"].tolist() == [4]
    places = tmp_path / "small_node.tntp"
    places.write_text("node X Y ;\n1 0 0 ;\n2 1 0 ;\n3 0 1 ;\n4 1 1 ;\n")
    placed = nearfar.read(path, zones="closed", coordinates=places)
    assert placed.coordinates[placed.index(-2)].tolist() == placed.coordinates[placed.index(2)].tolist()


def test_wrong_zones(tmp_path):
    path = tmp_path / "small_net.tntp"
    path.write_bytes(ZONES)
    with pytest.raises(nearfar.errors.OptionError, match="'open' or 'closed'"):
        nearfar.read(path, zones="shut")
    with pytest.raises(nearfar.errors.OptionError, match="directed"):
        nearfar.read(path, zones="closed", undirected=True)

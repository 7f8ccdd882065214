"""Grid maps: which cells and steps there are, agreement with a plain reader and published lengths, broken maps."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.damage import BROKEN, agrees, broken, damaged, named_arcs, read_bytes, refused, survives
from helpers.data import real
from helpers.marks import needs_jit
from nearfar.graph import grid

HEAD = "type octile\nheight {}\nwidth {}\nmap\n"


def text(*rows):
    return (HEAD.format(len(rows), len(rows[0]) if rows else 0) + "".join(row + "\n" for row in rows)).encode()


def arcs_by_rule(rows):
    """Return the arcs, one cell and one step at a time."""
    free = {(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell in ".GS"}
    arcs = []
    for (y, x), dy, dx in product(free, (-1, 0, 1), (-1, 0, 1)):
        if (dy or dx) and {(y + dy, x + dx), (y + dy, x), (y, x + dx)} <= free:
            arcs.append(((x, y), (x + dx, y + dy), 2**0.5 if dy and dx else 1.0))
    return sorted(arcs, key=repr)


MAPS = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.text("....GS@OTW", min_size=width, max_size=width), min_size=1, max_size=6)
)


@given(MAPS, st.sampled_from([1, 4, 1 << 16]))
def test_steps_follow_the_rule(rows, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grid, "_CELLS", cells)  # maps are worked on some rows at a time
        graph = read_bytes(text(*rows), "a.map")
    assert named_arcs(graph) == arcs_by_rule(rows)
    assert graph.undirected and graph.names.xy and graph.names.shape == (len(rows), len(rows[0]))
    assert all(rows[int(y)][int(x)] in ".GS" for x, y in graph.coordinates)
    assert list(map(tuple, graph.coordinates.tolist())) == list(graph.names)


@needs_jit
@pytest.mark.parametrize("name", ["arena2.map", "Berlin_0_256.map", "Berlin_0_1024.map.gz"])
def test_real_maps(name):
    graph, raw = agrees(name)
    assert (graph.coordinates[:, 0] == raw["x"]).all() and (graph.coordinates[:, 1] == raw["y"]).all()


@needs_jit
def test_published_lengths():
    graph = nearfar.read(real("arena2.map"))
    lines = real("arena2.map.scen").read_text(encoding="utf8").splitlines()[1:]
    for line in random.Random(1).sample(lines, 5):
        x, y, goal_x, goal_y = map(int, line.split("\t")[4:8])
        found, length = nearfar.distance(graph, (x, y), (goal_x, goal_y)), line.split("\t")[8].strip()
        assert found == pytest.approx(float(length), rel=2e-7, abs=10.0 ** -len(length.partition(".")[2]))


def test_looks_of_a_map():
    rows = (".@", "..")
    assert read_bytes(text(*rows).replace(b"\n", b"\r\n"), "a.map").n == 3
    assert read_bytes(text(*rows).rstrip(), "a.map").n == 3
    assert read_bytes(text(*rows) + b"\n\n", "a.map").n == 3
    assert read_bytes(text(*rows), "unknown.name").n == 3  # by its content
    assert read_bytes(text("@@"), "a.map").n == 0
    assert read_bytes(text(), "a.map").n == 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (text("..", ".x", "T."), ["line 6", "cell 1 is 'x'", ". G @ O T S W"]),
        (text("..", "..."), ["line 6", "3 cells", "width 2"]),
        (text("...", ".."), ["line 6", "2 cells", "width 3"]),
        (text("..", "..").replace(b"height 2", b"height 3"), ["height 3", "2 rows"]),
        (text("..", "..").replace(b"height 2", b"height 1"), ["line 6", "height 1", "2 rows"]),
        (text("..").replace(b"octile", b"hexagonal"), ["line 1", "type hexagonal"]),
        (text("..").replace(b"height 1\n", b""), ["no height"]),
        (text("..").replace(b"width 2", b"width two"), ["line 3", "width two"]),
        (text("..").replace(b"width 2", b"width -2"), ["line 3"]),
        (text("..").replace(b"width 2", b"width 99999999999999999999"), ["line 3"]),
        (text("..").replace(b"width 2", b"width 999999999"), ["width 999999999"]),
        (text("..").replace(b"map\n", b""), ["line 4", "'..'"]),
        (b"type octile\nheight 1\n", ["no line 'map'"]),
    ],
)
def test_maps_that_are_none(data, words):
    with refused("a.map", *words):
        read_bytes(data, "a.map", format="movingai")


@pytest.mark.parametrize("accident", [name for name in BROKEN if name != "one byte short"])
def test_broken_files(accident):
    with refused("a.map"):
        read_bytes(broken(text("....", ".@@.", "...."))[accident], "a.map", format="movingai")


@given(damaged(text("....", ".@@.", "....")))
def test_damaged_files(data):
    survives(data, "a.map", format="movingai")


@pytest.mark.parametrize("line", ["height 1", "width 9"])
def test_sizes_given_twice(line):
    with refused("line 4", repr(line), "given before"):
        read_bytes(text("..").replace(b"map", line.encode() + b"\nmap"), "a.map")

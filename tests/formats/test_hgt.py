"""Height maps: Tobler's walking times, the place in the name, unknown heights and impossible cliffs."""

from __future__ import annotations

import io
import math
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import nearfar
from helpers.damage import BROKEN, agrees, broken, named_arcs, read_bytes, refused, survives
from helpers.marks import needs_jit
from nearfar.errors import OptionError
from nearfar.graph import Graph

FLAT = np.zeros((3, 3), ">i2").tobytes()


def walk(heights, latitude):
    """Return the arcs and their milliseconds, one cell and one step at a time."""
    side = len(heights)
    up = 111194.93 / (side - 1)
    across = up * math.cos(math.radians(latitude + 0.5))
    cells = {(y, x) for y in range(side) for x in range(side) if heights[y][x] > -32768}
    for y, x in cells:
        for dy, dx in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b):
            if (y + dy, x + dx) in cells:
                run = math.hypot(across if dx else 0, up if dy else 0)
                slope = (int(heights[y + dy][x + dx]) - int(heights[y][x])) / run
                speed = 6 / 3.6 * math.exp(-3.5 * abs(slope + 0.05))
                yield (x, y), (x + dx, y + dy), 1000 * run / speed


HEIGHTS = hnp.arrays(np.int16, st.integers(2, 5).map(lambda side: (side, side)), elements=st.integers(-500, 9000))


@given(HEIGHTS, st.booleans())
def test_walking_times(heights, holes):
    if holes:
        heights[0, -1] = heights[-1, 0] = -32768
    graph = read_bytes(heights.astype(">i2").tobytes(), "N10E020.hgt")
    found, want = named_arcs(graph), sorted(walk(heights, 10), key=lambda arc: repr((*arc[:2], round(arc[2]))))
    assert [arc[:2] for arc in found] == [arc[:2] for arc in want]
    assert [arc[2] for arc in found] == pytest.approx([arc[2] for arc in want], abs=0.51)
    assert not graph.undirected and graph.names.xy and graph.names.shape == heights.shape


@needs_jit
def test_the_mountain_agrees_with_its_plain_reader():
    graph, _ = agrees("N42E001.hgt.zip")
    assert (graph.n, graph.m) == (1_434_749, 11_440_860)
    assert graph.coordinates.min(axis=0).tolist() == [1, 42] and graph.coordinates.max(axis=0).tolist() == [2, 43]


def test_where_cells_lie():
    assert read_bytes(FLAT, "N42E001.hgt").coordinates[:3].tolist() == [[1, 43], [1.5, 43], [2, 43]]
    assert read_bytes(FLAT, "data/s03w120.HGT").coordinates[-1].tolist() == [-119, -3]
    south, north = read_bytes(FLAT, "S01E000.hgt"), read_bytes(FLAT, "N00E000.hgt")
    assert (south.weights == north.weights).all()  # half a degree from the equator, on both sides
    assert read_bytes(FLAT, "N60E001.hgt").min_weight < read_bytes(FLAT, "N00E001.hgt").min_weight


def test_a_place_may_be_given():
    given = read_bytes(FLAT, "mountain.hgt", latitude=42, longitude=1)
    assert (given.arcs == read_bytes(FLAT, "N42E001.hgt").arcs).all() and given.coordinates[0].tolist() == [1, 43]
    assert read_bytes(FLAT, "mountain.hgt", latitude=42.0).coordinates is None
    with refused("mountain.hgt", "N42E001.hgt", "latitude="):
        read_bytes(FLAT, "mountain.hgt")
    with refused("N95E001.hgt", "latitude="):
        read_bytes(FLAT, "N95E001.hgt")
    for bad in (90, -91, "42", True, math.nan):
        with refused("latitude=", "degrees", error=OptionError):
            read_bytes(FLAT, "mountain.hgt", latitude=bad)
    with refused("longitude=", "degrees", error=OptionError):
        read_bytes(FLAT, "mountain.hgt", latitude=1, longitude=180)


def test_weights_are_as_narrow_as_they_can_be():
    assert read_bytes(FLAT, "N42E001.hgt").weight_dtype == np.int32
    steep = np.array([[0, 1500], [0, 0]], ">i2")
    tall = np.repeat(np.repeat(steep, 200, 0), 200, 1).tobytes()
    assert read_bytes(tall, "N42E001.hgt").weight_dtype == np.int64


def test_impossible_cliffs_are_no_arcs():
    """A step of 285,000 years is none; sums of such times would not fit any integer."""
    heights = np.zeros((1201, 1201), ">i2")
    heights[5, 5] = 32767
    graph = read_bytes(heights.tobytes(), "N42E001.hgt")
    top = 5 * 1201 + 5
    assert graph.offsets[top] == graph.offsets[top + 1] and not (graph.heads == top).any()
    assert 0 < graph.min_weight <= graph.max_weight < 2**53


def test_archives(tmp_path):
    path = tmp_path / "N42E001.hgt.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("whatever.hgt", FLAT)
    assert nearfar.read(path).n == 9


@pytest.mark.parametrize("size", [0, 1, 2, 7, 9, 16, 17, 20])
def test_sizes(size):
    data = bytes(size)
    if size in (8, 18, 32):
        assert isinstance(read_bytes(data, "N42E001.hgt"), Graph)
    else:
        with refused("N42E001.hgt", f"{size} bytes", "1201"):
            read_bytes(data, "N42E001.hgt", format="hgt")


@pytest.mark.parametrize("accident", BROKEN)
def test_broken_files(accident):
    data = broken(FLAT)[accident]
    if math.isqrt(len(data) // 2) ** 2 * 2 == len(data) > 2:  # any square of bytes is a height map
        assert isinstance(read_bytes(data, "N42E001.hgt", format="hgt"), Graph)
    else:
        with refused("N42E001.hgt"):
            read_bytes(data, "N42E001.hgt", format="hgt")


@given(st.binary(max_size=600) | st.binary(min_size=50, max_size=50) | st.binary(min_size=288, max_size=288))
def test_any_bytes(data):
    survives(data, "N42E001.hgt", format="hgt")


def test_a_broken_archive():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("N42E001.hgt", FLAT)
    data = file.getvalue()
    for cut in (10, 40, len(data) - 5):
        with refused("N42E001.hgt.zip"):
            read_bytes(data[:cut], "N42E001.hgt.zip")

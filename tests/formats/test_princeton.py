"""Princeton's road maps: places, then edges as long as they are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.damage import agrees, named_arcs, read_bytes, refused
from helpers.marks import needs_jit
from nearfar.formats import princeton

TEXT = b"   3   2\n  0  0 0\n  1  3 4\n  2  3 0\n\n  0  1\n  2  1\n"


def load(text, name="roads.txt", **options):
    return read_bytes(text, name, **options)


def test_roads():
    graph = load(TEXT)
    assert graph.undirected and graph.names is None
    assert named_arcs(graph) == [(0, 1, 5.0), (1, 0, 5.0), (1, 2, 4.0), (2, 1, 4.0)]
    assert graph.coordinates.tolist() == [[0, 0], [3, 4], [3, 0]]
    assert load(TEXT, undirected=False).m == 2


def test_places_in_another_order():
    text = b"3 1\n2 7 7\n0 0 0\n1 3.0 4e0\n0 1\n"
    assert load(text, format="princeton").coordinates.tolist() == [[0, 0], [3, 4], [7, 7]]


def test_no_edges_and_no_vertices():
    assert load(b"1 0\n0 5 5\n").m == 0
    assert load(b"0 0\n", format="princeton").n == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"3 1\n0 1 1\n1 2 2\n0 1\n", ("line 4", "'0 1'", "too few fields", "vertex x y")),
        (b"3 1\n0 1 1\n1 2 2\n", ("3 vertices", "2 have coordinates", "cut off")),
        (b"2 1\n0 1 1\n0 2 2\n0 1\n", ("vertex 0", "more than once")),
        (b"2 1\n0 1 inf\n1 2 2\n0 1\n", ("vertex 0", "(1.0, inf)", "must be finite")),
        (b"2 1\n0 1e308 0\n1 -1e308 0\n0 1\n", ("from 0 to 1", "Scale")),
        (b"2 2\n0 1 1\n1 2 2\n0 1\n", ("2 edges", "there are 1", "strict=False")),
    ],
)
def test_refused(text, words):
    with refused("roads.txt", *words):
        load(text, format="princeton")
    if "strict=False" in words:
        assert load(text, format="princeton", strict=False).m == 2


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"3 2\n",
        b"0 0\n",
        b"3 2\n0 1 5\n1 2 6\n",
        b"1 2\n2 3\n3 4\n",
        TEXT.replace(b"  2  1\n", b""),
        TEXT.replace(b"3 4", b"x y"),
        TEXT.replace(b"  1  3", b"  2  3"),
        b"2 3 5\n" + TEXT,
    ],
)
def test_not_recognised(text):
    assert not princeton.FORMAT.matches(text)


def test_recognised_in_a_long_file():
    text = b"90000 100000\n" + b"".join(b"%7d%8d%8d\n" % (v, v % 777, v // 777) for v in range(90_000))
    assert princeton.FORMAT.matches(text[: 1 << 16])
    assert not princeton.FORMAT.matches(text.replace(b"100000", b"89999")[: 1 << 16])


@needs_jit
def test_usa():
    graph, raw = agrees("princeton-usa.txt.gz")
    assert graph.n == 87_575 and (graph.weights == 0).sum() == 2 * 9_916
    assert (graph.coordinates == np.column_stack((raw["x"], raw["y"]))).all()

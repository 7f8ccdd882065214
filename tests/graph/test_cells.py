"""Cells as names: the compact form must answer as a tuple of pairs would, and say what is wrong with a cell."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from nearfar.errors import InputTypeError, VertexError
from nearfar.graph import Graph
from nearfar.graph.cells import CellNames

SHAPES = st.tuples(st.integers(0, 4), st.integers(0, 5))


@st.composite
def rasters(draw):
    """Return names, and the same names as a plain tuple of pairs."""
    (rows, columns), xy = draw(SHAPES), draw(st.booleans())
    free = sorted(draw(st.sets(st.integers(0, rows * columns - 1)))) if rows * columns else []
    if draw(st.booleans()):
        free = list(range(rows * columns))
    cells = [divmod(at, columns) for at in free]
    return CellNames((rows, columns), np.array(free, int), xy), tuple((c, r) if xy else (r, c) for r, c in cells)


@given(rasters(), st.tuples(st.integers(-2, 6), st.integers(-2, 6)))
def test_cells_are_like_a_tuple(both, wanted):
    names, plain = both
    assert names == plain and tuple(names) == plain and len(names) == len(plain)
    assert [names[v] for v in range(len(plain))] == list(plain) and names[1:3] == plain[1:3]
    assert names.get(wanted) == (plain.index(wanted) if wanted in plain else None)
    assert (wanted in names) == (wanted in plain)
    indices, known = names.find(np.array([*plain, wanted]))
    assert known.tolist() == [True] * len(plain) + [wanted in plain]
    assert indices[known].tolist() == [plain.index(cell) for cell in (*plain, wanted) if cell in plain]
    assert list(map(tuple, names.take(np.arange(len(plain))).tolist())) == list(plain)
    again = pickle.loads(pickle.dumps(names))
    assert again == names and again.xy == names.xy and (again.free is None or not again.free.flags.writeable)


@given(rasters(), st.data())
def test_vertices_are_like_those_of_a_dictionary(both, data):
    names, plain = both
    compact, slow = (Graph.from_arcs([], [], n=len(plain), names=given) for given in (names, plain))
    chosen = data.draw(st.lists(st.sampled_from(plain), max_size=5)) if plain else []
    want = slow.indices(chosen).tolist()
    pairs = np.array(chosen, np.int16).reshape(-1, 2)
    for form in (chosen, pairs, pairs.astype(np.uint64), [(np.int8(r), c) for r, c in chosen], iter(chosen)):
        assert compact.indices(form).tolist() == want
    assert compact.indices(set(chosen)).tolist() == slow.indices(set(chosen)).tolist()
    assert [compact.name(v) for v in want] == chosen
    assert compact.indices(tuple(chosen)).tolist() == want


def test_positions_are_as_narrow_as_they_can_be():
    assert CellNames((10**5, 10**5), np.array([7, 10**10 - 1]))[1] == (99_999, 99_999)
    assert CellNames((10, 10), np.array([7, 99])).free.dtype == np.int32
    assert CellNames((3, 3), np.arange(9)).free is None


def test_looks():
    names = CellNames((2, 3), np.array([0, 5]))
    assert repr(names) == "CellNames(2 rows, 3 columns, 2 cells that are not walls; (row, column))"
    assert repr(CellNames((2, 3), xy=True)) == "CellNames(2 rows, 3 columns; (x, y))"
    assert names[-1] == (1, 2) and names != ((0, 0),) and names != CellNames((2, 3)) and names != "names"
    assert CellNames((2, 3)) != CellNames((3, 2)) and CellNames((2, 3)) != CellNames((2, 3), xy=True)
    for v in (2, -3):
        with pytest.raises(IndexError, match="does not exist"):
            names[v]


WALLED = Graph.from_raster([[1, np.inf, 1], [1, 1, 1]])


@pytest.mark.parametrize(
    ("cell", "error", "words"),
    [
        ((0, 1), VertexError, ("(0, 1) is a wall", "2 rows and 3 columns", "5 cells that are not walls")),
        ((2, 1), VertexError, ("(2, 1) lies outside: the raster has 2 rows and 3 columns.", "(row, column)")),
        ((0, -1), VertexError, ("(0, -1) lies outside",)),
        ((np.int64(0), np.int64(9)), VertexError, ("(0, 9) lies outside",)),
        ((2**70, 0), VertexError, (str(2**70), "lies outside")),
        ((1.0, 2), InputTypeError, ("(1.0, 2)", "whole numbers, (1, 2)")),
        ((1.5, 2), InputTypeError, ("(1.5, 2)", "such as (0, 0)")),
        ((True, 0), InputTypeError, ("(True, 0)",)),
        ((np.True_, 0), InputTypeError, ("True",)),
        ((1, 2, 3), InputTypeError, ("(1, 2, 3)", "cells (row, column)")),
        (4, InputTypeError, ("4, a int", "cells (row, column)", "such as (0, 0)")),
        ("1,2", InputTypeError, ("'1,2'", "cells (row, column)")),
        (None, InputTypeError, ("None", "cells (row, column)")),
    ],
)
def test_what_is_no_cell(cell, error, words):
    for query in (
        lambda: WALLED.index(cell, "source"),
        lambda: nearfar.sssp(WALLED, cell),
        lambda: nearfar.mssp(WALLED, cell),
        lambda: nearfar.mssp(WALLED, [(0, 0), cell]),
    ):
        with pytest.raises(error) as caught:
            query()
        assert all(word in str(caught.value) for word in ("source", *words)), str(caught.value)


@pytest.mark.parametrize(
    ("cells", "error", "words"),
    [
        ((0, 0), InputTypeError, ("a single cell", "[(0, 0)]")),
        ([1, 2], InputTypeError, ("1, a int",)),
        (np.array([1, 2]), InputTypeError, ("cells (row, column)",)),
        (np.zeros((2, 3), int), InputTypeError, ("(2, 3)", "shape (k, 2)")),
        (np.zeros((2, 2)), InputTypeError, ("float64", "integer array")),
        (np.zeros((2, 2), bool), InputTypeError, ("bool", "integer array")),
        (np.array([[0, 0], [0, 1], [5, 5]]), VertexError, ("(0, 1) is a wall",)),
        (np.array([[0, 2**63]], np.uint64), VertexError, (f"(0, {2**63}) lies outside",)),
        (7, InputTypeError, ("single int",)),
    ],
)
def test_what_are_no_cells(cells, error, words):
    with pytest.raises(error) as caught:
        WALLED.indices(cells, "source")
    assert all(word in str(caught.value) for word in ("source", *words)), str(caught.value)


def test_one_cell_and_several():
    one, two = nearfar.sssp(WALLED, (1, 2)), nearfar.mssp(WALLED, ((1, 2), (0, 0)))
    assert two.dist.shape == (2, 5) and (two.dist[0] == one.dist).all()
    assert nearfar.mssp(WALLED, (1, 2)).dist.tolist() == [one.dist.tolist()]
    assert nearfar.mssp(WALLED, np.array([[1, 2], [0, 0]])).dist.tolist() == two.dist.tolist()
    assert nearfar.path(WALLED, (0, 0), (0, 2)) == [(0, 0), (1, 1), (0, 2)]
    assert nearfar.nearest(WALLED, [(0, 0), (0, 2)]).path((1, 2)) == [(0, 2), (1, 2)]
    with pytest.raises(VertexError, match="is empty"):
        nearfar.mssp(WALLED, ())


def test_no_cells():
    for shape in ((0, 0), (0, 3), (2, 0)):
        assert Graph.from_raster(np.ones(shape)).n == 0
    walls = Graph.from_raster(np.full((2, 2), np.inf))
    assert walls.n == 0 and list(walls.names) == []
    with pytest.raises(VertexError, match="is a wall"):
        walls.indices([(0, 0)])
    with pytest.raises(InputTypeError, match="such as"):
        walls.index("a")


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = nearfar.sssp(WALLED, (1, 2)).to_frame()
    assert isinstance(frame, pandas.DataFrame) and frame["target"][0] == (0, 0) and frame["source"][0] == (1, 2)

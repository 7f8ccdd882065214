"""DIMACS arcs and coordinates."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases
from nearfar.errors import FileError, FormatError

ARCS = b"c roads\np sp 3 3\na 1 2 7\na 2 3 5\nc end\na 1 3 20\n"
PLACES = b"c places\np aux sp co 3\nv 1 -73530767 41085396\nv 3 7 8\nv 2 5 6\n"


def test_read():
    graph = nearfar.read(io.BytesIO(ARCS))
    assert (graph.n, graph.m, graph.weights.tolist()) == (3, 3, [7, 20, 5])
    assert nearfar.distance(graph, 1, 3) == 12 and nearfar.path(graph, 1, 3) == [1, 2, 3] and not graph.undirected
    assert nearfar.read(io.BytesIO(ARCS), undirected=True).m == 6
    assert nearfar.read(io.BytesIO(b"p sp 2 0\n")).n == 2 and nearfar.read(io.BytesIO(b"p sp 0 0\n")).n == 0


def test_coordinates(tmp_path):
    (tmp_path / "x.co").write_bytes(PLACES)
    graph = nearfar.read(io.BytesIO(ARCS), coordinates=tmp_path / "x.co")
    assert graph.coordinates.tolist() == [[-73530767, 41085396], [5, 6], [7, 8]]
    nearfar.write(graph, tmp_path / "y.co.gz")
    again = nearfar.read(io.BytesIO(ARCS), coordinates=tmp_path / "y.co.gz")
    assert (again.coordinates == graph.coordinates).all()
    (tmp_path / "table.csv").write_text("id,x,y\n1,0.5,1\n2,0,0\n3,1,1\n9,9,9\n")
    graph = nearfar.read(io.BytesIO(ARCS), coordinates=tmp_path / "table.csv")
    assert graph.coordinates.tolist() == [[0.5, 1], [0, 0], [1, 1]]
    with pytest.raises(FileError, match="whole numbers"):
        nearfar.write(graph, tmp_path / "z.co")
    with pytest.raises(FileError, match="no coordinates"):
        nearfar.write(nearfar.read(io.BytesIO(ARCS)), tmp_path / "z.co")


def test_wrong_coordinates(tmp_path):
    path = tmp_path / "x.co"
    for data, what in (
        (PLACES.replace(b"v 2 5 6\n", b""), "promises 3 vertices, but there are 2"),
        (b"p aux sp co 2\nv 1 1 1\nv 2 2 2\n", "vertex 3 has no coordinates"),
        (PLACES.replace(b"v 2", b"v 1"), r"vertex 1 lies at \(-73530767.0, 41085396.0\) and at \(5.0, 6.0\)"),
        (PLACES.replace(b"v 2 5 6", b"v 3 7 8"), "vertex 2 has no coordinates"),
        (PLACES.replace(b"5 6", b"5 inf"), "vertex 2 lies at .5.0, inf., but coordinates must be finite"),
        (b"", "no coordinates in the file"),
        (PLACES.replace(b"5 6", b"5 x"), "'x' was found"),
    ):
        path.write_bytes(data)
        with pytest.raises(FormatError, match=what) as caught:
            nearfar.read(io.BytesIO(ARCS), coordinates=path)
        assert caught.value.path == str(path)
    path.write_bytes(PLACES)
    with pytest.raises(FormatError, match="holds coordinates, no arcs"):
        nearfar.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "id,x,y\n1,5,6\n2,7,8\n3,9,0\n",
        "y;id;name;x\n6;1;Ulm;5\n8;2;;7\n0;3;a b;9\n",
        "# made by hand\n\nLatitude Longitude Node\n6 5 1\n8 7 2\n0 9 3\n",
        'vertex,"lon",lat,height\n1,5,6,100\n"2",7,8,100\n3,9,0,100\n',
        "1 5 6\n2 7 8\n3 9 0\n3 9 0\n",
    ],
)
def test_tables_of_coordinates(tmp_path, text):
    (tmp_path / "places.txt").write_text(text)
    graph = nearfar.read(io.BytesIO(ARCS), coordinates=tmp_path / "places.txt")
    assert graph.coordinates.tolist() == [[5, 6], [7, 8], [9, 0]]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 5 6 1\n2 7 8 1\n3 9 0 1\n", "line 1: .*too many fields .vertex x y"),
        ("id,east,north\n1,5,6\n2,7,8\n3,9,0\n", "the columns are 'id, east, north'.*Name them id, x and y"),
        ("name,x,y\n1,5,6\n", "the columns are 'name, x, y'"),
        ("0.5 1 1\n1 1 1\n", "line 1: '0.5' was found where a whole number is needed"),
        ("1 5 6\n2 7 8\n3 9 0\n1 5 7\n", r"vertex 1 lies at \(5.0, 6.0\) and at \(5.0, 7.0\)"),
        ("id x y\n", "vertex 1 has no coordinates"),
        ("# nothing\n", "no coordinates in the file"),
    ],
)
def test_wrong_tables_of_coordinates(tmp_path, text, what):
    (tmp_path / "places.txt").write_text(text)
    with pytest.raises(FormatError, match=what):
        nearfar.read(io.BytesIO(ARCS), coordinates=tmp_path / "places.txt")


def test_blanks_before_the_header(tmp_path):
    assert nearfar.read(io.BytesIO(b" c x\n\t p sp 2 1\n a 1 2 3\n")).m == 1
    (tmp_path / "x").write_bytes(b"\xef\xbb\xbf p aux sp co 1\nv 1 2 3\n")
    with pytest.raises(FormatError, match="holds coordinates, no arcs"):
        nearfar.read(tmp_path / "x")


def test_long_comments_hide_the_header(tmp_path):
    path = tmp_path / "x.gr"
    for header, what in (
        ("p tw 2 1\n1 2\n", "format='pace'"),
        ("p max 2 1\n", "'p sp vertices arcs' should come first"),
    ):
        path.write_text("c a long remark\n" * 5000 + header)
        with pytest.raises(FormatError, match=f"line 5001: .*{what}"):
            nearfar.read(path)
    path.write_text("c a long remark\n" * 5000 + "p sp 2 1\na 1 2 3\n")
    assert nearfar.read(path).m == 1


def test_counts():
    for data, what in ((ARCS[:-1] + b"\na 1 2 3\n", "but there are 4"), (ARCS[:-9], "but there are 2")):
        with pytest.raises(FormatError, match=what):
            nearfar.read(io.BytesIO(data))
        assert nearfar.read(io.BytesIO(data), strict=False).n == 3


@given(cases(), st.booleans())
def test_written_is_read(case, undirected):
    graph = nearfar.Graph.from_arcs(*case.arrays(), case.n, undirected)
    file = io.BytesIO()
    nearfar.write(graph, file, format="dimacs")
    again = nearfar.read(io.BytesIO(file.getvalue()))
    assert again.n == graph.n and (again.offsets == graph.offsets).all() and (again.heads == graph.heads).all()
    weights = np.ones(graph.m) if graph.weights is None else graph.weights
    assert (again.weights is None and graph.m == 0) or (again.weights == weights).all()

"""DIMACS arcs and coordinates."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from nearfar.errors import FileError, FormatError
from strategies import cases

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
        (PLACES.replace(b"v 2", b"v 1"), "vertex 2 has no coordinates"),
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

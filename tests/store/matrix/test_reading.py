"""Stored distances by name: pairs, rows, slices, paths; with names of every kind, without the graph and with it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nearfar
from nearfar import Graph, generate
from nearfar.errors import MissingFileError, OptionError, StoreError, VertexError

ENDS = [0, 1, 0, 3], [1, 2, 2, 0], [5, 7, 20, 1]
NAMES = {
    "none": None,
    "numbers": [10, 30, 20, 40],
    "words": ["Ulm", "Bonn", "Kiel", "Köln, am Rhein"],
    "tuples": [("a", 1), ("a", 2), ("b", 1), ("b", 2)],
    "mixed": ["Ulm", 7, 2.5, ("x",)],
}


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "d.zarr")


def graph_called(kind):
    return Graph.from_arcs(*ENDS, names=NAMES[kind])


@pytest.mark.parametrize("kind", NAMES)
def test_names(folder, kind):
    graph = graph_called(kind)
    called = [graph.name(v) for v in range(4)]
    wanted = nearfar.apsp(graph).dist
    nearfar.apsp(graph, out=folder)
    matrix = nearfar.open_matrix(folder, graph)
    assert matrix[called[3], called[2]] == 13 and matrix[called[2], called[0]] == math.inf
    assert np.array_equal(matrix[called[1]], wanted[1]) and np.array_equal(matrix.row(called[1]), wanted[1])
    assert np.array_equal(matrix.rows([called[3], called[0], called[3]]), wanted[[3, 0, 3]])
    assert np.array_equal(matrix[1:3], wanted[1:3]) and np.array_equal(matrix[::-1], wanted[::-1])
    assert matrix.path(graph, called[3], called[2]) == [called[3], called[0], called[1], called[2]]
    assert (
        matrix.distances(graph, [called[3], called[1]])
        .to_frame()
        .equals(nearfar.mssp(graph, [called[3], called[1]]).to_frame())
    )


@pytest.mark.parametrize("kind", ["none", "numbers", "words"])
def test_names_without_the_graph(folder, kind):
    graph = graph_called(kind)
    nearfar.mssp(graph, [graph.name(3), graph.name(0)], out=folder)
    matrix = nearfar.open_matrix(folder)
    assert list(matrix.sources) == [graph.name(3), graph.name(0)]
    assert list(matrix.targets) == [graph.name(v) for v in range(4)]
    assert matrix[graph.name(0), graph.name(2)] == 12
    with pytest.raises(VertexError, match="is no source of this matrix, which has 2 sources"):
        matrix[graph.name(1), graph.name(0)]


def test_names_that_need_the_graph(folder):
    graph = graph_called("mixed")
    matrix = nearfar.apsp(graph, out=folder)
    with pytest.raises(OptionError, match=r"open_matrix\(path, graph\)"):
        matrix["Ulm"]
    assert nearfar.open_matrix(folder, graph)["Ulm", ("x",)] == math.inf


def test_cells(folder):
    graph = Graph.from_raster(np.array([[1.0, 2.0], [3.0, np.inf]]))
    matrix = nearfar.apsp(graph, out=folder)
    assert matrix[(0, 0), (1, 0)] == nearfar.distance(graph, (0, 0), (1, 0))
    assert np.array_equal(matrix[0, 1], nearfar.sssp(graph, (0, 1)).dist)
    assert matrix.sources == [(0, 0), (0, 1), (1, 0)]


def test_rows_are_those_of_one_block_at_a_time(folder, monkeypatch):
    from nearfar.store.matrix import reader

    graph = generate.road_grid(30, 30, seed=1)
    matrix = nearfar.apsp(graph, out=folder)
    read = []
    monkeypatch.setattr(reader, "read_rows", lambda *given, **more: read.append(given[2]) or rows(*given, **more))
    from nearfar.store.matrix.check import read_rows as rows

    some = np.random.default_rng(1).permutation(graph.n)[:200]
    assert np.array_equal(matrix.rows(some), nearfar.mssp(graph, some).dist)
    assert len(read) == len(set(read)) <= matrix.form.blocks


def test_direction_to(folder):
    graph = graph_called("words")
    matrix = nearfar.mssp(graph, ["Kiel"], direction="to", out=folder)
    assert matrix.direction == "to" and matrix["Kiel", "Ulm"] == 12
    assert matrix.path(graph, "Ulm", "Kiel") == ["Ulm", "Bonn", "Kiel"]


def test_tables_have_no_paths(folder):
    graph = graph_called("words")
    matrix = nearfar.table(graph, ["Ulm", "Bonn"], ["Kiel"], out=folder)
    assert matrix["Ulm", "Kiel"] == 12 and bool(matrix.verify(graph))
    with pytest.raises(OptionError, match="some columns only"):
        matrix.path(graph, "Ulm", "Kiel")


def test_floats_that_were_rounded_have_exact_paths(folder):
    roads = generate.road_grid(20, 20, seed=1)
    graph = Graph.from_arcs(roads.tails, roads.heads, roads.weights / 7, roads.n, keep_rows=False)
    matrix = nearfar.apsp(graph, method="prepared", out=folder)
    assert matrix.path(graph, 3, 390) == nearfar.path(graph, 3, 390)
    assert matrix.verify(graph, 5).rounding is not None


def test_another_graph_is_refused(folder):
    graph = graph_called("words")
    matrix = nearfar.apsp(graph, out=folder)
    other = Graph.from_arcs(ENDS[0], ENDS[1], [5, 7, 20, 2], names=NAMES["words"])
    for call in (
        matrix.verify,
        lambda graph: matrix.path(graph, "Ulm", "Kiel"),
        lambda g: nearfar.open_matrix(folder, g),
    ):
        with pytest.raises(StoreError, match="the distances of another graph"):
            call(other)


def test_what_is_no_store(tmp_path):
    with pytest.raises(MissingFileError, match="is no stored matrix"):
        nearfar.open_matrix(tmp_path / "nothing.zarr")
    (tmp_path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group", "attributes": {}}')
    with pytest.raises(StoreError, match="is no matrix of nearfar"):
        nearfar.open_matrix(tmp_path)


def test_status_prints_as_a_table(folder):
    matrix = nearfar.apsp(generate.road_grid(30, 30, seed=1), out=folder)
    status = matrix.status()
    assert status["rows"] == status["rows_done"] == 900 and status["finished"] is True
    assert "times smaller" in str(status) and repr(matrix).startswith("Matrix(900 x 900 int32")

"""Graphs in folders: everything is kept, arcs are read only when needed, and no damage passes for an answer."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given

import nearfar
from helpers.damage import same
from helpers.strategies import cases
from nearfar.elimination.file import fingerprint_of
from nearfar.errors import FileError, FormatError, InputTypeError, MissingFileError, NearfarError, OptionError
from nearfar.formats.folder import FolderWriter
from nearfar.graph import Graph, generate
from nearfar.graph.stored import BLOCK, StoredGraph

NAMED = Graph.from_arcs(
    [0, 1, 2], [1, 2, 2], [1.5, 2, 4], undirected=True, names=["Ulm", "", "ä"], coordinates=np.eye(3)[:, :2]
)
GRAPHS = {
    "named": NAMED,
    "no arcs": Graph.from_arcs([], [], n=5),
    "nothing": Graph.from_arcs([], [], n=0),
    "raster": Graph.from_raster(np.array([[1, np.inf], [2, 3]])),
    "ids, in no order": Graph.from_arcs([10, 5, 5], [20, 10, 20], [3, -2, 7], names=True),
    "consecutive": Graph.from_arcs([1, 0], [0, 1], [2**40, 3], names=range(1, 3)),
    "without rows": Graph.from_arcs([1, 0], [0, 1], keep_rows=False),
}
FACTS = ("n", "m", "undirected", "names", "weight_dtype", "min_weight", "max_weight", "typical_weight", "max_degree")


def stored(graph, tmp_path, **options):
    """Write a graph and open it."""
    nearfar.write(graph, tmp_path / "g.nearfar", **options)
    return Graph.open(tmp_path / "g.nearfar")


def has_read_arcs(graph):
    """Tell whether all arcs were asked for."""
    return "arcs" in vars(graph)


@pytest.mark.parametrize("name", GRAPHS)
def test_everything_is_kept_and_known_without_arcs(name, tmp_path):
    graph = GRAPHS[name]
    opened = stored(graph, tmp_path)
    assert isinstance(opened, StoredGraph)
    for fact in FACTS:
        assert getattr(opened, fact) == getattr(graph, fact)
    assert opened.mean_weight == pytest.approx(graph.mean_weight, rel=1e-12)
    assert repr(opened) == repr(graph)
    assert (fingerprint_of(opened) == fingerprint_of(graph)).all()
    assert opened.arc_bytes == graph.arc_bytes
    assert not has_read_arcs(opened)
    assert same(opened, graph)
    assert has_read_arcs(opened)


@given(cases(min_n=0))
def test_random_graphs_are_kept(tmp_path_factory, case):
    graph = Graph.from_arcs(*case.arrays(), n=case.n)
    opened = stored(graph, tmp_path_factory.mktemp("folder"))
    assert same(opened, graph)
    assert (fingerprint_of(opened) == fingerprint_of(graph)).all()


def test_several_blocks_and_pieces(tmp_path):
    graph = generate.rmat(12, seed=1)
    assert graph.arcs.nbytes > 5 * BLOCK
    with FolderWriter(tmp_path / "g.nearfar", graph.offsets, graph.weight_dtype, undirected=True) as writer:
        for low in range(0, graph.m, 1000):  # which no block is a multiple of
            writer.append(graph.arcs[low : low + 1000])
    opened = Graph.open(tmp_path / "g.nearfar")
    assert same(opened.without_rows(), graph.without_rows())
    assert opened.typical_weight == graph.typical_weight
    assert (fingerprint_of(opened) == fingerprint_of(graph)).all()


def test_blocks_are_read_without_the_rest(tmp_path):
    graph = generate.rmat(12, seed=1)
    opened = stored(graph, tmp_path)
    file = opened.arc_file
    out = np.empty(2 * BLOCK, np.uint8)
    size = file.read(2, 4, out)
    assert size == 2 * BLOCK == file.read_bytes
    assert bytes(out) == graph.arcs.tobytes()[2 * BLOCK : 4 * BLOCK]
    last = file.blocks - 1
    size = file.read(last, file.blocks, out)
    assert bytes(out[:size]) == graph.arcs.tobytes()[last * BLOCK :]
    assert not has_read_arcs(opened)


def test_queries_on_a_stored_graph_are_those_on_the_graph(tmp_path):
    graph = generate.road_grid(20, 20, seed=3)
    opened = stored(graph, tmp_path)
    assert (nearfar.sssp(opened, 7).dist == nearfar.sssp(graph, 7).dist).all()
    assert nearfar.path(opened, 0, 399) == nearfar.path(graph, 0, 399)
    assert (nearfar.apsp(opened).dist == nearfar.apsp(graph).dist).all()
    assert nearfar.verify(opened, nearfar.sssp(opened, 7))
    closed = opened.close([0])
    assert type(closed) is Graph
    assert same(closed, graph.close([0]))


def test_the_reversed_graph_can_be_stored_too(tmp_path):
    graph = generate.rmat(8, seed=1).close(range(100))
    graph = Graph.from_csr(graph.offsets, graph.heads, graph.weights * (graph.heads + 1))  # directed
    opened = stored(graph, tmp_path, reversed=True)
    assert isinstance(opened.reversed, StoredGraph)
    assert same(opened.reversed, graph.reversed)
    assert (nearfar.sssp(opened, 3, direction="to").dist == nearfar.sssp(graph, 3, direction="to").dist).all()
    without = stored(graph, tmp_path)
    assert type(without.reversed) is Graph
    assert same(without.reversed, graph.reversed)


def test_a_stored_graph_is_pickled_as_its_path(tmp_path):
    opened = stored(generate.rmat(8, seed=1), tmp_path)
    data = pickle.dumps(opened)
    assert len(data) < 1000
    assert same(pickle.loads(data), opened)


def test_read_and_write_know_folders(tmp_path):
    nearfar.write(NAMED, tmp_path / "g.nearfar/")
    assert same(nearfar.read(tmp_path / "g.nearfar"), NAMED)
    assert nearfar.read(tmp_path / "g.nearfar", weight=False).weights is None
    assert nearfar.read(tmp_path / "g.nearfar", names=False).names is None
    assert not nearfar.read(tmp_path / "g.nearfar", keep_rows=False).input_rows.known
    assert nearfar.formats.left_out(NAMED, tmp_path / "g.nearfar") == []
    with pytest.raises(OptionError, match="weight=False"):
        nearfar.read(tmp_path / "g.nearfar", weight="km")
    with pytest.raises(OptionError, match="reading a folder"):
        nearfar.read(tmp_path / "g.nearfar", tail="from")
    with pytest.raises(OptionError, match="writing a folder"):
        nearfar.write(NAMED, tmp_path / "g.nearfar", level=3)


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "g.nearfar"
    nearfar.write(NAMED, path)
    with pytest.raises(RuntimeError, match="stopped"), FolderWriter(path, NAMED.offsets, np.float64) as writer:
        writer.append(NAMED.arcs[:1])
        raise RuntimeError("stopped")
    assert same(Graph.open(path), NAMED)
    other = generate.rmat(6, seed=1)
    nearfar.write(other, path)
    assert same(Graph.open(path), other)
    assert [entry.name for entry in tmp_path.iterdir()] == ["g.nearfar"]


def test_wrong_places(tmp_path):
    with pytest.raises(MissingFileError, match=r"no graph\.json"):
        Graph.open(tmp_path)
    with pytest.raises(MissingFileError, match=r"no graph\.json"):
        nearfar.read(tmp_path)
    with pytest.raises(InputTypeError, match="give the name of a folder"):
        Graph.open(7)
    with pytest.raises(MissingFileError, match="there is no folder"):
        nearfar.write(NAMED, tmp_path / "no" / "g.nearfar")
    (tmp_path / "full.nearfar").mkdir()
    (tmp_path / "full.nearfar" / "letter.txt").write_text("keep me")
    with pytest.raises(FileError, match="other files"):
        nearfar.write(NAMED, tmp_path / "full.nearfar")
    assert (tmp_path / "full.nearfar" / "letter.txt").read_text() == "keep me"


def test_every_flipped_byte_is_an_error_or_harmless(tmp_path):
    path = tmp_path / "g.nearfar"
    nearfar.write(NAMED, path)
    refused = 0
    for file in sorted(path.iterdir()):
        data = file.read_bytes()
        for i in range(len(data)):
            file.write_bytes(data[:i] + bytes([data[i] ^ 1]) + data[i + 1 :])
            try:
                assert same(Graph.open(path), NAMED)
            except NearfarError:
                refused += 1
        file.write_bytes(data)
    assert refused > 300
    assert same(Graph.open(path), NAMED)


@pytest.mark.parametrize("lost", ["arcs.npy", "offsets.npy", "sums.npy", "graph.json"])
def test_missing_and_short_files(lost, tmp_path):
    path = tmp_path / "g.nearfar"
    nearfar.write(NAMED, path)
    data = (path / lost).read_bytes()
    (path / lost).write_bytes(data[:-2])
    with pytest.raises((FormatError, FileError)):
        Graph.open(path)
    (path / lost).unlink()
    with pytest.raises((FormatError, FileError)):
        Graph.open(path)


def test_a_document_of_another_version(tmp_path):
    path = tmp_path / "g.nearfar"
    nearfar.write(NAMED, path)
    document = json.loads((path / "graph.json").read_text())
    (path / "graph.json").write_text(json.dumps(document | {"nearfar_graph": 99}))
    with pytest.raises(FormatError, match="version 99"):
        Graph.open(path)
    (path / "graph.json").write_text(json.dumps(document | {"m": 99}))
    with pytest.raises(FormatError, match="was changed"):
        Graph.open(path)

"""The table of formats: how one is recognised, which options it takes, what it may not lose."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

import nearfar
from nearfar.errors import FormatError, InputTypeError, MemoryLimitError, OptionError
from nearfar.formats import FORMATS, left_out
from nearfar.formats.format import KEEPS

DOCS = (Path(__file__).parent.parent.parent / "docs" / "formats.md").read_text(encoding="utf8")
DIMACS = b"c x\np sp 3 2\na 1 2 7\na 2 3 5\n"
PACE = b"c x\np tw 3 2\n1 2\n2 3\n"
CSV = b"source,target,weight\n1,2,7\n2,3,5\n"


@pytest.mark.parametrize("name", FORMATS)
def test_records(name):
    record = FORMATS[name]
    assert record.name == name and record.read is not None and set(record.keeps) <= set(KEEPS)
    assert len(record.summary) <= 105 and not record.summary.endswith(".")
    assert all(ending.startswith((".", "_")) for ending in record.endings)
    assert f"| `{name}` | {' '.join(record.endings) or '(by content)'} | {record.summary} |" in DOCS
    for option in (*record.read_options, *record.write_options):
        assert f"`{option}`" in DOCS, f"docs/formats.md does not mention {option}"
    for junk in (b"", b"\0", b"\xff" * 100, b"hello\n", b"\n", b" ", b"PK\x03\x04", b"p", b"p sp", b"%%MatrixMarket"):
        assert record.matches(junk) in (True, False)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.co", "p aux sp co 1\nv 1 2 3\n", "no arcs. Read the file of arcs"),
        ("a.cnode", "1 2 3\n", "no edges. Read the .cedge file"),
        ("a_node.tntp", "node X Y ;\n1 2 3 ;\n", "no links. Read the network"),
    ],
)
def test_files_of_coordinates_say_what_they_are_for(run, tmp_path, name, text, words):
    (tmp_path / name).write_text(text)
    run("info", name).error(f"{words}, and give this one with --coordinates.")


@pytest.mark.parametrize(
    ("name", "data", "vertices", "undirected"),
    [
        ("x.gr", DIMACS, (1, 2, 3), False),
        ("x.gr", PACE, (1, 2, 3), True),
        ("x.txt", DIMACS, (1, 2, 3), False),  # the name is wrong
        ("x.csv", PACE, (1, 2, 3), True),
        ("x", DIMACS, (1, 2, 3), False),  # the name is silent
        ("x.gr", CSV.replace(b",", b" ").replace(b"source target weight\n", b"%%MatrixMarket\n"), None, None),
        ("x", CSV, (1, 2, 3), False),
        ("x.dat", b"1 2\n2 3\n", (1, 2, 3), False),
        ("x.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", (1, 2, 3), True),
        ("x.dat", b"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 7\n2 3 5\n", (1, 2, 3), False),
        ("x.graph", b"3 2\n2\n1 3\n2\n", (1, 2, 3), True),
    ],
)
def test_recognised(tmp_path, name, data, vertices, undirected):
    path = tmp_path / name
    path.write_bytes(data)
    if vertices is None:
        with pytest.raises(FormatError):
            nearfar.read(path)
        return
    graph = nearfar.read(path)
    assert graph.names == vertices and graph.undirected == undirected
    assert nearfar.read(io.BytesIO(data)).names == vertices or name.endswith(".graph")


def test_not_recognised():
    for data in (b"hello\n", b"hello world\n", b"\x89PNG\r\n", b"{}", b"<html></html>", b"\n\n\n", b"0\n"):
        with pytest.raises(FormatError, match=r"not recognised.*Use format="):
            nearfar.read(io.BytesIO(data))


@pytest.mark.parametrize("name", [name for name, record in FORMATS.items() if record.write and name != "dimacs-co"])
def test_names_are_dropped_on_request(name):
    """Only the names differ: vertices are then called by their indices."""
    ring = nearfar.Graph.from_arcs(
        [0, 1, 2], [1, 2, 0], [7, 5, 3], undirected=True, coordinates=[[0, 0], [1, 0], [0, 1]]
    )
    file = io.BytesIO()
    nearfar.write(ring, file, format=name, lossy=True)
    named = nearfar.read(io.BytesIO(file.getvalue()), format=name)
    bare = nearfar.read(io.BytesIO(file.getvalue()), format=name, names=False)
    assert bare.names is None and bare.undirected == named.undirected
    assert bare.arcs.tobytes() == named.arcs.tobytes() and bare.offsets.tobytes() == named.offsets.tobytes()
    assert (bare.coordinates is None) == (named.coordinates is None)
    assert bare.index(0) == 0


def test_words_and_formats_that_are_only_read_lose_their_names_too():
    words = nearfar.read(io.BytesIO(b"b,a,7\na,c,5\n"), names=False)
    assert words.names is None and nearfar.path(words, 0, 2) == [0, 1, 2]
    grid = nearfar.read(io.BytesIO(b"type octile\nheight 1\nwidth 2\nmap\n..\n"), names=False)
    assert grid.names is None and nearfar.distance(grid, 0, 1) == 1
    assert nearfar.read(io.BytesIO(b"1 2\n2 3\n"), names=True).names == ("1", "2", "3")
    with pytest.raises(OptionError, match="does not take names="):
        nearfar.read(io.BytesIO(DIMACS), names="x")


def test_named():
    assert nearfar.read(io.BytesIO(b"1 2 3\n"), format="edges").m == 1
    with pytest.raises(OptionError, match="Did you mean 'dimacs'"):
        nearfar.read(io.BytesIO(DIMACS), format="dimac")
    with pytest.raises(OptionError, match=r"does not take weight=; it takes undirected="):
        nearfar.read(io.BytesIO(DIMACS), weight="x")
    with pytest.raises(InputTypeError, match="not a nearfar"):
        nearfar.write([1], "x.gr")
    with pytest.raises(OptionError, match="can only be read"):
        nearfar.write(nearfar.read(io.BytesIO(DIMACS)), "x.map", format="movingai")
    with pytest.raises(OptionError, match=r"does not take colour=; it takes no options"):
        nearfar.write(nearfar.read(io.BytesIO(DIMACS)), "x.gr", colour=1)


def test_what_may_not_be_lost():
    words = nearfar.Graph.from_arcs([0, 1], [1, 0], [1, 1], names=["a", "b"])
    with pytest.raises(OptionError, match=r"have names.*lossy=True"):
        nearfar.write(words, io.BytesIO(), format="dimacs")
    ids = nearfar.Graph.from_arcs([0], [1], names=[10, 20])
    with pytest.raises(OptionError, match=r"have names"):
        nearfar.write(ids, io.BytesIO(), format="dimacs")
    nearfar.write(ids, io.BytesIO(), format="dimacs", lossy=True)
    weights = nearfar.Graph.from_arcs([0], [1], [2], undirected=True)
    with pytest.raises(OptionError, match="has weights"):
        nearfar.write(weights, io.BytesIO(), format="pace")
    directed = nearfar.Graph.from_arcs([0], [1])
    with pytest.raises(OptionError, match="is directed"):
        nearfar.write(directed, io.BytesIO(), format="pace")
    floats = nearfar.Graph.from_arcs([0], [1], [0.5], undirected=True)
    with pytest.raises(OptionError, match="not whole numbers"):
        nearfar.write(floats, io.BytesIO(), format="metis")
    negative = nearfar.Graph.from_arcs([0], [1], [-1], undirected=True)
    with pytest.raises(OptionError, match="negative"):
        nearfar.write(negative, io.BytesIO(), format="metis")


def test_weights_of_any_format_can_be_left_out():
    graph = nearfar.read(io.BytesIO(DIMACS), weight=False)
    assert graph.weights is None and graph.names == (1, 2, 3) and nearfar.distance(graph, 1, 3) == 2
    assert nearfar.read(io.BytesIO(PACE), weight=False).weights is None


def test_what_is_left_out_without_asking():
    graph = nearfar.Graph.from_arcs([0], [1], n=4, coordinates=[(0, 0)] * 4)
    assert left_out(graph, "x.npz") == []
    assert left_out(graph, "x.gr") == ["the names of the vertices, which count from 1 there", "the coordinates"]
    counted = nearfar.Graph.from_arcs([0], [1], names=range(1, 3))
    assert left_out(counted, "x.gr") == [] and left_out(counted, "x.csv") == []
    ids = nearfar.Graph.from_arcs([0], [1], names=[10, 20])
    assert left_out(ids, "x.gr") == ["the names of the vertices"]
    assert left_out(graph, "x", "edges") == ["the coordinates", "2 vertices without arcs"]
    with pytest.raises(OptionError):
        left_out(graph, "x.xyz")


def test_too_little_memory_is_our_error(monkeypatch):
    def greedy(source):
        raise MemoryError("no room for 8 GiB")

    monkeypatch.setitem(FORMATS, "dimacs", replace(FORMATS["dimacs"], read=greedy))
    with pytest.raises(MemoryLimitError, match="the open file: the graph does not fit into memory"):
        nearfar.read(io.BytesIO(DIMACS), format="dimacs")

"""Conversion of edge lists in pieces gives the graph that `read` gives, to the bit, through however many files."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases
from helpers.tiny import assert_same, in_folder, shrink
from nearfar.errors import FileError, FormatError, MemoryLimitError, MissingFileError, OptionError
from nearfar.graph import Graph

ENDS = {
    "indices": lambda v: str(v),
    "from 1": lambda v: str(v + 1),
    "gaps": lambda v: str(v * v + 5),
    "negative": lambda v: str(3 * v - 20),
    "far apart": lambda v: str(v * 10**9 - 10**8),
    "wide": lambda v: str(v + 2**40),
    "widest": lambda v: str((-1) ** v * (2**62 + v)),
    "words": lambda v: "äöü"[v % 3] * (v % 4 + 1) + f"x{v}",
}


def text_of(case, name, separator=" "):
    """Return the arcs of a case as lines of text."""
    rows = [[name(u), name(v), *([] if case.dtype is None else [repr(w)])] for u, v, w in case.arcs]
    return "".join(separator.join(row) + "\n" for row in rows)


def compare(source, folder, **options):
    """Convert a file, and compare with what `read` makes of it, also reversed."""
    nearfar.convert(source, folder / "found.nearfar", "100 MB", reversed=True, **options)
    wanted = in_folder(nearfar.read(source, **options), folder / "wanted.nearfar", reversed=True)
    found = Graph.open(folder / "found.nearfar")
    assert_same(found, wanted)
    if not found.undirected:
        assert_same(found.reversed, wanted.reversed)
    assert not list(folder.glob(".*")), "nothing is left beside the graph"
    return found


@given(cases(), st.sampled_from(sorted(ENDS)), st.booleans(), st.booleans())
def test_edge_lists(tmp_path_factory, case, name, undirected, keep_rows):
    folder = tmp_path_factory.mktemp("it")
    last = f"{ENDS[name](1)} {ENDS[name](0)}{'' if case.dtype is None else ' 7'}\n"  # a list without arcs is refused
    (folder / "g.txt").write_text("# a graph\n" + text_of(case, ENDS[name]) + last)
    options = {"weight": False} if case.dtype is None else {}
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        compare(folder / "g.txt", folder, undirected=undirected, keep_rows=keep_rows, **options)


@given(cases(), st.sampled_from(["parquet", "arrow", "gr", "csv", "sparry"]), st.booleans(), st.booleans())
def test_other_formats(tmp_path_factory, case, ending, named, undirected):
    folder = tmp_path_factory.mktemp("it")
    names = [f"{v}ä" for v in range(case.n)] if named and ending in ("parquet", "arrow", "csv") else None
    graph = Graph.from_arcs(*case.arrays(), n=case.n, names=names)
    nearfar.write(graph, folder / f"g.{ending}", lossy=True)
    if (folder / f"g.{ending}").read_text(errors="replace").count("\n") < 2 and ending == "csv":
        return  # an edge list without arcs is refused
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        compare(folder / f"g.{ending}", folder, undirected=undirected)


@given(st.lists(st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1), min_size=1, max_size=5), st.booleans())
def test_files_of_a_folder_follow_each_other(tmp_path_factory, parts, words):
    folder = tmp_path_factory.mktemp("it")
    lines = [[f"{'v' * words}{u} {'v' * words}{v} {w}\n" for u, v, w in part] for part in parts]
    (folder / "all.txt").write_text("".join(line for part in lines for line in part))
    (folder / "parts" / "below").mkdir(parents=True)
    for i, part in enumerate(lines):
        (folder / "parts" / ("below" if i % 2 else "") / f"{i}.txt").write_text("".join(part))
    order = [i for i in range(len(parts)) if i % 2 == 0] + [i for i in range(len(parts)) if i % 2]
    (folder / "all.txt").write_text("".join(line for i in order for line in lines[i]))
    (folder / "parts" / "_SUCCESS").touch()
    with pytest.MonkeyPatch.context() as patch:
        shrink(patch)
        nearfar.convert(folder / "parts", folder / "found.nearfar")
    wanted = in_folder(nearfar.read(folder / "all.txt"), folder / "wanted.nearfar")
    assert_same(Graph.open(folder / "found.nearfar"), wanted)


def edges(folder, m=3000, seed=0):
    """Write a text file of arcs, some of them closed."""
    rng = np.random.default_rng(seed)
    rows = zip(*(rng.integers(0, 90, m).tolist() for _ in range(3)), strict=True)
    text = "".join(f"{u} {v} {'inf' if w == 1 else w / 4}\n" for u, v, w in rows)
    (folder / "g.txt").write_text(text)
    return folder / "g.txt"


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed(tmp_path, pack, monkeypatch):
    shrink(monkeypatch, arcs=500, window=1000, bucket=4000)
    text = edges(tmp_path).read_bytes()
    (tmp_path / "packed.txt").write_bytes(pack(text))
    nearfar.convert(tmp_path / "packed.txt", tmp_path / "found.nearfar")
    assert_same(Graph.open(tmp_path / "found.nearfar"), compare(tmp_path / "g.txt", tmp_path))


def test_closed_arcs_are_lost_and_known_to_be(tmp_path):
    graph = compare(edges(tmp_path), tmp_path)
    assert graph.m < 3000 and graph.input_rows.count == 3000 and not graph.input_rows.complete


def test_an_open_file(tmp_path):
    text = edges(tmp_path).read_bytes()
    nearfar.convert(io.BytesIO(text), tmp_path / "a.nearfar")
    assert_same(Graph.open(tmp_path / "a.nearfar"), compare(tmp_path / "g.txt", tmp_path))


def test_dimacs_with_coordinates(tmp_path, monkeypatch):
    shrink(monkeypatch)
    graph = nearfar.generate.road_grid(5, 6)
    flat = Graph.from_csr(graph.offsets, graph.heads, graph.weights, coordinates=np.rint(graph.coordinates))
    nearfar.write(flat, tmp_path / "g.gr")
    nearfar.write(flat, tmp_path / "g.co", lossy=True)
    assert compare(tmp_path / "g.gr", tmp_path, coordinates=tmp_path / "g.co").coordinates.shape == (30, 2)


def test_a_dataset_of_parquet_files(tmp_path, monkeypatch):
    shrink(monkeypatch)
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(0)
    table = pa.table({"source": rng.integers(0, 50, 100), "target": rng.integers(0, 50, 100), "km": rng.random(100)})
    (tmp_path / "set" / "year=2").mkdir(parents=True)
    parquet.write_table(table[:40], tmp_path / "set" / "a.parquet", row_group_size=7)
    parquet.write_table(table[40:], tmp_path / "set" / "year=2" / "b.parquet", row_group_size=9)
    parquet.write_table(table, tmp_path / "all.parquet")
    nearfar.convert(tmp_path / "set", tmp_path / "found.nearfar")
    assert_same(Graph.open(tmp_path / "found.nearfar"), compare(tmp_path / "all.parquet", tmp_path))


@pytest.mark.parametrize("ending", ["npz", "graph", "mtx"])
def test_formats_that_are_read_whole(tmp_path, ending):
    graph = nearfar.generate.rmat(6, seed=1)
    nearfar.write(graph, tmp_path / f"g.{ending}", lossy=True)
    compare(tmp_path / f"g.{ending}", tmp_path)


def test_a_whole_file_that_does_not_fit_is_refused(tmp_path):
    (tmp_path / "g.npz").write_bytes(b"PK\x03\x04" + bytes(30_000_000))
    with pytest.raises(MemoryLimitError, match=r"can only be read whole.*edge list, Parquet or DIMACS"):
        nearfar.convert(tmp_path / "g.npz", tmp_path / "g.nearfar", "60 MB")


def test_a_folder_with_a_graph_is_copied(tmp_path):
    wanted = in_folder(nearfar.generate.rmat(6, undirected=False), tmp_path / "a.nearfar", reversed=True)
    nearfar.convert(tmp_path / "a.nearfar", tmp_path / "b.nearfar", reversed=True)
    assert_same(Graph.open(tmp_path / "b.nearfar"), wanted)
    assert_same(Graph.open(tmp_path / "b.nearfar").reversed, wanted.reversed)


def test_a_graph_that_was_there_is_replaced(tmp_path):
    in_folder(nearfar.generate.rmat(4), tmp_path / "found.nearfar")
    compare(edges(tmp_path), tmp_path)


def test_progress_counts_the_bytes_of_the_input_twice(tmp_path, monkeypatch):
    shrink(monkeypatch, arcs=500, window=1000, bucket=4000)
    path, told = edges(tmp_path), []
    nearfar.convert(path, tmp_path / "g.nearfar", progress=lambda *state: told.append(state))
    done, totals = zip(*told, strict=True)
    assert set(totals) == {2 * path.stat().st_size} and list(done) == sorted(done) and done[-1] == totals[0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"folder": "g.npz"}, OptionError, "must end in .nearfar"),
        ({"existing": "repair"}, OptionError, "'resume', 'restart'"),
        ({"memory": "1 MB"}, MemoryLimitError, "needs .* beside its vertices"),
        ({"memory": "much"}, OptionError, "give bytes"),
        ({"format": "text"}, OptionError, "does not exist"),
        ({"wait": 1}, OptionError, "does not take wait="),
        ({"source": "none.txt"}, MissingFileError, "none.txt"),
        ({"source": "empty"}, MissingFileError, "a folder without files"),
        ({"source": "unlike"}, FormatError, "choice of weights is not that of"),
        ({"source": "kinds"}, FormatError, "format is not that of"),
        ({"source": "inside"}, FileError, "belongs to a graph that is converted already"),
        ({"source": "wrong.txt"}, FormatError, "line 301"),
        ({"source": "nothing.txt"}, FormatError, "the file is empty"),
        ({"source": "short.gr"}, FormatError, "promises 3 arcs, but there are 1"),
        ({"folder": "other.nearfar"}, FileError, "other files"),
        ({"folder": "no/g.nearfar"}, MissingFileError, "Create it first"),
    ],
)
def test_refusals(tmp_path, monkeypatch, options, error, message):
    files = {
        "g.txt": "1 2 3\n", "wrong.txt": "1 2 3\n" * 300 + "1 x 3\n", "unlike/a.txt": "1 2 3\n",
        "unlike/b.txt": "1 2\n",
        "kinds/a.txt": "1 2 3\n", "kinds/b.mtx": "%%MatrixMarket matrix coordinate pattern general\n1 1 0\n",
        "inside/g/graph.json": "", "other.nearfar/mine": "", "nothing.txt": "", "short.gr": "p sp 3 3\na 1 2 7\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    asked = {"source": "g.txt", "folder": "g.nearfar"} | options
    with pytest.raises(error, match=message):
        nearfar.convert(**asked)
    assert not Path("g.nearfar").exists() and not list(tmp_path.glob(".*"))


def test_a_disk_that_is_too_small_is_refused_before_anything_is_read(tmp_path):
    (tmp_path / "g.gr").write_text(f"p sp 3 {10**15}\na 1 2 7\n")
    with pytest.raises(FileError, match=r"of the disk, but .* are free"):
        nearfar.convert(tmp_path / "g.gr", tmp_path / "g.nearfar")


def test_vertices_that_do_not_fit_are_refused(tmp_path):
    ids = np.random.default_rng(0).integers(0, 2**62, 1_200_000)
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"source": ids, "target": ids}), tmp_path / "g.parquet")
    with pytest.raises(MemoryLimitError, match="vertices need"):
        nearfar.convert(tmp_path / "g.parquet", tmp_path / "g.nearfar", "60 MB")

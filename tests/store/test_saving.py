"""Answers in files: what each ending holds, that they can be proved, and that they appear whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json

import numpy as np
import pytest

import nearfar
from helpers.able import ROUNDING
from nearfar.store import lines as pieces
from nearfar.store import sheets
from nearfar.store import writing as saving
from nearfar.store.writing import SAVERS

QUERIES = {
    "sssp": ["--source", "1"],
    "mssp": ["--sources", "3,1,5"],
    "apsp": [],
    "nearest": ["--sources", "5,1"],
}
UNREACHED = np.iinfo(np.int32).max


def proved(answer):
    return answer.ok().out.startswith("exact: ")


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("ending", SAVERS)
def test_round_trip(run, roads, tmp_path, query, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file = f"answer{ending}"
    trees = [] if ending == ".npy" else ["--predecessors"]
    text = run(query, roads, *QUERIES[query], "-o", file, *trees).ok().out
    assert f"written   {file}, " in text or f"written  {file}, " in text
    hints = QUERIES[query] if ending == ".npy" and query in ("sssp", "mssp") else []
    if (query, ending) == ("nearest", ".npy"):
        run("verify", roads, file).error("--source")
    else:
        assert proved(run("verify", roads, file, *hints))
    assert run(query, roads, *QUERIES[query], "-o", file, "--json").ok().json["output"] == file
    assert run(query, roads, *QUERIES[query], "-o", file, "-q").ok().out == ""
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


@pytest.mark.parametrize("query", [query for query in QUERIES if query != "apsp"])
@pytest.mark.parametrize("ending", SAVERS)
def test_directions(run, roads, query, ending):
    """A file knows its direction, except .npy; one that is proved in the other direction is wrong."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file, to = f"answer{ending}", ["--direction", "to"]
    trees = [] if ending == ".npy" else ["--predecessors"]
    run(query, roads, *QUERIES[query], *to, "-o", file, *trees, "-q").ok()
    if ending == ".npy":
        hints = ["--sources", *QUERIES[query][1:]]
        assert proved(run("verify", roads, file, *hints, *to))
        assert run("verify", roads, file, *hints).code == 1
    else:
        assert proved(run("verify", roads, file)) and proved(run("verify", roads, file, *to))
        run("verify", roads, file, "--direction", "from").error("distances to its sources", "Leave --direction out")


def test_tables_to_the_sources(run, roads, tmp_path):
    lines = "target,source,distance,successor\n4,1,6,3\n4,2,1,4\n4,3,4,2\n4,4,0,\n4,5,1,4\n"
    assert run("sssp", roads, "-s", 4, "--direction", "to", "-o", "-", "--predecessors").ok().out == lines
    (tmp_path / "a.csv").write_text(lines.replace("4,3,4,2", "4,3,5,2"), encoding="utf8")
    assert run("verify", roads, "a.csv").code == 1
    out = run("nearest", roads, "-s", "4,2", "--direction", "to", "-o", "-").ok().out
    assert out == "vertex,target,distance\n1,2,5\n2,2,0\n3,2,3\n4,4,0\n5,4,1\n"
    out = run("mssp", roads, "-s", "4,2", "-t", "1,5", "--direction", "to", "-o", "-").ok().out
    assert out == "target,source,distance\n4,1,6\n4,5,1\n2,1,5\n"
    run("sssp", roads, "-s", 4, "--direction", "to", "-o", "a.npz", "--predecessors", "-q")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert str(file["direction"]) == "to" and file["successors"].tolist() == [2, 3, 1, -1, 3]
        arrays = dict(file) | {"direction": np.asarray("up")}
    np.savez(tmp_path / "b.npz", **arrays)
    run("verify", roads, "b.npz").error("'direction' holds 'up'")


@pytest.mark.parametrize("direction", ["from", "to"])
@pytest.mark.parametrize("ending", [ending for ending in SAVERS if ending != ".npy"])
def test_several_nearest(run, roads, friends, tmp_path, ending, direction):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for file, sources in ((roads, "1,5,2"), (friends, "Ann,Bob,Dora")):
        query = ["nearest", file, "-s", sources, "--k", 2, "--direction", direction]
        run(*query, "-o", f"a{ending}", "-q").ok()
        assert proved(run("verify", file, f"a{ending}")) and proved(run("verify", file, f"a{ending}", "-s", sources))
        run("verify", file, f"a{ending}", "-s", sources[:3].rstrip(",")).error("has other sources")
        run(*query, "--cutoff", 3, "-o", f"a{ending}", "-q").ok()
        assert proved(run("verify", file, f"a{ending}", "--cutoff", 3))
    run(*query, "-o", "a.npy", "-q").ok()
    assert np.load(tmp_path / "a.npy").shape == (4, 2)


def test_tables_of_several_nearest(run, roads, tmp_path, monkeypatch):
    out = run("nearest", roads, "-s", "1,3", "--k", 2, "-o", "-").ok().out
    lines = "vertex,rank,source,distance\n1,1,1,0\n2,1,3,3\n2,2,1,5\n3,1,3,0\n3,2,1,2\n4,1,3,4\n4,2,1,6\n"
    assert out == lines
    monkeypatch.setattr(pieces, "PIECE", 3)
    assert run("nearest", roads, "-s", "1,3", "--k", 2, "-o", "-").ok().out == lines
    for old, new in (("4,2,1,6", "4,2,1,7"), ("2,2,1,5\n", ""), ("2,1,3,3\n2,2,1,5", "2,1,1,5\n2,2,3,3")):
        (tmp_path / "a.csv").write_text(lines.replace(old, new), encoding="utf8")
        assert run("verify", roads, "a.csv").code == 1
    for old, new in (("4,2,1,6", "4,3,1,6"), ("4,2,1,6", "4,0,1,6"), (lines.partition("\n")[2], "")):
        (tmp_path / "a.csv").write_text(lines.replace(old, new), encoding="utf8")
        run("verify", roads, "a.csv").error("a.csv is no table of ranks")
    (tmp_path / "a.csv").write_text(lines + "4,2,1,5\n", encoding="utf8")
    run("verify", roads, "a.csv").error("two different distances", "ending at 4")
    run("nearest", roads, "-s", "1,3", "--k", 2, "-o", "a.npz", "-q").ok()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        arrays = dict(file)
    assert arrays["source"].tolist()[1] == [2, 0] and arrays["dist"].tolist()[1] == [3, 5]
    np.savez(tmp_path / "b.npz", **arrays | {"dist": arrays["dist"][:4], "source": arrays["source"][:4]})
    run("verify", roads, "b.npz").error("this graph has 5 vertices")


@pytest.mark.parametrize("ending", [".npz", ".csv", ".parquet"])
def test_words(run, friends, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for query in (["sssp", "--source", "Ann"], ["nearest", "--sources", "Dora", "--sources", "Bob"]):
        assert run(query[0], friends, *query[1:], "-o", f"a{ending}", "--predecessors", "-q").code == 0
        assert proved(run("verify", friends, f"a{ending}"))


@pytest.mark.parametrize("ending", [".npz", ".csv", ".parquet"])
def test_cells(run, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    (tmp_path / "yard.map").write_text("type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n", encoding="utf8")
    for query in (["sssp", "--source", "2,1"], ["nearest", "--sources", "(0, 0), (2, 0)"]):
        assert run(query[0], "yard.map", *query[1:], "-o", f"a{ending}", "--predecessors", "-q").code == 0
        assert proved(run("verify", "yard.map", f"a{ending}"))
    (tmp_path / "wall.map").write_text("type octile\nheight 3\nwidth 2\nmap\n.@\n..\n..\n", encoding="utf8")
    run("verify", "wall.map", f"a{ending}").error()


def test_without_arrow(run, roads, friends, monkeypatch):
    """Tables as text need no other package; .parquet says which one it needs, before anything is read."""
    monkeypatch.setattr(sheets.importlib.util, "find_spec", lambda name: None)
    for file, sources in ((roads, "1,5"), (friends, "Ann,Bob")):
        assert run("mssp", file, "--sources", sources, "-o", "a.csv", "--predecessors", "-q").code == 0
        assert proved(run("verify", file, "a.csv"))
    run("sssp", "missing.gr", "--source", 1, "-o", "a.parquet").error("pyarrow", "pip install")
    run("verify", roads, "a.parquet").error("pyarrow")


@pytest.mark.parametrize("query", (nearfar.sssp, nearfar.nearest))
@pytest.mark.parametrize("starts", [{1: 3, 5: 0}, {1: 0, 5: 0}, {3: 0.5}], ids=str)
def test_starting_distances(run, roads, tmp_path, query, starts):
    """An .npz file keeps them, so that they can be proved; no other file can."""
    answer = query(nearfar.read(roads), starts)
    saving.save(answer, str(tmp_path / "a.npz"), predecessors=True)
    assert proved(run("verify", roads, "a.npz"))
    if query is nearfar.sssp or any(starts.values()):
        for ending in (".csv", ".npy", ".parquet"):
            with pytest.raises(nearfar.errors.OptionError, match=r"starting distances.*\.npz"):
                saving.save(answer, str(tmp_path / f"a{ending}"), predecessors=False)
    with np.load(tmp_path / "a.npz") as file:
        arrays = dict(file)
    if "starts" in arrays:
        np.savez(tmp_path / "b.npz", **(arrays | {"starts": arrays["starts"] + 1}))
        assert "NOT exact" in run("verify", roads, "b.npz").out
        np.savez(tmp_path / "b.npz", **(arrays | {"starts": arrays["starts"][:0]}))
        assert "starting distances must be" in run("verify", roads, "b.npz").out


def test_arrays(run, roads, tmp_path):
    run("sssp", roads, "--source", 1, "-o", "a.npy", "--to", 3)
    assert np.load(tmp_path / "a.npy").tolist() == [0, 5, 2, 6, UNREACHED]
    run("mssp", roads, "--sources", "5,1", "-o", "a.npy")
    assert np.load(tmp_path / "a.npy").tolist() == [[UNREACHED] * 3 + [1, 0], [0, 5, 2, 6, UNREACHED]]
    run("sssp", roads, "--source", 1, "-o", "a.npz", "--predecessors", "--cutoff", 5)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        arrays = dict(file)
    assert set(arrays) == {"dist", "sources", "vertices", "cutoff", "predecessors"}
    assert arrays["dist"].tolist() == [0, 5, 2, UNREACHED, UNREACHED]
    assert arrays["vertices"].tolist() == [1, 2, 3, 4, 5] and arrays["sources"].tolist() == [0]
    assert arrays["predecessors"].tolist() == [-1, 2, 0, -1, -1] and arrays["cutoff"] == 5
    run("nearest", roads, "--sources", "5,1", "-o", "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        assert file["source"].tolist() == [0, 0, 0, 4, 4]


def test_tables(run, roads, friends, tmp_path):
    lines = "source,target,distance,predecessor\n1,1,0,\n1,2,5,3\n1,3,2,1\n1,4,6,2\n"
    assert run("sssp", roads, "-s", 1, "-o", "-", "--predecessors").ok().out == lines
    run("sssp", roads, "-s", 1, "-o", "a.csv.gz", "--predecessors")
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).decode() == lines
    text = run("nearest", friends, "-s", "Ann,Dora", "-o", "-").ok().out
    assert list(csv.reader(io.StringIO(text))) == [
        ["vertex", "source", "distance"],
        ["Ann", "Ann", "0"],
        ["Bob", "Ann", "2"],
        ["Cid, the elder", "Ann", "5"],
        ["Dora", "Dora", "0"],
    ]


def test_parquet_types(run, friends, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    run("sssp", friends, "-s", "Bob", "-o", "a.parquet", "--predecessors")
    table = pq.read_table(tmp_path / "a.parquet")
    words = "dictionary<values=string, indices=int32, ordered=0>"
    assert [str(field.type) for field in table.schema] == [words, words, "int32", words]
    assert table.to_pylist()[1] == {
        "source": "Bob",
        "target": "Cid, the elder",
        "distance": 3,
        "predecessor": "Bob",
    }
    assert table.to_pylist()[0]["predecessor"] is None


def test_long_tables(run, tmp_path, monkeypatch):
    """A table is written in blocks; whatever their size, the lines are the same."""
    run("generate", "road_grid", "--rows", 9, "--cols", 9, "-o", "roads.gr", "-q")
    whole = run("apsp", "roads.gr", "-o", "-", "--predecessors").ok().out
    assert whole.count("\n") == 1 + 81 * 81
    monkeypatch.setattr(sheets, "LINES", 7)
    monkeypatch.setattr(pieces, "PIECE", 20)
    monkeypatch.setattr(sheets, "GROUP", 50)
    assert run("apsp", "roads.gr", "-o", "-", "--predecessors").ok().out == whole
    pytest.importorskip("pyarrow")
    run("apsp", "roads.gr", "-o", "a.parquet", "--predecessors")
    assert proved(run("verify", "roads.gr", "a.parquet"))


def test_floats(run, tmp_path):
    """Distances as text come back to the bit."""
    run("generate", "geometric", "--n", 60, "-o", "mesh.npz", "-q")
    run("mssp", "mesh.npz", "--sources", "0,7", "-o", "a.csv", "-q")
    assert proved(run("verify", "mesh.npz", "a.csv"))
    weights = np.array([0.1, 0.2, 0.7], np.float32)
    nearfar.write(nearfar.Graph.from_arcs([0, 1, 2], [1, 2, 3], weights), tmp_path / "single.npz")
    text = run("sssp", "single.npz", "-s", 0, "-o", "-").ok().out
    assert text.splitlines()[2] == "0,1,0.1"
    run("sssp", "single.npz", "-s", 0, "-o", "a.csv", "-q")
    assert proved(run("verify", "single.npz", "a.csv"))


def test_wide_distances(run, tmp_path):
    """A .npy file is filled directly; the wider type takes its place where a distance does not fit int32."""
    (tmp_path / "far.gr").write_text("p sp 3 2\na 1 2 2000000000\na 2 3 2000000000\n", encoding="utf8")
    assert run("apsp", "far.gr", "-o", "a.npy", "--json").ok().json["dtype"] == "int64"
    assert np.load(tmp_path / "a.npy")[0].tolist() == [0, 2_000_000_000, 4_000_000_000]
    assert proved(run("verify", "far.gr", "a.npy"))
    run("apsp", "far.gr", "-o", "b.npy", "--dtype", "int32").error("int32")
    assert not (tmp_path / "b.npy").exists()


def test_wrong_answers(run, roads, friends, tmp_path):
    run("sssp", roads, "--source", 1, "-o", "a.npy")
    dist = np.load(tmp_path / "a.npy")
    dist[3] += 1
    np.save(tmp_path / "a.npy", dist)
    wrong = run("verify", roads, "a.npy", "--source", 1)
    assert wrong.code == 1 and wrong.err == "" and "NOT exact" in wrong.out and "vertex 4 has 7" in wrong.out
    wrong = run("verify", roads, "a.npy", "--source", 1, "--json")
    assert wrong.code == 1 and wrong.json["exact"] is False and len(wrong.json["problems"]) == 1
    wrong = run("verify", roads, "a.npy", "--source", 1, "--quiet")
    assert (wrong.code, wrong.out, wrong.err) == (1, "", "")
    (tmp_path / "p.csv").write_text("source,target,distance,predecessor\n1,1,0,\n1,2,5,1\n1,3,2,1\n1,4,6,2\n")
    assert run("verify", roads, "p.csv").code == 1  # the distances are right, a predecessor is not
    (tmp_path / "n.csv").write_text("vertex,source,distance\nAnn,Ann,0\nBob,Ann,3\n")
    assert run("verify", friends, "n.csv").code == 1


def test_limits_of_saved_answers(run, roads, tmp_path):
    run("sssp", roads, "--source", 1, "-o", "a.csv", "--cutoff", 5)
    assert run("verify", roads, "a.csv").code == 1
    assert proved(run("verify", roads, "a.csv", "--cutoff", 5))
    assert proved(run("verify", roads, "a.csv", "--cutoff", 5, "--sources", "1", "--dtype", "int32"))
    run("verify", roads, "a.csv", "--sources", "2").error("not one of the given sources")
    run("verify", roads, "a.csv", "--source", "2", "--sources", "2").error("leave one out")


@pytest.mark.parametrize("ending", SAVERS)
def test_broken_files(run, roads, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"broken{ending}"
    run("verify", roads, file.name).error("does not exist")
    for content in (b"", b"PK\x03\x04 junk", b"source,target,distance\n1,2\n", b"a,b\n1,2\n", b"\x80\xff\x00"):
        file.write_bytes(gzip.compress(content) if ending == ".csv.gz" else content)
        run("verify", roads, file.name).error(file.name)
    file.unlink()
    file.mkdir()
    run("verify", roads, file.name).error(file.name)


def test_answers_of_other_graphs(run, roads, friends, tmp_path):
    run("sssp", roads, "--source", 1, "-o", "a.npz")
    run("verify", friends, "a.npz").error("another graph")
    run("sssp", roads, "--source", 1, "-o", "a.csv")
    run("verify", friends, "a.csv").error("is not a vertex")
    np.savez(tmp_path / "b.npz", other=np.arange(3))
    run("verify", roads, "b.npz").error("'dist'")
    np.savez(tmp_path / "c.npz", dist=np.array([{"a": 1}], object))
    run("verify", roads, "c.npz").error("c.npz")
    run("verify", roads, roads).error("not a saved answer")


def saved(run, roads, tmp_path, *query):
    """Return the arrays that a query has saved."""
    run(*query, roads, "-o", "good.npz", "--predecessors", "-q").ok()
    with np.load(tmp_path / "good.npz", allow_pickle=False) as file:
        return dict(file)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sources", [0.7], "'sources' holds 0.7, but whole numbers from 0 to 4"),
        ("sources", [2**32], "'sources' holds 4294967296"),
        ("sources", [-1], "'sources' holds -1"),
        ("sources", [5], "'sources' holds 5"),
        ("sources", [True], "'sources' holds True"),
        ("sources", ["a"], "'sources' holds a"),
        ("sources", np.zeros(0, np.int32), "no rows"),
        ("sources", np.zeros(0), "'sources' holds the type float64"),
        ("sources", 0, "shape ()"),
        ("targets", [0.5], "'targets' holds 0.5"),
        ("targets", [[1]], "shape (1, 1)"),
        ("cutoff", "far", "'cutoff' holds 'far', but one number"),
        ("cutoff", [1, 2], "'cutoff' holds [1, 2]"),
        ("cutoff", np.nan, "'cutoff' holds nan"),
        ("predecessors", [-1, 2, 0], "'predecessors' has shape (3,), but (5,)"),
        ("predecessors", [-1, 2, 0, 1, 2**33], "'predecessors' holds 8589934592"),
        ("predecessors", [-1, 2, 0, 1, 0.5], "'predecessors' holds -1.0"),
        ("dist", np.zeros((0, 5), np.int32), "has no rows of distances"),
        ("dist", np.zeros((1, 5, 1), np.int32), "shape"),
    ],
)
def test_arrays_that_no_query_saves(run, roads, tmp_path, name, value, words):
    """One line says what is wrong; nothing is cut off to make it fit."""
    arrays = saved(run, roads, tmp_path, "sssp", "--source", 1)
    if name == "dist":
        del arrays["predecessors"]
    np.savez(tmp_path / "bad.npz", **arrays | {name: np.asarray(value)})
    run("verify", roads, "bad.npz").error("bad.npz", words)


def test_nearest_arrays_that_no_query_saves(run, roads, tmp_path):
    arrays = saved(run, roads, tmp_path, "nearest", "--sources", "1,5")
    np.savez(tmp_path / "good.npz", **arrays)
    assert proved(run("verify", roads, "good.npz"))
    for value, words in (([0, 0, 0, 4], "shape (4,)"), ([0, 0, 0, 4, 2**32], "holds 4294967296"), ([0.5] * 5, "0.5")):
        np.savez(tmp_path / "bad.npz", **arrays | {"source": np.asarray(value)})
        run("verify", roads, "bad.npz").error("'source'", words)


WHOLE = "source,target,distance\n1,1,0\n1,2,5\n1,3,2\n1,4,6\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WHOLE + "1,4,7\n", "two different distances for one pair, ending at 4"),
        ("source,target,distance\n1,4,7\n" + WHOLE.partition("\n")[2], "two different distances"),
        ("vertex,source,distance\n1,1,0\n2,2,0\n3,1,2\n3,2,2\n4,2,1\n", "two different sources for one pair"),
        ("source,target,distance\n", "has no lines of distances"),
        ("vertex,source,distance\n", "has no lines of distances"),
        ("source,target,distance,predecessor\n1,1,0,\n1,2,5,3\n1,2,5,1\n", "two different predecessors"),
        (WHOLE + "1.5,4,6\n", "not an answer"),
        (WHOLE + "9" * 30 + ",4,6\n", "not an answer"),
        (WHOLE + "1,4," + "9" * 30 + "\n", ""),
        ("source,target,distance\n1,4,6\n", "no line from 1 to itself"),
    ],
)
@pytest.mark.parametrize("arrow", [True, False])
def test_tables_that_no_query_saves(run, roads, tmp_path, monkeypatch, arrow, text, words):
    if not arrow:
        monkeypatch.setattr(sheets.importlib.util, "find_spec", lambda name: None)
    (tmp_path / "bad.csv").write_text(text, encoding="utf8")
    run("verify", roads, "bad.csv").error("bad.csv", words)


def test_tables_may_repeat_themselves(run, roads, tmp_path):
    """The same source twice gives the same lines twice, which is no contradiction."""
    run("mssp", roads, "--sources", "1,5,1", "-o", "twice.csv", "-q").ok()
    assert proved(run("verify", roads, "twice.csv"))
    assert proved(run("verify", roads, "twice.csv", "--sources", "1,5,1"))


def test_types_that_do_not_hold_a_distance(run, roads, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "half.csv").write_text(WHOLE.replace("1,4,6", "1,4,6.5"), encoding="utf8")
    run("verify", roads, "half.csv", "--dtype", "int32").error("the distance 6.5, which int32 cannot hold")
    (tmp_path / "far.csv").write_text(WHOLE.replace("1,4,6", f"1,4,{2**32 + 6}"), encoding="utf8")
    run("verify", roads, "far.csv", "--dtype", "int32").error("4294967302, which int32 cannot hold")
    assert run("verify", roads, "far.csv").code == 1


@pytest.mark.parametrize("damage", [b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xff\xff\xff\xff", b"\x1f\x8b\x08"])
def test_damaged_gzip(run, roads, tmp_path, damage):
    (tmp_path / "bad.csv.gz").write_bytes(damage)
    run("verify", roads, "bad.csv.gz").error("bad.csv.gz")


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_pairs(run, roads, friends, tmp_path, ending):
    """With --to a file has the pairs alone, in order, but for those that are unreached."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for file, sources, targets, lines in (
        (roads, "5,1", "4,2,4", [(5, 4, 1), (5, 4, 1), (1, 4, 6), (1, 2, 5), (1, 4, 6)]),
        (friends, "Ann,Dora", "Dora,Bob", [("Ann", "Dora", 9), ("Ann", "Bob", 2), ("Dora", "Dora", 0)]),
    ):
        text = run("mssp", file, "-s", sources, "--to", targets, "-o", f"pairs{ending}").ok().out
        assert f"pairs{ending}, " in text and "unreached" in text
        assert table(tmp_path / f"pairs{ending}") == lines
    assert run("mssp", roads, "-s", "1", "--to", "4", "-o", f"pairs{ending}", "-q").ok().out == "6\n"
    run("verify", roads, f"pairs{ending}").error("no line from 1 to itself")
    assert run("mssp", roads, "-s", "1", "--to", "4,5", "-o", "-").ok().out == "source,target,distance\n1,4,6\n"


def table(path):
    """Return the lines of a table."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return [tuple(line.values()) for line in pq.read_table(path).to_pylist()]
    data = path.read_bytes()
    lines = csv.reader(io.StringIO((gzip.decompress(data) if path.suffix == ".gz" else data).decode()))
    return [tuple(int(word) if word.isdecimal() else word for word in line) for line in list(lines)[1:]]


def test_pairs_are_no_rows(run):
    """What only whole rows can be written to is refused before anything is read."""
    for ending in (".npy", ".npz", ".NPZ"):
        run("mssp", "missing.gr", "-s", 1, "--to", 2, "-o", f"a{ending}").error("write .csv, .csv.gz or .parquet")
    run("mssp", "missing.gr", "-s", 1, "--to", 2, "-o", "a.csv", "--predecessors").error("--predecessors", "leave one")


def test_outputs_that_cannot_be_written(run, roads, tmp_path, monkeypatch):
    run("sssp", "missing.gr", "-s", 1, "-o", "a.txt").error("should end in one of .npy, .npz")
    run("sssp", "missing.gr", "-s", 1, "-o", "no/a.npy").error("no folder")
    (tmp_path / "d.npy").mkdir()
    run("sssp", "missing.gr", "-s", 1, "-o", "d.npy").error("it is a folder")
    run("sssp", roads, "-s", 1, "-o", "a.npy", "--predecessors").error(".npz")
    run("sssp", roads, "-s", 1, "--predecessors").error("-o FILE")
    run("sssp", roads, "-s", 1, "-o", "-", "--json").error("leave one out")
    monkeypatch.setattr(saving.os, "access", lambda path, mode: False)  # as for a folder that is read-only
    run("sssp", "missing.gr", "-s", 1, "-o", "a.npy").error("no permission")


def test_full_disk(run, roads, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(saving.os, "posix_fallocate", full, raising=False)
    (tmp_path / "a.npy").write_bytes(b"before")
    run("apsp", roads, "-o", "a.npy").error("No space left on device")
    assert (tmp_path / "a.npy").read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", roads]


def test_json_of_an_answer_that_was_written(run, roads):
    answer = json.loads(run("sssp", roads, "-s", 1, "--to", 3, "-o", "a.csv", "--json").ok().out)
    assert answer["reached"] == 4, "a file holds all distances, so the search did not stop at the target"


def test_what_the_command_says_must_fit_the_file(run, roads):
    """Other sources than those of the file, or another number, are a mistake in the command, not a wrong answer."""
    for ending in (".npy", ".npz", ".csv"):
        run("nearest", roads, "--sources", "1,5", "-o", f"near{ending}").ok()
    run("verify", roads, "near.npy").error("--source")
    assert proved(run("verify", roads, "near.npy", "--sources", "1,5"))  # one row: the nearest of several
    assert run("verify", roads, "near.npy", "--sources", "1,2").code == 1
    run("verify", roads, "near.npz", "--sources", "1,2").error("other sources")
    run("verify", roads, "near.csv", "--source", "1").error("other sources")
    assert proved(run("verify", roads, "near.csv", "--sources", "1,5"))
    run("mssp", roads, "--sources", "1,2", "-o", "two.npy").ok()
    run("verify", roads, "two.npy", "--source", "1").error("2 rows", "1 source")
    run("sssp", roads, "--source", "1", "-o", "one.npz").ok()
    run("verify", roads, "one.npz", "--source", "2").error("other sources")
    assert proved(run("verify", roads, "one.npz", "--source", "1"))
    np.save("short.npy", np.zeros(4, np.int32))
    run("verify", roads, "short.npy", "--source", "1").error("rows of 5 distances")


@pytest.mark.parametrize("method", ROUNDING)
@pytest.mark.parametrize("ending", [".npz", ".npy", ".csv"])
def test_rounded_answers(run, tmp_path, method, ending):
    """An .npz file knows that its floats are right up to rounding; for others the command line says so."""
    rng = np.random.default_rng(1)
    graph = nearfar.Graph.from_arcs(*rng.integers(0, 60, (2, 200)), rng.random(200), 60)
    nearfar.write(graph, tmp_path / "mesh.npz")
    file = f"answer{ending}"
    trees = [] if ending == ".npy" else ["--predecessors"]
    assert run("apsp", "mesh.npz", "--method", method, "-o", file, *trees, "-q").code == 0
    hints = [] if ending == ".npz" else ["--rounded"]
    assert run("verify", "mesh.npz", file, *hints).ok().out.startswith("exact up to rounding: 60 rows of 60 distances")
    assert run("verify", "mesh.npz", file, *hints, "--json").ok().json["rounding"] < 1e-12
    if hints:
        assert run("verify", "mesh.npz", file).code == 1
    else:
        arrays = dict(np.load(tmp_path / file))
        assert arrays["rounded"].item() is True
        wrong = arrays | {"dist": np.where(arrays["dist"] > 0, arrays["dist"] * (1 + 1e-6), 0)}
        np.savez(tmp_path / file, **wrong)
        assert run("verify", "mesh.npz", file).code == 1
        np.savez(tmp_path / file, **arrays | {"rounded": np.array([1, 2])})
        run("verify", "mesh.npz", file).error("'rounded'", "True or False")


def test_integers_are_never_rounded(run, roads, tmp_path):
    assert run("apsp", roads, "--method", "prepared", "-o", "a.npz", "-q").code == 0
    assert "rounded" not in np.load(tmp_path / "a.npz").files and proved(run("verify", roads, "a.npz"))
    assert proved(run("verify", roads, "a.npz", "--rounded"))
    assert run("verify", roads, "a.npz", "--json").ok().json["rounding"] is None


def test_parquet_knows_its_cutoff_and_rounding(run, roads, tmp_path):
    """What the metadata say need not be said again; without them, the file is a wrong answer."""
    pq = pytest.importorskip("pyarrow.parquet")
    run("mssp", roads, "--sources", "1,5", "--cutoff", 5, "-o", "near.parquet", "-q").ok()
    assert proved(run("verify", roads, "near.parquet"))
    rng = np.random.default_rng(1)
    mesh = nearfar.Graph.from_arcs(*rng.integers(0, 60, (2, 200)), rng.random(200), 60)
    nearfar.write(mesh, tmp_path / "mesh.npz")
    run("apsp", "mesh.npz", "--method", "floyd", "-o", "mesh.parquet", "-q").ok()
    assert run("verify", "mesh.npz", "mesh.parquet").ok().out.startswith("exact up to rounding")
    for graph, file in ((roads, "near.parquet"), ("mesh.npz", "mesh.parquet")):
        pq.write_table(pq.read_table(tmp_path / file).replace_schema_metadata(None), tmp_path / file)
        assert run("verify", graph, file).code == 1

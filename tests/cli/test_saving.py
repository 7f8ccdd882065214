"""Answers in files: what each ending holds, that they can be proved, and that they appear whole or not at all."""

from __future__ import annotations

import csv
import gzip
import io
import json

import numpy as np
import pytest

import nearfar
from nearfar.cli import saving
from nearfar.cli.saving import SAVERS

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


@pytest.mark.parametrize("ending", [".npz", ".csv", ".parquet"])
def test_words(run, friends, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    for query in (["sssp", "--source", "Ann"], ["nearest", "--sources", "Dora", "--sources", "Bob"]):
        assert run(query[0], friends, *query[1:], "-o", f"a{ending}", "--predecessors", "-q").code == 0
        assert proved(run("verify", friends, f"a{ending}"))


def test_without_arrow(run, roads, friends, monkeypatch):
    """Tables as text need no other package; .parquet says which one it needs, before anything is read."""
    monkeypatch.setattr(saving.importlib.util, "find_spec", lambda name: None)
    for file, sources in ((roads, "1,5"), (friends, "Ann,Bob")):
        assert run("mssp", file, "--sources", sources, "-o", "a.csv", "--predecessors", "-q").code == 0
        assert proved(run("verify", file, "a.csv"))
    run("sssp", "missing.gr", "--source", 1, "-o", "a.parquet").error("pyarrow", "pip install")
    run("verify", roads, "a.parquet").error("pyarrow")


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
    assert [str(field.type) for field in table.schema] == ["string", "string", "int32", "string"]
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
    monkeypatch.setattr(saving, "LINES", 7)
    monkeypatch.setattr(saving, "GROUP", 50)
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
    run("verify", roads, "a.csv", "--sources", "2").error("not one of the sources given")
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
    run("verify", roads, roads).error("no saved answer")


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

"""The commands that ask nothing of a solver: info, convert, generate, devices, demo."""

from __future__ import annotations

import gzip
import json
import sys

import pytest

import nearfar
from nearfar.cli.commands.generate import KINDS, REQUIRED
from nearfar.devices import DEVICES


def test_info(run, roads, friends):
    text = " ".join(run("info", roads).ok().out.split())
    assert "vertices 5, 1 to 5 arcs 6, directed degrees 0 to 2, mean 1.2" in text
    assert "weights int32 1 to 8, mean 3.66667; 0 zero, 0 negative components 1 (weakly connected)," in text
    answer = run("info", friends, "--json", "--undirected").ok().json
    assert (answer["vertices"], answer["arcs"], answer["undirected"]) == (4, 8, True)
    assert (answer["first"], answer["last"], answer["file"]) == ("Ann", "Dora", "friends.csv")
    assert "unweighted" in run("info", friends, "--weight", "none").ok().out


def test_info_tells_columns(run, roads, friends, tmp_path, monkeypatch):
    """Which columns of an edge list were taken, so that a wrong guess is seen; never a reason to fail."""
    assert "columns      from -> to, weight days\n" in run("info", friends).ok().out
    assert "columns      from -> to, no weight\n" in run("info", friends, "--weight", "none").ok().out
    assert "columns      to -> from, weight days\n" in run("info", friends, "--tail", "to", "--head", "from").ok().out
    assert run("info", friends, "--json", "--format", "edges").ok().json["columns"] == "from -> to, weight days"
    (tmp_path / "friends.csv.gz").write_bytes(gzip.compress((tmp_path / friends).read_bytes()))
    assert run("info", "friends.csv.gz", "--json").ok().json["columns"] == "from -> to, weight days"
    assert "columns" not in run("info", roads).ok().out
    assert run("info", roads, "--json").ok().json["columns"] is None

    def broken(*args):
        raise ZeroDivisionError

    monkeypatch.setattr("nearfar.formats.edges.columns_of", broken)
    assert run("info", friends, "--json").ok().json["columns"] is None


def test_info_of_several_files(run, roads, friends):
    both = run("info", roads, friends).ok().out
    first, second = both.split("\n\nfriends.csv\n\n")
    assert first.startswith("roads.gr\n\nformat       dimacs\n") and second.startswith("format       edges\n")
    lines = run("info", roads, friends, "--json").ok().out.splitlines()
    assert [json.loads(line)["file"] for line in lines] == [roads, friends]
    run("info").error("Missing argument 'FILE...'")
    failed = run("info", roads, "missing.gr")
    assert failed.code == 2 and failed.out.startswith("roads.gr\n") and "missing.gr does not exist" in failed.err


def test_reading_options(run, tmp_path):
    (tmp_path / "t.txt").write_text("w;b;a\n5;x;y\n7;y;1\n", encoding="utf8")
    columns = ("--separator", ";", "--header", "--weight", "w")
    assert run("path", "t.txt", "y", "x", "--tail", "a", "--head", "b", "-q", *columns).ok().out == "y\nx\n"
    assert run("path", "t.txt", "x", "y", "--tail", 1, "--head", 2, "-q", *columns).ok().out == "x\ny\n"
    (tmp_path / "n.csv").write_text("1,2\n2,3\n", encoding="utf8")
    answer = run("info", "n.csv", "--names", "--no-header", "--separator", "comma", "--json").ok().json
    assert answer["first"] == "1"
    assert run("sssp", "n.csv", "--names", "-s", "1", "-t", "3", "-q").ok().out == "2\n"
    assert run("sssp", "n.csv", "--no-names", "-s", "0", "-t", "2", "-q").ok().out == "2\n"
    (tmp_path / "cut.gr").write_text("p sp 3 4\na 1 2 5\n", encoding="utf8")
    run("info", "cut.gr").error("--lenient")
    assert run("info", "cut.gr", "--lenient", "--json").ok().json["arcs"] == 1


def test_convert(run, roads, friends, tmp_path):
    made = run("convert", roads, "roads.npz")
    assert (made.code, made.out) == (0, "")
    assert made.err == "nearfar: wrote roads.npz: 5 vertices, 6 arcs, int32 weights 1 to 8\n"
    assert run("convert", "roads.npz", "again.gr.gz", "-q").ok().out == ""
    assert run("sssp", "again.gr.gz", "-s", 1, "-t", 4, "-q").ok().out == "6\n"
    assert run("convert", roads, "-", "--to-format", "dimacs").ok().out.startswith("p sp 5 6\n")
    run("convert", friends, "friends.gr").error("names", "--lossy")
    assert not (tmp_path / "friends.gr").exists()
    assert run("convert", friends, "friends.gr", "--lossy", "-q").ok().out == ""
    assert run("sssp", "friends.gr", "-s", 1, "-t", 4, "-q").ok().out == "9\n"
    run("convert", roads, "roads.txt", "--to-format", "dimaks").error("Did you mean 'dimacs'?")


def test_outputs_are_checked_first(run, tmp_path):
    """Nothing is read, or made, for a file that cannot be written."""
    (tmp_path / "folder.gr").mkdir()
    for command in (["convert", "missing.gr"], ["generate", "complete", "--n", "99999999999", "-o"]):
        run(*command, "no/a.gr").error("no/a.gr cannot be written: there is no folder no")
        run(*command, "folder.gr").error("it is a folder")
        run(*command, "a.what").error("'a.what' does not name a format", "or --to-format.")
        run(*command, "-").error("standard output has no ending that names the format; use --to-format.")


@pytest.mark.parametrize(
    ("ending", "names"),
    [("csv", "'edges'"), ("tsv", "'edges'"), ("snap", "'edges'"), (".TXT", "'edges'"), ("gr", "'dimacs' or 'pace'")],
)
def test_an_ending_is_no_format(run, roads, ending, names):
    """But it tells which one is meant."""
    run("info", roads, "--format", ending).error(f"no readable format '{ending}'", f"Did you mean {names}?")
    run("convert", roads, "a.x", "--to-format", ending).error("writable format", f"Did you mean {names}?")


def test_standard_input(child, roads, tmp_path):
    text = (tmp_path / roads).read_text(encoding="utf8")
    answer = child("sssp", "-", "--source", 1, "--to", 4, "--json", stdin=text).ok().json
    assert answer["file"] == "standard input" and answer["targets"][0]["distance"] == 6


SMALL = {"rows": 3, "cols": 4, "scale": 4, "n": 6}


@pytest.mark.parametrize("kind", KINDS)
def test_generate(run, tmp_path, kind):
    parameters = [name for name, _, default, _ in KINDS[kind][2] if default is REQUIRED]
    given = [word for name in parameters for word in (f"--{name}", SMALL[name])]
    made = run("generate", kind, *given, "--seed", 7, "-o", "made.npz")
    assert made.code == 0 and made.err.startswith("nearfar: wrote made.npz: ")
    graph = nearfar.read(tmp_path / "made.npz")
    same = getattr(nearfar.generate, kind)(**{name: SMALL[name] for name in parameters}, seed=7)
    assert (graph.n, graph.m) == (same.n, same.m)
    assert graph.arcs.tobytes() == same.arcs.tobytes()


def test_generate_options(run):
    assert run("generate", "road-grid", "--rows", 2, "--cols", 2, "-q", "-o", "a.gr").ok().out == ""
    assert run("generate", "complete", "--n", 4, "--max-weight", 0, "--directed", "-q", "-o", "b.npz").code == 0
    answer = run("info", "b.npz", "--json").ok().json
    assert (answer["arcs"], answer["undirected"], answer["weight_type"]) == (12, False, "unweighted")
    run("generate", "rmat", "--scale", 99, "-o", "c.gr").error("scale is 99")
    run("generate", "rmat", "-o", "c.gr").error("Missing option '--scale'")
    run("generate", "complete", "--n", 4).error("Missing option '-o'")
    run("generate", "complete", "--n", 4, "-o", "c.what").error("--to-format")


def test_devices(run):
    text = run("devices").ok().out
    assert "cpu" in text and "core" in text
    answer = run("devices", "--json").ok().json
    first = answer["devices"][0]
    assert first["device"] == "cpu" and first["cores"] >= 1 and first["memory_bytes"] > 0 and first["gpu"] is False
    assert all(
        set(device) == {"device", "label", "cores", "memory_bytes", "gpu", "kind", "bandwidth"}
        for device in answer["devices"]
    )
    found = {device["device"].partition(":")[0] for device in answer["devices"]}
    lacking = {entry["device"]: entry["reason"] for entry in answer["missing"]}
    assert found | set(lacking) == set(DEVICES) and not found & set(lacking)
    words = text.split()  # a long label is broken into lines
    assert all({device["device"], *device["label"].split()} <= set(words) for device in answer["devices"])


def test_devices_that_are_missing(run, monkeypatch):
    for package in ("pyopencl", "cupy"):
        monkeypatch.setitem(sys.modules, package, None)
    text = run("devices").ok().out
    assert "no opencl: pyopencl is not installed: pip install 'nearfar[opencl]'\n" in text
    assert "no cuda: cupy is not installed: pip install 'nearfar[cuda]'\n" in text
    answer = run("devices", "--json").ok().json
    assert [device["device"] for device in answer["devices"]] == ["cpu"]
    assert [entry["device"] for entry in answer["missing"]] == ["opencl", "cuda"]


def test_devices_that_cannot_be_used(run, monkeypatch):
    monkeypatch.setattr(DEVICES["opencl"], "broken", dict)
    monkeypatch.setattr(DEVICES["cuda"], "broken", lambda: {"cuda:3": "it fell off the bus"})
    monkeypatch.setattr(DEVICES["cuda"], "missing", lambda: "it fell off the bus")
    text = run("devices").ok().out
    assert "cuda:3 cannot be used: it fell off the bus\n" in text and "no cuda" not in text
    answer = run("devices", "--json").ok().json
    assert answer["broken"] == [{"device": "cuda:3", "reason": "it fell off the bus"}]


def test_demo(run):
    assert "exact: 1 row of 400 distances" in run("demo", "--vertices", 400).ok().out
    run("demo", "--vertices", 1).error("--vertices")

"""Graphs in folders at the command line: converted and generated in bounded memory, and asked with little of it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import nearfar
from helpers.marks import HANG, child_environment
from helpers.tiny import assert_same, in_folder
from nearfar.graph import Graph, generate, stored


@pytest.fixture
def nobody_asks_for_all_arcs(monkeypatch):
    """Let every command fail that wants all arcs of a folder at once."""

    def refuse(self):
        raise AssertionError("all arcs were asked for")

    monkeypatch.setattr(stored.ArcFile, "map", refuse)


@pytest.fixture
def grid(tmp_path):
    """Return a folder with a graph of more arcs than are counted without kernels."""
    nearfar.write(generate.road_grid(250, 250, seed=1), tmp_path / "grid.nearfar")
    return "grid.nearfar"


MEMORY = ("--memory", "2 MB")  # its arcs take 1.4 MB, its vertices 0.3 MB, and a heap more


def test_no_command_loads_all_arcs(run, grid, nobody_asks_for_all_arcs):
    assert "arcs         174,300" in run("info", grid).ok().out
    assert "format       folder" in run("info", grid).ok().out
    assert "streamed" in run("plan", grid, "--source", 7, *MEMORY).ok().out
    answer = run("sssp", grid, "-s", 7, "--to", 62499, "--json", *MEMORY).ok().json
    assert answer["method"] == "streamed"
    far = str(answer["targets"][0]["distance"])
    assert run("path", grid, 7, 62499, "--json", *MEMORY).ok().json["distance"] == int(far)
    assert run("mssp", grid, "-s", "7,9", "--to", 62499, "-q", *MEMORY).ok().out.splitlines()[0] == far
    assert run("nearest", grid, "-s", "7,9", "--json", *MEMORY).ok().json["method"] == "streamed"
    run("sssp", grid, "-s", 7, "-o", "d.npz", *MEMORY).ok()
    assert run("verify", grid, "d.npz").ok().out.startswith("exact")


def test_info_of_a_folder_is_that_of_the_graph(run, grid, tmp_path):
    nearfar.write(nearfar.read(tmp_path / grid), tmp_path / "grid.npz")
    found, wanted = (run("info", name, "--json").ok().json for name in (grid, "grid.npz"))
    same = set(found) - {"file", "seconds", "format", "bytes"}
    assert {name: found[name] for name in same} == {name: wanted[name] for name in same}


def test_convert_to_a_folder(run, roads, friends, tmp_path):
    made = run("convert", roads, "roads.nearfar", "--memory", "100MB", "--reversed")
    assert (made.code, made.out) == (0, "")
    assert made.err == "nearfar: wrote roads.nearfar: 5 vertices, 6 arcs, int32 weights 1 to 8\n"
    wanted = in_folder(nearfar.read(tmp_path / roads), tmp_path / "wanted.nearfar", reversed=True)
    assert_same(Graph.open(tmp_path / "roads.nearfar"), wanted)
    assert (tmp_path / "roads.nearfar" / "reversed").exists()
    assert run("convert", friends, "roads.nearfar", "--undirected", "-q").ok().err == ""  # replaces it
    assert run("sssp", "roads.nearfar", "-s", "Dora", "--to", "Ann", "-q").ok().out == "9\n"
    assert "wrote twin.nearfar: 4 vertices" in run("convert", "roads.nearfar", "twin.nearfar").err
    (tmp_path / "cut.gr").write_text("p sp 3 4\na 1 2 5\n", encoding="utf8")
    assert run("convert", "cut.gr", "cut.nearfar", "--lenient").err.endswith("1 arc, int32 weights 5 to 5\n")


def test_a_folder_of_files_is_one_input(run, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.txt").write_text("1 2 5\n")
    (tmp_path / "parts" / "b.txt").write_text("2 3 7\n")
    run("convert", "parts", "both.nearfar", "-q").ok()
    assert run("sssp", "both.nearfar", "-s", 1, "--to", 3, "-q").ok().out == "12\n"
    run("convert", "parts", "both.npz").error("is a folder of files")


def test_closed_rows_are_read_whole(run, roads, tmp_path):
    for _ in range(2):  # the second replaces the first
        run("convert", roads, "roads.nearfar", "--close", 0, "-q").ok()
    assert nearfar.read(tmp_path / "roads.nearfar").m == 5
    run("convert", roads, "roads.nearfar", "--close", 0, "--memory", "1GB").error("--memory does not go with --close")


def test_a_folder_of_files_becomes_a_folder(run, roads, tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.csv").write_text("from,to,km\nUlm,Bonn,390\n")
    for asked in (["roads.npz"], ["roads.nearfar", "--close", 0]):
        run("convert", "files", *asked).error("files is a folder of files", "an OUT that ends in .nearfar")
    run("convert", "files", "roads.nearfar", "-q").ok()
    run("convert", "roads.nearfar", "roads.npz", "-q").ok()


def test_options_of_folders_are_for_folders(run, roads):
    for option in (["--memory", "1GB"], ["--reversed"], ["--restart"]):
        run("convert", roads, "roads.npz", *option).error(f"{option[0]} does not go with an OUT that does not end in")
    run("generate", "rmat", "--scale", 4, "-o", "a.npz", "--memory", "1GB").error("--memory is for folders")
    run("generate", "complete", "--n", 4, "-o", "a.nearfar", "--memory", "1GB").error("--memory")
    run("convert", roads, "roads.nearfar", "--memory", "1MB").error("needs 50.3 MB beside its vertices", "--memory")
    run("convert", roads, "no/roads.nearfar").error("there is no folder")


@pytest.mark.parametrize(
    "kind", [["rmat", "--scale", "6"], ["road_grid", "--rows", "5", "--cols", "6"], ["complete", "--n", "7"]]
)
def test_generate_into_a_folder(run, tmp_path, kind):
    made = run("generate", *kind, "--seed", 3, "-o", "made.nearfar")
    assert made.code == 0 and made.err.startswith("nearfar: wrote made.nearfar: ")
    run("generate", *kind, "--seed", 3, "-o", "made.npz", "-q").ok()
    wanted = in_folder(nearfar.read(tmp_path / "made.npz"), tmp_path / "wanted.nearfar")
    assert_same(Graph.open(tmp_path / "made.nearfar"), wanted)


STOPPED = """
import runpy, sys
import pytest
from helpers.tiny import shrink
from nearfar.scale.journal import Journal
shrink(pytest.MonkeyPatch(), arcs=20, window=200, bucket=400)
real = Journal.note
def note(self, **entry):
    real(self, **entry)
    if "segment" in entry:
        raise KeyboardInterrupt
Journal.note = note
sys.argv = ["nearfar", "convert", sys.argv[1], "g.nearfar"]
runpy.run_module("nearfar", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("given", ["g.txt", "-"])
def test_ctrl_c_says_that_the_same_command_goes_on(run, tmp_path, given):
    """Except from standard input, of which nothing is left to go on with."""
    (tmp_path / "g.txt").write_text("".join(f"{u} {u * 7 % 100} {u}\n" for u in range(100)))
    done = subprocess.run(
        [sys.executable, "-c", STOPPED, given],
        input=(tmp_path / "g.txt").read_text(),
        cwd=tmp_path,
        env=child_environment(),
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    hint = "nearfar: stopped. The same command goes on; with --restart it begins anew.\n"
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == (hint if given != "-" else "") + "nearfar: interrupted\n"
    assert len(list(tmp_path.glob(".*"))) == (given != "-")
    if given != "-":
        run("convert", "g.txt", "g.nearfar", "--undirected").error("the options are others", "--restart")
        run("convert", "g.txt", "g.nearfar", "--undirected", "--restart", "-q").ok()
        assert Graph.open(tmp_path / "g.nearfar").undirected and not list(tmp_path.glob(".*"))

"""The command draw: files appear, wrong input is explained before anything is read."""

from __future__ import annotations

import pytest

import nearfar
from nearfar import generate


@pytest.fixture
def grid(tmp_path):
    """Return the name of a file with a graph that has coordinates."""
    nearfar.write(generate.road_grid(8, 8, seed=1), tmp_path / "grid.one.npz")
    return "grid.one.npz"


def test_default_name(run, grid, tmp_path):
    answer = run("draw", grid)
    assert answer.code == 0 and answer.out == "" and answer.err.startswith("nearfar: wrote grid.png: ")
    assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "words",
    [
        ["--source", "3"],
        ["--source", "3", "--to", "60,61", "--direction", "to"],
        ["--source", "3", "--limits", "500,1000", "--dark", "--title", "Here", "--units", "m"],
        ["--sources", "3,9"],
        ["--sources", "3,9", "--kind", "isochrones", "--limits", "500", "--direction", "to"],
        ["--source", "3", "--kind", "isochrones", "--limits", "500,900"],
        ["--sources", "3,9", "--kind", "network", "--to", "60"],
        ["--source", "3", "--kind", "histogram"],
        ["--kind", "elimination", "--threads", "1"],
        ["--measure", "closeness"],
        ["--measure", "edge-betweenness"],
        ["--demand", "trips.csv"],
        ["--source", "3", "--layout", "spectral", "--detail", "pixels", "--no-legend", "--colours", "viridis"],
    ],
)
def test_pictures(run, grid, tmp_path, words):
    (tmp_path / "trips.csv").write_text("origin,destination,demand\n1,50,3\n", encoding="utf8")
    run("draw", grid, *words, "-o", "a.svg", "-q").ok()
    assert (tmp_path / "a.svg").read_bytes().startswith(b"<?xml")


def test_size(run, grid, tmp_path):
    answer = run("draw", grid, "--width", "400", "--height", "300", "-o", "a.png")
    assert answer.err == "nearfar: wrote a.png: 400 x 300 pixels\n"


def test_standard_output(child, grid, tmp_path, monkeypatch):
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-m", "nearfar", "draw", grid, "-o", "-"], capture_output=True, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith(b"\x89PNG") and done.stderr == b""


def test_a_terminal_gets_no_picture(run, grid, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    run("draw", grid, "-o", "-").error("not written to a terminal", "-o")


def test_wrong_words(run, grid, roads):
    run("draw", "none.gr", "-o", "a.gif").error("'a.gif' should end in one of .png, .svg, .pdf")
    run("draw", "none.gr", "-o", "no/a.png").error("there is no folder no")
    run("draw", "none.gr", "--to", "4").error("--to is about distances on a network; add --source")
    run("draw", "none.gr", "--limits", "4").error("--limits is about distances")
    run("draw", "none.gr", "--method", "delta").error("--method is about distances")
    run("draw", "none.gr", "--source", "1", "--measure", "closeness").error(
        "--source and --measure ask for two pictures"
    )
    run("draw", "none.gr", "--kind", "isochrones", "--source", "1").error("--kind isochrones needs --limits")
    run("draw", "none.gr", "--kind", "regions").error("--kind regions needs --sources")
    run("draw", "none.gr", "--kind", "elimination", "--source", "3").error("--kind elimination needs no other question")
    run("draw", "none.gr", "--kind", "elimination", "--method", "delta").error("--method is about distances")
    run("draw", "none.gr", "--kind", "histogram", "--source", "1", "--to", "3").error("--to is about distances on")
    run("draw", grid, "--source", "3", "--limits", "far").error("'far' are no limits")
    run("draw", grid, "--source", "3", "--limits", "9,3").error("ascending")
    run("draw", grid, "--source", "99").error("source 99 is not a vertex")
    run("draw", grid, "--colours", "faint").error("--colours faint")
    run("draw", roads, "--layout", "coordinates").error("the graph has no coordinates", "--coordinates")
    run("draw", roads, "--width", "20").error("--width 20", "160 to 10,000")

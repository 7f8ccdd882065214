"""Cells of a map as they are typed: pairs with commas, which elsewhere separate vertices."""

from __future__ import annotations

import pytest


@pytest.fixture
def yard(tmp_path):
    """Write a small grid map with a wall at (1, 0)."""
    (tmp_path / "yard.map").write_text("type octile\nheight 2\nwidth 3\nmap\n.@.\n...\n", encoding="utf8")
    return "yard.map"


@pytest.mark.parametrize("word", ["2,1", "(2, 1)", "(2,1)", " 2 , 1", "2;1", "2 1"])
def test_one_cell(run, yard, word):
    facts = run("sssp", yard, "--source", word, "--to", "0,1", "--json").ok().json
    assert facts["source"] == [2, 1] and facts["targets"] == [
        {"vertex": [0, 1], "distance": 2, "path": [[2, 1], [1, 1], [0, 1]]}
    ]


@pytest.mark.parametrize("words", [["2,1", "0,0"], ["2,1,0,0"], ["(2, 1), (0, 0)"], ["2,1;0,0"], ["@cells.txt"]])
def test_several_cells(run, yard, tmp_path, words):
    (tmp_path / "cells.txt").write_text("# depots\n2,1\n(0, 0)  # the corner\n", encoding="utf8")
    given = [part for word in words for part in ("-s", word)]
    assert run("mssp", yard, *given, "-t", "1,1", "-q").ok().out == "1.0\n2.0\n"


def test_paths(run, yard):
    assert "(0, 0) → (0, 1) → (1, 1) → (2, 1)" in run("path", yard, "0,0", "2,1").ok().out


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("1,0", ["(1, 0) is a wall"]),
        ("3,1", ["(3, 1) lies outside", "2 rows and 3 columns"]),
        ("0,-1", ["(0, -1) lies outside"]),
        ("7", ["'7'", "cells (x, y)"]),
        ("1,1,1", ["cells (x, y)"]),
        ("gate", ["'gate'", "cells (x, y)"]),
        ("9" * 5000 + ",1", ["cells (x, y)"]),
    ],
)
def test_what_is_no_cell(run, yard, word, words):
    run("sssp", yard, "--source", word).error(*words)
    run("mssp", yard, "--sources", word).error(*(words if len(word) < 99 else []))


def test_maps_keep_their_cells(run, yard):
    assert run("convert", yard, "yard.npz").code == 0
    assert run("sssp", "yard.npz", "--source", "2,1", "--to", "0,0", "-q").ok().out == "3.0\n"
    run("convert", yard, "yard.csv").error("the cells of a raster", "'npz'", "--lossy")
    assert "not kept by this format: the names of the vertices" in run("convert", yard, "yard.csv", "--lossy").err

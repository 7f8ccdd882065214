"""Stored matrices at the command line: written, resumed, repaired, looked at, proved, and read row by row."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import nearfar
from nearfar import generate
from nearfar.store.matrix import form

pytest.importorskip("zarr")


@pytest.fixture
def roads(tmp_path, monkeypatch):
    """Return a graph, the file that holds it, and the name of a store."""
    monkeypatch.setattr(form, "ROWS", 16)
    monkeypatch.setattr(form, "LEAST_BYTES", 0)
    graph = generate.road_grid(8, 8, seed=1)
    nearfar.write(graph, tmp_path / "roads.gr")
    return nearfar.read(tmp_path / "roads.gr"), str(tmp_path / "roads.gr"), str(tmp_path / "d.zarr")


def test_all_pairs_are_stored_and_resumed(run, roads):
    graph, file, store = roads
    page = run("apsp", file, "-o", store).ok().out
    assert "64 x 64 int32" in page and "finished" in page
    Path(store, "distance", "c.2.0").unlink()
    assert "48 of 64 rows; the same command goes on" in run("status", store).ok().out
    assert json.loads(run("status", store, "--json").ok().out)["finished"] is False
    run("row", store, "--source", "999").error("is no source of this matrix, which has 64 sources, 1 to 64")
    found = json.loads(run("apsp", file, "-o", store, "--resume", "--json").ok().out)
    assert found["finished"] is True and found["rows_done"] == 64 and found["output"] == store
    assert np.array_equal(nearfar.open_matrix(store)[:], nearfar.apsp(graph).dist)
    assert run("apsp", file, "-o", store, "-q").ok().out == ""


def test_rows_are_read(run, roads):
    graph, file, store = roads
    run("mssp", file, "--sources", "3,9", "-o", store, "-q").ok()
    row = nearfar.sssp(graph, 9)
    lines = run("row", store, "--source", "9", "-q").ok().out.splitlines()
    assert lines == [f"{v}\t{row[v]}" for v in range(1, 65)]
    some = json.loads(run("row", store, "--source", "9", "--to", "5,7", "--json").ok().out)
    assert some["distances"] == [{"target": 5, "distance": row[5]}, {"target": 7, "distance": row[7]}]
    page = run("row", store, "--source", "9").ok().out
    assert "{}, distance {}".format(*row.farthest()[0]) in page and "54 more" in page
    run("row", store, "--source", "4").error("4 is no source of this matrix, which has 2 sources, 3 to 9")
    run("row", store, "--source", "3,9").error("'3,9' is no source of this matrix")
    run("row", store, "--source", "--3").error("'--3' is no source of this matrix")


def test_tables_and_directions(run, roads):
    graph, file, store = roads
    run("mssp", file, "--sources", "3,9", "--to", "5,7,5", "--direction", "to", "-o", store, "-q").ok()
    wanted = nearfar.mssp(graph, [3, 9], targets=[5, 7, 5], direction="to").dist
    assert np.array_equal(nearfar.open_matrix(store)[:], wanted)
    assert "distances to the sources" in run("status", store).ok().out
    assert run("row", store, "--source", "3").ok().out.startswith("To 3 in ")
    assert json.loads(run("row", store, "--source", "3", "--json").ok().out)["direction"] == "to"


def test_stores_are_proved(run, roads):
    _, file, store = roads
    run("apsp", file, "-o", store, "-q").ok()
    assert "exact: 64 rows" in run("verify", file, store).ok().out
    assert json.loads(run("verify", file, store, "--sample", "5", "--json").ok().out)["rows"] == 5
    run("verify", file, "x.npy", "--sample", "5").error("--sample is for stores")
    nearfar.write(generate.road_grid(8, 8, seed=2), file)
    run("verify", file, store).error("the distances of another graph")


def test_repair_and_restart(run, roads):
    graph, file, store = roads
    run("apsp", file, "-o", store, "-q").ok()
    block = Path(store, "distance", "c.1.0")
    block.write_bytes(block.read_bytes()[:-9])
    run("apsp", file, "-o", store).error("1 damaged block, c.1.0. Repeat the call with --repair")
    run("apsp", file, "-o", store, "--repair", "-q").ok()
    assert np.array_equal(nearfar.open_matrix(store)[:], nearfar.apsp(graph).dist)
    run("mssp", file, "-s", "1", "-o", store).error("the sources", "anew with --restart")
    run("mssp", file, "-s", "1", "-o", store, "--restart", "-q").ok()
    assert nearfar.open_matrix(store).shape == (1, 64)


def test_plans(run, roads):
    _, file, store = roads
    page = run("plan", file, "-o", store).ok().out
    assert "by a sample" in page and not Path(store).exists()
    assert json.loads(run("plan", file, "-o", store, "--json").ok().out)["stored_bytes"] > 0
    assert json.loads(run("plan", file, "--json").ok().out)["stored_bytes"] is None


@pytest.mark.parametrize("options, said", [
    (("-o", "d.npy", "--resume"), "--resume is for stores; add -o NAME.zarr"),
    (("--join",), "--join is for stores"),
    (("-o", "d.zarr", "--resume", "--repair"), "--resume and --repair contradict each other"),
    (("-o", "d.zarr", "--predecessors"), "A store holds only distances"),
    (("-o", "d.zarr", "--resume"), "there is no store d.zarr to go on with. Leave out --resume"),
    (("-o", "no/such/d.zarr"), "there is no folder"),
    (("-o", "d.zap"), ".parquet or .zarr"),
])  # fmt: skip
def test_wrong_options(run, roads, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    run("apsp", roads[1], *options).error(said)
    assert not Path("d.zarr").exists()


@pytest.mark.parametrize("words", [("sssp", "--source", "1"), ("nearest", "--sources", "1,2")])
def test_one_row_is_no_store(run, roads, tmp_path, words):
    """What has no rows by source is refused before anything is computed."""
    store = tmp_path / "row.zarr"
    run(words[0], roads[1], *words[1:], "-o", str(store)).error("should end in one of .npy", "'-' writes csv")
    assert not store.exists()

"""``nearfar partition``: parts of a graph in a folder, from the shell."""

from __future__ import annotations

import json

import pytest

import nearfar
from nearfar.graph import Graph, generate


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a graph."""
    path = tmp_path / "g.nearfar"
    nearfar.write(generate.road_grid(20, 20, seed=1), path)
    return path


def test_parts_are_written_and_used(run, folder):
    page = run("partition", folder, "--parts", "4", "--how", "coordinates").ok().out
    assert "4, the largest with" in page
    assert "asked for" in page
    assert Graph.open(folder).parts.count == 4
    answer = run("sssp", folder, "--source", "0", "--to", "399", "--method", "parts", "--json").ok().out
    plain = run("sssp", folder, "--source", "0", "--to", "399", "--method", "dijkstra", "--json").ok().out
    assert json.loads(answer)["targets"] == json.loads(plain)["targets"]


def test_nothing_is_written_on_a_dry_run(run, folder):
    facts = json.loads(run("partition", folder, "--parts", "3", "--dry-run", "--json").ok().out)
    assert (facts["command"], facts["parts"], facts["written"]) == ("partition", 3, False)
    assert facts["boundary_vertices"] > 0
    assert Graph.open(folder).parts is None


def test_wrong_arguments(run, folder, tmp_path):
    run("partition", folder, "--parts", "0").error("parts is 0", "1 to 65,535")
    run("partition", folder, "--parts", "4", "--how", "luck").error("'luck'", "'metis', 'coordinates', 'ranges'")
    run("partition", tmp_path / "none", "--parts", "4").error("not a folder with a graph")

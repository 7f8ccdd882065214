"""The commands metrics, access and flows: their tables are what the library gives, and wrong input is explained."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import nearfar
from nearfar import generate, metrics
from nearfar.methods import METHODS
from nearfar.store.columns import read_columns


@pytest.fixture
def roads(tmp_path):
    """Return a graph and the file that holds it."""
    graph = generate.road_grid(8, 8, seed=1)
    path = tmp_path / "roads.gr"
    nearfar.write(graph, path)
    return nearfar.read(path), str(path)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_metrics_are_written(run, roads, tmp_path, ending):
    graph, file = roads
    out = str(tmp_path / f"out.{ending}")
    flags = ("--closeness", "--harmonic", "--eccentricity", "--mean-distance", "--betweenness")
    page = run("metrics", file, *flags, "--reach", "500,2000", "--diameter", "--radius", "-o", out).ok().out
    table = read_columns(out)
    assert table["vertex"] == list(range(1, graph.n + 1))
    for name in ("closeness", "harmonic", "eccentricity", "mean_distance", "betweenness"):
        assert np.allclose(table[name], getattr(metrics, name)(graph).values, rtol=1e-12)
    assert table["within_500"] == metrics.reach(graph, 500).values[:, 0].tolist()
    assert f"diameter  {metrics.diameter(graph)}" in page and f"radius    {metrics.radius(graph)}" in page


def test_metrics_of_some_vertices_as_json(run, roads):
    graph, file = roads
    found = json.loads(run("metrics", file, "--eccentricity", "--vertices", "3,9", "--hops", "--json").ok().out)
    wanted = metrics.eccentricity(graph, [3, 9], hops=True).values
    assert found["metrics"][0]["greatest"] == wanted.max() and found["metrics"][0]["at"] in (3, 9)
    assert found["diameter"] is None and set(found["seconds"]) == {"read", "solve"}
    assert found["metrics"][0]["method"] in METHODS and found["metrics"][0]["device"] == "cpu"
    lines = run("metrics", file, "--closeness", "--vertices", "9", "-o", "-").ok().out.splitlines()
    assert lines[0] == "vertex,closeness" and lines[1].startswith("9,") and len(lines) == 2
    assert run("metrics", file, "--radius", "-q").ok().out == f"{metrics.radius(graph)}\n"


def test_access(run, roads, tmp_path):
    graph, file = roads
    jobs, out = tmp_path / "jobs.csv", tmp_path / "a.csv"
    jobs.write_text("vertex,jobs,shops\n1,10,2\n5,3,0.5\n1,5,0\n")
    run("access", file, "--opportunities", str(jobs), "--cutoffs", "500,2000", "-o", str(out)).ok()
    amounts = {1: 15, 5: 3}
    table = read_columns(str(out))
    assert table["jobs_2000"] == metrics.accessibility(graph, amounts, cutoffs=2000).values[:, 0].tolist()
    assert max(table["shops_500"]) <= 2.5
    page = run("access", file, "--opportunities", str(jobs), "--decay", "linear", "--scale", "900").ok().out
    assert "jobs" in page and "shops" in page


def test_flows(run, roads, tmp_path):
    graph, file = roads
    trips, out = tmp_path / "trips.csv", tmp_path / "flows.csv"
    trips.write_text("Origin,Destination,Trips\n1,64,10\n3,9,2.5\n")
    run("flows", file, "--demand", str(trips), "-o", str(out)).ok()
    wanted = metrics.flows(graph, [(1, 64, 10), (3, 9, 2.5)])
    with open(out, newline="") as lines:
        table = list(csv.DictReader(lines))
    assert [float(line["flow"]) for line in table] == wanted.by_row().tolist()
    first = table[int(np.argmax(wanted.by_row()))]
    assert wanted[int(first["tail"]), int(first["head"])] == float(first["flow"])
    found = json.loads(run("flows", file, "--demand", str(trips), "--json").ok().out)
    assert isinstance(found["busiest"]["row"], int) and set(found["seconds"]) == {"read", "solve"}
    assert found["method"] in METHODS and found["device"] == "cpu"
    assert found["demand"] == 12.5 and found["unserved"] == 0 and found["greatest"] == wanted.by_row().max()


def test_wrong_input(run, roads, tmp_path):
    _, file = roads
    table = tmp_path / "table.csv"
    run("metrics", file).error("No metric was asked for", "--closeness")
    run("metrics", file, "--diameter", "--cutoff", "5").error("has no --cutoff")
    run("metrics", file, "--diameter", "-o", str(table)).error("-o writes one column per metric")
    run("access", file, "--opportunities", "no.csv", "--decay", "linear").error("--scale 600")
    run("metrics", file, "--closeness", "-o", "x.npy").error("should end in one of .csv")
    run("metrics", file, "--reach", "far").error("'far'")
    run("access", file, "--opportunities", "no.csv").error("--cutoffs 600,1200")
    run("access", file, "--opportunities", "no.csv", "--cutoffs", "5").error("no file 'no.csv'")
    for text, message in (
        ("", "is empty"),
        ("vertex\n1\n", "one column only"),
        ("vertex,jobs\n1,many\n", "words in the column jobs"),
        ("vertex,jobs\n999,1\n", "999"),
        ("vertex,jobs\n1\n", "line 2 has 1 fields"),
    ):
        table.write_text(text)
        run("access", file, "--opportunities", str(table), "--cutoffs", "5").error(message)
    table.write_text("a,b,c\n1,2,3\n")
    run("flows", file, "--demand", str(table)).error("origin, destination and demand are needed")
    table.write_text("origin,destination,demand\n1,2,much\n")
    run("flows", file, "--demand", str(table)).error("demand is a number")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_vertices_that_are_words(run, tmp_path, ending):
    """All three commands write them, whatever the file is."""
    places, jobs, trips = tmp_path / "places.csv", tmp_path / "jobs.csv", tmp_path / "trips.csv"
    places.write_text("tail,head,weight\nUlm,Bonn,4\nBonn,Kiel,3\n")
    jobs.write_text("vertex,jobs\nKiel,7\n")
    trips.write_text("origin,destination,demand\nUlm,Kiel,10\n")
    tables = []
    for words in (
        ("metrics", str(places), "--eccentricity", "--directed"),
        ("access", str(places), "--opportunities", str(jobs), "--cutoffs", "3", "--directed"),
        ("flows", str(places), "--demand", str(trips), "--directed"),
    ):
        out = str(tmp_path / f"{words[0]}.{ending}")
        run(*words, "-o", out).ok()
        tables.append(read_columns(out))
    assert [table.get("vertex") for table in tables] == [["Ulm", "Bonn", "Kiel"], ["Ulm", "Bonn", "Kiel"], None]
    assert tables[1]["jobs_3"] == [0, 7, 7]
    assert (tables[2]["tail"], tables[2]["head"]) == (["Ulm", "Bonn"], ["Bonn", "Kiel"])

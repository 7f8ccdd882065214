"""Places instead of vertices on the command line: what counts as one, tables of places, units in the output."""

from __future__ import annotations

import csv
import io
import json

import pytest

import nearfar
from nearfar import Graph
from nearfar.cli.places import as_place
from nearfar.cli.words import find_vertex, find_vertices
from nearfar.errors import VertexError

CITY = nearfar.generate.city(6, 7, 2)


@pytest.fixture
def city(tmp_path):
    nearfar.write(CITY, tmp_path / "city.npz")
    return "city.npz"


def typed(v, shift=1e-5):
    lon, lat = CITY.coordinates[v] + shift
    return f"{lon:.6f},{lat:.6f}"


def test_path_between_places(run, city):
    answer = run("path", city, "--from", typed(0), "--to", typed(41), "--json").ok().json
    assert answer["path"] == nearfar.path(CITY, CITY.name(0), CITY.name(41))
    assert [place["vertex"] for place in answer["places"]] == [CITY.name(0), CITY.name(41)]
    assert answer["places"][0]["place"] == typed(0) and 0 < answer["places"][0]["distance"] < 3
    assert answer["graph"]["unit"] == "s"
    text = run("path", city, "--", typed(0), typed(41)).ok().out
    assert f"{answer['distance']} s, over {answer['arcs']} arcs" in text
    assert f"{typed(0)} is at" in " ".join(text.split())
    assert run("path", city, "--from", typed(0), "--to", typed(0), "-q").ok().out == f"{CITY.name(0)}\n"


def test_a_path_on_a_map(run, city, tmp_path):
    run("path", city, "--from", typed(0), "--to", typed(41), "-o", "way.geojson", "-q").ok()
    way = json.loads((tmp_path / "way.geojson").read_text(encoding="utf8"))
    path = nearfar.path(CITY, CITY.name(0), CITY.name(41))
    line = way["features"][0]["geometry"]["coordinates"]
    assert line == CITY.coordinates[CITY.indices(path)].round(7).tolist()
    ends = ["--from", typed(0), "--to", typed(41)]
    run("path", city, *ends, "-o", "way.csv").error(".geojson")
    run("path", city, *ends, "-o", "absent/way.geojson").error("absent")
    nearfar.write(CITY.with_units(coordinates="m"), tmp_path / "flat.npz")
    run("path", "flat.npz", *ends, "-o", "flat.geojson").error("lie in a plane")
    assert not (tmp_path / "flat.geojson").exists()


def test_places_in_lists_and_files(run, city, tmp_path):
    names = [CITY.name(v) for v in (3, 20, 33)]
    expected = [
        row["source"] for row in run("mssp", city, *(f"-s{name}" for name in names), "--json").ok().json["rows"]
    ]
    listed = run("mssp", city, *(f"-s{typed(v)}" for v in (3, 20, 33)), "--json").ok().json
    assert [row["source"] for row in listed["rows"]] == expected == names
    lines = "\n".join(map(typed, (3, 20, 33)))
    (tmp_path / "lines.txt").write_text(lines + "\n", encoding="utf8")
    (tmp_path / "points.csv").write_text(
        "name,lat,lon\n"
        + "\n".join(f'"Nr. {v}, left",{CITY.coordinates[v, 1]},{CITY.coordinates[v, 0]}' for v in (3, 20, 33))
        + "\n",
        encoding="utf8",
    )
    for given in (["--sources", "@lines.txt"], ["--sources", "@points.csv"], ["--at", "points.csv"],
                  ["--sources-from", "points.csv"]):  # fmt: skip
        answer = run("mssp", city, *given, "--json").ok().json
        assert [row["source"] for row in answer["rows"]] == names
    assert [place["place"] for place in answer["places"]] == ["Nr. 3, left", "Nr. 20, left", "Nr. 33, left"]
    pairs = run("mssp", city, "--at", "points.csv", "--to", "@points.csv", "-o", "-").ok().out
    rows = list(csv.DictReader(io.StringIO(pairs)))
    assert len(rows) == 9 and {row["source"] for row in rows} == set(names)
    near = run("nearest", city, "--at", "points.csv", "--to", typed(4), "-q").ok().out
    assert near == f"{nearfar.nearest(CITY, names)[CITY.name(4)][1]}\n"
    assert run("plan", city, "--at", "points.csv", "--json").ok().json


def test_sssp_from_a_place(run, city):
    answer = run("sssp", city, "--from", typed(5), "--to", typed(30), "--json").ok().json
    assert answer["source"] == CITY.name(5) and answer["targets"][0]["vertex"] == CITY.name(30)
    text = run("sssp", city, "--from", typed(5)).ok().out
    assert "distance (s)" in text and "int32 weights 11 to 21 s" in text
    late = run("sssp", city, "--start", f"{typed(5)}=2.5", "--json").ok().json
    assert late["source"] == [{"vertex": CITY.name(5), "distance": 2.5}]


def test_a_vertex_called_like_a_place_is_the_vertex():
    graph = Graph.from_arcs(["1.5,2", "b"], ["b", "1.5,2"], names=True).with_units(coordinates="degrees")
    points = [[9.0, 9.0], [1.5, 2.0]]
    placed = Graph.from_arcs([0, 1], [1, 0], names=["1.5,2", "b"], coordinates=points).with_units(coordinates="degrees")
    assert find_vertex(placed, "1.5,2", "source") == "1.5,2" and find_vertex(graph, "1.5,2", "source") == "1.5,2"
    assert find_vertices(placed, ["1.5,2"], "source") == ["1.5,2"]
    assert find_vertex(placed, "1.5,2.0", "source") == "b"
    assert find_vertices(placed, ["1.50,2", "9,9.", "b"], "source") == ["b", "1.5,2", "b"]


@pytest.mark.parametrize("word", ["3,4", "1.5", "1.5,", "1.5,2,3.5", "1e3,2.0", "a,2.5", "1.5 2.5", "nan,1.0", "١.٥,٢"])
def test_what_is_no_place(word):
    assert as_place(CITY, word) is None


def test_two_whole_numbers_are_two_vertices():
    graph = Graph.from_arcs([3, 4], [4, 3], coordinates=[[v, v] for v in range(5)])
    assert find_vertices(graph, ["3,4"], "source") == [3, 4]
    assert as_place(graph, "3.0,4") is not None and as_place(Graph.from_arcs([0], [1]), "3.0,4.0") is None


def test_files_that_do_not_say_what_their_coordinates_are(run, tmp_path):
    nearfar.write(CITY.with_units(), tmp_path / "bare.npz")
    run("path", "bare.npz", "--from", typed(0), "--to", typed(41)).error("--degrees", "--plane")
    answer = run("path", "bare.npz", "--from", typed(0), "--to", typed(41), "--degrees", "--json").ok().json
    assert answer["path"][0] == CITY.name(0) and "unit" not in answer["graph"]
    flat = run("path", "bare.npz", "--from", typed(0), "--to", typed(41), "--plane", "--json").ok().json
    assert flat["places"][0]["unit"] == "units" and flat["path"] == answer["path"]
    for out in ("again.npz", "again.nearfar"):
        run("convert", "bare.npz", out, "--degrees", "-q").ok()
        assert nearfar.read(tmp_path / out).units.coordinates == "degrees"


def test_wrong_places(run, city, tmp_path):
    lon, lat = typed(0).split(",")
    run("sssp", city, "--from", f"{lat},{lon}").error("exchanged")
    run("sssp", city, "--from", "7.5,99.5").error("latitude 99.5")
    far = run("sssp", city, "--from", "-20.5,45.0", "--to", typed(0), "-q")
    assert far.code == 0 and "source -20.5,45.0 is 38.9 km" in far.err
    for text, word in (("lon,lat\n1.5\n", "place 1"), ("lon,lat\n1.5,x\n", "place 1"), ("lon,lat\n", "No sources")):
        (tmp_path / "bad.csv").write_text(text, encoding="utf8")
        run("mssp", city, "--at", "bad.csv").error(word)
    run("mssp", city, "--at", "absent.csv").error("absent.csv")
    run("nearest", city).error("--at")


@pytest.mark.parametrize("head", ["name,id,lon,lat,jobs,street", "Name,ID,Longitude,Latitude,jobs,street"])
def test_opportunities_at_places(run, city, tmp_path, head):
    """Two places lie at vertex 3: their jobs are added. Names, ids and columns of words are no amounts."""
    lines = [head]
    for number, (v, jobs) in enumerate([(3, 5), (20, 2), (3, 7)]):
        lines.append(f"{number},{number},{typed(v)},{jobs},Oak Street")
    (tmp_path / "jobs.csv").write_text("\n".join(lines) + "\n", encoding="utf8")
    asked = ("access", city, "--opportunities", "jobs.csv", "--cutoffs", "60")
    rows = list(csv.DictReader(io.StringIO(run(*asked, "-o", "-").ok().out)))
    assert list(rows[0]) == ["vertex", "jobs_60"]
    wanted = nearfar.metrics.accessibility(CITY, {CITY.name(3): 12, CITY.name(20): 2}, cutoffs=60)
    assert [int(row["jobs_60"]) for row in rows] == wanted.values[:, 0].tolist()
    answer = run(*asked, "--json").ok().json
    assert [place["vertex"] for place in answer["places"]] == [CITY.name(v) for v in (3, 20, 3)]
    assert f"0 is at {CITY.name(3)}" in " ".join(run(*asked).ok().out.split())


def test_which_tables_of_opportunities_have_places(run, city, tmp_path):
    """A column vertex decides, and x and y are amounts unless they come first."""
    (tmp_path / "jobs.csv").write_text(f"vertex,lon,lat\n{CITY.name(3)},1,2\n", encoding="utf8")
    asked = ("access", city, "--opportunities", "jobs.csv", "--cutoffs", "60", "-o", "-")
    assert run(*asked).ok().out.startswith("vertex,lon_60,lat_60\n")
    (tmp_path / "jobs.csv").write_text(f"crossing,x,y\n{CITY.name(3)},1,2\n", encoding="utf8")
    assert run(*asked).ok().out.startswith("vertex,x_60,y_60\n")
    (tmp_path / "jobs.csv").write_text(f"x,y,jobs\n{typed(3)},2\n", encoding="utf8")
    assert run(*asked).ok().out.startswith("vertex,jobs_60\n")


def test_wrong_opportunities_at_places(run, city, tmp_path):
    nearfar.write(nearfar.generate.road_grid(3, 3), tmp_path / "bare.gr")
    asked = ("--opportunities", "jobs.csv", "--cutoffs", "60")
    for text, words in (
        (f"lon,lat,jobs\n{typed(0)},many\n{typed(1)},2\n", ("words in the column jobs",)),
        (f"lon,lat,street\n{typed(0)},Oak Street\n", ("no column of amounts",)),
        ("lon,lat,jobs\n-20,,2\n", ("column lat", "every place needs one")),
        ("lon,lat,jobs\n-20,nan,2\n", ("column lat", "every place needs one")),
    ):
        (tmp_path / "jobs.csv").write_text(text, encoding="utf8")
        run("access", city, *asked).error(*words)
    (tmp_path / "jobs.csv").write_text("lon,lat,jobs\n1,2,3\n", encoding="utf8")
    run("access", "bare.gr", *asked).error("lon and lat", "no coordinates", "column vertex")


def test_graphs_without_coordinates(run, tmp_path):
    """Each way out is said once, as it is typed; words that look like places are told from vertices."""
    for names in (True, False):
        bare = Graph.from_arcs(["1.5", "b"], ["b", "1.5"], names=True) if names else Graph.from_arcs([0, 1], [1, 0])
        nearfar.write(bare, tmp_path / "none.npz")
        ends = ["1.5", "b"] if names else ["0", "1"]
        lost = run("path", "none.npz", *ends, "-o", "way.geojson").error("no coordinates", "read, by --coordinates")
        assert lost.err.count("--coordinates") == 1 and "built" not in lost.err
        for given in (["path", "none.npz", "--from", "-87.6,41.8", "--to", ends[0]],
                      ["mssp", "none.npz", "--sources=-87.6,41.8"]):  # fmt: skip
            run(*given).error("'-87.6,41.8'", "the graph has no coordinates", "--coordinates")
        assert "coordinates" not in run("path", "none.npz", "17,18", ends[0]).error("17,18").err
    named = Graph.from_arcs(["1.5", "2"], ["2", "1.5"], names=True)
    assert find_vertices(named, ["1.5,2"], "source") == ["1.5", "2"]


def test_a_unit_that_cannot_be_typed_is_not_offered(run, tmp_path):
    nearfar.write(CITY.with_units(), tmp_path / "bare.npz")
    assert "another unit" not in run("path", "bare.npz", "--from", typed(0), "--to", typed(41)).error("--plane").err


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("x,lat\n-20,45\n", ["are x, lat."]),
        ("lon;lat\n-20;45\n", ["is 'lon;lat'", "commas"]),
        ("lon\tlat\tname\n-20\t45\tMill\n", ["is 'lon", "commas"]),
        ("name,east,north\nMill,-20.0,45\n", ["are name, east, north."]),
        ("name,lat\n", ["are name, lat."]),
    ],
)
def test_tables_without_the_columns_of_places(run, city, tmp_path, lines, words):
    (tmp_path / "points.csv").write_text(lines, encoding="utf8")
    for given in (["--at", "points.csv"], ["--sources", "@points.csv"]):
        failed = run("mssp", city, *given).error("points.csv has no columns lon and lat", *words)
        assert ("Put commas" in failed.err) == ("," not in lines.splitlines()[0])


def test_files_of_vertices_are_no_tables(tmp_path):
    graph = Graph.from_arcs(["x;lat", "b"], ["b", "x;lat"], names=True)
    path = tmp_path / "vertices.txt"
    for lines in ("x;lat\nb\n", "b\nx;lat\n"):
        path.write_text(lines, encoding="utf8")
        assert find_vertices(graph, [f"@{path}"], "source") == lines.split()
    for lines in ("Ulm, Bonn\nb\n", "7,8\n3,4\n"):
        path.write_text(lines, encoding="utf8")
        with pytest.raises(VertexError, match=r"source '(Ulm, Bonn|7,8)' is not a vertex"):
            find_vertices(graph, [f"@{path}"], "source")

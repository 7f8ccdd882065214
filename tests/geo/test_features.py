"""Graphs, results, metrics and paths as GeoJSON, well-known text and frames of GeoPandas."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import nearfar
from nearfar import Graph, geo
from nearfar.errors import FileError, GraphError, InputTypeError, OptionError

CITY = nearfar.generate.city(6, 7, 2)
ENDS = CITY.name(0), CITY.name(41)
MAKERS = {
    "graph": lambda: CITY,
    "sssp": lambda: nearfar.sssp(CITY, ENDS[0]),
    "to": lambda: nearfar.sssp(CITY, ENDS[0], direction="to"),
    "mssp": lambda: nearfar.mssp(CITY, ENDS),
    "nearest": lambda: nearfar.nearest(CITY, ENDS),
    "several": lambda: nearfar.nearest(CITY, ENDS, 2),
    "table": lambda: nearfar.table(CITY, ENDS, ENDS),
    "within": lambda: nearfar.metrics.within(CITY, 30),
    "measure": lambda: nearfar.metrics.closeness(CITY),
    "columns": lambda: nearfar.metrics.reach(CITY, [20, 40]),
    "flows": lambda: nearfar.metrics.flows(CITY, [(*ENDS, 10)]),
    "betweenness": lambda: nearfar.metrics.edge_betweenness(CITY),
    "snapped": lambda: geo.snap(CITY, [-20, -20.001], [45, 45]),
    "on arcs": lambda: geo.snap(CITY, [-20, -20.001], [45, 45], on="arcs"),
    "isochrone": lambda: geo.isochrone(CITY, ENDS[0], [20, 40]),
}
KINDS = dict.fromkeys(MAKERS, "Point") | dict.fromkeys(
    ("graph", "table", "within", "flows", "betweenness"), "LineString"
)
KINDS["isochrone"] = "MultiPolygon"


@pytest.mark.parametrize("name", MAKERS)
def test_everything_is_geojson(name):
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    made = MAKERS[name]()
    found = geo.to_geojson(made)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["type"] == "FeatureCollection" and found["features"]
    for feature in found["features"]:
        assert feature["type"] == "Feature" and feature["geometry"]["type"] == KINDS[name]
        shape = shapely.from_geojson(json.dumps(feature["geometry"]))
        left, low, right, high = shape.bounds
        assert -20.02 < left <= right < -19.98 and 44.98 < low <= high < 45.02  # longitude first
    texts = geo.features(made).to_wkt()
    assert len(texts) == len(found["features"])
    for text, feature in zip(texts, found["features"], strict=True):
        same = shapely.from_geojson(json.dumps(feature["geometry"]))
        assert shapely.equals_exact(shapely.from_wkt(text), same, tolerance=1e-6)


@pytest.mark.parametrize("name", [name for name in MAKERS if name not in ("isochrone", "graph")])
def test_lines_of_the_table_are_the_properties(name):
    made = MAKERS[name]()
    frame, found = made.to_frame(), geo.features(made)
    assert len(frame) == len(found)
    for column in frame.columns:
        assert frame[column].tolist() == found.properties[str(column)]


def test_points_lie_at_their_vertices():
    for made, column in ((nearfar.sssp(CITY, ENDS[0]), "target"), (nearfar.nearest(CITY, ENDS), "vertex"),
                         (nearfar.sssp(CITY, ENDS[0], direction="to"), "source")):  # fmt: skip
        for feature in made.to_geojson()["features"]:
            v = CITY.index(feature["properties"][column])
            assert feature["geometry"]["coordinates"] == CITY.coordinates[v].round(7).tolist()


def test_paths():
    way = nearfar.path(CITY, *ENDS)
    found = geo.features(CITY, way)
    feature = found.to_geojson()["features"][0]
    assert feature["geometry"]["coordinates"] == CITY.coordinates[CITY.indices(way)].round(7).tolist()
    length = nearfar.distance(CITY, *ENDS)
    assert feature["properties"] == {"source": ENDS[0], "target": ENDS[1], "distance": length, "arcs": len(way) - 1}
    both = geo.features(CITY, [way, [ENDS[0]]])
    assert both.properties["distance"] == [length, 0] and both.to_wkt()[1].count(",") == 1
    assert geo.features(CITY.with_weights(None), way).properties["distance"] == [len(way) - 1]
    with pytest.raises(InputTypeError, match="empty"):
        geo.features(CITY, [])
    with pytest.raises(InputTypeError, match="needs its graph"):
        geo.features(nearfar.sssp(CITY, ENDS[0]), way)


def test_geopandas():
    pytest.importorskip("geopandas", reason="geopandas is not installed")
    frame = geo.features(nearfar.sssp(CITY, ENDS[0])).to_geopandas()
    assert frame.crs.to_epsg() == 4326 and frame["target"].tolist() == list(CITY.names)
    assert frame.geometry.x.to_numpy() == pytest.approx(CITY.coordinates[:, 0])
    areas = geo.isochrone(CITY, ENDS[0], [20, 40]).to_geopandas()
    assert areas.is_valid.all() and areas["limit"].tolist() == [20, 40]
    plane = Graph.from_arcs([0], [1], coordinates=[[0, 0], [5, 5]]).with_units("s", "m")
    assert geo.features(plane).to_geopandas(crs="EPSG:25832").crs.to_epsg() == 25832
    empty = geo.features(Graph.from_arcs([], [], n=1, coordinates=[[0, 0]]), units="m").to_geopandas()
    assert len(empty) == 0


def test_files_are_written_whole(tmp_path):
    found = geo.to_geojson(CITY, tmp_path / "city.geojson")
    assert json.loads((tmp_path / "city.geojson").read_text(encoding="utf8")) == found and found["unit"] == "s"
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(FileError, match="no folder"):
        geo.to_geojson(CITY, tmp_path / "absent" / "city.geojson")


def test_what_json_lacks():
    names, points = [("a", 1), "b"], [[179.9, 0], [-179.9, 0]]
    graph = Graph.from_arcs([0, 1], [1, 0], [1.5, 2.5], coordinates=points, names=names)
    graph = graph.with_units(coordinates="degrees")
    first = geo.to_geojson(graph)["features"][0]
    assert first["properties"] == {"tail": ["a", 1], "head": "b", "weight": 1.5}
    assert first["geometry"]["coordinates"] == [[179.9, 0.0], [180.1, 0.0]]
    assert geo.features(graph, [("a", 1), "b", ("a", 1)]).shapes[0] == [[179.9, 0.0], [180.1, 0.0], [179.9, 0.0]]
    measure = nearfar.metrics.closeness(graph)
    measure.values[0] = math.nan
    assert geo.to_geojson(measure)["features"][0]["properties"]["closeness"] is None


def test_undirected_edges_are_one_line():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 2], [3, 4, 5], undirected=True, coordinates=np.eye(3, 2))
    assert geo.features(graph, units="m").properties["weight"] == [3, 4, 5]


def test_wrong_inputs():
    bare = Graph.from_arcs([0], [1])
    with pytest.raises(GraphError, match="no coordinates"):
        nearfar.sssp(bare, 0).to_geojson()
    plane = Graph.from_arcs([0], [1], coordinates=[[0, 0], [5, 5]])
    with pytest.raises(OptionError, match="units='degrees'"):
        geo.to_geojson(plane)
    with pytest.raises(OptionError, match="lie in a plane"):
        geo.to_geojson(plane, units="m")
    assert geo.features(plane, units="m").to_wkt() == ["LINESTRING (0 0, 5 5)"]
    for thing in (5, {"a": 1}, np.zeros(3)):
        with pytest.raises(InputTypeError, match="features"):
            geo.features(thing)

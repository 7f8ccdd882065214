"""Units: shown, kept by what keeps the weights, dropped by what replaces them, saved with the graph."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import nearfar
from nearfar import Graph
from nearfar.errors import FormatError, InputTypeError, OptionError
from nearfar.graph.reweigh import unweighted
from nearfar.graph.units import Units


def triangle():
    points = [[0, 0], [1, 0], [0, 1]]
    return Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3], coordinates=points).with_units("s", "degrees")


def test_units_are_shown():
    graph = triangle()
    assert repr(graph) == "Graph(n=3, m=3, int32 weights 3..9 s)"
    assert graph.describe()["unit_of_weights"] == "s" and graph.describe()["unit_of_coordinates"] == "degrees"
    assert "unit_of_weights" not in Graph.from_arcs([0], [1]).describe()


@pytest.mark.parametrize(
    "change",
    [Graph.reverse, lambda g: g.reversed, lambda g: g.close([1]), Graph.without_rows, Graph.without_names,
     lambda g: pickle.loads(pickle.dumps(g))],
)  # fmt: skip
def test_units_stay_with_the_weights(change):
    assert change(triangle()).units == Units("s", "degrees")


@pytest.mark.parametrize(
    "change", [lambda g: g.with_weights([1, 2, 3]), lambda g: g.with_weights(None), unweighted,
               lambda g: g.with_weights([1, math.inf, 3]), lambda g: g.close([0]).with_weights([1, 2, 3])]
)  # fmt: skip
def test_other_weights_have_no_unit(change):
    assert change(triangle()).units == Units(None, "degrees")


def test_the_first_graph_keeps_its_units():
    graph = triangle()
    distances = nearfar.sssp(graph, 0, direction="to")
    other = graph.with_units("m")
    assert graph.units == Units("s", "degrees") and other.units == Units("m", None)
    assert other.reversed.units == Units("m", None) and distances.graph.units == graph.units
    assert np.shares_memory(other.arcs, graph.arcs)


@pytest.mark.parametrize("name", ["g.npz", "g.nearfar"])
def test_units_are_saved(tmp_path, name):
    nearfar.write(triangle(), tmp_path / name)
    again = nearfar.read(tmp_path / name)
    assert again.units == Units("s", "degrees")
    assert pickle.loads(pickle.dumps(again.with_units("h"))).units == Units("h")
    assert again.with_weights(None).units == Units(None, "degrees")


def test_files_of_older_versions_have_no_units(tmp_path):
    nearfar.write(triangle().with_units(), tmp_path / "g.npz")
    assert "units" not in np.load(tmp_path / "g.npz") and nearfar.read(tmp_path / "g.npz").units == Units()


@pytest.mark.parametrize("words", [np.array(["s"]), np.array([1, 2]), np.array(["s" * 40, ""]), np.array(["\n", ""])])
def test_damaged_units(tmp_path, words):
    nearfar.write(triangle(), tmp_path / "g.npz")
    parts = dict(np.load(tmp_path / "g.npz")) | {"units": words}
    np.savez(tmp_path / "bad.npz", **parts)
    with pytest.raises(FormatError, match="units"):
        nearfar.read(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("unit", "error"), [(3, InputTypeError), ("", OptionError), (" s", OptionError), ("x" * 17, OptionError)]
)
def test_wrong_units(unit, error):
    for given in ((unit, None), (None, unit)):
        with pytest.raises(error):
            triangle().with_units(*given)


def test_readers_set_what_files_decide(tmp_path):
    arcs = {"src": [0, 1], "dst": [1, 0], "w": [2, 3]}
    np.savez(tmp_path / "lon.npz", **arcs, lon=[1.5, 1.6], lat=[42.5, 42.6])
    np.savez(tmp_path / "xy.npz", **arcs, x=[1.5, 1.6], y=[42.5, 42.6])
    assert nearfar.read(tmp_path / "lon.npz").units == Units(None, "degrees")
    assert nearfar.read(tmp_path / "xy.npz").units == Units()


def test_graphs_of_osmnx_say_whether_they_are_projected(tmp_path):
    nx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    for crs, unit in (("epsg:4326", "degrees"), ("epsg:25832", None), (None, None)):
        town = nx.MultiDiGraph(**({} if crs is None else {"crs": crs}))
        town.add_node(7, x=9.99, y=48.4)
        town.add_node(8, x=9.98, y=48.41)
        town.add_edge(7, 8, length=12.5)
        assert Graph.from_networkx(town, weight="length").units == Units(None, unit)
        nx.write_graphml(town, tmp_path / "town.graphml")
        assert nearfar.read(tmp_path / "town.graphml").units == Units(None, unit)

"""Distances as labelled arrays of xarray."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases
from nearfar import Graph, metrics
from nearfar.errors import MissingDependencyError

NAMES = [None, [f"v{i}" for i in range(12)], list(range(50, 62)), [(i // 3, i % 3) for i in range(12)]]


@given(cases(dtypes=("int32", "float32", "float64", None)), st.sampled_from(NAMES), st.sampled_from(["from", "to"]))
def test_labels_find_distances(case, names, direction):
    graph = Graph.from_arcs(*case.arrays(), case.n, names=None if names is None else names[: case.n])
    some = [graph.name(v) for v in range(0, graph.n, 3)]
    rows = nearfar.mssp(graph, some, direction=direction)
    array = rows.to_xarray()
    assert array.dtype == (np.float32 if case.dtype == "float32" else np.float64) and array.name == "distance"
    assert array.dims == (("source", "target") if direction == "from" else ("target", "source"))
    first, second = array.dims
    for s in some:
        for v in range(graph.n):
            assert array.sel({first: s, second: graph.name(v)}).item() == rows[s, graph.name(v)]
    table = nearfar.mssp(graph, some, targets=some[::-1], direction=direction).to_xarray()
    assert table.sel({first: some[0], second: some[-1]}).item() == rows[some[0], some[-1]]
    one = nearfar.sssp(graph, some[0], direction=direction).to_xarray()
    assert one.dims == (second,) and np.array_equal(one.values, rows.as_float()[0].astype(one.dtype))


@given(
    cases(dtypes=("int32", "float64", None)),
    st.sampled_from(NAMES),
    st.sampled_from(["from", "to"]),
    st.sampled_from([1, 2, 3]),
)
def test_nearest_sources_stand_beside_distances(case, names, direction, k):
    graph = Graph.from_arcs(*case.arrays(), case.n, names=None if names is None else names[: case.n])
    some = [graph.name(v) for v in range(0, graph.n, 3)]
    found = nearfar.nearest(graph, some, k=k, direction=direction)
    array = found.to_xarray()
    end = "source" if direction == "from" else "target"
    assert array.dims == ("vertex", "rank")[: array.ndim] and array.name == "distance"
    for v in map(graph.name, range(graph.n)):
        here = array.sel(vertex=v)
        pairs = list(zip(np.ravel(here.coords[end].values).tolist(), np.ravel(here.values).tolist(), strict=True))
        if array.ndim == 1:
            assert here.coords[end].isnull().item() == (found[v][0] is None)
            assert pairs == [found[v]] or (found[v] == (None, math.inf) and pairs[0][1] == math.inf)
        else:
            known = ~np.ravel(here.coords[end].isnull().values)
            assert pairs[: known.sum()] == found[v] and known[: len(found[v])].all()
            assert [distance for _, distance in pairs[known.sum() :]] == [math.inf] * (k - len(found[v]))


def test_nearest_sources_of_cells_and_limits():
    graph = Graph.from_raster(np.ones((2, 3)), neighbours=4)
    one = nearfar.nearest(graph, [(0, 0)], cutoff=1).to_xarray()
    assert one.attrs == {"cutoff": 1} and one.unstack("vertex").shape == (2, 3)
    assert one.sel(vertex=(0, 1)).source.item() == (0, 0) and one.sel(vertex=(1, 2)).source.isnull().item()
    two = nearfar.nearest(graph, [(0, 0), (1, 2)], k=2).to_xarray()
    assert two.sel(vertex=(0, 1), rank=2).item() == 2 and two.sel(vertex=(0, 1), rank=2).source.item() == (1, 2)


def test_one_source_and_limits():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7], names=["Ulm", "Bonn", "Kiel"])
    one = nearfar.sssp(graph, "Bonn", cutoff=6).to_xarray()
    assert one.coords["source"].item() == "Bonn" and one.attrs == {"cutoff": 6}
    assert one.values.tolist() == [math.inf, 0, math.inf]
    starts = nearfar.sssp(graph, {"Ulm": 1, "Bonn": 2}).to_xarray()
    assert starts.dims == ("target",) and "source" not in starts.coords
    assert nearfar.sssp(graph, "Ulm", targets=["Kiel"]).to_xarray().sel(target="Kiel") == 12
    assert xr.Dataset({"d": one}).sizes == {"target": 3}
    one.values[0] = 3  # a copy: the result stays as it was
    assert nearfar.sssp(graph, "Bonn")["Ulm"] == math.inf


def test_cells_become_rasters():
    graph = Graph.from_raster([[1, 1, 1], [1, np.inf, 1]], neighbours=4)
    rows = nearfar.mssp(graph, [(0, 0), (1, 2)])
    array = rows.to_xarray()
    assert array.sel(source=(1, 2), target=(0, 0)).item() == rows[(1, 2), (0, 0)]
    spread = nearfar.sssp(graph, (0, 0)).to_xarray().unstack("target")
    assert spread.dims == ("target_row", "target_column")
    assert np.array_equal(spread.fillna(np.inf).values, nearfar.sssp(graph, (0, 0)).to_raster())


def test_names_of_several_types():
    graph = Graph.from_arcs([0, 1, 2], [1, 2, 3], names=["a", (0, 1), 5, (0, 1, 2)])
    array = nearfar.apsp(graph).to_xarray()
    assert array.coords["target"].values.tolist() == ["a", (0, 1), 5, (0, 1, 2)]
    assert array.sel(source="a", target=5).item() == 2


def test_names_that_are_numbers_stay_exact():
    names = [2**53 + 1, 0.5, 2**63]
    array = nearfar.apsp(Graph.from_arcs([0, 1], [1, 2], names=names)).to_xarray()
    assert array.coords["target"].values.tolist() == names
    assert array.sel(source=2**53 + 1, target=2**63).item() == 2
    numbers = Graph.from_arcs([0, 1], [1, 2], names=[2**63, -1, 5])
    assert nearfar.apsp(numbers).to_xarray().sel(source=2**63, target=5).item() == 2


def test_labels_are_vertices():
    words = Graph.from_arcs(["a", "b"], ["b", "c"], [5, 7], names=True)
    array = nearfar.apsp(words).to_xarray()
    far = array.target[array.sel(source="a") > 0]
    assert nearfar.mssp(words, far).sources == ["b", "c"]
    cells = Graph.from_raster(np.ones((2, 2)))
    assert nearfar.mssp(cells, nearfar.apsp(cells).to_xarray().source[1:3]).sources == [(0, 1), (1, 0)]


def test_measures_of_cells():
    raster = metrics.reach(Graph.from_raster(np.ones((1, 2))), [1, 2]).to_xarray()
    assert raster.sel(vertex=(0, 1), column=2).item() == 2
    assert raster.sel(vertex_row=0, vertex_column=1, column=1).item() == 2


def test_measures():
    graph = Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True, names=["a", "b", "c"])
    one = metrics.eccentricity(graph).to_xarray()
    assert one.sel(vertex="b").item() == 7 and one.name == "eccentricity" and one.dtype == np.int32
    two = metrics.accessibility(graph, np.ones((3, 2)), cutoffs=[5, 9]).to_xarray()
    assert two.sel(vertex="b", column=(1, 5)).item() == 2 and two.shape == (3, 4)
    assert metrics.reach(graph, [5, 7]).to_xarray().sel(vertex="a", column=5).item() == 2


def test_xarray_is_missing(monkeypatch):
    result = nearfar.sssp(Graph.from_arcs([0], [1]), 0)
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(MissingDependencyError, match="pip install xarray"):
        result.to_xarray()

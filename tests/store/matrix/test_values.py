"""What is stored is what a query returns, to the bit: for nearfar, and for readers of Zarr that know nothing of it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nearfar
from helpers.strategies import cases, negative_cases, queries
from nearfar import Graph, generate
from nearfar.store.matrix import form

zarr = pytest.importorskip("zarr")
PLAIN = pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "d.zarr")


def graph_of(case):
    return Graph.from_arcs(*case.arrays(), n=case.n)


def plainly(path):
    """Return the stored rows as zarr-python reads them, in the order in which they were asked."""
    group = zarr.open_group(path, mode="r")
    asked, stored = np.asarray(group["asked"][:]), np.asarray(group["distance"][:])
    rows = np.empty_like(stored)
    rows[asked] = stored
    return rows


def small_blocks(patch, rows, part):
    """Cut stores of small graphs as large ones are cut."""
    patch.setattr(form, "ROWS", rows)
    patch.setattr(form, "LEAST_BYTES", 0)
    patch.setattr(form, "PART_BYTES", part)


@PLAIN
@given(queries(cases() | negative_cases(), max_sources=9), st.integers(1, 4), st.integers(1, 200), st.booleans())
@settings(max_examples=120)
def test_rows_of_any_graph(query, rows, part, to):
    case, sources = query
    graph, direction = graph_of(case), "to" if to else "from"
    wanted = nearfar.mssp(graph, sources, direction=direction)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        small_blocks(patch, rows, part)
        path = str(Path(folder, "d.zarr"))
        matrix = nearfar.mssp(graph, sources, direction=direction, out=path)
        found = matrix[:]
        assert np.array_equal(as_type(found, wanted.dist.dtype), wanted.dist)
        assert np.array_equal(plainly(path), found)
        assert matrix.sources.tolist() == sources and bool(matrix.verify(graph))


def as_type(rows, dtype):
    """Return distances in a narrower type, if a store took a wider one: it must be certain beforehand."""
    if rows.dtype == dtype:
        return rows
    assert rows.dtype.itemsize > dtype.itemsize
    if dtype.kind == "f":
        return rows.astype(dtype)
    return np.where(rows == np.iinfo(rows.dtype).max, np.iinfo(dtype).max, rows).astype(dtype)


@given(queries(max_sources=6), st.lists(st.integers(0, 11), min_size=1, max_size=9), st.booleans())
@settings(max_examples=80)
def test_tables_of_any_graph(query, ends, few):
    case, sources = query
    targets = [t % case.n for t in ends]
    sources = sources * 4 if few else sources
    graph = graph_of(case)
    wanted = nearfar.table(graph, sources, targets).dist
    with tempfile.TemporaryDirectory() as folder:
        matrix = nearfar.table(graph, sources, targets, out=folder + "/d.zarr")
        assert np.array_equal(as_type(matrix[:], wanted.dtype), wanted)
        assert matrix.targets.tolist() == targets and bool(matrix.verify(graph))


@pytest.mark.parametrize("method", ["auto", "dijkstra", "delta", "bfs", "prepared", "floyd", "johnson"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_every_method(folder, method, dtype):
    roads = generate.road_grid(20, 20, seed=1)
    weights = None if method == "bfs" else roads.weights.astype(dtype) / (1 if dtype.startswith("int") else 7)
    graph = Graph.from_arcs(roads.tails, roads.heads, weights, roads.n, keep_rows=False)
    wanted = nearfar.apsp(graph, method=method).dist
    matrix = nearfar.apsp(graph, method=method, out=folder)
    assert matrix.dtype == wanted.dtype and np.array_equal(matrix[:], wanted)
    assert matrix.status()["method"] == (method if method != "auto" else matrix.status()["method"])


@PLAIN
def test_floats_to_the_bit(folder):
    """Also numbers that no difference would keep: tiny ones beside large ones, and those next to each other."""
    numbers = np.array([1e-300, 1e300, 0.1, 0.2, 0.30000000000000004, np.nextafter(1, 2), 5e-324])
    n = len(numbers) + 1
    graph = Graph.from_arcs(np.arange(n - 1), np.arange(1, n), numbers)
    wanted = nearfar.apsp(graph).dist
    nearfar.apsp(graph, out=folder)
    assert np.array_equal(plainly(folder).view(np.int64), wanted.view(np.int64))
    assert np.array_equal(nearfar.open_matrix(folder)[:].view(np.int64), wanted.view(np.int64))


@PLAIN
def test_xarray_and_dask_read_it(folder):
    xarray, dask = pytest.importorskip("xarray"), pytest.importorskip("dask.array")
    graph = Graph.from_arcs(["Ulm", "Bonn", "Ulm"], ["Bonn", "Kiel", "Kiel"], [390, 530, 980], names=True)
    matrix = nearfar.apsp(graph, out=folder)
    data = xarray.open_zarr(folder)
    assert data.distance.sel(source="Ulm", target="Kiel").values == matrix["Ulm", "Kiel"] == 920
    assert data.distance.dtype == np.int32 and data.distance.attrs["unreached"] == 2**31 - 1
    assert set(data.coords) == {"source", "target", "source_index", "target_index", "asked"}
    lazy = dask.from_zarr(folder, component="distance")
    assert np.array_equal(np.asarray(lazy)[np.argsort(data.asked.values)], matrix[:])


def test_a_type_is_certain_before_the_first_block(folder):
    """Distances that do not fit the narrow type, in parts that are connected one way."""
    heavy = 2**30
    graph = Graph.from_arcs([0, 1, 1, 2, 3, 4], [1, 0, 2, 3, 2, 5], [heavy] * 6)
    matrix = nearfar.apsp(graph, out=folder)
    assert matrix.dtype == np.int64 and matrix[0, 3] == 3 * heavy
    assert np.array_equal(matrix[:], nearfar.apsp(graph, dtype="int64").dist)


@pytest.mark.parametrize("n, m", [(1, 0), (5, 0), (1, 1)])
def test_the_smallest_graphs(folder, n, m):
    graph = Graph.from_arcs([0] * m, [0] * m, [3] * m, n=n)
    matrix = nearfar.apsp(graph, out=folder)
    assert np.array_equal(matrix[:], nearfar.apsp(graph).dist)
    assert matrix.status()["finished"] is True


def test_cutoff(folder):
    graph = generate.road_grid(15, 15, seed=2)
    wanted = nearfar.apsp(graph, cutoff=9000)
    matrix = nearfar.apsp(graph, cutoff=9000, out=folder)
    assert np.array_equal(matrix[:], wanted.dist) and matrix.cutoff == 9000 and bool(matrix.verify(graph))


def test_prepared_graphs(folder):
    graph = generate.road_grid(30, 30, seed=3)
    prepared = nearfar.prepare(graph)
    sources = [7, 3, 800, 7]
    matrix = nearfar.mssp(prepared, sources, out=folder)
    assert np.array_equal(matrix[:], prepared.mssp(sources).dist) and matrix.status()["method"] == "prepared"

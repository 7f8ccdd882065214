"""Diameter, radius, centre and periphery against NetworkX, and how few rows they take."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearfar
from helpers.data import load
from helpers.networkx_graphs import both
from nearfar import Graph, generate, metrics
from nearfar.errors import DistanceOverflowError


def eccentricities(there, reached_only):
    """Return the eccentricity of every vertex, the slow way."""
    lengths = dict(nx.all_pairs_dijkstra_path_length(there))
    n = len(there)
    return np.array([max(d.values()) if reached_only or len(d) == n else math.inf for _, d in sorted(lengths.items())])


@given(pair=both(), reached_only=st.booleans(), prepared=st.booleans())
def test_extent(pair, reached_only, prepared):
    there, here = pair
    wanted = eccentricities(there, reached_only)
    found = metrics.extent(nearfar.prepare(here) if prepared else here, reached_only=reached_only)
    assert math.isclose(found.diameter, wanted.max(), rel_tol=1e-12)
    assert math.isclose(found.radius, wanted.min(), rel_tol=1e-12)
    if here.weight_dtype is None or here.weight_dtype.kind == "i":
        assert found.center == np.flatnonzero(wanted == wanted.min()).tolist()
        assert found.periphery == np.flatnonzero(wanted == wanted.max()).tolist()
    else:
        assert set(found.center) <= set(np.flatnonzero(np.isclose(wanted, wanted.min(), rtol=1e-9)).tolist())
        assert set(found.periphery) <= set(np.flatnonzero(np.isclose(wanted, wanted.max(), rtol=1e-9)).tolist())


@pytest.mark.parametrize("directed", [False, True])
def test_few_rows(directed):
    plain = generate.road_grid(60, 60, seed=2)
    graph = Graph.from_arcs(plain.tails, plain.heads, plain.weights) if directed else plain
    rows = nearfar.apsp(graph).dist.max(axis=1)
    found = metrics.extent(graph, ["diameter", "radius"])
    assert (found.diameter, found.radius) == (rows.max(), rows.min())
    assert found.rows <= 60 and found.center is None and found.periphery is None


def test_pivots_are_counted_together():
    graph, seen = generate.road_grid(60, 60, seed=2), []
    found = metrics.extent(graph, "diameter", progress=lambda *rows: seen.append(rows))
    assert seen[-1] == (found.rows, graph.n) and seen == sorted(seen) and len(seen) == found.rows
    assert found.describe() == {"diameter": found.diameter, "rows": found.rows}


@pytest.mark.parametrize(("name", "wanted"), [("snap-facebook-combined.npz", 8), ("gt-power.npz", 46)])
def test_known_diameters(name, wanted):
    assert metrics.diameter(load(name)[1], hops=True) == wanted


def test_bad_input():
    graph = generate.road_grid(3, 3)
    with pytest.raises(nearfar.errors.OptionError, match="'width'"):
        metrics.extent(graph, "width")
    with pytest.raises(nearfar.errors.OptionError, match="wanted is empty"):
        metrics.extent(graph, [])
    with pytest.raises(nearfar.errors.OptionError, match="no cutoff"):
        metrics.diameter(graph, cutoff=3)
    with pytest.raises(nearfar.errors.GraphError, match="no vertices"):
        metrics.diameter(Graph.from_arcs([], [], n=0))


@pytest.mark.parametrize("kind", ["float32", "float64"])
@given(pair=both(("ties",)), scale=st.sampled_from([10, 7]))
def test_floats_are_distances_of_rows(kind, pair, scale):
    """Values are distances that a row has, to the bit, and all vertices that have them are listed."""
    _, here = pair
    if here.weights is None:
        return
    graph = here.with_weights((here.row_weights / scale).astype(kind))
    rows = nearfar.apsp(graph, method="dijkstra").as_float()
    wanted = rows.max(axis=1)
    found = metrics.extent(graph, method="dijkstra")
    assert (found.diameter, found.radius) == (wanted.max(), wanted.min())
    assert found.center == np.flatnonzero(wanted == wanted.min()).tolist()
    assert found.periphery == np.flatnonzero(wanted == wanted.max()).tolist()


def test_weights_that_are_too_heavy():
    """The error advises what these functions take: no type of distances, no cutoff."""
    heavy = Graph.from_arcs([0, 1, 2], [1, 2, 3], [2**62] * 3, undirected=True)
    for ask in (
        metrics.diameter,
        metrics.center,
        lambda g: nearfar.paths(g, 0, 3, 2),
        lambda g: nearfar.count_paths(g, 0),
    ):
        with pytest.raises(
            DistanceOverflowError, match=r"exceed int64: .*4611686018427387904\. Use a coarser unit"
        ) as found:
            ask(heavy)
        assert "dtype" not in str(found.value) and "cutoff" not in str(found.value)

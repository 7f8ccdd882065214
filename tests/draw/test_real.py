"""Pictures of real graphs: their shape, and where the colours are."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.data import load, real, require
from helpers.pixels import drawing, near, pixels
from nearfar import Graph

require()


def test_andorra():
    """As wide as the country is long: 1 degree of longitude is 0.74 degrees of latitude there."""
    raw, _ = load("osm-andorra.npz")
    points = np.stack((raw["lon"], raw["lat"]), axis=1)
    graph = Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], coordinates=points)
    picture = nearfar.sssp(graph, 0).plot(legend=False, width=700)
    rows, columns = np.nonzero((pixels(picture) < 250).any(axis=2))
    size = np.ptp(points, axis=0)
    narrow = np.cos(np.radians((points[:, 1].min() + points[:, 1].max()) / 2))
    assert np.ptp(rows) / np.ptp(columns) == pytest.approx(size[1] / (size[0] * narrow), rel=0.03)


def test_flights_cross_the_pacific():
    """Nothing is farther west than the map, and both edges of the map have lines."""
    raw, _ = load("openflights.npz")
    points = np.stack((raw["lon"], raw["lat"]), axis=1)
    graph = Graph.from_arcs(raw["src"], raw["dst"], raw["w"], raw["n"], coordinates=points)
    for detail in ("lines", "pixels"):
        picture = nearfar.sssp(graph, 100).plot(legend=False, width=700, detail=detail)
        inked = (pixels(picture) < 250).any(axis=2)
        left, _, wide, _ = drawing(picture)
        assert inked[:, left + 2].sum() > 10 and inked[:, left + wide - 3].sum() > 10
        assert not inked[:, : left - 4].any() and not inked[:, left + wide + 4 :].any()


def test_a_map_of_berlin():
    graph = nearfar.read(real("Berlin_0_256.map"))
    picture = nearfar.sssp(graph, graph.name(20_000)).plot(legend=False, width=600)
    image = pixels(picture)
    left, top, wide, high = drawing(picture)
    walls = near(image[top : top + high, left : left + wide], "#eceef0", 3).mean()
    assert walls == pytest.approx(1 - graph.n / 256**2, abs=0.02)


def test_new_york_has_no_map():
    graph = nearfar.read(real("USA-road-d.NY.gr.gz"))
    with pytest.raises(nearfar.errors.GraphError, match="264,346 vertices are too many"):
        nearfar.sssp(graph, 1).plot()

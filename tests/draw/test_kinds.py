"""Regions, measures, flows, histograms and eliminations: their pictures show what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

import nearfar
from helpers.pixels import drawing, near, pixels
from nearfar import Graph, draw, errors, generate, metrics
from nearfar.draw.kinds.elimination import levels_of
from nearfar.draw.kinds.regions import colour_regions

GRID = generate.road_grid(15, 15, seed=1)
LINE = Graph.from_arcs(
    [0, 1, 2], [1, 2, 3], [5, 5, 5], undirected=True, coordinates=[(0, 0), (10, 0), (20, 0), (30, 0)]
)
FIRST, SECOND = "#0072b2", "#d55e00"  # colours of regions


def ink(image, colour, within=3):
    """Return how many pixels have a colour, and their mean row and column."""
    rows, columns = np.nonzero(near(image, colour, within))
    return len(rows), rows.mean() if len(rows) else None, columns.mean() if len(rows) else None


@pytest.mark.parametrize("detail", ["lines", "pixels"])
def test_regions_meet_half_way(detail):
    graph = Graph.from_arcs([0], [1], [5], undirected=True, coordinates=[(0, 0), (10, 0)])
    image = pixels(nearfar.nearest(graph, [0, 1]).plot(legend=False, width=900, detail=detail))
    assert ink(image, FIRST, 30)[2] < 450 < ink(image, SECOND, 30)[2]
    columns = [np.nonzero(near(image, colour, 30))[1] for colour in (FIRST, SECOND)]
    assert abs(columns[0].max() - 450) < 6 and abs(columns[1].min() - 450) < 6


def test_neighbouring_regions_differ():
    result = nearfar.nearest(GRID, range(0, GRID.n, 9))
    owner = np.searchsorted(result.source_indices, result.source)
    colours = colour_regions(result, owner, 9)
    assert colours.max() < 9
    tails, heads = owner[GRID.tails], owner[GRID.heads]
    assert (colours[tails] != colours[heads])[tails != heads].all()
    assert pixels(result.plot(width=300)).shape[1] == 300
    few = colour_regions(result, owner, 2)  # too few colours: some neighbours agree, none is left out
    assert set(few.tolist()) == {0, 1}


def test_regions_with_unreached_vertices_and_to_sources():
    graph = Graph.from_arcs([0, 1, 3], [1, 2, 2], n=5, coordinates=[(0, 0), (5, 0), (10, 0), (15, 0), (8, 9)])
    for direction in ("from", "to"):
        image = pixels(nearfar.nearest(graph, [0, 3], direction=direction).plot(width=500))
        assert ink(image, "#d3d6da")[0] > 20


def test_values_are_strong_where_they_are_large():
    from matplotlib import colormaps

    found = metrics.closeness(LINE)
    image = pixels(found.plot(legend=False, width=500))
    strong, weak = colormaps["plasma"](0.0)[:3], colormaps["plasma"](0.86)[:3]
    _, _, middle = ink(image, strong, 20)
    rows, columns = np.nonzero(near(image, weak, 20))
    assert abs(middle - 250) < 15 and columns.min() < 140 and columns.max() > 360 and len(rows)
    some = metrics.closeness(LINE, [0, 1])
    assert ink(pixels(some.plot(legend=False, width=500)), "#d3d6da")[0] > 20  # the others are grey
    page = metrics.reach(GRID, [500, 2000]).plot(column=2000).to_bytes("svg").decode()
    assert "reach (2000)" in page
    with pytest.raises(errors.OptionError, match="Give column="):
        metrics.reach(GRID, [500, 2000]).plot()
    with pytest.raises(errors.OptionError, match="'auto', 'even', 'root'"):
        found.plot(spread="log")


def test_flows_have_widths():
    graph = Graph.from_arcs([0, 1, 1], [1, 2, 0], [1, 1, 1], coordinates=[(0, 0), (10, 0), (20, 0)])
    found = metrics.flows(graph, [(0, 2, 50), (1, 0, 50)])  # 100 between 0 and 1, both directions together
    image = pixels(found.plot(legend=False, width=600))
    left, top, wide, high = drawing(found.plot(legend=False, width=600))
    inked = (image < 200).any(axis=2)[top + high // 2 - 15 : top + high // 2 + 25]
    widths = inked.sum(axis=0)
    first, second = (np.median(widths[left + round(part * wide) :][:40]) for part in (0.25, 0.7))
    assert first == pytest.approx(2 * second, abs=1.5) and first > 5


def test_flows_as_pixels_and_lines_agree():
    found = metrics.edge_betweenness(GRID)
    one, two = (pixels(found.plot(legend=False, width=500, detail=detail)) for detail in ("lines", "pixels"))
    dark = [(image < 120).any(axis=2).sum() for image in (one, two)]
    assert dark[0] == pytest.approx(dark[1], rel=0.25)


def test_flows_without_flow_and_on_rasters():
    none = metrics.flows(GRID, [(0, 0, 5)])
    assert ink(pixels(none.plot(width=300)), "#d3d6da", 10)[0] > 50
    raster = metrics.edge_betweenness(Graph.from_raster(np.ones((4, 5))))
    with pytest.raises(errors.OptionError, match="raster"):
        raster.plot()
    assert raster.plot(layout="spectral", width=300).width == 300


@pytest.mark.parametrize("legend", [True, False])
def test_every_picture_in_the_dark(legend):
    results = [
        GRID, nearfar.sssp(GRID, 0), nearfar.nearest(GRID, [0, 99]), metrics.closeness(GRID),
        metrics.edge_betweenness(GRID), nearfar.prepare(GRID),
    ]  # fmt: skip
    for what in results:
        picture = draw.draw(what, dark=True, width=300, legend=legend)
        assert near(pixels(picture), "#12161b", 0).mean() > 0.4
    assert near(pixels(nearfar.sssp(GRID, 0).plot("histogram", dark=True)), "#12161b", 0).mean() > 0.3


def test_the_table_names_every_kind():
    for kind, record in draw.PICTURES.items():
        assert getattr(draw, kind).__name__ == kind and record.shows
        with pytest.raises((errors.InputTypeError, errors.OptionError)):
            getattr(draw, kind)("nothing")
    assert set(draw.__all__) >= set(draw.PICTURES)
    with pytest.raises(AttributeError, match="no_such"):
        draw.no_such  # noqa: B018


def test_histograms():
    result = nearfar.mssp(LINE, [0, 1])
    for what in (result, nearfar.sssp(LINE, 0), nearfar.nearest(LINE, [0]), metrics.histogram(LINE, [0, 6, 12, 18])):
        picture = draw.draw(what, "histogram")
        assert (picture.width, picture.height) == (900, 500)
    bars = nearfar.sssp(LINE, 0).plot("histogram", bins=3).figure.axes[0].patches
    assert [bar.get_height() for bar in bars] == [1, 1, 2] and bars[-1].get_x() + bars[-1].get_width() == 15
    bars = nearfar.sssp(LINE, 0).plot("histogram", bins=50).figure.axes[0].patches  # whole numbers: one bar each
    assert [bar.get_height() for bar in bars] == [1, 0, 0, 0, 0] * 3 + [1]
    page = (
        nearfar.sssp(Graph.from_arcs([0], [1], [90], n=3).with_units("s"), 0).plot("histogram").to_bytes("svg").decode()
    )
    assert "distance (s)" in page and "half within 45 s, 1 unreached" in page
    with pytest.raises(errors.OptionError, match="1 to 1,000"):
        nearfar.sssp(LINE, 0).plot("histogram", bins=0)
    with pytest.raises(errors.OptionError, match="is about maps"):
        nearfar.sssp(LINE, 0).plot("histogram", layout="layers")
    assert nearfar.sssp(Graph.from_arcs([], [], n=1), 0).plot("histogram").width == 900


@pytest.mark.parametrize("order", ["degree", "dissection"])
def test_levels_of_an_elimination(order):
    """What is left without the vertices of the first levels lies in parts below the share of the next one."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    prepared = nearfar.prepare(GRID, order=order)
    for levels in (1, 2, 3):
        left = levels_of(prepared, levels) == 0
        kept = left[GRID.tails] & left[GRID.heads]
        ends = GRID.tails[kept], GRID.heads[kept]
        matrix = csr_array((np.ones(kept.sum()), ends), shape=(GRID.n, GRID.n))
        _, labels = connected_components(matrix)
        assert np.bincount(labels[left]).max() <= GRID.n / 2**levels
    with pytest.raises(errors.OptionError, match="1 to 8"):
        draw.elimination(prepared, levels=9)


def test_eliminations_show_the_first_cut():
    from matplotlib import colormaps

    prepared = nearfar.prepare(GRID, order="dissection")
    image = pixels(draw.elimination(prepared, legend=False, width=600))
    assert ink(image, colormaps["plasma"](0.0)[:3], 10)[0] > 100
    raster = nearfar.prepare(Graph.from_raster(np.ones((30, 40))), order="dissection")
    image = pixels(draw.elimination(raster, legend=False, width=600))
    assert ink(image, colormaps["plasma"](0.0)[:3], 10)[0] > 1000


def test_edges_across_the_meridian_leave_the_map():
    graph = Graph.from_arcs(
        [0, 1, 2], [1, 2, 3], undirected=True, coordinates=[(-170, 0), (170, 0), (100, 5), (-60, 5)]
    )
    for detail in ("lines", "pixels"):
        picture = draw.network(
            nearfar.sssp(graph, 0), to=1, legend=False, width=800, detail=detail, layout="coordinates"
        )
        image = pixels(picture)
        left, _, wide, _ = drawing(picture)
        columns = np.unique(np.nonzero(near(image, "#101418", 2))[1])
        gap = np.diff(columns).argmax()
        assert columns[gap + 1] - columns[gap] > wide * 0.7  # not across all other continents
        assert columns[0] < left + 0.05 * wide and columns[-1] > left + 0.95 * wide


@pytest.mark.parametrize("direction", ["from", "to"])
def test_isochrones_are_cut_exactly(direction):
    from matplotlib import colormaps

    graph = LINE.with_units("s", "m")
    found = nearfar.geo.isochrone(graph, 0, [5, 7.5], direction=direction)
    image = pixels(found.plot(legend=False, width=900))
    low, high = columns_of(image).min() + 4, columns_of(image).max() - 4
    first = np.nonzero(near(image, colormaps["plasma"](0.0)[:3], 20))[1]
    second = np.nonzero(near(image, colormaps["plasma"](0.86)[:3], 20))[1]
    assert first.max() == pytest.approx(low + (high - low) / 3, abs=8)
    assert second.max() == pytest.approx(low + (high - low) / 2, abs=8)
    assert np.nonzero(near(image, "#101418", 2))[1].mean() == pytest.approx(low, abs=8)  # the source
    with pytest.raises(errors.OptionError, match="lie where coordinates are"):
        found.plot(layout="layers")


def columns_of(image):
    """Return the columns of all pixels that are drawn but the names above."""
    return np.nonzero((image < 250).any(axis=2))[1]

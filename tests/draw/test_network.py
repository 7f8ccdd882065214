"""Pictures of networks: what is drawn is where it should be and has the right colour."""

from __future__ import annotations

import io
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

import nearfar
from helpers.pixels import drawing, near, pixels, rgb
from nearfar import Graph, draw, errors, generate

LINE = Graph.from_arcs([0, 1, 2], [1, 2, 3], [5, 5, 5], n=5, undirected=True,
                       coordinates=[(0, 0), (10, 0), (20, 0), (30, 0), (30, 10)])  # fmt: skip


def plasma(x):
    from matplotlib import colormaps

    return colormaps["plasma"](x)[:3]


@pytest.mark.parametrize("detail", ["lines", "pixels"])
def test_colours_follow_the_distance(detail):
    graph = generate.road_grid(40, 40, seed=1)
    picture = nearfar.sssp(graph, 0).plot(legend=False, width=900, detail=detail)
    image = pixels(picture)
    left, top, wide, high = drawing(picture)
    first, last = near(image, plasma(0.04), 50), near(image, plasma(0.84), 50)
    assert first.sum() > 20 and last.sum() > 20
    row, column = (axis.mean() for axis in np.nonzero(first))
    assert row > top + high * 0.8 and column < left + wide * 0.2  # vertex 0 is the lower left one
    row, column = (axis.mean() for axis in np.nonzero(last))
    assert row < top + high * 0.5 and column > left + wide * 0.5


def test_both_details_draw_the_same():
    """Where there are lines, there are pixels, and nowhere else; colours agree."""
    graph = generate.road_grid(12, 12, seed=3)
    result = nearfar.sssp(graph, 70)
    one, two = (pixels(result.plot(legend=False, width=500, detail=detail)) for detail in ("lines", "pixels"))
    inked = [(image < 250).any(axis=2) for image in (one, two)]
    wide = [grown(mask) for mask in inked]
    assert (inked[0] & ~wide[1]).sum() == 0 and (inked[1] & ~wide[0]).sum() == 0
    dark = inked[0] & inked[1]
    assert np.median(np.abs(one - two).max(axis=2)[dark]) < 90


def grown(mask, by=3):
    """Return a mask with a border."""
    out = mask.copy()
    for axis in (0, 1):
        out = np.logical_or.reduce([np.roll(out, shift, axis) for shift in range(-by, by + 1)])
    return out


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_lies_outside(dark):
    graph = generate.road_grid(20, 20, seed=1)
    picture = nearfar.sssp(graph, 0).plot(legend=False, width=500, dark=dark, to=399)
    image = pixels(picture)
    left, top, wide, high = drawing(picture)
    image[top : top + high, left : left + wide] = rgb("#12161b" if dark else "#ffffff")
    assert near(image, "#12161b" if dark else "#ffffff", 0).all()


def test_a_path_lies_on_top():
    """The only road is the path: its middle has the path's colour all along."""
    picture = draw.network(nearfar.sssp(LINE, 0), to=3, legend=False, width=500)
    image = pixels(picture)
    mask = near(image, "#101418", 2)
    rows, columns = np.nonzero(mask)
    _, top, wide, high = drawing(picture)
    assert columns.max() - columns.min() > wide * 0.7
    assert rows.min() > top + high * 0.5  # on the road, at the lower edge, and not where vertex 4 is
    assert (mask.sum(axis=0)[columns.min() : columns.max()] > 0).mean() > 0.9
    assert not near(pixels(draw.network(nearfar.sssp(LINE, 0), legend=False, width=500)), "#101418", 2).sum() > 400


def test_paths_are_taken_in_all_forms():
    result = nearfar.mssp(LINE, [0, 1])
    for options in ({"to": 3}, {"to": [3]}, {"to": np.array([3])}, {"paths": [[0, 1, 2, 3]]}, {"paths": [0, 1, 2, 3]},
                    {"paths": nearfar.paths(LINE, 0, 3, 1)}):  # fmt: skip
        image = pixels(draw.network(result, source=0, legend=False, width=400, **options))
        assert near(image, "#101418", 2).sum() > 400, options


def test_paths_to_points_on_a_map():
    city = generate.city(5, 5)
    row, names = nearfar.sssp(city, city.name(0)), [city.name(7), city.name(18)]
    points = nearfar.geo.snap(city, *city.coordinates[[7, 18]].T, within="all")
    one, both = (row.plot(to=to).to_bytes() for to in (names[1:], names))
    assert one != both
    for to in (points[1], [points[1]]):
        assert row.plot(to=to).to_bytes() == one
    for to in (points, [names[0], points[1]]):
        assert row.plot(to=to).to_bytes() == both
    along = nearfar.geo.snap(city, *(city.coordinates[[7, 8]].mean(axis=0)), on="arcs")
    with pytest.raises(errors.MethodError, match="along arcs"):
        row.plot(to=along)
    with pytest.raises(errors.InputTypeError, match="target holds 2 points"):
        row.plot(to=[points])


def test_paths_over_cells():
    graph = Graph.from_raster(np.ones((3, 4)))
    result = nearfar.sssp(graph, (0, 0))
    step, dot = [(0, 0), (1, 1)], near(pixels(result.plot(legend=False, width=400)), "#101418", 2).sum()
    for options in ({"to": (2, 3)}, {"to": [(2, 3), (0, 3)]}, {"paths": step}, {"paths": [step]},
                    {"paths": (tuple(step), ((1, 1), (1, 2)))}):  # fmt: skip
        image = pixels(result.plot(legend=False, width=400, **options))
        assert near(image, "#101418", 2).sum() > dot + 40, options


def test_names_of_all_kinds(recwarn):
    names = ["東京", "$x^2$", "a\nb", "<&>" * 20]
    graph = Graph.from_arcs(names[:3], names[1:], [1, 2, 3], names=True)
    picture = nearfar.sssp(graph, "東京").plot(title="$5\n東京", to="$x^2$")
    assert "path to $x^2$: 1" in picture.to_bytes("svg").decode() and picture.to_bytes("png") and not recwarn


def test_settings_of_the_user_do_not_matter():
    import matplotlib

    ours = {"savefig.bbox": "tight", "image.origin": "lower", "lines.marker": "o", "figure.autolayout": True,
            "lines.linestyle": "--", "savefig.transparent": True, "savefig.dpi": 30}  # fmt: skip
    results = nearfar.sssp(LINE, 0), nearfar.sssp(Graph.from_raster(np.arange(1, 13.0).reshape(3, 4)), (0, 0))
    plain = [result.plot(width=300).to_bytes() for result in results]
    with matplotlib.rc_context(ours):
        before = dict(matplotlib.rcParams)
        assert [result.plot(width=300).to_bytes() for result in results] == plain
        assert dict(matplotlib.rcParams) == before


def test_unreached_is_grey_and_limits_are_bands():
    graph = Graph.from_arcs([0, 1, 3], [1, 2, 4], [5, 5, 5], undirected=True,
                            coordinates=[(0, 0), (10, 0), (20, 0), (0, 10), (20, 10)])  # fmt: skip
    image = pixels(nearfar.sssp(graph, 0).plot(limits=[5, 10], legend=False, width=400))
    left, right = near(image, plasma(0.0), 3), near(image, plasma(0.86), 3)
    assert left.sum() > 100 and right.sum() > 100
    assert np.nonzero(left)[1].mean() < np.nonzero(right)[1].mean()
    grey = near(image, "#d3d6da", 3)
    assert np.nonzero(grey)[0].mean() < np.nonzero(left)[0].mean()  # the edge that is not reached is above
    assert not near(pixels(nearfar.sssp(graph, 0).plot(limits=[5], legend=False, width=400)), plasma(0.86), 3).any()


def test_longitudes_shrink_with_the_latitude():
    """At 60 degrees north, a square of degrees is half as wide as high."""
    square = Graph.from_arcs(
        [0, 1, 2, 3], [1, 2, 3, 0], undirected=True, coordinates=[(10, 59), (12, 59), (12, 61), (10, 61)]
    )
    for scale, aspect in (("auto", 2.0), ("degrees", 2.0), ("plane", 1.0)):
        image = pixels(draw.network(square, legend=False, width=600, scale=scale, layout="coordinates"))
        rows, columns = np.nonzero((image < 250).any(axis=2))
        assert np.ptp(rows) / np.ptp(columns) == pytest.approx(aspect, rel=0.06)


def test_a_few_outliers_do_not_spoil_the_colours():
    """One vertex of a thousand is a hundred times as far as all others."""
    from nearfar.draw.looks import take_looks
    from nearfar.draw.scales import gradient

    values = np.append(np.arange(1000.0), [100_000, np.inf])
    scale = gradient(values, take_looks({}, None), "distance")
    assert int(scale.bands[500]) == pytest.approx(96, abs=3) and scale.bands[1000] == 192 and scale.bands[1001] == 0
    assert scale.bar.ticks[-1][1] == "over 1,000"
    scale = gradient(values[:-2], take_looks({}, None), "distance")
    assert "over" not in scale.bar.ticks[-1][1] and (np.diff(scale.bands.astype(int)) >= 0).all()


def test_units_are_those_of_the_graph():
    """Seconds are shown as minutes where they are many, and metres give a scale bar."""
    graph = generate.road_grid(10, 10, seed=1)
    for given, options, words in (
        (("s", "m"), {}, ["distance from the source (h)", "1 km<", "equal scale"]),
        (("s", "km"), {"units": "m"}, ["distance from the source (km)", "1,000 km<"]),
        ((None, None), {}, ["distance from the source<"]),
    ):
        page = nearfar.sssp(graph.with_units(*given), 0).plot(**options).to_bytes("svg").decode()
        told = [line.replace("-->", "<").replace(" <", "<") for line in page.splitlines() if "<!--" in line]
        assert all(any(word in line for line in told) for word in words), (words, told)


def test_north_is_up():
    graph = Graph.from_arcs([0], [1], undirected=True, coordinates=[(0, 0), (0, 10)])
    picture = draw.network(nearfar.sssp(graph, 1), legend=False, width=400, layout="coordinates")
    rows = np.nonzero(near(pixels(picture), "#101418", 2))[0]
    _, top, _, high = drawing(picture)
    assert rows.mean() < top + high / 2  # the source


def test_svg_is_xml_and_has_the_legend():
    picture = nearfar.sssp(generate.road_grid(10, 10, seed=1), 0).plot(to=99, units="m", title="a < b & $c$")
    root = ElementTree.fromstring(picture.to_bytes("svg"))
    assert root.tag.endswith("svg") and float(root.get("width").removesuffix("pt")) == pytest.approx(
        picture.width * 0.72
    )
    comments = picture.to_bytes("svg").decode()
    assert "distance from the source (km)" in comments and "source 0" in comments


@pytest.mark.parametrize(("width", "height"), [(400, None), (None, 500), (700, 300), (300, 700), (None, None)])
def test_sizes(width, height):
    picture = nearfar.sssp(generate.road_grid(10, 10, seed=1), 0).plot(width=width, height=height)
    image = pixels(picture)
    assert image.shape[:2] == (picture.height, picture.width)
    assert width in (None, picture.width) and height in (None, picture.height)
    assert repr(picture) == f"Picture({picture.width} x {picture.height} pixels)"


@pytest.mark.parametrize("points", [[(0, 0)], [(5, 5), (5, 5)], None])
def test_tiny_graphs(points):
    """One vertex, two at one place, no coordinates."""
    n = 1 if points is None else len(points)
    graph = Graph.from_arcs([0] * (n - 1), [*range(1, n)], n=n, undirected=True, coordinates=points)
    image = pixels(nearfar.sssp(graph, n - 1).plot(width=400))
    assert near(image, "#101418", 2).any()


def test_empty_graphs_are_empty_pages():
    for points in (None, np.zeros((0, 2))):
        image = pixels(draw.network(Graph.from_arcs([], [], coordinates=points), width=300, legend=False))
        assert (image == 255).all()


def test_files(tmp_path):
    picture = nearfar.sssp(LINE, 0).plot(width=300)
    for ending, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")):
        path = tmp_path / f"a.{ending}"
        picture.save(path)
        assert path.read_bytes().startswith(start)
    assert picture._repr_png_().startswith(b"\x89PNG")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.PNG", "a.pdf", "a.png", "a.svg"]
    with pytest.raises(errors.OptionError, match=r"should end in one of \.png, \.svg, \.pdf"):
        picture.save(tmp_path / "a.jpg")
    with pytest.raises(errors.MissingFileError, match="no folder"):
        picture.save(tmp_path / "none" / "a.png")
    with pytest.raises(errors.OptionError, match="kind is 'gif'"):
        picture.to_bytes("gif")


WRONG = [
    ({"width": 10}, errors.OptionError, "Give 160 to 10,000 pixels"),
    ({"width": 4.5}, errors.InputTypeError, "whole number of pixels"),
    ({"dark": 1}, errors.InputTypeError, "must be True or False"),
    ({"colours": "none such"}, errors.OptionError, "no colour map"),
    ({"scale": "feet"}, errors.OptionError, "Give one of 'auto', 'degrees'"),
    ({"colour": "red"}, errors.InputTypeError, "no option of this picture"),
    ({"limits": [3, 2]}, errors.OptionError, "ascending"),
    ({"limits": "far"}, errors.InputTypeError, "must be numbers"),
    ({"to": "Ulm"}, errors.InputTypeError, "Ulm"),
    ({"to": 4}, errors.NoPathError, "no path"),
    ({"title": 7}, errors.InputTypeError, "must be a text"),
    ({"source": 2}, errors.OptionError, "not a source"),
    ({"layout": "round"}, errors.OptionError, "Give one of"),
    ({"kind": "pie"}, errors.OptionError, "not possible for a Distances"),
]


@pytest.mark.parametrize(("options", "error", "words"), WRONG, ids=lambda value: str(value)[:30])
def test_wrong_options(options, error, words):
    with pytest.raises(error, match=words):
        nearfar.sssp(LINE, 0).plot(**options)


def test_what_cannot_be_drawn():
    with pytest.raises(errors.InputTypeError, match="a list has no picture"):
        draw.draw([1, 2])
    with pytest.raises(errors.InputTypeError, match="need distances"):
        draw.network(LINE, limits=[3])
    with pytest.raises(errors.OptionError, match="3 rows"):
        nearfar.mssp(LINE, [0, 1, 2]).plot()
    with pytest.raises(errors.GraphError, match="longitudes end at 180"):
        draw.network(generate.road_grid(9, 9, seed=1), scale="degrees")


def test_rasters_are_images():
    costs = np.ones((20, 30))
    costs[:, 15] = np.inf
    graph = Graph.from_raster(costs)
    picture = nearfar.sssp(graph, (0, 0)).plot(legend=False, width=600)
    image = pixels(picture)
    left, top, wide, high = drawing(picture)
    assert wide / high == pytest.approx(1.5, abs=0.02)
    cell = wide / 30
    assert near(image, plasma(0.86 * 19 / (5 + 14 * np.sqrt(2))), 8)[round(top + 19.5 * cell), left + round(cell / 2)]
    assert near(image, "#d3d6da", 3)[top + high // 2, left + round(20.5 * cell)]  # behind the wall
    assert near(image, "#eceef0", 3)[top + high // 2, left + round(15.5 * cell)]
    with pytest.raises(errors.OptionError, match="raster"):
        nearfar.sssp(graph, (0, 0)).plot(detail="lines")


def test_layouts():
    graph = generate.road_grid(25, 25, seed=2)
    bare = Graph.from_arcs(graph.tails, graph.heads, graph.weights, graph.n)
    with pytest.raises(errors.GraphError, match="the graph has no coordinates"):
        nearfar.sssp(bare, 0).plot(layout="coordinates")
    with pytest.raises(errors.GraphError, match="the graph has no coordinates"):
        nearfar.sssp(bare, 0).plot(scale="metres")
    for layout in ("auto", "layers", "spectral"):
        image = pixels(nearfar.sssp(bare, 0).plot(layout=layout, width=400, legend=False))
        assert (image < 250).any(axis=2).sum() > 3000
    from nearfar.draw.layout import spectral

    points = spectral(bare)
    apart = [np.hypot(*(points[a] - points[b])) for a, b in ((0, 624), (0, 1), (24, 600))]
    assert apart[0] > 8 * apart[1] and apart[2] > 8 * apart[1]
    big = Graph.from_arcs(np.arange(20_000), np.arange(1, 20_001), undirected=True)
    with pytest.raises(errors.GraphError, match="20,001 vertices are too many"):
        nearfar.sssp(big, 0).plot()


def test_layers_follow_hops():
    from nearfar.draw.layout import layered

    graph = Graph.from_arcs([0, 0, 1, 2, 5], [1, 2, 3, 3, 0], n=7)
    across = layered(graph, np.array([0]))[:, 0]
    assert across[0] < across[1] == across[2] < across[3]
    assert across[5] == across[1] and across[6] == across.max()  # against its arc; apart from all


def test_pyplot_is_not_loaded():
    code = (
        "import sys, nearfar; nearfar.draw; assert 'matplotlib' not in sys.modules and 'numpy' not in sys.modules\n"
        "nearfar.sssp(nearfar.generate.road_grid(9, 9, seed=1), 0).plot(to=80).to_bytes('svg')\n"
        "print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True False\n"


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(errors.MissingDependencyError, match=r"pip install 'nearfar\[plot\]'"):
        nearfar.sssp(LINE, 0).plot()


def test_a_picture_can_be_drawn_into():
    """The figure is the user's: what is added to it is saved."""
    picture = nearfar.sssp(LINE, 0).plot(width=300, legend=False)
    picture.figure.text(0.5, 0.5, "█████", color="#ff0000")
    assert near(pixels(picture), "#ff0000", 2).any()
    assert io.BytesIO(picture.to_bytes("png")).getvalue().startswith(b"\x89PNG")

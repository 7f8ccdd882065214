"""Maps: where vertices are on the page, and how edges, cells, paths and dots are drawn there.

Few edges are drawn as lines, one plot per band with gaps (NaN) between edges: 366,000 segments take 0.64 s so, and 2.3
as a LineCollection. Many are drawn as pixels by a kernel. The vertices of a raster are cells, and become an image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.cells import CellNames
from .edges import Edges, edges_of
from .layout import lay_out
from .looks import Style, matplotlib
from .page import Page
from .picture import DPI, Picture
from .plane import Plane, is_degrees, plane_of
from .scales import Bar, Scale, Swatch

LINES = 60_000  # edges that are drawn as lines if nothing else is asked for; an .svg of them has 3 MB
PLOTS = 64  # each of which has one colour: along lines, more cannot be told apart
LABELS = 40  # vertices whose names are written
DOTS = 400  # vertices that are drawn as dots
WALL = 255  # the band of cells that are walls


class Map:
    """A page with a graph on it.

    Parameters
    ----------
    graph : Graph
    style : Style
    bar, swatches : the legend
    starts : array of vertices
        Where a layout begins, if the graph has no coordinates.
    """

    def __init__(
        self, graph: Graph, style: Style, bar: Bar | None, swatches: Sequence[Swatch], starts: np.ndarray
    ) -> None:
        self.graph, self.style = graph, style
        self.cells = graph.names if isinstance(graph.names, CellNames) and style.layout == "auto" else None
        if self.cells is not None:
            self._refuse_detail("cells")
            wide, high = float(self.cells.columns), self.cells.rows * _stretch(graph)
            self.plane = Plane(np.zeros((0, 2)))
            walls = [] if self.cells.free is None else [Swatch(style.palette.wall, "wall")]
            self.page = Page(style, high / max(wide, 1) if high else 1.0, bar, [*swatches, *walls], "equal scale")
            self.points = self._cell_points()
        else:
            placed = graph.coordinates is not None and style.layout in ("auto", "coordinates")
            self.plane = plane_of(graph, style.scale) if placed else lay_out(graph, style, starts)
            self.low = self.plane.box()
            x, y, wide, high = self.low
            self.page = Page(style, high / wide, bar, swatches, self.plane.note)
            self.pad = self._padding()
            scale = self.page.wide - 2 * self.pad, self.page.high - 2 * self.pad
            self.per_unit = min(scale[0] / wide, scale[1] / high)
            shift = (self.page.wide - self.per_unit * wide) / 2, (self.page.high - self.per_unit * high) / 2
            across = (self.plane.points[:, 0] - x) * self.per_unit + shift[0]
            down = self.page.high - shift[1] - (self.plane.points[:, 1] - y) * self.per_unit
            self.points = np.stack((across, down)).astype(np.float32)
        self.axes = self.page.map_axes()

    def paint(self, scale: Scale, edges: Edges | None = None) -> None:
        """Draw all edges, or the cells, in the colours of a scale with one band per vertex, or per edge given."""
        if self.cells is not None and edges is None:
            self._paint_cells(scale)
            return
        bands = scale.bands
        if edges is None:
            edges = edges_of(self.graph)
            bands = _between(scale, edges)
        self.paint_edges(edges, bands, scale.colours)
        if self.graph.n <= DOTS and len(scale.bands) == self.graph.n:
            self.dots(np.arange(self.graph.n), scale.colours[scale.bands])

    def paint_edges(self, edges: Edges, bands: np.ndarray, colours: np.ndarray) -> None:
        """Draw edges, each in the colour of its band: as lines, or as pixels if there are many."""
        asked = self.style.detail
        if asked == "lines" or (asked == "auto" and len(edges.tails) <= LINES):
            self._lines(edges, bands, colours)
        else:
            self._pixels(edges, bands, colours)

    def thickness(self, edges: Edges) -> float:
        """Return the width of lines in pixels, 0.6 to 2: thin where the edges together are long for the page."""
        if not len(edges.tails):
            return 1.0
        lengths = np.hypot(*(self.points[:, edges.heads] - self.points[:, edges.tails]))
        total = float(lengths.sum())
        usual = 0.05 * self.page.wide * self.page.high / max(total, 1.0)
        return float(np.clip(usual, 0.6, 2.0)) * self.page.size / 13

    def segments(self, edges: Edges) -> tuple[np.ndarray, np.ndarray]:
        """Return the positions of both ends of edges, and gaps between edges."""
        gap = np.full(len(edges.tails), np.nan, np.float32)
        x, y = (np.stack((axis[edges.tails], axis[edges.heads], gap), axis=1).ravel() for axis in self.points)
        return x, y

    def _lines(self, edges: Edges, bands: np.ndarray, colours: np.ndarray) -> None:
        """Draw edges as lines: what has no value first, then from far to near."""
        width = self.thickness(edges) * 72 / DPI
        step = max(1, len(colours) // PLOTS)
        groups = (bands.astype(np.int16) + (step - 1)) // step
        for group in [0, *range(int(groups.max(initial=0)), 0, -1)]:
            chosen = np.flatnonzero(groups == group)
            if len(chosen):
                x, y = self.segments(edges.where(chosen))
                band = min(max(group * step - step // 2, min(group, 1)), len(colours) - 1)
                looks = {"color": colours[band], "linewidth": width, "solid_capstyle": "round"}
                self.axes.plot(x, y, **looks, zorder=1.0 if group == 0 else 1.5)

    def _pixels(self, edges: Edges, bands: np.ndarray, colours: np.ndarray) -> None:
        """Draw edges into an image, and put the image on the page."""
        from ..kernels.cpu.strokes import stroke

        shape = self.page.high, self.page.wide
        ink, most = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        found = np.zeros(shape, np.uint8)
        stroke(self.points[0], self.points[1], edges.tails, edges.heads, bands, ink, most, found)
        image = (colours[found] * 255).round().astype(np.uint8)
        weight = max(1.0, self.page.size / 13)
        image[..., 3] = (np.minimum(ink * weight, 1) * 255).astype(np.uint8)
        self._image(image)

    def _image(self, image: np.ndarray) -> None:
        """Put an image into the drawing, which it fills."""
        extent = (0, self.page.wide, self.page.high, 0)
        self.axes.imshow(image, extent=extent, aspect="auto", interpolation="none", zorder=1)

    def _paint_cells(self, scale: Scale) -> None:
        """Draw the cells of a raster in the colours of their bands."""
        assert self.cells is not None
        colours = np.vstack((scale.colours, np.asarray(matplotlib("colors").to_rgba(self.style.palette.wall))))
        bands = np.minimum(self.graph.to_raster(scale.bands, fill=WALL), len(colours) - 1)
        image = (colours * 255).round().astype(np.uint8)[bands]
        self._image(_fitted(image, self.page.high, self.page.wide))

    def path(self, vertices: np.ndarray, colour: str | None = None) -> None:
        """Draw a path with a border, above everything that was drawn before."""
        x, y = self.points[:, vertices]
        wide, colours = self.path_width * 72 / DPI, self.style.palette
        joints = {"solid_capstyle": "round", "solid_joinstyle": "round"}
        self.axes.plot(x, y, color=colours.case, linewidth=1.9 * wide, zorder=3, **joints)
        self.axes.plot(x, y, color=colour or colours.path, linewidth=wide, zorder=3.1, **joints)

    @property
    def path_width(self) -> float:
        """The width of a path, in pixels."""
        return 0.24 * self.page.size

    def dots(self, vertices: np.ndarray, colours: Any, size: float | None = None, edge: float = 0.0) -> None:
        """Draw vertices as dots; ``size`` is their diameter in pixels."""
        x, y = self.points[:, vertices]
        wide = (self._dot_size() if size is None else size) * 72 / DPI
        case = self.style.palette.case
        self.axes.scatter(x, y, s=wide**2, c=colours, linewidths=edge * 72 / DPI, edgecolors=case, zorder=4)

    def mark(self, vertices: np.ndarray, colours: Any = None) -> None:
        """Mark where queries start, or where paths end: dots with a border."""
        self.dots(vertices, self.style.palette.path if colours is None else colours, 0.85 * self.page.size, 1.5)

    def names(self) -> None:
        """Write the names of vertices above them, if there are few."""
        if self.graph.n > LABELS or self.cells is not None:
            return
        behind = matplotlib("patheffects").withStroke(linewidth=2.5, foreground=self.style.palette.ground)
        size = 0.85 * self.page.size
        for v, (x, y) in enumerate(self.points.T):
            self.axes.annotate(
                _short(str(self.graph.name(v))), (x, y), (0, 0.55 * self._dot_size() * 0.72 + 1),
                textcoords="offset points", fontsize=size * 72 / DPI, color=self.style.palette.text, ha="center",
                path_effects=[behind], zorder=5, parse_math=False, usetex=False, annotation_clip=False,
            )  # fmt: skip

    def finish(self) -> Picture:
        """Add names and legend; return the picture."""
        self.names()
        known = self.plane.metres is not None and self.cells is None
        return self.page.finish(self.plane.metres * self.page.wide / self.per_unit if known else None)  # type: ignore[operator]

    def _padding(self) -> float:
        """Return the room around the outermost vertices, in pixels; names need more."""
        least = min(self.page.wide, self.page.high)
        pad = min(0.8 * self.page.size, least / 8)
        if self.graph.n <= LABELS and self.graph.n:
            longest = max(self.page.length(_short(str(self.graph.name(v)))) for v in range(self.graph.n))
            pad = min(max(pad, longest / 2) + self.page.size, least / 4)
        return pad

    def _dot_size(self) -> float:
        """Return the diameter of a dot in pixels: smaller where there are many."""
        room = np.sqrt(self.page.wide * self.page.high / max(self.graph.n, 1))
        return float(np.clip(room / 6, 0.25 * self.page.size, 0.8 * self.page.size))

    def _cell_points(self) -> np.ndarray:
        """Return the middles of the cells on the page."""
        assert self.cells is not None
        at = self.cells.free if self.cells.free is not None else np.arange(self.graph.n)
        row, column = np.divmod(at, max(self.cells.columns, 1))
        across = (column + 0.5) * (self.page.wide / max(self.cells.columns, 1))
        down = (row + 0.5) * (self.page.high / max(self.cells.rows, 1))
        return np.stack((across, down)).astype(np.float32)

    def _refuse_detail(self, what: str) -> None:
        """Refuse an option that means nothing for a raster."""
        if self.style.detail != "auto":
            raise OptionError(
                f"{option('detail', self.style.detail)} is about edges, but this graph is a raster, whose {what} are "
                f"drawn. Leave it out, or add {option('layout', 'coordinates')}."
            )


def _between(scale: Scale, edges: Edges) -> np.ndarray:
    """Return the bands of edges: the middle of those of their ends, or the farther one; none if one end has none."""
    first, second = scale.bands[edges.tails], scale.bands[edges.heads]
    middle = (
        np.maximum(first, second) if scale.whole else ((first.astype(np.uint16) + second + 1) // 2).astype(np.uint8)
    )
    middle[(first == 0) | (second == 0)] = 0
    return middle


def _fitted(image: np.ndarray, high: int, wide: int) -> np.ndarray:
    """Return an image of more pixels than there are on the page with fewer: means of blocks."""
    down, across = max(1, image.shape[0] // max(high, 1)), max(1, image.shape[1] // max(wide, 1))
    if down == across == 1:
        return image
    rows, columns = -(-image.shape[0] // down), -(-image.shape[1] // across)
    padded = np.pad(image, ((0, rows * down - image.shape[0]), (0, columns * across - image.shape[1]), (0, 0)), "edge")
    blocks = padded.reshape(rows, down, columns, across, image.shape[2])
    return blocks.mean(axis=(1, 3)).round().astype(np.uint8)


def _stretch(graph: Graph) -> float:
    """Return how much higher than wide a cell is: cells of equal degrees are narrower far from the equator."""
    points = graph.coordinates
    if points is None or not len(points) or not is_degrees(points):
        return 1.0
    return float(1 / max(np.cos(np.radians(points[:, 1].mean())), 0.05))


def _short(name: str) -> str:
    """Return the beginning of a long name."""
    return name if len(name) <= 18 else name[:17] + "…"

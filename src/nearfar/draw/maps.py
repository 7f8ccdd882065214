"""Maps: where vertices are on the page, and how a network, paths, dots and names are drawn there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graph import Graph
from .cells import aspect_of, cells_of, image_of, middles
from .edges import edges_of
from .layout import lay_out
from .looks import USUAL, Style, matplotlib
from .page import Page
from .picture import DPI, Picture
from .plane import Plane, plane_of
from .scales import Bar, Scale, Swatch, shorten
from .strokes import PLAIN, banded, paint

LABELS = 40  # vertices whose names are written
DOTS = 400  # vertices that are drawn as dots


class Map:
    """A page with a graph on it.

    Parameters
    ----------
    graph : Graph
    style : Style
    bar, swatches : the legend
    starts : array of vertices
        Where a layout begins, if the graph has no coordinates.
    cells : bool
        Whether a raster is drawn as an image of its cells.

    Attributes
    ----------
    points : float32 array of shape (2, n)
        Where the vertices are, in pixels of the drawing, y downwards.
    around : float or None
        The length of 360 degrees in pixels, if the map may reach around the earth.
    """

    around: float | None = None
    metres: float | None = None  # that the drawing is wide
    lift = 0.0  # pixels between a vertex and its name, for thick lines

    def __init__(
        self,
        graph: Graph,
        style: Style,
        bar: Bar | None,
        swatches: Sequence[Swatch],
        starts: np.ndarray,
        cells: bool = True,
    ) -> None:
        self.graph, self.style = graph, style
        self.cells = cells_of(graph, style) if cells else None
        if self.cells is not None:
            walls = [] if self.cells.free is None else [Swatch(style.palette.wall, "wall")]
            self.page = Page(style, aspect_of(graph, self.cells), bar, [*swatches, *walls], "equal scale")
            self.points = middles(self.cells, self.page.wide, self.page.high)
        else:
            placed = graph.coordinates is not None and style.layout in ("auto", "coordinates")
            self._place(plane_of(graph, style.scale) if placed else lay_out(graph, style, starts), bar, swatches)
        self.axes = self.page.map_axes()

    def _place(self, plane: Plane, bar: Bar | None, swatches: Sequence[Swatch]) -> None:
        """Make a page in the shape of the graph, and place the vertices on it."""
        x, y, wide, high = plane.box()
        usual, room = (
            self.style.width or USUAL,
            64 if self.graph.n <= LABELS else 26,
        )  # room around it, both sides together
        aspect = (high / wide * (usual - room) + room) / usual
        self.page = Page(self.style, aspect, bar, swatches, plane.note)
        pad = self._padding()
        per_unit = min((self.page.wide - 2 * pad) / wide, (self.page.high - 2 * pad) / high)
        left, below = (self.page.wide - per_unit * wide) / 2, (self.page.high - per_unit * high) / 2
        across = (plane.points[:, 0] - x) * per_unit + left
        down = self.page.high - below - (plane.points[:, 1] - y) * per_unit
        self.points = np.stack((across, down)).astype(np.float32)
        if plane.metres is not None:
            self.metres = plane.metres * self.page.wide / per_unit
        if plane.around is not None:
            self.around = plane.around * per_unit

    def add(self, points: np.ndarray) -> np.ndarray:
        """Add points that are no vertices, and return what they are called among ``points``."""
        n = self.points.shape[1]
        self.points = np.concatenate((self.points, points.astype(np.float32)), axis=1)
        return np.arange(n, self.points.shape[1], dtype=np.int32)

    def paint(self, scale: Scale) -> None:
        """Draw the network, or the cells, in the colours of a scale."""
        if self.cells is not None:
            shape = self.page.wide, self.page.high
            self.image(image_of(self.graph, scale.bands, scale.colours, self.style, *shape))
            return
        paint(self, *banded(self, edges_of(self.graph), scale), scale.colours)
        if self.graph.n <= DOTS:
            self.dots(np.arange(self.graph.n), scale.colours[scale.bands])

    def image(self, image: np.ndarray) -> None:
        """Put an image into the drawing, which it fills."""
        extent = (0, self.page.wide, self.page.high, 0)
        self.axes.imshow(image, extent=extent, origin="upper", aspect="auto", interpolation="none", zorder=1)

    def path(self, vertices: np.ndarray) -> None:
        """Draw a path with a border, above everything that was drawn before."""
        x, y = self._unbroken(self.points[:, vertices])
        wide, colours = 0.24 * self.page.size * 72 / DPI, self.style.palette
        joints: dict[str, Any] = {**PLAIN, "solid_joinstyle": "round"}
        self.axes.plot(x, y, color=colours.case, linewidth=1.9 * wide, zorder=3, **joints)
        self.axes.plot(x, y, color=colours.path, linewidth=wide, zorder=3.1, **joints)

    def _unbroken(self, spots: np.ndarray) -> np.ndarray:
        """Return the spots of a path, which leaves the map and comes back where it crosses the 180th meridian."""
        if self.around is None:
            return spots
        steps = np.diff(spots[0])
        for i in np.flatnonzero(np.abs(steps) > self.around / 2)[::-1]:
            shift = np.array([np.sign(steps[i]) * self.around, 0], np.float32)
            between = np.stack((spots[:, i + 1] - shift, np.full(2, np.nan), spots[:, i] + shift), axis=1)
            spots = np.concatenate((spots[:, : i + 1], between, spots[:, i + 1 :]), axis=1)
        return spots

    def dots(self, vertices: np.ndarray, colours: Any, size: float | None = None, edge: float = 0.0) -> None:
        """Draw vertices as dots; ``size`` is their diameter in pixels."""
        x, y = self.points[:, vertices]
        wide = (self._dot_size() if size is None else size) * 72 / DPI
        case = self.style.palette.case
        self.axes.scatter(x, y, s=wide**2, c=colours, linewidths=edge * 72 / DPI, edgecolors=case, zorder=4)

    def mark(self, vertices: np.ndarray, colours: Any = None) -> None:
        """Mark where queries start, or where paths end: dots with a border."""
        room = np.sqrt(self.page.wide * self.page.high / max(len(vertices), 1)) / 9
        size = float(np.clip(room, 0.3 * self.page.size, 0.85 * self.page.size))
        self.dots(vertices, self.style.palette.path if colours is None else colours, size, size / 8)

    def names(self) -> None:
        """Write the names of vertices above them, if there are few."""
        if self.graph.n > LABELS or self.cells is not None:
            return
        behind = matplotlib("patheffects").withStroke(linewidth=1.8, foreground=self.style.palette.ground)
        size = 0.85 * self.page.size
        for v, (x, y) in enumerate(self.points.T[: self.graph.n]):
            self.axes.annotate(
                shorten(str(self.graph.name(v)), 18), (x, y), (0, (0.55 * self._dot_size() + self.lift) * 0.72 + 1),
                textcoords="offset points", fontsize=size * 72 / DPI, color=self.style.palette.text, ha="center",
                path_effects=[behind], zorder=5, parse_math=False, usetex=False, annotation_clip=False,
            )  # fmt: skip

    def finish(self) -> Picture:
        """Add names and legend; return the picture."""
        self.names()
        return self.page.finish(self.metres)

    def _padding(self) -> float:
        """Return the room around the outermost vertices, in pixels; names need more."""
        least = min(self.page.wide, self.page.high)
        pad = min(0.8 * self.page.size, least / 8)
        if self.graph.n <= LABELS and self.graph.n:
            longest = max(self.page.length(shorten(str(self.graph.name(v)), 18)) for v in range(self.graph.n))
            pad = min(max(pad, longest / 2) + self.page.size, least / 4)
        return pad

    def _dot_size(self) -> float:
        """Return the diameter of a dot in pixels: smaller where there are many."""
        room = np.sqrt(self.page.wide * self.page.high / max(self.graph.n, 1))
        return float(np.clip(room / 6, 0.25 * self.page.size, 0.8 * self.page.size))

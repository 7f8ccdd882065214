"""Rasters: the vertices are the cells of an image; walls have a colour of their own."""

from __future__ import annotations

import numpy as np

from ..errors import OptionError, option
from ..graph import Graph
from ..graph.cells import CellNames
from .looks import Style, matplotlib
from .plane import is_degrees

WALL = 255  # the band of cells that are walls


def cells_of(graph: Graph, style: Style) -> CellNames | None:
    """Return the cells that are drawn as an image; None if vertices are drawn where their coordinates are."""
    if not isinstance(graph.names, CellNames) or style.layout != "auto":
        return None
    for name in ("detail", "scale"):
        if getattr(style, name) != "auto":
            raise OptionError(
                f"{option(name, getattr(style, name))} is about edges between points, but this graph is a raster, "
                f"whose cells are drawn. Leave it out, or add {option('layout', 'coordinates')}."
            )
    return graph.names


def aspect_of(graph: Graph, cells: CellNames) -> float:
    """Return the height of the image by its width: cells of equal degrees are narrower far from the equator."""
    stretch, points = 1.0, graph.coordinates
    if points is not None and len(points) and is_degrees(points) and not cells.xy:
        stretch = float(1 / max(np.cos(np.radians(points[:, 1].mean())), 0.05))
    return float(np.clip(cells.rows * stretch / max(cells.columns, 1), 0.02, 50)) if cells.rows else 1.0


def middles(cells: CellNames, wide: int, high: int) -> np.ndarray:
    """Return the middles of the cells in an image of this size."""
    at = cells.free if cells.free is not None else np.arange(cells.rows * cells.columns)
    row, column = np.divmod(at, max(cells.columns, 1))
    across, down = wide / max(cells.columns, 1), high / max(cells.rows, 1)
    return np.stack(((column + 0.5) * across, (row + 0.5) * down)).astype(np.float32)


def image_of(graph: Graph, bands: np.ndarray, colours: np.ndarray, style: Style, wide: int, high: int) -> np.ndarray:
    """Return the image of cells in the colours of their bands, with little more pixels than there is room for."""
    wall = np.asarray(matplotlib("colors").to_rgba(style.palette.wall))
    palette = (np.vstack((colours, wall)) * 255).round().astype(np.uint8)
    return _fitted(palette[np.minimum(graph.to_raster(bands, fill=WALL), len(colours))], high, wide)


def _fitted(image: np.ndarray, high: int, wide: int) -> np.ndarray:
    """Return an image of more pixels than there are on the page with fewer: means of blocks."""
    down, across = max(1, image.shape[0] // max(high, 1)), max(1, image.shape[1] // max(wide, 1))
    if down == across == 1:
        return image
    rows, columns = -(-image.shape[0] // down), -(-image.shape[1] // across)
    padded = np.pad(image, ((0, rows * down - image.shape[0]), (0, columns * across - image.shape[1]), (0, 0)), "edge")
    blocks = padded.reshape(rows, down, columns, across, image.shape[2])
    return blocks.mean(axis=(1, 3)).round().astype(np.uint8)

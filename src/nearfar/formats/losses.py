"""What a format cannot hold of a graph: refused if it changes the meaning, else only reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import OptionError, option
from ..graph.cells import CellNames
from ..graph.names import NumberNames
from ..graph.vertices import Vertices
from .format import Format

if TYPE_CHECKING:
    from ..graph import Graph


def check_loss(graph: Graph, chosen: Format, writable: Sequence[Format]) -> None:
    """Refuse to write a graph whose meaning the format cannot hold."""
    weights = graph.weights
    lost = {
        "names": not _is_counted(graph) and not _has_cells(graph) and "the vertices have names",
        "cells": _has_cells(graph) and "the vertices are the cells of a raster",
        "weights": weights is not None and not graph.min_weight == graph.max_weight == 1 and "the graph has weights",
        "floats": weights is not None and weights.dtype.kind == "f" and "the weights are not whole numbers",
        "negative": graph.min_weight < 0 and "some weights are negative",
        "directed": not graph.undirected and graph.m > 0 and "the graph is directed",
    }
    for what, reason in lost.items():
        if reason and what not in chosen.keeps:
            able = [record.name for record in writable if what in record.keeps]
            others = f" or another of {', '.join(able[1:])}" if able[1:] else ""
            raise OptionError(
                f"{reason}, which the format {chosen.name!r} cannot hold. Write {able[0]!r}{others}, or use "
                f"{option('lossy', True)} to lose that."
            )


def without_lost_cells(graph: Graph, chosen: Format) -> Graph:
    """Return the graph as the format holds it: vertices are called by index if they are cells that it cannot hold."""
    if not _has_cells(graph) or "cells" in chosen.keeps:
        return graph
    return type(graph)(graph.offsets, graph.arcs, Vertices(graph.n), graph.coordinates, graph.undirected)


def changes(graph: Graph, chosen: Format) -> list[str]:
    """Return in words what changes when the graph is written."""
    arcs = np.diff(graph.offsets) > 0
    arcs[graph.heads] = True
    lone = graph.n - int(arcs.sum())
    lost = {
        "cells" if _has_cells(graph) else "names": _renaming(graph, chosen),
        "coordinates": "the coordinates" if graph.coordinates is not None else "",
        "isolated": f"{lone} {'vertex' if lone == 1 else 'vertices'} without arcs" if lone else "",
    }
    return [words for what, words in lost.items() if words and what not in chosen.keeps]


def _renaming(graph: Graph, chosen: Format) -> str:
    """Return in words how a format without names changes the names of the vertices, or nothing."""
    if graph.names is not None and not _is_counted(graph):
        return "the names of the vertices"
    first = graph.name(0) if graph.n else chosen.first
    return f"the names of the vertices, which count from {chosen.first} there" if first != chosen.first else ""


def _has_cells(graph: Graph) -> bool:
    """Return whether the vertices are the cells of a raster."""
    return isinstance(graph.names, CellNames)


def _is_counted(graph: Graph) -> bool:
    """Return whether the names are 0, 1, 2 ... or 1, 2, 3 ..., which formats with counted vertices replace."""
    names = graph.names
    return names is None or (
        isinstance(names, NumberNames) and isinstance(names.ids, range) and names.ids.start in (0, 1)
    )

"""The overlay of a partitioned graph: its boundary vertices, and the distances between them.

Its arcs are the distances inside each part, as far as they are needed, and the cut arcs. So the distance between two
boundary vertices is the same as in the whole graph. It is a small graph of its own, found once: it is kept in the
folder of the parts where that can be written, else in memory.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import FileError
from ..formats.folder.parts import read_overlay, write_overlay
from ..graph import Graph
from ..graph.blocks import offset_type, record_type
from ..graph.parts import Part, Parts
from ..graph.vertices import Vertices
from .part_steps import OverlayArcs, overlay_arcs
from .problem import Controls


def overlay_of(parts: Parts, controls: Controls) -> Graph | None:
    """Return the overlay, whose vertices are the numbers of the boundary vertices; None if the run was stopped."""
    found: Graph | None = known_overlay(parts)
    if found is None:
        found = _find_overlay(parts, controls)
        if found is None:
            return None
        parts.memo["overlay"] = found
        if parts.folder is not None:
            with suppress(FileError):  # a folder that cannot be written to: it is kept in memory
                write_overlay(parts, found.offsets, found.arcs)
    return found


def known_overlay(parts: Parts) -> Graph | None:
    """Return the overlay if it was found before, None if it was not."""
    if "overlay" not in parts.memo and parts.folder is not None and (stored := read_overlay(parts)) is not None:
        parts.memo["overlay"] = Graph(*stored, Vertices(len(parts.boundary)))
    found: Graph | None = parts.memo.get("overlay")
    return found


def _find_overlay(parts: Parts, controls: Controls) -> Graph | None:
    """Find the arcs of all parts, one part after the other; None if the run was stopped."""
    rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for p in range(parts.count):
        if parts.starts[p] == parts.starts[p + 1]:
            continue
        part = parts.load(p)
        between = overlay_arcs(part, controls.threads, controls.stop)
        if controls.stopped:
            return None
        rows.append(with_cuts(part, between))
    return _assembled(rows, len(parts.boundary))


def with_cuts(part: Part, between: OverlayArcs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return degrees, heads and weights of the overlay's arcs from one part: those inside, then those that are cut."""
    inner, cut = np.diff(between.offsets), np.diff(part.cut_offsets)
    degrees = inner + cut
    tails = np.concatenate([np.repeat(np.arange(len(degrees)), inner), np.repeat(np.arange(len(degrees)), cut)])
    order = np.argsort(tails, kind="stable")
    weights = part.cuts["weight"] if "weight" in (part.cuts.dtype.names or ()) else np.ones(len(part.cuts), np.int64)
    heads = np.concatenate([between.heads, part.cuts["head"]])[order]
    return degrees, heads, np.concatenate([between.weights, weights.astype(between.weights.dtype)])[order]


def _assembled(rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]], n: int) -> Graph:
    """Return the overlay as a graph; weights are as narrow as they fit."""
    degrees, heads, weights = (
        np.concatenate([row[i] for row in rows]) if rows else np.empty(0, np.int64) for i in range(3)
    )
    narrow: Any = np.int32 if weights.dtype.kind == "i" and weights.max(initial=0) < 2**31 else weights.dtype
    offsets = np.zeros(n + 1, offset_type(len(heads)))
    np.cumsum(degrees, out=offsets[1:])
    arcs = np.empty(len(heads), record_type(np.dtype(narrow)))
    arcs["head"], arcs["weight"] = heads, weights
    return Graph(offsets, arcs, Vertices(n))

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
from ..formats.folder.parts import read_overlay, stored_overlay_bytes, write_overlay
from ..graph import Graph
from ..graph.blocks import offset_type, record_type
from ..graph.parts import Part, Parts
from ..graph.vertices import Vertices
from .part_steps import NO_TARGETS, OverlayArcs, overlay_arcs, settle_part
from .problem import Controls


def overlay_of(parts: Parts, controls: Controls) -> Graph | None:
    """Return the overlay, whose vertices are the numbers of the boundary vertices; None if the run was stopped."""
    found: Graph | None = known_overlay(parts)
    if found is None:
        found = _find_overlay(parts, controls)
        if found is None:
            return None
        keep_overlay(parts, found)
    return found


def keep_overlay(parts: Parts, found: Graph) -> None:
    """Keep the overlay for later queries, in the folder of the parts where that can be written."""
    parts.memo["overlay"] = found
    if parts.folder is not None:
        with suppress(FileError):  # a folder that cannot be written to: it is kept in memory
            write_overlay(parts, found.offsets, found.arcs)


def settle_overlay(
    overlay: Graph, seeds: np.ndarray, starts: np.ndarray, sums: Any, ceiling: Any, stop: np.ndarray | None = None
) -> np.ndarray:
    """Return the distances of all boundary vertices from some of them, at what these start with."""
    everything = Part(0, 0, np.arange(overlay.n), overlay.offsets, overlay.arcs, NO_TARGETS, NO_TARGETS, NO_TARGETS)
    everything.__dict__["graph"] = overlay
    return settle_part(everything, seeds, starts, sums, ceiling, stop)


def known_overlay(parts: Parts) -> Graph | None:
    """Return the overlay if it was found before, None if it was not."""
    if "overlay" not in parts.memo and parts.folder is not None and (stored := read_overlay(parts)) is not None:
        parts.memo["overlay"] = Graph(*stored, Vertices(len(parts.boundary)))
    found: Graph | None = parts.memo.get("overlay")
    return found


def overlay_bytes(parts: Parts) -> int:
    """Return the bytes of the overlay, in memory or in the folder; 0 if it was not found yet."""
    found: Graph | None = parts.memo.get("overlay")
    return stored_overlay_bytes(parts) if found is None else found.arc_bytes


def _find_overlay(parts: Parts, controls: Controls) -> Graph | None:
    """Find the arcs of all parts, one part after the other; None if the run was stopped."""
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    for p in np.flatnonzero(parts.boundary_sizes).tolist():
        part = parts.load(p)
        between = overlay_arcs(part, controls.threads, controls.stop)
        if controls.stopped:
            return None
        rows.append(with_cuts(part, between))
    return assembled(rows, len(parts.boundary))


def with_cuts(part: Part, between: OverlayArcs) -> tuple[np.ndarray, np.ndarray]:
    """Return the overlay's arcs from one part, as degrees and records: those inside it, and those that are cut."""
    inner, cut = np.diff(between.offsets), np.diff(part.cut_offsets)
    cut_weights = part.cuts["weight"] if "weight" in (part.cuts.dtype.names or ()) else np.ones(len(part.cuts), int)
    weights = np.concatenate([between.weights, cut_weights.astype(between.weights.dtype)])
    arcs = np.empty(len(weights), record_type(_narrowest(weights)))
    arcs["head"], arcs["weight"] = np.concatenate([between.heads, part.cuts["head"]]), weights
    tails = np.arange(len(inner), dtype=np.int32)
    order = np.argsort(np.concatenate([np.repeat(tails, inner), np.repeat(tails, cut)]), kind="stable")
    return inner + cut, arcs[order]


def _narrowest(weights: np.ndarray) -> np.dtype[Any]:
    """Return the narrowest type that holds the weights."""
    return np.dtype(np.int32) if weights.dtype.kind == "i" and weights.max(initial=0) < 2**31 else weights.dtype


def assembled(rows: list[tuple[np.ndarray, np.ndarray]], n: int) -> Graph:
    """Return the overlay as a graph; the list is emptied, and its arrays are freed as their arcs are copied."""
    degrees = np.concatenate([degrees for degrees, _ in rows]) if rows else np.zeros(n, np.int64)
    total = int(degrees.sum())
    offsets = np.zeros(n + 1, offset_type(total))
    np.cumsum(degrees, out=offsets[1:])
    types = [arcs.dtype["weight"] for _, arcs in rows] or [np.dtype(np.int32)]
    found, done = np.empty(total, record_type(np.result_type(*types))), 0
    while rows:
        _, arcs = rows.pop(0)
        found["head"][done : done + len(arcs)] = arcs["head"]
        found["weight"][done : done + len(arcs)] = arcs["weight"]
        done += len(arcs)
    return Graph(offsets, found, Vertices(n))

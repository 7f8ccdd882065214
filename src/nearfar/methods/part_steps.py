"""What is done with one part of a graph at a time: settle it, find the distances between its boundary vertices.

Each step is a function of a part and of small arrays, and of nothing else: it may run anywhere, any number of times. A
minimum of what several runs returned is what one of them returns.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ..formats.folder.parts import load_part
from ..graph.parts import Part
from ..results import limits
from . import dijkstra
from .batches import run_batches
from .method import Settle
from .problem import Controls, Problem

NO_TARGETS = np.empty(0, np.int32)


class OverlayArcs(NamedTuple):
    """The arcs that a part puts between its own boundary vertices, by number, in rows.

    ``offsets`` says where the arcs of each boundary vertex of the part begin; ``heads`` are numbers of boundary
    vertices, ``weights`` distances inside the part, in the type that sums are formed in.
    """

    offsets: np.ndarray
    heads: np.ndarray
    weights: np.ndarray


def as_part(part: Part | str | os.PathLike[str]) -> Part:
    """Return a part that was loaded, or load it from its folder."""
    return part if isinstance(part, Part) else load_part(part)


def sum_type(part: Part) -> np.dtype:
    """Return the type that sums of a part's weights are formed in: int64, or that of the floats."""
    weight = part.graph.weight_dtype
    return weight if weight is not None and weight.kind == "f" else np.dtype(np.int64)


def settle_part(
    part: Part | str | os.PathLike[str],
    seeds: np.ndarray,
    starts: np.ndarray,
    dtype: Any = None,
    ceiling: Any = None,
    stop: np.ndarray | None = None,
    out: np.ndarray | None = None,
    notes: dict[str, Any] | None = None,
) -> np.ndarray:
    """Return the distances of all vertices of a part from some of them, over arcs inside the part.

    Parameters
    ----------
    part : Part, or the path of its folder
    seeds : array of int32
        Positions in the part; a vertex may occur more than once.
    starts : array
        The distance at which each seed starts.
    dtype : dtype
        The type of the distances; that of sums by default.
    ceiling : number
        The least distance that does not count as reached, and what is written for a vertex that is not; by default the
        mark of the type.
    stop : array of one int64
        Set to another number than 0, it ends the search early.
    out : array
        Where to write the distances.
    notes : dict
        Where to note which queue was used if it was not that of buckets.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.graph.parts import split_in_memory
    >>> from nearfar.methods.part_steps import settle_part
    >>> graph = Graph.from_arcs([0, 1, 2, 3], [1, 2, 3, 0], [4, 5, 6, 7])
    >>> part = split_in_memory(graph, np.array([0, 0, 1, 1], np.uint8), 2).load(1)
    >>> part.vertices, settle_part(part, np.array([0], np.int32), np.array([9]))
    (array([2, 3], dtype=int32), array([ 9, 15]))
    """
    part = as_part(part)
    dtype = sum_type(part) if dtype is None else np.dtype(dtype)
    mark = limits.unreached(dtype) if ceiling is None else ceiling
    ceiling, zero = limits.ceiling_and_zero(part.graph, None, dtype) if ceiling is None else (ceiling, type(ceiling)(0))
    row = np.empty(part.n, dtype) if out is None else out
    seeds, starts = least_starts(seeds, starts.astype(limits.at_zero(dtype).dtype), ceiling)
    if not len(seeds):
        row[:] = mark
        return row
    problem = Problem(part.graph, dtype, seeds[:1], seeds, starts, ceiling, zero, zero, NO_TARGETS)
    controls = Controls(threads=1, stop=np.zeros(1, np.int64) if stop is None else stop)
    controls.notes = {} if notes is None else notes
    dijkstra.new_worker(problem, controls)(seeds, row)
    if mark != ceiling:
        row[row >= ceiling] = mark
    return row


def least_starts(seeds: np.ndarray, starts: np.ndarray, ceiling: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return each seed once, with its least start, and none that starts at the ceiling or above."""
    below = starts < ceiling
    seeds, starts = seeds[below], starts[below]
    order = np.lexsort((starts, seeds))
    seeds, first = np.unique(seeds[order], return_index=True)
    return seeds.astype(np.int32, copy=False), starts[order][first]


def overlay_arcs(
    part: Part | str | os.PathLike[str], threads: int = 1, stop: np.ndarray | None = None, reduce: bool = True
) -> OverlayArcs:
    """Return the distances between the boundary vertices of a part, inside it, as arcs.

    With ``reduce``, an arc is left out if the way over a third boundary vertex is as short.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph import Graph
    >>> from nearfar.graph.parts import split_in_memory
    >>> from nearfar.methods.part_steps import overlay_arcs
    >>> graph = Graph.from_arcs([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], [4, 5, 6, 7, 8])
    >>> parts = split_in_memory(graph, np.array([0, 0, 1, 1, 1], np.uint8), 2)
    >>> overlay_arcs(parts.load(1))
    OverlayArcs(offsets=array([0, 1, 1]), heads=array([3], dtype=int32), weights=array([13]))
    """
    part = as_part(part)
    stop = np.zeros(1, np.int64) if stop is None else stop
    between = boundary_distances(part, threads, stop)
    mark = limits.unreached(between.dtype)
    rows = [_needed(between, x, mark, reduce) for x in range(len(between))] if not stop[0] else []
    counts = np.array([len(heads) for heads in rows], np.int64)
    heads = np.concatenate(rows) if rows else NO_TARGETS
    tails = np.repeat(np.arange(len(rows)), counts)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    return OverlayArcs(offsets, (heads + part.first).astype(np.int32), between[tails, heads])


def boundary_distances(part: Part, threads: int, stop: np.ndarray) -> np.ndarray:
    """Return the matrix of distances between the boundary vertices of a part, inside it; one row per thread."""
    dtype, boundary = sum_type(part), part.boundary
    mark = limits.unreached(dtype)
    between = np.full((len(boundary), len(boundary)), mark, dtype)
    controls = Controls(threads, stop=stop, finish=lambda first, last=None: None)

    def new_worker() -> Any:
        row, (settle, ceiling) = np.empty(part.n, dtype), _row_settler(part, dtype, controls)

        def settle_batch(batch: np.ndarray) -> int:
            for b in batch.tolist():
                relaxed = settle(boundary[b : b + 1], row)
                found = row[boundary]
                between[b] = np.where(found < ceiling, found, mark)
            return relaxed

        return settle_batch

    effort = len(boundary) * (part.graph.m + part.n)
    run_batches(controls, list(np.arange(len(boundary))[:, None]), new_worker, effort)
    return between


def _row_settler(part: Part, dtype: np.dtype, controls: Controls) -> tuple[Settle, Any]:
    """Return a function that settles rows from one vertex each, and the ceiling that marks what is not reached."""
    ceiling, zero = limits.ceiling_and_zero(part.graph, None, dtype)
    starts = limits.at_zero(dtype)
    problem = Problem(part.graph, dtype, np.zeros(1, np.int32), None, starts, ceiling, zero, zero, NO_TARGETS)
    return dijkstra.new_worker(problem, controls), ceiling


def _needed(between: np.ndarray, x: int, mark: Any, reduce: bool) -> np.ndarray:
    """Return the boundary vertices of the part that need an arc from ``x``."""
    from ..kernels.cpu.cuts import keep_needed

    row = between[x]
    reached = np.flatnonzero(row < mark).astype(np.int32)
    reached = reached[reached != x]
    if not reduce:
        return reached
    needed = np.zeros(len(row), np.uint8)
    keep_needed(between, reached[np.argsort(row[reached], kind="stable")], mark, x, needed)
    return np.flatnonzero(needed).astype(np.int32)

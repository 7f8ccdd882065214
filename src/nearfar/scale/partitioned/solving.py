"""Queries of a partitioned graph: first what its boundary vertices are at, then what was asked for of each part.

Rows are taken some at a time, so that neither the caller nor a task holds more than a few numbers per boundary vertex.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.arrays import Array
from ...results import limits
from .asking import Job
from .boundary import NOTHING, OWNERS, Boundary, Seeds, by_phases, by_rounds
from .results import PartitionedDistances, PartitionedNearest, file_name, new_folder
from .tasks import Terms, read_values, write_rows

if TYPE_CHECKING:
    from .graph import PartitionedGraph

CALLER_BYTES = 1 << 28  # of what boundary vertices are offered, for rows that are searched together, at the caller
TASK_BYTES = 1 << 22  # the same in one task: Dask warns of 10 MB
ENTRY = 12  # bytes of an offer and of the source that it comes from


class Options(NamedTuple):
    """The options of a query."""

    cutoff: float | None
    method: str
    memory: Any


class Search:
    """One query: its rows, how they are searched, and what is told of it.

    Parameters
    ----------
    graph : PartitionedGraph
    sources, rows : array
        Where rows start, by index: the vertex and the row of each start.
    options : Options
    wanted : int
        What is wanted beside distances, as `Boundary` has it.
    """

    def __init__(
        self, graph: PartitionedGraph, sources: Array, rows: Array, options: Options, wanted: int = NOTHING
    ) -> None:
        self.graph, self.parts, self.options, self.wanted = graph, graph.parts, options, wanted
        self.k = int(rows.max(initial=-1)) + 1
        self.seeds = Seeds(rows, sources, self.parts.labels[sources])
        self.types = limits.choose_types(graph.stored, None, False)
        self.in_phases, self.why = graph.plan(options.method, options.memory)
        self.run = graph.new_run()
        self.overlay = graph.overlay(self.run) if self.in_phases else None

    def sums(self) -> list[np.dtype[Any]]:
        """Return the types in which sums are formed, in the order in which they are tried."""
        return [np.dtype(np.int64)] if self.types[0].kind == "i" else self.types

    def blocks(self, sums: np.dtype[Any]) -> Iterator[tuple[int, Boundary]]:
        """Yield the boundary vertices of some rows at a time, and the first of these rows."""
        ceiling, _ = limits.ceiling_and_zero(self.graph.stored, self.options.cutoff, sums)
        terms = Terms(sums.name, ceiling, self.run.name)
        most = int(self.parts.boundary_sizes.max(initial=1))
        step = max(1, min(CALLER_BYTES // (ENTRY * (len(self.parts.boundary) + 1)), TASK_BYTES // (ENTRY * most)))
        for first in range(0, self.k, step):
            last = min(first + step, self.k)
            boundary = Boundary(self.parts, terms, self.seeds.between(first, last), last - first, self.wanted)
            if self.overlay is None:
                by_rounds(self.run, boundary)
            else:
                by_phases(self.run, boundary, self.overlay)
            yield first, boundary

    def type_of(self, most: Any, sums: np.dtype[Any]) -> np.dtype[Any] | None:
        """Return the type that a query without parts would have, given the greatest distance; None to try another."""
        stored, cutoff = self.graph.stored, self.options.cutoff
        for dtype in self.types if sums.kind == "i" else [sums]:
            ceiling, _ = limits.ceiling_and_zero(stored, cutoff, dtype)
            fits = most < limits.unreached(dtype)
            if fits and limits.finish_row(stored, cutoff, None, ceiling, np.array([most], dtype)):
                return dtype
        if sums == self.sums()[-1]:
            raise limits.overflow(stored, self.types[-1], given=False)
        return None

    def facts(self) -> dict[str, Any]:
        """Return what is told of the query."""
        return {
            "method": "parts",
            "phases": 3 if self.in_phases else "rounds",
            "why": self.why,
            **({} if self.in_phases else {"rounds": self.run.rounds}),
            "parts": self.parts.count,
            "boundary_vertices": len(self.parts.boundary),
            **({} if self.overlay is None else {"overlay_arcs": self.overlay.m}),
            **self.run.facts(),
        }


def rows_from(
    graph: PartitionedGraph,
    sources: Array,
    rows: Array,
    options: Options,
    out: Any,
    *,
    single: bool,
    kind: type[PartitionedDistances] = PartitionedDistances,
) -> PartitionedDistances:
    """Return the distances of all vertices in some rows, which workers have written to files."""
    search = Search(graph, sources, rows, options, OWNERS if kind is PartitionedNearest else NOTHING)
    folder = graph.cluster.spool.folder_for("distances") if out is None else str(new_folder(out, "row-*.npy"))
    try:
        for sums in search.sums():
            written, most, count = _write(search, sums, folder)
            if (dtype := search.type_of(most.max(initial=0).item(), sums)) is not None:
                break
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    assert dtype is not None
    return kind(
        graph, sources, folder, dtype, written, (most, count),
        single=single, cutoff=options.cutoff, stats=search.facts(), kept=out is not None,
    )  # fmt: skip


def _write(search: Search, sums: np.dtype[Any], folder: str) -> tuple[Array, Array, Array]:
    """Have all rows written; return, by row and part: is there a file, the greatest distance, how many are reached."""
    shape = search.k, search.parts.count
    written, count = np.zeros(shape, bool), np.zeros(shape, np.int64)
    most = np.zeros(shape, np.int64 if sums.kind == "i" else np.float64)
    for first, boundary in search.blocks(sums):
        reached = boundary.reached()
        chosen = [(p, np.flatnonzero(reached[:, p])) for p in np.flatnonzero(reached.any(axis=0)).tolist()]
        jobs: list[Job] = []
        for p, rows in chosen:
            files = [file_name(folder, first + r, p) for r in rows.tolist()]
            jobs.append((p, (boundary.given(p, rows), boundary.terms, files)))
        for (p, rows), facts in zip(chosen, search.run.ask(write_rows, jobs), strict=True):
            written[first + rows, p] = True
            most[first + rows, p], count[first + rows, p] = zip(*facts, strict=True)
    return written, most, count


def nearest_of(graph: PartitionedGraph, sources: Array, options: Options, out: Any) -> PartitionedNearest:
    """Return the distance of every vertex from the nearest source, and that source."""
    rows = np.zeros(len(sources), np.int64)
    found = rows_from(graph, sources, rows, options, out, single=True, kind=PartitionedNearest)
    assert isinstance(found, PartitionedNearest)
    return found


def values_of(
    graph: PartitionedGraph, sources: Array, rows: Array, targets: Array, options: Options
) -> tuple[Array, dict[str, Any]]:
    """Return the distances from the sources of some rows to a target each, and what is told of the query."""
    search = Search(graph, sources, np.arange(len(sources)), options)
    for sums in search.sums():
        values, most = _read(search, sums, rows, targets)
        if (dtype := search.type_of(most, sums)) is not None:
            break
    assert dtype is not None
    return limits.in_type(values, dtype), search.facts()


def _read(search: Search, sums: np.dtype[Any], rows: Array, targets: Array) -> tuple[Array, Any]:
    """Return the distances of some pairs, and a number that is no less than those that decide on their type.

    If sums might not fit the type at all, every part is settled: then no distance was refused unseen.
    """
    parts, fits = search.parts.labels[targets], limits.surely_fits(search.graph.stored, sums, None)
    values, most = np.full(len(targets), limits.unreached(sums), sums), 0
    for first, boundary in search.blocks(sums):
        reached, here = boundary.reached(), (rows >= first) & (rows < first + boundary.count)
        chosen: list[Array] = []
        jobs: list[Job] = []
        for p in range(search.parts.count) if not fits else np.unique(parts[here]).tolist():
            pairs = np.flatnonzero(here & (parts == p))
            wanted = np.flatnonzero(reached[:, p]) if not fits else np.unique(rows[pairs] - first)
            wanted = wanted[reached[wanted, p]]
            pairs = pairs[np.isin(rows[pairs] - first, wanted)]
            if len(wanted):
                local = np.searchsorted(wanted, rows[pairs] - first)
                chosen.append(pairs)
                jobs.append((p, (boundary.given(p, wanted), boundary.terms, local, targets[pairs])))
        for pairs, (found, greatest) in zip(chosen, search.run.ask(read_values, jobs), strict=True):
            values[pairs] = np.where(found < boundary.terms.ceiling, found, limits.unreached(sums))
            most = max(most, greatest)
    if fits:
        most = values[values < limits.unreached(sums)].max(initial=0).item()
    return values, most

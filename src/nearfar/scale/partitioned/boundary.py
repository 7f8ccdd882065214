"""The distances of all boundary vertices, which the caller finds from what workers tell of single parts.

Three phases: the parts of the sources are settled, and the overlay, which the caller holds, from their boundary
vertices. That is one barrier; the second one is behind the parts that are then settled from their boundary vertices.

Rounds: every part that was offered something new is settled at the same time, and offers to others what its cut arcs
lead to, until no offer is less than what is known. So the number of rounds is that of the parts on a shortest path.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph import Graph
from ...graph.arrays import Array
from ...graph.parts import Parts
from ...methods.overlay import settle_overlay
from ...results import limits
from ...results.trees import origins, predecessors, roots_of
from .asking import Job, Run
from .tasks import Given, Offers, Terms, reach_boundary

SOURCE = -2  # in the place of a boundary vertex: the path comes from the source, inside the part
NOTHING, OWNERS, PARENTS = 0, 1, 2  # what is wanted beside distances


class Seeds(NamedTuple):
    """The sources of some rows: the row and the vertex of each, and the part of the vertex."""

    rows: Array
    vertices: Array
    parts: Array

    def between(self, first: int, last: int) -> Seeds:
        """Return the sources of the rows from ``first`` up to ``last``, which are counted from 0 then."""
        some = (self.rows >= first) & (self.rows < last)
        return Seeds(self.rows[some] - first, self.vertices[some], self.parts[some])


class Boundary:
    """What every boundary vertex is offered in some rows, and the source of each offer if that is wanted.

    Parameters
    ----------
    parts : Parts
    terms : Terms
    seeds : Seeds
    count : int
        The number of rows.
    wanted : int
        What is wanted beside distances: NOTHING; OWNERS, the source that each offer comes from; PARENTS, the boundary
        vertex that it comes from, or SOURCE.
    """

    def __init__(self, parts: Parts, terms: Terms, seeds: Seeds, count: int, wanted: int) -> None:
        self.parts, self.terms, self.seeds, self.count, self.wanted = parts, terms, seeds, count, wanted
        self.offers = np.full((count, len(parts.boundary)), terms.ceiling, terms.sums)
        self.owners = np.full(self.offers.shape, -1, np.int32) if wanted else None

    def of(self, p: int) -> slice:
        """Return the numbers of the boundary vertices of a part."""
        return slice(int(self.parts.starts[p]), int(self.parts.starts[p + 1]))

    def started(self) -> Array:
        """Return which rows have a source in which part: booleans, one row per row."""
        found = np.zeros((self.count, self.parts.count), bool)
        found[self.seeds.rows, self.seeds.parts] = True
        return found

    def reached(self) -> Array:
        """Return which rows reach which part: booleans, one row per row."""
        found = self.started()
        for p in np.flatnonzero(self.parts.boundary_sizes).tolist():
            found[:, p] |= (self.offers[:, self.of(p)] < self.terms.ceiling).any(axis=1)
        return found

    def given(self, p: int, rows: Array) -> Given:
        """Return from where a part is settled in some rows."""
        at, inside = self.of(p), (self.seeds.parts == p) & np.isin(self.seeds.rows, rows)
        offers, seeds = self.offers[rows, at], self.seeds.vertices[inside]
        starts = np.searchsorted(rows, self.seeds.rows[inside]).astype(np.int32)
        owners, marks = None, None
        if self.owners is not None and self.wanted == OWNERS:
            owners, marks = self.owners[rows, at], seeds
        elif self.wanted == PARENTS:
            numbers = np.arange(at.start, at.stop, dtype=np.int32)
            owners, marks = np.tile(numbers, (len(rows), 1)), np.full(len(seeds), SOURCE, np.int32)
        return Given(len(rows), offers, starts, seeds, owners, marks)

    def settle(self, run: Run, pending: Array, offering: bool) -> Array:
        """Have parts settled in the rows in which they are pending; return what is pending afterwards."""
        chosen = [(p, np.flatnonzero(pending[:, p])) for p in np.flatnonzero(pending.any(axis=0)).tolist()]
        jobs: list[Job] = [
            (p, (self.given(p, rows), self.terms, offering, self.wanted == PARENTS)) for p, rows in chosen
        ]
        after = np.zeros_like(pending)
        for (p, rows), found in zip(chosen, run.ask(reach_boundary, jobs), strict=True):
            numbers = np.arange(self.of(p).start, self.of(p).stop)
            everywhere = np.repeat(rows, len(numbers)), np.tile(numbers, len(rows))
            self._lower(*everywhere, found.dist.ravel(), None if found.owners is None else found.owners.ravel())
            if offering:
                self._offer(rows, found, after)
        return after

    def _offer(self, rows: Array, found: Offers, after: Array) -> None:
        """Take what a part offers to others; note who was offered less than before."""
        at = rows[found.rows]
        better = self._lower(at, found.heads, found.values, found.froms)
        after[at[better], self.parts.owners[found.heads[better]]] = True

    def _lower(self, rows: Array, numbers: Array, values: Array, froms: Array | None) -> Array:
        """Lower offers to other values; return which values were less."""
        better = np.flatnonzero(values < self.offers[rows, numbers])
        self.offers[rows[better], numbers[better]] = values[better]
        if self.owners is not None and froms is not None:
            self.owners[rows[better], numbers[better]] = froms[better]
        return better


def by_rounds(run: Run, boundary: Boundary) -> None:
    """Settle parts until none is offered anything new."""
    pending = boundary.started()
    while pending.any():
        pending = boundary.settle(run, pending, offering=True)
        run.rounds += 1


def by_phases(run: Run, boundary: Boundary, overlay: Graph) -> None:
    """Settle the parts of the sources, then the overlay in every row."""
    boundary.settle(run, boundary.started(), offering=False)
    ceiling, sums = boundary.terms.ceiling, np.dtype(boundary.terms.sums)
    for r in range(boundary.count if overlay.n else 0):
        starts = boundary.offers[r].copy()
        seeds = np.flatnonzero(starts < ceiling).astype(np.int32)
        boundary.offers[r] = settle_overlay(overlay, seeds, starts[seeds], sums, ceiling)
        if boundary.owners is not None and len(seeds):
            boundary.owners[r] = _overlay_owners(overlay, boundary, r, seeds, starts[seeds])


def _overlay_owners(overlay: Graph, boundary: Boundary, r: int, seeds: Array, starts: Array) -> Any:
    """Return the owner of the root of each vertex of the overlay, or the vertex before it, if that is wanted."""
    assert boundary.owners is not None
    row, known = boundary.offers[r], boundary.owners[r]
    marked = np.where(row < boundary.terms.ceiling, row, limits.unreached(row.dtype))
    tree = predecessors(overlay, marked[None], [seeds], 1, [starts])[0]
    if boundary.wanted == PARENTS:
        return np.where(tree >= 0, tree, known)
    root = origins(tree, roots_of(marked, seeds, starts))
    return np.where((root >= 0) & (row < boundary.terms.ceiling), known[root], -1)

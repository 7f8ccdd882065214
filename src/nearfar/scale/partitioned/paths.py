"""A path across parts: which boundary vertices it passes, and its pieces, each found by the worker that has the part.

Every boundary vertex knows the one before it: in the overlay's tree, or the one whose offer it took last. Both are as
far as distances say, and a vertex takes its last offer after the one before it has taken its own, so there is no cycle,
whatever arcs weigh nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...graph.arrays import Array
from .asking import Job
from .boundary import PARENTS, SOURCE, Boundary
from .solving import Options, Search
from .tasks import NONE, Given, walk_back

if TYPE_CHECKING:
    from .graph import PartitionedGraph


def path_between(graph: PartitionedGraph, source: int, target: int, options: Options) -> Array | None:
    """Return a shortest path as vertex indices, None if no distance was found."""
    search = Search(graph, np.array([source], np.int32), np.zeros(1, np.int64), options, PARENTS)
    for sums in search.sums():
        for _, boundary in search.blocks(sums):
            p = int(graph.parts.labels[target])
            if boundary.reached()[0, p]:
                job = p, (boundary.given(p, np.zeros(1, np.int64)), boundary.terms, target)
                (end,) = search.run.ask(walk_back, [job])
                if end is not None:
                    return _joined(search, boundary, *end)
    return None


def _joined(search: Search, boundary: Boundary, last: Array, entry: int) -> Array:
    """Return a path whose last piece begins at a boundary vertex, or at the source."""
    parts, jobs = boundary.parts, list[Job]()
    hops: list[Array | None] = []  # backwards: arcs between two parts, and None for a piece that a worker finds
    while entry != SOURCE:
        assert boundary.owners is not None
        before, p = int(boundary.owners[0, entry]), int(parts.owners[entry])
        if before == SOURCE or parts.owners[before] == p:
            jobs.append((p, (_from_one(boundary, p, before), boundary.terms, int(parts.boundary[entry]))))
            hops.append(None)
        else:
            hops.append(parts.boundary[[before, entry]])
        entry = before
    found = iter(list(search.run.ask(walk_back, jobs)))
    pieces = [next(found)[0] if hop is None else hop for hop in hops]
    path = np.concatenate([*pieces[::-1], last])
    return path[np.flatnonzero(np.diff(path, prepend=-1))]  # where pieces meet, a vertex is in both


def _from_one(boundary: Boundary, p: int, number: int) -> Given:
    """Return from where a part is settled if nothing starts there but a boundary vertex, or the source."""
    given = boundary.given(p, np.zeros(1, np.int64))
    offers = np.full_like(given.offers, boundary.terms.ceiling)
    if number == SOURCE:
        return given._replace(offers=offers)
    at = number - boundary.of(p).start
    offers[0, at] = given.offers[0, at]
    return given._replace(offers=offers, rows=NONE, seeds=NONE, marks=NONE)

"""What workers do with one part: functions of where it lies, and of what its boundary vertices are offered.

No argument and no answer holds arcs; they hold a number per boundary vertex, or per vertex that was asked for. To do a
task twice gives the same, and files appear whole or not at all, so whatever is lost is done again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...formats.io.whole import whole_file
from ...graph.arrays import Array
from ...graph.parts import Part
from ...methods import dijkstra
from ...methods.overlay import with_cuts
from ...methods.part_steps import overlay_arcs, settle_part
from ...results import limits
from ...results.trees import origins, predecessors, roots_of
from .shelf import SHELF, PartPlace, flag_of, part_at, require_wanted, who

NONE = np.empty(0, np.int32)
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)


class Terms(NamedTuple):
    """How sums are formed in a run: their type, the least distance that does not count; what the run is called."""

    sums: str
    ceiling: Any
    run: str


class Given(NamedTuple):
    """From where a part is settled, in some rows.

    ``offers``: what its boundary vertices are offered, (k, b), None for nothing; ``owners``: the source that each offer
    comes from, None where nobody asks. The sources inside: ``rows`` that start there, and ``seeds``, by index.
    """

    k: int
    offers: Array | None
    owners: Array | None
    rows: Array
    seeds: Array


class Answer(NamedTuple):
    """What a task returns, which process did it, and the bytes of the arrays that this held for it."""

    value: Any
    worker: str
    held: int


class Offers(NamedTuple):
    """What the boundary vertices of a settled part are at, and what its cut arcs offer to those of other parts.

    ``dist`` and ``owners`` have a row per row, ``rows``, ``heads``, ``values`` and ``froms`` an entry per offer.
    """

    dist: Array
    owners: Array | None
    rows: Array
    heads: Array
    values: Array
    froms: Array | None


def answer(part: Part, value: Any, beside: int) -> Answer:
    """Return the answer of a task that settled a part, and had some bytes of arrays beside it and a queue."""
    return Answer(value, who(), SHELF.nbytes + dijkstra.scratch(part.n, 8) + beside)


def find_table(place: PartPlace, run: str) -> Answer:
    """Return the arcs that a part has in the overlay: between its boundary vertices, and cut ones."""
    part, flag = part_at(place), flag_of(run)
    between = overlay_arcs(part, 1, flag)
    require_wanted(flag)
    return answer(part, with_cuts(part, between), 8 * len(part.boundary) ** 2)


def reach_boundary(place: PartPlace, given: Given, terms: Terms, offering: bool, owned: bool) -> Answer:
    """Settle a part; return what its boundary vertices are at, and, ``offering``, what these offer to other parts."""
    part = part_at(place)
    dist = np.empty((given.k, len(part.boundary)), terms.sums)
    owners = np.empty(dist.shape, np.int32) if owned else None
    found: list[tuple[Array, ...]] = []
    for r, row, own in _settled(part, given, terms, owned):
        dist[r] = row[part.boundary]
        if owners is not None:
            owners[r] = own[part.boundary]
        if offering:
            found.append(_offers(part, r, dist[r], terms.ceiling, None if owners is None else owners[r]))
    rows, heads, values, froms = (np.concatenate(some) for some in zip(*found, strict=True)) if found else (NONE,) * 4
    return answer(part, Offers(dist, owners, rows, heads, values, froms if owned else None), dist.nbytes + row.nbytes)


def _offers(part: Part, r: int, dist: Array, ceiling: Any, owners: Array | None) -> tuple[Array, ...]:
    """Return the least offer to each head of a cut arc: row, head, value, and the source it comes from."""
    tails, heads = np.repeat(np.arange(len(dist)), np.diff(part.cut_offsets)), part.cuts["head"]
    weighted = "weight" in (part.cuts.dtype.names or ())
    with np.errstate(over="ignore"):
        values = dist[tails] + (part.cuts["weight"] if weighted else dist.dtype.type(1))
    some = np.flatnonzero((dist[tails] < ceiling) & (values < ceiling))
    order = some[np.lexsort((values[some], heads[some]))]
    least, first = np.unique(heads[order], return_index=True)
    best = order[first]
    froms = NONE if owners is None else owners[tails[best]]
    return np.full(len(best), r, np.int32), least, values[best], froms


def write_rows(place: PartPlace, given: Given, terms: Terms, files: list[str], owned: bool) -> Answer:
    """Settle a part; write the distances of each row to a file, and the nearest sources to one beside it.

    Return the greatest distance of each row, and how many vertices are reached.
    """
    part, facts = part_at(place), []
    for r, row, own in _settled(part, given, terms, owned):
        reached = row < terms.ceiling
        most, count = row[reached].max(initial=0).item(), int(reached.sum())
        kept = narrowed(row, reached, most)
        for values, ending in [(kept, ""), (own, OWNERS)] if owned else [(kept, "")]:
            with whole_file(f"{files[r]}{ending}.npy") as file:
                np.save(file, values)
        facts.append((most, count))
    return answer(part, facts, row.nbytes + kept.nbytes)


OWNERS = "-source"


def narrowed(row: Array, reached: Array, most: Any) -> Array:
    """Return distances with the mark for unreached, in 32 bits if these are enough for whole numbers."""
    dtype = row.dtype if row.dtype.kind == "f" else INT32 if most < limits.unreached(INT32) else INT64
    kept = row.astype(dtype)
    kept[~reached] = limits.unreached(dtype)
    return kept


def read_values(place: PartPlace, given: Given, terms: Terms, rows: Array, vertices: Array) -> Answer:
    """Settle a part; return the distances of some of its vertices, each in one row, and the greatest of all."""
    part = part_at(place)
    at, values, most = positions_in(part, vertices), np.full(len(rows), terms.ceiling, terms.sums), 0
    for r, row, _ in _settled(part, given, terms, False):
        some = rows == r
        values[some] = row[at[some]]
        most = max(most, row[row < terms.ceiling].max(initial=0).item())
    return answer(part, (values, most), row.nbytes + values.nbytes)


def _settled(part: Part, given: Given, terms: Terms, owned: bool) -> Iterator[tuple[int, Array, Array]]:
    """Settle a part in each row; yield the row's number, its distances, and the source of each vertex if ``owned``.

    The arrays are overwritten afterwards.
    """
    flag, row = flag_of(terms.run), np.empty(part.n, terms.sums)
    inside = positions_in(part, given.seeds)
    for r in range(given.k):
        own = given.rows == r
        seeds = np.concatenate([part.boundary if given.offers is not None else NONE, inside[own]])
        offered = row[:0] if given.offers is None else given.offers[r]
        starts = np.concatenate([offered, np.zeros(int(own.sum()), row.dtype)])
        settle_part(part, seeds, starts, row.dtype, terms.ceiling, flag, row)
        require_wanted(flag)
        yield r, row, _owners(part, given, r, row, seeds, starts, terms) if owned else NONE


def _owners(part: Part, given: Given, r: int, row: Array, seeds: Array, starts: Array, terms: Terms) -> Array:
    """Return the source at the root of each vertex of a part, -1 where there is none."""
    offered = NONE if given.owners is None else given.owners[r]
    owners = np.full(part.n, -1, np.int32)
    from_inside = given.seeds[given.rows == r]
    at_start = starts < terms.ceiling
    seeds, starts, froms = seeds[at_start], starts[at_start], np.concatenate([offered, from_inside])[at_start]
    marked = np.where(row < terms.ceiling, row, limits.unreached(row.dtype))
    tree = predecessors(part.graph, marked[None], [seeds], 1, [starts])[0]
    root = origins(tree, roots_of(marked, seeds, starts))
    best = starts == row[seeds]
    owners[seeds[best][::-1]] = froms[best][::-1]  # of several at the same vertex, the first one
    return np.where(root >= 0, owners[root], -1).astype(np.int32)


def positions_in(part: Part, vertices: Array) -> Array:
    """Return the positions of vertices in their part."""
    return np.searchsorted(part.vertices, vertices).astype(np.int32)

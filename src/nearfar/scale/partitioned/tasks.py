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
from ...methods.buckets import pool_bytes
from ...methods.heap import heap_bytes
from ...methods.overlay import with_cuts
from ...methods.part_steps import overlay_arcs, settle_part
from ...results import limits
from ...results.trees import origins, predecessors, roots_of
from .shelf import SHELF, PartPlace, flag_of, part_at, require_wanted, who

NONE = np.empty(0, np.int32)
INT32 = np.dtype(np.int32)


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


class Bench:
    """What a task works with: a part, the flag that ends it, and how much memory it took."""

    def __init__(self, place: PartPlace, run: str) -> None:
        self.part, self.flag = part_at(place), flag_of(run)
        self.notes: dict[str, Any] = {}
        self.beside = 0  # the most bytes of arrays beside parts and a queue

    def holds(self, *arrays: Array) -> None:
        """Note which arrays are there at the same time."""
        self.beside = max(self.beside, sum(array.nbytes for array in arrays))

    def answer(self, value: Any) -> Answer:
        """Return the answer of the task, with the bytes of parts, queue and other arrays."""
        n = self.part.n
        queue = pool_bytes(n) + n // 8 + (heap_bytes(n) if "queue" in self.notes else 0)
        return Answer(value, who(), SHELF.nbytes + queue + self.beside)


def find_table(place: PartPlace, run: str) -> Answer:
    """Return the arcs that a part has in the overlay: between its boundary vertices, and cut ones."""
    bench = Bench(place, run)
    between = overlay_arcs(bench.part, 1, bench.flag)
    require_wanted(bench.flag)
    bench.beside = 8 * (len(bench.part.boundary) ** 2 + bench.part.n)
    return bench.answer(with_cuts(bench.part, between))


def reach_boundary(place: PartPlace, given: Given, terms: Terms, offering: bool, owned: bool) -> Answer:
    """Settle a part; return what its boundary vertices are at, and, ``offering``, what these offer to other parts."""
    bench = Bench(place, terms.run)
    part, dist = bench.part, np.empty((given.k, len(bench.part.boundary)), terms.sums)
    owners = np.empty(dist.shape, np.int32) if owned else None
    found: list[tuple[Array, ...]] = []
    for r, row, own in _settled(bench, given, terms, owned):
        ends = row[part.boundary]
        dist[r] = np.where(ends < limits.unreached(row.dtype), ends, terms.ceiling)
        if owners is not None:
            owners[r] = own[part.boundary]
        if offering:
            found.append(_offers(part, r, dist[r], terms.ceiling, None if owners is None else owners[r]))
        bench.holds(row, own, dist)
    rows, heads, values, froms = (np.concatenate(some) for some in zip(*found, strict=True)) if found else (NONE,) * 4
    return bench.answer(Offers(dist, owners, rows, heads, values, froms if owned else None))


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
    bench, facts = Bench(place, terms.run), []
    for r, row, own in _settled(bench, given, terms, owned):
        for values, ending in [(row, ""), (own, OWNERS)] if owned else [(row, "")]:
            with whole_file(f"{files[r]}{ending}.npy") as file:
                np.save(file, values)
        reached = row < limits.unreached(row.dtype)
        facts.append((row.max(where=reached, initial=0).item(), int(reached.sum())))
        bench.holds(row, own, reached)
    return bench.answer(facts)


OWNERS = "-source"  # at the end of the names of files with nearest sources


def read_values(place: PartPlace, given: Given, terms: Terms, rows: Array, vertices: Array) -> Answer:
    """Settle a part; return the distances of some of its vertices, each in one row, and the greatest of all."""
    bench = Bench(place, terms.run)
    at, values, most = positions_in(bench.part, vertices), np.full(len(rows), terms.ceiling, terms.sums), 0
    for r, row, _ in _settled(bench, given, terms, False):
        mark, some = limits.unreached(row.dtype), np.flatnonzero(rows == r)
        found = row[at[some]]
        values[some] = np.where(found < mark, found, terms.ceiling)
        most = max(most, row.max(where=row < mark, initial=0).item())
        bench.holds(row, values)
    return bench.answer((values, most))


def _settled(bench: Bench, given: Given, terms: Terms, owned: bool) -> Iterator[tuple[int, Array, Array]]:
    """Settle a part in each row; yield the row's number, its distances, and the source of each vertex if ``owned``."""
    part, inside = bench.part, positions_in(bench.part, given.seeds)
    for r in range(given.k):
        own = given.rows == r
        seeds = np.concatenate([part.boundary if given.offers is not None else NONE, inside[own]])
        starts = np.zeros(len(seeds), terms.sums)
        if given.offers is not None:
            starts[: len(part.boundary)] = given.offers[r]
        row = _settle(bench, seeds, starts, terms)
        yield r, row, _owners(part, given, r, row, seeds, starts, terms) if owned else NONE


def _settle(bench: Bench, seeds: Array, starts: Array, terms: Terms) -> Array:
    """Return the distances of a part, with the mark of their type; whole numbers in 32 bits if these are enough."""
    sums, end = np.dtype(terms.sums), limits.unreached(INT32)
    if sums.kind == "i" and starts.max(where=starts < terms.ceiling, initial=0) < end:
        ceiling = np.int64(min(terms.ceiling, end))
        row = settle_part(bench.part, seeds, starts, INT32, ceiling, bench.flag, notes=bench.notes)
        require_wanted(bench.flag)
        most = int(row.max(where=row < ceiling, initial=0))
        if ceiling < end or most + bench.part.graph.max_weight < end:  # no sum was refused for lack of room
            row[row >= ceiling] = end
            return row
    row = settle_part(bench.part, seeds, starts, sums, terms.ceiling, bench.flag, notes=bench.notes)
    require_wanted(bench.flag)
    row[row >= terms.ceiling] = limits.unreached(sums)
    return row


def _owners(part: Part, given: Given, r: int, row: Array, seeds: Array, starts: Array, terms: Terms) -> Array:
    """Return the source at the root of each vertex of a part, -1 where there is none."""
    offered = NONE if given.owners is None else given.owners[r]
    owners = np.full(part.n, -1, np.int32)
    from_inside = given.seeds[given.rows == r]
    at_start = starts < terms.ceiling
    seeds, starts, froms = seeds[at_start], starts[at_start], np.concatenate([offered, from_inside])[at_start]
    tree = predecessors(part.graph, row[None], [seeds], 1, [starts])[0]
    root = origins(tree, roots_of(row, seeds, starts))
    best = starts == row[seeds]
    owners[seeds[best][::-1]] = froms[best][::-1]  # of several at the same vertex, the first one
    return np.where(root >= 0, owners[root], -1).astype(np.int32)


def positions_in(part: Part, vertices: Array) -> Array:
    """Return the positions of vertices in their part."""
    return np.searchsorted(part.vertices, vertices).astype(np.int32)

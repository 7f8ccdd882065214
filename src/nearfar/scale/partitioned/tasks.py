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
from ...results.paths import climb_tree
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

    ``offers``: what its boundary vertices are offered, (k, b). The sources inside: ``rows`` that start there, and
    ``seeds``, by index. ``owners`` and ``marks``: what is told of the offers and of the sources to the vertices that
    hang below them, None where nobody asks.
    """

    k: int
    offers: Array
    rows: Array
    seeds: Array
    owners: Array | None
    marks: Array | None


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


def reach_boundary(place: PartPlace, given: Given, terms: Terms, offering: bool, tracing: bool) -> Answer:
    """Settle a part; return what its boundary vertices are at, and, ``offering``, what these offer to other parts.

    An offer comes from the owner of its tail, or, ``tracing``, from the tail, by number.
    """
    bench = Bench(place, terms.run)
    part, dist = bench.part, np.empty((given.k, len(bench.part.boundary)), terms.sums)
    owners = None if given.owners is None else np.empty(dist.shape, np.int32)
    numbers = np.arange(part.first, part.first + len(part.boundary), dtype=np.int32)
    found: list[tuple[Array, ...]] = []
    for r, row, own in _settled(bench, given, terms):
        ends = row[part.boundary]
        dist[r] = np.where(ends < limits.unreached(row.dtype), ends, terms.ceiling)
        if owners is not None:
            owners[r] = own[part.boundary]
        if offering:
            froms = numbers if tracing or owners is None else owners[r]
            found.append(_offers(part, r, dist[r], terms.ceiling, froms))
        bench.holds(row, own, dist)
    rows, heads, values, froms = (np.concatenate(some) for some in zip(*found, strict=True)) if found else (NONE,) * 4
    return bench.answer(Offers(dist, owners, rows, heads, values, None if owners is None else froms))


def _offers(part: Part, r: int, dist: Array, ceiling: Any, froms: Array) -> tuple[Array, ...]:
    """Return the least offer to each head of a cut arc: row, head, value, and where it comes from."""
    tails, heads = np.repeat(np.arange(len(dist)), np.diff(part.cut_offsets)), part.cuts["head"]
    weighted = "weight" in (part.cuts.dtype.names or ())
    with np.errstate(over="ignore"):
        values = dist[tails] + (part.cuts["weight"] if weighted else dist.dtype.type(1))
    some = np.flatnonzero((dist[tails] < ceiling) & (values < ceiling))
    order = some[np.lexsort((values[some], heads[some]))]
    least, first = np.unique(heads[order], return_index=True)
    best = order[first]
    return np.full(len(best), r, np.int32), least, values[best], froms[tails[best]]


def write_rows(place: PartPlace, given: Given, terms: Terms, files: list[str]) -> Answer:
    """Settle a part; write the distances of each row to a file, and the nearest sources to one beside it.

    Return the greatest distance of each row, and how many vertices are reached.
    """
    bench, facts = Bench(place, terms.run), []
    for r, row, own in _settled(bench, given, terms):
        for values, ending in [(row, "")] if given.owners is None else [(row, ""), (own, OWNERS)]:
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
    for r, row, _ in _settled(bench, given, terms):
        mark, some = limits.unreached(row.dtype), np.flatnonzero(rows == r)
        found = row[at[some]]
        values[some] = np.where(found < mark, found, terms.ceiling)
        most = max(most, row.max(where=row < mark, initial=0).item())
        bench.holds(row, values)
    return bench.answer((values, most))


def walk_back(place: PartPlace, given: Given, terms: Terms, vertex: int) -> Answer:
    """Settle a part in one row; return a path to a vertex from where it enters the part, and the mark of its root.

    None if the vertex is not reached.
    """
    bench, part = Bench(place, terms.run), part_at(place)
    seeds, starts, marks = _starts(part, given, 0, terms)
    row, at = _settle(bench, seeds, starts, terms), int(positions_in(part, np.array([vertex]))[0])
    if row[at] == limits.unreached(row.dtype):
        return bench.answer(None)
    tree = predecessors(part.graph, row[None], [seeds], 1, [starts])[0]
    bench.holds(row, tree)
    path = climb_tree(tree, at)[::-1]
    first = marks[(seeds == path[0]) & (starts == row[path[0]])][0]
    return bench.answer((part.vertices[path], int(first)))


def _settled(bench: Bench, given: Given, terms: Terms) -> Iterator[tuple[int, Array, Array]]:
    """Settle a part in each row; yield the row's number, its distances, and the owner of each vertex if asked for."""
    for r in range(given.k):
        seeds, starts, marks = _starts(bench.part, given, r, terms)
        row = _settle(bench, seeds, starts, terms)
        yield r, row, NONE if given.owners is None else _owners(bench.part, row, seeds, starts, marks)


def _starts(part: Part, given: Given, r: int, terms: Terms) -> tuple[Array, Array, Array]:
    """Return from where a part starts in a row, at what distances, and what is told of these vertices if it is asked.

    These are its boundary vertices, as far as something is offered to them, and the sources inside.
    """
    offered, inside = np.flatnonzero(given.offers[r] < terms.ceiling), given.rows == r
    at = positions_in(part, given.seeds[inside])
    starts = np.zeros(len(offered) + len(at), terms.sums)
    starts[: len(offered)] = given.offers[r, offered]
    marks = NONE
    if given.owners is not None and given.marks is not None:
        marks = np.concatenate([given.owners[r, offered], given.marks[inside]])
    return np.concatenate([part.boundary[offered], at]), starts, marks


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


def _owners(part: Part, row: Array, seeds: Array, starts: Array, marks: Array) -> Array:
    """Return the owner of the root of each vertex of a part, -1 where there is none."""
    tree = predecessors(part.graph, row[None], [seeds], 1, [starts])[0]
    root = origins(tree, roots_of(row, seeds, starts))
    owners, best = np.full(part.n, -1, np.int32), starts == row[seeds]
    owners[seeds[best][::-1]] = marks[best][::-1]  # of several at the same vertex, the first one
    return np.where((root >= 0) & (row < limits.unreached(row.dtype)), owners[root], -1).astype(np.int32)


def positions_in(part: Part, vertices: Array) -> Array:
    """Return the positions of vertices in their part."""
    return np.searchsorted(part.vertices, vertices).astype(np.int32)

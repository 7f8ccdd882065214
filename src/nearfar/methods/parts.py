"""`parts`: a graph that was cut into parts, of which a few are in memory at a time. Weights >= 0.

Three phases, where boundaries are small and weights are whole numbers: every part is eliminated to its boundary, once
for all queries (overlay.py); the overlay is solved from the part of the source; every part is settled from its boundary
vertices, whose distances are final then. So a query reads each part once.

Rounds, where they are not: a part is settled from what its boundary vertices are offered, and offers to others what its
cut arcs lead to; the part with the least pending offer comes first, until none is pending. Sums are formed along the
path, so floats are the same to the bit as with other methods.

Both are one loop over the parts that are pending (part_run.py). With exact distances on the boundaries, none is pending
again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..description import format_bytes
from ..devices import cpu
from ..graph.parts import Parts, range_labels, split_in_memory
from ..graph.stored import StoredGraph
from ..results import limits
from . import dijkstra
from .method import Method
from .overlay import known_overlay, overlay_bytes, overlay_of
from .part_run import PartRun, Tally, bytes_of_worker
from .problem import Controls, Problem

if TYPE_CHECKING:
    from ..graph import Graph

UNCUT = 4  # parts that a graph in memory is cut into, by ranges of indices, if it was not cut before
SEARCHES = 2000  # searches of the whole graph that finding the overlay may cost: New York in 16 parts 62, a guess
SHARE = 0.7  # of the memory that the distances between boundary vertices may take
OFFER_BYTES = 1 << 28  # of what is offered to boundary vertices, for rows that are settled together


def parts_for(graph: Graph) -> Parts:
    """Return the parts of a graph; one that was not cut is cut in memory, by ranges of indices, and keeps them."""
    found = graph.parts
    if found is None:
        count = max(1, min(UNCUT, graph.n))
        found = graph.memo["parts"] = split_in_memory(graph, range_labels(graph.n, count), count)
    return found


def phases(graph: Graph, parts: Parts, memory: int) -> tuple[bool, str]:
    """Return whether three phases solve a graph in parts, or rounds do, and why; ``memory``: bytes that may be used."""
    share = f"{len(parts.boundary):,} of {graph.n:,} vertices are on boundaries"
    if graph.weight_dtype is not None and graph.weight_dtype.kind == "f":
        return False, f"in rounds, since weights are floats, which three phases would add in another order; {share}"
    if not limits.surely_fits(graph, np.dtype(np.int64), None):  # an arc of the overlay may be as long as a path
        return False, f"in rounds, since sums of such weights might exceed 64 bits; {share}"
    if overlay_bytes(parts):
        return True, f"in three phases, the first of which is done; {share}"
    sizes = parts.boundary_sizes.astype(np.float64)
    needed = int(8 * (sizes**2).sum())
    if needed > SHARE * memory:
        pairs = f"the distances between them may take {format_bytes(needed)}, and {format_bytes(SHARE * memory)} of"
        return False, f"in rounds, since {share}: {pairs} {format_bytes(memory)} may be used for them"
    searches = float((sizes * (parts.sizes + parts.arcs)).sum()) / max(graph.n + graph.m, 1)
    if searches > SEARCHES:
        return False, f"in rounds, since {share}: the distances between them take {searches:,.0f} searches of the graph"
    return True, f"in three phases, since only {share}, with {format_bytes(needed)} of distances between them at most"


def many(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, on threads; return the arcs of the parts that were settled."""
    relaxed: list[int] = []
    cpu.run(lambda t: relaxed.append(_solve(problem, rows, controls)), 1, controls.stop, controls.watch)
    return sum(relaxed)


def _solve(problem: Problem, rows: np.ndarray, controls: Controls) -> int:
    """Settle all rows, as many together as there is room for what is offered to boundary vertices."""
    parts = parts_for(problem.graph)
    before, overlay = parts.read_bytes, None
    ahead = known_overlay(parts) is None
    in_phases, _ = phases(problem.graph, parts, controls.memory)
    if in_phases and (overlay := overlay_of(parts, controls)) is None:
        return 0
    if ahead:
        problem.graph.memo.pop("plan", None)  # the graph's last plan says that the first phase is ahead
    step, relaxed = rows_at_once(parts, len(rows)), 0
    tally = Tally()
    for first in range(0, len(rows), step):
        last = min(first + step, len(rows))
        some = problem if problem.seeds is not None else replace(problem, sources=problem.sources[first:last])
        relaxed += PartRun(some, rows[first:last], controls, parts, overlay, tally).settle()
        if controls.stopped:
            return relaxed
        controls.finish(first, last)
    controls.notes |= {
        "phases": 3 if in_phases else "rounds",
        "parts": parts.count,
        "boundary_vertices": len(parts.boundary),
        **({} if overlay is None else {"overlay_arcs": overlay.m}),
        "parts_settled": tally.settled,
        "parts_read": tally.loads,
        "read_bytes": parts.read_bytes - before,
    }
    return relaxed


def rows_at_once(parts: Parts, k: int) -> int:
    """Return how many of k rows are settled together."""
    return max(1, min(k, OFFER_BYTES // (8 * (len(parts.boundary) + parts.count))))


def choose_parts(graph: Graph, rows: int, room: int, itemsize: int) -> tuple[str, str] | None:
    """Return `parts`, and the reason, for a graph in a folder that was cut, and whose arcs do not fit into ``room``.

    None if they fit, if parts do not, or if there would be rounds, which read more than a search that takes the arcs in
    batches: New York with floats 3.5 to 4.1 times all arcs.
    """
    if not isinstance(graph, StoredGraph) or graph.min_weight < 0:
        return None
    needed = graph.arc_file.nbytes + dijkstra.scratch(graph.n, itemsize)
    if needed <= room or (parts := graph.parts) is None or needs(graph, rows, 1, itemsize) > room:
        return None
    if not phases(graph, parts, room)[0]:
        return None
    return "parts", f"the arcs need {format_bytes(needed)} with a queue, and {format_bytes(room)} may be used"


def reason(graph: Graph, memory: int) -> str:
    """Return how a graph is solved in parts, and why, in words."""
    parts = graph.parts
    if parts is None:
        return f"the graph was not cut, so {UNCUT} ranges of indices are the parts"
    return f"{parts.count} parts, {phases(graph, parts, memory)[1]}"


def needs(graph: Graph, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes that k rows of a graph in parts need beside the rows: a part and a queue per thread."""
    parts = graph.parts
    if parts is None:
        return memory(graph.n, graph.m, k, threads, itemsize)
    offers = 8 * rows_at_once(parts, k) * (len(parts.boundary) + parts.count)
    return bytes_of_worker(parts, itemsize) + offers + overlay_bytes(parts)


def memory(n: int, m: int, k: int, threads: int, itemsize: int) -> int:
    """Return the bytes beside the rows for a graph in memory that was not cut: its arcs once more, offers, a queue."""
    return 16 * m + 20 * n + min(8 * k * n, max(8 * n, OFFER_BYTES)) + dijkstra.scratch(n, itemsize)


METHOD = Method(
    name="parts",
    summary="a graph that was cut into parts, a few of which are in memory at a time",
    many=many,
    memory=memory,
    needs=needs,
)

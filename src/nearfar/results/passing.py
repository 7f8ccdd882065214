"""Shortest-path trees of results whose arcs are not in memory: by one pass over the arcs, which are read from the disk.

The trees are those of trees.py. Every tight arc from a shorter distance offers its tail to its head; the least stays.
What is left over then (vertices at the end of flat arcs only), and trees with the fewest arcs, need a search. It needs
tight arcs only, and these are collected by a second pass: usually about one per vertex. So they make a graph in memory,
on which trees.py works as on any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MemoryLimitError
from ..graph.blocks import record_type
from ..graph.graph import Graph
from ..graph.passes import Piece, is_on_disk, pieces_of
from ..graph.vertices import Vertices
from ..kernels.cpu.constants import NO_VERTEX
from .limits import unreached
from .trees import predecessors, roots_of, run_quietly, wide_of

if TYPE_CHECKING:
    from .distances import Distances


def is_passed(of: Distances) -> bool:
    """Tell whether a result comes from arcs that were streamed, and still are not in memory."""
    return getattr(of.plan, "method", "") == "streamed" and is_on_disk(of.searched)


def predecessors_by_passes(
    graph: Graph,
    rows: np.ndarray,
    seeds_per_row: Sequence[Any],
    starts_per_row: Sequence[Any],
    fewest_arcs: bool,
    available: int,
) -> np.ndarray:
    """Return what `trees.predecessors` returns, by passes over the arcs.

    ``available``: the bytes that collected arcs may take.
    """
    pred = np.full((len(rows), graph.n), NO_VERTEX, np.int32)
    if fewest_arcs or graph.min_weight < 0:
        left = list(range(len(rows)))
    else:
        roots = [roots_of(*row) for row in zip(rows, seeds_per_row, starts_per_row, strict=True)]
        left = _hang_all(graph, rows, roots, pred)
    for r in left:
        tight = _tight_graph(graph, rows[r], available)
        given = (rows[r : r + 1], seeds_per_row[r : r + 1], 1, starts_per_row[r : r + 1])
        pred[r] = predecessors(tight, *given, fewest_arcs=fewest_arcs or graph.min_weight < 0)[0]
    return pred


def _hang_all(graph: Graph, rows: np.ndarray, roots: list[np.ndarray], pred: np.ndarray) -> list[int]:
    """Fill ``pred`` in one pass; return the rows in which vertices are left over."""
    from ..kernels.cpu.streamed import offer_tails

    lines = [np.ascontiguousarray(row) for row in rows]
    for piece in pieces_of(graph):
        for row, tree in zip(lines, pred, strict=True):
            arguments = (row, unreached(row.dtype), wide_of(row), tree.view(np.uint32))
            run_quietly(offer_tails, piece.offsets, piece.arcs, piece.first, *arguments)
    left = []
    for r, (row, tree) in enumerate(zip(lines, pred, strict=True)):
        tree[roots[r]] = NO_VERTEX
        if np.count_nonzero((tree == NO_VERTEX) & (row != unreached(row.dtype))) > len(roots[r]):
            left.append(r)
    return left


def _tight_graph(graph: Graph, row: np.ndarray, available: int) -> Graph:
    """Return the tight arcs of a row between reached vertices, as a graph."""
    kind = record_type(graph.weight_dtype)
    counts, found, size = np.zeros(graph.n + 1, np.int64), list[np.ndarray](), 0
    for piece in pieces_of(graph):
        chosen, tails = _tight(piece, row)
        np.add.at(counts, tails + 1, 1)
        found.append(piece.arcs[chosen])
        size += 2 * found[-1].nbytes  # once in parts, once together
        if size > available:
            raise MemoryLimitError(
                f"the tree needs a search over tight arcs, which take more than {size:,} bytes; {available:,} may be "
                "used. Allow the query more memory.",
                size,
                available,
            )
    arcs = np.concatenate(found) if found else np.empty(0, kind)
    offsets = np.cumsum(counts).astype(graph.offsets.dtype)
    return Graph(offsets, arcs, Vertices(graph.n))


def _tight(piece: Piece, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which arcs of a piece are tight, and the tails of these."""
    tails, heads, mark, wide = piece.tails, piece.arcs["head"], unreached(row.dtype), wide_of(row).dtype
    names = piece.arcs.dtype.names or ()
    weights = piece.arcs["weight"].astype(wide) if "weight" in names else wide.type(1)
    with np.errstate(over="ignore"):
        is_tight = row[tails].astype(wide) + weights == row[heads]
    chosen = np.flatnonzero(is_tight & (row[tails] != mark) & (row[heads] != mark))
    return chosen, tails[chosen]

"""Arcs from a file, collected block by block until they become a graph.

Each block is kept in the narrowest types that hold it, and is freed when its arcs are in their rows: at the peak,
memory holds the arcs once as read and once as stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import GraphError
from ..graph import Graph
from ..graph.arrays import MAX_VERTICES, Array, Weights, take_coordinates
from ..graph.blocks import Piece
from ..graph.names import IdTable, NumberNames, find_ids
from ..graph.reweigh import without_infinite
from ..graph.rows import FEW, Rows, arcs_to_rows, pieces_to_rows
from ..graph.vertices import Vertices
from .text.reader import Rows as TextRows

_INT32_MAX = 2**31 - 1


class Pieces:
    """Arcs in blocks: tails and heads as in the file, and weights or None."""

    def __init__(self, blocks: Iterable[TextRows] = ()) -> None:
        self._pieces: list[tuple[Array, Array, Array | None]] = []
        self._ids: IdTable | None = None  # made when ids exceed int32, to keep four bytes per id instead of eight
        self.count = 0
        for rows in blocks:
            self.add(*rows.columns)

    def add(self, tails: Array, heads: Array, weights: Array | None = None) -> None:
        """Keep a copy of a block of arcs; the caller may overwrite the arrays."""
        tails, heads = narrow(tails), narrow(heads)
        if self._ids is None and np.int64 in (tails.dtype, heads.dtype):
            self._ids = IdTable()
            self._pieces = [(self._ids.indices(u), self._ids.indices(v), w) for u, v, w in self._pieces]
        if self._ids is not None:
            tails, heads = self._ids.indices(tails), self._ids.indices(heads)
        self._pieces.append((tails, heads, None if weights is None else narrow(weights)))
        self.count += len(tails)

    def move_tails(self, below: int, by: int) -> None:
        """Let the arcs that leave vertices ``below`` a number leave others instead, whose ids are greater by ``by``."""
        for tails, _, _ in self._pieces:
            tails[tails < below] += by

    def lie_below(self, n: int) -> bool:
        """Return whether all ids are between 0 and n - 1."""
        ends = [end for tails, heads, _ in self._pieces for end in (tails, heads) if len(end)]
        return self._ids is None and n >= 0 and all(end.min() >= 0 and end.max() < n for end in ends)

    def graph(
        self,
        n: int,
        first: int = 0,
        undirected: bool = False,
        names: Any = None,
        coordinates: Any = None,
    ) -> Graph:
        """Return the graph of n vertices, which the file counts from ``first``."""
        vertices = Vertices(n, range(first, n + first) if first and names is None else names)
        points = take_coordinates(coordinates, n, vertices.names)
        return self._graph(lambda ends: ends - first if first else ends, n, vertices, points, undirected)

    def graph_of_ids(self, undirected: bool = False) -> Graph:
        """Return the graph of the ids that occur, in ascending order; they become names unless they are 0 to n - 1."""
        ends = [end for tails, heads, _ in self._pieces for end in (tails, heads)]
        if self._ids is None:
            find, names, n = find_ids(ends)
        else:
            rank, ids = self._ids.ranks()
            find, names, n = (lambda indices: rank[indices]), NumberNames(ids), len(ids)
        if n > MAX_VERTICES:
            raise GraphError(f"there are {n} vertices, but a graph has at most 2**31 - 1. Split it.")
        weights = [piece[2] for piece in self._pieces]
        self._pieces = list(zip(ends[::2], ends[1::2], weights, strict=True))
        del ends
        return self._graph(find, n, Vertices(n, names), None, undirected)

    def _graph(self, find: Any, n: int, vertices: Vertices, points: Array | None, undirected: bool) -> Graph:
        """Return the graph of all blocks; ``find`` turns an array of ids into vertex indices."""
        dtype, drops = self._weight_type()
        rows = _rows(n, self._take(find, dtype, drops), undirected)
        weights = None if dtype is None else Weights(np.empty(0, dtype), dtype, drops)
        return without_infinite(rows, weights, vertices, coordinates=points, undirected=undirected)

    def _take(self, find: Any, dtype: Any, drops: bool) -> list[Piece]:
        """Turn the blocks, one after the other, into pieces with vertex indices and weights of one type."""
        pieces: list[Piece] = []
        self._pieces.reverse()
        while self._pieces:
            tails, heads, weights = self._pieces.pop()
            taken = None if weights is None or dtype is None else Weights(weights, dtype, drops)
            pieces.append((find(tails), find(heads), taken))
        return pieces

    def _weight_type(self) -> tuple[np.dtype[Any] | None, bool]:
        """Return the type that holds all weights, and whether some are inf."""
        found = [weights for _, _, weights in self._pieces if weights is not None]
        if not found:
            return None, False
        dtype = np.result_type(*{weights.dtype for weights in found if len(weights)} or {found[0].dtype})
        if dtype.kind != "f":
            return dtype, False
        drops = any(weights is not None and bool(np.isinf(weights).any()) for _, _, weights in self._pieces)
        return dtype, drops


def narrow(values: Array) -> Array:
    """Return a copy in the narrowest type of int32, int64, float32 and float64."""
    if values.dtype.kind == "f" or len(values) == 0:
        kind = np.int32 if values.dtype.kind != "f" else np.float64 if values.dtype.itemsize == 8 else np.float32
        return values.astype(kind)
    fits = values.min() >= -_INT32_MAX and values.max() <= _INT32_MAX
    return values.astype(np.int32 if fits else np.int64)


def _rows(n: int, pieces: list[Piece], undirected: bool) -> Rows:
    """Sort the arcs into rows; few arcs without Numba, which would have to be loaded."""
    m = sum(len(tails) for tails, _, _ in pieces)
    if m > FEW:
        return pieces_to_rows(n, pieces, undirected)
    tails, heads = (np.concatenate([piece[i] for piece in pieces] or [np.empty(0, np.int32)]) for i in (0, 1))
    weights = None
    if pieces and (first := pieces[0][2]) is not None:
        values = [piece[2].values.astype(first.dtype) for piece in pieces if piece[2] is not None]
        weights = first._replace(values=np.concatenate(values))
    return arcs_to_rows(n, tails, heads, weights, undirected)

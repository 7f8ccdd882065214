"""Which row of the user's input each arc came from.

The counting sort of rows.py keeps arcs of one tail in input order. So the tails of the input, in their order, are
enough to repeat the sort and to find the row of every arc. An array of rows would have to be written in random order
while the graph is built; the tails are copied block by block, and take 4 bytes per arc. The first use of ``graph.rows``
repeats the sort, and then keeps the rows instead of the tails. If the input is in order of tails, arc e is row e, and
nothing is kept.

With undirected input both arcs of an edge came from the same row.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrays import Array

if TYPE_CHECKING:
    from .graph import Graph


class InputRows:
    """The rows of the input that arcs came from: in order, as an array, or to be found on first use.

    Attributes
    ----------
    count : int
        How many rows the input had.
    paired : bool
        Whether both arcs of an undirected edge came from one row.
    known : bool
        Whether rows were kept; if not, ``count`` is the number of arcs.
    """

    def __init__(
        self,
        count: int,
        paired: bool = False,
        *,
        array: Array | None = None,
        tails: list[Array] | None = None,
        known: bool = True,
    ) -> None:
        self.count, self.paired, self.known = count, paired, known
        self._array, self._tails = array, tails
        self._reversed: Graph | None = None

    @classmethod
    def reversed_from(cls, graph: Graph) -> InputRows:
        """Return the rows of the reverse of a graph."""
        if not graph.input_rows.known:
            return graph.input_rows
        rows = cls(graph.input_rows.count, graph.input_rows.paired)
        rows._reversed = graph
        return rows

    @property
    def in_order(self) -> bool:
        """Whether arc e came from row e."""
        return self._array is None and self._tails is None and self._reversed is None

    @property
    def nbytes(self) -> int:
        """The memory that is used, in bytes."""
        return sum(part.nbytes for part in (self._tails or []) + ([] if self._array is None else [self._array]))

    def of(self, graph: Graph) -> Array:
        """Return the row of each arc of ``graph``, the graph that these rows belong to."""
        tails, before = self._tails, self._reversed  # another thread may find the rows meanwhile
        if self._array is None and (tails is not None or before is not None):
            if tails is not None:
                found = _replayed(graph, tails, self.paired, row_type(self.count))
            else:
                assert before is not None
                found = along_reversed(before, before.rows)
            found.flags.writeable = False
            self._array = found
            self._tails = self._reversed = None
        if self._array is None:
            return np.arange(graph.m, dtype=row_type(self.count))
        return self._array


def row_type(count: int) -> Any:
    """Return the integer type that counts the rows of an input."""
    return np.int32 if count < 2**31 else np.int64


def are_ascending(tails: Iterable[Array]) -> bool:
    """Tell whether arcs in blocks are in order of their tails; it ends at the first one that is not."""
    from ..kernels.cpu.build import first_descent

    before = -1
    for block in tails:
        if len(block) and (block[0] < before or first_descent(block) < len(block)):
            return False
        before = int(block[-1]) if len(block) else before
    return True


def _replayed(graph: Graph, tails: list[Array], both: bool, dtype: Any) -> Array:
    """Repeat the counting sort that built the graph, and return the row of each arc."""
    from ..kernels.cpu.build import replay_rows

    rows, cursor, done = np.empty(graph.m, dtype), graph.offsets.copy(), 0
    heads = np.ascontiguousarray(graph.heads)
    for block in tails:
        replay_rows(block, heads, both, done, cursor, rows)
        done += len(block)
    return rows


def along_reversed(graph: Graph, values: Array) -> Array:
    """Return the values of arcs in the order that the arcs have in the reversed graph."""
    from .rows import record_type, reverse_rows

    records = np.empty(graph.m, record_type(values.dtype))
    records["head"], records["weight"] = graph.heads, values
    return np.ascontiguousarray(reverse_rows(graph.offsets, records)[1]["weight"])


def lightest_along(graph: Graph, path: list[int]) -> list[int]:
    """Return the arcs between the vertices of a path, given by index: the lightest of parallel ones, then the first."""
    found = []
    for u, v in pairwise(path):
        low, high = int(graph.offsets[u]), int(graph.offsets[u + 1])
        arcs = low + np.flatnonzero(graph.heads[low:high] == v)
        if not len(arcs):
            raise _no_arc(graph, u, v)
        weights = graph.weights
        found.append(int(arcs[0] if weights is None else arcs[np.argmin(weights[arcs])]))
    return found


def _no_arc(graph: Graph, u: int, v: int) -> Exception:
    """Return the error for two vertices of a path that no arc joins."""
    from ..errors import GraphError

    return GraphError(
        f"no arc leads from {graph.name(u)!r} to {graph.name(v)!r}, but these are neighbours on the path. "
        f"Give a path of this graph, as queries return it."
    )

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
    complete : bool
        Whether every row has an arc; a file that was written with closed arcs has lost theirs.
    """

    def __init__(
        self,
        count: int,
        paired: bool = False,
        *,
        array: Array | None = None,
        tails: list[Array] | None = None,
        before: tuple[Array, Array, InputRows] | None = None,
        known: bool = True,
        complete: bool = True,
    ) -> None:
        self.count, self.paired, self.known, self.complete = count, paired, known, complete
        self.in_order = array is None and tails is None and before is None  # whether arc e came from row e
        self._array, self._tails = array, tails
        self._before = before  # of a reversed graph: offsets, heads and rows of the graph before

    @classmethod
    def reversed_from(cls, graph: Graph) -> InputRows:
        """Return the rows of the reverse of a graph."""
        rows = graph.input_rows
        if not rows.known:
            return rows
        return cls(rows.count, rows.paired, before=(graph.offsets, graph.heads, rows), complete=rows.complete)

    @property
    def nbytes(self) -> int:
        """The memory that is used, in bytes."""
        return sum(part.nbytes for part in (self._tails or []) + ([] if self._array is None else [self._array]))

    def without_arcs(self, m: int) -> Array | None:
        """Return the row of each of m arcs if that takes no look at them, else None."""
        return np.arange(m, dtype=row_type(self.count)) if self.in_order else self._array

    def of(self, offsets: Array, heads: Array) -> Array:
        """Return the row of each arc of the graph that these rows belong to, which has these offsets and heads."""
        if (known := self.without_arcs(len(heads))) is not None:
            return known
        tails, before = self._tails, self._before  # another thread may find the rows meanwhile
        if self._array is None:
            if tails is not None:
                found = _replayed(offsets, heads, tails, self.paired, row_type(self.count))
            elif before is not None:
                found = along_reversed(before[0], before[1], before[2].of(before[0], before[1]))
            else:  # it has found them
                assert self._array is not None
                return self._array
            found.flags.writeable = False
            self._array = found
            self._tails = self._before = None
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


def _replayed(offsets: Array, heads: Array, tails: list[Array], both: bool, dtype: Any) -> Array:
    """Repeat the counting sort that built the graph, and return the row of each arc."""
    from ..kernels.cpu.build import replay_rows
    from .blocks import Piece
    from .rows import MANY, pieces_to_rows

    if not both and len(heads) >= MANY and dtype == np.int32:  # the numbers of rows are sorted as if they were heads
        firsts = np.cumsum([0, *map(len, tails[:-1])])
        pieces: list[Piece] = [
            (block, np.arange(first, first + len(block)), None) for block, first in zip(tails, firsts, strict=True)
        ]
        return np.ascontiguousarray(pieces_to_rows(len(offsets) - 1, pieces, keep=False).arcs["head"])
    rows, cursor, done = np.empty(len(heads), dtype), offsets.copy(), 0
    heads = np.ascontiguousarray(heads)
    for block in tails:
        replay_rows(block, heads, both, done, cursor, rows)
        done += len(block)
    return rows


def along_reversed(offsets: Array, heads: Array, values: Array) -> Array:
    """Return the values of arcs in the order that the arcs have in the reversed graph."""
    from .blocks import record_type
    from .rows import reverse_rows

    records = np.empty(len(heads), record_type(values.dtype))
    records["head"], records["weight"] = heads, values
    return np.ascontiguousarray(reverse_rows(offsets, records)[1]["weight"])


def lightest_along(graph: Graph, path: Array) -> Array:
    """Return the arcs between the vertices of a path, given by index: the lightest of parallel ones, then the first."""
    from .passes import is_on_disk

    if is_on_disk(graph):
        return _lightest_on_disk(graph, path)
    from ..kernels.cpu.flows import arcs_along

    found = np.empty(max(len(path) - 1, 0), np.int64)
    missing = int(arcs_along(graph.offsets, graph.arcs, path, found))
    if missing >= 0:
        raise _no_arc(graph, int(path[missing]), int(path[missing + 1]))
    return found


def _lightest_on_disk(graph: Graph, path: Array) -> Array:
    """Do the same on a graph whose arcs lie on the disk: those of the vertices of the path are read."""
    found = []
    for u, v in pairwise(path.tolist()):
        low, high = int(graph.offsets[u]), int(graph.offsets[u + 1])
        arcs = graph.some_arcs(low, high)
        here = np.flatnonzero(arcs["head"] == v)
        if not len(here):
            raise _no_arc(graph, u, v)
        found.append(low + int(here[0 if graph.weight_dtype is None else arcs["weight"][here].argmin()]))
    return np.array(found, np.int64)


def _no_arc(graph: Graph, u: int, v: int) -> Exception:
    """Return the error for two vertices of a path that no arc joins."""
    from ..errors import GraphError

    return GraphError(
        f"no arc leads from {graph.name(u)!r} to {graph.name(v)!r}, but these are neighbours on the path. "
        f"Give a path of this graph, as queries return it."
    )

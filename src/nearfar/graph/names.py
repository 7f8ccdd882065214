"""Names that are whole numbers, but not simply 0 to n - 1, as in most files; and the index of each such name.

Files count from 1, or use ids with gaps (accounts, crossings of a map). One Python object per name would need ten times
the memory of the graph; a range needs nothing, and an array of int64 eight bytes per vertex.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import GraphError
from .arrays import Array

_FEW = 1 << 17  # ids; NumPy sorts this many sooner than Numba is loaded


class NumberNames(Sequence[int]):
    """Distinct whole numbers as the names of vertices, kept as a range or an int64 array; a sequence in both cases.

    Examples
    --------
    >>> from nearfar.graph.names import NumberNames
    >>> names = NumberNames(range(1, 4))
    >>> names[0], names.get(3), names.get(9), names == (1, 2, 3)
    (1, 2, None, True)
    """

    def __init__(self, ids: range | Array) -> None:
        self.ids: range | Array = ids
        if isinstance(ids, np.ndarray):
            self.ids = ids.astype(np.int64)
            self.ids.flags.writeable = False
            if (twice := np.flatnonzero(self._sorted[1:] == self._sorted[:-1])).size:
                raise GraphError(
                    f"names hold {self._sorted[twice[0]]} twice, but every vertex needs a name of its own. "
                    f"Make them distinct."
                )

    @cached_property
    def _order(self) -> Array | None:
        """The positions of the ids in ascending order, or None if they ascend already."""
        ids = self.array
        return None if (ids[1:] > ids[:-1]).all() else np.argsort(ids, kind="stable")

    @property
    def _sorted(self) -> Array:
        """The ids in ascending order."""
        return self.array if self._order is None else self.array[self._order]

    @property
    def array(self) -> Array:
        """The ids as an int64 array."""
        return np.asarray(self.ids, np.int64)

    def get(self, name: Any) -> int | None:
        """Return the index of the vertex called ``name``, or None; 2.0 is taken for 2, as dicts do."""
        try:
            if name != int(name):
                return None
            wanted = int(name)
        except (TypeError, ValueError, OverflowError):
            return None
        if isinstance(self.ids, range):
            return self.ids.index(wanted) if wanted in self.ids else None
        ids = self.ids if self._order is None else self._ascending
        at = int(np.searchsorted(ids, wanted)) if -(2**63) <= wanted < 2**63 else len(ids)
        if at == len(ids) or ids[at] != wanted:
            return None
        return at if self._order is None else int(self._order[at])

    @cached_property
    def _ascending(self) -> Array:
        """The sorted ids, kept for lookups if the ids themselves are not in ascending order."""
        return self._sorted

    def find(self, wanted: Array) -> tuple[Array, Array]:
        """Return the indices of many names, and whether each name exists; the index of others is meaningless."""
        if isinstance(self.ids, range):
            indices, odd = np.divmod(wanted.astype(np.int64) - self.ids.start, self.ids.step)
            return indices, (odd == 0) & (indices >= 0) & (indices < len(self.ids))
        ids = self.ids if self._order is None else self._ascending
        at = np.minimum(np.searchsorted(ids, wanted), max(len(ids) - 1, 0))
        known = ids[at] == wanted if len(ids) else np.zeros(len(wanted), bool)
        return (at if self._order is None else self._order[at]), known

    def take(self, vertices: Array) -> Array:
        """Return the names of vertices, given by index, as int64."""
        if isinstance(self.ids, range):
            return self.ids.start + np.int64(self.ids.step) * vertices
        return self.ids[vertices]

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return tuple(self)[v] if isinstance(self.ids, range) else tuple(self.ids[v].tolist())
        return int(self.ids[v])

    def __iter__(self) -> Iterator[int]:
        return iter(self.ids if isinstance(self.ids, range) else self.ids.tolist())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberNames):
            return len(self) == len(other) and bool((self.array == other.array).all())
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if len(self) <= 6:
            return f"NumberNames({', '.join(map(str, self))})"
        return f"NumberNames({self[0]}, {self[1]}, {self[2]}, ..., {self[-1]}; {len(self)} in all)"


def index_ids(tails: Array, heads: Array) -> tuple[Array, Array, NumberNames | None]:
    """Give each id in two arrays an index, in ascending order; return the indices, and the ids as names.

    The names are None if the ids are 0 to n - 1 themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.graph.names import index_ids
    >>> index_ids(np.array([30, 10]), np.array([20, 30]))
    (array([2, 0], dtype=int32), array([1, 2], dtype=int32), NumberNames(10, 20, 30))
    """
    ends = [tails, heads]
    indices_of, names, _ = find_ids(ends)
    return indices_of(ends[0]), indices_of(ends[1]), names


def find_ids(ends: list[Array], few: int = _FEW) -> tuple[Callable[[Array], Array], NumberNames | None, int]:
    """Find the different ids in some arrays, and the index of each in ascending order, with little additional memory.

    Return a function from an array to the indices of its ids (int32), the ids as names (None if they are 0 to n - 1),
    and n. The arrays in the list may be replaced by others of the same length, which the function then takes.
    """
    low = min((int(end.min()) for end in ends if len(end)), default=0)
    span = max((int(end.max()) for end in ends if len(end)), default=-1) - low + 1
    total = sum(map(len, ends))
    if span <= total or total <= few:
        seen, ids = _marked(ends, low, span) if span <= total else (None, _distinct(ends))
        if seen is not None and len(ids) == span:
            names = None if low == 0 else NumberNames(range(low, low + span))
            return lambda end: (end if low == 0 else end - low).astype(np.int32), names, span
        if seen is not None and span <= total // 2:
            rank = np.cumsum(seen, dtype=np.int32)
            return lambda end: rank[end - low] - np.int32(1), NumberNames(ids), len(ids)
        if total <= few:
            return lambda end: np.searchsorted(ids, end).astype(np.int32), NumberNames(ids), len(ids)
        del seen, ids
    table = IdTable()
    for i, end in enumerate(ends):
        ends[i] = table.indices(end)
    rank, ids = table.ranks()
    return lambda indices: rank[indices], NumberNames(ids), len(ids)


def _marked(ends: list[Array], low: int, span: int) -> tuple[Array, Array]:
    """Return which of the ids ``low``, ``low + 1``, ... occur, and those that do."""
    seen = np.zeros(span, bool)
    for end in ends:
        seen[end - low if low else end] = True
    return seen, np.flatnonzero(seen) + low


def _distinct(ends: list[Array]) -> Array:
    """Return the different ids in ascending order."""
    return np.unique(np.concatenate([end.astype(np.int64) for end in ends] or [np.empty(0, np.int64)]))


class IdTable:
    """Ids of any size, each with an index in order of appearance (kernels/cpu/words.py)."""

    def __init__(self) -> None:
        self.count = 0
        self._table = np.full(1 << 12, -1, np.int32)
        self._distinct = np.empty(0, np.int64)

    def indices(self, ids: Array) -> Array:
        """Return the indices of ids as int32; a new id gets the next index."""
        out = np.empty(len(ids), np.int32)
        for low in range(0, len(ids), _FEW):  # in pieces, so that room is made only for few new ids at a time
            piece = ids[low : low + _FEW].astype(np.int64)
            self._index(piece, out[low : low + _FEW])
        return out

    def _index(self, ids: Array, out: Array) -> None:
        """Write the indices of some ids to ``out``, after making room for as many new ones."""
        from ..kernels.cpu.words import intern_ids

        most = self.count + len(ids)
        if most > len(self._distinct):
            longer = np.empty(max(most, len(self._distinct) * 3 // 2), np.int64)
            longer[: self.count] = self._distinct[: self.count]
            self._distinct = longer
        with np.errstate(over="ignore"):  # hashes wrap, also when kernels run as plain Python
            if 3 * most > 2 * len(self._table):
                self._table = np.full(1 << (3 * most // 2).bit_length(), -1, np.int32)
                again = self._distinct[: self.count].copy()
                intern_ids(again, self._table, self._distinct, 0, np.empty(self.count, np.int32))
            self.count = intern_ids(ids, self._table, self._distinct, self.count, out)

    def ranks(self, keep: bool = False) -> tuple[Array, Array]:
        """Return the rank of each index's id, and the ids in ascending order.

        The table can be used afterwards only with ``keep``, and only for ids that it has.
        """
        if not keep:
            del self._table
        ids = self._distinct[: self.count]
        order = np.argsort(ids, kind="stable")
        rank = np.empty(self.count, np.int32)
        rank[order] = np.arange(self.count, dtype=np.int32)
        return rank, ids[order]


class ZonedNames(NumberNames):
    """The nodes of a traffic network whose zones are closed: trips to zone 7 end at 7, trips from it begin at -7."""

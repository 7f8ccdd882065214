"""Vertices called by whole numbers that are not simply 0 to n - 1: what files have.

Files count from 1, or use numbers with gaps (accounts, crossings of a map). A Python object for each would cost ten
times the graph; a range costs nothing and an array of int64 eight bytes a vertex.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .arrays import Array
from .errors import GraphError

_DENSE = 16  # a table over all ids is used when the largest is at most so many times the number of arcs


class NumberNames(Sequence[int]):
    """Distinct whole numbers as the names of vertices: a range, or an int64 array; a sequence either way.

    Examples
    --------
    >>> from nearfar.names import NumberNames
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
                    f"names hold {self._sorted[twice[0]]} twice, but names tell vertices apart. Make them distinct."
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
        """Return the number of the vertex called ``name``, or None; 2.0 is taken for 2, as dicts do."""
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
        """The sorted ids, kept for lookups when they do not ascend by themselves."""
        return self._sorted

    def find(self, wanted: Array) -> tuple[Array, Array]:
        """Return the numbers of many vertices and whether each exists; a number means nothing where none does."""
        if isinstance(self.ids, range):
            numbers, odd = np.divmod(wanted.astype(np.int64) - self.ids.start, self.ids.step)
            return numbers, (odd == 0) & (numbers >= 0) & (numbers < len(self.ids))
        ids = self.ids if self._order is None else self._ascending
        at = np.minimum(np.searchsorted(ids, wanted), max(len(ids) - 1, 0))
        known = ids[at] == wanted if len(ids) else np.zeros(len(wanted), bool)
        return (at if self._order is None else self._order[at]), known

    def take(self, vertices: Array) -> Array:
        """Return the names of vertices given by number, as int64."""
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


def number_ids(tails: Array, heads: Array) -> tuple[Array, Array, NumberNames | None]:
    """Give numbers to the ids in two arrays, in ascending order; return the numbers, and the ids as names.

    The names are None where the ids are 0 to n - 1 themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from nearfar.names import number_ids
    >>> number_ids(np.array([30, 10]), np.array([20, 30]))
    (array([2, 0], dtype=int32), array([1, 2], dtype=int32), NumberNames(10, 20, 30))
    """
    numbering = Numbering([(tails, heads)])
    return numbering.number(tails), numbering.number(heads), numbering.names


class Numbering:
    """The numbers of ids in ascending order, found over arcs in pieces without a copy of them all."""

    def __init__(self, pieces: Sequence[tuple[Any, ...]]) -> None:
        ends = [end for piece in pieces for end in piece[:2] if len(end)]
        self.low = min((int(end.min()) for end in ends), default=0)
        self.high = max((int(end.max()) for end in ends), default=-1)
        span = self.high - self.low + 1
        if span <= max(1024, _DENSE * sum(map(len, ends))):
            self._rank, self._ids = _rank(ends, self.low, span)
        else:
            self._rank, self._ids = None, _distinct(ends)

    @property
    def n(self) -> int:
        """How many different ids there are."""
        return self.high - self.low + 1 if self._ids is None else len(self._ids)

    @property
    def names(self) -> NumberNames | None:
        """The ids in ascending order, or None if they are 0 to n - 1."""
        if self._ids is not None:
            return NumberNames(self._ids)
        return None if self.low == 0 else NumberNames(range(self.low, self.high + 1))

    def number(self, ids: Array) -> Array:
        """Return the numbers of ids as int32."""
        if self._rank is not None:
            return self._rank[ids - self.low]
        if self._ids is not None:
            return np.searchsorted(self._ids, ids).astype(np.int32)
        return (ids if self.low == 0 else ids - self.low).astype(np.int32)


def _rank(ends: list[Array], low: int, span: int) -> tuple[Array | None, Array | None]:
    """Mark the ids that occur; return their ranks and themselves, or nothing if all between low and high do."""
    seen = np.zeros(span, bool)
    for end in ends:
        seen[end - low if low else end] = True
    if seen.all():
        return None, None
    rank = np.cumsum(seen, dtype=np.int32)
    rank -= 1
    return rank, np.flatnonzero(seen) + low


def _distinct(ends: list[Array]) -> Array:
    """Return the different ids in ascending order, a piece at a time."""
    ids = np.empty(0, np.int64)
    for end in ends:
        ids = np.union1d(ids, end)
    return ids.astype(np.int64)

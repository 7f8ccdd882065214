"""An answer in short: the vertices reached, the nearest, the farthest. Ties go to the lower index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..results.limits import unreached
from ..results.lookup import closest

if TYPE_CHECKING:
    from ..results import Distances, Table
    from ..store.written import Written

SHOWN = 10  # nearest vertices on the screen


@dataclass(frozen=True, slots=True)
class Row:
    """The summary of a row of distances; vertices are indices. ``farthest`` is None if nothing is reached."""

    source: int
    reached: int
    farthest: tuple[int, Any] | None


def describe_row(row: np.ndarray, source: int) -> Row:
    """Count the vertices that a row reaches, and find the farthest of them."""
    reached = row != unreached(row.dtype)
    count = int(np.count_nonzero(reached))
    if not count:
        return Row(source, 0, None)
    lowest = -np.inf if row.dtype.kind == "f" else np.iinfo(row.dtype).min
    v = int(np.argmax(row if count == len(row) else np.where(reached, row, row.dtype.type(lowest))))
    return Row(source, count, (v, row[v].item()))


def farthest_of(rows: Iterable[Row]) -> Row | None:
    """Return the row with the greatest distance of all rows."""
    best: Row | None = None
    for row in rows:
        if row.farthest is not None and (best is None or best.farthest is None or row.farthest[1] > best.farthest[1]):
            best = row
    return best


def nearest_of(row: np.ndarray, starts: np.ndarray, count: int = SHOWN) -> list[tuple[int, Any]]:
    """Return the nearest vertices, without the sources themselves, with their distances, in order."""
    return closest(row, starts, count)


@dataclass
class Rows:
    """The rows of an answer in short, whether they are in memory or were written while they were found."""

    answer: Distances | Written  # what ran, and how long it took
    shape: tuple[int, int]
    dtype: np.dtype
    rows: list[Row]

    @classmethod
    def of(cls, answer: Distances) -> Rows:
        """Describe rows that are in memory."""
        return cls(answer, answer.rows.shape, answer.rows.dtype, describe_rows(answer))

    @property
    def nbytes(self) -> int:
        """The bytes of all rows."""
        return self.shape[0] * self.shape[1] * self.dtype.itemsize


def describe_rows(block: Distances | Table) -> list[Row]:
    """Return the summary of every row."""
    return [describe_row(row, int(source)) for row, source in zip(block.rows, block.source_indices, strict=True)]


def describe_block(block: Distances | Table) -> list[Row]:
    """Return the summary of the farthest row of a block, which counts what all rows reach; nothing if that is none."""
    rows = describe_rows(block)
    best = farthest_of(rows)
    return [] if best is None else [Row(best.source, sum(row.reached for row in rows), best.farthest)]

"""An answer in short: the vertices reached, the nearest, the farthest. Ties go to the lower index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..results.limits import unreached
from ..results.lookup import closest

SHOWN = 10  # nearest vertices on the screen


@dataclass(frozen=True)
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

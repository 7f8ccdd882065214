"""The lines of answers: what the columns are called, and their entries, a bounded number at a time.

A distance has a line if there is a path. Columns are named by travel, and the vertex of a row is first:
``target,source`` are distances to the first column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph.tables import Columns, Named
from ..results import Distances, KNearest, Nearest, Table
from ..results.limits import unreached

PIECE = 1 << 18  # entries that become lines at a time
NUMBERS, LINKS = ("distance", "rank"), ("predecessor", "successor")  # columns; the others hold vertices

Answer = Distances | Nearest | KNearest  # with whole rows: also for .npy and .npz
Listed = Answer | Table  # anything that has lines
Lines = tuple[Columns, "np.ndarray | None"]
"""Some lines, and the numbers of lines after which a source ends; None: every line stands alone."""


@dataclass(frozen=True)
class Pairs:
    """Distances of which each reached one is a line: some rows, from or to some vertices."""

    names: Sequence[Any] | None
    direction: str
    sources: np.ndarray
    targets: np.ndarray | None  # the vertices of the columns; None: all, in order
    rows: np.ndarray
    trees: np.ndarray | None = None  # predecessors, shaped like the rows


def pairs_of(answer: Distances | Table, predecessors: bool = False) -> Pairs:
    """Return an answer of rows."""
    ends = answer.graph.names, answer.direction, answer.source_indices
    if isinstance(answer, Table):
        return Pairs(*ends, answer.target_indices, answer.rows)
    trees = answer.towards_sources.reshape(answer.rows.shape) if predecessors else None
    return Pairs(*ends, None, answer.rows, trees)


def pair_lines(pairs: Pairs) -> Iterator[Lines]:
    """Yield the lines of rows, by sources; the first piece is empty and shows the types."""
    k, columns = pairs.rows.shape
    yield _piece(pairs, slice(0, 0), slice(0, 0))
    step = max(1, PIECE // max(1, columns))
    for low in range(0, k, step):
        for left in range(0, columns, PIECE):
            yield _piece(pairs, slice(low, min(low + step, k)), slice(left, min(left + PIECE, columns)))


def _piece(pairs: Pairs, some: slice, columns: slice) -> Lines:
    """Return the lines of a part of the rows."""
    part, names = pairs.rows[some, columns], pairs.names
    reached = part != unreached(part.dtype)
    r, v = np.nonzero(reached)
    ends = np.cumsum(np.bincount(r, minlength=len(part))) if columns.stop == pairs.rows.shape[1] else np.empty(0, int)
    vertices = (v + columns.start).astype(np.int32)
    others = vertices if pairs.targets is None else pairs.targets[vertices]
    first, second = headings(pairs.direction)
    lines: Columns = {
        first: Named(names, pairs.sources[some][r]),
        second: Named(names, others),
        "distance": part[reached],
    }
    if pairs.trees is not None:
        lines[link_of(pairs.direction)] = Named(names, pairs.trees[some, columns][reached])
    return lines, ends


def answer_lines(answer: Listed, predecessors: bool) -> Iterator[Lines]:
    """Yield the lines of an answer: one line per vertex for the nearest sources, one per pair for any other."""
    if isinstance(answer, KNearest):
        yield from _ranked_lines(answer)
    elif isinstance(answer, Nearest):
        yield from _nearest_lines(answer, predecessors)
    else:
        yield from pair_lines(pairs_of(answer, predecessors))


def _nearest_lines(answer: Nearest, predecessors: bool) -> Iterator[Lines]:
    """Yield vertices, nearest sources and distances."""
    names, row, own = answer.graph.names, answer.distances.rows[0], headings(answer.direction)[0]
    found = np.flatnonzero(row != unreached(row.dtype)).astype(np.int32)
    for low in range(0, max(1, len(found)), PIECE):
        v = found[low : low + PIECE]
        lines: Columns = {"vertex": Named(names, v), own: Named(names, answer.source[v]), "distance": row[v]}
        if predecessors:
            lines[link_of(answer.direction)] = Named(names, answer.towards_sources[v])
        yield lines, None


def _ranked_lines(answer: KNearest) -> Iterator[Lines]:
    """Yield vertices, ranks, sources and distances of the k nearest."""
    names, own, step = answer.graph.names, headings(answer.direction)[0], max(1, PIECE // answer.k)
    for low in range(0, max(1, answer.graph.n), step):
        v, i = np.nonzero(answer.source[low : low + step] >= 0)
        v += low
        owners = Named(names, answer.source[v, i])
        yield {"vertex": Named(names, v), "rank": i + 1, own: owners, "distance": answer.dist[v, i]}, None


def headings(direction: str) -> tuple[str, str]:
    """Return what the vertices of rows and those of columns are called."""
    return ("source", "target") if direction == "from" else ("target", "source")


def link_of(direction: str) -> str:
    """Return what the next vertex towards the source is called."""
    return "predecessor" if direction == "from" else "successor"


def facts_of(direction: str, cutoff: float | None, dtype: np.dtype, rounded: bool) -> dict[str, str]:
    """Return what a .parquet file says of its distances."""
    return {
        "direction": direction,
        "dtype": dtype.name,
        "unreached": "no line",
        "rounded": str(rounded).lower(),
        **({} if cutoff is None else {"cutoff": str(cutoff)}),
    }


class Pending:
    """Lines that wait until they make a group, which holds whole sources, unless one alone is larger than a group.

    Parameters
    ----------
    most : int
        The lines of a group.
    """

    def __init__(self, most: int) -> None:
        self.most, self.lines = most, 0
        self.parts, self.ends = list[Columns](), list[np.ndarray]()

    def add(self, columns: Columns, ends: np.ndarray | None) -> Iterator[Columns]:
        """Take some lines; yield groups that are full."""
        size = lines_of(columns)
        self.ends.append((np.arange(1, size + 1) if ends is None else ends) + self.lines)
        self.parts.append(columns)
        self.lines += size
        if self.lines < self.most:
            return
        whole, ends, low = self._joined(), np.concatenate(self.ends), 0
        while self.lines - low >= self.most:
            at = int(np.searchsorted(ends, low + self.most, "right"))
            high = int(ends[at - 1]) if at and ends[at - 1] > low else low + self.most
            yield {name: part_of(column, low, high) for name, column in whole.items()}
            low = high
        self.parts = [{name: _copied(part_of(column, low, self.lines)) for name, column in whole.items()}]
        self.ends = [ends[np.searchsorted(ends, low, "right") :] - low]
        self.lines -= low

    def rest(self) -> Iterator[Columns]:
        """Yield what is left, if anything."""
        if self.lines:
            yield self._joined()

    def _joined(self) -> Columns:
        """Return all lines that wait; nothing but them is kept."""
        parts, self.parts = self.parts, []
        return {name: _joined([part[name] for part in parts]) for name in parts[0]}


def _joined(columns: list[Any]) -> Named | np.ndarray:
    """Return columns one after the other."""
    if isinstance(columns[0], Named):
        return Named(columns[0].names, np.concatenate([column.at for column in columns]))
    return np.concatenate(columns)


def _copied(column: Named | np.ndarray) -> Named | np.ndarray:
    """Return a column that does not keep a larger one in memory."""
    return Named(column.names, column.at.copy()) if isinstance(column, Named) else column.copy()


def lines_of(columns: Columns) -> int:
    """Return how many lines some columns make."""
    return next((len(c.at if isinstance(c, Named) else c) for c in columns.values()), 0)


def part_of(column: Named | np.ndarray, low: int, high: int) -> Named | np.ndarray:
    """Return some entries of a column."""
    return Named(column.names, column.at[low:high]) if isinstance(column, Named) else column[low:high]

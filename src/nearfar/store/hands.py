"""Who finds what is written: this process, by default, or others, which may write blocks of stores themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from ..engine.blocks import RowBlocks
from ..engine.query import Query
from ..engine.solve import solve
from ..engine.stream import stream_rows
from ..engine.tables import answer_table
from ..results import Distances, Table
from .matrix.form import MOST_BYTES, Form
from .matrix.job import Job
from .matrix.settling import Settler


class Hands(Protocol):
    """What finds rows; all of it gives the same to the bit."""

    def accept(self, query: Query) -> Query:
        """Return a query as it is found here, or refuse it."""

    def most_bytes(self, query: Query) -> int:
        """Return the bytes that a block of a store may have at most."""

    def columns(self, query: Query, columns: np.ndarray | None) -> np.ndarray:
        """Return the rows of a query that has one type of distances, or some columns of them."""

    def job(self, place: Any, form: Form, settler: Settler, order: np.ndarray, threads: int) -> Job:
        """Return what writes the blocks of a store that are missing."""

    def rows(self, blocks: RowBlocks) -> Iterator[Distances]:
        """Yield rows in blocks, in order; of one type, unless there is only one block."""

    def table(self, query: Query, targets: np.ndarray) -> Table:
        """Return a table."""


class Here:
    """The threads of this process."""

    def accept(self, query: Query) -> Query:
        """Return the query."""
        return query

    def most_bytes(self, query: Query) -> int:
        """Return the bytes that any block may have."""
        return MOST_BYTES

    def columns(self, query: Query, columns: np.ndarray | None) -> np.ndarray:
        """Return the rows of a query, or some columns of them."""
        rows = solve(query).rows
        assert isinstance(rows, np.ndarray)
        return rows if columns is None else np.ascontiguousarray(rows[:, columns])

    def job(self, place: Any, form: Form, settler: Settler, order: np.ndarray, threads: int) -> Job:
        """Return what settles, compresses and writes on all threads."""
        return Job(place, form, settler, order, threads)

    def rows(self, blocks: RowBlocks) -> Iterator[Distances]:
        """Yield rows in blocks, the next of which is found ahead."""
        return stream_rows(blocks)

    def table(self, query: Query, targets: np.ndarray) -> Table:
        """Return a table."""
        return answer_table(query, targets)


HERE = Here()

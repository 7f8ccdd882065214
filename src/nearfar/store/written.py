"""`Written`: what a query wrote to a file, when its rows were not kept."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..description import Description

if TYPE_CHECKING:
    from ..engine.planner import Plan


@dataclass(frozen=True)
class Written:
    """A table of distances in a file. Made by `nearfar.mssp` and others, if ``out`` names a table.

    Attributes
    ----------
    path : str
    rows, columns : int
        The shape of the answer.
    lines : int
        How many pairs are reached: each is a line.
    bytes : int
        The size of the file.
    dtype : numpy.dtype
        The type of the distances.
    direction : str
    cutoff : number or None
    rounded : bool
        Whether these are floats that were added in another order than along the path: exact up to rounding.
    plan, stats
        What was decided before the run, and what was measured during it.

    Examples
    --------
    >>> import nearfar, tempfile
    >>> g = nearfar.Graph.from_arcs([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> nearfar.apsp(g, out=tempfile.mkdtemp() + "/d.csv").lines
    6
    """

    path: str
    rows: int
    columns: int
    lines: int
    bytes: int
    dtype: np.dtype
    direction: str
    cutoff: float | None
    rounded: bool
    plan: Plan = field(repr=False)
    stats: dict[str, Any] = field(repr=False)

    def describe(self) -> Description:
        """Return what was written: a dict that prints as a table."""
        return Description(
            path=self.path, rows=self.rows, columns=self.columns, lines=self.lines, bytes=self.bytes,
            distances=self.dtype.name, direction=self.direction, cutoff=self.cutoff, rounded=self.rounded,
            **self.stats,
        )  # fmt: skip

    def open(self) -> Any:
        """Return a pyarrow dataset of the file, which reads only the lines and columns that are asked for."""
        from .sheets import require_arrow

        require_arrow("reading")
        from pyarrow import dataset

        return dataset.dataset(self.path, format="parquet" if self.path.lower().endswith(".parquet") else "csv")

    def __fspath__(self) -> str:
        return os.fspath(self.path)

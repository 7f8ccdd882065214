"""`reduce`: a user's own function of blocks of rows, one block at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from ..engine.blocks import RowBlocks
from ..engine.query import PreparedGraph
from ..engine.stream import stream_rows
from ..errors import InputTypeError
from ..graph import Graph
from ..results import Distances
from ..results.lookup import take_count
from .ask import MetricOptions, ask
from .measure import Measure


def reduce(
    graph: Graph | PreparedGraph,
    function: Callable[[Distances], Any],
    vertices: Any = None,
    *,
    name: str | None = None,
    block: int | None = None,
    hops: bool = False,
    direction: str = "from",
    **options: Unpack[MetricOptions],
) -> Measure:
    """Return what a function makes of the row of every vertex; rows come in blocks, and are not kept.

    Parameters
    ----------
    graph : Graph or Prepared
    function : function
        It takes a `Distances` with some rows, and returns one number per row, or one row of numbers per row.
    vertices, hops, **options
        As for `closeness`.
    name : str, optional
        What the result is called; by default the name of the function.
    block : int, optional
        Rows that are settled at a time.
    direction : {"from", "to"}

    Examples
    --------
    >>> import nearfar, numpy
    >>> g = nearfar.Graph.from_arcs([0, 1], [1, 2], [5, 7], undirected=True)
    >>> nearfar.metrics.reduce(g, lambda block: numpy.median(block.as_float(), axis=1)).values
    array([5., 5., 7.])
    """
    if not callable(function):
        raise InputTypeError(f"function is {function!r:.60}, a {type(function).__name__}; give a function of a block.")
    asked = ask(graph, vertices, hops, direction, options)
    blocks = RowBlocks(asked.query, None if block is None else take_count(block, "block"), buffers=3)
    parts = [_checked(function(some), some) for some in stream_rows(blocks)]
    if len({part.shape[1:] for part in parts}) > 1:
        raise InputTypeError(
            "the function gave rows of different lengths; it must return as many numbers for every row."
        )
    values: np.ndarray = np.concatenate(parts) if parts else np.empty(0)
    columns = list(range(values.shape[1])) if values.ndim == 2 else None
    called = name or getattr(function, "__name__", "reduction").strip("<>")
    return asked.measure(called, values, {"plan": blocks.plan}, columns)


def _checked(values: Any, some: Distances) -> np.ndarray:
    """Return what a function made of a block; refuse what has not one entry per row."""
    found = np.array(values)  # a copy: the block is used again
    if found.dtype.kind not in "iufb":
        raise InputTypeError(f"the function gave values of type {found.dtype}; it must return numbers.")
    if found.ndim not in (1, 2) or len(found) != len(some.rows):
        raise InputTypeError(
            f"the function gave an array of shape {found.shape} for {len(some.rows):,} rows; it must return one number "
            "per row, or one row of numbers per row."
        )
    return found

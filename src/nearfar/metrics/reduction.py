"""`reduce`: a user's own function of blocks of rows, one block at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from ..engine.query import PreparedGraph
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
        It takes a `Distances` with some rows, and returns one number per row, or one row of numbers per row. With
        ``client=`` the workers of the cluster call it, and what it changes outside itself stays there.
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
    parts, facts = asked.reduce(function, None if block is None else take_count(block, "block"))
    if len({part.shape[1:] for part in parts}) > 1:
        raise InputTypeError(
            "the function gave rows of different lengths; it must return as many numbers for every row."
        )
    values: np.ndarray = np.concatenate(parts) if parts else np.empty(0)
    columns = list(range(values.shape[1])) if values.ndim == 2 else None
    called = name or getattr(function, "__name__", "reduction").strip("<>")
    return asked.measure(called, values, facts, columns)
